"""Bands for an empirical distribution that hold at one point, or at all points at once.

An ROC curve is a pair of upper-tail functions, one of the members' scores and one of the
others'.  Everything here is distribution free: ties, atoms and infinite scores change
nothing, because only the counts of scores in a region enter.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mipbook.base.types import Array
from mipbook.game.counts import lower_rate, upper_rate

__all__ = ["envelope"]


def _marks(size: int) -> NDArray[np.int64]:
    """Return counts from 1 to ``size``, four an octave towards both ends."""
    steps = 4 * max(1, math.ceil(math.log2(size + 1)))
    near = np.unique(np.round(np.geomspace(1, (size + 1) / 2, steps)).astype(np.int64))
    return np.unique(np.concatenate([near, size + 1 - near]))


@lru_cache(maxsize=64)
def envelope(size: int, alpha: float) -> tuple[Array, Array]:
    """Return bounds on a region's probability for every count of samples inside it.

    Parameters
    ----------
    size : int
        Number of independent samples, at least 1.
    alpha : float
        The chance, in (0, 1), that a bound fails for any upper-tail region, at most.

    Returns
    -------
    low, high : ndarray of shape (size + 1,)
        Bounds for a region with 0, 1, ..., ``size`` samples in it, all at once.

    Notes
    -----
    Half of ``alpha`` goes to the Dvoretzky-Kiefer-Wolfowitz inequality with Massart's
    constant, which is good in the middle; the other half to Clopper-Pearson bounds at a
    few marks, dense towards both ends, which is what a small FPR needs.  Between marks the
    tail function is monotone, so the bound of the next mark holds.

    References
    ----------
    P. Massart, "The Tight Constant in the Dvoretzky-Kiefer-Wolfowitz Inequality",
    Annals of Probability 1990.
    """
    counts = np.arange(size + 1)
    width = math.sqrt(math.log(4 / alpha) / (2 * size))
    low = np.maximum(counts / size - width, 0.0)
    high = np.minimum(counts / size + width, 1.0)
    marks = _marks(size)
    each = alpha / 2 / (2 * marks.size)
    # A region with at least `mark` samples holds all at or above the mark-th largest ...
    reached = np.searchsorted(marks, counts, side="right")
    floor = np.concatenate([[0.0], lower_rate(marks, size, each)])
    # ... and one with fewer than `mark` lies strictly above it.
    ceiling = np.concatenate([upper_rate(marks - 1, size, each), [1.0]])
    return np.maximum(low, floor[reached]), np.minimum(high, ceiling[reached])
