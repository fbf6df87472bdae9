"""A training run by noisy gradients: how its steps sample, and the loss of privacy of one step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from explorable import validate
from mipbook.base.types import Array

__all__ = ["Step", "Training", "log_ratio"]

# A sum over a grid this fine, this wide, of a normal density and a smooth factor is exact to the
# rounding of doubles.
_PER_SIGMA = 12
_WIDE = 12.0
_MOST_POINTS = 1 << 18
# Without loss of sense: beyond it no promise is left, and no accountant's grid is small.
_MOST_LOSS = 700.0


@dataclass(frozen=True)
class Training:
    """The steps of a training run whose gradients are clipped, summed and made noisy.

    Parameters
    ----------
    sampling : float
        The chance of each record to be in a step's batch, in (0, 1].
    sigma : float
        The noise over the clip, in [0.1, 1000].
    steps : int
        In [1, 1000000].
    replaced : bool
        Whether neighbours differ by a record that is replaced; else it is added or removed.
    """

    sampling: float
    sigma: float
    steps: int
    replaced: bool = False

    @classmethod
    def checked(cls, sampling: Any, sigma: Any, steps: Any, replaced: Any) -> Training:
        """Return a training run of valid settings that leaves something to account for."""
        made = cls(
            validate.number("sampling", sampling, 1e-6, 1.0),
            validate.number("sigma", sigma, 0.1, 1000.0),
            validate.integer("steps", steps, 1, 10**6),
            validate.switch("replaced", replaced),
        )
        lost = made.steps * made.remove.mean
        if lost > _MOST_LOSS:
            made.refuse(f"such that the steps lose at most {_MOST_LOSS:g} (they lose {lost:.3g})")
        return made

    def refuse(self, allowed: str) -> NoReturn:
        """Refuse settings that are valid one by one and not together."""
        shown = (self.sampling, self.sigma, self.steps, self.replaced)
        validate.refuse("(sampling, sigma, steps, replaced)", shown, allowed)

    @cached_property
    def remove(self) -> Step:
        """The loss of a step with the record, against the step without it (or with another)."""
        return Step(self, "replace" if self.replaced else "remove")

    @cached_property
    def add(self) -> Step:
        """The loss of a step without the record, against the step with it."""
        return Step(self, "add")


@dataclass(frozen=True)
class Step:
    """The privacy loss of one step, as a function of the noisy sum along the record's gradient."""

    training: Training
    direction: str

    def table(self, tilt: float, frequency: float = 0.0) -> tuple[Array, Array]:
        """Return log masses of the first distribution, and the losses there.

        ``tilt`` and ``frequency`` are the real and the imaginary part of the order to which the
        loss will be raised: the grid is as wide and as fine as that needs.
        """
        q, sigma = self.training.sampling, self.training.sigma
        fine = min(sigma / _PER_SIGMA, 2.0 * sigma**2 / max(frequency, 1e-300))
        wide = _WIDE * sigma + abs(tilt) + 2.0
        count = int(2.0 * wide / fine) + 1
        if count > _MOST_POINTS:
            self.training.refuse("such that a step needs no finer table; certified_epsilon bounds it")
        x = np.linspace(-wide, wide, count)
        log_mass = -0.5 * (x / sigma) ** 2 - np.log(sigma * np.sqrt(2 * np.pi) / (x[1] - x[0]))
        there = log_ratio(x, q, sigma)
        if self.direction == "remove":
            return log_mass + there, there
        if self.direction == "add":
            return log_mass, -there
        return log_mass + there, there - log_ratio(-x, q, sigma)

    @cached_property
    def _mild(self) -> tuple[Array, Array]:
        log_mass, loss = self.table(0.0)
        return np.exp(log_mass), loss

    @property
    def mean(self) -> float:
        """The expected loss, a Kullback-Leibler divergence."""
        mass, loss = self._mild
        return float(mass @ loss)

    @property
    def spread(self) -> float:
        """The standard deviation of the loss."""
        mass, loss = self._mild
        return float(np.sqrt(mass @ (loss - self.mean) ** 2))


def log_ratio(x: Array, q: float, sigma: float) -> Array:
    """Return the log density of a step with the record over that of one without."""
    shift = (x - 0.5) / sigma**2
    return shift if q == 1.0 else np.logaddexp(np.log1p(-q), np.log(q) + shift)
