"""The ROC plane of a small learner, with the lines of equal accuracy."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, ORANGE, PURPLE, fill
from mipbook.figures.frame import axis, finish
from mipbook.figures.roc import add_point
from mipbook.figures.words import say

__all__ = ["SECURITY_LEARNERS", "security_roc"]

SECURITY_LEARNERS = ("the histogram", "the most frequent kind", "one of the records", "nothing")
_P, _N = (0.5, 0.3, 0.2), 5


@lru_cache(maxsize=4)
def _model(learner: str) -> mis.FiniteModel:
    """Enumerate one of the learners: five records of three kinds."""
    rules: dict[str, mis.Learner] = {
        "the histogram": lambda counts: counts,
        "the most frequent kind": lambda counts: counts.index(max(counts)),
        "one of the records": lambda counts: {k: c / _N for k, c in enumerate(counts)},
        "nothing": lambda counts: "",
    }
    return mis.finite_model(rules[learner], _P, _N)


def _line(level: float, a: float, b: float) -> tuple[list[float], list[float]]:
    """Return the ends, inside the square, of the line on which the accuracy is ``level``."""
    start, slope = (level - b) / a, b / a
    x = np.clip([-start / slope, (1 - start) / slope], 0.0, 1.0)
    return x.tolist(), np.clip(start + slope * x, 0.0, 1.0).tolist()


def security_roc(
    nu: float = 0.5, lam: float = 0.5, learner: str = SECURITY_LEARNERS[0]
) -> go.Figure:
    """Draw what attacks on a learner reach, and how the accuracy ranks them.

    Parameters
    ----------
    nu : float
        The chance that the test point is fresh, in [0.05, 0.95].
    lam : float
        How much a recognised member counts, in [0.05, 0.95].
    learner : str
        What is released about five records of three kinds.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Definitions 2 and 3, Theorem 6.

    Examples
    --------
    >>> "security 0.754 (exact)" in security_roc().layout.meta["sentence"]
    True
    """
    nu = validate.number("nu", nu, 0.05, 0.95)
    lam = validate.number("lam", lam, 0.05, 0.95)
    model = _model(validate.choice("learner", learner, SECURITY_LEARNERS))
    a, b = (float(w) for w in mis.weights(nu, lam))
    best, least = float(np.asarray(model.best_accuracy(nu, lam))), max(a, b)
    security = float(np.asarray(model.security(nu, lam)))
    tpr, tnr = model.rates(model.best_attack(nu, lam))
    fpr, up = model.roc()
    figure = go.Figure()
    figure.add_scatter(
        x=np.concatenate([fpr, 1 - fpr]),
        y=np.concatenate([up, 1 - up]),
        mode="lines",
        fill="toself",
        fillcolor=fill(BLUE),
        line={"color": BLUE, "width": 2},
        hoverinfo="skip",
        name="all attacks (exact)",
    )
    for name, level, colour, dash in (
        ("as accurate as a constant", least, ORANGE, "dash"),
        ("as accurate as the best", best, GREEN, "solid"),
    ):
        x, y = _line(level, a, b)
        figure.add_scatter(
            x=x, y=y, mode="lines", name=name, line={"color": colour, "dash": dash, "width": 3}
        )
    figure.add_scatter(
        x=[0.0, 1.0],
        y=[0.0, 1.0],
        mode="markers",
        name="the two constants",
        marker={"color": ORANGE, "symbol": "square", "size": 13},
    )
    add_point(figure, 1 - tnr, tpr, "best attack (exact)")
    figure.add_scatter(
        x=[0.0],
        y=[1.0],
        mode="markers",
        name="always right",
        marker={"color": PURPLE, "symbol": "star", "size": 15},
    )
    constant = (
        "either constant answer"
        if abs(a - b) < 1e-12
        else ("always saying member" if a > b else "always saying fresh")
    )
    if security > 1 - 1e-12:
        hidden = float(np.asarray(model.delta()))
        rest = (
            f"Balanced weights would see a Delta of {say(hidden)} (exact)."
            if hidden > 1e-12
            else "Nothing is released, so nothing is told at any weights."
        )
        told = (
            f"No attack is more accurate than {constant}, {say(least)}: security 1 (exact). {rest}"
        )
    else:
        told = (
            f"The best attack has TPR {say(tpr)}, FPR {say(1 - tnr)} and accuracy {say(best)} "
            f"(exact), against {say(least)} for {constant}: Delta {say(1 - security)} and "
            f"security {say(security)} (exact)."
        )
    return finish(
        figure,
        sentence=(
            f"Weights {say(a)} for TPR and {say(b)} for TNR: attacks on a line of slope "
            f"{say(b / a)} are equally accurate. {told}"
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
