"""What n and the diversity say about the security of discrete data, with sharp constants."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.mis.discrete.deviation import LARGEST_N
from mipbook.mis.discrete.diversity import diversity

__all__ = [
    "RATE_HIGH",
    "RATE_LIMIT",
    "RATE_LOW",
    "SecurityBounds",
    "least_security",
    "rare_atom_bounds",
    "records_needed",
    "security_bounds",
]

# c1 and c2 of Corollary 15, and the value that c_n tends to: sqrt(n) Delta / C_K lies between.
RATE_LOW = (2 / 3) ** 2.5
RATE_HIGH = math.sqrt(3) / 4
RATE_LIMIT = 1 / math.sqrt(2 * math.pi)


class SecurityBounds(NamedTuple):
    """Bounds on the security of the least secure learner, balanced."""

    low: float
    high: float


def _clip(low: float, high: float) -> SecurityBounds:
    return SecurityBounds(min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0))


def _checked(p: ArrayLike, n: int) -> tuple[NDArray[np.float64], int]:
    vector = np.minimum(validate.probability_vector("p", p), 1.0)
    return vector[vector > 0], validate.integer("n", n, 1, LARGEST_N)


def security_bounds(p: ArrayLike, n: int) -> SecurityBounds:
    r"""Return Corollary 15's bounds on the worst-case security, with its sharp constants.

    ``p`` and ``n`` are as in `worst_case_delta`; the test is balanced.

    Returns
    -------
    SecurityBounds
        :math:`1 - c_2 C_K/\sqrt n` and :math:`1 - c_1 C_K/\sqrt n` where n exceeds
        :math:`1/p_k` and :math:`1/(1 - p_k)` for every atom; otherwise
        :math:`1 - C_K/(2\sqrt n)` and 1.  Both are cut to [0, 1].

    Notes
    -----
    Limits paper, Corollary 15.  ``RATE_LOW`` is :math:`c_1 = (2/3)^{5/2}`, approached at n = 3
    and p = 1/3; ``RATE_HIGH`` is :math:`c_2 = \sqrt3/4`, attained at n = 3 and p = 1/2.

    Examples
    --------
    >>> bounds = security_bounds([0.5, 0.3, 0.2], 100)
    >>> round(bounds.low, 6), round(bounds.high, 6)
    (0.941186, 0.950711)
    """
    vector, n = _checked(p, n)
    rate = diversity(vector / vector.sum()) / math.sqrt(n)
    if np.all(n * np.minimum(vector, 1 - vector) > 1):
        return _clip(1 - RATE_HIGH * rate, 1 - RATE_LOW * rate)
    return _clip(1 - rate / 2, 1.0)


def rare_atom_bounds(p: ArrayLike, n: int) -> SecurityBounds:
    r"""Return bounds on the worst-case security that take rare atoms by their exact share.

    ``p`` and ``n`` are as in `worst_case_delta`; the test is balanced.

    Returns
    -------
    SecurityBounds
        An atom with :math:`n p_k \le 1` counts as :math:`p_k (1 - p_k)^n`, its chance to be
        drawn and not to be in the data; the others as :math:`c\sqrt{p_k(1-p_k)/n}` with the
        constants of `security_bounds`.

    Notes
    -----
    Limits paper, Lemma 21.  Its condition :math:`n > 1/(1-p_1)` is not needed: an atom with
    :math:`n(1 - p_1) \le 1` counts as :math:`(1-p_1)p_1^n`, by symmetry.

    Examples
    --------
    >>> bounds = rare_atom_bounds([0.4, 0.3, 0.2, 0.05, 0.025, 0.025], 10)
    >>> round(bounds.low, 4), round(bounds.high, 4)
    (0.7466, 0.7765)
    """
    vector, n = _checked(p, n)
    lesser = np.minimum(vector, 1 - vector)
    rare = n * lesser <= 1
    share = float((lesser * np.exp(n * np.log1p(-lesser)))[rare].sum())
    rate = float(np.sqrt(vector * (1 - vector))[~rare].sum()) / math.sqrt(n)
    return _clip(1 - RATE_HIGH * rate - share, 1 - RATE_LOW * rate - share)


def least_security(K: int, n: int) -> float:
    r"""Return a bound below which no learner on K atoms has its security; balanced.

    Parameters
    ----------
    K : int
        Number of atoms, in [1, 2^53].
    n : int
        Records in the training set, in [1, 10^9].

    Returns
    -------
    float
        :math:`1 - \sqrt{K - 1} / (2\sqrt n)`, at least 0.

    References
    ----------
    Limits paper, Corollary 15 without its condition, and Lemma 23: :math:`C_K \le \sqrt{K-1}`.

    Examples
    --------
    >>> least_security(5, 100)
    0.9
    """
    K, n = validate.integer("K", K, 1, 2**53), validate.integer("n", n, 1, LARGEST_N)
    return max(0.0, 1 - math.sqrt((K - 1) / n) / 2)


def records_needed(p: ArrayLike, security: float) -> int:
    r"""Return how many records make every learning procedure as secure as asked.

    Parameters
    ----------
    p : array_like of shape (atoms,)
        The distribution of a record.
    security : float
        What the security should be at least, in [0, 1).

    Returns
    -------
    int
        A sufficient n: at most 43%, and one record, more than the smallest one that is enough,
        if the condition of Corollary 15 holds at that smallest one; else it may be further off.

    Notes
    -----
    Limits paper, Corollary 15: :math:`n \ge (c C_K / (1 - s))^2`, where c is
    :math:`\sqrt3/4` if that n is large enough for every atom, and one half otherwise.

    Examples
    --------
    >>> records_needed([0.5, 0.3, 0.2], 0.99)
    3460
    """
    vector, _ = _checked(p, 1)
    security = validate.number("security", security, 0.0, 1.0, open_high=True)
    ratio = diversity(vector / vector.sum()) / (1 - security)
    sharp = max(1, math.ceil((RATE_HIGH * ratio) ** 2))
    if np.all(sharp * np.minimum(vector, 1 - vector) > 1):
        return sharp
    return max(1, math.ceil((ratio / 2) ** 2))
