"""Numbers for who looks after the server, as Prometheus reads them; none is about a person."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator

import psutil
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from explorable.serve.service.answers import Answers
from explorable.serve.service.pool import Pool
from explorable.serve.service.turns import Turns

__all__ = ["Metrics"]

_FRESH = 1.0
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 20)


class _Now(Collector):
    """What is read off at the moment of asking."""

    def __init__(self, answers: Answers, turns: Turns, pool: Pool) -> None:
        self._answers, self._turns, self._pool = answers, turns, pool

    def collect(self) -> Iterator[Metric]:
        """Yield the numbers."""
        gauge = GaugeMetricFamily
        yield gauge("mipbook_waiting", "Moves that wait for a worker.", self._turns.waiting)
        yield gauge("mipbook_computing", "Moves that a worker computes.", self._turns.inside)
        told = "Answers that were at hand."
        yield CounterMetricFamily("mipbook_kept_answers", told, value=self._answers.hits)
        kept = self._answers.kept
        yield gauge("mipbook_cache_entries", "Answers at hand.", len(kept))
        yield gauge("mipbook_cache_bytes", "Of these answers and their keys.", kept.size)
        ended = CounterMetricFamily("mipbook_workers_ended", "By why.", labels=["why"])
        for why in ("time", "left", "died"):
            ended.add_metric([why], self._pool.ends[why])
        yield ended
        yield gauge("mipbook_memory_bytes", "Of the server and its workers.", _memory())


def _memory() -> float:
    """Return the memory of this process and its workers; what they share counts once, on Linux."""
    own = psutil.Process()
    total = 0.0
    for process in [own, *own.children(recursive=True)]:
        with contextlib.suppress(psutil.Error):
            found = process.memory_full_info()
            total += getattr(found, "pss", found.rss)
    return total


class Metrics:
    """The server's numbers.

    Parameters
    ----------
    answers : Answers
        The answers that are kept.
    turns : Turns
        The queue.
    pool : Pool
        The workers.
    """

    def __init__(self, answers: Answers, turns: Turns, pool: Pool) -> None:
        self._registry = CollectorRegistry()
        self._told: asyncio.Future[bytes] | None = None
        self._asked = 0.0
        self._registry.register(_Now(answers, turns, pool))
        self.moves = Histogram(
            "mipbook_move_seconds",
            "How long a move took, by app.",
            ["app"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.replies = Counter("mipbook_replies", "Moves by status.", ["status"], registry=self._registry)

    async def text(self) -> bytes:
        """Return all numbers; they are gathered beside the server, at most once a second."""
        if self._told is None or (self._told.done() and time.monotonic() - self._asked > _FRESH):
            self._asked = time.monotonic()
            gathered = asyncio.to_thread(generate_latest, self._registry)
            self._told = asyncio.ensure_future(gathered)
        return await asyncio.shield(self._told)
