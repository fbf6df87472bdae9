"""Proposition 12: an upper bound on what the Gaussian mechanism tells about membership."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.checked import checked
from mipbook import tradeoff
from mipbook.base.types import Array, Chance, Delta, Epsilons, FiniteEpsilon, Floats
from mipbook.pmp.gaussian_rows import _ROUNDING, SMALL, Rows, decreasing_root, pool, standardised

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


def majorant(epsilon: float, top: float, mean: float, square: float) -> Array | None:
    """Return (a, b, c) with a + b t + c t^2 >= delta of a pair, for every t in [0, 1].

    Among all such parabolas it is close to the best one for a record whose squared distances
    have this mean and mean square: a linear programme with three unknowns.
    """
    from scipy.optimize import linprog

    # Places for the inequality, denser where the curve rises.
    t = np.linspace(0.0, 1.0, 4001) ** 2
    rise = _delta(epsilon, top, t)
    share = 0.5 * np.sqrt(t) + 0.5 * rise / max(float(rise[-1]), 1e-300)
    t = np.union1d(np.interp(np.linspace(0, 1, _KNOTS), share / share[-1], t), [mean, 0.0, 1.0])
    height = _delta(epsilon, top, t)
    scale = max(float(height[-1]), 1e-300)
    over = np.stack([np.ones_like(t), t, t * t], axis=1)
    free = [(None, None)] * 3
    found = linprog([1.0, mean, square], A_ub=-over, b_ub=-height / scale, bounds=free, method="highs")
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


# Pairs that may be evaluated one by one before a coarser certificate, or more noise, is accepted.
_BUDGET = 20_000_000
# Records tried first: the worst is nearly always the one farthest from the rest.
_FIRST = 4


@checked
def gaussian_delta_bound(
    values: ArrayLike, sigma: float, epsilon: Epsilons, per_record: bool = False
) -> Floats:
    r"""Proposition 12's bound on the PMP delta of a sum with Gaussian noise.

    The mechanism releases :math:`\sum_{x \in D} f(x) + N(0, \sigma^2 I)` for a random half D
    of the pool.  For each record x the bound is the average, over the other records x', of
    the delta of two Gaussians at distance :math:`\|f(x) - f(x')\|`.

    Parameters
    ----------
    per_record : bool
        Return the bound of every record instead of the largest.

    Returns
    -------
    float or ndarray
        Of the shape of ``epsilon``; with ``per_record``, a last axis of length 2n is added.
        In [0, 1].

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    PMP paper, Proposition 12, in the form that its section on the approach gives for sums.
    The bound holds for both hockey-stick divergences; it is an equality for n = 1.  A pair
    with f(x) = f(x') contributes 0.  All records cost O(n^2 d); the largest alone is found
    in O(n d^2) plus a few records, see `gaussian_epsilon_bound`.

    Examples
    --------
    >>> round(gaussian_delta_bound([0.0, 1.0], 0.5, 1.0), 12)
    0.509861660055
    """
    standard = standardised(values, sigma)
    rows = Rows(standard)
    if validate.switch("per_record", per_record):
        found = [rows.averages(float(e))[rows.which] for e in epsilon.flat]
        return np.reshape(found, (*epsilon.shape, len(standard)))
    moments = Moments(rows) if rows.count > SMALL else None
    largest = [_largest(rows, moments, float(e)) for e in epsilon.flat]
    return validate.plain(np.reshape(largest, epsilon.shape))


def _largest(rows: Rows, moments: Moments | None, epsilon: float) -> float:
    """Return the largest average, or a bound on it where that would cost too much."""
    if moments is None:
        return float(rows.averages(epsilon).max())
    first = np.argsort(-moments.first[1])[:_FIRST]
    found = float(rows.averages(epsilon, first).max())
    left, bounds = survivors(rows, moments, epsilon, found)
    fit = left.size * rows.count <= _BUDGET
    rest = rows.averages(epsilon, left) if fit else np.minimum(bounds, 1.0)
    return max(found, float(rest.max(initial=0.0)))


@checked
def gaussian_epsilon_bound(values: ArrayLike, sigma: float, delta: Delta, record: int | None = None) -> float:
    r"""Smallest epsilon for which Proposition 12 certifies (epsilon, delta)-PMP.

    Parameters
    ----------
    record : int, optional
        Look at one record only; otherwise at all, and return the largest.

    Returns
    -------
    float
        An upper bound on the mechanism's PMP parameter, rounded to the safe side.  It is
        infinite at ``delta`` 0, unless all records are equal.

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    PMP paper, section on the approach, step 3.

    Up to 1000 different records all pairs are looked at.  For larger pools the root is found
    for the record farthest from the others, and every other record is certified at that
    epsilon without its pairs: the delta of a pair is bounded by a parabola in the squared
    distance, whose average needs two moments, and the parabola is checked on all of the
    interval, not on a grid.  Records that this leaves open are evaluated in full.  The cost
    is O(n d^2): a million records with d = 20 take seconds.  Where so many records are nearly
    equally exposed that their pairs would take long, as where all are clipped, the parabola's
    own, slightly larger epsilon is returned; it is certified all the same.

    Examples
    --------
    >>> round(gaussian_epsilon_bound([0.0, 1.0], 0.5, 0.01), 9)
    5.99789253
    >>> gaussian_epsilon_bound([3.0, 3.0], 0.5, 0.0)
    0.0
    """
    rows = Rows(standardised(values, sigma))
    if record is not None:
        record = int(rows.which[validate.integer("record", record, 0, len(rows.which) - 1)])
    if rows.count == 1 or delta == 1:
        return 0.0
    if delta == 0:
        return math.inf
    if record is not None:
        return rows.root(record, delta)
    if rows.count <= SMALL:
        farthest = int(np.argmax((rows.points**2).sum(axis=1)))
        return _raised(rows.root(farthest, delta), None, delta, rows.averages, rows.root)
    moments = Moments(rows)
    first = np.argsort(-moments.first[1])[:_FIRST]
    epsilon = _raised(rows.root(int(first[0]), delta), first, delta, rows.averages, rows.root)
    while True:
        left, _ = survivors(rows, moments, epsilon, delta)
        if left.size * rows.count <= _BUDGET:
            return _raised(epsilon, left, delta, rows.averages, rows.root)
        epsilon = epsilon * 1.01 + 1e-3


def _raised(
    level: float,
    among: NDArray[np.intp] | None,
    delta: float,
    averages: Callable[[float, NDArray[np.intp] | None], Array],
    root: Callable[[int, float], float],
) -> float:
    """Return the smallest epsilon, or noise, from ``level`` on that suits the records ``among``, or all.

    Averages fall as either grows, so whoever is within delta stays within it.
    """
    while True:
        found = averages(level, among)
        over = found > delta
        if not over.any():
            return level
        among = (np.arange(over.size) if among is None else among)[over]
        level = max(level, root(int(among[np.argmax(found[over])]), delta))


# Relative steps of the noise where the parabola alone decides.
_STEP, _FINE = 2e-3, 5e-4
# No noise below this share of what DP needs: where it is enough, none is needed.
_LEAST = 2.0**-60


def power_of_two(table: Array) -> float:
    """Return a power of two near the extent of a pool; 0 where all records are equal."""
    top = math.frexp(float(np.abs(table).max()))[1] + 1
    extent = float(np.ptp(np.ldexp(table, -top), axis=0).max())
    exponent = math.frexp(extent)[1] + top
    return math.ldexp(1.0, min(exponent, 1023)) if extent > 0 else 0.0


def _least_noise(rows: Rows, epsilon: float, delta: float) -> float:
    """Return the least noise that is certified for all records, in units of a standardised pool."""
    lengths = (rows.points**2).sum(axis=1)
    # Noise for DP with the pool's extent is enough for the average too.
    reach = 2 * float(np.sqrt(lengths.max())) * (1 + 1e-12)
    high = float(tradeoff.gaussian_sigma(epsilon, delta=delta, sensitivity=reach))
    moments = Moments(rows) if rows.count > SMALL else None

    def averages(noise: float, among: Any) -> Array:
        return rows.averages(epsilon, among, noise)

    def root(row: int, delta: float) -> float:
        target = delta * (1 - _ROUNDING)
        return decreasing_root(lambda noise: float(averages(noise, [row])[0]), target, high * _LEAST, high)

    if moments is None:
        return _raised(root(int(np.argmax(lengths)), delta), None, delta, averages, root)

    def left_open(noise: float) -> NDArray[np.intp] | None:
        """Return the records that are not certified at once, None if they are too many."""
        left, _ = survivors(rows, moments, epsilon, delta, noise)
        return left if left.size * rows.count <= _BUDGET else None

    sigma = undecided = root(int(np.argmax(moments.first[1])), delta)
    step, left = _STEP, left_open(sigma)
    while left is None:
        undecided, sigma, step = sigma, sigma * (1 + step), 2 * step
        left = left_open(sigma)
    # By hand: there is no number to find the root of, only whether few enough stay open.
    while sigma > undecided * (1 + _FINE):
        middle = math.sqrt(sigma * undecided)
        among = left_open(middle)
        if among is None:
            undecided = middle
        else:
            sigma, left = middle, among
    return _raised(sigma, left, delta, averages, root)


@checked
def gaussian_sigma_bound(values: ArrayLike, epsilon: FiniteEpsilon, delta: Chance) -> float:
    r"""Return the least noise for which Proposition 12 certifies (epsilon, delta)-PMP.

    Returns
    -------
    float
        Standard deviation of the noise, in the units of ``values``, a bound on what the target
        needs.  It is 0 where all records are equal, and as good as 0 where ``delta`` is so
        large that no noise is needed.

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    PMP paper, section on the approach, step 3, solved for the noise: one epsilon, so that every
    record costs one average a step.  Large pools are certified as in `gaussian_epsilon_bound`;
    where too many records are equally exposed to go through their pairs, up to some percent more
    noise is returned than the bound needs.

    Examples
    --------
    >>> sigma = gaussian_sigma_bound([0.0, 1.0, 3.0, 4.0], 0.5, 0.01)
    >>> from mipbook.pmp import gaussian_delta_bound
    >>> round(gaussian_delta_bound([0.0, 1.0, 3.0, 4.0], sigma, 0.5), 9)
    0.01
    """
    table = pool(values)
    unit = power_of_two(table)
    if unit == 0:
        return 0.0
    rows = Rows(standardised(table, unit))
    if rows.count == 1:
        return 0.0
    return _least_noise(rows, epsilon, delta) * unit * (1 + _ROUNDING)
