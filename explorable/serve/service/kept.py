"""What is kept in memory: as much as fits into a number of bytes, keys and all."""

from __future__ import annotations

from collections import OrderedDict

__all__ = ["Kept"]

# What an entry takes beside its key and its answer.
_OVERHEAD = 300


class Kept:
    """The answers that were asked for last, up to a number of bytes.

    Parameters
    ----------
    most : int
        The bytes of keys and answers together, with what Python needs to hold them.

    Examples
    --------
    >>> kept = Kept(1000)
    >>> for name in (b"a", b"b", b"c", b"d"):
    ...     kept.put(name, b"12345")
    >>> kept.get(b"a"), kept.get(b"d"), len(kept), kept.size
    (None, b'12345', 3, 918)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()
        self.size = 0
        """How many bytes are kept."""

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: bytes) -> bytes | None:
        """Return an answer, if it is there."""
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer; those that nobody asked for longest go."""
        if key in self._answers:
            self.size -= _bytes(key, self._answers.pop(key))
        self._answers[key] = answer
        self.size += _bytes(key, answer)
        while self.size > self._most:
            self.size -= _bytes(*self._answers.popitem(last=False))


def _bytes(key: bytes, answer: bytes) -> int:
    return len(key) + len(answer) + _OVERHEAD
