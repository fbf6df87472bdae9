"""Binomial probabilities that stay accurate for a billion trials."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc, gammaln

from explorable import validate
from explorable.checked import Numbers, checked
from mipbook.base.types import Array, Floats, Rates

# A series of terms that halve is complete after so many.
_TERMS = 64
_HALF_LOG_TAU = 0.5 * float(np.log(2 * np.pi))


def stirling_error(n: Array) -> Array:
    """Return log Gamma(n + 1) minus Stirling's formula, for n > 0."""
    small = n < 16
    low, high = np.where(small, n, 1.0), np.where(small, 16.0, n)
    exact = gammaln(low + 1) - (low + 0.5) * np.log(low) + low - _HALF_LOG_TAU
    x = 1 / high**2
    series = (1 / 12 - x * (1 / 360 - x * (1 / 1260 - x * (1 / 1680 - x / 1188)))) / high
    return np.where(small, exact, series)


def deviance(k: Array, mean: Array) -> Array:
    """Return k log(k/mean) - k + mean without cancellation near k = mean, for k > 0."""
    v = (k - mean) / (k + mean)
    near = np.abs(v) < 0.1
    w = np.where(near, v, 0.0)
    square, power, total = w * w, w.copy(), np.zeros_like(w)
    for j in range(1, 9):
        power *= square
        total += power / (2 * j + 1)
    series = (k - mean) * w + 2 * k * total
    if near.all():
        return series
    # A mean of zero is as far away as can be.
    floor = np.where(mean > 0, mean, 1.0)
    with np.errstate(over="ignore"):  # nor is a mean below 1e-308 any nearer
        plain = np.where(mean > 0, k * np.log(k / floor) - k + mean, np.inf)
    return np.where(near, series, plain)


def log_pmf(k: Array, n: Array, p: Array) -> Array:
    """Return log P(Bin(n, p) = k) for whole 0 <= k <= n and 0 < p < 1.

    The saddle-point form: logarithms of factorials of 10^9 would lose ten digits.
    """
    q = 1 - p
    ends = np.where(k == 0, n * np.log1p(-p), n * np.log(p))
    inner = (k > 0) & (k < n)
    k, n = np.where(inner, k, 1.0), np.where(inner, n, 2.0)
    middle = (
        stirling_error(n)
        - stirling_error(k)
        - stirling_error(n - k)
        - deviance(k, n * p)
        - deviance(n - k, n * q)
        - 0.5 * np.log(k / n * (n - k))
        - _HALF_LOG_TAU
    )
    return np.where(inner, middle, ends)


def pmf(k: Array, n: Any, p: Any) -> Array:
    """Return P(Bin(n, p) = k) for whole 0 <= k <= n and 0 <= p <= 1.

    SciPy's takes half a second to import, in every process that draws panels.
    """
    inside = np.asarray((p > 0) & (p < 1))
    value = np.exp(log_pmf(k, n * np.ones(1), np.where(inside, p, 0.5)))
    return np.where(inside, value, k == np.where(p > 0, n, 0))


def excess(n: Array, p: Array, gamma: Array) -> Array:
    """Return E (B/n - gamma p)_+ for gamma >= 1 and E (gamma p - B/n)_+ for gamma <= 1.

    This is what is left of (E|B/n - gamma p| - |gamma - 1| p) / 2, and it is small where
    gamma is not 1: taking the difference would lose it.
    """
    n, p, gamma = np.broadcast_arrays(n, p, gamma)
    # With p = 1, and above the largest count, nothing exceeds; p = 0 has no mass.
    inside = (p > 0) & (p < 1) & (gamma * p < 1) & (gamma > 0)
    p, gamma = np.where(inside, p, 0.5), np.where(inside, gamma, 1.0)
    threshold = gamma * n * p
    m = np.minimum(np.floor(threshold), n - 1)
    # The main term is (n - m) C(n, m) p^(m+1) q^(n-m).
    value = np.array(np.exp(np.log((n - m) * p) + log_pmf(m, n, p)) / n)
    # How fast the terms fall beyond the threshold, downwards below gamma = 1 and else upwards.
    with np.errstate(over="ignore"):  # an infinite fall is a fast one
        falls = np.where(gamma < 1, m * (1 - p) / ((n - m + 1) * p), (n - m - 1) * p / ((m + 2) * (1 - p)))
    few = (gamma != 1) & (falls < 0.5)
    many = (gamma != 1) & ~few
    if np.any(many):
        n_, p_, gamma_, m_ = n[many], p[many], gamma[many], m[many]
        above, below = betainc(m_ + 1, n_ - m_, p_), betaincc(m_ + 1, n_ - m_, p_)
        value[many] -= np.abs(gamma_ - 1) * p_ * np.where(gamma_ > 1, above, below)
    if np.any(few):
        value[few] = _few_terms(n[few], p[few], gamma[few], m[few]) / n[few]
    return np.where(inside, np.maximum(value, 0.0), 0.0)


def _few_terms(n: Array, p: Array, gamma: Array, m: Array) -> Array:
    """Return n times the excess as a sum of positive terms that halve at least."""
    down = gamma < 1
    k = np.where(down, m, m + 1)
    odds, threshold = p / (1 - p), gamma * n * p
    chance = np.exp(log_pmf(k, n, p))
    total = np.zeros_like(p)
    for term in range(_TERMS):
        total += chance * np.abs(threshold - k)
        # None of those that follow is larger than this, which changes no digit.
        if term % 8 == 7 and (total + 2 * chance * (np.abs(threshold - k) + _TERMS) == total).all():
            break
        # Beyond 0 and n this is not positive, and nothing is left.
        into, out_of = np.where(down, k, (n - k) * odds), np.where(down, (n - k + 1) * odds, k + 1)
        chance = chance * np.maximum(into, 0.0) / out_of
        k = k + np.where(down, -1, 1)
    return total


# Above it n p is off by more than a millionth of a count.
LARGEST_N = 10**9


def sizes(name: str, value: ArrayLike) -> Array:
    """Return whole numbers in [1, 10^9] as floats."""
    n = validate.array(name, value, 1, LARGEST_N)
    if np.any(n != np.floor(n)):
        validate.refuse(name, value, f"whole numbers in [1, {LARGEST_N}]")
    return n


@checked
def mean_absolute_deviation(
    n: ArrayLike, p: Rates, gamma: Annotated[Any, Numbers(0.0, np.inf, open_high=True)] = 1.0
) -> Floats:
    r"""Return E|B/n - gamma p| for a binomial count B of n trials with chance p.

    Parameters
    ----------
    n : array_like
        Trials, whole numbers in [1, 10^9].
    p : array_like
        Chance, in [0, 1].
    gamma : array_like
        What multiplies the mean, in [0, inf); 1 for the mean absolute deviation itself.

    Notes
    -----
    Limits paper, Lemmas 29 and 31.  With :math:`m = \lfloor np \rfloor` and gamma = 1 the
    value is :math:`2\binom{n-1}{m}p^{m+1}(1-p)^{n-m}`; otherwise an incomplete beta function
    enters.  Evaluated by the saddle-point form of the binomial distribution, in logarithms.

    Examples
    --------
    >>> round(mean_absolute_deviation(7, 1 / 3) * 2187, 9)
    320.0
    >>> round(mean_absolute_deviation(10**9, 0.5) * 10**4.5, 6)
    0.398942
    """
    count = sizes("n", n)
    validate.broadcast(("n", "p", "gamma"), (count, p, gamma))
    value = np.abs(gamma - 1) * p + 2 * excess(count, p, gamma)
    return validate.plain(value)
