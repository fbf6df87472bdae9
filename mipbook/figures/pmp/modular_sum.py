"""The sum modulo 2n: how often each remainder comes up with a record in, and with it out."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Part, Slider, declared, layer, stacked
from mipbook import pmp
from mipbook.base.rounding import up
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.marks import bars, curve, points, reading
from mipbook.figures.words import percent, say

__all__ = ["modular_sum_bars"]

_SIZES = range(3, 28)
_counts = lru_cache(maxsize=128)(pmp.modular_sum)


def _loose(counts: pmp.SumCounts) -> float:
    """Return the logarithm of the tallest bar over the shortest, at whatever remainders."""
    top, bottom = counts.loose_odds
    return math.log1p((top - bottom) / bottom)


def _curves() -> Part:
    """Return both parameters at each n, the axes, and what is said around the numbers."""
    sizes = list(_SIZES)
    exact = [_counts(n, 0).epsilon for n in sizes]
    loose = [_loose(_counts(n, 0)) for n in sizes]
    sentence = (
        "At no remainder do the two bars differ by more than ε̃ = {exact} (exact). {against} The "
        "best attack is right {right} of the time (exact)."
    )
    alt = (
        "Left, the PMP parameter against n from 3 to 27 on a log axis: it falls, much "
        "deeper at most even n; a diamond at n = {n}, {value}. Crosses mark the ratio of "
        "the tallest to the shortest bar, {loose} here. Right, pairs of bars for the remainders 0 "
        "to {last}: how often each comes up with record {record} in and out, an even share being "
        "1; all lie between {low} and {high}."
    )
    rows = two_rows(0.5, 0.2)
    layout = {
        "xaxis": axis("records drawn, n", range=[2, 28]) | rows["xaxis"],
        "yaxis": axis("ε̃", log=True, range=[-12, 0.3], dtick=3) | rows["yaxis"],
        "xaxis2": axis("remainder over 2n", range=[0, 1]) | rows["xaxis2"],
        "yaxis2": axis("× even share", range=[0, 1.5]) | rows["yaxis2"],
        "barmode": "group",
        "height": 430,
    }
    said = "n = %{x}: %{y:.2g}<extra></extra>"
    published = looks.PUBLISHED
    traces = [
        curve("ε̃ (exact)", sizes, exact, looks.PMP, marked=True, hovertemplate=f"ε̃ at {said}"),
        points(
            "tallest over shortest bar (bound)",
            sizes,
            loose,
            published,
            hovertemplate=f"tallest over shortest bar at {said}",
        ),
    ]
    grab = [{"control": "n", "axis": "x", "track": {"x": sizes, "y": exact}}]
    return Part(traces, layout, meta={"sentence": sentence, "alt": alt, "grab": grab, "beside": 0.46})


def _against(counts: pmp.SumCounts) -> str:
    """Say what comparing bars of different remainders would give."""
    top, bottom = counts.loose_odds
    if counts.odds == counts.loose_odds:
        return "The tallest over the shortest bar gives the same."
    written = f"ln({top}/{bottom}) = " if top < 10**4 else ""
    return (
        f"The tallest over the shortest bar, {written}{say(_loose(counts), to=up)} (bound), is "
        f"{say(_loose(counts) / counts.epsilon)} times that: no attacker confuses the two."
    )


def _bars(n: int, record: int) -> Part:
    counts = _counts(n, record)
    top, bottom = counts.odds
    written = f"ln({top}/{bottom}) = " if top < 10**5 else ""
    # In units of an even share; a remainder's two bars stand in its cell.
    even = counts.inside.sum() / (2 * n)
    at = (np.arange(2 * n) + 0.5) / (2 * n)
    remainders = list(range(2 * n))
    said = "remainder %{customdata}: %{y:.4g} times an even share<extra></extra>"
    high, low = counts.loose_odds
    more = {"customdata": remainders, "hovertemplate": said, **LOWER}
    traces = [
        reading([n], [counts.epsilon], "your n"),
        bars("record in", at, counts.inside / even, looks.IN, **more),
        bars("record out", at, counts.outside / even, looks.OUT, "/", **more),
    ]
    words = {
        "exact": f"{written}{say(counts.epsilon)}",
        "value": say(counts.epsilon),
        "loose": say(_loose(counts)),
        "right": percent(counts.accuracy, 7),
        "against": _against(counts),
        "n": str(n),
        "last": str(2 * n - 1),
        "record": str(record),
        "low": say(low / even),
        "high": say(high / even),
    }
    headline = f"ε̃ = {say(counts.epsilon)}, without any noise"
    return Part(traces, words=words, meta={"headline": headline})


@declared
def modular_sum_bars(
    n: Annotated[int, Slider(3, 27, step=1, play=True, label="Records drawn, n")] = 6,
    record: Annotated[int, Choice([0, 1, 2, 3], label="Record in question")] = 0,
) -> go.Figure:
    """Draw the shares of each remainder with the record in and out, and eps~ against n.

    Record i has the label i.

    References
    ----------
    PMP paper, Proposition 5 and the remark on n = 6.

    Examples
    --------
    >>> "38/37" in modular_sum_bars(6).layout.meta["sentence"]
    True
    """
    return stacked(layer(_curves), layer(_bars, n=n, record=record))
