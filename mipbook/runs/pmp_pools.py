"""Pools of growing size: the exponential mechanism's eps~, and Gaussian noise's bound and truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorable import progress
from mipbook import pmp, tradeoff
from mipbook.base.types import Array
from mipbook.runs.store import Run, load

__all__ = [
    "EPSILONS",
    "POOLS",
    "POOL_RUNS",
    "SCALING_POOLS",
    "SCALING_SIZES",
    "SIZES",
    "growth",
    "growth_point",
    "scaling",
    "scaling_point",
]


# --- The exponential mechanism -------------------------------------------------------------

_SEED = 11
SIZES = (2, 3, 4, 6, 8, 10, 12, 25, 50, 100, 200, 500)
# The settings of Figures 1 to 3, with the eps(X) that the paper holds there.
POOLS: dict[str, dict[str, Any]] = {
    "one dimension": {"dimension": 1, "objects": 10, "clip": 10.0, "outliers": 0, "held": 5.0},
    "outliers": {"dimension": 5, "objects": 32, "clip": 50.0, "outliers": 2, "held": 10.0},
    "five dimensions": {"dimension": 5, "objects": 10, "clip": 10.0, "outliers": 0, "held": 2.0},
}
_EXACT_UP_TO = 12


def growth_point(pool: str, n: int) -> Array:
    """Return eps~ on one drawn pool, its interval, its cap and what the odds alone say.

    Parameters
    ----------
    pool : str
        One of ``POOLS``.
    n : int
        Records drawn.

    Returns
    -------
    ndarray of shape (5,)
        The value and the low and high end of its interval, which are the same where it is
        exact; then the cap (bound) and the odds (approximation).

    Examples
    --------
    >>> value, low, high, cap, odds = growth_point("one dimension", 4)
    >>> bool(low == value == high <= cap)
    True
    """
    settings = POOLS[pool]
    dimension, clip = settings["dimension"], settings["clip"]
    rng = np.random.default_rng((_SEED, n))
    objects, outliers = settings["objects"], settings["outliers"]
    losses = pmp.draw_pool(n, dimension, objects, 1.0, clip, outliers, 100.0, rng).losses
    sensitivity = pmp.norm_sensitivity(n, clip)
    epsilon = settings["held"] * sensitivity / pmp.local_sensitivity(losses)
    if n <= _EXACT_UP_TO or dimension == 1:
        ends = [pmp.exponential_epsilon(losses, epsilon, sensitivity)] * 3
    else:
        # A wide average needs more draws; small pools are cheap.
        samples = 20_000 if n <= 50 else 4000
        found = pmp.exponential_epsilon_estimate(losses, epsilon, sensitivity, rng, samples=samples)
        ends = [found.value, found.low, found.high]
    cap = pmp.epsilon_cap(losses, epsilon, sensitivity)
    return np.array([*ends, cap, pmp.exponential_epsilon_odds(losses, epsilon, sensitivity)])


def _growth() -> dict[str, Array]:
    return {"points": np.array([[growth_point(pool, n) for n in SIZES] for pool in POOLS])}


def growth(pool: str) -> Array:
    """Return what `growth_point` found at each of ``SIZES``, of shape (sizes, 5), stored."""
    points: Array = load("pmp_growth").arrays["points"]
    return np.asarray(points[list(POOLS).index(pool)])


# --- Gaussian noise, in one dimension ------------------------------------------------------

_SCALING_SEED = 20246
SCALING_SIZES = (1, 2, 4, 6, 12, 25, 50, 100, 200)
SCALING_POOLS = 3
EPSILONS: tuple[float, ...] = (
    *(0.5, 0.57, 0.65, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.3),
    *(2.6, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0, 8.0, 9.0, 10.0),
)
_DELTA = 0.01


def scaling_point(n: int, epsilon: float, seed: int) -> Array:
    """Return the bound, the exact eps~ and the normal one of a noisy mean of normal data.

    Parameters
    ----------
    n : int
        Records drawn.
    epsilon : float
        eps(X) at delta = 0.01, to which the noise is set.
    seed : int
        Which pool.

    Examples
    --------
    >>> scaling_point(1, 2.0, 0).round(6).tolist()
    [2.0, 2.0, 2.0]
    """
    values = np.random.default_rng((_SCALING_SEED, seed)).standard_normal(2 * n) / n
    sigma = float(tradeoff.gaussian_sigma(epsilon, _DELTA, pmp.diameter(values)))
    ways = (pmp.gaussian_epsilon_bound, pmp.gaussian_epsilon_exact, pmp.gaussian_epsilon_normal)
    return np.array([way(values, sigma, _DELTA) for way in ways])


def _scaling() -> dict[str, Array]:
    seeds = range(SCALING_POOLS)
    rows = []
    with progress.reader() as stream:
        for epsilon in progress.track(EPSILONS, stream, total=len(EPSILONS), what="scaling", unit="epsilons"):
            sizes = [[scaling_point(n, epsilon, s) for s in seeds] for n in SCALING_SIZES]
            rows.append(sizes)
    return {"points": np.array(rows)}


def scaling(epsilon: float) -> Array:
    """Return what `scaling_point` found at each size, a mean over the pools, (sizes, 3), stored."""
    points: Array = load("pmp_scaling").arrays["points"]
    return np.asarray(points[EPSILONS.index(epsilon)].mean(axis=1))


POOL_RUNS = (
    Run("pmp_growth", {"version": 1, "sizes": SIZES, "pools": POOLS, "seed": _SEED}, _growth),
    Run(
        "pmp_scaling",
        {
            "version": 1,
            "sizes": SCALING_SIZES,
            "epsilons": EPSILONS,
            "delta": _DELTA,
            "pools": SCALING_POOLS,
            "seed": _SCALING_SEED,
        },
        _scaling,
    ),
)
