"""The exact PMP curve of a sum with Gaussian noise in one dimension, and estimates in more."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from explorable.checked import Size, checked
from mipbook import tradeoff
from mipbook.base.rounding import Estimate, bernstein
from mipbook.base.types import Array, Chance, Delta, Floats, Rng
from mipbook.pmp.gaussian_mixtures import AtomPair, FourierPair, Pair, half_width, leave_one_out, subset_sums
from mipbook.pmp.gaussian_rows import Rows, decreasing_root, pool, standardised

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
        return np.array([validate.integer("record", record, 0, len(line) - 1)])
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
    centre = float(np.linalg.norm(line, np.inf)) * size / (len(line) - 1)
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
            settled = rows.averages(best) <= delta
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
    row = validate.integer("record", record, 0, len(line) - 1)
    where = validate.array("at", at, ndim=1)
    table = pool(values)
    middle = float((table / len(table)).sum())  # the sum may overflow where the mean does not
    _, pair = next(_pairs(line, sigma, np.array([row])))
    inside, outside = pair.density((where - len(line) // 2 * middle) / sigma)
    return inside / sigma, outside / sigma


# --- Between Proposition 12 and the truth: a projection, the normal curve, mixtures that are drawn ---


def _shifts(standard: Array) -> tuple[Array, Array]:
    """Return each record's shift in standard deviations of the release, and its direction.

    With the record in or out, the sum over the rest of a random half varies with the same
    covariance V.  Leaving one record out changes V by a rank-one term, so one factorisation
    serves all records (Sherman and Morrison).
    """
    total, dimension = standard.shape
    size = total // 2
    y = standard - standard.mean(axis=0)
    share = size / (2 * (2 * size - 1))
    matrix = np.eye(dimension) + share * (y.T @ y)
    # Cholesky keeps y' A^-1 y positive for badly scaled data.
    lower = np.linalg.cholesky(matrix)
    half = np.linalg.solve(lower, y.T)
    q = (half * half).sum(axis=0)
    ratio = total / (total - 1)
    size_of_shift = ratio * np.sqrt(q / np.maximum(1.0 - share * ratio * q, 1e-300))
    return np.asarray(size_of_shift), np.asarray(np.linalg.solve(lower.T, half).T)


@checked
def gaussian_epsilon_normal(values: ArrayLike, sigma: float, delta: Delta) -> float:
    r"""Closed-form approximation of the PMP parameter; not a bound.

    The release with the record in and the release without it are treated as normal, with
    the same covariance: noise plus the variation of a random half.

    Returns
    -------
    float
        An approximation.  It is usually too small: by up to 12% at n = 6, by 1% at n = 100
        in the cases that were measured.  Do not certify anything with it.

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    The curve is Lemma 10's at the shift :math:`\mu`, with :math:`\mu^2 = u^T (\sigma^2 I +
    V)^{-1} u` for the record's distance u from the mean of the others and the covariance V
    of a sum over n of them.

    Examples
    --------
    >>> round(gaussian_epsilon_normal([0.15, -0.6, 1.25, 0.45], 0.5, 0.01), 6)
    5.473335
    """
    mu, _ = _shifts(standardised(values, sigma))
    return float(tradeoff.gaussian_epsilon(delta, sigma=1.0, sensitivity=float(mu.max())))


@checked
def gaussian_epsilon_projection(values: ArrayLike, sigma: float, delta: Delta) -> float:
    r"""Lower bound on the PMP parameter: an attacker who looks along one line.

    Returns
    -------
    float
        No mechanism parameter can be smaller.  Infinite at ``delta`` 0 unless all records
        are equal.

    Notes
    -----
    Projecting the release on a line is post-processing, so it cannot raise the parameter
    (PMP paper, Lemma 14).  The line is the one that tells two normal releases apart best,
    and the curve along it is exact.

    Examples
    --------
    >>> square = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
    >>> round(gaussian_epsilon_projection(square, 1.0, 0.01), 6)
    4.175428
    """
    standard = standardised(values, sigma)
    mu, directions = _shifts(standard)
    row = int(np.argmax(mu))
    length = float(np.linalg.norm(directions[row]))
    if length == 0:  # all records are equal
        return 0.0
    line = standard @ (directions[row] / length)
    return gaussian_epsilon_exact(line, 1.0, delta, record=row)


# Doubles in one block of draws: 32 MB.
_BLOCK = 1 << 22
_CACHED = 1 << 15
# How sure the interval is.
_SURE = 0.95


def _ratios(values: ArrayLike, sigma: float, rng: np.random.Generator, draws: int) -> Array:
    """Return draws of the likelihood ratio of the mixture against the release itself.

    A release with the record is moved by a Gaussian z; without it, it is a mixture around
    the n records that may have been swapped in.  The ratio at z does not depend on the rest.
    """
    standard = standardised(values, sigma)
    total = len(standard)
    row = int(np.argmax(((standard - standard.mean(axis=0)) ** 2).sum(axis=1)))
    steps = np.delete(standard, row, axis=0) - standard[row]
    halves = 0.5 * (steps**2).sum(axis=1)
    out = np.empty(draws)
    block = max(1, _BLOCK // total)
    for start in range(0, draws, block):
        count = min(block, draws - start)
        z = rng.standard_normal((count, steps.shape[1]))
        keys = rng.random((count, total - 1))
        # Few rows at a time stay in the processor's cache.
        for first in range(0, count, max(1, _CACHED // total)):
            rows = slice(first, first + max(1, _CACHED // total))
            place = slice(start + first, start + min(rows.stop, count))
            out[place] = _log_mean(keys[rows], z[rows] @ steps.T - halves)
    return out


def _log_mean(keys: Array, power: Array) -> Array:
    """Return ln of the mean of e^power over the records with the smaller half of the keys."""
    size = (keys.shape[1] + 1) // 2
    chosen = keys <= np.partition(keys, size - 1, axis=1)[:, size - 1 : size]
    power = np.where(chosen, power, -np.inf)
    top = power.max(axis=1)
    with np.errstate(over="ignore"):
        return np.asarray(top + np.log(np.exp(power - top[:, None]).sum(axis=1) / size))


@checked
def gaussian_epsilon_mixture(
    values: ArrayLike, sigma: float, delta: Chance, rng: Rng, draws: Annotated[int, Size(2)] = 20_000
) -> Estimate:
    r"""Estimate an epsilon at this delta that is sharper than Proposition 12's.

    The average runs over the halves D, as in Proposition 12, but the records x' that may
    stand in for x remain a mixture; this is the first line of the paper's proof.

    Parameters
    ----------
    draws : int
        Halves and releases drawn, at least 2.

    Returns
    -------
    Estimate
        For the record farthest from the mean.  Its interval holds all epsilon at which the empirical
        Bernstein interval for delta (Maurer and Pontil), which needs no normal approximation, holds
        ``delta``; the upper end is infinite where the draws are too few for so small a delta.

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    PMP paper, first line of equation (15).  Both directions give the same number, because
    the Gaussian density is even.

    Examples
    --------
    >>> found = gaussian_epsilon_mixture([0.0, 1.0], 0.5, 0.1, np.random.default_rng(0))
    >>> found.low < 3.807 < found.high
    True
    """
    from scipy.optimize import brentq

    logs = _ratios(values, sigma, rng, draws)

    def crossing(sign: int) -> float:
        """Return where the mean, moved by so many half widths, falls to delta."""

        def excess(epsilon: float) -> float:
            gains = -np.expm1(np.minimum(epsilon + logs, 0.0))  # (1 - e^epsilon ratio)^+ for each draw
            half = float(bernstein(gains.var(ddof=1), gains.size, 1.0, 1 - _SURE))
            return float(gains.mean()) + sign * half - delta

        high = max(1.0, -float(logs.min()))
        if excess(0.0) <= 0:
            return 0.0
        if excess(high) > 0:
            return math.inf
        return brentq(excess, 0.0, high, xtol=1e-14 * high)

    value, low, high = (crossing(sign) for sign in (0, -1, 1))
    warning = "" if math.isfinite(high) else "too few draws for this delta"
    return Estimate(value, low, high, "estimate", _SURE, warning)
