"""What each idea looks like in every picture of the book, and the few shapes that all figures draw.

A look is an idea's: colour never stands alone, a dash or a symbol tells the same.  A bound is dashed
and an estimate dotted, whatever it is of.

A shape is the dictionary of one plain plotly trace, to be handed to `mipbook.figures.kit.part`.
More settings of plotly go in by name; what none of them draws is written as a dictionary.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorable.palette import BACKGROUND, BLUE, GREEN, GREY, INK, ORANGE, PURPLE, fill
from mipbook.book import IDEAS, PEOPLE
from mipbook.figures.words import counted

Trace = dict[str, Any]


@dataclass(frozen=True)
class Look:
    """The colour, the dash of a line and the symbol of a point."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"
    width: float = 2.5

    def but(self, **changes: Any) -> Look:
        """Return this look with another colour, dash, symbol or width."""
        return replace(self, **changes)

    def bound(self) -> Look:
        """Return the look of a bound on the same idea."""
        return replace(self, dash="dash")

    def estimate(self) -> Look:
        """Return the look of an estimate of the same idea."""
        return replace(self, dash="dot")

    def exact(self) -> Look:
        """Return the look of the exact value, where a series' own dash would say otherwise."""
        return replace(self, dash="solid")

    def with_symbol(self, symbol: str) -> Look:
        """Return this look with another symbol."""
        return replace(self, symbol=symbol)


# Membership: the target was in the data, or was not.
IN = Look(IDEAS["in"], "solid", "circle", 3)
OUT = Look(IDEAS["out"], "dash", "square", 3)

# The four notions.
DP = Look(IDEAS["dp"], "dot", "triangle-up")
MIP = Look(IDEAS["mip"], "solid", "circle")
PMP = Look(IDEAS["pmp"], "solid", "diamond")
MIS = Look(IDEAS["mis"], "solid", "square")

# What a paper gives, where something sharper stands beside it; and what it prints.
PUBLISHED = Look(ORANGE, "dash", "x")
QUOTED = Look(INK, "solid", "x-thin")

# What the best attacker reaches, whoever plays.
BEST = Look(BLUE, "solid", "circle", 3)

# An attack that was played; where the reader's own value lies; a line to compare with.
ATTACK = Look(INK, "solid", "diamond")
READING = Look(INK, "solid", "diamond")
LEVEL = Look(GREY, "longdash", "circle", 1.5)

# Things of one kind that differ only by a size, in their order.
SERIES = (
    Look(BLUE, "solid", "circle"),
    Look(ORANGE, "dash", "square"),
    Look(GREEN, "dot", "triangle-up"),
    Look(PURPLE, "dashdot", "x"),
)

# Where a trace of the lower picture goes; and a trace that no legend names and nothing reads.
LOWER: Trace = {"xaxis": "x2", "yaxis": "y2"}
QUIET: Trace = {"showlegend": False, "hoverinfo": "skip"}
# The corners of a square around 0, across and up, and the first again.
SQUARE = np.array([[-1, 1, 1, -1, -1], [-1, -1, 1, 1, -1]])


def _shape(draw: Callable[..., Trace]) -> Callable[..., Trace]:
    """Let a shape take ``hover``, the sentence at a point, and ``lower``, for the second picture.

    Where the sentence counts, its noun is in the right number.
    """

    @functools.wraps(draw)
    def drawn(*args: Any, hover: str = "", lower: bool = False, **more: Any) -> Trace:
        if hover:
            more["hovertemplate"] = f"{hover}<extra></extra>"
        trace = draw(*args, **more)
        if isinstance(told := trace.get("hovertemplate"), str):
            trace["hovertemplate"] = counted(told, trace)
        return trace | (LOWER if lower else {})

    return drawn


def _at(x: Any, y: Any) -> Trace:
    """Return where points lie; a single ``x`` or ``y`` stands for all."""
    return dict(zip("xy", np.broadcast_arrays(*np.atleast_1d(x, y)), strict=True))


