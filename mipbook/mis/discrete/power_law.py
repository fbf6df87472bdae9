"""The least secure learner on infinitely many atoms, p_k proportional to k^-alpha."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, zeta

from explorable import validate
from mipbook.mis.binomial import excess
from mipbook.mis.discrete.deviation import LARGEST_N

__all__ = ["DeltaBounds", "power_law_delta", "power_law_exponent"]

# Atoms that are summed one by one, and terms of the expansion for the others.
_MOST_ATOMS = 20_000_000
_TERMS = 12
_BLOCK = 1 << 17


class DeltaBounds(NamedTuple):
    """Two numbers that hold Delta between them."""

    low: float
    high: float


def _tail(n: int, alpha: float, after: int) -> tuple[float, float]:
    """Return bounds on the sum of p (1 - p)^n over k > after, where n p is at most 0.1."""
    total = float(zeta(alpha))
    low = high = 0.0
    # Bonferroni: the partial sums of the binomial expansion lie above and below in turn.
    partial = 0.0
    for j in range(min(_TERMS, n) + 1):
        log_choose = gammaln(n + 1) - gammaln(j + 1) - gammaln(n - j + 1)
        mass = float(zeta((j + 1) * alpha, after + 1))
        if mass == 0.0:
            low = high = partial
            break
        size = math.exp(log_choose + math.log(mass) - (j + 1) * math.log(total))
        partial += -size if j % 2 else size
        low, high = (partial, high) if j % 2 else (low, partial)
    # The last two partial sums; with few trials the expansion ends and is exact.
    return (partial, partial) if n <= _TERMS else (min(low, high), max(low, high))


def power_law_delta(n: int, alpha: float) -> DeltaBounds:
    r"""Return the largest balanced Delta on data with p_k proportional to k^-alpha.

    Parameters
    ----------
    n : int
        Records in the training set, in [1, 10^9]; with alpha close to 1 fewer, so that at most
        20 million atoms are summed one by one.
    alpha : float
        Tail exponent, in (1, 20].

    Returns
    -------
    DeltaBounds
        Bounds on Delta of the least secure learner; they agree to about ten digits.

    Notes
    -----
    Limits paper, Lemma 20 and Theorem 14.  Atoms with n p_k above 0.1 are summed; the others
    give :math:`p_k (1 - p_k)^n`, whose sum is a combination of Hurwitz zeta functions.  For
    alpha <= 2 the diversity is infinite and Delta falls more slowly than the root of n.

    Examples
    --------
    >>> bounds = power_law_delta(1000, 1.5)
    >>> round(bounds.low, 9), round(bounds.high, 9)
    (0.139990586, 0.139990586)
    """
    n = validate.integer("n", n, 1, LARGEST_N)
    alpha = validate.number("alpha", alpha, 1.0, 20.0, open_low=True)
    total = float(zeta(alpha))
    atoms = max(1, math.ceil((10 * n / total) ** (1 / alpha)))
    if not atoms <= _MOST_ATOMS:
        validate.refuse("n", n, f"so small that {_MOST_ATOMS:,} atoms are enough at this alpha")
    near = 0.0
    one = np.ones(1)
    for start in range(1, atoms + 1, _BLOCK):
        k = np.arange(start, min(start + _BLOCK, atoms + 1), dtype=float)
        near += float(excess(n * one, k**-alpha / total, one).sum())
    low, high = _tail(n, alpha, atoms)
    return DeltaBounds(min(near + low, 1.0), min(near + high, 1.0))


def power_law_exponent(alpha: float) -> float:
    """Return the exponent with which Delta falls on data with p_k proportional to k^-alpha.

    Parameters
    ----------
    alpha : float
        Tail exponent, in (1, inf).

    Returns
    -------
    float
        min(1/2, 1 - 1/alpha); at alpha = 2 a logarithm comes on top.

    Notes
    -----
    Limits paper, Lemma 20, for this family: the part of an atom is about the smaller of p_k
    and the root of p_k / n.

    Examples
    --------
    >>> power_law_exponent(1.25), power_law_exponent(3.0)
    (0.2, 0.5)
    """
    alpha = validate.number("alpha", alpha, 1.0, open_low=True, open_high=True)
    return min(0.5, round(1 - 1 / alpha, 15))
