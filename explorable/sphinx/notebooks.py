"""Chapters as notebooks to take away: in full, or for students, without answers and solutions.

A chapter is MyST, which Jupyter shows only with an extension. What is taken away must read well
anywhere, so blocks become quotations and headings, and roles become words and links.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorable import settings
from explorable.checks.ledger import rows
from explorable.outputs.exercises import Effort
from explorable.sphinx import statements
from explorable.sphinx.run import inserted
from explorable.sphinx.words import parse

FOLDER = "notebooks"
STUDENT = "-student"
_ROLE = re.compile(r"\{(set|effort|prf:ref|doc|ref|term|dfn|cite(?::\w+)?)\}`([^`]+)`")
_OPEN = re.compile(r"(`{3,}|:{3,})\{([\w:-]+)\}\s*(.*)")
_OPTION = re.compile(r":([\w-]+):\s*(.*)")
_LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]*)\.(?:md|ipynb)(#[^)\s]*)?(?=\))")
_BARE = {"veiled", "container", "exercise-end", "solution-end"}
_LOCKED = {"remove-input", "hide-input", "remove-cell"}
_START = """*From the book {title}. It needs Python 3.11 or newer and the package:*
`pip install "{install}"`.
*Run the cells from the top; the panels move here as they do in the book.*"""


def _role(page: str, kind: str, text: str) -> str:
    """Return the words of a role, linked where they lead to another notebook."""
    named = re.fullmatch(r"(.*?)\s*<([^<>]+)>", text, flags=re.S)
    words, target = (named[1], named[2]) if named else ("", text)
    match kind:
        case "set":
            return parse(text)[2]
        case "effort":
            return f"*{Effort.of(text)}*"
        case "prf:ref":
            row = rows().get(target)
            return words or (statements.mention(row, page) if row else "the statement")
        case "doc":
            return f"[{words or posixpath.basename(target).replace('-', ' ')}]({target}.ipynb)"
        case _ if kind.startswith("cite"):
            return "; ".join(f"[{key.strip()}]" for key in text.split(","))
    return words or target


def _title(kind: str, argument: str, options: dict[str, str]) -> str:
    """Return what stands in bold at the head of a block."""
    if kind == "admonition":
        return f"**{argument}**"
    if not kind.startswith("prf:"):
        return f"**{kind.capitalize()}**"
    row = rows().get(options.get("label", ""))
    name = statements.header(row) if row else kind.removeprefix("prf:").capitalize()
    return f"**{name}{f' ({argument})' if argument else ''}.**"


def _head(options: dict[str, str]) -> str:
    told = f"*Goal.* {options.get('goal', '')} About {options.get('minutes', '?')} minutes."
    near = options.get("neighbours")
    return f"{told} Neighbours here are {near}." if near else told


def _block(page: str, kind: str, argument: str, inner: list[str]) -> list[str]:
    """Return a block in plain Markdown; its own options stand in its first lines."""
    options: dict[str, str] = {}
    while inner and (found := _OPTION.fullmatch(inner[0])):
        options[found[1]] = found[2]
        inner = inner[1:]
    if kind == "chapter-head":
        return [_head(options)]
    if kind == "exercise-start":
        return [f"### Exercise: {argument}"]
    if kind == "solution-start":
        return ["**Solution.**"]
    told = list(_blocks(page, inner))
    if kind in _BARE:
        return told
    while told and not told[0].strip():
        told = told[1:]
    return [f"> {line}".rstrip() for line in (_title(kind, argument, options), "", *told)]


def _blocks(page: str, lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        found = _OPEN.fullmatch(lines[at])
        if not found:
            yield lines[at]
            at += 1
            continue
        end = lines.index(found[1], at + 1)
        yield from _block(page, found[2], found[3], lines[at + 1 : end])
        at = end + 1


def plain(text: str, page: str) -> str:
    r"""Return MyST as Markdown that any notebook shows.

    Parameters
    ----------
    text : str
        A Markdown cell.
    page : str
        The page that it is from, such as ``book/mip/noise``.

    Examples
    --------
    >>> plain("See {set}`sigma=3 | more noise` and {term}`pool`.", "book/mip/noise")
    'See more noise and pool.'
    >>> print(plain(":::{warning}\nMind $n$.\n:::", "book/mip/noise"))
    > **Warning**
    >
    > Mind $n$.
    """
    lines = [x for x in text.splitlines() if not re.fullmatch(r"\([\w-]+\)=|%.*", x)]
    # A value that nobody told is named.
    told = inserted("\n".join(_blocks(page, lines)), page, {})
    told = _ROLE.sub(lambda found: _role(page, found[1], found[2]), told)
    return _LINK.sub(r"\1.ipynb", told)


def _without_solutions(cells: list[Any]) -> Iterator[Any]:
    """Drop what lies between the marks of a solution, and each cell that holds an answer."""
    hidden = False
    for cell in cells:
        if cell.cell_type == "code":
            if not hidden and "Answer(" not in cell.source:
                yield cell
            continue
        kept = []
        for part in re.split(r"(?m)^(?=`{3,}\{solution-(?:start|end)\})", cell.source):
            if "{solution-start}" in part:
                hidden = True
            elif "{solution-end}" in part:
                hidden = False
                part = part.partition("\n```")[2].lstrip("\n")
            if not hidden and part.strip():
                kept.append(part)
        if kept:
            yield {**cell, "source": "\n".join(kept)}


def _cell(kind: str, source: str, **metadata: Any) -> Any:
    """Return a cell; the library's own makers check each against its schema, which takes long."""
    from nbformat import NotebookNode

    more: dict[str, Any] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return NotebookNode(cell_type=kind, metadata=metadata, source=source, **more)


