"""What every address answers: headers, errors, files, names; also below a prefix, and behind nginx."""

import gzip
import os
import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest
from shared import ROOT, free_port
from wire import CHAPTER, DIAL, ask, files_of, post, specs_of, wait_for

from explorable.panels.static import PLOTLY

# What is open to visitors, and what is not.
ANSWERS = {
    ("GET", 200): [
        *("/", "/robots.txt", CHAPTER, "/app/dial", "/healthz", "/metrics"),
        *("/app/dial?a=%00&template=../x&theme=y", "/app/dial?" + "x" * 20_000),
    ],
    ("GET", 404): [
        *("/nothing", "/login", "/api/contents", "/api/kernels", "/voila/render/dial.ipynb"),
        *("/book/", "/book/book/", "/book/nothing.html", "/app/", "/app/nothing", "/app/dial/"),
        *("/app/dial.ipynb", "/app/../book/apps/dial.ipynb", "/app/%2e%2e/%2e%2e/pyproject.toml"),
        *(DIAL, "/static/", "/static/0000/explorable.js", "/static/../../../etc/passwd"),
        *("/static/%2e%2e/%2e%2e/etc/passwd", "/book/../../../etc/passwd", "/book//etc/passwd"),
        *("/book/%2e%2e/%2e%2e/apps/dial.ipynb", "/book/..%2f..%2fapps/dial.ipynb"),
    ],
    ("POST", 404): ["/figure/dial/nothing", "/figure/nothing/dial", "/figure/../dial"],
    ("HEAD", 200): ["/", "/app/dial"],
    ("POST", 405): ["/", "/app/dial"],
    ("GET", 301): ["/book"],
    # Names that no file has.
    ("GET", 400): ["/" + "x" * 5000, "/book/%00", "/book/" + "a" * 300, "/%00", "/app/%0d%0aX"],
}
KEPT = "public, max-age=31536000, immutable"


@pytest.fixture(scope="module", params=["", "/a/mip"])
def base(request):
    return request.param


@pytest.fixture(scope="module")
def server(base, serve):
    return serve(base=base)


def test_every_address_answers_as_it_should_errors_lead_home_and_the_log_is_silent(server, base):
    for method, status, path in ((*asked, path) for asked, paths in ANSWERS.items() for path in paths):
        reply = ask(server, path, method)
        assert reply.status == status, path
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["Referrer-Policy"] == "same-origin"
        assert reply.headers["X-Frame-Options"] == "SAMEORIGIN"
        policy = reply.headers["Content-Security-Policy"]
        for part in ("default-src 'self'", "object-src 'none'", "frame-ancestors 'self'"):
            assert part in policy
        scripts = policy.partition("script-src")[2]
        assert "'unsafe-eval'" not in policy
        assert "blob:" not in scripts
        assert "unsafe" not in scripts or path.startswith("/book/")
        assert "Set-Cookie" not in reply.headers
        assert reply.headers.get("Server", "") == ""
        if status >= 400:
            assert not re.search("Traceback|//cdn", reply.text)
            assert len(reply.body) < 2100
        if path in ("/nothing", "/app/nothing", "/book/nothing.html", "/login"):
            assert reply.headers["Content-Type"].startswith("text/html")
            assert "There is no such page here." in reply.text
            assert f'href="{base}/"' in reply.text
    assert not re.search("Traceback|plain http", server.log.read_text())


def test_all_is_below_the_prefix_and_nothing_outside(server, base):
    assert ask(server, "/book").headers["Location"] == f"{base}/book/"
    assert ask(server, "/robots.txt").text == f"User-agent: *\nDisallow: {base}/app/\n"
    assert '<a href="app/dial">A question?</a>' in ask(server, "/").text
    if base:
        assert ask(server, "").headers["Location"] == f"{base}/"
        root = SimpleNamespace(url=server.url.removesuffix(base))
        for path in ("/", "/app/dial", DIAL, "/book/index.html"):
            reply = ask(root, path)
            assert reply.status == 404, path
            assert reply.headers["X-Content-Type-Options"] == "nosniff"


@pytest.fixture(scope="module")
def files(server):
    """What an app's page loads."""
    return files_of(ask(server, "/app/dial").text)


def test_files_travel_compressed_and_are_kept_by_their_tag(server, files):
    for path in (CHAPTER, *files):
        plain, small = ask(server, path), ask(server, path, Accept_Encoding="br, gzip")
        assert "Content-Encoding" not in plain.headers
        assert small.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
        assert small.headers["Content-Type"] == plain.headers["Content-Type"]
        if len(plain.body) < 1024:
            continue
        assert small.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(small.body) == plain.body
        tag = small.headers["Etag"]
        assert tag != plain.headers["Etag"]
        again = ask(server, path, Accept_Encoding="gzip", If_None_Match=tag)
        assert (again.status, again.body) == (304, b"")
        part = ask(server, path, Accept_Encoding="gzip", Range="bytes=0-9")
        # A server may send all of it as well.
        assert (part.status, part.body) in {(206, small.body[:10]), (200, small.body)}


