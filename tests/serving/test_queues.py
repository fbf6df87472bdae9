"""A server under load: its queues, what it says of itself, and its end."""

import http.client
import json
import re
import threading
import time

import psutil
import pytest
from server import Served
from test_attacks import DIAL, FILE, works
from wire import Reply, ask, post

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def server(serve) -> Served:
    return serve("--workers", "2")


def together(server: Served, asked: list[tuple[dict, dict]]) -> list[Reply]:
    replies: list[Reply] = []

    def one(values: dict, headers: dict) -> None:
        replies.append(post(server, DIAL, values, **headers))

    threads = [threading.Thread(target=one, args=each) for each in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return replies


def test_queues_are_short_and_a_full_one_is_told_kindly(serve):
    server = serve("--workers", "2", "--queue", "8")
    asked = [({"does": "sleeps", "n": i}, {"X_Mipbook_Visit": f"page{i}"}) for i in range(12)]
    replies = together(server, asked)
    # One computes, for the other place is for other addresses; half of the queue is one's own.
    assert sorted(reply.status for reply in replies) == [200] * 5 + [503] * 7
    full = [reply for reply in replies if reply.status == 503]
    assert all(reply.headers["Retry-After"] == "1" and "error" in reply.json for reply in full)
    # The front page and the book have room for all.
    assert ask(server, "/").status == 200
    numbers = ask(server, "/metrics").text
    assert 'mipbook_replies_total{status="503"} 7.0' in numbers
    works(server)


def test_who_asks_for_much_leaves_room_for_others(serve):
    server = serve("--workers", "2", "--trust-proxy")
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
    server = serve("--workers", "1")
    works(server)
    left = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {"Content-Type": "application/json"}
    left.request("POST", DIAL, json.dumps({"does": "loops"}), headers)
    time.sleep(0.3)
    left.close()
    works(server)
    assert 'mipbook_workers_ended_total{why="left"} 1.0' in ask(server, "/metrics").text


def test_a_visit_takes_no_process(server):
    works(server)
    family = psutil.Process(server.process.pid).children(recursive=True)
    for n in range(30):
        assert ask(server, "/app/dial").status == 200
        assert post(server, DIAL, {"n": n}, X_Mipbook_Visit=f"visit{n}").status == 200
    assert len(psutil.Process(server.process.pid).children(recursive=True)) == len(family)


def test_health_and_numbers_tell_nothing_of_anybody(server):
    assert ask(server, "/healthz").text == "ok\n"
    post(server, DIAL, {"file": FILE})
    numbers = ask(server, "/metrics").text
    assert re.search(r'mipbook_move_seconds_count\{app="dial"\} [1-9]', numbers)
    assert "mipbook_memory_bytes" in numbers
    log = server.log.read_text()
    # Seconds have digits of their own.
    for secret in ("127.0.0.1", r"\b4711\b", "a.csv", "page"):
        assert not re.search(secret, numbers + log)
    assert "Traceback" not in log
    assert len(log) < 1000


def test_who_waits_is_answered_and_nothing_is_left_behind(serve):
    server = serve("--workers", "2")
    works(server)
    post(server, DIAL, {"file": FILE})
    own = psutil.Process(server.process.pid)
    family = own.children(recursive=True)
    assert len(family) >= 3
    told: list[Reply] = []
    asked = {"does": "sleeps", "n": 5}
    waiting = threading.Thread(target=lambda: told.append(post(server, DIAL, asked)))
    waiting.start()
    time.sleep(0.2)
    server.process.terminate()
    waiting.join()
    assert [reply.status for reply in told] == [200]
    assert server.process.wait(20) == 0
    assert psutil.wait_procs(family, timeout=10)[1] == []
    assert "leaked" not in server.log.read_text()


def test_the_servers_death_leaves_no_workers(serve):
    server = serve("--workers", "2")
    works(server)
    family = psutil.Process(server.process.pid).children(recursive=True)
    server.process.kill()
    assert psutil.wait_procs(family, timeout=15)[1] == []
