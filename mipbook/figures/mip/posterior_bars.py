"""A small mechanism, its posterior, and what the optimal attacker says at each output."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mipbook import game
from mipbook.base import validate
from mipbook.base.palette import BLUE, INK, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import percent, say

__all__ = ["posterior_bars"]

_COLOURS = ("red", "green", "blue")


def posterior_bars(
    in_red: float = 0.5, in_green: float = 1.0, out_red: float = 2.0, out_green: float = 1.0
) -> go.Figure:
    """Draw how likely each output is with the record in and out, and the attacker's choice.

    Parameters
    ----------
    in_red, in_green : float
        How likely red and green are when the record is in, relative to blue; in [0, 100].
    out_red, out_green : float
        The same when the record is out.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, Proposition 2.

    Examples
    --------
    >>> "right 65% of the time" in posterior_bars().layout.meta["sentence"]
    True
    """
    given = {"in_red": in_red, "in_green": in_green, "out_red": out_red, "out_green": out_green}
    w = {name: validate.number(name, value, 0.0, 100.0) for name, value in given.items()}
    table = np.array([[w["out_red"], w["out_green"], 1.0], [w["in_red"], w["in_green"], 1.0]])
    table /= table.sum(axis=1, keepdims=True)
    chance = game.posterior(table)
    says_in = game.optimal_decisions(table)
    accuracy = game.optimal_accuracy(table)
    figure = go.Figure()
    for row, name, colour, pattern in (
        (0, "record out, and this output", ORANGE, "/"),
        (1, "record in, and this output", BLUE, ""),
    ):
        figure.add_bar(
            x=list(_COLOURS),
            y=table[row] / 2,
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
        x=list(_COLOURS),
        y=table.max(axis=0) / 2,
        mode="text",
        text=[f"says {'in' if said else 'out'}" for said in says_in],
        textposition="top center",
        textfont={"color": INK},
        name="the optimal attacker",
        showlegend=False,
    )
    told = ", ".join(f"{c} {percent(float(p))}" for c, p in zip(_COLOURS, chance, strict=True))
    return finish(
        figure,
        sentence=(
            f"The chance that the record was in, given the output: {told} (exact). Saying the "
            f"likelier side each time, the optimal attacker is right {percent(accuracy)} of the "
            f"time, so this mechanism is eta-MIP for eta = {say(accuracy - 0.5)} and no less "
            f"(exact)."
        ),
        alt=(
            f"Pairs of bars for the outputs red, green and blue: record out "
            f"{', '.join(say(float(v)) for v in table[0] / 2)}, record in "
            f"{', '.join(say(float(v)) for v in table[1] / 2)}. Above each pair stands what the "
            f"attacker says."
        ),
        layout={
            "xaxis": axis("what the mechanism answers", type="category"),
            "yaxis": axis("probability", range=[0, 0.56]),
            "barmode": "group",
            "height": 380,
        },
    )
