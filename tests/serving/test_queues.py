"""A server under load: its queues, what it holds of what it refuses, its health, and its end."""

import http.client
import json
import re
import shutil
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

import psutil
import pytest
from server import figure_server, write_notebook
from shared import ran
from wire import CHAPTER, DIAL, FILE, HEAD, PANEL, ask, family, files_of, post, wait_for, works

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def server(serve):
    return serve("--workers", "2", "--seconds", "2")


def together(server, does, count):
    """Return what pages get that ask at once."""

    def asked(i):
        return post(server, {"does": does, "n": i}, X_Mipbook_Visit=f"page{i}")

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(asked, range(count)))


def test_queues_are_short_and_a_full_one_is_told_kindly(serve):
    server = serve("--workers", "2", "--queue", "8")
    replies = together(server, "sleeps", 12)
    # One computes, for the other place is for other addresses; half of the queue is one's own.
    assert sorted(reply.status for reply in replies) == [200] * 5 + [503] * 7
    full = [reply for reply in replies if reply.status == 503]
    assert all(reply.headers["Retry-After"] == "1" and "error" in reply.json for reply in full)
    # The front page and the book have room for all.
    assert ask(server, "/").status == 200
    assert 'mipbook_replies_total{status="503"} 7.0' in ask(server, "/metrics").text
    works(server)


def test_who_leaves_frees_the_worker(serve):
    server = serve("--workers", "1")
    works(server)
    left = http.client.HTTPConnection("127.0.0.1", server.port)
    left.request("POST", DIAL, json.dumps({"does": "loops"}), {"Content-Type": "application/json"})
    time.sleep(0.3)
    left.close()
    works(server)
    assert 'mipbook_workers_ended_total{why="left"} 1.0' in ask(server, "/metrics").text


def test_health_and_numbers_tell_nothing_of_anybody(server):
    assert ask(server, "/healthz").text == "ok\n"
    post(server, {"file": FILE})
    numbers = ask(server, "/metrics").text
    assert re.search(r'mipbook_move_seconds_count\{app="dial"\} [1-9]', numbers)
    assert "mipbook_memory_bytes" in numbers
    log = server.log.read_text()
    # Seconds have digits of their own.
    assert not re.search(r"127\.0\.0\.1|\b4711\b|a\.csv|page|Traceback", numbers + log)
    assert len(log) < 1000


@pytest.mark.parametrize("dies", [False, True])
def test_who_waits_is_answered_and_nothing_is_left_behind(serve, dies):
    server = serve("--workers", "2")
    works(server)
    post(server, {"file": FILE})
    started = family(server)
    assert len(started) >= 3
    if dies:
        server.process.kill()
    else:
        with ThreadPoolExecutor() as apart:
            waiting = apart.submit(post, server, {"does": "sleeps", "n": 5})
            time.sleep(0.2)
            server.process.terminate()
        assert waiting.result().status == 200
        assert server.process.wait(20) == 0
        assert "leaked" not in server.log.read_text()
    assert psutil.wait_procs(started, timeout=15)[1] == []


@pytest.fixture
def held():
    with ExitStack() as connections:
        yield connections


def opened(held, server, sent):
    connection = held.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
    connection.sendall(sent)
    return connection


def is_closed(connection):
    try:
        return not connection.recv(65536)
    except ConnectionError:
        return True


def test_what_is_refused_by_its_length_is_let_go(server, held):
    body = b'{"file": "%s"}' % (b"x" * 3_000_000)
    body = f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body
    own, found = psutil.Process(server.process.pid), []
    for _ in range(4):
        for _ in range(60):
            with suppress(OSError):
                opened(held, server, body)
        held.close()
        time.sleep(0.5)
        found.append((own.memory_info().rss, own.num_fds()))
    # What the first took is used again by the next.
    (size, files), *_, (last_size, last_files) = found
    assert last_size - size < 30e6
    assert last_files <= files + 5
    works(server)


