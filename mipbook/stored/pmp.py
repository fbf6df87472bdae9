"""The simulations of the PMP paper, and every parameter moved around the paper's own: stored results."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from explorable import validate
from mipbook import pmp, tradeoff
from mipbook.base.rounding import mean_band
from mipbook.base.types import Array
from mipbook.stored.store import Arrays, load

# --- Figures 1 to 3: an exponential choice --------------------------------------------------------

# What is held fixed, and by which sensitivity the nominal parameter is meant. The paper's eps(X)
# and the true one do not see the convention, but for a nominal eps that is held.
HELD = (("surrogate", "attained"), ("epsilon", "attained"), ("epsilon", "triangle"))
# Sums over all halves are exact up to here, and the exact eps(X) takes too long beyond the second.
COUNTED, WALKED = 12, 8


@dataclass(frozen=True, eq=False)
class Varied:
    """Trials of the exponential mechanism: at the paper's setting, and one parameter away from it.

    The grids add up: each parameter takes its values while the others stay. Trial i draws from
    the same numbers in every case, so that curves differ by the case and not by luck.

    Attributes
    ----------
    name : str
        Of the stored run.
    along : str
        The parameter on the figure's axis.
    stops : tuple
        Its values.
    paper : dict
        The paper's setting of the others; ``epsilon`` is what is held.
    trials, few : int
        How many data sets the paper's setting has, and how many each other one.
    """

    name: str
    along: str
    stops: tuple[Any, ...]
    paper: Mapping[str, Any]
    trials: int
    few: int = 10
    seed: int = 20240

    @cached_property
    def varied(self) -> dict[str, tuple[Any, ...]]:
        """From each parameter that is varied to its values, the paper's among them."""
        fixed = () if self.paper["outliers"] else ("factor",)
        return {name: stops for name, stops in _STOPS.items() if name in self.paper and name not in fixed}

    @property
    def options(self) -> dict[str, tuple[Any, ...]]:
        """All that may be varied, the number of data sets among it."""
        return {**self.varied, "trials": tuple(count for count in _COUNTS if count <= self.trials)}

    @property
    def starts(self) -> dict[str, Any]:
        """Where each of `options` stands in the paper, or in our run of it."""
        return {name: self.paper[name] for name in self.varied} | {"trials": self.trials}

    @property
    def settings(self) -> dict[str, Any]:
        """What the run is stored with."""
        return {
            "version": 2,
            "along": {self.along: list(self.stops)},
            "paper": dict(self.paper),
            "varied": {name: list(values) for name, values in self.varied.items()},
            "trials": [self.trials, self.few],
            "seed": self.seed,
        }

    @cached_property
    def _arrays(self) -> Arrays:
        return load(self.name, self.settings).arrays

    def read(self, field: str, held: str = "surrogate", convention: str = "attained") -> Array:
        """Return what the trials at the paper's setting gave, a row a stop of the axis.

        Parameters
        ----------
        field : {"pmp", "share", "exact"}
            The PMP parameter; the pool's share of the sensitivity, which is the paper's eps(X)
            over eps; the exact eps(X).
        held, convention : str
            One of ``HELD``.

        Examples
        --------
        >>> FIGURE_1.read("pmp").shape
        (9, 100)
        """
        of = HELD.index((held, convention)), ("pmp", "share", "exact").index(field)
        return np.asarray(self._arrays["drawn"][of], dtype=float)

    def quotients(self, held: str, convention: str, trials: int | None = None) -> Array:
        """Return eps~ over the paper's eps(X), over eps, over the exact eps(X), at the paper's setting.

        Parameters
        ----------
        held, convention : str
            What is held fixed, and the sensitivity, as in `mipbook.pmp.norm_sensitivity`.
        trials : int, optional
            The first so many; all if not given.

        Examples
        --------
        >>> FIGURE_1.quotients("surrogate", "attained", 20).shape
        (3, 9, 20)
        """
        wanted = held, convention if held == "epsilon" else "attained"
        drawn, share, exact = (self.read(field, *wanted) for field in ("pmp", "share", "exact"))
        over = drawn / (self.paper["epsilon"] * (share if held == "epsilon" else 1.0))
        found = np.stack([over, over * share, drawn / exact])
        if held == "surrogate":
            # The exponent is held, so the nominal epsilon is proportional to the sensitivity.
            found[1] /= self._wider(convention)[:, None]
        return found[..., :trials]

    def _wider(self, convention: str, clip: float | None = None) -> Array:
        """Return how much wider the sensitivity is than the attained one, along the axis."""
        clips = self.stops if self.along == "clip" else [clip or self.paper["clip"]] * len(self.stops)
        return np.array([pmp.norm_sensitivity(2, c, convention) / pmp.norm_sensitivity(2, c) for c in clips])

    @cache  # noqa: B019, a figure lives as long as its module
    def told(self, vary: str, value: Any, held: str, convention: str) -> tuple[Array, Array, Array, int]:
        """Return the three ratios along the axis with one parameter varied.

        Parameters
        ----------
        vary : str
            One of ``options``.
        value : int or float
            One of its values.
        held, convention : str
            As in `quotients`.

        Returns
        -------
        mean, half, worst : ndarray of shape (3, stops)
            Over data sets: the mean, the half width of its 95% band, the largest.  Not a number
            where it is not known.
        trials : int
            How many data sets they are from; the largest is that of the first ``few``.

        Examples
        --------
        >>> mean, half, worst, trials = FIGURE_1.told("n", 8, "surrogate", "attained")
        >>> mean.shape, trials
        ((3, 9), 10)
        """
        validate.choice("value", value, self.options[validate.choice("vary", vary, self.options)])
        if vary == "trials" or value == self.paper[vary]:
            count = value if vary == "trials" else self.trials
            found = self.quotients(held, convention, count)
            return *mean_band(found), found[..., : self.few].max(axis=-1), count
        at = [(name, each) for name, values in self.varied.items() for each in values].index((vary, value))
        of = HELD.index((held, convention if held == "epsilon" else "attained"))
        stored = np.array(self._arrays["varied"][at, of], dtype=float)
        found = np.where(stored < 0, math.nan, stored)
        if held == "surrogate":
            found[:, 1] /= self._wider(convention, value if vary == "clip" else None)
        mean, half, worst = found
        return mean, half, worst, self.count(vary, value)

    def count(self, vary: str, value: Any) -> int:
        """Return how many data sets a setting away from the paper's has.

        Examples
        --------
        >>> FIGURE_2.count("n", 8), FIGURE_2.count("n", 30)
        (10, 5)
        """
        return self.few // 2 if vary == "n" and value > COUNTED else self.few


