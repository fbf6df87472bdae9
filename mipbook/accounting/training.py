"""A training run by clipped, noisy gradients, read in every notion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mipbook.accounting.reading import Reading
from mipbook.base.types import Array
from mipbook.dpsgd.accountant import certified_deltas, certified_epsilon
from mipbook.dpsgd.contour import training_delta
from mipbook.dpsgd.profile import PrivacyProfile
from mipbook.dpsgd.step import Training

_LINES = 1500
_LEAST_DELTA = 1e-9


@dataclass(frozen=True)
class TrainingCurve:
    """What the accountant certifies of a training run, for both directions at once.

    The advantage is that of the contour integral; all else are bounds.
    """

    training: Training

    @cached_property
    def advantage(self) -> float:
        """The largest TPR - FPR."""
        t = self.training
        return training_delta(t.sampling, t.sigma, t.steps, 0.0, t.replaced)

    @cached_property
    def insecurity(self) -> float | None:
        """MIS's Delta, at most, by replacing a record; None where the curve itself is of that."""
        t = self.training
        return None if t.replaced else 1.0 - PrivacyProfile(t.sampling, t.sigma, t.steps).security

    @cached_property
    def _grid(self) -> tuple[Array, Array]:
        """Epsilons, and the accountant's deltas there."""
        last = float(self.epsilon(np.array([_LEAST_DELTA]))[0])
        asked = np.linspace(0.0, max(last, 1e-3), _LINES)
        return asked, np.minimum(certified_deltas(self.training, asked), self.advantage)

    @cached_property
    def _lines(self) -> tuple[Array, Array]:
        """Slopes and intercepts of lines above the trade-off curve, the steepest first."""
        asked, delta = self._grid
        flat = np.exp(-asked)
        slopes = np.concatenate([np.exp(asked[::-1]), flat[1:]])
        return slopes, np.concatenate([delta[::-1], (1.0 - flat * (1.0 - delta))[1:]])

    @property
    def auc(self) -> float:
        """The area under the least of the lines."""
        x = np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 2001)])
        y = self.tpr(x)
        # The least of lines is concave: the height at the left end of a step, carried on with
        # the slope there, lies above it.
        slopes, offsets = self._lines
        at = np.argmin(offsets + slopes * x[:-1, None], axis=1)
        ends = np.minimum(y[:-1] + slopes[at] * np.diff(x), 1.0)
        return float(min(np.sum(np.diff(x) * (y[:-1] + np.maximum(ends, y[1:])) / 2), 1.0))

    def tpr(self, fpr: Array) -> Array:
        """Return a bound on the true positive rate at a false positive rate."""
        slopes, offsets = self._lines
        found = np.full(fpr.shape, 1.0)
        for slope, offset in zip(slopes, offsets, strict=True):
            found = np.minimum(found, offset + slope * fpr)
        return np.asarray(np.maximum(found, fpr))

    def delta_in(self, epsilon: Array) -> Array:
        """Return an upper bound on delta: chords, since it is convex in the odds."""
        asked, delta = self._grid
        return np.asarray(np.interp(np.exp(np.minimum(epsilon, asked[-1])), np.exp(asked), delta))

    delta_out = delta_in

    def epsilon(self, delta: Array) -> Array:
        """Return the accountant's epsilon, an upper bound; infinite below its rounding."""
        t = self.training
        found = np.full(delta.shape, np.inf)
        for place, each in enumerate(delta):
            if each >= _LEAST_DELTA:
                sides = certified_epsilon(t.sampling, t.sigma, t.steps, float(each), t.replaced)
                found[place] = sides.high
        return np.where(delta >= self.advantage, 0.0, found)


def from_training(sampling: float, sigma: float, steps: int, replaced: bool = False) -> Reading:
    """Read a training run by clipped, noisy gradients.

    Parameters
    ----------
    sampling, sigma, steps, replaced
        As in ``certified_epsilon``.

    Notes
    -----
    The advantage, hence eta, is exact, by ``training_delta``; the other numbers are upper bounds,
    by ``certified_epsilon``.  All steps are seen.

    Examples
    --------
    >>> found = from_training(0.1, 2.0, 100)
    >>> round(found.advantage.value, 6), round(found.tpr(0.01), 3)
    (0.205861, 0.038)
    """
    training = Training.checked(sampling, sigma, steps, replaced)
    curve = TrainingCurve(training)
    _ = curve.advantage  # refused here, if at all
    what = f"{training.steps:,} steps at rate {training.sampling:g} with noise of {training.sigma:g} clips"
    return Reading(what, curve, sharp=False, replaced=training.replaced)
