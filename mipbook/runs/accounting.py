"""What training by noisy gradients costs, for many settings: the accountant from both sides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from explorable import progress
from mipbook.base.types import Array
from mipbook.dpsgd import certified_advantage, certified_epsilon, limit_epsilon, renyi_epsilon
from mipbook.runs.store import Run, load

__all__ = [
    "DELTAS",
    "NOISES",
    "RUNS",
    "SAMPLINGS",
    "SIGMAS",
    "STEPS",
    "SWEPT",
    "cost",
    "price",
    "prices",
    "swept_point",
]

# A run of growing length.
SAMPLINGS = (0.01, 0.1)
NOISES = (0.7, 1.0, 2.0)
STEPS = (
    *(10, 12, 15, 18, 22, 27, 33, 40, 50, 60, 75, 100, 120),
    *(150, 180, 220, 270, 330, 400, 500, 600, 750, 1000, 1200, 1500),
)
_DELTA = 1e-5
# One setting, all noises and deltas.
SWEPT: dict[str, Any] = {"sampling": 0.1, "steps": 100}
SIGMAS = tuple(round(float(s), 3) for s in np.geomspace(0.5, 16.0, 16))
DELTAS = (*(float(f"{m}e-{d}") for d in range(9, 2, -1) for m in (1, 3)), 1e-2)


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
    sides = certified_epsilon(sampling, sigma, steps, _DELTA)
    loose = renyi_epsilon(sampling, sigma, steps, _DELTA)
    return np.array([sides.low, sides.high, loose, limit_epsilon(sampling, sigma, steps, _DELTA)])


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
    rows = told([(q, s) for q in SAMPLINGS for s in NOISES], "settings")
    found = [[price(q, s, steps) for steps in STEPS] for q, s in rows]
    shape = (len(SAMPLINGS), len(NOISES), len(STEPS), 4)
    return {"points": np.array(found).reshape(shape)}


def _swept() -> dict[str, Array]:
    return {"points": np.array([swept_point(s) for s in told(SIGMAS, "noises")])}


def told(values: Any, what: str) -> Iterable[Any]:
    with progress.reader() as stream:
        yield from progress.track(values, stream, total=len(values), what="accounting", unit=what)


def prices(sampling: float, sigma: float) -> Array:
    """Return what `price` found at each of ``STEPS``, of shape (steps, 4), stored."""
    points: Array = load("accounting_prices").arrays["points"]
    return np.asarray(points[SAMPLINGS.index(sampling), NOISES.index(sigma)], dtype=float)


def cost() -> Array:
    """Return what `swept_point` found at each of ``SIGMAS``, (sigmas, deltas + 1, 2), stored."""
    return np.asarray(load("accounting_noises").arrays["points"])


RUNS = (
    Run(
        "accounting_prices",
        {"version": 2, "samplings": SAMPLINGS, "noises": NOISES, "steps": STEPS, "delta": _DELTA},
        _prices,
    ),
    Run("accounting_noises", {"version": 2, **SWEPT, "sigmas": SIGMAS, "deltas": DELTAS}, _swept),
)
