"""Learners for discrete data with a known Delta: the signs, and the product of all records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.mis.discrete.deviation import sizes
from mipbook.mis.security.weights import weight_ratio

__all__ = ["product_delta", "sign_learner"]


def sign_learner(
    p: ArrayLike, nu: float = 0.5, lam: float = 0.5
) -> Callable[[tuple[int, ...]], tuple[bool, ...]]:
    r"""Return the learner that releases which values are over-represented, and nothing else.

    Parameters
    ----------
    p : array_like of shape (K,)
        The distribution of a record, without zeros.

    Returns
    -------
    callable
        From a histogram, a tuple of K counts, to a tuple of K booleans
        :math:`N_k / n > \gamma p_k`.

    Notes
    -----
    Limits paper, Theorem 14: the best attack against the histogram asks for nothing else, so
    this learner is as insecure as any.

    Examples
    --------
    >>> sign_learner([0.5, 0.3, 0.2])((2, 2, 1))
    (False, True, False)
    """
    vector = validate.probability_vector("p", p)
    nu, lam = validate.number("nu", nu, 0.0, 1.0), validate.number("lam", lam, 0.0, 1.0)
    gamma = float(weight_ratio(nu, lam))

    def learner(counts: tuple[int, ...]) -> tuple[bool, ...]:
        n = sum(counts)
        # A tie decides nothing, so rounding must not make it a sign of its own.
        level = gamma * n * vector * (1 + 1e-12)
        return tuple((np.asarray(counts) > level).tolist())

    return learner


def product_delta(p: ArrayLike, n: ArrayLike, nu: Any = 0.5, lam: Any = 0.5) -> float | NDArray[np.float64]:
    r"""Return Delta of the learner that releases the product of n records of 0 and 1.

    Parameters
    ----------
    p : array_like
        Chance that a record is 1, in [0, 1].
    n : array_like
        Records in the training set, whole numbers in [1, 10^9].

    Returns
    -------
    float or ndarray
        Delta in [0, 1]; balanced it is :math:`2(1 - p)p^n`.

    Notes
    -----
    Limits paper, Lemma 22.  The product is the minimum; for the maximum put 1 - p for p.

    Examples
    --------
    >>> round(product_delta(0.8, 10), 12), product_delta(0.8, 5, nu=0.6)
    (0.04294967296, 0.0)
    """
    chance = validate.array("p", p, 0.0, 1.0)
    count = sizes("n", n)
    gamma = np.asarray(weight_ratio(nu, lam))
    validate.broadcast(("p", "n", "nu and lam"), (chance, count, gamma))
    q = 1 - chance
    with np.errstate(under="ignore"):
        all_ones = chance**count
        # The pairs (product, record); the pair (1, 0) has no member.
        above = all_ones * np.maximum(1 - gamma * chance, 0.0)
        above = above + q * np.maximum(1 - gamma + gamma * all_ones, 0.0)
        other = chance * (1 - all_ones) - (chance - all_ones) / gamma
        below = all_ones * q + np.maximum(other, 0.0) + q * np.maximum(1 - all_ones - 1 / gamma, 0)
        below = below + all_ones * np.maximum(chance - 1 / gamma, 0.0)
    balanced = 2 * q * all_ones
    value = np.where(gamma > 1, above, np.where(gamma < 1, below, balanced))
    return validate.plain(np.asarray(np.minimum(value, 1.0)))
