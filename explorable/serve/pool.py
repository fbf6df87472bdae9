"""Worker processes: their limits, and others in the place of those that end.

No wait here is without end: a computation has its seconds, its worker two more, and who waits for
it ten more again, also where the thread that should have said so is dead.
"""

import asyncio
import contextlib
import multiprocessing
import os
import threading
import time
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import Any

import pebble
import psutil
from pebble import ProcessExpired, ProcessPool

from explorable import validate
from explorable.serve import worker
from explorable.serve.options import Options
from explorable.serve.turns import Answer, Ended, places_for_files

# How much longer than a computation may take its worker lives: it should end it by itself.
_SPARE_SECONDS = 2.0
# How much longer than that anybody waits, and how often is looked whether there is still a pool.
_LAST_SECONDS, _LOOK = 10.0, 0.25
# A worker is replaced after so many answers, and with it whatever it has gathered.
_ANSWERS = 500
# So many seconds it is believed that figures come.
_FRESH = 1.0
# A worker that does not end when it is told is killed; the others wait meanwhile.
pebble.CONSTS.term_timeout = 0.2


def _context() -> Any:
    """Return how workers are made: copied from a process that has all loaded, where that works."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["explorable.serve.worker"])
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
        os.environ[worker.FOLDER] = folder
        self._options, self._folder = options, folder
        self._context = _context()
        self._pools = [self._made(own) for own in (False, True)]
        self.ends: Counter[str] = Counter()
        """How often a worker was ended, by why."""
        self._probe: asyncio.Future[list[bool]] | None = None
        self._asked = 0.0

    def _made(self, own: bool) -> ProcessPool:
        options = self._options
        return ProcessPool(
            max_workers=places_for_files(options.workers) if own else options.workers,
            max_tasks=1 if own else _ANSWERS,
            initializer=worker.begin,
            initargs=(options.memory, options.seconds, own),
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

    async def watch(self) -> None:
        """Replace what died while nobody asked, until this is cancelled."""
        while True:
            for own in (False, True):
                with contextlib.suppress(OSError, RuntimeError):
                    self._alive(own)
            await asyncio.sleep(_LOOK)

    async def works(self, patience: float) -> bool:
        """Whether figures come: each kind of worker is asked for a small one.

        Where all are at work none can say so at once; then it is enough that the last one who
        was asked so has had no more time than a computation may take.

        Parameters
        ----------
        patience : float
            How many seconds an answer may take.
        """
        # Who asks again at once is told the same.
        due = time.monotonic() - self._asked > _FRESH
        if self._probe is None or (self._probe.done() and due):
            asked = (self._once(worker.smallest, (self._folder,), own) for own in (False, True))
            self._probe = asyncio.gather(*asked)
            self._asked = time.monotonic()
        done, _ = await asyncio.wait({self._probe}, timeout=patience)
        if done:
            return self._probe.exception() is None and all(self._probe.result())
        return time.monotonic() - self._asked < self._options.seconds + _SPARE_SECONDS

    async def compute(self, app: str, panel: str, values: dict[str, Any], own: bool) -> Answer:
        """Return a panel's answer.

        Parameters
        ----------
        app, panel : str
            Which panel.
        values : dict
            The values of its controls, checked.
        own : bool
            Whether a file of the reader's own is among it: its worker ends with the answer.

        Raises
        ------
        Ended
            If the computation took too long, or its worker ended each time.
        """
        for _ in range(3):
            try:
                arguments = (self._folder, app, panel, values)
                return Answer(*await self._once(worker.compute, arguments, own))
            except TimeoutError:
                self.ends["time"] += 1
                seconds = self._options.seconds
                raise Ended(f"This took longer than the {seconds:g} seconds allowed.") from None
            except asyncio.CancelledError:
                self.ends["left"] += 1
                raise
            except (ProcessExpired, BrokenProcessPool, OSError, RuntimeError):
                # Memory ran out, or somebody ended it or all of them; then another try helps.
                self.ends["died"] += 1
        raise Ended("The program that computes this broke off; try fewer records.")

    async def _once(self, function: Any, arguments: tuple[Any, ...], own: bool) -> Any:
        """Return what a worker gives, or say that it, or the whole pool, is no more."""
        pool = self._alive(own)
        limit = self._options.seconds + _SPARE_SECONDS
        asked = asyncio.wrap_future(pool.schedule(function, args=arguments, timeout=limit))
        until = time.monotonic() + limit + _LAST_SECONDS
        try:
            while not asked.done():
                await asyncio.wait({asked}, timeout=_LOOK)
                if not asked.done() and not pool.active:
                    raise BrokenProcessPool
                if not asked.done() and time.monotonic() > until:
                    # It should have been told long ago: nobody is there who could tell.
                    self._replace(own)
                    raise TimeoutError
            return asked.result()
        finally:
            asked.cancel()

    def _alive(self, own: bool) -> ProcessPool:
        """Return a pool that works: a new one where the old one has lost its workers."""
        if not self._pools[own].active:
            self._replace(own)
        return self._pools[own]

    def _replace(self, own: bool) -> None:
        # To end a pool takes seconds, in which the server has others to answer.
        threading.Thread(target=_end, args=(self._pools[own],), daemon=True).start()
        _renew_source()
        self._pools[own] = self._made(own)

    def stop(self) -> None:
        """End all workers."""
        pools: list[Any] = self._pools
        for pool in pools:
            pool.stop()
        # Pebble takes away first what a worker begins with, and one that still begins would complain.
        for source in _sources():
            with contextlib.suppress(psutil.Error):
                for worker_process in source.children():
                    worker_process.kill()
        for pool in pools:
            pool.join(5)


def _end(pool: Any) -> None:
    """End a pool's workers, whatever they do."""
    pool.stop()
    pool.join(5)


def _renew_source() -> None:
    """End the process that workers are copied from where nobody can reach it any more.

    It listens on a file in the temporary folder, which somebody may have cleaned; multiprocessing
    starts another one when it finds it dead.
    """
    folder = Path(get_temp_dir())
    if folder.is_dir() and any(folder.iterdir()):
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for source in _sources():
        with contextlib.suppress(psutil.Error):
            source.kill()
            while source.status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.01)


def _sources() -> list[psutil.Process]:
    """Return the process that workers are copied from, and no other child of whoever runs this."""
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if "multiprocessing.forkserver" in " ".join(child.cmdline()):
                found.append(child)
    return found
