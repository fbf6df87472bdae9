"""How long kernels live, what each may take, and what its page is told when it ends."""

from __future__ import annotations

import os
import socket
import time

import psutil
import pytest
from server import Served
from wire import Closed, Visitor, ask, connect, kernel_of, open_page, wait_for

IDLE, LOST, UNCLAIMED, SECONDS = 12.0, 6.0, 3.0, 2.0
# The server looks every second, and a loaded machine is late.
SLACK = 6.0


@pytest.fixture(scope="module")
def server(serve) -> Served:
    return serve(
        *("--idle", str(IDLE), "--lost", str(LOST), "--unclaimed", str(UNCLAIMED)),
        *("--kernel-seconds", str(SECONDS), "--kernel-memory", "1500"),
    )


def kernels(server: Served) -> set[psutil.Process]:
    return {
        child
        for child in psutil.Process(server.process.pid).children(recursive=True)
        if child.status() != psutil.STATUS_ZOMBIE
    }


def is_gone(server: Served, kernel: str) -> bool:
    return ask(server, f"/api/kernels/{kernel}").status == 404


def end_of(visitor: Visitor) -> tuple[list[str], Closed]:
    """Return the states that the page is told until its socket is closed, and how it is."""
    states = []
    while True:
        try:
            _, header, content = visitor.receive()
        except Closed as closed:
            return states, closed
        if header["msg_type"] == "status":
            states.append(content["execution_state"])


def test_a_kernel_that_nobody_connects_to_is_ended_soon(server):
    before = kernels(server)
    kernel = kernel_of(open_page(server))
    start = time.monotonic()
    assert len(kernels(server) - before) == 1
    wait_for(lambda: is_gone(server, kernel), UNCLAIMED + SLACK, "an unclaimed kernel lives")
    assert time.monotonic() - start > UNCLAIMED - 1
    wait_for(lambda: kernels(server) == before, 5, "its process lives")


def test_a_looked_at_page_lives_while_it_rests_then_is_told(server):
    visitor = Visitor(server)
    start = time.monotonic()
    states, closed = end_of(visitor)
    assert IDLE - 1 < time.monotonic() - start < IDLE + SLACK
    assert states[-1] == "dead"
    assert (closed.code, closed.reason) == (4410, "the kernel has ended")
    assert is_gone(server, visitor.kernel)


def test_moves_keep_a_page_alive(server):
    visitor = Visitor(server)
    for _ in range(4):
        time.sleep(IDLE / 3)
        visitor.move(8)
    assert visitor.alive()


def test_a_lost_page_finds_its_kernel_again(server):
    visitor = Visitor(server)
    # Longer at rest than a lost page is kept: the grace runs from the loss.
    time.sleep(LOST + 1)
    visitor.socket.shutdown()
    time.sleep(LOST / 2)
    visitor.connect()
    assert "IntTextModel" in visitor.widgets()
    time.sleep(LOST)
    assert visitor.alive()


def test_a_lost_page_that_stays_away_loses_its_kernel(server):
    visitor = Visitor(server)
    visitor.socket.shutdown()
    took = wait_for(lambda: is_gone(server, visitor.kernel), LOST + SLACK, "it is kept")
    assert took > LOST - 2
    visitor.connect()
    states, closed = end_of(visitor)
    assert (states, closed.code) == (["dead"], 4410)


def test_a_kernel_that_dies_is_reported_and_not_started_again(server):
    before = kernels(server)
    visitor = Visitor(server)
    visitor.move(2)
    states, closed = end_of(visitor)
    assert "dead" in states
    assert not {"restarting", "starting", "autorestarting"} & set(states)
    assert closed.code == 4410
    assert is_gone(server, visitor.kernel)
    wait_for(lambda: kernels(server) == before, 5, "a kernel was started again")


def test_a_farewell_ends_the_kernel_at_once(server):
    visitor = Visitor(server)
    path = f"/voila/api/shutdown/{visitor.kernel}"
    assert ask(server, path, "POST", Origin="http://other.example").status == 404
    assert visitor.alive()
    own = f"http://127.0.0.1:{server.port}"
    assert ask(server, path, "POST", Origin=own).status == 204
    assert is_gone(server, visitor.kernel)
    assert end_of(visitor)[1].code == 4410
    assert ask(server, path, "POST").status == 404


def test_nobody_ends_a_kernel_otherwise(server):
    visitor = Visitor(server)
    assert ask(server, f"/api/kernels/{visitor.kernel}", "DELETE").status == 405
    assert ask(server, f"/api/kernels/{visitor.kernel}/restart", "POST").status == 404
    assert ask(server, "/api/kernels").status == 404
    assert visitor.alive()


def test_a_long_computation_is_stopped_and_the_kernel_lives(server):
    visitor = Visitor(server)
    text = visitor.widgets()["TextModel"]
    visitor.move(4)
    start = time.monotonic()
    state = visitor.until("comm_msg", comm_id=text)["data"]["state"]
    assert "longer than the 2 seconds" in state["value"]
    assert SECONDS - 1 < time.monotonic() - start < SECONDS + SLACK
    assert visitor.alive()


def test_a_computation_that_cannot_be_stopped_ends_with_its_kernel(server):
    """One that does not use the limit, as long compiled code does not."""
    visitor = Visitor(server)
    visitor.move(5)
    start = time.monotonic()
    states, closed = end_of(visitor)
    assert states[-1] == "dead"
    assert closed.code == 4410
    assert time.monotonic() - start < SECONDS + 10 + SLACK


def test_a_kernel_may_not_take_all_memory(server):
    visitor = Visitor(server)
    text = visitor.widgets()["TextModel"]
    visitor.move(3)
    got = visitor.until("comm_msg", comm_id=text)
    assert got["data"]["state"]["value"] == "memory"
    assert visitor.alive()


def test_a_kernel_stands_back_for_the_server(server):
    visitor = Visitor(server)
    text = visitor.widgets()["TextModel"]
    visitor.move(8)
    got = visitor.until("comm_msg", comm_id=text)
    ours = os.getpriority(os.PRIO_PROCESS, server.process.pid)
    assert int(got["data"]["state"]["value"]) == min(ours + 5, 19)


def test_kernels_use_one_thread_by_default(serve, monkeypatch):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    server = serve()
    Visitor(server)
    (kernel,) = kernels(server)
    assert [kernel.environ().get(name) for name in names] == ["1", "1", "1"]


def test_a_visitor_who_leaves_during_the_handshake_is_not_counted(server):
    """Neither as there, which would keep the kernel, nor as gone twice."""
    kernel = kernel_of(open_page(server))
    for _ in range(5):
        connect_halfway(server, kernel).close()
    wait_for(lambda: is_gone(server, kernel), UNCLAIMED + SLACK, "it is kept")
    assert "Traceback" not in server.log.read_text()


def connect_halfway(server: Served, kernel: str) -> socket.socket:
    half = socket.create_connection(("127.0.0.1", server.port))
    lines = (
        f"GET /api/kernels/{kernel}/channels?session_id=half HTTP/1.1",
        f"Host: localhost:{server.port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: v1.kernel.websocket.jupyter.org",
    )
    half.sendall("\r\n".join([*lines, "", ""]).encode())
    return half


def test_the_server_leaves_no_kernel_behind(serve):
    server = serve()
    kernel = kernel_of(open_page(server))
    connect(server, kernel)
    left = kernels(server)
    assert left
    server.stop()
    psutil.wait_procs(left, timeout=10)
    assert not any(process.is_running() for process in left)
