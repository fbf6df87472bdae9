"""The distribution of a mean, with one record known and without: how far it slides."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.palette import fill
from explorable.panels import Count, Part, Slider, declared, layer, stacked
from mipbook import mis
from mipbook.base.rounding import up
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.marks import curve, level, points, reading
from mipbook.figures.words import percent, say

__all__ = ["mean_slide"]

Array = NDArray[np.float64]
_SIZES = [
    *(2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 20, 25, 32, 40, 50, 65, 80),
    *(100, 160, 250, 400, 650, 1000, 3000, 10_000),
]
_POINTS = np.linspace(-4.5, 4.5, 109)
_WITHOUT = np.exp(-(_POINTS**2) / 2) / math.sqrt(2 * math.pi)
_DISTANCES = np.linspace(0, 3, 25)
# Where the record stands in the picture: just above the axis.
_GROUND = 0.02


@lru_cache(maxsize=256)
def _delta(n: int) -> float:
    return mis.gaussian_mean_delta(n)


def _frame() -> Part:
    limit = mis.universal_constant("gaussian")
    scaled = np.sqrt(_SIZES) * [_delta(n) for n in _SIZES]
    over = "%{x:,} records: √n Δ = %{y:.3f}<extra></extra>"
    traces = [
        curve("the record is out", _POINTS, _WITHOUT, looks.OUT, hoverinfo="skip"),
        curve("√n Δ (exact)", _SIZES, scaled, looks.MIS, hovertemplate=over, **LOWER),
        level("limit 1/π (exact)", [1, 10_000], limit, **LOWER),
    ]
    sentence = (
        "Known to be among n = {n} records, one at distance {distance} moves the mean by a total "
        "variation of {apart} (exact); Proposition 25 allows {bound} (bound). Over all records "
        "Δ = {delta}, and √n Δ = {scaled} on the way to 1/π = 0.318 (exact)."
    )
    alt = (
        "Two bells along the record's direction: out, standard and dashed; in, solid, centred at "
        "{centre} with variance {variance}, the excess shaded. Below them a diamond, the record, "
        "at {distance}. Beside them √n Δ against n goes from "
        f"{say(float(scaled[0]))} to a flat line at {say(limit)}."
    )
    layout: dict[str, Any] = {
        "xaxis": axis("standard deviations", range=[-4.5, 4.5]),
        "yaxis": axis("density of the mean", range=[0, 0.6]),
        "xaxis2": axis("records, n", log=True, range=[0, 4]),
        "yaxis2": axis("√n Δ", range=[0, 0.5], nticks=4),
        "height": 430,
    }
    for name, place in two_rows(0.56, 0.22).items():
        layout[name] = {**layout[name], **place}
    track = {"x": _DISTANCES.tolist(), "y": [_GROUND] * len(_DISTANCES)}
    meta = {
        "headline": "Best attack is right {right} of the time",
        "sentence": sentence,
        "alt": alt,
        "beside": 0.6,
        "grab": [{"control": "distance", "axis": "x", "track": track}],
        "probe": ["√n Δ (exact)"],
    }
    return Part(traces, layout, meta=meta)


def _bells(n: int, distance: float) -> Part:
    """Draw the mean with the record in, and where it is the likelier one."""
    centre, variance = distance / math.sqrt(n), 1 - 1 / n
    given = np.exp(-((_POINTS - centre) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    words = {
        "centre": say(centre),
        "variance": say(variance),
        "apart": say(mis.near_gaussians_tv(n, distance)),
        "bound": say(mis.near_gaussians_bound(n, distance), to=up),
    }
    # Down to the trace below it in this picture, which is the bell without the record.
    area: dict[str, Any] = {"fill": "tonexty", "fillcolor": fill(looks.IN.colour), "line": {"width": 0}}
    higher = np.maximum(given, _WITHOUT)
    gain = curve("gain", _POINTS, higher, looks.IN, hoverinfo="skip", **area)
    inside = curve("the record is in", _POINTS, given, looks.IN, hoverinfo="skip")
    return Part([gain, inside], words=words)


def _record(distance: float) -> Part:
    over = "the record, at distance %{x}<extra></extra>"
    here = points("the record", distance, _GROUND, looks.READING, size=13, hovertemplate=over)
    return Part([here], words={"distance": say(distance)})


def _many(n: int) -> Part:
    delta = _delta(n)
    scaled = math.sqrt(n) * delta
    words = {"n": f"{n:,}", "delta": say(delta), "scaled": say(scaled), "right": percent((1 + delta) / 2)}
    return Part([reading(n, scaled, "this n", **LOWER)], words=words)


@declared
def mean_slide(
    n: Annotated[int, Count(_SIZES, label="Records, n", play=True)] = 10,
    distance: Annotated[float, Slider(0.0, 3.0, step=0.125, label="Distance of the record")] = 1.5,
) -> go.Figure:
    """Draw the distribution of the mean given one record, and sqrt(n) Delta against n.

    Notes
    -----
    Limits paper, Theorem 13 and Proposition 25.

    Examples
    --------
    >>> "Δ = 0.107" in mean_slide(10).layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_frame),
        layer(_bells, n=n, distance=distance),
        layer(_record, distance=distance),
        layer(_many, n=n),
    )
