"""The statements of a book as they are printed, and the texts that somebody compared with their source.

A statement is found by its label in the book's pages.  A row of ``reviewed.csv`` in the folder of the
pages binds a text (a statement, or the formulas or claims around them), by its digest, to the place that
it was compared with, and how.  A text that was changed since counts as not compared.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from explorable import settings

FILE = "reviewed.csv"
# Formulas that stand by themselves, and those in a line.
FORMULA = re.compile(r"\$\$(.*?)\$\$|\$([^$]+)\$", flags=re.S)
_BOX = re.compile(r"^(:{3,})\{prf:\w+\}([^\n]*)\n:label: (\S+)\n(.*?)^\1[ \t]*$", flags=re.M | re.S)
_CODE = re.compile(
    r"\A---\n.*?^---\n|^(`{3,})(?:\w*|\{code-(?:cell|block)\}[^\n]*)\n.*?^\1[ \t]*$", flags=re.M | re.S
)
_SAYS = re.compile(r"\d|[=<>]|\\(?:approx|le|leq|ge|geq|ne|sim|in|ll|gg)(?![a-zA-Z])")
# Comments are matched so that a quotation mark in one begins nothing.
_LITERAL = re.compile(r"""#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")


def pages(here: Path | None = None) -> Path | None:
    """Return the folder of the book's pages that a folder, or this process, is in; None away from them."""
    here = here or Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / "_toc.yml").is_file()), None)
    return root / "book" if root and (root / "book").is_dir() else root


def in_page(text: str) -> dict[str, str]:
    """Return the statements of a page, title and text, by their labels."""
    return {label: f"{title.strip()}\n{body}" for _, title, label, body in _BOX.findall(text)}


@lru_cache(maxsize=1024)
def _in_file(path: Path, changed: int) -> dict[str, str]:
    return in_page(path.read_text(encoding="utf-8"))


def in_book(folder: Path) -> dict[str, str]:
    """Return the statements of all pages, in the order of the files."""
    files = sorted(folder.rglob("*.md"))
    return {k: v for path in files for k, v in _in_file(path, path.stat().st_mtime_ns).items()}


def text(label: str, here: Path | None = None) -> str | None:
    """Return a statement as it is printed; None away from the book's pages."""
    folder = pages(here)
    return in_book(folder).get(label) if folder else None


def read_by(code: str, here: Path | None = None) -> str:
    """Return the statements that the checks in some code read, for their digest.

    Examples
    --------
    >>> read_by("x = 1")
    ''
    """
    if ".reads(" not in code:
        return ""
    names = re.findall(r'^with result\("([^"]+)"', code, flags=re.M)
    return "".join(filter(None, (text(name, here) for name in sorted(set(names)))))


def outside(page: str) -> Iterator[str]:
    """Yield the formulas of a page outside its statements that hold a relation or a number."""
    for shown, inline in FORMULA.findall(_BOX.sub("", _CODE.sub("", page))):
        if _SAYS.search(shown or inline):
            yield shown or inline


def claims(text: str, code: bool = False) -> Iterator[str]:
    r"""Yield the paragraphs of a page outside its statements, or the strings of code, however broken.

    Examples
    --------
    >>> list(claims("Noise of {eval}`scale`\nkeeps *every* attacker out."))
    ['Noise of {eval}`scale` keeps *every* attacker out.']
    >>> list(claims('sentence="At most {found} are found."', code=True))
    ['"At most {found} are found."']
    >>> list(claims('{"low": f"It is more.", "near": f"# it is."}  # "no text"', code=True))
    ['"It is more." "# it is."']
    """
    if code:
        text = _quoted(re.sub(r'"""(.*?)"""', "", text, flags=re.S))
    text = _BOX.sub("", _CODE.sub(lambda cell: _quoted(cell[0]), text))
    yield from filter(None, (" ".join(paragraph.split()) for paragraph in text.split("\n\n")))


def _quoted(code: str) -> str:
    literals = _LITERAL.findall(code)
    return "\n".join(literal for literal in literals if literal[0] != "#" and " " in literal)


class Row(NamedTuple):
    """One text that was compared: a statement's label, or ``page:`` or ``words:`` and a page's name."""

    statement: str
    digest: str = ""
    place: str = ""
    how: str = ""


def texts(folder: Path) -> dict[str, str]:
    """Return what is to be compared, by its name: a page's other formulas, its claims, its statements."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        name = path.relative_to(folder).with_suffix("").as_posix()
        found |= {f"page:{name}": "\n".join(outside(page)), f"words:{name}": "\n".join(claims(page))}
        found |= in_page(page)
    package = folder.parent / settings.book().package
    for path in sorted((package / "figures").rglob("*.py")):
        lines = claims(path.read_text(encoding="utf-8"), code=True)
        found[f"words:{path.relative_to(package).with_suffix('').as_posix()}"] = "\n".join(lines)
    return {name: text for name, text in found.items() if text}


def _digests(folder: Path) -> dict[str, str]:
    """Return digests of these texts; how their lines are broken does not count."""
    plain = {name: " ".join(text.split()).encode() for name, text in texts(folder).items()}
    return {name: hashlib.sha256(text).hexdigest()[:12] for name, text in plain.items()}


def load(folder: Path) -> list[Row]:
    """Return the rows of the file; none if there is no file."""
    path = folder / FILE
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [Row(**row) for row in csv.DictReader(lines)]


def signed(folder: Path) -> set[str]:
    """Return the names of the texts that are as they were when they were compared."""
    now = _digests(folder)
    return {row.statement for row in load(folder) if now.get(row.statement) == row.digest}


def sign(folder: Path, names: Iterable[str] = (), place: str = "", how: str = "") -> None:
    """Write that texts were compared, and all rows in the order of the pages, one for each text.

    Parameters
    ----------
    folder : pathlib.Path
        The folder of the pages.
    names : iterable of str
        Labels of statements, ``page:`` and a page for its other formulas, ``words:`` for its claims
        or those of a figure's module.
    place : str
        Where the source says it, or what else it was compared with.
    how : str
        How it was compared.
    """
    now, rows = _digests(folder), dict[str, Row]()
    for row in load(folder):
        # After a merge a text may have two rows; the one of today's text stays.
        if row.statement not in rows or row.digest == now.get(row.statement):
            rows[row.statement] = row
    rows |= {name: Row(name, now[name], place, how) for name in names}
    told = io.StringIO()
    csv.writer(told, lineterminator="\n").writerows([Row._fields, *(rows.get(n, Row(n)) for n in now)])
    (folder / FILE).write_text(told.getvalue(), encoding="utf-8")
