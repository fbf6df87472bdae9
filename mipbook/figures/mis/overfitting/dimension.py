"""Interpolating learners against the number of features: Figures 2a and 2b."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import learners
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import percent, say
from mipbook.runs import store as stored_runs

__all__ = ["OVERFITTING_DIMENSIONS", "mis_figure_2a", "mis_figure_2b"]

Array = NDArray[Any]

OVERFITTING_DIMENSIONS = {
    "2a": (50, 100, 150, 180, 200, 220, 250, 300, 400, 600, 1000, 2000),
    "2b": (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000),
}
# Where the exact curves are drawn besides the simulated dimensions.
_BETWEEN = (70, 125, 165, 190, 196, 205, 210, 235, 350, 500, 770, 1400)


@lru_cache(maxsize=64)
def _exact(dimension: int) -> tuple[Array, Array]:
    """Return the exact fractions of members and of others, n = 200 and noise 0.1."""
    signal, levels = math.pi**2 / dimension, learners.THRESHOLDS
    inside, outside = (
        learners.residual_law(200, dimension, signal, 0.1, of=of).below(levels)
        for of in ("train", "test")
    )
    return inside, outside


def _start(figure: str, level: int, low: list[str]) -> tuple[go.Figure, Array, Array, Array]:
    """Draw the simulated points with the range over the models."""
    run = stored_runs.load(f"overfitting_{figure}").arrays
    picture = go.Figure()
    looks = (("members", BLUE, "circle"), ("fresh", ORANGE, "square"))
    means = []
    for (name, colour, symbol), key in zip(looks, ("train", "validation"), strict=True):
        found = run[key][:, :, level].astype(float)
        mean = found.mean(axis=1)
        means.append(mean)
        picture.add_scatter(
            x=run["dimensions"],
            y=mean,
            mode="markers",
            name=f"{name} (estimate)",
            marker={"color": colour, "symbol": symbol, "size": 9},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": found.max(axis=1) - mean,
                "arrayminus": mean - found.min(axis=1),
                "color": colour,
                "thickness": 1,
                "width": 2,
            },
        )
    low.append(f"{say(float(means[1].min()))} and {say(float(means[1].max()))}")
    return picture, run["dimensions"], means[0], means[1]


def _mark(figure: go.Figure, x: int, y: float) -> None:
    figure.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        name="your dimension",
        marker={"color": INK, "symbol": "diamond-open", "size": 15, "line": {"width": 2.5}},
    )


def _layout() -> dict[str, Any]:
    return {
        "xaxis": axis("dimension of x, d", type="log", tickvals=[2, 5, 10, 50, 200, 1000]),
        "yaxis": axis("fraction", range=[-0.03, 1.05]),
        "height": 430,
    }


def mis_figure_2a(threshold: float = 1e-6, dimension: int = 200) -> go.Figure:
    """Draw what least squares does to the losses of 200 records, against the dimension.

    Parameters
    ----------
    threshold : float
        One of the seven thresholds, from 1e-6 to 0.5.
    dimension : int
        Where to read the curves: one of 50, 100, 150, 180, 200, ..., 2000.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Figure 2a and Example 2.  The dots are ten models each with inputs on the
    sphere, the curves the exact laws for normal inputs of the same size.

    Examples
    --------
    >>> [t.name for t in mis_figure_2a().data][2:4]
    ['members (exact)', 'fresh (exact)']
    """
    threshold = validate.choice("threshold", threshold, learners.THRESHOLDS)
    dimension = validate.choice("dimension", dimension, OVERFITTING_DIMENSIONS["2a"])
    level, told = learners.THRESHOLDS.index(threshold), list[str]()
    figure, dimensions, train, fresh = _start("2a", level, told)
    grid = sorted({*OVERFITTING_DIMENSIONS["2a"], *_BETWEEN})
    for name, side, colour, dash in (("members", 0, BLUE, "solid"), ("fresh", 1, ORANGE, "dash")):
        figure.add_scatter(
            x=grid,
            y=[float(_exact(d)[side][level]) for d in grid],
            mode="lines",
            name=f"{name} (exact)",
            line={"color": colour, "dash": dash, "width": 2.5},
        )
    at = list(dimensions).index(dimension)
    inside, outside = (float(_exact(dimension)[side][level]) for side in (0, 1))
    _mark(figure, dimension, outside)
    figure.add_scatter(
        x=[200, 200],
        y=[0, 1],
        mode="lines",
        name="d = n",
        line={"color": GREY, "dash": "dot", "width": 1.5},
    )
    if dimension >= 200:
        known = "Every training loss is 0 (exact)"
    else:
        known = f"Of the training losses {percent(inside)} are at most {say(threshold)} (exact)"
    return finish(
        figure,
        sentence=(
            f"Least squares on 200 records with {dimension:,} features. {known}. A fresh loss is "
            f"at most {say(threshold)} with probability {percent(outside)} (exact, normal "
            f"inputs); ten models with inputs on the sphere gave {percent(fresh[at])} (estimate). "
            f"The threshold attack is right {percent((inside + 1 - outside) / 2)} of the time "
            f"(exact)."
        ),
        alt=(
            f"Fraction of losses at most {say(threshold)} against the dimension from 50 to 2,000. "
            f"Members go from {say(train[0])} to 1 at d = 200 and stay there; fresh records "
            f"vary between {told[0]} over the dimensions."
        ),
        layout=_layout(),
    )


def mis_figure_2b(threshold: float = 1e-6, dimension: int = 10) -> go.Figure:
    """Draw what the nearest neighbour does to the losses of 1,000 records.

    Parameters
    ----------
    threshold : float
        One of the seven thresholds, from 1e-6 to 0.5.
    dimension : int
        Where to read the points: 2, 3, 5, 10, 20, 50, 100, 200, 500 or 1000.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Figure 2b: five models a dimension.

    Examples
    --------
    >>> float(mis_figure_2b().data[0].y[0])
    1.0
    """
    threshold = validate.choice("threshold", threshold, learners.THRESHOLDS)
    dimension = validate.choice("dimension", dimension, OVERFITTING_DIMENSIONS["2b"])
    told = list[str]()
    figure, dimensions, train, fresh = _start("2b", learners.THRESHOLDS.index(threshold), told)
    for trace, dash in zip(figure.data, ("solid", "dash"), strict=True):
        trace.mode, trace.line = "lines+markers", {"dash": dash, "width": 2}
    right = (train + 1 - fresh) / 2
    figure.add_scatter(
        x=dimensions,
        y=right,
        mode="lines",
        name="attack right (estimate)",
        line={"color": GREEN, "dash": "dot", "width": 3},
    )
    at = list(dimensions).index(dimension)
    _mark(figure, dimension, fresh[at])
    return finish(
        figure,
        sentence=(
            f"The nearest of 1,000 records in {dimension:,} dimensions. A training record is its "
            f"own nearest neighbour, so its loss is 0 (exact). Of the fresh losses "
            f"{percent(fresh[at])} are at most {say(threshold)}, and the threshold attack is right "
            f"{percent(right[at], 4)} of the time (estimates, five models)."
        ),
        alt=(
            f"Fraction of losses at most {say(threshold)} against the dimension from 2 to 1,000: "
            f"members at 1 throughout, fresh records between {told[0]}, and the accuracy of "
            f"the attack between {say(float(right.min()))} and {say(float(right.max()))}."
        ),
        layout=_layout(),
    )
