"""Two releases that say nothing about anybody, and together say everything."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip, pmp

_MEMBERS = mip.subsets(6)
_NAMES = "ABCDEF"
PARTITION_HALVES = tuple("".join(_NAMES[i] for i in np.flatnonzero(row)) for row in _MEMBERS)
# The twenty draws stand in five columns, the first on top.
_COLUMN, _ROW = np.arange(20) % 5, 3 - np.arange(20) // 5
_SAYS = {
    "nothing": "Nothing is released: {left} of 20 possible draws {fits} (exact). Every chance is one half, ε "
    "is 0.",
    "the two groups": "The two groups are printed, not which one was drawn: {left} of 20 possible draws "
    "{fits} (exact). Yet every chance is still one half: this release is 0-PMP (exact).",
    "the bit": "One bit is printed, whether the three form a block; it says {bit}: {left} of 20 possible "
    "draws {fits} (exact). Every chance is still one half: this release is 0-PMP (exact).",
    "both": "The two groups are printed, and one bit, which says {bit}: {left} of 20 possible draws {fits} "
    "(exact). Each release alone is 0-PMP. Together the chances are 0 and 1, and ε is infinite (exact).",
}


@k.cache
def _posterior(draw, seen):
    """Return each person's chance after the release, and which draws fit it."""
    split, bit = pmp.partition_mechanism(3), pmp.design_bit()
    both = (split[:, :, None] * bit[:, None, :]).reshape(20, -1)
    table = {"nothing": np.ones((20, 1)), "the two groups": split, "the bit": bit, "both": both}[seen]
    output = int(table[draw - 1].argmax())
    return np.array([game.posterior(table, flags)[output] for flags in _MEMBERS.T]), table[:, output] > 0


def _draws(draw, fits):
    """Return the twenty draws: the true one, those that still fit, those ruled out."""
    names = np.array(PARTITION_HALVES)
    for name, those, look, size, width in (
        ("ruled out", ~fits, k.LEVEL.with_symbol("x-thin-open"), 26, 1),
        ("still possible", fits, k.PMP.with_symbol("circle-open"), 30, 2.5),
        ("the true draw", np.arange(20) == draw - 1, k.IN.with_symbol("square-open"), 38, 2.5),
    ):
        more = {"text": names[those].tolist(), "textfont": {"color": k.INK}, "hover": f"%{{text}}: {name}"}
        more["mode"] = "markers" if name == "the true draw" else "markers+text"
        mark = k.points(name, _COLUMN[those], _ROW[those], look, size=size, **more)
        # Thin enough to read the names of those that are crossed out.
        mark["marker"]["line"]["width"] = width
        yield mark


def _people(chances, half, grouped):
    """Return the frames around the people, and a mark for each, by what is known of him or her."""
    frames = ((0.56, 1.44), (-0.44, 0.44)) if grouped else ((-0.44, 1.44),) * 2
    # The pool has its frame twice, to keep two traces.
    names = ("one group", "the other group") if grouped else ("the pool", "the pool's edge")
    more = {"lower": True, "showlegend": False}
    for (low, high), name in zip(frames, names, strict=True):
        outline = [-0.5, 2.5, 2.5, -0.5, -0.5], [low, low, high, high, low]
        yield k.level(name, *outline, replace(k.LEVEL, dash="dash", width=2), **more)
    # In the order of the names, or in the two groups, A's above.
    first = [i for i, c in enumerate(_NAMES) if (c in half) == ("A" in half)] if grouped else [0, 1, 2]
    second = [i for i in range(6) if i not in first]
    x, y = np.empty(6), np.empty(6)
    x[first + second], y[first + second] = [0, 1, 2] * 2, [1] * 3 + [0] * 3
    for name, those, look, chance in (
        ("surely drawn", chances > 0.999, k.IN.with_symbol("square"), "1"),
        ("surely not drawn", chances < 0.001, k.OUT.with_symbol("x"), "0"),
        ("either, at even odds", np.abs(chances - 0.5) < 0.499, k.LEVEL, "½"),
    ):
        text = {
            "mode": "markers+text",
            "text": [f"{_NAMES[i]}: {chance}" for i in np.flatnonzero(those)],
            "textposition": "top center",
            "textfont": {"color": k.INK, "size": 15},
            "customdata": chances[those].tolist(),
            "hover": f"%{{text}}, {name}",
        }
        yield k.points(name, x[those], y[those] - 0.12, look, size=16, lower=True, **text)


@k.figure
def partition_picture(
    seen: Annotated[str, k.Choice(tuple(_SAYS), label="Released")] = "the two groups",
    draw: Annotated[int, k.Slider(1, 20, step=1, play=True, label="Draw, 1 to 20")] = 1,
):
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
    (chances, fits), half = _posterior(draw, seen), PARTITION_HALVES[draw - 1]
    grouped, left = seen in ("the two groups", "both"), int(fits.sum())
    known = "all six named" if seen == "both" else "everybody at ½"
    hidden = {"visible": False}
    listed = ", ".join(f"{name} {{{name}}}" for name in _NAMES)
    return k.part(
        _draws(draw, fits),
        _people(chances, half, grouped),
        x=hidden | {"range": [-0.6, 4.6]},
        y=hidden | {"range": [-0.6, 3.6]},
        x2=hidden | {"range": [-0.7, 2.7]},
        y2=hidden | {"range": [-0.6, 1.6]},
        rows=(0.55, 0.06),
        height=400,
        beside=0.55,
        # Beside the name, so that it can be read.
        grab=k.drag("draw", _COLUMN - 0.42, _ROW),
        headline=f"{{left}} of 20 draws left, {known}",
        sentence=_SAYS[seen],
        alt="Left, the twenty possible draws, {left} of them marked as still possible, the true one, {half}, "
        "framed. Right, the six people A to F, "
        f"{'in two dashed groups of three' if grouped else 'in one dashed frame'}; the chance that each was "
        f"drawn is {listed}.",
        left=left,
        fits="fits" if left == 1 else "fit",
        bit="yes" if pmp.design_bit()[draw - 1, 1] == 1 else "no",
        half=half,
        **dict(zip(_NAMES, chances.round(3), strict=True)),
    )
