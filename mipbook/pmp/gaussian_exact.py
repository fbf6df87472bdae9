"""The exact PMP curve of a sum with Gaussian noise in one dimension."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.base.types import Array, Floats
from mipbook.pmp.gaussian_mixtures import AtomPair, FourierPair, Pair, half_width, leave_one_out, subset_sums
from mipbook.pmp.gaussian_rows import Rows, decreasing_root, pool, record_index, standardised

# Up to this n, all halves are listed.
_LISTED = 7
# exp(-omega^2 / 2) is below 1e-17 from here on.
_HIGHEST_FREQUENCY = 8.9
# Multiplications of complex numbers that one call may cost, about a minute.
_BUDGET = 1.5e10
_PER_GRID = 2000.0
# Rounding of a delta, the part of it that grows as e^epsilon, and the interpolation's share.
_ERROR, _DENSITY_ERROR, _GRID_ERROR = 1e-12, 3e-16, 1e-8
# A delta whose rounding is a larger share of it is refused.
_SHARE = 1e-3
# Up to here e^epsilon times the rounding may be looked at.
_HIGHEST_EPSILON = 30.0


def _line(values: ArrayLike, sigma: float) -> Array:
    standard = standardised(values, sigma)
    if standard.shape[1] != 1:
        others = "gaussian_epsilon_mixture or gaussian_epsilon_projection"
        validate.refuse("values", values, f"of dimension 1; in more, use {others}")
    return standard[:, 0]


def _targets(line: Array, record: int | None) -> Array:
    """Return one row for each value that occurs, outermost first, or the record asked for."""
    if record is not None:
        return np.array([record_index(record, len(line))])
    _, first = np.unique(line, return_index=True)
    return np.asarray(first[np.argsort(-np.abs(line[first]), kind="stable")])


def _pairs(line: Array, sigma: float, targets: Array, budget: float = _BUDGET) -> Iterator[tuple[int, Pair]]:
    """Yield the two mixtures of each target."""
    size = len(line) // 2
    if size <= _LISTED:
        for row in targets:
            others = np.delete(line, row)
            inside, outside = subset_sums(others, size - 1), subset_sums(others, size)
            yield int(row), AtomPair(inside + line[row], outside)
        return
    # Long enough that no mass comes round from the other side.
    centre = float(np.abs(line).max()) * size / (len(line) - 1)
    period = 2 * (centre + half_width(line, size) + 10.0)
    count = int(_HIGHEST_FREQUENCY * period / (2 * math.pi)) + 2
    adds = len(line) + len(targets) * math.log2(len(targets) + 1)
    # Every evaluation of a curve costs its grid, whatever the number of records.
    grids = _PER_GRID * len(targets) * period
    if adds * size * count + grids > budget:
        validate.refuse("sigma", sigma, "larger, or the pool smaller: the exact curve would take minutes")
    omega = np.arange(count, dtype=np.float64) * (2 * math.pi / period)
    damping = np.exp(-0.5 * omega**2)
    for row, fewer, more in leave_one_out(line, size, omega, targets):
        shifted = fewer * np.exp(1j * omega * line[row])
        yield row, FourierPair(shifted * damping, more * damping, period)


def _error(size: int, epsilon: float, delta: float) -> float:
    """Return how far `gaussian_delta_exact` may be off for n = size, measured and rounded up."""
    if size <= _LISTED:
        return 1e-14
    return _ERROR + _GRID_ERROR * delta + _DENSITY_ERROR * (1 + math.exp(min(epsilon, 700.0)))


def _refuse_rounded(size: int, epsilon: float, delta: float, name: str, value: Any) -> None:
    """Refuse a delta of which rounding is more than a small share."""
    error = _error(size, epsilon, 0.0)
    if error > max(_SHARE * delta, 4 * _ERROR):
        known = f"for n > {_LISTED} it is known to {error:.2g} at epsilon = {epsilon:.4g}"
        further = "gaussian_epsilon_bound goes further"
        validate.refuse(name, value, f"such that delta stands out from its rounding: {known}; {further}")


def gaussian_delta_exact(
    values: ArrayLike, sigma: float, epsilon: ArrayLike, record: int | None = None
) -> Floats:
    """Smallest delta for which a sum with Gaussian noise is (epsilon, delta)-PMP, for d = 1.

    Parameters
    ----------
    values : array_like of shape (2n,) or (2n, 1)
        f(x) for all records of the pool; for a mean, the records divided by n.
    epsilon : array_like
        In [0, 700]; for n > 7 as far as delta stands out from its rounding, see the notes.
    record : int, optional
        Look at one record only; otherwise at all, and return the largest.

    Returns
    -------
    float or ndarray
        Of the shape of ``epsilon``, in [0, 1].

    Raises
    ------
    ValueError
        For more than one dimension, or a pool that is so large, compared with the noise,
        that minutes would pass.

    Notes
    -----
    PMP paper, Lemma 11, with the mixtures themselves in place of Proposition 12.  The two
    hockey-stick divergences of a sum with symmetric noise are equal, because what is drawn
    and what is left always add up to the same total.

    Up to n = 7 all halves are listed, places where the sign changes are isolated, and normal
    probabilities added: the error is about 1e-14.  For larger n the characteristic function
    of the sum over a random half follows from one pass over the records; the error is below
    1e-12 + 3e-16 (1 + e^epsilon) + 1e-8 delta.  Where the first two are above 4e-12 and above a
    thousandth of delta, epsilon is refused.  All records cost O(n^2 log n) times the number of
    frequencies.

    Examples
    --------
    >>> round(gaussian_delta_exact([0.15, -0.6, 1.25, 0.45], 0.5, 1.0), 12)
    0.449021184466
    """
    grid = validate.array("epsilon", epsilon, 0.0, 700.0)
    line = _line(values, sigma)
    found = _deltas(line, sigma, grid, record)
    for e, delta in zip(grid.flat, found.flat, strict=True):
        _refuse_rounded(len(line) // 2, float(e), float(delta), "epsilon", float(e))
    return validate.plain(found)


def _deltas(line: Array, sigma: float, grid: Array, record: int | None, budget: float = _BUDGET) -> Array:
    best = np.zeros(grid.size)
    if np.ptp(line) > 0:
        for _, pair in _pairs(line, sigma, _targets(line, record), budget):
            best = np.maximum(best, [pair.delta(float(e)) for e in grid.flat])
    return np.minimum(best, 1.0).reshape(grid.shape)


def delta_and_error(
    values: ArrayLike, sigma: float, epsilon: float, budget: float, record: int | None = None
) -> tuple[float, float]:
    """Return delta at one epsilon and how far it may be off; no size of delta is refused.

    ``budget`` limits the products, some 250 million a second; beyond it sigma is refused.
    """
    line = _line(values, sigma)
    found = float(_deltas(line, sigma, np.array(epsilon), record, budget))
    return found, _error(len(line) // 2, epsilon, found)


def gaussian_epsilon_exact(values: ArrayLike, sigma: float, delta: float, record: int | None = None) -> float:
    """Exact PMP parameter of a sum with Gaussian noise, for d = 1.

    Parameters
    ----------
    values : array_like of shape (2n,) or (2n, 1)
        f(x) for all records of the pool; for a mean, the records divided by n.
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
        For more than one dimension, a pool too large for the noise, or with n > 7 a
        ``delta`` that does not stand out from its rounding.

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
    return exact_within(values, sigma, delta, _BUDGET, record)