def test_the_files_of_an_app_are_kept_for_good_and_its_page_is_not(server, files):
    assert len(files) > 4
    assert {ask(server, path).headers["Cache-Control"] for path in files} == {KEPT}
    plotly = ask(server, files[-1])
    assert plotly.body.endswith(PLOTLY.read_bytes())
    assert len(ask(server, files[-1], Accept_Encoding="gzip").body) < 0.4 * len(plotly.body)
    for path in ("/app/dial", "/"):
        page = ask(server, path, Accept_Encoding="gzip")
        assert (page.headers["Cache-Control"], page.headers["Content-Encoding"]) == ("no-store", "gzip")
        assert "A question?" in page.text


def test_only_its_own_names_are_answered(server, files):
    ours = ("localhost", "LOCALHOST.:8866", "127.0.0.1:1", "[::1]:8866")
    others = ("evil.example", "evil.example:8866", "localhost.evil.example", "127.0.0.2", "")
    for path in ("/", CHAPTER, files[0]):
        assert {ask(server, path, Host=host).status for host in ours} == {200}
        assert {ask(server, path, Host=host).status for host in others} == {403}


def test_a_named_host_is_answered_and_a_named_site_may_frame_an_app(serve):
    server = serve("--host", "Apps.example.org", "--frame-ancestors", "https://moodle.example.org")
    assert ask(server, "/", Host="apps.example.org").status == 200
    assert ask(server, "/", Host="example.org").status == 403
    headers = ask(server, "/app/dial", Host="localhost").headers
    assert "frame-ancestors https://moodle.example.org" in headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in headers


def test_an_open_server_answers_any_name_and_warns_and_tells_where_no_book_is_built(serve, panels_folder):
    built = panels_folder.parents[1] / "_build"
    moved = built.rename(built.with_name("away"))
    try:
        server = serve("--ip", "0.0.0.0")
        missing = ask(server, "/book/book/index.html")
    finally:
        moved.rename(built)
    assert missing.status == 404
    assert "make book" in missing.text
    assert ask(server, "/", Host="any.example").status == 200
    assert re.search("(?s)plain http.*Serve it to others", server.log.read_text())


def test_the_page_holds_its_panel_and_its_links_and_no_code(server):
    page = ask(server, "/app/dial").text
    for part in (
        *("<title>A question?</title>", '<a href="../">All apps</a>', f'href="..{CHAPTER}"'),
        "<mi>x</mi><mo>&#x0003C;</mo><mi>y</mi>",
    ):
        assert part in page
    assert not re.search("<script>alert|SEEN", page)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert [spec["face"] for spec in specs_of(page).values()] == ["http"]


NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
CONF = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")


def test_the_file_says_what_the_readme_of_it_promises():
    assert "python -m mipbook serve --base-url /mip/ --trust-proxy --host www.example.org\n" in CONF
    assert CONF.count("location /mip/ {") == 1
    # The last address is the one that the server behind believes.
    assert "X-Forwarded-For $remote_addr;" in CONF
    assert "client_max_body_size 9m;" in CONF


# Where there is no nginx the file is read, not tried; the workflows' machines have one.
if NGINX:

    @pytest.fixture(scope="module")
    def front(serve, tmp_path_factory):
        """The address of the server in front, which a visitor sees."""
        behind = serve("--trust-proxy", "--workers", "2", base="/mip")
        folder, port = tmp_path_factory.mktemp("nginx"), free_port()
        # The file as it stands, but for the certificate, the name and the ports of this machine.
        conf = re.sub(r"    ssl_certificate\w* [^;]+;\n", "", CONF)
        for old, new in (
            ("listen 443 ssl;", f"listen 127.0.0.1:{port};"),
            ("server_name www.example.org;", "server_name localhost;"),
            ("127.0.0.1:8866", f"127.0.0.1:{behind.port}"),
        ):
            assert conf.count(old) == 1, old
            conf = conf.replace(old, new)
        # As root its workers become somebody else, who may not write into a test's folder.
        user = "user root;" if os.geteuid() == 0 else ""
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"):
            conf = f"{kind}_temp_path {folder}/{kind};\n{conf}"
        (folder / "nginx.conf").write_text(
            f"daemon off; {user} pid {folder}/pid; error_log {folder}/error.log;\n"
            f"events {{}}\nhttp {{ access_log off;\n{conf}}}\n"
        )
        process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")])
        found = SimpleNamespace(url=f"http://localhost:{port}/mip")
        wait_for(lambda: (folder / "pid").is_file(), 20, "nginx does not start")
        yield found
        process.terminate()
        process.wait(20)

    def test_a_visit_through_nginx(front):
        page = ask(front, "/app/dial")
        for path in (*files_of(page.text), CHAPTER):
            assert ask(front, path, Accept_Encoding="gzip").status == 200
        reply = post(front, {"n": 3}, Accept_Encoding="gzip")
        assert "figure" in reply.json
        assert reply.headers["Content-Encoding"] == "gzip"
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert ask(front, "").headers["Location"].endswith("/mip/")

    def test_nginx_keeps_the_numbers_in_and_large_bodies_out(front):
        assert ask(front, "/healthz").status == 200
        assert ask(front, "/metrics").status == 404
        assert post(front, b'{"n": ' + b" " * 9_500_000 + b"1}").status == 413
        # Four megabytes pass.
        file = {"name": "a", "text": "1\n" * 400_000, "columns": {}}
        assert "figure" in post(front, {"file": file}).json
