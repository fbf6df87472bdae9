"""What DP buys of MIP, what MIP does not buy of DP, and what eta says about the ROC curve."""

from __future__ import annotations

from math import comb
from typing import Annotated, NamedTuple

import numpy as np
import plotly.graph_objects as go

from mipbook import game, mip
from mipbook.base.palette import fill
from mipbook.explore import Choice, Stops, declared
from mipbook.figures.frame import axis, finish
from mipbook.figures.looks import BEST, MIP, PUBLISHED, SERIES
from mipbook.figures.marks import curve, level, reading
from mipbook.figures.roc import rate_axes
from mipbook.figures.words import percent, say
from mipbook.mechanisms import randomised_response, tight_mechanism

__all__ = ["dp_to_eta", "eta_without_dp", "roc_square"]

_EPSILON = np.concatenate([np.linspace(0, 2, 21), np.linspace(2.25, 8, 24)])
_EPSILONS = [0, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 8]
_DELTAS = [0, 1e-5, 0.01, 0.05, 0.1, 0.2, 0.5, 1]
_SIZES = np.arange(2, 61, 2)


@declared
def dp_to_eta(
    epsilon: Annotated[float, Stops(_EPSILONS, label="epsilon")] = 1.0,
    delta: Annotated[float, Stops(_DELTAS, label="delta")] = 0.0,
) -> go.Figure:
    """Draw eta against epsilon for a delta, the tangent at 0, and the mechanism that attains it.

    Notes
    -----
    MIP paper, Theorem 4 and the remark in section 3.4; RIP paper, Theorem 4.

    Examples
    --------
    >>> "0.231" in dp_to_eta(1.0).layout.meta["sentence"]
    True
    """
    eta = float(mip.eta_from_dp(epsilon, delta))
    attained = game.optimal_accuracy(tight_mechanism(epsilon, delta)) - 0.5
    tangent = delta / 2 + (1 - delta) * _EPSILON / 4
    line = delta / 2 + (1 - delta) * epsilon / 4
    return finish(
        [
            curve(
                "eta that DP guarantees (bound, attained)",
                _EPSILON,
                mip.eta_from_dp(_EPSILON, delta),
                MIP,
            ),
            curve(
                "tangent, delta/2 + (1 - delta) epsilon/4 (bound)", _EPSILON, tangent, MIP.bound()
            ),
            reading(epsilon, attained, "the tight mechanism (exact)", showlegend=True),
        ],
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


class _Example(NamedTuple):
    """A mechanism that is DP for no epsilon below a delta, its eta at every size."""

    words: str
    etas: np.ndarray
    least_delta: float


def _examples(n: int, p: float) -> dict[str, _Example]:
    halves = [comb(size, size // 2) for size in _SIZES.tolist()]
    return {
        "one half answers yes": _Example(
            f"The mechanism says yes on 1 of {comb(n, n // 2):,} halves and no on the others. Its "
            "eta is one over that number",
            1 / np.array(halves, dtype=float),
            1.0,
        ),
        "publish a random record": _Example(
            f"With chance {say(p)} the mechanism publishes one random member of the half. "
            "Its eta is p / n",
            p / _SIZES,
            2 * p / n,
        ),
        "publish each record": _Example(
            f"The mechanism publishes each member with chance {say(p)}. Its eta is p / 2",
            np.full(_SIZES.size, p / 2),
            p,
        ),
    }


@declared
def eta_without_dp(
    n: Annotated[int, Choice([2, 4, 6, 8, 10, 20, 40, 60], label="Records, n")] = 8,
    p: Annotated[float, Stops([0.001, 0.01, 0.05, 0.2, 1], label="Chance to publish, p")] = 0.05,
    example: Annotated[
        str,
        Choice(
            ["one half answers yes", "publish a random record", "publish each record"],
            label="Mechanism",
        ),
    ] = "one half answers yes",
) -> go.Figure:
    """Draw eta against n for three mechanisms that are DP for no epsilon at all.

    Notes
    -----
    MIP paper, Theorem 5; RIP paper, Theorem 5.

    Examples
    --------
    >>> "1 of 70" in eta_without_dp(8).layout.meta["sentence"]
    True
    """
    examples = _examples(n, p)
    chosen = examples[example]
    eta = float(chosen.etas[n // 2 - 1])
    curves = [
        curve(f"{name} (exact)", _SIZES, every.etas, look, marked=True)
        for (name, every), look in zip(examples.items(), SERIES[:3], strict=True)
    ]
    return finish(
        [*curves, reading(n, eta, "at your n")],
        sentence=(
            f"{chosen.words}, {say(eta)} (exact). Yet some output is possible for one half and "
            f"impossible for a neighbour, so it is not (epsilon, delta)-DP for any epsilon while "
            f"delta is below {say(chosen.least_delta)} (exact). Neighbours: replace one record."
        ),
        alt=(
            f"Eta against n on a logarithmic axis. The solid curve of the one half falls like "
            f"2 to the power -n, the dashed one like 1 / n, the dotted one is level at "
            f"{say(p / 2)}. At n = {n} the chosen one stands at {say(eta)}."
        ),
        layout={
            "xaxis": axis("records, n"),
            "yaxis": axis("eta", log=True, range=[-17.2, 0], dtick=4),
            "height": 420,
        },
    )


@declared
def roc_square(
    epsilon: Annotated[float, Stops(_EPSILONS, label="epsilon")] = 1.0,
) -> go.Figure:
    """Draw randomised response in the ROC square, with the lines FPR + eta and FPR + 2 eta.

    The odds of a true answer are e^epsilon.

    Notes
    -----
    MIP paper, Theorem 8, with its correction.

    Examples
    --------
    >>> "0.462" in roc_square(1.0).layout.meta["sentence"]
    True
    """
    table = randomised_response(epsilon)
    fprs, tprs = game.finite_roc(table)
    eta = game.optimal_accuracy(table) - 0.5
    corner = int(np.argmax(tprs - fprs))
    fpr, tpr = float(fprs[corner]), float(tprs[corner])
    allowed = {
        "type": "scatter",
        "name": "allowed, TPR up to FPR + 2 eta (bound)",
        "x": [0.0, 1 - 2 * eta, 1.0, 1.0, 0.0, 0.0],
        "y": [2 * eta, 1.0, 1.0, 1.0, 0.0, 2 * eta],
        "fill": "toself",
        "fillcolor": fill(MIP.colour),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }
    corrected = "corrected, FPR + 2 eta (bound)"
    return finish(
        [
            allowed,
            curve(corrected, [0.0, 1 - 2 * eta], [2 * eta, 1.0], MIP.bound()),
            curve("published, FPR + eta", [0.0, 1 - eta], [eta, 1.0], PUBLISHED, marked=True),
            level("a coin", [0.0, 1.0], [0.0, 1.0]),
            curve("randomised response (exact)", fprs, tprs, BEST, marked=True),
            reading(fpr, tpr, "its best attacker", showlegend=True),
        ],
        sentence=(
            f"Randomised response with epsilon = {say(epsilon)} is eta-MIP for eta = {say(eta)} "
            f"(exact). Its best attacker has TPR {percent(tpr)} at FPR {percent(fpr)} (exact): "
            f"TPR - FPR = {say(tpr - fpr)}, twice eta. "
            + (
                "The published line would allow only eta above the FPR: it is broken. The "
                "corrected one is touched."
                if eta > 0
                else "At epsilon 0 nothing can be told, and all lines meet."
            )
        ),
        alt=(
            f"The ROC square. The curve of randomised response has its corner at FPR "
            f"{say(fpr)} and TPR {say(tpr)}, above the line with crosses, TPR = FPR + {say(eta)}, "
            f"and on the plain dashed line TPR = FPR + {say(2 * eta)}."
        ),
        layout={**rate_axes("linear"), "height": 460},
    )
