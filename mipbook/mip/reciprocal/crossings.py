"""Where the published MIP noise lies below DP's on the reciprocal-sum query."""

from __future__ import annotations

from functools import lru_cache
from math import exp, expm1, log, log1p
from typing import NamedTuple

from explorable import validate
from mipbook.mip.reciprocal.moments import reciprocal_absolute_moment
from mipbook.mip.reciprocal.query import MAX_N, reciprocal_sensitivity

__all__ = ["Crossings", "noise_crossings"]


class Crossings(NamedTuple):
    """Where the published MIP noise lies below DP's: eta from ``low`` to ``high``.

    ``high`` may round to 1/2; ``high_gap_log`` is ``-ln(1 - 2 high)`` and keeps its digits.
    """

    low: float
    high: float
    high_gap_log: float


def noise_crossings(n: int, M: int = 2, sigma: float | None = None) -> Crossings | None:
    """Return the eta interval on which the published MIP noise is below DP's, if any.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].
    M : int
        Moment exponent, in [2, 8].
    sigma : float, optional
        The spread to use, in [1e-250, 1e250]; the exact M-th moment spread if not given.

    Returns
    -------
    Crossings or None
        None where DP needs less noise at every eta.

    Notes
    -----
    MIP paper, Figure 1: where ``(6.16/eta)^(1+2/M) sigma`` meets
    ``sensitivity / ln((1+2 eta)/(1-2 eta))``.

    Examples
    --------
    >>> noise_crossings(20) is None
    True
    >>> round(noise_crossings(36).low, 9)
    0.001593296
    """
    n = validate.integer("n", n, 4, MAX_N, multiple_of=2)
    M = validate.integer("M", M, 2, 8)
    if sigma is None:
        sigma = reciprocal_absolute_moment(n, M)
    sigma = validate.number("sigma", sigma, 1e-250, 1e250)
    return _crossings(n, M, sigma)


@lru_cache(maxsize=1024)
def _crossings(n: int, M: int, sigma: float) -> Crossings | None:
    from scipy.optimize import brentq, minimize_scalar

    level = log(reciprocal_sensitivity(n)) - log(sigma)
    power = 1 + 2 / M

    def excess(place: float) -> float:
        """Return ln(MIP noise / DP noise) at the eta with 1 - 2 eta = exp(-exp(place))."""
        gap = exp(place)
        # ln(2 eta) and ln(logit), which both tend to a line in ``place`` on the left.
        doubled = place + (log(-expm1(-gap) / gap) if gap > 1e-300 else 0.0)
        logit = place + (log1p(log1p(exp(doubled)) / gap) if gap > 1e-300 else log(2))
        return power * (log(2 * 6.16) - doubled) + logit - level

    best = minimize_scalar(excess, bounds=(log(1e-3), log(60.0)), options={"xatol": 1e-12})
    if best.fun >= 0:
        return None
    # Left of its minimum the excess rises by power - 1 a unit, to the right by nearly 1.
    left = best.x - (1 - best.fun) / (power - 1) - 10
    right = best.x - best.fun + 10
    low = exp(brentq(excess, left, best.x, xtol=1e-13, rtol=1e-14))
    high = exp(brentq(excess, best.x, right, xtol=1e-13, rtol=1e-14))
    return Crossings(-expm1(-low) / 2, -expm1(-high) / 2, high)
