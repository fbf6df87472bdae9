"""The two distributions of one step, over the noisy sum along the record's gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from mipbook.base.types import Array
from mipbook.together.training.settings import Training, log_ratio

__all__ = ["Law"]


@dataclass(frozen=True)
class Law:
    """With the record and without it, or with one record and with another: x, and its loss.

    Without the record x is a normal number around 0, with it, where it is drawn, around 1; a
    record in its place moves it to -1.
    """

    training: Training

    def ends(self, tail: float) -> tuple[float, float]:
        """Return between which x all lies but for ``tail``, at each end, of both distributions."""
        q, sigma = self.training.sampling, self.training.sigma
        idle = -float(ndtri(tail / 2.0)) * sigma
        drawn = 1.0 - float(ndtri(min(tail / (2.0 * q), 0.5))) * sigma
        high = max(idle, drawn)
        return (-high if self.training.replaced else -idle), high

    def loss(self, x: Array) -> Array:
        """Return the logarithm of the ratio of the two densities."""
        there = log_ratio(x, self.training.sampling, self.training.sigma)
        if not self.training.replaced:
            return there
        return there - log_ratio(-x, self.training.sampling, self.training.sigma)

    def slope(self, x: Array) -> Array:
        """Return how fast the loss grows."""
        near = self._drawn(x) + (self._drawn(-x) if self.training.replaced else 0.0)
        return np.asarray(near / self.training.sigma**2)

    def _drawn(self, x: Array) -> Array:
        q, sigma = self.training.sampling, self.training.sigma
        return np.asarray(np.exp(np.log(q) + (x - 0.5) / sigma**2 - log_ratio(x, q, sigma)))

    def places(self, loss: Array) -> Array:
        """Return where the loss is this much; -inf below all losses."""
        q, sigma = self.training.sampling, self.training.sigma
        if q == 1.0:
            return sigma**2 * loss / 2 if self.training.replaced else 0.5 + sigma**2 * loss
        if self.training.replaced:
            odds = np.exp(np.log(q) - 0.5 / sigma**2 - np.log1p(-q))
            return np.asarray(sigma**2 * (loss / 2 + np.arcsinh(np.sinh(loss / 2) / odds)))
        with np.errstate(divide="ignore"):
            return np.asarray(0.5 + sigma**2 * np.log(np.maximum(np.expm1(loss) + q, 0.0) / q))

    def density(self, x: Array) -> Array:
        """Return the density of the first distribution, with the record."""
        q, sigma = self.training.sampling, self.training.sigma
        height = -0.5 * (x / sigma) ** 2 - np.log(sigma * np.sqrt(2 * np.pi))
        return np.asarray(np.exp(height + log_ratio(x, q, sigma)))

    def below(self, x: float) -> tuple[float, float]:
        """Return how much of both distributions lies below x."""
        q, sigma = self.training.sampling, self.training.sigma
        idle, drawn = ndtr(x / sigma), ndtr((x - 1.0) / sigma)
        other = ndtr((x + 1.0) / sigma) if self.training.replaced else idle
        return float((1.0 - q) * idle + q * drawn), float((1.0 - q) * idle + q * other)

    def above(self, x: float) -> float:
        """Return how much of the first distribution lies above x."""
        q, sigma = self.training.sampling, self.training.sigma
        return float((1.0 - q) * ndtr(-x / sigma) + q * ndtr((1.0 - x) / sigma))

    def whole(self, x: float) -> float:
        """Return the loss of all that lies below x taken together; of a record that is added."""
        q, sigma = self.training.sampling, self.training.sigma
        apart = log_ndtr((x - 1.0) / sigma) - log_ndtr(x / sigma)
        return float(apart if q == 1.0 else np.log1p(q * np.expm1(apart)))
