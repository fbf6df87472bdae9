"""What every address answers: headers, errors, files, names; also below a prefix."""

import gzip
import re
from types import SimpleNamespace

import pytest
from server import Served
from wire import ask, specs_of

from explorable.panels.static import PLOTLY

# What is open to visitors, and what is not.
OPEN = (
    *("/", "/robots.txt", "/book/book/game/chapter.html", "/app/dial", "/healthz", "/metrics"),
    *("/app/dial?a=%00&template=../x&theme=y", "/app/dial?" + "x" * 20_000),
)
NOTHING = (
    *("/nothing", "/login", "/api/contents", "/api/kernels", "/voila/render/dial.ipynb"),
    *("/book/", "/book/book/", "/book/nothing.html", "/app/", "/app/nothing", "/app/dial/"),
    *("/app/dial.ipynb", "/app/../book/apps/dial.ipynb", "/app/%2e%2e/%2e%2e/pyproject.toml"),
    *("/figure/dial/dial", "/static/", "/static/0000/explorable.js", "/static/../../../etc/passwd"),
    "/static/%2e%2e/%2e%2e/etc/passwd",
)
# A way up: nobody need say whether there is something.
ABOVE = (
    *("/book/../../../etc/passwd", "/book/%2e%2e/%2e%2e/apps/dial.ipynb"),
    *("/book/..%2f..%2fapps/dial.ipynb", "/book//etc/passwd"),
)
NO_FIGURE = ("/figure/dial/nothing", "/figure/nothing/dial", "/figure/../dial")
ANSWERS = [
    *((path, "GET", {200}) for path in OPEN),
    *((path, "GET", {404}) for path in NOTHING),
    *((path, "GET", {403, 404}) for path in ABOVE),
    *((path, "POST", {404}) for path in NO_FIGURE),
    *((path, "HEAD", {200}) for path in ("/", "/app/dial")),
    *((path, "POST", {405}) for path in ("/", "/app/dial")),
    *(("/" + "x" * 5000, "GET", {400, 404}), ("/book", "GET", {301})),
    # Names that no file has.
    *((path, "GET", {400}) for path in ("/book/%00", "/book/" + "a" * 300, "/%00", "/app/%0d%0aX")),
]
KEPT = "public, max-age=31536000, immutable"


@pytest.fixture(scope="module", params=["", "/a/mip"])
def server(request, serve) -> Served:
    return serve(base=request.param)


def base_of(server: Served) -> str:
    return server.url.removeprefix(f"http://localhost:{server.port}")


@pytest.mark.parametrize(("path", "method", "status"), ANSWERS)
def test_every_address_answers_as_it_should(server, path, method, status):
    reply = ask(server, path, method)
    assert reply.status in status
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["Referrer-Policy"] == "same-origin"
    assert reply.headers["X-Frame-Options"] == "SAMEORIGIN"
    policy = reply.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "object-src 'none'" in policy
    assert "frame-ancestors 'self'" in policy
    assert "'unsafe-eval'" not in policy
    scripts = policy.partition("script-src")[2]
    assert "blob:" not in scripts
    assert "unsafe" not in scripts or path.startswith("/book/")
    assert "Set-Cookie" not in reply.headers
    assert reply.headers.get("Server", "") == ""
    if reply.status >= 400:
        assert "Traceback" not in reply.text
        assert "//cdn" not in reply.text
        assert len(reply.body) < 2000


def test_errors_are_pages_of_ours_with_a_way_home_and_the_log_is_silent(server):
    for path in ("/nothing", "/app/nothing", "/book/nothing.html", "/login"):
        reply = ask(server, path)
        assert reply.headers["Content-Type"].startswith("text/html")
        assert "There is no such page here." in reply.text
        assert f'href="{base_of(server)}/"' in reply.text
    assert not re.search("Traceback|plain http", server.log.read_text())


