"""One advantage, two mechanisms: a blurred answer for all, or the truth about a few."""

from __future__ import annotations

from typing import Annotated

import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.explore import Stops, declared
from mipbook.figures.frame import finish
from mipbook.figures.looks import SERIES
from mipbook.figures.marks import curve, reading
from mipbook.figures.roc import Axes, coin, grid, rate_axes, shown
from mipbook.figures.words import people, percent, say
from mipbook.mechanisms import sampling_mechanism

__all__ = ["same_advantage"]

_ADVANTAGES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
_FPRS = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.5]


@declared
def same_advantage(
    advantage: Annotated[float, Stops(_ADVANTAGES, label="TPR - FPR of the best attacker")] = 0.1,
    fpr: Annotated[float, Stops(_FPRS, label="FPR")] = 0.01,
    axes: Axes = "linear",
) -> go.Figure:
    """Draw the ROC curves of two mechanisms whose best attackers have the same advantage.

    Notes
    -----
    Lecture notes, section 3, on success metrics.

    Examples
    --------
    >>> [trace.name for trace in same_advantage().data][:2]
    ['noise for everybody (exact)', 'the truth about a few (exact)']
    """
    # The advantage of a mechanism is its delta at epsilon 0.
    sigma = tradeoff.gaussian_sigma(0.0, advantage)
    revealing = sampling_mechanism(advantage)
    x = grid(axes)
    noisy = float(tradeoff.gaussian_tpr(fpr, sigma))
    told = float(game.finite_tpr(fpr, revealing))
    return finish(
        [
            curve(
                "noise for everybody (exact)",
                x,
                shown(tradeoff.gaussian_tpr(x, sigma), axes),
                SERIES[0],
            ),
            curve(
                "the truth about a few (exact)",
                x,
                shown(game.finite_tpr(x, revealing), axes),
                SERIES[1],
            ),
            coin(axes),
            reading([fpr, fpr], [noisy, told], "at your FPR"),
        ],
        sentence=(
            f"Both mechanisms allow an advantage of {say(advantage)}, so both best attackers are "
            f"right {percent(0.5 + advantage / 2)} of the time (exact). But while wrongly "
            f"accusing {people(fpr)}, the attacker finds {people(noisy)} members through the "
            f"noise, and {people(told)} where the truth about a few is told (exact): "
            f"{say(told / noisy)} times as many."
        ),
        alt=(
            f"ROC plane with {axes} axes. The solid curve of the noisy mechanism bends smoothly "
            f"from corner to corner, the dashed one jumps to {say(advantage)} at FPR 0 and goes "
            f"straight to the corner. At FPR {say(fpr)} they stand at {say(noisy)} and "
            f"{say(told)}."
        ),
        layout={**rate_axes(axes), "height": 460},
    )
