"""The server without kernels: pages, figures, files, numbers; ``python -m mipbook serve``."""

import asyncio
import contextlib
import gzip
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
from hypercorn.asyncio import serve
from hypercorn.config import Config
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp

from explorable import threads
from explorable.serve.entry import Bodies, Entry, Moves, Refused, address, left
from explorable.serve.options import PLAIN, Options, checked_folder, read
from explorable.serve.pages import RETRY_SECONDS, Book, app_page, error_page, front_page, page_files
from explorable.serve.pool import Pool
from explorable.serve.turns import Answers, Asker, Ended, Full, Superseded, Turns
from explorable.serve.worker import App, resource

# A head that is not whole by then, or a connection on which nothing is asked, is closed.
_SECONDS_FOR_A_HEAD = 10
_LONGEST_HEAD = 32_000
# The numbers of who looks after the server are gathered anew after so many seconds.
_FRESH = 1.0
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 20)
_PAGE_NUMBER = re.compile(r"\w{1,40}")
# Who looks after the server waits so many seconds for a figure.
_PATIENCE = 3.0
_GONE = JSONResponse({"error": "This was asked for no longer."}, 409)


def _memory() -> float:
    """Return the memory of this process and its workers; what they share counts once, on Linux."""
    own, total = psutil.Process(), 0.0
    for process in [own, *own.children(recursive=True)]:
        with contextlib.suppress(psutil.Error):
            found = process.memory_full_info()
            total += getattr(found, "pss", found.rss)
    return total


class Metrics(Collector):
    """Numbers for who looks after the server, as Prometheus reads them; none is about a person.

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
        self._answers, self._turns, self._pool = answers, turns, pool
        self._told: asyncio.Future[bytes] | None = None
        self._asked = 0.0
        self._registry = CollectorRegistry()
        self._registry.register(self)
        self.moves = Histogram(
            "mipbook_move_seconds",
            "How long a move took, by app.",
            ["app"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.replies = Counter("mipbook_replies", "Moves by status.", ["status"], registry=self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield what is read off at the moment of asking."""
        kept = self._answers.kept
        for name, what, value in (
            ("waiting", "Moves that wait for a worker.", self._turns.waiting),
            ("computing", "Moves that a worker computes.", self._turns.inside),
            ("cache_entries", "Answers at hand.", len(kept)),
            ("cache_bytes", "Of these answers and their keys.", kept.size),
            ("memory_bytes", "Of the server and its workers.", _memory()),
        ):
            yield GaugeMetricFamily(f"mipbook_{name}", what, value)
        what = "Answers that were at hand."
        yield CounterMetricFamily("mipbook_kept_answers", what, value=self._answers.hits)
        ended = CounterMetricFamily("mipbook_workers_ended", "By why.", labels=["why"])
        for why in ("time", "left", "died"):
            ended.add_metric([why], self._pool.ends[why])
        yield ended

    async def text(self) -> bytes:
        """Return all numbers; they are gathered beside the server, at most once a second."""
        if self._told is None or (self._told.done() and time.monotonic() - self._asked > _FRESH):
            self._asked = time.monotonic()
            gathered = asyncio.to_thread(generate_latest, self._registry)
            self._told = asyncio.ensure_future(gathered)
        return await asyncio.shield(self._told)


def _sent(request: Request, packed: bytes, kind: str) -> Response:
    """Send what is compressed already."""
    headers = {"Vary": "Accept-Encoding", "Cache-Control": "no-store"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), headers=headers, media_type=kind)
    return Response(packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=kind)


