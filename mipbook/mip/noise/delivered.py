"""What noise along a norm delivers on the worst query: two releases, all coordinates apart."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammainc, gammaln

from explorable import validate
from mipbook.mip.noise.norms import cone_directions, norm_of, radius_scale

__all__ = ["Delivered", "delivered_eta"]

# exp(-2 pi (pi/2) / step) bounds the trapezoid's error: far below rounding.
_STEP = 0.1
_COARSE = 0.5
_SIMULATED = 256
_LEAST, _MOST = 3000, 40_000
# Numbers of a simulation, and of one block of it.
_ALL, _CELLS = 1 << 24, 1 << 20


class Delivered(NamedTuple):
    """The eta that noise delivers on the two-point query, with a band if it is simulated."""

    value: float
    low: float
    high: float
    kind: str


def delivered_eta(
    dimension: int, M: float, eta: float, radius: str = "laplace", rng: np.random.Generator | None = None
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
    radius : {"laplace", "gamma"}
        The published radius and constant, or the repaired ones.
    rng : numpy.random.Generator, optional
        Needed where the value is simulated, for 1 <= M < inf other than 2.

    Returns
    -------
    Delivered
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
    if d > _SIMULATED:
        validate.refuse("dimension", d, f"at most {_SIMULATED} for M = {M:g}")
    if rng is None:
        validate.refuse("rng", rng, f"a numpy.random.Generator: M = {M:g} is neither 2 nor inf")
    return _simulated(d, M, scale, published, validate.generator("rng", rng))


def _exactly(value: float) -> Delivered:
    return Delivered(value, value, value, "exact")


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


def _simulated(d: int, M: float, scale: float, published: bool, rng: np.random.Generator) -> Delivered:
    """Average over directions; along each the length is integrated, for short ones are rare."""
    start, end = -20.0 - math.log(d), math.log(scale) + math.log(max(60.0, 3.0 * d))
    nodes = int((end - start) / _COARSE) + 1
    batch = max(1, _CELLS // (d * nodes))
    found = []
    directions = min(max(_LEAST, _ALL // (d * nodes)), _MOST)
    for _ in range(-(-directions // batch)):
        # A random start of each grid makes the trapezoid rule right on average.
        place = start + _COARSE * (np.arange(nodes) + rng.random((batch, 1)))
        length = np.exp(place)
        noise = cone_directions(np.ones(d), M, rng, batch)[:, None, :] * length[..., None]
        other = norm_of(noise + 2.0, M)
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
    return Delivered(mean, max(mean - 1.96 * error, 0.0), mean + 1.96 * error + missed, "estimate")
