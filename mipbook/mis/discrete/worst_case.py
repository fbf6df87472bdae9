"""The least secure learning procedure on discrete data, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.mis.binomial import excess
from mipbook.mis.discrete.deviation import sizes
from mipbook.mis.security.weights import weight_ratio

__all__ = ["worst_case_delta", "worst_case_securities", "worst_case_security"]

# Entries of one block: large enough for vectorised arithmetic, small enough for the cache.
_BLOCK = 1 << 17


def _delta(atoms: Array, counts: Array, n: Array, gamma: Array) -> Array:
    """Return Delta for each pair of n and gamma, two vectors of one length."""
    total = np.zeros(len(n))
    step = max(1, _BLOCK // len(n))
    for start in range(0, len(atoms), step):
        part = excess(n[:, None], atoms[start : start + step], gamma[:, None])
        total += part @ counts[start : start + step]
    # The excess is E(B/n - gamma p)_+ above 1, and E(gamma p - B/n)_+ below: min(1, gamma).
    return np.clip(total / np.minimum(1.0, gamma), 0.0, 1.0)


def worst_case_delta(
    p: ArrayLike, n: ArrayLike, nu: ArrayLike = 0.5, lam: ArrayLike = 0.5
) -> float | NDArray[np.float64]:
    r"""Return the largest Delta that any learning procedure has on discrete data.

    Parameters
    ----------
    p : array_like of shape (atoms,)
        The distribution of a record.
    n : array_like
        Records in the training set, whole numbers in [1, 10^9].

    Returns
    -------
    float or ndarray
        In [0, 1], of the common shape of ``n``, ``nu`` and ``lam``.

    Notes
    -----
    Limits paper, Theorem 14: with the weights :math:`a, b` of members and non-members,
    :math:`\Delta = \bigl(\sum_k \mathbb E|a B_k/n - b p_k| - |a - b|\bigr) / (2\min(a, b))`.
    The work grows with the number of *different* probabilities.

    Examples
    --------
    >>> round(worst_case_delta([0.5, 0.3, 0.2], 5), 12)
    0.245722
    >>> worst_case_delta([0.5, 0.3, 0.2], [5, 50], nu=[[0.5], [0.4]]).round(6)
    array([[0.245722, 0.076133],
           [0.162832, 0.006665]])
    """
    vector = validate.probability_vector("p", p)
    count = sizes("n", n)
    gamma = np.asarray(weight_ratio(nu, lam))
    shape = validate.broadcast(("n", "nu and lam"), (count, gamma))
    if 0 in shape:
        return np.zeros(shape)
    atoms, counts = np.unique(vector, return_counts=True)
    flat = [np.broadcast_to(x, shape).ravel() for x in (count, gamma)]
    value = _delta(atoms, counts.astype(float), *flat).reshape(shape)
    return validate.plain(value)


def worst_case_security(
    p: ArrayLike, n: ArrayLike, nu: ArrayLike = 0.5, lam: ArrayLike = 0.5
) -> float | NDArray[np.float64]:
    """Return the membership inference security of the least secure learning procedure.

    It is 1 minus `worst_case_delta`; the arguments are as in `worst_case_delta`.  At 1 no
    attack beats the constant ones.

    Notes
    -----
    Limits paper, Theorem 14.  Attained by releasing the histogram, and already by releasing
    which values are over-represented, `sign_learner`.

    Examples
    --------
    >>> round(worst_case_security([0.5, 0.3, 0.2], 5), 12)
    0.754278
    """
    return 1.0 - worst_case_delta(p, n, nu, lam)


def worst_case_securities(laws: Sequence[Array], n: int) -> Array:
    """Return the security of many distributions at one n and balanced weights; no checks.

    Probabilities that distributions share are looked at once.

    Examples
    --------
    >>> worst_case_securities([np.array([0.5, 0.3, 0.2]), np.ones(1)], 5).round(6)
    array([0.754278, 1.      ])
    """
    atoms, place = np.unique(np.concatenate(laws), return_inverse=True)
    each = excess(np.array(float(n)), atoms, np.ones(1))[place]
    starts = np.cumsum([0, *(law.size for law in laws[:-1])])
    return np.asarray(1.0 - np.clip(np.add.reduceat(each, starts), 0.0, 1.0))
