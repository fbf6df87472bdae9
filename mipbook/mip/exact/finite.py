"""The exact eta of any finite mechanism, record by record."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook import game
from mipbook.base.types import Array
from mipbook.game.finite import joint_sums

__all__ = ["finite_eta", "membership_table", "record_accuracies", "subsets"]

_MOST, _CELLS = 3_000_000, 120_000_000


def subsets(n: int, k: int | None = None) -> NDArray[np.bool_]:
    """Return all subsets of k out of n records, one a row, as the halves of MIP.

    Parameters
    ----------
    n : int
        Records, at least 2.
    k : int, optional
        Size of a subset, in [1, n - 1]; n / 2 if not given, for even n.

    Returns
    -------
    ndarray of bool, shape (C(n, k), n)

    Raises
    ------
    ValueError
        For an argument outside its range, an odd n without k, or more than 3,000,000 rows.

    Notes
    -----
    MIP paper, Definition 1.

    Examples
    --------
    >>> subsets(4).sum(axis=0).tolist()
    [3, 3, 3, 3]
    """
    n = validate.integer("n", n, 2)
    if k is None:
        if n % 2:
            validate.refuse("n", n, "even, or k given")
        k = n // 2
    k = validate.integer("k", k, 1, n - 1)
    # C(n, k) >= n (n - 1) ... / k! grows too fast to be written out for large n.
    small = min(k, n - k)
    rows = comb(n, small) if small <= 40 else _MOST + 1
    if rows > _MOST or rows * n > _CELLS:
        allowed = f"such that there are at most {_MOST:,} subsets and {_CELLS:,} entries"
        validate.refuse("n", n, allowed)
    places = np.fromiter((i for chosen in combinations(range(n), k) for i in chosen), np.int64, rows * k)
    table = np.zeros((rows, n), dtype=bool)
    table[np.repeat(np.arange(rows), k), places] = True
    return table


def membership_table(probabilities: Any, members: Any) -> tuple[Any, NDArray[np.bool_]]:
    """Check a table of outputs and who is in each data set; one row a data set."""
    flags = validate.flags("members", members)
    table = validate.array("probabilities", probabilities)
    if flags.ndim != 2 or flags.shape[1] == 0:
        shape = f"{flags.dtype} array of shape {flags.shape}"
        validate.refuse("members", shape, "a boolean array of shape (data sets, records)")
    if table.ndim != 2 or len(table) != len(flags):
        validate.refuse("probabilities", table, f"a table with {len(flags)} rows, as members has")
    return table, flags


def record_accuracies(
    probabilities: ArrayLike, members: ArrayLike, weights: ArrayLike | None = None
) -> Array:
    """Return the optimal attacker's accuracy against each record.

    Returns
    -------
    ndarray of shape (records,)

    Notes
    -----
    MIP paper, Proposition 2; RIP paper, Proposition 2.

    Examples
    --------
    >>> record_accuracies(np.eye(6), subsets(4)).round(12).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    table, flags = membership_table(probabilities, members)
    return np.array([game.optimal_accuracy(table, column, weights) for column in flags.T])


def finite_eta(probabilities: ArrayLike, members: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Return the smallest eta for which a finite mechanism is eta-MIP, exactly.

    Returns
    -------
    float
        The worst record's accuracy above the better of always *in* and always *out*; in
        [0, 1/2] for halves.

    Notes
    -----
    MIP paper, Definition 1 and Proposition 2.  For halves it is half the total variation
    distance between the distributions with and without the record.

    Examples
    --------
    >>> halves = subsets(4)
    >>> only_one = np.array([[1.0, 0.0]] + [[0.0, 1.0]] * 5)
    >>> round(finite_eta(only_one, halves), 12) == round(1 / 6, 12)
    True
    """
    table, flags = membership_table(probabilities, members)
    worst = 0.0
    for column in flags.T:
        # Above the better of the two constant answers lies what the other is ahead by, output
        # by output: no difference of numbers near one half.
        without, within, total = joint_sums(table, column, weights)
        ahead = within - without if within.sum() < without.sum() else without - within
        worst = max(worst, float(np.maximum(ahead, 0.0).sum()) / total)
    return worst
