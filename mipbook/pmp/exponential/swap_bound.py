r"""A certificate for the exponential mechanism that costs no subset: swaps, averaged.

Let w be an object, x a record and D a half with x, drawn with chance proportional to p(w|D).
Every half without x comes from n halves with it by swapping x for some x' outside, so

.. math:: R = \frac{\sum_{D\not\ni x}p(w|D)}{\sum_{D\ni x}p(w|D)}
   = E_D \frac1n\sum_{x'\notin D} \Bigl(\sum_v p(v|D)\, e^{c_{vw}(x') - c_{vw}(x)}\Bigr)^{-1}

where :math:`c_{vw} = E_v - E_w` is the difference of two objects' exponents on a record.  As 1/z
is convex, :math:`R \le \sum_v q_v U_{wv}` and :math:`1/R \le \sum_v q_v U_{vw}`, where
:math:`q_v = E_D\,p(v|D)` and :math:`U_{wv}` is the mean of
:math:`e^{c_{wv}(x') - c_{wv}(x)}` over the swaps, weighted with p(w|D) p(v|D).  Both are bounded:

- a swap changes ln p(w|D) p(v|D) by at most a known number, so every x' is outside with a chance
  in a known interval; by Cauchy and Schwarz the weighted mean is then near the plain one;
- ln of a sum of exponentials is at least its tangent, and sums over random halves have no larger
  exponential moments than sums of independent draws (Hoeffding 1963, Theorem 4), so
  E p(w|D) p(v|D), E p(w|D) and with them q lie in intervals.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from mipbook.base.types import Array
from mipbook.pmp.exponential.weights import Weights, weights

__all__ = ["Certifier", "exponential_epsilon_bound"]

# Records times pairs of objects whose differences are looked at one by one.
_PAIRS = 150_000_000
# Products of numbers that the intervals of q may cost for one epsilon, some seconds; a
# logarithm of a sum counts as a thousand.
_PRODUCTS, _LOGARITHM = 1e10, 1000
# Beyond this change of an exponent the cap is as good.
_REACH = 150.0
_ROUNDING = 4e-16


class _Means(NamedTuple):
    """Sums of exp(E_w - E_v) over the pool, and what uneven weights of the swaps may add."""

    total: Array
    uneven: Array


class Certifier:
    """Bounds on eps~ of one pool for any epsilon: what does not depend on it is kept.

    Parameters
    ----------
    given : Weights
        The pool's exponents at epsilon = 1.
    """

    def __init__(self, given: Weights) -> None:
        # What a record adds to all objects alike cancels.
        self.base = given.exponents - given.exponents.mean(axis=1, keepdims=True)
        self.log_copies = np.log(given.copies)
        records, objects = self.base.shape
        self.n = records // 2
        low, high = self.base.min(axis=0), self.base.max(axis=0)
        if records * objects**2 <= _PAIRS:
            self.lowest = np.array([(self.base[:, [w]] - self.base).min(0) for w in range(objects)])
        else:
            self.lowest = low[:, None] - high
        np.fill_diagonal(self.lowest, 0.0)
        # The largest change of ln p(w|D) when one record replaces another.
        self.reach = (-self.lowest.T - self.lowest).max(axis=1)
        self.cap = float(self.reach.max())
        self.worst = float(np.abs(self.base).max())

    def bound(self, epsilon: float) -> float:
        """Return a bound on eps~ at this epsilon."""
        cap = epsilon * self.cap * (1 + 1e-12) + _ROUNDING * epsilon * self.worst
        if len(self.log_copies) == 1 or epsilon == 0:
            return 0.0
        if epsilon * (self.cap + self.worst) > _REACH:
            return cap
        exponents = epsilon * self.base
        means = self._means(exponents, epsilon)
        size = 2 * self.n - 1
        mean = means.total / size + means.uneven
        # The record itself is not among those that it is swapped for.
        free = np.exp(-epsilon * self.lowest) * mean - 1 / size
        np.fill_diagonal(free, 1.0)
        records, objects = exponents.shape
        if (records + _LOGARITHM) * objects**3 > _PRODUCTS or records * objects**2 > _PAIRS:
            largest = float(free.max())
        else:
            largest = self._largest(exponents, means.total, mean, -epsilon * self.lowest, float(free.max()))
        slack = _ROUNDING * (records + objects + 64)
        return float(min(cap, math.log(max(largest, 1.0) * (1 + slack)) + slack))

    def _means(self, exponents: Array, epsilon: float) -> _Means:
        n, records = self.n, len(exponents)
        up = np.exp(exponents)
        down = 1 / up
        total = up.T @ down
        square = (up * up).T @ (down * down)
        variance = np.maximum(square - total**2 / records, 0.0) + _ROUNDING * records * square
        # Chances to be outside lie between these, and add up to n over 2n - 1 records.
        change = epsilon * (self.reach[:, None] + self.reach)
        least = n / (n + (n - 1) * np.exp(change))
        most = n / (n + (n - 1) * np.exp(-change))
        middle = n / (2 * n - 1)
        spread = np.sqrt(np.maximum((middle - least) * (most - middle), 0.0))
        return _Means(total, np.sqrt(variance * (2 * n - 1)) * spread / n)

    def _log_moment(self, total: Array, highest: Array) -> Array:
        """Bound ln E exp(h(D)) over the halves with a record, whichever it is.

        ``total`` is the sum of exp(h) over the pool, ``highest`` bounds h.  The record itself
        adds z = exp(h), the others a mean of (total - z) / (2n - 1) each.
        """
        n = self.n
        if n == 1:
            return highest
        own = np.minimum(highest, np.log(total / n))
        return np.asarray(own + (n - 1) * np.log((total - np.exp(own)) / (2 * n - 1)))

    def _shares(self, exponents: Array, total: Array, highest: Array) -> tuple[Array, Array]:
        """Return the interval of q_v for each w, as two arrays of shape (w, v).

        ``highest`` bounds E_v - E_w, with one row a w.
        """
        logs, objects = self.log_copies, exponents.shape[1]
        typical = self.n * exponents.mean(axis=0) + logs
        tilt = np.exp(typical - logsumexp(typical))
        # The tangent: ln sum_u copies_u exp(E_u) is at least mean + entropy.
        mean = exponents @ tilt
        kept = tilt > 0
        entropy = -float((tilt[kept] * (np.log(tilt[kept]) - logs[kept])).sum())
        up, down = np.exp(exponents), np.exp(-exponents)
        top = -exponents.min(axis=0)
        low, high = np.empty((objects, objects)), np.empty((objects, objects))
        for w in range(objects):
            chance = -logsumexp(self._log_moment(total[:, w], highest[w]) + logs - logs[w])
            ahead = exponents[:, w] - mean
            weight = np.exp(ahead)
            joint = self._log_moment((weight * np.exp(-mean)) @ up, (ahead - mean + exponents.T).max(axis=1))
            high[w] = joint - 2 * entropy + logs[w] + logs - chance
            moments = self._log_moment(
                (weight[:, None] * up).T @ down, (ahead + exponents.T).max(axis=1)[:, None] + top
            )
            low[w] = -logsumexp(moments + logs[:, None] - logs, axis=0)
            low[w] += entropy - logs[w] + chance
        high = np.exp(np.minimum(high, 0.0))
        return np.minimum(np.exp(np.minimum(low, 0.0)), high), high

    def _largest(self, exponents: Array, total: Array, mean: Array, highest: Array, free: float) -> float:
        """Return the largest of sum_v q_v U_wv and sum_v q_v U_vw over records and objects."""
        low, high = self._shares(exponents, total, highest)
        if (low.sum(axis=1) < 1e-6).any() and (high > 1 - 1e-6).all():
            return free
        best = 1.0
        own = 1 / (2 * self.n - 1)
        for w in range(exponents.shape[1]):
            ahead = np.exp(exponents[:, [w]] - exponents)
            for part in (mean[w] / ahead, mean[:, w] * ahead):
                part -= own
                part[:, w] = 1.0
                best = max(best, _allotted(part, low[w], high[w], best))
        return best


def _allotted(gains: Array, low: Array, high: Array, best: float) -> float:
    """Return the largest mean of a row of gains under shares in [low, high], if above ``best``."""
    rest = max(0.0, 1.0 - float(low.sum()))
    # Shares are a mean, so a row's largest gain is a bound; most rows end here.
    for rows in np.array_split(np.argsort(-gains.max(axis=1)), max(1, len(gains) // 64)):
        part = gains[rows]
        part = part[part.max(axis=1) > best]
        if part.size == 0:
            break
        order = np.argsort(-part, axis=1)
        room = (high - low)[order]
        given = low[order] + np.clip(rest - (np.cumsum(room, axis=1) - room), 0.0, room)
        best = max(best, float((np.take_along_axis(part, order, 1) * given).sum(axis=1).max()))
    return best


def exponential_epsilon_bound(losses: ArrayLike, epsilon: float, sensitivity: float) -> float:
    r"""Return a certified upper bound on the PMP parameter of the exponential mechanism.

    Returns
    -------
    float
        In [0, inf), a bound, never above `epsilon_cap` but for its rounding.  For eps~ up to 0.1
        it was 1.05 to 1.3 times the exact value where that can be counted; for large epsilon it
        is several times too large.

    Notes
    -----
    New here, for PMP paper, Proposition 9, in both directions.  A swap-averaged bound: the sums
    with and without a record differ by swaps with the records outside, and what a swap does is
    averaged over them, where `epsilon_cap` takes the worst.  No randomness and no subset: n m^2
    operations and a few matrix products for m objects.

    References
    ----------
    W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables", Journal of the
    American Statistical Association 58, 1963, Theorem 4.

    Examples
    --------
    >>> losses = [[0.7, 1.3], [2.2, 0.2], [1.5, 3.5], [0.1, 1.9]]
    >>> from mipbook.pmp import epsilon_cap, exponential_epsilon
    >>> exact = exponential_epsilon(losses, 0.5, 2.0)
    >>> exact < exponential_epsilon_bound(losses, 0.5, 2.0) < epsilon_cap(losses, 0.5, 2.0)
    True
    """
    return Certifier(weights(losses, epsilon, sensitivity)).bound(1.0)
