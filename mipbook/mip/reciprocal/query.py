"""The reciprocal-sum query on the data set of Proposition 11.

The records are 1, 2, 4, ..., 2^(n-2) and one number a, such that one half, the fatal one, has a
tiny sum and so a huge answer.
"""

from __future__ import annotations

from itertools import combinations
from math import comb, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.base.types import Array

__all__ = [
    "even_size",
    "reciprocal_data_set",
    "reciprocal_outputs",
    "reciprocal_root",
    "reciprocal_sensitivity",
    "reciprocal_sums",
]

MAX_N = 120
_MAX_ENUMERATED = 20


def even_size(n: int, high: int = MAX_N) -> int:
    """Return the number of records if the query is defined for it."""
    return validate.integer("n", n, 4, high, multiple_of=2)


def reciprocal_root(n: int) -> float:
    """Return sqrt(p), the sum of the fatal half, where p is the chance of drawing it.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].

    Notes
    -----
    MIP paper, Proposition 11.

    Examples
    --------
    >>> round(reciprocal_root(4) ** -2, 12)
    6.0
    """
    n = even_size(n)
    return 1 / sqrt(comb(n, n // 2))


def reciprocal_data_set(n: int) -> Array:
    """Return the n records: the powers of two up to 2^(n-2), then a.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].

    Returns
    -------
    ndarray of shape (n,)

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.  The fatal half is the first
    ``n/2 - 1`` records and the last.

    Examples
    --------
    >>> reciprocal_data_set(4).round(4).tolist()
    [1.0, 2.0, 4.0, -0.5918]
    """
    n = even_size(n)
    last = reciprocal_root(n) - float(2 ** (n // 2 - 1) - 1)
    return np.array([*(2.0**i for i in range(n - 1)), last])


def reciprocal_outputs(n: int) -> tuple[Array, NDArray[np.bool_]]:
    """Return the query's answer on every half, by enumeration.

    Parameters
    ----------
    n : int
        Records, even, in [4, 20].

    Returns
    -------
    outputs : ndarray of shape (C(n, n/2),)
        One answer a half.
    members : ndarray of bool, shape (C(n, n/2), n)
        Which records each half holds.

    Notes
    -----
    MIP paper, Proposition 11.  Integers are summed before sqrt(p), so nothing cancels.

    Examples
    --------
    >>> outputs, members = reciprocal_outputs(4)
    >>> outputs.size, int((outputs > 1).sum())
    (6, 1)
    """
    n = even_size(n, _MAX_ENUMERATED)
    chosen = np.array(list(combinations(range(n), n // 2)))
    members = np.zeros((len(chosen), n), dtype=bool)
    np.put_along_axis(members, chosen, True, axis=1)
    return 1 / reciprocal_sums(n, members), members


def reciprocal_sums(n: int, members: ArrayLike) -> Array:
    """Return the sum of each half's records; integers first, so that nothing cancels.

    Parameters
    ----------
    n : int
        Records, even, in [4, 20].
    members : array_like of bool, shape (..., n)
        Which records each half holds.

    Notes
    -----
    The records of MIP Proposition 11.

    Examples
    --------
    >>> float(reciprocal_sums(4, [True, False, False, True])) == reciprocal_root(4)
    True
    """
    n = even_size(n, _MAX_ENUMERATED)
    flags = validate.flags("members", members)
    if flags.shape[-1:] != (n,):
        validate.refuse("members", flags.shape, f"n = {n} booleans for each half")
    with_a = flags[..., -1]
    whole = flags[..., :-1] @ (1 << np.arange(n - 1)) - with_a * (2 ** (n // 2 - 1) - 1)
    return np.asarray(whole + with_a * reciprocal_root(n))


def reciprocal_sensitivity(n: int) -> float:
    """Return the largest change of the answer between halves one swap apart, exactly.

    Parameters
    ----------
    n : int
        Records, even, in [4, 120].

    Returns
    -------
    float
        ``1/sqrt(p) - 1/(2^(n-2) + 2^(n/2-1) - 1)``: swap a for the largest record.

    Notes
    -----
    MIP paper, Proposition 11, whose printed neighbour gives a slightly smaller value.

    Examples
    --------
    >>> round(reciprocal_sensitivity(36), 6)
    95263.504554
    """
    n = even_size(n)
    return float(sqrt(comb(n, n // 2)) - 1 / (2 ** (n - 2) + 2 ** (n // 2 - 1) - 1))
