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
        low, high = np.array(fpr), np.minimum(fpr + self.advantage, 1.0)
        order = 1.0 + np.exp(_ASKED) if self.alpha is None else np.array([self.alpha])
        limit = self._limit(order)[:, None] + _BELOW
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            there = _divergence(order[:, None], middle, fpr)
            back = _divergence(order[:, None], fpr, middle)
            good = (np.maximum(there, back) <= limit).all(axis=0)
            low, high = np.where(good, middle, low), np.where(good, high, middle)
        return high

    def delta_in(self, epsilon: Array) -> Array:
        """Return a bound on the hockey-stick: that of the best order, or the advantage."""

        def told(order: Array) -> Array:
            return (order - 1.0) * (self._limit(order) - epsilon) + _rest(order)

        found = np.exp(np.minimum(self._least(told, epsilon.size), 0.0))
        return np.minimum(found, self.advantage)

    delta_out = delta_in

    def epsilon(self, delta: Array) -> Array:
        """Return a bound on epsilon at a delta: that of the best order."""
        with np.errstate(divide="ignore"):
            depth = -np.log(delta)

        def told(order: Array) -> Array:
            return self._limit(order) + (depth + _rest(order)) / (order - 1.0)

        found = np.maximum(self._least(told, delta.size), 0.0)
        return np.where(delta >= self.advantage, 0.0, found)

    def _least(self, told: Callable[[Array], Array], count: int) -> Array:
        """Return the least over the orders that the promise holds, one for each entry."""
        if self.alpha is not None:
            return np.asarray(told(np.full((1, count), self.alpha))[0])
        coarse = told(1.0 + np.exp(np.repeat(_ASKED[:, None], count, axis=1)))
        best = np.clip(coarse.argmin(axis=0), 1, _ASKED.size - 2)
        fine = np.linspace(_ASKED[best - 1], _ASKED[best + 1], _FINER)
        return np.asarray(np.minimum(told(1.0 + np.exp(fine)).min(axis=0), coarse.min(axis=0)))


def _rest(order: Array) -> Array:
    """Return what Canonne, Kamath and Steinke (2020, Proposition 12) save at an order."""
    return order * np.log1p(-1.0 / order) - np.log(order - 1.0)
