"""The pages of the book and the panels on them, found without running the pages."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import jupytext
from shared import ROOT

from explorable.panels import Explorable

BOOK = ROOT / "book"
FOUND = sorted(path for ending in ("md", "ipynb") for path in BOOK.rglob(f"*.{ending}"))
PAGES = [path for path in FOUND if ".ipynb_checkpoints" not in path.parts]
NOTEBOOKS = [
    path
    for path in PAGES
    if path.suffix == ".ipynb" or "kernelspec:" in path.read_text(encoding="utf-8")[:400]
]


def read(path: Path) -> Any:
    """Return a page as a notebook."""
    return jupytext.read(path, fmt=None if path.suffix == ".ipynb" else "md:myst")


# A panel is made in a cell of its own kind; a page may also print the line as an example.
PANEL_CELL = re.compile(
    r'^```\{code-cell\}(?:(?!^```$).)*^Explorable\(|^\s*"Explorable\(', re.MULTILINE | re.DOTALL
)
# Not by reading the notebooks, which takes a while, at the start of every process.
SHOWING = [path for path in NOTEBOOKS if PANEL_CELL.search(path.read_text(encoding="utf-8"))]
WITH_PANELS = sorted(str(path.relative_to(BOOK).with_suffix("")) for path in SHOWING)


@cache
def panels() -> dict[str, list[Explorable]]:
    """Return the panels of each page: the values of cells that end in an Explorable."""
    found: dict[str, list[Explorable]] = {}
    for path in NOTEBOOKS:
        names: dict[str, Any] = {}
        for cell in read(path).cells:
            body = ast.parse(cell.source).body if cell.cell_type == "code" else []
            for statement in body:
                if isinstance(statement, ast.Import | ast.ImportFrom):
                    exec(ast.unparse(statement), names)
            last = body[-1] if body else None
            if isinstance(last, ast.Expr) and "Explorable(" in ast.unparse(last):
                panel = eval(ast.unparse(last), names)
                found.setdefault(str(path.relative_to(BOOK)), []).append(panel)
    return found