def notebook(text: str, page: str, *, student: bool = False) -> Any:
    """Return a chapter as a notebook without outputs.

    Parameters
    ----------
    text : str
        The chapter, as MyST.
    page : str
        Its name, such as ``book/mip/noise``.
    student : bool
        Whether answers and solutions are left out, with an empty cell for each exercise's own.
    """
    import jupytext

    read, own = jupytext.reads(text, fmt="md:myst").cells, settings.book()
    cells = [_cell("markdown", _START.format(title=own.title, install=own.install))]
    for cell in _without_solutions(read) if student else read:
        source = cell["source"]
        if cell["cell_type"] == "code":
            folded = _LOCKED & set(cell["metadata"].get("tags", []))
            hidden: dict[str, Any] = {"jupyter": {"source_hidden": True}} if folded else {}
            cells.append(_cell("code", source, **hidden))
            continue
        if told := plain(source, page).strip():
            cells.append(_cell("markdown", told))
        if student and "{exercise-start}" in source:
            cells.append(_cell("code", "# Your work:\n"))
    return of_cells(cells)


def of_cells(cells: list[Any]) -> Any:
    """Return a notebook for Python, whose cells have the same ids at each build."""
    import nbformat.v4 as made

    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return made.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def taken_away(page: str) -> bool:
    """Whether a page is offered as a notebook: the chapters and their records are."""
    parts = page.split("/")
    return len(parts) == 3 and parts[0] == "book" and parts[1] in settings.book().parts


def _copies(page: str) -> dict[str, bool]:
    name = f"{FOLDER}/{page.removeprefix('book/')}"
    return {name: False} if page.endswith("-record") else {name: False, f"{name}{STUDENT}": True}


def write_notebooks(app: Any, error: Exception | None) -> None:
    """Write the chapters that can be taken away."""
    import nbformat

    if error is not None:
        return
    for page in filter(taken_away, sorted(app.env.found_docs)):
        source = Path(app.env.doc2path(page))
        text = inserted(source.read_text(encoding="utf-8"), page, app.explorable_values)
        for name, student in _copies(page).items():
            path = Path(app.outdir, f"{name}.ipynb")
            # A build of one page leaves the others as they are.
            made = path.is_file() and page not in app.explorable_executed
            if made and path.stat().st_mtime >= source.stat().st_mtime:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook(text, page, student=student), path)


def offer(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Offer the notebooks of a page in its menu of downloads, and let its launch buttons open them.

    JupyterLab shows a chapter's own blocks as errors.
    """
    groups = {group.get("label"): group.get("buttons") for group in context.get("header_buttons", [])}
    if not taken_away(page):
        return
    built = f"lab/tree/_build/html/{FOLDER}/{page.removeprefix('book/')}.ipynb"
    for button in groups.get("launch-buttons", ()):
        button["url"] = button.get("url", "").replace(f"lab/tree/{page}.md", built)
    if "download-buttons" not in groups:
        return
    for name, student in reversed(_copies(page).items()):
        button = {"type": "link", "icon": "fas fa-code", "url": context["pathto"](f"{name}.ipynb", 1)}
        button["text"] = "Notebook without solutions" if student else "Notebook"
        button["tooltip"] = "A notebook to run and change (.ipynb)"
        button["label"] = "download-student-button" if student else "download-notebook-button"
        groups["download-buttons"].insert(0, button)
