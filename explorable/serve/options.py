"""Where the server of the apps stands, who may come and what they may take: its command line."""

import argparse
import json
import re
import socket
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import joblib

from explorable import settings, validate
from explorable.serve.worker import title

PLAIN = """Warning: others can reach this server, and it speaks plain http, so that whoever sits on
the way can read and change what is sent, files included. See "Serve it to others" in the README."""
_DESCRIPTION = """Serve the apps of book/apps without a kernel a visitor, and the built book.

A move of a control is one request, which a few processes answer; nothing of it is kept, so that
any number of these servers may stand behind one that speaks https. The book's page "Run it for a
class" says how large a machine must be."""
_HOST = "a name that the server answers to, beside localhost, or * where a server in front has checked it"
_FRAME = "the sites that may show an app in a frame, such as https://moodle.example.org"
_QUEUE = "how many requests wait, at most; half of them of one address, four of one page"


def _option(usual: Any, told: str, metavar: str | None = None) -> Any:
    """Declare an option: what it is if nobody says, and what the command line tells of it."""
    return field(default=usual, metadata={"help": told, "metavar": metavar})


@dataclass(frozen=True)
class Options:
    """The settings of a server; `read` makes them from a command line."""

    folder: str = _option("book/apps", "where the apps lie")
    port: int = _option(8866, "the port to listen on")
    ip: str = _option("localhost", "the address to listen on; 0.0.0.0 for all, which is plain http")
    base_url: str = _option("/", "the path before all addresses, such as /mip/", "PATH")
    host: tuple[str, ...] = _option((), f"{_HOST}; may be given several times", "NAME")
    trust_proxy: bool = _option(False, "believe X-Forwarded-For; only behind a proxy that sets it")
    frame_ancestors: str = _option("'self'", _FRAME, "LIST")
    workers: int = _option(2, "how many processes compute figures", "N")
    memory: int = _option(1536, "the most memory of one of them", "MB")
    seconds: float = _option(20.0, "the longest computation", "S")
    queue: int = _option(64, _QUEUE, "N")

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
        validate.integer("workers", self.workers, 1, 256)
        validate.integer("memory", self.memory, 256)
        validate.number("seconds", self.seconds, 0.1, 3600)
        validate.integer("queue", self.queue, 1)

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


def read(arguments: Sequence[str] | None = None) -> Options:
    """Return the options of a command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, by default the process's own.

    Raises
    ------
    ValueError
        If a value is out of its range.

    Examples
    --------
    >>> read(["--base-url", "/mip/", "--workers", "4"]).workers
    4
    """
    parser = command_line("serve", _DESCRIPTION, [option.name for option in fields(Options)])
    # One more than there are cores for us (a container may have fewer than its machine): a long
    # computation leaves a core to others.
    parser.set_defaults(workers=1 + joblib.cpu_count())
    given = vars(parser.parse_args(arguments))
    return Options(**{**given, "host": tuple(name.lower() for name in given["host"])})


def command_line(command: str, told: str | None, names: Collection[str]) -> argparse.ArgumentParser:
    """Return what reads the command line of a command that takes some of the options.

    Parameters
    ----------
    command, told : str
        Its name, and what it does.
    names : collection of str
        The options.
    """
    usual, name = argparse.ArgumentDefaultsHelpFormatter, f"{settings.book().command} {command}"
    parser = argparse.ArgumentParser(name, description=told, formatter_class=usual)
    for option in (option for option in fields(Options) if option.name in names):
        flag, told = f"--{option.name.replace('_', '-')}", option.metadata["help"]
        metavar = option.metadata["metavar"]
        if option.name == "folder":
            parser.add_argument("folder", nargs="?", default=option.default, help=told)
        elif option.default is False:
            parser.add_argument(flag, action="store_true", help=told)
        elif option.default == ():
            parser.add_argument(flag, action="append", default=[], metavar=metavar, help=told)
        else:
            kind = type(option.default)
            parser.add_argument(flag, type=kind, default=option.default, metavar=metavar, help=told)
    return parser


def app_titles(folder: Path) -> dict[str, str]:
    """Return each app's file name with its first heading, sorted by name.

    Parameters
    ----------
    folder : pathlib.Path
        Where the app notebooks lie.

    Returns
    -------
    dict
        File name to title; the file name stands in for a missing heading.
    """
    return {
        path.name: title(json.loads(path.read_text(encoding="utf-8"))["cells"], path.stem)
        for path in sorted(folder.glob("*.ipynb"))
    }


def checked_folder(folder: str, ip: str, port: int) -> Path:
    """Return the folder of the apps; refuse an empty one, or a port that is taken.

    Parameters
    ----------
    folder, ip : str
        Where the apps lie, and which address is listened on.
    port : int
        Its port.
    """
    path = Path(folder).resolve()
    if not app_titles(path):
        validate.refuse("folder", folder, "a folder with at least one .ipynb app")
    with socket.socket() as probe:
        if probe.connect_ex((ip, port)) == 0:
            validate.refuse("port", port, "free; another program listens there")
    return path
