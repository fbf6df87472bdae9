"""The diversity C_K of a discrete distribution, its extremes, and the two entropies beside it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate

__all__ = [
    "SHANNON_FACTOR",
    "DiversityRange",
    "diversity",
    "diversity_range",
    "gini_simpson",
    "shannon_entropy",
]

# H <= (ln 5 / 2) C_K, with equality for five equal atoms.
SHANNON_FACTOR = float(np.log(5) / 2)


class DiversityRange(NamedTuple):
    """The least and the largest C_K that is possible."""

    low: float | NDArray[np.float64]
    high: float | NDArray[np.float64]


def diversity(p: ArrayLike) -> float:
    r"""Return C_K, the sum of the standard deviations of the atoms' indicators.

    Parameters
    ----------
    p : array_like of shape (K,)
        Probabilities of the atoms.

    Returns
    -------
    float
        :math:`\sum_k \sqrt{p_k (1 - p_k)}`, in [0, sqrt(K - 1)].

    References
    ----------
    Limits paper, equation (18) and Lemma 23.

    Examples
    --------
    >>> round(diversity([0.25, 0.25, 0.25, 0.25]) ** 2, 12)
    3.0
    """
    vector = np.minimum(validate.probability_vector("p", p), 1.0)
    return float(np.sqrt(vector * (1 - vector)).sum())


def gini_simpson(p: ArrayLike) -> float:
    r"""Return the chance that two independent draws differ; ``p`` is as in `diversity`.

    Returns
    -------
    float
        :math:`G = 1 - \sum_k p_k^2`, in [0, 1 - 1/K].

    Notes
    -----
    Limits paper, Appendix C.2.  :math:`2G \le C_K \le \sqrt{KG}`.

    Examples
    --------
    >>> gini_simpson([0.5, 0.5])
    0.5
    """
    vector = np.minimum(validate.probability_vector("p", p), 1.0)
    return float((vector * (1 - vector)).sum())


def shannon_entropy(p: ArrayLike) -> float:
    r"""Return Shannon's entropy in nats; ``p`` is as in `diversity`.

    Returns
    -------
    float
        :math:`H = -\sum_k p_k \ln p_k`, in [0, ln K].

    Notes
    -----
    Limits paper, Appendix C.2.  :math:`H \le \tfrac{\ln 5}{2} C_K`, sharp.

    Examples
    --------
    >>> round(shannon_entropy([0.5, 0.5]), 6)
    0.693147
    """
    vector = np.minimum(validate.probability_vector("p", p), 1.0)
    some = vector[vector > 0]
    return float(abs(-(some * np.log(some)).sum()))


def diversity_range(K: int, largest: ArrayLike) -> DiversityRange:
    r"""Return the least and the largest C_K of distributions with K atoms and a given largest one.

    Parameters
    ----------
    K : int
        Number of atoms, in [1, 2^53]; some may have probability 0.
    largest : array_like
        The largest probability, in [1/K, 1].

    Returns
    -------
    DiversityRange
        Both ends are attained.

    Notes
    -----
    Limits paper, Lemma 24.  The upper end is the paper's; the lower end is exact,
    :math:`m\sqrt{x(1-x)} + \sqrt{r(1-r)}` with :math:`m = \lfloor 1/x \rfloor` and
    :math:`r = 1 - mx`: the sum is concave, so its minimum lies at a corner of the set.

    Examples
    --------
    >>> ends = diversity_range(5, 0.3)
    >>> round(ends.low, 6), round(ends.high, 6)
    (1.674773, 1.978126)
    """
    K = validate.integer("K", K, 1, 2**53)
    # A reader's 1/K may be one rounding below the package's.
    x = validate.array("largest", largest, 0.0, 1.0)
    if (x < (1 - 1e-12) / K).any():
        validate.refuse("largest", largest, f"at least 1/K, here 1/{K}")
    whole = np.floor((1 + 4e-16) / x)
    rest = 1 - whole * x
    # A rest of rounding size would come out of the root as 1e-8.
    rest = np.where(rest < 4e-16 * whole, 0.0, rest)
    low = whole * np.sqrt(x * (1 - x)) + np.sqrt(rest * (1 - rest))
    high = np.sqrt(x * (1 - x)) + np.sqrt((1 - x) * np.maximum(K - 2 + x, 0.0))
    high = np.maximum(low, high)
    return DiversityRange(validate.plain(low), validate.plain(high))
