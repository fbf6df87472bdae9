"""What the command line of the server without kernels takes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields

import joblib

from explorable import validate
from explorable.serve.web.options import Place, parsed, place_parser

__all__ = ["Options", "read"]

_DESCRIPTION = """Serve the apps of book/apps without a kernel a visitor, and the built book.

A move of a control is one request, which a few processes answer; nothing of it is kept, so that
any number of these servers may stand behind one that speaks https. The book's page "Run it for a
class" says how large a machine must be."""


@dataclass(frozen=True)
class Options(Place):
    """The settings of a server; `read` makes them from a command line."""

    workers: int = 2
    memory: int = 1536
    seconds: float = 20.0
    queue: int = 64
    dask: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant, before anything is started."""
        super().__post_init__()
        validate.integer("workers", self.workers, 1, 256)
        validate.integer("memory", self.memory, 256)
        validate.number("seconds", self.seconds, 0.1, 3600)
        validate.integer("queue", self.queue, 1)
        if self.dask and "://" not in self.dask:
            validate.refuse("dask", self.dask, "an address such as tcp://scheduler:8786")


def _parser() -> argparse.ArgumentParser:
    parser = place_parser("serve", _DESCRIPTION)
    add = parser.add_argument
    add("--workers", type=int, metavar="N", help="how many processes compute figures")
    add("--memory", type=int, metavar="MB", help="the most memory of one of them")
    add("--seconds", type=float, metavar="S", help="the longest computation")
    add(
        *("--queue",),
        type=int,
        metavar="N",
        help="how many requests wait, at most; half of them of one address, four of one page",
    )
    add("--dask", metavar="ADDRESS", help="a Dask scheduler that takes long sweeps")
    usual = {field.name: field.default for field in fields(Options)}
    # One more than there are cores for us (a container may have fewer than its machine): a long
    # computation leaves a core to others.
    parser.set_defaults(**usual | {"workers": 1 + joblib.cpu_count(), "host": []})
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
    >>> read(["--base-url", "/mip/", "--workers", "4"]).workers
    4
    """
    return Options(**parsed(_parser(), arguments))
