"""Empirical means of Gaussian records: what the best attack gains, and bounds on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from scipy.special import erf, erfcx, log_ndtr, ndtr, ndtri

from explorable import validate
from explorable.checked import Integer, Number, checked
from mipbook.base.types import Array, Chance, Weight
from mipbook.mis.binomial import deviance, stirling_error
from mipbook.mis.notion import weights as rate_weights

# The logarithm of what is averaged bends by at least 1: so far from its top it is e^-50 of it.
_AROUND_TOP = 10.0
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

    top = _top(logs, math.sqrt(d) + math.sqrt(abs(bar) * root) + _AROUND_TOP)
    scale = max(abs(bar) * root, 1e-30)
    low, high = max(top - _AROUND_TOP, 0.0), top + _AROUND_TOP
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


# A chi variable is within so much of the root of its degrees of freedom, but for e^-40.
_REACH = 9.5
_LARGEST = 10**12
_DIMENSIONS = 10**6


def _chi_range(degrees: int) -> tuple[float, float]:
    return max(0.0, math.sqrt(degrees) - _REACH - 1), math.sqrt(degrees) + _REACH


def _in_ball(centre: Array, radius: Array, gap: Array, degrees: int) -> Array:
    """Return the chance that a standard normal vector falls in a ball.

    ``centre`` is the ball's distance from the origin and ``gap`` is centre^2 - radius^2,
    given apart because the difference would lose its digits.
    """

    def slab(half: Array, squared: Array) -> Array:
        near = squared / np.maximum(centre_ + half, 1e-300)
        return np.asarray(ndtr(centre_ + half) - ndtr(near))

    if degrees == 1:
        centre_ = centre
        return slab(radius, gap)
    nodes, weights = legendre(120)
    low, high = _chi_range(degrees - 1)
    safe = np.maximum(radius, 1e-300)
    start, end = np.arcsin(np.minimum(1.0, low / safe)), np.arcsin(np.minimum(1.0, high / safe))
    # Polar angles: the ball's edge, a square root in the distance from the axis, is smooth.
    angle = start[:, None] + (end - start)[:, None] * nodes
    away, half = safe[:, None] * np.sin(angle), safe[:, None] * np.cos(angle)
    centre_ = centre[:, None]
    inside = slab(half, gap[:, None] + away**2) * np.exp(log_chi(away, degrees - 1)) * half
    chance: Array = (inside @ weights) * (end - start)
    return chance


def _rates(length: Array, spread: Array, level: float, n: int, d: int) -> tuple[Array, Array]:
    """Return the two rates of the best test for a record of a given length.

    ``level`` is T and ``spread`` is the root of length^2 + T: the record is called a member
    when the release is within sqrt(n-1) ``spread`` of sqrt(n) times the record.
    """
    member = _in_ball(math.sqrt(n - 1) * length, math.sqrt(n) * spread, -(length**2) - n * level, d)
    other = _in_ball(math.sqrt(n) * length, math.sqrt(n - 1) * spread, length**2 - (n - 1) * level, d)
    return member, other


Dimension = Annotated[int, Integer(1, _DIMENSIONS)]
Records = Annotated[int, Integer(1, _LARGEST)]
Several = Annotated[int, Integer(2, _LARGEST)]


@checked
def gaussian_mean_delta(n: Records, d: Dimension = 1, nu: Weight = 0.5, lam: Weight = 0.5) -> float:
    """Return Delta of the mean of n normal records: MIS is 1 minus this.

    Parameters
    ----------
    n : int
        Records in the data set, in [1, 10^12].
    d : int
        Coordinates of a record, in [1, 10^6].  The records' covariance may be any invertible
        matrix: Delta does not depend on it.

    Returns
    -------
    float
        In [0, 1]; exact but for a relative error of about 1e-12, for all weights: a Delta of
        1e-18 keeps its digits.  Below 1e-300 it is 0.

    References
    ----------
    Limits paper, Theorem 13, for its simplest learner.  The attack tests d pairs, coordinates
    of a record and of the mean, for a correlation of 1/sqrt(n).  Its log likelihood ratio is
    a mixture of normal distributions, so one quadrature of positive terms gives Delta.

    Examples
    --------
    >>> round(gaussian_mean_delta(10), 12), round(gaussian_mean_delta(100, 100), 5)
    (0.107091779629, 0.3836)
    """
    a, b = (float(weight) for weight in rate_weights(nu, lam))
    return 1.0 if n == 1 else pair_delta(n, d, math.log(b) - math.log(a))


@checked
def near_gaussians_tv(
    n: Several, distance: Annotated[float, Number(0.0, 1e6)], dimension: Dimension = 1
) -> float:
    """Return the total variation between N(0, I) and N(v/sqrt(n), (1-1/n) I), up to rounding.

    Parameters
    ----------
    n : int
        In [2, 10^12].
    distance : float
        Length of v, in [0, 1e6].
    dimension : int
        In [1, 10^6].

    References
    ----------
    Limits paper, Proposition 25, the left side.

    Examples
    --------
    >>> round(near_gaussians_tv(5, 1.0), 12)
    0.191527221731
    """
    level = -dimension * math.log1p(-1 / n)
    length = np.array([distance])
    member, other = _rates(length, np.sqrt(length**2 + level), level, n, dimension)
    return min(max(float(member[0] - other[0]), 0.0), 1.0)


@checked
def near_gaussians_bound(
    n: Several, distance: Annotated[float, Number(0.0, math.inf, open_high=True)], dimension: Dimension = 1
) -> float:
    """Return Proposition 25's bound on the total variation of two nearby Gaussians.

    Parameters
    ----------
    n : int
        In [2, 10^12].
    distance : float
        Length of v, at least 0.
    dimension : int
        In [1, 10^6].

    Returns
    -------
    float
        A bound; it may exceed 1.

    References
    ----------
    Limits paper, Proposition 25: half of ``|v|/sqrt(n) + sqrt(d)/n``.

    Examples
    --------
    >>> round(near_gaussians_bound(5, 1.0), 12)
    0.32360679775
    """
    return (distance / math.sqrt(n) + math.sqrt(dimension) / n) / 2


def many_coordinates_delta(ratio: Any) -> Array:
    """Return what Delta of the Gaussian mean tends to as d and n grow in a fixed ratio.

    Parameters
    ----------
    ratio : float or array_like
        d/n, in [0, inf].

    References
    ----------
    Limits paper, Theorem 13: its constant hides the dimension.  With many coordinates the log
    likelihood ratio is nearly normal with mean and half variance d/(2n).

    Examples
    --------
    >>> many_coordinates_delta([0.0, 1.0]).round(5).tolist()
    [0.0, 0.38292]
    """
    return np.asarray(erf(np.sqrt(validate.array("ratio", ratio, 0.0) / 8)))


@checked
def many_coordinates_records(delta: Chance, dimension: Records) -> float:
    """Return the n at which `gaussian_mean_delta_approximation` is ``delta``.

    Parameters
    ----------
    delta : float
        Of the security game, in (0, 1).
    dimension : int
        Coordinates of a record, in [1, 10^12].

    Examples
    --------
    >>> round(many_coordinates_records(0.1, 50))
    792
    """
    return dimension / float(2 * ndtri((1 + delta) / 2)) ** 2


@checked
def gaussian_mean_delta_approximation(n: Records, dimension: Records) -> float:
    """Return what Delta of the Gaussian mean is near where d and n are of one size.

    Parameters
    ----------
    n, dimension : int
        In [1, 10^12].

    Returns
    -------
    float
        An approximation, 2 Phi(sqrt(d/n)/2) - 1: no bound in either direction.

    References
    ----------
    Limits paper, Theorem 13; see ``many_coordinates_delta``.

    Examples
    --------
    >>> round(gaussian_mean_delta_approximation(100, 100), 5)
    0.38292
    """
    return float(many_coordinates_delta(dimension / n))
