"""What training by noisy gradients costs, for many settings: the accountant from both sides."""

from itertools import product

import numpy as np

from mipbook.base.types import Array
from mipbook.dpsgd.accountant import (
    certified_advantage,
    certified_epsilon,
    certified_sigma,
    limit_epsilon,
    renyi_epsilon,
)
from mipbook.stored.accounting import (
    BATCHES,
    BUDGETS,
    DELTAS,
    LAB,
    LAB_NOISES,
    NOISES,
    NOISY,
    PASSES,
    PRICES,
    RECORDS,
    SAMPLINGS,
    SIGMAS,
    STEPS,
    SWEPT,
    _plan,
    schedule,
)
from studies.run import Run, told


def price(sampling: float, sigma: float, steps: int) -> Array:
    """Return epsilon at 1e-5: below, above, by Rényi divergences, and of the Gaussian limit.

    Parameters
    ----------
    sampling : float
        The chance of each record to be in a step's batch.
    sigma : float
        The noise over the clip.
    steps : int
        How many.

    Examples
    --------
    >>> price(0.1, 2.0, 10).round(2).tolist()
    [0.8, 0.8, 0.94, 0.6]
    """
    sides = certified_epsilon(sampling, sigma, steps, 1e-5)
    loose = renyi_epsilon(sampling, sigma, steps, 1e-5)
    return np.array([sides.low, sides.high, loose, limit_epsilon(sampling, sigma, steps, 1e-5)])


def swept_point(sigma: float) -> Array:
    """Return epsilon below and above at each of ``DELTAS``, and last the advantage.

    Parameters
    ----------
    sigma : float
        The noise over the clip.

    Examples
    --------
    >>> swept_point(2.0)[-1].round(3).tolist()
    [0.206, 0.206]
    """
    setting = (SWEPT["sampling"], sigma, SWEPT["steps"])
    sides = [certified_epsilon(*setting, delta) for delta in DELTAS]
    sides.append(certified_advantage(*setting))
    return np.array([[side.low, side.high] for side in sides])


def _prices() -> dict[str, Array]:
    settings = told(list(product(SAMPLINGS, NOISES)), "accounting", "settings")
    found = [[price(q, s, steps) for steps in STEPS] for q, s in settings]
    return {"points": np.array(found).reshape(len(SAMPLINGS), len(NOISES), len(STEPS), 4)}


def _swept() -> dict[str, Array]:
    return {"points": np.array([swept_point(s) for s in told(SIGMAS, "accounting", "noises")])}


def _lab() -> dict[str, Array]:
    plans = list(product(RECORDS, BATCHES, PASSES))
    shape = (len(RECORDS), len(BATCHES), len(PASSES), -1)
    sides, noise = [], []
    for n, batch, passes in told(plans, "accounting", "plans"):
        sides.append([_plan(n, batch, passes, sigma) for sigma in LAB_NOISES])
        settings = schedule(n, batch, passes)
        noise.append([certified_sigma(*settings, budget, 1e-5) for budget in BUDGETS])
    return {
        "sides": np.array(sides).reshape(*shape[:3], len(LAB_NOISES), 2),
        "noise": np.array(noise).reshape(shape),
    }


RUNS = (
    Run("accounting_prices", PRICES, _prices),
    Run("accounting_noises", NOISY, _swept),
    Run("accounting_lab", LAB, _lab),
)
