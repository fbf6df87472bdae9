"""Releases that each keep a promise and together break it."""

from __future__ import annotations

from itertools import combinations
from math import comb, isqrt
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.checked import Integer, Number, checked
from mipbook import mip, pmp
from mipbook.base.types import Array, Count, Rate

_CELLS = 40_000_000
_LARGEST = 10**6


class TwoReleases(NamedTuple):
    """A notion's number for a release, for another one, and for both together.

    Attributes
    ----------
    first, second, together : float
        Exact.
    """

    first: float
    second: float
    together: float


def _table(name: str, value: ArrayLike) -> Array:
    table = validate.array(name, value, 0.0, 1.0, ndim=2)
    if table.size == 0 or (np.abs(table.sum(axis=1) - 1.0) > 1e-9).any():
        validate.refuse(name, value, "a table whose rows are probability vectors")
    return table


def joint_table(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the outputs of two mechanisms on one data set, with coins of their own.

    Parameters
    ----------
    first, second : array_like of shape (datasets, outputs)
        Each row the output probabilities of a data set; the data sets of both are the same.

    Returns
    -------
    ndarray of shape (datasets, pairs of outputs)
        Pairs that never come up are left out; at most 40,000,000 entries.

    Notes
    -----
    Two releases are one: a pair.  Each notion's number of the pair is that of this table.

    Examples
    --------
    >>> from mipbook import mip, pmp
    >>> both = joint_table(pmp.partition_mechanism(3), pmp.design_bit())
    >>> mip.finite_eta(both, mip.subsets(6))
    0.5
    """
    one, two = _table("first", first), _table("second", second)
    if len(one) != len(two):
        validate.refuse("second", second, f"a table with {len(one)} rows, as first has")
    if one.size * two.shape[1] > _CELLS:
        allowed = f"so small that the table of both has at most {_CELLS:,} entries"
        validate.refuse("second", f"a table of {two.shape[1]} outputs", allowed)
    both = (one[:, :, None] * two[:, None, :]).reshape(len(one), -1)
    return np.asarray(both[:, both.any(axis=0)])


@checked
def repeated_table(table: ArrayLike, k: Annotated[int, Integer(1, 64)]) -> Array:
    """Return the outputs of k runs of one mechanism on one data set.

    Parameters
    ----------
    table : array_like of shape (datasets, outputs)
        Each row the output probabilities of a data set.
    k : int
        How many runs, from 1 to 64; at most 40,000,000 entries come out.

    Notes
    -----
    The runs draw their noise independently, so the probabilities of their outputs multiply.

    Examples
    --------
    >>> repeated_table([[0.5, 0.5], [1.0, 0.0]], 2).tolist()
    [[0.25, 0.25, 0.25, 0.25], [1.0, 0.0, 0.0, 0.0]]
    """
    once = _table("table", table)
    found = once
    for _ in range(k - 1):
        if found.size * once.shape[1] > _CELLS:
            validate.refuse("k", k, f"so small that at most {_CELLS:,} entries come out")
        found = joint_table(found, once)
    return found


@checked
def member_and_split_etas(n: Annotated[int, Integer(1, _LARGEST)], chance: Rate) -> TwoReleases:
    """Return eta of one random member published, of the split, and of both.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, from 1 to 1,000,000.
    chance : float
        How often a member is published, in [0, 1].

    Notes
    -----
    A member is published with a chance; the other release prints the two halves without saying
    which one was drawn, and has eta 0.  Together they name all members as soon as one is named:
    eta grows by the factor n.

    Examples
    --------
    >>> member_and_split_etas(5, 0.1)
    TwoReleases(first=0.01, second=0.0, together=0.05)
    """
    return TwoReleases(chance / (2 * n), 0.0, chance / 2)


@checked
def block_bit(n: Annotated[int, Integer(3, 5)]) -> Array:
    """Return the mechanism that draws six records of the pool and says a bit about them.

    The six are printed.  If three of them are in the data, it says whether these are a block of
    the design of `mipbook.pmp.design_bit`; else that they are not three.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, in [3, 5].

    Returns
    -------
    ndarray of shape (C(2n, n), 3 C(2n, 6))
        Rows in the order of ``mipbook.mip.subsets(2 * n)``.

    Notes
    -----
    Exactly 0-MIP and 0-PMP: of the draws with any number of the six, each record is in as often
    as out at each answer.

    Examples
    --------
    >>> from mipbook import mip
    >>> mip.finite_eta(block_bit(4), mip.subsets(8)) < 1e-12
    True
    """
    members = mip.subsets(2 * n)
    sixes = np.array(list(combinations(range(2 * n), 6)))
    codes = members[:, sixes] @ (1 << np.arange(6))
    halves = mip.subsets(6) @ (1 << np.arange(6))
    answers = np.full(64, 2)
    answers[halves] = pmp.design_bit()[:, 1].astype(int)
    told = answers[codes]
    table = (told[:, :, None] == np.arange(3)) / len(sixes)
    return np.asarray(table.reshape(len(members), -1))


@checked
def block_etas(n: Annotated[int, Integer(3, _LARGEST)]) -> TwoReleases:
    """Return eta of the split, of `block_bit`, and of both, for any n.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, from 3 to 1,000,000.

    Notes
    -----
    Together they name all members whenever three of the six are in the data.

    Examples
    --------
    >>> block_etas(3), round(block_etas(1000).together, 4)
    (TwoReleases(first=0.0, second=0.0, together=0.5), 0.1565)
    """
    return TwoReleases(0.0, 0.0, comb(n, 3) ** 2 / comb(2 * n, 6) / 2)


AnyEta = Annotated[float, Number(0.0, 0.5)]


@checked
def eta_of_two(first: AnyEta, second: AnyEta, n: Count) -> float:
    """Return the best known bound on eta of two releases, from the eta of each.

    Parameters
    ----------
    first, second : float
        Eta of each release, in [0, 1/2].
    n : int
        Records drawn out of 2n, at least 1.

    Notes
    -----
    Sharp for n = 1, where eta is half of a total variation; for n = 2 three times the sum, where
    twice the sum is attained and what lies between is open; from n = 3 on nothing but 1/2, which
    two releases of eta 0 reach at n = 3.

    Examples
    --------
    >>> [round(eta_of_two(0.05, 0.05, n), 3) for n in (1, 2, 3)]
    [0.095, 0.3, 0.5]
    """
    if n == 1:
        return first + second - 2.0 * first * second
    return min(0.5, 3.0 * (first + second)) if n == 2 else 0.5


@checked
def field_deltas(q: Annotated[int, Integer(3, 199)], k: int | None = None) -> TwoReleases:
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


def _counted(told: NDArray[np.int64], record: NDArray[np.int64], q: int) -> float:
    """Return Delta from what is told of each equally likely pair of records; exact counts."""
    count = np.bincount(told * q + record, minlength=(int(told.max()) + 1) * q).reshape(-1, q)
    # A record is uniform: q times its count against the count of what is told.
    gap = int(np.abs(q * count - count.sum(axis=1, keepdims=True)).sum())
    return gap / (2 * q * int(count.sum()))
