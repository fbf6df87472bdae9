"""Texts that somebody compared with their source: statements, and the formulas and claims around them.

A row of ``reviewed.csv`` in the folder of the pages binds a text, by its digest, to the place that
it was compared with, and how.  A text that was changed since counts as not compared.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from explorable import settings
from explorable.checks import boxes

FILE = "reviewed.csv"


class Row(NamedTuple):
    """One text that was compared: a statement's label, or ``page:`` or ``words:`` and a page's name."""

    statement: str
    digest: str = ""
    place: str = ""
    how: str = ""


def digest(text: str) -> str:
    r"""Return a digest of a text; how its lines are broken does not count.

    Examples
    --------
    >>> digest("a  b") == digest("a\nb"), digest("a b") == digest("b a")
    (True, False)
    """
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


def texts(folder: Path) -> dict[str, str]:
    """Return what is to be compared, by its name: a page's other formulas, its claims, its statements."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        name = path.relative_to(folder).with_suffix("").as_posix()
        around = {"page": boxes.outside(page), "words": boxes.claims(page)}
        found |= {f"{kind}:{name}": "\n".join(lines) for kind, lines in around.items()}
        found |= boxes.in_page(page)
    package = folder.parent / settings.book().package
    for path in sorted((package / "figures").rglob("*.py")):
        lines = boxes.claims(path.read_text(encoding="utf-8"), code=True)
        found[f"words:{path.relative_to(package).with_suffix('').as_posix()}"] = "\n".join(lines)
    return {name: text for name, text in found.items() if text}


def load(folder: Path) -> list[Row]:
    """Return the rows of the file; none if there is no file."""
    path = folder / FILE
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [Row(**row) for row in csv.DictReader(lines)]


def signed(folder: Path) -> set[str]:
    """Return the names of the texts that are as they were when they were compared."""
    now = {name: digest(text) for name, text in texts(folder).items()}
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
    now = {name: digest(text) for name, text in texts(folder).items()}
    rows: dict[str, Row] = {}
    for row in load(folder):
        # After a merge a text may have two rows; the one of today's text stays.
        if row.statement not in rows or row.digest == now.get(row.statement):
            rows[row.statement] = row
    rows |= {name: Row(name, now[name], place, how) for name in names}
    told = io.StringIO()
    writer = csv.writer(told, lineterminator="\n")
    writer.writerows([Row._fields, *(rows.get(name, Row(name)) for name in now)])
    (folder / FILE).write_text(told.getvalue(), encoding="utf-8")
