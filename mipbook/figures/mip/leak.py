"""What a hospital prints whose noise is measured inside the half that it hides."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip
from mipbook.figures.mis.rows import ROW, scored

_PROMISE, _PEOPLE, _PRINTED = 0.1, 20, 10
_INSIDE, _EVERYBODY = "inside the half", "on everybody"
# Of the half, Zoe alone is ill; of a half of this half as well.
_SHARE = 2 / _PEOPLE
# No number of these seeds leaves the picture.
_SEEDS = (12, 16, 19, 20, 28, 39, 40, 44, 45, 46, 54, 56, 61, 65, 66, 73)
_WHO, _PRINTS = -2.75, -2.0


@k.cache
def _drawn(draw):
    """Return which halves hold Zoe, and the noise of each, in units of its scale."""
    rng = np.random.default_rng(_SEEDS[draw - 1])
    return rng.permutation(np.arange(_PRINTED) % 2 == 1), rng.laplace(size=_PRINTED)


def _scale(measured, inside):
    """Return the scale of the noise: so many spreads of what was measured, in halves with Zoe and without."""
    spread = _SHARE * inside if measured == _INSIDE else _SHARE / 2
    return mip.noise_scale(_PROMISE) * spread


@k.cache
def _right(measured):
    if measured == _INSIDE:
        return 1.0  # no number is exactly 0 with her, and each is without her
    member = mip.subsets(2)
    return 0.5 + mip.laplace_eta(_SHARE * member[:, 0], member[:, :1], _scale(measured, 1))


def _prints(draw, measured):
    """Draw ten halves, with Zoe or without, what is printed of each, and how often a spy is right."""
    inside, noise = _drawn(draw)
    number, row = _SHARE * inside + _scale(measured, inside) * noise, np.arange(1, _PRINTED + 1)
    leaks, right = measured == _INSIDE, _right(measured)
    written = [f"{x:.3f}".replace("-", "−") if x else "<b>0</b>" for x in number]
    sides = ("with", inside, k.IN), ("without", ~inside, k.OUT)
    who = [f"<b>{'in' if zoe else 'out'}</b>" for zoe in inside]
    colours = {"size": 15, "color": [(k.IN if zoe else k.OUT).colour for zoe in inside]}
    why = (
        "Without Zoe all shares are 0: no spread, no noise, and it prints exactly 0. A spy is "
        "right {right} (exact)."
        if leaks
        else "The noise is as wide without Zoe as with her. Whatever a spy looks for, he is "
        "right at most {right} (exact)."
    )
    return k.part(
        k.level("0", 0, [0.4, _PRINTED + 0.6], replace(k.LEVEL, dash="solid"), showlegend=False),
        k.text("columns", [_WHO, _PRINTS], [-0.2] * 2, ["Zoe is", "it prints"]),
        k.text("who", np.full(_PRINTED, _WHO), row, who, textfont=colours),
        k.text("numbers", np.full(_PRINTED, _PRINTS), row, written, textfont={"size": 15}),
        [
            k.points(f"{name} Zoe: printed", number[zoe], row[zoe], look, size=13, showlegend=False)
            for name, zoe, look in sides
        ],
        scored(0, 2.3, "the spy is right", 100 * right, k.ATTACK),
        x=k.axis("", range=[-3.1, 1.4], tickvals=[-1, 0, 1]) | {"zeroline": False, "showgrid": False},
        y={"range": [_PRINTED + 0.7, -1], "visible": False},
        x2=ROW,
        y2={"range": [-1, 2.9], "visible": False},
        rows=(0.8, 0.1),
        height=560,
        layout={"margin": {"b": 30}},
        ghost=[],
        headline="A spy is right {right}",
        sentence=why,
        alt="Ten rows, one for each half of draw {draw}: whether Zoe is in it, what the hospital prints "
        "with noise measured {measured}, and a mark there. Below, 100 rounds: a spy is right {right}.",
        draw=draw,
        measured=measured,
        right=k.exact(right, k.in_100),
    )


@k.figure
def exactly_zero(
    draw: Annotated[int, k.Draws(len(_SEEDS), label="Draw again")] = 1,
    measured: Annotated[str, k.Choice([_INSIDE, _EVERYBODY], label="Spread measured")] = _INSIDE,
):
    """Draw what a hospital prints, with noise measured inside the half that it hides or on everybody.

    Notes
    -----
    MIP paper, Algorithm 1, false as published: of twenty people Zoe alone is ill.

    Examples
    --------
    >>> exactly_zero(1, "on everybody").layout.meta["headline"]
    'A spy is right 60 times in 100'
    """
    return _prints
