"""The data set of Proposition 11, its halves, and the one half that gives it away."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mip
from mipbook.explore import Choice, declared
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.looks import IN, LEVEL, OUT, READING, Look
from mipbook.figures.marks import Trace, bars, points
from mipbook.figures.words import say

__all__ = ["fatal_subset"]

_TYPICAL, _FATAL = "a typical half", "the fatal half"
_HALVES = [_TYPICAL, _FATAL, "the fatal half, one record swapped"]


def _members(n: int, half: str) -> NDArray[np.bool_]:
    """Return which records the named half holds; the last record is the built one, a."""
    chosen = np.zeros(n, dtype=bool)
    if half == _TYPICAL:
        # Every second record: neither the small ones together nor the large ones.
        chosen[: n - 1 : 2] = True
        chosen[n - 2] = False
        chosen[np.flatnonzero(~chosen[: n - 1])[: n // 2 - int(chosen.sum())]] = True
        return chosen
    chosen[: n // 2 - 1] = True
    chosen[n - 1 if half == _FATAL else n - 2] = True
    return chosen


@lru_cache(maxsize=16)
def _histogram(n: int) -> tuple[NDArray[np.float64], NDArray[np.int64], float, int]:
    """Return bins of the answers' logarithm, how many halves fall into each, the largest answer."""
    outputs, _ = mip.reciprocal_outputs(n)
    edges = np.arange(-(n - 1), n // 2 + 1) + 1e-9
    heights, _ = np.histogram(np.log2(outputs), bins=edges)
    return (edges[:-1] + edges[1:]) / 2, heights, float(outputs.max()), int((outputs > 1).sum())


def _dots(name: str, n: int, shown: NDArray[np.bool_], look: Look) -> Trace:
    """Return some of the records, on an axis that grows by one a doubling, on both sides of 0."""
    records = mip.reciprocal_data_set(n)
    place = np.sign(records) * np.log2(1 + np.abs(records))
    # Every record's label has room up to n = 10; beyond that every third does, and a always.
    thin = 1 if n <= 10 else 3
    labels = np.array([f"{1 << i:,}" if i % thin == 0 else "" for i in range(n - 1)] + ["a"])
    return points(
        name,
        place[shown],
        np.zeros(int(shown.sum())),
        look,
        size=13,
        mode="markers+text",
        text=labels[shown].tolist(),
        textposition="top center",
        textfont={"color": READING.colour},
        customdata=[say(float(v), 4) for v in records[shown]],
        hovertemplate="record %{customdata}<extra></extra>",
    )


@declared
def fatal_subset(
    n: Annotated[int, Choice([4, 6, 8, 10, 12, 14, 16], label="Records, n")] = 8,
    half: Annotated[str, Choice(_HALVES, label="Which half is drawn")] = _TYPICAL,
) -> go.Figure:
    """Draw the records, the chosen half, and where its output lies among all outputs.

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.

    Examples
    --------
    >>> "(exact)" in fatal_subset(8, "the fatal half").layout.meta["sentence"]
    True
    """
    chosen = _members(n, half)
    total = float(mip.reciprocal_sums(n, chosen))
    output = 1 / total
    centres, heights, largest, above = _histogram(n)
    halves = int(heights.sum())
    spread = float(np.sqrt(mip.reciprocal_variance(n)))
    ticks = list(range(-(n - 1), n // 2 + 1, 4 if n > 10 else 2))
    return finish(
        [
            _dots("in the half", n, chosen, IN),
            _dots("left out", n, ~chosen, OUT.with_symbol("circle-open")),
            bars("halves with such an output", centres, heights, LEVEL, **LOWER),
            points("this half's output", np.log2(output), 1.0, READING, size=15, **LOWER),
        ],
        sentence=(
            f"This half sums to {say(total, 4)}, so the query answers {say(output, 4)} "
            f"(exact). Of {halves:,} halves, {above} gives an answer above 1. The "
            f"standard deviation over all halves is {say(spread, 4)}, the largest change from one "
            f"swapped record {say(mip.reciprocal_sensitivity(n), 4)} (both exact)."
        ),
        alt=(
            f"Above, the {n} records on a doubling axis, {n // 2} of them filled: {half}. Below, a "
            f"histogram of the answers of all {halves} halves; nearly all lie far below 1, one "
            f"stands alone at {say(largest)}. The diamond marks {say(output)}."
        ),
        layout={
            "xaxis": axis("the records, on a doubling axis", showticklabels=False, ticks=""),
            "yaxis": {"visible": False, "range": [-1, 1.6]},
            "xaxis2": axis(
                "the query's answer, 1 / sum",
                tickvals=ticks,
                ticktext=[f"1/{2**-t:,}" if t < 0 else f"{2**t}" for t in ticks],
            ),
            "yaxis2": axis("number of halves", log=True, range=[-0.3, np.log10(halves) + 0.1]),
            "rows": (0.3, 0.2),
            "height": 480,
            "bargap": 0.08,
        },
    )
