"""Where a server of the apps stands, and who may come: the options that both servers take."""

from __future__ import annotations

import argparse
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorable import validate
from explorable.serve.web.titles import app_titles

__all__ = ["PLAIN", "Place", "checked_folder", "open_more_files", "parsed", "place_parser"]

PLAIN = """Warning: others can reach this server, and it speaks plain http, so that whoever sits on
the way can read and change what is sent, files included. See "Serve it to others" in the README."""


@dataclass(frozen=True)
class Place:
    """Where a server stands: its apps, its address, what is in front of it."""

    folder: str = "book/apps"
    port: int = 8866
    ip: str = "localhost"
    base_url: str = "/"
    host: tuple[str, ...] = ()
    trust_proxy: bool = False
    frame_ancestors: str = "'self'"

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


def place_parser(command: str, told: str) -> argparse.ArgumentParser:
    """Return the command line of a server, with the options of a `Place`.

    Parameters
    ----------
    command : str
        The server's command, such as ``apps``.
    told : str
        What it does.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m mipbook {command}",
        description=told,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("folder", nargs="?", help="where the apps lie", default="book/apps")
    add("--port", type=int, help="the port to listen on")
    add("--ip", help="the address to listen on; 0.0.0.0 for all, which is plain http")
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
    return parser


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> dict[str, Any]:
    """Return what a command line gives, the names of hosts in small letters.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The server's.
    arguments : sequence of str or None
        The command line, or None for the process's own.
    """
    given = vars(parser.parse_args(arguments))
    return {**given, "host": tuple(name.lower() for name in given["host"])}


def checked_folder(place: Place) -> Path:
    """Return the folder of the apps; refuse an empty one, or a port that is taken.

    Parameters
    ----------
    place : Place
        Where the server is to stand.
    """
    folder = Path(place.folder).resolve()
    if not app_titles(folder):
        validate.refuse("folder", place.folder, "a folder with at least one .ipynb app")
    with socket.socket() as probe:
        if probe.connect_ex((place.ip, place.port)) == 0:
            validate.refuse("port", place.port, "free; another program listens there")
    return folder


def open_more_files() -> None:
    """Raise the number of open files: of visitors' connections, and of their kernels."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
