"""A training run by noisy gradients, and the two distributions of one of its steps."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, Self

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from explorable import validate
from mipbook.base.types import Array
from mipbook.tradeoff import gaussian_advantage, gaussian_delta, gaussian_epsilon, gaussian_tpr

# A sum over a grid this fine, this wide, of a normal density and a smooth factor is exact to the
# rounding of doubles.
_PER_SIGMA = 12
_WIDE = 12.0
_MOST_POINTS = 1 << 18
# Without loss of sense: beyond it no promise is left, and no accountant's grid is small.
MOST_LOSS = 700.0


@dataclass(frozen=True)
class Training:
    """The steps of a training run whose gradients are clipped, summed and made noisy.

    A step is x, the noisy sum along the record's gradient.  Without the record x is a normal number
    around 0, with it, where it is drawn, around 1; a record in its place moves it to -1.

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
    def checked(cls, sampling: Any, sigma: Any, steps: Any, replaced: Any = False) -> Self:
        """Return a training run of valid settings that leaves something to account for."""
        made = cls(
            validate.number("sampling", sampling, 1e-6, 1.0),
            validate.number("sigma", sigma, 0.1, 1000.0),
            validate.integer("steps", steps, 1, 10**6),
            validate.switch("replaced", replaced),
        )
        if made.lost > MOST_LOSS:
            made.refuse(f"such that the steps lose at most {MOST_LOSS:g} (they lose {made.lost:.3g})")
        return made

    def refuse(self, allowed: str) -> NoReturn:
        """Refuse settings that are valid one by one and not together."""
        shown = (self.sampling, self.sigma, self.steps, self.replaced)
        validate.refuse("(sampling, sigma, steps, replaced)", shown, allowed)

    @cached_property
    def lost(self) -> float:
        """The expected loss of all steps, a Kullback-Leibler divergence."""
        log_mass, loss = self.table()
        return self.steps * float(np.exp(log_mass) @ loss)

    def table(self, mirrored: bool = False, tilt: float = 0.0, frequency: float = 0.0) -> tuple[Array, Array]:
        """Return log masses of the first distribution, with the record, and the losses there.

        ``mirrored`` exchanges the two distributions.  ``tilt`` and ``frequency`` are the real and the
        imaginary part of the order to which the loss will be raised: the grid is as wide and as fine
        as that needs.
        """
        sigma = self.sigma
        fine = min(sigma / _PER_SIGMA, 2.0 * sigma**2 / max(frequency, 1e-300))
        wide = _WIDE * sigma + abs(tilt) + 2.0
        count = int(2.0 * wide / fine) + 1
        if count > _MOST_POINTS:
            self.refuse("such that a step needs no finer table; certified_epsilon bounds it")
        x = np.linspace(-wide, wide, count)
        idle = -0.5 * (x / sigma) ** 2 - np.log(sigma * np.sqrt(2 * np.pi) / (x[1] - x[0]))
        return (idle, -self.loss(x)) if mirrored else (idle + self._log_ratio(x), self.loss(x))

    def _log_ratio(self, x: Array) -> Array:
        """Return the log density of a step with the record over that of one without."""
        shift = (x - 0.5) / self.sigma**2
        if self.sampling == 1.0:
            return shift
        return np.asarray(np.logaddexp(np.log1p(-self.sampling), np.log(self.sampling) + shift))

    def ends(self, tail: float) -> tuple[float, float]:
        """Return between which x all lies but for ``tail``, at each end, of both distributions."""
        idle = -float(ndtri(tail / 2.0)) * self.sigma
        drawn = 1.0 - float(ndtri(min(tail / (2.0 * self.sampling), 0.5))) * self.sigma
        high = max(idle, drawn)
        return (-high if self.replaced else -idle), high

    def loss(self, x: Array) -> Array:
        """Return the logarithm of the ratio of the two densities."""
        there = self._log_ratio(x)
        return there - self._log_ratio(-x) if self.replaced else there

    def slope(self, x: Array) -> Array:
        """Return how fast the loss grows."""
        near = self._drawn(x) + (self._drawn(-x) if self.replaced else 0.0)
        return np.asarray(near / self.sigma**2)

    def _drawn(self, x: Array) -> Array:
        return np.asarray(np.exp(np.log(self.sampling) + (x - 0.5) / self.sigma**2 - self._log_ratio(x)))

    def places(self, loss: Array) -> Array:
        """Return where the loss is this much; -inf below all losses."""
        q, sigma = self.sampling, self.sigma
        if q == 1.0:
            return sigma**2 * loss / 2 if self.replaced else 0.5 + sigma**2 * loss
        if self.replaced:
            odds = np.exp(np.log(q) - 0.5 / sigma**2 - np.log1p(-q))
            return np.asarray(sigma**2 * (loss / 2 + np.arcsinh(np.sinh(loss / 2) / odds)))
        with np.errstate(divide="ignore"):
            return np.asarray(0.5 + sigma**2 * np.log(np.maximum(np.expm1(loss) + q, 0.0) / q))

    def density(self, x: Array) -> Array:
        """Return the density of the first distribution, with the record."""
        height = -0.5 * (x / self.sigma) ** 2 - np.log(self.sigma * np.sqrt(2 * np.pi))
        return np.asarray(np.exp(height + self._log_ratio(x)))

    def below(self, x: float) -> tuple[float, float]:
        """Return how much of both distributions lies below x."""
        q, sigma = self.sampling, self.sigma
        idle, drawn = ndtr(x / sigma), ndtr((x - 1.0) / sigma)
        other = ndtr((x + 1.0) / sigma) if self.replaced else idle
        return float((1.0 - q) * idle + q * drawn), float((1.0 - q) * idle + q * other)

    def above(self, x: float) -> float:
        """Return how much of the first distribution lies above x."""
        q, sigma = self.sampling, self.sigma
        return float((1.0 - q) * ndtr(-x / sigma) + q * ndtr((1.0 - x) / sigma))

    def whole(self, x: float) -> float:
        """Return the loss of all that lies below x taken together; of a record that is added."""
        apart = log_ndtr((x - 1.0) / self.sigma) - log_ndtr(x / self.sigma)
        return float(apart if self.sampling == 1.0 else np.log1p(self.sampling * np.expm1(apart)))