@_shape
def curve(
    name: str, x: Any, y: Any, look: Look, *, marked: bool = False, most: int | None = None, **more: Any
) -> Trace:
    """Return a line, with a symbol at each point if marked, or with so many at the most.

    An area, which has a ``fill``, is of the look's colour.
    """
    trace = {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y}
    trace["line"] = {"color": look.colour, "dash": look.dash, "width": look.width}
    if marked or most:
        marker = {"color": look.colour, "symbol": look.symbol, "size": 8}
        trace |= {"mode": "lines+markers", "marker": marker | ({"maxdisplayed": most} if most else {})}
    if "fill" in more:
        trace["fillcolor"] = fill(look.colour)
    return trace | more


@_shape
def area(name: str, x: Any, y: Any, look: Look, **more: Any) -> Trace:
    """Return a closed shape of the look's colour, without a rim, that no legend names and nothing reads."""
    return curve(name, x, y, look, **{"fill": "toself", "line": {"width": 0}, **QUIET, **more})


@_shape
def points(name: str, x: Any, y: Any, look: Look, *, size: float = 8, **more: Any) -> Trace:
    """Return single points; a thin or an open symbol gets a line of its own."""
    marker: dict[str, Any] = {"color": look.colour, "symbol": look.symbol, "size": size}
    if look.symbol.endswith(("-thin", "-open")):
        marker["line"] = {"color": look.colour, "width": 2.5}
    return {"type": "scatter", "mode": "markers", "marker": marker, "name": name, **_at(x, y), **more}


def band(name: str, x: Any, low: Any, high: Any, look: Look, **more: Any) -> Trace:
    """Return the area between two curves, whose name says what it holds."""
    x, y = np.append(x, np.flip(x)), np.append(high, np.flip(low))
    shape = {"fill": "toself", "line": {"width": 0}, "hoverinfo": "skip"}
    return curve(name, x, y, look, **shape | more)


def short(values: Any) -> Any:
    """Return what is drawn of values: three digits and a half, which pack to half the bytes."""
    share, exponent = np.frexp(values)
    return np.ldexp(np.round(share * 2.0**11), exponent - 11)


def strewn(count: int) -> Any:
    """Return heights from -1 to 1 that strew so many points of a line, the same each time."""
    return np.sin(2.4 * np.arange(count))


def floor(left: float, right: float, low: float, high: float, colour: str, **more: Any) -> dict[str, Any]:
    """Return the ground of a part of a picture, behind all that stands there."""
    place = {"x0": left, "x1": right, "y0": low, "y1": high, "layer": "below"}
    return {"type": "rect", "fillcolor": colour, "line": {"width": 0}, **place, **more}


def land(path: str, colour: str, **more: Any) -> dict[str, Any]:
    """Return a filled shape of a scene, such as a hill, behind all that stands there."""
    return {"type": "path", "path": path, "layer": "below", "fillcolor": colour, "line": {"width": 0}, **more}


def slip(wide: int) -> dict[str, Any]:
    """Return how a slip of paper is marked that a number stands on: a thick line on a thicker one."""
    sheet = {"symbol": "line-ew-open", "size": [wide, wide - 2], "color": [GREY, BACKGROUND[0]], "opacity": 1}
    return sheet | {"line": {"width": [38, 35]}}


def error_bars(values: Any, low: Any, high: Any, **more: Any) -> Trace:
    """Return the error bars of points, from the ends of their intervals."""
    ends = {"array": np.subtract(high, values), "arrayminus": np.subtract(values, low)}
    return {"type": "data", "symmetric": False, "thickness": 1.5, **ends, **more}


@_shape
def bars(name: str, x: Any, y: Any, look: Look, pattern: str | list[str] = "", **more: Any) -> Trace:
    """Return bars; the pattern, of all or of each, tells them apart without their colour."""
    marker: dict[str, Any] = {"color": look.colour}
    if pattern:
        lines = {"fgcolor": READING.colour, "solidity": 0.2, "fillmode": "overlay"}
        marker["pattern"] = {"shape": pattern, **lines}
    return {"type": "bar", "name": name, "x": x, "y": y, "marker": marker, **more}


def kept(values: Any, keep: Any) -> list[float | None]:
    """Return the values that are kept, with a gap for each other; a nan is always a mistake."""
    return [float(v) if k else None for v, k in zip(values, keep, strict=True)]


