"""What DP buys of MIP, what MIP does not buy of DP, and what eta says about the ROC curve."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Annotated, NamedTuple

import numpy as np
import plotly.graph_objects as go

from explorable.palette import fill
from explorable.panels import Choice, Part, Stops, declared, layer, stacked
from mipbook import game, mip
from mipbook.base.rounding import up
from mipbook.figures.frame import axis, finish
from mipbook.figures.looks import BEST, MIP, PUBLISHED, SERIES
from mipbook.figures.marks import Trace, curve, level, reading
from mipbook.figures.roc import rate_axes
from mipbook.figures.words import percent, say
from mipbook.mechanisms import randomised_response, tight_mechanism

__all__ = ["dp_to_eta", "eta_without_dp", "roc_square"]

_EPSILONS = [round(0.1 * i, 1) for i in range(21)] + [2.25 + 0.25 * i for i in range(24)]
_EPSILON = np.array(_EPSILONS)
_DELTAS = [0, 1e-5, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
_CHANCES = [0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.3, 0.5, 0.7, 1]
_SIZES = np.arange(2, 61, 2)
_CURVE, _TANGENT = "η that DP guarantees (bound, attained)", "tangent, δ/2 + (1 - δ) ε/4 (bound)"


def _promises(delta: float) -> Part:
    """Return eta along all of epsilon, and its tangent at 0."""
    eta = np.asarray(mip.eta_from_dp(_EPSILON, delta))
    tangent = delta / 2 + (1 - delta) * _EPSILON / 4
    traces = [
        curve(
            _CURVE,
            _EPSILON,
            eta,
            MIP,
            customdata=np.round(100 * (0.5 + eta), 1),
            hovertemplate="ε = %{x}: right at most %{customdata}% of the time<extra></extra>",
        ),
        curve(_TANGENT, _EPSILON, tangent, MIP.bound(), hoverinfo="skip"),
    ]
    layout = {"xaxis": axis("ε", range=[0, 8.1]), "yaxis": axis("η", range=[0, 0.53]), "height": 400}
    track = {"x": _EPSILON, "y": np.round(eta, 4)}
    meta = {
        "probe": [_CURVE],
        "grab": [{"control": "epsilon", "axis": "x", "track": track}],
        "ghost": [_CURVE],
    }
    return Part(traces, layout, meta=meta)


def _attained(epsilon: float, delta: float) -> Part:
    """Return the mechanism that needs all of eta."""
    eta = float(mip.eta_from_dp(epsilon, delta))
    attained = game.optimal_accuracy(tight_mechanism(epsilon, delta)) - 0.5
    line = delta / 2 + (1 - delta) * epsilon / 4
    right = percent(0.5 + attained)
    sentence = (
        f"Every ({say(epsilon)}, {say(delta)})-DP mechanism is η-MIP for η = {say(eta, to=up)} "
        f"(bound), and for one the best attacker is right {right} of the time (exact). The tangent "
        f"says {say(line)} (approximation, {say(line - eta)} above). Neighbours: replace one "
        "record."
    )
    alt = (
        f"Eta against epsilon from 0 to 8 for delta = {say(delta)}: a curve that rises from "
        f"{say(delta / 2)} and levels off at one half, a dashed tangent at 0 above it, and a "
        f"diamond on the curve at epsilon {say(epsilon)} and eta {say(attained)}."
    )
    here = reading(epsilon, attained, "the tight mechanism (exact)", showlegend=True)
    meta = {"sentence": sentence, "alt": alt, "headline": f"right at most {right} of the time"}
    return Part([here], meta=meta)


@declared
def dp_to_eta(
    epsilon: Annotated[float, Stops(_EPSILONS, label="ε")] = 1.0,
    delta: Annotated[float, Stops(_DELTAS, label="δ")] = 0.0,
) -> go.Figure:
    """Draw eta against epsilon for a delta, the tangent at 0, and the mechanism that attains it.

    Notes
    -----
    MIP paper, Theorem 4 and the remark in section 3.4; RIP paper, Theorem 4.

    Examples
    --------
    >>> "0.232" in dp_to_eta(1.0).layout.meta["sentence"]
    True
    """
    return stacked(layer(_promises, delta=delta), layer(_attained, epsilon=epsilon, delta=delta))


class _Example(NamedTuple):
    """A mechanism that is DP for no epsilon below a delta, its eta at every size."""

    words: str
    etas: np.ndarray
    least_delta: float


def _examples(n: int, p: float) -> dict[str, _Example]:
    halves = [comb(size, size // 2) for size in _SIZES.tolist()]
    return {
        "one half answers yes": _Example(
            f"it says yes on 1 of {comb(n, n // 2):,} halves only, and η is one over that",
            1 / np.array(halves, dtype=float),
            1.0,
        ),
        "publish a random record": _Example(
            f"with chance {say(p)} it publishes one random member of the half, and η is p / n",
            p / _SIZES,
            2 * p / n,
        ),
        "publish each record": _Example(
            f"it publishes each member with chance {say(p)}, and η is p / 2", np.full(_SIZES.size, p / 2), p
        ),
    }


def _etas(p: float) -> Part:
    """Return eta at every size, for the three mechanisms."""
    traces = [
        curve(
            f"{name} (exact)",
            _SIZES,
            every.etas,
            look,
            marked=True,
            hovertemplate=f"%{{x}} records, {name}: η = %{{y:.3g}}<extra></extra>",
        )
        for (name, every), look in zip(_examples(2, p).items(), SERIES[:3], strict=True)
    ]
    layout = {
        "xaxis": axis("records, n", range=[0, 62]),
        "yaxis": axis("η", log=True, range=[-17.2, 0], dtick=4),
        "height": 400,
    }
    names = [trace["name"] for trace in traces]
    return Part(traces, layout, meta={"probe": names, "ghost": names[1:2]})


def _at_size(n: int, p: float, example: str) -> Part:
    """Say what eta and delta are at the reader's n."""
    chosen = _examples(n, p)[example]
    eta = float(chosen.etas[n // 2 - 1])
    sentence = (
        f"η = {say(eta)} (exact): {chosen.words}. Yet some output is possible for one half and not "
        f"for a neighbour: it is not (ε, δ)-DP for any ε while δ is below "
        f"{say(chosen.least_delta)} (exact). Neighbours: replace one record."
    )
    alt = (
        f"Eta against n on a logarithmic axis. The solid curve of the one half falls like "
        f"2 to the power -n, the dashed one like 1 / n, the dotted one is level at "
        f"{say(p / 2)}. At n = {n} the chosen one stands at {say(eta)}."
    )
    track = {"x": _SIZES, "y": chosen.etas}
    meta = {
        "sentence": sentence,
        "alt": alt,
        "headline": f"η = {say(eta)}, and no ε",
        "grab": [{"control": "n", "axis": "x", "track": track}],
    }
    return Part([reading(n, eta, "at your n")], meta=meta)


@declared
def eta_without_dp(
    n: Annotated[int, Choice(_SIZES.tolist(), label="Records, n")] = 8,
    p: Annotated[float, Stops(_CHANCES, label="Chance to publish, p")] = 0.05,
    example: Annotated[
        str,
        Choice(["one half answers yes", "publish a random record", "publish each record"], label="Mechanism"),
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
    return stacked(layer(_etas, p=p), layer(_at_size, n=n, p=p, example=example))


@declared
def roc_square(
    epsilon: Annotated[float, Stops(_EPSILONS, label="ε of randomised response")] = 1.0,
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
    verdict = (
        "The published line, FPR + η, is broken; the corrected one is touched."
        if eta > 0
        else "At ε = 0 nothing can be told, and all lines meet."
    )
    return finish(
        [
            _allowed(eta),
            curve("corrected, FPR + 2η (bound)", [0.0, 1 - 2 * eta], [2 * eta, 1.0], MIP.bound()),
            curve("published, FPR + η", [0.0, 1 - eta], [eta, 1.0], PUBLISHED, marked=True),
            level("a coin toss", [0.0, 1.0], [0.0, 1.0]),
            curve("randomised response (exact)", fprs, tprs, BEST, marked=True),
            reading(fpr, tpr, "its best attacker", showlegend=True),
        ],
        sentence=(
            f"Randomised response with ε = {say(epsilon)} has η = {say(eta)} (exact). Its best "
            f"attacker has TPR {percent(tpr)} at FPR {percent(fpr)}: TPR - FPR = "
            f"{say(tpr - fpr)} (exact), twice η. {verdict}"
        ),
        alt=(
            f"The ROC square. The curve of randomised response has its corner at FPR "
            f"{say(fpr)} and TPR {say(tpr)}, above the line with crosses, TPR = FPR + {say(eta)}, "
            f"and on the plain dashed line TPR = FPR + {say(2 * eta)}."
        ),
        layout={**rate_axes("linear"), "height": 400},
        headline=f"TPR - FPR = {say(tpr - fpr)}, not {say(eta)}" if eta > 0 else "TPR - FPR = 0",
        grab=[{"control": "epsilon", "axis": "x", "track": _corners()}],
        ghost=["randomised response (exact)"],
    )


@lru_cache(maxsize=1)
def _corners() -> dict[str, list[float]]:
    """Return where the best attacker stands at every stop."""
    curves = [game.finite_roc(randomised_response(epsilon)) for epsilon in _EPSILONS]
    best = [(f[i], t[i]) for f, t in curves for i in [int(np.argmax(t - f))]]
    return dict(zip("xy", np.round(np.transpose(best), 4).tolist(), strict=True))


def _allowed(eta: float) -> Trace:
    return {
        "type": "scatter",
        "name": "allowed, TPR up to FPR + 2η (bound)",
        "x": [0.0, 1 - 2 * eta, 1.0, 1.0, 0.0, 0.0],
        "y": [2 * eta, 1.0, 1.0, 1.0, 0.0, 2 * eta],
        "fill": "toself",
        "fillcolor": fill(MIP.colour),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }
