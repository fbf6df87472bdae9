"""Small mechanisms on all n-subsets of 2n records that show what PMP is and is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.mip.finite import subsets

__all__ = [
    "SumCounts",
    "answers_table",
    "design_bit",
    "even_parity",
    "modular_sum",
    "partition_mechanism",
    "publish_one",
]

# The largest n with C(2n - 1, n - 1) below 2**63.
_MOST_SUM = 33
# One block design on 0..5: every pair of records is in exactly two of the ten blocks.
_DESIGN = ("012", "013", "024", "035", "045", "125", "134", "145", "234", "235")


class SumCounts(NamedTuple):
    """How many subsets with a record, and how many without it, give each remainder.

    Attributes
    ----------
    inside, outside : ndarray of int, shape (modulus,)
        Counts; both add up to C(2n - 1, n - 1).
    """

    inside: NDArray[np.int64]
    outside: NDArray[np.int64]

    @property
    def odds(self) -> tuple[int, int]:
        """The two counts, the larger first, at the remainder where their ratio is largest."""
        pairs = zip(self.inside.tolist(), self.outside.tolist(), strict=True)
        ordered = [(max(pair), min(pair)) for pair in pairs if max(pair) > 0]
        return max(ordered, key=lambda p: Fraction(p[0], p[1]) if p[1] else math.inf)

    @property
    def epsilon(self) -> float:
        """The PMP parameter against this record, exact up to one rounding; may be inf."""
        top, bottom = self.odds
        return math.log1p((top - bottom) / bottom) if bottom else math.inf

    @property
    def accuracy(self) -> float:
        """How often the attacker is right who says the likelier side at each remainder."""
        return int(np.maximum(self.inside, self.outside).sum()) / (2 * int(self.inside.sum()))

    @property
    def loose_odds(self) -> tuple[int, int]:
        """The largest and the smallest count, at whatever remainders they occur."""
        both = np.concatenate([self.inside, self.outside])
        return int(both.max()), int(both.min())


def _labels(labels: Any, count: int) -> list[int]:
    try:
        whole = [validate.integer("labels", each, -(10**18), 10**18) for each in labels]
    except (TypeError, ValueError):
        whole = []
    if len(whole) != count:
        validate.refuse("labels", labels, f"{count} whole numbers, 2 n of them")
    return whole


def modular_sum(
    n: int, record: int = 0, labels: Sequence[int] | None = None, modulus: int | None = None
) -> SumCounts:
    """Count the subsets that give each value of the sum of their labels, modulo 2n.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, in [1, 33].
    record : int
        The record in question, in [0, 2n - 1].
    labels : sequence of int, optional
        One for each of the 2n records; ``0, 1, ..., 2n - 1`` if not given.
    modulus : int, optional
        At least 1 and at most 4096; 2n if not given.

    Notes
    -----
    PMP paper, Proposition 5.  Counted by dynamic programming over the records, in whole
    numbers; no subset is listed.

    Examples
    --------
    >>> counts = modular_sum(6)
    >>> counts.odds, counts.loose_odds
    ((38, 37), (40, 37))
    >>> modular_sum(3, labels=(0, 0, 0, 1, 1, 1)).epsilon
    inf
    """
    n = validate.integer("n", n, 1, _MOST_SUM)
    record = validate.integer("record", record, 0, 2 * n - 1)
    modulus = 2 * n if modulus is None else validate.integer("modulus", modulus, 1, 4096)
    steps = list(range(2 * n)) if labels is None else _labels(labels, 2 * n)
    table = np.zeros((n + 1, modulus), dtype=np.int64)
    table[0, 0] = 1
    for place, step in enumerate(steps):
        if place != record:
            table[1:] += np.roll(table[:-1], step % modulus, axis=1)
    own = steps[record] % modulus
    return SumCounts(np.roll(table[n - 1], own), table[n].copy())


def answers_table(answers: ArrayLike) -> Array:
    """Write a mechanism without randomness as a table of probabilities.

    Parameters
    ----------
    answers : array_like of shape (datasets,)
        What the mechanism answers on each data set.

    Returns
    -------
    ndarray of shape (datasets, outputs)
        A 1 in each row; the outputs in rising order.

    Raises
    ------
    ValueError
        If ``answers`` is empty, has more than one dimension or holds nan.

    Notes
    -----
    PMP paper, Definition 2: with no noise, the draw alone is the randomness.

    Examples
    --------
    >>> answers_table([3, 5, 3]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    given = validate.array("answers", answers, ndim=1)
    if given.size == 0:
        validate.refuse("answers", answers, "at least one answer")
    return np.asarray((given[:, None] == np.unique(given)) * 1.0)


def partition_mechanism(n: int) -> Array:
    """Return the mechanism that prints the two halves, without saying which one was drawn.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, in [1, 7].

    Returns
    -------
    ndarray of shape (C(2n, n), C(2n, n) / 2)
        Rows in the order of ``mipbook.mip.subsets(2 * n)``.

    Notes
    -----
    Exactly 0-PMP: every output comes from one subset with a given record and one without.
    It strengthens Proposition 5 of the PMP paper and shows what PMP lets through.

    Examples
    --------
    >>> partition_mechanism(2).sum(axis=0).tolist()
    [2.0, 2.0, 2.0]
    """
    n = validate.integer("n", n, 1, 7)
    codes = subsets(2 * n) @ (1 << np.arange(2 * n))
    return answers_table(np.minimum(codes, (1 << 2 * n) - 1 - codes))


def design_bit() -> Array:
    """Return the mechanism on 3 of 6 records that says whether the subset is one of ten blocks.

    Returns
    -------
    ndarray of shape (20, 2)
        Rows in the order of ``mipbook.mip.subsets(6)``; column 1 is *yes, a block*.

    Notes
    -----
    The blocks form a 2-(6, 3, 2) design: each record is in five of the ten, so the bit is
    0-PMP.  No two blocks are complements, so the bit and `partition_mechanism` together name
    the subset: PMP does not compose.

    Examples
    --------
    >>> design_bit().sum(axis=0).tolist()
    [10.0, 10.0]
    """
    blocks = {tuple(int(c) for c in block) for block in _DESIGN}
    chosen = [tuple(np.flatnonzero(row).tolist()) in blocks for row in subsets(6)]
    return answers_table(np.array(chosen, dtype=float))


def even_parity(n: int) -> NDArray[np.bool_]:
    """Return all bit strings with an even number of ones: any record follows from the others.

    Parameters
    ----------
    n : int
        Records, one bit each, in [2, 16].

    Returns
    -------
    ndarray of bool, shape (2**(n - 1), n)

    Notes
    -----
    PMP paper, appendix: under this distribution of the data, distributional DP with epsilon and
    delta 0 permits a mechanism to publish everything, since a simulator that lacks one record can
    fill it in.

    Examples
    --------
    >>> even_parity(3).astype(int).tolist()
    [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    n = validate.integer("n", n, 2, 16)
    free = (np.arange(1 << (n - 1))[:, None] >> np.arange(n - 2, -1, -1)) & 1
    last = free.sum(axis=1, keepdims=True) % 2
    return np.asarray(np.hstack([free, last]).astype(bool))


def publish_one(n: int, eta: Any, which: str = "random") -> Array:
    """Return the mechanism that publishes a member with probability n eta, else nothing.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, in [1, 7].
    eta : float
        In [0, 1 / n].
    which : {"random", "smallest"}
        Which member: one at random, which is the first when the data come in random order,
        or the one with the smallest number.

    Returns
    -------
    ndarray of shape (C(2n, n), 2n + 1)
        Column i publishes record i; the last column publishes nothing.

    Notes
    -----
    PMP paper, appendix: an eta-MIP mechanism with no finite PMP parameter.  For a random
    member the attacker's edge is ``eta / 2``; for the smallest one it is ``n eta / 2``.

    Examples
    --------
    >>> from mipbook import mip
    >>> round(mip.finite_eta(publish_one(3, 1 / 30), mip.subsets(6)), 12) == round(1 / 60, 12)
    True
    """
    n = validate.integer("n", n, 1, 7)
    eta = validate.number("eta", eta, 0.0, 1 / n)
    validate.choice("which", which, ("random", "smallest"))
    members = subsets(2 * n)
    if which == "random":
        published = members * eta
    else:
        published = np.zeros(members.shape)
        published[np.arange(len(members)), members.argmax(axis=1)] = n * eta
    return np.hstack([published, np.full((len(members), 1), max(0.0, 1 - n * eta))])
