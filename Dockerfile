# The apps and the book for a class or a school: see "Run it for a class" in the book.
FROM python:3.12-slim AS book
WORKDIR /mipbook
COPY . .
RUN python -m venv .venv
RUN .venv/bin/python -m pip install --no-cache-dir -c constraints.txt -e ".[accounting,book,learners]"
RUN .venv/bin/python -m mipbook build

FROM python:3.12-slim
WORKDIR /mipbook
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY mipbook mipbook
COPY book/apps book/apps
RUN python -m venv .venv
RUN .venv/bin/python -m pip install --no-cache-dir -c constraints.txt -e ".[accounting,learners,serve]"
# The figures' first pictures leave compiled code behind, which a read-only root could not keep.
RUN .venv/bin/python -m compileall -q mipbook
COPY --from=book /mipbook/_build/html _build/html
USER 10001:10001
EXPOSE 8866
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD [".venv/bin/python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8866/healthz', timeout=4)"]
ENTRYPOINT [".venv/bin/python", "-m", "mipbook", "serve", "--ip", "0.0.0.0"]
