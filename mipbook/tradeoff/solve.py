r"""Halley's method for delta(epsilon, mu) = delta, and epsilon when delta is close to its limit.

Both inverses of the privacy curve are found in u = epsilon/mu - mu/2, because u stays a moderate
number (-9 < u < 39) however large epsilon and mu are, and because no rounding of
epsilon/mu or of mu enters the exponent -u^2/2.  The equation solved is

    log G - u^2/2 - log sqrt(2 pi) = target,

with G and the choice between delta and 1 - delta from `numerics.spread`.  A closed
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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, erfc

from mipbook.base.types import Array
from mipbook.tradeoff.numerics import INV_SQRT_2PI, SQRT_HALF, mills, spread, two_product, two_sum

# The series is used while c is below this; 24 terms then leave nothing visible.
SMALL = 0.125
_TERMS = 24
_NEWTON_STEPS = 8
# Above this h the alternating series for erf would lose the digits it is there for.
_SERIES_UP_TO = 5.2
# sqrt(2 / pi) to 106 bits.
_ROOT = (0.7978845608028654, -4.98465440455546e-17)


def rough_gap(h: Array, delta: Array) -> Array:
    """Return the total variation distance minus delta, in double precision."""
    x = h * SQRT_HALF
    return np.where(delta < 0.5, erf(x) - delta, (1.0 - delta) - erfc(x))


def gap(h: Array, rest: Array, delta: Array) -> tuple[Array, Array]:
    """Return the gap and a bound on its absolute error, for mu / 2 = h + rest."""
    value = rough_gap(h, delta)
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


def solve_small(mu: Array, gap_over_mu: Array) -> Array:
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
    c = gap_over_mu / coefficients[0]
    for _ in range(_NEWTON_STEPS):
        integral, slope = np.zeros_like(c), np.zeros_like(c)
        for n in range(_TERMS, -1, -1):
            integral = integral * c + coefficients[n] / (n + 1)
            slope = slope * c + coefficients[n]
        before, c = c, np.maximum(c + (gap_over_mu - integral * c) / slope, 0.0)
        if np.all(np.abs(c - before) <= 1e-15 * c):
            break
    return c


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


@dataclass(frozen=True)
class Curve:
    """A point on the curve: the residual, its slope and the bend that Halley uses."""

    residual: Array
    slope: Array
    bend: Array

    def step(self) -> Array:
        """Return Halley's step, no longer than 2."""
        newton = -self.residual / self.slope
        step = newton / np.maximum(1.0 + 0.5 * newton * self.bend, 0.5)
        return np.maximum(np.minimum(step, 2.0), -2.0)


@dataclass(frozen=True)
class Target:
    """What delta has to become, in the two forms that keep its digits."""

    log_delta: Array
    log_rest: Array

    @classmethod
    def of(cls, delta: Array) -> Target:
        """Take delta in (0, 1)."""
        return cls(np.log(delta), np.log1p(-delta))

    def at(self, index: NDArray[np.intp]) -> Target:
        """Return the entries of ``index``."""
        return Target(self.log_delta[index], self.log_rest[index])

    def residual(self, g: Array, u: Array, complement: NDArray[np.bool_]) -> Array:
        """Return log of the left side over the right side."""
        goal = np.where(complement, self.log_rest, self.log_delta)
        return np.log(g) - (0.5 * u * u + _LOG_SQRT_2PI) - goal

    def rounding(self, complement: NDArray[np.bool_]) -> Array:
        """Return a bound on the rounding error of the residual."""
        goal = np.where(complement, self.log_rest, self.log_delta)
        fixed = np.where(complement, _OF_SUM, _OF_DIFFERENCE)
        return _ULP * (fixed - _PER_TARGET * goal)


class FixedEpsilon:
    """The curve of u at given epsilon; the unknown is log mu, with d(log mu) = -du / v."""

    def __init__(self, epsilon: Array) -> None:
        self.epsilon = epsilon

    def at(self, index: NDArray[np.intp]) -> FixedEpsilon:
        """Return the entries of ``index``."""
        return FixedEpsilon(self.epsilon[index])

    def place(self, u: Array) -> tuple[Array, Array, Array]:
        """Return c = epsilon / mu, mu and v = u + mu."""
        # Half of u^2 is added to epsilon, not u^2 to its double, which may overflow.
        v = math.sqrt(2.0) * np.sqrt(0.5 * u * u + self.epsilon)
        larger = 0.5 * (np.abs(u) + v)
        smaller = self.epsilon / larger
        positive = u > 0
        c = np.where(positive, larger, 0.5 * smaller)
        return c, np.where(positive, smaller, 2.0 * larger), v

    def curve(self, u: Array, v: Array, mu: Array, residual: Array, signed: Array, tail: Array) -> Curve:
        """Return slope and bend; ``signed`` is G, negative for the complement."""
        del tail
        slope = mu / signed
        return Curve(residual, slope, 1.0 + u * v - slope)

    def move(self, u: Array, v: Array, step: Array) -> Array:
        """Return u after log mu has changed by ``step``: a hyperbolic rotation of (u, v)."""
        e = np.expm1(step)
        f = e / (1.0 + e)
        return u + 0.5 * (u * (e * f) - v * (e + f))


