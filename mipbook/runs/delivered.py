"""The eta that the noise of Corollary 10 delivers where it must be simulated, at M = 64."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from mipbook import mip
from mipbook.base import progress
from mipbook.runs import store

__all__ = ["RUNS", "SETTINGS", "delivered", "simulated"]

SETTINGS: dict[str, Any] = {
    "version": 1,
    "M": 64.0,
    "etas": (0.01, 0.1, 0.25),
    "radii": ("laplace", "gamma"),
    "dimensions": (1, 2, 3, 4, 6, 8, 12, 16, 32, 64),
    "seed": 70,
}


def _one(dimension: int, M: float, eta: float, radius: str) -> mip.Delivered:
    # One seed for every setting, so that the simulated curves are smooth.
    rng = np.random.default_rng(SETTINGS["seed"])
    return mip.delivered_eta(dimension, M, eta, radius, rng)


def simulated(settings: dict[str, Any]) -> store.Arrays:
    """Return value, low and high for every eta, law of the length and dimension.

    Examples
    --------
    >>> simulated({**SETTINGS, "etas": (0.1,), "dimensions": (1,)})["values"].shape
    (1, 2, 1, 3)
    """
    axes = [settings[name] for name in ("etas", "radii", "dimensions")]
    cases = list(product(*axes))
    with progress.reader() as stream:
        values = [
            _one(dimension, settings["M"], eta, radius)[:3]
            for eta, radius, dimension in progress.track(
                cases, stream, total=len(cases), what="delivered eta", unit="settings"
            )
        ]
    return {"values": np.array(values).reshape(*map(len, axes), 3)}


RUNS = (store.Run("delivered", SETTINGS, lambda: simulated(SETTINGS)),)


@lru_cache(maxsize=1024)
def delivered(dimension: int, M: float, eta: float, radius: str) -> mip.Delivered:
    """Return `mipbook.mip.delivered_eta` with a fixed seed, from the stored run if it is there.

    Examples
    --------
    >>> delivered(8, 64.0, 0.1, "laplace").value > 0.1
    True
    """
    # In one dimension the value is exact.
    if dimension > 1 and SETTINGS["M"] == M:
        axes = (("etas", eta), ("radii", radius), ("dimensions", dimension))
        if all(value in SETTINGS[name] for name, value in axes):
            place = tuple(SETTINGS[name].index(value) for name, value in axes)
            value, low, high = store.load("delivered").arrays["values"][place].tolist()
            return mip.Delivered(value, low, high, "estimate")
    return _one(dimension, M, eta, radius)
