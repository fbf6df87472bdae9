"""Two distributions on finitely many outcomes: the trade-off curve is a polygon."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from mipbook.base.types import Array
from mipbook.tradeoff import hockey_stick

__all__ = ["Coins", "Polygon"]


class Polygon:
    """The test between two probability vectors over the same outcomes.

    Parameters
    ----------
    p, q : ndarray of shape (outcomes,)
        The distributions of the output *in* and *out*.
    """

    def __init__(self, p: Array, q: Array) -> None:
        seen = (p > 0) | (q > 0)
        self.p, self.q = p[seen], q[seen]

    @cached_property
    def corners(self) -> tuple[Array, Array]:
        """FPR and TPR of the corners; the first is where nobody is accused wrongly."""
        order = np.argsort(-np.arctan2(self.p, self.q), kind="stable")
        q, p = self.q[order], self.p[order]
        first = int((q == 0).sum())
        fpr = np.concatenate([[0.0], np.cumsum(q[first:])])
        tpr = p[:first].sum() + np.concatenate([[0.0], np.cumsum(p[first:])])
        return np.minimum(fpr, 1.0), np.minimum(tpr, 1.0)

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR."""
        return float(hockey_stick(self.p, self.q, 0.0))

    @property
    def auc(self) -> float:
        """The area under the polygon."""
        fpr, tpr = self.corners
        return float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2) + (1.0 - fpr[-1]))

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""
        return np.asarray(np.interp(fpr, *self.corners))

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick of *in* from *out*."""
        return np.asarray(hockey_stick(self.p, self.q, epsilon))

    def delta_out(self, epsilon: Array) -> Array:
        """Return the hockey-stick of *out* from *in*."""
        return np.asarray(hockey_stick(self.q, self.p, epsilon))

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta, for both directions."""
        return np.maximum(_epsilon(self.p, self.q, delta), _epsilon(self.q, self.p, delta))


def _epsilon(p: Array, q: Array, delta: Array) -> Array:
    # The hockey-stick is the largest of P - e^epsilon Q over the first j outcomes by P/Q, so
    # each of these sets asks for an epsilon of its own.
    order = np.argsort(-np.arctan2(p, q), kind="stable")
    least = np.cumsum(q[order])
    gap = np.cumsum((p - q)[order]) - delta[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        asked = np.where(least > 0, np.log1p(np.maximum(gap, 0.0) / least), np.inf)
    return np.asarray(np.where(gap <= 0, 0.0, asked).max(axis=-1))


class Coins(Polygon):
    """What tells all, or answers truly or falsely at known odds, or says nothing.

    Parameters
    ----------
    tells : float
        The chance that the release tells all.
    true : float
        The chance of the true answer; that of the false one is e^-loss times it.
    loss : float
        The logarithm of the odds of the answers.
    """

    def __init__(self, tells: float, true: float, loss: float) -> None:
        self.tells, self.true, self.loss = tells, true, loss
        false = true * np.exp(-loss)
        self.nothing = max(1.0 - tells - true - false, 0.0)
        p = np.array([tells, true, self.nothing, false, 0.0])
        super().__init__(p, p[[4, 3, 2, 1, 0]])

    # From the odds themselves: a false answer's chance may be too small for a double.
    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""
        found = super().tpr(fpr)
        return found if np.isinf(self.loss) else np.where(fpr == 0, self.tells, found)

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick, the same in both directions."""
        with np.errstate(invalid="ignore"):
            gap = np.where(epsilon < self.loss, epsilon - self.loss, 0.0)
        return self.tells - self.true * np.expm1(gap)

    delta_out = delta_in

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta; infinite below the chance to tell all."""
        if self.true == 0:
            return np.where(delta < self.tells, np.inf, 0.0)
        share = np.clip((delta - self.tells) / self.true, 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.maximum(self.loss + np.log1p(-share), 0.0)
        return np.where(delta < self.tells, np.inf, np.where(share < 1, found, 0.0))
