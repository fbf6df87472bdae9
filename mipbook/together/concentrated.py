"""Promises by Rényi divergences: of one order, or of all orders in proportion (zCDP).

A test turns any mechanism into one with two outcomes, so the rates that such a promise allows are
those of two coins whose divergences obey it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import xlog1py, xlogy

from mipbook.base.types import Array

__all__ = ["RenyiCurve"]

# Orders less 1, in logarithms.  A promise for all orders is asked at these alone: fewer orders
# only allow more, so a bound stays one.
_ASKED = np.linspace(np.log(1e-3), np.log(1e6), 241)
_FINER = 201
_HALVINGS = 44
_BELOW = 1e-12  # no divergence falls short of its limit by rounding alone


def _divergence(order: Array, p: Array, q: Array) -> Array:
    """Return the Rényi divergence of a coin with chance p from one with chance q."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(p > 0, xlogy(order, p) + xlogy(1.0 - order, q), -np.inf)
        tails = np.where(p < 1, xlog1py(order, -p) + xlog1py(1.0 - order, -q), -np.inf)
    return np.asarray(np.logaddexp(heads, tails) / (order - 1.0))


@dataclass(frozen=True)
class RenyiCurve:
    """What a Rényi promise allows, in both directions.

    Parameters
    ----------
    promise : float
        The divergence of the order, or rho: the divergence over the order, of each.
    alpha : float, optional
        The order, above 1; none for all orders.
    """

    promise: float
    alpha: float | None = None

    def _limit(self, order: Array) -> Array:
        return np.asarray(self.promise * order if self.alpha is None else self.promise + 0 * order)

    @cached_property
    def edge(self) -> float:
        """The epsilon of the randomised response with the largest advantage."""
        if self.promise in (0.0, np.inf):
            return self.promise
        if self.alpha is None:
            high = 2.0 * self.promise + 2.0 * np.sqrt(self.promise) + 2.0
            return float(brentq(lambda e: e * np.tanh(e / 2) - self.promise, 0.0, high))
        order, high = np.array(self.alpha), self.promise + 1.0

        def excess(edge: float) -> float:
            p, q = np.array(1 / (1 + np.exp(-edge))), np.array(1 / (1 + np.exp(edge)))
            return float(_divergence(order, p, q)) - self.promise

        while excess(high) < 0:
            high *= 2.0
        return float(brentq(excess, 0.0, high))

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR; randomised response reaches it."""
        return float(np.tanh(self.edge / 2))

    @property
    def auc(self) -> float:
        """What the advantage allows at most: no curve of the promise need reach it."""
        return 0.5 + self.advantage - self.advantage**2 / 2

    def tpr(self, fpr: Array) -> Array:
        """Return a bound on the true positive rate, sharp but for the orders not asked."""
        top = np.minimum(fpr + self.advantage, 1.0)
        if self.alpha is not None:
            return self._halved(np.full_like(fpr, self.alpha), fpr, top)[1]
        orders, found, allowed = 1.0 + np.exp(_ASKED), top.copy(), top.copy()
        todo = np.arange(fpr.size)
        # The order that forbids a rate most lowers it, until none forbids it: a few orders do.
        for _ in orders:
            excess = self._excess(orders[:, None], allowed[None, todo], fpr[None, todo])
            forbidden = (excess > 0).any(axis=0)
            if not forbidden.any():
                break
            todo, worst = todo[forbidden], orders[excess[:, forbidden].argmax(axis=0)]
            low, high = self._halved(worst, fpr[todo], top[todo])
            allowed[todo] = np.minimum(low, allowed[todo])
            found[todo] = np.minimum(high, found[todo])
        return found

    def _excess(self, order: Array, tpr: Array, fpr: Array) -> Array:
        """Return by how much the coins of two rates break the promise of an order."""
        pair = np.array([tpr, fpr])
        worse = _divergence(order, pair, pair[::-1]).max(axis=0)
        return np.asarray(worse - (self._limit(order) + _BELOW))

    def _halved(self, order: Array, fpr: Array, top: Array) -> tuple[Array, Array]:
        """Return the rates between which one order's promise ends, for each entry."""
        low, high = np.array(fpr), top
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            good = self._excess(order, middle, fpr) <= 0
            low, high = np.where(good, middle, low), np.where(good, high, middle)
        return low, high

    def delta_in(self, epsilon: Array) -> Array:
        """Return a bound on the hockey-stick: that of the best order, or the advantage."""

        def told(order: Array, rest: Array) -> Array:
            return (order - 1.0) * (self._limit(order) - epsilon) + rest

        found = np.exp(np.minimum(self._least(told, epsilon.size), 0.0))
        return np.minimum(found, self.advantage)

    delta_out = delta_in

    def epsilon(self, delta: Array) -> Array:
        """Return a bound on epsilon at a delta: that of the best order."""
        with np.errstate(divide="ignore"):
            depth = -np.log(delta)

        def told(order: Array, rest: Array) -> Array:
            return self._limit(order) + (depth + rest) / (order - 1.0)

        found = np.maximum(self._least(told, delta.size), 0.0)
        return np.where(delta >= self.advantage, 0.0, found)

    def _least(self, told: Callable[[Array, Array], Array], count: int) -> Array:
        """Return the least over the orders that the promise holds, one for each entry."""
        if self.alpha is not None:
            order = np.full((1, count), self.alpha)
            return np.asarray(told(order, _rest(order))[0])
        coarse = told(*_orders(_ASKED[:, None]))
        best = np.clip(coarse.argmin(axis=0), 1, _ASKED.size - 2)
        # Neighbouring entries have the same best order, and the same finer ones around it.
        which, place = np.unique(best, return_inverse=True)
        finer = _orders(np.linspace(_ASKED[which - 1], _ASKED[which + 1], _FINER))
        fine = told(*(each[:, place] for each in finer))
        return np.asarray(np.minimum(fine.min(axis=0), coarse.min(axis=0)))


def _orders(asked: Array) -> tuple[Array, Array]:
    """Return orders from the logarithms of what they are above 1, and what each saves."""
    order = 1.0 + np.exp(asked)
    return order, _rest(order)


def _rest(order: Array) -> Array:
    """Return what Canonne, Kamath and Steinke (2020, Proposition 12) save at an order."""
    return order * np.log1p(-1.0 / order) - np.log(order - 1.0)
