"""The Gaussian mechanism, backwards: sigma or epsilon for a given delta, never too small."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

from explorable.checked import checked
from mipbook.base.types import Array, Deltas, Epsilons, Floats, Sensitivities, Sigmas
from mipbook.tradeoff import solve
from mipbook.tradeoff.numerics import SQRT_2PI, SQRT_HALF, apply, quotient, scaled

# For tiny mu, delta is homogeneous in (epsilon, mu) up to a factor 1 + mu^2.  So powers of
# 2 can be taken out of numbers below 2^-300, clear of underflow, if what is left is tiny.
_TINY = 300
_LEFT = 200


@checked
def gaussian_sigma(epsilon: Epsilons, *, delta: Deltas, sensitivity: Sensitivities = 1.0) -> Floats:
    r"""Smallest noise for which the Gaussian mechanism is (epsilon, delta)-DP.

    Notes
    -----
    The result is rounded to the safe side: the delta that it delivers, evaluated
    at 60 digits, is at most ``delta``.  It exceeds the smallest such number by less
    than a relative 1e-12 (by the spacing of doubles where the result is subnormal;
    it is inf where the result would exceed the largest double).

    Limits: 0 at ``sensitivity`` 0, at ``epsilon`` inf and at ``delta`` 1; otherwise
    inf at ``delta`` 0.  ``epsilon`` 0 is an ordinary value.

    References
    ----------
    B. Balle and Y.-X. Wang, "Improving the Gaussian Mechanism for Differential
    Privacy", ICML 2018, Section 3.1, for the problem; the method here is Halley's.

    Examples
    --------
    >>> round(gaussian_sigma(1.0, delta=1e-5), 9)
    3.730631635
    >>> gaussian_sigma([0.0, 1000.0], delta=1e-5).round(9).tolist()
    [39894.228039101, 0.024581783]
    """
    return apply(_sigma, epsilon=epsilon, delta=delta, sensitivity=sensitivity)


def _sigma(epsilon: Array, delta: Array, sensitivity: Array) -> Array:
    none = (sensitivity == 0) | np.isinf(epsilon) | (delta == 1)
    unbounded = (delta == 0) & ~none
    limit = none | unbounded
    if limit.any():
        epsilon, delta = np.where(limit, 1.0, epsilon), np.where(limit, 0.5, delta)
    _, size = np.frexp(np.maximum(epsilon, delta))
    shift = np.where(size < -_TINY, -_LEFT - size, np.int32(0))
    if shift.any():
        epsilon, delta = np.ldexp(epsilon, shift), np.ldexp(delta, shift)

    # Two lower bounds on mu: delta <= Phi(-u), and delta <= mu / sqrt(2 pi).
    u = solve.normal_quantile(delta)
    problem = solve.FixedEpsilon(epsilon)
    low = SQRT_2PI * delta
    u = np.where(low > problem.place(u)[1], epsilon / low - 0.5 * low, u)
    u, margin = solve.solve(problem, solve.Target.of(delta), u)
    _, mu, _ = problem.place(u)

    # 2^-50 covers the roundings of mu and of the quotient: sigma is only ever raised.
    mantissa, exponent = np.frexp(sensitivity)
    sigma = _raised(mantissa / mu * (1.0 + (margin + 2.0**-50)), exponent + shift)
    if limit.any():
        sigma[none] = 0.0
        sigma[unbounded] = math.inf
    return sigma


def _raised(mantissa: Array, exponent: NDArray[np.int32]) -> Array:
    """Return ``mantissa * 2**exponent``, upwards where the result is subnormal."""
    value = np.ldexp(mantissa, exponent)
    small = value < 2.0**-1021
    if small.any():
        value[small] = np.nextafter(value[small], math.inf)
    return value


@checked
def gaussian_epsilon(delta: Deltas, *, sigma: Sigmas, sensitivity: Sensitivities = 1.0) -> Floats:
    r"""Smallest epsilon for which the Gaussian mechanism is (epsilon, delta)-DP.

    Returns
    -------
    float or ndarray
        0 when ``delta`` is at least the total variation distance, `gaussian_advantage`.

    Notes
    -----
    The result is rounded to the safe side: the delta at this ``epsilon``,
    evaluated at 60 digits, is at most ``delta``.  It exceeds the smallest such
    number by less than a relative 1e-12, or 4e-27 min(1, s/sigma) where that is
    more, for every ``delta`` up to 0.99.  The second figure counts only for epsilon
    below 1e-14, where ``delta`` and the total variation distance agree in all the
    digits of a double: one hundred bits of the distance are not enough there.
    Above 0.99 and equally close to the total variation distance the excess can be
    larger, as can the spacing of doubles where the result is subnormal.  The result
    is inf where it would exceed the largest double.

    Limits: 0 at ``sensitivity`` 0, at ``sigma`` inf and at ``delta`` 1; otherwise
    inf at ``delta`` 0 and at ``sigma`` 0.

    References
    ----------
    B. Balle and Y.-X. Wang, "Improving the Gaussian Mechanism for Differential
    Privacy", ICML 2018, Theorem 8, solved for epsilon.

    Examples
    --------
    >>> round(gaussian_epsilon(1e-5, sigma=1.0), 9)
    4.377178096
    >>> gaussian_epsilon([0.0, 0.4, 1.0], sigma=1.0).tolist()
    [inf, 0.0, 0.0]
    """
    return apply(_epsilon, delta=delta, sigma=sigma, sensitivity=sensitivity)


def _epsilon(delta: Array, sigma: Array, sensitivity: Array) -> Array:
    none = (sensitivity == 0) | np.isinf(sigma) | (delta == 1)
    unbounded = ((delta == 0) | (sigma == 0)) & ~none
    limit = none | unbounded
    if limit.any():
        delta = np.where(limit, 0.5, delta)
        sigma, sensitivity = np.where(limit, 1.0, sigma), np.where(limit, 1.0, sensitivity)
    high, low, exponent = quotient(sensitivity, sigma)
    shift = np.where(exponent < -_TINY, -_LEFT - exponent, np.int32(0))
    # From 2e154 on epsilon, about mu^2 / 2, is inf, and squares must stay finite.
    mu = np.minimum(scaled(high, exponent + shift), 3e154)
    rest = scaled(low, exponent + shift)
    delta = np.minimum(np.ldexp(delta, shift), 1.0 - 2.0**-53)

    # The gap to the total variation decides: none left, small, or the ordinary case.
    h = 0.5 * mu
    value = solve.rough_gap(h, delta)
    near = value <= solve.SMALL * mu * _half_tail(h)
    epsilon = np.zeros_like(mu)
    far = np.flatnonzero(~near)
    if far.size:
        epsilon[far] = _far(mu[far], delta[far])
    close = np.flatnonzero(near & (value > -1e-13 * delta))
    if close.size:
        epsilon[close] = _close(mu[close], rest[close], delta[close])
    epsilon = np.where(epsilon == 0, 0.0, _raised(epsilon, -shift))
    if limit.any():
        epsilon[none] = 0.0
        epsilon[unbounded] = math.inf
    return epsilon


def _half_tail(h: Array) -> Array:
    """Return Phi(-h), the rate at which epsilon uses up the gap at epsilon 0."""
    return 0.5 * erfc(h * SQRT_HALF)


def _far(mu: Array, delta: Array) -> Array:
    h = 0.5 * mu
    u = solve.normal_quantile(delta)
    # For small mu, -log(delta / delta at epsilon 0) is near c^2 / 2 + R(0) c.
    fall = 2.0 * np.maximum(-np.log(SQRT_2PI * delta / mu), 0.0)
    root = math.sqrt(math.pi / 2)
    small = fall / (np.sqrt(math.pi / 2 + fall) + root) - h
    u = np.maximum(np.where(mu < 1.0, np.minimum(u, small), u), -h)
    u, margin = solve.solve(solve.FixedMu(mu), solve.Target.of(delta), u)
    c = u + h
    # Rounding mu moves epsilon by (v + R(v)^-1) / c of itself, and u + h cancels alike.
    rounding = 2.0**-51 * (4.0 + (1.0 + c + h) / c)
    return mu * (c + margin) * (1.0 + rounding)


def _close(mu: Array, rest: Array, delta: Array) -> Array:
    value, bound = solve.gap(0.5 * mu, 0.5 * rest, delta)
    value = np.maximum(value + bound, 0.0)
    # The series is right to 2e-14; the factor keeps epsilon on the safe side of it.
    return mu * solve.solve_small(mu, value / mu) * (1.0 + 2.0**-43)
