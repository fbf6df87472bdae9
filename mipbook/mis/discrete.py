"""Discrete data: the least secure learner, exactly, and what n and the diversity say of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, zeta

from explorable import validate
from mipbook.base.types import Array, Floats
from mipbook.game.counts import Interval
from mipbook.mis.binomial import LARGEST_N, excess, sizes
from mipbook.mis.notion import weight_ratio

# Entries of one block: large enough for vectorised arithmetic, small enough for the cache.
_BLOCK = 1 << 17


def worst_case_delta(p: ArrayLike, n: ArrayLike, nu: ArrayLike = 0.5, lam: ArrayLike = 0.5) -> Floats:
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
    n_, gamma_ = (np.broadcast_to(x, shape).reshape(-1, 1) for x in (count, gamma))
    total = np.zeros(n_.size)
    step = max(1, _BLOCK // n_.size)
    for start in range(0, atoms.size, step):
        part = slice(start, start + step)
        total += excess(n_, atoms[part], gamma_) @ counts[part].astype(float)
    # The excess is E(B/n - gamma p)_+ above 1, and E(gamma p - B/n)_+ below: min(1, gamma).
    value = np.clip(total / np.minimum(1.0, gamma_[:, 0]), 0.0, 1.0)
    return validate.plain(value.reshape(shape))


def worst_case_security(p: ArrayLike, n: ArrayLike, nu: ArrayLike = 0.5, lam: ArrayLike = 0.5) -> Floats:
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


def worst_case_securities(laws: Sequence[Array], n: int, gamma: ArrayLike = 1.0) -> Array:
    """Return the security of many distributions at one n and one ratio of weights b / a; no checks.

    Probabilities that distributions share are looked at once.  A column of ratios gives a row each.

    Examples
    --------
    >>> worst_case_securities([np.array([0.5, 0.3, 0.2]), np.ones(1)], 5).round(6)
    array([0.754278, 1.      ])
    """
    atoms, place = np.unique(np.concatenate(laws), return_inverse=True)
    each = excess(np.array(float(n)), atoms, np.array(gamma))[..., place] / np.minimum(1.0, gamma)
    starts = np.cumsum([0, *(law.size for law in laws[:-1])])
    return np.asarray(1.0 - np.clip(np.add.reduceat(each, starts, axis=-1), 0.0, 1.0))


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


def product_delta(p: ArrayLike, n: ArrayLike, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
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


# Atoms that are summed one by one, and terms of the expansion for the others.
_MOST_ATOMS = 20_000_000
_TERMS = 12


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


def power_law_delta(n: int, alpha: float) -> Interval:
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
    Interval
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
    return Interval(min(near + low, 1.0), min(near + high, 1.0))


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


# H <= (ln 5 / 2) C_K, with equality for five equal atoms.
SHANNON_FACTOR = float(np.log(5) / 2)


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


def diversity_range(K: int, largest: ArrayLike) -> Interval:
    r"""Return the least and the largest C_K of distributions with K atoms and a given largest one.

    Parameters
    ----------
    K : int
        Number of atoms, in [1, 2^53]; some may have probability 0.
    largest : array_like
        The largest probability, in [1/K, 1].

    Returns
    -------
    Interval
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
    return Interval(validate.plain(low), validate.plain(high))


# c1 and c2 of Corollary 15, and the value that c_n tends to: sqrt(n) Delta / C_K lies between.
RATE_LOW = (2 / 3) ** 2.5
RATE_HIGH = math.sqrt(3) / 4
RATE_LIMIT = 1 / math.sqrt(2 * math.pi)


def _clip(low: float, high: float) -> Interval:
    return Interval(min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0))


def _checked(p: ArrayLike, n: int) -> tuple[Array, int]:
    vector = np.minimum(validate.probability_vector("p", p), 1.0)
    return vector[vector > 0], validate.integer("n", n, 1, LARGEST_N)


def security_bounds(p: ArrayLike, n: int) -> Interval:
    r"""Return Corollary 15's bounds on the worst-case security, with its sharp constants.

    ``p`` and ``n`` are as in `worst_case_delta`; the test is balanced.

    Returns
    -------
    Interval
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


def rare_atom_bounds(p: ArrayLike, n: int) -> Interval:
    r"""Return bounds on the worst-case security that take rare atoms by their exact share.

    ``p`` and ``n`` are as in `worst_case_delta`; the test is balanced.

    Returns
    -------
    Interval
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
_VALUES = 64


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


def _mean_of(cell: Callable[[Array, int], Array], p: ArrayLike, n: int) -> float:
    """Return the sum over all atoms of the mean of ``cell(B, n)`` for a binomial count B."""
    from scipy.stats import binom

    law = validate.probability_vector("p", p)
    # Frequencies repeat: each value is summed over the binomial distribution once.
    values, times = np.unique(law, return_counts=True)
    values = np.minimum(values, 1.0)
    parts = cell(np.arange(n + 1.0), n)
    # Farther from its mean a count has a chance below 2 e^-_FAR (Bernstein's inequality).
    reach = _FAR / 3 + np.sqrt(_FAR**2 / 9 + 2 * _FAR * n * values * (1 - values))
    first = np.maximum(np.floor(n * values - reach), 0).astype(int)
    last = np.minimum(np.ceil(n * values + reach), n).astype(int)
    total = 0.0
    # Values in order, so that a block's windows are of about one width.
    for start in range(0, len(values), _VALUES):
        block = slice(start, start + _VALUES)
        width = int((last[block] - first[block]).max()) + 1
        seen = first[block, None] + np.arange(width)
        chances = times[block, None] * binom.pmf(seen, n, values[block, None])
        total += float((parts[np.minimum(seen, n)] * chances).sum())
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
    return _mean_of(_cell, p, validate.integer("n", n, 1, 100_000))


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
    return _mean_of(_jackknife_cell, p, validate.integer("n", n, 2, 100_000))
