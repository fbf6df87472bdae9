"""What a certificate is worth: how it tightens with the number of models."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.audit import mean_lower_bound
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say, sure

__all__ = ["CERTIFIED_LEARNERS", "certificate"]

Array = NDArray[np.float64]
CERTIFIED_LEARNERS = ("mean of 10 numbers", "histogram of 5 records", "a learner that memorises")
_SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000)
_P = np.array([0.5, 0.3, 0.2])


@lru_cache(maxsize=4)
def _truth(learner: str) -> float:
    if learner == CERTIFIED_LEARNERS[0]:
        return mis.gaussian_mean_delta(10)
    # 60-digit arithmetic: half the sum of E|B/5 - p| over the three values.
    return 0.245722 if learner == CERTIFIED_LEARNERS[1] else 1.0


@lru_cache(maxsize=16)
def _scores(learner: str, members: int) -> Array:
    """Return the best attack's accuracy on each of 2,000 models."""
    rng, models = np.random.default_rng(130), _SIZES[-1]
    if learner == CERTIFIED_LEARNERS[2]:
        return np.ones(models)
    if learner == CERTIFIED_LEARNERS[1]:
        X = rng.choice(3, (models, 5), p=_P)
        fresh = rng.choice(3, (models, members), p=_P)
        share = (X[:, :, None] == np.arange(3)).mean(axis=1)
        above = share > _P
        says = [np.take_along_axis(above, t, axis=1) for t in (X[:, :members], fresh)]
    else:
        Z, new = rng.standard_normal((models, 10)), rng.standard_normal((models, members))
        total, level = Z.sum(axis=1, keepdims=True), -math.log1p(-0.1)
        says = [(total - 10 * t) ** 2 < 90 * (t**2 + level) for t in (Z[:, :members], new)]
    return np.asarray((says[0].mean(axis=1) + 1 - says[1].mean(axis=1)) / 2)


@lru_cache(maxsize=64)
def _bounds(learner: str, members: int, confidence: float) -> tuple[Array, Array, Array]:
    scores = _scores(learner, members)
    rows = []
    for size in _SIZES:
        part = scores[:size]
        rows.append(
            [
                2 * float(part.mean()) - 1,
                *(
                    2 * mean_lower_bound(part, confidence, method) - 1
                    for method in ("betting", "bernstein")
                ),
            ]
        )
    value, betting, bernstein = np.maximum(np.array(rows), 0).T
    return value, betting, bernstein


def certificate(
    learner: str = CERTIFIED_LEARNERS[0],
    models: int = 200,
    members: int = 5,
    confidence: float = 0.95,
) -> go.Figure:
    """Draw certified lower bounds on Delta against the number of tested models.

    Parameters
    ----------
    learner : str
        One of `CERTIFIED_LEARNERS`; their Delta is known.
    models : int
        Tested models, one of 10, 20, 50, 100, 200, 500, 1000, 2000.
    members : int
        Members and others that each model is asked about, in [1, 5].
    confidence : float
        Of each bound, in [0.5, 0.999].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 6 and Section 7.  The attack is the best one and fixed beforehand, so
    what is left between bound and truth is the price of certainty.

    Examples
    --------
    >>> "Delta = 0.107 (exact)" in certificate().layout.meta["sentence"]
    True
    """
    learner = validate.choice("learner", learner, CERTIFIED_LEARNERS)
    models = validate.choice("models", models, _SIZES)
    members = validate.integer("members", members, 1, 5)
    confidence = validate.number("confidence", confidence, 0.5, 0.999)
    value, betting, bernstein = _bounds(learner, members, confidence)
    truth = _truth(learner)
    figure = go.Figure()
    for name, height, colour, dash, symbol in (
        ("attack (estimate)", value, GREY, "dot", "x"),
        ("betting (bound)", betting, ORANGE, "solid", "circle"),
        ("Bernstein (bound)", bernstein, BLUE, "dash", "square"),
    ):
        figure.add_scatter(
            x=_SIZES,
            y=height,
            mode="lines+markers",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 8},
        )
    figure.add_scatter(
        x=[_SIZES[0], _SIZES[-1]],
        y=[truth, truth],
        mode="lines",
        name="truth (exact)",
        line={"color": GREEN, "dash": "dashdot", "width": 2},
    )
    at = _SIZES.index(models)
    figure.add_scatter(
        x=[models, models],
        y=[betting[at], truth],
        mode="lines+markers",
        name="certificate to truth",
        line={"color": INK, "width": 5},
        marker={"symbol": "line-ew-open", "size": 14, "line": {"width": 3}},
    )
    figure.add_scatter(
        x=[models],
        y=[bernstein[at]],
        mode="markers",
        name="Bernstein here",
        marker={"color": PURPLE, "symbol": "diamond-open", "size": 13, "line": {"width": 2}},
    )
    first = float(betting[at])
    says = (
        f"With {models:,} models the betting bound certifies Delta ≥ {say(first)}, so a security "
        f"of at most {say(1 - first)} (bound, {sure(confidence)})"
        if first > 0
        else f"With {models:,} models the betting bound certifies nothing (bound, "
        f"{sure(confidence)})"
    )
    other = float(bernstein[at])
    second = f"certifies Delta ≥ {say(other)} (bound)" if other > 0 else "certifies nothing (bound)"
    over = "; the bound has missed it, as it may in a few cases" if first > truth else ""
    return finish(
        figure,
        sentence=(
            f"The truth for {learner if learner[0] == 'a' else 'the ' + learner} is Delta = "
            f"{say(truth)} (exact){over}. {says}; empirical Bernstein {second}. The attack itself "
            f"reaches {say(float(value[at]))} (estimate)."
        ),
        alt=(
            f"Delta against the number of tested models, 10 to 2,000, log axis: the truth is a "
            f"level line at {say(truth)}, the estimate wavers around it, and two certified bounds "
            f"rise towards it from below, betting from {say(float(betting[0]))} and Bernstein from "
            f"{say(float(bernstein[0]))}."
        ),
        layout={
            "xaxis": axis("tested models", log=True),
            "yaxis": axis("Delta", range=[-0.02, 1.05 if truth > 0.5 else 0.4]),
            "height": 430,
        },
    )
