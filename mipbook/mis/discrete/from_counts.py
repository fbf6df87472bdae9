"""C_K from counts: what the plug-in value is on average, and a jackknife correction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.base.types import Array
from mipbook.mis.discrete.worst_case import worst_case_delta

__all__ = [
    "counted_diversity_means",
    "jackknife_diversity",
    "jackknife_diversity_mean",
    "plug_in_diversity",
    "plug_in_diversity_mean",
    "worst_case_delta_from_counts",
]


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
