"""The few shapes that all figures draw, as plain plotly traces.

Each returns the dictionary of one trace, to be handed to `mipbook.figures.kit.part`.
More settings of plotly go in by name; what none of them draws is written as a dictionary.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorable.palette import BACKGROUND, fill
from mipbook.figures.looks import LEVEL, PEOPLE, QUOTED, READING, Look
from mipbook.figures.words import counted

__all__ = ["Trace", "band", "bars", "cast", "crowd", "curve", "error_bars", "heads", "kept", "level"]
__all__ += ["points", "quoted", "reading", "text"]

Trace = dict[str, Any]


def _told(trace: Trace) -> Trace:
    """Return a trace whose hover text, where it counts, has its noun in the right number."""
    hover = trace.get("hovertemplate")
    return {**trace, "hovertemplate": counted(hover, trace)} if isinstance(hover, str) else trace


def curve(
    name: str, x: Any, y: Any, look: Look, *, marked: bool = False, most: int | None = None, **more: Any
) -> Trace:
    """Return a line, with a symbol at each point if marked, or with so many at the most.

    An area, which has a ``fill``, is of the look's colour.
    """
    trace = {
        "type": "scatter",
        "name": name,
        "x": x,
        "y": y,
        "mode": "lines+markers" if marked or most else "lines",
        "line": {"color": look.colour, "dash": look.dash, "width": look.width},
    }
    if marked or most:
        shown = {"maxdisplayed": most} if most else {}
        trace["marker"] = {"color": look.colour, "symbol": look.symbol, "size": 8, **shown}
    if "fill" in more:
        trace["fillcolor"] = fill(look.colour)
    return _told({**trace, **more})


def points(name: str, x: Any, y: Any, look: Look, *, size: float = 8, **more: Any) -> Trace:
    """Return single points; a thin or an open symbol gets a line of its own."""
    marker: dict[str, Any] = {"color": look.colour, "symbol": look.symbol, "size": size}
    if look.symbol.endswith(("-thin", "-open")):
        marker["line"] = {"color": look.colour, "width": 2.5}
    trace = {"type": "scatter", "mode": "markers", "marker": marker}
    ends = {"x": np.atleast_1d(x), "y": np.atleast_1d(y)}
    return _told({**trace, "name": name, **ends, **more})


def band(name: str, x: Any, low: Any, high: Any, look: Look, **more: Any) -> Trace:
    """Return the area between two curves, whose name says what it holds."""
    x = np.asarray(x)
    trace = {
        "type": "scatter",
        "mode": "lines",
        "fill": "toself",
        "fillcolor": fill(look.colour),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }
    closed = {"x": np.concatenate([x, x[::-1]]), "y": np.concatenate([high, np.asarray(low)[::-1]])}
    return {**trace, "name": name, **closed, **more}


def short(values: Any) -> Any:
    """Return what is drawn of values: three digits and a half, which pack to half the bytes."""
    share, exponent = np.frexp(values)
    return np.ldexp(np.round(share * 2.0**11), exponent - 11)


def error_bars(values: Any, low: Any, high: Any, **more: Any) -> dict[str, Any]:
    """Return the error bars of points, from the ends of their intervals."""
    values = np.asarray(values)
    ends = {"array": np.asarray(high) - values, "arrayminus": values - np.asarray(low)}
    return {"type": "data", "symmetric": False, "thickness": 1.5, **ends, **more}


def bars(name: str, x: Any, y: Any, look: Look, pattern: str | list[str] = "", **more: Any) -> Trace:
    """Return bars; the pattern, of all or of each, tells them apart without their colour."""
    marker: dict[str, Any] = {"color": look.colour}
    if pattern:
        marker["pattern"] = {
            "shape": pattern,
            "fgcolor": READING.colour,
            "solidity": 0.2,
            "fillmode": "overlay",
        }
    return _told({"type": "bar", "name": name, "x": x, "y": y, "marker": marker, **more})


def kept(values: Any, keep: Any) -> list[float | None]:
    """Return the values that are kept, with a gap for each other; a nan is always a mistake."""
    return [float(v) if k else None for v, k in zip(values, keep, strict=True)]


def reading(x: Any, y: Any, name: str = "at your value", **more: Any) -> Trace:
    """Return the diamonds where the reader's own value lies."""
    return points(name, x, y, READING, size=11, **{"showlegend": False, **more})


