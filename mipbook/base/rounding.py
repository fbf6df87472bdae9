"""Numbers of a few digits on the safe side: what is printed may be typed in again, and relied on.

Whoever reads *epsilon 1.02* takes it for a promise.  So a number is printed with its last digit
rounded to the side on which relying on it is safe, also where the number itself is exact:

- *at most*, up: epsilon, delta, advantage, accuracy, rates found, areas, eta, Delta, the noise
  that is needed, and every other upper bound on what leaks;
- *at least*, down: security, and what an audit proves of a leak;
- estimates, errors and utility are nobody's promise: to the nearest, with their band.

An epsilon that is to be *used*, a setting of a mechanism, is rounded down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

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
