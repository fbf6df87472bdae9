"""The map of the twelve arrows, and what the chosen one says, accuracy against accuracy."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Part, Slider, declared, layer, stacked
from mipbook import accounting
from mipbook.base.rounding import up
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.looks import DP, LEVEL, MIP, MIS, PMP, READING, SERIES, Look
from mipbook.figures.marks import Trace, band, curve, level, points, reading
from mipbook.figures.together.implications.told import TAGGED, headline_of, sentence_of, witness_of
from mipbook.figures.words import percent

__all__ = ["implication_map"]

_LOOKS = {"DP": DP, "MIP": MIP, "PMP": PMP, "MIS": MIS}
_AT = {"DP": (0.0, 1.0), "PMP": (1.0, 1.0), "MIP": (1.0, 0.0), "MIS": (0.0, 0.0)}
_KINDS = {
    "sharp": ("follows, sharp", "solid"),
    "bound": ("follows, a bound", "dash"),
    "impossible": ("does not follow", "dot"),
}
# Shares of a side: how far an arrow stays from its nodes, and from the arrow back.
_GAP, _ASIDE = 0.18, 0.035
# And how far its handles.
_HELD = 0.3
_RIGHT = Slider(50, 99, 75, step=1, label="Right in the first game, at most", unit="%")


def _arrow(start: str, end: str) -> tuple[list[float], list[float], float]:
    """Return three points of an arrow, and the angle of its head, clockwise from upwards."""
    (x0, y0), (x1, y1) = _AT[start], _AT[end]
    length = math.hypot(x1 - x0, y1 - y0)
    u, v = (x1 - x0) / length, (y1 - y0) / length
    near, far = _GAP, length - _GAP
    # Those across stand aside of the middle, where the two diagonals meet.
    places = (near, near + 0.36 * (far - near), far)
    x = [x0 + u * s + v * _ASIDE for s in places]
    y = [y0 + v * s - u * _ASIDE for s in places]
    return x, y, math.degrees(math.atan2(u, v))


def _lines(name: str, arrows: list[tuple[str, str]], look: Look, **more: Any) -> Trace:
    """Return arrows of one kind: a line, a head, and a cross where nothing follows."""
    x: list[float | None] = []
    y: list[float | None] = []
    symbols: list[str] = []
    sizes: list[float] = []
    angles: list[float] = []
    for start, end in arrows:
        across, up, angle = _arrow(start, end)
        crossed = accounting.arrow(start, end).kind == "impossible"
        x += [*across, None]
        y += [*up, None]
        # The first one stands in the legend, and has no size in the picture.
        symbols += ["x" if crossed else "triangle-right", "x", "triangle-up", "circle"]
        sizes += [0.0, 8.0 if crossed else 0.0, 11.0, 0.0]
        angles += [0.0, 0.0, angle, 0.0]
    marker = {
        "symbol": symbols,
        "size": sizes,
        "angle": angles,
        "color": look.colour,
        "opacity": 1,
        "line": {"width": 0},
    }
    return curve(name, x, y, look, mode="lines+markers", marker=marker, hoverinfo="skip", **more)


def _drawn(start: str, end: str) -> list[Trace]:
    """Return the nodes and all arrows, the chosen one last and thick."""
    traces = []
    for kind, (name, dash) in _KINDS.items():
        arrows = [(a.start, a.end) for a in accounting.ARROWS if a.kind == kind]
        traces.append(_lines(name, arrows, Look(LEVEL.colour, dash, width=1.5)))
    if start != end:
        dash = _KINDS[accounting.arrow(start, end).kind][1]
        thick = Look(_LOOKS[start].colour, dash, width=5)
        traces.append(_lines("chosen", [(start, end)], thick, showlegend=False))
    for notion, (x, y) in _AT.items():
        look = _LOOKS[notion].with_symbol("circle-open")
        words = {"text": [f"<b>{notion}</b>"], "textposition": "middle center", "mode": "markers+text"}
        font = {"color": look.colour, "size": 13}
        node = points(notion, x, y, look, size=38, textfont=font, hoverinfo="skip", **words)
        traces.append({**node, "showlegend": False, "cliponaxis": False})
    return traces


@lru_cache(maxsize=1)
def _tags() -> tuple[list[float], list[float]]:
    """Return the accuracies of random tags in the games of PMP and MIS, in percent."""
    rights = [0.5, 0.55, *np.linspace(0.6, 0.98, 20).tolist(), 0.99]
    epsilons = [float(accounting.promised_parameter("PMP", right)) for right in rights]
    deltas = [accounting.tag_release_at(TAGGED, epsilon).delta for epsilon in epsilons]
    return [100 * r for r in rights], [50 + 50 * d for d in deltas]


def _said(start: str, end: str) -> tuple[list[Trace], str]:
    """Return the curve of the chosen arrow, and its name."""
    grid = np.linspace(0.5, 1.0, 51)
    hover = f"%{{x:.3g}}% in {start}'s game: at most %{{customdata:.3g}}% in {end}'s<extra></extra>"
    found = 100 * grid
    if start != end:
        chosen = accounting.arrow(start, end)
        found = 100 * np.asarray(chosen.accuracy(grid))
    more = {"hovertemplate": hover, "customdata": [up(each, 3) for each in found], **LOWER}
    if start == end:
        name = "the promise itself (bound)"
        return [curve(name, found, found, _LOOKS[end], **more)], name
    if chosen.kind == "sharp":
        name = f"{end} from {start} (bound, sharp)"
        return [curve(name, 100 * grid, found, _LOOKS[end].exact(), **more)], name
    if chosen.kind == "impossible":
        name = "nothing follows"
        look = Look(_LOOKS[end].colour, "dot")
        witness = points(witness_of(start, end), 50.0, 100.0, READING.with_symbol("star"), size=14)
        return [curve(name, 100 * grid, found, look, **more), {**witness, "hoverinfo": "skip", **LOWER}], name
    name = f"{end} from {start} (bound)"
    x, y = _tags()
    tags = f"random tags, n = {TAGGED} (exact)"
    upper = 100 * np.asarray(chosen.accuracy(np.array(x) / 100))
    return [
        band("where the truth lies", x, y, upper, MIS, **LOWER),
        curve(name, 100 * grid, found, MIS.bound(), **more),
        curve(tags, x, y, SERIES[1].exact(), hoverinfo="skip", **LOWER),
    ], name


def _picture(start: str, end: str) -> Part:
    """Return the map and the curve of the chosen arrow."""
    curves, name = _said(start, end)
    diagonal = level("as much as promised", [50, 100], [50, 100], **LOWER)
    rows = two_rows(0.58, 0.2)
    hidden = {"visible": False, "range": [-0.22, 1.22], "fixedrange": True}
    # Equal units, so that nodes and arrows keep apart on a wide and on a narrow page.
    square = {"scaleanchor": "y", "constrain": "domain"}
    layout = {
        "xaxis": {**hidden, **square, **rows["xaxis"]},
        "yaxis": {**hidden, **rows["yaxis"]},
        "xaxis2": axis(f"right in {start}'s game, %", range=[49, 101]) | rows["xaxis2"],
        "yaxis2": axis(f"right in {end}'s game, %", range=[49, 102]) | rows["yaxis2"],
        "height": 460,
    }
    stops = list(_RIGHT.stops)
    found = [s if start == end else 100 * _ends(start, end, s) for s in stops]
    grab = [
        _handle("start", [_place(each, end, _AT[each], 1) for each in accounting.NOTIONS]),
        _handle("end", [_place(each, start, _AT[each], 0) for each in accounting.NOTIONS]),
        {"control": "right", "axis": "x2", "track": {"x": stops, "y": np.round(found, 3)}},
    ]
    meta = {"beside": 0.48, "grab": grab, "probe": [name], "ghost": [name]}
    return Part([*_drawn(start, end), diagonal, *curves], layout, meta=meta)


def _place(notion: str, other: str, at: tuple[float, float], side: int) -> tuple[float, float]:
    """Return where a handle of a notion is: on the way to the other one, or to a neighbour."""
    x, y = _AT[other]
    if notion == other:
        x, y = (at[0], 1 - at[1]) if side else (1 - at[0], at[1])
    share = _HELD / math.hypot(x - at[0], y - at[1])
    return round(at[0] + share * (x - at[0]), 4), round(at[1] + share * (y - at[1]), 4)


def _handle(control: str, places: list[tuple[float, float]]) -> dict[str, Any]:
    x, y = zip(*places, strict=True)
    return {"control": control, "axis": "x", "track": {"x": list(x), "y": list(y)}}


def _ends(start: str, end: str, right: int) -> float:
    return float(accounting.arrow(start, end).accuracy(right / 100))


def _here(start: str, end: str, right: int) -> Part:
    """Say what the promise says, at the reader's accuracy."""
    found = right if start == end else 100 * _ends(start, end, right)
    kinds = dict.fromkeys(accounting.NOTIONS, "itself")
    kinds |= {a.end: _KINDS[a.kind][0] for a in accounting.ARROWS if a.start == start}
    alt = (
        f"Left, DP, PMP, MIP and MIS at the corners of a square, with an arrow each way between "
        f"any two; the one from {start} to {end} is thick: {kinds[end]}. Right, accuracy in "
        f"{end}'s game against accuracy in {start}'s, both from 50% to 100%; a diamond at "
        f"{right}% and {percent(found / 100)}."
    )
    meta = {
        "headline": headline_of(start, end, right / 100),
        "sentence": sentence_of(start, end, right / 100),
        "alt": alt,
    }
    return Part([reading(right, found, "at your value", **LOWER)], meta=meta)


@declared
def implication_map(
    start: Annotated[str, Choice(accounting.NOTIONS, label="I have a promise of")] = "DP",
    end: Annotated[str, Choice(accounting.NOTIONS, label="What does it say in")] = "MIP",
    right: Annotated[int, _RIGHT] = 75,
) -> go.Figure:
    """Draw the twelve arrows between the four notions, and what the chosen one says.

    All notions are drawn in one unit: how often, at even odds, the best attacker of the notion's
    own game is right.

    Notes
    -----
    This book, Theorems 2.1 to 2.7.

    Examples
    --------
    >>> "η = 0.25" in implication_map("DP", "MIP", 75).layout.meta["sentence"]
    True
    """
    return stacked(layer(_picture, start=start, end=end), layer(_here, start=start, end=end, right=right))
