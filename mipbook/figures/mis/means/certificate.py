"""What a certificate is worth: how it tightens with the number of models."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, Count, Part, Stops, declared, layer, stacked
from mipbook.audit import mean_lower_bound
from mipbook.base.rounding import down, up
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import Trace, curve, level, reading
from mipbook.figures.words import percent, say, sure
from mipbook.mis.known import KNOWN_LEARNERS, best_attack_scores, known_delta

__all__ = ["certificate"]

Array = NDArray[np.float64]
_SIZES = [
    *(10, 12, 15, 20, 25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 250, 300, 400, 500),
    *(600, 800, 1000, 1200, 1500, 1800, 2000),
]
_METHODS = ("betting", "bernstein")
_SHORT = dict(zip(("mean", "histogram", "memory"), KNOWN_LEARNERS, strict=True))


@lru_cache(maxsize=4)
def _truth(learner: str) -> float:
    return known_delta(learner)


@lru_cache(maxsize=64)
def _scores(learner: str, challenges: int) -> Array:
    return best_attack_scores(learner, _SIZES[-1], challenges, np.random.default_rng(130))


@lru_cache(maxsize=4096)
def _reached(learner: str, challenges: int, confidence: float, models: int) -> tuple[float, ...]:
    """Return the attack's value and its two lower bounds, as a Delta each."""
    scores = _scores(learner, challenges)[:models]
    bounds = (mean_lower_bound(scores, confidence, method) for method in _METHODS)
    return tuple(max(0.0, 2 * mean - 1) for mean in (float(scores.mean()), *bounds))


def _gap(models: int, share: float) -> Trace:
    """Draw how far the certificate is from the truth."""
    ends = {"symbol": "line-ew-open", "size": 14, "line": {"width": 3}}
    return curve(
        "certificate to truth",
        [models, models],
        [share, 1.0],
        looks.READING,
        mode="lines+markers",
        line={"color": looks.READING.colour, "width": 5},
        marker={"color": looks.READING.colour, **ends},
        hoverinfo="skip",
    )


def _bounds(learner: str, challenges: int, confidence: float) -> Part:
    truth = _truth(learner)
    every = np.array([_reached(learner, challenges, confidence, m) for m in _SIZES]) / truth
    value, betting, bernstein = every.T
    over = "%{x:,} models: %{y:.0%} of the truth<extra></extra>"
    traces = [
        curve(name, _SIZES, y, look, most=most, hovertemplate=over)
        for name, y, look, most in (
            ("attack (estimate)", value, looks.ATTACK.estimate(), None),
            ("betting (bound)", betting, looks.MIS.bound(), None),
            ("Bernstein (bound)", bernstein, looks.PUBLISHED, 9),
        )
    ]
    sentence = (
        f"Of {learner if learner[0] == 'a' else 'the ' + learner} Δ is {say(truth)} "
        "(exact){over}. {certified}; empirical Bernstein {other}. The attack reaches {reached} "
        "(estimate)."
    )
    alt = (
        "Delta as a share of the truth against the number of tested models, 10 to 2,000, log axis: "
        "the truth is a level line at 1, the estimate wavers around it, and two certified bounds "
        f"rise towards it from below, betting from {say(float(betting[0]))} to "
        f"{say(float(betting[-1]))} and Bernstein from {say(float(bernstein[0]))} to "
        f"{say(float(bernstein[-1]))}."
    )
    layout = {
        "xaxis": axis("tested models", log=True, range=[1, 3.35]),
        "yaxis": axis("Δ, as a share of the truth", range=[-0.02, 1.8], tickformat=".0%"),
        "height": 420,
    }
    track = {"x": _SIZES, "y": betting.tolist()}
    meta = {
        "headline": "{headline}",
        "sentence": sentence,
        "alt": alt,
        "grab": [{"control": "models", "axis": "x", "track": track}],
    }
    return Part([*traces, level("truth (exact)", [10, 2000], 1, looks.MIS)], layout, meta=meta)


def _tested(learner: str, models: int, challenges: int, confidence: float) -> Part:
    truth, with_risk = _truth(learner), f"(bound, {sure(confidence)})"
    reached, first, second = _reached(learner, challenges, confidence, models)
    said = f"With {models:,} models the betting bound certifies"
    if first > 0:
        headline = f"{percent(first / truth, 2)} of the leak certified"
        certified = (
            f"{said} Δ ≥ {say(first, to=down)}, a security of at most {say(1 - first, to=up)} {with_risk}"
        )
    else:
        headline, certified = "0% of the leak certified", f"{said} nothing {with_risk}"
    words = {
        "headline": headline,
        "certified": certified,
        "other": f"Δ ≥ {say(second)}" if second > 0 else "nothing",
        "reached": say(reached),
        "over": "; the bound has missed it, as it may in a few cases" if first > truth else "",
    }
    here = reading(models, second / truth, "Bernstein here")
    return Part([_gap(models, first / truth), here], words=words)


@declared
def certificate(
    learner: Annotated[str, Choice(_SHORT, label="Learner")] = KNOWN_LEARNERS[0],
    models: Annotated[int, Count(_SIZES, label="Models tested", play=True)] = 200,
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
    >>> "Δ is 0.107 (exact)" in certificate().layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_bounds, learner=learner, challenges=challenges, confidence=confidence),
        layer(_tested, learner=learner, models=models, challenges=challenges, confidence=confidence),
    )
