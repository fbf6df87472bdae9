"""What a visitor may send to a server, and what becomes of it."""

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from server import Served
from wire import Reply, ask, post, wait_for

DIAL = "/figure/dial/dial"
HEAD = f"POST {DIAL} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
FILE = {"name": "a.csv", "text": "4711,4712", "columns": {}}


@pytest.fixture(scope="module")
def server(serve) -> Served:
    return serve("--workers", "2", "--seconds", "1", "--memory", "1200")


def workers(server: Served) -> set[int]:
    own = psutil.Process(server.process.pid)
    return {worker.pid for child in own.children() for worker in child.children()}


def meta(reply: Reply) -> dict:
    return reply.json["figure"]["layout"]["meta"]


def works(server: Served) -> None:
    """The next visitor is answered, and soon."""
    start = time.monotonic()
    assert "sentence" in meta(post(server, DIAL, {"n": time.monotonic_ns() % 10**6}))
    assert time.monotonic() - start < 10


def test_a_move_is_answered_and_nothing_may_keep_it(server):
    reply = post(server, DIAL, {"n": 3}, Accept_Encoding="gzip")
    assert reply.status == 200
    assert reply.headers["Content-Encoding"] == "gzip"
    assert reply.headers["Cache-Control"] == "no-store"
    assert meta(reply) == meta(post(server, DIAL, {"n": 3}))
    assert meta(reply)["nice"] >= 5
    # Nor does linear algebra start a thread a core in each.
    for pid in workers(server):
        assert psutil.Process(pid).environ()["OPENBLAS_NUM_THREADS"] == "1"


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("dies", "broke off"),
        ("fills", "more memory than there is"),
        ("loops", "longer than the 1 seconds"),
        ("hangs", "longer than the 1 seconds"),
        ("fails", "was not foreseen"),
    ],
)
def test_a_computation_that_goes_wrong_ends_in_words(server, does, said):
    start = time.monotonic()
    reply = post(server, DIAL, {"does": does})
    assert reply.status == 200
    assert said in reply.json["error"]
    assert len(reply.json["error"]) <= 300
    assert "Traceback" not in reply.text
    assert time.monotonic() - start < 15
    works(server)


def test_a_worker_killed_in_mid_flight_answers_all_the_same(server):
    works(server)
    before = workers(server)
    with ThreadPoolExecutor() as apart:
        asking = apart.submit(post, server, DIAL, {"does": "sleeps"})
        time.sleep(0.3)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
    assert "sentence" in meta(asking.result())
    works(server)
    assert workers(server).isdisjoint(before)


def test_a_file_is_read_by_a_process_that_ends_with_the_answer(server):
    reply = post(server, DIAL, {"file": FILE})
    # What was read of it is told.
    assert "columns" in reply.json["file"]
    first = meta(reply)
    second = meta(post(server, DIAL, {"file": {**FILE, "text": "0815"}}))
    assert (first["sentence"], second["sentence"]) == ("4711,4712", "0815")
    # Neither has seen the other's, and the first one's process is gone.
    assert (first["seen"], second["seen"]) == (1, 1)
    assert first["pid"] != second["pid"]
    wait_for(lambda: not psutil.pid_exists(first["pid"]), 10, "the process lives on")
    # No process that serves others has ever seen one.
    for n in range(6):
        assert meta(post(server, DIAL, {"n": 100 + n}))["seen"] == 0


# What else there is, is refused where bodies are read: `test_entry`.
@pytest.mark.parametrize(
    "body", [b"", b"[" * 100_000, {"n": "x"}, {"file": {"name": "a", "text": "1" * 1_000_001}}]
)
def test_what_is_no_move_of_the_panel_is_refused_in_words(server, body):
    reply = post(server, DIAL, body)
    assert reply.status == 400
    assert "error" in reply.json
    assert "Traceback" not in reply.text
    works(server)


def status_of(server: Served, text: str) -> int:
    """Say how the first line of an answer begins, without the rest."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(text.encode())
        return int(connection.recv(65536).split(maxsplit=2)[1])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (f"Content-Length: {10**9}", 413),
        (f"Content-Length: {10**30}", 413),
        ("Content-Length: 8500001", 413),
        ("Transfer-Encoding: chunked", 411),
        ("Transfer-Encoding: chunked\r\nContent-Length: 12", 400),
        ("Content-Length: 12\r\nTransfer-Encoding: chunked", 400),
        ("Content-Length: 12\r\nContent-Length: 13", 400),
    ],
)
def test_a_body_that_is_too_large_is_not_waited_for(server, headers, status):
    start = time.monotonic()
    # A length that no machine has is refused by the server underneath.
    assert status_of(server, f"{HEAD}{headers}\r\n\r\n") in {status, 400}
    assert time.monotonic() - start < 4
    works(server)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-origin"}, 200),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Origin": "https://evil.example", "Content_Type": "text/plain"}, 415),
        ({"X_Mipbook_Visit": "x" * 10_000}, 200),
        ({"X_Forwarded_For": "1.2.3.4"}, 200),
    ],
)
def test_another_sites_page_cannot_ask(server, headers, status):
    reply = post(server, DIAL, {}, **headers)
    assert reply.status == status
    assert "Access-Control-Allow-Origin" not in reply.headers
    before_asking = ask(server, DIAL, "OPTIONS", Origin="https://evil.example")
    assert before_asking.status in {404, 405}
    assert "Access-Control-Allow-Origin" not in before_asking.headers


@pytest.mark.parametrize("path", [DIAL, "/", "/api/kernels/x/channels", "/app/dial"])
def test_there_is_no_websocket(server, path):
    handshake = (
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: v1.kernel.websocket.jupyter.org\r\n\r\n"
    )
    assert status_of(server, handshake) != 101
    works(server)
