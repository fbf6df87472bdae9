"""Noise that follows each coordinate's spread, drawn along a norm, and what it delivers."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaincinv, gammaln

from explorable import validate
from explorable.checked import Integer, Number, Numbers, OneOf, Rule, checked
from mipbook.base.rounding import Estimate
from mipbook.base.types import Array, Eta, Rng
from mipbook.mip.conversion import noise_scale

# Numbers that are drawn at once, half a gigabyte of them.
_MOST_NUMBERS = 1 << 26


# Vectors of fewer numbers are laid out by coordinate before a norm is taken.
_SHORT = 8
_MOST_SQUARES = 10


def _spread(name: str, value: Any) -> Array:
    spread = validate.array(name, value, 0.0, math.inf, open_low=True, open_high=True, ndim=1)
    if spread.size == 0:
        validate.refuse(name, value, "one positive number a coordinate, at least one")
    return spread


Spread = Annotated[Any, Rule(_spread)]
# Of the norm, 1 to inf.
Exponent = Annotated[float, Number(1.0)]


@checked
def weighted_norm(x: Annotated[Any, Numbers()], sigma: Spread, M: Exponent = 2.0) -> Any:
    r"""Return :math:`\left(\frac1d\sum_i |x_i/\sigma_i|^M\right)^{1/M}`.

    Parameters
    ----------
    x : array_like of shape (..., d)
        Vectors.
    sigma : array_like of shape (d,)
        Spread of each coordinate, in (0, inf).
    M : float
        Exponent in [1, inf]; at inf it is the largest ``|x_i| / sigma_i``.

    Returns
    -------
    float or ndarray of shape (...)

    Notes
    -----
    MIP paper, Corollary 10.

    Examples
    --------
    >>> weighted_norm([3.0, 4.0], [1.0, 1.0]) == math.sqrt(12.5)
    True
    """
    with np.errstate(over="ignore"):
        scaled = x / sigma if x.shape[-1:] == sigma.shape else x
    if not np.isfinite(scaled).all():
        validate.refuse("x", x, "finite, also in units of sigma")
    if x.ndim == 0 or x.shape[-1] != sigma.size:
        validate.refuse("x", x, f"vectors of length {sigma.size}, as sigma")
    return validate.plain(norm_of(scaled, M))


def norm_of(scaled: Array, M: float) -> Array:
    """Return the norm of vectors in units of sigma; large M must not overflow."""
    # Column by column: a sum over a short last axis is ten times slower.
    size = np.moveaxis(np.abs(scaled), -1, 0)
    if len(size) == 1:
        return np.asarray(size[0])
    size = np.ascontiguousarray(size) if len(size) < _SHORT else size
    top = np.linalg.norm(size, np.inf, axis=0)
    if math.isinf(M):
        return np.asarray(top)
    safe = np.where(top > 0, top, 1.0)
    with np.errstate(under="ignore"):
        return np.asarray(top * _power(size / safe, M).mean(axis=0) ** (1 / M))


def _power(base: Array, M: float) -> Array:
    """Return ``base ** M`` of a fresh array; by squares, where they do, in a sixth of the time."""
    squares = round(math.log2(M))
    if squares > _MOST_SQUARES or 2.0**squares != M:
        return np.asarray(base**M)
    for _ in range(squares):
        np.square(base, out=base)
    return base


@checked
def cone_directions(sigma: Spread, M: Exponent, rng: Rng, size: int | None = None) -> Array:
    """Draw directions of length 1 in the weighted norm, from its cone measure.

    Parameters
    ----------
    sigma : array_like of shape (d,)
        Spread of each coordinate, in (0, inf).
    M : float
        Exponent of the norm, in [1, inf].
    size : int, optional
        How many; one without this.

    Returns
    -------
    ndarray of shape (d,) or (size, d)

    Notes
    -----
    MIP paper, Corollary 10: ``U = Y / |Y|`` with generalised normal Y_i.  This is not the
    uniform distribution on the sphere's surface unless all sigma are equal and M is 1, 2 or inf.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> u = cone_directions([1.0, 5.0], 4, rng, 3)
    >>> np.allclose(weighted_norm(u, [1.0, 5.0], 4), 1.0)
    True
    """
    count = 1 if size is None else validate.integer("size", size, 1, _MOST_NUMBERS // sigma.size)
    shape = (count, sigma.size)
    # |Y| = G^(1/M) V with G ~ Gamma(1 + 1/M) is exact, and does not underflow for large M.
    height = np.ones(shape) if math.isinf(M) else rng.gamma(1 + 1 / M, size=shape) ** (1 / M)
    scaled = height * rng.uniform(-1.0, 1.0, shape)
    directions = scaled / norm_of(scaled, M)[:, None] * sigma
    return np.asarray(directions[0] if size is None else directions)


@checked
def radius_scale(eta: float, M: float, radius: Annotated[str, OneOf(("gamma", "laplace"))]) -> float:
    """Return the scale of the noise's length: the sharp one for Gamma, else the published one."""
    published = radius == "laplace"
    # 1 + 2/M is 1 for an exponent of 1e300.
    scale = float(noise_scale(eta, M=min(float(M), 1e300), as_published=published))
    if not scale < 1e290:
        validate.refuse("eta", eta, "so large that the noise stays finite")
    return scale


