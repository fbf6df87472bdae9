"""The data set of Proposition 11, its halves, and the one half that gives it away."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mip
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREY, INK, ORANGE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import say

__all__ = ["fatal_subset"]

_HALVES = ("a typical half", "the fatal half", "the fatal half, one record swapped")


def _half(n: int, half: str) -> NDArray[np.bool_]:
    """Return which records the named half holds; the last record is the built one, a."""
    chosen = np.zeros(n, dtype=bool)
    if half == "a typical half":
        # Every second record: neither the small ones together nor the large ones.
        chosen[: n - 1 : 2] = True
        chosen[n - 2] = False
        chosen[np.flatnonzero(~chosen[: n - 1])[: n // 2 - int(chosen.sum())]] = True
        return chosen
    chosen[: n // 2 - 1] = True
    chosen[n - 1 if half == "the fatal half" else n - 2] = True
    return chosen


def _sum(n: int, chosen: NDArray[np.bool_]) -> float:
    """Return the half's sum: whole numbers first, so that nothing cancels."""
    whole = int(sum(1 << i for i in np.flatnonzero(chosen[: n - 1]).tolist()))
    if not chosen[n - 1]:
        return float(whole)
    return mip.reciprocal_root(n) + (whole - ((1 << (n // 2 - 1)) - 1))


def _place(value: float) -> float:
    """Place a record on an axis that grows by one a doubling, on both sides of 0."""
    return float(np.sign(value) * np.log2(1 + abs(value)))


def fatal_subset(n: int = 8, half: str = "a typical half") -> go.Figure:
    """Draw the records, the chosen half, and where its output lies among all outputs.

    Parameters
    ----------
    n : int
        Records, even, in [4, 18].
    half : str
        Which half to show: a typical one, the fatal one, or its neighbour.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.

    Examples
    --------
    >>> "(exact)" in fatal_subset(8, "the fatal half").layout.meta["sentence"]
    True
    """
    n = validate.integer("n", n, 4, 18, multiple_of=2)
    half = validate.choice("half", half, _HALVES)
    records = mip.reciprocal_data_set(n)
    chosen = _half(n, half)
    output = 1 / _sum(n, chosen)
    outputs, _ = mip.reciprocal_outputs(n)
    # Every record's label has room up to n = 10; beyond that every third does, and a always.
    thin = 1 if n <= 10 else 3
    labels = [f"{1 << i:,}" if i % thin == 0 else "" for i in range(n - 1)] + ["a"]
    figure = go.Figure()
    for kept, name, colour, symbol in (
        (True, "in the half", BLUE, "circle"),
        (False, "left out", GREY, "circle-open"),
    ):
        shown = chosen == kept
        figure.add_scatter(
            x=[_place(v) for v in records[shown]],
            y=np.zeros(int(shown.sum())),
            mode="markers+text",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 13, "line": {"width": 2}},
            text=[labels[i] for i in np.flatnonzero(shown)],
            textposition="top center",
            textfont={"color": INK},
            customdata=[say(float(v), 4) for v in records[shown]],
            hovertemplate="record %{customdata}<extra></extra>",
        )
    edges = np.arange(-(n - 1), n // 2 + 1) + 1e-9
    heights, _ = np.histogram(np.log2(outputs), bins=edges)
    figure.add_bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=heights,
        name="halves with such an output",
        marker={"color": GREY},
        **LOWER,
    )
    figure.add_scatter(
        x=[np.log2(output)],
        y=[1.0],
        mode="markers",
        name="this half's output",
        marker={"color": ORANGE, "symbol": "diamond", "size": 15},
        **LOWER,
    )
    total = outputs.size
    ticks = list(range(-(n - 1), n // 2 + 1, 4 if n > 10 else 2))
    spread = float(np.sqrt(mip.reciprocal_variance(n)))
    sentence = (
        f"This half sums to {say(_sum(n, chosen), 4)}, so the query answers {say(output, 4)} "
        f"(exact). Of {total:,} halves, {int((outputs > 1).sum())} gives an answer above 1. The "
        f"standard deviation over all halves is {say(spread, 4)}, the largest change from one "
        f"swapped record "
        f"{say(mip.reciprocal_sensitivity(n), 4)} (both exact)."
    )
    return finish(
        figure,
        sentence=sentence,
        alt=(
            f"Above, the {n} records on a doubling axis, {n // 2} of them filled: {half}. Below, a "
            f"histogram of the answers of all {total} halves; nearly all lie far below 1, one "
            f"stands alone at {say(float(outputs.max()))}. The diamond marks {say(output)}."
        ),
        layout={
            "xaxis": axis("the records, on a doubling axis", showticklabels=False, ticks=""),
            "yaxis": {"visible": False, "range": [-1, 1.6]},
            "xaxis2": axis(
                "the query's answer, 1 / sum",
                tickvals=ticks,
                ticktext=[f"1/{2**-t:,}" if t < 0 else f"{2**t}" for t in ticks],
            ),
            "yaxis2": axis("number of halves", log=True, range=[-0.3, np.log10(total) + 0.1]),
            "rows": (0.3, 0.2),
            "height": 480,
            "bargap": 0.08,
        },
    )
