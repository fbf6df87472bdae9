"""A connection is closed when its page has gone, and not because the machine is busy."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from tornado.ioloop import IOLoop

from explorable.serve.serving.guard import Guard


def closes(kind: type, late: float, opened: bool = True) -> bool:
    """Whether a connection whose last answer came ``late`` seconds ago is closed at a ping."""
    said: list[str] = []

    class Socket(kind):  # type: ignore[misc, valid-type]
        log = logging.getLogger("pings")
        _opened = opened

        def __init__(self) -> None:
            self.application: Any = SimpleNamespace(settings={})
            self.ws_connection: Any = SimpleNamespace(client_terminated=False)

        def ping(self, data: bytes = b"") -> None:
            said.append("ping")

        def close(self, *reason: Any) -> None:
            said.append("close")

    async def at_a_ping() -> None:
        socket, now = Socket(), IOLoop.current().time()
        socket.last_ping, socket.last_pong = now - min(late, 30.0), now - late
        socket.send_ping()

    # A thread has no loop yet, as the tests' own may have by a browser.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, at_a_ping()).result()
    assert len(said) == 1
    return said == ["close"]


@pytest.mark.parametrize("late", [29.99, 30.01, 35.0, 44.0])
def test_an_answer_to_the_last_ping_is_an_answer(late):
    assert not closes(Guard, late)


@pytest.mark.parametrize("late", [46.0, 60.0, 600.0])
def test_a_page_that_does_not_answer_is_noticed_at_the_second_ping(late):
    assert closes(Guard, late)


def test_who_is_told_one_interval_takes_a_busy_machine_for_a_lost_page():
    class Strict(KernelWebsocketHandler):
        ping_timeout = WebSocketMixin.ping_interval

    assert closes(Strict, 30.01)


def test_tornado_is_told_no_more_than_an_interval():
    guard = object.__new__(Guard)
    guard.application = SimpleNamespace(settings={})
    assert guard.ping_timeout == guard.ping_interval == 30_000
