"""Interpolating learners against the number of features: Figures 2a and 2b."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, declared
from mipbook import learners
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import Trace, curve, error_bars, level, points
from mipbook.figures.words import percent, say
from mipbook.stored import store as stored_runs
from mipbook.stored.limits import LEVELS

__all__ = ["mis_figure_2a", "mis_figure_2b"]

Array = NDArray[Any]

_DIMENSIONS = (50, 100, 150, 180, 200, 220, 250, 300, 400, 600, 1000, 2000)
# Where the exact curves are drawn besides the simulated dimensions.
_BETWEEN = (70, 125, 165, 190, 196, 205, 210, 235, 350, 500, 770, 1400)
_GRID = sorted({*_DIMENSIONS, *_BETWEEN})
_THRESHOLD = Choice(LEVELS, label="Threshold")


def _layout(low: float, high: float) -> dict[str, Any]:
    """Return the layout of both figures; the dimensions run between two decades."""
    ticks: dict[str, Any] = {"tickvals": [2, 5, 10, 50, 200, 1000], "range": [low, high]}
    return {
        "xaxis": axis("dimension of x, d", type="log", **ticks),
        "yaxis": axis("share of losses below", range=[-0.03, 1.05], tickformat=".0%"),
        "height": 400,
    }


@lru_cache(maxsize=1)
def _exact() -> Array:
    """Return the exact fractions at all dimensions: members, then others; n = 200, noise 0.1."""
    laws = [
        [learners.residual_law(200, d, math.pi**2 / d, 0.1, of=of) for d in _GRID] for of in ("train", "test")
    ]
    return np.array([[law.below(LEVELS) for law in side] for side in laws])


def _simulated(figure: str, column: int) -> tuple[Array, Array, Array]:
    """Return the dimensions, and the fractions of members and of others in each model."""
    run = stored_runs.load(f"overfitting_{figure}").arrays
    train, fresh = (run[key][:, :, column].astype(float) for key in ("train", "validation"))
    return run["dimensions"], train, fresh


def _means_with_ranges(dimensions: Array, train: Array, fresh: Array, *, line: bool) -> list[Trace]:
    """Draw the means over the models, with bars from the lowest to the highest."""
    traces = []
    for name, shares, look in (("members", train, looks.IN), ("fresh", fresh, looks.OUT)):
        mean = shares.mean(axis=1)
        bars = error_bars(mean, shares.min(axis=1), shares.max(axis=1), color=look.colour, width=2)
        more: dict[str, Any] = {"error_y": bars, "hovertemplate": _told(f"{name} (simulated)")}
        name = f"{name} (estimate)"
        if line:
            traces.append(curve(name, dimensions, mean, look, marked=True, **more))
        else:
            traces.append(points(name, dimensions, mean, look, size=9, **more))
    return traces


def _told(who: str) -> str:
    return f"%{{x:,}} dimensions: %{{y:.1%}} of {who} are below<extra></extra>"


@declared
def mis_figure_2a(threshold: Annotated[float, _THRESHOLD] = 1e-3) -> go.Figure:
    """Draw what least squares does to the losses of 200 records, against the dimension.

    Notes
    -----
    Limits paper, Figure 2a and Example 2.  The dots are ten models each with inputs on the
    sphere, the curves the exact distributions for normal inputs of the same size.

    Examples
    --------
    >>> [t.name for t in mis_figure_2a().data][2:4]
    ['members (exact)', 'fresh (exact)']
    """
    column = LEVELS.index(threshold)
    dimensions, train, fresh = _simulated("2a", column)
    inside, outside = _exact()[:, :, column]
    at = {d: _GRID.index(d) for d in (200, 2000)}
    right = {d: percent((inside[i] + 1 - outside[i]) / 2) for d, i in at.items()}
    measured = float(fresh.mean(axis=1)[dimensions.tolist().index(200)])
    return finish(
        [
            *_means_with_ranges(dimensions, train, fresh, line=False),
            curve("members (exact)", _GRID, inside, looks.IN, hovertemplate=_told("members")),
            curve("fresh (exact)", _GRID, outside, looks.OUT, hovertemplate=_told("fresh records")),
            level("d = n", 200, [0, 1]),
        ],
        headline=f"attack right {right[200]} at d = 200",
        sentence=(
            f"From d = n = 200 on all training losses are 0 (exact). At d = 200 "
            f"{percent(outside[at[200]])} of fresh losses are at most {say(threshold)} (exact, "
            f"normal inputs; {percent(measured)} in ten models, estimate). The attack is right "
            f"{right[200]} of the time there, {right[2000]} at d = 2,000 (exact)."
        ),
        alt=(
            f"Fraction of losses at most {say(threshold)} against the dimension from 50 to 2,000. "
            f"Members go from {say(float(inside[0]))} to 1 at d = 200 and stay there; fresh "
            f"records vary between {say(float(outside.min()))} and {say(float(outside.max()))}."
        ),
        layout=_layout(1.65, 3.35),
        probe=["fresh (exact)", "members (exact)"],
    )


@declared
def mis_figure_2b(threshold: Annotated[float, _THRESHOLD] = 1e-3) -> go.Figure:
    """Draw what the nearest neighbour does to the losses of 1,000 records.

    Notes
    -----
    Limits paper, Figure 2b: five models a dimension.

    Examples
    --------
    >>> float(mis_figure_2b().data[0].y[0])
    1.0
    """
    dimensions, train, fresh = _simulated("2b", LEVELS.index(threshold))
    measured = fresh.mean(axis=1)
    right = (train.mean(axis=1) + 1 - measured) / 2
    told = "%{x:,} dimensions: the attack is right %{y:.1%} of the time<extra></extra>"
    look = looks.ATTACK.estimate()
    worst, best = (int(dimensions[i]) for i in (right.argmin(), right.argmax()))
    return finish(
        [
            *_means_with_ranges(dimensions, train, fresh, line=True),
            curve("attack right (estimate)", dimensions, right, look, hovertemplate=told),
        ],
        headline=f"attack right {percent(right.min(), 4)} or more",
        sentence=(
            f"A training record is its own nearest neighbour of 1,000, so its loss is 0 (exact). "
            f"Saying member at a loss of at most {say(threshold)} is right between "
            f"{percent(right.min(), 4)}, at d = {worst:,}, and {percent(right.max(), 4)} of the "
            f"time, at d = {best:,} (estimates, five models each)."
        ),
        alt=(
            f"Fraction of losses at most {say(threshold)} against the dimension from 2 to 1,000: "
            f"members at 1 throughout, fresh records between {say(measured.min())} and "
            f"{say(measured.max())}, and the accuracy of the attack between {say(right.min())} "
            f"and {say(right.max())}."
        ),
        layout=_layout(0.2, 3.1),
        probe=["attack right (estimate)", "fresh (estimate)"],
    )
