"""Empirical means of Gaussian records: what the best attack gains, and bounds on it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mipbook.base import validate
from mipbook.mis.means.pair_test import legendre, log_chi, pair_delta
from mipbook.mis.security.weights import weights as rate_weights

__all__ = [
    "gaussian_mean_delta",
    "gaussian_mean_delta_approximation",
    "mean_delta_bound",
    "mean_records_needed",
    "near_gaussians_bound",
    "near_gaussians_tv",
]

Array = NDArray[np.float64]
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
    other = _in_ball(
        math.sqrt(n) * length, math.sqrt(n - 1) * spread, length**2 - (n - 1) * level, d
    )
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
    nu : float
        Chance that the test point is no member, in (0, 1).
    lam : float
        Weight of members, in (0, 1); nu = lam is the balanced case.

    Returns
    -------
    float
        In [0, 1]; exact but for a relative error of about 1e-12, for all weights: a Delta of
        1e-18 keeps its digits.  Below 1e-300 it is 0.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 13, for its simplest learner.  The attack tests d pairs, coordinates
    of a record and of the mean, for a correlation of 1/sqrt(n).  Its log likelihood ratio is
    a mixture of normal laws, so one quadrature of positive terms gives Delta.

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


def near_gaussians_tv(n: int, distance: float, d: int = 1) -> float:
    """Return the total variation between N(0, I) and N(v/sqrt(n), (1-1/n) I).

    Parameters
    ----------
    n : int
        In [2, 10^12].
    distance : float
        Length of v, in [0, 1e6].
    d : int
        Dimension, in [1, 10^6].

    Returns
    -------
    float
        Exact up to rounding.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Proposition 25, the left side.

    Examples
    --------
    >>> round(near_gaussians_tv(5, 1.0), 12)
    0.191527221731
    """
    n = validate.integer("n", n, 2, _LARGEST)
    distance = validate.number("distance", distance, 0.0, 1e6)
    d = validate.integer("d", d, 1, _DIMENSIONS)
    level = -d * math.log1p(-1 / n)
    length = np.array([distance])
    member, other = _rates(length, np.sqrt(length**2 + level), level, n, d)
    return min(max(float(member[0] - other[0]), 0.0), 1.0)


def near_gaussians_bound(n: int, distance: float, d: int = 1) -> float:
    """Return Proposition 25's bound on the total variation of two nearby Gaussians.

    Parameters
    ----------
    n : int
        In [2, 10^12].
    distance : float
        Length of v, at least 0.
    d : int
        Dimension, in [1, 10^6].

    Returns
    -------
    float
        A bound; it may exceed 1.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Proposition 25: half of ``|v|/sqrt(n) + sqrt(d)/n``.

    Examples
    --------
    >>> round(near_gaussians_bound(5, 1.0), 12)
    0.32360679775
    """
    n = validate.integer("n", n, 2, _LARGEST)
    distance = validate.number("distance", distance, 0.0, math.inf, open_high=True)
    d = validate.integer("d", d, 1, _DIMENSIONS)
    return (distance / math.sqrt(n) + math.sqrt(d) / n) / 2


def gaussian_mean_delta_approximation(n: int, d: int) -> float:
    """Return what Delta of the Gaussian mean is near where d and n are of one size.

    Parameters
    ----------
    n, d : int
        Records and coordinates, in [1, 10^12].

    Returns
    -------
    float
        An approximation, 2 Phi(sqrt(d/n)/2) - 1: no bound in either direction.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 13: its constant hides the dimension.  With many coordinates the log
    likelihood ratio is nearly normal with mean and half variance d/(2n).

    Examples
    --------
    >>> round(gaussian_mean_delta_approximation(100, 100), 5)
    0.38292
    """
    n = validate.integer("n", n, 1, _LARGEST)
    d = validate.integer("d", d, 1, _LARGEST)
    return math.erf(math.sqrt(d / n / 8))


def mean_delta_bound(n: int, d: int, average_length: float, c: float = 0.0) -> float:
    """Return Theorem 13's bound on Delta of any learner that sees a mean of d coordinates.

    Parameters
    ----------
    n : int
        Records, in [2, 10^12].
    d : int
        Coordinates of the averaged vector L, in [1, 10^12].
    average_length : float
        Mean length of L after centring and whitening, at least 0.
    c : float
        Constant of the central limit theorem in total variation, at least 0.  It is 0 for
        Gaussian L, and not known in general.

    Returns
    -------
    float
        A bound, at most 1.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 13: (c + m/2)/sqrt(n) + sqrt(d)/(2n), as rebuilt up to normalisation.

    Examples
    --------
    >>> round(mean_delta_bound(100, 1, (2 / math.pi) ** 0.5), 6)
    0.044894
    """
    n = validate.integer("n", n, 2, _LARGEST)
    d = validate.integer("d", d, 1, _LARGEST)
    average_length = validate.number("average_length", average_length, 0.0, open_high=True)
    c = validate.number("c", c, 0.0, open_high=True)
    return min(1.0, (c + average_length / 2) / math.sqrt(n) + math.sqrt(d) / (2 * n))


def mean_records_needed(security: float, d: int, average_length: float, c: float = 0.0) -> int:
    """Return how many records are enough for a security, by Theorem 13's bound.

    Parameters
    ----------
    security : float
        What the security should be at least, in [0, 1).
    d, average_length, c
        As in `mean_delta_bound`.

    Returns
    -------
    int
        The smallest n, at least 2, at which `mean_delta_bound` is at most 1 - security.

    Raises
    ------
    ValueError
        For an argument outside its range, or more than 10^12 records.

    Notes
    -----
    Limits paper, Remark 13: the quadratic inequality in 1/sqrt(n), solved.

    Examples
    --------
    >>> mean_records_needed(0.9, 50, 50**0.5)
    1320
    """
    security = validate.number("security", security, 0.0, 1.0, open_high=True)
    mean_delta_bound(2, d, average_length, c)
    for name, value in (("average_length", average_length), ("c", c)):
        validate.number(name, value, 0.0, 1e100)
    room, slope = 1 - security, c + average_length / 2
    root = 2 * room / (slope + math.sqrt(slope**2 + 2 * math.sqrt(d) * room))
    if root < 1.001e-6:
        validate.refuse(
            "security",
            security,
            f"one that at most {_LARGEST:,} records give, for this average_length and c",
        )
    n = max(2, math.ceil(1 / root**2) - 1)
    # The root is rounded, and the bound decides.
    while mean_delta_bound(n, d, average_length, c) > room:
        n += 1
    return n