def gapped(rows: Any) -> list[float | None]:
    """Return the rows of a table one behind the other: many lines, or shapes, in one trace.

    A gap is after each row, and at each nan.

    Examples
    --------
    >>> gapped([[0, 1], [5, 6]])
    [0, 1, None, 5, 6, None]
    """
    every = (each for row in np.asarray(rows).tolist() for each in (*row, None))
    return [None if each is None or math.isnan(each) else each for each in every]


def smooth(curve: Trace) -> Trace:
    """Return a curve that is bent between its points."""
    return curve | {"line": curve["line"] | {"shape": "spline", "smoothing": 0.8}}


def reading(x: Any, y: Any, name: str = "at your value", **more: Any) -> Trace:
    """Return the diamonds where the reader's own value lies."""
    return points(name, x, y, READING, size=11, **{"showlegend": False, **more})


def quoted(name: str, x: Any, y: Any, **more: Any) -> Trace:
    """Return the crosses at what a paper prints."""
    return points(name, x, y, QUOTED, size=13, **more)


def level(name: str, x: Any, y: Any, look: Look = LEVEL, **more: Any) -> Trace:
    """Return a straight line to compare with; a single ``x`` or ``y`` stands for both ends."""
    return curve(name, **_at(x, y), look=look, **{"hoverinfo": "skip", **more})


@_shape
def text(name: str, x: Any, y: Any, words: Any, **more: Any) -> Trace:
    """Return words in a picture, one at each point, that no legend names and nothing reads."""
    said = [words] if isinstance(words, str) else words
    return {"type": "scatter", "mode": "text", "name": name, **_at(x, y), "text": said, **QUIET, **more}


@_shape
def cast(x: Any, y: Any, who: Sequence[str] = tuple(PEOPLE), *, size: float = 30, **more: Any) -> Trace:
    """Return people as dots, each with an initial and a colour of their own.

    They keep their order, so that a move from one state to the next is theirs.
    """
    letter = {"color": BACKGROUND[0], "size": round(max(0.45 * size, min(11, 0.62 * size)))}
    trace = {"type": "scatter", "name": "the ten", "mode": "markers+text", **_at(x, y), "cliponaxis": False}
    trace |= {"text": [f"<b>{person[0]}</b>" for person in who], "textfont": letter, "customdata": list(who)}
    trace["marker"] = {"color": [PEOPLE[person] for person in who], "size": size, "symbol": "circle"}
    return trace | {"hovertemplate": "%{customdata}<extra></extra>", "textposition": "middle center"} | more


def crowd(name: str, lit: int, look: Look, *, row: int = 50, size: float = 8, **more: Any) -> list[Trace]:
    """Return a field of a thousand people, ``row`` beside each other, of whom the first ones are lit.

    It stands between 0 and ``row``, and below 0.
    """
    x, y = np.arange(1000) % row, -(np.arange(1000) // row)
    dark = points(f"all, {name}", x, y, LEVEL, size=0.45 * size, **QUIET, **more)
    return [dark, points(name, x[:lit], y[:lit], look, size=size, **more)]


# A head: so far its corners are from its middle, as shares of the way to the next one.
_CORNERS = np.linspace(0, 2 * np.pi, 9)
_HEAD, _FEW = 0.33, 200


@_shape
def heads(name: str, x: Any, y: Any, look: Look, *, size: float = 1.0, **more: Any) -> Trace:
    """Return many people as one shape, since a mark each would make the page heavy."""
    x, y = np.atleast_1d(x, y)
    around = _HEAD * size * np.array([np.cos(_CORNERS), np.sin(_CORNERS)])
    sides = (gapped(short(np.add.outer(at, to))) for at, to in zip((x, y), around, strict=True))
    drawn = dict(zip("xy", sides, strict=True))
    # The corners of few heads, which are large, are seen.
    line = {"width": 0, "shape": "spline" if x.size <= _FEW else "linear"}
    shape = {"fill": "toself", "fillcolor": look.colour, "line": line, "hoverinfo": "skip"}
    return {"type": "scatter", "mode": "lines", "name": name, **drawn, **shape, **more}
