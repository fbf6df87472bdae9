"""A server without kernels under load: its queues, what it says of itself, and its end."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time

import psutil
import pytest
from server import Served
from test_service_attacks import DIAL, FILE, works
from wire import ask, post


@pytest.fixture(scope="module")
def server(serve) -> Served:
    return serve("--workers", "2", kind="serve")


def together(server: Served, asked: list[tuple[dict, dict]]) -> list[int]:
    statuses: list[int] = []

    def one(values: dict, headers: dict) -> None:
        statuses.append(post(server, DIAL, values, **headers).status)

    threads = [threading.Thread(target=one, args=each) for each in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


def test_queues_are_short_and_a_full_one_is_told_kindly(serve):
    server = serve("--workers", "2", "--queue", "8", kind="serve")
    asked = [({"does": "sleeps", "n": i}, {"X_Mipbook_Visit": f"page{i}"}) for i in range(12)]
    statuses = together(server, asked)
    # One computes, for the other place is for other addresses; half of the queue is one's own.
    assert sorted(statuses) == [200] * 5 + [503] * 7
    numbers = ask(server, "/metrics").text
    assert 'mipbook_replies_total{status="503"} 7.0' in numbers
    works(server)


def test_who_asks_for_much_leaves_room_for_others(serve):
    server = serve("--workers", "2", "--trust-proxy", kind="serve")
    greedy = [
        ({"does": "sleeps", "n": i}, {"X_Mipbook_Visit": f"p{i}", "X_Forwarded_For": "192.0.2.1"})
        for i in range(20)
    ]
    crowd = threading.Thread(target=together, args=(server, greedy))
    crowd.start()
    time.sleep(0.5)
    start = time.monotonic()
    # What stands before the last address anybody may write.
    forwarded = "192.0.2.1, 192.0.2.77"
    assert post(server, DIAL, {"n": 5}, X_Forwarded_For=forwarded).status == 200
    assert time.monotonic() - start < 3
    crowd.join()
    assert "192.0.2" not in server.log.read_text()


def test_who_leaves_frees_the_worker(serve):
    server = serve("--workers", "1", kind="serve")
    works(server)
    left = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {"Content-Type": "application/json"}
    left.request("POST", DIAL, json.dumps({"does": "loops"}), headers)
    time.sleep(0.3)
    left.close()
    works(server)
    assert 'mipbook_workers_ended_total{why="left"} 1.0' in ask(server, "/metrics").text


def test_health_and_numbers_tell_nothing_of_anybody(server):
    assert ask(server, "/healthz").text == "ok\n"
    post(server, DIAL, {"file": FILE})
    numbers = ask(server, "/metrics").text
    assert re.search(r'mipbook_move_seconds_count\{app="dial"\} [1-9]', numbers)
    assert "mipbook_memory_bytes" in numbers
    for secret in ("127.0.0.1", "4711", "a.csv", "page"):
        assert secret not in numbers


def test_the_log_names_no_address_and_no_file(server):
    post(server, DIAL, {"file": FILE})
    log = server.log.read_text()
    assert "127.0.0.1" not in log
    assert "4711" not in log
    assert "Traceback" not in log
    assert len(log) < 1000


def test_nothing_is_left_behind(serve):
    server = serve("--workers", "2", kind="serve")
    works(server)
    post(server, DIAL, {"file": FILE})
    own = psutil.Process(server.process.pid)
    family = own.children(recursive=True)
    assert len(family) >= 3
    server.process.terminate()
    assert server.process.wait(20) == 0
    assert psutil.wait_procs(family, timeout=10)[1] == []
    assert "leaked" not in server.log.read_text()


def test_the_servers_death_leaves_no_workers(serve):
    server = serve("--workers", "2", kind="serve")
    works(server)
    family = psutil.Process(server.process.pid).children(recursive=True)
    server.process.kill()
    assert psutil.wait_procs(family, timeout=15)[1] == []
