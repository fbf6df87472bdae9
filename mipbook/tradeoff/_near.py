r"""Epsilon when delta is close to the total variation distance.

There epsilon is the small number that uses up the gap between the two,

    TV(mu) - delta = int_0^epsilon e^t Phi(-v(t)) dt,

and a gap computed in doubles would have no digits left.  So the total variation
is summed with twice the digits, and the integral is a Taylor series in
c = epsilon / mu whose coefficients follow from a linear differential equation.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erf, erfc

from mipbook.base.types import Array
from mipbook.tradeoff._arrays import two_product, two_sum
from mipbook.tradeoff._mills import INV_SQRT_2PI, SQRT_HALF, mills

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
