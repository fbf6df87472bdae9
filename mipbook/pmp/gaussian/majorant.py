"""Bounds on Proposition 12's average for all records from two moments of their distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mipbook import tradeoff
from mipbook.base.types import Array
from mipbook.pmp.gaussian.rows import Rows

__all__ = ["Moments", "majorant", "survivors"]

# Points at which the linear programme asks for the inequality; `_lift` covers the rest.
_KNOTS = 400
# Majorants tried, each made for the record that the ones before serve worst.
_TRIES = 6


class Moments:
    """Mean and mean square of each record's squared distances to the others, with allowances.

    Both come from sums over the pool, without any pair: O(n d^2).  Distances are divided by
    ``top``, an upper bound on all of them, so that the squared distances lie in [0, 1].
    """

    def __init__(self, rows: Rows) -> None:
        y, w, total = rows.points, rows.weights, rows.others + 1
        # The centre of the pool makes the cancelling terms small.
        y = y - (w @ y) / total
        r = (y * y).sum(axis=1)
        self.top = 4 * float(r.max()) * (1 + 1e-9) or 1.0
        y, r = y / np.sqrt(self.top), r / self.top
        sum_y, sum_r, sum_rr = w @ y, float(w @ r), float(w @ (r * r))
        cross = y @ (w * r @ y)
        spread = np.einsum("ij,ij->i", y @ ((y * w[:, None]).T @ y), y)
        along = y @ sum_y
        first = total * r + sum_r - 2 * along
        second = total * r * r + sum_rr + 4 * spread + 2 * r * sum_r - 4 * r * along - 4 * cross
        # Every term of the sums is at most a quarter, and so is bounded with its roundings.
        unit = 2.0**-52 * (total + y.shape[1] + 16)
        slack_first = unit * 4 * (total * r + sum_r)
        slack_second = unit * 16 * (total * r * r + sum_rr + sum_r * r)
        self.first = (first - slack_first) / rows.others, (first + slack_first) / rows.others
        self.second = (second - slack_second) / rows.others, (second + slack_second) / rows.others

    def middle(self, row: int) -> tuple[float, float]:
        """Return mean and mean square of one record, consistent with each other."""
        one = min(max(float(np.mean([s[row] for s in self.first])), 0.0), 1.0)
        two = float(np.mean([s[row] for s in self.second]))
        return one, min(max(two, one * one), one)

    def bound(self, coefficients: Array) -> Array:
        """Return a + b E S + c E S^2, the larger end, for every record."""
        a, b, c = (float(v) for v in coefficients)
        return np.asarray(a + b * self.first[int(b > 0)] + c * self.second[int(c > 0)])


def _delta(epsilon: float, top: float, t: Array) -> Array:
    """Return the delta of a pair at squared distance ``t * top``; it increases with t."""
    return np.asarray(tradeoff.gaussian_delta(epsilon, 1.0, np.sqrt(t * top)))


def _knots(epsilon: float, top: float, mean: float) -> Array:
    """Return points of [0, 1], half of them spread over the distance, half over delta."""
    t = np.linspace(0.0, 1.0, 4001) ** 2
    rise = _delta(epsilon, top, t)
    share = 0.5 * np.sqrt(t) + 0.5 * rise / max(float(rise[-1]), 1e-300)
    return np.union1d(np.interp(np.linspace(0, 1, _KNOTS), share / share[-1], t), [mean, 0.0, 1.0])


def majorant(epsilon: float, top: float, mean: float, square: float) -> Array | None:
    """Return (a, b, c) with a + b t + c t^2 >= delta of a pair, for every t in [0, 1].

    Among all such parabolas it is close to the best one for a record whose squared distances
    have this mean and mean square: a linear programme with three unknowns.
    """
    from scipy.optimize import linprog

    t = _knots(epsilon, top, mean)
    height = _delta(epsilon, top, t)
    scale = max(float(height[-1]), 1e-300)
    found = linprog(
        [1.0, mean, square],
        A_ub=-np.stack([np.ones_like(t), t, t * t], axis=1),
        b_ub=-height / scale,
        bounds=[(None, None)] * 3,
        method="highs",
    )
    if found.status != 0:
        return None
    coefficients = np.asarray(found.x) * scale
    coefficients[0] += _lift(epsilon, top, t, coefficients)
    return coefficients


def _lift(epsilon: float, top: float, t: Array, coefficients: Array) -> float:
    """Return how far the parabola must be raised to lie above delta on all of [0, 1].

    On a cell, delta is at most its value at the right end and the parabola at least its
    minimum; cells that matter are cut until the two agree with what is reached at a point.
    """
    a, b, c = (float(v) for v in coefficients)
    left, right = t[:-1], t[1:]
    settled = reached = -np.inf
    for _ in range(12):
        height = _delta(epsilon, top, right) * (1 + 1e-12)
        vertex = np.clip(-b / (2 * c), left, right) if c > 0 else left
        lowest = np.minimum.reduce([a + s * (b + c * s) for s in (left, right, vertex)])
        ceiling = height - lowest
        reached = max(reached, float((height - (a + right * (b + c * right))).max()))
        tolerance = 1e-7 * abs(reached) + 1e-8 * float(height.max())
        open_cells = ceiling > max(reached, settled) + tolerance
        settled = max(settled, float(ceiling[~open_cells].max(initial=-np.inf)))
        left, right, ceiling = left[open_cells], right[open_cells], ceiling[open_cells]
        if left.size == 0 or left.size > 100_000:
            break
        cuts = left[:, None] + (right - left)[:, None] * np.linspace(0, 1, 9)
        left, right = cuts[:, :-1].ravel(), cuts[:, 1:].ravel()
    worst = max(settled, float(ceiling.max(initial=-np.inf)), reached)
    # Rounding of the parabola itself.
    return worst + 1e-13 * (abs(a) + abs(b) + abs(c))


def survivors(
    rows: Rows, moments: Moments, epsilon: float, limit: float, sigma: float = 1.0
) -> tuple[NDArray[np.intp], Array]:
    """Return the records that no majorant keeps at or below ``limit``, and their bounds."""
    top = moments.top / sigma**2
    best = np.full(rows.count, np.inf)
    left = np.arange(rows.count)
    row = int(np.argmax(moments.first[1]))
    for _ in range(_TRIES):
        coefficients = majorant(epsilon, top, *moments.middle(row))
        if coefficients is None:
            break
        best = np.minimum(best, moments.bound(coefficients))
        before, left = left.size, np.flatnonzero(best > limit)
        # Each further majorant aims at the middle of what is left; stop when that fails.
        if left.size <= 8 or left.size > 0.98 * before:
            break
        row = int(left[np.argsort(best[left])[left.size // 2]])
    return left, best[left]
