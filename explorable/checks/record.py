"""What a check found out: its comparisons, as a page shows and as a cell's output carries them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from explorable.checks.rows import by_id

__all__ = ["KINDS", "STATUSES", "Comparison", "Excuse", "Record", "read_records"]

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


@dataclass
class Record:
    """All comparisons of one ``result(...)`` block, and what it says of planted errors."""

    id: str
    status: str
    comparisons: list[Comparison] = field(default_factory=list)
    excuses: list[Excuse] = field(default_factory=list)
    plants: list[tuple[str, str, Callable[..., Any]]] = field(default_factory=list, repr=False)

    def to_json(self) -> str:
        """Return the record as JSON that may stand inside a script element."""
        told = {
            "id": self.id,
            "status": self.status,
            "comparisons": [asdict(c) for c in self.comparisons],
            "excuses": [asdict(e) for e in self.excuses],
        }
        return json.dumps(told, allow_nan=False).replace("</", "<\\/")

    def __repr__(self) -> str:
        return f"checked {self.id}: {_summary(self)}"

    def _repr_html_(self) -> str:
        rows = "".join(
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
            f"<tbody>{rows}</tbody></table></div>{self._excuses_html()}</details>"
            f'<script type="application/json" class="mb-check-data">{self.to_json()}</script>'
        )

    def _excuses_html(self) -> str:
        return "".join(
            f"<p>Not caught, and rightly: <code>{html.escape(e.function)}</code> "
            f"{html.escape(e.error)}. {html.escape(e.why)}</p>"
            for e in self.excuses
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
    loaded = [json.loads(text) for text in found]
    return [
        Record(
            d["id"],
            d["status"],
            [Comparison(**c) for c in d["comparisons"]],
            [Excuse(**e) for e in d["excuses"]],
        )
        for d in loaded
    ]


def _summary(record: Record) -> str:
    count = len(record.comparisons)
    kinds = ", ".join(k for k in KINDS if any(c.kind == k for c in record.comparisons))
    text = f"{record.status}; {count} comparison{'s' if count != 1 else ''} ({kinds})"
    equal = [c.deviation for c in record.comparisons if c.relation == "equal"]
    return text + (f", largest deviation {max(equal):.1g}" if any(equal) else "")
