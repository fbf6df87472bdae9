"""What noise along a norm delivers on the worst query: two releases, all coordinates apart."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, gammainc, ndtri

from mipbook import validate
from mipbook.mip.norms import cone_directions, norm_of, radius_scale

__all__ = ["Delivered", "delivered_eta"]

_DRAWS = 200_000
_NODES = 1000


class Delivered(NamedTuple):
    """The eta that noise delivers on the two-point query, with a band if it is simulated."""

    value: float
    low: float
    high: float
    kind: str


def delivered_eta(
    dimension: int,
    M: float,
    eta: float,
    radius: str = "laplace",
    rng: np.random.Generator | None = None,
) -> Delivered:
    """Return the eta that noise made for ``eta`` delivers on the query with answers +-sigma.

    The query answers +1 in every coordinate when the target is in and -1 when it is out, in
    units of sigma; every spread of it is 1.

    Parameters
    ----------
    dimension : int
        Coordinates d, in [1, 10^9] for M = 2 and M = inf, at most 256 otherwise.
    M : float
        Exponent of the norm, in [1, inf].
    eta : float
        What the noise promises, in (0, 1/2).
    radius : {"laplace", "gamma"}
        The published radius and constant, or the repaired ones.
    rng : numpy.random.Generator, optional
        Needed where the value is simulated, for 1 <= M < inf other than 2.

    Returns
    -------
    Delivered
        ``kind`` is *exact* (quadrature, relative error below 1e-6) for M = 2, M = inf and
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
    d = validate.integer("dimension", dimension, 1, 10**9)
    M = validate.number("M", M, 1.0, math.inf)
    eta = validate.number("eta", eta, 0.0, 0.5, open_low=True, open_high=True)
    scale, published = radius_scale(eta, M, radius), radius == "laplace"
    if d == 1:
        # In one dimension both radii are Laplace noise.
        return _exactly(-math.expm1(-1 / scale) / 2)
    if M == 2:
        return _exactly(_spherical(d, scale, published))
    if math.isinf(M):
        return _exactly(_cubic(d, scale, published))
    validate.integer("dimension", d, 1, 256)
    return _simulated(d, M, scale, published, validate.generator("rng", rng))


def _exactly(value: float) -> Delivered:
    return Delivered(value, value, value, "exact")


@lru_cache(maxsize=512)
def _spherical(d: int, scale: float, published: bool) -> float:
    """Return half the chance that one coordinate of the noise is at most 1 in size."""
    # |U_1| = sqrt(B) with B ~ Beta(1/2, (d-1)/2), by its quantiles at Gauss-Legendre nodes.
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    share = (nodes + 1) / 2
    if d <= 10**6:
        size = np.sqrt(betaincinv(0.5, (d - 1) / 2, share))
    else:
        # Beyond a million coordinates sqrt(d) U_1 is normal to six digits.
        size = ndtri(0.5 + share / 2) / math.sqrt(d)
    chance = -np.expm1(-1 / (scale * size)) if published else gammainc(d, 1 / (scale * size))
    return float((weights / 2 * chance).sum() / 2)


@lru_cache(maxsize=512)
def _cubic(d: int, scale: float, published: bool) -> float:
    """Return the same for the sup norm: TV = 1 - E[overlap], over the length of the noise."""
    if not published:
        return -math.expm1(-1 / scale) / 2
    # eta = (1 - e^(-1/c) E (1 + 1/rho)^-(d-1)) / 2 with rho ~ Exp(c); near rho = 0 the
    # integrand is flat for d > 1, and elsewhere smooth: split there.
    edges = np.concatenate([[0.0], np.geomspace(1e-6, 60.0, 240)]) * scale
    gauss, mass = np.polynomial.legendre.leggauss(12)
    total = 0.0
    for low, high in itertools.pairwise(edges):
        rho = (low + high) / 2 + (high - low) / 2 * gauss
        with np.errstate(under="ignore"):
            value = np.exp(-rho / scale - (d - 1) * np.log1p(1 / rho)) / scale
        total += float((mass * value).sum()) * (high - low) / 2
    return float((1 - math.exp(-1 / scale) * total) / 2)


def _simulated(
    d: int, M: float, scale: float, published: bool, rng: np.random.Generator
) -> Delivered:
    sums = squares = 0.0
    batch = max(1, 400_000 // d)
    rounds = -(-_DRAWS // batch)
    for _ in range(rounds):
        lengths = rng.exponential(scale, batch) if published else rng.gamma(d, scale, batch)
        noise = cone_directions(np.ones(d), M, rng, batch) * lengths[:, None]
        other = norm_of(noise + 2.0, M)
        # log of the density at the other place over the density here.
        edge = (lengths - other) / scale
        if published:
            edge += (d - 1) * (np.log(lengths) - np.log(other))
        gain = -np.expm1(np.minimum(edge, 0.0))
        sums += float(gain.sum())
        squares += float((gain**2).sum())
    count = rounds * batch
    mean = sums / count
    error = math.sqrt(max(squares / count - mean**2, 0.0) / count)
    return Delivered(
        mean / 2, max(mean - 1.96 * error, 0.0) / 2, (mean + 1.96 * error) / 2, "estimate"
    )
