"""A visit: an app's page with a kernel of its own, for as many visitors as there is room for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import tornado.web as web
from voila.shutdown_kernel_handler import VoilaShutdownKernelHandler
from voila.tornado.handler import TornadoVoilaHandler

from explorable.serve.serving.headers import Ours
from explorable.serve.serving.kernels import Kernels
from explorable.serve.web.policy import policy

__all__ = ["Door", "Farewell", "Visit"]

# Beyond Voila's own limit of 120 s for a cell, after which a page must have ended some way.
_LONGEST_START = 180.0
_LEAST_FREE_MEMORY = 300e6
_STOPPED = (
    '<p role="alert">This page could not be made. <a href="">Start again</a></p>'
    "<style>#loading { display: none !important; }</style>"
)


class Door:
    """Lets in as many visitors as there is room for, and a few at a time.

    Parameters
    ----------
    kernels : Kernels
        The kernels that run.
    most : int
        The most visitors at once.
    starting : int
        The most that start at once.
    wait : float
        How many seconds a visitor waits for a start.
    """

    def __init__(self, kernels: Kernels, most: int, starting: int, wait: float) -> None:
        self._kernels = kernels
        self._most, self._wait = most, wait
        self._turn = asyncio.Semaphore(starting)
        self._visits: set[Visit] = set()

    def _is_full(self) -> bool:
        counted_twice = {visit.kernel_id for visit in self._visits}
        inside = len(self._visits) + len(set(self._kernels.list_kernel_ids()) - counted_twice)
        return inside >= self._most or psutil.virtual_memory().available < _LEAST_FREE_MEMORY

    @asynccontextmanager
    async def enter(self, visit: Visit) -> AsyncIterator[None]:
        """Wait for one's turn.

        Raises
        ------
        tornado.web.HTTPError
            503, if there is no room or the wait was too long.
        """
        if self._is_full():
            raise web.HTTPError(503, "full")
        self._visits.add(visit)
        try:
            try:
                await asyncio.wait_for(self._turn.acquire(), self._wait)
            except TimeoutError:
                raise web.HTTPError(503, "too many start at once") from None
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._visits.discard(visit)


class Visit(Ours, TornadoVoilaHandler):
    """An app's page."""

    kernel_id: str | None = None
    _gone = False

    def on_connection_close(self) -> None:
        """Take note that nobody waits for the page any more."""
        self._gone = True
        super().on_connection_close()

    def _is_meant(self) -> bool:
        """Whether a reader opens the page; a picture's address, for instance, starts no kernel."""
        headers = self.request.headers
        wanted = headers.get("Sec-Fetch-Dest", "document")
        foreign = headers.get("Sec-Fetch-Site") == "cross-site"
        framed = wanted in {"frame", "iframe"}
        if framed and foreign and self.settings["frame_ancestors"] == "'self'":
            return False
        return (framed or wanted == "document") and "Sec-Purpose" not in headers

    async def get(self, path: str) -> None:
        """Make the page, when there is room."""
        folder = Path(self.settings["apps"])
        if path not in {app.name for app in folder.glob("*.ipynb")}:
            raise web.HTTPError(404)
        if not self._is_meant():
            raise web.HTTPError(403, "not asked for by a reader")
        async with self.settings["door"].enter(self):
            if not self._gone:
                await self._make(path)

    async def _make(self, path: str) -> None:
        self.set_header("Content-Security-Policy", policy("blob", self.settings["frame_ancestors"]))
        try:
            async with asyncio.timeout(_LONGEST_START):
                await super().get(path)
        except TimeoutError:
            self.log.error("The page %s was not made in %g seconds", path, _LONGEST_START)
            self._gone = True
            self.write(_STOPPED)
        finally:
            await self._loaded()

    async def _loaded(self) -> None:
        kernels: Kernels = self.kernel_manager
        if self.kernel_id is None or self.kernel_id not in kernels:
            return
        kernels.record(self.kernel_id).loading = False
        if self._gone:
            await kernels.shutdown_kernel(self.kernel_id, now=True)


class Farewell(Ours, VoilaShutdownKernelHandler):
    """Stop a visitor's kernel when the page is left."""

    def check_xsrf_cookie(self) -> None:
        """Ask for no token.

        The page's farewell cannot carry one, so Voila would refuse it and keep the kernel.  Whoever
        names the kernel's random id is its own page, and another site's page is refused before.
        """

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say it in JSON, as a script expects."""
        VoilaShutdownKernelHandler.write_error(self, status_code, **kwargs)
