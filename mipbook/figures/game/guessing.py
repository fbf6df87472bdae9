"""The opening game: guess from a noisy mean whether a record was in the half."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip

# The cast's made-up yearly incomes in thousands; the last one, Zoe's, stands out.
_INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
# Neighbours stand at other heights, so that each face is seen.
_HEIGHTS = 0.3 * np.array([0, 1, -1, 0, 1, -1, 0, 1, -1, 0])
# One stands out, the other is among many.
_TARGETS = {"Zoe": 9, "Finn": 5}
_SEED = 7
# A class that opens one deck, by its address, meets the same rounds; another is another draw.
_DECKS, _ROUNDS = 15, 16
_SIGMAS = [0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32]


@k.cache
def _accuracy(target, sigma):
    return mip.noisy_mean_accuracy(_INCOMES, _TARGETS[target], sigma)


@k.cache
def _drawn(round, index, deck):
    """Return the half of a round, and what noise of 1 adds: the same whatever the noise."""
    rng = np.random.default_rng([_SEED, deck, round, index])
    half, released = mip.draw_round(_INCOMES, 1.0, rng)
    return half, released - float(_INCOMES[half].mean())


def _records(target):
    """Return the ten people by their incomes, and the axes."""
    index, mean = _TARGETS[target], float(_INCOMES.mean())
    place = _INCOMES[index], _HEIGHTS[index]
    ring = k.READING.with_symbol("diamond-open")
    return k.part(
        k.points(f"your target, {target}", *place, ring, size=42, hoverinfo="skip"),
        k.cast(
            _INCOMES, _HEIGHTS, size=24, zorder=1, hovertemplate="%{customdata}, %{x} thousand<extra></extra>"
        ),
        k.level("mean of all ten", [mean, mean], [-0.8, 0.8]),
        x=k.axis("income, in thousands", range=[15, 105]),
        y={"visible": False, "range": [-1, 1]},
        height=260,
        headline="{released} thousand published",
        sentence="Five of these ten people took part. What was published is their mean income, plus noise (σ "
        "= {sigma}). If you change your answer at {line}, you are right in {rule} of all rounds (exact).",
        alt="Ten people by their incomes from 31 to 92 thousand, the target {target} at {income} in a "
        "diamond. A thick line marks the noisy mean {released}, a dashed line the mean of all ten, {mean}, a "
        "dotted one your line, {line}.",
        options=[["in", f"{target} was in"], ["out", f"{target} was out"]],
        grab=k.drag("line", at=0.9),
        ghost=[],
        target=target,
        **k.words(income=_INCOMES[index], mean=mean),
    )


def _half(round, target, deck):
    """Return who was in the half, hidden until the reader has answered."""
    index = _TARGETS[target]
    half, _ = _drawn(round, index, deck)
    look = k.IN.with_symbol("circle-open")
    rings = k.points("took part", _INCOMES[half], _HEIGHTS[half], look, size=34, zorder=1, meta="reveal")
    return k.part(rings, answer="in" if half[index] else "out")


def _released(round, sigma, target, deck):
    """Return the published mean, and what the optimal attacker makes of it."""
    index = _TARGETS[target]
    half, noise = _drawn(round, index, deck)
    released = float(_INCOMES[half].mean()) + sigma * noise
    chance = float(mip.noisy_mean_posterior(_INCOMES, index, released, sigma))
    optimal = "in" if chance >= 0.5 else "out"
    told = (
        f"{target} was {'in' if half[index] else 'out'}. From this mean the chance of in is "
        f"{{chance}}, so the optimal attacker says {optimal}."
    )
    line = k.curve("the noisy mean, released", [released, released], [-0.8, 0.8], k.ATTACK)
    reveal = k.told(told, chance=k.exact(chance, ".0%"))
    return k.part(line, released=released, optimal=optimal, reveal=reveal)


def _benchmark(sigma, target):
    best = k.exact(_accuracy(target, sigma), ".1%")
    return k.part(sigma=sigma, benchmark=k.told("In the long run it gets {best} right.", best=best))


def _line(sigma, target, line):
    """Return the reader's line, and how often it is right."""
    right = mip.noisy_mean_line_accuracy(_INCOMES, _TARGETS[target], sigma, line)
    drawn = k.level("your line", [line, line], [-0.9, 0.9], k.LEVEL.estimate())
    return k.part(drawn, line=line, rule=k.exact(right, ".1%"))


@k.figure
def guess_round(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was your target among the five?")] = 0,
    sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand")] = 4.0,
    target: Annotated[str, k.Choice(_TARGETS.keys(), label="Target")] = "Zoe",
    line: Annotated[float, k.Slider(20, 70, step=1, label="Your line", unit="thousand")] = 50,
    deck: Annotated[int, k.Slider(1, _DECKS, step=1, label="Deck")] = 1,
):
    """Draw one round: ten records, one of them marked, and a noisy mean of a random half.

    Its ``layout.meta`` carries what the guessing game needs.  Each deck is drawn from a seed of
    its own.

    Notes
    -----
    The game of MIP Definition 1 and of the lecture's section 3, on a mean query.

    Examples
    --------
    >>> guess_round(0).layout.meta["answer"] in ("in", "out")
    True
    """
    return _records, _half, _released, _benchmark, _line
