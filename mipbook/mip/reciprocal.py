"""The query 1/x of Proposition 11, for which no scale of noise is enough, and what is exact about it."""

from __future__ import annotations

from functools import lru_cache
from math import comb, exp, expm1, factorial, lgamma, log, log1p, sqrt
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable.checked import Integer, checked
from mipbook.base.types import Array
from mipbook.mip.finite import subsets

MAX_N = 120
_MAX_ENUMERATED = 20


Even = Annotated[int, Integer(4, MAX_N, multiple_of=2)]
# Too many for a number of this machine, whose largest is e^709; its logarithm is small.
Many = Annotated[int, Integer(4, 1_000_000, multiple_of=2)]
# So small that all halves are listed.
Few = Annotated[int, Integer(4, _MAX_ENUMERATED, multiple_of=2)]


def reciprocal_root(n: int) -> float:
    """Return sqrt(p), the sum of the fatal half, where p is the chance of drawing it."""
    return 1 / sqrt(comb(n, n // 2))


@checked
def reciprocal_data_set(n: Even) -> Array:
    """Return the n records: the powers of two up to 2^(n-2), then a.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].

    Returns
    -------
    ndarray of shape (n,)

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.  The fatal half is the first
    ``n/2 - 1`` records and the last.

    Examples
    --------
    >>> reciprocal_data_set(4).round(4).tolist()
    [1.0, 2.0, 4.0, -0.5918]
    """
    last = reciprocal_root(n) - float(2 ** (n // 2 - 1) - 1)
    return np.array([*(2.0**i for i in range(n - 1)), last])


@checked
def reciprocal_outputs(n: Few) -> tuple[Array, NDArray[np.bool_]]:
    """Return the query's answer on every half, by enumeration.

    Parameters
    ----------
    n : int
        Records, even, in [4, 20].

    Returns
    -------
    outputs : ndarray of shape (C(n, n/2),)
        One answer a half.
    members : ndarray of bool, shape (C(n, n/2), n)
        Which records each half holds.

    Notes
    -----
    MIP paper, Proposition 11.  Integers are summed before sqrt(p), so nothing cancels.

    Examples
    --------
    >>> outputs, members = reciprocal_outputs(4)
    >>> outputs.size, int((outputs > 1).sum())
    (6, 1)
    """
    members = subsets(n)
    with_a = members[:, -1]
    whole = members[:, :-1] @ (1 << np.arange(n - 1)) - with_a * (2 ** (n // 2 - 1) - 1)
    return 1 / (whole + with_a * reciprocal_root(n)), members


@checked
def reciprocal_sensitivity(n: Even) -> float:
    """Return the largest change of the answer between halves one swap apart, exactly.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].

    Returns
    -------
    float
        ``1/sqrt(p) - 1/(2^(n-2) + 2^(n/2-1) - 1)``: swap a for the largest record.

    Notes
    -----
    MIP paper, Proposition 11, whose printed neighbour gives a slightly smaller value.

    Examples
    --------
    >>> round(reciprocal_sensitivity(36), 6)
    95263.504554
    """
    return float(sqrt(comb(n, n // 2)) - 1 / (2 ** (n - 2) + 2 ** (n // 2 - 1) - 1))


@checked
def reciprocal_log_sensitivity(n: Many) -> float:
    """Return the logarithm of the largest change of the answer between halves one swap apart.

    Parameters
    ----------
    n : int
        Records, even, in [4, 1,000,000].

    Notes
    -----
    MIP paper, Figure 1, whose text names data sets of more than 10,000 records.

    Examples
    --------
    >>> round(reciprocal_log_sensitivity(10_000) / log(10), 3)  # so many digits
    1504.101
    """
    if n <= MAX_N:
        return log(reciprocal_sensitivity(n))
    # What is taken off is below 2^(2 - n).
    return _log_root(n)


def _log_root(n: int) -> float:
    """Return -ln(p) / 2, where p is the chance of the fatal half."""
    return (lgamma(n + 1) - 2 * lgamma(n // 2 + 1)) / 2


@checked
def reciprocal_log_spread(n: Many, M: Annotated[int, Integer(2, 8)] = 2) -> float:
    """Return the logarithm of the answer's spread, of an upper bound on it above 120 records.

    Parameters
    ----------
    n : int
        Records, even, in [4, 1,000,000].
    M : int
        Exponent, in [2, 8].

    Notes
    -----
    The variance is below 1.  For other M the fatal half adds ``p^(1 - M/2)`` at most to the moment,
    and all others, each within 1 of the mean, add 1 at most.

    Examples
    --------
    >>> reciprocal_log_spread(10_000), round(reciprocal_log_spread(200, 4), 3)
    (0.0, 33.938)
    """
    if n <= MAX_N:
        return log(reciprocal_absolute_moment(n, M))
    return 0.0 if M == 2 else float(np.logaddexp((M - 2) * _log_root(n), 0.0)) / M


# exp(-pi^2 / step) bounds the trapezoid's error; this step keeps it under 1e-24.
_STEP = 0.16


class _Block(NamedTuple):
    """Integers with the same high bits and ``ones`` free one-bits below bit ``bits``."""

    base: int
    bits: int
    ones: int
    fatal: bool  # the block's smallest member is the fatal half, which is left out


@lru_cache(maxsize=64)
def _polynomials(n: int) -> tuple[Array, Array]:
    """Return nodes t and, for every (bits, ones), sum exp(-t (s - smallest s)) less 1."""
    k = n // 2
    nodes = np.exp(np.arange(-(n * log(2) + 42), log(60), _STEP))
    table = np.zeros((n, k + 1, nodes.size))
    for bits in range(1, n):
        ones = np.arange(1, min(bits, k) + 1)
        # Taking bit ``bits - 1`` costs this much more than the cheapest way to have as many ones.
        extra = 2.0 ** (bits - 1) - 2.0 ** (ones - 1)
        table[bits] = table[bits - 1]
        taken = (1 + table[bits - 1, ones - 1]) * np.exp(-np.outer(extra, nodes))
        # With as many ones as bits there is one integer only, the cheapest itself.
        taken[ones == bits] = 0
        table[bits, ones] += taken
    return nodes, table


def _power_sums(n: int, blocks: list[_Block], offset: float, order: int) -> Array:
    """Return the sums of 1/S^i over the blocks for i = 0..order, where S = integer + offset."""
    nodes, table = _polynomials(n)
    sums = np.zeros(order + 1)
    powers = np.arange(1, order + 1)
    weights = np.array([factorial(int(i) - 1) for i in powers], dtype=float)
    for base, bits, ones, fatal in blocks:
        if not 0 <= ones <= bits:
            continue
        sums[0] += comb(bits, ones) - fatal
        smallest = float(base + (2**ones - 1)) + offset
        inner = np.exp(-nodes * smallest) * (table[bits, ones] + (not fatal))
        sums[1:] += _STEP * (nodes ** powers[:, None] @ inner) / weights
    return sums


def _split(n: int, ones: int, threshold: int, with_a: bool) -> tuple[list[_Block], list[_Block]]:
    """Return blocks for the integers of n - 1 bits below the threshold, and from it on."""
    below: list[_Block] = []
    above: list[_Block] = []
    base, left = 0, ones
    for bit in range(n - 2, -1, -1):
        if threshold >> bit & 1:
            below.append(_Block(base, bit, left, with_a and base == 0))
            base, left = base + (1 << bit), left - 1
        else:
            above.append(_Block(base + (1 << bit), bit, left - 1, False))
    above.append(_Block(base, 0, left, False))
    return below, above


def _all_blocks(n: int) -> list[tuple[list[_Block], float]]:
    k = n // 2
    offset = reciprocal_root(n) - float(2 ** (k - 1) - 1)
    return [([_Block(0, n - 1, k, False)], 0.0), ([_Block(0, n - 1, k - 1, True)], offset)]


@lru_cache(maxsize=64)
def _mean_and_second(n: int) -> tuple[float, float, float]:
    """Return the mean, and the sums of 1/S and 1/S^2 over the halves that are not fatal."""
    count = comb(n, n // 2)
    _, first, second = np.sum([_power_sums(n, *blocks, 2) for blocks in _all_blocks(n)], axis=0).tolist()
    return (sqrt(count) + first) / count, first, second


@checked
def reciprocal_variance(n: Even) -> float:
    """Return the variance of the answer over all halves, to rounding error.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].

    Returns
    -------
    float
        In (0.6, 1); it tends to 1 from below.

    Notes
    -----
    MIP paper, Proposition 11, which bounds it by 5; relative error below 1e-13.

    Examples
    --------
    >>> round(reciprocal_variance(8), 12)
    0.980200515195
    """
    count = comb(n, n // 2)
    mean, first, second = _mean_and_second(n)
    # (sqrt(C) - m)^2 / C = (1 - m sqrt(p))^2 keeps the fatal half's digits for large n.
    others = second - 2 * mean * first + mean**2 * (count - 1)
    return float((1 - mean / sqrt(count)) ** 2 + others / count)


@checked
@lru_cache(maxsize=1024)
def reciprocal_absolute_moment(n: Even, M: Annotated[int, Integer(1, 8)]) -> float:
    """Return the spread (E|A - E A|^M)^(1/M) of the answer over all halves.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].
    M : int
        Exponent, in [1, 8].

    Notes
    -----
    The sigma of MIP Theorem 9 for the query of Proposition 11.  Relative error below 1e-10
    for M = 1 and n up to 60, and below 1e-12 for M >= 2.

    Examples
    --------
    >>> round(reciprocal_absolute_moment(16, 1), 6), round(reciprocal_absolute_moment(16, 4), 4)
    (0.017629, 10.6503)
    """
    k, count = n // 2, comb(n, n // 2)
    mean, _, _ = _mean_and_second(n)
    orders = np.arange(M + 1)
    binomials = np.array([comb(M, int(i)) for i in orders], dtype=float)
    # Expand (1/S - m)^M where the answer is above its mean and (m - 1/S)^M where it is below.
    shrunk = binomials * mean ** (M - orders)
    high = shrunk * (-1.0) ** (M - orders)
    low = shrunk * (-1.0) ** orders
    total = 0.0
    for (_, offset), ones in zip(_all_blocks(n), (k, k - 1), strict=True):
        threshold = int(np.ceil(1 / mean - offset))
        small_sums, large_sums = _split(n, ones, threshold, with_a=ones == k - 1)
        total += float(high @ _power_sums(n, small_sums, offset, M))
        total += float(low @ _power_sums(n, large_sums, offset, M))
    fatal = sqrt(count) - mean
    return float(fatal * ((1 + total / fatal**M) / count) ** (1 / M))


class Crossings(NamedTuple):
    """Where the published MIP noise lies below DP's: eta from ``low`` to ``high``.

    ``high`` may round to 1/2; ``high_gap_log`` is ``-ln(1 - 2 high)`` and keeps its digits.
    """

    low: float
    high: float
    high_gap_log: float


@checked
def noise_crossings(n: Even, M: Annotated[int, Integer(2, 8)] = 2) -> Crossings | None:
    """Return the eta interval on which the published MIP noise is below DP's, if any.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].
    M : int
        Moment exponent, in [2, 8].

    Returns
    -------
    Crossings or None
        None where DP needs less noise at every eta.

    Notes
    -----
    MIP paper, Figure 1: where ``(6.16/eta)^(1+2/M) sigma`` meets
    ``sensitivity / ln((1+2 eta)/(1-2 eta))``; sigma is the exact spread of the M-th moment.

    Examples
    --------
    >>> noise_crossings(20) is None
    True
    >>> round(noise_crossings(36).low, 9)
    0.001593296
    """
    return _crossings(n, M)


@lru_cache(maxsize=1024)
def _crossings(n: int, M: int) -> Crossings | None:
    from scipy.optimize import brentq, minimize_scalar

    level = log(reciprocal_sensitivity(n)) - log(reciprocal_absolute_moment(n, M))
    power = 1 + 2 / M

    def excess(place: float) -> float:
        """Return ln(MIP noise / DP noise) at the eta with 1 - 2 eta = exp(-exp(place))."""
        gap = exp(place)
        # ln(2 eta) and ln(logit), which both tend to a line in ``place`` on the left.
        doubled = place + (log(-expm1(-gap) / gap) if gap > 1e-300 else 0.0)
        logit = place + (log1p(log1p(exp(doubled)) / gap) if gap > 1e-300 else log(2))
        return power * (log(2 * 6.16) - doubled) + logit - level

    best = minimize_scalar(excess, bounds=(log(1e-3), log(60.0)), options={"xatol": 1e-12})
    if best.fun >= 0:
        return None
    # Left of its minimum the excess rises by power - 1 a unit, to the right by nearly 1.
    left = best.x - (1 - best.fun) / (power - 1) - 10
    right = best.x - best.fun + 10
    low = exp(brentq(excess, left, best.x, xtol=1e-13, rtol=1e-14))
    high = exp(brentq(excess, best.x, right, xtol=1e-13, rtol=1e-14))
    return Crossings(-expm1(-low) / 2, -expm1(-high) / 2, high)
