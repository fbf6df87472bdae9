"""The attacks on the kernel's websocket: the server goes on serving, and does not grow."""

from __future__ import annotations

import contextlib
import socket
import struct
import time

import psutil
import pytest
import websocket
from server import Served
from wire import Closed, Visitor, ask, connect, kernel_of, message, open_page, packed, wait_for

from explorable.serve.serving.frames import BadFrameError, Message
from explorable.serve.serving.guard import LONGEST_MESSAGE

GOOD = packed("comm_info_request", {})


def frame(*offsets: int, tail: bytes = b"", count: int | None = None) -> bytes:
    number = len(offsets) if count is None else count
    return struct.pack(f"<{len(offsets) + 1}Q", number, *offsets) + tail


# Name, frame. All are sent to a server.
BAD = {
    "2**25 offsets in 8 bytes": (2**25).to_bytes(8, "little"),
    "2**60 offsets in 8 bytes": (2**60).to_bytes(8, "little"),
    "2**63 offsets, padded": (2**63).to_bytes(8, "little") + b"\0" * 100_000,
    "no offsets": b"\0" * 8,
    "nothing": b"",
    "one byte": b"\6",
    "five offsets": frame(48, 48, 48, 48, 48),
    "cut off in the offsets": GOOD[:30],
    "cut off in the parts": GOOD[:-20],
    "offsets that go back": frame(56, 60, 58, 62, 63, 64, tail=b"x" * 20),
    "offsets into the count": frame(0, 5, 6, 7, 8, 9, tail=b"x" * 20),
    "offsets behind the end": frame(56, 60, 2**62, 2**63, 2**63, 2**63, tail=b"x" * 20),
    "a million offsets": frame(*[8_000_008] * 1_000_000, tail=b"x"),
    "garbage": bytes(range(256)) * 100,
    "a header that is no JSON": GOOD.replace(b'"msg_id"', b"!msg_id!"),
    "a header that is a list": frame(56, 61, 63, 65, 67, 69, tail=b"shell[]{}{}{}"),
    "a deep header": frame(56, 61, 9061, 9063, 9065, 9067, tail=b"shell" + b"[" * 9000 + b"{}{}{}"),
    "a long header": frame(56, 61, 99061, 99061, 99061, 99061, tail=b"shell" + b" " * 99000),
    "another channel": packed("comm_info_request", {}, channel="iopub"),
    "no such channel": packed("comm_info_request", {}, channel="secret"),
}


@pytest.fixture(scope="module")
def server(serve) -> Served:
    return serve("--max-visitors", "10")


@pytest.fixture(scope="module")
def page(server) -> str:
    """The kernel of a page; its sockets are opened by the tests."""
    return kernel_of(open_page(server))


@pytest.fixture
def steady(server):
    """The front page is served within a second all the while, and memory does not grow."""
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    yield
    start = time.monotonic()
    assert ask(server, "/", timeout=20).status == 200
    assert time.monotonic() - start < 1
    # With what a first page takes; alone, the page that does not read brings it to 82 MB.
    assert process.memory_info().rss - before < 100e6


def closed_by_server(opened: websocket.WebSocket) -> Closed:
    opened.settimeout(10)
    while True:
        code, data = opened.recv_data()
        if code == websocket.ABNF.OPCODE_CLOSE:
            return Closed(int.from_bytes(data[:2], "big"), data[2:].decode())


@pytest.mark.parametrize("name", BAD)
def test_a_bad_frame_ends_its_own_connection_only(server, page, steady, name):
    opened = connect(server, page)
    opened.send_binary(BAD[name])
    start = time.monotonic()
    assert ask(server, "/", timeout=20).status == 200
    assert time.monotonic() - start < 1
    end = closed_by_server(opened)
    assert end.code == 1008
    assert end.reason


def test_a_text_frame_ends_its_connection(server, page, steady):
    opened = connect(server, page)
    opened.send('{"channel": "shell"}')
    assert closed_by_server(opened).args == (1008, "not binary")


def test_a_huge_message_is_not_taken(server, page, steady):
    opened = connect(server, page)

    def send() -> None:
        opened.send_binary(b"\0" * (LONGEST_MESSAGE + 1))
        raise closed_by_server(opened)

    with pytest.raises((websocket.WebSocketException, OSError, Closed)):
        send()


def test_a_client_without_the_protocol_is_refused(server, page, steady):
    """Its messages, in another form, sent Voila into a loop that took all memory."""
    for protocols in ([], ["v0.kernel.websocket.jupyter.org"]):
        with pytest.raises(websocket.WebSocketBadStatusException) as refused:
            connect(server, page, subprotocols=protocols)
        assert refused.value.status_code == 400


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"session": "x" * 300}, 400),
        ({"session": "%00"}, 400),
        ({"header": {"Origin": "http://other.example"}}, 403),
        ({"header": {"Origin": "null"}}, 403),
    ],
)
def test_bad_handshakes_are_refused_and_leave_nothing(server, page, steady, options, status):
    for _ in range(20):
        with pytest.raises(websocket.WebSocketBadStatusException) as refused:
            connect(server, page, **options)
        assert refused.value.status_code == status


