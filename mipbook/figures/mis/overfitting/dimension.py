"""Interpolating learners against the number of features: Figures 2a and 2b."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import learners
from mipbook.explore import Choice, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import Trace, curve, level, points, reading
from mipbook.figures.words import percent, say
from mipbook.runs import store as stored_runs

__all__ = ["mis_figure_2a", "mis_figure_2b"]

Array = NDArray[Any]

_DIMENSIONS_2A = (50, 100, 150, 180, 200, 220, 250, 300, 400, 600, 1000, 2000)
_DIMENSIONS_2B = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
# Where the exact curves are drawn besides the simulated dimensions.
_BETWEEN = (70, 125, 165, 190, 196, 205, 210, 235, 350, 500, 770, 1400)
_GRID = sorted({*_DIMENSIONS_2A, *_BETWEEN})

_LAYOUT = {
    "xaxis": axis("dimension of x, d", type="log", tickvals=[2, 5, 10, 50, 200, 1000]),
    "yaxis": axis("fraction", range=[-0.03, 1.05]),
    "height": 430,
}


@lru_cache(maxsize=64)
def _exact(dimension: int) -> tuple[Array, Array]:
    """Return the exact fractions of members and of others, n = 200 and noise 0.1."""
    signal, levels = math.pi**2 / dimension, learners.THRESHOLDS
    inside, outside = (
        learners.residual_law(200, dimension, signal, 0.1, of=of).below(levels)
        for of in ("train", "test")
    )
    return inside, outside


def _simulated(figure: str, threshold: float) -> tuple[Array, Array, Array]:
    """Return the dimensions, and the fractions of members and of others in each model."""
    run = stored_runs.load(f"overfitting_{figure}").arrays
    column = learners.THRESHOLDS.index(threshold)
    train, fresh = (run[key][:, :, column].astype(float) for key in ("train", "validation"))
    return run["dimensions"], train, fresh


def _means_with_ranges(dimensions: Array, train: Array, fresh: Array, *, line: bool) -> list[Trace]:
    """Draw the means over the models, with bars from the lowest to the highest."""
    traces = []
    for name, shares, look in (("members", train, looks.IN), ("fresh", fresh, looks.OUT)):
        mean = shares.mean(axis=1)
        bars = {
            "type": "data",
            "symmetric": False,
            "array": shares.max(axis=1) - mean,
            "arrayminus": mean - shares.min(axis=1),
            "color": look.colour,
            "thickness": 1,
            "width": 2,
        }
        name = f"{name} (estimate)"
        if line:
            traces.append(curve(name, dimensions, mean, look, marked=True, error_y=bars))
        else:
            traces.append(points(name, dimensions, mean, look, size=9, error_y=bars))
    return traces


@declared
def mis_figure_2a(
    threshold: Annotated[float, Choice(learners.THRESHOLDS, label="Threshold")] = 1e-3,
    dimension: Annotated[int, Choice(_DIMENSIONS_2A, label="Dimension, d")] = 200,
) -> go.Figure:
    """Draw what least squares does to the losses of 200 records, against the dimension.

    Notes
    -----
    Limits paper, Figure 2a and Example 2.  The dots are ten models each with inputs on the
    sphere, the curves the exact laws for normal inputs of the same size.

    Examples
    --------
    >>> [t.name for t in mis_figure_2a().data][2:4]
    ['members (exact)', 'fresh (exact)']
    """
    dimensions, train, fresh = _simulated("2a", threshold)
    column = learners.THRESHOLDS.index(threshold)
    curves = [[float(_exact(d)[side][column]) for d in _GRID] for side in (0, 1)]
    inside, outside = (float(_exact(dimension)[side][column]) for side in (0, 1))
    measured = fresh.mean(axis=1)
    if dimension >= 200:
        known = "Every training loss is 0 (exact)"
    else:
        known = f"Of the training losses {percent(inside)} are at most {say(threshold)} (exact)"
    return finish(
        [
            *_means_with_ranges(dimensions, train, fresh, line=False),
            curve("members (exact)", _GRID, curves[0], looks.IN),
            curve("fresh (exact)", _GRID, curves[1], looks.OUT),
            reading(dimension, outside, "your dimension"),
            level("d = n", 200, [0, 1]),
        ],
        sentence=(
            f"Least squares on 200 records with {dimension:,} features. {known}. A fresh loss is "
            f"at most {say(threshold)} with probability {percent(outside)} (exact, normal "
            f"inputs); ten models with inputs on the sphere gave "
            f"{percent(measured[_DIMENSIONS_2A.index(dimension)])} (estimate). "
            f"The threshold attack is right {percent((inside + 1 - outside) / 2)} of the time "
            f"(exact)."
        ),
        alt=(
            f"Fraction of losses at most {say(threshold)} against the dimension from 50 to 2,000. "
            f"Members go from {say(train[0].mean())} to 1 at d = 200 and stay there; fresh records "
            f"vary between {say(measured.min())} and {say(measured.max())} over the dimensions."
        ),
        layout=_LAYOUT,
    )


@declared
def mis_figure_2b(
    threshold: Annotated[float, Choice(learners.THRESHOLDS, label="Threshold")] = 1e-3,
    dimension: Annotated[int, Choice(_DIMENSIONS_2B, label="Dimension, d")] = 10,
) -> go.Figure:
    """Draw what the nearest neighbour does to the losses of 1,000 records.

    Notes
    -----
    Limits paper, Figure 2b: five models a dimension.

    Examples
    --------
    >>> float(mis_figure_2b().data[0].y[0])
    1.0
    """
    dimensions, train, fresh = _simulated("2b", threshold)
    measured = fresh.mean(axis=1)
    right = (train.mean(axis=1) + 1 - measured) / 2
    place = _DIMENSIONS_2B.index(dimension)
    return finish(
        [
            *_means_with_ranges(dimensions, train, fresh, line=True),
            curve("attack right (estimate)", dimensions, right, looks.ATTACK.estimate()),
            reading(dimension, measured[place], "your dimension"),
        ],
        sentence=(
            f"The nearest of 1,000 records in {dimension:,} dimensions. A training record is its "
            f"own nearest neighbour, so its loss is 0 (exact). Of the fresh losses "
            f"{percent(measured[place])} are at most {say(threshold)}, and the threshold attack "
            f"is right {percent(right[place], 4)} of the time (estimates, five models)."
        ),
        alt=(
            f"Fraction of losses at most {say(threshold)} against the dimension from 2 to 1,000: "
            f"members at 1 throughout, fresh records between {say(measured.min())} and "
            f"{say(measured.max())}, and the accuracy of the attack between {say(right.min())} "
            f"and {say(right.max())}."
        ),
        layout=_LAYOUT,
    )
