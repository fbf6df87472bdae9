"""What n and the diversity of discrete data say about security, and the diversity from counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.base.types import Array, Floats
from mipbook.mis.binomial import LARGEST_N
from mipbook.mis.discrete import worst_case_delta

# H <= (ln 5 / 2) C_K, with equality for five equal atoms.
SHANNON_FACTOR = float(np.log(5) / 2)


class DiversityRange(NamedTuple):
    """The least and the largest C_K that is possible."""

    low: Floats
    high: Floats


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


def _checked(p: ArrayLike, n: int) -> tuple[Array, int]:
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


# Means are sums over all counts but those that are so improbable.
_FAR = 50.0
_BLOCK = 64


def _cell(count: Array, n: int) -> Array:
    """Return one atom's part of C_K when it has ``count`` of ``n`` records."""
    return np.asarray(np.sqrt(count * (n - count)) / n)


def _jackknife_cell(count: Array, n: int) -> Array:
    """Return one atom's part of n C - (n - 1) (mean of C without one record)."""
    # A record of this atom is left out with chance count / n; the other parts do not interfere.
    without = np.where(count > 0, _cell(np.maximum(count - 1, 0), n - 1), 0.0)
    kept = np.where(count < n, _cell(np.minimum(count, n - 1), n - 1), 0.0)
    return np.asarray(n * _cell(count, n) - (n - 1) * (count / n * without + (1 - count / n) * kept))


def _counts(counts: ArrayLike, fewest: int) -> tuple[Array, int]:
    table = validate.array("counts", counts, 0, 2**53, ndim=1)
    if np.any(table != np.floor(table)) or table.sum() < fewest:
        validate.refuse("counts", counts, f"whole numbers whose sum is at least {fewest}")
    return table, int(table.sum())


def plug_in_diversity(counts: ArrayLike) -> float:
    r"""Return C_K of observed frequencies.

    Parameters
    ----------
    counts : array_like of shape (atoms,)
        How many records fall on each atom; atoms that were not seen may be left out.

    Returns
    -------
    float
        In [0, sqrt(K - 1)].  Lower than the truth on average: `plug_in_diversity_mean`.

    References
    ----------
    Limits paper, equation 18 and Section 6.2: "numerically computed".

    Examples
    --------
    >>> plug_in_diversity([2, 2, 2, 2, 2])
    2.0
    """
    table, n = _counts(counts, 1)
    return float(_cell(table, n).sum())


def jackknife_diversity(counts: ArrayLike) -> float:
    r"""Return C_K of observed frequencies, corrected by leaving out one record at a time.

    Parameters
    ----------
    counts : array_like of shape (atoms,)
        How many of at least two records fall on each atom.

    Returns
    -------
    float
        :math:`n \hat C - (n-1)` times the mean of :math:`\hat C` without one record.

    Notes
    -----
    For the constant of Limits paper, equation 18.  An estimate, not a bound: how much bias is
    left under a given distribution says `jackknife_diversity_mean`.  It needs atoms with several
    records each; of atoms never seen it knows nothing.

    Examples
    --------
    >>> round(jackknife_diversity([2, 2, 2, 2, 2]), 4)
    2.2049
    """
    table, n = _counts(counts, 2)
    return float(_jackknife_cell(table, n).sum())


def worst_case_delta_from_counts(counts: ArrayLike, n: int) -> float:
    r"""Estimate Theorem 14's Delta from observed frequencies, less low than theirs.

    Parameters
    ----------
    counts : array_like of shape (atoms,)
        How many of at least two records fall on each atom.
    n : int
        Records that a learner is trained on, in [1, 10^9].

    Returns
    -------
    float
        In [0, 1]; balanced.  An estimate, not a bound: with K atoms
        :math:`\sqrt{K - 1} / (2\sqrt n)` is certain.

    Notes
    -----
    Limits paper, Theorem 14.  The frequencies' own Delta is low on average, as their C_K is,
    and by about the same factor: it is scaled by what the jackknife does to C_K.  A jackknife
    of Delta itself fails: as a function of p it has a cusp at every count.

    Examples
    --------
    >>> from mipbook import mis
    >>> seen = [5, 4, 3, 2, 2, 1, 1, 1, 1]
    >>> p = np.array(seen) / 20
    >>> round(mis.worst_case_delta(p, 20), 3), round(worst_case_delta_from_counts(seen, 20), 3)
    (0.227, 0.274)
    """
    table, total = _counts(counts, 2)
    n = validate.integer("n", n, 1, 10**9)
    rough = plug_in_diversity(table)
    own = float(worst_case_delta(table / total, n))
    return min(1.0, own * jackknife_diversity(table) / rough) if rough else own


