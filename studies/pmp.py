"""The simulations behind Figures 1 to 3 of the PMP paper, its growing pools, and a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from mipbook import pmp, tradeoff
from mipbook.base.types import Array
from mipbook.stored.pmp import (
    DRAWN,
    EPSILONS,
    FIGURE_1,
    FIGURE_2,
    FIGURE_3,
    GROWTH,
    LADDER,
    NOISES,
    PLACES,
    POOLS,
    SCALING,
    SCALING_POOLS,
    SCALING_SIZES,
    SIZES,
    Simulation,
    rungs,
)
from mipbook.stored.store import Arrays
from studies.run import Run, told


def simulated(simulation: Simulation) -> Arrays:
    """Run all trials of a simulation, with a progress bar."""
    few = {field: extra for field, (_, extra) in simulation.few.items()}
    arrays = _drawn(simulation, [f for f in simulation.fields if f not in few], simulation.trials)
    for field, (count, extra) in simulation.few.items():
        arrays |= _drawn(simulation, [field], count, **extra)
    return arrays


def _drawn(simulation: Simulation, fields: Sequence[str], trials: int, **extra: Any) -> Arrays:
    """Run so many trials of every case; return the arrays of these fields."""
    names, axes = list(simulation.axes), simulation.axes.values()
    cases = [
        {**simulation.fixed, **dict(zip(names, values, strict=True)), **extra} for values in product(*axes)
    ]
    drawn = pmp.sweep(simulation.trial, cases, trials=trials, seed=simulation.seed)
    arrays = {}
    for field in fields:
        found = np.array([[simulation.fields[field](t) for t in row] for row in drawn])
        first = tuple(0 if n in simulation.same_for.get(field, ()) else slice(None) for n in names)
        arrays[field] = found.reshape(*map(len, axes), trials)[first]
    return arrays


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
    rng = np.random.default_rng((GROWTH["seed"], n))
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
    values = np.random.default_rng((SCALING["seed"], seed)).standard_normal(2 * n) / n
    delta = SCALING["delta"]
    sigma = float(tradeoff.gaussian_sigma(epsilon, delta, pmp.diameter(values)))
    ways = (pmp.gaussian_epsilon_bound, pmp.gaussian_epsilon_exact, pmp.gaussian_epsilon_normal)
    return np.array([way(values, sigma, delta) for way in ways])


def _scaling() -> dict[str, Array]:
    seeds = range(SCALING_POOLS)
    rows = []
    for epsilon in told(EPSILONS, "scaling", "epsilons"):
        rows.append([[scaling_point(n, epsilon, s) for s in seeds] for n in SCALING_SIZES])
    return {"points": np.array(rows)}


def _ladder() -> dict[str, Array]:
    rows = []
    for n in told(DRAWN, "ladder", "sizes"):
        for noise in NOISES:
            found = [rungs(n, noise, place) for place in PLACES]
            rows.append([[*each[:-1], *each.areas] for each in found])
    return {"rungs": np.array(rows).reshape(len(DRAWN), len(NOISES), len(PLACES), -1)}


RUNS = (
    *(
        Run(figure.name, figure.settings, partial(simulated, figure))
        for figure in (FIGURE_1, FIGURE_2, FIGURE_3)
    ),
    Run("pmp_growth", GROWTH, _growth),
    Run("pmp_scaling", SCALING, _scaling),
    Run("pmp_ladder", LADDER, _ladder),
)
