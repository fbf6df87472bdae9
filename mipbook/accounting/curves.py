"""Trade-off curves of releases: closed forms and polygons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from mipbook.base.types import Array


class Curve(Protocol):
    """The test between *in* and *out*, of a mechanism or the hardest one of a promise.

    Methods take and return arrays.  ``delta`` and ``epsilon`` hold for both directions; the two
    hockey-sticks are told apart by ``delta_in`` and ``delta_out``, which differ where a release
    with the record and one without it are not alike.
    """

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR, delta at epsilon 0."""
        return float(self.delta_in(np.zeros(1))[0])

    @property
    def auc(self) -> float:
        """The area under the trade-off curve."""

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick of *in* from *out*."""

    def delta_out(self, epsilon: Array) -> Array:
        """Return the hockey-stick of *out* from *in*."""

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta, for both directions."""


# Keeps quotients and logarithms finite.

_LEAST = np.finfo(float).tiny


@dataclass(frozen=True)
class LaplaceCurve(Curve):
    """Laplace noise; ``loss`` is the sensitivity over its scale, its epsilon."""

    loss: float

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


# More than rounding does to a delta, as a share of what depends on epsilon and of the rest.
_SAFE, _LAST = 1e-12, 4e-16


@dataclass(eq=False)
class HockeyStick:
    """A privacy curve whose losses are finitely many: delta is linear in e^epsilon between them.

    All its sums are of positive terms.

    Attributes
    ----------
    losses : ndarray of shape (losses,)
        The finite positive losses, falling; 0 if there are none.
    delta : ndarray of shape (losses,)
        Delta at each of them, without ``told``.
    slope : ndarray of shape (losses,)
        By how much delta falls there with the logarithm of epsilon's odds.
    told : float
        The chance of an infinite loss.
    """

    losses: Array
    delta: Array
    slope: Array
    told: float = 0.0

    def delta_in(self, epsilon: Array) -> Array:
        """Return delta at an epsilon."""
        losses = self.losses
        place = np.searchsorted(-losses, -np.minimum(epsilon, losses[0]), side="right") - 1
        under = np.minimum(epsilon - losses[place], 0.0)
        found = self.told + (self.delta[place] - self.slope[place] * np.expm1(under))
        return np.asarray(np.minimum(found, 1.0))

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta, up; infinite below the chance to tell all."""
        share = np.maximum((delta - self.told) * (1.0 - _SAFE) - _LAST * self.told, 0.0)
        place = np.searchsorted(self.delta, share, side="right") - 1
        place = np.where(share == 0, 0, place)
        with np.errstate(divide="ignore", invalid="ignore"):
            down = np.log1p((self.delta[place] - share) / self.slope[place])
        # Above the chance of the best outcomes nothing is left to bound.
        down = np.where(share - self.delta[place] < self.slope[place], down, -np.inf)
        found = np.maximum(self.losses[place] + down, 0.0)
        return np.where(delta < self.told, np.inf, found)


class Polygon(Curve):
    """The test between two probability vectors over the same outcomes.

    Parameters
    ----------
    log_p, log_q : ndarray of shape (outcomes,)
        The logarithms of the distributions of the output *in* and *out*: a chance may be too
        small for a double where its odds are not.
    loss : ndarray of shape (outcomes,), optional
        Their difference, where it is known to more digits.
    """

    def __init__(self, log_p: Array, log_q: Array, loss: Array | None = None) -> None:
        seen = (log_p > -np.inf) | (log_q > -np.inf)
        odds = log_p[seen] - log_q[seen] if loss is None else loss[seen]
        order = np.argsort(-odds, kind="stable")
        self.odds = odds[order]
        self.log_p, self.log_q = log_p[seen][order], log_q[seen][order]
        self.p, self.q = np.exp(self.log_p), np.exp(self.log_q)

    @cached_property
    def corners(self) -> tuple[Array, Array]:
        """FPR and TPR of the corners; the first is where nobody is accused wrongly."""
        first = int((self.odds == np.inf).sum())
        fpr = np.concatenate([[0.0], np.cumsum(self.q[first:])])
        tpr = self.p[:first].sum() + np.concatenate([[0.0], np.cumsum(self.p[first:])])
        return np.minimum(fpr, 1.0), np.minimum(tpr, 1.0)

    @cached_property
    def _sticks(self) -> tuple[HockeyStick, HockeyStick]:
        back = slice(None, None, -1)
        return _stick(self.odds, self.log_p), _stick(-self.odds[back], self.log_q[back])

    @property
    def auc(self) -> float:
        """The area under the polygon."""
        fpr, tpr = self.corners
        return float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2) + (1.0 - fpr[-1]))

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""
        fprs, tprs = self.corners
        # A false positive rate may be too small for a double.
        return np.where(fpr == 0, tprs[0], np.interp(fpr, fprs, tprs))

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick of *in* from *out*."""
        return self._sticks[0].delta_in(epsilon)

    def delta_out(self, epsilon: Array) -> Array:
        """Return the hockey-stick of *out* from *in*."""
        return self._sticks[1].delta_in(epsilon)

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta, for both directions."""
        there, back = self._sticks
        return np.maximum(there.epsilon(delta), back.epsilon(delta))


def _stick(odds: Array, log_p: Array) -> HockeyStick:
    """Return the privacy curve of outcomes from their falling odds and their chances."""
    told = float(np.exp(log_p[odds == np.inf]).sum())
    some = (odds > 0) & (odds < np.inf)
    if not some.any():
        return HockeyStick(np.zeros(1), np.zeros(1), np.zeros(1), told)
    losses = odds[some]
    below = losses - losses[0]
    slope = np.exp(below + np.logaddexp.accumulate(log_p[some] - below))
    delta = np.append(0.0, np.cumsum(slope[:-1] * -np.expm1(np.diff(losses))))
    return HockeyStick(losses, delta, slope, told)


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
        self.nothing = max(1.0 - tells - true * (1.0 + np.exp(-loss)), 0.0)
        with np.errstate(divide="ignore"):
            log_p = np.log([tells, true, self.nothing, true, 0.0])
        log_p[3] -= loss
        odds = np.array([np.inf, loss, 0.0, -loss, -np.inf])
        super().__init__(log_p, log_p[[4, 3, 2, 1, 0]], odds)

    delta_in = delta_out = Polygon.delta_in  # alike both ways