def exponential_quotients(figure: Varied, convention: str, trials: int, **case: Any) -> Array:
    """Return eps~ over the paper's eps(X), over eps and over the exact eps(X), a row a setting.

    Parameters
    ----------
    figure : Varied
        ``FIGURE_1``, ``FIGURE_2`` or ``FIGURE_3``.
    convention : {"attained", "triangle"}
        The sensitivity, as in `mipbook.pmp.norm_sensitivity`.
    trials : int
        The first so many.
    **case
        What the caller relies on; it must be the paper's setting.

    Examples
    --------
    >>> drawn = exponential_quotients(FIGURE_1, "attained", 20, n=6, clip=10.0, epsilon=5.0)
    >>> [quotients.shape for quotients in drawn]
    [(9, 20), (9, 20), (9, 20)]
    """
    for name, value in case.items():
        validate.choice(name, value, (figure.paper[name],))
    return figure.quotients("surrogate", convention, trials)


_COUNTS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
_STOPS: dict[str, tuple[Any, ...]] = {
    "n": (*range(1, 13), 15, 20, 30),
    "objects": (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 100),
    "dimension": (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 30, 50, 70, 100),
    "clip": (1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0, 50.0, 70.0, 100.0, 150.0, 200.0),
    "sigma": (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0),
    "epsilon": (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 28.5, 50.0),
    "outliers": tuple(range(13)),
    "factor": (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0, 200.0, 500.0, 1000.0),
}


