"""How a number is said: a few digits on the safe side, with its kind and its band, in a report.

What is printed may be typed in again: whoever reads *epsilon 1.02* takes it for a promise.  So a
number is printed with its last digit rounded to the side on which relying on it is safe, also where
the number itself is exact:

- *at most*, up: epsilon, delta, advantage, accuracy, rates found, areas, eta, Delta, the noise
  that is needed, and every other upper bound on what leaks;
- *at least*, down: security, and what an audit proves of a leak;
- estimates, errors and utility are nobody's promise: to the nearest, with their band.

An epsilon that is to be *used*, a setting of a mechanism, is rounded down.
"""

import html
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook.base.types import Array

# Digits that a double of ours holds for sure: what a program reads is rounded to its side there.
CERTAIN = 12


def _rounded(value: float, digits: int, direction: str) -> float:
    value = float(value)
    if value == 0 or not math.isfinite(value):
        return value
    # The digits by which the double is known: 0.1 is a number of one digit.
    return float(Context(prec=digits, rounding=direction).plus(Decimal(repr(value))))


def up(value: float, digits: int = 4) -> float:
    """Return the next number of so many digits that is not smaller.

    Examples
    --------
    >>> up(0.123401), up(0.5), up(0.1), up(99999.0)
    (0.1235, 0.5, 0.1, 100000.0)
    """
    return _rounded(value, digits, ROUND_CEILING)


def down(value: float, digits: int = 4) -> float:
    """Return the next number of so many digits that is not larger.

    Examples
    --------
    >>> down(0.123499), down(0.5), down(0.3), down(12345.0)
    (0.1234, 0.5, 0.3, 12340.0)
    """
    return _rounded(value, digits, ROUND_FLOOR)


def at_most(value: float, digits: int = 4) -> str:
    """Write a number that is at most so much.

    Examples
    --------
    >>> at_most(1.01901), at_most(2.00001e-6, 3), at_most(math.inf)
    ('1.02', '2.01e-06', 'inf')
    """
    return f"{up(value, digits):.{digits}g}"


def at_least(value: float, digits: int = 4) -> str:
    """Write a number that is at least so much.

    Examples
    --------
    >>> at_least(0.75508), at_least(0.99999)
    ('0.755', '0.9999')
    """
    return f"{down(value, digits):.{digits}g}"


# --- Bisection of many brackets side by side, of numbers and of whole numbers ---------------------


def halved(
    is_below: Callable[[Array], NDArray[np.bool_]], low: Array, high: Array, times: int
) -> tuple[Array, Array]:
    """Return brackets of roots, halved so many times; ``is_below`` says which points are low.

    By hand, because the functions here take some 20 microseconds for all brackets at once, and
    a step of ``scipy.optimize.elementwise.find_root`` takes 700 before it calls any (measured).
    A single bracket is a matter for ``scipy.optimize.brentq``.

    Examples
    --------
    >>> low, high = halved(lambda x: x**2 < [2.0, 9.0], np.zeros(2), np.full(2, 8.0), 20)
    >>> low.round(4).tolist(), bool((high - low).max() < 1e-5)
    ([1.4142, 3.0], True)
    """
    for _ in range(times):
        middle = 0.5 * (low + high)
        below = is_below(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low, high


def first_whole(is_enough: Callable[[Array], NDArray[np.bool_]], low: Array, high: Array) -> Array:
    """Return the least whole numbers above ``low`` that are enough; ``high`` is, where it is above.

    Examples
    --------
    >>> first_whole(lambda k: k**2 >= [10.0, 16.0], np.zeros(2), np.full(2, 9.0)).tolist()
    [4.0, 4.0]
    """
    while np.any(open_ := high - low > 1.0):
        middle = np.floor(0.5 * (low + high))
        enough = is_enough(middle)
        low, high = np.where(open_ & ~enough, middle, low), np.where(open_ & enough, middle, high)
    return high


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
