"""Two distributions, the event on which the best attack says member, and the generator f."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Part, Slider, Stops, declared, layer, stacked
from mipbook import mis
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.marks import Trace, bars, curve, level, points
from mipbook.figures.words import say

__all__ = ["security_hockey"]

_OUTPUTS = ["red", "green", "blue"]
# What P is compared with: red, green and blue as 1, 2, 1.
_Q = np.array([0.25, 0.5, 0.25])
_X = np.linspace(0, 4, 81)
_WEIGHTS = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0]
# Three bars stand side by side at each output.
_PLACES, _WIDE = np.arange(3.0), 0.27


@lru_cache(maxsize=64)
def _weights(nu: float) -> tuple[float, float]:
    a, b = mis.weights(nu)
    return float(a), float(b)


@lru_cache(maxsize=512)
def _p(red: float, green: float) -> Any:
    """Return P, in which blue has weight 1."""
    return np.array([red, green, 1.0]) / (red + green + 1.0)


def _top(which: int, other: float, nu: float) -> dict[str, list[float]]:
    """Return the top of the red or the green bar for each of its weights."""
    a, _ = _weights(nu)
    pairs = [(w, other) if which == 0 else (other, w) for w in _WEIGHTS]
    tops = [round(a * float(_p(*pair)[which]), 4) for pair in pairs]
    return {"x": [which - _WIDE / 2] * len(tops), "y": tops}


def _red_top(nu: float, green: float) -> Part:
    grab = {"control": "red", "axis": "y", "track": _top(0, green, nu)}
    return Part(meta={"grab": [grab]})


def _green_top(nu: float, red: float) -> Part:
    grab = {"control": "green", "axis": "y", "track": _top(1, red, nu)}
    return Part(meta={"grab": [grab]})


def _bars(name: str, side: float, heights: Any, look: looks.Look, pattern: str = "") -> Any:
    """Return the bars on one side of each output's place."""
    told = f"{name}: %{{y:.3f}}<extra></extra>"
    place = _PLACES + side * _WIDE / 2
    return bars(name, place, heights, look, pattern, width=_WIDE, hovertemplate=told)


def _apart(red: float, green: float) -> Part:
    """Say how far P is from Q, at no weights."""
    p = _p(red, green)
    words = {
        "distance": say(float(mis.total_variation(p, _Q))),
        "p": ", ".join(say(float(v)) for v in p),
        "ratios": ", ".join(say(float(v)) for v in p / _Q),
    }
    return Part(words=words)


def _compared(nu: float, red: float, green: float) -> Part:
    """Draw the bars of P, where they win, and the three ratios on f."""
    p, (a, b) = _p(red, green), _weights(nu)
    in_event = (a * p > b * _Q + 1e-12).tolist()
    ratios = p / _Q
    heights = mis.generator(ratios, nu)
    value = float(_Q @ heights)
    value = value if value > 1e-12 else 0.0
    names = [output for output, inside in zip(_OUTPUTS, in_event, strict=True) if inside]
    where = "everywhere" if len(names) == 3 else f"at {' and '.join(names)}" if names else "nowhere"
    words = {"where": where, "value": say(value), "headline": f"D = {say(value)}"}
    words["rest"] = ""
    if value == 0 and np.abs(p - _Q).max() > 1e-12:
        words["headline"] = "D = 0, yet they differ"
        words["rest"] = ", which at these weights is worth nothing"
    event = {
        "type": "scatter",
        "name": "the event A",
        "x": _PLACES,
        "y": [0.74] * 3,
        "mode": "text",
        "text": ["“member”" if inside else "“fresh”" for inside in in_event],
        "textfont": {"color": looks.READING.colour},
        "showlegend": False,
        "hoverinfo": "skip",
    }
    diamonds = looks.MIS.with_symbol("diamond")
    told = "%{x:.2f} times as likely under P: f = %{y:.2f}<extra></extra>"
    shown: Trace = {"mode": "markers+text", "text": _OUTPUTS, "textposition": "top center"}
    shown |= {"hovertemplate": told, "showlegend": False, **LOWER}
    on_f = points("the three outputs", ratios, heights, diamonds, size=11, **shown)
    return Part([_bars("a P, member", -1, a * p, looks.IN), event, on_f], words=words)


def _frame(nu: float) -> Part:
    """Draw what depends on the weights alone."""
    a, b = _weights(nu)
    sentence = (
        f"With weights a = {say(a)} and b = {say(b)} the best attacker says member {{where}}: "
        "D = {value} (exact). In total variation the distributions differ by {distance} "
        "(exact){rest}."
    )
    alt = (
        f"Above, bars for red, green and blue: {say(a)} times P, which is {{p}}, and {say(b)} "
        "times Q, which is 1/4, 1/2, 1/4; the attacker says member {where}. Below, a convex "
        f"broken line with its kink at x = {say(b / a)} and value 0 at x = 1, with diamonds at "
        "{ratios}."
    )
    layout = {
        "xaxis": axis("output", range=[-0.5, 2.5], tickvals=[0, 1, 2], ticktext=_OUTPUTS),
        "yaxis": axis("probability, weighed", range=[0, 0.8]),
        "xaxis2": axis("ratio of P to Q", range=[-0.1, 4.1]),
        "yaxis2": axis("f", range=[-1.5, 6.8]),
        "barmode": "overlay",
        "rows": (0.5, 0.2),
        "height": 430,
    }
    told = "a ratio of %{x:.2f} counts %{y:.2f}<extra></extra>"
    f = curve("f, what a ratio counts", _X, mis.generator(_X, nu), looks.MIS, hovertemplate=told)
    meta = {
        "headline": "{headline}",
        "sentence": sentence,
        "alt": alt,
        "beside": 0.55,
        "probe": ["f, what a ratio counts"],
    }
    return Part(
        [
            _bars("b Q, fresh", 1, b * _Q, looks.OUT, "/"),
            {**f, **LOWER, "showlegend": False},
            level("equal chances", 1.0, [-9.0, 9.0], **LOWER),
        ],
        placed(layout),
        meta=meta,
    )


@declared
def security_hockey(
    nu: Annotated[float, Slider(0.2, 0.8, step=0.025, label="Fresh test points, ν")] = 0.5,
    red: Annotated[float, Stops(_WEIGHTS, label="P: red for each blue")] = 3.0,
    green: Annotated[float, Stops(_WEIGHTS, label="P: green for each blue")] = 1.0,
) -> go.Figure:
    """Draw a P and b Q, the event {aP > bQ}, and f at the three ratios P/Q.

    Blue has weight 1 under P; ``lam`` is one half.

    Notes
    -----
    Limits paper, Proposition 5 and equations (3) and (26).

    Examples
    --------
    >>> "D = 0.35 (exact)" in security_hockey().layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_compared, nu=nu, red=red, green=green),
        layer(_frame, nu=nu),
        layer(_red_top, nu=nu, green=green),
        layer(_green_top, nu=nu, red=red),
        layer(_apart, red=red, green=green),
    )
