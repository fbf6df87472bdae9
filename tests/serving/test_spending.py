"""What a server spends on a request before it has looked at it: next to nothing."""

import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import nbformat
import psutil
import pytest
from conftest import PANEL, notebook
from server import Served, figure_server
from shared import ran
from test_attacks import DIAL, FILE, HEAD, meta, raw, works
from wire import ask, post, wait_for

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def server(serve) -> Served:
    return serve("--workers", "2", "--seconds", "2")


def family(server: Served) -> list[psutil.Process]:
    return psutil.Process(server.process.pid).children(recursive=True)


def memory(server: Served) -> float:
    return psutil.Process(server.process.pid).memory_info().rss / 1e6


def number(server: Served, name: str) -> float:
    time.sleep(1.1)  # they are told anew once a second
    lines = ask(server, "/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(f"{name} ")).rpartition(" ")[2])


OPEN: list[socket.socket] = []


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def opened(server: Served, sent: bytes, source: str = "127.0.0.1") -> socket.socket:
    address = ("127.0.0.1", server.port)
    OPEN.append(socket.create_connection(address, timeout=30, source_address=(source, 0)))
    OPEN[-1].sendall(sent)
    return OPEN[-1]


def asking(body: bytes, headers: str = "") -> bytes:
    return f"{HEAD}{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


def status(connection: socket.socket) -> int:
    return int(connection.recv(65536).split(maxsplit=2)[1])


def is_closed(connection: socket.socket) -> bool:
    try:
        return not connection.recv(65536)
    except ConnectionError:
        return True


def calm(server: Served, seconds: float) -> None:
    """Moves are answered, all and soon, for some time."""
    until, n = time.monotonic() + seconds, time.monotonic_ns() % 10**5
    while time.monotonic() < until:
        start, n = time.monotonic(), n + 1
        assert post(server, DIAL, {"n": n}).status == 200
        assert time.monotonic() - start < 2


@pytest.mark.parametrize("name", ["zz", "n", "file", "does"])
@pytest.mark.parametrize("depth", [6, 200, 600, 950, 5000])
def test_deep_values_hold_no_place(server, name, depth):
    body = b'{"%s":%s%s}' % (name.encode(), b"[" * depth, b"]" * depth)
    kept_open = [opened(server, asking(body), f"127.0.0.{k}") for k in (2, 3, 4)]
    assert [status(connection) for connection in kept_open] == [400] * 3
    works(server)
    assert ask(server, "/healthz").status == 200


def test_what_a_panel_does_not_know_takes_no_memory(server):
    works(server)
    before, entries = memory(server), number(server, "mipbook_cache_entries")
    for k in range(40):
        for body in ({f"zz{k}": "é" * 8000}, {"does": f"{k}" + "é" * 7000}):
            assert post(server, DIAL, body).status == 400
        large = json.dumps({f"zz{k}": "é" * 900_000}, ensure_ascii=False).encode()
        assert post(server, DIAL, large).status == 400
    assert memory(server) - before < 50
    assert number(server, "mipbook_cache_entries") == entries


def test_errors_are_not_kept_and_a_start_left_out_is_the_same_question(server):
    post(server, DIAL, {"n": 77})
    entries, size = (number(server, f"mipbook_cache_{x}") for x in ("entries", "bytes"))
    assert "error" in post(server, DIAL, {"does": "fails", "n": 78}).json
    post(server, DIAL, {"n": 77.0, "does": "fine", "file": "one"})
    assert number(server, "mipbook_cache_entries") == entries
    post(server, DIAL, {"n": 79})
    assert number(server, "mipbook_cache_entries") == entries + 1
    assert size < number(server, "mipbook_cache_bytes") < size + 10_000


def test_silent_uploads_delay_nobody_and_end(server):
    silent = [opened(server, f"{HEAD}Content-Length: 1900000\r\n\r\n{{".encode()) for _ in range(8)]
    start = time.monotonic()
    calm(server, 2)
    assert post(server, DIAL, {"file": FILE}).status == 200
    assert [status(connection) for connection in silent] == [408] * 8
    assert time.monotonic() - start < 10


def test_uploads_of_one_address_leave_room_for_another(serve):
    server = serve("--trust-proxy")
    part = f'{{"file": {{"name": "a", "text": "{"1" * 1_900_000}'.encode()
    head = f"{HEAD}X-Forwarded-For: 192.0.2.1\r\nContent-Length: 2000000\r\n\r\n".encode()
    greedy = [opened(server, head + part) for _ in range(12)]
    found = [connection for connection in greedy if _refused(connection)]
    assert 2 <= len(found) <= 5  # as many as an address may not hold at once
    big = {"file": {**FILE, "text": "1" * 900_000}}
    assert post(server, DIAL, big, X_Forwarded_For="192.0.2.2").status == 200
    works(server)


def _refused(connection: socket.socket) -> bool:
    connection.settimeout(0.5)
    try:
        return status(connection) == 503
    except TimeoutError:
        return False


def test_what_is_refused_by_its_length_is_let_go(server):
    body = asking(b'{"file": "%s"}' % (b"x" * 3_000_000))
    sizes, files = [], []
    for _ in range(4):
        for _ in range(60):
            with suppress(OSError):
                opened(server, body)
        while OPEN:
            OPEN.pop().close()
        time.sleep(0.5)
        sizes.append(memory(server))
        files.append(psutil.Process(server.process.pid).num_fds())
    # What the first took is used again by the next.
    assert sizes[-1] - sizes[0] < 30
    assert files[-1] <= files[0] + 5
    works(server)


def test_an_endless_body_is_not_read(server):
    before = memory(server)
    connection = opened(server, f"{HEAD}Content-Length: 12\r\n".encode())
    with suppress(OSError):
        connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(600):
            connection.sendall(b"100000\r\n" + b"x" * 2**20 + b"\r\n")
    assert memory(server) - before < 30
    works(server)


def test_half_heads_and_silence_end_after_seconds(server):
    half = [opened(server, b"GET / HTTP/1.1\r\nHost: local") for _ in range(300)]
    half += [opened(server, b"") for _ in range(100)]
    dripping, start = opened(server, b"GET / HTTP/1.1\r\nX: "), time.monotonic()
    assert ask(server, "/").status == 200
    assert time.monotonic() - start < 1
    with suppress(OSError):
        while time.monotonic() - start < 25:
            dripping.sendall(b"x")
            time.sleep(0.5)
    assert all(is_closed(connection) for connection in half)
    assert time.monotonic() - start < 20


def test_a_body_that_nobody_reads_ends_with_the_answer(server):
    connection = opened(server, b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\nx")
    assert status(connection) == 200
    assert any(is_closed(connection) for _ in range(9))


def test_numbers_are_gathered_once_a_second_and_beside_the_server(server):
    before = sum(psutil.Process(server.process.pid).cpu_times()[:2])
    assert all("mipbook_memory_bytes" in ask(server, "/metrics").text for _ in range(100))
    calm(server, 0.5)
    assert sum(psutil.Process(server.process.pid).cpu_times()[:2]) - before < 1.5


@pytest.mark.parametrize(
    "path", ["/book/%00", "/book/" + "a" * 300, "/%00", "/app/%0d%0aX", "/" + "a/" * 1500]
)
def test_names_that_no_file_has_are_refused_without_a_traceback(server, path):
    reply = raw(server, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert reply.startswith(b"HTTP/1.1 400 ")
    assert "Traceback" not in server.log.read_text()


def test_who_cleans_the_temporary_folder_takes_nothing_away(serve, tmp_path_factory):
    folder = tmp_path_factory.mktemp("t")
    server = serve("--workers", "2", TMPDIR=str(folder))
    works(server)
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    script = ask(server, "/app/dial").text.partition('src="..')[2].partition('"')[0]
    for address in ("/book/book/game/chapter.html", "/book/book/game/chapter.html", script):
        assert ask(server, address, Accept_Encoding="gzip").status == 200
    assert meta(post(server, DIAL, {"file": FILE}))["sentence"] == "4711,4712"
    for process in family(server):
        if process.is_running() and "tracker" not in " ".join(process.cmdline()):
            process.kill()
    assert meta(post(server, DIAL, {"file": FILE}))["sentence"] == "4711,4712"
    works(server)
    assert ask(server, "/healthz").status == 200


def test_workers_that_died_are_replaced_though_nobody_asks(server):
    works(server)
    for process in family(server):
        process.kill()
    time.sleep(2)  # until that is noticed
    wait_for(lambda: ask(server, "/healthz").status == 200, 15, "no figures come any more")
    works(server)


def test_health_is_false_where_no_figure_comes(tmp_path):
    folder = tmp_path / "book" / "apps"
    folder.mkdir(parents=True)
    nbformat.write(notebook(PANEL.replace("Choice(NAMES)", 'Choice(NAMES, "fails")')), folder / "a.ipynb")
    server = figure_server(folder, tmp_path / "log", "--workers", "1")
    try:
        server.wait()
        assert ask(server, "/healthz").status == 503
    finally:
        server.stop()


def test_health_is_true_while_all_are_at_work(server):
    headers = [{"X_Mipbook_Visit": f"page{i}", "X_Forwarded_For": f"192.0.2.{i}"} for i in range(3)]
    long = [
        threading.Thread(target=post, args=(server, DIAL, {"does": "loops", "n": i}), kwargs=h)
        for i, h in enumerate(headers)
    ]
    for thread in long:
        thread.start()
    time.sleep(0.5)
    assert ask(server, "/healthz").status == 200
    for thread in long:
        thread.join()


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


def test_there_are_no_more_workers_than_processors_for_us():
    if not hasattr(os, "sched_setaffinity"):
        pytest.fail("this system has no affinity")
    told = "from explorable.serve.options import read; print(read([]).workers)"
    bound = f"import os; os.sched_setaffinity(0, {{0}}); {told}"
    assert ran("-c", bound, check=True).stdout.strip() == "2"
