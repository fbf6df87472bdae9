"""The opening game: guess from a noisy mean whether a record was in the half."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, Part, Rounds, Slider, Stops, declared, layer, stacked
from mipbook import mip
from mipbook.figures.frame import axis
from mipbook.figures.looks import ATTACK, IN, LEVEL, READING
from mipbook.figures.marks import curve, level, points
from mipbook.figures.words import say

__all__ = ["guess_round"]

# Ten made-up yearly incomes in thousands; the last one stands out.
_INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
_TARGETS = {"the outlier": 9, "an ordinary record": 5}
_SEED = 7
# A class that opens one deck, by its address, meets the same rounds; another is another draw.
_DECKS, _ROUNDS = 15, 16
_SIGMAS = [0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32]

_accuracy = lru_cache(maxsize=64)(lambda index, sigma: mip.noisy_mean_accuracy(_INCOMES, index, sigma))


@cache
def _drawn(round: int, index: int, deck: int) -> tuple[NDArray[np.bool_], float]:
    """Return the half of a round, and what noise of 1 adds: the same whatever the noise."""
    rng = np.random.default_rng([_SEED, deck, round, index])
    half, released = mip.draw_round(_INCOMES, 1.0, rng)
    return half, released - float(_INCOMES[half].mean())


def _records(target: str) -> Part:
    """Return the ten records on a line, and the axes."""
    index, mean = _TARGETS[target], float(_INCOMES.mean())
    others = np.delete(_INCOMES, index)
    open_dot = LEVEL.with_symbol("circle-open")
    hover = {"hovertemplate": "an income of %{x} thousand<extra></extra>"}
    traces = [
        points("the other nine records", others, np.zeros(others.size), open_dot, size=13, **hover),
        points("the target record", _INCOMES[index], 0.0, READING, size=17, **hover),
        level("mean of all ten", [mean, mean], [-0.8, 0.8]),
    ]
    sentence = (
        "Five of these ten incomes were drawn; published is their mean plus noise of σ = {sigma}. "
        "Who changes sides at {line} is right in {rule} of all rounds (exact)."
    )
    alt = (
        f"Ten incomes as dots on a line from 31 to 92 thousand, the target at "
        f"{say(float(_INCOMES[index]))} marked by a diamond. A thick line marks the noisy mean "
        f"{{released}}, a dashed line the mean of all ten, {say(mean)}, a dotted one your line, "
        "{line}."
    )
    layout = {
        "xaxis": axis("income, in thousands", range=[15, 105]),
        "yaxis": {"visible": False, "range": [-1, 1]},
        "height": 260,
    }
    meta = {
        "sentence": sentence,
        "headline": "{released} thousand published",
        "alt": alt,
        "options": [["in", "It was in"], ["out", "It was out"]],
        "grab": [{"control": "line", "axis": "x", "at": 0.9}],
        "ghost": [],
    }
    return Part(traces, layout, meta=meta)


def _half(round: int, target: str, deck: int) -> Part:
    """Return who was in the half, hidden until the reader has answered."""
    index = _TARGETS[target]
    half, _ = _drawn(round, index, deck)
    dots = points("was in the half (revealed)", _INCOMES[half], np.zeros(5), IN, meta="reveal")
    return Part([dots], meta={"answer": "in" if half[index] else "out"})


def _released(round: int, sigma: float, target: str, deck: int) -> Part:
    """Return the published mean, and what the optimal attacker makes of it."""
    index = _TARGETS[target]
    half, noise = _drawn(round, index, deck)
    released = float(_INCOMES[half].mean()) + sigma * noise
    chance = float(mip.noisy_mean_posterior(_INCOMES, index, released, sigma))
    optimal = "in" if chance >= 0.5 else "out"
    reveal = (
        f"The target was {'in' if half[index] else 'out'}. Given this mean, the chance that it "
        f"was in is {100 * chance:.0f}% (exact), so the optimal attacker says {optimal}."
    )
    line = curve("the noisy mean, released", [released, released], [-0.8, 0.8], ATTACK)
    return Part([line], words={"released": say(released)}, meta={"optimal": optimal, "reveal": reveal})


def _benchmark(sigma: float, target: str) -> Part:
    best = f"{100 * _accuracy(_TARGETS[target], sigma):.1f}%"
    text = f"In the long run it has {best} (exact)."
    return Part(words={"sigma": say(sigma)}, meta={"benchmark": text})


def _line(sigma: float, target: str, line: float) -> Part:
    """Return the reader's line, and how often it is right."""
    right = float(mip.noisy_mean_line_accuracy(_INCOMES, _TARGETS[target], sigma, line))
    drawn = level("your line", [line, line], [-0.9, 0.9], LEVEL.estimate())
    return Part([drawn], words={"line": say(line), "rule": f"{100 * right:.1f}%"})


@declared
def guess_round(
    round: Annotated[int, Rounds(_ROUNDS, label="Was the target among the five?")] = 0,
    sigma: Annotated[float, Stops(_SIGMAS, label="Noise, σ", unit="thousand")] = 4.0,
    target: Annotated[str, Choice(_TARGETS.keys(), label="Target")] = "the outlier",
    line: Annotated[float, Slider(20, 70, step=1, label="Your line", unit="thousand")] = 50,
    deck: Annotated[int, Slider(1, _DECKS, step=1, label="Deck")] = 1,
) -> go.Figure:
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
    return stacked(
        layer(_records, target=target),
        layer(_half, round=round, target=target, deck=deck),
        layer(_released, round=round, sigma=sigma, target=target, deck=deck),
        layer(_benchmark, sigma=sigma, target=target),
        layer(_line, sigma=sigma, target=target, line=line),
    )
