"""Many rounds of the opening game: what they publish piles up until the heap is the curve."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip
from mipbook.figures.game.guessing import INCOMES, TARGETS

_ROUNDS = [1, 2, 3, 5, 10, 20, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]
_SIGMAS = [2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16]
# From so many on, two heaps can be told, and the curves are drawn.
_MANY, _SEED = 100, 7
# Steps of two thousand, beyond which less than one number in a thousand falls.
_EDGES = np.linspace(-10, 100, 56)
_MIDDLES = (_EDGES[1:] + _EDGES[:-1]) / 2


@k.cache
def _played(target):
    """Return whether the target took part in each of the most rounds, the means, and what noise of 1 adds."""
    rng = np.random.default_rng([_SEED, TARGETS[target]])
    rounds = [mip.draw_round(INCOMES, 1.0, rng) for _ in range(_ROUNDS[-1])]
    halves = np.array([half for half, _ in rounds])
    means = halves @ INCOMES / halves.sum(axis=1)
    return halves[:, TARGETS[target]], means, np.array([released for _, released in rounds]) - means


def _axes(target):
    return k.part(
        x=k.axis("published, thousands a year", range=[-10, 100], dtick=20),
        height=300,
        barmode="overlay",
        layout={"bargap": 0.08},
        alt="Heaps of the numbers that {rounds} rounds published, with {target} in, {inside}, and with "
        "{target} out; from a hundred rounds on the curves that they come to.",
        moving_axes="The heap grows, and the axis grows with it.",
        ghost=[],
        target=target,
    )


def _heaps(rounds, sigma, target):
    """Return what so many rounds published, in steps."""
    was_in, means, noise = _played(target)
    released, was_in = (means + sigma * noise)[:rounds], was_in[:rounds]
    place = np.digitize(np.clip(released, _EDGES[0], _EDGES[-1] - 1e-9), _EDGES) - 1
    heaps = [np.bincount(place[side], minlength=_MIDDLES.size) for side in (was_in, ~was_in)]
    look = k.ATTACK.with_symbol("triangle-down")
    top = max(4.0, 1.3 * max(heap.max() for heap in heaps))
    few = rounds < _MANY
    return k.part(
        k.bars(f"with {target}", _MIDDLES, heaps[0], k.IN, opacity=0.65, hover="%{x} thousand: %{y} rounds"),
        k.bars(
            f"without {target}",
            _MIDDLES,
            heaps[1],
            k.OUT,
            "/",
            opacity=0.65,
            hover="%{x} thousand: %{y} rounds",
        ),
        k.points(
            "the last ten",
            released[-10:],
            np.full(min(rounds, 10), 0.96 * top),
            look,
            size=12,
            hoverinfo="skip",
        ),
        y=k.axis("rounds that published it", range=[0, top]),
        headline=("{rounds} number so far" if rounds == 1 else "{rounds} numbers so far")
        if few
        else "right {best}",
        sentence="{target} was in {inside} of {rounds} (exact). Play on, and two heaps grow."
        if few
        else "{target} was in {inside} of {rounds}, and the lines say what to expect. Say in where the blue "
        "heap is higher: you are right {best} (exact), and nobody can do better.",
        rounds=k.exact(rounds, k.count),
        inside=k.exact(int(was_in.sum()), k.count),
    )


def _curves(rounds, sigma, target):
    """Return what so many rounds come to, once there are many, and how often the best spy is right."""
    seen = rounds / 2 if rounds >= _MANY else 0
    shares = mip.noisy_mean_shares(INCOMES, TARGETS[target], sigma, _EDGES)
    lines = [
        k.curve(
            f"{name} {target}, expected",
            _MIDDLES,
            seen * share,
            look,
            hoverinfo="skip",
            line={"color": look.colour, "dash": look.dash, "shape": "spline"},
            opacity=float(seen > 0),
            showlegend=False,
        )
        for name, share, look in zip(("with", "without"), shares, (k.IN, k.OUT), strict=True)
    ]
    return k.part(lines, best=k.exact(mip.noisy_mean_accuracy(INCOMES, TARGETS[target], sigma), k.in_100))


@k.figure
def many_rounds(
    rounds: Annotated[int, k.Count(_ROUNDS, label="Rounds", play=True)] = 10,
    sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand")] = 4.0,
    target: Annotated[str, k.Choice(TARGETS.keys(), label="Target")] = "Zoe",
):
    """Draw the numbers that many rounds of the opening game publish, and what they pile up to.

    Notes
    -----
    The game of MIP Definition 1 on a mean query; `mipbook.mip.noisy_mean_shares` has the curves.

    Examples
    --------
    >>> many_rounds(1000).layout.meta["headline"]
    'right 88.5 times in 100'
    """
    return _axes, _heaps, _curves
