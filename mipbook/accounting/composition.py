"""From one release to k releases of the same data."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook import mip
from mipbook.accounting.composed_curves import (
    LARGEST_LOSS,
    MOST_LAPLACE,
    MOST_RELEASES,
    LaplaceSum,
    OptimalCurve,
    composed_pair,
)
from mipbook.accounting.curves import Coins, Curve, LaplaceCurve, Polygon
from mipbook.accounting.known import from_training
from mipbook.accounting.reading import Reading
from mipbook.accounting.renyi import RenyiCurve
from mipbook.dpsgd.step import GaussianCurve, SubsampledCurve
from mipbook.mis.gaussian_mean import pair_delta

# A chance that is there by rounding alone.
_NONE = 1e-12


def composed(reading: Reading, k: int) -> Reading:
    """Read k releases of one data set, each as ``reading`` says, with noise of their own.

    Parameters
    ----------
    reading : Reading
        One release, by `translate` or its parts.
    k : int
        How many, from 1 to 100,000; with Laplace noise to 500 (of a loss up to 50 each), with
        other finite mechanisms as long as there are at most 20,000 likelihood ratios.

    Returns
    -------
    Reading
        Every notion's number.  MIP's, PMP's and MIS's are those that DP's curve of all releases
        allows: their own parameters do not compose.

    Notes
    -----
    Exact for Gaussian and Laplace noise and for finite mechanisms, sharp for an (epsilon, delta)
    promise; promises of Rényi DP add up, and the reading is that of their sum.  Samples are read
    by `from_training`, within its limits.  What is released next may depend on what was released
    before, as each release keeps the promise whatever it is told.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorem 3.3.
    J. Dong, A. Roth and W. Su, "Gaussian Differential Privacy", J. R. Stat. Soc. B 2022.

    Examples
    --------
    >>> from mipbook.together import from_dp
    >>> round(composed(from_dp(0.1), 100).epsilon(1e-6), 6)
    4.774568
    """
    reading = validate.instance("reading", reading, Reading, "made by mipbook.accounting.translate")
    k = validate.integer("k", k, 1, MOST_RELEASES)
    if k == 1:
        return reading
    curve = _curve(reading, k)
    what = f"{k:,} releases, each {reading.what}"
    # The accountant's rates are bounds.
    sharp = reading.sharp and not isinstance(reading.curve, SubsampledCurve)
    return replace(reading, what=what, curve=curve, sharp=sharp, releases=k)


def _curve(reading: Reading, k: int) -> Curve:
    curve = reading.curve
    if isinstance(curve, GaussianCurve):
        return replace(curve, sensitivity=curve.sensitivity * float(np.sqrt(k)))
    if isinstance(curve, LaplaceCurve):
        if not curve.loss <= LARGEST_LOSS:
            allowed = f"Laplace noise of a loss up to {LARGEST_LOSS:g} for each release"
            validate.refuse("reading", reading.what, allowed)
        return LaplaceSum(curve.loss, validate.integer("k", k, 1, MOST_LAPLACE))
    if isinstance(curve, RenyiCurve):
        return replace(curve, promise=k * curve.promise)
    if isinstance(curve, Coins) and curve.nothing < _NONE:
        return OptimalCurve(curve.loss, curve.tells, k)
    if isinstance(curve, Polygon):
        return Polygon(*composed_pair(curve.log_p, curve.log_q, k))
    if isinstance(curve, SubsampledCurve):
        try:
            return from_training(curve.sampling, curve.part.sigma / curve.part.sensitivity, k).curve
        except ValueError as error:
            validate.refuse("reading", reading.what, f"within the accountant's reach: {error}")
    validate.refuse("reading", reading.what, "a release whose composition is known")


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
    targets, noise = range(max(values.size, 1)), sigma / math.sqrt(k)
    return float(max(mip.noisy_mean_accuracy(values, target, noise) for target in targets) - 0.5)


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
