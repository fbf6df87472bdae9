"""A number with the interval that is known to hold it, and an answer of many that prints as a table."""

from __future__ import annotations

import html
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook.base.rounding import at_least


class Estimate(NamedTuple):
    """A value, the interval around it, and how sure the interval is.

    Attributes
    ----------
    value : float
        The best single number.
    low, high : float
        The interval; equal to ``value`` where it is exact.
    kind : str
        *exact*, *bound*, *estimate* or *approximation*.
    confidence : float
        The chance that the interval holds the truth; 1 where no chance is involved.
    warning : str
        What makes the number less trustworthy than it looks; empty if nothing does.

    Examples
    --------
    >>> found = Estimate(0.5, 0.4, 0.6, "estimate", 0.95)
    >>> found.high
    0.6
    >>> float(found), found + 1, 2 * found, found < 0.7, f"{found:.2f}", np.sqrt(found + 0.5)
    (0.5, 1.5, 1.0, True, '0.50', np.float64(1.0))
    """

    value: float
    low: float
    high: float
    kind: str = "exact"
    confidence: float = 1.0
    warning: str = ""

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.value, dtype=dtype)

    def __neg__(self) -> float:
        return -self.value

    def __abs__(self) -> float:
        return abs(self.value)

    def __format__(self, how: str) -> str:
        return format(self.value, how) if how else str(self)


def _as_number(compute: Callable[[Any, Any], Any], turned: bool = False) -> Callable[[Estimate, Any], Any]:
    def computed(self: Estimate, other: Any) -> Any:
        other = other.value if isinstance(other, Estimate) else other
        return compute(other, self.value) if turned else compute(self.value, other)

    return computed


# A tuple would be repeated by 2 * found, and compared entry by entry.
for _name in ("add", "sub", "mul", "truediv", "pow", "lt", "le", "gt", "ge"):
    setattr(Estimate, f"__{_name}__", _as_number(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "truediv"):
    setattr(Estimate, f"__r{_name}__", _as_number(getattr(operator, _name), turned=True))


# --- Confidence intervals for means of bounded draws, and what they say of a maximum --------------


def bernstein(variance: Any, count: Any, span: Any, risk: float) -> Any:
    """Return how far a mean of bounded draws may be from the truth, either way.

    Maurer and Pontil's empirical Bernstein bound, Theorem 4, once in each direction: it holds
    with chance 1 - ``risk``, for any distribution of draws within an interval of length ``span``.
    """
    logarithm = math.log(4 / risk)
    enough = np.maximum(count, 2)
    width = np.sqrt(2 * variance * logarithm / enough) + 7 * span * logarithm / (3 * (enough - 1))
    return np.where(np.asarray(count) < 2, math.inf, width)


def mean_band(values: Any, axis: int = -1) -> tuple[Any, Any]:
    """Return means along an axis, and the half widths of their 95% bands by Student's quantile.

    Examples
    --------
    >>> mean, half = mean_band([1.0, 2.0, 3.0])
    >>> float(mean), round(float(half), 2)
    (2.0, 2.48)
    """
    from scipy.special import stdtrit

    values = np.asarray(values, dtype=float)
    count = values.shape[axis]
    widths = float(stdtrit(count - 1, 0.975)) / math.sqrt(count)
    return values.mean(axis=axis), widths * values.std(axis=axis, ddof=1)


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
