"""One member named, the pool split in two: what each tells of everybody, and both."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, LogSlider, Part, Slider, declared, layer, stacked
from mipbook import accounting
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.looks import IN, LEVEL, MIP, OUT
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.words import percent, say

__all__ = ["name_one"]

_SIZES = np.arange(1, 31)
_SEEN = ("a member", "the split", "both")


def _etas(chance: float) -> Part:
    found = [accounting.member_and_split_etas(n, chance) for n in _SIZES.tolist()]
    said = "pool of %{customdata}: η = %{y:.3g}<extra></extra>"
    more: dict[str, Any] = {"customdata": 2 * _SIZES, "hovertemplate": said}
    traces = [
        curve("both releases (exact)", _SIZES, [f.together for f in found], MIP, **more),
        curve(
            "a member alone (exact)",
            _SIZES,
            [f.first for f in found],
            MIP.estimate().with_symbol("square"),
            marked=True,
            most=8,
            **more,
        ),
    ]
    rows = two_rows(0.45, 0.2)
    layout = {
        "xaxis": axis("members, n, of 2n people", range=[0, 31]) | rows["xaxis"],
        "yaxis": axis("η", log=True, range=[-4.2, 0]) | rows["yaxis"],
        "xaxis2": {"range": [-0.7, 9.7], "visible": False} | rows["xaxis2"],
        "yaxis2": {"range": [-6.8, 0.8], "visible": False} | rows["yaxis2"],
        "height": 420,
    }
    track = {"x": _SIZES, "y": [f.together for f in found]}
    meta = {
        "beside": 0.45,
        "ghost": ["a member alone (exact)"],
        "probe": ["both releases (exact)", "a member alone (exact)"],
        "grab": [{"control": "n", "axis": "x", "track": track}],
    }
    return Part(traces, layout, meta=meta)


def _people(n: int, seen: str) -> Part:
    """Return the 2n people, ten a row, by what is known when a member was published."""
    who = np.arange(2 * n)
    sure = who == 0 if seen == "a member" else np.full(2 * n, seen == "both")
    members = sure & (who < n)
    states = (
        ("surely a member", members, IN.with_symbol("square")),
        ("surely none", sure & ~members, OUT.with_symbol("x")),
        ("either", ~sure, LEVEL.with_symbol("circle-open")),
    )
    rest = percent((n - 1) / (2 * n - 1)) if seen == "a member" else "50%"
    traces = []
    for name, those, look in states:
        place = who[those]
        said = f"{name}{f', {rest}' if name == 'either' else ''}<extra></extra>"
        traces.append(points(name, place % 10, -(place // 10), look, size=17, hovertemplate=said, **LOWER))
    return Part(traces)


def _words(n: int, chance: float, seen: str) -> Part:
    found = accounting.member_and_split_etas(n, chance)
    eta = {"a member": found.first, "the split": 0.0, "both": found.together}[seen]
    told = {
        "a member": "one of the members is published, and nobody else's odds rise",
        "the split": "the two halves are printed, not which is which: nobody's odds move",
        "both": f"the half that holds the named one is the data: all {2 * n} people are known",
    }[seen]
    known = {"a member": "one of them", "the split": "none", "both": "all"}[seen]
    published = "" if seen == "the split" else f"In {percent(chance)} of all releases "
    sentence = f"{published}{told}: η = {say(eta)} (exact)."
    sentence = sentence[0].upper() + sentence[1:]
    sentence += (
        f" Alone the two have η = {say(found.first)} and 0, together {say(found.together)}: "
        f"{n} times the sum (exact)."
    )
    alt = (
        "Left, eta against the number of members on a logarithmic axis: of both releases a level "
        f"line at {say(found.together)}, of a published member alone a falling curve, "
        f"{say(found.first)} at n = {n}. Right, {2 * n} people, "
        f"{known} known."
    )
    marks = [reading([n], [found.together], "your n")]
    headline = f"η = {say(eta)} by {seen}"
    return Part(marks, meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def name_one(
    n: Annotated[int, Slider(1, 30, step=1, value=10, label="Members, n", play=True)] = 10,
    chance: Annotated[
        float, LogSlider(0.01, 1.0, value=0.1, points=17, label="How often a member is named")
    ] = 0.1,
    seen: Annotated[str, Choice(_SEEN, label="Released")] = "both",
) -> go.Figure:
    """Draw eta of a named member, and what each release tells of the people of a pool.

    Examples
    --------
    >>> "10 times the sum" in name_one(10).layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_etas, chance=chance),
        layer(_people, n=n, seen=seen),
        layer(_words, n=n, chance=chance, seen=seen),
    )
