"""What stands on a page of the reference: the public names of a room, read off its face.

Nothing is listed here but the rooms, so a new function needs no line of its own.
"""

from __future__ import annotations

import inspect
import io
import pkgutil
import re
import sys
import tokenize
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["ROOMS", "Group", "face", "groups", "is_constant", "is_public", "told"]

# As they stand in the book: from what is computed to what shows it.
ROOMS = (
    *("tradeoff", "mechanisms", "game", "mip", "pmp", "mis", "together"),
    *("release", "choose", "audit", "data", "learners", "stored"),
    *("figures.game", "figures.mip", "figures.pmp", "figures.mis", "explore", "ledger"),
)


@dataclass
class Group:
    """Names of a room that come from one inner room, under its title; none has an empty one."""

    title: str
    names: list[str] = field(default_factory=list)


def face(room: str) -> ModuleType:
    """Return the package whose public names a room shows."""
    return import_module(f"mipbook.{room}")


def is_public(name: str) -> bool:
    """Say whether a full name, such as ``mipbook.mis.weights``, stands in the reference."""
    room, _, last = name.removeprefix("mipbook.").rpartition(".")
    return room in ROOMS and last in face(room).__all__


def is_constant(value: object) -> bool:
    """Say whether a public name is a plain value, which carries no documentation itself."""
    return not (inspect.isclass(value) or inspect.isroutine(inspect.unwrap(value)))  # type: ignore[arg-type]


def _first_line(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().partition("\n")[0].rstrip(".")


def _home(room: str, name: str) -> str:
    """Return the module that defines a public name of a room."""
    value = getattr(import_module(room), name)
    module = getattr(value, "__module__", None)
    if not is_constant(value) and module:
        return str(module)
    # A plain value does not know where it comes from: it is in the module that exports it.
    for other in pkgutil.walk_packages(import_module(room).__path__, f"{room}."):
        if not other.ispkg and name in getattr(import_module(other.name), "__all__", ()):
            return other.name
    return room


def groups(room: str) -> list[Group]:
    """Return the public names of a room, those of each inner room under its first line.

    Examples
    --------
    >>> found = groups("tradeoff")
    >>> len(found), "gaussian_delta" in found[0].names
    (1, True)
    """
    full = f"mipbook.{room}"
    found = {full: Group("")}
    for name in sorted(face(room).__all__, key=lambda x: (x.lower(), x)):
        # What a room hands on from elsewhere stands under its own name.
        home = _home(full, name)
        inner = home.removeprefix(f"{full}.").split(".") if home.startswith(f"{full}.") else []
        key = f"{full}.{inner[0]}" if len(inner) > 1 else full
        if key not in found:
            found[key] = Group(_first_line(import_module(key)))
        found[key].names.append(name)
    return [group for group in found.values() if group.names]


def told(room: str, name: str) -> tuple[str, str]:
    """Return a plain value as Python, and the comment that stands above it in its module."""
    value: Any = getattr(face(room), name)
    # Where a function lies in memory is no part of it, and another one at each build.
    said = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    source = inspect.getsource(sys.modules[_home(f"mipbook.{room}", name)])
    comments: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#"):
            comments[line] = token.string.lstrip("# ")
        if token.type == tokenize.NAME and token.string == name and token.start[1] == 0:
            above: list[str] = []
            while line - 1 in comments:
                line -= 1
                above.insert(0, comments[line])
            return said, " ".join(above)
    return said, ""
