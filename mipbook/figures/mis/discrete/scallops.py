"""The mean absolute deviation over its rough size: scallops between two sharp constants."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Count, Part, Slider, declared, layer, stacked
from mipbook import mis
from mipbook.base.rounding import down, up
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import curve, kept, level, reading
from mipbook.figures.words import say

__all__ = ["deviation_scallops"]

_GRID = np.linspace(0.0025, 0.9975, 399)
_TRIALS = [*range(2, 21), 25, 30, 40, 50, 70, 100]
_CHANCES = np.round(np.arange(0.02, 0.99, 0.02), 2)
_RISES = "at p = %{x:.3f} the ratio is %{y:.4f}<extra></extra>"


def _ratio(n: int, p: Any) -> Any:
    return mis.mean_absolute_deviation(n, p) / (2 * np.sqrt(p * (1 - p) / n))


@lru_cache(maxsize=128)
def _ratios(n: int) -> tuple[Any, Any]:
    """Return the ratio along the drawn curve and at the stops of p."""
    return _ratio(n, _GRID), _ratio(n, _CHANCES)


def _verdict(n: int, p: float, ratio: float) -> str:
    low, high, limit = mis.RATE_LOW, mis.RATE_HIGH, mis.RATE_LIMIT
    mean = n * min(p, 1 - p)
    if mean > 1:
        side = "above" if ratio > limit else "below"
        return (
            f"between c₁ = {say(low, to=down)} and c₂ = {say(high, to=up)} (bounds), and "
            f"{say(abs(ratio / limit - 1) * 100, 2)}% {side} the limit {say(limit)}"
        )
    where = "lies between them all the same"
    if ratio < low:
        where = f"lies below c₁ = {say(low)}"
    elif ratio > high:
        where = f"lies above c₂ = {say(high)}"
    return (
        f"but n{'p' if p <= 0.5 else 'q'} = {say(mean)} is not above 1, so the constants promise "
        f"nothing here: the ratio {where}"
    )


def _scallops(n: int) -> Part:
    ratios, stops = _ratios(n)
    inside = n * np.minimum(_GRID, 1 - _GRID) > 1
    beyond = replace(looks.MIS, dash="dashdot", width=2)
    least = replace(looks.PUBLISHED, dash="longdash")
    traces = [
        curve("np and nq above 1", _GRID, kept(ratios, inside), looks.MIS, hovertemplate=_RISES),
        curve("elsewhere", _GRID, kept(ratios, ~inside), beyond, hovertemplate=_RISES),
        level("c₂ = √3/4", [0, 1], mis.RATE_HIGH, looks.PUBLISHED),
        level("1/√(2π)", [0, 1], mis.RATE_LIMIT, looks.MIS.estimate()),
        level("c₁ = (2/3)^(5/2)", [0, 1], mis.RATE_LOW, least),
    ]
    alt = (
        f"A curve of scallops, one for each step of width 1/{n}, against p from 0 to 1. "
        f"Where np and nq are above 1 it stays between two dashed lines at "
        f"{say(mis.RATE_LOW)} and {say(mis.RATE_HIGH)}; at p = {{p}} it is {{ratio}}."
    )
    layout = {
        "xaxis": axis("p, the probability of the value", range=[0, 1]),
        "yaxis": axis("mean deviation / (2 × standard deviation)", range=[0.15, 0.46]),
        "height": 420,
    }
    told = f"At n = {n} and p = {{p}} the ratio is {{ratio}} (exact), {{verdict}}."
    track = {"x": _CHANCES.tolist(), "y": stops.tolist()}
    meta = {"headline": "{ratio} at p = {p}", "sentence": told, "alt": alt}
    grab = [{"control": "p", "axis": "x", "track": track}]
    return Part(traces, layout, meta={**meta, "grab": grab})


def _here(n: int, p: float) -> Part:
    ratio = float(_ratio(n, p))
    words = {"p": say(p), "ratio": say(ratio), "verdict": _verdict(n, p, ratio)}
    return Part([reading(p, ratio, "at your p")], words=words)


@declared
def deviation_scallops(
    n: Annotated[int, Count(_TRIALS, label="Trials, n", play=True)] = 7,
    p: Annotated[float, Slider(0.02, 0.98, step=0.02, label="Probability, p")] = 0.5,
) -> go.Figure:
    """Draw sqrt(n) E|B/n - p| / (2 sqrt(pq)) against p, between the constants c1 and c2.

    Notes
    -----
    Limits paper, Corollary 15 and Lemma 30.

    Examples
    --------
    >>> "0.433 (exact)" in deviation_scallops(3).layout.meta["sentence"]
    True
    """
    return stacked(layer(_scallops, n=n), layer(_here, n=n, p=p))
