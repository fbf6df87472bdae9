"""The pool that a Gaussian mechanism sums over: its records, their distances and averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.checked import checked
from mipbook import tradeoff
from mipbook.base.types import Array, Delta, Sigma
from mipbook.data.populations import points

# Squares of squares of lengths must stay finite.
_FARTHEST = 1e70


def pool(values: ArrayLike) -> Array:
    """Return f(x) of all records, of shape (2n, d), or refuse it."""
    table = points("values", values)
    if len(table) % 2:
        validate.refuse("values", values, "an even number of rows, 2n of them")
    return table


@checked
def standardised(values: ArrayLike, sigma: Sigma) -> Array:
    """Return the pool centred and divided by the noise's standard deviation."""
    table = pool(values)
    with np.errstate(over="ignore", invalid="ignore"):
        # Halves first, so that the sum of two huge numbers does not overflow.
        centred = table - (table / len(table)).sum(axis=0)
        scaled = centred / sigma
    if not (np.abs(scaled) < _FARTHEST).all():
        validate.refuse("values", values, f"within {_FARTHEST:g} sigma of their mean")
    return np.asarray(scaled)


@cache
def _odd(count: int) -> NDArray[np.uint64]:
    with np.errstate(over="ignore"):
        return 2 * np.random.default_rng(0).integers(1, 1 << 63, count, dtype=np.uint64) + np.uint64(1)


def distinct(table: Array) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return the different rows, how often each occurs, and which one each row is.

    A 64-bit hash of the bits finds equal rows in one sort.  Equal rows have equal hashes;
    should different rows ever share one, nothing is merged.
    """
    bits = (np.ascontiguousarray(table) + 0.0).view(np.uint64)
    with np.errstate(over="ignore"):
        keys = ((bits ^ (bits >> np.uint64(29))) * _odd(table.shape[1])).sum(axis=1)
    _, first, which, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(table) or not (table[first][which] == table).all():
        return table, np.ones(len(table)), np.arange(len(table))
    return table[first], counts.astype(float), which


# Records whose distances are computed together.
_TOGETHER = 64


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
    for first in range(0, len(y), _TOGETHER):
        # The larger radius of a farther pair exceeds half the best, up to rounding.
        reach = best * (1 - 1e-12) - radius[first]
        if radius[first] <= reach:
            break
        last = int(np.searchsorted(-radius, -reach, side="right"))
        cells -= _TOGETHER * (last - first) * y.shape[1]
        if cells < 0:
            return best, max(best, min(2.0 * float(radius[0]), float(radius[0] + radius[first])))
        near = slice(first, min(first + _TOGETHER, len(y)))
        best = max(best, float(cdist(y[near], y[first:last]).max(initial=0.0)))
    return best, best


@checked
def gaussian_subset_epsilon(values: ArrayLike, sigma: Sigma, delta: Delta) -> float:
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
    return float(tradeoff.gaussian_epsilon(delta, sigma=sigma, sensitivity=diameter(values)))


# Up to so many different points, all pairs are held at once: 4 MB.
SMALL = 1000
# Distances of one block of rows: 32 MB.
_BLOCK = 1 << 22
# Groups of distances that enclose a root.
_COARSE = 4096
# Cells of distances that stand for all pairs in a mean over the records.
_CELLS = 1000
# Relative rounding of the averages, taken off the target so that the root is safe.
_ROUNDING = 1e-13


def decreasing_root(function: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Return the smallest argument at which a decreasing positive function is <= target.

    Brent's method on the logarithm, then a step to the safe side.  ``function(high) <=
    target`` must hold; the result satisfies it too.
    """
    from scipy.optimize import brentq

    goal = math.log(target)

    def excess(x: float) -> float:
        return math.log(max(function(x), 5e-324)) - goal

    if not low < high or excess(low) <= 0:
        return min(low, high)
    if excess(high) >= 0:
        return high
    root = float(brentq(excess, low, high, xtol=1e-14 * high, rtol=1e-14))
    step = 2e-15
    while function(root) > target:
        root, step = root + step * root, 2 * step
        if root >= high:
            return high
    return root


