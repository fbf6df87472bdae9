"""What every address answers: headers, errors, files, names; also below a prefix."""

from __future__ import annotations

import functools
import gzip
import http.client
import re
import socket
import time

import pytest
from server import Served
from visits import specs_of
from wire import Visitor, ask, kernel_of, open_page

from explorable.panels.static import PLOTLY

# A way up: nobody need say whether there is something.
REFUSED = {403, 404}
NOBODY = "0b0f9c3e-0000-4000-8000-000000000000"
# Address, method, status: what is open to visitors, and what is not. Of both servers,
BOTH = [
    ("/", "GET", 200),
    ("/", "HEAD", 200),
    ("/robots.txt", "GET", 200),
    ("/book/book/game/chapter.html", "GET", 200),
    ("/book", "GET", 301),
    ("/book/nothing.html", "GET", 404),
    ("/login", "GET", 404),
    ("/logout", "GET", 404),
    ("/api", "GET", 404),
    ("/api/contents", "GET", 404),
    ("/", "POST", 405),
    ("/nothing", "GET", 404),
    ("/" + "x" * 5000, "GET", {400, 404}),
    ("/book/../../../etc/passwd", "GET", REFUSED),
    ("/book/%2e%2e/%2e%2e/apps/dial.ipynb", "GET", REFUSED),
    ("/book/..%2f..%2fapps/dial.ipynb", "GET", REFUSED),
    ("/book//etc/passwd", "GET", REFUSED),
]
# of the one with a kernel a visitor,
VOILA = [
    ("/voila/game/chapter.md", "GET", 302),
    ("/voila/tree", "GET", 302),
    ("/voila/tree/x", "GET", 302),
    ("/voila/render/dial.ipynb", "HEAD", 405),
    ("/voila/render/", "GET", 404),
    ("/voila/render/nothing.ipynb", "GET", 404),
    ("/voila/render/../apps/dial.ipynb", "GET", 404),
    ("/voila/render/%2e%2e%2fapps%2fdial.ipynb", "GET", 404),
    ("/voila/static/voila.js", "GET", 200),
    ("/voila/static/../x", "GET", 403),
    ("/voila/templates/", "GET", 404),
    ("/voila/templates/other/static/x", "GET", 404),
    ("/voila/templates/lab/static/../../x", "GET", 404),
    ("/voila/templates/lab/static/index.css", "GET", 200),
    ("/voila/files/dial.ipynb", "GET", 404),
    ("/voila/api/contents/", "GET", 404),
    ("/voila/api/themes/x", "GET", 404),
    ("/voila/labextensions/nothing", "GET", 404),
    ("/mipbook/plotly.0000.js", "GET", 404),
    ("/api/kernels", "GET", 404),
    ("/api/kernels", "POST", 404),
    (f"/api/kernels/{NOBODY}", "GET", 404),
    (f"/api/kernels/{NOBODY}/channels", "GET", 400),
    ("/metrics", "GET", 404),
    ("/healthz", "GET", 404),
    ("/voila/static/..%2fx", "GET", REFUSED),
]
# and of the one without.
SERVE = [
    ("/app/dial", "GET", 200),
    ("/app/dial", "HEAD", 200),
    ("/app/dial", "POST", 405),
    ("/app/", "GET", 404),
    ("/app/nothing", "GET", 404),
    ("/app/dial/", "GET", 404),
    ("/app/dial.ipynb", "GET", 404),
    ("/app/../book/apps/dial.ipynb", "GET", 404),
    ("/app/%2e%2e/%2e%2e/pyproject.toml", "GET", 404),
    ("/figure/dial/dial", "GET", 404),
    ("/figure/dial/nothing", "POST", 404),
    ("/figure/nothing/dial", "POST", 404),
    ("/figure/../dial", "POST", 404),
    ("/static/", "GET", 404),
    ("/static/0000/explorable.js", "GET", 404),
    ("/static/../../../etc/passwd", "GET", 404),
    ("/static/%2e%2e/%2e%2e/etc/passwd", "GET", 404),
    ("/book/", "GET", 404),
    ("/book/book/", "GET", 404),
    ("/healthz", "GET", 200),
    ("/metrics", "GET", 200),
    ("/api/kernels", "GET", 404),
    ("/voila/render/dial.ipynb", "GET", 404),
]


@pytest.fixture(scope="module")
def started(serve):
    """Servers of a kind below a base, each started once."""

    @functools.cache
    def start(kind: str, base: str) -> Served:
        return serve(kind=kind, base=base)

    return start


