"""The opening game: guess from a noisy mean whether a record was in the half."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mip
from mipbook.explore import Choice, Rounds, Stops, declared
from mipbook.figures.frame import axis, finish
from mipbook.figures.looks import ATTACK, IN, LEVEL, READING
from mipbook.figures.marks import Trace, curve, level, points
from mipbook.figures.words import say

__all__ = ["guess_round"]

# Ten made-up yearly incomes in thousands; the last one stands out.
_INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
_TARGETS = {"the outlier": 9, "an ordinary record": 5}
_SEED = 7

_accuracy = lru_cache(maxsize=64)(
    lambda index, sigma: mip.noisy_mean_accuracy(_INCOMES, index, sigma)
)


def _on_a_line(index: int, half: NDArray[np.bool_], released: float) -> list[Trace]:
    """Return the records on a line, the target among them, and the means."""
    others = np.delete(_INCOMES, index)
    ends, mean = [-0.8, 0.8], float(_INCOMES.mean())
    open_dot = LEVEL.with_symbol("circle-open")
    drawn = _INCOMES[half]
    return [
        points("the other nine records", others, np.zeros(others.size), open_dot, size=13),
        points("the target record", _INCOMES[index], 0.0, READING, size=17),
        points("was in the half (revealed)", drawn, np.zeros(drawn.size), IN, meta="reveal"),
        curve("the noisy mean, released", [released, released], ends, ATTACK),
        level("mean of all ten", [mean, mean], ends),
    ]


@declared
def guess_round(
    round: Annotated[int, Rounds(60, label="Was the target among the five?")] = 0,
    sigma: Annotated[float, Stops([1, 2, 4, 8, 16], label="Noise, sigma", unit="thousand")] = 4.0,
    target: Annotated[str, Choice(_TARGETS.keys(), label="Target")] = "the outlier",
) -> go.Figure:
    """Draw one round: ten records, one of them marked, and a noisy mean of a random half.

    Its ``layout.meta`` carries what the guessing game needs.

    Notes
    -----
    The game of MIP Definition 1 and of the lecture's section 3, on a mean query.

    Examples
    --------
    >>> guess_round(0).layout.meta["answer"] in ("in", "out")
    True
    """
    index = _TARGETS[target]
    # The same round has the same half whatever the noise, so that only the noise changes.
    rng = np.random.default_rng([_SEED, round, index])
    half, released = mip.draw_round(_INCOMES, sigma, rng)
    chance = float(mip.noisy_mean_posterior(_INCOMES, index, released, sigma))
    optimal = "in" if chance >= 0.5 else "out"
    answer = "in" if half[index] else "out"
    mean = float(_INCOMES.mean())
    return finish(
        _on_a_line(index, half, released),
        sentence=(
            f"Five of these ten incomes were drawn at random. Their mean, plus Gaussian noise of "
            f"standard deviation {say(sigma)}, came out as {say(released)}. The mean of all ten is "
            f"{say(mean)}."
        ),
        alt=(
            f"Ten incomes as dots on a line from 31 to 92 thousand, the target at "
            f"{say(float(_INCOMES[index]))} marked by a diamond. A thick line marks the noisy mean "
            f"{say(released)}, a dashed line the mean of all ten."
        ),
        layout={
            "xaxis": axis("income, in thousands", range=[15, 105]),
            "yaxis": {"visible": False, "range": [-1, 1]},
            "height": 300,
        },
        options=[["in", "It was in"], ["out", "It was out"]],
        answer=answer,
        optimal=optimal,
        reveal=(
            f"The target was {answer}. Given this mean, the chance that it was in is "
            f"{100 * chance:.0f}% (exact), so the optimal attacker says {optimal}."
        ),
        benchmark=(
            f"In the long run the optimal attacker is right "
            f"{100 * _accuracy(index, sigma):.1f}% of the time (exact)."
        ),
    )
