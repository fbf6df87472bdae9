"""What DP buys of MIP, what MIP does not buy of DP, and what eta says about the ROC curve."""

from __future__ import annotations

from math import comb

import numpy as np
import plotly.graph_objects as go

from mipbook import game, mip
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, ORANGE, fill
from mipbook.figures.frame import axis, finish
from mipbook.figures.roc import add_point, rate_axes
from mipbook.figures.words import percent, say
from mipbook.mechanisms import randomised_response, tight_mechanism

__all__ = ["dp_to_eta", "eta_without_dp", "roc_square"]

_EPSILON = np.concatenate([np.linspace(0, 2, 21), np.linspace(2.25, 8, 24)])
_EXAMPLES = ("one half answers yes", "publish a random record", "publish each record")


def dp_to_eta(epsilon: float = 1.0, delta: float = 0.0) -> go.Figure:
    """Draw eta against epsilon for a delta, the tangent at 0, and the mechanism that attains it.

    Parameters
    ----------
    epsilon : float
        Where to read the curve, in [0, 8].
    delta : float
        Failure probability in [0, 1].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, Theorem 4 and the remark in section 3.4; RIP paper, Theorem 4.

    Examples
    --------
    >>> "0.231" in dp_to_eta(1.0).layout.meta["sentence"]
    True
    """
    epsilon = validate.number("epsilon", epsilon, 0.0, 8.0)
    delta = validate.number("delta", delta, 0.0, 1.0)
    eta = float(mip.eta_from_dp(epsilon, delta))
    attained = game.optimal_accuracy(tight_mechanism(epsilon, delta)) - 0.5
    line = delta / 2 + (1 - delta) * epsilon / 4
    figure = go.Figure()
    figure.add_scatter(
        x=_EPSILON,
        y=np.asarray(mip.eta_from_dp(_EPSILON, delta)),
        mode="lines",
        name="eta that DP guarantees (bound, attained)",
        line={"color": BLUE, "width": 3},
    )
    figure.add_scatter(
        x=_EPSILON,
        y=delta / 2 + (1 - delta) * _EPSILON / 4,
        mode="lines",
        name="tangent, delta/2 + (1 - delta) epsilon/4 (bound)",
        line={"color": ORANGE, "width": 2, "dash": "dash"},
    )
    add_point(figure, epsilon, attained, "the tight mechanism (exact)")
    return finish(
        figure,
        sentence=(
            f"Every ({say(epsilon)}, {say(delta)})-DP mechanism is eta-MIP for eta = {say(eta)} "
            f"(bound), and one mechanism needs all of it: its best attacker is right "
            f"{percent(0.5 + attained)} of the time (exact). The tangent says {say(line)} "
            f"(approximation, {say(line - eta)} above). Neighbours: replace one record."
        ),
        alt=(
            f"Eta against epsilon from 0 to 8 for delta = {say(delta)}: a curve that rises from "
            f"{say(delta / 2)} and levels off at one half, a dashed tangent at 0 above it, and a "
            f"diamond on the curve at epsilon {say(epsilon)} and eta {say(attained)}."
        ),
        layout={
            "xaxis": axis("epsilon", range=[0, 8.1]),
            "yaxis": axis("eta", range=[0, 0.55]),
            "height": 400,
        },
    )


