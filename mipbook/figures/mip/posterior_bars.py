"""A small mechanism, its posterior, and what the optimal attacker says at each output."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import game
from mipbook.explore import Stops, declared
from mipbook.figures.frame import axis, finish
from mipbook.figures.looks import IN, OUT, READING
from mipbook.figures.marks import bars
from mipbook.figures.words import percent, say

__all__ = ["posterior_bars"]

_COLOURS = ["red", "green", "blue"]
_WEIGHTS = [0, 0.5, 1, 2, 4]


@declared
def posterior_bars(
    in_red: Annotated[float, Stops(_WEIGHTS, label="In: weight of red")] = 0.5,
    in_green: Annotated[float, Stops(_WEIGHTS, label="In: weight of green")] = 1.0,
    out_red: Annotated[float, Stops(_WEIGHTS, label="Out: weight of red")] = 2.0,
    out_green: Annotated[float, Stops(_WEIGHTS, label="Out: weight of green")] = 1.0,
) -> go.Figure:
    """Draw how likely each output is with the record in and out, and the attacker's choice.

    The weights are relative to blue's.

    Notes
    -----
    MIP paper, Proposition 2.

    Examples
    --------
    >>> "right 65% of the time" in posterior_bars().layout.meta["sentence"]
    True
    """
    table = np.array([[out_red, out_green, 1.0], [in_red, in_green, 1.0]])
    table /= table.sum(axis=1, keepdims=True)
    chance = game.posterior(table)
    says_in = game.optimal_decisions(table)
    accuracy = game.optimal_accuracy(table)
    out, inside = table / 2
    chances = ", ".join(f"{c} {percent(float(p))}" for c, p in zip(_COLOURS, chance, strict=True))
    return finish(
        [
            bars("record out, and this output", _COLOURS, out, OUT, "/"),
            bars("record in, and this output", _COLOURS, inside, IN),
            {
                "type": "scatter",
                "name": "the optimal attacker",
                "x": _COLOURS,
                "y": np.maximum(out, inside),
                "mode": "text",
                "text": [f"says {'in' if said else 'out'}" for said in says_in],
                "textposition": "top center",
                "textfont": {"color": READING.colour},
                "showlegend": False,
            },
        ],
        sentence=(
            f"The chance that the record was in, given the output: {chances} (exact). Saying the "
            f"likelier side each time, the optimal attacker is right {percent(accuracy)} of the "
            f"time, so this mechanism is eta-MIP for eta = {say(accuracy - 0.5)} and no less "
            f"(exact)."
        ),
        alt=(
            f"Pairs of bars for the outputs red, green and blue: record out "
            f"{', '.join(say(float(v)) for v in out)}, record in "
            f"{', '.join(say(float(v)) for v in inside)}. Above each pair stands what the "
            f"attacker says."
        ),
        layout={
            "xaxis": axis("what the mechanism answers", type="category"),
            "yaxis": axis("probability", range=[0, 0.56]),
            "barmode": "group",
            "height": 380,
        },
    )
