"""What repeated releases of a mean cost where no promise is broken: growth like a root."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from explorable import validate
from mipbook import mip
from mipbook.mis.means.pair_test import pair_delta

__all__ = ["repeated_mean_delta", "repeated_mean_eta"]

_MOST = 10**12


def repeated_mean_eta(records: ArrayLike, sigma: float, k: int) -> float:
    """Return the eta of k noisy means of one random half of a pool, exactly.

    Parameters
    ----------
    records : array_like of shape (n,)
        The pool's numbers, n even, 2 to 16; all differences within 1e150.
    sigma : float
        Standard deviation of each release's Gaussian noise, in (0, inf).
    k : int
        How many releases, from 1 to 10^12.

    Notes
    -----
    The mean of the k answers tells as much as all of them, and its noise is ``sigma / sqrt(k)``.

    Examples
    --------
    >>> round(repeated_mean_eta([0.0, 1.0, 3.0, 8.0], 10.0, 4), 4)
    0.1295
    """
    values = validate.squarable("records", records, ndim=1)
    sigma = validate.number("sigma", sigma, 0.0, math.inf, open_low=True, open_high=True)
    k = validate.integer("k", k, 1, _MOST)
    if sigma / math.sqrt(k) == 0.0:
        validate.refuse("sigma", sigma, "so large that sigma / sqrt(k) is above 0")
    values = values - values.mean() if values.size else values
    accuracies = [
        mip.noisy_mean_accuracy(values, target, sigma / math.sqrt(k)) for target in range(max(values.size, 1))
    ]
    return float(max(accuracies) - 0.5)


def repeated_mean_delta(n: int, sigma: float, k: int, dimension: int = 1) -> float:
    """Return MIS's Delta of k noisy means of n normal records, exactly.

    Parameters
    ----------
    n : int
        Records in the data set, in [2, 10^6].
    sigma : float
        Standard deviation of each release's Gaussian noise, in units of a record's, in [0, 1e6].
    k : int
        How many releases, from 1 to 10^12.
    dimension : int
        Coordinates of a record, in [1, 10^6]; the noise is on each.

    Notes
    -----
    A record and the mean of the k answers are normal, and all depends on their correlation:
    1 over the root of ``n + (n sigma)^2 / k``.  As k grows, Delta rises to that of the mean itself.

    References
    ----------
    Limits paper, Theorem 13, for its simplest learner, here with noise.

    Examples
    --------
    >>> round(repeated_mean_delta(10, 3.1701524, 1), 6), round(repeated_mean_delta(10, 0.0, 1), 6)
    (0.01, 0.107092)
    """
    n = validate.integer("n", n, 2, 10**6)
    sigma = validate.number("sigma", sigma, 0.0, 1e6)
    k = validate.integer("k", k, 1, _MOST)
    dimension = validate.integer("dimension", dimension, 1, 10**6)
    return pair_delta(n + (n * sigma) ** 2 / k, dimension, 0.0)
