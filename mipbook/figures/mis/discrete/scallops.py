"""The mean absolute deviation over its rough size: scallops between two sharp constants."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.roc import add_point
from mipbook.figures.words import say

__all__ = ["deviation_scallops"]

_GRID = np.linspace(0.0025, 0.9975, 399)


def _ratio(n: int, p: np.ndarray) -> np.ndarray:
    spread = 2 * np.sqrt(p * (1 - p) / n)
    return np.asarray(mis.mean_absolute_deviation(n, p) / spread)


def deviation_scallops(n: int = 7, p: float = 0.5) -> go.Figure:
    """Draw sqrt(n) E|B/n - p| / (2 sqrt(pq)) against p, between the constants c1 and c2.

    Parameters
    ----------
    n : int
        Trials, in [1, 10000].
    p : float
        Where to read the curve, in [0.0025, 0.9975].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Corollary 15 and Lemma 30.

    Examples
    --------
    >>> "0.433 (exact)" in deviation_scallops(3).layout.meta["sentence"]
    True
    """
    n = validate.integer("n", n, 1, 10_000)
    p = validate.number("p", p, 0.0025, 0.9975)
    curve, here = _ratio(n, _GRID), float(_ratio(n, np.array([p]))[0])
    inside = n * np.minimum(_GRID, 1 - _GRID) > 1
    figure = go.Figure()
    for name, keep, colour, dash, width in (
        ("np and nq above 1", inside, BLUE, "solid", 3),
        ("elsewhere", ~inside, GREY, "dot", 2),
    ):
        figure.add_scatter(
            x=_GRID,
            y=np.where(keep, curve, np.nan),
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": width},
        )
    for name, level, colour, dash in (
        ("c₂ = √3/4", mis.RATE_HIGH, ORANGE, "dash"),
        ("1/√(2π)", mis.RATE_LIMIT, GREEN, "dashdot"),
        ("c₁ = (2/3)^(5/2)", mis.RATE_LOW, ORANGE, "longdash"),
    ):
        figure.add_scatter(
            x=[0, 1],
            y=[level, level],
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 2},
        )
    add_point(figure, [p], [here], "at your p", showlegend=False)
    if n * min(p, 1 - p) > 1:
        verdict = (
            f"between c1 = {say(mis.RATE_LOW)} and c2 = {say(mis.RATE_HIGH)} (bounds), and "
            f"{say(abs(here / mis.RATE_LIMIT - 1) * 100, 2)}% "
            f"{'above' if here > mis.RATE_LIMIT else 'below'} the limit "
            f"{say(mis.RATE_LIMIT)}"
        )
    else:
        rare = "p" if p <= 0.5 else "q"
        if here < mis.RATE_LOW:
            where = f"lies below c1 = {say(mis.RATE_LOW)}"
        elif here > mis.RATE_HIGH:
            where = f"lies above c2 = {say(mis.RATE_HIGH)}"
        else:
            where = "lies between them all the same"
        verdict = (
            f"but n{rare} = {say(n * min(p, 1 - p))} is not above 1, so the constants promise "
            f"nothing here: the ratio {where}"
        )
    return finish(
        figure,
        sentence=f"At n = {n} and p = {say(p)} the ratio is {say(here)} (exact), {verdict}.",
        alt=(
            f"A curve of scallops, one for each step of width 1/{n}, against p from 0 to 1. "
            f"Where np and nq are above 1 it stays between two dashed lines at "
            f"{say(mis.RATE_LOW)} and {say(mis.RATE_HIGH)}; at p = {say(p)} it is {say(here)}."
        ),
        layout={
            "xaxis": axis("p", range=[0, 1]),
            "yaxis": axis("ratio", range=[0.15, 0.46]),
            "height": 420,
        },
    )