FIGURE_1 = Varied(
    "pmp_figure_1",
    "sigma",
    (0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
    {"n": 6, "dimension": 1, "objects": 10, "clip": 10.0, "epsilon": 5.0, "outliers": 0, "factor": 100.0},
    trials=100,
)
FIGURE_2 = Varied(
    "pmp_figure_2",
    "clip",
    (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0),
    {"n": 6, "dimension": 5, "objects": 32, "sigma": 1.0, "epsilon": 10.0, "outliers": 2, "factor": 100.0},
    trials=60,
)
FIGURE_3 = Varied(
    "pmp_figure_3",
    "dimension",
    (1, 2, 3, 5, 10, 20, 50, 100),
    {"n": 6, "objects": 10, "clip": 10.0, "sigma": 1.0, "epsilon": 2.0, "outliers": 0, "factor": 100.0},
    trials=60,
)

# --- Figures 4 to 6: a noisy mean -----------------------------------------------------------------

SEED = 20244
# Pools at the paper's setting, and at each other one.
POOLS, FEW = 30, 6
# What the paper does not say; the book shows so many where it does not ask for another number.
USUAL = 20
SENSITIVITIES = ("2C/n", "C/n")
AVERAGES = ("worst", "mean")
_NOISES = ("2C/n", "C/n", "subset")


class Drawn(NamedTuple):
    """The trials of one setting along the figure's axis.

    Attributes
    ----------
    at : tuple
        The points of the axis.
    target : ndarray
        The value of what is held, at each point.
    epsilon, subset, pmp : ndarray
        eps, eps(X) and eps~, a row for each point and a column for each pool.
    """

    at: tuple[Any, ...]
    target: Array
    epsilon: Array
    subset: Array
    pmp: Array


@dataclass(frozen=True, eq=False)
class GaussianFigure:
    """One figure: its setting in the paper, its axis, and other values of each parameter.

    Trial i draws from the same numbers everywhere, so that curves differ by the setting and not
    by luck.  Away from the paper's setting one parameter moves at a time.

    Attributes
    ----------
    name : str
        Of the stored run.
    own : dict
        The paper's setting, with the place on the axis that the text speaks of.
    along : str
        The parameter of the axis.
    points : tuple
        The points of the axis away from the paper's setting.
    stops : dict
        From each parameter to its values; that of the axis is drawn whole.
    """

    name: str
    own: Mapping[str, Any]
    along: str
    points: tuple[Any, ...]
    stops: Mapping[str, tuple[Any, ...]]

    @property
    def moved(self) -> dict[str, list[Any]]:
        """Each parameter's values other than the paper's, but for the axis."""
        return {
            name: [stop for stop in stops if stop != self.own[name]]
            for name, stops in self.stops.items()
            if name != self.along
        }

    @property
    def settings(self) -> dict[str, Any]:
        """What the run is stored with."""
        told = {"version": 1, "own": dict(self.own), "along": self.along, "seed": SEED, "pools": [POOLS, FEW]}
        return {**told, "points": list(self.points), "axis": list(self.stops[self.along]), **self.moved}

    @cached_property
    def _arrays(self) -> Arrays:
        return load(self.name, self.settings).arrays

    def read(
        self, held: str, sensitivity: str = "2C/n", average: str = "worst", pools: int = USUAL, **moved: Any
    ) -> Drawn:
        """Return the trials at the paper's setting, or at one with one parameter moved.

        Parameters
        ----------
        held : {"epsilon", "subset"}
            Whether the target is the DP parameter over all data sets or inside the pool.
        sensitivity : {"2C/n", "C/n"}
            Of the mean over all data sets; "2C/n" is the true one.
        average : {"worst", "mean"}
            Proposition 12 for the worst record, or its mean over the records, which is no bound.
        pools : int
            The first so many of the pools, as far as there are; away from the paper's setting few.
        **moved
            At most one parameter and its value.

        Examples
        --------
        >>> FIGURE_4.read("subset").pmp.shape, FIGURE_4.read("subset", n=25).pmp.shape
        ((15, 20), (6, 6))
        """
        noise = _NOISES.index(sensitivity if held == "epsilon" else held)
        column = 1 + 2 * noise + AVERAGES.index(average)
        for name, value in moved.items():
            validate.choice(name, value, self.stops[name])
        away = {name: v for name, v in moved.items() if v != self.own[name] and name != self.along}
        at, target, *drawn = self._setting(held, sensitivity, **away)
        overall, inside, found = (each[:, :pools] for each in drawn)
        return Drawn(at, target, overall, inside, found[..., column].astype(float))

    @cache  # noqa: B019, a figure lives as long as its module
    def _setting(self, held: str, sensitivity: str, **moved: Any) -> tuple[Any, ...]:
        """Return the axis, its targets, both epsilons and what is stored: the same for every average."""
        arrays = self._arrays
        at, setting, found = self.stops[self.along], {**self.own, **moved}, arrays["own"]
        for name, value in moved.items():
            at, found = self.points, arrays[name][self.moved[name].index(value)]
        axis = {**setting, self.along: np.array(at)[:, None]}
        full = 2 * axis["clip"] / axis["n"] / (1 + SENSITIVITIES.index(sensitivity))
        widest, target, delta = found[..., 0].astype(float), axis["epsilon"], axis["delta"]
        sigma = tradeoff.gaussian_sigma(
            target, delta=delta, sensitivity=full if held == "epsilon" else widest
        )
        sizes = {"epsilon": full, "subset": widest}
        overall, inside = (
            np.broadcast_to(
                target if name == held else tradeoff.gaussian_epsilon(delta, sigma=sigma, sensitivity=size),
                widest.shape,
            )
            for name, size in sizes.items()
        )
        targets = np.broadcast_to(target, (len(at), 1))[:, 0]
        return at, targets, overall, inside, found


_SHARED = {
    "n": (10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 175, 200, 250),
    "dimension": (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 60, 80, 100),
    "clip": (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 70.0, 100.0, 150.0, 200.0),
    "sigma": (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0),
    "delta": (1e-4, 2e-4, 3e-4, 5e-4, 7e-4, 1e-3, 2e-3, 3e-3, 5e-3, 7e-3, 0.01, 0.02, 0.03, 0.05, 0.1),
    "outliers": (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20),
}
_EPSILONS = (0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 15.0, 20.0)
_PAPER = {"n": 100, "clip": 50.0, "sigma": 1.0, "delta": 0.01, "outliers": 0, "factor": 10.0}

FIGURE_4 = GaussianFigure(
    name="pmp_figure_4",
    own={**_PAPER, "dimension": 20, "epsilon": 10.0},
    along="epsilon",
    points=(0.5, 1.0, 2.0, 4.0, 7.0, 10.0),
    stops={
        **_SHARED,
        "epsilon": (0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0),
    },
)
FIGURE_5 = GaussianFigure(
    name="pmp_figure_5",
    own={**_PAPER, "dimension": 10, "epsilon": 5.0, "sigma": 5.0, "outliers": 2, "clip": 100.0},
    along="clip",
    points=(20.0, 40.0, 70.0, 100.0, 150.0, 200.0),
    stops={
        **_SHARED,
        "clip": tuple(map(float, (20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 100, 125, 150, 175, 200))),
        "epsilon": _EPSILONS,
        "factor": (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 30.0, 50.0, 100.0),
    },
)
FIGURE_6 = GaussianFigure(
    name="pmp_figure_6",
    own={**_PAPER, "dimension": 100, "epsilon": 5.0},
    along="dimension",
    points=(1, 3, 10, 30, 50, 100),
    stops={**_SHARED, "epsilon": _EPSILONS},
)
