"""A simulation: the same trials at every combination of a few settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from explorable import validate
from mipbook import pmp
from mipbook.base.types import Array
from mipbook.stored import store

__all__ = ["Simulation"]


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
    def run(self) -> store.Run:
        """The run, as the command makes it and the loader checks it."""
        few = {name: count for name, (count, _) in self.few.items()}
        settings = {
            "version": 1,
            "trial": self.trial.__name__,
            "fixed": dict(self.fixed),
            "axes": {name: list(values) for name, values in self.axes.items()},
            "trials": self.trials,
            "trials of": few,
            "seed": self.seed,
        }
        return store.Run(self.name, settings, self.make)

    def _axes_of(self, field: str) -> dict[str, tuple[Any, ...]]:
        left_out = self.same_for.get(field, ())
        return {name: values for name, values in self.axes.items() if name not in left_out}

    def make(self) -> dict[str, Array]:
        """Run all trials, with a progress bar."""
        few = {field: extra for field, (_, extra) in self.few.items()}
        arrays = self._drawn([f for f in self.fields if f not in few], self.trials)
        for field, (count, extra) in self.few.items():
            arrays.update(self._drawn([field], count, **extra))
        return arrays

    def _drawn(self, fields: Sequence[str], trials: int, **extra: Any) -> dict[str, Array]:
        """Run so many trials of every case; return the arrays of these fields."""
        names = list(self.axes)
        cases = [
            {**self.fixed, **dict(zip(names, values, strict=True)), **extra}
            for values in product(*self.axes.values())
        ]
        drawn = pmp.sweep(self.trial, cases, trials=trials, seed=self.seed)
        shape = (*map(len, self.axes.values()), trials)
        arrays = {}
        for field in fields:
            every = np.array([[self.fields[field](t) for t in row] for row in drawn])
            first = tuple(0 if n in self.same_for.get(field, ()) else slice(None) for n in names)
            arrays[field] = every.reshape(shape)[first]
        return arrays

    def read(self, field: str, **values: Any) -> Array:
        """Return an array of the stored run at these values; the axes not named stay.

        Examples
        --------
        >>> from mipbook.runs.pmp import FIGURE_1
        >>> FIGURE_1.read("pmp", n=6, clip=10.0, epsilon=5.0).shape
        (9, 100)
        """
        axes = self._axes_of(field)
        for name, value in values.items():
            validate.choice(name, value, self.axes[name])
        where = tuple(axes[name].index(values[name]) if name in values else slice(None) for name in axes)
        array: Array = store.load(self.name).arrays[field]
        return array[where]
