"""What training by noisy gradients costs, at many settings and at the stops of a page: stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from mipbook.base.types import Array
from mipbook.dpsgd.accountant import certified_epsilon, certified_sigma
from mipbook.dpsgd.profile import schedule
from mipbook.stored.store import load

_DELTA = 1e-5
# A run of growing length.
SAMPLINGS = (0.01, 0.1)
NOISES = (0.7, 1.0, 2.0)
STEPS = (
    *(10, 12, 15, 18, 22, 27, 33, 40, 50, 60, 75, 100, 120),
    *(150, 180, 220, 270, 330, 400, 500, 600, 750, 1000, 1200, 1500),
)
# One setting, all noises and deltas.
SWEPT: dict[str, Any] = {"sampling": 0.1, "steps": 100}
SIGMAS = tuple(round(float(s), 3) for s in np.geomspace(0.5, 16.0, 16))
DELTAS = (*(float(f"{m}e-{d}") for d in range(9, 2, -1) for m in (1, 3)), 1e-2)
PRICES = {"version": 2, "samplings": SAMPLINGS, "noises": NOISES, "steps": STEPS, "delta": _DELTA}
NOISY = {"version": 2, **SWEPT, "sigmas": SIGMAS, "deltas": DELTAS}


def prices(sampling: float, sigma: float) -> Array:
    """Return epsilon at 1e-5 at each of ``STEPS``.

    Parameters
    ----------
    sampling : float
        The chance of each record to be in a step's batch, one of ``SAMPLINGS``.
    sigma : float
        The noise over the clip, one of ``NOISES``.

    Returns
    -------
    ndarray of shape (steps, 4)
        Below, above, by Rényi divergences, and of the Gaussian limit.

    Examples
    --------
    >>> prices(0.1, 2.0)[0].round(2).tolist()
    [0.8, 0.8, 0.94, 0.6]
    """
    points: Array = load("accounting_prices", PRICES).arrays["points"]
    return np.asarray(points[SAMPLINGS.index(sampling), NOISES.index(sigma)], dtype=float)


def cost() -> Array:
    """Return epsilon below and above at each of ``SIGMAS`` and ``DELTAS``, and last the advantage.

    Returns
    -------
    ndarray of shape (sigmas, deltas + 1, 2)

    Examples
    --------
    >>> cost()[SIGMAS.index(2.0), -1].round(3).tolist()
    [0.206, 0.206]
    """
    return np.asarray(load("accounting_noises", NOISY).arrays["points"])


# What a reader plans: the stops of a page; with a kernel any number is computed.
RECORDS, BATCHES, PASSES = (1000, 60_000), (100, 500), (10, 60)
LAB_NOISES, BUDGETS = (0.8, 1.1, 2.0), (1.0, 3.0, 8.0)
LAB = {
    "version": 2,
    "records": RECORDS,
    "batches": BATCHES,
    "passes": PASSES,
    "noises": LAB_NOISES,
    "budgets": BUDGETS,
    "delta": _DELTA,
}


def plan(n: int, batch: int, passes: int, sigma: float) -> Array:
    """Return epsilon at 1e-5 of a plan, from both sides: stored, or computed.

    Parameters
    ----------
    n, batch, passes : int
        As `schedule` takes them.
    sigma : float
        The noise over the clip.

    Examples
    --------
    >>> plan(10_000, 256, 10, 1.1).round(2).tolist()
    [2.66, 2.66]
    """
    if place := _place(n, batch, passes, sigma, LAB_NOISES):
        return np.asarray(load("accounting_lab", LAB).arrays["sides"][place])
    return _plan(n, batch, passes, sigma)


def needed(n: int, batch: int, passes: int, epsilon: float) -> float:
    """Return a noise that keeps a plan within a budget at 1e-5: stored, or computed.

    Parameters
    ----------
    n, batch, passes : int
        As `schedule` takes them.
    epsilon : float
        The budget.

    Examples
    --------
    >>> round(needed(10_000, 256, 10, 3.0), 2)
    1.03
    """
    if place := _place(n, batch, passes, epsilon, BUDGETS):
        return float(load("accounting_lab", LAB).arrays["noise"][place])
    return certified_sigma(*schedule(n, batch, passes), epsilon, _DELTA)


def _plan(n: int, batch: int, passes: int, sigma: float) -> Array:
    sampling, steps = schedule(n, batch, passes)
    sides = certified_epsilon(sampling, sigma, steps, _DELTA)
    return np.array([sides.low, sides.high])


def _place(n: int, batch: int, passes: int, last: float, ends: tuple[float, ...]) -> tuple[int, ...]:
    """Return where a plan is stored; nothing where it is not."""
    stops: tuple[tuple[Any, ...], ...] = (RECORDS, BATCHES, PASSES, ends)
    pairs = list(zip((n, batch, passes, last), stops, strict=True))
    return tuple(some.index(value) for value, some in pairs) if all(v in some for v, some in pairs) else ()
