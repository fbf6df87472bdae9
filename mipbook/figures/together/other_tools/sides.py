"""Answers on a scale that holds every error: logarithmic to both sides of the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from explorable.panels import Part
from mipbook.figures.frame import axis
from mipbook.figures.looks import LEVEL, SERIES, Look
from mipbook.figures.marks import Trace
from mipbook.figures.words import percent, say, times
from mipbook.stored import tools as other_tools
from mipbook.stored.tools import ToolAnswer

__all__ = ["drawn", "listed", "looks_of", "off", "place", "told"]

_LOOKS = {
    "right": SERIES[0].with_symbol("circle"),
    "safe": SERIES[2].with_symbol("triangle-up"),
    "unsafe": SERIES[1].with_symbol("triangle-down"),
    "no promise": LEVEL.with_symbol("diamond-open"),
}
# An error of 1e-16 is none; from there on a decade is one unit, to either side.
_NONE = 16
_TICKS = {-14: "−1%", -6: "−10⁻¹⁰", 0: "0", 6: "10⁻¹⁰", 14: "1%"}
_ENDS = [-18.0, 21.0]
_EDGE = _NONE + math.log10(other_tools.ROUNDING)


def place(error: float) -> float:
    """Return where an error stands on the axis.

    Examples
    --------
    >>> place(0.01), place(-0.01), place(0.0)
    (14.0, -14.0, 0.0)
    """
    if abs(error) <= 10.0**-_NONE:
        return 0.0
    return math.copysign(_NONE + math.log10(abs(error)), error)


def off(error: float) -> str:
    """Say how far an answer is off, without the side.

    Examples
    --------
    >>> off(-0.065), off(9000.0), off(2e-9)
    ('6.5%', '9,001 times', '2.00 × 10⁻⁹')
    """
    size = abs(error)
    if error >= 9:
        return times(error + 1) if error < 1e3 else f"{round(error + 1):,} times"
    return percent(size) if size >= 1e-4 else f"{say(size)}"


def listed(names: Sequence[str]) -> str:
    """Join names as prose does.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def looks_of(answers: Sequence[ToolAnswer]) -> dict[str, Any]:
    """Return the markers of answers: the side by shape and colour."""
    looks: list[Look] = [_LOOKS[answer.side] for answer in answers]
    return {
        "symbol": [look.symbol for look in looks],
        "color": [look.colour for look in looks],
        "size": 11,
        "line": {"width": 2, "color": [look.colour for look in looks]},
    }


def told(answer: ToolAnswer) -> str:
    """Say one answer, as a point's hover does."""
    words = {
        "right": "right to four digits",
        "safe": f"{off(answer.error)} more than the truth, safe",
        "unsafe": f"{off(answer.error)} less than the truth, unsafe",
        "no promise": "said to be no promise",
    }[answer.side]
    return f"{answer.who}: {say(answer.value, 6)}, {words}; {say(1000 * answer.seconds, 2)} ms"


def drawn(answers: Sequence[ToolAnswer], order: Sequence[str], what: str, *, timed: bool = False) -> Part:
    """Return the picture: a row for each tool's route, its answer's error along the axis."""
    given = [a for a in answers if a.status == "answered"]
    silent = [a for a in answers if a.status != "answered"]
    dots: Trace = {
        "type": "scatter",
        "name": "answers",
        "mode": "markers",
        "x": [place(a.error) for a in given],
        "y": [a.who for a in given],
        "text": [told(a) for a in given],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": looks_of(given),
        "showlegend": False,
    }
    # Above its row each, so that a narrow picture keeps its width.
    names: Trace = {
        "type": "scatter",
        "name": "names",
        "mode": "text",
        "x": [_ENDS[0]] * len(answers),
        "y": [a.who for a in answers],
        "text": [f" {_named(a, timed)}" for a in answers],
        "textposition": "top right",
        "textfont": {"size": 13},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    words: Trace = {
        "type": "scatter",
        "name": "without an answer",
        "mode": "text",
        "x": [0.0 for _ in silent],
        "y": [a.who for a in silent],
        "text": [_short(a) for a in silent],
        "textfont": {"size": 12, "color": LEVEL.colour},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    ticks: dict[str, Any] = {"tickvals": list(_TICKS), "ticktext": list(_TICKS.values()), "tickangle": 0}
    side = {"xref": "x", "yref": "y domain", "y": 1.0, "yanchor": "bottom", "showarrow": False}
    layout = {
        "xaxis": axis(f"error of the {what}, log both ways", range=_ENDS, **ticks),
        "yaxis": {
            "categoryarray": list(order)[::-1],
            "range": [-0.5, len(order) - 0.2],
            "showticklabels": False,
        },
        "height": 130 + 42 * len(order),
        "margin": {"t": 40},
        "shapes": [_band(-_EDGE, _EDGE)],
        "annotations": [
            {**side, "x": _ENDS[0], "xanchor": "left", "text": "▼ too small"},
            {**side, "x": 0, "text": "● right"},
            {**side, "x": _ENDS[1], "xanchor": "right", "text": "▲ more than due"},
        ],
    }
    return Part([names, words, dots], layout, meta={"probe": ["answers"], "ghost": ["answers"]})


def _band(low: float, high: float) -> dict[str, Any]:
    across = {"xref": "x", "yref": "y domain", "layer": "below"}
    line = {"color": LEVEL.colour, "width": 1, "dash": "dot"}
    return {"type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "line": line, **across}


def _named(answer: ToolAnswer, timed: bool) -> str:
    seconds = f" · {say(answer.seconds, 2)} s" if timed and answer.side else ""
    return f"{answer.who}{seconds}"


def _short(answer: ToolAnswer) -> str:
    return "no function" if answer.status == "no answer" else answer.status


def summary(answers: Sequence[ToolAnswer], truth: str, what: str) -> dict[str, str]:
    """Return headline, sentence and alternative text of one question's answers."""
    by_side = {side: [a for a in answers if a.side == side] for side in _LOOKS}
    unsafe, safe, right = (by_side[side] for side in ("unsafe", "safe", "right"))
    parts = [f"{truth}: {say(float(answers[0].truth), 5)} (exact)."]
    if unsafe:
        small = [f"{a.who} ({off(a.error)})" for a in unsafe]
        parts.append(f"Too small, so unsafe: {listed(small)}.")
    if safe:
        parts.append(f"More than due, so safe: {listed([f'{a.who} ({off(a.error)})' for a in safe])}.")
    if right:
        parts.append(f"Right to four digits: {listed([a.who for a in right])}.")
    failed = [a.who for a in answers if a.status in ("refused", "no time", "does not run")]
    if failed:
        parts.append(f"Asked without an answer: {listed(failed)}.")
    number = f"{len(unsafe)} of {sum(bool(a.side) for a in answers)} answers too small"
    alt = (
        f"A row for each tool; its symbol stands by the error of its {what}, left of the middle "
        f"where it is too small, right where it is more than due: {len(unsafe)} left, "
        f"{len(right)} in the middle, {len(safe)} right."
    )
    headline = number if unsafe else f"{len(right)} right, {len(safe)} more than due"
    return {"headline": headline, "sentence": " ".join(parts), "alt": alt}
