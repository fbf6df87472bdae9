"""Empirical means of Gaussian records: what the best attack gains, and bounds on it."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from explorable import validate
from mipbook.base.types import Array
from mipbook.mis.means.pair_test import legendre, log_chi, pair_delta
from mipbook.mis.security.weights import weights as rate_weights

__all__ = ["gaussian_mean_delta", "near_gaussians_bound", "near_gaussians_tv"]

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


def gaussian_mean_delta(n: int, d: int = 1, nu: float = 0.5, lam: float = 0.5) -> float:
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
    n = validate.integer("n", n, 1, _LARGEST)
    d = validate.integer("d", d, 1, _DIMENSIONS)
    nu = validate.number("nu", nu, 0.0, 1.0, open_low=True, open_high=True)
    lam = validate.number("lam", lam, 0.0, 1.0, open_low=True, open_high=True)
    a, b = (float(weight) for weight in rate_weights(nu, lam))
    return 1.0 if n == 1 else pair_delta(n, d, math.log(b) - math.log(a))


def near_gaussians_tv(n: int, distance: float, dimension: int = 1) -> float:
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
    n = validate.integer("n", n, 2, _LARGEST)
    distance = validate.number("distance", distance, 0.0, 1e6)
    dimension = validate.integer("dimension", dimension, 1, _DIMENSIONS)
    level = -dimension * math.log1p(-1 / n)
    length = np.array([distance])
    member, other = _rates(length, np.sqrt(length**2 + level), level, n, dimension)
    return min(max(float(member[0] - other[0]), 0.0), 1.0)


def near_gaussians_bound(n: int, distance: float, dimension: int = 1) -> float:
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
    n = validate.integer("n", n, 2, _LARGEST)
    distance = validate.number("distance", distance, 0.0, math.inf, open_high=True)
    dimension = validate.integer("dimension", dimension, 1, _DIMENSIONS)
    return (distance / math.sqrt(n) + math.sqrt(dimension) / n) / 2