@dataclass(frozen=True)
class GaussianCurve:
    """Gaussian noise of standard deviation ``sigma`` on outputs ``sensitivity`` apart."""

    sigma: float
    sensitivity: float = 1.0

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR."""
        return float(gaussian_advantage(self.sigma, self.sensitivity))

    @property
    def auc(self) -> float:
        """The area under the trade-off curve."""
        return float(ndtr(self.sensitivity / self.sigma / np.sqrt(2.0)))

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""
        return np.asarray(gaussian_tpr(fpr, self.sigma, self.sensitivity))

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick, the same in both directions."""
        return np.asarray(gaussian_delta(epsilon, self.sigma, self.sensitivity))

    delta_out = delta_in

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta; infinite at 0."""
        return np.asarray(gaussian_epsilon(delta, sigma=self.sigma, sensitivity=self.sensitivity))


@dataclass(frozen=True)
class SubsampledCurve:
    """A Gaussian release of a sample that holds each record with chance ``sampling``.

    *In* is the mixture, *out* has the record taken away.  Each hockey-stick of a mixture is one
    of its parts at another epsilon.
    """

    sampling: float
    part: GaussianCurve

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR."""
        return self.sampling * self.part.advantage

    @property
    def auc(self) -> float:
        """The area under the trade-off curve."""
        return (1.0 - self.sampling) / 2 + self.sampling * self.part.auc

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""
        return (1.0 - self.sampling) * fpr + self.sampling * self.part.tpr(fpr)

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick of the mixture from the release without the record."""
        with np.errstate(over="ignore"):
            near = np.log1p(np.expm1(np.minimum(epsilon, 30.0)) / self.sampling)
        inner = np.where(epsilon < 30.0, near, epsilon - np.log(self.sampling))
        return self.sampling * self.part.delta_in(inner)

    def delta_out(self, epsilon: Array) -> Array:
        """Return the hockey-stick of the release without the record from the mixture."""
        left = -np.expm1(np.minimum(epsilon + np.log1p(-self.sampling), 0.0))
        with np.errstate(divide="ignore"):
            inner = epsilon + np.log(self.sampling) - np.log(left)
        found = self.part.delta_in(np.where(left > 0, np.maximum(inner, 0.0), np.inf))
        return np.asarray(left * found)

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta; the mixture is the harder direction."""
        inner = self.part.epsilon(np.minimum(delta / self.sampling, 1.0))
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            far = inner + np.log(self.sampling)
            near = np.log1p(self.sampling * np.expm1(np.minimum(inner, 30.0)))
        return np.where(delta >= self.advantage, 0.0, np.where(inner < 30.0, near, far))