def _means_of(cells: Sequence[Callable[[Array, int], Array]], p: ArrayLike, n: int) -> Array:
    """Return the sum over all atoms of the mean of each ``cell(B, n)`` for a binomial count B."""
    from scipy.stats import binom

    law = validate.probability_vector("p", p)
    # Frequencies repeat: each value is summed over the binomial distribution once.
    values, times = np.unique(law, return_counts=True)
    values = np.minimum(values, 1.0)
    parts = np.array([cell(np.arange(n + 1.0), n) for cell in cells])
    # Farther from its mean a count has a chance below 2 e^-_FAR (Bernstein's inequality).
    reach = _FAR / 3 + np.sqrt(_FAR**2 / 9 + 2 * _FAR * n * values * (1 - values))
    first = np.maximum(np.floor(n * values - reach), 0).astype(int)
    last = np.minimum(np.ceil(n * values + reach), n).astype(int)
    total = np.zeros(len(cells))
    # Values in order, so that a block's windows are of about one width.
    for start in range(0, len(values), _BLOCK):
        block = slice(start, start + _BLOCK)
        width = int((last[block] - first[block]).max()) + 1
        seen = first[block, None] + np.arange(width)
        chances = times[block, None] * binom.pmf(seen, n, values[block, None])
        total += (parts[:, np.minimum(seen, n)] * chances).sum(axis=(1, 2))
    return total


def plug_in_diversity_mean(p: ArrayLike, n: int) -> float:
    r"""Return the plug-in C_K of n records on average, by summation.

    Parameters
    ----------
    p : array_like of shape (atoms,)
        The distribution of a record.
    n : int
        Records, in [1, 100,000].

    Returns
    -------
    float
        At most C_K(p), and not decreasing in n.

    Notes
    -----
    Limits paper, equation 18.  C_K is concave, so Jensen's inequality gives the sign of the
    bias.  Each atom's count is binomial, so no joint distribution is needed; what is left out
    of the sum has a chance below 4e-22 an atom.

    Examples
    --------
    >>> round(plug_in_diversity_mean([0.5, 0.5], 2), 12)
    0.5
    """
    return float(_means_of([_cell], p, validate.integer("n", n, 1, 100_000))[0])


def jackknife_diversity_mean(p: ArrayLike, n: int) -> float:
    r"""Return the jackknife's C_K of n records on average, by summation.

    ``p`` and ``n``, at least 2, are as in `plug_in_diversity_mean`.

    Notes
    -----
    For the constant of Limits paper, equation 18.

    Examples
    --------
    >>> round(jackknife_diversity_mean([0.5, 0.5], 2), 12)
    1.0
    """
    return float(_means_of([_jackknife_cell], p, validate.integer("n", n, 2, 100_000))[0])


def counted_diversity_means(p: ArrayLike, n: int) -> tuple[float, float]:
    """Return `plug_in_diversity_mean` and `jackknife_diversity_mean` in half the time.

    ``p`` and ``n``, at least 2, are as there.

    References
    ----------
    Limits paper, equation 18.

    Examples
    --------
    >>> [round(mean, 12) for mean in counted_diversity_means([0.5, 0.5], 2)]
    [0.5, 1.0]
    """
    n = validate.integer("n", n, 2, 100_000)
    rough, corrected = _means_of([_cell, _jackknife_cell], p, n).tolist()
    return rough, corrected
