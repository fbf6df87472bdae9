"""Empirical means of normal and of other records: what the best attack gains, and bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from scipy.special import betaln, chdtri, erfcx, log_ndtr, ndtr, ndtri

from explorable import validate
from explorable.checked import Integer, Number, Numbers, OneOf, checked
from mipbook.base.rounding import Estimate
from mipbook.base.types import Array, Confidence, Sigma, Values, Weight
from mipbook.mip.mean_game import mixture_distances
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
    middle = math.sqrt(degrees - 1)
    low, high = max(0.0, middle - _REACH - 1), middle + _REACH
    safe = np.maximum(radius, 1e-300)
    start, end = np.arcsin(np.minimum(1.0, low / safe)), np.arcsin(np.minimum(1.0, high / safe))
    # Polar angles: the ball's edge, a square root in the distance from the axis, is smooth.
    angle = start[:, None] + (end - start)[:, None] * nodes
    away, half = safe[:, None] * np.sin(angle), safe[:, None] * np.cos(angle)
    centre_ = centre[:, None]
    inside = slab(half, gap[:, None] + away**2) * np.exp(log_chi(away, degrees - 1)) * half
    chance: Array = (inside @ weights) * (end - start)
    return chance


Dimension = Annotated[int, Integer(1, _DIMENSIONS)]
Size = Annotated[int, Integer(1, _LARGEST)]
Several = Annotated[int, Integer(2, _LARGEST)]
Length = Annotated[float, Number(0.0, open_high=True)]


@checked
def gaussian_mean_delta(n: Size, d: Dimension = 1, nu: Weight = 0.5, lam: Weight = 0.5) -> float:
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
    # The best test calls a record a member when the release is within sqrt(n - 1) ``spread`` of
    # sqrt(n) times the record.
    spread = np.sqrt(length**2 + level)
    root, less = math.sqrt(n), math.sqrt(n - 1)
    member = _in_ball(less * length, root * spread, -(length**2) - n * level, dimension)
    other = _in_ball(root * length, less * spread, length**2 - (n - 1) * level, dimension)
    return min(max(float(member[0] - other[0]), 0.0), 1.0)


@checked
def near_gaussians_bound(n: Several, distance: Length, dimension: Dimension = 1) -> float:
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


@checked
def gaussian_mean_delta_approximation(n: Size, dimension: Size) -> float:
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
    Limits paper, Theorem 13: its constant hides the dimension.  With many coordinates the log
    likelihood ratio is nearly normal with mean and half variance d/(2n).

    Examples
    --------
    >>> round(gaussian_mean_delta_approximation(100, 100), 5)
    0.38292
    """
    return math.erf(math.sqrt(dimension / n / 8))


@checked
def mean_delta_bound(n: Several, dimension: Size, average_length: Length, c: Length = 0.0) -> float:
    """Return Theorem 13's bound on Delta of any learner that sees a mean of a vector.

    Parameters
    ----------
    n : int
        Records, in [2, 10^12].
    dimension : int
        Of the averaged vector L, in [1, 10^12].
    average_length : float
        Mean length of L after centring and whitening, at least 0.
    c : float
        Constant of the central limit theorem in total variation, at least 0.  It is 0 for
        Gaussian L, and not known in general.

    Returns
    -------
    float
        A bound, at most 1.

    References
    ----------
    Limits paper, Theorem 13: (c + m/2)/sqrt(n) + sqrt(d)/(2n), as rebuilt up to normalisation.

    Examples
    --------
    >>> round(mean_delta_bound(100, 1, (2 / math.pi) ** 0.5), 6)
    0.044894
    """
    return min(1.0, (c + average_length / 2) / math.sqrt(n) + math.sqrt(dimension) / (2 * n))


def mean_records_needed(security: float, dimension: int, average_length: float) -> int:
    """Return the smallest n, at least 2, at which `mean_delta_bound` gives a security.

    Parameters
    ----------
    security : float
        What the security should be at least, in [0, 1); more than 10^12 records are refused.
    dimension, average_length
        As in `mean_delta_bound`, whose ``c`` is 0.

    References
    ----------
    Limits paper, Remark 13: the quadratic inequality in 1/sqrt(n), solved.

    Examples
    --------
    >>> mean_records_needed(0.9, 50, 50**0.5)
    1320
    """
    security = validate.number("security", security, 0.0, 1.0, open_high=True)
    mean_delta_bound(2, dimension, average_length)
    slope = validate.number("average_length", average_length, 0.0, 1e100) / 2
    room = 1 - security
    root = 2 * room / (slope + math.sqrt(slope**2 + 2 * math.sqrt(dimension) * room))
    if root < 1.001e-6:
        allowed = f"one that at most {_LARGEST:,} records give, for this average_length"
        validate.refuse("security", security, allowed)
    n = max(2, math.ceil(1 / root**2) - 1)
    # The root is rounded, and the bound decides.
    while mean_delta_bound(n, dimension, average_length) > room:
        n += 1
    return n


