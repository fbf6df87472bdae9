"""The exact PMP curve of a sum with Gaussian noise in one dimension."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mipbook import validate
from mipbook.pmp.gaussian_inputs import Array, pool, record_index, standardised
from mipbook.pmp.gaussian_leave_out import leave_one_out
from mipbook.pmp.gaussian_mixtures import AtomPair, FourierPair, Pair, half_width, subset_sums
from mipbook.pmp.gaussian_rows import Rows, decreasing_root

__all__ = ["gaussian_delta_exact", "gaussian_densities", "gaussian_epsilon_exact"]

# Up to this n, all halves are listed.
_LISTED = 7
# exp(-omega^2 / 2) is below 1e-17 from here on.
_HIGHEST_FREQUENCY = 8.9
# Multiplications of complex numbers that one call may cost, about a minute.
_BUDGET = 1.5e10
# From here on e^epsilon times the rounding of a density is no longer small.
_HIGHEST_EPSILON = 18.0


def _line(values: ArrayLike, sigma: float) -> Array:
    standard = standardised(values, sigma)
    if standard.shape[1] != 1:
        validate.refuse(
            "values",
            values,
            "of dimension 1; in more, use gaussian_delta_mixture or gaussian_epsilon_projection",
        )
    return standard[:, 0]


def _targets(line: Array, record: int | None) -> Array:
    """Return one row for each value that occurs, outermost first, or the record asked for."""
    if record is not None:
        return np.array([record_index(record, len(line))])
    _, first = np.unique(line, return_index=True)
    return np.asarray(first[np.argsort(-np.abs(line[first]), kind="stable")])


def _pairs(line: Array, sigma: float, targets: Array) -> Iterator[tuple[int, Pair]]:
    """Yield the two mixtures of each target."""
    size = len(line) // 2
    if size <= _LISTED:
        for row in targets:
            others = np.delete(line, row)
            inside, outside = subset_sums(others, size - 1), subset_sums(others, size)
            yield int(row), AtomPair(inside + line[row], outside)
        return
    centre = np.abs(line).max() * size / (len(line) - 1)
    period = 2 * (centre + half_width(line, size) + 10.0)
    count = int(_HIGHEST_FREQUENCY * period / (2 * math.pi)) + 2
    adds = len(line) + len(targets) * math.log2(len(targets) + 1)
    if adds * size * count > _BUDGET:
        validate.refuse(
            "sigma", sigma, "larger, or the pool smaller: the exact curve would take minutes"
        )
    omega = 2 * math.pi * np.arange(count) / period
    damping = np.exp(-0.5 * omega**2)
    for row, fewer, more in leave_one_out(line, size, omega, targets):
        shifted = fewer * np.exp(1j * omega * line[row])
        yield row, FourierPair(shifted * damping, more * damping, period)


def _refuse_far(epsilon: float, size: int, name: str, value: Any) -> None:
    if size > _LISTED and epsilon > _HIGHEST_EPSILON:
        validate.refuse(
            name, value, f"such that epsilon is at most {_HIGHEST_EPSILON:g} for n > {_LISTED}"
        )


def gaussian_delta_exact(
    values: ArrayLike, sigma: float, epsilon: ArrayLike, record: int | None = None
) -> float | Array:
    """Smallest delta for which a sum with Gaussian noise is (epsilon, delta)-PMP, for d = 1.

    Parameters
    ----------
    values : array_like of shape (2n,) or (2n, 1)
        f(x) for all records of the pool; for a mean, the records divided by n.
    sigma : float
        Standard deviation of the noise, in the units of ``values``, in (0, inf).
    epsilon : array_like
        In [0, 700]; at most 18 for n > 7.
    record : int, optional
        Look at one record only; otherwise at all, and return the largest.

    Returns
    -------
    float or ndarray
        Of the shape of ``epsilon``, in [0, 1].

    Raises
    ------
    ValueError
        For an argument outside its range, more than one dimension, or a pool that is so
        large, compared with the noise, that minutes would pass.

    Notes
    -----
    PMP paper, Lemma 11, with the mixtures themselves in place of Proposition 12.  The two
    hockey-stick divergences of a sum with symmetric noise are equal, because what is drawn
    and what is left always add up to the same total.

    Up to n = 7 all halves are listed, places where the sign changes are isolated, and normal
    probabilities added: the error is about 1e-14.  For larger n the characteristic function
    of the sum over a random half follows from one pass over the records; the error is about
    1e-12 + 1e-15 e^epsilon.  All records cost O(n^2 log n) times the number of frequencies.

    Examples
    --------
    >>> round(gaussian_delta_exact([0.15, -0.6, 1.25, 0.45], 0.5, 1.0), 12)
    0.449021184466
    """
    line = _line(values, sigma)
    grid = validate.array("epsilon", epsilon, 0.0, 700.0)
    size = len(line) // 2
    _refuse_far(float(grid.max(initial=0.0)), size, "epsilon", epsilon)
    targets = _targets(line, record)
    best = np.zeros(grid.size)
    if np.ptp(line) > 0:
        for _, pair in _pairs(line, sigma, targets):
            found = [pair.delta(float(e)) for e in grid.flat]
            best = np.maximum(best, found)
    return validate.plain(np.minimum(best, 1.0).reshape(grid.shape))


def gaussian_epsilon_exact(
    values: ArrayLike, sigma: float, delta: float, record: int | None = None
) -> float:
    """Exact PMP parameter of a sum with Gaussian noise, for d = 1.

    Parameters
    ----------
    values : array_like of shape (2n,) or (2n, 1)
        f(x) for all records of the pool; for a mean, the records divided by n.
    sigma : float
        Standard deviation of the noise, in the units of ``values``, in (0, inf).
    delta : float
        In [0, 1].
    record : int, optional
        Look at one record only; otherwise at all, and return the largest.

    Returns
    -------
    float
        Infinite at ``delta`` 0 unless all records are equal.  The error is that of
        `gaussian_delta_exact`, divided by the slope of the curve.

    Raises
    ------
    ValueError
        For an argument outside its range, more than one dimension, a pool too large for
        the noise, or a result above 18 with n > 7.

    Notes
    -----
    PMP paper, Definition 2 and Lemma 11.  Every record is looked at: one whose bound of
    Proposition 12 is already within ``delta`` at the largest epsilon found so far cannot
    raise it, the others are computed.

    Examples
    --------
    >>> round(gaussian_epsilon_exact([0.15, -0.6, 1.25, 0.45], 0.5, 0.01), 9)
    6.288567764
    """
    line = _line(values, sigma)
    delta = validate.number("delta", delta, 0.0, 1.0)
    targets = _targets(line, record)
    if np.ptp(line) == 0 or delta == 1:
        return 0.0
    if delta == 0:
        return math.inf
    size, rows = len(line) // 2, Rows(line[:, None])
    best = 0.0
    for row, pair in _pairs(line, sigma, targets):
        if pair.delta(best) <= delta:
            continue
        ceiling = rows.root(int(rows.which[row]), delta)
        if size > _LISTED and ceiling > _HIGHEST_EPSILON:
            ceiling = _HIGHEST_EPSILON
            if pair.delta(ceiling) > delta:
                _refuse_far(math.inf, size, "sigma", sigma)
        # Where Proposition 12 is an equality, rounding may put the root above its bound.
        best = (
            ceiling
            if pair.delta(ceiling) > delta
            else decreasing_root(pair.delta, delta, best, ceiling)
        )
    return best


def gaussian_densities(
    values: ArrayLike, sigma: float, record: int, at: ArrayLike
) -> tuple[Array, Array]:
    """Density of a sum with Gaussian noise, with a record in and without it, for d = 1.

    Parameters
    ----------
    values : array_like of shape (2n,) or (2n, 1)
        f(x) for all records of the pool; for a mean, the records divided by n.
    sigma : float
        Standard deviation of the noise, in the units of ``values``, in (0, inf).
    record : int
        The record.
    at : array_like of one dimension
        Outputs, in the units of ``values``.

    Returns
    -------
    tuple of ndarray
        Density given that the record is in, and given that it is out.

    Raises
    ------
    ValueError
        As `gaussian_delta_exact`.

    Notes
    -----
    PMP paper, the mixtures before Lemma 11.

    Examples
    --------
    >>> inside, outside = gaussian_densities([0.0, 1.0], 1.0, 1, [0.0, 1.0])
    >>> inside.round(6).tolist(), outside.round(6).tolist()
    ([0.241971, 0.398942], [0.398942, 0.241971])
    """
    line = _line(values, sigma)
    row = record_index(record, len(line))
    where = validate.array("at", at, ndim=1)
    middle = float(np.mean(pool(values)))
    _, pair = next(_pairs(line, sigma, np.array([row])))
    inside, outside = pair.density((where - len(line) // 2 * middle) / sigma)
    return inside / sigma, outside / sigma
