"""The worst of many pairs of distributions, without weighing all of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mipbook.base.types import Array
from mipbook.tradeoff.bounds import row_divergences

__all__ = ["worst_epsilon"]


def worst_epsilon(left: Array, right: Array, delta: float, exact: Callable[[int], float]) -> float:
    """Return the largest epsilon that a pair of rows needs at delta.

    Only pairs that still spend more than delta at the largest epsilon so far are computed.

    Parameters
    ----------
    left, right : ndarray of shape (pairs, outputs)
        The two distributions of each pair.
    exact : callable
        Returns the epsilon of a pair, by its number.

    Notes
    -----
    PMP paper, Definitions 1 and 2: the parameter is that of the worst pair.

    Examples
    --------
    >>> left, right = np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([[0.4, 0.6], [0.8, 0.2]])
    >>> round(worst_epsilon(left, right, 0.0, lambda i: [0.223, 0.693][i]), 3)
    0.693
    """
    worst, rest = 0.0, np.arange(len(left))
    while math.isfinite(worst):
        p, q, level = left[rest], right[rest], np.full((1, 1), worst)
        with np.errstate(over="ignore"):
            spent = np.maximum(row_divergences(p, q, level), row_divergences(q, p, level))
        over = spent > delta
        rest, spent = rest[over], spent[over]
        if not rest.size:
            break
        most = int(spent.argmax())
        worst = max(worst, exact(int(rest[most])))
        # By rounding a pair may exceed delta at its own epsilon.
        rest = np.delete(rest, most)
    return worst