class FixedMu:
    """The curve of u at given mu; the unknown is u itself."""

    def __init__(self, mu: Array) -> None:
        self.mu = mu

    def at(self, index: NDArray[np.intp]) -> FixedMu:
        """Return the entries of ``index``."""
        return FixedMu(self.mu[index])

    def place(self, u: Array) -> tuple[Array, Array, Array]:
        """Return c = epsilon / mu, mu and v = u + mu."""
        return u + 0.5 * self.mu, self.mu, u + self.mu

    def curve(self, u: Array, v: Array, mu: Array, residual: Array, signed: Array, tail: Array) -> Curve:
        """Return slope and bend; ``signed`` is G, negative for the complement."""
        slope = -(mu * tail) / signed
        # 1 / R(v) - v lies between 0 and 1 / v; for large v its difference is all rounding.
        excess = np.where(v < 1e6, 1.0 / tail - v, 0.0)
        return Curve(residual, slope, -u - excess - slope)

    def move(self, u: Array, v: Array, step: Array) -> Array:
        """Return u after ``step``, at epsilon >= 0."""
        del v
        return np.maximum(u + step, -0.5 * self.mu)


def normal_quantile(delta: Array) -> Array:
    """Return Phi^-1(1 - delta) to 5e-4: Abramowitz and Stegun 26.2.23."""
    t = np.sqrt(-2.0 * np.log(np.minimum(delta, 1.0 - delta)))
    top = 2.515517 + t * (0.802853 + t * 0.010328)
    bottom = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    z = t - top / bottom
    return np.where(delta < 0.5, z, -z)


# R(x) is near 1 / (A x + sqrt(B x^2 + C)): right at 0 and to second order at infinity.
_A, _B, _C = 1 - 1 / math.pi, 1 / math.pi**2, 2 / math.pi


def _rough(c: Array, mu: Array, u: Array, v: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return what `spread` returns, to a tenth, at a fraction of the cost."""
    size = np.abs(u)
    su, sv = np.sqrt(_B * u * u + _C), np.sqrt(_B * v * v + _C)
    tail = 1.0 / (_A * v + sv)
    complement = (u < -0.3) & (mu > 0.25)
    # Rationalised, so that u and v may be arbitrarily close.
    difference = mu * (_A + _B * (2.0 * c) / (su + sv)) * tail / np.maximum(_A * u + su, 0.05)
    return np.where(complement, 1.0 / (_A * size + su) + tail, difference), tail, complement


def solve(problem: FixedEpsilon | FixedMu, target: Target, u: Array) -> tuple[Array, Array]:
    """Return u and the outward margin, in the problem's unknown, that covers all errors."""
    for _ in range(2):
        c, mu, v = problem.place(u)
        g, tail, complement = _rough(c, mu, u, v)
        residual = target.residual(g, u, complement)
        curve = problem.curve(u, v, mu, residual, np.where(complement, -g, g), tail)
        u = problem.move(u, v, curve.step())
    margin = np.empty_like(u)
    left: NDArray[np.intp] = np.arange(u.size)
    for _ in range(_MOST_STEPS):
        whole = left.size == u.size
        part, goal, x = (problem, target, u) if whole else (problem.at(left), target.at(left), u[left])
        c, mu, v = part.place(x)
        g, tail, complement = spread(c, 0.5 * mu, x, v)
        residual = goal.residual(g, x, complement)
        curve = part.curve(x, v, mu, residual, np.where(complement, -g, g), tail)
        u[left] = part.move(x, v, curve.step())
        flatness = 1.0 / np.abs(curve.slope)
        size = np.abs(residual) * np.maximum(flatness, 1.0)
        margin[left] = goal.rounding(complement) * flatness + 0.5 * size**3
        left = left[size > _DONE]
        if left.size == 0:
            break
    return u, margin
