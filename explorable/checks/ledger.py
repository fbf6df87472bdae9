"""The numbered results of a book, and the checks that it runs.

Under each statement of the book a code cell checks it inside ``with result(id) as check``.
What was compared is shown on the page and travels in the cell's output, from where the
page of results is made; a failing check stops the build.
"""

from __future__ import annotations

import csv
import difflib
import html
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

import numpy as np

from explorable import settings, validate


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
        return f"{settings.book().sources[self.source]}, {self.kind} {self.number}"


@cache
def results() -> tuple[Result, ...]:
    """Return all numbered results in the order of the documents.

    Returns
    -------
    tuple of Result
    """
    path = settings.book().results
    text = path.read_text(encoding="utf-8") if path else ""
    return tuple(Result(**row) for row in csv.DictReader(text.splitlines()))


@cache
def rows() -> dict[str, Result]:
    """Return all results by their ids."""
    return {row.id: row for row in results()}


def by_id(identifier: str) -> Result:
    """Return the result of an id; refuse another one, with the nearest that there are."""
    if identifier not in rows():
        close = difflib.get_close_matches(str(identifier), rows(), n=3)
        hint = f"; did you mean {', '.join(close)}?" if close else ""
        validate.refuse("id", identifier, f"the id of a row of results.csv{hint}")
    return rows()[identifier]


STATUSES = ("holds", "holds with a correction", "false as published")
KINDS = ("exact", "bound", "estimate", "approximation")


@dataclass(frozen=True)
class Comparison:
    """One comparison of a check: what, how, how far off, how far it may be off."""

    what: str
    relation: str
    got: float
    expected: float
    deviation: float
    tol: float
    kind: str

    @property
    def room(self) -> float:
        """How much farther off it might have been, relative to what it was held against."""
        if self.relation in ("equal", "true"):
            return self.tol - self.deviation
        above = self.got - self.expected
        above = above if self.relation == "at least" else -above
        return above / (abs(self.expected) or 1.0) + self.tol


@dataclass(frozen=True)
class Excuse:
    """A planted error that a check lets through for a good reason."""

    function: str
    error: str
    why: str


@dataclass(frozen=True)
class FormulaRead:
    """A formula of a statement that was read: at how many points, and which misprints they tell.

    Of ``planted`` errors in its text none is let through; ``excused`` are those that rightly are.
    """

    formula: str
    points: int
    planted: int
    excused: dict[str, str] = field(default_factory=dict)


# What of a record stands in JSON beside its id and status.
_HELD: dict[str, Any] = {"comparisons": Comparison, "excuses": Excuse, "readings": FormulaRead}


@dataclass
class Record:
    """All comparisons of one ``result(...)`` block, and what it says of planted errors."""

    id: str
    status: str
    comparisons: list[Comparison] = field(default_factory=list)
    excuses: list[Excuse] = field(default_factory=list)
    readings: list[FormulaRead] = field(default_factory=list)
    plants: list[tuple[str, str, Callable[..., Any]]] = field(default_factory=list, repr=False)
    # Whether a formula was left out, away from the pages where it is printed.
    away: bool = False

    def to_json(self) -> str:
        """Return the record as JSON that may stand inside a script element."""
        held = {name: [asdict(each) for each in getattr(self, name)] for name in _HELD}
        told = {"id": self.id, "status": self.status, **held}
        return json.dumps(told, allow_nan=False).replace("</", "<\\/")

    def __repr__(self) -> str:
        return f"checked {self.id}: {_summary(self)}"

    def _repr_html_(self) -> str:
        body = "".join(
            f"<tr><td>{html.escape(c.what)}</td><td>{html.escape(c.relation)}</td>"
            f"<td>{c.got:.10g}</td><td>{c.expected:.10g}</td><td>{c.tol:.1g}</td>"
            f"<td>{c.kind}</td><td>{count}</td></tr>"
            for c, count in _closest(self.comparisons)
        )
        heads = ("what", "must be", "got", "against", "tolerance", "kind", "closest of")
        head = "".join(f'<th scope="col">{h}</th>' for h in heads)
        return (
            f'<details class="mb-check"><summary><strong>Checked.</strong> '
            f"{html.escape(by_id(self.id).name)}: {html.escape(_summary(self))}.</summary>"
            f'<div class="mb-check-table" tabindex="0" role="region" '
            f'aria-label="comparisons for {self.id}"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>{self._excuses_html()}</details>"
            f'<script type="application/json" class="mb-check-data">{self.to_json()}</script>'
        )

    def _excuses_html(self) -> str:
        let = [(e.function, e.error, e.why) for e in self.excuses]
        let += [(r.formula, f"misprinted: {e}", why) for r in self.readings for e, why in r.excused.items()]
        return "".join(
            f"<p>Not caught, and rightly: <code>{html.escape(place)}</code> "
            f"{html.escape(error)}. {html.escape(why)}</p>"
            for place, error, why in let
        )