BASES = ["", "/a/mip"]
KEPT = "public, max-age=31536000, immutable"


@pytest.fixture(scope="module", params=[(k, b) for k in ("apps", "serve") for b in BASES])
def server(request, started) -> Served:
    return started(*request.param)


@pytest.fixture(scope="module", params=BASES)
def voila(request, started) -> Served:
    return started("apps", request.param)


@pytest.fixture(scope="module", params=BASES)
def figures(request, started) -> Served:
    return started("serve", request.param)


def base_of(server: Served) -> str:
    return server.url.removeprefix(f"http://localhost:{server.port}")


def answers(server: Served, path: str, method: str, statuses: set[int]) -> None:
    reply = ask(server, path, method)
    assert reply.status in statuses
    for header, value in {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "X-Frame-Options": "SAMEORIGIN",
    }.items():
        assert reply.headers[header] == value
    policy = reply.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'self'" in policy
    assert "'unsafe-eval'" not in policy
    assert "blob:" not in policy.partition("script-src")[2]
    assert "Set-Cookie" not in reply.headers
    assert reply.headers.get("Server", "") == ""
    if reply.status >= 400:
        assert "Traceback" not in reply.text
        assert "//cdn" not in reply.text
        assert len(reply.body) < 2000


@pytest.mark.parametrize(("path", "method", "status"), BOTH)
def test_every_address_answers_as_it_should(server, path, method, status):
    answers(server, path, method, status if isinstance(status, set) else {status})


@pytest.mark.parametrize(("path", "method", "status"), VOILA)
def test_every_address_of_the_kernels_answers(voila, path, method, status):
    answers(voila, path, method, status if isinstance(status, set) else {status})


@pytest.mark.parametrize(("path", "method", "status"), SERVE)
def test_every_address_without_kernels_answers(figures, path, method, status):
    answers(figures, path, method, {status})
    if path.startswith(("/app", "/figure")):
        policy = ask(figures, path, method).headers["Content-Security-Policy"]
        assert "unsafe" not in policy.partition("script-src")[2]


def test_errors_are_pages_of_ours_with_a_way_home(server):
    base = base_of(server)
    for path in ("/nothing", "/voila/render/nothing.ipynb", "/book/nothing.html", "/login"):
        reply = ask(server, path)
        assert reply.headers["Content-Type"].startswith("text/html")
        assert "There is no such page here." in reply.text
        assert f'href="{base}/"' in reply.text


def test_nothing_asked_for_above_ended_in_a_traceback(server):
    assert "Traceback" not in server.log.read_text()


def test_nothing_is_served_outside_the_prefix(server):
    base = base_of(server)
    if not base:
        return
    assert ask(server, "").headers["Location"] == f"{base}/"
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    for path in ("/", "/voila/render/dial.ipynb", "/figure/dial/dial", "/book/index.html"):
        connection.request("GET", path)
        reply = connection.getresponse()
        assert reply.status == 404, path
        assert reply.getheader("X-Content-Type-Options") == "nosniff"
        reply.read()
    connection.close()


def test_the_book_is_below_the_prefix(server):
    assert ask(server, "/book").headers["Location"] == f"{base_of(server)}/book/"


def test_redirects_stay_below_the_prefix(voila):
    base = base_of(voila)
    where = {path: ask(voila, path).headers["Location"] for path, _, s in VOILA if s in (301, 302)}
    assert where["/voila/game/chapter.md"] == f"{base}/book/book/game/chapter.html"
    assert where["/voila/tree"] == f"{base}/"


def test_an_app_page_is_named_knows_its_home_and_sets_no_cookie(voila):
    server, base = voila, base_of(voila)
    page = open_page(server)
    assert "<title>A question?</title>" in page.text
    assert f'<a href="{base}/">All apps</a>' in page.text
    assert "Set-Cookie" not in page.headers
    policy = page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in policy
    assert "object-src 'none'" in policy
    assert "//cdn.jsdelivr.net" not in page.text
    (address,) = re.findall(r'mipbookPlotly = "([^"]+)"', page.text)
    assert re.fullmatch(rf"{base}/mipbook/plotly\.[0-9a-f]{{16}}\.js", address)


def test_the_front_page_lists_the_apps(voila, figures):
    assert '<a href="voila/render/dial.ipynb">A question?</a>' in ask(voila, "/").text
    assert '<a href="app/dial">A question?</a>' in ask(figures, "/").text