def quoted(name: str, x: Any, y: Any, **more: Any) -> Trace:
    """Return the crosses at what a paper prints."""
    return points(name, x, y, QUOTED, size=13, **more)


def level(name: str, x: Any, y: Any, look: Look = LEVEL, **more: Any) -> Trace:
    """Return a straight line to compare with; a single ``x`` or ``y`` stands for both ends."""
    x, y = np.broadcast_arrays(np.atleast_1d(x), np.atleast_1d(y))
    return curve(name, x, y, look, **{"hoverinfo": "skip", **more})


def text(name: str, x: Any, y: Any, words: Any, **more: Any) -> Trace:
    """Return words in a picture, one at each point, that no legend names and nothing reads."""
    trace = {"type": "scatter", "mode": "text", "showlegend": False, "hoverinfo": "skip"}
    return {**trace, "name": name, "x": x, "y": y, "text": words, **more}


def cast(
    x: Any,
    y: Any,
    who: Sequence[str] = tuple(PEOPLE),
    *,
    name: str = "the ten",
    size: float = 30,
    **more: Any,
) -> Trace:
    """Return people as dots, each with an initial and a colour of their own.

    They keep their order, so that a move from one state to the next is theirs.
    """
    trace = {
        "type": "scatter",
        "name": name,
        "mode": "markers+text",
        "x": np.atleast_1d(x),
        "y": np.atleast_1d(y),
        "text": [f"<b>{person[0]}</b>" for person in who],
        "textfont": {"color": BACKGROUND[0], "size": round(max(0.45 * size, min(11, 0.62 * size)))},
        "textposition": "middle center",
        "marker": {"color": [PEOPLE[person] for person in who], "size": size, "symbol": "circle"},
        "customdata": list(who),
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
    }
    return {**trace, **more}


def crowd(
    name: str,
    lit: int,
    look: Look,
    of: int = 1000,
    *,
    row: int = 50,
    left: float = 0,
    size: float = 8,
    **more: Any,
) -> list[Trace]:
    """Return a field of so many people, ``row`` beside each other, of whom the first ones are lit.

    It stands between ``left`` and ``left + row``, and below 0.
    """
    number = np.arange(of)
    x, y = left + number % row, -(number // row)
    dark = points(f"all, {name}", x, y, LEVEL, size=0.45 * size, showlegend=False, hoverinfo="skip", **more)
    return [dark, points(name, x[:lit], y[:lit], look, size=size, **more)]


# A head: so far its corners are from its middle, as shares of the way to the next one.
_CORNERS = np.linspace(0, 2 * np.pi, 9)
_HEAD, _FEW = 0.33, 200


def heads(name: str, x: Any, y: Any, look: Look, *, size: float = 1.0, **more: Any) -> Trace:
    """Return many people as one shape, since a mark each would make the page heavy."""
    x, y = (np.atleast_1d(np.asarray(side, dtype=float)) for side in (x, y))
    around = _HEAD * size * np.array([np.cos(_CORNERS), np.sin(_CORNERS)])
    # Each head is closed by itself, and a gap follows.
    drawn = [
        [corner for at in side.tolist() for corner in (*short(at + to).tolist(), None)]
        for side, to in zip((x, y), around, strict=True)
    ]
    # The corners of few heads, which are large, are seen.
    line = {"width": 0, "shape": "spline" if x.size <= _FEW else "linear"}
    shape = {"fill": "toself", "fillcolor": look.colour, "line": line, "hoverinfo": "skip"}
    return {"type": "scatter", "mode": "lines", "name": name, "x": drawn[0], "y": drawn[1], **shape, **more}
