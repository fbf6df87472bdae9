"""The simulations of the PMP paper: stored results."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from explorable import validate
from mipbook import pmp
from mipbook.base.rounding import mean_band
from mipbook.base.types import Array
from mipbook.stored.store import Arrays, load

# What is held fixed, and by which sensitivity the nominal parameter is meant. The paper's eps(X)
# and the true one do not see the convention, but for a nominal eps that is held.
HELD: dict[tuple[str, str], dict[str, str]] = {
    ("surrogate", "attained"): {"held": "surrogate", "convention": "attained"},
    ("epsilon", "attained"): {"held": "epsilon", "convention": "attained"},
    ("epsilon", "triangle"): {"held": "epsilon", "convention": "triangle"},
}
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
    varied : dict
        From each parameter that is varied to its values, the paper's among them.
    trials, few : int
        How many data sets the paper's setting has, and how many each other one.
    """

    name: str
    along: str
    stops: tuple[Any, ...]
    paper: Mapping[str, Any]
    varied: Mapping[str, tuple[Any, ...]]
    trials: int
    few: int = 10
    seed: int = 20240

    @property
    def counts(self) -> tuple[int, ...]:
        """How many of the data sets may be averaged over."""
        return tuple(t for t in _COUNTS if t <= self.trials)

    @property
    def options(self) -> dict[str, tuple[Any, ...]]:
        """All that may be varied, the number of data sets among it."""
        return {**self.varied, "trials": self.counts}

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
        of = list(HELD).index((held, convention)), ("pmp", "share", "exact").index(field)
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
        if held == "surrogate":
            found = self._quotients(held, "attained")
            # The exponent is held, so the nominal epsilon is proportional to the sensitivity.
            found[1] /= self._wider(convention)[:, None]
        else:
            found = self._quotients(held, convention)
        return found[..., :trials]

    def _quotients(self, held: str, convention: str) -> Array:
        drawn, share, exact = (self.read(field, held, convention) for field in ("pmp", "share", "exact"))
        epsilon = self.paper["epsilon"]
        inside = epsilon if held == "surrogate" else epsilon * share
        over = drawn / inside
        return np.stack([over, over * share, drawn / exact])

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
        at = 0
        for name, values in self.varied.items():
            if name == vary:
                at += values.index(value)
                break
            at += len(values)
        of = list(HELD).index((held, convention if held == "epsilon" else "attained"))
        stored = np.array(self._arrays["varied"][at, of], dtype=float)
        mean, half, worst = np.where(stored < 0, math.nan, stored)
        if held == "surrogate":
            wider = self._wider(convention, value if vary == "clip" else None)
            mean[1], half[1], worst[1] = (each[1] / wider for each in (mean, half, worst))
        return mean, half, worst, self.count(vary, value)

    def count(self, vary: str, value: Any) -> int:
        """Return how many data sets a setting away from the paper's has.

        Examples
        --------
        >>> FIGURE_2.count("n", 8), FIGURE_2.count("n", 30)
        (10, 5)
        """
        return self.few // 2 if vary == "n" and value > COUNTED else self.few


def exponential_quotients(
    figure: Varied, convention: str, trials: int, **case: Any
) -> tuple[Array, Array, Array]:
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
    first, second, third = figure.quotients("surrogate", convention, trials)
    return first, second, third


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


def _varied(name: str, along: str, stops: tuple[Any, ...], trials: int, **paper: Any) -> Varied:
    names = [name for name in _STOPS if name in paper and (name != "factor" or paper["outliers"])]
    return Varied(name, along, stops, paper, {name: _STOPS[name] for name in names}, trials)


FIGURE_1 = _varied(
    "pmp_figure_1",
    "sigma",
    (0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
    100,
    **{"n": 6, "dimension": 1, "objects": 10, "clip": 10.0, "epsilon": 5.0, "outliers": 0, "factor": 100.0},
)
FIGURE_2 = _varied(
    "pmp_figure_2",
    "clip",
    (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0),
    60,
    **{"n": 6, "dimension": 5, "objects": 32, "sigma": 1.0, "epsilon": 10.0, "outliers": 2, "factor": 100.0},
)
FIGURE_3 = _varied(
    "pmp_figure_3",
    "dimension",
    (1, 2, 3, 5, 10, 20, 50, 100),
    60,
    **{"n": 6, "objects": 10, "clip": 10.0, "sigma": 1.0, "epsilon": 2.0, "outliers": 0, "factor": 100.0},
)
