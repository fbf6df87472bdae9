"""Sheets of a chapter's exercises as notebooks: ``python -m mipbook sheets mip/noise``.

Each chapter gives two: the questions, with an empty cell for each answer, and the solutions, which
check themselves. Both begin with what the cells need of the chapter. ``pdf --exercises`` prints.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from symtable import SymbolTable, symtable
from typing import Any

from explorable import validate
from explorable.outputs.teach.exercises import read_exercises
from explorable.sphinx.build import by_end, check_root
from explorable.sphinx.notebooks import notebook

__all__ = ["FOLDER", "bound", "chapters", "command", "main", "make", "needed", "sheet", "used"]

FOLDER = Path("_build", "sheets")
_HEAD = "## Exercises"


def _tables(table: SymbolTable) -> Iterator[SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def bound(source: str) -> set[str]:
    r"""Return the names that a cell gives to those below it.

    Examples
    --------
    >>> sorted(bound("import numpy as np\nn = 3\ndef f(x): return x\n[a for a in 'b']"))
    ['f', 'n', 'np']
    """
    symbols = symtable(source, "cell", "exec").get_symbols()
    return {s.get_name() for s in symbols if s.is_assigned() or s.is_imported()}


def used(source: str) -> set[str]:
    r"""Return the names that a cell reads and does not set itself.

    Examples
    --------
    >>> sorted(used("a = f(b)\nprint(a, [c * d for c in b])"))
    ['b', 'd', 'f', 'print']
    """
    top, *inner = _tables(symtable(source, "cell", "exec"))
    here = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    for table in inner:
        here |= {s.get_name() for s in table.get_symbols() if s.is_global()}
    return here - bound(source)


def needed(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return which of the cells before others these need, in their order.

    Parameters
    ----------
    before, after : sequence of str
        Code.

    Examples
    --------
    >>> needed(["a = 1", "b = a", "c = 2"], ["print(b)"])
    ['a = 1', 'b = a']
    """
    wanted: set[str] = set()
    for cell in reversed(after):
        wanted = (wanted - bound(cell)) | used(cell)
    kept = []
    for cell in reversed(before):
        if bound(cell) & wanted:
            kept.append(cell)
            wanted = (wanted - bound(cell)) | used(cell)
    return kept[::-1]


def _split(made: Any) -> tuple[list[Any], list[Any]]:
    """Part a chapter's notebook where its exercises begin."""
    cells = made.cells
    at = next(i for i, cell in enumerate(cells) if _HEAD in cell.source)
    return cells[:at], cells[at:]


def _code(cells: Sequence[Any]) -> Iterator[str]:
    # A magic is no Python, and no sheet needs one.
    for cell in cells:
        if cell.cell_type == "code":
            yield "\n".join(x for x in cell.source.splitlines() if not x.startswith("%"))


def sheet(text: str, page: str, *, solutions: bool = False) -> Any:
    """Return the exercises of a chapter as a notebook without outputs.

    Parameters
    ----------
    text : str
        The chapter, as MyST.
    page : str
        Its name, such as ``book/mip/noise``.
    solutions : bool
        Whether the solutions are in it.

    Raises
    ------
    ValueError
        If the chapter has no exercises.
    """
    import nbformat.v4 as made

    if f"\n{_HEAD}" not in text:
        validate.refuse("page", page, f"a chapter with a part {_HEAD!r}")
    before, after = _split(notebook(text, page))
    code = needed(list(_code(before)), list(_code(after)))
    if not solutions:
        before, after = _split(notebook(text, page, student=True))
    title = next(x for x in text.splitlines() if x.startswith("# "))
    start = before[0].source
    head = made.new_markdown_cell(f"{title}: {'solutions' if solutions else 'exercises'}\n\n{start}")
    after[0] = made.new_markdown_cell(after[0].source.partition(_HEAD)[2].strip())
    cells = [head, *map(made.new_code_cell, code), *after]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return made.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def chapters(root: Path, names: Sequence[str]) -> dict[str, str]:
    """Return the texts of the chapters that have exercises, by page.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    names : sequence of str
        Chapters by their names, or the ends of them; none for all.

    Raises
    ------
    ValueError
        If the folder is not the repository's, or a name is no chapter's.
    """
    check_root(root)
    pages = list(dict.fromkeys(one.page for one in read_exercises(root)))
    chosen = by_end(names, pages, "pages", "chapter with exercises") if names else pages
    return {page: (root / f"{page}.md").read_text(encoding="utf-8") for page in chosen}


def make(root: Path, names: Sequence[str] = (), out: Path | None = None) -> list[Path]:
    """Write the sheets of chapters, and return the files.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    names : sequence of str
        Chapters by their names, or the ends of them; none for all.
    out : pathlib.Path, optional
        The folder; ``_build/sheets`` if not given.
    """
    import nbformat

    written = []
    for page, text in chapters(root, names).items():
        for kind, solutions in (("exercises", False), ("solutions", True)):
            name = f"{page.removeprefix('book/')}-{kind}.ipynb"
            written.append(((out or root / FOLDER) / name, sheet(text, page, solutions=solutions)))
    for path, made in written:
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, path)
    return [path for path, _ in written]


def command(
    name: str,
    told: str | None,
    make: Callable[[Path, Sequence[str], Path | None], list[Path]],
    folder: Path,
    arguments: Sequence[str] | None,
) -> None:
    """Make something of the chapters that a command line names, and print where it lies.

    Parameters
    ----------
    name, told : str
        The command, and what it does.
    make : callable
        Makes it, of the repository's folder, the names and the folder to write to.
    folder : pathlib.Path
        Where it writes if the command line does not say.
    arguments : sequence of str or None
        The command line, or None for the process's own.
    """
    parser = argparse.ArgumentParser(prog=f"python -m mipbook {name}", description=told)
    parser.add_argument("pages", nargs="*", help="such as mip/noise; none for all chapters")
    parser.add_argument("--out", type=Path, help=f"the folder (default: {folder.as_posix()})")
    asked = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    for path in make(Path.cwd(), asked.pages, asked.out):
        print(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the sheets that the command line names."""
    command("sheets", __doc__, make, FOLDER, arguments)
