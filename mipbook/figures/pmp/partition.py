"""Two releases that say nothing about anybody, and together say everything."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, Slider, declared
from mipbook import game, mip, pmp
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, finish
from mipbook.figures.marks import Trace, level, points

__all__ = ["PARTITION_HALVES", "partition_picture"]

_SEEN = ("nothing", "the two groups", "the bit", "both")
_MEMBERS = mip.subsets(6)
_NAMES = "ABCDEF"
PARTITION_HALVES = tuple("".join(_NAMES[i] for i in np.flatnonzero(row)) for row in _MEMBERS)
# The twenty draws stand in five columns, the first on top.
_COLUMN, _ROW = np.arange(20) % 5, 3 - np.arange(20) // 5


@lru_cache(maxsize=4)
def _table(seen: str) -> NDArray[np.float64]:
    """Return what the attacker looks at, as a table on the twenty subsets."""
    split, bit = pmp.partition_mechanism(3), pmp.design_bit()
    if seen == "nothing":
        return np.ones((20, 1))
    if seen == "both":
        return np.asarray((split[:, :, None] * bit[:, None, :]).reshape(20, -1))
    return split if seen == "the two groups" else bit


@lru_cache(maxsize=100)
def _posterior(draw: int, seen: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return each person's chance after the release, and which draws fit it."""
    table = _table(seen)
    output = int(table[draw - 1].argmax())
    chances = np.array([game.posterior(table, flags)[output] for flags in _MEMBERS.T])
    return chances, table[:, output] > 0


def _draws(draw: int, fits: NDArray[np.bool_]) -> list[Trace]:
    """Return the twenty draws: the true one, those that still fit, those ruled out."""
    chosen = np.arange(20) == draw - 1
    text = np.array(PARTITION_HALVES)
    states = (
        ("ruled out", ~fits, looks.LEVEL.with_symbol("x-thin-open"), 26),
        ("still possible", fits, looks.PMP.with_symbol("circle-open"), 30),
        ("the true draw", chosen, looks.IN.with_symbol("square-open"), 38),
    )
    traces = []
    for name, those, look, size in states:
        labels = {
            "mode": "markers+text" if name != "the true draw" else "markers",
            "text": text[those].tolist(),
            "textfont": {"color": looks.READING.colour},
            "hovertemplate": f"%{{text}}: {name}<extra></extra>",
        }
        mark = points(name, _COLUMN[those], _ROW[those], look, size=size, **labels)
        # Thin enough to read the names of those that are crossed out.
        mark["marker"]["line"]["width"] = 1 if name == "ruled out" else 2.5
        traces.append(mark)
    return traces


def _places(draw: int, grouped: bool) -> tuple[list[float], list[float]]:
    """Return where each person stands: in the order of the names, or the two groups, A's above."""
    if not grouped:
        return [0.0, 1.0, 2.0] * 2, [1.0] * 3 + [0.0] * 3
    half = PARTITION_HALVES[draw - 1]
    first = [c for c in _NAMES if (c in half) == ("A" in half)]
    second = [c for c in _NAMES if c not in first]
    at = {c: (float(i), 1.0) for i, c in enumerate(first)}
    at |= {c: (float(i), 0.0) for i, c in enumerate(second)}
    return [at[c][0] for c in _NAMES], [at[c][1] for c in _NAMES]


def _boxes(grouped: bool) -> list[Trace]:
    """Return the frames around the people: two groups, or the pool twice, to keep two traces."""
    frames = ((0.56, 1.44), (-0.44, 0.44)) if grouped else ((-0.44, 1.44),) * 2
    names = ("one group", "the other group") if grouped else ("the pool", "the pool's edge")
    look = replace(looks.LEVEL, dash="dash", width=2)
    return [
        level(
            name, [-0.5, 2.5, 2.5, -0.5, -0.5], [low, low, high, high, low], look, showlegend=False, **LOWER
        )
        for (low, high), name in zip(frames, names, strict=True)
    ]


