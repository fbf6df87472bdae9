"""What stands before every address: our names, our headers, no websockets, no endless bodies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mipbook.publish.web.options import Place
from mipbook.publish.web.policy import common
from mipbook.publish.web.words import error_page

__all__ = ["Bodies", "Guard", "address"]

# A file of 4 MB as JSON: in the worst case every second character needs a backslash.
LONGEST_BODY = 8_500_000
_MOST_BYTES_AT_ONCE = 4 * LONGEST_BODY
_SECONDS_FOR_A_BODY = 60


class Guard:
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
            await send(message)

        if self._is_strange(Headers(scope=scope).get("host", "")):
            refused = HTMLResponse(error_page(403, self._place.base_url), 403)
            await refused(scope, receive, dressed)
        else:
            await self._app(scope, receive, dressed)

    def _is_strange(self, host: str) -> bool:
        """Whether a name is not ours, as a rebound DNS entry makes it."""
        names, name = self._place.hosts, host.lower()
        if names is None:
            return False
        name = name[: name.find("]") + 1] if name.startswith("[") else name.partition(":")[0]
        return name.rstrip(".") not in names


class Bodies:
    """Reads what a page sends, as long as there is room for it."""

    def __init__(self) -> None:
        self._held = 0

    @asynccontextmanager
    async def values(self, request: Request) -> AsyncIterator[dict[str, Any]]:
        """Hold the values that a page sent.

        Parameters
        ----------
        request : Request
            The request.

        Raises
        ------
        HTTPException
            If it is too large, too slow, or no JSON object.
        """
        length = request.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            raise HTTPException(411)
        if len(length) > 9 or int(length) > LONGEST_BODY:
            raise HTTPException(413)
        if self._held + int(length) > _MOST_BYTES_AT_ONCE:
            raise HTTPException(503)
        self._held += int(length)
        try:
            yield await self._read(request)
        finally:
            self._held -= int(length)

    async def _read(self, request: Request) -> dict[str, Any]:
        try:
            async with asyncio.timeout(_SECONDS_FOR_A_BODY):
                values = json.loads(await request.body())
        except TimeoutError:
            raise HTTPException(408) from None
        except (ClientDisconnect, ValueError, RecursionError):
            raise HTTPException(400) from None
        if not isinstance(values, dict):
            raise HTTPException(400)
        return values


def address(request: Request, place: Place) -> str:
    """Return the address that a request comes from; it is used for the queue, and kept nowhere.

    Parameters
    ----------
    request : Request
        The request.
    place : Place
        Whether a server in front is to be believed.
    """
    told = request.headers.get("x-forwarded-for", "") if place.trust_proxy else ""
    # The last one is what the server in front saw itself; what stands before it anybody may write.
    return told.rpartition(",")[2].strip() or (request.client.host if request.client else "")
