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

__all__ = ["file_type", "is_worth_packing", "packed"]

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


def is_worth_packing(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a text of some length."""
    return file_type(str(path)).startswith(_TEXTS) and os.path.getsize(path) >= _SMALLEST


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
    if not is_worth_packing(path) or "gzip" not in accepted:
        return path
    # Of visitors who come together the first compresses it, and none sees half of it.
    with _TURN:
        return _compressed(path, os.stat(path).st_mtime_ns)
