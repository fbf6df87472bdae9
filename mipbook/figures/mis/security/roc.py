"""The ROC plane of a small learner, with the lines of equal accuracy."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.base.palette import fill
from mipbook.explore import Choice, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
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
_NU = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
_LAM = [0.1, 0.3, 0.5, 0.7, 0.9]


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


def _verdict(model: mis.FiniteModel, nu: float, lam: float, tpr: float, fpr: float) -> str:
    a, b = (float(w) for w in mis.weights(nu, lam))
    security, least = float(model.security(nu, lam)), max(a, b)
    constant = "always saying member" if a > b else "always saying fresh"
    if abs(a - b) < 1e-12:
        constant = "either constant answer"
    if security <= 1 - 1e-12:
        return (
            f"The best attack has TPR {say(tpr)}, FPR {say(fpr)} and accuracy "
            f"{say(float(model.best_accuracy(nu, lam)))} (exact), against {say(least)} for "
            f"{constant}: Delta {say(1 - security)} and security {say(security)} (exact)."
        )
    hidden = float(model.delta())
    rest = "Nothing is released, so nothing is told at any weights."
    if hidden > 1e-12:
        rest = f"Balanced weights would see a Delta of {say(hidden)} (exact)."
    return f"No attack is more accurate than {constant}, {say(least)}: security 1 (exact). {rest}"


@declared
def security_roc(
    nu: Annotated[float, Stops(_NU, label="nu, fresh points")] = 0.5,
    lam: Annotated[float, Stops(_LAM, label="lambda")] = 0.5,
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
    model = _model(learner)
    a, b = (float(w) for w in mis.weights(nu, lam))
    best, least = float(model.best_accuracy(nu, lam)), max(a, b)
    tpr, tnr = model.rates(model.best_attack(nu, lam))
    region: Trace = {"fill": "toself", "fillcolor": fill(looks.MIS.colour), "hoverinfo": "skip"}
    constant, right = looks.LEVEL.with_symbol("square"), looks.LEVEL.with_symbol("star")
    return finish(
        [
            curve("all attacks (exact)", *_region(learner), looks.MIS, **region),
            curve("as accurate as a constant", *_equal_accuracy(least, a, b), looks.LEVEL),
            curve("as accurate as the best", *_equal_accuracy(best, a, b), looks.ATTACK),
            points("the two constants", [0.0, 1.0], [0.0, 1.0], constant, size=13),
            points("best attack (exact)", 1 - tnr, tpr, looks.ATTACK, size=11),
            points("always right", 0.0, 1.0, right, size=15),
        ],
        sentence=(
            f"Weights {say(a)} for TPR and {say(b)} for TNR: attacks on a line of slope "
            f"{say(b / a)} are equally accurate. {_verdict(model, nu, lam, tpr, 1 - tnr)}"
        ),
        alt=(
            f"ROC plane. A shaded lens around the diagonal holds all attacks on a learner that "
            f"releases {learner}. Two parallel lines of slope {say(b / a)}: a dashed one through "
            f"a corner, at accuracy {say(least)}, and a solid one that touches the lens at FPR "
            f"{say(1 - tnr)} and TPR {say(tpr)}, at accuracy {say(best)}."
        ),
        layout={
            "xaxis": axis("false positive rate, FPR", range=[-0.03, 1.03]),
            "yaxis": axis("TPR", range=[-0.03, 1.05]),
            "height": 500,
        },
    )
