"""Choosing epsilon for a mean with Gaussian noise: the least noise that keeps the target."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from explorable import validate
from mipbook import pmp, tradeoff
from mipbook.base.estimate import Estimate
from mipbook.base.rounding import up
from mipbook.base.types import Array
from mipbook.pmp.gaussian_bound import power_of_two
from mipbook.pmp.gaussian_exact import delta_and_error, exact_within
from mipbook.pmp.gaussian_rows import diameter_bounds

__all__ = ["DIAMETER_PRODUCTS", "Noise", "choose_noise", "epsilon_of", "likely_epsilon", "mean_utility"]

# The exact curve of a pool in one dimension takes about n^2; beyond this Proposition 12 certifies.
_EXACT_UP_TO = 400
_PRODUCTS = 1.5e8
# Past this share of delta the rounding of the exact curve is no longer small.
_EXACT_ERROR = 1e-3
# Products that the pool's diameter may cost.
DIAMETER_PRODUCTS = 2e9


class Noise(NamedTuple):
    """The least noise, in the units of the records, and what is known of it."""

    sigma: float
    certificate: Estimate
    likely: Estimate
    subset: Estimate
    success: Estimate


def epsilon_of(sigma: float, delta: float, sensitivity: float) -> float:
    """Return the noise's DP parameter, infinite where no double holds it."""
    ratio = sensitivity / sigma
    if not ratio < 1e150:
        return math.inf
    return float(tradeoff.gaussian_epsilon(delta, 1.0, sensitivity=ratio))


def choose_noise(values: Array, target: float, delta: float) -> Noise:
    """Return the least noise of four digits that keeps eps~ at the target.

    Raises ``ValueError`` where all records are equal, or where no noise is needed.
    """
    unit = power_of_two(values)
    if unit == 0:
        validate.refuse_as(
            "data",
            "records that are all equal after clipping",
            "records that differ: nothing needs noise here; raise clip if they should differ",
        )
    # Exact: a power of two.  Squares of the scaled numbers neither overflow nor vanish.
    scaled = values / unit
    enough = pmp.gaussian_sigma_bound(scaled, target, delta)
    low, high = diameter_bounds(scaled, DIAMETER_PRODUCTS)
    if enough < 1e-15 * high:
        validate.refuse("delta", delta, "smaller: so large a delta allows this release without any noise")
    sigma, certificate = _least_noise(scaled, unit, target, delta, enough)
    known = [float(tradeoff.gaussian_epsilon(delta, sigma, sensitivity=r)) for r in (low, high)]
    kind = "exact" if low == high else "bound"
    subset = Estimate(known[1], known[0], known[1], kind)
    if certificate.kind == "exact":
        likely = certificate
    else:
        value = likely_epsilon(scaled, sigma, delta, certificate.value)
        likely = Estimate(value, 0.0, certificate.value, "approximation")
    return Noise(sigma * unit, certificate, likely, subset, _success(scaled, sigma, delta, likely))


def _least_noise(
    values: Array, unit: float, target: float, delta: float, enough: float
) -> tuple[float, Estimate]:
    """Return the least noise by the exact curve where there is one, else by Proposition 12."""
    if values.shape[1] == 1 and len(values) <= _EXACT_UP_TO:
        try:
            found = _on_the_line(values, unit, target, delta, enough)
        except ValueError:
            found = None  # outside what the exact curve can do; the bound holds all the same
        if found is not None:
            return found
    sigma = up(enough * unit) / unit
    certified = min(pmp.gaussian_epsilon_bound(values, sigma, delta), target)
    return sigma, Estimate(certified, 0.0, certified, "bound")


def _on_the_line(
    values: Array, unit: float, target: float, delta: float, enough: float
) -> tuple[float, Estimate] | None:
    """Do the same in one dimension, where eps~ falls as the noise rises and can be counted."""
    from scipy.optimize import brentq

    row = int(np.argmax(np.abs(values - values.mean())))

    def over(log_sigma: float) -> float:
        spent = sum(delta_and_error(values, math.exp(log_sigma), target, _PRODUCTS, row))
        return math.log(spent / delta)

    high = math.log(enough)
    low = high
    while over(low) <= 0:
        low -= 0.5
        if low < high - 20:
            return None
    found = brentq(over, low, min(low + 0.5, high), xtol=1e-6) if low < high else high
    sigma = up(math.exp(found) * unit) / unit
    # The farthest record need not be the most exposed one: all are looked at.
    for _ in range(40):
        spent, error = delta_and_error(values, sigma, target, _PRODUCTS)
        if error > _EXACT_ERROR * delta:
            return None
        if spent + error <= delta:
            value = min(exact_within(values, sigma, delta, 4 * _PRODUCTS), target)
            return sigma, Estimate(value, value, value)
        sigma = up(sigma * unit * 1.002) / unit
        if sigma > enough:
            return None
    return None


def likely_epsilon(values: Array, sigma: float, delta: float, certified: float) -> float:
    """Return eps~ by the normal curve, never above what is certain; this never refuses."""
    try:
        found = pmp.gaussian_epsilon_normal(values, sigma, delta)
    except (ValueError, np.linalg.LinAlgError):
        return certified
    return min(found, certified) if math.isfinite(found) else certified


def _success(values: Array, sigma: float, delta: float, likely: Estimate) -> Estimate:
    """Return how often the best practical attacker is right about the most exposed record."""
    if likely.kind == "exact":
        right = 0.5 + float(pmp.gaussian_delta_exact(values, sigma, 0.0)) / 2
        return Estimate(right, right, right)
    right = float(pmp.success_bound(likely.value, delta))
    most = float(pmp.success_bound(likely.high, delta))
    return Estimate(right, 0.5, most, "approximation")


def mean_utility(raw: Array, clipped: Array, sigma: float) -> dict[str, str]:
    """Return what the noise, the draw and the clipping do to the mean."""
    unit = math.ldexp(1.0, min(math.frexp(float(np.abs(raw).max()) or 1.0)[1], 1023))
    raw, clipped = raw / unit, clipped / unit
    spread = float(raw.var(axis=0, ddof=1).sum())
    noise = sigma * math.sqrt(raw.shape[1])
    draw = math.sqrt(spread / len(raw)) * unit
    shift = float(np.linalg.norm(raw.mean(axis=0) - clipped.mean(axis=0))) * unit
    times = f", {noise / draw:.3g} times the draw's" if draw > 0 else ""
    return {
        "noise of the mean, root mean square": f"{noise:.4g} (exact){times}",
        "error of drawing half, root mean square": f"{draw:.4g} (exact)",
        "shift of the mean by clipping": f"{shift:.4g} (exact)",
    }
