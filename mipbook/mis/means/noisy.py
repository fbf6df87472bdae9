"""The mean of n draws from a few values, released with Gaussian noise: what an attack gains."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.base.types import Array
from mipbook.mip.mixtures import mixture_distances

__all__ = ["noisy_mean_delta", "noisy_mean_deltas"]

# Sums that are listed; more would take minutes.
_MOST_SUMS = 20_000


def _sums(values: Array, draws: int) -> tuple[Array, Array]:
    """Return the sums of independent draws from equally likely values, and their chances."""
    sums: Array = np.zeros(1)
    chances: Array = np.ones(1)
    for _ in range(draws):
        # Sums that differ by rounding alone are one.
        every = (sums[:, None] + values).round(9).ravel()
        sums, place = np.unique(every, return_inverse=True)
        each = np.repeat(chances / values.size, values.size)
        chances = np.bincount(place.ravel(), each).astype(np.float64)
    return sums, chances


def noisy_mean_deltas(values: ArrayLike, n: int, sigma: float) -> Array:
    """Return how far each value, as a member, moves the release of a noisy mean.

    Parameters
    ----------
    values : array_like of shape (k,)
        What a record may be, each equally likely: 1 to 16 numbers within [-1e6, 1e6], rounded
        to nine decimals.
    n : int
        Records in the data set, drawn independently, in [1, 8].

    Returns
    -------
    ndarray of shape (k,)
        For each value the total variation distance between the release when a record has it,
        and the release.  Absolute error below 1e-11.

    Notes
    -----
    The record's own part of the divergence in `noisy_mean_delta`: what the release tells of it.

    Examples
    --------
    >>> noisy_mean_deltas([0.0, 1.0], 1, 1.0).round(6)
    array([0.191462, 0.191462])
    """
    known = validate.array("values", values, -1e6, 1e6, ndim=1)
    n = validate.integer("n", n, 1, 8)
    if not 1 <= known.size <= 16 or math.comb(known.size + n - 1, n) > _MOST_SUMS:
        allowed = f"1 to 16 numbers, with at most {_MOST_SUMS:,} data sets of {n} of them"
        validate.refuse("values", known.tolist(), allowed)
    sigma = validate.number("sigma", sigma, 0.0, np.inf, open_low=True, open_high=True)
    known = known.round(9)
    others, every = _sums(known, n - 1), _sums(known, n)
    pairs = [((others[0] + value).round(9) / n, every[0] / n, (others[1], every[1])) for value in known]
    return mixture_distances(pairs, sigma)


def noisy_mean_delta(values: ArrayLike, n: int, sigma: float) -> float:
    """Return Delta of the mean of n draws from a few values with Gaussian noise.

    Members and fresh records are equally likely, and MIS is 1 minus this.

    Parameters
    ----------
    values : array_like of shape (k,)
        What a record may be, each equally likely, as in `noisy_mean_deltas`.
    n : int
        Records in the data set, drawn independently, in [1, 8].

    Returns
    -------
    float
        In [0, 1]; absolute error below 1e-11.

    References
    ----------
    Limits paper, Theorem 1: the divergence between the parameters with a member and the
    parameters with a stranger, here over a record that is seen by the attacker.

    Examples
    --------
    >>> round(noisy_mean_delta([0.0, 1.0], 1, 1.0), 6)
    0.191462
    """
    return float(noisy_mean_deltas(values, n, sigma).mean())
