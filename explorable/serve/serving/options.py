"""What the server's command line takes."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import psutil

from explorable import validate
from explorable.serve.web.options import Place, parsed, place_parser

__all__ = ["Options", "read", "visitors_that_fit"]

# A kernel with its figures takes about 140 MB, of which 100 are its own.
_MEGABYTES_A_VISITOR = 150

_DESCRIPTION = """Serve the Voila apps of book/apps, and the built book beside them.

Nothing is needed to try them on your own computer. To serve a class or the public, put the
server behind one that speaks https, name it with --host, and see "Serve it to others" in the
README."""


@dataclass(frozen=True)
class Options(Place):
    """The settings of a server; `read` makes them from a command line.

    A time is in seconds.
    """

    no_browser: bool = False
    max_visitors: int = 40
    max_starting: int = 4
    max_wait: float = 30.0
    kernel_memory: int = 2048
    kernel_seconds: float = 20.0
    idle: float = 1800.0
    lost: float = 300.0
    unclaimed: float = 90.0

    def __post_init__(self) -> None:
        """Refuse what cannot be meant, before anything is started."""
        super().__post_init__()
        for field in ("max_visitors", "max_starting", "kernel_memory"):
            validate.integer(field.replace("_", "-"), getattr(self, field), 1)
        for field in ("max_wait", "kernel_seconds"):
            validate.number(field.replace("_", "-"), getattr(self, field), 0)
        for field in ("idle", "lost", "unclaimed"):
            validate.number(field, getattr(self, field), 1)


def _memory_limit() -> float:
    """Return the bytes that this process's container may use, infinite without one."""
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        path = Path("/sys/fs/cgroup") / name
        if path.is_file() and (text := path.read_text(encoding="ascii").strip()).isdigit():
            return float(text)
    return float("inf")


def visitors_that_fit() -> int:
    """Return how many visitors the free memory has room for, from 2 to 40."""
    free = min(psutil.virtual_memory().available, _memory_limit())
    return max(2, min(40, int(free / 2**20 / _MEGABYTES_A_VISITOR)))


def _parser() -> argparse.ArgumentParser:
    parser = place_parser("apps", _DESCRIPTION)
    add = parser.add_argument
    add("--no-browser", action="store_true", help="do not open a browser")
    add("--max-visitors", type=int, metavar="N", help="the most apps open at once")
    add("--max-starting", type=int, metavar="N", help="the most apps that start at once")
    add(
        *("--max-wait",),
        type=float,
        metavar="S",
        help="how long a visitor waits for a start before the page that says that all is full",
    )
    add("--kernel-memory", type=int, metavar="MB", help="the most memory of an app")
    add(
        *("--kernel-seconds",),
        type=float,
        metavar="S",
        help="the longest computation after a move of a slider; 0 for no limit",
    )
    add("--idle", type=float, metavar="S", help="how long an open app may rest before it is closed")
    add(*("--lost",), type=float, metavar="S", help="how long an app whose page lost its connection is kept")
    add(*("--unclaimed",), type=float, metavar="S", help="how long an app whose page never connected is kept")
    cores = os.cpu_count() or 1
    usual = {field.name: field.default for field in fields(Options)}
    usual |= {"max_visitors": visitors_that_fit(), "max_starting": 2 * cores, "host": []}
    parser.set_defaults(**usual)
    return parser


def read(arguments: Sequence[str] | None = None) -> Options:
    """Return the options of a command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, by default the process's own.

    Returns
    -------
    Options
        The settings, checked.

    Raises
    ------
    ValueError
        If a value is out of its range.

    Examples
    --------
    >>> read(["--base-url", "/mip/", "--max-visitors", "30"]).base_url
    '/mip/'
    """
    return Options(**parsed(_parser(), arguments))