def test_half_heads_and_silence_end_after_seconds_and_a_body_that_nobody_reads_with_the_answer(server, held):
    connection = opened(held, server, b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\nx")
    assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
    assert any(is_closed(connection) for _ in range(9))
    starts = [b"GET / HTTP/1.1\r\nHost: local"] * 300 + [b""] * 100
    half = [opened(held, server, start) for start in starts]
    dripping, start = opened(held, server, b"GET / HTTP/1.1\r\nX: "), time.monotonic()
    assert ask(server, "/").status == 200
    assert time.monotonic() - start < 1
    with suppress(OSError):
        while time.monotonic() - start < 25:
            dripping.sendall(b"x")
            time.sleep(0.5)
    assert all(is_closed(connection) for connection in half)
    assert time.monotonic() - start < 20


def test_who_cleans_the_temporary_folder_takes_nothing_away(serve, tmp_path_factory):
    folder = tmp_path_factory.mktemp("t")
    server = serve("--workers", "2", TMPDIR=str(folder))
    works(server)
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for address in (CHAPTER, CHAPTER, *files_of(ask(server, "/app/dial").text)):
        assert ask(server, address, Accept_Encoding="gzip").status == 200
    assert post(server, {"file": FILE}).meta["sentence"] == "4711,4712"
    for process in family(server):
        with suppress(psutil.Error):  # one that has just ended
            if "tracker" not in " ".join(process.cmdline()):
                process.kill()
    assert post(server, {"file": FILE}).meta["sentence"] == "4711,4712"
    works(server)
    assert ask(server, "/healthz").status == 200


def test_workers_that_died_are_replaced_though_nobody_asks(server):
    works(server)
    for process in family(server):
        process.kill()
    time.sleep(2)  # until that is noticed
    wait_for(lambda: ask(server, "/healthz").status == 200, 15, "no figures come any more")
    works(server)


def test_health_is_false_where_no_figure_comes_and_true_while_all_are_at_work(server, tmp_path):
    with ThreadPoolExecutor() as apart:
        apart.submit(together, server, "loops", 3)
        time.sleep(0.5)
        assert ask(server, "/healthz").status == 200
    folder = tmp_path / "book" / "apps"
    folder.mkdir(parents=True)
    write_notebook(folder / "a.ipynb", PANEL.replace("Choice(NAMES)", 'Choice(NAMES, "fails")'))
    with figure_server(folder, tmp_path / "log", "--workers", "1") as broken:
        assert ask(broken, "/healthz").status == 503


SCHEDULER = """
import asyncio, sys, threading, time
threading.excepthook = lambda told: None
from explorable.serve.options import Options
from explorable.serve.pool import Pool

async def main(pool):
    ask = lambda: pool.compute("dial", "dial", {"n": time.monotonic_ns() % 10**6}, own=False)
    assert (await ask()).is_figure
    waiting = asyncio.create_task(pool.compute("dial", "dial", {"does": "sleeps"}, own=False))
    await asyncio.sleep(0.3)
    # What it cannot read ends the thread that hands out the work, as a value too deep did.
    pool._pools[False]._context.task_queue.put(object())
    assert (await asyncio.wait_for(waiting, 10)).is_figure
    assert (await asyncio.wait_for(ask(), 10)).is_figure
    # A thread that lives and does nothing is found out, too.
    pool._pools[False]._context.task_queue.get = lambda: time.sleep(600)
    await asyncio.sleep(0.3)
    pool._pools[False].schedule(print)
    start = time.monotonic()
    try:
        await ask()
    except Exception as error:
        print(type(error).__name__, time.monotonic() - start < 20)
    assert (await asyncio.wait_for(ask(), 10)).is_figure

if __name__ == "__main__":
    pool = Pool(Options(folder=sys.argv[1], workers=1, seconds=1), sys.argv[1])
    try:
        asyncio.run(main(pool))
    finally:
        pool.stop()
"""


def test_a_dead_scheduler_is_replaced_and_a_hanging_one_holds_nobody(panels_folder, tmp_path):
    script = tmp_path / "main.py"
    script.write_text(SCHEDULER)
    done = ran(script, panels_folder, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["Ended", "True"]
