"""What a plan of training costs, at the stops of a page: stored, since the page shows them all."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from mipbook.base.types import Array
from mipbook.dpsgd import certified_epsilon, certified_sigma
from mipbook.runs.accounting import told
from mipbook.runs.store import Run, load

__all__ = ["BATCHES", "BUDGETS", "LAB_NOISES", "PASSES", "RECORDS", "RUNS", "needed", "plan", "schedule"]

_DELTA = 1e-5
# What a reader plans: the stops of a page; with a kernel any number is computed.
RECORDS, BATCHES, PASSES = (1000, 60_000), (100, 500), (10, 60)
LAB_NOISES, BUDGETS = (0.8, 1.1, 2.0), (1.0, 3.0, 8.0)


def schedule(n: int, batch: int, passes: int) -> tuple[float, int]:
    """Return the chance to be in a batch, and the number of steps, of some passes over the data.

    Parameters
    ----------
    n : int
        Records.
    batch : int
        Records in a batch, on average; at most all.
    passes : int
        How often each record is drawn, on average, at least.

    Examples
    --------
    >>> schedule(60_000, 256, 60)[1]
    14063
    """
    drawn = min(batch, n)
    return drawn / n, math.ceil(passes * n / drawn)


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
    at = (n, batch, passes, sigma)
    stops: tuple[tuple[Any, ...], ...] = (RECORDS, BATCHES, PASSES, LAB_NOISES)
    if all(value in some for value, some in zip(at, stops, strict=True)):
        place = tuple(some.index(value) for value, some in zip(at, stops, strict=True))
        return np.asarray(load("accounting_lab").arrays["sides"][place])
    return _plan(*at)


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
    at = (n, batch, passes, epsilon)
    stops: tuple[tuple[Any, ...], ...] = (RECORDS, BATCHES, PASSES, BUDGETS)
    if all(value in some for value, some in zip(at, stops, strict=True)):
        place = tuple(some.index(value) for value, some in zip(at, stops, strict=True))
        return float(load("accounting_lab").arrays["noise"][place])
    return certified_sigma(*schedule(n, batch, passes), epsilon, _DELTA)


def _plan(n: int, batch: int, passes: int, sigma: float) -> Array:
    sampling, steps = schedule(n, batch, passes)
    sides = certified_epsilon(sampling, sigma, steps, _DELTA)
    return np.array([sides.low, sides.high])


def _lab() -> dict[str, Array]:
    plans = list(product(RECORDS, BATCHES, PASSES))
    shape = (len(RECORDS), len(BATCHES), len(PASSES), -1)
    sides, noise = [], []
    for n, batch, passes in told(plans, "plans"):
        sides.append([_plan(n, batch, passes, sigma) for sigma in LAB_NOISES])
        settings = schedule(n, batch, passes)
        noise.append([certified_sigma(*settings, budget, _DELTA) for budget in BUDGETS])
    return {
        "sides": np.array(sides).reshape(*shape[:3], len(LAB_NOISES), 2),
        "noise": np.array(noise).reshape(shape),
    }


RUNS = (
    Run(
        "accounting_lab",
        {
            "version": 2,
            "records": RECORDS,
            "batches": BATCHES,
            "passes": PASSES,
            "noises": LAB_NOISES,
            "budgets": BUDGETS,
            "delta": _DELTA,
        },
        _lab,
    ),
)
