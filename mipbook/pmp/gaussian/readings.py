"""Ways to read the simulations of the PMP paper's Figures 4 to 6, and what each one gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from explorable import validate
from mipbook import tradeoff
from mipbook.base.types import Array
from mipbook.pmp.gaussian.bound import gaussian_delta_bound, gaussian_epsilon_bound
from mipbook.pmp.gaussian.dp_on_pool import diameter
from mipbook.pmp.gaussian.pool import pool
from mipbook.pmp.gaussian.rows import decreasing_root
from mipbook.pmp.gaussian.trial import gaussian_pool

__all__ = ["READINGS", "Reading", "ReadingResult", "gaussian_reading", "read_figures"]

_DELTA = 0.01


class Reading(NamedTuple):
    """What stands on the axis, the sensitivity as a share of C / n, and how records count."""

    axis: str  # "eps", "eps(X)", or "eps Delta_X / Delta", the surrogate of Figures 1 to 3
    share: float
    over: str  # delta of the worst record, "max", or its "mean" over the records

    def __str__(self) -> str:
        sensitivity = "2C/n" if self.share == 2.0 else "C/n"
        return f"{self.axis} on the axis, {sensitivity}, {self.over} over records"


# The first is the text's own words; the others change one thing or two.
READINGS = (
    Reading("eps(X)", 2.0, "max"),
    Reading("eps Delta_X / Delta", 2.0, "max"),
    Reading("eps", 2.0, "max"),
    Reading("eps", 1.0, "max"),
    Reading("eps", 2.0, "mean"),
    Reading("eps", 1.0, "mean"),
)


class ReadingResult(NamedTuple):
    """Means over pools: what the text quotes of Figures 4, 5 and 6, under one reading.

    The trends are changes of eps~/eps and of eps~/eps(X) from the first to the last axis point.
    """

    at_ten: float
    trends_4: Array
    at_hundred: float
    trends_5: Array
    trends_6: Array


def _on_average(values: Array, sigma: float, top: float) -> float:
    """Return the epsilon at which Proposition 12's delta, averaged over the records, is enough."""

    def average(epsilon: float) -> float:
        return float(gaussian_delta_bound(values, sigma, epsilon, per_record=True).mean())

    return decreasing_root(average, _DELTA, 0.0, top)


def gaussian_reading(
    values: Array, clip: float, epsilon: float, reading: Reading
) -> tuple[float, float, float]:
    """Return eps, eps(X) and eps~ of the Gaussian mechanism on one pool, under one reading.

    Parameters
    ----------
    values : ndarray of shape (2n, d)
        The records, clipped, divided by n.
    clip : float
        The clip threshold C, in (0, 1e150].
    epsilon : float
        What the axis says, in (0, 1e100].
    reading : Reading
        How it is read.

    Returns
    -------
    tuple of float
        eps and eps(X), exact under the reading, and eps~ by Proposition 12.  It is a bound on the
        PMP parameter for the maximum over the records only.

    Notes
    -----
    PMP paper, simulations of the Gaussian mechanism.  Only delta = 0.01 occurs.

    Examples
    --------
    >>> values = np.array([[0.0], [1.0], [2.0], [4.0]]) / 2
    >>> gaussian_reading(values, 4.0, 1.0, READINGS[0])[1]
    1.0
    """
    values = pool(validate.squarable("values", values))
    clip = validate.number("clip", clip, 0.0, 1e150, open_low=True)
    epsilon = validate.number("epsilon", epsilon, 0.0, 1e100, open_low=True)
    validate.instance("reading", reading, Reading, "one of READINGS")
    if not 1e-140 < np.ptp(values, axis=0).max() < 1e140:
        validate.refuse("values", values, "not all equal, and within 1e140 of each other")
    full, reach = reading.share * clip / (len(values) // 2), diameter(values)
    if reading.axis == "eps(X)":
        sigma = float(tradeoff.gaussian_sigma(epsilon, _DELTA, reach))
        whole, inside = float(tradeoff.gaussian_epsilon(_DELTA, sigma, full)), epsilon
    else:
        whole = epsilon if reading.axis == "eps" else epsilon * full / reach
        sigma = float(tradeoff.gaussian_sigma(whole, _DELTA, full))
        inside = float(tradeoff.gaussian_epsilon(_DELTA, sigma, reach))
        if reading.axis != "eps":
            inside = epsilon
    found = gaussian_epsilon_bound(values, sigma, _DELTA)
    if reading.over == "mean" and found > 0:
        found = _on_average(values, sigma, found)
    return whole, inside, found


def _means(settings: list[dict[str, float]], reading: Reading, pools: int, seed: int) -> tuple[Array, Array]:
    """Return mean eps~, and mean ratios to eps and eps(X), for each setting."""
    values, ratios = [], []
    for setting in settings:
        rows = []
        for rng in np.random.default_rng(seed).spawn(pools):
            n, clip = 100, setting["clip"]
            drawn = gaussian_pool(
                n, int(setting["d"]), setting["sigma"], clip, int(setting["outliers"]), 10.0, rng
            )
            rows.append(gaussian_reading(drawn / n, clip, setting["epsilon"], reading))
        whole, inside, found = np.array(rows).T
        values.append(found.mean())
        ratios.append([(found / whole).mean(), (found / inside).mean()])
    return np.array(values), np.array(ratios)


def read_figures(reading: Reading, pools: int = 3, seed: int = 0) -> ReadingResult:
    """Return what the text quotes of Figures 4 to 6, computed under one reading.

    Parameters
    ----------
    reading : Reading
        How the simulations are read.
    pools : int
        Pools for each point, at least 1.
    seed : int
        At least 0.

    Returns
    -------
    ReadingResult
        Estimates: means over the pools.

    Notes
    -----
    PMP paper, Figures 4 (axis 0.5 to 10), 5 (C from 20 to 200 at 5) and 6 (d from 1 to 100 at 5).

    Examples
    --------
    >>> 6 < read_figures(READINGS[0], pools=1).at_ten < 8
    True
    """
    validate.instance("reading", reading, Reading, "one of READINGS")
    pools = validate.integer("pools", pools, 1, 10**5)
    seed = validate.integer("seed", seed, 0)
    base = {"d": 20.0, "sigma": 1.0, "clip": 50.0, "outliers": 0.0, "epsilon": 5.0}
    four = [{**base, "epsilon": e} for e in (0.5, 10.0)]
    five = [{**base, "d": 10.0, "sigma": 5.0, "outliers": 2.0, "clip": c} for c in (20, 100, 200)]
    six = [{**base, "d": d} for d in (1.0, 100.0)]
    (_, ten), rise = _means(four, reading, pools, seed)
    (_, hundred, _), shrink = _means(five, reading, pools, seed)
    _, grow = _means(six, reading, pools, seed)
    changes = [ratios[-1] - ratios[0] for ratios in (rise, shrink, grow)]
    return ReadingResult(float(ten), changes[0], float(hundred), changes[1], changes[2])
