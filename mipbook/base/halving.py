"""Bisection of many brackets side by side, of numbers and of whole numbers."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mipbook.base.types import Array

__all__ = ["first_whole", "halved"]


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
