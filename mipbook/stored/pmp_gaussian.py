"""Figures 4 to 6 of the PMP paper, and every parameter moved around the paper's own: stored runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from explorable import validate
from mipbook import tradeoff
from mipbook.base.types import Array
from mipbook.stored.store import Arrays, load

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


_N = (10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 175, 200, 250)
_DIMENSIONS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 60, 80, 100)
_CLIPS = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 70.0, 100.0, 150.0, 200.0)
_SPREADS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)
_DELTAS = (
    *(0.0001, 0.0002, 0.0003, 0.0005, 0.0007, 0.001, 0.002, 0.003, 0.005, 0.007),
    *(0.01, 0.02, 0.03, 0.05, 0.1),
)
_OUTLIERS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20)
_FACTORS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 30.0, 50.0, 100.0)
_EPSILONS = (0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 15.0, 20.0)
_SHARED = {"n": _N, "dimension": _DIMENSIONS, "clip": _CLIPS, "sigma": _SPREADS}
_SHARED |= {"delta": _DELTAS, "outliers": _OUTLIERS}
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
        "factor": _FACTORS,
    },
)
FIGURE_6 = GaussianFigure(
    name="pmp_figure_6",
    own={**_PAPER, "dimension": 100, "epsilon": 5.0},
    along="dimension",
    points=(1, 3, 10, 30, 50, 100),
    stops={**_SHARED, "epsilon": _EPSILONS},
)
