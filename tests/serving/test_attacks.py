"""What a visitor may send to a server, and what becomes of it."""

import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from wire import DIAL, FILE, HEAD, ask, post, wait_for, workers, works


@pytest.fixture(scope="module")
def server(serve):
    return serve("--workers", "2", "--seconds", "1", "--memory", "1200")


def test_a_move_is_answered_and_nothing_may_keep_it(server):
    reply = post(server, {"n": 3}, Accept_Encoding="gzip")
    assert reply.status == 200
    assert reply.headers["Content-Encoding"] == "gzip"
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.meta == post(server, {"n": 3}).meta
    # It stands back, and linear algebra starts no thread a core in each.
    assert reply.meta["nice"] == min(os.getpriority(os.PRIO_PROCESS, 0) + 5, 19)
    score = Path("/proc", str(reply.meta["pid"]), "oom_score_adj")
    assert not psutil.LINUX or score.read_text() == "500\n"
    assert {worker.environ()["OPENBLAS_NUM_THREADS"] for worker in workers(server)} == {"1"}


def test_a_computation_that_goes_wrong_ends_in_words(server):
    for does, said in (
        *(("dies", "broke off"), ("fails", "was not foreseen"), ("fills", "more memory than there is")),
        *(("loops", "longer than the 1 seconds"), ("hangs", "longer than the 1 seconds")),
    ):
        start = time.monotonic()
        reply = post(server, {"does": does})
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
        asking = apart.submit(post, server, {"does": "sleeps"})
        time.sleep(0.3)
        for worker in before:
            worker.kill()
    assert "sentence" in asking.result().meta
    works(server)
    assert not set(workers(server)) & set(before)


def test_a_file_is_read_by_a_process_that_ends_with_the_answer(server):
    reply = post(server, {"file": FILE})
    # What was read of it is told.
    assert "columns" in reply.json["file"]
    first, second = reply.meta, post(server, {"file": {**FILE, "text": "0815"}}).meta
    assert (first["sentence"], second["sentence"]) == ("4711,4712", "0815")
    # Neither has seen the other's, and the first one's process is gone.
    assert (first["seen"], second["seen"]) == (1, 1)
    assert first["pid"] != second["pid"]
    wait_for(lambda: not psutil.pid_exists(first["pid"]), 10, "the process lives on")
    # No process that serves others has ever seen one.
    assert {post(server, {"n": 100 + n}).meta["seen"] for n in range(6)} == {0}


# What else is no move is refused where bodies are read: `test_entry`.
def test_what_is_no_move_of_our_own_page_is_refused_in_words(server):
    before_asking = ask(server, DIAL, "OPTIONS", Origin="https://evil.example")
    assert before_asking.status in {404, 405}
    assert "Access-Control-Allow-Origin" not in before_asking.headers
    for headers, body, status in (
        *(({}, b"", 400), ({}, b"[" * 100_000, 400), ({}, {"n": "x"}, 400)),
        ({}, {"file": {"name": "a", "text": "1" * 1_000_001}}, 400),
        ({"Sec_Fetch_Site": "cross-site"}, {}, 403),
        ({"Sec_Fetch_Site": "same-origin"}, {}, 200),
        ({"Content_Type": "application/x-www-form-urlencoded"}, {}, 415),
        ({"Origin": "https://evil.example", "Content_Type": "text/plain"}, {}, 415),
        *(({"X_Mipbook_Visit": "x" * 10_000}, {}, 200), ({"X_Forwarded_For": "1.2.3.4"}, {}, 200)),
    ):
        reply = post(server, body, **headers)
        assert reply.status == status, (headers, body)
        assert status != 400 or "error" in reply.json
        assert "Traceback" not in reply.text
        assert "Access-Control-Allow-Origin" not in reply.headers
        works(server)


HANDSHAKE = (
    "Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: v1.kernel.websocket.jupyter.org"
)


def test_a_body_that_is_too_large_is_not_waited_for_and_there_is_no_websocket(server):
    paths = (DIAL, "/", "/api/kernels/x/channels")
    for head, status in (
        # A length that no machine has is refused by the server underneath.
        *((f"{HEAD}Content-Length: {length}", {413, 400}) for length in (10**9, 10**30, 8_500_001)),
        (f"{HEAD}Transfer-Encoding: chunked", {411}),
        (f"{HEAD}Transfer-Encoding: chunked\r\nContent-Length: 12", {400}),
        (f"{HEAD}Content-Length: 12\r\nTransfer-Encoding: chunked", {400}),
        (f"{HEAD}Content-Length: 12\r\nContent-Length: 13", {400}),
        *((f"GET {path} HTTP/1.1\r\n{HANDSHAKE}", {400, 403, 404, 405}) for path in paths),
    ):
        with socket.create_connection(("127.0.0.1", server.port), timeout=4) as connection:
            connection.sendall(f"{head}\r\n\r\n".encode())
            assert int(connection.recv(65536).split(maxsplit=2)[1]) in status, head
        works(server)