def exact_within(
    values: ArrayLike, sigma: float, delta: float, budget: float, record: int | None = None
) -> float:
    """Return the same; ``budget`` limits the products, some 250 million a second."""
    line = _line(values, sigma)
    delta = validate.number("delta", delta, 0.0, 1.0)
    targets = _targets(line, record)
    if np.ptp(line) == 0 or delta == 1:
        return 0.0
    if delta == 0:
        return math.inf
    size, rows = len(line) // 2, Rows(line[:, None])
    best, settled = 0.0, np.zeros(rows.count, dtype=bool)
    for row, pair in _pairs(line, sigma, targets, budget):
        place = int(rows.which[row])
        if settled[place] or pair.delta(best) <= delta:
            continue
        ceiling = rows.root(place, delta)
        if size > _LISTED:
            # Farther out, rounding alone decides; the result there is refused below.
            ceiling = min(ceiling, _HIGHEST_EPSILON)
        # Where Proposition 12 is an equality, rounding may put the root above its bound.
        best = ceiling if pair.delta(ceiling) > delta else decreasing_root(pair.delta, delta, best, ceiling)
        if size <= _LISTED:  # a record whose bound is within delta needs no mixtures
            settled = rows.all_averages(best) <= delta
    named = ("sigma", sigma) if best >= _HIGHEST_EPSILON else ("delta", delta)
    _refuse_rounded(size, best, delta, *named)
    return best


def gaussian_densities(values: ArrayLike, sigma: float, record: int, at: ArrayLike) -> tuple[Array, Array]:
    """Density of a sum with Gaussian noise, with a record in and without it, for d = 1.

    Parameters
    ----------
    values : array_like of shape (2n,) or (2n, 1)
        f(x) for all records of the pool; for a mean, the records divided by n.
    record : int
        The record.
    at : array_like of one dimension
        Outputs, in the units of ``values``.

    Returns
    -------
    tuple of ndarray
        Density given that the record is in, and given that it is out.

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
    table = pool(values)
    middle = float((table / len(table)).sum())  # the sum may overflow where the mean does not
    _, pair = next(_pairs(line, sigma, np.array([row])))
    inside, outside = pair.density((where - len(line) // 2 * middle) / sigma)
    return inside / sigma, outside / sigma
