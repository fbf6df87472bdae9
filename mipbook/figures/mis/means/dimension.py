"""Means of many coordinates: Delta depends on d/n, not on n alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Count, Part, declared, layer, stacked
from mipbook import mis
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.words import percent, say
from mipbook.mis.means import many_coordinates_delta, many_coordinates_records

__all__ = ["mean_dimension"]

_SHOWN = (5, 20, 100, 1000)
_SIZES = [
    *(5, 6, 7, 8, 10, 13, 16, 20, 25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 250),
    *(320, 400, 500, 650, 800, 1000),
]
_DIMENSIONS = [
    *(1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700),
    *(1000, 1500, 2000, 3000, 4000, 5000),
]
_RATIOS = np.geomspace(0.001, 100, 21)
_FINE_RATIOS = np.geomspace(0.001, 1000, 120)


@lru_cache(maxsize=4096)
def _delta(n: int, dimension: int) -> float:
    return mis.gaussian_mean_delta(n, dimension)


def _exact(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return d/n and Delta at whole d near each ratio."""
    dimensions = np.unique(np.maximum(1, np.round(_RATIOS * n)).astype(int))
    return dimensions / n, np.array([_delta(n, d) for d in dimensions.tolist()])


def _one_curve() -> Part:
    over = "d/n = %{x:.3g}: Δ = %{y:.3f}<extra></extra>"
    traces = [
        curve(
            "many coordinates (approximation)",
            _FINE_RATIOS,
            many_coordinates_delta(_FINE_RATIOS),
            looks.MIS.estimate(),
            hoverinfo="skip",
        ),
        *(
            points(f"n = {size:,} (exact)", *_exact(size), look, hovertemplate=over)
            for size, look in zip(_SHOWN, looks.SERIES, strict=True)
        ),
    ]
    sentence = (
        "With n = {n} records of {coordinates}, d/n = {ratio} and Δ = {delta} (exact); "
        "2Φ(½√(d/n)) − 1 gives {near} (approximation). A Δ of about 0.1 takes "
        "{records} records (approximation, for many coordinates), in proportion to d."
    )
    alt = (
        "Delta against d/n on a log axis for n = 5, 20, 100 and 1,000: all marks lie near one "
        "rising S-shaped curve; the diamond at d/n = {ratio} has height {delta}."
    )
    layout = {
        "xaxis": axis("coordinates over records, d/n", log=True, range=[-3, 3]),
        "yaxis": axis("Δ", range=[0, 1.03]),
        "height": 420,
    }
    meta = {"headline": "Best attack is right {right} of the time", "sentence": sentence, "alt": alt}
    return Part(traces, layout, meta=meta)


def _records(n: int) -> Part:
    """Let d be dragged along the values at this n."""
    ratios = [d / n for d in _DIMENSIONS]
    track = {"x": ratios, "y": [_delta(n, d) for d in _DIMENSIONS]}
    grab = [{"control": "dimension", "axis": "x", "track": track}]
    return Part(words={"n": f"{n:,}"}, meta={"grab": grab})


def _coordinates(dimension: int) -> Part:
    words = {
        "coordinates": f"{dimension:,} coordinate{'s' if dimension > 1 else ''}",
        "records": say(many_coordinates_records(0.1, dimension)),
    }
    return Part(words=words)


def _here(n: int, dimension: int) -> Part:
    delta = _delta(n, dimension)
    words = {
        "ratio": say(dimension / n),
        "delta": say(delta),
        "near": say(mis.gaussian_mean_delta_approximation(n, dimension)),
        "right": percent((1 + delta) / 2),
    }
    return Part([reading(dimension / n, delta, "this n and d")], words=words)


@declared
def mean_dimension(
    n: Annotated[int, Count(_SIZES, label="Records, n", play=True)] = 100,
    dimension: Annotated[int, Count(_DIMENSIONS, label="Coordinates, d")] = 100,
) -> go.Figure:
    """Draw Delta of the Gaussian mean against d/n for several n.

    Notes
    -----
    Limits paper, Theorem 13: the constant in front of 1/sqrt(n) hides the dimension.

    Examples
    --------
    >>> "0.384 (exact)" in mean_dimension(100, 100).layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_one_curve),
        layer(_records, n=n),
        layer(_coordinates, dimension=dimension),
        layer(_here, n=n, dimension=dimension),
    )
