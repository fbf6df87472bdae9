"""The ROC plane of a small learner, with the lines of equal accuracy."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.palette import fill
from explorable.panels import Choice, Part, Slider, declared, layer, stacked
from mipbook import mis
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import Trace, curve, points
from mipbook.figures.words import say

__all__ = ["security_roc"]

_P, _N = (0.5, 0.3, 0.2), 5
LEARNERS: dict[str, mis.Learner] = {
    "the histogram": lambda counts: counts,
    "the most frequent kind": lambda counts: counts.index(max(counts)),
    "one of the records": lambda counts: {k: c / _N for k, c in enumerate(counts)},
    "nothing": lambda counts: "",
}
_NU = Slider(0.1, 0.9, step=0.025, value=0.5, label="Fresh test points, ν")
_LAM = Slider(0.1, 0.9, step=0.05, value=0.5, label="Weight of members, λ")


@lru_cache(maxsize=4)
def _model(learner: str) -> mis.FiniteModel:
    """Enumerate one of the learners: five records of three kinds."""
    return mis.finite_model(LEARNERS[learner], _P, _N)


@lru_cache(maxsize=4)
def _region(learner: str) -> tuple[Any, Any]:
    """Return the outline of what attacks reach; who says the opposite mirrors the plane."""
    fpr, tpr = _model(learner).roc()
    return np.concatenate([fpr, 1 - fpr]), np.concatenate([tpr, 1 - tpr])


def _equal_accuracy(accuracy: float, a: float, b: float) -> tuple[list[float], list[float]]:
    """Return the ends, inside the square, of the line on which the accuracy is the same."""
    start, slope = (accuracy - b) / a, b / a
    x = np.clip([-start / slope, (1 - start) / slope], 0.0, 1.0)
    return x.tolist(), np.clip(start + slope * x, 0.0, 1.0).tolist()


@lru_cache(maxsize=128)
def _track(learner: str, lam: float) -> dict[str, list[float]]:
    """Return the upper end of the line of the best attacks, for each share of fresh points."""
    ends = []
    for nu in _NU.stops:
        a, b = (float(w) for w in mis.weights(nu, lam))
        x, y = _equal_accuracy(float(_model(learner).best_accuracy(nu, lam)), a, b)
        ends.append((x[1], y[1]))
    return {"x": [x for x, _ in ends], "y": [y for _, y in ends]}


@lru_cache(maxsize=4)
def _hidden(learner: str) -> float:
    """Return the Delta at balanced weights."""
    return float(_model(learner).delta())


def _attacks(learner: str) -> Part:
    """Draw all that attacks reach."""
    fpr, tpr = _model(learner).roc()
    region: Trace = {"fill": "toself", "fillcolor": fill(looks.MIS.colour), "hoverinfo": "skip"}
    region["line"] = {"width": 0}
    told = "accuse %{x:.1%} of fresh records, find %{y:.1%} of members<extra></extra>"
    fine = np.linspace(0, 1, 101)
    best = np.interp(fine, fpr, tpr)
    return Part(
        [
            curve("all attacks (exact)", *_region(learner), looks.MIS, **region),
            curve("the best of them", fine, best, looks.MIS, hovertemplate=told, showlegend=False),
        ],
        words={"learner": learner},
    )


def _constant(a: float, b: float) -> str:
    if abs(a - b) < 1e-12:
        return "either constant answer"
    return "always saying member" if a > b else "always saying fresh"


def _words(learner: str, accuracy: float, security: float, a: float, b: float) -> dict[str, str]:
    """Say what the best attack reaches at these weights."""
    least = say(max(a, b))
    words = {"slope": say(b / a), "a": say(a), "b": say(b), "least": least, "best": say(accuracy)}
    if security <= 1 - 1e-12:
        gain = f"Δ = {say(1 - security)}, security {say(security)} (exact)"
        verdict = (
            f"the best attack has accuracy {say(accuracy)} (exact), against {least} for "
            f"{_constant(a, b)}: {gain}"
        )
        return {**words, "verdict": verdict, "headline": f"security {say(security)}"}
    hidden = _hidden(learner)
    rest = "nothing is released, so nothing is told"
    if hidden > 1e-12:
        rest = f"balanced weights would see Δ = {say(hidden)} (exact)"
    verdict = f"no attack beats {_constant(a, b)}, {least}: security 1 (exact); {rest}"
    return {**words, "verdict": verdict, "headline": "security 1: nothing is seen"}


def _weighed(nu: float, lam: float, learner: str) -> Part:
    """Draw the lines of equal accuracy, and the attack that is best at these weights."""
    model = _model(learner)
    a, b = (float(w) for w in mis.weights(nu, lam))
    best = float(model.best_accuracy(nu, lam))
    tpr, tnr = model.rates(model.best_attack(nu, lam))
    words = _words(learner, best, float(model.security(nu, lam)), a, b)
    lines = [
        curve("as accurate as a constant", *_equal_accuracy(max(a, b), a, b), looks.LEVEL),
        curve("as accurate as the best", *_equal_accuracy(best, a, b), looks.ATTACK),
    ]
    told = "accuse %{x:.1%} of fresh records, find %{y:.1%} of members<extra></extra>"
    here = points("best attack (exact)", 1 - tnr, tpr, looks.ATTACK, size=11, hovertemplate=told)
    where = {"fpr": say(1 - tnr), "tpr": say(tpr)}
    grab = [{"control": "nu", "axis": "x", "track": _track(learner, lam)}]
    return Part([*lines, here], words={**words, **where}, meta={"grab": grab})


def _frame() -> Part:
    """Draw what is the same at all weights."""
    constant, right = looks.LEVEL.with_symbol("square"), looks.LEVEL.with_symbol("star")
    marks = [
        points("the two constants", [0.0, 1.0], [0.0, 1.0], constant, size=13, hoverinfo="skip"),
        points("always right", 0.0, 1.0, right, size=15, hoverinfo="skip"),
    ]
    sentence = "With weight {a} on TPR and {b} on TNR, {verdict}."
    alt = (
        "ROC plane. A shaded lens around the diagonal holds all attacks on a learner that "
        "releases {learner}. Two parallel lines of slope {slope}: a dashed one through a corner, "
        "at accuracy {least}, and a solid one that touches the lens at FPR {fpr} and TPR {tpr}, "
        "at accuracy {best}."
    )
    layout = {
        "xaxis": axis("fresh records accused, FPR", range=[-0.03, 1.03]),
        "yaxis": axis("members found, TPR", range=[-0.03, 1.05]),
        "height": 430,
    }
    probe = ["the best of them"]
    meta = {"headline": "{headline}", "sentence": sentence, "alt": alt, "probe": probe}
    return Part(marks, layout, meta=meta)


@declared
def security_roc(
    nu: Annotated[float, _NU] = 0.5,
    lam: Annotated[float, _LAM] = 0.5,
    learner: Annotated[str, Choice(list(LEARNERS), label="Released")] = "the histogram",
) -> go.Figure:
    """Draw what attacks on a learner reach, and how the accuracy ranks them.

    Notes
    -----
    Limits paper, Definitions 2 and 3, Theorem 6.

    Examples
    --------
    >>> "security 0.754 (exact)" in security_roc().layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_attacks, learner=learner), layer(_frame), layer(_weighed, nu=nu, lam=lam, learner=learner)
    )
