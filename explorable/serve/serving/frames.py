"""Messages of the kernel's websocket, read without trusting them.

A message of the protocol ``v1.kernel.websocket.jupyter.org`` is one binary frame: a count, that
many offsets (all as little-endian 64-bit integers), then the parts that lie between the offsets:
the channel, the header, the parent's header, the metadata, the content, and any buffers.
"""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from typing import Any

__all__ = ["PROTOCOL", "BadFrameError", "Message"]

PROTOCOL = "v1.kernel.websocket.jupyter.org"

# A channel, four parts and the end; a page of ours sends no more than a buffer or two.
_FEWEST_OFFSETS, _MOST_OFFSETS = 6, 100
_LONGEST_HEADER = 10_000


class BadFrameError(ValueError):
    """The frame is no message; the text says why."""


def _offsets(frame: bytes, most: int) -> tuple[int, ...]:
    count = int.from_bytes(frame[:8], "little")
    start = 8 * (count + 1)
    # The count is the sender's word: nothing may be made from it before it is compared.
    if not _FEWEST_OFFSETS <= count <= most or start > len(frame):
        raise BadFrameError("bad number of offsets")
    offsets = struct.unpack(f"<{count}Q", frame[8:start])
    if any(a > b for a, b in pairwise((start, *offsets, len(frame)))):
        raise BadFrameError("bad offsets")
    return offsets


class Message:
    """One message, taken apart.

    Parameters
    ----------
    frame : bytes
        What came over the websocket.
    most : int
        The most offsets to accept.

    Raises
    ------
    BadFrameError
        If the frame is not a message.
    """

    def __init__(self, frame: Any, most: int = _MOST_OFFSETS) -> None:
        if not isinstance(frame, bytes):
            raise BadFrameError("not binary")
        self._frame = frame
        self._offsets = _offsets(frame, most)
        self.channel = self._part(0).decode("utf-8", "replace")
        self.header = self.read(1, _LONGEST_HEADER)

    def _part(self, index: int) -> bytes:
        return self._frame[self._offsets[index] : self._offsets[index + 1]]

    def read(self, index: int, longest: int) -> dict[str, Any]:
        """Return a part, 1 to 4, as the dictionary that it must be."""
        part = self._part(index)
        if len(part) > longest:
            raise BadFrameError("a part is too long")
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise BadFrameError("a part is no JSON object")
        return value

    @property
    def type(self) -> str:
        """The message's type, such as ``comm_msg``."""
        return str(self.header.get("msg_type"))

    @property
    def parent(self) -> str:
        """The number of the message that this one answers."""
        return str(self.read(2, _LONGEST_HEADER).get("msg_id"))

    def says(self, key: str, value: str) -> bool:
        """Whether the content has this value under this key."""
        return self.read(4, len(self._frame)).get(key) == value