LAWS = ("gaussian", "one-hot", "exponential", "mean and variance")
Law = Annotated[str, OneOf(LAWS)]


@checked
def universal_constant(law: Law, *, dimension: Size = 1, p: Any = None) -> float:
    """Return the limit of sqrt(n) Delta for a learner that releases a mean.

    Parameters
    ----------
    law : {"gaussian", "one-hot", "exponential", "mean and variance"}
        What is averaged: a normal vector; the indicator vector of a discrete record, so that
        the mean is a histogram; an exponential variable; (z, z^2) of a normal z.
    dimension : int
        Of the normal vector, in [1, 10^12]; not used by the other distributions.
    p : array_like, optional
        Probabilities of the discrete record's values, for *one-hot* only.

    Returns
    -------
    float
        Exact up to rounding: E|S^(-1/2)(L - EL)| / sqrt(2 pi) with S the covariance of L.

    References
    ----------
    Limits paper, Theorems 13 and 14: one limit for both.  For one-hot L it is
    C_K / sqrt(2 pi), the constant of Corollary 15.  That it is the limit is proved for
    Gaussian and for finite discrete records, and checked for the two others.

    Examples
    --------
    >>> universal_constant("gaussian") == 1 / math.pi
    True
    >>> round(universal_constant("one-hot", p=[0.5, 0.5]), 6)
    0.398942
    """
    if (p is None) == (law == "one-hot"):
        validate.refuse("p", p, "given for 'one-hot', and for no other distribution")
    if law == "gaussian":
        half = dimension / 2
        return 1 / math.pi if dimension == 1 else _gamma_ratio(half) / math.sqrt(math.pi)
    if law == "one-hot":
        vector = validate.probability_vector("p", p)
        return float(np.sqrt(vector * np.maximum(1 - vector, 0)).sum()) / math.sqrt(2 * math.pi)
    if law == "exponential":
        return 2 / math.e / math.sqrt(2 * math.pi)
    # The covariance of (z, z^2) is diagonal: 1 and 2.
    z, step = (20 * part for part in legendre(200))
    length = np.sqrt(z**2 + (z**2 - 1) ** 2 / 2)
    return float(2 * (length * np.exp(-(z**2) / 2) @ step)) / (2 * math.pi)


def _gamma_ratio(x: float) -> float:
    """Return Gamma(x + 1/2) / Gamma(x)."""
    if x < 160:
        return math.gamma(x + 0.5) / math.gamma(x)
    # Logarithms of the two would lose the digits in which they differ.
    y = 1 / x
    return math.sqrt(x) * (1 - y / 8 * (1 - y / 16 * (1 + y * 5 / 8 * (1 - y * 21 / 160))))


@checked
def universal_constant_from_samples(samples: Values, confidence: Confidence = 0.95) -> Estimate:
    """Estimate the limit of sqrt(n) Delta from draws of what is averaged.

    Parameters
    ----------
    samples : array_like of shape (draws,) or (draws, dimension)
        Independent draws of L, at least 10 a coordinate, with an invertible covariance.

    Returns
    -------
    Estimate
        The plug-in value.  Its interval takes into account that the mean and the covariance
        are estimated too, and holds for many draws only.

    References
    ----------
    Limits paper, Theorem 13.  Coordinates that repeat one another, as in X'X, must be dropped
    first: they leave the covariance without an inverse.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal(20_000)
    >>> found = universal_constant_from_samples(draws)
    >>> found.low < 1 / math.pi < found.high
    True
    """
    if samples.ndim == 1:
        samples = samples[:, None]
    if samples.ndim != 2:
        validate.refuse("samples", f"of shape {samples.shape}", "of shape (draws,) or (draws, dimension)")
    count, dimension = samples.shape
    if dimension == 0 or count < 10 * dimension or not np.isfinite(samples).all():
        validate.refuse("samples", f"of shape {samples.shape}", "finite, with 10 rows a column")
    centred = samples - samples.mean(axis=0)
    size = np.sqrt((centred**2).mean(axis=0))
    if not (size > 0).all():
        validate.refuse("samples", "a constant column", "of columns that vary")
    axes, spread, _ = np.linalg.svd(centred / size, full_matrices=False)
    if spread[-1] < 1e-7 * spread[0]:
        validate.refuse("samples", "linearly dependent columns", "of columns none of which repeats")
    white = axes * math.sqrt(count)
    length = np.sqrt((white**2).sum(axis=1))
    value = float(length.mean())
    # How one more draw moves the value: by its own length, through the mean, through the
    # covariance.  The spread of that is the standard error.
    unit = white / np.maximum(length, 1e-300)[:, None]
    turn = unit.T @ white / count
    moved = length - white @ unit.mean(axis=0) - ((white @ turn) * white).sum(axis=1) / 2
    half = float(ndtri((1 + confidence) / 2)) * float(moved.std()) / math.sqrt(count)
    root = math.sqrt(2 * math.pi)
    low, high = max(0.0, value - half) / root, (value + half) / root
    warning = "the interval holds for many draws only"
    return Estimate(value / root, low, high, "estimate", confidence, warning)


