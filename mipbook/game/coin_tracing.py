"""The tracing attack on records that are fair coins: exact rates of the distributional game."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr

from explorable import validate
from mipbook.base.types import Array, Floats

__all__ = ["CoinTracing"]

# So many standard deviations of the records' own noise are counted; beyond lies less than 1e-15.
_REACH = 8
_MOST_BITS = 10**7


@dataclass(frozen=True)
class CoinTracing:
    r"""The lecture's tracer where all records are fair coins and it knows only the target.

    The release is the mean of n records of k fair bits with noise of standard deviation sigma
    on each bit.  The statistic is the inner product of the release with the target, one half
    taken off both: every bit of another record adds plus or minus 1 / (4 n), so that it is a
    binomial number plus Gaussian noise.

    Parameters
    ----------
    k : int
        Bits a record has, at least 1.
    n : int
        Records, one of which the target replaces; k n is at most 10^7.
    sigma : float
        Standard deviation of the noise on each bit, in (0, inf).

    Notes
    -----
    Lecture notes, section 3, the game on random data.

    Examples
    --------
    >>> attack = CoinTracing(k=100, n=20, sigma=0.3)
    >>> attack.tpr_at(0.01) < 0.2
    True
    """

    k: int
    n: int
    sigma: float

    def __post_init__(self) -> None:
        validate.integer("k", self.k, 1, _MOST_BITS)
        validate.integer("n", self.n, 1, _MOST_BITS // self.k)
        validate.number("sigma", self.sigma, 0.0, math.inf, open_low=True, open_high=True)

    @property
    def spread(self) -> float:
        """Standard deviation of the statistic that the noise alone gives."""
        return math.sqrt(self.k) * self.sigma / 2

    @cached_property
    def _sides(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Return what the records make of the statistic, without the target and with it."""
        places, chances = _coin_sum(self.k * self.n)
        others, among = _coin_sum(self.k * (self.n - 1))
        return (places / (4 * self.n), chances), ((others + self.k) / (4 * self.n), among)

    def fpr(self, threshold: Any) -> Floats:
        """Return the exact FPR of the attacker that says *in* from ``threshold`` on.

        Examples
        --------
        >>> round(CoinTracing(100, 20, 0.3).fpr(0.0), 12)
        0.5
        """
        return self._rate(threshold, 0)

    def tpr(self, threshold: Any) -> Floats:
        """Return the exact TPR of the attacker that says *in* from ``threshold`` on."""
        return self._rate(threshold, 1)

    def _rate(self, threshold: Any, member: int) -> Floats:
        at = validate.array("threshold", threshold)
        centres, chances = self._sides[member]
        with np.errstate(over="ignore"):
            beyond = ndtr((centres - at[..., None]) / self.spread)
        return validate.plain(np.asarray(beyond @ chances))

    def tpr_at(self, fpr: float) -> float:
        """Return the TPR of the attacker that accuses exactly this share of the others.

        Parameters
        ----------
        fpr : float
            In (0, 1).

        Examples
        --------
        >>> attack = CoinTracing(100, 20, 0.3)
        >>> abs(attack.tpr_at(float(attack.fpr(1.0))) - attack.tpr(1.0)) < 1e-9
        True
        """
        from scipy.optimize import brentq  # slow to import, and only needed here

        fpr = validate.number("fpr", fpr, 1e-12, 1 - 1e-12)
        (centres, _), _ = self._sides
        reach = float(np.abs(centres).max()) + 9 * self.spread
        scale = reach or 1.0
        found = brentq(lambda t: float(self.fpr(t * scale)) - fpr, -1.0, 1.0, xtol=1e-14)
        return float(self.tpr(found * scale))


def _coin_sum(coins: int) -> tuple[Array, Array]:
    """Return the values of a sum of fair signs, and their probabilities; hardly any is left out."""
    from scipy.stats import binom  # slow to import, and only needed here

    half = min(coins, math.ceil((coins + _REACH * math.sqrt(coins)) / 2))
    heads = np.arange(coins - half, half + 1)
    chances = np.asarray(binom.pmf(heads, coins, 0.5), dtype=float)
    return np.asarray(2.0 * heads - coins), chances / chances.sum()
