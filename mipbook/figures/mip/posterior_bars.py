"""A small mechanism, its posterior, and what the optimal attacker says at each output."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Part, Slider, declared, layer, stacked
from mipbook import game
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import ATTACK, IN, OUT
from mipbook.figures.marks import bars, points
from mipbook.figures.words import percent, say

__all__ = ["posterior_bars"]

_COLOURS = ["red", "green", "blue"]
_WEIGHTS = np.linspace(0.0, 3.5, 15)
_PLACES = np.arange(3)
# The two bars of an output stand beside its place.
_ASIDE = 0.21


def _shares(red: Any, green: Any) -> Array:
    """Return the probabilities of the three outputs, from weights relative to blue's."""
    total = red + green + 1.0
    return np.stack([red / total, green / total, 1 / total], axis=-1)


@lru_cache(maxsize=1024)
def _handle(control: str, in_red: float, in_green: float) -> dict[str, Any]:
    """Return where the top of a bar that can be dragged goes, by its weight."""
    if control == "in_red":
        x, top = _ASIDE, _shares(_WEIGHTS, in_green)[:, 0]
    elif control == "in_green":
        x, top = 1 + _ASIDE, _shares(in_red, _WEIGHTS)[:, 1]
    else:
        x, top = -_ASIDE, _shares(_WEIGHTS, 1.0)[:, 0]
    track = {"x": [x] * _WEIGHTS.size, "y": np.round(top / 2, 4).tolist()}
    return {"control": control, "axis": "y", "track": track}


def _mechanism(in_red: float, in_green: float, out_red: float) -> Part:
    table = np.stack([_shares(out_red, 1.0), _shares(in_red, in_green)])
    chance = game.posterior(table)
    says_in = chance >= 0.5
    accuracy = game.optimal_accuracy(table)
    bets = ["in" if said else "out" for said in says_in]
    halves = table / 2
    top = halves.max(axis=0)
    side = np.where(says_in, _ASIDE, -_ASIDE)
    settings: dict[str, Any] = {"width": 2 * _ASIDE, "offset": 0.0}
    hover = "%{y:.1%} of all games<extra></extra>"
    traces = [
        bars("out, and this output", _PLACES - 2 * _ASIDE, halves[0], OUT, "/", **settings),
        bars("in, and this output", _PLACES, halves[1], IN, **settings),
        points(
            "the best attacker's bet",
            _PLACES + side,
            top,
            ATTACK.with_symbol("line-ew-open"),
            size=32,
            mode="markers+text",
            text=[f"says {bet}" for bet in bets],
            textposition="top center",
            textfont={"color": ATTACK.colour},
            hoverinfo="skip",
        ),
    ]
    for trace in traces[:2]:
        trace["hovertemplate"] = hover
    chances = ", ".join(f"{c} {percent(float(p))}" for c, p in zip(_COLOURS, chance, strict=True))
    right = percent(accuracy)
    sentence = (
        f"Betting on the taller bar each time, the best attacker is right {right} of the time: "
        f"η = {say(accuracy - 0.5)} and no less (exact). The chance that the record was in: "
        f"{chances}."
    )
    alt = (
        "Pairs of bars for the outputs red, green and blue, record out and record in. A cap on the "
        f"taller bar of each pair says what the attacker bets on: {', '.join(bets)}."
    )
    grab = [_handle("in_red", 0.0, in_green), _handle("in_green", in_red, 0.0), _handle("out_red", 0.0, 0.0)]
    meta = {"sentence": sentence, "alt": alt, "headline": f"right {right} of the time"}
    return Part(traces, meta={**meta, "grab": grab})


def _frame() -> Part:
    layout = {
        "xaxis": axis("what the mechanism answers", tickvals=_PLACES, ticktext=_COLOURS, range=[-0.6, 2.6]),
        "yaxis": axis("share of all games", range=[0, 0.54]),
        "barmode": "overlay",
        "height": 380,
    }
    return Part(layout=layout)


@declared
def posterior_bars(
    in_red: Annotated[float, Slider(0, 3.5, step=0.25, label="In: weight of red")] = 0.5,
    in_green: Annotated[float, Slider(0, 3.5, step=0.25, label="In: weight of green")] = 1.0,
    out_red: Annotated[float, Slider(0, 3.5, step=0.25, label="Out: weight of red")] = 2.0,
) -> go.Figure:
    """Draw how likely each output is with the record in and out, and the attacker's choice.

    The weights are relative to blue's; with the record out, green's is that of blue.

    Notes
    -----
    MIP paper, Proposition 2.

    Examples
    --------
    >>> posterior_bars().layout.meta["headline"]
    'right 65% of the time'
    """
    return stacked(layer(_frame), layer(_mechanism, in_red=in_red, in_green=in_green, out_red=out_red))