def _mean(gaps: Array, shares: Array) -> Callable[[float], float]:
    """Return the weighted mean of the pairs' deltas as a function of epsilon."""
    return lambda epsilon: float(np.asarray(tradeoff.gaussian_delta(epsilon, 1.0, gaps)) @ shares)


class Rows:
    """The records of a standardised pool: equal ones merged, pairs computed when needed."""

    def __init__(self, standard: Array) -> None:
        self.points, self.weights, self.which = distinct(standard)
        self.others = float(len(standard) - 1)

    @property
    def count(self) -> int:
        """How many different points there are."""
        return len(self.points)

    @cached_property
    def _pairs(self) -> Array:
        from scipy.spatial.distance import pdist

        return np.asarray(pdist(self.points))

    def averages(
        self, epsilon: float, rows: Sequence[int] | NDArray[np.intp] | None = None, sigma: float = 1.0
    ) -> Array:
        """Return Proposition 12's average for the given rows, or for every different point."""
        from scipy.spatial.distance import cdist, squareform

        if rows is None and self.count <= SMALL:
            deltas = np.asarray(tradeoff.gaussian_delta(epsilon, sigma, self._pairs))
            return np.asarray(squareform(deltas) @ self.weights / self.others)
        given = np.arange(self.count) if rows is None else np.asarray(rows)
        out = np.empty(len(given))
        width = max(1, _BLOCK // self.count)
        for start in range(0, len(given), width):
            part = slice(start, start + width)
            gaps = cdist(self.points[given[part]], self.points)
            out[part] = np.asarray(tradeoff.gaussian_delta(epsilon, sigma, gaps)) @ self.weights
        return out / self.others

    def mean_root(self, delta: float, high: float) -> float:
        """Return the epsilon up to ``high`` at which all records' average is delta, to about 1e-5.

        Pairs in a cell of distances count at the cell's mean; what that leaves is of second order.
        """
        gaps = self._pairs
        shares = np.outer(self.weights, self.weights)[np.triu_indices(self.count, 1)]
        cells = (gaps * (_CELLS / gaps.max())).astype(int)
        sums = np.bincount(cells, shares)
        gaps, sums = np.bincount(cells, shares * gaps)[sums > 0] / sums[sums > 0], sums[sums > 0]
        # Each pair counts for both of its records.
        return decreasing_root(_mean(gaps, 2 * sums / (self.others * (self.others + 1))), delta, 0.0, high)

    def root(self, row: int, delta: float) -> float:
        """Return the smallest epsilon at which the row's average is at most delta > 0."""
        from scipy.spatial.distance import cdist

        gaps = np.asarray(cdist(self.points[row : row + 1], self.points)[0])
        order = np.argsort(-gaps)
        gaps, shares = gaps[order], self.weights[order] / self.others
        target = delta * (1 - _ROUNDING)
        # The k farthest points alone need this much; the farthest of all is never exceeded.
        ranks = np.unique(np.geomspace(1, len(gaps), 24).astype(int)) - 1
        need = np.minimum(delta / np.cumsum(shares)[ranks], 1.0)
        low = float(np.max(np.asarray(tradeoff.gaussian_epsilon(need, sigma=1.0, sensitivity=gaps[ranks]))))
        high = float(tradeoff.gaussian_epsilon(target, sigma=1.0, sensitivity=float(gaps[0])))
        low = min(low, high)
        if len(gaps) > _COARSE * 8:
            # Groups of neighbouring distances, all taken as the largest or the smallest of
            # their group, enclose the root at a hundredth of the cost.
            starts = np.linspace(0, len(gaps), _COARSE + 1).astype(int)[:-1]
            grouped = np.add.reduceat(shares, starts)
            ends = np.append(starts[1:], len(gaps)) - 1
            high = decreasing_root(_mean(gaps[starts], grouped), target, low, high)
            low = decreasing_root(_mean(gaps[ends], grouped), target, low, high)
        return decreasing_root(_mean(gaps, shares), target, low, high)
