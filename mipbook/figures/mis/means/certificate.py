"""What a certificate is worth: how it tightens with the number of models."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook.audit import mean_lower_bound
from mipbook.explore import Choice, Count, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import Trace, curve, level, reading
from mipbook.figures.words import say, sure
from mipbook.mis.means.known import KNOWN_LEARNERS, best_attack_scores, known_delta

__all__ = ["certificate"]

Array = NDArray[np.float64]
_SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000)


@lru_cache(maxsize=4)
def _truth(learner: str) -> float:
    return known_delta(learner)


@lru_cache(maxsize=64)
def _bounds(learner: str, challenges: int, confidence: float) -> tuple[Array, Array, Array]:
    """Return the attack's value and its two lower bounds, for each number of models."""
    scores = best_attack_scores(learner, _SIZES[-1], challenges, np.random.default_rng(130))
    mean = [float(scores[:size].mean()) for size in _SIZES]
    betting, bernstein = (
        [mean_lower_bound(scores[:size], confidence, method) for size in _SIZES]
        for method in ("betting", "bernstein")
    )
    value, first, second = np.maximum(2 * np.array([mean, betting, bernstein]) - 1, 0)
    return value, first, second


def _gap(models: int, certified: float, truth: float) -> Trace:
    """Draw how far the certificate is from the truth."""
    return curve(
        "certificate to truth",
        [models, models],
        [certified, truth],
        looks.READING,
        mode="lines+markers",
        line={"color": looks.READING.colour, "width": 5},
        marker={
            "color": looks.READING.colour,
            "symbol": "line-ew-open",
            "size": 14,
            "line": {"width": 3},
        },
    )


@declared
def certificate(
    learner: Annotated[str, Choice(KNOWN_LEARNERS, label="Learner")] = KNOWN_LEARNERS[0],
    models: Annotated[int, Choice(_SIZES, label="Models tested")] = 200,
    challenges: Annotated[int, Count([1, 5], label="Records a model")] = 5,
    confidence: Annotated[float, Stops([0.9, 0.95, 0.99], label="Confidence")] = 0.95,
) -> go.Figure:
    """Draw certified lower bounds on Delta against the number of tested models.

    Notes
    -----
    Limits paper, Theorem 6 and Section 7.  The attack is the best one and fixed beforehand, so
    what is left between bound and truth is the price of certainty.

    Examples
    --------
    >>> "Delta = 0.107 (exact)" in certificate().layout.meta["sentence"]
    True
    """
    value, betting, bernstein = _bounds(learner, challenges, confidence)
    truth, place = _truth(learner), _SIZES.index(models)
    reached, first, second = (float(y[place]) for y in (value, betting, bernstein))
    if first > 0:
        certified = (
            f"With {models:,} models the betting bound certifies Delta ≥ {say(first)}, so a "
            f"security of at most {say(1 - first)} (bound, {sure(confidence)})"
        )
    else:
        certified = (
            f"With {models:,} models the betting bound certifies nothing (bound, "
            f"{sure(confidence)})"
        )
    other = (
        f"certifies Delta ≥ {say(second)} (bound)" if second > 0 else "certifies nothing (bound)"
    )
    over = "; the bound has missed it, as it may in a few cases" if first > truth else ""
    return finish(
        [
            curve("attack (estimate)", _SIZES, value, looks.ATTACK.estimate(), marked=True),
            curve("betting (bound)", _SIZES, betting, looks.MIS.bound(), marked=True),
            curve("Bernstein (bound)", _SIZES, bernstein, looks.PUBLISHED, marked=True),
            level("truth (exact)", [_SIZES[0], _SIZES[-1]], truth, looks.MIS),
            _gap(models, first, truth),
            reading(models, second, "Bernstein here"),
        ],
        sentence=(
            f"The truth for {learner if learner[0] == 'a' else 'the ' + learner} is Delta = "
            f"{say(truth)} (exact){over}. {certified}; empirical Bernstein {other}. The attack "
            f"itself reaches {say(reached)} (estimate)."
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
