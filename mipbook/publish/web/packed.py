"""Files that travel compressed: each compressed once, not once a visitor."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import os
import tempfile
import threading
from functools import cache
from pathlib import Path

__all__ = ["file_type", "packed"]

_TEXTS = ("text/", "application/javascript", "application/json", "image/svg+xml")
_SMALLEST = 1024
_TURN = threading.Lock()


def file_type(path: str) -> str:
    """Return a file's type, by its name.

    Examples
    --------
    >>> file_type("a/b.svg")
    'image/svg+xml'
    """
    return mimetypes.guess_type(path)[0] or "application/octet-stream"


@cache
def _shelf() -> tempfile.TemporaryDirectory[str]:
    """Where the compressed files lie, until the server ends."""
    return tempfile.TemporaryDirectory(prefix="mipbook-")


@cache
def _compressed(path: str, modified: int) -> str:
    """Return the file, compressed; a changed file has another time of change."""
    name = hashlib.sha256(f"{path} {modified}".encode()).hexdigest()
    target = Path(_shelf().name) / name
    target.write_bytes(gzip.compress(Path(path).read_bytes(), 6, mtime=0))
    os.utime(target, ns=(modified, modified))
    return str(target)


def packed(path: str, accepted: str) -> str:
    """Return the compressed file where that is worth it, else the file itself.

    Parameters
    ----------
    path : str
        A file.
    accepted : str
        What the browser takes, its ``Accept-Encoding``.
    """
    status = os.stat(path)
    worth = file_type(path).startswith(_TEXTS) and status.st_size >= _SMALLEST
    if not worth or "gzip" not in accepted:
        return path
    # Of visitors who come together the first compresses it, and none sees half of it.
    with _TURN:
        return _compressed(path, status.st_mtime_ns)
