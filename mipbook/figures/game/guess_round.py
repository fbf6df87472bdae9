"""The opening game: guess from a noisy mean whether a record was in the half."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mipbook import mip
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say

__all__ = ["guess_round"]

# Ten made-up yearly incomes in thousands; the last one stands out.
_INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
_TARGETS = {"an ordinary record": 5, "the outlier": 9}


def guess_round(
    round: int = 0, sigma: float = 3.0, target: str = "the outlier", seed: int = 7
) -> go.Figure:
    """Draw one round: ten records, one of them marked, and a noisy mean of a random half.

    Parameters
    ----------
    round : int
        Which round, from 0.
    sigma : float
        Standard deviation of the Gaussian noise on the mean, in (0, 100].
    target : {"an ordinary record", "the outlier"}
        Which record the question is about.
    seed : int
        Seed of the rounds, at least 0.

    Returns
    -------
    plotly.graph_objects.Figure
        Its ``layout.meta`` carries what the guessing game needs.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    The game of MIP Definition 1 and of the lecture's section 3, on a mean query.

    Examples
    --------
    >>> guess_round(0).layout.meta["answer"] in ("in", "out")
    True
    """
    round = validate.integer("round", round, 0)
    sigma = validate.number("sigma", sigma, 0.0, 100.0, open_low=True)
    index = _TARGETS[validate.choice("target", target, tuple(_TARGETS))]
    seed = validate.integer("seed", seed, 0)
    # The same round has the same half whatever the noise, so that only the noise changes.
    rng = np.random.default_rng([seed, round, index])
    half, released = mip.draw_round(_INCOMES, sigma, rng)
    chance = float(mip.noisy_mean_posterior(_INCOMES, index, released, sigma))
    accuracy = mip.noisy_mean_accuracy(_INCOMES, index, sigma)
    optimal = "in" if chance >= 0.5 else "out"
    others = np.delete(_INCOMES, index)
    figure = go.Figure()
    figure.add_scatter(
        x=others,
        y=np.zeros(others.size),
        mode="markers",
        name="the other nine records",
        marker={"color": GREY, "symbol": "circle-open", "size": 13, "line": {"width": 2}},
    )
    figure.add_scatter(
        x=_INCOMES[[index]],
        y=[0.0],
        mode="markers",
        name="the target record",
        marker={"color": ORANGE, "symbol": "diamond", "size": 17},
    )
    figure.add_scatter(
        x=_INCOMES[half],
        y=np.zeros(int(half.sum())),
        mode="markers",
        name="was in the half (revealed)",
        marker={"color": BLUE, "symbol": "circle", "size": 8},
        meta="reveal",
    )
    for value, label, colour, dash, width in (
        (released, "the noisy mean, released", GREEN, "solid", 4),
        (float(_INCOMES.mean()), "mean of all ten", INK, "dot", 2),
    ):
        figure.add_scatter(
            x=[value, value],
            y=[-0.8, 0.8],
            mode="lines",
            name=label,
            line={"color": colour, "dash": dash, "width": width},
        )
    answer = "in" if half[index] else "out"
    return finish(
        figure,
        sentence=(
            f"Five of these ten incomes were drawn at random. Their mean, plus Gaussian noise of "
            f"standard deviation {say(sigma)}, came out as {say(released)}. The mean of all ten is "
            f"{say(float(_INCOMES.mean()))}."
        ),
        alt=(
            f"Ten incomes as dots on a line from 31 to 92 thousand, the target at "
            f"{say(float(_INCOMES[index]))} marked by a diamond. A thick line marks the noisy mean "
            f"{say(released)}, a dotted line the mean of all ten."
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
            f"In the long run the optimal attacker is right {100 * accuracy:.1f}% of the time "
            "(exact)."
        ),
    )
