"""Differential privacy on the halves of a pool: what an attacker learns who knows the others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from explorable import progress, validate
from mipbook.base.types import Array
from mipbook.pmp.exponential.weights import Weights, seconds_for, weights

__all__ = ["epsilon_cap", "subset_epsilon"]

_CHUNK = 2048
# Seconds for one set of others, one record and one object, on one slow core.
_PER_CELL = 5e-8
_SHOW_FROM = 200_000
# Up to so many sets of others are listed once and kept.
_KEPT = 20_000
# Within this span of exponents no sum of exponentials underflows.
_SPAN = 600.0


def _cap(given: Weights) -> float:
    """Return the largest change of any log probability when any one record replaces another."""
    cap = 0.0
    for column in given.exponents.T:
        above = column[:, None] - given.exponents
        cap = max(cap, float(np.ptp(above, axis=0).max()))
    return cap


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
        n = given.n
        others = order[-n:].sum() + start
        for high in order[-n:]:
            rest = others - high
            low = order[0] if len(order) > n else high
            change = np.logaddexp(0.0, rest + high) - np.logaddexp(0.0, rest + low)
            best = max(best, float(change))
    return best


def _flags(records: int, size: int) -> Iterator[NDArray[np.bool_]]:
    """Yield all subsets of a size, a row a subset, in blocks."""
    subsets = combinations(range(records), size)
    for _ in range(0, math.comb(records, size), _CHUNK):
        some = list(islice(subsets, _CHUNK))
        rows = np.array(some, dtype=np.intp).reshape(len(some), size)
        flags = np.zeros((len(rows), records), dtype=bool)
        np.put_along_axis(flags, rows, True, axis=1)
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
    joint = others[:, None, :] + exponents + np.log(copies)
    return np.asarray(logsumexp(joint, axis=2))


def _all_others(given: Weights) -> float:
    """Return eps(X) by going through every set of n - 1 others."""
    size, exponents = given.n - 1, given.exponents
    records = len(exponents)
    total = math.comb(records, size)
    blocks = _few_flags(records, size) if total <= _KEPT else _flags(records, size)
    best = 0.0
    with progress.reader() as stream:
        count = -(-total // _CHUNK)
        shown = (
            progress.track(blocks, stream, total=count, what="all neighbours", unit="blocks")
            if total > _SHOW_FROM
            else blocks
        )
        for flags in shown:
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
    seconds = seconds_for(records, given.n - 1, records * objects * _PER_CELL)
    if seconds > budget:
        validate.refuse(
            "losses",
            f"{records} records, {objects} distinct objects",
            f"fewer: all neighbours would take about {seconds:.3g} seconds, the budget is "
            f"{budget:g}; raise it, or use epsilon_cap, a bound",
        )
    return _all_others(given)
