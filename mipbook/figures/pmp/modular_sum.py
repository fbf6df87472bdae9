"""The sum modulo 2n: how often each remainder comes up with a record in, and with it out."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from mipbook import pmp
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import percent, say

__all__ = ["modular_sum_bars"]

_COMPARE = ("the same output", "largest over smallest")


def modular_sum_bars(n: int = 6, record: int = 0, compare: str = _COMPARE[0]) -> go.Figure:
    """Draw the counts of each remainder with the record in and out, and their log ratios.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, in [3, 12].
    record : int
        The record in question, in [0, 5]; record i has the label i.
    compare : str
        *the same output*, the exact PMP parameter, or *largest over smallest*, the looser
        bound that mixes outputs.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Proposition 5 and the remark on n = 6.

    Examples
    --------
    >>> "38/37" in modular_sum_bars(6).layout.meta["sentence"]
    True
    """
    n = validate.integer("n", n, 3, 12)
    record = validate.integer("record", record, 0, 5)
    compare = validate.choice("compare", compare, _COMPARE)
    counts = pmp.modular_sum(n, record)
    outputs = np.arange(2 * n)
    logs = np.log(counts.inside / counts.outside)
    same = compare == _COMPARE[0]
    top, bottom = counts.odds if same else counts.loose_odds
    line = math.log(top / bottom)
    figure = go.Figure()
    for column, name, colour, shape in (
        (counts.inside, "record in", BLUE, ""),
        (counts.outside, "record out", ORANGE, "/"),
    ):
        figure.add_bar(
            x=outputs,
            y=column,
            name=name,
            marker={
                "color": colour,
                "pattern": {"shape": shape, "fgcolor": INK, "solidity": 0.2, "fillmode": "overlay"},
            },
        )
    both = np.stack([counts.inside, counts.outside], axis=1)
    if same:
        # The first remainder at which the ratio is attained: its two bars.
        at = int(np.argmax(np.abs(logs)))
        marked = [(at, int(both[at].max()))]
    else:
        high, low = np.argwhere(both == top)[0], np.argwhere(both == bottom)[0]
        marked = [(int(high[0]), top), (int(low[0]), bottom)]
    figure.add_scatter(
        x=[place for place, _ in marked],
        y=[1.05 * height for _, height in marked],
        mode="markers",
        name="compared",
        marker={"color": INK, "symbol": "triangle-down", "size": 11},
    )
    figure.add_bar(
        x=outputs,
        y=logs,
        name="ln(in / out)",
        marker={"color": GREY},
        **LOWER,
    )
    for sign in (1, -1):
        figure.add_scatter(
            x=[-0.6, 2 * n - 0.4],
            y=[sign * line, sign * line],
            mode="lines",
            name="plus and minus epsilon" if sign == 1 else "minus epsilon",
            showlegend=sign == 1,
            line={"color": GREEN, "dash": "dash", "width": 2.5},
            hoverinfo="skip",
            **LOWER,
        )
    exact = f"ln({counts.odds[0]}/{counts.odds[1]}) = {say(counts.epsilon)}"
    loose = math.log(counts.loose_odds[0] / counts.loose_odds[1])
    if same:
        told = (
            f"The sum modulo {2 * n} is epsilon-PMP for epsilon = {exact} and no less (exact): at "
            f"no remainder do the two bars differ more. The best attack against this record is "
            f"right {percent(_accuracy(counts), 7)} of the time (exact)."
        )
    elif counts.odds == counts.loose_odds:
        told = (
            f"The tallest bar over the shortest gives ln({top}/{bottom}) = {say(line)} (bound). "
            f"Here it is also the exact epsilon, {exact}: both bars stand at one remainder."
        )
    else:
        told = (
            f"The tallest bar over the shortest gives ln({top}/{bottom}) = {say(line)} (bound), "
            f"{say(loose / counts.epsilon)} times the exact epsilon, {exact}: the two bars belong "
            f"to different remainders, which no attacker can confuse."
        )
    return finish(
        figure,
        sentence=f"{told} No noise is added, so it is not DP for any epsilon (exact).",
        alt=(
            f"Above, pairs of bars for the remainders 0 to {2 * n - 1}: how many of the "
            f"{int(counts.inside.sum()):,} subsets with record {record}, and of as many without, "
            f"give each; all lie between {counts.loose_odds[1]} and {counts.loose_odds[0]}. Below, "
            f"the logarithms of their ratios between dashed lines at plus and minus {say(line)}."
        ),
        layout={
            "xaxis": axis("remainder of the sum", dtick=1 if n <= 6 else 2),
            "yaxis": axis("subsets", range=[0, 1.16 * counts.loose_odds[0]]),
            "xaxis2": axis("remainder of the sum", dtick=1 if n <= 6 else 2),
            "yaxis2": axis("ln(in / out)", range=[-1.3 * line, 1.3 * line]),
            "rows": (0.55, 0.22),
            "barmode": "group",
            "height": 520,
        },
    )


def _accuracy(counts: pmp.SumCounts) -> float:
    """Return how often the attacker is right who says the likelier side at each remainder."""
    best = int(np.maximum(counts.inside, counts.outside).sum())
    return best / (2 * int(counts.inside.sum()))
