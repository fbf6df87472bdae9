"""The entry: what a request must be before anything is kept, queued or given a place for it.

Heads and silent connections are Hypercorn's to end (`explorable.serve.server`); here a request's
names and lengths are looked at, its bytes are counted as they arrive, and answers are dressed.

What a move may say is read by types made from its panel's own controls.  What does not fit is
refused while it is read, before anything is made of it: an unknown control, a list where a number
stands, a text longer than any option.  Whether a number is in its range is the control's own
answer, so that no limit is written twice.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorable.panels.controls import Control, File
from explorable.panels.reply import sent_file
from explorable.serve.options import Options
from explorable.serve.pages import error_page

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
# Beside a file a move holds a few numbers and names.
_ROOM = 16_384
_Name = Annotated[str, msgspec.Meta(max_length=500)]
_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'"
)


def dress(in_book: bool, frame_ancestors: str) -> dict[str, str]:
    """Return the headers that stand on every answer, also on errors.

    Parameters
    ----------
    in_book : bool
        Whether the page is the book's: its theme writes scripts into the page itself, and it may
        compute by Python in WebAssembly.  The apps' pages do neither, and none compiles text (eval).
    frame_ancestors : str
        Who may show the page in a frame.

    Examples
    --------
    >>> "unsafe" in dress(False, "'self'")["Content-Security-Policy"].split("script-src")[1]
    False
    """
    scripts = "script-src 'self'" + (" 'unsafe-inline' 'wasm-unsafe-eval'" if in_book else "")
    headers = {
        "Content-Security-Policy": f"{_POLICY}; {scripts}; frame-ancestors {frame_ancestors}",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
    # The old header cannot name another site.
    return headers | ({"X-Frame-Options": "SAMEORIGIN"} if frame_ancestors == "'self'" else {})


class Entry:
    """An ASGI application around another one.

    Parameters
    ----------
    app : ASGI application
        What answers.
    options : Options
        Our names, and who may frame our pages.
    """

    def __init__(self, app: ASGIApp, options: Options) -> None:
        self._app, self._options = app, options
        self._headers = [dress(in_book, options.frame_ancestors) for in_book in (False, True)]
        self._book = f"{options.base_url}book/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        ours = self._headers[scope["path"].startswith(self._book)]

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
            taking = asyncio.create_task(left(receive))
            try:
                await send(message)
            finally:
                taking.cancel()

        status = self._refusal(scope)
        if status:
            refused = HTMLResponse(error_page(status, self._options.base_url), status)
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
        names, name = self._options.hosts, host.lower()
        if names is None:
            return False
        name = name[: name.find("]") + 1] if name.startswith("[") else name.partition(":")[0]
        return name.rstrip(".") not in names


async def left(receive: Receive) -> None:
    """Take what comes of a request until nobody waits for its answer."""
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


def address(request: Request, options: Options) -> str:
    """Return the address that a request comes from; it is used for the queue, and kept nowhere.

    Parameters
    ----------
    request : Request
        The request.
    options : Options
        Whether a server in front is to be believed.
    """
    lines = request.headers.getlist("x-forwarded-for") if options.trust_proxy else []
    # The last one is what the server in front saw itself, whether it wrote it behind the others
    # or on a line of its own; what stands before it anybody may write.
    told = lines[-1].rpartition(",")[2].strip() if lines else ""
    return told or (request.client.host if request.client else "")


class Refused(Exception):
    """A move that its panel does not know; the text says why, in words for a reader."""

    def __init__(self, words: str) -> None:
        super().__init__(words[:300])


def _file_type(control: Control) -> Any:
    """Return what a file of the reader's own is sent as."""
    columns: Any = Annotated[dict[_Name, Any], msgspec.Meta(max_length=0)]
    if control.roles:
        names: Any = Literal[tuple(role.name for role in control.roles)]
        columns = dict.__class_getitem__((names, _Name | list[_Name]))
    return msgspec.defstruct(
        "File",
        [("name", _Name), ("text", str), ("columns", columns, msgspec.field(default_factory=dict))],
        forbid_unknown_fields=True,
    )


def _type(control: Control) -> Any:
    """Return the type of a control's values: those of its stops, texts no longer than theirs."""
    if control.low is not None:
        return int | float
    found: Any = None
    for kind in {type(stop) for stop in control.stops}:
        one: Any = int | float
        if issubclass(kind, str):
            longest = max(len(stop) for stop in control.stops if isinstance(stop, str))
            one = Annotated[str, msgspec.Meta(max_length=longest)]
        elif issubclass(kind, bool):
            one = bool
        found = one if found is None else found | one
    return found | _file_type(control) if isinstance(control, File) else found


class Moves:
    """The moves of one panel.

    Parameters
    ----------
    controls : mapping
        The panel's controls, by name.

    Attributes
    ----------
    longest : int
        How many bytes the longest move takes: in the worst case every second character of a
        file has to be written with a backslash.

    Examples
    --------
    >>> from explorable.panels import Choice, Slider
    >>> moves = Moves({"n": Slider(0, 9), "kind": Choice(["a", "b"])})
    >>> moves.read(b'{"n": 3}')
    {'n': 3.0, 'kind': 'a'}
    >>> moves.read(b'{"n": 30}')
    Traceback (most recent call last):
    ...
    explorable.serve.entry.Refused: n = 30: must be a real number in [0, 9]
    """

    def __init__(self, controls: Mapping[str, Control]) -> None:
        self._controls = dict(controls)
        fields = [(n, _type(c) | msgspec.UnsetType, msgspec.UNSET) for n, c in controls.items()]
        known = msgspec.defstruct("Move", fields, forbid_unknown_fields=True)
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(known)
        self.longest = _ROOM + sum(2 * (control.limit or 0) for control in controls.values())

    def read(self, body: bytes | bytearray) -> dict[str, Any]:
        """Return the values of all controls, those that are not named at their start.

        Parameters
        ----------
        body : bytes or bytearray
            What a page sent: a JSON object of values by control.

        Returns
        -------
        dict
            Numbers, texts and truths; a file is a dictionary of its name, text and columns.

        Raises
        ------
        Refused
            If it is no JSON, names what the panel has not, or asks for what a control forbids.
        """
        try:
            given = self._decoder.decode(body)
        except msgspec.ValidationError as error:
            raise Refused(f"This panel does not know what was asked: {error}") from None
        except (msgspec.DecodeError, ValueError):
            raise Refused("What was asked is no JSON.") from None
        values = {}
        for name, control in self._controls.items():
            value = getattr(given, name)
            if value is msgspec.UNSET:
                values[name] = control.value
                continue
            value = msgspec.to_builtins(value)
            try:
                accepted = control.accepts(name, sent_file(value))
            except ValueError as error:
                raise Refused(str(error)) from None
            values[name] = value if isinstance(value, dict) else accepted
        # Plain values alone: a process gets them, and a key is made of them.
        return {n: v.item() if hasattr(v, "item") else v for n, v in values.items()}
