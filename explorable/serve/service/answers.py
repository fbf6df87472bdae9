"""Answers: kept where they hold nothing of a reader's own, computed once for all who wait."""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import Any

import msgspec

from explorable.serve.service.kept import Kept
from explorable.serve.service.pool import Answer, Pool
from explorable.serve.service.turns import Asker, Superseded, Turns

__all__ = ["Answers"]

# What is abandoned runs on for so long: a drag abandons one short computation after another, and
# to end a worker for each would cost more.
_GRACE = 1.0


class _Flight:
    """A computation under way, who began it, and how many wait for it."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.waiting = 0
        self.began: float | None = None
        self.work: asyncio.Task[Answer]

    async def wait(self) -> Answer:
        """Wait for the answer; a computation that nobody waits for any more is ended."""
        self.waiting += 1
        try:
            return await asyncio.shield(self.work)
        finally:
            self.waiting -= 1
            if not self.waiting and not self.work.done():
                spent = _GRACE if self.began is None else time.monotonic() - self.began
                asyncio.get_running_loop().call_later(max(0.0, _GRACE - spent), self._end)

    def _end(self) -> None:
        if not self.waiting:
            self.work.cancel()


class Answers:
    """Answers to panels' requests.

    Parameters
    ----------
    pool : Pool
        What computes them.
    turns : Turns
        Who is next.
    most : int
        The bytes of answers and their keys that are kept.
    """

    def __init__(self, pool: Pool, turns: Turns, most: int = 64_000_000) -> None:
        self._pool, self._turns = pool, turns
        self.kept = Kept(most)
        self._flights: dict[bytes, _Flight] = {}
        self.hits = 0

    async def answer(self, asker: Asker, app: str, panel: str, values: dict[str, Any]) -> bytes:
        """Return a panel's answer, compressed.

        Parameters
        ----------
        asker : Asker
            Who asks.
        app, panel : str
            Which panel.
        values : dict
            The values of all its controls, checked.

        Raises
        ------
        Ended, Full, Superseded
            If there is no answer.
        """
        if any(isinstance(value, dict) for value in values.values()):
            return (await self._start(asker, app, panel, values, None).wait()).packed
        asked = msgspec.json.encode([app, panel, values], order="sorted")
        key = hashlib.blake2b(asked, digest_size=32).digest()
        while True:
            if kept := self.kept.get(key):
                self.hits += 1
                return kept
            flight = self._flights.get(key) or self._start(asker, app, panel, values, key)
            try:
                return (await flight.wait()).packed
            except Superseded:
                # Who began it moved on; who joined still wants it.
                if flight.asker == asker:
                    raise

    def _start(
        self, asker: Asker, app: str, panel: str, values: dict[str, Any], key: bytes | None
    ) -> _Flight:
        """Begin to compute; without a key the values hold a file of the reader's own."""
        flight = _Flight(asker)

        async def work() -> Answer:
            async with self._turns.turn(asker, own=key is None):
                flight.began = time.monotonic()
                return await self._pool.compute(app, panel, values, own=key is None)

        def done(task: asyncio.Task[Answer]) -> None:
            if key is not None:
                self._flights.pop(key)
            if task.cancelled() or task.exception() is not None:
                return
            # What went wrong once may go right the next time.
            if key is not None and task.result().is_figure:
                self.kept.put(key, task.result().packed)

        flight.work = asyncio.create_task(work())
        flight.work.add_done_callback(done)
        if key is not None:
            self._flights[key] = flight
        return flight
