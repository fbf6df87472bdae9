"""One release, four notions: how often four spies are right about the same noisy mean."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.checked import Number, checked
from explorable.palette import BACKGROUND
from mipbook import mip, mis, tradeoff
from mipbook.figures.game.guessing import INCOMES, TARGETS
from mipbook.mip.mean_game import noisy_mean_accuracies

_DRAWN = 5
# The silent one answers so seldom.
_SPOKEN = 0.01
_SIGMAS = [
    1, 1.2, 1.5, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48,
    56, 64, 80, 100,
]  # fmt: skip
# What each says, his eyes, and his colour.
_SPIES = {
    "the insider": ("I know four. Is the fifth Zoe, or Anna?", "•\u2002•", k.DP),
    "you": ("I know all ten, and must answer.", "•\u2002•", k.MIP),
    "the silent one": (f"I answer once in {1 / _SPOKEN:.0f} rounds.", "−\u2002−", k.PMP),
    "the stranger": ("I know nobody.", "?\u2002?", k.MIS),
}
# A face below its words, in a hat of a brim and a crown.
_FACE, _EYES, _BRIM, _CROWN, _WORDS = np.array([-0.13, -0.16, 0.09, 0.18, 0.43])
_WIDE = 22


@checked
@k.cache
def four_shares(sigma: Annotated[float, Number(0.1, 1e4)]) -> dict[str, float]:
    """Return how often each spy is right about a mean of five incomes with Gaussian noise.

    Examples
    --------
    >>> [round(share, 3) for share in four_shares(16.0).values()]
    [0.648, 0.627, 0.876, 0.524]
    """
    deltas = mis.noisy_mean_deltas(INCOMES, _DRAWN, sigma)
    shares = (
        0.5 + float(tradeoff.gaussian_advantage(sigma, np.ptp(INCOMES) / _DRAWN)) / 2,
        float(noisy_mean_accuracies(INCOMES, sigma).max()),
        mip.noisy_mean_silent_accuracy(INCOMES, TARGETS["Zoe"], sigma, _SPOKEN),
        0.5 + float(deltas.mean()) / 2,
    )
    return dict(zip(_SPIES, shares, strict=True))


def _spy(name, row, at, when="", **more):
    """Draw a spy on his way: a hat, and a face in his colour."""
    _, face, look = _SPIES[name]
    body = {"symbol": ["circle", "line-ew", "square"], "size": [32, 24, 15], "opacity": 1}
    body |= {"color": [look.colour, k.INK, k.INK], "line": {"width": [0, 5, 0], "color": k.INK}}
    hat, font = np.array([_FACE, _BRIM, _CROWN]) - row, {"size": 12, "color": BACKGROUND[0]}
    more |= {"cliponaxis": False}
    return [
        k.points(f"{when}{name}, his hat", [at] * 3, hat, look, marker=body, **k.QUIET, **more),
        k.text(f"{when}{name}, his face", [at], [_EYES - row], [f"<b>{face}</b>"], textfont=font, **more),
    ]


@k.cache
def _track():
    """Draw four ways from a coin to always, what each spy says, and the spies before they go."""
    lane = replace(k.LEVEL, dash="solid", width=_WIDE)
    y = np.repeat(_FACE - np.arange(4), 3)
    lanes = k.curve("the ways", [50, 100, None] * 4, y, lane, opacity=0.15, **k.QUIET)
    place = {"x": 50, "xanchor": "left", "xshift": -17, "yanchor": "middle", "showarrow": False}
    said = [
        {**place, "y": _WORDS - row, "text": f"<b>{name}</b>\u2002“{words}”"}
        for row, (name, (words, _, _)) in enumerate(_SPIES.items())
    ]
    return k.part(
        lanes,
        [_spy(name, row, 50, when="before, ", meta="asked") for row, name in enumerate(_SPIES)],
        x=k.axis("right so many times in 100 answers", range=[46.5, 102.5], dtick=10, showgrid=False),
        y={"range": [-3.45, 0.65], "visible": False},
        annotations=said,
        height=400,
        ghost=[],
    )


def _race(sigma):
    """Send each spy as far as he is right."""
    drawn, told = [], {}
    for row, (name, share) in enumerate(four_shares(float(sigma)).items()):
        look, at = _SPIES[name][2], 100 * share
        told[name.split()[-1]] = right = k.exact(at, k.short_of_100)
        way = replace(look, dash="solid", width=_WIDE)
        # Far out the number is on the way behind him.
        side, colour = ("left", BACKGROUND[0]) if at > 75 else ("right", k.INK)
        said, font = [f"\u2003\u2002<b>{right}</b>\u2003\u2002"], {"color": colour}
        drawn += [
            k.level(f"{name}, way", [50, at], _FACE - row, way, **k.QUIET),
            k.text(f"{name}, right", [at], [_FACE - row], said, textposition=f"middle {side}", textfont=font),
            *_spy(name, row, at),
        ]
    return k.part(
        drawn,
        headline="The silent one: right {one} in 100",
        sentence="He answers once in {rounds} rounds, and then he is right {one} times in 100. The insider "
        "is right {insider} times, you {you} times, the stranger {stranger} times (exact).",
        alt="Four spies with faces and hats on four ways from 50, a coin, to 100: the insider at {insider}, "
        "you at {you}, the silent one at {one}, the stranger at {stranger}; the noise is {sigma}.",
        sigma=sigma,
        rounds=k.exact(1 / _SPOKEN, k.count),
        **told,
    )


@k.figure
def four_spies(sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand", play=True)] = 8.0):
    """Show how often four spies are right about one release: each notion thinks of another.

    Notes
    -----
    DP: four incomes are known, and the fifth is the largest or the least. MIP and PMP: a random five
    of these ten, and the outlier, whom noise hides last. MIS: five drawn from the ten, with repetition.

    Examples
    --------
    >>> four_spies(16.0).layout.meta["headline"]
    'The silent one: right 87.6 in 100'
    """
    return _track, _race
