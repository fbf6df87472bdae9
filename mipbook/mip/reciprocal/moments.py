"""The moments of the reciprocal-sum query, exactly and for any even n.

A half without a sums to an integer with k = n/2 one-bits, a half with a to sqrt(p) plus an
integer with k - 1 one-bits minus (2^(k-1) - 1).  So sums over all halves of powers of 1/S are
sums over integers with a given number of one-bits, and

    sum 1/S^i = integral of t^(i-1) / (i-1)! * sum exp(-t S) dt,

where the inner sum is an elementary symmetric polynomial, found by a recursion of positive
terms.  The trapezoid rule in log t converges to rounding error.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, factorial, log, sqrt
from typing import NamedTuple

import numpy as np

from explorable import validate
from mipbook.base.types import Array
from mipbook.mip.reciprocal.query import even_size, reciprocal_root

__all__ = ["reciprocal_absolute_moment", "reciprocal_mean", "reciprocal_variance"]

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
    threshold = min(max(threshold, 0), 1 << (n - 1))
    if threshold >> (n - 1):
        return [_Block(0, n - 1, ones, with_a)], []
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
    sums = sum(_power_sums(n, blocks, offset, 2) for blocks, offset in _all_blocks(n))
    sums = np.asarray(sums)
    return (sqrt(count) + float(sums[1])) / count, float(sums[1]), float(sums[2])


def reciprocal_mean(n: int) -> float:
    """Return the mean answer over all halves, to rounding error.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].

    Notes
    -----
    MIP paper, Proposition 11; relative error below 1e-13.

    Examples
    --------
    >>> round(reciprocal_mean(16), 14)
    0.00894394446482
    """
    return _mean_and_second(even_size(n))[0]


def reciprocal_variance(n: int) -> float:
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
    n = even_size(n)
    count = comb(n, n // 2)
    mean, first, second = _mean_and_second(n)
    # (sqrt(C) - m)^2 / C = (1 - m sqrt(p))^2 keeps the fatal half's digits for large n.
    others = second - 2 * mean * first + mean**2 * (count - 1)
    return float((1 - mean / sqrt(count)) ** 2 + others / count)


def reciprocal_absolute_moment(n: int, M: int) -> float:
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
    return _absolute_moment(even_size(n), validate.integer("M", M, 1, 8))


@lru_cache(maxsize=1024)
def _absolute_moment(n: int, M: int) -> float:
    k, count = n // 2, comb(n, n // 2)
    mean = reciprocal_mean(n)
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
