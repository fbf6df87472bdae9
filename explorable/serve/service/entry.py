"""The entry: what a request must be before anything is kept, queued or given a place for it.

Heads and silent connections are Hypercorn's to end (`explorable.serve.command`); here a request's
names and lengths are looked at, its bytes are counted as they arrive, and answers are dressed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorable.serve.web.options import Place
from explorable.serve.web.policy import common
from explorable.serve.web.words import error_page

__all__ = ["Bodies", "Entry", "address"]

_LONGEST_PATH, _LONGEST_NAME = 2000, 255
# An answer is sent in parts of this size, so that who reads slowly holds one of them, not all.
_PART = 65_536
# So much of each body counts for nobody, so that moves without a file pass whatever others send.
_FREE = 16_384
_MOST_HELD, _MOST_OF_AN_ADDRESS = 34_000_000, 17_000_000
_SECONDS_FOR_A_BODY = 60.0
# The next part of a body must come so soon, and after as long all of it at this speed, in bytes a
# second.
_PATIENCE, _LEAST_SPEED = 7.0, 16_000


class Entry:
    """An ASGI application around another one.

    Parameters
    ----------
    app : ASGI application
        What answers.
    place : Place
        Our names, and who may frame our pages.
    """

    def __init__(self, app: ASGIApp, place: Place) -> None:
        self._app, self._place = app, place
        # The book's theme writes scripts into its pages; ours have none there.
        self._headers = {kind: common(kind, place.frame_ancestors) for kind in ("files", "inline")}
        self._book = f"{place.base_url}book/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        inline = scope["path"].startswith(self._book)
        ours = self._headers["inline" if inline else "files"]

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in ours.items():
                    headers[name] = value
                message["headers"] = headers.raw
            body = message.get("body", b"")
            for at in range(0, len(body) - _PART, _PART):
                await send({**message, "body": body[at : at + _PART], "more_body": True})
                message = {**message, "body": body[at + _PART :]}
            if message["type"] == "http.response.start" or message.get("more_body"):
                await send(message)
                return
            # Hypercorn ends a connection whose body nobody reads when the answer ends, but waits
            # without end for somebody who takes what has come of it.
            taking = asyncio.create_task(_take(receive))
            try:
                await send(message)
            finally:
                taking.cancel()

        status = self._refusal(scope)
        if status:
            refused = HTMLResponse(error_page(status, self._place.base_url), status)
            await refused(scope, receive, dressed)
        else:
            await self._app(scope, receive, dressed)

    def _refusal(self, scope: Scope) -> int:
        """Return the status that refuses a request by its head, or 0."""
        headers, path = Headers(scope=scope), scope["path"]
        if self._is_strange(headers.get("host", "")):
            return 403
        if len(path) > _LONGEST_PATH or max(map(len, path.split("/"))) > _LONGEST_NAME:
            return 400
        if not path.isprintable():
            return 400
        # Who reads one and who obeys the other see two different requests.
        told = len(headers.getlist("transfer-encoding")), len(headers.getlist("content-length"))
        return 400 if min(told) > 0 or max(told) > 1 else 411 if told[0] else 0

    def _is_strange(self, host: str) -> bool:
        """Whether a name is not ours, as a rebound DNS entry makes it."""
        names, name = self._place.hosts, host.lower()
        if names is None:
            return False
        name = name[: name.find("]") + 1] if name.startswith("[") else name.partition(":")[0]
        return name.rstrip(".") not in names


async def _take(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Bodies:
    """Reads what pages send, as long as there is room: for each address a half of it."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()

    @asynccontextmanager
    async def read(self, request: Request, address: str, longest: int) -> AsyncIterator[bytearray]:
        """Hold what a page sent, until the caller is done; only what has arrived takes room.

        Parameters
        ----------
        request : Request
            The request.
        address : str
            Whose share it is.
        longest : int
            The most bytes.

        Raises
        ------
        HTTPException
            If it is too large, too slow, or there is no room for it.
        """
        length = request.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            raise HTTPException(411)
        if len(length) > 9 or int(length) > longest:
            raise HTTPException(413)
        body, size = bytearray(), 0
        try:
            await self._collect(request, body, address, longest)
            size = len(body)
            yield body
        finally:
            # What is read may have been cleared, while what was made of it was still held.
            self._held[address] -= max(0, max(size, len(body)) - _FREE)
            self._held += Counter()  # who holds nothing is forgotten

    async def _collect(self, request: Request, body: bytearray, address: str, longest: int) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(_PATIENCE) as clock:
                async for part in request.stream():
                    more = max(0, len(body) + len(part) - _FREE) - max(0, len(body) - _FREE)
                    if len(body) + len(part) > longest:
                        raise HTTPException(413)
                    full = self._held[address] + more > _MOST_OF_AN_ADDRESS
                    if more and (full or self._held.total() + more > _MOST_HELD):
                        raise HTTPException(503)
                    self._held[address] += more
                    body += part
                    due = began + min(_PATIENCE + len(body) / _LEAST_SPEED, _SECONDS_FOR_A_BODY)
                    clock.reschedule(min(due, loop.time() + _PATIENCE))
        except TimeoutError:
            raise HTTPException(408) from None
        except ClientDisconnect:
            raise HTTPException(400) from None


def address(request: Request, place: Place) -> str:
    """Return the address that a request comes from; it is used for the queue, and kept nowhere.

    Parameters
    ----------
    request : Request
        The request.
    place : Place
        Whether a server in front is to be believed.
    """
    lines = request.headers.getlist("x-forwarded-for") if place.trust_proxy else []
    # The last one is what the server in front saw itself, whether it wrote it behind the others
    # or on a line of its own; what stands before it anybody may write.
    told = lines[-1].rpartition(",")[2].strip() if lines else ""
    return told or (request.client.host if request.client else "")
