"""One record among normal numbers: the ladder of what is known of its eps~ under Gaussian noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from explorable import progress, validate
from mipbook import pmp
from mipbook.base.types import Array
from mipbook.runs.store import Run, load

__all__ = [
    "AREAS",
    "DELTA",
    "DRAWN",
    "LADDER_RUN",
    "NOISES",
    "PLACES",
    "Rungs",
    "ladder",
    "ladder_pool",
    "rungs",
]

DRAWN = (1, 6, 25, 100)
NOISES = (0.5, 1.0, 2.0)
PLACES = tuple(k / 4 for k in range(25))
# The epsilons at which the area between the two distributions is taken.
AREAS = (0.0, 0.5, 1.0, 2.0)
DELTA = 0.01
_SEED = 20245


class Rungs(NamedTuple):
    """What is known of one record's parameter at delta = 0.01, and delta at each of ``AREAS``.

    Attributes
    ----------
    inside, bound : float
        For an attacker who knows all others (exact); Proposition 12 (bound).
    mixed, low, high : float
        The swapped-in records kept mixed, with its 95% interval (estimate).
    exact, normal : float
        The parameter (exact); by the normal curve (approximation).
    areas : ndarray
        The hockey-stick areas (exact).
    """

    inside: float
    bound: float
    mixed: float
    low: float
    high: float
    exact: float
    normal: float
    areas: Array


def ladder_pool(n: int, place: float) -> Array:
    """Return 2n numbers: the record in question first, then normal ones.

    Parameters
    ----------
    n : int
        Records drawn.
    place : float
        The record, in standard deviations of the others.

    Examples
    --------
    >>> ladder_pool(3, 2.0).shape, float(ladder_pool(3, 2.0)[0])
    ((6,), 2.0)
    """
    n = validate.integer("n", n, 1)
    place = validate.number("place", place)
    others = np.random.default_rng((_SEED, n)).standard_normal(2 * n - 1)
    return np.concatenate([[place], others])


def rungs(n: int, noise: float, place: float) -> Rungs:
    """Return the ladder of the record at a place, for a noisy sum.

    Parameters
    ----------
    n, place
        As in `ladder_pool`.
    noise : float
        Standard deviation of the noise on the sum.

    Examples
    --------
    >>> found = rungs(1, 1.0, 2.0)
    >>> round(found.inside, 6) == round(found.exact, 6)
    True
    """
    values = ladder_pool(n, place)
    mixed = pmp.gaussian_epsilon_mixture(values, noise, DELTA, np.random.default_rng(1), record=0)
    return Rungs(
        # The widest pair that holds the record.
        pmp.gaussian_subset_epsilon(_widest(values), noise, DELTA),
        pmp.gaussian_epsilon_bound(values, noise, DELTA, record=0),
        mixed.value,
        mixed.low,
        mixed.high,
        pmp.gaussian_epsilon_exact(values, noise, DELTA, record=0),
        pmp.gaussian_epsilon_normal(values, noise, DELTA, record=0),
        np.asarray(pmp.gaussian_delta_exact(values, noise, np.array(AREAS), record=0)),
    )


def _widest(values: Array) -> Array:
    """Return the record and the one farthest from it."""
    return values[[0, int(np.argmax(np.abs(values - values[0])))]]


def _make() -> dict[str, Array]:
    rows = []
    with progress.reader() as stream:
        for n in progress.track(DRAWN, stream, total=len(DRAWN), what="ladder", unit="sizes"):
            for noise in NOISES:
                found = [rungs(n, noise, place) for place in PLACES]
                rows.append([[*each[:-1], *each.areas] for each in found])
    return {"rungs": np.array(rows).reshape(len(DRAWN), len(NOISES), len(PLACES), -1)}


def ladder(n: int, noise: float, place: float) -> Rungs:
    """Return `rungs`, stored where all three are among the run's, computed elsewhere.

    Parameters
    ----------
    n, noise, place
        As in `rungs`.

    Examples
    --------
    >>> ladder(6, 1.0, 2.0).exact < ladder(6, 1.0, 2.0).bound
    True
    """
    if n not in DRAWN or noise not in NOISES or place not in PLACES:
        return rungs(n, noise, place)
    at = DRAWN.index(n), NOISES.index(noise), PLACES.index(place)
    row = load("pmp_ladder").arrays["rungs"][at]
    single = len(Rungs._fields) - 1
    return Rungs._make([*row[:single].tolist(), np.asarray(row[single:])])


LADDER_RUN = Run(
    "pmp_ladder",
    {
        "version": 1,
        "n": DRAWN,
        "noises": NOISES,
        "places": PLACES,
        "areas": AREAS,
        "delta": DELTA,
        "seed": _SEED,
    },
    _make,
)
