"""Promises by Rényi divergences: of one order, or of all orders in proportion (zCDP)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from mipbook.accounting.curves import Coins
from mipbook.base.types import Array

# The least order less 1 of a promise for all orders: fewer orders only allow more.
_LEAST = 1e-9
# The search zooms in on the best order and places, side by side for all that is asked.
_PLACES, _ZOOMS, _PARABOLAS, _NEWTON = 9, 6, 3, 6
# While the search for an order zooms in, places need not be found as closely; less so at first.
_ROUGH, _ROUGH_PARABOLAS = 3, 2
# Of a promise for all orders; so few are looked for one by one.
_NODES, _FEW = 64, 12
# Lines whose corners tell the area, for large deltas and for small ones, up to an epsilon.
_LINES, _LARGEST = 150, 600.0
_TINY, _NEARLY = np.finfo(float).tiny, 1.0 - 1e-16
_FARTHEST = 1e100
# In powers of y^2, beside y^2: log((1 - e^-y) / y) + y / 2, and sinh y / y - 1.
_DECAY = [1 / 479001600, -1 / 9676800, 1 / 181440, -1 / 2880, 1 / 24]
_SINH = [1 / 39916800, 1 / 362880, 1 / 5040, 1 / 120, 1 / 6]
_SAFE = 1e-12  # more than rounding takes off a bound


Told = Callable[[Array], Array]  # what is told at a place


@dataclass(frozen=True)
class RenyiCurve:
    """What a Rényi promise allows, in both directions.

    Parameters
    ----------
    promise : float
        The divergence of the order, or rho: the divergence over the order, of each; from 1e-24
        to a million.
    alpha : float, optional
        The order, above 1 and up to a million; none for all orders.
    """

    promise: float
    alpha: float | None = None

    @cached_property
    def edge(self) -> float:
        """The epsilon of the randomised response with the largest advantage."""
        promise = self.promise
        most = (promise + np.sqrt(promise) * np.sqrt(promise + 8.0)) / 2
        if self.alpha is None:
            least = max(promise, np.sqrt(2.0 * promise))
            return _root(lambda edge: edge * np.tanh(edge / 2) - promise, least, most)
        order, more = self.alpha, self.alpha - 1.0
        size = more * promise / 2

        def excess(edge: float) -> float:
            # Of the logarithm of the mean of u^order, less 1.
            found = _log_sinh(order * edge / 2) + _log_sinh(more * edge / 2)
            return found - _log_sinh(edge) + _log_sinh(edge / 2) - size - _log_sinh(size)

        return _root(excess, max(promise, np.sqrt(2.0 * promise / order)), most)

    @cached_property
    def _answers(self) -> Coins:
        """That randomised response, the corner of the region."""
        return Coins(0.0, 1.0 / (1.0 + np.exp(-self.edge)), self.edge)

    @cached_property
    def _bend(self) -> float:
        """The epsilon up to which no pair of coins has a larger delta than the corner."""
        least = np.array(_LEAST if self.alpha is None else self.alpha - 1.0)
        return float(_epsilon(least, np.array(self.edge), np.array(self.edge)))

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR; randomised response reaches it."""
        return self._answers.advantage

    @cached_property
    def auc(self) -> float:
        """The area of the region, at most; no curve that keeps the promise need fill it."""
        if self.advantage == 1.0 or self.advantage < 1e-9:  # nothing but rounding is left
            return min(0.5 + self.advantage, 1.0)
        largest = self._corner
        few = np.geomspace(0.01 * largest, 1e-14 * largest, _LINES)
        delta = np.append(np.linspace(largest, 0.01 * largest, _LINES, endpoint=False), few)
        epsilon = self.epsilon(delta)
        delta, odds = delta[epsilon < _LARGEST], np.exp(epsilon[epsilon < _LARGEST])
        # Where each line meets the next, from the corner of the region to the left end.
        fpr = np.append(-np.diff(delta) / np.diff(odds), 0.0)
        middle = [[(1.0 - self.advantage) / 2], [(1.0 + self.advantage) / 2]]
        corners = np.append(middle, [fpr, np.minimum(delta + odds * fpr, 1.0 - fpr)], axis=1)
        mirrored = 1.0 - corners[::-1]
        x, y = np.concatenate([corners[:, ::-1], mirrored, [[1.0], [1.0]]], axis=1)
        return float(np.trapezoid(y, x))

    def tpr(self, fpr: Array) -> Array:
        """Return the largest true positive rate at a false positive rate."""
        inside = np.clip(fpr, _TINY, _NEARLY)
        left, log, gain = 1.0 - inside, np.log(inside), self.advantage
        most = 2.0 + 2.0 * np.sqrt(-np.log(np.minimum(inside, left)) / self.promise)
        with np.errstate(over="ignore"):
            lifted = np.log1p(gain / inside) - np.log1p(-np.minimum(gain / left, _NEARLY))
        widest = np.where(gain < left, lifted, np.inf)
        low = inside <= (1.0 - gain) / 2

        def of_order(more: Array) -> Told:
            limit = self._limit(more)
            steep = (more * limit - log) / (1.0 + more) + self.edge
            flat = np.minimum(limit - np.log(left) / more, (limit + 0.7) / left)
            most = np.minimum(widest, np.where(low, steep, flat + np.minimum(self.edge, -log)))

            def told(place: Array) -> Array:
                # Of the coins whose logits are so far apart.
                apart = place * most
                down = np.log1p(inside * np.expm1(np.minimum(apart, _LARGEST)))
                up = apart - down
                rise, fall = np.where(low, up, down), np.where(low, down, up)
                epsilon = _epsilon(more, rise, fall)
                delta = np.exp(self._log_delta(more, rise, fall))
                steep, flat = delta + np.exp(epsilon + log), 1.0 - np.exp(-epsilon) * (left - delta)
                return np.where(low, steep, flat)

            return told

        found = self._lowest(of_order, most, None)[0]
        found = np.clip(found, fpr, np.minimum(fpr + self.advantage, 1.0))
        return np.where((fpr == 0) | (fpr == 1), fpr, found)

    def delta_in(self, epsilon: Array) -> Array:
        """Return the largest hockey-stick, the same in both directions."""
        corner = self._answers.delta_in(np.minimum(epsilon, self._bend))
        far = (epsilon > self._bend) & np.isfinite(epsilon)
        inside = np.where(far, np.minimum(epsilon, _FARTHEST), self._bend + 1.0)

        def of_order(more: Array) -> Told:
            least, most = _apart(more, inside), _apart(more, inside + self.edge)

            def told(place: Array) -> Array:
                apart = least + place * (most - least)
                rise = inside - _epsilon(more, 0.0, apart)
                return self._log_delta(more, rise, np.maximum(apart - rise, 0.0))

            return told

        most = 1.0 + inside / self.promise
        found = self._lowest(of_order, most, self._beside(inside, 1))[0]
        found = np.exp(np.minimum(found, 0.0))
        return np.where(far, np.minimum(found, corner), np.where(epsilon == np.inf, 0.0, corner))

    delta_out = delta_in

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon that the promise implies at a delta."""
        corner = self._corner
        depth = -np.log(np.maximum(np.minimum(delta, corner), _TINY))
        found = np.maximum(self._epsilon_at(depth, self._beside(depth, 0))[0], self._bend)
        near = self._answers.epsilon(delta)
        return np.where(delta == 0, np.inf, np.where(delta < corner, found, near))

    @cached_property
    def _corner(self) -> float:
        """Delta at the bend."""
        return float(self._answers.delta_in(np.array([self._bend]))[0])

    @cached_property
    def _nodes(self) -> Array:
        """Depths, which are minus logarithms of delta, with their epsilons and best orders less 1.

        What is asked of many deltas or epsilons at once is looked for beside the order between.
        """
        top = -np.log(max(self._corner, _TINY))
        depth = top + np.append(0.0, np.geomspace(1e-3, 700.0, _NODES))
        return np.array([depth, *self._epsilon_at(depth, None)])

    def _beside(self, asked: Array, key: int) -> Array | None:
        """Return between which orders less 1 to look, by a row of the nodes; few need none."""
        if self.alpha is not None or asked.size <= _FEW:
            return None
        known, orders = self._nodes[key], self._nodes[2]
        near = np.interp(asked, known, orders)
        gap = np.interp(asked, known, np.gradient(orders))
        wide = 0.3 * np.abs(gap) + 0.02 * near + _LEAST
        far = np.where(asked > known[-1], 10.0, 1.0)
        return np.array([np.maximum(near - wide, _LEAST), far * (near + wide)])

    def _epsilon_at(self, depth: Array, orders: Array | None) -> tuple[Array, Array]:
        """Return epsilon at a delta below that of the bend, and the best order less 1."""

        def of_order(more: Array) -> Told:
            scale = np.log1p(1.0 / more) - depth

            def told(place: Array) -> Array:
                fall = place * self.edge
                # The rise at which the bound is delta.
                size = self._log_mean(more, fall) - scale
                near = np.log1p(np.exp(np.minimum(size, 0.0)) + np.expm1(-more * fall))
                rise = np.where(size < 0, near, np.logaddexp(size, -more * fall)) / more
                return _epsilon(more, rise, fall)

            return told

        most = 2.0 + 2.0 * np.sqrt(depth / self.promise)
        return self._lowest(of_order, most, orders)

    def _limit(self, more: Array) -> Array:
        return np.asarray(self.promise * (1.0 + more if self.alpha is None else 0.0 * more + 1.0))

    def _log_mean(self, more: Array, fall: Array) -> Array:
        """Return the logarithm of the mean of (c u^order + b u + a) / c over order less 1."""
        limit = self._limit(more)
        down = more * fall

        def flat(down: Array, more: Array, fall: Array) -> Array:
            return np.asarray(np.exp(-down) * (_over(down) / more + _over(-fall)))

        def steep(down: Array, more: Array, fall: Array) -> Array:
            return np.asarray(-np.expm1(-down) / more + np.exp(-down) * np.expm1(-fall))

        gap = _either(down < 0.5, flat, steep, down, *np.broadcast_arrays(more, fall))
        size = -np.expm1(-more * limit) / more + np.exp(-more * limit) * gap
        return np.asarray(np.log(size) + more * limit + _SAFE * (1.0 + 1e-3 * more * limit))

    def _log_delta(self, more: Array, rise: Array, fall: Array) -> Array:
        """Return the logarithm of the bound on delta whose curve touches at two places."""
        apart = rise + fall
        scale = np.log1p(more) + more * rise + np.log(apart) + _log_mean_decay(more * apart)
        return self._log_mean(more, fall) - scale

    def _lowest(
        self, of_order: Callable[[Array], Told], most: Array, orders: Array | None
    ) -> tuple[Array, Array]:
        """Return the least over orders and places in [0, 1], one for each entry of ``most``.

        ``of_order`` makes the function of a place from orders less 1, which end at ``most``, or
        lie between the two rows of ``orders``.  With it the best orders.
        """
        with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
            if self.alpha is not None:
                more = np.full(most.size, self.alpha - 1.0)
                return _least(of_order(more), most.shape)[0], more
            low, high = (np.full(most.size, _LEAST), most) if orders is None else orders
            zooms = _ZOOMS if orders is None else 1

            def best(share: Array) -> Array:
                return _least(of_order(low + share * (high - low)), share.shape)[0]

            def roughly(share: Array, step: int) -> Array:
                told = of_order(low + share * (high - low))
                return _least(told, share.shape, _ROUGH + step // 2, _ROUGH_PARABOLAS)[0]

            found, share = _least(best, most.shape, zooms, roughly=roughly if orders is None else None)
        return found, low + share * (high - low)


@cache
def _sides(half: float, count: int, axes: int) -> Array:
    return np.linspace(-half, half, count).reshape(-1, *[1] * axes)


def _least(
    told: Told,
    shape: tuple[int, ...],
    zooms: int = _ZOOMS,
    parabolas: int = _PARABOLAS,
    roughly: Callable[[Array, int], Array] | None = None,
) -> tuple[Array, Array]:
    """Return the least of a function on [0, 1] that falls and then rises, and about where.

    ``roughly`` tells nearly the same and never less, by the step; it serves while the search zooms in.
    """
    found, best, half = np.full(shape, np.inf), np.full(shape, 0.5), 0.5
    for step in range(zooms + parabolas):
        count = _PLACES if step < zooms else 3
        place = np.minimum(np.maximum(best + _sides(half, count, len(shape)), 0.0), 1.0)
        now = roughly(place, step) if roughly and step < zooms else told(place)
        now = np.where(np.isnan(now), np.inf, now)  # far out of any range
        found = np.minimum(found, now.min(axis=0))
        best = np.choose(now.argmin(axis=0), place)
        if count == 3:  # to the foot of the parabola through the three
            left, middle, right = now
            foot = place[1] + half / 2 * (left - right) / (left - 2.0 * middle + right)
            best = np.where(np.abs(foot - place[1]) < half, foot, best)
        half *= 0.3 if step < zooms else 0.1
    return found, best


def _epsilon(more: Array, rise: Array | float, fall: Array) -> Array:
    """Return the epsilon of the curve of an order that touches at two places."""
    apart = rise + fall
    return rise + _log_mean_decay((1.0 + more) * apart) - _log_mean_decay(more * apart)


def _apart(more: Array, wanted: Array) -> Array:
    """Return nearly how far apart two places are, their fall and their epsilon in sum ``wanted``.

    By Newton's method, from above.
    """
    found = wanted + np.minimum(wanted, np.log1p(1.0 / more))
    for _ in range(_NEWTON):
        slope = 1.0 + (1.0 + more) * _decay(found * (1.0 + more)) - more * _decay(found * more)
        found = found - (found + _epsilon(more, 0.0, found) - wanted) / slope
    return found


def _decay(y: Array) -> Array:
    """Return the slope of the logarithm of (1 - e^-y) / y."""
    far = np.maximum(y, 1e-5)
    return np.where(y < far, -0.5 + y / 12.0, 1.0 / np.expm1(far) - 1.0 / far)


def _log_mean_decay(y: Array) -> Array:
    """Return the logarithm of (1 - e^-y) / y."""

    def near(y: Array) -> Array:
        square = y * y
        return np.asarray(square * np.polyval(_DECAY, square) - y / 2)

    return _either(y < 0.25, near, lambda y: np.log(-np.expm1(-y) / y), y)


def _over(y: Array) -> Array:
    """Return e^y - 1 - y, without loss near 0."""

    def near(y: Array) -> Array:
        half = y / 2
        grown, square = np.expm1(half), half * half
        return np.asarray(2.0 * half * (grown + (1.0 + grown) * square * np.polyval(_SINH, square)))

    return _either(np.abs(y) < 0.25, near, lambda y: np.expm1(y) - y, y)


def _either(
    near: NDArray[np.bool_], this: Callable[..., Array], that: Callable[..., Array], *asked: Array
) -> Array:
    """Return one function where ``near``, and another elsewhere; each is asked nothing else."""
    if near.all():
        return this(*asked)
    if not near.any():
        return that(*asked)
    found, far = np.empty(near.shape), ~near
    found[near], found[far] = this(*(each[near] for each in asked)), that(*(each[far] for each in asked))
    return found


def _log_sinh(y: float) -> float:
    """Return the logarithm of 2 sinh y."""
    return float(y + np.log(-np.expm1(-2.0 * y)))


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    return float(brentq(excess, low * (1.0 - 1e-6), high * (1.0 + 1e-6), xtol=_TINY))
