"""One release, four notions: what each says of the same noisy mean."""

from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np
from scipy.special import expit

import mipbook.figures.kit as k
from explorable.checked import Number, checked
from mipbook import mis, pmp, tradeoff
from mipbook.base.types import Array
from mipbook.mip.mean_game import noisy_mean_accuracies

# The incomes of the opening game, in thousands; a mean of five of them is published.
_INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
_DRAWN = 5
# DP needs to know how far an income can be moved: they are clipped to 0 to 100 thousand.
_RANGE = 100.0
_DELTA = 1e-5
_SIGMAS = [
    1, 1.2, 1.5, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48,
    56, 64, 80, 100,
]  # fmt: skip
_KNOWS = ("the insider (DP)", "you (MIP)", "the silent one (PMP)", "the stranger (MIS)")
_BODY = {"symbol": ["triangle-up", "circle"], "size": [16, 10]}


class Answers(NamedTuple):
    """What the four notions say of the release, each by its own number."""

    epsilon: float
    dp_accuracy: float
    mip_accuracy: float
    pmp_epsilon: float
    deltas: Array

    @property
    def security(self) -> float:
        """MIS: one minus the mean of what each income adds."""
        return 1.0 - float(self.deltas.mean())


@checked
@k.cache
def four_answers(sigma: Annotated[float, Number(0.1, 1e4)]) -> Answers:
    """Return what the four notions say of the mean of five incomes with Gaussian noise.

    Examples
    --------
    >>> round(four_answers(16.0).mip_accuracy, 3), round(four_answers(16.0).security, 3)
    (0.627, 0.952)
    """
    step = _RANGE / _DRAWN
    return Answers(
        float(tradeoff.gaussian_epsilon(_DELTA, sigma=sigma, sensitivity=step)),
        0.5 + float(tradeoff.gaussian_advantage(sigma, step)) / 2,
        float(noisy_mean_accuracies(_INCOMES, sigma).max()),
        float(pmp.gaussian_epsilon_exact(_INCOMES / _DRAWN, sigma, _DELTA)),
        mis.noisy_mean_deltas(_INCOMES, _DRAWN, sigma),
    )


def _spies(sigma):
    """Draw for each of four spies how often he is right."""
    found = four_answers(float(sigma))
    limit = _DELTA + (1 - _DELTA) * float(expit(found.pmp_epsilon))
    spies = (
        (found.dp_accuracy, k.DP, False),
        (found.mip_accuracy, k.MIP, False),
        (limit, k.PMP, True),
        (1 - found.security / 2, k.MIS, False),
    )
    rows, walkers, told = [], [], []
    for row, (name, (share, look, bound)) in enumerate(zip(_KNOWS, spies, strict=True)):
        right = k.at_most(100 * share) if bound else k.exact(100 * share, k.short_of_100)
        # A limit is dotted: nobody is said to come so far.
        way = replace(look, dash="dot" if bound else "solid", width=6)
        rows.append(k.level(name, [50, 100 * share], -row, way, showlegend=False))
        # The spy himself walks with his bar, and says how far he is.
        at, quiet = 100 * share, {"showlegend": False, "hoverinfo": "skip", "cliponaxis": False}
        shapes = [f"{shape}{'-open' * bound}" for shape in _BODY["symbol"]]
        body = {**_BODY, "symbol": shapes, "color": look.colour, "opacity": 1}
        # Far out there is room only below him; one of them has a handle around him.
        hold = row == 1
        below, beside = ("middle left", 1.5 - 4 * hold, -0.24), ("middle right", 2 + 3 * hold, 0)
        side, dx, dy = below if share > 0.85 else beside
        said = {"text": [f"<b>{'at most ' * bound}{right}</b>"], "textposition": side, "mode": "text"}
        walkers += [
            k.points(f"{name}, says", at + dx, dy - row, look, **said, **quiet),
            k.points(f"{name}, spy", [at, at], [-row - 0.03, 0.1 - row], look, marker=body, **quiet),
        ]
        told.append(right)
    return k.part(
        rows,
        walkers,
        headline="You, at your best: right {ten} in 100",
        sentence="The insider is right {all} times in 100, the stranger {stranger} times (exact). The silent "
        "one, when he does speak, at most {lucky} (bound), the rarest numbers left out.",
        alt="Four spies on their way from 50, a coin, to how often they are right at noise {sigma}: {all} if "
        "he knows everybody else, {ten} if he knows the ten, at most {lucky} when the luckiest number comes "
        "out, {stranger} for a stranger. Over each way is whom he knows: four who were in, filled, and one "
        "question mark; twice ten names in rings; ten question marks.",
        sigma=sigma,
        **dict(zip(("all", "ten", "lucky", "stranger"), told, strict=True)),
    )


@k.cache
def _known():
    """Draw over each spy's way whom he knows: filled who was in, in a ring who may have been."""
    x, over = 73.3 + 2.98 * np.arange(10), 0.4
    quiet = {"showlegend": False, "hoverinfo": "skip", "cliponaxis": False}
    names = [f"<b>{name[0]}</b>" for name in k.PEOPLE]
    open_ = {"text": ["?", *names, *names, *"?" * 10], "mode": "markers+text", "textfont": {"size": 10}}
    feet = (np.array([-0.03, 0.1]) - np.arange(4)[:, None]).ravel()
    start = {name: each * 4 for name, each in _BODY.items()} | {"color": k.GREY, "opacity": 0.35}
    at, row = np.concatenate([x[9:], x, x, x]), np.repeat(range(4), [1, 10, 10, 10])
    drawn = [
        k.cast(x[5:9], np.full(4, over), tuple(k.PEOPLE)[1:5], name="known to be in", size=17, **quiet),
        k.points("the start", np.full(8, 50), feet, k.LEVEL, marker=start, **quiet),
        k.points("not known", at, over - row, k.LEVEL.with_symbol("circle-open"), size=16, **open_, **quiet),
    ]
    place = {"x": 50, "xanchor": "left", "yanchor": "middle", "showarrow": False}
    held = [100 * float(noisy_mean_accuracies(_INCOMES, float(sigma)).max()) for sigma in _SIGMAS]
    heads = [f"<b>{name.replace(' (', '</b> (')}" for name in _KNOWS]
    return k.part(
        drawn,
        x=k.axis("right so many times in 100, when he speaks", range=[49.5, 102], dtick=10, showgrid=False),
        y={"range": [-3.45, 0.65], "visible": False},
        annotations=[{**place, "y": over - row, "text": head} for row, head in enumerate(heads)],
        height=370,
        ghost=[],
        grab=k.drag("sigma", held, [-1] * len(held), ring=True),
    )


@k.figure
def four_spies(sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand", play=True)] = 8.0):
    """Show how often four spies are right about one release: each notion thinks of another.

    Notes
    -----
    DP: any data, incomes clipped to 0 to 100 thousand. MIP and PMP: a random five of these ten,
    and the outlier, whom noise hides last. MIS: five incomes drawn from the ten, with repetition.

    Examples
    --------
    >>> four_spies(16.0).layout.meta["headline"]
    'You, at your best: right 62.7 in 100'
    """
    return _known, _spies
