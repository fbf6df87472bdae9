"""Worker processes: their limits, and others in the place of those that end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pebble
from pebble import ProcessExpired, ProcessPool

from mipbook.base import validate
from mipbook.publish.service import worker
from mipbook.publish.service.options import Options

__all__ = ["FOLDER", "Ended", "Pool"]

FOLDER = "MIPBOOK_APPS"
# How much longer than a computation may take its worker lives: it should end it by itself.
_SPARE_SECONDS = 2.0
# A worker is replaced after so many answers, and with it whatever it has gathered.
_ANSWERS = 500
# A worker that does not end when it is told is killed; the others wait meanwhile.
pebble.CONSTS.term_timeout = 0.2


class Ended(Exception):
    """A computation that was ended; the text says why, in words for a reader."""


def _context() -> Any:
    """Return how workers are made: copied from a process that has all loaded, where that works."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mipbook.publish.service.preload"])
    return context


class Pool:
    """Two pools of workers: lasting ones, and for readers' files ones that end with their answer.

    Parameters
    ----------
    options : Options
        The limits.
    folder : str
        Where the notebooks lie.
    """

    def __init__(self, options: Options, folder: str) -> None:
        os.environ[FOLDER] = folder
        self._options, self._folder = options, folder
        self._context = _context()
        self._pools = [self._made(answers) for answers in (_ANSWERS, 1)]
        self.ends: Counter[str] = Counter()
        """How often a worker was ended, by why."""

    def _made(self, answers: int) -> ProcessPool:
        options = self._options
        return ProcessPool(
            max_workers=options.workers,
            max_tasks=answers,
            initializer=worker.begin,
            initargs=(options.memory, options.seconds, options.dask),
            context=self._context,
        )

    def described(self) -> dict[str, Any]:
        """Return the apps; it waits until the first worker is there.

        Raises
        ------
        ValueError
            If an app's code fails, or shows what cannot be served.
        """
        try:
            return self._pools[0].schedule(worker.described, args=[self._folder]).result()
        except Exception as error:
            if isinstance(error, ValueError) and str(error).startswith("folder = "):
                raise
            what = f"{type(error).__name__}: {error}"
            validate.refuse("folder", self._folder, f"of apps whose code runs; it says {what}")

    @property
    def works(self) -> bool:
        """Whether workers can be asked."""
        return all(pool.active for pool in self._pools)

    async def compute(self, app: str, panel: str, values: dict[str, Any], own: bool) -> bytes:
        """Return a panel's answer, compressed.

        Parameters
        ----------
        app, panel : str
            Which panel.
        values : dict
            What the page sent.
        own : bool
            Whether a file of the reader's own is among it: its worker ends with the answer.

        Raises
        ------
        Ended
            If the computation took too long, or its worker ended each time.
        """
        for _ in range(3):
            try:
                return await self._once((self._folder, app, panel, values), own)
            except TimeoutError:
                self.ends["time"] += 1
                seconds = self._options.seconds
                raise Ended(f"This took longer than the {seconds:g} seconds allowed.") from None
            except asyncio.CancelledError:
                self.ends["left"] += 1
                raise
            except ProcessExpired:
                # Memory ran out, or somebody ended it; in the second case another try helps.
                self.ends["died"] += 1
            except BrokenProcessPool:
                # All of them at once.
                self.ends["died"] += 1
        raise Ended("The program that computes this broke off; try fewer records.")

    async def _once(self, arguments: tuple[Any, ...], own: bool) -> bytes:
        self._replace(own)
        limit = self._options.seconds + _SPARE_SECONDS if self._options.seconds else None
        future = self._pools[own].schedule(worker.compute, args=arguments, timeout=limit)
        answer: bytes = await asyncio.wrap_future(future)
        return answer

    def _replace(self, own: bool) -> None:
        """Make a pool anew that has lost its workers, perhaps while nobody asked."""
        if not self._pools[own].active:
            _end(self._pools[own])
            self._pools[own] = self._made(1 if own else _ANSWERS)

    def stop(self) -> None:
        """End all workers."""
        for pool in self._pools:
            _end(pool)


def _end(pool: Any) -> None:
    """End a pool's workers, whatever they do."""
    pool.stop()
    pool.join(5)
