"""The Gaussian mechanism, forwards: delta, TPR and advantage."""

import math

import numpy as np
from scipy.special import erf, ndtri

from explorable.checked import checked
from mipbook.base.types import Array, Epsilons, Floats, Rates, Sensitivities, Sigmas
from mipbook.tradeoff.numerics import (
    INV_SQRT_2PI,
    SQRT_2PI,
    SQRT_HALF,
    apply,
    mills,
    quotient,
    scaled,
    spread,
    two_product,
    two_sum,
)


@checked
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
    return apply(_delta, epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)


def _delta(epsilon: Array, sigma: Array, sensitivity: Array) -> Array:
    zero = np.isinf(epsilon) | np.isinf(sigma) | (sensitivity == 0)
    one = (sigma == 0) & ~zero
    limit = zero | one
    if limit.any():
        epsilon, sigma, sensitivity = (np.where(limit, 1.0, a) for a in (epsilon, sigma, sensitivity))
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
    root = _root_density(u, rest)
    # phi(u) enters as a square so that it underflows only together with the result.
    p = (root * g) * root * INV_SQRT_2PI
    delta = np.where(complement, 1.0 - p, p)
    if limit.any():
        delta[zero] = 0.0
        delta[one] = 1.0
    return delta


def _root_density(x: Array, rest: Array | float) -> Array:
    """Return exp(-(x + rest)^2 / 4) where ``rest`` holds digits of x below the last."""
    x = np.clip(x, -60.0, 60.0)  # the square of the result is 0 from 39 on
    square, e = two_product(x, x)
    e += 2.0 * x * rest
    return np.exp(-0.25 * square) * np.exp(-0.25 * np.clip(e, -1.0, 1.0))


@checked
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
    return apply(_advantage, sigma=sigma, sensitivity=sensitivity)


def _advantage(sigma: Array, sensitivity: Array) -> Array:
    mu, _ = _shift(sigma, sensitivity)
    return erf(mu * (0.5 * SQRT_HALF))


def _shift(sigma: Array, sensitivity: Array) -> tuple[Array, Array]:
    """Return mu = sensitivity / sigma as a sum of two doubles; at most about 1e307."""
    none = np.isinf(sigma) | (sensitivity == 0)
    full = (sigma == 0) & ~none
    limit = none | full
    high, low, exponent = quotient(np.where(limit, 1.0, sensitivity), np.where(limit, 1.0, sigma))
    mu, rest = scaled(high, exponent), scaled(low, exponent)
    return np.where(none, 0.0, np.where(full, math.inf, mu)), np.where(limit, 0.0, rest)


@checked
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
    return apply(_tpr, fpr=fpr, sigma=sigma, sensitivity=sensitivity)


def _threshold(fpr: Array, sigma: Array, sensitivity: Array) -> tuple[Array, Array, Array]:
    """Return mu and Phi^-1(fpr) + mu as a sum of two doubles, for fpr in (0, 1)."""
    small = np.minimum(fpr, 1.0 - fpr)  # 1 - fpr is exact where it is taken
    z = ndtri(small)
    root = _root_density(z, 0.0)
    # Newton on log Phi; dividing by the square root twice keeps subnormal rates exact.
    step = small / root / root * SQRT_2PI - mills(-z)
    z, step = np.where(fpr > 0.5, -z, z), np.where(fpr > 0.5, -step, step)
    mu, rest = _shift(sigma, sensitivity)
    x, e = two_sum(z, np.minimum(mu, 1e300))
    return mu, x, e + (rest + step)


def _tail(x: Array, rest: Array) -> Array:
    """Return Phi(-(x + rest)) for x >= 0."""
    root = _root_density(x, rest)
    return (root * mills(x)) * root * INV_SQRT_2PI


def _tpr(fpr: Array, sigma: Array, sensitivity: Array) -> Array:
    inside = np.where((fpr > 0) & (fpr < 1), fpr, 0.5)
    mu, x, rest = _threshold(inside, sigma, sensitivity)
    tail = _tail(np.abs(x), np.where(x < 0, -rest, rest))
    tpr = np.where(x < 0, tail, 1.0 - tail)
    tpr = np.where((mu == 0) | (fpr == 0) | (fpr == 1), fpr, np.maximum(tpr, fpr))
    return np.where(np.isinf(mu), 1.0, tpr)