def length_quantiles(rank: ArrayLike, dimension: int, radius: str) -> Array:
    """Return the noise's length, in units of its mean, at ranks in (0, 1).

    The length is Gamma with shape d, or Laplace's size, whatever M and eta are.

    Examples
    --------
    >>> length_quantiles([0.5], 10**6, "gamma").round(3).tolist()
    [1.0]
    """
    shape = 1 if radius == "laplace" else dimension
    return np.asarray(gammaincinv(shape, np.asarray(rank)) / shape)


@checked
def sample_noise(
    sigma: Spread, eta: Eta, M: Exponent, rng: Rng, size: int | None = None, *, radius: str = "gamma"
) -> Array:
    """Draw noise that makes a query eta-MIP whose coordinates have these spreads.

    Parameters
    ----------
    sigma : array_like of shape (d,)
        ``E[|theta_i - m_i|^M]^(1/M)`` of each coordinate over random halves, in (0, inf).
    M : float
        Exponent of the norm and the moments, in [1, inf].
    size : int, optional
        How many; one without this.
    radius : {"gamma", "laplace"}
        The distribution of the noise's length.  *gamma*, with shape d, makes its density
        proportional to ``exp(-|x| / c)``, with the sharp constant c, and is guaranteed.
        *laplace* is what the papers print, with their constant; it is guaranteed for d = 1
        only and may break the promise for d >= 2.

    Returns
    -------
    ndarray of shape (d,) or (size, d)

    Notes
    -----
    MIP paper, Corollary 10, corrected; RIP paper, Corollary 8 for M = 2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sample_noise([1.0, 2.0], 0.1, 2, rng, size=4).shape
    (4, 2)
    """
    scale = radius_scale(eta, M, radius)
    directions = cone_directions(sigma, M, rng, 1 if size is None else size)
    if radius == "gamma":
        lengths = rng.gamma(sigma.size, scale, len(directions))
    else:
        lengths = np.abs(rng.laplace(0.0, scale, len(directions)))
    with np.errstate(over="ignore", under="ignore"):
        noise = directions * lengths[:, None]
    if not np.isfinite(noise).all():
        validate.refuse("sigma", sigma, "so small that the noise stays finite")
    return np.asarray(noise[0] if size is None else noise)


# exp(-2 pi (pi/2) / step) bounds the trapezoid's error: far below rounding.
_STEP = 0.1
_COARSE = 0.5
_SIMULATED = 256
_LEAST, _MOST = 3000, 40_000
# Numbers of a simulation, and of one block of it.
_ALL, _CELLS = 1 << 24, 1 << 20


