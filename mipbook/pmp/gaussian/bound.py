"""Proposition 12: an upper bound on what the Gaussian mechanism tells about membership."""

from __future__ import annotations

import math
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.pmp.gaussian.majorant import Moments, survivors
from mipbook.pmp.gaussian.pool import record_index, standardised
from mipbook.pmp.gaussian.rows import SMALL, Rows

__all__ = ["epsilon_within", "gaussian_delta_bound", "gaussian_epsilon_bound"]

# Pairs that may be evaluated one by one before a coarser certificate is accepted.
_BUDGET = 20_000_000
# Records tried first: the worst is nearly always the one farthest from the rest.
_FIRST = 4


@overload
def gaussian_delta_bound(
    values: ArrayLike, sigma: float, epsilon: ArrayLike, per_record: Literal[True]
) -> Array: ...


@overload
def gaussian_delta_bound(
    values: ArrayLike, sigma: float, epsilon: ArrayLike, per_record: bool = False
) -> float | Array: ...


def gaussian_delta_bound(
    values: ArrayLike, sigma: float, epsilon: ArrayLike, per_record: bool = False
) -> float | Array:
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
    grid = validate.array("epsilon", epsilon, 0.0, math.inf)
    rows = Rows(standard)
    if validate.switch("per_record", per_record):
        found = [rows.all_averages(float(e))[rows.which] for e in grid.flat]
        return np.reshape(found, (*grid.shape, len(standard)))
    moments = Moments(rows) if rows.count > SMALL else None
    largest = [_largest(rows, moments, float(e)) for e in grid.flat]
    return validate.plain(np.reshape(largest, grid.shape))


def _largest(rows: Rows, moments: Moments | None, epsilon: float) -> float:
    """Return the largest average, or a bound on it where that would cost too much."""
    if moments is None:
        return float(rows.all_averages(epsilon).max())
    first = np.argsort(-moments.first[1])[:_FIRST]
    found = float(rows.averages(epsilon, first).max())
    left, bounds = survivors(rows, moments, epsilon, found)
    fit = left.size * rows.count <= _BUDGET
    rest = rows.averages(epsilon, left) if fit else np.minimum(bounds, 1.0)
    return max(found, float(rest.max(initial=0.0)))


def gaussian_epsilon_bound(values: ArrayLike, sigma: float, delta: float, record: int | None = None) -> float:
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
    return epsilon_within(values, sigma, delta, _BUDGET, record)


def epsilon_within(
    values: ArrayLike, sigma: float, delta: float, pairs: int, record: int | None = None
) -> float:
    """Return the same, going through so many pairs at most before the parabola decides."""
    standard = standardised(values, sigma)
    delta = validate.number("delta", delta, 0.0, 1.0)
    rows = Rows(standard)
    row = None if record is None else int(rows.which[record_index(record, len(standard))])
    if rows.count == 1 or delta == 1:
        return 0.0
    if delta == 0:
        return math.inf
    if row is not None:
        return rows.root(row, delta)
    if rows.count <= SMALL:
        farthest = int(np.argmax((rows.points**2).sum(axis=1)))
        return _raise(rows, delta, rows.root(farthest, delta), None)
    moments = Moments(rows)
    first = np.argsort(-moments.first[1])[:_FIRST]
    epsilon = _raise(rows, delta, rows.root(int(first[0]), delta), first)
    while True:
        left, _ = survivors(rows, moments, epsilon, delta)
        if left.size * rows.count <= pairs:
            return _raise(rows, delta, epsilon, left)
        epsilon = epsilon * 1.01 + 1e-3


def _raise(rows: Rows, delta: float, epsilon: float, among: NDArray[np.intp] | None) -> float:
    """Return the smallest epsilon from the given one on that suits all records ``among``."""
    if among is None:
        averages = rows.all_averages(epsilon)
        among = np.arange(rows.count)
    else:
        averages = rows.averages(epsilon, among)
    while True:
        over = averages > delta
        if not over.any():
            return epsilon
        # Averages fall with epsilon, so whoever is within delta now stays within it.
        among, averages = among[over], averages[over]
        epsilon = max(epsilon, rows.root(int(among[np.argmax(averages)]), delta))
        averages = rows.averages(epsilon, among)
