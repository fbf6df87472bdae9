"""The exact DP parameters of a finite mechanism on subsets, where one record is replaced."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook import game
from mipbook.base.types import Array
from mipbook.mip.finite import membership_table
from mipbook.pmp.finite.worst import worst_epsilon
from mipbook.tradeoff.bounds import row_divergences

__all__ = ["finite_dp_delta", "finite_dp_epsilon", "neighbouring_pairs"]

# Entries of a block of pairs at once: 16 MB.
_BLOCK = 1 << 21


def neighbouring_pairs(members: ArrayLike) -> NDArray[np.intp]:
    """Return which data sets differ in one replaced record.

    Returns
    -------
    ndarray of int, shape (pairs, 2)
        Row numbers, each pair once.

    Raises
    ------
    ValueError
        If no two data sets are neighbours.

    Notes
    -----
    PMP paper, Definition 1, among data sets of equal size.

    Examples
    --------
    >>> from mipbook import mip
    >>> len(neighbouring_pairs(mip.subsets(4)))
    12
    """
    flags = validate.flags("members", members)
    if flags.ndim != 2 or flags.size == 0:
        shape = f"{flags.dtype} array of shape {flags.shape}"
        validate.refuse("members", shape, "a boolean array of shape (data sets, records)")
    numbers = flags.astype(np.float32)
    shared = numbers @ numbers.T
    sizes = flags.sum(axis=1)
    near = (sizes[:, None] == sizes) & (shared == sizes[:, None] - 1)
    pairs = np.argwhere(np.triu(near, 1))
    if not len(pairs):
        validate.refuse("members", flags, "such that some data sets differ in one replaced record")
    return pairs


def finite_dp_delta(probabilities: ArrayLike, members: ArrayLike, epsilon: Any) -> float:
    """Return the smallest delta for which a finite mechanism is (epsilon, delta)-DP.

    Parameters
    ----------
    members : array_like of bool, shape (datasets, records)
        Which records each data set holds; neighbours replace one record.

    Returns
    -------
    float
        In [0, 1]; the worst pair of neighbours, both directions.

    Notes
    -----
    PMP paper, Definition 1, over all data sets drawn from one pool.

    Examples
    --------
    >>> from mipbook import mip
    >>> finite_dp_delta([[0.2, 0.8], [0.0, 1.0]], mip.subsets(2), 0.0)
    0.2
    """
    epsilon = validate.number("epsilon", epsilon, 0.0)
    table, flags = membership_table(probabilities, members)
    level = np.full((1, 1), epsilon)
    worst = 0.0
    for left, right in _laws(table, flags):
        for p, q in ((left, right), (right, left)):
            with np.errstate(over="ignore"):
                worst = max(worst, float(row_divergences(p, q, level).max()))
    return worst


def _laws(table: Any, flags: NDArray[np.bool_]) -> Iterator[tuple[Array, Array]]:
    """Yield the distributions of all pairs of neighbours, block by block."""
    # The checks of the table are those of the game; one call makes them all.
    game.output_laws(table, flags[:, 0])
    laws = np.asarray(table, dtype=float)
    pairs = neighbouring_pairs(flags)
    step = max(1, _BLOCK // laws.shape[1])
    for start in range(0, len(pairs), step):
        block = pairs[start : start + step]
        yield laws[block[:, 0]], laws[block[:, 1]]


def finite_dp_epsilon(probabilities: ArrayLike, members: ArrayLike, delta: float = 0.0) -> float:
    """Return the smallest epsilon for which a finite mechanism is (epsilon, delta)-DP.

    Parameters
    ----------
    members : array_like of bool, shape (datasets, records)
        Which records each data set holds; neighbours replace one record.

    Notes
    -----
    PMP paper, Definition 1, over all data sets drawn from one pool.

    Examples
    --------
    >>> from mipbook import mip
    >>> halves = mip.subsets(4)
    >>> finite_dp_epsilon(np.eye(6), halves)
    inf
    >>> finite_dp_epsilon(np.ones((6, 1)), halves)
    0.0
    """
    delta = validate.number("delta", delta, 0.0, 1.0)
    table, flags = membership_table(probabilities, members)
    worst = 0.0
    for left, right in _laws(table, flags):
        if delta > 0:
            worst = max(worst, _worst_of(left, right, delta))
            continue
        seen = left > 0
        if np.any(seen != (right > 0)):
            return math.inf
        worst = max(worst, float(np.abs(np.log(left[seen]) - np.log(right[seen])).max()))
    return worst


def _worst_of(left: Array, right: Array, delta: float) -> float:
    pairs = np.stack([left, right], axis=1)
    return worst_epsilon(left, right, delta, lambda i: game.finite_epsilon(pairs[i], delta))
