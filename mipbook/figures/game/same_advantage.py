"""One advantage, two mechanisms: a blurred answer for all, or the truth about a few."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from scipy.special import ndtri

from mipbook import game, tradeoff
from mipbook.base import validate
from mipbook.base.palette import BLUE, ORANGE
from mipbook.figures.frame import finish
from mipbook.figures.roc import AXES, add_coin, add_point, grid, rate_axes, shown
from mipbook.figures.words import people, percent, say
from mipbook.mechanisms import sampling_mechanism

__all__ = ["same_advantage"]


def _revealing(fpr: np.ndarray, advantage: float) -> np.ndarray:
    """Return the best TPR against a mechanism that shows a record with this chance."""
    corners = game.finite_roc(sampling_mechanism(advantage))
    # The curve rises straight up at FPR 0; a coin toss joins its corners.
    return np.asarray(np.interp(fpr, corners[0][-2:], corners[1][-2:]))


def same_advantage(advantage: float = 0.1, fpr: float = 0.01, axes: str = "linear") -> go.Figure:
    """Draw the ROC curves of two mechanisms whose best attackers have the same advantage.

    Parameters
    ----------
    advantage : float
        TPR - FPR of the best attacker, in [0.001, 0.9].
    fpr : float
        Where to read the curves, in [0.0001, 1].
    axes : {"linear", "logarithmic"}
        Scale of both axes.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Lecture notes, section 3, on success metrics.

    Examples
    --------
    >>> [trace.name for trace in same_advantage().data][:2]
    ['noise for everybody (exact)', 'the truth about a few (exact)']
    """
    advantage = validate.number("advantage", advantage, 0.001, 0.9)
    fpr = validate.number("fpr", fpr, 1e-4, 1.0)
    axes = validate.choice("axes", axes, AXES)
    # The Gaussian mechanism's advantage is 2 Phi(mu / 2) - 1.
    sigma = 1 / (2 * float(ndtri((1 + advantage) / 2)))
    x = grid(axes)
    curves = [np.asarray(tradeoff.gaussian_tpr(x, sigma)), _revealing(x, advantage)]
    here = [float(tradeoff.gaussian_tpr(fpr, sigma)), float(_revealing(np.array(fpr), advantage))]
    figure = go.Figure()
    for name, curve, colour, dash in (
        ("noise for everybody (exact)", curves[0], BLUE, "solid"),
        ("the truth about a few (exact)", curves[1], ORANGE, "dash"),
    ):
        figure.add_scatter(
            x=x,
            y=shown(curve, axes),
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 3},
        )
    add_coin(figure, axes)
    add_point(figure, [fpr, fpr], here, "at your FPR", showlegend=False)
    return finish(
        figure,
        sentence=(
            f"Both mechanisms allow an advantage of {say(advantage)}, so both best attackers are "
            f"right {percent(0.5 + advantage / 2)} of the time (exact). But while wrongly "
            f"accusing {people(fpr)}, the attacker finds {people(here[0])} members through the "
            f"noise, and {people(here[1])} where the truth about a few is told (exact): "
            f"{say(here[1] / here[0])} times as many."
        ),
        alt=(
            f"ROC plane with {axes} axes. The solid curve of the noisy mechanism bends smoothly "
            f"from corner to corner, the dashed one jumps to {say(advantage)} at FPR 0 and goes "
            f"straight to the corner. At FPR {say(fpr)} they stand at {say(here[0])} and "
            f"{say(here[1])}."
        ),
        layout={**rate_axes(axes), "height": 460},
    )
