"""What a hospital prints whose noise is measured inside the half that it hides."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.palette import BACKGROUND
from mipbook import mip

_PROMISE, _PEOPLE, _PRINTED = 0.1, 20, 12
_INSIDE, _EVERYBODY = "inside the half", "on everybody"
# Of the half, Zoe alone is ill; of a half of this half as well.
_SHARE = 2 / _PEOPLE
# No number of these seeds leaves the picture.
_SEEDS = (18, 22, 24, 26, 28, 36, 44, 54, 57, 61, 68, 79, 89, 96, 98, 107)
_FACES, _PRINTS = -2.5, -2.0


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
    """Draw what is printed of twelve halves, and in which of them Zoe is."""
    inside, noise = _drawn(draw)
    number, row = _SHARE * inside + _scale(measured, inside) * noise, np.arange(1, _PRINTED + 1)
    exact, quiet = measured == _INSIDE, {"hoverinfo": "skip", "showlegend": False}
    written = [f"{x:.3f}".replace("-", "−") for x in number]
    letters = {"mode": "markers+text", "textposition": "middle center", **quiet}
    unknown, known = k.LEVEL.with_symbol("circle"), []
    for name, who, look in (("with Zoe", inside, k.IN), ("without Zoe", ~inside, k.OUT)):
        filled = look is k.IN
        marker = {"color": look.colour if filled else BACKGROUND[0], "size": 20}
        marker["line"] = {"color": look.colour, "width": 2.5}
        face = {"marker": marker, "textfont": {"color": BACKGROUND[0] if filled else look.colour, "size": 13}}
        y, zoe = row[who], {"text": ["<b>Z</b>"] * int(who.sum()), **letters, **face}
        known.append(k.points(f"{name}: her face", np.full(y.size, _FACES), y, look, **zoe))
        known.append(k.points(f"{name}: printed", number[who], y, look, size=13, **quiet))
    asked = {"meta": "asked", "textfont": {"color": BACKGROUND[0], "size": 13}}
    faces = k.points(
        "unknown", np.full(_PRINTED, _FACES), row, unknown, size=20, text=["<b>?</b>"] * _PRINTED
    )
    why = (
        "Without Zoe all shares are 0: no spread, no noise, and it prints exactly 0. A spy is right "
        "{right} (exact)."
        if exact
        else "The noise is as wide without Zoe as with her. Whatever he looks for, a spy is right at most "
        "{right} (exact)."
    )
    return k.part(
        k.level("exactly 0", 0, [0.4, _PRINTED + 0.6], k.LEVEL, showlegend=False),
        k.text("columns", [_FACES, _PRINTS, 0], [0, 0, 0], ["Zoe", "it prints", "exactly 0"]),
        k.text("numbers", np.full(_PRINTED, _PRINTS), row, written, textfont={"size": 15}),
        faces | letters | asked,
        k.points("unknown numbers", number, row, unknown, size=12, meta="asked", **quiet),
        known,
        x=k.axis("printed: the share of the ill, with noise", range=[-2.75, 1.55], tickvals=[-1, 0, 1])
        | {"zeroline": False, "showgrid": False},
        y={"range": [_PRINTED + 0.7, -0.6], "visible": False},
        height=540,
        ghost=[],
        headline="A spy is right {right}",
        sentence=why,
        alt="Twelve rows, one for each half of draw {draw}: whether Zoe is in it, what the hospital prints, "
        "and a mark there, with noise measured {measured}; a spy is right {right}.",
        draw=draw,
        measured=measured,
        right=k.exact(_right(measured), k.in_100),
    )


@k.figure
def exactly_zero(
    draw: Annotated[int, k.Draws(len(_SEEDS), label="Twelve other halves")] = 1,
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
