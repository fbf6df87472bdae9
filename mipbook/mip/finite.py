"""The exact eta of any finite mechanism, record by record, and of a study among its own population."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from explorable import validate
from explorable.checked import Integer, Numbers, checked
from mipbook import game
from mipbook.base.types import Array, Members
from mipbook.game.finite import joint_sums

_MOST, _CELLS = 3_000_000, 120_000_000


@checked
def subsets(n: Annotated[int, Integer(2)], k: int | None = None) -> NDArray[np.bool_]:
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


@checked
def membership_table(
    probabilities: Annotated[Any, Numbers(ndim=2)], members: Members
) -> tuple[Any, NDArray[np.bool_]]:
    """Check a table of outputs and who is in each data set; one row a data set."""
    if members.shape[1] == 0:
        validate.refuse("members", members.shape, "of shape (data sets, records), at least one record")
    if len(probabilities) != len(members):
        validate.refuse("probabilities", probabilities, f"a table with {len(members)} rows, as members has")
    return probabilities, members


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


@checked
def peer_accuracy(n: Annotated[int, Integer(2, 10_000)]) -> float:
    """Return the best accuracy in telling a member of a study from another of its population.

    Records are normal, the study draws n of them and publishes their mean; the attacker knows
    the population's distribution and the person's own record.

    Parameters
    ----------
    n : int
        Records that the study averages, in [2, 10,000].

    Returns
    -------
    float
        At equal odds; by quadrature, absolute error below 1e-9.

    References
    ----------
    MIP paper, section 3.2.

    Examples
    --------
    >>> round(peer_accuracy(20), 4)
    0.5368
    """
    # An average over the person's deviation x.  Without her the mean is N(0, 1/n) around the
    # population's, with her N(x/n, (n-1)/n^2); the densities cross at two points.  How far they are
    # apart bends at x = 0 within about 1 / sqrt(n), so there the steps of the quadrature are short.
    ends = np.append(0.0, np.geomspace(0.25 / np.sqrt(n), 9.0, 40))[:, None]
    own, shares = np.polynomial.legendre.leggauss(12)
    half = np.diff(ends, axis=0) / 2
    nodes = (ends[:-1] + half + half * own).ravel()
    weights = 2.0 * (half * shares).ravel() * np.exp(-(nodes**2) / 2) / np.sqrt(2 * np.pi)
    first, second = 1 / n, (n - 1) / n**2
    shift = nodes / n
    # Equal log densities: a quadratic a z^2 + b z + c = 0.
    a = 1 / second - 1 / first
    b = -2 * shift / second
    c = shift**2 / second + np.log(second / first)
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
    low, high = (-b - root) / (2 * a), (-b + root) / (2 * a)

    def inside(mean: Array | float, variance: float) -> Array:
        sd = np.sqrt(variance)
        return np.asarray(ndtr((high - mean) / sd) - ndtr((low - mean) / sd))

    distance = np.abs(inside(shift, second) - inside(0.0, first))
    return float(0.5 + (weights * distance).sum() / 2)
