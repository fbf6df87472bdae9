"""Choosing epsilon for a mean with Gaussian noise: bisection, since more noise is safer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mipbook import pmp, tradeoff, validate
from mipbook.pmp.estimate import Estimate

__all__ = ["certified_sigma", "gaussian_parameters", "gaussian_success", "mean_utility"]

Array = NDArray[np.float64]
# The exact curve of a pool in one dimension takes about n^2; beyond this the normal law stands in.
_EXACT_UP_TO = 400
_TOLERANCE = 1e-4


def certified_sigma(values: Array, target: float, delta: float) -> tuple[float, float]:
    """Return the least noise that is certified to keep eps~ at the target, and what it certifies.

    The bound falls as the noise rises, because adding noise is post-processing; the result is
    rounded to the side of more noise.
    """
    from scipy.optimize import brentq

    reach = pmp.diameter(values)
    if reach == 0:
        return 0.0, 0.0

    def over(log_sigma: float) -> float:
        # On a log scale the bound is nearly straight; below the target 0 would have no log.
        found = pmp.gaussian_epsilon_bound(values, math.exp(log_sigma), delta)
        return math.log(max(found, 1e-12) / target)

    # Noise for DP on the pool is enough for the average too, so the bracket is sure.
    high = math.log(float(tradeoff.gaussian_sigma(target, delta, sensitivity=reach)))
    low = high
    while over(low) <= 0:
        low -= 1.0
        if low < high - 40:
            return 0.0, 0.0
    found = brentq(over, low, min(low + 1.0, high), xtol=_TOLERANCE) if low < high else high
    sigma = math.exp(found)
    for _ in range(20):
        certified = pmp.gaussian_epsilon_bound(values, sigma, delta)
        if certified <= target:
            return sigma, certified
        sigma *= 1 + _TOLERANCE
    validate.refuse("target", target, "a target that the search reaches")


def gaussian_parameters(
    values: Array, sigma: float, delta: float, certified: float
) -> tuple[Estimate, Estimate]:
    """Return the likely eps~ and eps(X) of the noise."""
    reach = pmp.diameter(values)
    known = float(tradeoff.gaussian_epsilon(delta, sigma, sensitivity=reach)) if reach else 0.0
    on_pool = Estimate(known, known, known)
    if certified == 0.0:
        return Estimate(0.0, 0.0, 0.0), on_pool
    if values.shape[1] == 1 and len(values) <= _EXACT_UP_TO:
        likely = pmp.gaussian_epsilon_exact(values, sigma, delta)
        return Estimate(likely, likely, likely), on_pool
    likely = min(pmp.gaussian_epsilon_normal(values, sigma, delta), certified)
    return Estimate(likely, 0.0, certified, "approximation"), on_pool


def gaussian_success(values: Array, sigma: float, delta: float, likely: Estimate) -> Estimate:
    """Return how often the best practical attacker is right about the most exposed record."""
    if likely.kind == "exact" and likely.value > 0:
        right = 0.5 + float(pmp.gaussian_delta_exact(values, sigma, 0.0)) / 2
        return Estimate(right, right, right)
    right = float(pmp.success_bound(likely.value, delta))
    return Estimate(right, 0.5, right, "bound" if likely.kind == "exact" else "approximation")


def mean_utility(raw: Array, clipped: Array, sigma: float) -> dict[str, str]:
    """Return what the noise, the draw and the clipping do to the mean."""
    dimension = raw.shape[1]
    spread = raw.var(axis=0, ddof=1).sum()
    noise = sigma * math.sqrt(dimension)
    draw = math.sqrt(spread / len(raw))
    shift = float(np.linalg.norm(raw.mean(axis=0) - clipped.mean(axis=0)))
    times = f", {noise / draw:.3g} times the draw's" if draw > 0 else ""
    return {
        "noise of the mean, root mean square": f"{noise:.4g} (exact){times}",
        "error of drawing half, root mean square": f"{draw:.4g} (exact)",
        "shift of the mean by clipping": f"{shift:.4g} (exact)",
    }