def test_a_page_whose_kernel_has_ended_is_told_so(server, steady):
    """Also after the server was started anew; a refused handshake would tell a page nothing."""
    opened = connect(server, "0b0f9c3e-0000-4000-8000-000000000000")
    status = Message(opened.recv())
    assert (status.channel, status.type) == ("iopub", "status")
    assert status.says("execution_state", "dead")
    assert closed_by_server(opened).args == (4410, "the kernel has ended")
    assert "Traceback" not in server.log.read_text()


def test_a_plain_request_to_the_websocket_is_refused(server, page, steady):
    assert ask(server, f"/api/kernels/{page}/channels?session_id=a").status == 400


def test_a_page_has_one_connection_and_a_spare_not_a_thousand(server, steady):
    kernel = kernel_of(open_page(server))
    sockets = [connect(server, kernel) for _ in range(3)]
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        connect(server, kernel)
    assert refused.value.status_code == 429
    sockets[0].close()
    time.sleep(0.5)
    connect(server, kernel).close()


def test_states_with_buffers_come_through(server, steady):
    """The bytes of a picture are what the attack on Voila asked for; a page needs them."""
    assert set(Visitor(server).widgets()) >= {"IntTextModel", "ImageModel"}


def test_code_is_neither_run_nor_shown(server, steady, tmp_path):
    visitor = Visitor(server)
    target = tmp_path / "written"
    code = f"open({str(target)!r}, 'w')"
    for channel in ("shell", "control"):
        visitor.send("execute_request", {"code": code, "silent": False}, channel)
    visitor.send("kernel_info_request", {})
    seen = []
    while "kernel_info_reply" not in seen:
        seen.append(visitor.receive()[1]["msg_type"])
    assert not target.exists()
    assert "execute_input" not in seen
    # The forbidden type did not reach the log either, where its text would be the sender's.
    assert "execute_request" not in server.log.read_text()


@pytest.mark.parametrize(
    ("what", "times"),
    [
        (packed("comm_msg", {"comm_id": "none", "data": "x" * 4_000_000}), 50),
        # The same number for all: each counts.
        (packed("comm_info_request", {}, number="same"), 2000),
    ],
    ids=["large", "many"],
)
def test_what_a_busy_kernel_is_sent_is_bounded(server, steady, what, times):
    visitor = Visitor(server)
    visitor.move(5)
    before = server.log.read_text().count("too much at once")
    with contextlib.suppress(OSError, websocket.WebSocketException):
        for _ in range(times):
            visitor.socket.send_binary(what)
    wait_for(lambda: server.log.read_text().count("too much at once") > before, 5, "what is sent piles up")


def test_a_long_visit_is_not_taken_for_an_attack(server, steady):
    """What the kernel has answered does not count."""
    visitor = Visitor(server)
    for _ in range(300):
        visitor.send("comm_info_request", {})
        visitor.until("comm_info_reply")
    assert visitor.alive()


def test_a_page_that_does_not_read_is_let_go(server, steady):
    """What it asks for would otherwise pile up in the server."""
    visitor = Visitor(server, sockopt=[(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)])
    model = visitor.widgets()["IntTextModel"]

    def ask_for_a_megabyte_again() -> bool:
        for value in (6, 0):
            data = {"method": "update", "state": {"value": value}, "buffer_paths": []}
            visitor.send("comm_msg", {"comm_id": model, "data": data})
        return "what was asked for is not taken" in server.log.read_text()

    wait_for(ask_for_a_megabyte_again, 30, "the answers pile up")


def test_errors_and_warnings_of_the_kernel_stay_on_the_server(server, steady, apps_folder):
    """They hold paths of the server's."""
    visitor = Visitor(server)
    for value in (1, 7):
        visitor.move(value)
        visitor.send("kernel_info_request", {})
        frames = []
        while not any(b"kernel_info_reply" in got for got in frames):
            frames.append(visitor.socket.recv())
        assert not any(str(apps_folder).encode() in got for got in frames)
        assert not any(b'"stderr"' in got for got in frames)


def test_a_message_is_taken_apart():
    got = Message(packed("comm_msg", {"a": "b"}, number="7"))
    assert (got.channel, got.type, got.parent) == ("shell", "comm_msg", "None")
    assert got.says("a", "b")
    assert not got.says("a", "c")


@pytest.mark.parametrize("bad", [*BAD.values(), "text", None, memoryview(GOOD)])
def test_every_bad_frame_is_refused_before_anything_is_made_from_it(bad):
    start = time.monotonic()
    try:
        got = Message(bad)
    except BadFrameError:
        pass
    else:
        assert got.channel not in {"shell", "control"}
    assert time.monotonic() - start < 0.5


def test_messages_of_the_page_have_the_form_that_the_library_reads():
    """Our reading and jupyter_server's agree on good messages."""
    assert message("comm_msg", {})["header"]["msg_type"] == "comm_msg"
    assert Message(GOOD).type == "comm_info_request"
