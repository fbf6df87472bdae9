"""A visitor without a browser: http by hand, and the kernel's websocket."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import json
import re
import time
import uuid
from dataclasses import dataclass
from urllib.parse import urlsplit

import websocket
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from server import Served

from explorable.serve.serving.frames import PROTOCOL

# Every websocket that a test opened, to be closed after it.
SOCKETS: list[websocket.WebSocket] = []


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


def open_page(server: Served, app: str = "dial.ipynb", **headers) -> Reply:
    return ask(server, f"/voila/render/{app}", **headers)


def kernel_of(page: Reply) -> str:
    return re.search(r'"kernelId": "([0-9a-f-]+)"', page.text)[1]


def connect(server: Served, kernel: str, *, session: str | None = None, **options):
    """Open a kernel's websocket; raises ``WebSocketBadStatusException`` if refused."""
    options.setdefault("subprotocols", [PROTOCOL])
    address = server.url.replace("http://", "ws://")
    session = session or str(uuid.uuid4())
    opened = websocket.create_connection(
        f"{address}/api/kernels/{kernel}/channels?session_id={session}",
        timeout=options.pop("timeout", 30),
        suppress_origin="header" not in options,
        **options,
    )
    SOCKETS.append(opened)
    return opened


def message(kind: str, content: dict, number: str = "", session: str = "me") -> dict:
    header = {
        "msg_id": number or str(uuid.uuid4()),
        "msg_type": kind,
        "username": "",
        "session": session,
        "date": "2026-01-01T00:00:00Z",
        "version": "5.3",
    }
    # The version that widgets ask for.
    metadata = {"version": "1.0.0"}
    return {"header": header, "parent_header": {}, "metadata": metadata, "content": content}


def packed(kind: str, content: dict, channel: str = "shell", **header) -> bytes:
    pack = lambda part: json.dumps(part).encode()  # noqa: E731
    return serialize_msg_to_ws_v1(message(kind, content, **header), channel, pack)


class Visitor:
    """Someone with an app's page open."""

    def __init__(self, server: Served, app: str = "dial.ipynb", **options) -> None:
        self.server = server
        self.page = open_page(server, app)
        self.kernel = kernel_of(self.page)
        self.options = options
        self.session = str(uuid.uuid4())
        self.connect()

    def connect(self) -> None:
        self.socket = connect(self.server, self.kernel, session=self.session, **self.options)

    def send(self, kind: str, content: dict, channel: str = "shell", **header) -> None:
        self.socket.send_binary(packed(kind, content, channel, **header))

    def receive(self, timeout: float = 30) -> tuple[str, dict, dict]:
        """Return a message's channel, header and content; raises when the socket is closed."""
        self.socket.settimeout(timeout)
        code, frame = self.socket.recv_data()
        if code == websocket.ABNF.OPCODE_CLOSE:
            raise Closed(int.from_bytes(frame[:2], "big"), frame[2:].decode())
        channel, parts = deserialize_msg_from_ws_v1(frame)
        return channel, json.loads(parts[0]), json.loads(parts[3])

    def until(self, kind: str, **content) -> dict:
        """Return the content of the next message of a type, with these entries."""
        while True:
            _, header, got = self.receive()
            if header["msg_type"] == kind and content.items() <= got.items():
                return got

    def widgets(self) -> dict[str, str]:
        """Return the numbers of the page's widgets by what they are, for instance IntTextModel."""
        self.send("comm_open", {"comm_id": "c", "target_name": "jupyter.widget.control"})
        self.send("comm_msg", {"comm_id": "c", "data": {"method": "request_states"}})
        while True:
            states = self.until("comm_msg")["data"].get("states")
            if states:
                return {state["model_name"]: key for key, state in states.items()}

    def move(self, value: int) -> None:
        """Turn the dial."""
        data = {"method": "update", "state": {"value": value}, "buffer_paths": []}
        self.send("comm_msg", {"comm_id": self.widgets()["IntTextModel"], "data": data})

    def alive(self) -> bool:
        return ask(self.server, f"/api/kernels/{self.kernel}").status == 200

    def close(self) -> None:
        self.socket.close()


class Closed(Exception):
    """The server closed the websocket: its code and its reason."""

    @property
    def code(self) -> int:
        return self.args[0]

    @property
    def reason(self) -> str:
        return self.args[1]


def wait_for(condition, seconds: float, what: str) -> float:
    """Wait until something holds, and return how long it took."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < seconds, what
        time.sleep(0.1)
    return time.monotonic() - start