_OUTER, _ANGLES = 48, 3001


@checked
def mean_variance_delta(n: Annotated[int, Integer(4, 100_000)]) -> float:
    """Return Delta, balanced, of a learner that releases mean and variance of n normal records.

    Parameters
    ----------
    n : int
        Records in the data set, in [4, 100000].

    Returns
    -------
    float
        An approximation, within about 1e-4 of the truth, relatively.

    References
    ----------
    Limits paper, Example 3.  Given mean m and sum of squares Q around it, a record is
    m + sqrt((n-1)Q/n) sin(w) with w of density proportional to cos(w)^(n-3); Delta is the
    average total variation between that distribution and the record's own.

    Examples
    --------
    >>> round(1000**0.5 * mean_variance_delta(1000), 4)
    0.4546
    """
    ranks, weights = legendre(_OUTER)
    # Ranks bend towards both ends, where the quantiles run off.
    shares = ranks**2 * (3 - 2 * ranks)
    weights = weights * 6 * ranks * (1 - ranks)
    means = ndtri(shares) / math.sqrt(n)
    squares = chdtri(n - 1, 1 - shares)
    reach = min(math.pi / 2, 12 / math.sqrt(n))
    angle, step = np.linspace(-reach, reach, _ANGLES, retstep=True)
    log_law = (n - 3) * np.log(np.maximum(np.cos(angle), 1e-300)) - betaln(0.5, (n - 2) / 2)
    law = np.exp(log_law)
    total = 0.0
    for mean, weight in zip(means, weights, strict=True):
        radius = np.sqrt((n - 1) * squares / n)[:, None]
        records = mean + radius * np.sin(angle)
        own = np.exp(-(records**2) / 2) / math.sqrt(2 * math.pi) * radius * np.cos(angle)
        gain = np.maximum(law - own, 0).sum(axis=1) * step
        total += weight * float(gain @ weights)
    return float(min(max(total, 0.0), 1.0))


# Sums that are listed; more would take minutes.
_MOST_SUMS = 20_000


def _sums(values: Array, draws: int) -> tuple[Array, Array]:
    """Return the sums of independent draws from equally likely values, and their chances."""
    sums: Array = np.zeros(1)
    chances: Array = np.ones(1)
    for _ in range(draws):
        # Sums that differ by rounding alone are one.
        every = (sums[:, None] + values).round(9).ravel()
        sums, place = np.unique(every, return_inverse=True)
        each = np.repeat(chances / values.size, values.size)
        chances = np.bincount(place.ravel(), each).astype(np.float64)
    return sums, chances


@checked
def noisy_mean_deltas(
    values: Annotated[Any, Numbers(-1e6, 1e6, ndim=1)], n: Annotated[int, Integer(1, 8)], sigma: Sigma
) -> Array:
    """Return how far each value, as a member, moves the release of a noisy mean.

    Parameters
    ----------
    values : array_like of shape (k,)
        What a record may be, each equally likely: 1 to 16 numbers within [-1e6, 1e6], rounded
        to nine decimals.
    n : int
        Records in the data set, drawn independently, in [1, 8].

    Returns
    -------
    ndarray of shape (k,)
        For each value the total variation distance between the release when a record has it,
        and the release.  Absolute error below 1e-11.

    Notes
    -----
    Limits paper, Theorem 1: each is its record's part of the divergence between the parameters
    with a member and with a stranger.  Their mean is Delta, balanced, where the records that are
    seen are drawn from ``values``.

    Examples
    --------
    >>> noisy_mean_deltas([0.0, 1.0], 1, 1.0).round(6)
    array([0.191462, 0.191462])
    """
    if not 1 <= values.size <= 16 or math.comb(values.size + n - 1, n) > _MOST_SUMS:
        allowed = f"1 to 16 numbers, with at most {_MOST_SUMS:,} data sets of {n} of them"
        validate.refuse("values", values.tolist(), allowed)
    values = values.round(9)
    others, every = _sums(values, n - 1), _sums(values, n)
    pairs = [((others[0] + value).round(9) / n, every[0] / n, (others[1], every[1])) for value in values]
    return mixture_distances(pairs, sigma)