def _closest(comparisons: Sequence[Comparison]) -> list[tuple[Comparison, int]]:
    """Return one comparison of each sort, the one nearest to failing, and how many there are.

    Of a sort are those that differ in numbers alone: a thousand of them tell a reader no more.
    """
    sorts: dict[tuple[str, str, str], list[Comparison]] = {}
    for c in comparisons:
        words = re.sub(r"\d[\d.,]*(e[-+]?\d+)?", "#", c.what)
        sorts.setdefault((words, c.relation, c.kind), []).append(c)
    return [(min(of_a_sort, key=lambda c: c.room), len(of_a_sort)) for of_a_sort in sorts.values()]


def read_records(page: str) -> list[Record]:
    """Return the records that the HTML of a cell's output carries."""
    found = re.findall(
        r'<script type="application/json" class="mb-check-data">(.*?)</script>', page, flags=re.S
    )
    return [
        Record(**(d | {name: [kind(**each) for each in d[name]] for name, kind in _HELD.items()}))
        for d in map(json.loads, found)
    ]


def counted(comparisons: Sequence[Comparison], readings: Sequence[FormulaRead]) -> str:
    """Return how many comparisons there are, of which kinds, and what was read."""
    kinds = ", ".join(kind for kind in KINDS if any(c.kind == kind for c in comparisons))
    told = f"{len(comparisons)} comparison{'s' * (len(comparisons) != 1)} ({kinds})"
    return f"{told}; {read_in(readings)}" if readings else told


def read_in(readings: Sequence[FormulaRead]) -> str:
    """Return at how many points the formulas of a statement were read, and which errors that tells.

    Examples
    --------
    >>> read_in([FormulaRead("a = b", 7, 12), FormulaRead("c < d", 1, 3)])
    'its 2 formulas read at 8 points, 15 of 15 errors in the text caught'
    """
    if not readings:
        return ""
    formulas = len({r.formula for r in readings})
    name = f"its {formulas} formulas" if formulas > 1 else "its formula"
    points, planted = sum(r.points for r in readings), sum(r.planted for r in readings)
    told = f"{planted} of {planted} errors in the text caught"
    return f"{name} read at {points:,} point{'s' * (points != 1)}, {told}"


def _summary(record: Record) -> str:
    text = f"{record.status}; {counted(record.comparisons, record.readings)}"
    equal = [c.deviation for c in record.comparisons if c.relation == "equal"]
    return text + (f", largest deviation {max(equal):.1g}" if any(equal) else "")


_RECORDS: list[Record] = []
# Whether errors are planted in the formulas that are read.
_MISPRINTS = True


@contextmanager
def apart(misprints: bool = False) -> Iterator[list[Record]]:
    """Keep what is recorded in the block apart from this process's records; show nothing."""
    global _RECORDS, _MISPRINTS
    kept, _RECORDS, _MISPRINTS = (_RECORDS, _MISPRINTS), [], misprints
    try:
        yield _RECORDS
    finally:
        _RECORDS, _MISPRINTS = kept


def records() -> tuple[Record, ...]:
    """Return the records of all ``result(...)`` blocks that passed in this process."""
    return tuple(_RECORDS)


