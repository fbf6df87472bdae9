"""The law of a mean, with one record known and without: how far it slides."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE, fill
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import percent, say

__all__ = ["mean_slide"]

Array = NDArray[np.float64]
_SIZES = np.array([2, 3, 5, 10, 20, 50, 100, 300, 1000, 10_000])
_POINTS = np.linspace(-4.5, 4.5, 181)


@lru_cache(maxsize=64)
def _scaled(d: int) -> Array:
    return np.array([math.sqrt(n) * mis.gaussian_mean_delta(int(n), d) for n in _SIZES])


def mean_slide(n: int = 10, d: int = 1, distance: float = 1.5) -> go.Figure:
    """Draw the law of the mean given one record, and sqrt(n) Delta against n.

    Parameters
    ----------
    n : int
        Records, in [2, 10000].
    d : int
        Coordinates of a record, in [1, 1000].
    distance : float
        Length of the record that is looked for, in [0, 5].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 13 and Proposition 25.

    Examples
    --------
    >>> "0.107 (exact)" in mean_slide(10, 1).layout.meta["sentence"]
    True
    """
    n = validate.integer("n", n, 2, 10_000)
    d = validate.integer("d", d, 1, 1000)
    distance = validate.number("distance", distance, 0.0, 5.0)
    centre, variance = distance / math.sqrt(n), 1 - 1 / n
    without = np.exp(-(_POINTS**2) / 2) / math.sqrt(2 * math.pi)
    given = np.exp(-((_POINTS - centre) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    figure = go.Figure()
    figure.add_scatter(
        x=_POINTS,
        y=without,
        mode="lines",
        name="the record is out",
        line={"color": BLUE, "dash": "dash", "width": 2},
    )
    figure.add_scatter(
        x=_POINTS,
        y=given,
        mode="lines",
        name="the record is in",
        line={"color": ORANGE, "width": 3},
    )
    # The area between the two curves where the record's own is the higher one.
    figure.add_scatter(
        x=np.concatenate([_POINTS, _POINTS[::-1]]),
        y=np.concatenate([np.maximum(given, without), without[::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=fill(ORANGE),
        name="gain",
        hoverinfo="skip",
    )
    delta = mis.gaussian_mean_delta(n, d)
    limit = mis.universal_constant("gaussian", d=d)
    figure.add_scatter(
        x=_SIZES,
        y=_scaled(d),
        mode="lines+markers",
        name="sqrt(n) Delta (exact)",
        line={"color": GREEN, "width": 2.5},
        marker={"symbol": "square", "size": 7},
        **LOWER,
    )
    figure.add_scatter(
        x=[2, 10_000],
        y=[limit, limit],
        mode="lines",
        name="limit (exact)",
        line={"color": GREY, "dash": "dot", "width": 2},
        **LOWER,
    )
    figure.add_scatter(
        x=[n],
        y=[math.sqrt(n) * delta],
        mode="markers",
        name="this n",
        marker={"color": INK, "symbol": "diamond", "size": 13},
        **LOWER,
    )
    tv = mis.near_gaussians_tv(n, distance, d)
    bound = mis.near_gaussians_bound(n, distance, d)
    over = "1/pi = " if d == 1 else ""
    many = "coordinate" if d == 1 else "coordinates"
    return finish(
        figure,
        sentence=(
            f"With n = {n:,} and {d} {many}, the mean tells a record at distance {say(distance)} "
            f"with a total variation of {say(tv)} (exact); Proposition 25 allows "
            f"{say(bound)} (bound). Over all records Delta = {say(delta)} (exact), so the best "
            f"attack is right {percent((1 + delta) / 2)} of the time; sqrt(n) Delta = "
            f"{say(math.sqrt(n) * delta)} on the way to {over}{say(limit)} (exact)."
        ),
        alt=(
            f"Above, two bells along the record's direction: out, standard and dashed; in, solid, "
            f"centred at {say(centre)} with variance {say(variance)}, the excess shaded. Below, "
            f"sqrt(n) Delta against n goes from {say(float(_scaled(d)[0]))} to a flat line at "
            f"{say(limit)}."
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
