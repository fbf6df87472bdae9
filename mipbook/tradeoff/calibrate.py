r"""The Gaussian mechanism, backwards: sigma or epsilon for a given delta, never too small.

Both inverses of the privacy curve are found in u = epsilon/mu - mu/2, because u stays a moderate
number (-9 < u < 39) however large epsilon and mu are, and because no rounding of
epsilon/mu or of mu enters the exponent -u^2/2.  The equation solved is

    log G - u^2/2 - log sqrt(2 pi) = target,

with G and the choice between delta and 1 - delta from `spread`.  A closed
form for the Mills ratio gives a start; two Halley steps on it, then Halley steps
on the exact function until the next error would be below rounding.

Where delta is close to the total variation distance, epsilon is the small number that uses up
the gap between the two,

    TV(mu) - delta = int_0^epsilon e^t Phi(-v(t)) dt,

and a gap computed in doubles would have no digits left.  So the total variation
is summed with twice the digits, and the integral is a Taylor series in
c = epsilon / mu whose coefficients follow from a linear differential equation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, erfc, ndtr

from explorable.checked import checked
from mipbook.base.types import Array, Deltas, Epsilons, Floats, Sensitivities, Sigmas
from mipbook.tradeoff.gaussian import (
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

# For tiny mu, delta is homogeneous in (epsilon, mu) up to a factor 1 + mu^2.  So powers of
# 2 can be taken out of numbers below 2^-300, clear of underflow, if what is left is tiny.
_TINY = 300
_LEFT = 200


@checked
@in_blocks
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
    none = (sensitivity == 0) | np.isinf(epsilon) | (delta == 1)
    unbounded = (delta == 0) & ~none
    limit = none | unbounded
    epsilon, delta = np.where(limit, 1.0, epsilon), np.where(limit, 0.5, delta)
    _, size = np.frexp(np.maximum(epsilon, delta))
    shift = np.where(size < -_TINY, -_LEFT - size, np.int32(0))
    if shift.any():
        epsilon, delta = np.ldexp(epsilon, shift), np.ldexp(delta, shift)

    # Two lower bounds on mu: delta <= Phi(-u), and delta <= mu / sqrt(2 pi).
    u = _normal_quantile(delta)
    problem = _FixedEpsilon(epsilon)
    low = SQRT_2PI * delta
    u = np.where(low > problem.place(u)[1], epsilon / low - 0.5 * low, u)
    u, margin = _solve(problem, delta, u)
    _, mu, _ = problem.place(u)

    # 2^-50 covers the roundings of mu and of the quotient: sigma is only ever raised.
    mantissa, exponent = np.frexp(sensitivity)
    sigma = _raised(mantissa / mu * (1.0 + (margin + 2.0**-50)), exponent + shift)
    return np.where(none, 0.0, np.where(unbounded, math.inf, sigma))


def _raised(mantissa: Array, exponent: NDArray[np.int32]) -> Array:
    """Return ``mantissa * 2**exponent``, upwards where the result is subnormal."""
    value = np.ldexp(mantissa, exponent)
    small = value < 2.0**-1021
    if small.any():
        value[small] = np.nextafter(value[small], math.inf)
    return value


@checked
@in_blocks
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
    none = (sensitivity == 0) | np.isinf(sigma) | (delta == 1)
    unbounded = ((delta == 0) | (sigma == 0)) & ~none
    limit = none | unbounded
    delta = np.where(limit, 0.5, delta)
    high, low, exponent = quotient(np.where(limit, 1.0, sensitivity), np.where(limit, 1.0, sigma))
    shift = np.where(exponent < -_TINY, -_LEFT - exponent, np.int32(0))
    # From 2e154 on epsilon, about mu^2 / 2, is inf, and squares must stay finite.
    mu = np.minimum(scaled(high, exponent + shift), 3e154)
    rest = scaled(low, exponent + shift)
    delta = np.minimum(np.ldexp(delta, shift), 1.0 - 2.0**-53)

    # The gap to the total variation decides: none left, small, or the ordinary case.
    h = 0.5 * mu
    value = _rough_gap(h, delta)
    # Phi(-h) is the rate at which epsilon uses up the gap at epsilon 0.
    near = value <= _SMALL * mu * ndtr(-h)
    epsilon = np.zeros_like(mu)
    far = np.flatnonzero(~near)
    if far.size:
        epsilon[far] = _far(mu[far], delta[far])
    close = np.flatnonzero(near & (value > -1e-13 * delta))
    if close.size:
        epsilon[close] = _close(mu[close], rest[close], delta[close])
    epsilon = np.where(epsilon == 0, 0.0, _raised(epsilon, -shift))
    return np.where(none, 0.0, np.where(unbounded, math.inf, epsilon))


def _far(mu: Array, delta: Array) -> Array:
    h = 0.5 * mu
    u = _normal_quantile(delta)
    # For small mu, -log(delta / delta at epsilon 0) is near c^2 / 2 + R(0) c.
    fall = 2.0 * np.maximum(-np.log(SQRT_2PI * delta / mu), 0.0)
    root = math.sqrt(math.pi / 2)
    small = fall / (np.sqrt(math.pi / 2 + fall) + root) - h
    u = np.maximum(np.where(mu < 1.0, np.minimum(u, small), u), -h)
    u, margin = _solve(_FixedMu(mu), delta, u)
    c = u + h
    # Rounding mu moves epsilon by (v + R(v)^-1) / c of itself, and u + h cancels alike.
    rounding = 2.0**-51 * (4.0 + (1.0 + c + h) / c)
    return mu * (c + margin) * (1.0 + rounding)


def _close(mu: Array, rest: Array, delta: Array) -> Array:
    value, bound = _gap(0.5 * mu, 0.5 * rest, delta)
    value = np.maximum(value + bound, 0.0)
    # The series is right to 2e-14; the factor keeps epsilon on the safe side of it.
    return mu * _solve_small(mu, value / mu) * (1.0 + 2.0**-43)


# --- Where delta is close to the total variation distance ---------------------------------------

# The series is used while c is below this; 24 terms then leave nothing visible.
_SMALL = 0.125
_TERMS = 24
_NEWTON_STEPS = 8
# Above this h the alternating series for erf would lose the digits it is there for.
_SERIES_UP_TO = 5.2
# sqrt(2 / pi) to 106 bits.
_ROOT = (0.7978845608028654, -4.98465440455546e-17)


def _rough_gap(h: Array, delta: Array) -> Array:
    """Return the total variation distance minus delta, in double precision."""
    x = h * SQRT_HALF
    return np.where(delta < 0.5, erf(x) - delta, (1.0 - delta) - erfc(x))


def _gap(h: Array, rest: Array, delta: Array) -> tuple[Array, Array]:
    """Return the gap and a bound on its absolute error, for mu / 2 = h + rest."""
    value = _rough_gap(h, delta)
    bound = 1e-13 * np.minimum(delta, erfc(h * SQRT_HALF))
    index = np.flatnonzero(h <= _SERIES_UP_TO)
    if index.size:
        h, rest, delta = h[index], rest[index], delta[index]
        high, low = _total_variation(h, rest)
        s, e = two_sum(high, -delta)
        value[index] = s + (e + low)
        # The series cancels down from exp(h^2 / 2); the error measured is 2^-104 of that.
        bound[index] = 2.0**-102 * np.exp(0.5 * h * h) * high
    return value, bound


def _times(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
    p, e = two_product(a[0], b[0])
    e = e + (a[0] * b[1] + a[1] * b[0])
    high = p + e
    return high, e - (high - p)


def _total_variation(h: Array, rest: Array) -> tuple[Array, Array]:
    """Return erf((h + rest) / sqrt 2) as a sum of two doubles.

    The series is sqrt(2/pi) h (1 - y/3 + y^2/(2! 5) - ...) with y = h^2 / 2,
    evaluated by Horner's rule, with enough terms for the largest h.
    """
    square = _times((h, rest), (h, rest))
    y = (0.5 * square[0], 0.5 * square[1])
    largest = float(y[0].max())
    terms = 8
    while largest**terms / math.factorial(terms) > 1e-34:
        terms += 4
    zero = np.zeros_like(h)
    # sum_k (-y)^k / (k! (2k + 1)) by S_k = 1 / (2k + 1) - y / (k + 1) * S_(k+1).
    total = (zero, zero)
    for k in range(terms, -1, -1):
        p = _times(y, total)
        high = p[0] / (k + 1)
        q, e = two_product(high, zero + (k + 1))
        low = (((p[0] - q) - e) + p[1]) / (k + 1)
        first = 1.0 / (2 * k + 1)
        t, te = two_product(zero + first, zero + (2 * k + 1))
        s, e = two_sum(zero + first, -high)
        total = (s, e - low + ((1.0 - t) - te) / (2 * k + 1))
    return _times(_times((h, rest), total), (zero + _ROOT[0], zero + _ROOT[1]))


def _solve_small(mu: Array, gap_over_mu: Array) -> Array:
    """Return c with int_0^c K = gap / mu for K(x) = phi(x - h) R(x + h).

    K' = mu K - phi(x - h) gives the Taylor coefficients, and
    phi' = (h - x) phi those of the density.
    """
    h = 0.5 * mu
    density = np.exp(-0.5 * h * h) * INV_SQRT_2PI
    before = np.zeros_like(mu)
    k = density * mills(h)
    coefficients = [k]
    for n in range(_TERMS):
        k = (mu * k - density) / (n + 1)
        coefficients.append(k)
        density, before = (h * density - before) / (n + 1), density
    falling = np.array(coefficients[::-1])
    integrals = falling / np.arange(_TERMS + 1, 0, -1)[:, None]
    c = gap_over_mu / coefficients[0]
    for _ in range(_NEWTON_STEPS):
        integral, slope = np.polyval(integrals, c), np.polyval(falling, c)
        before, c = c, np.maximum(c + (gap_over_mu - integral * c) / slope, 0.0)
        if np.all(np.abs(c - before) <= 1e-15 * c):
            break
    return c


# --- Halley's method, everywhere else --------------------------------------------------------------

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
# Bounds on the rounding error of the residual, in units of 2^-52: measured, then doubled.
# The difference of two Mills ratios loses up to 6 bits, their sum none.
_OF_DIFFERENCE, _OF_SUM, _PER_TARGET = 160.0, 16.0, 4.0
_ULP = 2.0**-52
# After a step from residual F, with Newton's step F / slope, the error left is below the
# half the cube of the larger of the two (measured: 0.45): below 1e-15 from here.
_DONE = 1e-5
# Two exact steps are the rule and four the most ever seen; the bound ends the loop.
_MOST_STEPS = 60


Spread = Callable[[Array, Array, Array, Array], tuple[Array, Array, NDArray[np.bool_]]]


@dataclass(frozen=True)
class _Fixed:
    """The curve of u where one of epsilon and mu is given."""

    given: Array

    def at(self, index: NDArray[np.intp]) -> Self:
        """Return the entries of ``index``."""
        return type(self)(self.given[index])


class _FixedEpsilon(_Fixed):
    """At given epsilon; the unknown is log mu, with d(log mu) = -du / v."""

    def place(self, u: Array) -> tuple[Array, Array, Array]:
        """Return c = epsilon / mu, mu and v = u + mu."""
        # Half of u^2 is added to epsilon, not u^2 to its double, which may overflow.
        v = math.sqrt(2.0) * np.sqrt(0.5 * u * u + self.given)
        larger = 0.5 * (np.abs(u) + v)
        smaller = self.given / larger
        positive = u > 0
        c = np.where(positive, larger, 0.5 * smaller)
        return c, np.where(positive, smaller, 2.0 * larger), v

    def curve(self, u: Array, v: Array, mu: Array, signed: Array, tail: Array) -> tuple[Array, Array]:
        """Return slope and bend; ``signed`` is G, negative for the complement."""
        del tail
        slope = mu / signed
        return slope, 1.0 + u * v - slope

    def move(self, u: Array, v: Array, step: Array) -> Array:
        """Return u after log mu has changed by ``step``: a hyperbolic rotation of (u, v)."""
        e = np.expm1(step)
        f = e / (1.0 + e)
        return u + 0.5 * (u * (e * f) - v * (e + f))


class _FixedMu(_Fixed):
    """At given mu; the unknown is u itself."""

    def place(self, u: Array) -> tuple[Array, Array, Array]:
        """Return c = epsilon / mu, mu and v = u + mu."""
        return u + 0.5 * self.given, self.given, u + self.given

    def curve(self, u: Array, v: Array, mu: Array, signed: Array, tail: Array) -> tuple[Array, Array]:
        """Return slope and bend; ``signed`` is G, negative for the complement."""
        slope = -(mu * tail) / signed
        # 1 / R(v) - v lies between 0 and 1 / v; for large v its difference is all rounding.
        excess = np.where(v < 1e6, 1.0 / tail - v, 0.0)
        return slope, -u - excess - slope

    def move(self, u: Array, v: Array, step: Array) -> Array:
        """Return u after ``step``, at epsilon >= 0."""
        del v
        return np.maximum(u + step, -0.5 * self.given)


def _normal_quantile(delta: Array) -> Array:
    """Return Phi^-1(1 - delta) to 5e-4: Abramowitz and Stegun 26.2.23."""
    t = np.sqrt(-2.0 * np.log(np.minimum(delta, 1.0 - delta)))
    top = 2.515517 + t * (0.802853 + t * 0.010328)
    bottom = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    z = t - top / bottom
    return np.where(delta < 0.5, z, -z)


# R(x) is near 1 / (A x + sqrt(B x^2 + C)): right at 0 and to second order at infinity.
_A, _B, _C = 1 - 1 / math.pi, 1 / math.pi**2, 2 / math.pi


def _rough_spread(c: Array, h: Array, u: Array, v: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return what `spread` returns, to a tenth, at a fraction of the cost."""
    size = np.abs(u)
    su, sv = np.sqrt(_B * u * u + _C), np.sqrt(_B * v * v + _C)
    tail = 1.0 / (_A * v + sv)
    complement = (u < -0.3) & (h > 0.125)
    # Rationalised, so that u and v may be arbitrarily close.
    difference = 2.0 * h * (_A + _B * (2.0 * c) / (su + sv)) * tail / np.maximum(_A * u + su, 0.05)
    return np.where(complement, 1.0 / (_A * size + su) + tail, difference), tail, complement


