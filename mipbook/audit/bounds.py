"""Lower confidence bounds for a mean of draws in [0, 1], valid for every number of draws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from explorable import validate
from explorable.private import private
from mipbook.base.intervals import bernstein
from mipbook.base.types import Array

__all__ = ["BOUNDS", "mean_lower_bound"]

BOUNDS = ("betting", "bernstein")
# The largest share of the wealth that may be lost in one round.
_LARGEST_LOSS = 0.9
_LOWEST = 1e-9


@private("values")
def mean_lower_bound(values: Any, confidence: float = 0.95, method: str = "betting") -> float:
    """Return a number that the mean of a distribution on [0, 1] is above, with a confidence.

    Parameters
    ----------
    values : array_like of shape (draws,)
        Independent draws in [0, 1] of one distribution, at least 2.
    method : {"betting", "bernstein"}
        *bernstein*: Maurer and Pontil's empirical Bernstein bound, one-sided.  *betting*: a
        game that is fair or worse for the player if the mean is m; the bound is the smallest
        m at which the player's wealth has not yet grown to 1/(1 - confidence) times its start.

    Returns
    -------
    float
        In [0, 1].

    Notes
    -----
    Limits paper, Section 7 asks for estimates of the security; this is what makes one a
    certificate.  Maurer and Pontil (2009), Theorem 4; Waudby-Smith and Ramdas (2024) for
    betting, whose proof is Ville's inequality.  Fix the method before you see the draws.

    Examples
    --------
    >>> draws = np.tile([0.6, 0.7], 25)
    >>> round(mean_lower_bound(draws), 3), round(mean_lower_bound(draws, method="bernstein"), 3)
    (0.607, 0.455)
    """
    values = validate.array("values", values, 0.0, 1.0, ndim=1)
    if values.size < 2:
        validate.refuse("values", values, "at least 2 draws")
    confidence = validate.confidence(confidence)
    method = validate.choice("method", method, BOUNDS)
    if method == "bernstein":
        # One direction only: half of the risk that the two-sided form spends.
        width = bernstein(values.var(ddof=1), values.size, 1.0, 2 * (1 - confidence))
        return max(0.0, float(values.mean() - width))
    return _betting(values, -math.log1p(-confidence))


def _betting(values: Array, needed: float) -> float:
    """Return the largest m, less 1e-9 at most, below which the wealth reaches exp(``needed``).

    The bets are Waudby-Smith and Ramdas's predictable plug-ins for a known number of draws.
    """
    from scipy.optimize import brentq

    count = values.size
    before = np.arange(1, count + 1)
    # A bet depends on earlier draws only, starting from a guess of one draw.
    means = (0.5 + np.cumsum(values)) / (before + 1)
    squares = 0.05 + np.cumsum((values - means) ** 2)
    variance = np.concatenate([[0.05], (squares / (before + 1))[:-1]])
    bets = np.sqrt(2 * max(needed, 1e-12) / (variance * count))

    def excess(mean: float) -> float:
        """Return the log of the largest wealth, less what is needed; it falls with the mean."""
        capped = np.minimum(bets, _LARGEST_LOSS / mean)
        return float(np.cumsum(np.log1p(capped * (values - mean))).max()) - needed

    if excess(_LOWEST) < 0:
        return 0.0
    # Off by at most 2e-10, and to the safe side.
    root = brentq(excess, _LOWEST, 1.0, xtol=2e-10)
    return max(0.0, root - 5e-10)