def _people(chances: NDArray[np.float64], draw: int, grouped: bool) -> list[Trace]:
    """Return a mark for each person, by what is known of him or her."""
    x, y = (np.array(side) for side in _places(draw, grouped))
    states = (
        ("surely drawn", chances > 0.999, looks.IN.with_symbol("square"), "1"),
        ("surely not drawn", chances < 0.001, looks.OUT.with_symbol("x"), "0"),
        ("either, at even odds", np.abs(chances - 0.5) < 0.499, looks.LEVEL.with_symbol("circle"), "½"),
    )
    traces = []
    for name, those, look, chance in states:
        who = np.flatnonzero(those)
        text = {
            "mode": "markers+text",
            "text": [f"{_NAMES[i]}: {chance}" for i in who],
            "textposition": "top center",
            "textfont": {"color": looks.READING.colour, "size": 15},
            "customdata": chances[who].tolist(),
            "hovertemplate": "%{text}, " + name + "<extra></extra>",
        }
        traces.append(points(name, x[who], y[who] - 0.12, look, size=16, **text, **LOWER))
    return traces


def _sentence(seen: str, bit: str, left: int) -> str:
    says = {
        "nothing": "Nothing is released",
        "the two groups": "The two groups are printed, not which one was drawn",
        "the bit": f"One bit is printed, whether the three form a block; it says {bit}",
        "both": f"The two groups are printed, and one bit, which says {bit}",
    }[seen]
    worth = {
        "nothing": "Every chance is one half, ε is 0.",
        "the two groups": "Yet every chance is still one half: this release is 0-PMP (exact).",
        "the bit": "Every chance is still one half: this release is 0-PMP (exact).",
        "both": ("Each release alone is 0-PMP. Together the chances are 0 and 1, and ε is infinite (exact)."),
    }[seen]
    fits = "fits" if left == 1 else "fit"
    return f"{says}: {left} of 20 possible draws {fits} (exact). {worth}"


@declared
def partition_picture(
    seen: Annotated[str, Choice(_SEEN, label="Released")] = "the two groups",
    draw: Annotated[int, Slider(1, 20, step=1, play=True, label="Draw, 1 to 20")] = 1,
) -> go.Figure:
    """Draw six people, what is released about who was drawn, and what it says of each.

    The draws are numbered in the order of ``PARTITION_HALVES``, from 1.

    References
    ----------
    New: PMP, also with epsilon 0, does not compose (`mipbook.pmp.partition_mechanism` and
    `mipbook.pmp.design_bit`).

    Examples
    --------
    >>> "1 of 20" in partition_picture("both", 14).layout.meta["sentence"]
    True
    """
    chances, fits = _posterior(draw, seen)
    left = int(fits.sum())
    grouped = seen in ("the two groups", "both")
    half = PARTITION_HALVES[draw - 1]
    bit = "yes" if pmp.design_bit()[draw - 1, 1] == 1 else "no"
    listed = ", ".join(f"{c} {k:g}" for c, k in zip(_NAMES, chances.round(3), strict=True))
    hidden: dict[str, object] = {"visible": False}
    known = "all six named" if seen == "both" else "everybody at ½"
    return finish(
        [*_draws(draw, fits), *_boxes(grouped), *_people(chances, draw, grouped)],
        sentence=_sentence(seen, bit, left),
        alt=(
            f"Left, the twenty possible draws, {left} of them marked as still possible, the true "
            f"one, {half}, framed. Right, the six people A to F, "
            f"{'in two dashed groups of three' if grouped else 'in one dashed frame'}; the "
            f"chance that each was drawn is {listed}."
        ),
        layout={
            "xaxis": {**hidden, "range": [-0.6, 4.6]},
            "yaxis": {**hidden, "range": [-0.6, 3.6]},
            "xaxis2": {**hidden, "range": [-0.7, 2.7]},
            "yaxis2": {**hidden, "range": [-0.6, 1.6]},
            "rows": (0.55, 0.06),
            "height": 400,
        },
        headline=f"{left} of 20 draws left, {known}",
        beside=0.55,
        grab=[
            {
                "control": "draw",
                "axis": "x",
                # Beside the name, so that it can be read.
                "track": {"x": (_COLUMN - 0.42).tolist(), "y": _ROW.tolist()},
            }
        ],
    )
