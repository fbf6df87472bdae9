"""Secure learners that tell who was in: a sum modulo q, and a data set published now and then."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook import pmp

__all__ = ["MatchBracket", "PowerSums", "match_bracket", "power_sums"]


class PowerSums(NamedTuple):
    """What the sum modulo q tells on one pool, exactly.

    Attributes
    ----------
    eta : float
        The MIP parameter, the worst record's.
    epsilon : float
        The PMP parameter with delta 0; inf as soon as one remainder gives a record away.
    inside, outside : ndarray of int, shape (q,)
        How many halves with the first record, and without it, give each remainder.
    """

    eta: float
    epsilon: float
    inside: NDArray[np.int64]
    outside: NDArray[np.int64]


def power_sums(n: int, q: int) -> PowerSums:
    r"""Return what the sum of n records modulo q tells of the pool 1, 2, 4, ..., :math:`2^{2n-1}`.

    Parameters
    ----------
    n : int
        Records in a data set, drawn out of 2n; in [1, 6].
    q : int
        The modulus, in [2, 4096], such that the 2n powers of two leave different remainders.

    Notes
    -----
    This book, Theorem 2.7.  Where records are drawn uniformly from 0, ..., q - 1 and n is at
    least 2, the sum is independent of each of them and Delta is 0.  Once q is large enough for
    the sums of all halves to differ, the same sum names the half.

    Examples
    --------
    >>> [round(power_sums(3, q).eta, 4) for q in (11, 37, 61)]
    [0.25, 0.45, 0.5]
    """
    n = validate.integer("n", n, 1, 6)
    q = validate.integer("q", q, 2, 4096)
    labels = [pow(2, i, q) for i in range(2 * n)]
    if len(set(labels)) < 2 * n:
        allowed = f"such that the first {2 * n} powers of two leave different remainders"
        validate.refuse("q", q, allowed)
    counts = [pmp.modular_sum(n, record, labels, q) for record in range(2 * n)]
    eta = max(count.accuracy for count in counts) - 0.5
    epsilon = max(count.epsilon for count in counts)
    return PowerSums(eta, epsilon, counts[0].inside, counts[0].outside)


class MatchBracket(NamedTuple):
    """Where the largest Delta of *publish the data if they are half of the pool* lies.

    Attributes
    ----------
    low : float
        Delta under the uniform distribution on the pool, exactly.
    high : float
        A bound that holds for every distribution.
    """

    low: float
    high: float


def match_bracket(n: int) -> MatchBracket:
    r"""Return a bracket of Delta for *publish D if it is n different records of the pool*.

    Parameters
    ----------
    n : int
        Records in a data set, in [1, 1,000,000]; the pool holds 2n.

    Notes
    -----
    This book, Proposition 2.8.  Of n draws from any distribution at most
    :math:`\pi_n = \frac{(2n)!}{n!\,(2n)^n}` are different records of a given pool of 2n, and a
    learner that says nothing else has Delta at most :math:`\pi_n`.  Under the uniform
    distribution on the pool it is :math:`\pi_n / 2`.  On the pool itself eta is always 1/2.

    Examples
    --------
    >>> [round(match_bracket(n).high, 6) for n in (1, 2, 10)]
    [1.0, 0.75, 0.065473]
    """
    n = validate.integer("n", n, 1, 1_000_000)
    # The logarithms of 1 - i / (2n), i < n, smallest first.
    factors = np.log1p(-np.arange(n) / (2.0 * n))
    high = math.exp(math.fsum(factors.tolist())) if n <= 1000 else float(np.exp(factors.sum()))
    return MatchBracket(high / 2, high)
