"""The test behind the mean of normal records, as one well-conditioned integral.

A record and sqrt(n) times the mean are d pairs of normals: independent for a fresh record,
with correlation 1/sqrt(n) for a member.  Given a length r of chi distribution with d degrees of
freedom the log likelihood ratio, less its constant, is normal; Delta averages over r what a hockey
stick leaves of that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import erfcx, log_ndtr

from mipbook.base.types import Array
from mipbook.mis.binomial import deviance, stirling_error

__all__ = ["legendre", "log_chi", "pair_delta"]

# The logarithm of what is averaged bends by at least 1: so far from its top it is e^-50 of it.
_REACH = 10.0
_NODES, _INNER = 320, 24
_ROOT_TWO = math.sqrt(2)


@lru_cache(maxsize=8)
def legendre(count: int) -> tuple[Array, Array]:
    """Return nodes and weights for an integral from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


def log_chi(x: Array, degrees: int) -> Array:
    """Return the log density of the length of a standard normal vector, x > 0."""
    half = np.asarray(degrees / 2)
    # A Poisson weight in its saddle-point form: the powers and the gamma function are huge.
    weight = -deviance(half, x**2 / 2) - 0.5 * np.log(2 * np.pi * half) - stirling_error(half)
    return np.asarray(weight + np.log(degrees / x))


def _mills(x: Array) -> Array:
    """Return (1 - Phi(x)) / phi(x)."""
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(x / _ROOT_TWO))


def _log_gain(s: Array, w: Array) -> Array:
    """Return log E (1 - exp(-w (N + s)))_+ for a standard normal N and w > 0."""
    log_density = -(s**2) / 2 - 0.5 * math.log(2 * math.pi)
    with np.errstate(all="ignore"):
        # Far inside the first term is 1.
        exponent = w * (w / 2 - s) + np.where(w > 1, log_ndtr(s - w), 0.0)
        inside = np.log(-np.expm1(np.minimum(exponent, -1e-320)))
        # A wide stick: the two terms differ.
        low = np.clip(s, -40, 12)
        wide = np.log(_mills(-low) - _mills(w - low)) + log_density
        # A narrow one: the integral of the slope of Mills' ratio over it.
        nodes, weights = legendre(_INNER)
        at = np.clip(-s, -12, 1e150)[..., None] + np.minimum(w, 1.0)[..., None] * nodes
        narrow = np.log(_slope(at) @ weights) + np.log(w) + log_density
    value = np.where((w > 1) & (s > -40), wide, narrow)
    return np.asarray(np.where(s >= 12, inside, value))


def _slope(x: Array) -> Array:
    """Return 1 - x (1 - Phi(x)) / phi(x), by its series where that cancels."""
    far = np.maximum(x, 10.0) ** -2
    series = far * (1 - far * (3 - far * (15 - far * (105 - far * (945 - far * 10395)))))
    return np.where(x > 40, series, 1 - np.minimum(x, 40.0) * _mills(np.minimum(x, 40.0)))


def pair_delta(n: float, d: int, log_gamma: float) -> float:
    """Return Delta of the mean for the ratio gamma of the weights of non-members and members.

    Noise on the mean only lowers the correlation, as if there were more records: n need not be
    whole.
    """
    constant = -d / 2 * math.log1p(-1 / n)
    if log_gamma >= 0:
        # Over members: where the log ratio, symmetric with variance r^2/n, exceeds this.
        bar, root, drift = log_gamma - constant, math.sqrt(n), 0.0
    else:
        # Over others, whose log ratio has the mean -w^2 too, w = r/sqrt(n - 1).
        bar, root, drift = constant - log_gamma, math.sqrt(n - 1), 1.0

    def logs(length: Array) -> Array:
        w = length / root
        return _log_gain(drift * w - bar / w, w) + log_chi(length, d)

    top = _top(logs, math.sqrt(d) + math.sqrt(abs(bar) * root) + _REACH)
    scale = max(abs(bar) * root, 1e-30)
    low, high = max(top - _REACH, 0.0), top + _REACH
    # A hyperbolic angle resolves what happens near length 0, at the scale of the bar.
    start, end = math.asinh(low / scale), math.asinh(high / scale)
    nodes, weights = legendre(_NODES)
    angle = start + (end - start) * nodes
    length = scale * np.sinh(angle)
    with np.errstate(under="ignore"):
        total = float(np.exp(logs(length)) @ (weights * scale * np.cosh(angle))) * (end - start)
    return min(max(total, 0.0), 1.0)


def _top(logs: Callable[[Array], Array], high: float) -> float:
    """Return about where a function with one top on (0, high) is largest."""
    low = 1e-9
    while high - low > 0.1:
        grid = np.linspace(low, high, 101)
        at = int(np.argmax(logs(grid)))
        low, high = grid[max(at - 1, 0)], grid[min(at + 1, 100)]
    return (low + high) / 2
