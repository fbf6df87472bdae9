"""Noise that follows each coordinate's spread: directions on the unit sphere of a norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv

from explorable import validate
from mipbook.base.types import Array
from mipbook.mip.noise.scale import noise_scale

__all__ = [
    "RADII",
    "cone_directions",
    "length_quantiles",
    "norm_of",
    "radius_scale",
    "sample_noise",
    "weighted_norm",
]

RADII = ("gamma", "laplace")
# Numbers that are drawn at once, half a gigabyte of them.
_MOST = 1 << 26


# Vectors of fewer numbers are laid out by coordinate before a norm is taken.
_SHORT = 8
_MOST_SQUARES = 10


def _exponent(M: Any) -> float:
    return validate.number("M", M, 1.0, math.inf)


def _spread(sigma: Any) -> Array:
    spread = validate.array("sigma", sigma, 0.0, math.inf, open_low=True, open_high=True, ndim=1)
    if spread.size == 0:
        validate.refuse("sigma", sigma, "one positive number a coordinate, at least one")
    return spread


def weighted_norm(x: ArrayLike, sigma: ArrayLike, M: float = 2.0) -> Any:
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
    spread = _spread(sigma)
    M = _exponent(M)
    vectors = validate.array("x", x)
    with np.errstate(over="ignore"):
        scaled = vectors / spread if vectors.shape[-1:] == spread.shape else vectors
    if not np.isfinite(scaled).all():
        validate.refuse("x", x, "finite, also in units of sigma")
    if vectors.ndim == 0 or vectors.shape[-1] != spread.size:
        validate.refuse("x", x, f"vectors of length {spread.size}, as sigma")
    return validate.plain(norm_of(scaled, M))


def norm_of(scaled: Array, M: float) -> Array:
    """Return the norm of vectors in units of sigma; large M must not overflow."""
    # Column by column: a sum over a short last axis is ten times slower.
    size = np.moveaxis(np.abs(scaled), -1, 0)
    if len(size) == 1:
        return np.asarray(size[0])
    size = np.ascontiguousarray(size) if len(size) < _SHORT else size
    top = size.max(axis=0)
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


def cone_directions(sigma: ArrayLike, M: float, rng: np.random.Generator, size: int | None = None) -> Array:
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
    spread = _spread(sigma)
    M = _exponent(M)
    validate.generator("rng", rng)
    count = 1 if size is None else validate.integer("size", size, 1, _MOST // spread.size)
    shape = (count, spread.size)
    # |Y| = G^(1/M) V with G ~ Gamma(1 + 1/M) is exact, and does not underflow for large M.
    height = np.ones(shape) if math.isinf(M) else rng.gamma(1 + 1 / M, size=shape) ** (1 / M)
    scaled = height * rng.uniform(-1.0, 1.0, shape)
    directions = scaled / norm_of(scaled, M)[:, None] * spread
    return np.asarray(directions[0] if size is None else directions)


def radius_scale(eta: float, M: float, radius: str) -> float:
    """Return the scale of the noise's length: the sharp one for Gamma, else the published one."""
    published = validate.choice("radius", radius, RADII) == "laplace"
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


def sample_noise(
    sigma: ArrayLike,
    eta: float,
    M: float,
    rng: np.random.Generator,
    size: int | None = None,
    *,
    radius: str = "gamma",
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
    spread = _spread(sigma)
    validate.generator("rng", rng)
    M = _exponent(M)
    eta = validate.number("eta", eta, 0.0, 0.5, open_low=True, open_high=True)
    scale = radius_scale(eta, M, radius)
    directions = cone_directions(spread, M, rng, 1 if size is None else size)
    if radius == "gamma":
        lengths = rng.gamma(spread.size, scale, len(directions))
    else:
        lengths = np.abs(rng.laplace(0.0, scale, len(directions)))
    with np.errstate(over="ignore", under="ignore"):
        noise = directions * lengths[:, None]
    if not np.isfinite(noise).all():
        validate.refuse("sigma", sigma, "so small that the noise stays finite")
    return np.asarray(noise[0] if size is None else noise)
