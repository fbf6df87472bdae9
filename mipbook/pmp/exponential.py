"""The exponential mechanism on a pool: its exact PMP parameter, DP, and bounds that cost no subset."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from explorable import progress, validate
from explorable.checked import Number, OneOf, checked
from mipbook.base.types import Array, Count, FiniteEpsilon, Positive, Sensitivity
from mipbook.data.populations import points
from mipbook.pmp.exponential_sums import (
    Weights,
    is_linear,
    log_sums,
    log_sums_of_two,
    seconds_for,
    spectral_seconds,
    weights,
)

Method = Annotated[str, OneOf(("auto", "subsets", "spectral"))]
Budget = Annotated[float, Number(0.0, math.inf, open_low=True)]
# Seconds for one subset and object on one slow core: linear sums, and sums over logarithms.
_PER_CELL = 0.6e-9
_LOGARITHMS = 60.0
# Up to here all subsets are faster than the integral; two objects need no more than this.
_SPECTRAL_FROM = 14


def counting_seconds(given: Weights, budget: float, method: str = "auto") -> float:
    """Return about how long the sums over all subsets take; beyond ``budget``, any such number."""
    if _integrated(given, method):
        return spectral_seconds(given)
    seconds = seconds_for(2 * given.n, given.n, given.exponents.shape[1] * _PER_CELL)
    # Sums over logarithms are needed where a double would underflow.
    return seconds * _LOGARITHMS if seconds <= budget and not is_linear(given) else seconds


def _integrated(given: Weights, method: str) -> bool:
    pair = given.exponents.shape[1] == 2
    return method == "spectral" or (method == "auto" and pair and given.n > _SPECTRAL_FROM)


def _sums(given: Weights, method: str = "subsets", budget: float = 60.0) -> tuple[Array, Array]:
    """Return ln of both sums, for all records or for the two that matter."""
    records, distinct = given.exponents.shape
    if method == "spectral" and distinct != 2:
        validate.refuse("method", method, f"'subsets' for {distinct} distinct objects")
    seconds = counting_seconds(given, budget, method)
    if seconds > budget:
        long = f"the sum over all subsets would take about {seconds:.3g} seconds, the budget is {budget:g}"
        other = "raise it, or use exponential_epsilon_bound or exponential_epsilon_estimate"
        shown = f"{records} records, {distinct} distinct objects"
        validate.refuse("losses", shown, f"fewer, or epsilon smaller: {long}; {other}")
    return log_sums_of_two(given) if _integrated(given, method) else log_sums(given)


def exponential_epsilon(
    losses: ArrayLike, epsilon: float, sensitivity: float, *, method: str = "auto", budget: float = 60.0
) -> float:
    r"""Return the exact PMP parameter of the exponential mechanism on a pool.

    Not monotone in epsilon; the rounding error is below 1e-12, relative to the larger of the
    value and 1.

    Parameters
    ----------
    method : {"auto", "subsets", "spectral"}
        All n-subsets by matrix products, or the polynomial-time integral that serves when at
        most two objects differ; chosen by size if not said.
    budget : float
        The longest time in seconds that the sums may take, by an estimate made beforehand; a
        longer one is refused.

    References
    ----------
    PMP paper, Proposition 9, in both directions: the printed one-sided maximum is too small for
    n >= 2.  The largest :math:`|\ln\sum_{D\ni x}p(w|D) - \ln\sum_{D\not\ni x}p(w|D)|` over the
    records x and the objects w.

    Examples
    --------
    >>> round(exponential_epsilon([[0.7, 1.3], [2.2, 0.2], [1.5, 3.5], [0.1, 1.9]], 4.0, 2.0), 12)
    1.078684700542
    """
    return exponential_risks(losses, epsilon, sensitivity, method=method, budget=budget)[0]


@checked
def exponential_risks(
    losses: ArrayLike, epsilon: float, sensitivity: float, *, method: Method = "auto", budget: Budget = 60.0
) -> tuple[float, float]:
    """Return `exponential_epsilon`, and how often the best practical attacker is right, for the price of one.

    Parameters
    ----------
    method, budget
        As in `exponential_epsilon`.

    References
    ----------
    PMP paper, Proposition 9 and Lemma 6.

    Examples
    --------
    >>> epsilon, success = exponential_risks([[0.0, 1.0], [1.0, 0.0]], 2.0, 1.0)
    >>> round(epsilon, 12), round(success, 6)
    (1.0, 0.731059)
    """
    given = weights(losses, epsilon, sensitivity)
    if given.exponents.shape[1] == 1 or epsilon == 0:
        return 0.0, 0.5
    inside, without = _sums(given, method, budget)
    count = math.log(math.comb(2 * given.n - 1, given.n - 1))
    gap = np.abs(np.exp(inside - count) - np.exp(without - count)) @ given.copies
    return float(np.abs(inside - without).max()), float(min(1.0, 0.5 + gap.max() / 4))


def exponential_laws(losses: ArrayLike, epsilon: float, sensitivity: float) -> tuple[Array, Array]:
    """Return ln of each object's probability with each record in, and with it out.

    Exact up to rounding, also where a probability is below the smallest double.

    Returns
    -------
    log_inside, log_without : ndarray of shape (2n, objects)

    References
    ----------
    PMP paper, Proposition 9.

    Examples
    --------
    >>> log_in, log_out = exponential_laws([[0.0, 1.0], [1.0, 0.0]], 2.0, 1.0)
    >>> np.exp(log_in[0]).round(6).tolist()
    [0.731059, 0.268941]
    """
    given = weights(losses, epsilon, sensitivity)
    inside, without = _sums(given)
    count = math.log(math.comb(2 * given.n - 1, given.n - 1))
    return (inside - count)[:, given.column], (without - count)[:, given.column]


SENSITIVITIES = ("attained", "triangle")
# Distances held at once: 1.6 GB.
_MOST_CELLS = 200_000_000


def norm_losses(values: ArrayLike, objects: ArrayLike) -> Array:
    """Return the distance of each object from each record.

    Parameters
    ----------
    values : array_like of shape (records, dimension)
        The records, clipped already.
    objects : array_like of shape (objects, dimension)
        What the mechanism chooses from.

    Returns
    -------
    ndarray of shape (records, objects)

    Notes
    -----
    PMP paper, the loss of its simulations; a data set's loss is the mean over its records.

    Examples
    --------
    >>> norm_losses([[3.0, 0.0]], [[0.0, 4.0], [3.0, 0.0]]).tolist()
    [[5.0, 0.0]]
    """
    x, w = points("values", values), points("objects", objects)
    if x.shape[1] != w.shape[1]:
        validate.refuse("objects", objects, f"of dimension {x.shape[1]}, as the values are")
    if len(x) * len(w) > _MOST_CELLS:
        shown = f"{len(x)} records, {len(w)} objects"
        validate.refuse("values", shown, f"at most {_MOST_CELLS:,} pairs of a record and an object")
    # Slow to load, and many readers never get here.
    from scipy.spatial.distance import cdist

    top = max(float(np.abs(x).max()), float(np.abs(w).max()))
    # A power of two: squares neither overflow nor vanish, and nothing is rounded.
    scale = math.ldexp(1.0, math.frexp(top)[1] - 1) if top > 0 else 1.0
    with np.errstate(over="ignore"):
        losses = np.asarray(cdist(x / scale, w / scale) * scale)
    if not np.isfinite(losses).all():
        validate.refuse("values", x, "so near to the objects that their distances are finite")
    return losses


@checked
def norm_sensitivity(
    n: Count, clip: Positive, convention: Annotated[str, OneOf(SENSITIVITIES)] = "attained"
) -> float:
    """Return the sensitivity of the mean distance from a unit vector, for clipped records.

    Parameters
    ----------
    n : int
        Records in a data set, at least 1.
    clip : float
        Largest length of a record, C, in (0, inf).
    convention : {"attained", "triangle"}
        The largest change that some neighbours attain, ``min(C + 1, 2 C) / n``, or the triangle
        inequality's bound ``2 C / n``.

    Notes
    -----
    PMP paper, the simulations of Figures 1 to 3, which do not say which of the two they use.

    Examples
    --------
    >>> norm_sensitivity(6, 50.0), norm_sensitivity(6, 51.0, "triangle")
    (8.5, 17.0)
    """
    # Divided first: twice the largest numbers is none.
    attained = convention == "attained" and clip >= 1
    found = (clip + 1) / n if attained else 2 * (clip / n)
    if found == math.inf:
        validate.refuse("clip", clip, "small enough that the sensitivity is a number")
    return found


def local_sensitivity(losses: ArrayLike) -> float:
    """Return the largest change of any object's mean loss between neighbouring halves.

    Returns
    -------
    float
        In [0, inf); the paper's Delta_X.

    Notes
    -----
    PMP paper, the simulations of Figures 1 to 3.

    Examples
    --------
    >>> local_sensitivity([[0.0, 1.0], [3.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    1.5
    """
    table = validate.array("losses", losses, ndim=2)
    if table.size == 0 or len(table) % 2:
        validate.refuse("losses", losses, "of an even number of rows, not empty")
    return float(np.ptp(table, axis=0).max() / (len(table) // 2))


@checked
def surrogate_epsilon(losses: ArrayLike, epsilon: FiniteEpsilon, sensitivity: Sensitivity) -> float:
    """Return what the paper's figures plot as eps(X): epsilon times Delta_X / Delta.

    Returns
    -------
    float
        In [0, inf): a bound on `subset_epsilon`, often far above it.

    Notes
    -----
    PMP paper, Figures 1 to 3.  The text defines eps(X) otherwise; only this reading gives the
    numbers that it quotes.

    Examples
    --------
    >>> surrogate_epsilon([[0.0, 1.0], [3.0, 1.0], [0.0, 1.0], [1.0, 1.0]], 4.0, 3.0)
    2.0
    """
    return float(epsilon * local_sensitivity(losses) / sensitivity)


@checked
def true_epsilon_bound(
    objects: ArrayLike, n: Count, epsilon: FiniteEpsilon, sensitivity: Sensitivity
) -> float:
    r"""Return a proved bound on the true DP parameter when the loss is a distance.

    Parameters
    ----------
    objects : array_like of shape (objects, dimension)
        What the mechanism chooses from.
    n : int
        Records in a data set, at least 1.

    Returns
    -------
    float
        In [0, epsilon], a bound over all pairs of neighbouring data sets.

    Notes
    -----
    New here.  What a record adds to all losses alike cancels in the exponential mechanism, and
    :math:`\|w-x\| - \|w'-x\|` is at most the distance of the two objects, so a replaced record
    moves a log probability by at most
    :math:`\frac{\epsilon}{n\Delta}\max_{w,w'}\|w-w'\|`.

    Examples
    --------
    >>> true_epsilon_bound([[1.0], [-1.0]], 6, 28.5, 20 / 6)
    2.85
    """
    w = points("objects", objects)
    from scipy.spatial.distance import cdist

    blocks = np.array_split(w, max(1, len(w) // 64))
    diameter = max(float(cdist(block, w).max()) for block in blocks)
    return min(epsilon, epsilon / (n * sensitivity) * diameter)


_CHUNK = 2048
# Seconds for one set of others, one record and one object, on one slow core.
_PER_NEIGHBOUR = 5e-8
_SHOW_FROM = 200_000
# Up to so many sets of others are listed once and kept.
_KEPT = 20_000
# Within this span of exponents no sum of exponentials underflows.
_SPAN = 600.0


def _cap(given: Weights) -> float:
    """Return the largest change of any log probability when any one record replaces another."""
    above = (column[:, None] - given.exponents for column in given.exponents.T)
    return max(float(np.ptp(each, axis=0).max()) for each in above)


def epsilon_cap(losses: ArrayLike, epsilon: float, sensitivity: float) -> float:
    """Return an upper bound on eps(X), and so on eps~(X), that costs next to nothing.

    Returns
    -------
    float
        In [0, inf), a bound; never above ``2 * epsilon * (local sensitivity) / sensitivity``.

    Notes
    -----
    PMP paper, Lemma 8, applied to the pool: when x replaces x' the log probability of w moves by
    the change of its own exponent, less an average of the changes of all objects.  Time
    n m^2 for m objects.

    Examples
    --------
    >>> epsilon_cap([[0.0, 1.0], [1.0, 0.0]], 2.0, 1.0)
    2.0
    """
    return _cap(weights(losses, epsilon, sensitivity))


def _two_objects(given: Weights) -> float:
    """Return eps(X) for two objects: the others that help most are the extreme ones."""
    gap = given.exponents[:, 1] - given.exponents[:, 0]
    shift = math.log(given.copies[1] / given.copies[0])
    best = 0.0
    for u, start in ((gap, shift), (-gap, -shift)):
        order = np.sort(u)
        # ln p moves by softplus(v + u_b) - softplus(v + u_a), and that rises in v and in u_b
        # and falls in u_a; the record that is swapped in may itself be among the large ones.
        high = order[-given.n :]
        rest = high.sum() + start - high
        moved = np.logaddexp(0.0, rest + high) - np.logaddexp(0.0, rest + order[0])
        best = max(best, float(moved.max()))
    return best


def _flags(records: int, size: int) -> Iterator[NDArray[np.bool_]]:
    """Yield all subsets of a size, a row a subset, in blocks."""
    subsets = combinations(range(records), size)
    while some := list(islice(subsets, _CHUNK)):
        flags = np.zeros((len(some), records), dtype=bool)
        np.put_along_axis(flags, np.array(some, dtype=np.intp), True, axis=1)
        yield flags


@lru_cache(maxsize=8)
def _few_flags(records: int, size: int) -> tuple[NDArray[np.bool_], ...]:
    return tuple(_flags(records, size))


def _log_normalisers(others: Array, exponents: Array, copies: Array) -> Array:
    """Return ln of the normaliser of each set of others joined by each record."""
    if np.ptp(others, axis=1).max() + np.ptp(exponents, axis=1).max() < _SPAN:
        # Doubles hold all terms, so one matrix product adds them up.
        top, own = others.max(axis=1, keepdims=True), exponents.max(axis=1)
        sums = (np.exp(others - top) * copies) @ np.exp(exponents - own[:, None]).T
        return np.asarray(np.log(sums) + top + own)
    return np.asarray(logsumexp(others[:, None, :] + exponents + np.log(copies), axis=2))


def _all_others(given: Weights) -> float:
    """Return eps(X) by going through every set of n - 1 others."""
    size, exponents = given.n - 1, given.exponents
    records = len(exponents)
    total = math.comb(records, size)
    blocks = _few_flags(records, size) if total <= _KEPT else _flags(records, size)
    best = 0.0
    if total > _SHOW_FROM:
        blocks = progress.track(blocks, -(-total // _CHUNK), what="all neighbours", unit="blocks")
    for flags in blocks:
        logs = _log_normalisers(flags @ exponents, exponents, given.copies)
        # A record among the others cannot join them.
        for_high, for_low = np.where(flags, np.inf, logs), np.where(flags, -np.inf, logs)
        high = np.full((len(flags), exponents.shape[1]), -np.inf)
        low = -high
        for record, own in enumerate(exponents):
            np.maximum(high, own - for_high[:, record, None], out=high)
            np.minimum(low, own - for_low[:, record, None], out=low)
        best = max(best, float((high - low).max()))
    return best


def subset_epsilon(losses: ArrayLike, epsilon: float, sensitivity: float, *, budget: float = 60.0) -> float:
    """Return eps(X): the exact DP parameter when both neighbours are halves of the pool.

    Parameters
    ----------
    budget : float
        The longest time in seconds that it may take; a longer one is refused.

    Raises
    ------
    ValueError
        When it would take longer than ``budget``.

    Notes
    -----
    PMP paper, Definition 1 restricted to subsets of X, as its text defines eps(X).  Its figures
    use a surrogate instead, `surrogate_epsilon`.  Polynomial for two distinct objects; else all
    sets of n - 1 others are gone through.

    Examples
    --------
    >>> losses = [[0.7, 1.3], [2.2, 0.2], [1.5, 3.5], [0.1, 1.9]]
    >>> round(subset_epsilon(losses, 4.0, 2.0), 12)
    1.394990098209
    """
    given = weights(losses, epsilon, sensitivity)
    budget = validate.number("budget", budget, 0.0, math.inf, open_low=True)
    objects = given.exponents.shape[1]
    if objects == 1 or epsilon == 0:
        return 0.0
    if objects == 2:
        return _two_objects(given)
    records = len(given.exponents)
    seconds = seconds_for(records, given.n - 1, records * objects * _PER_NEIGHBOUR)
    if seconds > budget:
        long = f"all neighbours would take about {seconds:.3g} seconds, the budget is {budget:g}"
        shown = f"{records} records, {objects} distinct objects"
        validate.refuse("losses", shown, f"fewer: {long}; raise it, or use epsilon_cap, a bound")
    return _all_others(given)


# Records times pairs of objects whose differences are looked at one by one.
_PAIRS = 150_000_000
# Products of numbers that the intervals of q may cost for one epsilon, some seconds; a
# logarithm of a sum counts as a thousand.
_PRODUCTS, _LOGARITHM = 1e10, 1000
# Beyond this change of an exponent the cap is as good.
_REACH = 150.0
_ROUNDING = 4e-16


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
        total, uneven = self._means(exponents, epsilon)
        size = 2 * self.n - 1
        mean = total / size + uneven
        # The record itself is not among those that it is swapped for.
        free = np.exp(-epsilon * self.lowest) * mean - 1 / size
        np.fill_diagonal(free, 1.0)
        records, objects = exponents.shape
        if (records + _LOGARITHM) * objects**3 > _PRODUCTS or records * objects**2 > _PAIRS:
            largest = float(free.max())
        else:
            largest = self._largest(exponents, total, mean, -epsilon * self.lowest, float(free.max()))
        slack = _ROUNDING * (records + objects + 64)
        return float(min(cap, math.log(max(largest, 1.0) * (1 + slack)) + slack))

    def _means(self, exponents: Array, epsilon: float) -> tuple[Array, Array]:
        """Return sums of exp(E_w - E_v) over the pool, and what uneven weights of the swaps may add."""
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
        return total, np.sqrt(variance * (2 * n - 1)) * spread / n

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
            highs = (ahead + exponents.T).max(axis=1)
            moments = self._log_moment((weight[:, None] * up).T @ down, highs[:, None] + top)
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