def eta_without_dp(n: int = 8, p: float = 0.05, example: str = _EXAMPLES[0]) -> go.Figure:
    """Draw eta against n for three mechanisms that are DP for no epsilon at all.

    Parameters
    ----------
    n : int
        Records, even, in [2, 60].
    p : float
        The small chance of the two publishing mechanisms, in (0, 1].
    example : str
        Which mechanism the sentence speaks of: *one half answers yes*, *publish a random
        record* or *publish each record*.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, Theorem 5; RIP paper, Theorem 5.

    Examples
    --------
    >>> "1 of 70" in eta_without_dp(8).layout.meta["sentence"]
    True
    """
    n = validate.integer("n", n, 2, 60, multiple_of=2)
    p = validate.number("p", p, 0.0, 1.0, open_low=True)
    example = validate.choice("example", example, _EXAMPLES)
    sizes = np.arange(2, 61, 2)
    curves = {
        _EXAMPLES[0]: np.array([1 / comb(int(k), int(k) // 2) for k in sizes]),
        _EXAMPLES[1]: p / sizes,
        _EXAMPLES[2]: np.full(sizes.size, p / 2),
    }
    looks = ((BLUE, "solid", "circle"), (GREEN, "dash", "square"), (ORANGE, "dot", "triangle-up"))
    figure = go.Figure()
    for (name, curve), (colour, dash, symbol) in zip(curves.items(), looks, strict=True):
        figure.add_scatter(
            x=sizes,
            y=curve,
            mode="lines+markers",
            name=f"{name} (exact)",
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 6, "color": colour},
        )
    here = float(curves[example][n // 2 - 1])
    add_point(figure, n, here, "at your n", showlegend=False)
    halves = comb(n, n // 2)
    told = {
        _EXAMPLES[0]: f"The mechanism says yes on 1 of {halves:,} halves and no on the others. Its "
        "eta is one over that number",
        _EXAMPLES[
            1
        ]: f"With chance {say(p)} the mechanism publishes one random member of the half. "
        "Its eta is p / n",
        _EXAMPLES[2]: f"The mechanism publishes each member with chance {say(p)}. Its eta is p / 2",
    }[example]
    least = {_EXAMPLES[0]: 1.0, _EXAMPLES[1]: 2 * p / n, _EXAMPLES[2]: p}[example]
    return finish(
        figure,
        sentence=(
            f"{told}, {say(here)} (exact). Yet some output is possible for one half and impossible "
            f"for a neighbour, so it is not (epsilon, delta)-DP for any epsilon while delta is "
            f"below {say(least)} (exact). Neighbours: replace one record."
        ),
        alt=(
            f"Eta against n on a logarithmic axis. The solid curve of the one half falls like "
            f"2 to the power -n, the dashed one like 1 / n, the dotted one is level at "
            f"{say(p / 2)}. At n = {n} the chosen one stands at {say(here)}."
        ),
        layout={
            "xaxis": axis("records, n"),
            "yaxis": axis("eta", log=True, range=[-17.2, 0], dtick=4),
            "height": 420,
        },
    )


def roc_square(epsilon: float = 1.0) -> go.Figure:
    """Draw randomised response in the ROC square, with the lines FPR + eta and FPR + 2 eta.

    Parameters
    ----------
    epsilon : float
        The odds of a true answer are e^epsilon; in [0, 8].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, Theorem 8, with its correction.

    Examples
    --------
    >>> "0.462" in roc_square(1.0).layout.meta["sentence"]
    True
    """
    epsilon = validate.number("epsilon", epsilon, 0.0, 8.0)
    table = randomised_response(epsilon)
    fpr, tpr = game.finite_roc(table)
    eta = game.optimal_accuracy(table) - 0.5
    corner = int(np.argmax(tpr - fpr))
    figure = go.Figure()
    figure.add_scatter(
        x=[0.0, 1 - 2 * eta, 1.0, 1.0, 0.0, 0.0],
        y=[2 * eta, 1.0, 1.0, 1.0, 0.0, 2 * eta],
        fill="toself",
        fillcolor=fill(GREEN),
        line={"width": 0},
        name="allowed, TPR up to FPR + 2 eta (bound)",
        hoverinfo="skip",
    )
    for name, lift, colour, dash in (
        ("corrected, FPR + 2 eta (bound)", 2 * eta, GREEN, "dash"),
        ("published, FPR + eta", eta, ORANGE, "dot"),
        ("a coin", 0.0, GREY, "longdash"),
    ):
        figure.add_scatter(
            x=[0.0, 1.0 - lift],
            y=[lift, 1.0],
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 2},
        )
    figure.add_scatter(
        x=fpr,
        y=tpr,
        mode="lines+markers",
        name="randomised response (exact)",
        line={"color": BLUE, "width": 3},
        marker={"color": BLUE, "size": 7},
    )
    add_point(figure, fpr[corner], tpr[corner], "its best attacker")
    gap = float(tpr[corner] - fpr[corner])
    verdict = (
        "The published line would allow only eta above the FPR: it is broken. The corrected one is "
        "touched."
        if eta > 0
        else "At epsilon 0 nothing can be told, and all lines meet."
    )
    return finish(
        figure,
        sentence=(
            f"Randomised response with epsilon = {say(epsilon)} is eta-MIP for eta = {say(eta)} "
            f"(exact). Its best attacker has TPR {percent(float(tpr[corner]))} at FPR "
            f"{percent(float(fpr[corner]))} (exact): TPR - FPR = {say(gap)}, twice eta. {verdict}"
        ),
        alt=(
            f"The ROC square. The curve of randomised response has its corner at FPR "
            f"{say(float(fpr[corner]))} and TPR {say(float(tpr[corner]))}, above the dotted line "
            f"TPR = FPR + {say(eta)} and on the dashed line TPR = FPR + {say(2 * eta)}."
        ),
        layout={**rate_axes("linear"), "height": 460},
    )
