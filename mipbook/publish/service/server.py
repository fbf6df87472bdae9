"""The server without kernels, as an ASGI application: pages, figures, files, numbers."""

from __future__ import annotations

import asyncio
import gzip
import re
import time
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp

from mipbook.publish.service.answers import Answers
from mipbook.publish.service.files import Book, Kept
from mipbook.publish.service.guard import Bodies, Guard, address
from mipbook.publish.service.metrics import Metrics
from mipbook.publish.service.notebooks import App
from mipbook.publish.service.options import Options
from mipbook.publish.service.page import app_page, write_files
from mipbook.publish.service.pool import Ended, Pool
from mipbook.publish.service.turns import Asker, Full, Superseded, Turns
from mipbook.publish.web.policy import RETRY_SECONDS
from mipbook.publish.web.words import error_page, front_page

__all__ = ["Service"]

_PAGE_NUMBER = re.compile(r"\w{1,40}")
_GONE = JSONResponse({"error": "This was asked for no longer."}, 409)


def _sent(request: Request, packed: bytes, kind: str) -> Response:
    """Send what is compressed already."""
    headers = {"Vary": "Accept-Encoding", "Cache-Control": "no-store"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), headers=headers, media_type=kind)
    return Response(packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=kind)


async def _unless_left(request: Request, work: Coroutine[Any, Any, bytes]) -> bytes:
    """Return what the work gives; it is ended when the page waits no more."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    answer, leaving = asyncio.create_task(work), asyncio.create_task(left())
    try:
        await asyncio.wait({answer, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise Superseded
        return answer.result()
    finally:
        answer.cancel()
        leaving.cancel()


class Service:
    """All that the server answers.

    Parameters
    ----------
    options : Options
        What the command line said.
    pool : Pool
        What computes figures.
    apps : mapping
        The apps, by name.
    book : pathlib.Path
        Where the built book lies.
    files : pathlib.Path
        An empty folder, for the files that the apps' pages load.
    """

    def __init__(
        self, options: Options, pool: Pool, apps: Mapping[str, App], book: Path, files: Path
    ) -> None:
        self._options, self._pool, self._apps = options, pool, apps
        turns = Turns(options.workers, options.queue)
        self._answers, self._bodies = Answers(pool, turns), Bodies()
        self._metrics = Metrics(self._answers, turns, pool)
        name = write_files(files)
        titles = {f"app/{app}": shown.title for app, shown in apps.items()}
        pages = {f"app/{app}": app_page(app, shown, name) for app, shown in apps.items()}
        pages[""] = front_page(titles)
        self._pages = {path: gzip.compress(text.encode()) for path, text in pages.items()}
        self._folders = (Book(book), Kept(directory=files))

    def application(self) -> ASGIApp:
        """Return the ASGI application."""
        base, (book, files) = self._options.base_url, self._folders
        routes = [
            Route("/robots.txt", self._robots),
            Route("/healthz", self._health),
            Route("/metrics", self._numbers),
            Route("/figure/{app}/{panel}", self._figure, methods=["POST"]),
            Route("/book", lambda request: RedirectResponse(f"{base}book/", 301)),
            Mount("/book", book),
            Mount("/static", files),
            Route("/{path:path}", self._page),
        ]
        prefix = base.removesuffix("/")
        below: list[Mount | Route] = [Mount(prefix, Router(routes, redirect_slashes=False))]
        if prefix:
            below.insert(0, Route(prefix, lambda request: RedirectResponse(base, 301)))
            # Who looks after the container need not know the prefix.
            below.insert(0, Route("/healthz", self._health))
        errors = {HTTPException: self._error, Exception: self._error}
        app = Starlette(routes=below, exception_handlers=errors)
        app.router.redirect_slashes = False
        return Guard(app, self._options)

    def _error(self, request: Request, error: Exception) -> Response:
        """Say in words what went wrong, without a traceback."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(getattr(error, "headers", None) or {})
        if status == 503:
            headers["Retry-After"] = str(RETRY_SECONDS)
        return HTMLResponse(error_page(status, self._options.base_url), status, headers)

    async def _page(self, request: Request) -> Response:
        packed = self._pages.get(request.path_params["path"])
        if packed is None:
            raise HTTPException(404)
        return _sent(request, packed, "text/html; charset=utf-8")

    async def _robots(self, request: Request) -> Response:
        return PlainTextResponse(f"User-agent: *\nDisallow: {self._options.base_url}app/\n")

    async def _health(self, request: Request) -> Response:
        works = self._pool.works
        return PlainTextResponse("ok\n" if works else "no workers\n", 200 if works else 503)

    async def _numbers(self, request: Request) -> Response:
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

    def _asker(self, request: Request, panel: str) -> Asker:
        """Return who asks; what a page says of itself counts only within its own address."""
        page = request.headers.get("x-mipbook-visit", "")
        page = page if _PAGE_NUMBER.fullmatch(page) else ""
        return Asker(Asker.network(address(request, self._options)), page, panel)

    async def _figure(self, request: Request) -> Response:
        """Answer a move: a figure, or words."""
        app, panel = request.path_params["app"], request.path_params["panel"]
        if app not in self._apps or panel not in self._apps[app].specs:
            raise HTTPException(404)
        # Another site's page cannot send JSON without asking first, and is never allowed to.
        if request.headers.get("sec-fetch-site", "same-origin") == "cross-site":
            raise HTTPException(403)
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise HTTPException(415)
        began = time.monotonic()
        async with self._bodies.values(request) as values:
            reply = await self._answered(request, app, panel, values)
        self._metrics.replies.labels(reply.status_code).inc()
        self._metrics.moves.labels(app).observe(time.monotonic() - began)
        return reply

    async def _answered(
        self, request: Request, app: str, panel: str, values: dict[str, Any]
    ) -> Response:
        asker = self._asker(request, f"{app}/{panel}")
        work = self._answers.answer(asker, app, panel, values)
        try:
            answer = await _unless_left(request, work)
        except Superseded:
            return _GONE
        except Full:
            told = {"error": "The server has more to compute than it has time for."}
            return JSONResponse(told, 503, {"Retry-After": "1", "Cache-Control": "no-store"})
        except Ended as ended:
            return JSONResponse({"error": str(ended)}, headers={"Cache-Control": "no-store"})
        return _sent(request, answer, "application/json")
