"""A release that almost always says yes: hardly anything on average, everything to a neighbour."""

from __future__ import annotations

from typing import Annotated

import plotly.graph_objects as go

from explorable.panels import Count, Part, Stops, declared, layer, stacked
from mipbook import accounting
from mipbook.base.rounding import down, up
from mipbook.figures.frame import axis
from mipbook.figures.looks import DP, MIP, PMP
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import percent, say

__all__ = ["named_half"]

_SIZES = range(2, 41)
_CHANCES = [
    *(0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02),
    *(0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
]
_EPSILON, _ETA = "ε̃ of PMP (exact)", "η of MIP (exact)"
_DELTA = "δ that any ε of DP needs (exact)"


def _curves(p: float) -> Part:
    """Return the three numbers at every n."""
    found = [accounting.one_half(n, p) for n in _SIZES]
    said = "with %{{x}} records {} = %{{y:.3g}}<extra></extra>"
    sizes = list(_SIZES)
    drawn = (
        (_DELTA, [f.least_delta for f in found], DP, "δ"),
        (_EPSILON, [f.epsilon for f in found], PMP, "ε̃"),
        (_ETA, [f.eta for f in found], MIP.bound(), "η"),
    )
    traces = [
        curve(name, sizes, values, look, most=8, hovertemplate=said.format(letter))
        for name, values, look, letter in drawn
    ]
    layout = {
        "xaxis": axis("records in the half, n", range=[1, 41]),
        "yaxis": axis("the parameter", log=True, range=[-24.5, 1.5], dtick=4),
        "height": 420,
    }
    track = {"x": sizes, "y": [f.epsilon for f in found]}
    grab = [{"control": "n", "axis": "x", "track": track}]
    meta = {"probe": [_DELTA, _EPSILON, _ETA], "grab": grab, "ghost": [_EPSILON]}
    return Part(traces, layout, meta=meta)


def _here(n: int, p: float) -> Part:
    found = accounting.one_half(n, p)
    neighbour = percent(0.5 + found.least_delta / 2, 4, down)
    sentence = (
        f"On every pool of {2 * n} this is PMP with ε̃ = {say(found.epsilon, to=up)} and MIP with "
        f"η = {say(found.eta, to=up)} (exact). Whoever knows all records but one is right "
        f"{neighbour} of the time on the half that is named: no ε holds with δ below "
        f"{say(found.least_delta, 4, down)} (exact)."
    )
    alt = (
        "On a logarithmic axis against n from 2 to 40: the δ that DP needs stays level at "
        f"{say(found.least_delta, 4)}, the PMP parameter and η fall like a power of one "
        f"quarter; at n = {n} they stand at {say(found.epsilon)} and {say(found.eta)}."
    )
    here = reading([n] * 2, [found.epsilon, found.eta], "at your n")
    headline = f"ε̃ = {say(found.epsilon, 2)}, neighbour right {neighbour}"
    return Part([here], meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def named_half(
    n: Annotated[int, Count(_SIZES, label="Records, n", play=True)] = 5,
    p: Annotated[float, Stops(_CHANCES, label="Yes on any other half, p")] = 0.01,
) -> go.Figure:
    """Draw what *yes on one half, and with probability p on any other* promises, against n.

    Notes
    -----
    This book, Theorem 2.6.

    Examples
    --------
    >>> "0.00108" in named_half(10, 0.01).layout.meta["sentence"]
    True
    """
    return stacked(layer(_curves, p=p), layer(_here, n=n, p=p))
