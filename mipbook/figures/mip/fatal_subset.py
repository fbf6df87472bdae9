"""The data set of Proposition 11, its halves, and the one half that gives it away."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, Part, Slider, declared, layer, stacked
from mipbook import mip
from mipbook.base.types import Array
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.looks import IN, LEVEL, OUT, READING, Look
from mipbook.figures.marks import Trace, bars, level, points
from mipbook.figures.words import say

__all__ = ["fatal_subset"]

_LAST = 40


class _Halves(NamedTuple):
    """All halves by rising answer, a few of them as stops, and the answers' histogram."""

    members: NDArray[np.bool_]
    answers: Array
    stops: NDArray[np.int64]
    edges: NDArray[Any]
    heights: NDArray[np.int64]


@lru_cache(maxsize=8)
def _halves(n: int) -> _Halves:
    outputs, members = mip.reciprocal_outputs(n)
    order = np.argsort(outputs, kind="stable")
    stops = np.rint(np.linspace(0, len(order) - 1, _LAST + 1)).astype(int)
    edges = np.arange(-(n - 1), n // 2 + 1) + 1e-9
    heights, _ = np.histogram(np.log2(outputs), bins=edges)
    return _Halves(members[order], outputs[order], stops, edges, heights)


def _dots(name: str, n: int, shown: NDArray[np.bool_], look: Look) -> Trace:
    """Return some of the records, on an axis that grows by one a doubling, on both sides of 0."""
    records = mip.reciprocal_data_set(n)
    place = np.sign(records) * np.log2(1 + np.abs(records))
    labels = np.array([f"{1 << i:,}" for i in range(n - 1)] + ["a"])
    return points(
        name,
        place[shown],
        np.zeros(int(shown.sum())),
        look,
        size=15,
        mode="markers+text",
        text=labels[shown].tolist(),
        textposition="top center",
        textfont={"color": READING.colour},
        customdata=[say(float(v), 4) for v in records[shown]],
        hovertemplate="record %{customdata}<extra></extra>",
        **LOWER,
    )


def _answers(n: int) -> Part:
    """Return the histogram of all answers, and the largest change of one swap."""
    halves = _halves(n)
    count = halves.answers.size
    fatal = float(halves.answers[-1])
    change = mip.reciprocal_sensitivity(n)
    centres = (halves.edges[:-1] + halves.edges[1:]) / 2
    ticks = list(range(-(n - 1), n // 2 + 1, 2))
    traces = [
        bars(
            "halves with such an answer (exact)",
            centres,
            halves.heights,
            LEVEL,
            hovertemplate="about this is the answer of %{y} halves<extra></extra>",
        ),
        level(
            "largest change by one swap (exact)",
            [np.log2(fatal - change), np.log2(fatal)],
            2.2,
            OUT,
            mode="lines+markers",
            marker={"symbol": "line-ns-open", "size": 12, "color": OUT.colour},
        ),
    ]
    layout = {
        "xaxis": axis(
            "the query's answer, 1 / sum; drag it",
            tickvals=ticks,
            ticktext=[f"1/{2**-t:,}" if t < 0 else f"{2**t}" for t in ticks],
            range=[-(n - 0.5), n // 2 + 0.5],
        ),
        "yaxis": axis("number of halves", log=True, range=[-0.3, np.log10(count) + 0.1]),
        "xaxis2": axis(
            "the records", showticklabels=False, ticks="", showgrid=False, range=[0.4 - n // 2, n - 0.4]
        ),
        "yaxis2": {"visible": False, "range": [-1, 2]},
        "rows": (0.74, 0.26),
        "height": 440,
        "bargap": 0.08,
    }
    track = {"x": np.log2(halves.answers[halves.stops]), "y": np.ones(_LAST + 1)}
    meta = {
        "grab": [{"control": "half", "axis": "x", "track": track}],
        "moving_axes": "another n is another data set, with answers and records of its own",
    }
    words = {"halves": f"{count:,}", "change": say(change, 4), "largest": say(fatal)}
    return Part(traces, placed(layout), words, meta)


def _half(n: int, half: float) -> Part:
    """Return the records of one half, and where its answer lies."""
    halves = _halves(n)
    index = int(halves.stops[round(half)])
    chosen, answer = halves.members[index], float(halves.answers[index])
    told = _rank(index, halves.answers.size)
    traces = [
        points("this half's answer (exact)", np.log2(answer), 1.0, READING, size=15),
        _dots("in the half", n, chosen, IN),
        _dots("left out", n, ~chosen, OUT.with_symbol("circle-open")),
    ]
    sentence = (
        f"This half, {told}, sums to {say(1 / answer, 4)}, so the answer is {say(answer, 4)} "
        "(exact). One swapped record changes an answer by up to {change}: DP must hide that, for "
        "one half of {halves}."
    )
    alt = (
        "Above, a histogram of the answers of all {halves} halves; nearly all lie far below 1, "
        f"one stands alone at {{largest}}, and a diamond marks {say(answer)}. Below, the {n} "
        f"records on a doubling axis, {n // 2} of them filled."
    )
    headline = f"the answer is {say(answer)}"
    return Part(traces, meta={"sentence": sentence, "alt": alt, "headline": headline})


def _rank(index: int, count: int) -> str:
    if index == count - 1:
        return "the fatal one"
    return f"number {index + 1:,} of {count:,} by its answer"


@declared
def fatal_subset(
    n: Annotated[int, Choice([6, 8, 10, 12], label="Records, n")] = 8,
    half: Annotated[
        int, Slider(0, _LAST, 20, step=1, label="Which half, the fatal one last", play=True)
    ] = 20,
) -> go.Figure:
    """Draw the records, one half, and where its output lies among the outputs of all halves.

    The stops go through the halves by rising answer, in equal steps.

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.

    Examples
    --------
    >>> "the fatal one" in fatal_subset(8, 40).layout.meta["sentence"]
    True
    """
    return stacked(layer(_answers, n=n), layer(_half, n=n, half=half))
