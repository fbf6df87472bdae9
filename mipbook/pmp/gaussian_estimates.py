"""Between Proposition 12 and the truth: a projection, the normal curve, mixtures that are drawn."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from explorable.checked import checked
from mipbook import tradeoff
from mipbook.base.rounding import Estimate, bernstein
from mipbook.base.types import Array, Chance, Confidence
from mipbook.pmp.gaussian_exact import gaussian_epsilon_exact
from mipbook.pmp.gaussian_rows import record_index, standardised


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


def gaussian_epsilon_normal(
    values: ArrayLike, sigma: float, delta: float, record: int | None = None
) -> float:
    r"""Closed-form approximation of the PMP parameter; not a bound.

    The release with the record in and the release without it are treated as normal, with
    the same covariance: noise plus the variation of a random half.

    Parameters
    ----------
    record : int, optional
        Look at one record only; otherwise at all, and return the largest.

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
    standard = standardised(values, sigma)
    delta = validate.number("delta", delta, 0.0, 1.0)
    mu, _ = _shifts(standard)
    shift = float(mu.max() if record is None else mu[record_index(record, len(mu))])
    return float(tradeoff.gaussian_epsilon(delta, sigma=1.0, sensitivity=shift))


def gaussian_epsilon_projection(
    values: ArrayLike, sigma: float, delta: float, record: int | None = None
) -> float:
    r"""Lower bound on the PMP parameter: an attacker who looks along one line.

    Parameters
    ----------
    record : int, optional
        The attacked record; otherwise the one with the largest shift.

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
    delta = validate.number("delta", delta, 0.0, 1.0)
    mu, directions = _shifts(standard)
    row = int(np.argmax(mu)) if record is None else record_index(record, len(mu))
    length = float(np.linalg.norm(directions[row]))
    if length == 0:
        # The record sits in the middle of the others: along this line nothing is seen.
        return math.inf if delta == 0 and np.ptp(standard, axis=0).any() else 0.0
    line = standard @ (directions[row] / length)
    return gaussian_epsilon_exact(line, 1.0, delta, record=row)


# Doubles in one block of draws: 32 MB.
_BLOCK = 1 << 22
_CACHED = 1 << 15


def _ratios(
    values: ArrayLike, sigma: float, rng: np.random.Generator, draws: int, record: int | None
) -> Array:
    """Return draws of the likelihood ratio of the mixture against the release itself.

    A release with the record is moved by a Gaussian z; without it, it is a mixture around
    the n records that may have been swapped in.  The ratio at z does not depend on the rest.
    """
    standard = standardised(values, sigma)
    rng = validate.generator("rng", rng)
    draws = validate.size("draws", draws, 2)
    total = len(standard)
    if record is None:
        row = int(np.argmax(((standard - standard.mean(axis=0)) ** 2).sum(axis=1)))
    else:
        row = record_index(record, total)
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
    values: ArrayLike,
    sigma: float,
    delta: Chance,
    rng: np.random.Generator,
    draws: int = 20_000,
    record: int | None = None,
    confidence: Confidence = 0.95,
) -> Estimate:
    r"""Estimate an epsilon at this delta that is sharper than Proposition 12's.

    The average runs over the halves D, as in Proposition 12, but the records x' that may
    stand in for x remain a mixture; this is the first line of the paper's proof.

    Parameters
    ----------
    draws : int
        Halves and releases drawn, at least 2.
    record : int, optional
        The record; otherwise the one farthest from the mean.

    Returns
    -------
    Estimate
        Its interval holds all epsilon at which the empirical Bernstein interval for delta (Maurer
        and Pontil), which needs no normal approximation, holds ``delta``; the upper end is
        infinite where the draws are too few for so small a delta.

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

    logs = _ratios(values, sigma, rng, draws, record)

    def crossing(sign: int) -> float:
        """Return where the mean, moved by so many half widths, falls to delta."""

        def excess(epsilon: float) -> float:
            gains = -np.expm1(np.minimum(epsilon + logs, 0.0))  # (1 - e^epsilon ratio)^+ for each draw
            half = float(bernstein(gains.var(ddof=1), gains.size, 1.0, 1 - confidence))
            return float(gains.mean()) + sign * half - delta

        high = max(1.0, -float(logs.min()))
        if excess(0.0) <= 0:
            return 0.0
        if excess(high) > 0:
            return math.inf
        return brentq(excess, 0.0, high, xtol=1e-14 * high)

    value, low, high = (crossing(sign) for sign in (0, -1, 1))
    warning = "" if math.isfinite(high) else "too few draws for this delta"
    return Estimate(value, low, high, "estimate", confidence, warning)