@checked
def delivered_eta(
    dimension: Annotated[int, Integer(1, 10**9)],
    M: Exponent,
    eta: Eta,
    radius: str = "laplace",
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Return the eta that noise made for ``eta`` delivers on the query with answers +-sigma.

    The query answers +1 in every coordinate when the target is in and -1 when it is out, in
    units of sigma; every spread of it is 1.

    Parameters
    ----------
    dimension : int
        Coordinates d, in [1, 10^9] for M = 2 and M = inf, at most 256 otherwise.
    M : float
        Exponent of the norm, in [1, inf].
    radius : {"laplace", "gamma"}
        The published radius and constant, or the repaired ones.
    rng : numpy.random.Generator, optional
        Needed where the value is simulated, for 1 <= M < inf other than 2.

    Returns
    -------
    Estimate
        ``kind`` is *exact* (quadrature, relative error below 1e-9) for M = 2, M = inf and
        d = 1, otherwise *estimate* with a 95% band.

    Raises
    ------
    ValueError
        For an argument outside its range, or a missing generator.

    Notes
    -----
    MIP paper, Corollary 10, and its correction.  For M = 2 two centred spheres of mass
    differ by the chance that one coordinate of the noise is below the shift; for M = inf
    the larger of two shifted lengths is the length plus the shift.

    Examples
    --------
    >>> round(delivered_eta(100_000, 2, 0.1).value, 5)
    0.10025
    >>> delivered_eta(8, math.inf, 0.1, "gamma").value <= 0.1 + 1e-12
    True
    """
    scale, published = radius_scale(eta, M, radius), radius == "laplace"
    if dimension == 1:
        # In one dimension both radii are Laplace noise.
        value = -math.expm1(-1 / scale) / 2
    elif M == 2 or math.isinf(M):
        value = (_spherical if M == 2 else _cubic)(dimension, scale, published)
    else:
        if dimension > _SIMULATED:
            validate.refuse("dimension", dimension, f"at most {_SIMULATED} for M = {M:g}")
        if rng is None:
            validate.refuse("rng", rng, f"a numpy.random.Generator: M = {M:g} is neither 2 nor inf")
        return _simulated(dimension, M, scale, published, validate.generator("rng", rng))
    return Estimate(value, value, value)


@lru_cache(maxsize=512)
def _spherical(d: int, scale: float, published: bool) -> float:
    """Return half the chance that one coordinate of the noise is at most 1 in size."""
    # |U_1| = sqrt(B) with B ~ Beta(1/2, (d - 1)/2).  Over the logit of B the density falls
    # exponentially on both sides, so the trapezoid rule is exact to rounding.
    b = (d - 1) / 2
    middle = -math.log(d)
    logit = np.arange(middle - 2 * (math.log(max(scale, 1.0)) + 45), middle + 8 + 90 / min(b, 12.0), _STEP)
    log_share = -np.log1p(np.exp(-logit))
    with np.errstate(under="ignore", over="ignore"):
        mass = np.exp(0.5 * (log_share - middle) - b * np.log1p(np.exp(logit)))
        reach = np.exp(-0.5 * log_share) / scale
        chance = -np.expm1(-reach) if published else gammainc(d, reach)
    return float((mass * chance).sum() / mass.sum() / 2)


@lru_cache(maxsize=512)
def _cubic(d: int, scale: float, published: bool) -> float:
    """Return the same for the sup norm: TV = 1 - E[overlap], over the length of the noise."""
    lost = -math.expm1(-1 / scale)
    if not published:
        return lost / 2
    # eta = (1 - e^(-1/c) E (1 + 1/rho)^-(d-1)) / 2 with rho ~ Exp(c), by the trapezoid rule in
    # log rho; what is lost of the mean is summed, not what is left.
    place = np.arange(-math.log(max(1 / scale, 1.0)) - 45, math.log(scale) + 5, _STEP)
    share = np.exp(place - math.log(scale))
    with np.errstate(under="ignore", over="ignore"):
        gone = -np.expm1(-(d - 1) * np.log1p(np.exp(-place)))
        mass = share * np.exp(-share)
    return float(lost + (1 - lost) * (mass * gone).sum() * _STEP) / 2


def _simulated(d: int, M: float, scale: float, published: bool, rng: np.random.Generator) -> Estimate:
    """Average over directions; along each the length is integrated, for short ones are rare."""
    start, end = -20.0 - math.log(d), math.log(scale) + math.log(max(60.0, 3.0 * d))
    nodes = int((end - start) / _COARSE) + 1
    batch, few = (max(1, cells // (d * nodes)) for cells in (_CELLS, _CELLS >> 5))
    found = []
    directions = min(max(_LEAST, _ALL // (d * nodes)), _MOST)
    for _ in range(-(-directions // batch)):
        # A random start of each grid makes the trapezoid rule right on average.
        place = start + _COARSE * (np.arange(nodes) + rng.random((batch, 1)))
        length, towards = np.exp(place), cone_directions(np.ones(d), M, rng, batch)[:, None, :]
        # Few directions together: what stays in the processor's cache is faster.
        other = np.concatenate(
            [
                norm_of(towards[i : i + few] * length[i : i + few, :, None] + 2.0, M)
                for i in range(0, batch, few)
            ]
        )
        # log of the density at the other place over the density here.
        edge = (length - other) / scale
        shape = d
        if published:
            edge += (d - 1) * (place - np.log(other))
            shape = 1
        ratio = place - math.log(scale)
        with np.errstate(under="ignore"):
            mass = np.exp(shape * ratio - np.exp(ratio) - gammaln(shape))
            found.append(_COARSE * (mass * -np.expm1(np.minimum(edge, 0.0))).sum(axis=1))
    each = np.concatenate(found) / 2
    mean, error = float(each.mean()), float(each.std(ddof=1)) / math.sqrt(each.size)
    # Lengths below the grid's start add at most their own chance.
    missed = math.exp(min(start + _COARSE - math.log(scale), 0.0)) / 2
    return Estimate(mean, max(mean - 1.96 * error, 0.0), mean + 1.96 * error + missed, "estimate", 0.95)
