"""The Gaussian mechanism, forwards: delta, TPR and advantage; what any DP mechanism allows."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erf, ndtri

from explorable import validate
from explorable.checked import checked
from mipbook.base.types import Array, Deltas, Distribution, Epsilons, Floats, Rates, Sensitivities, Sigmas
from mipbook.tradeoff.numerics import (
    INV_SQRT_2PI,
    SQRT_2PI,
    SQRT_HALF,
    in_blocks,
    mills,
    quotient,
    scaled,
    spread,
    two_product,
    two_sum,
)


@checked
@in_blocks
def gaussian_delta(epsilon: Epsilons, sigma: Sigmas, sensitivity: Sensitivities = 1.0) -> Floats:
    r"""Smallest delta for which the Gaussian mechanism is (epsilon, delta)-DP.

    The value is exact, not a bound: with :math:`\mu = s/\sigma`,

    .. math:: \delta = \Phi(\mu/2 - \epsilon/\mu) - e^\epsilon\,\Phi(-\mu/2 - \epsilon/\mu).

    Returns
    -------
    float or ndarray
        delta in [0, 1], rounded to nearest.

    Notes
    -----
    The inputs are taken as exact.  The exponent is computed with twice the digits
    of a double, so that at ``epsilon`` 1e5, where a change of ``sigma`` in its last
    digit moves ``delta`` by 1e-11, the relative error is still below 1e-13 for
    every delta of at least 1e-300.  Below the smallest double the result is 0.

    Limits: delta is 0 at ``epsilon`` inf, at ``sigma`` inf and at ``sensitivity``
    0; otherwise it is 1 at ``sigma`` 0, and at ``epsilon`` 0 it is the total
    variation distance, `gaussian_advantage`.

    References
    ----------
    B. Balle and Y.-X. Wang, "Improving the Gaussian Mechanism for Differential
    Privacy", ICML 2018, Theorem 8.  The same statement is Lemma 10 of A. Lowy et al.,
    "Why Does Differential Privacy with Large Epsilon Defend Against Practical
    Membership Inference Attacks?", 2024.

    Examples
    --------
    >>> round(gaussian_delta(1.0, 1.0), 12)
    0.126936737507
    >>> gaussian_delta([0.0, 1000.0], [1.0, 0.02]).round(6).tolist()
    [0.382925, 1.0]
    """
    zero = np.isinf(epsilon) | np.isinf(sigma) | (sensitivity == 0)
    one = (sigma == 0) & ~zero
    epsilon, sigma, sensitivity = (np.where(zero | one, 1.0, a) for a in (epsilon, sigma, sensitivity))
    # c = epsilon / mu and h = mu / 2, each as an unevaluated sum of two doubles.
    high, low, exponent = quotient(sensitivity, sigma)
    em, ee = np.frexp(epsilon)
    c_high = em / high
    p, e = two_product(c_high, high)
    c_low = (((em - p) - e) - c_high * low) / high
    c, h = scaled(c_high, ee - exponent), scaled(high, exponent - 1)
    u, rest = two_sum(c, -h)
    rest += scaled(c_low, ee - exponent) - scaled(low, exponent - 1)
    u, rest = two_sum(u, rest)  # G is computed from the leading part alone
    g, _, complement = spread(c, h, u, c + h)
    p = _times_density(g, u, rest)
    return np.where(zero, 0.0, np.where(one, 1.0, np.where(complement, 1.0 - p, p)))


def _root_density(x: Array, rest: Array | float) -> Array:
    """Return exp(-(x + rest)^2 / 4) where ``rest`` holds digits of x below the last."""
    x = np.clip(x, -60.0, 60.0)  # the square of the result is 0 from 39 on
    square, e = two_product(x, x)
    e += 2.0 * x * rest
    return np.exp(-0.25 * square) * np.exp(-0.25 * np.clip(e, -1.0, 1.0))


def _times_density(factor: Array, x: Array, rest: Array) -> Array:
    """Return the normal density at x + rest times a factor."""
    # The density enters as a square so that it underflows only together with the result.
    root = _root_density(x, rest)
    return (root * factor) * root * INV_SQRT_2PI


@checked
@in_blocks
def gaussian_advantage(sigma: Sigmas, sensitivity: Sensitivities = 1.0) -> Floats:
    r"""Total variation distance of the two outputs of a Gaussian mechanism.

    It is the best membership advantage, :math:`\max(\mathrm{TPR} - \mathrm{FPR}) =
    2\,\mathrm{accuracy} - 1 = 2\Phi(\mu/2) - 1` with :math:`\mu = s/\sigma`.

    Parameters
    ----------
    sigma : float or array, in [0, inf]
        Standard deviation of the noise.
    sensitivity : float or array, in [0, inf)
        Distance between the two means, in the units of ``sigma``.

    Returns
    -------
    float or ndarray
        Advantage in [0, 1], with a relative error below 1e-14; 0 at ``sigma`` inf
        and at ``sensitivity`` 0, otherwise 1 at ``sigma`` 0.

    References
    ----------
    J. Dong, A. Roth and W. J. Su, "Gaussian Differential Privacy", JRSS B 2022,
    Section 2.

    Examples
    --------
    >>> round(gaussian_advantage(1.0), 12)
    0.382924922548
    """
    mu, _ = _shift(sigma, sensitivity)
    return np.asarray(erf(mu * (0.5 * SQRT_HALF)))


def _shift(sigma: Array, sensitivity: Array) -> tuple[Array, Array]:
    """Return mu = sensitivity / sigma as a sum of two doubles; at most about 1e307."""
    none = np.isinf(sigma) | (sensitivity == 0)
    full = (sigma == 0) & ~none
    limit = none | full
    high, low, exponent = quotient(np.where(limit, 1.0, sensitivity), np.where(limit, 1.0, sigma))
    mu, rest = scaled(high, exponent), scaled(low, exponent)
    return np.where(none, 0.0, np.where(full, math.inf, mu)), np.where(limit, 0.0, rest)


@checked
@in_blocks
def gaussian_tpr(fpr: Rates, sigma: Sigmas, sensitivity: Sensitivities = 1.0) -> Floats:
    r"""Best true positive rate at a false positive rate, :math:`\Phi(\Phi^{-1}(x) + \mu)`.

    Parameters
    ----------
    sigma : float or array, in [0, inf]
        Standard deviation of the noise.
    sensitivity : float or array, in [0, inf)
        Distance between the two means; :math:`\mu = s/\sigma`.

    Returns
    -------
    float or ndarray
        True positive rate in [0, 1], never below ``fpr``.

    Notes
    -----
    The relative error is below 1e-13 for every ``fpr``, down to the smallest, as
    long as the result is at least 1e-300: one Newton step gives the quantile twice
    the digits, and a small rate is a tail probability, never ``1 - beta``.

    Limits: ``fpr`` itself at ``sigma`` inf and at ``sensitivity`` 0; otherwise 1 at
    ``sigma`` 0, even for ``fpr`` 0.  At ``fpr`` 0 and positive ``sigma`` it is 0.

    References
    ----------
    J. Dong, A. Roth and W. J. Su, "Gaussian Differential Privacy", JRSS B 2022,
    equation (6).

    Examples
    --------
    >>> round(gaussian_tpr(0.01, 1.0), 12)
    0.092362248074
    >>> gaussian_tpr([0.0, 0.5, 1.0], 1.0).round(6).tolist()
    [0.0, 0.841345, 1.0]
    """
    inside = np.where((fpr > 0) & (fpr < 1), fpr, 0.5)
    small = np.minimum(inside, 1.0 - inside)  # 1 - fpr is exact where it is taken
    z = ndtri(small)
    root = _root_density(z, 0.0)
    # Newton on log Phi; dividing by the square root twice keeps subnormal rates exact.
    step = small / root / root * SQRT_2PI - mills(-z)
    sign = np.where(inside > 0.5, -1.0, 1.0)
    mu, rest = _shift(sigma, sensitivity)
    # Phi^-1(fpr) + mu as a sum of two doubles.
    x, e = two_sum(sign * z, np.minimum(mu, 1e300))
    rest = e + (rest + sign * step)
    tail = _times_density(mills(np.abs(x)), np.abs(x), np.where(x < 0, -rest, rest))
    tpr = np.where(x < 0, tail, 1.0 - tail)
    tpr = np.where((mu == 0) | (fpr == 0) | (fpr == 1), fpr, np.maximum(tpr, fpr))
    return np.where(np.isinf(mu), 1.0, tpr)


# --- Bounds that hold for every (epsilon, delta)-DP mechanism, and the hockey-stick ---------------

# e^1418 times the smallest double is far above 1, and e^709 is still finite.
_SATURATED = 1418.0
# Entries of the table of differences held at once: 32 MB.
_TABLE = 1 << 22


@checked
@in_blocks
def dp_tpr(fpr: Rates, epsilon: Epsilons, delta: Deltas = 0.0) -> Floats:
    r"""Best true positive rate that any (epsilon, delta)-DP mechanism allows.

    .. math:: \min\{1,\; \delta + e^\epsilon x,\; 1 - e^{-\epsilon}(1 - \delta - x)\}

    Returns
    -------
    float or ndarray
        True positive rate in [fpr, 1].

    Notes
    -----
    Huge ``epsilon`` does not overflow.  At ``epsilon`` inf the rate is ``delta``
    for ``fpr`` 0 and 1 for every other: the limit of the formula.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential
    Privacy", IEEE Trans. Inf. Theory 2017, Theorem 2.1.

    Examples
    --------
    >>> round(dp_tpr(0.01, 1.0, 1e-5), 12)
    0.027192818285
    >>> dp_tpr([0.0, 1e-300, 0.5], 1000.0).tolist()
    [0.0, 1.0, 1.0]
    """
    first = delta + _times_exp(fpr, epsilon)
    # The published form 1 - e^-eps (1 - delta - x) loses every digit at small epsilon.
    second = -np.expm1(-epsilon) + np.exp(-epsilon) * (delta + fpr)
    return np.asarray(np.maximum(fpr, np.minimum(1.0, np.minimum(first, second))))


def _times_exp(x: Array, epsilon: Array) -> Array:
    """Return x e^epsilon where it is at most 1e290, else a number far above 1."""
    root = np.exp(0.5 * np.minimum(epsilon, _SATURATED))
    return (x * root) * root


@checked
@in_blocks
def dp_accuracy(epsilon: Epsilons, delta: Deltas = 0.0) -> Floats:
    r"""Best membership accuracy against the worst (epsilon, delta)-DP mechanism.

    Both hypotheses have probability 1/2.  The value is :math:`1/2 + \eta` with
    :math:`\eta = \delta/2 + (1 - \delta)\tanh(\epsilon/2)/2`, and the mechanism
    that attains it reveals all with probability delta and otherwise answers
    truthfully with odds :math:`e^\epsilon`.

    Returns
    -------
    float or ndarray
        Accuracy in [1/2, 1]; 1 at ``epsilon`` inf and at ``delta`` 1.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential
    Privacy", IEEE Trans. Inf. Theory 2017, Theorem 2.1.

    Examples
    --------
    >>> round(dp_accuracy(1.0), 12)
    0.73105857863
    >>> dp_accuracy([0.0, 1e4], [0.5, 0.0]).tolist()
    [0.75, 1.0]
    """
    return np.asarray(0.5 + 0.5 * (delta + (1.0 - delta) * np.tanh(0.5 * epsilon)))


@checked
def hockey_stick(p: Distribution, q: Distribution, epsilon: Epsilons) -> Floats:
    r"""Hockey-stick divergence :math:`\sum_i \max(p_i - e^\epsilon q_i, 0)`.

    It is the smallest delta for which p and q are (epsilon, delta)-close in this
    direction; take the larger of the two orders for a mechanism.

    Parameters
    ----------
    p, q : array of shape (k,)
        Probability vectors over the same outcomes.

    Returns
    -------
    float or ndarray
        Divergence in [0, 1], of the shape of ``epsilon``.  At ``epsilon`` inf it is
        the probability under p of outcomes that are impossible under q.

    References
    ----------
    G. Barthe and F. Olmedo, "Beyond Differential Privacy: Composition Theorems and
    Relational Logic for f-divergences between Probabilistic Programs", ICALP 2013.

    Examples
    --------
    >>> round(hockey_stick([0.75, 0.25], [0.25, 0.75], 0.0), 12)
    0.5
    >>> hockey_stick([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 1000.0, float("inf")]).tolist()
    [0.5, 0.5, 0.5]
    """
    if p.shape != q.shape:
        validate.refuse("q", q, f"a probability vector of the length of p, {p.size}")
    rows, levels = max(1, _TABLE // p.size), epsilon.reshape(-1, 1)
    with np.errstate(all="ignore"):
        starts = range(0, max(1, epsilon.size), rows)
        found = np.concatenate([row_divergences(p, q, levels[at : at + rows]) for at in starts])
    return validate.plain(found.reshape(epsilon.shape))


def row_divergences(p: Array, q: Array, epsilon: Array) -> Array:
    """Return the hockey-stick divergence of each row of ``p`` from that of ``q``."""
    # Near epsilon 0 the difference p - q is exact where p and q are close.
    near = (p - q) - q * np.expm1(np.minimum(epsilon, 1.0))
    far = p - _times_exp(q, epsilon)
    terms = np.maximum(np.where(epsilon < 1.0, near, far), 0.0)
    return np.asarray(np.minimum(terms.sum(axis=1), 1.0))
