# The apps and the book for a class or a school: see "Run it for a class" in the book.
FROM python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea AS book
WORKDIR /mipbook
COPY . .
RUN python -m venv .venv
RUN .venv/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.lock
RUN .venv/bin/python -m pip install --no-cache-dir --no-deps --no-build-isolation -e .
RUN .venv/bin/python -m mipbook build

FROM python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea
WORKDIR /mipbook
COPY pyproject.toml deploy/requirements.txt README.md LICENSE ./
COPY explorable explorable
COPY mipbook mipbook
COPY book/apps book/apps
RUN python -m venv .venv
RUN .venv/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.txt
ENV PYTHONPATH=/mipbook
# The figures' first pictures leave compiled code behind, which a read-only root could not keep.
RUN .venv/bin/python -m compileall -q explorable mipbook
COPY --from=book /mipbook/_build/html _build/html
USER 10001:10001
EXPOSE 8866
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD [".venv/bin/python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8866/healthz', timeout=4)"]
ENTRYPOINT [".venv/bin/python", "-m", "mipbook", "serve", "--ip", "0.0.0.0"]
