"""Releases with noise whose trade-off curve has a closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from mipbook.base.types import Array
from mipbook.tradeoff import gaussian_advantage, gaussian_delta, gaussian_epsilon, gaussian_tpr

# Keeps quotients and logarithms finite.
__all__ = ["GaussianCurve", "LaplaceCurve", "SubsampledCurve"]

_LEAST = np.finfo(float).tiny


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
        return np.asarray(gaussian_epsilon(delta, self.sigma, self.sensitivity))


@dataclass(frozen=True)
class LaplaceCurve:
    """Laplace noise; ``loss`` is the sensitivity over its scale, its epsilon."""

    loss: float

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR."""
        return float(-np.expm1(-self.loss / 2))

    @property
    def auc(self) -> float:
        """The area under the trade-off curve."""
        return float(1.0 - np.exp(-self.loss) * (2.0 + self.loss) / 4)

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""
        kept = np.exp(-self.loss)
        depth = np.minimum(np.log(np.maximum(fpr, _LEAST)) + self.loss, 0.0)
        steep = np.where(fpr > 0, np.exp(depth), 0.0)
        middle = 1.0 - kept / np.maximum(4.0 * fpr, _LEAST)
        flat = 1.0 - kept * (1.0 - fpr)
        return np.where((fpr <= kept / 2) | (fpr == 0), steep, np.where(fpr <= 0.5, middle, flat))

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick, the same in both directions."""
        return -np.expm1(np.minimum(epsilon - self.loss, 0.0) / 2)

    delta_out = delta_in

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta."""
        with np.errstate(divide="ignore"):
            return np.maximum(self.loss + 2.0 * np.log1p(-delta), 0.0)


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
