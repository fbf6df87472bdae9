"""Three questions to choose from: noise for a promise, training, the rates of a promise."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import plotly.graph_objects as go

from explorable.panels import Choice, Part, declared, layer, stacked
from mipbook.figures.together.other_tools.sides import drawn, summary
from mipbook.figures.words import percent, say
from mipbook.stored.tools import DELTAS, EPSILONS, FPRS, RHOS, SIGMAS, TRAINING, tool_answers

__all__ = ["tool_noise", "tool_rates", "tool_training"]

_EPSILON = Choice(EPSILONS, 1.0, label="Promise, ε")
_DELTA = Choice(sorted(DELTAS), 1e-5, label="δ")
_ASKED = {"ε at δ = 10⁻⁵": "training", "advantage": "training_advantage"}

_RUN = {"training": {**TRAINING, "delta": 1e-5}, "training_advantage": TRAINING}


@lru_cache(maxsize=16)
def _order(family: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(answer.who for answer in tool_answers(family)))


def _noises(epsilon: float, delta: float) -> Part:
    answers = tool_answers("sigma", epsilon=epsilon, delta=delta)
    part = drawn(answers, _order("sigma"), "noise")
    promise = f"The least σ for ε = {say(epsilon)}, δ = {say(delta)}"
    meta = {**part.meta, **summary(answers, promise, "noise")}
    return Part(part.traces, part.layout, meta=meta)


@declared
def tool_noise(
    epsilon: Annotated[float, _EPSILON] = 1.0, delta: Annotated[float, _DELTA] = 1e-5
) -> go.Figure:
    """Draw how far each tool's Gaussian noise for a promise is from the least that keeps it.

    Notes
    -----
    Sensitivity 1; answers and truth are stored by ``python -m mipbook runs other_tools``.

    Examples
    --------
    >>> tool_noise(8.0, 1e-100).layout.meta["headline"]
    '2 of 5 answers too small'
    """
    return stacked(layer(_noises, epsilon=epsilon, delta=delta))


def _rates(rho: float, fpr: float) -> Part:
    answers = tool_answers("concentrated_tpr", rho=rho, fpr=fpr)
    part = drawn(answers, _order("concentrated_tpr"), "true positive rate")
    promise = f"The largest TPR that {say(rho)}-zCDP allows at an FPR of {percent(fpr)}"
    meta = {**part.meta, **summary(answers, promise, "true positive rate")}
    return Part(part.traces, part.layout, meta=meta)


@declared
def tool_rates(
    rho: Annotated[float, Choice(RHOS, 0.01, label="Promise, ρ")] = 0.01,
    fpr: Annotated[float, Choice(FPRS, 0.01, label="False positive rate")] = 0.01,
) -> go.Figure:
    """Draw how far each tool's true positive rate for a zCDP promise is from the largest.

    Examples
    --------
    >>> tool_rates(0.005, 0.01).layout.meta["headline"]
    '2 of 5 answers too small'
    """
    return stacked(layer(_rates, rho=rho, fpr=fpr))


def _trained(sigma: float, asked: str) -> Part:
    family = _ASKED[asked]
    answers = tool_answers(family, sigma=sigma, **_RUN[family])
    what = "ε" if family == "training" else "advantage"
    part = drawn(answers, _order(family), what, timed=True)
    words = summary(answers, f"Trained with σ = {say(sigma)}, the right {what}", what)
    return Part(part.traces, part.layout, meta={**part.meta, **words})


@declared
def tool_training(
    sigma: Annotated[float, Choice(SIGMAS, 1.1, label="Noise, σ")] = 1.1,
    asked: Annotated[str, Choice(list(_ASKED), label="Asked for")] = "ε at δ = 10⁻⁵",
) -> go.Figure:
    """Draw error and time of each accountant of training with clipped, noisy gradients.

    The seconds are those of one processor, on the machine that asked.

    Notes
    -----
    60,000 records, batches of 256 drawn at random, 60 epochs: 14,062 steps at a rate of
    0.427%; neighbours add or remove a record.

    Examples
    --------
    >>> tool_training().layout.meta["headline"]
    '2 right, 4 more than due'
    """
    return stacked(layer(_trained, sigma=sigma, asked=asked))
