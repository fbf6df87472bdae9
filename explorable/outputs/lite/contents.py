"""What the site holds: every chapter, in full and for students, and every app, as notebooks."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
import nbformat.v4 as made
import yaml

from explorable.outputs.lite.offer import offered
from explorable.sphinx import notebooks
from explorable.sphinx.map import all_pages, app_card

__all__ = ["INDEX", "all_notebooks", "write"]

INDEX = "start"
_LINK = re.compile(r"\[([^\]\n]*)\]\(([\w./-]+\.ipynb)(?:#[^)\s]*)?\)")
_START = """*From the book mipbook. It runs here, in your browser: nothing is installed, and nothing
that you type or open leaves this machine.*

*Choose* Run All Cells *in the menu* Run. *The first cell takes a while, for it loads Python;
the panels then move as they do in the book. What you change is kept in this browser alone.*"""
_KERNEL = {"display_name": "Python (in this browser)", "language": "python", "name": "python"}


def _copies(root: Path, page: str) -> Iterator[tuple[str, Any]]:
    name = page.removeprefix("book/")
    if notebooks.taken_away(page):
        text = (root / f"{page}.md").read_text(encoding="utf-8")
        yield name, notebooks.notebook(text, page)
        if not page.endswith("-record"):
            yield name + notebooks.STUDENT, notebooks.notebook(text, page, student=True)
        return
    app = nbformat.read(root / f"{page}.ipynb", as_version=4)
    for cell in app.cells:
        if cell.cell_type == "markdown":
            cell.source = notebooks.plain(cell.source, page)
    app.cells.insert(0, made.new_markdown_cell("", id="start"))
    yield name, app


def all_notebooks(root: Path) -> dict[str, Any]:
    """Return the notebooks of the site by their names, such as ``mip/noise``.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    """
    listed = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    pages = [page for page in all_pages(listed) if offered(page)]
    found = {name: book for page in pages for name, book in _copies(root, page)}
    for name, book in found.items():
        book.cells[0].source = _START
        book.metadata.kernelspec = dict(_KERNEL)
        for cell in book.cells:
            if cell.cell_type == "markdown":
                cell.source = _linked(cell.source, name, found)
    return {INDEX: _index(root, listed, found), **found}


def _linked(text: str, name: str, found: Mapping[str, Any]) -> str:
    """Keep the links to notebooks that are there; of others, the words."""

    def kept(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link[2]))
        return link[0] if target.removesuffix(".ipynb") in found else link[1]

    return _LINK.sub(kept, text)


def _title(book: Any) -> str:
    """Return the first heading of a notebook."""
    text = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    title = re.search(r"^# (.+)$", text, flags=re.MULTILINE)
    return title[1] if title else ""


def _index(root: Path, listed: Mapping[str, Any], found: Mapping[str, Any]) -> Any:
    """Return the notebook that leads to all others."""
    lines = ["# The book in your browser", "", _START]
    for part in listed["parts"]:
        pages = [page.removeprefix("book/") for page in all_pages(part) if offered(page)]
        lines += ["", f"## {part['caption']}", ""] if pages else []
        for page in pages:
            told = f"- [{_title(found[page])}]({page}.ipynb)"
            student = page + notebooks.STUDENT
            if student in found:
                told += f" · [without solutions]({student}.ipynb)"
            if page.startswith("apps/"):
                told += f". {app_card(root / 'book' / f'{page}.ipynb')[0]}"
            lines.append(told)
    cells = [made.new_markdown_cell("\n".join(lines), id="index")]
    return made.new_notebook(cells=cells, metadata={"kernelspec": dict(_KERNEL)})


def write(found: Mapping[str, Any], folder: Path) -> None:
    """Write notebooks below a folder.

    Parameters
    ----------
    found : mapping
        Notebooks by their names.
    folder : pathlib.Path
        Where to.
    """
    for name, book in found.items():
        path = folder / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(book, path)
