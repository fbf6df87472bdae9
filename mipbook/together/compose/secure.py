"""Learners of security 1 that together give the records away."""

from __future__ import annotations

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.together.compose.witnesses import TwoReleases

__all__ = ["coin_deltas", "field_deltas"]


def field_deltas(q: int, k: int | None = None) -> TwoReleases:
    """Return Delta of the sum of two records modulo q, of their squared difference, and of both.

    Parameters
    ----------
    q : int
        An odd prime up to 199; the records are uniform on 0, ..., q - 1.
    k : int, optional
        If given, *both* is k runs, from 1 to 10,000, of the learner that tosses a coin which of
        the two it publishes.

    Notes
    -----
    Counted over all pairs of records.  Sum and difference give the two records, in some order.

    Examples
    --------
    >>> found = field_deltas(5)
    >>> found.first, found.second, round(found.together, 12)
    (0.0, 0.0, 0.64)
    >>> round(field_deltas(5, k=3).together, 12)
    0.48
    """
    q = validate.integer("q", q, 3, 199)
    if any(q % factor == 0 for factor in range(2, isqrt(q) + 1)):
        validate.refuse("q", q, "an odd prime")
    one, two = np.divmod(np.arange(q * q), q)
    sums, squares = (one + two) % q, (one - two) ** 2 % q
    found = [_counted(told, one, q) for told in (sums, squares, sums * q + squares)]
    if k is not None:
        # Both coins come up unless all k tosses agree.
        k = validate.integer("k", k, 1, 10_000)
        found[2] *= 1.0 - 2.0 ** (1 - k)
    return TwoReleases(*found)


def coin_deltas(n: int) -> TwoReleases:
    """Return Delta of two learners of n fair coin tosses, and of both.

    One says whether the number of heads is even, the other how far it is from n / 2.

    Parameters
    ----------
    n : int
        Odd, from 3 to 999.

    Notes
    -----
    Both together are the number of heads: as n is odd, the two counts at one distance differ in
    parity.

    Examples
    --------
    >>> [round(each, 12) for each in coin_deltas(5)]
    [0.0, 0.0, 0.1875]
    """
    from scipy.stats import binom

    n = validate.integer("n", n, 3, 999)
    if n % 2 == 0:
        validate.refuse("n", n, "odd")
    heads: NDArray[np.int64] = np.arange(n + 1)
    rest = binom.pmf(heads, n - 1, 0.5) / 2
    chance = np.stack([rest, np.roll(rest, 1)], axis=1)
    labels = (heads % 2, np.abs(2 * heads - n), heads)
    return TwoReleases(*(_delta(_grouped(chance, label)) for label in labels))


def _counted(told: NDArray[np.int64], record: NDArray[np.int64], q: int) -> float:
    """Return Delta from what is told of each equally likely pair of records; exact counts."""
    count = np.bincount(told * q + record, minlength=(int(told.max()) + 1) * q).reshape(-1, q)
    # A record is uniform: q times its count against the count of what is told.
    gap = int(np.abs(q * count - count.sum(axis=1, keepdims=True)).sum())
    return gap / (2 * q * int(count.sum()))


def _grouped(chance: Array, labels: NDArray[np.int64]) -> Array:
    found = np.zeros((int(labels.max()) + 1, chance.shape[1]))
    np.add.at(found, labels, chance)
    return found


def _delta(joint: Array) -> float:
    """Return the total variation between a joint distribution and the product of its parts."""
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return float(np.abs(joint - apart).sum() / 2)
