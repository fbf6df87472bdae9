"""Two laws, the event on which the best attack says member, and the generator f."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.explore import Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import bars, curve, level, points
from mipbook.figures.words import say

__all__ = ["security_hockey"]

_OUTPUTS = ["red", "green", "blue"]
# What P is compared with: red, green and blue as 1, 2, 1.
_Q = np.array([0.25, 0.5, 0.25])
_X = np.linspace(0, 4, 81)
_NU = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
_RED = [0.0, 0.5, 1.0, 2.0, 3.0, 6.0]
_GREEN = [0.0, 1.0, 2.0, 4.0]


def _sentence(p: Any, in_event: Any, nu: float) -> str:
    a, b = (float(w) for w in mis.weights(nu))
    value, distance = float(mis.divergence(p, _Q, nu)), float(mis.total_variation(p, _Q))
    names = [output for output, inside in zip(_OUTPUTS, in_event, strict=True) if inside]
    where = "everywhere" if len(names) == 3 else f"at {' and '.join(names)}" if names else "nowhere"
    rest = f"The total variation distance is {say(distance)} (exact)."
    if distance < 1e-12:
        rest = "The laws are equal."
    elif value < 1e-12:
        rest = (
            f"The laws differ, by {say(distance)} in total variation (exact): at these weights "
            f"that is worth nothing to an attacker."
        )
    return (
        f"Weights a = {say(a)} and b = {say(b)}. The best attacker says member {where}: "
        f"D = {say(value if value > 1e-12 else 0.0)} (exact). {rest}"
    )


@declared
def security_hockey(
    nu: Annotated[float, Stops(_NU, label="nu, fresh points")] = 0.5,
    red: Annotated[float, Stops(_RED, label="P: weight of red")] = 3.0,
    green: Annotated[float, Stops(_GREEN, label="P: weight of green")] = 1.0,
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
    p = np.array([red, green, 1.0]) / (red + green + 1.0)
    a, b = (float(w) for w in mis.weights(nu))
    in_event = a * p > b * _Q + 1e-12
    excess = np.where(in_event, a * p - b * _Q, 0.0)
    ratios = p / _Q
    event = {
        "type": "scatter",
        "name": "the event A",
        "x": _OUTPUTS,
        "y": np.maximum(a * p, b * _Q) + 0.01,
        "mode": "text",
        "text": ["in A" if inside else "" for inside in in_event],
        "textposition": "top center",
        "textfont": {"color": looks.READING.colour},
        "showlegend": False,
    }
    names = {"mode": "markers+text", "text": _OUTPUTS, "textposition": "top center", **LOWER}
    diamonds = looks.MIS.with_symbol("diamond")
    at_ratios = mis.generator(ratios, nu)
    heights = [", ".join(say(float(v)) for v in values) for values in (a * p, b * _Q, excess)]
    return finish(
        [
            bars("a P, member", _OUTPUTS, a * p, looks.IN),
            bars("b Q, fresh", _OUTPUTS, b * _Q, looks.OUT, "/"),
            bars("aP - bQ on A", _OUTPUTS, excess, looks.MIS, "x"),
            event,
            curve("f(x)", _X, mis.generator(_X, nu), looks.MIS, **LOWER),
            level("equal chances", 1.0, [-9.0, 9.0], **LOWER),
            points("the three outputs", ratios, at_ratios, diamonds, size=11, **names),
        ],
        sentence=_sentence(p, in_event, nu),
        alt=(
            f"Above, bars for red, green and blue: a P {heights[0]}; b Q {heights[1]}; the excess "
            f"of the first over the second {heights[2]}. Below, a convex broken line with "
            f"its kink at x = {say(b / a)} and value 0 at x = 1, with diamonds at "
            f"{', '.join(say(float(v)) for v in ratios)}."
        ),
        layout={
            "xaxis": axis("", type="category"),
            "yaxis": axis("probability", range=[0, 0.8]),
            "xaxis2": axis("x, ratio of P to Q", range=[-0.1, 4.1]),
            "yaxis2": axis("f(x)", range=[-1.5, 6.5]),
            "barmode": "group",
            "rows": (0.5, 0.16),
            "height": 560,
        },
    )
