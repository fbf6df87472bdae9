"""A number with the interval that is known to hold it, and what sort of number it is."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate"]


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
