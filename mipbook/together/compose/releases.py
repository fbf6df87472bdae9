"""From the reading of one release to that of k releases of the same data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from explorable import validate
from mipbook.together.compose.finite import composed_pair
from mipbook.together.compose.laplace import LARGEST_LOSS, MOST_LAPLACE, LaplaceSum
from mipbook.together.compose.optimal import MOST_RELEASES, OptimalCurve
from mipbook.together.concentrated import RenyiCurve
from mipbook.together.curve import Curve
from mipbook.together.noise import GaussianCurve, LaplaceCurve, SubsampledCurve
from mipbook.together.polygon import Coins, Polygon
from mipbook.together.reading import Reading
from mipbook.together.trained import from_training

__all__ = ["composed"]

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
    reading = validate.instance("reading", reading, Reading, "made by mipbook.together.translate")
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
        return _of_samples(reading, curve, k)
    validate.refuse("reading", reading.what, "a release whose composition is known")


def _of_samples(reading: Reading, curve: SubsampledCurve, k: int) -> Curve:
    try:
        steps = from_training(curve.sampling, curve.part.sigma / curve.part.sensitivity, k)
    except ValueError as error:
        validate.refuse("reading", reading.what, f"within the accountant's reach: {error}")
    return steps.curve