async def _unless_left(request: Request, work: Coroutine[Any, Any, bytes]) -> bytes:
    """Return what the work gives; it is ended when the page waits no more."""
    answer, leaving = asyncio.create_task(work), asyncio.create_task(left(request.receive))
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
    """

    def __init__(self, options: Options, pool: Pool, apps: Mapping[str, App], book: Path) -> None:
        self._options, self._pool = options, pool
        self._moves = {
            (app, panel): Moves(controls)
            for app, shown in apps.items()
            for panel, controls in shown.controls.items()
        }
        turns = Turns(options.workers, options.queue)
        self._answers, self._bodies = Answers(pool, turns), Bodies()
        self._metrics = Metrics(self._answers, turns, pool)
        name, self._files = page_files()
        titles = {f"app/{app}": shown.title for app, shown in apps.items()}
        pages = {f"app/{app}": app_page(app, shown, name) for app, shown in apps.items()}
        pages[""] = front_page(titles)
        self._pages = {path: gzip.compress(text.encode()) for path, text in pages.items()}
        self._book = Book(book)

    def application(self) -> ASGIApp:
        """Return the ASGI application."""
        base = self._options.base_url
        routes = [
            Route("/robots.txt", self._robots),
            Route("/healthz", self._health),
            Route("/metrics", self._numbers),
            Route("/figure/{app}/{panel}", self._figure, methods=["POST"]),
            Route("/book", lambda request: RedirectResponse(f"{base}book/", 301)),
            Mount("/book", self._book),
            Route("/static/{path:path}", self._file),
            Route("/{path:path}", self._page),
        ]
        prefix = base.removesuffix("/")
        below: list[Mount | Route] = [Mount(prefix, Router(routes, redirect_slashes=False))]
        if prefix:
            below.insert(0, Route(prefix, lambda request: RedirectResponse(base, 301)))
            # Who looks after the container need not know the prefix.
            below.insert(0, Route("/healthz", self._health))
        errors = {HTTPException: self._error, Exception: self._error}
        app = Starlette(routes=below, exception_handlers=errors, lifespan=self._lifespan)
        app.router.redirect_slashes = False
        return Entry(app, self._options)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(self._pool.watch())
        yield
        watching.cancel()

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

    async def _file(self, request: Request) -> Response:
        """Answer with what an app's page loads; its address changes with it."""
        path = request.path_params["path"]
        kind, packed = self._files.get(path, ("", b""))
        if not kind:
            raise HTTPException(404)
        response = _sent(request, packed, kind)
        coding = response.headers.get("content-encoding", "plain")
        tag = f'"{path}-{coding}"'
        if tag in request.headers.get("if-none-match", ""):
            response = Response(status_code=304)
        response.headers["ETag"] = tag
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response

    async def _robots(self, request: Request) -> Response:
        return PlainTextResponse(f"User-agent: *\nDisallow: {self._options.base_url}app/\n")

    async def _health(self, request: Request) -> Response:
        works = await self._pool.works(_PATIENCE)
        return PlainTextResponse("ok\n" if works else "no workers\n", 200 if works else 503)

    async def _numbers(self, request: Request) -> Response:
        return Response(await self._metrics.text(), media_type="text/plain; version=0.0.4")

    def _asker(self, request: Request, panel: str) -> Asker:
        """Return who asks; what a page says of itself counts only within its own address."""
        page = request.headers.get("x-mipbook-visit", "")
        page = page if _PAGE_NUMBER.fullmatch(page) else ""
        return Asker(Asker.network(address(request, self._options)), page, panel)

    async def _figure(self, request: Request) -> Response:
        """Answer a move: a figure, or words."""
        app, panel = request.path_params["app"], request.path_params["panel"]
        moves = self._moves.get((app, panel))
        if moves is None:
            raise HTTPException(404)
        # Another site's page cannot send JSON without asking first, and is never allowed to.
        if request.headers.get("sec-fetch-site", "same-origin") == "cross-site":
            raise HTTPException(403)
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise HTTPException(415)
        began = time.monotonic()
        asker = self._asker(request, f"{app}/{panel}")
        async with self._bodies.read(request, asker.address, moves.longest) as body:
            try:
                values = moves.read(body)
                body.clear()
                reply = await self._answered(request, asker, app, panel, values)
            except Refused as refused:
                reply = JSONResponse({"error": str(refused)}, 400)
        self._metrics.replies.labels(reply.status_code).inc()
        self._metrics.moves.labels(app).observe(time.monotonic() - began)
        return reply

    async def _answered(
        self, request: Request, asker: Asker, app: str, panel: str, values: dict[str, Any]
    ) -> Response:
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the apps until interrupted.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, by default the process's own; ``--help`` tells what it takes.

    Raises
    ------
    ValueError
        If the folder holds no app, or one that cannot be served, the port is taken, or an option
        is out of its range.
    """
    options = read(arguments)
    folder = checked_folder(options.folder, options.ip, options.port)
    threads.single()
    _open_more_files()
    # Whoever stops the server lets it end its workers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    pool = Pool(options, str(folder))
    try:
        service = Service(options, pool, pool.described(), folder.parents[1] / "_build" / "html")
        if not options.is_local:
            print(PLAIN, file=sys.stderr)
        address = f"http://{options.ip}:{options.port}{options.base_url}"
        print(f"serve: {address}  (Ctrl+C stops it)", flush=True)
        asyncio.run(serve(service.application(), _config(options)))  # type: ignore[arg-type]
    finally:
        pool.stop()


def _config(options: Options) -> Config:
    config = Config()
    name = f"[{options.ip}]" if ":" in options.ip else options.ip
    config.bind = [f"{name}:{options.port}"]
    config.alpn_protocols = ["http/1.1"]
    config.keep_alive_timeout = _SECONDS_FOR_A_HEAD
    config.h11_max_incomplete_size = _LONGEST_HEAD
    config.graceful_timeout = 5
    config.include_server_header = False
    # Nothing is logged of a visit; addresses least of all.
    config.accesslog, config.loglevel = None, "WARNING"
    return config


def _open_more_files() -> None:
    """Raise the number of open files, of which each visitor's connection is one."""
    if resource is not None:  # Windows has no such limit.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
