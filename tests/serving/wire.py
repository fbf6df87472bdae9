"""A visitor without a browser: http by hand."""

import contextlib
import gzip
import http.client
import json
import re
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from server import Served

from explorable.panels.static import PLOTLY

_PANEL = re.compile(r'<script type="application/json" class="mb-spec">(.*?)</script>', re.DOTALL)
_FILE = re.compile(r'(?:src|href)="\.\.(/static/[^"]+)"')


@dataclass
class Reply:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        packed = self.body[:2] == b"\x1f\x8b"
        return (gzip.decompress(self.body) if packed else self.body).decode()

    @property
    def json(self) -> dict:
        return json.loads(self.text)


def ask(
    server: Served, path: str, method: str = "GET", body: bytes | None = None, source: str = "", **headers
) -> Reply:
    """Ask for an address below the server's base; no redirect is followed."""
    address = urlsplit(server.url)
    own = (source, 0) if source else None
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60, source_address=own)
    with contextlib.closing(connection):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, address.path + path, body, named)
        reply = connection.getresponse()
        return Reply(reply.status, reply.headers, reply.read())


def post(server: Served, path: str, body: object, **headers: str) -> Reply:
    """Ask for a figure; the body is JSON, unless it is bytes already."""
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ask(server, path, "POST", sent, **{"Content_Type": "application/json", **headers})


def wait_for(condition, seconds: float, what: str) -> float:
    """Wait until something holds, and return how long it took."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < seconds, what
        time.sleep(0.1)
    return time.monotonic() - start


@dataclass(frozen=True)
class Page:
    """The panels of an app's page, and the files that it loads."""

    panels: dict[str, dict]
    files: tuple[str, ...]


def specs_of(body: bytes) -> Page:
    """Take a page apart; it may be compressed."""
    text = (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode()
    specs = [json.loads(found) for found in _PANEL.findall(text)]
    files = _FILE.findall(text)
    # The script itself loads the plotting script beside it.
    script = next(name for name in files if name.endswith("/explorable.js"))
    plotly = script.replace("explorable.js", f"vendor/{PLOTLY.name}")
    return Page({spec["id"]: spec for spec in specs}, (*files, plotly))
