"""Two releases that say nothing about anybody, and together say everything."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game, mip, pmp
from mipbook.explore import Choice, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import Trace, bars, level, points

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


@lru_cache(maxsize=100)
def _posterior(half: str, seen: str) -> tuple[NDArray[np.float64], int]:
    """Return each person's chance after the release, and how many draws fit it."""
    table = _table(seen)
    output = int(table[PARTITION_HALVES.index(half)].argmax())
    chances = np.array([game.posterior(table, flags)[output] for flags in _MEMBERS.T])
    return chances, int(table[:, output].sum())


def _boxes(grouped: bool) -> list[Trace]:
    """Return the frames around the people: two groups, or the pool twice, to keep two traces."""
    frames = ((-0.75, 2.15), (2.85, 5.75)) if grouped else ((-0.75, 5.75),) * 2
    names = ("one group", "the other group") if grouped else ("the pool", "the pool's edge")
    look = replace(looks.LEVEL, dash="dash", width=2)
    return [
        level(
            name,
            [low, high, high, low, low],
            [-0.7, -0.7, 0.7, 0.7, -0.7],
            look,
            showlegend=False,
        )
        for (low, high), name in zip(frames, names, strict=True)
    ]


def _people(chances: NDArray[np.float64], places: list[float]) -> list[Trace]:
    """Return a mark for each person, by what is known of him or her."""
    states = (
        ("surely drawn", chances > 0.999, looks.IN.with_symbol("square")),
        ("surely not drawn", chances < 0.001, looks.OUT.with_symbol("x")),
        (
            "either, at even odds",
            np.abs(chances - 0.5) < 0.499,
            looks.LEVEL.with_symbol("circle-open"),
        ),
    )
    traces = []
    for name, chosen, look in states:
        who = np.flatnonzero(chosen)
        text = {
            "mode": "markers+text",
            "text": [_NAMES[i] for i in who],
            "textposition": "top center",
            "textfont": {"color": looks.READING.colour, "size": 15},
        }
        at = [places[i] for i in who]
        traces.append(points(name, at, np.zeros(who.size), look, size=18, **text))
    return traces


def _sentence(seen: str, bit: str, left: int) -> str:
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
    return f"{says}: {left} of 20 possible draws {fits} (exact). {worth}"


@declared
def partition_picture(
    half: Annotated[str, Choice(PARTITION_HALVES, label="Drawn")] = "ABC",
    seen: Annotated[str, Choice(_SEEN, label="Released")] = "the two groups",
) -> go.Figure:
    """Draw six people, what is released about who was drawn, and what it says of each.

    References
    ----------
    New: PMP, also with epsilon 0, does not compose (`mipbook.pmp.partition_mechanism` and
    `mipbook.pmp.design_bit`).

    Examples
    --------
    >>> "1 of 20" in partition_picture("BDE", "both").layout.meta["sentence"]
    True
    """
    chances, left = _posterior(half, seen)
    grouped = seen in ("the two groups", "both")
    places = _places(half, grouped)
    bit = "yes" if pmp.design_bit()[PARTITION_HALVES.index(half), 1] == 1 else "no"
    open_or_known = [looks.LEVEL if 0.001 < chance < 0.999 else looks.IN for chance in chances]
    listed = ", ".join(f"{c} {k:g}" for c, k in zip(_NAMES, chances.round(3), strict=True))
    return finish(
        [
            *_boxes(grouped),
            *_people(chances, places),
            bars(
                "chance that this person was drawn",
                places,
                chances,
                looks.IN,
                width=0.7,
                customdata=list(_NAMES),
                hovertemplate="%{customdata}: %{y:.2f}<extra></extra>",
                **LOWER,
            )
            | {"marker": {"color": [look.colour for look in open_or_known]}},
        ],
        sentence=_sentence(seen, bit, left),
        alt=(
            f"Above, the six people A to F, "
            f"{'in two dashed groups of three' if grouped else 'in one dashed row'}. Below, a bar "
            f"for each: the chance that he or she was drawn is {listed}."
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