def test_a_visit_works_below_the_prefix(voila):
    visitor = Visitor(voila)
    assert "IntTextModel" in visitor.widgets()
    assert visitor.alive()
    assert ask(voila, f"/voila/api/shutdown/{visitor.kernel}", "POST").status == 204
    assert not visitor.alive()


def test_plotly_is_a_file_that_browsers_keep(voila):
    server, base = voila, base_of(voila)
    (address,) = re.findall(r'mipbookPlotly = "([^"]+)"', open_page(server).text)
    path = address.removeprefix(base)
    plain = ask(server, path)
    assert plain.body == PLOTLY.read_bytes()
    assert plain.headers["Cache-Control"] == KEPT
    assert plain.headers["Content-Type"].startswith(("text/javascript", "application/javascript"))
    small = ask(server, path, Accept_Encoding="gzip")
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.body) == plain.body
    assert len(small.body) < 0.4 * len(plain.body)
    assert small.headers["Cache-Control"] == plain.headers["Cache-Control"]


def files_of(server: Served) -> list[str]:
    """A few files of each kind that a server of this kind sends."""
    book = "/book/book/game/chapter.html"
    page = ask(server, "/app/dial")
    if page.status == 404:
        return [book, "/voila/static/voila.js", "/voila/templates/lab/static/index.css"]
    return [book, *specs_of(page.body).files]


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


def test_the_files_of_a_page_without_kernel_are_kept_for_good(figures):
    page = specs_of(ask(figures, "/app/dial").body)
    assert len(page.files) > 4
    for path in page.files:
        assert ask(figures, path).headers["Cache-Control"] == KEPT
    assert ask(figures, page.files[-1]).body == PLOTLY.read_bytes()
    assert ask(figures, "/app/dial").headers["Cache-Control"] == "no-store"


def test_pages_travel_compressed(voila, figures):
    pages = [open_page(voila, Accept_Encoding="gzip")]
    for path in ("/", "/app/dial"):
        pages.append(ask(figures, path, Accept_Encoding="gzip"))
    for page in pages:
        assert page.headers["Content-Encoding"] == "gzip"
        assert b"A question?" in gzip.decompress(page.body)


def test_compressed_messages_are_offered(voila):
    visitor = Visitor(voila, header={"Sec-WebSocket-Extensions": "permessage-deflate"})
    assert "permessage-deflate" in visitor.socket.getheaders()["sec-websocket-extensions"]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST.:8866", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:8866", 200),
        ("evil.example", 403),
        ("evil.example:8866", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.2", 403),
        ("", 403),
    ],
)
def test_only_its_own_names_are_answered(server, host, status):
    for path in ("/", *files_of(server)[:2]):
        assert ask(server, path, Host=host).status == status


KINDS = pytest.mark.parametrize("kind", ["apps", "serve"])


@KINDS
def test_a_named_host_is_answered(serve, kind):
    server = serve("--host", "Apps.example.org", kind=kind)
    assert ask(server, "/", Host="apps.example.org").status == 200
    assert ask(server, "/", Host="localhost").status == 200
    assert ask(server, "/", Host="example.org").status == 403


@KINDS
def test_an_open_server_answers_any_name_and_warns(serve, kind):
    server = serve("--ip", "0.0.0.0", kind=kind)
    assert ask(server, "/", Host="any.example").status == 200
    warning = server.log.read_text()
    assert "plain http" in warning
    assert "Serve it to others" in warning


def test_a_local_server_does_not_warn(server):
    assert "plain http" not in server.log.read_text()


@KINDS
def test_the_book_says_when_it_has_not_been_built(serve, apps_folder, panels_folder, kind):
    folder = {"apps": apps_folder, "serve": panels_folder}[kind]
    built = folder.parents[1] / "_build"
    moved = built.rename(built.with_name("away"))
    try:
        reply = ask(serve(kind=kind), "/book/book/index.html")
    finally:
        moved.rename(built)
    assert reply.status == 404
    assert "make book" in reply.text


def test_half_open_requests_disturb_nobody(server):
    half = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
    for connection in half:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
    start = time.monotonic()
    assert ask(server, "/").status == 200
    assert time.monotonic() - start < 1
    for connection in half:
        connection.close()


def test_a_body_that_is_too_large_is_not_waited_for(voila):
    kernel = kernel_of(open_page(voila))
    try:
        reply = ask(voila, f"/voila/api/shutdown/{kernel}", "POST", Content_Length=str(10**9))
    except OSError:
        return
    assert reply.status == 400
