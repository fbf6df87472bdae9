"""What the server's command line takes."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import psutil

from mipbook.base import validate

__all__ = ["Options", "read", "visitors_that_fit"]

# A kernel with its figures takes about 140 MB, of which 100 are its own.
_MEGABYTES_A_VISITOR = 150

_DESCRIPTION = """Serve the Voila apps of book/apps, and the built book beside them.

Nothing is needed to try them on your own computer. To serve a class or the public, put the
server behind one that speaks https, name it with --host, and see "Serve it to others" in the
README."""


@dataclass(frozen=True)
class Options:
    """The settings of a server; `read` makes them from a command line.

    A time is in seconds.
    """

    folder: str = "book/apps"
    port: int = 8866
    ip: str = "localhost"
    no_browser: bool = False
    base_url: str = "/"
    host: tuple[str, ...] = ()
    trust_proxy: bool = False
    frame_ancestors: str = "'self'"
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
        validate.integer("port", self.port, 1, 65535)
        if not re.fullmatch(r"/([\w.~-]+/)*", self.base_url):
            validate.refuse("base-url", self.base_url, "a path between slashes, such as /mip/")
        for name in self.host:
            if not re.fullmatch(r"\*|[a-z0-9.-]+|\[[0-9a-f:]+\]", name):
                allowed = "a name without http:// and port, in small letters, or * for any"
                validate.refuse("host", name, allowed)
        if not re.fullmatch(r"[\w' .:/*-]+", self.frame_ancestors):
            allowed = "a list of addresses between blanks, such as https://moodle.example.org"
            validate.refuse("frame-ancestors", self.frame_ancestors, allowed)
        for field in ("max_visitors", "max_starting", "kernel_memory"):
            validate.integer(field.replace("_", "-"), getattr(self, field), 1)
        for field in ("max_wait", "kernel_seconds"):
            validate.number(field.replace("_", "-"), getattr(self, field), 0)
        for field in ("idle", "lost", "unclaimed"):
            validate.number(field, getattr(self, field), 1)

    @property
    def is_local(self) -> bool:
        """Whether only this computer can reach the server."""
        return self.ip in {"localhost", "127.0.0.1", "::1"}

    @property
    def hosts(self) -> frozenset[str] | None:
        """The names that the server answers to, or None for all."""
        if "*" in self.host or not (self.is_local or self.host):
            return None
        return frozenset({"localhost", "127.0.0.1", "[::1]", *self.host})


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
    parser = argparse.ArgumentParser(
        prog="python -m mipbook apps",
        description=_DESCRIPTION,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("folder", nargs="?", help="where the apps lie", default="book/apps")
    add("--port", type=int, help="the port to listen on")
    add("--ip", help="the address to listen on; 0.0.0.0 for all, which is plain http")
    add("--no-browser", action="store_true", help="do not open a browser")
    add("--base-url", metavar="PATH", help="the path before all addresses, such as /mip/")
    add(
        *("--host",),
        action="append",
        metavar="NAME",
        help="a name that the server answers to, beside localhost, or * where a server in front "
        "has checked it; may be given several times",
    )
    add(
        "--trust-proxy",
        action="store_true",
        help="believe X-Forwarded-For and X-Forwarded-Proto; only behind a proxy that sets them",
    )
    add(
        *("--frame-ancestors",),
        metavar="LIST",
        help="the sites that may show an app in a frame, such as https://moodle.example.org",
    )
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
    add(
        *("--lost",),
        type=float,
        metavar="S",
        help="how long an app whose page lost its connection is kept",
    )
    add(
        *("--unclaimed",),
        type=float,
        metavar="S",
        help="how long an app whose page never connected is kept",
    )
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
    given = vars(_parser().parse_args(arguments))
    return Options(**{**given, "host": tuple(name.lower() for name in given["host"])})
