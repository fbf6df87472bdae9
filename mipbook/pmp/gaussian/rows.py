"""Proposition 12's average for single records of a pool, and its root in epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mipbook import tradeoff
from mipbook.base.types import Array
from mipbook.pmp.gaussian.pool import distinct

__all__ = ["Rows", "decreasing_root"]

# Up to so many different points, all pairs are held at once: 4 MB.
SMALL = 1000
# Distances of one block of rows: 32 MB.
_BLOCK = 1 << 22
# Groups of distances that enclose a root.
_COARSE = 4096
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
        self._pairs: Array | None = None

    @property
    def count(self) -> int:
        """How many different points there are."""
        return len(self.points)

    def distances(self, row: int) -> Array:
        """Return the distance from one point to all, in units of the noise."""
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(self.points[row : row + 1], self.points)[0])

    def averages(self, epsilon: float, rows: Sequence[int] | NDArray[np.intp], sigma: float = 1.0) -> Array:
        """Return Proposition 12's average for the given rows."""
        from scipy.spatial.distance import cdist

        out = np.empty(len(rows))
        width = max(1, _BLOCK // self.count)
        for start in range(0, len(rows), width):
            part = np.asarray(rows[start : start + width])
            gaps = cdist(self.points[part], self.points)
            deltas = np.asarray(tradeoff.gaussian_delta(epsilon, sigma, gaps))
            out[start : start + width] = deltas @ self.weights
        return out / self.others

    def all_averages(self, epsilon: float) -> Array:
        """Return Proposition 12's average for every different point."""
        if self.count > SMALL:
            return self.averages(epsilon, np.arange(self.count))
        from scipy.spatial.distance import pdist, squareform

        if self.count == 1:
            return np.zeros(1)
        if self._pairs is None:
            self._pairs = pdist(self.points)
        deltas = np.asarray(tradeoff.gaussian_delta(epsilon, 1.0, self._pairs))
        return np.asarray(squareform(deltas) @ self.weights / self.others)

    def root(self, row: int, delta: float) -> float:
        """Return the smallest epsilon at which the row's average is at most delta > 0."""
        gaps = self.distances(row)
        order = np.argsort(-gaps)
        gaps, shares = gaps[order], self.weights[order] / self.others
        target = delta * (1 - _ROUNDING)
        # The k farthest points alone need this much; the farthest of all is never exceeded.
        ranks = np.unique(np.geomspace(1, len(gaps), 24).astype(int)) - 1
        need = np.minimum(delta / np.cumsum(shares)[ranks], 1.0)
        low = float(np.max(np.asarray(tradeoff.gaussian_epsilon(need, 1.0, gaps[ranks]))))
        high = float(tradeoff.gaussian_epsilon(target, 1.0, float(gaps[0])))
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
