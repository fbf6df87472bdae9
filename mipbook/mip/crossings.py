"""Where the published MIP noise lies below DP's on the reciprocal-sum query."""

from __future__ import annotations

from functools import lru_cache
from math import log
from typing import NamedTuple

import numpy as np

from mipbook import validate
from mipbook.mip.reciprocal import MAX_N, reciprocal_absolute_moment, reciprocal_sensitivity

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
        The spread to use, in (0, inf); the exact M-th moment spread if not given.

    Returns
    -------
    Crossings or None
        None where DP needs less noise at every eta.

    Raises
    ------
    ValueError
        For an argument outside its range.

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
    sigma = validate.number("sigma", sigma, 0.0, np.inf, open_low=True, open_high=True)
    return _crossings(n, M, sigma)


@lru_cache(maxsize=1024)
def _crossings(n: int, M: int, sigma: float) -> Crossings | None:
    from scipy.optimize import brentq, minimize_scalar

    level = log(reciprocal_sensitivity(n) / sigma)
    power = 1 + 2 / M

    def excess(gap_log: float) -> float:
        """Return ln(MIP noise / DP noise) at the eta with 1 - 2 eta = exp(-gap_log)."""
        doubled = -np.expm1(-gap_log)
        logit = gap_log + np.log1p(doubled)
        return float(power * log(2 * 6.16 / doubled) + np.log(logit) - level)

    best = minimize_scalar(excess, bounds=(1e-3, 60.0), options={"xatol": 1e-10})
    if best.fun >= 0:
        return None
    low = brentq(excess, 1e-12, best.x, xtol=1e-300, rtol=1e-14)
    # Beyond this gap the MIP noise exceeds DP's whatever else: there 2 eta < 1 < logit / gap.
    beyond = np.exp(level - power * log(2 * 6.16)) + 1
    high = brentq(excess, best.x, beyond, xtol=1e-12, rtol=1e-14)
    return Crossings(float(-np.expm1(-low) / 2), float(-np.expm1(-high) / 2), float(high))
