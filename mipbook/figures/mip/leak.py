"""What a hospital prints whose noise is measured inside the half that it hides."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip

_PROMISE, _PEOPLE, _ROUNDS = 0.1, 20, 16
_INSIDE, _EVERYBODY = "on those ten", "on all twenty"
# Of the half, Zoe alone is ill; of a half of this half as well.
_SHARE = 2 / _PEOPLE
# No number of this seed leaves the picture.
_SEED = 756
# Where the two rows stand, and the page above them; equal numbers are heaped up.
_ROWS, _PAGE, _HEAP = {True: 1.8, False: 0.0}, 3.3, 0.17
_SHEET = np.array([-0.42, 0.42, 0.42, -0.42, -0.42]), _PAGE + 0.5 * np.array([1, 1, -1, -1, 1])
_BARE = {"showgrid": False, "zeroline": False}
# Said when the reader may have seen it.
_WHY = {
    "in": " One is ill, so the ten differ: there is a spread, and noise.",
    "out": " None is ill, so there is no spread, and no noise: exactly 0.",
}


def _scale(measured, inside):
    """Return the scale of the noise: so many spreads of what was measured, in halves with Zoe and without."""
    spread = _SHARE * inside if measured == _INSIDE else _SHARE / 2
    return mip.noise_scale(_PROMISE) * spread


@k.cache
def _drawn(measured):
    """Return which halves hold Zoe, and what is printed of each."""
    rng = np.random.default_rng(_SEED)
    inside = rng.permutation(np.arange(_ROUNDS) % 2 == 1)
    return inside, _SHARE * inside + _scale(measured, inside) * rng.laplace(size=_ROUNDS)


@k.cache
def _right(measured):
    if measured == _INSIDE:
        return 1.0  # no number is exactly 0 with her, and each is without her
    member = mip.subsets(2)
    return 0.5 + mip.laplace_eta(_SHARE * member[:, 0], member[:, :1], _scale(measured, 1))


@k.figure
def exactly_zero(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Is Zoe among the ten?", alone=4)] = 0,
    measured: Annotated[str, k.Choice([_INSIDE, _EVERYBODY], label="Spread measured")] = _INSIDE,
):
    """Print a noisy share of ten people round by round, and ask whether Zoe is among them.

    Notes
    -----
    MIP paper, Algorithm 1, false as published: of twenty people Zoe alone is ill.

    Examples
    --------
    >>> exactly_zero(0, "on all twenty").layout.meta["headline"]
    'The best spy: right 60 times in 100'
    """
    inside, number = (each[: round + 1] for each in _drawn(measured))
    leaks, now, right = measured == _INSIDE, number[-1], _right(measured)
    # How many equal numbers lie below each.
    heap = [int((number[:at][inside[:at] == inside[at]] == number[at]).sum()) for at in range(round + 1)]
    height = np.array([_ROWS[bool(zoe)] for zoe in inside]) + _HEAP * (1 + np.array(heap))
    past, hidden = np.arange(round + 1) < round, {"meta": "reveal", **k.QUIET}
    look, best = (k.IN, k.OUT)[not inside[-1]], (now != 0 if leaks else now > _SHARE / 2)
    answer, optimal = ("in" if zoe else "out" for zoe in (inside[-1], best))
    told = f"she is {answer}." + _WHY[answer] * (leaks and round > 0)
    written = f"{now:.3f}".replace("-", "\u2212") if now else "0"
    fooled = {} if optimal == answer else {optimal: " It fools the best spy, too."}
    return k.part(
        [
            k.level(f"row {each}", [-1.4, 1.4], each, replace(k.LEVEL, dash="solid"), **k.QUIET)
            for each in _ROWS.values()
        ],
        k.curve("the page", *_SHEET, k.READING, line={"width": 1.5, "color": k.INK}, **k.QUIET),
        k.text("printed", [0], [_PAGE], [written], textfont={"size": 28}),
        k.text("who prints", [0], [_PAGE + 0.72], ["the hospital prints"]),
        [
            k.points(
                f"{name} Zoe: printed", number[past & side], height[past & side], each, size=10, **k.QUIET
            )
            for name, side, each in (("with", inside, k.IN), ("without", ~inside, k.OUT))
        ],
        k.curve("it falls", [0, now], [_PAGE - 0.5, height[-1]], k.READING.estimate(), **hidden),
        k.points("this one", now, height[-1], look, size=14, **hidden),
        x=k.axis("printed: share of the ill, plus noise", range=[-1.45, 1.45], tickvals=[-1, 0, 1], **_BARE),
        y=k.axis("", range=[-0.15, 4.25], tickvals=[*_ROWS.values()], ticktext=["Zoe in", "Zoe out"], **_BARE)
        | {"showline": False, "ticks": ""},
        height=400,
        ghost=[],
        options=[["in", "Zoe is in"], ["out", "Zoe is out"]],
        answer=answer,
        optimal=optimal,
        replies={
            f"{says}/{answer}/{optimal}": f"{'Right' if says == answer else 'No'}: {told}"
            + fooled.get(says, "")
            for says in ("in", "out")
        },
        headline="The best spy: right {right}",
        sentence="Without Zoe the noise is 0, and 0 is printed. So the spy is always right (exact)."
        if leaks
        else "The noise is as wide without Zoe as with her. No spy is right more often (exact).",
        alt="A printed number, and below it two rows of those printed before: with Zoe and without. "
        f"{'Without her each is 0' if leaks else 'They look alike'}; the best spy is right {{right}}.",
        right=k.exact(right, k.in_100),
    )
