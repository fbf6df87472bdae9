"""A number with the interval that is known to hold it, and what sort of number it is."""

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
