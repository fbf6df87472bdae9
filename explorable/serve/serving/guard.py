"""The kernel's websocket, guarded: what a page needs passes, what could harm the server does not.

It stands in the place of Voila's handler, and keeps its rule that code is not sent to the page.
See ``docs/upstream.md`` for the two attacks that need it.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

import tornado.web as web
from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.base import serialize_msg_to_ws_v1
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from explorable.serve.serving.frames import PROTOCOL, BadFrameError, Message
from explorable.serve.serving.headers import Ours

__all__ = ["LONGEST_MESSAGE", "Guard"]

# A file of 4 MB as JSON: in the worst case every second character needs a backslash.
LONGEST_MESSAGE = 8_500_000
# What a page has under way at once is a request for each panel; this is generous.
_MOST_UNANSWERED, _MOST_UNANSWERED_BYTES = 200, 2 * LONGEST_MESSAGE
_MOST_UNSENT_BYTES = 32_000_000
_MOST_SOCKETS = 3
# The answer to a ping is an interval old when the next is due, and older where a machine is busy.
_PATIENCE = 1.5
_POLICY_VIOLATION, _GONE = 1008, 4410


def _done() -> asyncio.Future[None]:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    future.set_result(None)
    return future


class Guard(Ours, KernelWebsocketHandler):
    """One page's connection to its kernel."""

    connection: Any = None
    _opened = False
    _gone = False
    _unsent = 0
    _refused = False

    def _refusal(self, kernel_id: str) -> tuple[int, str] | None:
        """Say why this handshake is refused, before anything is kept for it."""
        headers = self.request.headers
        offered = re.split(r"\s*,\s*", headers.get("Sec-WebSocket-Protocol", "").strip())
        session = self.get_argument("session_id", "none")
        if headers.get("Upgrade", "").lower() != "websocket" or PROTOCOL not in offered:
            return 400, f"a websocket of the protocol {PROTOCOL} is needed"
        if not re.fullmatch(r"[\w-]{1,64}", session):
            return 400, "bad session_id"
        if not self.check_origin():
            return 403, "another site's page may not connect"
        if len(self.kernel_manager.record(kernel_id).sockets) >= _MOST_SOCKETS:
            return 429, "too many connections to one kernel"
        return None

    async def get(self, kernel_id: str) -> None:
        """Open the websocket, or refuse."""
        if refusal := self._refusal(kernel_id):
            raise web.HTTPError(*refusal)
        if kernel_id in self.kernel_manager:
            await super().get(kernel_id=kernel_id)
        else:
            # Opened, to be told that it is too late: a page's script cannot read a refusal.
            await WebSocketHandler.get(self, kernel_id)

    @property
    def ping_timeout(self) -> float:
        """How old, in milliseconds, the last answer to a ping may be.

        Before the socket is open tornado asks for it too, and wants no more than an interval.
        """
        interval = float(self.ping_interval)
        return _PATIENCE * interval if self._opened else interval

    def select_subprotocol(self, subprotocols: list[str]) -> str:
        """Speak the one protocol; others were refused."""
        return PROTOCOL

    async def pre_get(self) -> None:
        """Prepare the connection, which takes a moment; drop it if the page left meanwhile."""
        await super().pre_get()
        if self._gone:
            self.connection._open_sessions.pop(self.connection.session_key, None)
            raise web.HTTPError(400, "the page left during the handshake")

    async def open(self, kernel_id: str) -> None:
        """Take note of the page, and connect."""
        if self.connection is None:
            self.end()
            return
        self._opened = True
        self.kernel_manager.record(kernel_id).sockets.add(self)
        # Each reply is three small messages, which would wait for one another.
        self.set_nodelay(True)
        await super().open(kernel_id)

    def on_close(self) -> None:
        """Take note that the page has gone; it may come back."""
        self._gone = True
        # Before it was open jupyter_server has counted nothing in, and would count one out.
        if self._opened:
            self.kernel_manager.leave(self.kernel_id, self)
            super().on_close()

    def on_message(self, frame: str | bytes) -> None:
        """Pass a message on to the kernel if it is one that a page sends."""
        if self._refused or self.connection is None:
            return
        try:
            message = Message(frame)
            self._count(message, len(frame))
        except BadFrameError as error:
            self._refuse(str(error))
            return
        # Others would be ignored further on, with a line of the sender's choice in the log.
        if message.type in self.kernel_manager.allowed_message_types:
            super().on_message(frame)

    def _count(self, message: Message, size: int) -> None:
        """Keep what is sent to the kernel and not yet answered within bounds."""
        if message.channel not in {"shell", "control"}:
            raise BadFrameError("bad channel")
        waiting = self.kernel_manager.record(self.kernel_id).unanswered
        waiting.append((str(message.header.get("msg_id")), size))
        if len(waiting) > _MOST_UNANSWERED or sum(n for _, n in waiting) > _MOST_UNANSWERED_BYTES:
            raise BadFrameError("too much at once")

    def _answered(self, number: str) -> None:
        waiting = self.kernel_manager.record(self.kernel_id).unanswered
        found = next((item for item in waiting if item[0] == number), None)
        if found:
            waiting.remove(found)

    def _refuse(self, reason: str) -> None:
        self._refused = True
        self.log.warning("Closed a websocket: %s", reason)
        self.close(_POLICY_VIOLATION, reason)

    def end(self) -> None:
        """Tell the page that its kernel has ended, in both ways that it may listen to."""
        session = Session()
        status = session.msg("status", {"execution_state": "dead"})
        self.write_message(serialize_msg_to_ws_v1(status, "iopub", session.pack), binary=True)
        self.close(_GONE, "the kernel has ended")

    def _is_private(self, message: Message) -> bool:
        """Whether a message is not for the page: code, or what the server's own people read."""
        if message.type == "stream":
            return message.says("name", "stderr")
        return message.type == "execute_input"

    def write_message(self, frame: Any, binary: bool = False) -> asyncio.Future[None]:
        """Send what a page needs, as long as the page takes it."""
        try:
            message = Message(frame, most=len(frame))
            if self._is_private(message) or self._refused:
                return _done()
            if message.type == "status" and message.says("execution_state", "idle"):
                self._answered(message.parent)
            sent: asyncio.Future[None] = super().write_message(frame, binary)
        except (BadFrameError, WebSocketClosedError):
            return _done()
        self._unsent += len(frame)
        sent.add_done_callback(lambda _: self._taken(len(frame)))
        if self._unsent > _MOST_UNSENT_BYTES:
            self._refuse("what was asked for is not taken")
        return sent

    def _taken(self, size: int) -> None:
        self._unsent -= size
