"""The least secure learning procedure on discrete data, exactly, and two others beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, gammaln, zeta

from explorable import validate
from mipbook.base.types import Array, Floats
from mipbook.mis.binomial import LARGEST_N, excess, sizes
from mipbook.mis.notion import weight_ratio

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
    flat = [np.broadcast_to(x, shape).ravel() for x in (count, gamma)]
    value = _delta(atoms, counts.astype(float), *flat).reshape(shape)
    return validate.plain(value)


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


def nu_window_limit(p: ArrayLike, u: ArrayLike) -> Floats:
    r"""Return the limit of sqrt(n) Delta at gamma = 1 + u/sqrt(n), in the worst case.

    Parameters
    ----------
    p : array_like of shape (K,)
        The distribution of a record.
    u : array_like
        How far gamma is from 1, in units of 1/sqrt(n); any real number.

    Returns
    -------
    float or ndarray
        :math:`\sum_k \sqrt{p_k q_k}\,[\varphi(x_k) - x_k (1 - \Phi(x_k))]` with
        :math:`q_k = 1 - p_k` and :math:`x_k = |u| \sqrt{p_k / q_k}`; at u = 0 it is
        :math:`C_K / \sqrt{2\pi}`.

    Notes
    -----
    From the Limits paper's Theorem 14 by the central limit theorem.  nu is
    gamma / (1 + gamma) when lam is one half, so u = 1 at n = 10,000 is nu = 0.5025.

    Examples
    --------
    >>> round(nu_window_limit([0.5, 0.25, 0.125, 0.0625, 0.0625], 1.0), 5)
    0.33321
    """
    vector = np.minimum(validate.probability_vector("p", p), 1.0)
    far = np.abs(validate.array("u", u, -np.inf, np.inf))
    vector = vector[(vector > 0) & (vector < 1)]
    spread = np.sqrt(vector * (1 - vector))
    # Beyond 40 deviations nothing is left, and infinity times zero is not a number.
    x = np.minimum(far[..., None] * np.sqrt(vector / (1 - vector)), 40.0)
    ratio = np.sqrt(np.pi / 2) * erfcx(x / np.sqrt(2))
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return validate.plain(np.asarray((spread * density * np.maximum(1 - x * ratio, 0.0)).sum(-1)))


# Atoms that are summed one by one, and terms of the expansion for the others.
_MOST_ATOMS = 20_000_000
_TERMS = 12


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
