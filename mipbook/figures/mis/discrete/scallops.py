"""The mean absolute deviation over its rough size: scallops between two sharp constants."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.explore import Count, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, kept, level, reading
from mipbook.figures.words import say

__all__ = ["deviation_scallops"]

_GRID = np.linspace(0.0025, 0.9975, 399)
_TRIALS = [2, 3, 4, 5, 7, 10, 15, 25, 50, 100, 300, 1000]
_CHANCES = [0.02, 0.05, 0.1, 0.2, 0.3, 0.34, 0.4, 0.5, 0.6, 0.75, 0.9]


def _ratio(n: int, p: Any) -> Any:
    return mis.mean_absolute_deviation(n, p) / (2 * np.sqrt(p * (1 - p) / n))


@lru_cache(maxsize=64)
def _curve(n: int) -> Any:
    return _ratio(n, _GRID)


def _verdict(n: int, p: float, ratio: float) -> str:
    low, high, limit = mis.RATE_LOW, mis.RATE_HIGH, mis.RATE_LIMIT
    mean = n * min(p, 1 - p)
    if mean > 1:
        side = "above" if ratio > limit else "below"
        return (
            f"between c1 = {say(low)} and c2 = {say(high)} (bounds), and "
            f"{say(abs(ratio / limit - 1) * 100, 2)}% {side} the limit {say(limit)}"
        )
    where = "lies between them all the same"
    if ratio < low:
        where = f"lies below c1 = {say(low)}"
    elif ratio > high:
        where = f"lies above c2 = {say(high)}"
    return (
        f"but n{'p' if p <= 0.5 else 'q'} = {say(mean)} is not above 1, so the constants promise "
        f"nothing here: the ratio {where}"
    )


@declared
def deviation_scallops(
    n: Annotated[int, Count(_TRIALS, label="Trials, n")] = 7,
    p: Annotated[float, Stops(_CHANCES, label="p")] = 0.5,
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
    ratios, ratio = _curve(n), float(_ratio(n, p))
    inside = n * np.minimum(_GRID, 1 - _GRID) > 1
    beyond = replace(looks.MIS, dash="dashdot", width=2)
    least = replace(looks.PUBLISHED, dash="longdash")
    return finish(
        [
            curve("np and nq above 1", _GRID, kept(ratios, inside), looks.MIS),
            curve("elsewhere", _GRID, kept(ratios, ~inside), beyond),
            level("c₂ = √3/4", [0, 1], mis.RATE_HIGH, looks.PUBLISHED),
            level("1/√(2π)", [0, 1], mis.RATE_LIMIT, looks.MIS.estimate()),
            level("c₁ = (2/3)^(5/2)", [0, 1], mis.RATE_LOW, least),
            reading(p, ratio, "at your p"),
        ],
        sentence=(
            f"At n = {n} and p = {say(p)} the ratio is {say(ratio)} (exact), "
            f"{_verdict(n, p, ratio)}."
        ),
        alt=(
            f"A curve of scallops, one for each step of width 1/{n}, against p from 0 to 1. "
            f"Where np and nq are above 1 it stays between two dashed lines at "
            f"{say(mis.RATE_LOW)} and {say(mis.RATE_HIGH)}; at p = {say(p)} it is {say(ratio)}."
        ),
        layout={
            "xaxis": axis("p", range=[0, 1]),
            "yaxis": axis("ratio", range=[0.15, 0.46]),
            "height": 420,
        },
    )
