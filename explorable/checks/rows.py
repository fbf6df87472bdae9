"""The numbered results of the five documents and of the book: the rows of ``results.csv``."""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from explorable import validate

__all__ = ["SOURCES", "Result", "by_id", "results"]

SOURCES = {
    "lecture": "Lecture notes",
    "mip": "MIP paper",
    "rip": "RIP paper",
    "pmp": "PMP paper",
    "limits": "Limits paper",
    "together": "This book",
}


@dataclass(frozen=True)
class Result:
    """One numbered result: where it is stated, what it says, which chapter it belongs to."""

    id: str
    source: str
    kind: str
    number: str
    title: str
    chapter: str

    @property
    def name(self) -> str:
        """Source, kind and number as a reader cites them."""
        return f"{SOURCES[self.source]}, {self.kind} {self.number}"


@cache
def results() -> tuple[Result, ...]:
    """Return all numbered results in the order of the documents.

    Returns
    -------
    tuple of Result

    Examples
    --------
    >>> results()[0].id
    'lecture-sampling'
    """
    text = resources.files("explorable.checks").joinpath("results.csv").read_text(encoding="utf-8")
    return tuple(Result(**row) for row in csv.DictReader(text.splitlines()))


def by_id(identifier: str) -> Result:
    """Return the result of an id; refuse another one, with the nearest that there are."""
    known = {row.id: row for row in results()}
    if identifier not in known:
        close = difflib.get_close_matches(str(identifier), known, n=3)
        hint = f"; did you mean {', '.join(close)}?" if close else ""
        validate.refuse("id", identifier, f"the id of a row of results.csv{hint}")
    return known[identifier]
