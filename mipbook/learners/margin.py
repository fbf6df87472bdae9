"""How many points on a sphere are nearly orthogonal, all pairs of them."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from explorable.checked import Integer, Number, Numbers, checked
from mipbook.learners.base import Array

Dimensions = Annotated[Any, Numbers(2.0, 1e12)]


def _pair_apart(d: Array) -> Array:
    """Return the chance that two uniform points on the sphere are not nearly orthogonal."""
    from scipy.special import betaincc

    return np.asarray(betaincc(0.5, (d - 1) / 2, np.log(d) ** 2 / d))


@checked
def not_orthogonal_bounds(n: Annotated[int, Integer(2, 10**9)], d: Dimensions) -> tuple[Array, Array]:
    """Return bounds on the chance that some pair of n points on a sphere is not nearly orthogonal.

    Parameters
    ----------
    n : int
        Points, uniform and independent.
    d : array_like
        Dimensions, at least 2.

    Returns
    -------
    low, high : ndarray
        With q for the exact chance of one of the m pairs: m q / (1 + (m - 1) q), since pairs are
        independent two by two, and m q, at most 1.

    Notes
    -----
    The event in the proof of the Limits paper, Proposition 19, fails: that on the sphere of radius
    sqrt(d) no inner product exceeds sqrt(d) ln d.  The lower bound is Chung and Erdos's.

    Examples
    --------
    >>> low, high = not_orthogonal_bounds(10, 50)
    >>> bool(0 < low <= high < 0.01)
    True
    """
    q, pairs = _pair_apart(d), n * (n - 1) / 2
    return pairs * q / (1 + (pairs - 1) * q), np.minimum(pairs * q, 1.0)


@checked
def most_near_orthogonal(
    d: Annotated[float, Number(2.0, 1e12)],
    chance: Annotated[float, Number(0.0, 1.0, open_low=True, open_high=True)],
    most: Annotated[int, Integer(1, 10**9)],
) -> int:
    """Return up to which n all pairs are nearly orthogonal with at least a chance, by a bound.

    Parameters
    ----------
    d : float
        Dimensions.
    chance : float
        That no pair fails.
    most : int
        Where to stop.

    Examples
    --------
    >>> most_near_orthogonal(50, 0.99, 10**6)
    28
    """
    q = float(_pair_apart(np.array(d)))
    # n (n - 1) / 2 pairs may fail with 1 - chance together.
    room = math.sqrt(0.25 + 2 * (1 - chance) / q) if q else math.inf
    return most if room + 0.5 >= most else int(0.5 + room)
