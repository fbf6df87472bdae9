"""Three ways to prove a promise about noise, and the scale that each needs."""

from __future__ import annotations

import math

import numpy as np

from mipbook.base.types import Array
from mipbook.mip.noise.betting import log_wealth, wealth_needed
from mipbook.mip.noise.coupling import gaussian_sigma_for_mip, scale_from_distance

__all__ = ["route_scales"]

# No scale below this, in units of the weights: fits that never differ prove nothing finer.
_LEAST = 2.0**-80
# Numbers of one block of the wealth's sums.
_CELLS = 1 << 21


def route_scales(
    spread: Array, swapped: Array | None, bound: float | None, eta: float, confidence: float, noise: str
) -> dict[str, float]:
    """Return the scale that each route needs; the routes by fits hold together.

    Parameters
    ----------
    spread : ndarray of shape (fits, 1)
        Distances of fits from the centre.
    swapped : ndarray of shape (halves, records), optional
        Distances of fits when a record is swapped, one column a record.
    bound : float, optional
        The largest such distance there is, known from elsewhere.
    eta : float
        What is left of the promise when the grid has had its share.
    noise : {"gamma", "gaussian"}
        The distribution.

    Returns
    -------
    dict of float
        *spread*, *swap*, *sensitivity*; infinite where the fits prove nothing.

    Examples
    --------
    >>> scales = route_scales(np.ones((2000, 1)), None, 0.1, 0.1, 0.9, "gamma")
    >>> scales["sensitivity"] < scales["spread"]
    True
    """
    ways = 1 if swapped is None else 2
    routes = {"spread": _smallest(spread, eta, wealth_needed(confidence, ways), noise)}
    if swapped is not None:
        target = wealth_needed(confidence, ways * swapped.shape[1])
        routes["swap"] = _smallest(swapped, 2 * eta, target, noise)
    if bound is not None:
        gaussian = noise == "gaussian"
        least = gaussian_sigma_for_mip(bound / 2, eta) if gaussian else scale_from_distance(bound, eta)
        routes["sensitivity"] = max(float(least), _LEAST)
    return routes


def _smallest(distances: Array, mean: float, target: float, noise: str) -> float:
    """Return the smallest scale at which every column's wealth proves a mean T below ``mean``."""
    from scipy.optimize import brentq
    from scipy.special import erf

    step = max(1, _CELLS // (8 * len(distances)))
    columns = [distances[:, i : i + step] for i in range(0, distances.shape[1], step)]

    def missing(log_scale: float) -> float:
        worst = math.inf
        for part in columns:
            reach = part * (0.5 * math.exp(-log_scale))
            lost = erf(reach / math.sqrt(2)) if noise == "gaussian" else -np.expm1(-reach)
            worst = min(worst, float(log_wealth(lost, mean).min()))
        return max(target - worst, -1e6)

    if missing(600.0) > 0:  # even without any distance left the fits are too few
        return math.inf
    top = float(distances.max())
    high = max(math.log(top / mean), math.log(_LEAST)) if top > 0 else math.log(_LEAST)
    while missing(high) > 0:
        high += 2.0
    low = high - 2.0
    while missing(low) <= 0:
        high, low = low, low - 2.0
        if high < math.log(_LEAST):
            return _LEAST
    return math.exp(brentq(missing, low, high, xtol=1e-12)) * (1 + 1e-9)