def _stepped(
    problem: _FixedEpsilon | _FixedMu, goals: list[Array], u: Array, spread_at: Spread
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Return u after a step of Halley's; the residual, its slope, and where the complement is solved for.

    ``goals`` are the logarithms of 1 - delta and of delta: two forms that keep its digits.
    """
    c, mu, v = problem.place(u)
    g, tail, complement = spread_at(c, 0.5 * mu, u, v)
    residual = np.log(g) - (0.5 * u * u + _LOG_SQRT_2PI) - np.where(complement, *goals)
    slope, bend = problem.curve(u, v, mu, np.where(complement, -g, g), tail)
    newton = -residual / slope
    step = newton / np.maximum(1.0 + 0.5 * newton * bend, 0.5)
    return problem.move(u, v, np.maximum(np.minimum(step, 2.0), -2.0)), residual, slope, complement


def _solve(problem: _FixedEpsilon | _FixedMu, delta: Array, u: Array) -> tuple[Array, Array]:
    """Return u and the outward margin, in the problem's unknown, that covers all errors."""
    goals = [np.log1p(-delta), np.log(delta)]
    for _ in range(2):
        u, *_ = _stepped(problem, goals, u, _rough_spread)
    margin = np.empty_like(u)
    left: NDArray[np.intp] = np.arange(u.size)
    for _ in range(_MOST_STEPS):
        goal = [each[left] for each in goals]
        u[left], residual, slope, complement = _stepped(problem.at(left), goal, u[left], spread)
        flatness = 1.0 / np.abs(slope)
        size = np.abs(residual) * np.maximum(flatness, 1.0)
        fixed = np.where(complement, _OF_SUM, _OF_DIFFERENCE)
        rounding = _ULP * (fixed - _PER_TARGET * np.where(complement, *goal))
        margin[left] = rounding * flatness + 0.5 * size**3
        left = left[size > _DONE]
        if left.size == 0:
            break
    return u, margin
