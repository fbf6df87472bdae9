"""What the last model alone tells of a record whose gradient always points its own way.

The model moves by as many clips as the record was drawn, a binomial number, in the noise of all
steps: N(K, T sigma^2) with the record against N(0, T sigma^2) without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp, ndtr

from mipbook.base.types import Array
from mipbook.mis.binomial import log_pmf
from mipbook.together.training.settings import Training

__all__ = ["LastModel", "last_model_advantage"]

# The logarithm of a chance that doubles hold.
_LEAST = -745.0


@dataclass(frozen=True)
class LastModel:
    """The test between a last model with a record and one without it."""

    sampling: float
    sigma: float
    steps: int

    @property
    def spread(self) -> float:
        """The standard deviation of the noise of all steps, in clips."""
        return float(self.sigma * np.sqrt(self.steps))

    @cached_property
    def _draws(self) -> tuple[Array, Array]:
        """How often the record may be drawn, and the logarithms of the chances."""
        if self.sampling == 1.0:
            return np.array([float(self.steps)]), np.zeros(1)
        k = np.arange(self.steps + 1.0)
        log_mass = log_pmf(k, np.array(float(self.steps)), np.array(self.sampling))
        kept = log_mass > _LEAST
        return k[kept], log_mass[kept]

    def _log_ratio(self, x: float) -> float:
        k, log_mass = self._draws
        return float(logsumexp(log_mass + k * (x - k / 2) / self.spread**2))

    def hockey(self, epsilon: float, sign: float = 1.0) -> float:
        """Return the hockey-stick of *in* from *out*, or (sign -1) of *out* from *in*."""
        k, log_mass = self._draws
        wide = (epsilon + self.steps + 800.0) * self.spread**2 + self.steps + 40.0 * self.spread
        if self._log_ratio(-wide) > sign * epsilon:
            return 0.0
        x = brentq(lambda x: self._log_ratio(x) - sign * epsilon, -wide, wide)
        inside = float(np.exp(log_mass) @ ndtr(sign * (k - x) / self.spread))
        outside = float(ndtr(-sign * x / self.spread))
        first, second = (inside, outside) if sign > 0 else (outside, inside)
        return first - float(np.exp(epsilon)) * second


def last_model_advantage(sampling: float, sigma: float, steps: int) -> float:
    """Return the best attacker's advantage when only the last model is seen, and not the steps.

    Parameters
    ----------
    sampling, sigma
        As in `certified_epsilon`.
    steps : int
        In [1, 10000].

    Notes
    -----
    For one record, present or not, whose gradient has the length of the clip and one direction
    that no other gradient shares.  Others may be easier to find out.

    Examples
    --------
    >>> round(last_model_advantage(0.1, 1.0, 300), 4)
    0.6033
    """
    training = Training.checked(sampling, sigma, steps, False)
    if training.steps > 10**4:
        training.refuse("with at most 10000 steps")
    return LastModel(training.sampling, training.sigma, training.steps).hockey(0.0)
