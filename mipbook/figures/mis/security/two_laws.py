"""Two laws, the event on which the best attack says member, and the generator f."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import say

__all__ = ["security_hockey"]

_OUTPUTS = ("red", "green", "blue")
_Q = np.array([0.25, 0.5, 0.25])
_X = np.linspace(0, 4, 81)


def security_hockey(nu: float = 0.5, red: float = 3.0, green: float = 1.0) -> go.Figure:
    """Draw a P and b Q, the event {aP > bQ}, and f at the three ratios P/Q.

    Parameters
    ----------
    nu : float
        The chance that the test point is fresh, in [0.1, 0.9]; lam is one half.
    red, green : float
        Weight of red and green under P, relative to 1 for blue; in [0, 10].  Q has them as
        1, 2, 1.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Proposition 5 and equations (3) and (26).

    Examples
    --------
    >>> "D = 0.35 (exact)" in security_hockey().layout.meta["sentence"]
    True
    """
    nu = validate.number("nu", nu, 0.1, 0.9)
    weights = [
        validate.number("red", red, 0.0, 10.0),
        validate.number("green", green, 0.0, 10.0),
        1.0,
    ]
    p = np.array(weights) / sum(weights)
    a, b = (float(w) for w in mis.weights(nu))
    said = a * p > b * _Q + 1e-12
    value = float(np.asarray(mis.divergence(p, _Q, nu)))
    distance = float(np.asarray(mis.total_variation(p, _Q)))
    excess = np.where(said, a * p - b * _Q, 0.0)
    figure = go.Figure()
    for name, heights, colour, pattern in (
        ("a P, member", a * p, BLUE, ""),
        ("b Q, fresh", b * _Q, ORANGE, "/"),
        ("aP - bQ on A", excess, GREEN, "x"),
    ):
        figure.add_bar(
            x=list(_OUTPUTS),
            y=heights,
            name=name,
            marker={
                "color": colour,
                "pattern": {
                    "shape": pattern,
                    "fgcolor": INK,
                    "solidity": 0.2,
                    "fillmode": "overlay",
                },
            },
        )
    figure.add_scatter(
        x=list(_OUTPUTS),
        y=np.maximum(a * p, b * _Q) + 0.01,
        mode="text",
        text=["in A" if s else "" for s in said],
        textposition="top center",
        textfont={"color": INK},
        name="the event A",
        showlegend=False,
    )
    figure.add_scatter(
        x=_X,
        y=np.asarray(mis.generator(_X, nu)),
        mode="lines",
        name="f(x)",
        line={"color": INK, "width": 2.5},
        **LOWER,
    )
    figure.add_scatter(
        x=[1.0, 1.0],
        y=[-9.0, 9.0],
        mode="lines",
        name="equal chances",
        line={"color": GREY, "dash": "dot", "width": 1.5},
        hoverinfo="skip",
        **LOWER,
    )
    ratios = p / _Q
    figure.add_scatter(
        x=ratios,
        y=np.asarray(mis.generator(ratios, nu)),
        mode="markers+text",
        text=list(_OUTPUTS),
        textposition="top center",
        name="the three outputs",
        marker={"color": GREEN, "symbol": "diamond", "size": 11},
        **LOWER,
    )
    names = [c for c, s in zip(_OUTPUTS, said, strict=True) if s]
    where = "everywhere" if len(names) == 3 else f"at {' and '.join(names)}" if names else "nowhere"
    if distance < 1e-12:
        rest = "The laws are equal."
    elif value < 1e-12:
        rest = (
            f"The laws differ, by {say(distance)} in total variation (exact): at these weights "
            f"that is worth nothing to an attacker."
        )
    else:
        rest = f"The total variation distance is {say(distance)} (exact)."
    return finish(
        figure,
        sentence=(
            f"Weights a = {say(a)} and b = {say(b)}. The best attacker says member {where}: "
            f"D = {say(value if value > 1e-12 else 0.0)} (exact). {rest}"
        ),
        alt=(
            f"Above, bars for red, green and blue: a P {', '.join(say(float(v)) for v in a * p)}; "
            f"b Q {', '.join(say(float(v)) for v in b * _Q)}; the excess of the first over the "
            f"second {', '.join(say(float(v)) for v in excess)}. Below, a convex broken line with "
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
