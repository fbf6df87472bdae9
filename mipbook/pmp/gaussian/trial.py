"""One trial of the Gaussian simulations: draw a pool, set the noise, read three epsilons."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from explorable import validate
from mipbook import tradeoff
from mipbook.base.types import Array
from mipbook.data import clip_norm, gaussian_points, scale_outliers
from mipbook.pmp.gaussian.bound import gaussian_epsilon_bound
from mipbook.pmp.gaussian.dp_on_pool import diameter

__all__ = [
    "HELD",
    "SENSITIVITIES",
    "GaussianTrial",
    "gaussian_pool",
    "gaussian_ratios",
    "gaussian_sensitivity",
    "gaussian_trial",
]

HELD = ("epsilon", "subset")
SENSITIVITIES = {"2C/n": 2.0, "C/n": 1.0}


class GaussianTrial(NamedTuple):
    """What one trial gives.

    Attributes
    ----------
    epsilon : float
        DP parameter over all data sets within the clip threshold.
    epsilon_subset : float
        DP parameter inside the pool.
    epsilon_pmp : float
        Proposition 12's bound on the PMP parameter.
    sigma : float
        Standard deviation of the noise.
    """

    epsilon: float
    epsilon_subset: float
    epsilon_pmp: float
    sigma: float


def gaussian_sensitivity(n: int, clip: float) -> float:
    """Largest change of a mean of n records when one of them is replaced.

    Parameters
    ----------
    n : int
        Records in the mean, at least 1.

    Returns
    -------
    float
        2 clip / n.

    Notes
    -----
    PMP paper, Lemma 10, for the mean of clipped records.

    Examples
    --------
    >>> gaussian_sensitivity(100, 50.0)
    1.0
    """
    n = validate.integer("n", n, 1)
    clip = validate.number("clip", clip, 0.0, math.inf, open_low=True, open_high=True)
    # Divided first: twice the largest numbers is none.
    found = 2 * (clip / n)
    if found == math.inf:
        validate.refuse("clip", clip, "small enough that the sensitivity is a number")
    return found


def gaussian_pool(
    n: int, dimension: int, sigma: float, clip: float, outliers: int, factor: float, rng: np.random.Generator
) -> Array:
    """Draw the pool of one trial: normal records, a few scaled up, all clipped.

    Parameters
    ----------
    n : int
        Records in a half; 2n are drawn.
    sigma : float
        Standard deviation of each coordinate.
    clip : float
        Largest length of a record, in (0, inf].
    outliers, factor : int, float
        How many records are scaled, and by what, before the clipping.

    Notes
    -----
    PMP paper, numerical simulations of the Gaussian mechanism.

    Examples
    --------
    >>> pool = gaussian_pool(3, 2, 1.0, 1.5, 1, 10.0, np.random.default_rng(0))
    >>> pool.shape, round(float(np.linalg.norm(pool, axis=1).max()), 12)
    ((6, 2), 1.5)
    """
    n = validate.size("n", n, beside=2)
    dimension = validate.size("dimension", dimension, beside=2 * n)
    sigma = validate.number("sigma", sigma, 0.0, 1e300)
    drawn = gaussian_points(2 * n, dimension, sigma, rng)
    return clip_norm(scale_outliers(drawn, outliers, factor, rng), clip)


def gaussian_ratios(values: Array, full: float, delta: float, held: str, epsilon: float) -> GaussianTrial:
    """Set the noise of a sum over a given pool and return the three parameters.

    Parameters
    ----------
    full : float
        Sensitivity over all data sets, in (0, inf).
    held : {"epsilon", "subset"}
        Whether ``epsilon`` is the DP parameter over all data sets or inside the pool.
    epsilon : float
        In [0, 1e100].

    Raises
    ------
    ValueError
        For a pool of equal records where ``held`` is "subset".

    Notes
    -----
    PMP paper, the approach of the section on the Gaussian mechanism.

    Examples
    --------
    >>> found = gaussian_ratios(np.array([[0.0], [1.0]]), 2.0, 0.01, "subset", 5.0)
    >>> round(found.epsilon, 6), round(found.epsilon_pmp, 6)
    (13.57964, 5.0)
    """
    full = validate.number("full", full, 0.0, math.inf, open_low=True, open_high=True)
    delta = validate.number("delta", delta, 0.0, 1.0, open_low=True, open_high=True)
    held = validate.choice("held", held, HELD)
    # Beyond it sigma would be so small that squares in units of it overflow.
    epsilon = validate.number("epsilon", epsilon, 0.0, 1e100)
    widest = diameter(values)
    if held == "subset" and widest == 0:
        validate.refuse("values", values, "not all equal, so that inside the pool noise is needed")
    sigma = float(tradeoff.gaussian_sigma(epsilon, delta, full if held == "epsilon" else widest))
    overall, inside = (
        epsilon if held == name else float(tradeoff.gaussian_epsilon(delta, sigma, size))
        for name, size in (("epsilon", full), ("subset", widest))
    )
    return GaussianTrial(overall, inside, gaussian_epsilon_bound(values, sigma, delta), sigma)


def gaussian_trial(
    n: int,
    dimension: int,
    sigma: float,
    clip: float,
    outliers: int,
    factor: float,
    delta: float,
    held: str,
    epsilon: float,
    rng: np.random.Generator,
    sensitivity: str = "2C/n",
) -> GaussianTrial:
    """Run one trial of the Gaussian simulations.

    Parameters
    ----------
    n, dimension, sigma, clip, outliers, factor
        As in `gaussian_pool`.
    delta, held, epsilon
        As in `gaussian_ratios`.
    sensitivity : {"2C/n", "C/n"}
        Sensitivity of the clipped mean over all data sets; "2C/n" is the true one.

    Notes
    -----
    PMP paper, Figures 4 to 6.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> trial = gaussian_trial(20, 5, 1.0, 50.0, 0, 1.0, 0.01, "subset", 5.0, rng)
    >>> trial.epsilon_pmp < trial.epsilon_subset < trial.epsilon
    True
    """
    share = SENSITIVITIES[validate.choice("sensitivity", sensitivity, tuple(SENSITIVITIES))]
    full = gaussian_sensitivity(n, clip) * share / 2
    if validate.number("sigma", sigma, 0.0, 1e300) == 0 and held == "subset":
        validate.refuse("sigma", sigma, "above 0, so that inside the pool noise is needed")
    drawn = gaussian_pool(n, dimension, sigma, clip, outliers, factor, rng)
    return gaussian_ratios(drawn / n, full, delta, held, epsilon)
