"""DP inside the pool: the largest distance between two records and what it costs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook import tradeoff
from mipbook.base.types import Array
from mipbook.pmp.gaussian.pool import pool

__all__ = ["diameter", "diameter_bounds", "gaussian_subset_epsilon"]

# Records whose distances are computed together.
_BLOCK = 64


def diameter(values: ArrayLike) -> float:
    """Return the largest distance between two records.

    Raises
    ------
    ValueError
        For values that are not a finite table with an even number of rows.

    Notes
    -----
    Two records are never farther apart than their distances from the centre together, so
    with the records sorted by that distance most pairs need not be looked at.

    Examples
    --------
    >>> diameter([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0], [2.0, 0.0]])
    5.0
    """
    return diameter_bounds(values)[0]


def diameter_bounds(values: ArrayLike, cells: float = math.inf) -> tuple[float, float]:
    """Return an interval that holds the diameter, for a limited number of products.

    Both ends are equal, but for a pool whose records are nearly all equally far out.
    """
    table = pool(values)
    # A power of two: no square overflows or vanishes, and nothing is rounded.
    top = math.frexp(float(np.abs(table).max()))[1] + 1
    table = np.ldexp(table, -top)
    ends = (float(np.ptp(table)),) * 2 if table.shape[1] == 1 else _widest(table, cells)
    try:
        return math.ldexp(ends[0], top), math.ldexp(ends[1], top)
    except OverflowError:
        validate.refuse("values", values, "closer together: their distance is no double")


def _widest(table: Array, cells: float) -> tuple[float, float]:
    from scipy.spatial.distance import cdist

    centred = table - (table / len(table)).sum(axis=0)
    radius = np.linalg.norm(centred, axis=1)
    order = np.argsort(-radius)
    y, radius = centred[order], radius[order]
    best, start = 0.0, 0
    # Hopping to the farthest record a few times comes close to the answer.
    for _ in range(4):
        gaps = cdist(y[start : start + 1], y)[0]
        start = int(np.argmax(gaps))
        best = max(best, float(gaps[start]))
    for first in range(0, len(y), _BLOCK):
        # The larger radius of a farther pair exceeds half the best, up to rounding.
        reach = best * (1 - 1e-12) - radius[first]
        if radius[first] <= reach:
            break
        last = int(np.searchsorted(-radius, -reach, side="right"))
        cells -= _BLOCK * (last - first) * y.shape[1]
        if cells < 0:
            return best, max(best, min(2.0 * float(radius[0]), float(radius[0] + radius[first])))
        near = slice(first, min(first + _BLOCK, len(y)))
        best = max(best, float(cdist(y[near], y[first:last]).max(initial=0.0)))
    return best, best


def gaussian_subset_epsilon(values: ArrayLike, sigma: float, delta: float) -> float:
    """Exact DP parameter of a sum with Gaussian noise, for data sets inside the pool.

    Returns
    -------
    float
        The smallest epsilon(X) for which the mechanism is (epsilon, delta)-DP when only
        halves of the pool are compared, one record apart.

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    PMP paper, Definition 1 restricted to subsets of X, with Lemma 10: the sensitivity is
    the pool's largest distance.

    Examples
    --------
    >>> round(gaussian_subset_epsilon([0.15, -0.6, 1.25, 0.45], 0.5, 0.01), 6)
    14.682666
    """
    sigma = validate.number("sigma", sigma, 0.0, math.inf, open_low=True, open_high=True)
    delta = validate.number("delta", delta, 0.0, 1.0)
    return float(tradeoff.gaussian_epsilon(delta, sigma, diameter(values)))
