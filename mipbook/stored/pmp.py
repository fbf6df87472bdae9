"""The simulations of the PMP paper, pools of growing size, and one record's ladder: stored results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from explorable import validate
from explorable.checked import Number, checked
from mipbook import pmp
from mipbook.base.types import Array, Count
from mipbook.stored.store import load


@dataclass(frozen=True, eq=False)
class Simulation:
    """Trials of the PMP paper's simulations on a grid, stored.

    Trial i draws from the same numbers in every case, so that curves differ by the case and
    not by luck.

    Attributes
    ----------
    name : str
        Of the stored run.
    trial : callable
        `mipbook.pmp.exponential_trial` or `mipbook.pmp.gaussian_trial`.
    fixed, axes : dict
        The trial's settings: those that stay, and from each of the others to its values. They
        are the axes of the arrays, in this order; a last one is for the trials.
    trials, seed : int
        How many trials a case has, and what they draw from.
    fields : dict
        From the name of an array to what it takes from a trial.
    same_for : dict
        By array, the axes that it does not depend on and has not.
    few : dict
        By array, to how many trials it is limited and with what they are called besides.
    """

    name: str
    trial: Callable[..., Any]
    fixed: Mapping[str, Any]
    axes: Mapping[str, tuple[Any, ...]]
    trials: int
    seed: int
    fields: Mapping[str, Callable[[Any], float]]
    same_for: Mapping[str, Sequence[str]]
    few: Mapping[str, tuple[int, dict[str, Any]]]

    @property
    def settings(self) -> dict[str, Any]:
        """What the run is stored with."""
        return {
            "version": 1,
            "trial": self.trial.__name__,
            "fixed": dict(self.fixed),
            "axes": {name: list(values) for name, values in self.axes.items()},
            "trials": self.trials,
            "trials of": {name: count for name, (count, _) in self.few.items()},
            "seed": self.seed,
        }

    def _axes_of(self, field: str) -> dict[str, tuple[Any, ...]]:
        left_out = self.same_for.get(field, ())
        return {name: values for name, values in self.axes.items() if name not in left_out}

    def read(self, field: str, **values: Any) -> Array:
        """Return an array of the stored run at these values; the axes not named stay.

        Examples
        --------
        >>> from mipbook.stored.pmp import FIGURE_1
        >>> FIGURE_1.read("pmp", n=6, clip=10.0, epsilon=5.0).shape
        (9, 100)
        """
        axes = self._axes_of(field)
        for name, value in values.items():
            validate.choice(name, value, self.axes[name])
        where = tuple(axes[name].index(values[name]) if name in values else slice(None) for name in axes)
        array: Array = load(self.name, self.settings).arrays[field]
        return array[where]


def _exponential(
    name: str, trials: int, fixed: dict[str, Any], axes: dict[str, tuple[Any, ...]]
) -> Simulation:
    return Simulation(
        name=name,
        trial=pmp.exponential_trial,
        fixed={**fixed, "held": "surrogate", "convention": "attained"},
        axes=axes,
        trials=trials,
        seed=20240,
        fields={
            "pmp": lambda t: t.pmp,
            # The pool's share of the sensitivity: the paper's eps(X) over eps, whatever is held.
            "share": lambda t: t.surrogate / t.epsilon,
            "exact": lambda t: t.subset,
        },
        same_for={"share": ("epsilon",)},
        # The exact eps(X) takes longest, so fewer trials have it.
        few={"exact": (5, {"subset": True})},
    )


def exponential_quotients(
    figure: Simulation, convention: str, trials: int, **case: Any
) -> tuple[Array, Array, Array]:
    """Return eps~ over the paper's eps(X), over eps and over the exact eps(X), a row a setting.

    Parameters
    ----------
    figure : Simulation
        ``FIGURE_1``, ``FIGURE_2`` or ``FIGURE_3``.
    convention : {"attained", "triangle"}
        The sensitivity, as in `mipbook.pmp.norm_sensitivity`.
    trials : int
        The first so many; the last of the three has at most 5.
    **case
        All axes but that of the figure.

    Examples
    --------
    >>> drawn = exponential_quotients(FIGURE_1, "attained", 20, n=6, clip=10.0, epsilon=5.0)
    >>> [quotients.shape for quotients in drawn]
    [(9, 20), (9, 20), (9, 5)]
    """
    epsilon, n = case["epsilon"], case["n"]
    drawn = figure.read("pmp", **case)[:, :trials]
    share = figure.read("share", **{k: v for k, v in case.items() if k != "epsilon"})[:, :trials]
    exact = figure.read("exact", **case)
    # The exponent is held, so the nominal epsilon is proportional to the sensitivity.
    wider = [
        pmp.norm_sensitivity(n, clip, convention) / pmp.norm_sensitivity(n, clip)
        for clip in np.atleast_1d(case.get("clip", figure.axes["clip"]))
    ]
    over_all = drawn * share / (epsilon * np.array(wider)[:, None])
    few = min(trials, exact.shape[1])
    return drawn / epsilon, over_all, drawn[:, :few] / exact[:, :few]


FIGURE_1 = _exponential(
    "pmp_figure_1",
    100,
    {"dimension": 1, "objects": 10, "outliers": 0},
    {
        "n": (4, 6, 8),
        "clip": (10.0, 50.0),
        "sigma": (0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
        "epsilon": (1.0, 5.0, 10.0),
    },
)
FIGURE_2 = _exponential(
    "pmp_figure_2",
    60,
    {"dimension": 5, "objects": 32, "sigma": 1.0},
    {
        "n": (4, 6),
        "outliers": (0, 2, 4),
        "clip": (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0),
        "epsilon": (2.0, 10.0),
        "factor": (10.0, 100.0),
    },
)
FIGURE_3 = _exponential(
    "pmp_figure_3",
    60,
    {"sigma": 1.0, "outliers": 0},
    {
        "n": (4, 6),
        "objects": (10, 32),
        "clip": (10.0, 50.0),
        "dimension": (1, 2, 3, 5, 10, 20, 50, 100),
        "epsilon": (1.0, 2.0, 5.0),
    },
)
SIZES = (2, 3, 4, 6, 8, 10, 12, 25, 50, 100, 200, 500)
# The settings of Figures 1 to 3, with the eps(X) that the paper holds there.
POOLS: dict[str, dict[str, Any]] = {
    "one dimension": {"dimension": 1, "objects": 10, "clip": 10.0, "outliers": 0, "held": 5.0},
    "outliers": {"dimension": 5, "objects": 32, "clip": 50.0, "outliers": 2, "held": 10.0},
    "five dimensions": {"dimension": 5, "objects": 10, "clip": 10.0, "outliers": 0, "held": 2.0},
}
GROWTH: dict[str, Any] = {"version": 1, "sizes": SIZES, "pools": POOLS, "seed": 11}


def growth(pool: str) -> Array:
    """Return eps~ on a drawn pool of each of ``SIZES``, of shape (sizes, 5).

    Parameters
    ----------
    pool : str
        One of ``POOLS``.

    Returns
    -------
    ndarray of shape (sizes, 5)
        The value and the low and high end of its interval, which are the same where it is
        exact; then the cap (bound) and what the odds alone say (approximation).

    Examples
    --------
    >>> value, low, high, cap, odds = growth("one dimension")[SIZES.index(4)]
    >>> bool(low == value == high <= cap)
    True
    """
    points: Array = load("pmp_growth", GROWTH).arrays["points"]
    return np.asarray(points[list(POOLS).index(pool)])


SCALING_SIZES = (1, 2, 4, 6, 12, 25, 50, 100, 200)
SCALING_POOLS = 3
EPSILONS: tuple[float, ...] = (
    *(0.5, 0.57, 0.65, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.3),
    *(2.6, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0, 8.0, 9.0, 10.0),
)
SCALING: dict[str, Any] = {
    "version": 1,
    "sizes": SCALING_SIZES,
    "epsilons": EPSILONS,
    "delta": 0.01,
    "pools": SCALING_POOLS,
    "seed": 20246,
}


def scaling(epsilon: float) -> Array:
    """Return the bound, the exact eps~ and the normal one at each size, means over pools.

    Parameters
    ----------
    epsilon : float
        eps(X) at delta = 0.01, to which the noise on the mean is set; one of ``EPSILONS``.

    Examples
    --------
    >>> scaling(2.0)[0].round(6).tolist()
    [2.0, 2.0, 2.0]
    """
    points: Array = load("pmp_scaling", SCALING).arrays["points"]
    return np.asarray(points[EPSILONS.index(epsilon)].mean(axis=1))


DRAWN = (1, 6, 25, 100)
NOISES = (0.5, 1.0, 2.0)
PLACES = tuple(k / 4 for k in range(25))
# The epsilons at which the area between the two distributions is taken.
AREAS = (0.0, 0.5, 1.0, 2.0)
DELTA = 0.01
LADDER: dict[str, Any] = {
    "version": 1,
    "n": DRAWN,
    "noises": NOISES,
    "places": PLACES,
    "areas": AREAS,
    "delta": DELTA,
    "seed": 20245,
}


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


@checked
def ladder_pool(n: Count, place: Annotated[float, Number()]) -> Array:
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
    others = np.random.default_rng((LADDER["seed"], n)).standard_normal(2 * n - 1)
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
    row = load("pmp_ladder", LADDER).arrays["rungs"][at]
    single = len(Rungs._fields) - 1
    return Rungs._make([*row[:single].tolist(), np.asarray(row[single:])])
