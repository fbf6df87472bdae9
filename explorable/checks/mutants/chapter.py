"""The code cells of a chapter, which of them must run, and what a check cell calls."""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorable import checks as ledger

__all__ = ["FILE", "Called", "Cell", "Chapter", "fresh", "read_chapter"]

FILE = "<cell "


@dataclass
class Called:
    """A public function, with what it took from a cell and gave it in the true run.

    ``inside`` are the functions that ran while it did, by module and name.
    """

    module: str
    name: str
    arguments: list[dict[str, Any]] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    inside: set[tuple[str, str]] = field(default_factory=set)

    @property
    def owner(self) -> Any:
        """The module or the class that holds the function."""
        holder: Any = sys.modules[self.module]
        for part in self.name.split(".")[:-1]:
            holder = getattr(holder, part)
        return holder


@dataclass(frozen=True)
class Cell:
    """One code cell."""

    source: str
    place: str

    @property
    def result(self) -> str | None:
        """The id of the result that the cell checks, if it checks one."""
        found = re.search(r'^with result\("([^"]+)"', self.source, flags=re.M)
        return found[1] if found else None

    def names(self) -> tuple[set[str], set[str]]:
        """Return the names that the cell binds and those that it uses."""
        nodes = list(ast.walk(ast.parse(self.source)))
        bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                bound |= {(a.asname or a.name).split(".")[0] for a in node.names}
        return bound, {n.id for n in nodes if isinstance(n, ast.Name)} - bound

    def spoken(self) -> set[str]:
        """Return the names of fields that the cell may read: attributes and strings."""
        nodes = list(ast.walk(ast.parse(self.source)))
        attributes = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
        return attributes | {str(n.value) for n in nodes if isinstance(n, ast.Constant)}

    def run(self, space: dict[str, Any]) -> ledger.Record | None:
        """Run the cell in ``space``, in silence; return what it recorded."""
        code = compile(self.source, f"{FILE}{self.place}>", "exec")
        quiet = contextlib.redirect_stdout(io.StringIO())
        with ledger.apart() as records, quiet, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, space)
        return records[-1] if records else None


@dataclass(frozen=True)
class Chapter:
    """The code cells of a page, in order."""

    name: str
    cells: tuple[Cell, ...]

    @property
    def length(self) -> int:
        """How many characters the check cells have."""
        return sum(len(cell.source) for cell in self.cells if cell.result)

    def spoken(self) -> set[str]:
        """Return all names in the code."""
        return set().union(*(cell.spoken().union(*cell.names()) for cell in self.cells))

    def needed(self) -> list[Cell]:
        """Return the check cells and those that make a name which a later one of them uses."""
        kept: list[Cell] = []
        wanted: set[str] = set()
        for cell in reversed(self.cells):
            bound, used = cell.names()
            if cell.result or bound & wanted:
                wanted |= used
                kept.append(cell)
        return kept[::-1]

    def checks(self) -> Iterator[tuple[Cell, dict[str, Any]]]:
        """Yield each check cell with the namespace before it, then run it if others need it."""
        space: dict[str, Any] = {"__name__": "__main__"}
        cells = self.needed()
        for i, cell in enumerate(cells):
            if cell.result:
                yield cell, space
            if any(cell.names()[0] & later.names()[1] for later in cells[i + 1 :]):
                cell.run(space)


def read_chapter(path: Path) -> Chapter:
    """Return the code cells of a page in MyST Markdown."""
    found = re.findall(
        r"^```\{code-cell\}[^\n]*\n(.*?)^```$", path.read_text(encoding="utf-8"), flags=re.M | re.S
    )
    options = re.compile(r"\A(?:(?::\w[^\n]*\n)+|---\n.*?^---\n)", flags=re.M | re.S)
    sources = [options.sub("", text) for text in found]
    cells = tuple(Cell(source, f"{path.stem} {i}") for i, source in enumerate(sources))
    return Chapter(f"{path.parent.name}/{path.stem}", cells)


def fresh(space: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a namespace in which a run may change what it likes."""
    made = {}
    for name, value in space.items():
        try:
            made[name] = value if callable(value) else copy.deepcopy(value)
        except TypeError:  # a module, for instance
            made[name] = value
    return made