def test_nothing_is_served_outside_the_prefix(server):
    base = base_of(server)
    if not base:
        return
    assert ask(server, "").headers["Location"] == f"{base}/"
    root = SimpleNamespace(url=server.url.removesuffix(base))
    for path in ("/", "/app/dial", "/figure/dial/dial", "/book/index.html"):
        reply = ask(root, path)
        assert reply.status == 404, path
        assert reply.headers["X-Content-Type-Options"] == "nosniff"


def test_what_leads_elsewhere_stays_below_the_prefix(server):
    base = base_of(server)
    assert ask(server, "/book").headers["Location"] == f"{base}/book/"
    assert ask(server, "/robots.txt").text == f"User-agent: *\nDisallow: {base}/app/\n"
    assert '<a href="app/dial">A question?</a>' in ask(server, "/").text


def files_of(server: Served) -> list[str]:
    return ["/book/book/game/chapter.html", *specs_of(ask(server, "/app/dial").body).files]


def test_files_travel_compressed_and_are_kept_by_their_tag(server):
    for path in files_of(server):
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


def test_the_files_of_an_app_are_kept_for_good_and_its_page_is_not(server):
    files = files_of(server)[1:]
    assert len(files) > 4
    for path in files:
        assert ask(server, path).headers["Cache-Control"] == KEPT
    plotly = ask(server, files[-1])
    assert plotly.body.endswith(PLOTLY.read_bytes())
    assert len(ask(server, files[-1], Accept_Encoding="gzip").body) < 0.4 * len(plotly.body)
    page = ask(server, "/app/dial", Accept_Encoding="gzip")
    assert page.headers["Cache-Control"] == "no-store"
    for packed in (page, ask(server, "/", Accept_Encoding="gzip")):
        assert packed.headers["Content-Encoding"] == "gzip"
        assert b"A question?" in gzip.decompress(packed.body)


OURS = ("localhost", "LOCALHOST.:8866", "127.0.0.1:1", "[::1]:8866")
OTHERS = ("evil.example", "evil.example:8866", "localhost.evil.example", "127.0.0.2", "")


def test_only_its_own_names_are_answered(server):
    for path in ("/", *files_of(server)[:2]):
        assert [ask(server, path, Host=host).status for host in OURS] == [200] * len(OURS)
        assert [ask(server, path, Host=host).status for host in OTHERS] == [403] * len(OTHERS)


def test_a_named_host_is_answered_and_a_named_site_may_frame_an_app(serve):
    server = serve("--host", "Apps.example.org", "--frame-ancestors", "https://moodle.example.org")
    assert ask(server, "/", Host="apps.example.org").status == 200
    assert ask(server, "/", Host="example.org").status == 403
    headers = ask(server, "/app/dial", Host="localhost").headers
    assert "frame-ancestors https://moodle.example.org" in headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in headers


def test_an_open_server_answers_any_name_and_warns(serve):
    server = serve("--ip", "0.0.0.0")
    assert ask(server, "/", Host="any.example").status == 200
    warning = server.log.read_text()
    assert "plain http" in warning
    assert "Serve it to others" in warning


def test_the_book_says_when_it_has_not_been_built(serve, panels_folder):
    built = panels_folder.parents[1] / "_build"
    moved = built.rename(built.with_name("away"))
    try:
        reply = ask(serve(), "/book/book/index.html")
    finally:
        moved.rename(built)
    assert reply.status == 404
    assert "make book" in reply.text


def test_the_page_holds_its_panel_and_its_links_and_no_code(server):
    page = ask(server, "/app/dial").text
    assert "<title>A question?</title>" in page
    assert '<a href="../">All apps</a>' in page
    assert 'href="../book/book/game/chapter.html"' in page
    assert "<script>alert" not in page
    assert "<mi>x</mi><mo>&#x0003C;</mo><mi>y</mi>" in page
    assert "SEEN" not in page
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    (spec,) = specs_of(page.encode()).panels.values()
    assert spec["face"] == "http"
