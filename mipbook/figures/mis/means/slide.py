"""The law of a mean, with one record known and without: how far it slides."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.explore import Count, Slider, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import Trace, band, curve, level, reading
from mipbook.figures.words import percent, say

__all__ = ["mean_slide"]

Array = NDArray[np.float64]
_SIZES = np.array([2, 3, 5, 10, 20, 50, 100, 300, 1000, 10_000])
_POINTS = np.linspace(-4.5, 4.5, 181)
_WITHOUT = np.exp(-(_POINTS**2) / 2) / math.sqrt(2 * math.pi)


@lru_cache(maxsize=256)
def _delta(n: int, dimension: int) -> float:
    return mis.gaussian_mean_delta(n, dimension)


@lru_cache(maxsize=64)
def _scaled(dimension: int) -> Array:
    return np.array([math.sqrt(n) * _delta(int(n), dimension) for n in _SIZES])


def _two_laws(n: int, distance: float) -> list[Trace]:
    """Draw the law of the mean along the record's direction, without the record and with it."""
    centre, variance = distance / math.sqrt(n), 1 - 1 / n
    given = np.exp(-((_POINTS - centre) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    return [
        curve("the record is out", _POINTS, _WITHOUT, looks.OUT),
        curve("the record is in", _POINTS, given, looks.IN),
        # The area between the two curves where the record's own is the higher one.
        band("gain", _POINTS, _WITHOUT, np.maximum(given, _WITHOUT), looks.IN),
    ]


@declared
def mean_slide(
    n: Annotated[int, Count([2, 5, 10, 30, 100, 1000], label="Records, n")] = 10,
    dimension: Annotated[int, Count([1, 2, 5, 20], label="Coordinates, d")] = 1,
    distance: Annotated[float, Slider(0.0, 3.0, step=0.5, label="Distance of the record")] = 1.5,
) -> go.Figure:
    """Draw the law of the mean given one record, and sqrt(n) Delta against n.

    Notes
    -----
    Limits paper, Theorem 13 and Proposition 25.

    Examples
    --------
    >>> "0.107 (exact)" in mean_slide(10, 1).layout.meta["sentence"]
    True
    """
    delta, scaled = _delta(n, dimension), math.sqrt(n) * _delta(n, dimension)
    limit = mis.universal_constant("gaussian", dimension=dimension)
    apart = mis.near_gaussians_tv(n, distance, dimension)
    bound = mis.near_gaussians_bound(n, distance, dimension)
    over = "1/pi = " if dimension == 1 else ""
    coordinates = "coordinate" if dimension == 1 else "coordinates"
    return finish(
        [
            *_two_laws(n, distance),
            curve(
                "sqrt(n) Delta (exact)", _SIZES, _scaled(dimension), looks.MIS, marked=True, **LOWER
            ),
            level("limit (exact)", [2, 10_000], limit, **LOWER),
            reading(n, scaled, "this n", **LOWER),
        ],
        sentence=(
            f"With n = {n:,} and {dimension} {coordinates}, the mean tells a record at distance "
            f"{say(distance)} with a total variation of {say(apart)} (exact); Proposition 25 "
            f"allows {say(bound)} (bound). Over all records Delta = {say(delta)} (exact), so the "
            f"best attack is right {percent((1 + delta) / 2)} of the time; sqrt(n) Delta = "
            f"{say(scaled)} on the way to {over}{say(limit)} (exact)."
        ),
        alt=(
            f"Above, two bells along the record's direction: out, standard and dashed; in, solid, "
            f"centred at {say(distance / math.sqrt(n))} with variance {say(1 - 1 / n)}, the excess "
            f"shaded. Below, sqrt(n) Delta against n goes from {say(float(_scaled(dimension)[0]))} "
            f"to a flat line at {say(limit)}."
        ),
        layout={
            "xaxis": axis("mean, in units of 1/sqrt(n)", range=[-4.5, 4.5]),
            "yaxis": axis("density", range=[0, 0.62]),
            "xaxis2": axis("records n", log=True),
            "yaxis2": axis("sqrt(n) Delta", rangemode="tozero"),
            "rows": (0.52, 0.18),
            "height": 600,
        },
    )
