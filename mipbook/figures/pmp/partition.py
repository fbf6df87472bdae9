"""Two releases that say nothing about anybody, and together say everything."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game, mip, pmp
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREY, INK, ORANGE
from mipbook.figures.frame import LOWER, axis, finish

__all__ = ["PARTITION_HALVES", "partition_picture"]

_SEEN = ("nothing", "the two groups", "the bit", "both")
_MEMBERS = mip.subsets(6)
_NAMES = "ABCDEF"
PARTITION_HALVES = tuple("".join(_NAMES[i] for i in np.flatnonzero(row)) for row in _MEMBERS)


def _table(seen: str) -> NDArray[np.float64]:
    """Return what the attacker looks at, as a table on the twenty subsets."""
    split, bit = pmp.partition_mechanism(3), pmp.design_bit()
    if seen == "nothing":
        return np.ones((20, 1))
    if seen == "both":
        return np.asarray((split[:, :, None] * bit[:, None, :]).reshape(20, -1))
    return split if seen == "the two groups" else bit


def _places(half: str, grouped: bool) -> list[float]:
    """Return where each person stands: in one row, or in two groups, A's first."""
    if not grouped:
        return [float(i) for i in range(6)]
    first = [c for c in _NAMES if (c in half) == ("A" in half)]
    second = [c for c in _NAMES if c not in first]
    order = {c: i - 0.3 for i, c in enumerate(first)} | {c: i + 3.3 for i, c in enumerate(second)}
    return [order[c] for c in _NAMES]


def partition_picture(half: str = "ABC", seen: str = "the two groups") -> go.Figure:
    """Draw six people, what is released about who was drawn, and what it says of each.

    Parameters
    ----------
    half : str
        The three people drawn, one of `PARTITION_HALVES`, such as *ABC*.
    seen : str
        What the attacker sees: *nothing*, *the two groups*, *the bit* or *both*.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    New: PMP, also with epsilon 0, does not compose (`mipbook.pmp.partition_mechanism` and
    `mipbook.pmp.design_bit`).

    Examples
    --------
    >>> "1 of 20" in partition_picture("BDE", "both").layout.meta["sentence"]
    True
    """
    half = validate.choice("half", half, PARTITION_HALVES)
    seen = validate.choice("seen", seen, _SEEN)
    row = PARTITION_HALVES.index(half)
    table = _table(seen)
    output = int(table[row].argmax())
    chances = np.array([game.posterior(table, flags)[output] for flags in _MEMBERS.T])
    left = int(table[:, output].sum())
    grouped = seen in ("the two groups", "both")
    places = _places(half, grouped)
    figure = go.Figure()
    boxes = ((-0.75, 2.15), (2.85, 5.75)) if grouped else ((-0.75, 5.75),) * 2
    names = ("one group", "the other group") if grouped else ("the pool", "the pool's edge")
    for (low, high), name in zip(boxes, names, strict=True):
        figure.add_scatter(
            x=[low, high, high, low, low],
            y=[-0.7, -0.7, 0.7, 0.7, -0.7],
            mode="lines",
            name=name,
            showlegend=False,
            hoverinfo="skip",
            line={"color": GREY, "dash": "dash", "width": 2},
        )
    states = (
        ("surely drawn", chances > 0.999, BLUE, "square"),
        ("surely not drawn", chances < 0.001, ORANGE, "x"),
        ("either, at even odds", np.abs(chances - 0.5) < 0.499, GREY, "circle-open"),
    )
    for name, chosen, colour, symbol in states:
        who = np.flatnonzero(chosen)
        figure.add_scatter(
            x=[places[i] for i in who],
            y=np.zeros(who.size),
            mode="markers+text",
            name=name,
            text=[_NAMES[i] for i in who],
            textposition="top center",
            textfont={"color": INK, "size": 15},
            marker={"color": colour, "symbol": symbol, "size": 18, "line": {"width": 2.5}},
        )
    figure.add_bar(
        x=places,
        y=chances,
        name="chance that this person was drawn",
        width=0.7,
        marker={
            "color": [GREY if 0.001 < k < 0.999 else BLUE for k in chances],
        },
        customdata=list(_NAMES),
        hovertemplate="%{customdata}: %{y:.2f}<extra></extra>",
        **LOWER,
    )
    bit = "yes" if pmp.design_bit()[row, 1] == 1 else "no"
    says = {
        "nothing": "Nothing is released",
        "the two groups": "The two groups are printed, not which one was drawn",
        "the bit": f"One bit is printed, whether the three form a block; it says {bit}",
        "both": f"The two groups are printed, and one bit, which says {bit}",
    }[seen]
    worth = {
        "nothing": "Every chance is one half, epsilon is 0.",
        "the two groups": "Yet every chance is still one half: this release is 0-PMP (exact).",
        "the bit": "Every chance is still one half: this release is 0-PMP (exact).",
        "both": (
            "Each release alone is 0-PMP. Together the chances are 0 and 1, and epsilon is "
            "infinite (exact)."
        ),
    }[seen]
    fits = "fits" if left == 1 else "fit"
    told = ", ".join(f"{c} {k:g}" for c, k in zip(_NAMES, chances.round(3), strict=True))
    return finish(
        figure,
        sentence=f"{says}: {left} of 20 possible draws {fits} (exact). {worth}",
        alt=(
            f"Above, the six people A to F, "
            f"{'in two dashed groups of three' if grouped else 'in one dashed row'}. Below, a bar "
            f"for each: the chance that he or she was drawn is {told}."
        ),
        layout={
            "xaxis": {"visible": False, "range": [-1, 6]},
            "yaxis": {"visible": False, "range": [-1, 1.3]},
            "xaxis2": axis(
                "person",
                tickvals=places,
                ticktext=list(_NAMES),
                range=[-1, 6],
            ),
            "yaxis2": axis("chance drawn", range=[0, 1.05], tickvals=[0, 0.5, 1]),
            "rows": (0.42, 0.1),
            "height": 460,
        },
    )
