"""A visitor without a browser: http by hand."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import json
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from server import Served


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


def ask(server: Served, path: str, method: str = "GET", timeout: float = 60, **headers) -> Reply:
    """Ask for an address below the server's base; no redirect is followed."""
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=timeout)
    with contextlib.closing(connection):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, address.path + path, headers=named)
        reply = connection.getresponse()
        return Reply(reply.status, reply.headers, reply.read())


def post(server: Served, path: str, body: object, timeout: float = 60, **headers: str) -> Reply:
    """Ask for a figure; the body is JSON, unless it is bytes already."""
    address = urlsplit(server.url)
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {"Content-Type": "application/json"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=timeout)
    with contextlib.closing(connection):
        connection.request("POST", address.path + path, sent, named)
        reply = connection.getresponse()
        return Reply(reply.status, reply.headers, reply.read())


def wait_for(condition, seconds: float, what: str) -> float:
    """Wait until something holds, and return how long it took."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < seconds, what
        time.sleep(0.1)
    return time.monotonic() - start