class Check:
    """Collects the comparisons of one result; made by `result`.

    Every method raises ``AssertionError`` at the first failing entry, with the result's
    id, what was compared, both values and the tolerance.
    """

    def __init__(self, record: Record) -> None:
        self._record = record

    def equal(
        self, got: Any, expected: Any, tol: float = 0.0, *, what: str = "", kind: str = "exact"
    ) -> None:
        """Check ``|got - expected| <= tol * max(1e-300, |expected|)`` in every entry.

        Parameters
        ----------
        got, expected : array_like
            Real numbers, or arrays of one shape.
        tol : float
            Relative tolerance, in [0, 1]; absolute where ``expected`` is 0.
        what : str
            What is compared.
        kind : {"exact", "bound", "estimate", "approximation"}
            What sort of number ``got`` is.
        """
        self._compare("equal", np.abs, got, expected, tol, what, kind)

    def at_most(self, got: Any, limit: Any, tol: float = 0.0, *, what: str = "", kind: str = "bound") -> None:
        """Check ``got <= limit`` in every entry, up to ``tol`` relative to the limit."""
        self._compare("at most", np.positive, got, limit, tol, what, kind)

    def at_least(
        self, got: Any, limit: Any, tol: float = 0.0, *, what: str = "", kind: str = "bound"
    ) -> None:
        """Check ``got >= limit`` in every entry, up to ``tol`` relative to the limit."""
        self._compare("at least", np.negative, got, limit, tol, what, kind)

    def true(self, condition: Any, *, what: str, kind: str = "exact") -> None:
        """Check that every entry of ``condition`` is true."""
        flags = np.asarray(condition)
        if flags.dtype != bool or flags.size == 0:
            validate.refuse("condition", condition, "True, False, or a boolean array")
        self._add("true", flags.astype(float), np.ones(flags.shape), 1.0 - flags, 0.0, what, kind)

    def within(self, value: Any, low: Any, high: Any, *, what: str, kind: str = "estimate") -> None:
        """Check ``low <= value <= high``, for instance that a band covers the truth."""
        self.at_least(value, low, what=f"{what}, lower end", kind=kind)
        self.at_most(value, high, what=f"{what}, upper end", kind=kind)

    def reads(
        self,
        values: Mapping[str, Any],
        *,
        only: str | Sequence[str] = (),
        tol: float = 1e-9,
        loose: str = "",
        excused: Mapping[str, str] | None = None,
    ) -> None:
        r"""Check the formulas of the statement as they are printed, and that a misprint would show.

        Away from the book's pages, in a notebook that was taken away, nothing is read.

        Parameters
        ----------
        values : mapping
            What the names in the formulas are at the points: numbers, arrays that fit each other,
            or functions; for instance ``{r"\eta": eta, r"\Pr[V \ge v]": tail, "t": curve}``.
        only : str or sequence of str
            Pieces of the formulas that are meant; all that hold no other name if none is given.
        tol : float
            Relative tolerance; a printed decimal may also be off by half of its last digit.
        loose : str
            Why no point need reach a bound; by default one has to.
        excused : mapping
            Errors in the text that no point can tell, by name, and why.
        """
        from explorable.checks import boxes, reading

        self._record.away = boxes.pages() is None
        if not self._record.away:
            pieces = (only,) if isinstance(only, str) else tuple(only)
            options = reading.Options(pieces, tol, loose, excused or {}, _MISPRINTS)
            reading.read_statement(self._record, values, options)

    def harmless(self, function: str, error: str, *, why: str) -> None:
        """Say why the check may let a planted error of a function through.

        Parameters
        ----------
        function : str
            The function's name, as the command ``mutants`` names it.
        error : str
            The planted error's name, such as ``"too large"``.
        why : str
            The reason, which the page shows. An excuse that is not needed is an error.
        """
        self._record.excuses.append(Excuse(function, error, why))

    def plant(self, function: str, error: str, altered: Callable[..., Any]) -> None:
        """Name an error of this claim that the check catches, beside the usual planted ones.

        Parameters
        ----------
        function : str
            The function that is wrong.
        error : str
            What is wrong with it.
        altered : callable
            The wrong function; it takes the true one before the arguments.
        """
        self._record.plants.append((function, error, altered))

    def _compare(
        self, relation: str, off: Any, got: Any, expected: Any, tol: float, what: str, kind: str
    ) -> None:
        """Compare every entry: ``off`` says of a difference how much of it is wrong."""
        left, right = np.asarray(got, dtype=float), np.asarray(expected, dtype=float)
        if left.size == 0 or not (left.shape == right.shape or right.ndim == 0):
            told = f"shapes {left.shape} and {right.shape} do not match"
            raise AssertionError(f"{self._record.id}: {what}: {told}")
        right = np.broadcast_to(right, left.shape)
        tol = validate.number("tol", tol, 0.0, 1.0)
        size = np.where(right == 0, 1.0, np.abs(right))
        with np.errstate(invalid="ignore"):
            wrong = np.where(left == right, 0.0, off(left - right) / size)
        self._add(relation, left, right, wrong, tol, what, kind)

    def _add(self, relation: str, left: Any, right: Any, off: Any, tol: float, what: str, kind: str) -> None:
        validate.choice("kind", kind, KINDS)
        # nan compares false with everything, so it must fail rather than pass.
        worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
        deviation = float(off.flat[worst])
        got, expected = float(left.flat[worst]), float(right.flat[worst])
        if not deviation <= tol:
            raise AssertionError(
                f"{self._record.id}: {what or 'value'}: got {got!r}, must be {relation} "
                f"{expected!r}, tolerance {tol:g}"
            )
        if not np.isfinite([got, expected]).all():
            raise AssertionError(f"{self._record.id}: {what}: {got!r} cannot be compared")
        self._record.comparisons.append(
            Comparison(what, relation, got, expected, max(deviation, 0.0), tol, kind)
        )


@contextmanager
def result(identifier: str, status: str = "holds") -> Iterator[Check]:
    """Check one numbered result and record what was compared.

    Parameters
    ----------
    identifier : str
        An id of `results`, such as ``"mip-prop-11"``.
    status : {"holds", "holds with a correction", "false as published"}
        What the check finds out about the published statement.

    Yields
    ------
    Check

    Raises
    ------
    ValueError
        For an unknown id or status.
    AssertionError
        If a comparison fails, or if the block compares nothing.

    Examples
    --------
    >>> import mipbook  # which names the book that has these results
    >>> with result("mip-prop-11") as check:
    ...     check.at_most(0.98, 1.0, what="variance")
    checked mip-prop-11: holds; 1 comparison (bound)
    """
    by_id(identifier)
    validate.choice("status", status, STATUSES)
    record = Record(identifier, status)
    yield Check(record)
    if not record.comparisons:
        if record.away:
            return
        raise AssertionError(f"{identifier}: the block compares nothing")
    _RECORDS.append(record)
    # Outside a notebook there is nobody to show HTML to, and IPython need not be loaded.
    if "ipykernel" in sys.modules:
        from IPython.display import display

        display(record)  # type: ignore[no-untyped-call]
    else:
        print(record)
