"""An answer that prints as a table, in a terminal and in a notebook."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod

from mipbook.base.rounding import at_least

OTHERS = "Other ways to compute it:"


def proved(epsilon: float, confidence: float, delta: float, neighbours: str, counted: str) -> str:
    """Return the line to report of a lower bound on epsilon.

    Parameters
    ----------
    neighbours : str
        How two neighbouring data sets differ.
    counted : str
        What the bound rests on.

    Examples
    --------
    >>> proved(3.7276, 0.95, 1e-5, "add/remove", "199 of 200 canaries")
    'epsilon ≥ 3.727 (95%, add/remove, δ = 1e-5, 199 of 200 canaries)'
    """
    small = f"{delta:g}".replace("e-0", "e-")
    return f"epsilon ≥ {at_least(epsilon)} ({100 * confidence:g}%, {neighbours}, δ = {small}, {counted})"


class Report(ABC):
    """What the reports of a practitioner's tools share.

    Examples
    --------
    >>> class Answer(Report):
    ...     def rows(self):
    ...         return [("epsilon", "0.5 (exact)"), ("delta", "0")]
    ...     def limits(self):
    ...         return "Not promised", ("a second release",)
    >>> print(Answer())
    epsilon  0.5 (exact)
    delta    0
    <BLANKLINE>
    Not promised:
    - a second release
    """

    notes: tuple[str, ...] = ()

    def headline(self) -> str:
        """Return the one line to hand on; nothing where the rows are the answer."""
        return ""

    def others(self) -> list[tuple[str, str]]:
        """Return other ways to compute the headline's number, which is not the largest of them."""
        return []

    @abstractmethod
    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much."""

    @abstractmethod
    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return a heading, and under it what the answer does not cover."""

    def __str__(self) -> str:
        rows, others, (heading, limits) = self.rows(), self.others(), self.limits()
        width = max(len(name) for name, _ in rows + others)
        notes = [f"Note: {note}" for note in self.notes]
        # What puts the line to report in doubt stands beside it.
        lines = [f"Report: {self.headline()}", *notes, ""] if self.headline() else []
        lines += [f"{name:<{width}}  {value}" for name, value in rows]
        if others:
            lines += ["", OTHERS, *(f"{name:<{width}}  {value}" for name, value in others)]
        lines += ["", *([] if self.headline() else notes), f"{heading}:"]
        return "\n".join([*lines, *(f"- {each}" for each in limits)])

    def _repr_html_(self) -> str:
        rows, others = _table(self.rows()), _table(self.others())
        if self.headline():
            rows = f'<p class="mb-report-line"><strong>{html.escape(self.headline())}</strong></p>{rows}'
        if others:
            rows += f"<p><strong>{OTHERS}</strong></p>{others}"
        notes = "".join(f"<p><strong>Note.</strong> {html.escape(n)}</p>" for n in self.notes)
        heading, limits = self.limits()
        listed = "".join(f"<li>{html.escape(each)}</li>" for each in limits)
        return f"{rows}{notes}<p><strong>{heading}:</strong></p><ul>{listed}</ul>"


def _table(rows: list[tuple[str, str]]) -> str:
    cells = (
        f'<tr><th scope="row">{html.escape(name)}</th><td>{html.escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table><tbody>{''.join(cells)}</tbody></table>" if rows else ""
