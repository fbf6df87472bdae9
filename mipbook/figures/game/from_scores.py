"""How good is this attack: everything that a file of scores and memberships tells."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable import validate
from explorable.panels import Choice, File, Part, Stops, UploadedFile, declared, layer, stacked
from explorable.tables import read_columns
from mipbook import game
from mipbook.base.rounding import down
from mipbook.figures.looks import DP
from mipbook.figures.roc import Axes, coin, edge, empirical, rate_axes
from mipbook.figures.words import people, percent, say, sure

__all__ = ["EXAMPLE_SCORES", "attack_scores", "example_scores"]

EXAMPLE_SCORES = ("tracing, r = 2", "tracing, r = 0.5", "a few records give themselves away")
_RATES = (0.0001, 0.001, 0.01, 0.1)
# The FPR that the sentence speaks of.
_FPR = 0.01


def example_scores(name: str) -> game.Scores:
    """Return the scores of a built-in example.

    Parameters
    ----------
    name : str
        One of `EXAMPLE_SCORES`.

    Notes
    -----
    Lecture notes, Theorem 2, with sqrt(k) / (n sigma) = r; the third shows a tenth of the
    members as they are and nothing of the others, the sampling mechanism of section 2.

    Examples
    --------
    >>> example_scores("tracing, r = 2").scores.size
    4000
    """
    return _example(validate.choice("name", name, EXAMPLE_SCORES))


@lru_cache(maxsize=8)
def _example(name: str) -> game.Scores:
    rng = np.random.default_rng(50)
    member = rng.random(4000) < 0.5
    scores = rng.standard_normal(4000)
    if name == EXAMPLE_SCORES[2]:
        scores[member & (rng.random(4000) < 0.1)] += 9.0
    else:
        scores += member * float(name.rpartition("= ")[2])
    return game.Scores(np.round(scores, 4), member)


@lru_cache(maxsize=8)
def _read(file: str | UploadedFile) -> tuple[game.Scores, str]:
    """Return the scores, and what was read of an own file."""
    if not isinstance(file, UploadedFile):
        return example_scores(file), ""
    reading = read_columns(file.text, game.SCORE_ROLES, file.columns)
    return game.scores_of(reading), reading.say()


@lru_cache(maxsize=8)
def _curve(file: str | UploadedFile, larger_means: str) -> tuple[game.Roc, game.Scores]:
    read, _ = _read(file)
    sign = 1.0 if larger_means == "member" else -1.0
    scores = game.Scores(sign * read.scores, read.member)
    return game.roc(*scores), scores


@lru_cache(maxsize=64)
def _certificate(
    file: str | UploadedFile, larger_means: str, delta: float, confidence: float
) -> game.Certificate:
    _, read = _curve(file, larger_means)
    rng = np.random.default_rng(51)
    return game.certify_epsilon(read.scores, read.member, rng, delta, confidence)


def _plane(file: str | UploadedFile, larger_means: str, confidence: float, axes: str) -> Part:
    """Return the attack's curve in its band."""
    curve, _ = _curve(file, larger_means)
    name = "the attack (estimate)"
    traces = [*empirical(name, curve, axes, confidence), coin(axes)]
    return Part(traces, {**rate_axes(axes), "height": 420}, meta={"probe": [name]})


def _edge(file: str | UploadedFile, larger_means: str, delta: float, confidence: float, axes: str) -> Part:
    bound = _certificate(file, larger_means, delta, confidence)
    certified = "edge of DP at the proved ε (bound)"
    return Part([edge(certified, bound.epsilon, delta, axes, DP.bound())])


def _told(file: str | UploadedFile, larger_means: str, delta: float, confidence: float) -> Part:
    """Return all that is said of the file."""
    curve, _ = _curve(file, larger_means)
    bound = _certificate(file, larger_means, delta, confidence)
    found = people(float(curve.tpr_at(_FPR)))
    low, high = (float(v) for v in curve.tpr_band(_FPR, confidence))
    proven = f"ε ≥ {say(bound.epsilon, to=down)}"
    sentence = (
        f"Accusing {people(_FPR)} others, the attack finds {found} members "
        f"(estimate, {percent(low)} to {percent(high)}). It proves {proven} at δ = {say(delta)} "
        f"(bound, {sure(confidence)}) for the neighbours of the game.{_hint(curve)}"
    )
    alt = (
        f"ROC plane: the stepped curve of the attack on {curve.members:,} members and "
        f"{curve.others:,} others with a shaded band, the diagonal of a coin, and the edge of DP "
        f"at ε {say(bound.epsilon, to=down)}. At FPR {say(_FPR)} the curve stands at "
        f"{say(float(curve.tpr_at(_FPR)))}."
    )
    read = _read(file)[1]
    meta = {
        "sentence": sentence,
        "headline": f"{proven} proved",
        "alt": alt,
        "table": _table(curve, bound, delta, confidence),
        **({"read": read} if read else {}),
    }
    return Part(meta=meta)


@declared
def attack_scores(
    file: Annotated[
        str | UploadedFile, File(EXAMPLE_SCORES, roles=game.SCORE_ROLES, label="Scores")
    ] = "tracing, r = 2",
    larger_means: Annotated[str, Choice(["member", "not a member"], label="A larger score means")] = "member",
    delta: Annotated[float, Stops([0, 1e-5, 1e-3], label="Promise, δ")] = 1e-5,
    confidence: Annotated[float, Choice([0.95, 0.99], label="Confidence")] = 0.95,
    axes: Axes = "linear",
) -> go.Figure:
    """Draw the ROC curve of a file of scores, with bands and a lower bound on epsilon.

    Notes
    -----
    Lecture notes, section 3 and Corollary 1.  The threshold behind the bound on epsilon is
    chosen on a random three tenths of the file and counted on the rest.

    Examples
    --------
    >>> attack_scores().layout.meta["table"][1][0]
    'area under the curve, AUC'
    """
    return stacked(
        layer(_plane, file=file, larger_means=larger_means, confidence=confidence, axes=axes),
        layer(_edge, file=file, larger_means=larger_means, delta=delta, confidence=confidence, axes=axes),
        layer(_told, file=file, larger_means=larger_means, delta=delta, confidence=confidence),
    )


def _hint(curve: game.Roc) -> str:
    if curve.auc >= 0.5:
        return ""
    return " The scores point the other way: if the attack was built so, switch what larger means."


def _table(curve: game.Roc, bound: game.Certificate, delta: float, confidence: float) -> list[list[str]]:
    level = sure(confidence)
    edge = curve.advantage_band(confidence)
    rows = [
        ["quantity", "value", f"{level} band", "kind"],
        ["area under the curve, AUC", say(curve.auc), "", "estimate"],
        [
            "advantage, largest TPR − FPR",
            say(curve.advantage),
            f"{say(edge.low)} to {say(edge.high)}",
            "estimate",
        ],
    ]
    for rate in _RATES:
        low, high = curve.tpr_band(rate, confidence)
        band = f"{percent(float(low))} to {percent(float(high))}"
        value = percent(float(curve.tpr_at(rate)))
        rows.append([f"TPR at FPR {percent(rate)}", value, band, "estimate"])
    counts = bound.tp, bound.fn, bound.fp, bound.tn
    everywhere = curve.epsilon_lower_bound(delta, confidence)
    halved = float(game.epsilon_lower_bound(*counts, delta, confidence, steps=2))
    proofs = {
        "threshold chosen on other rows": bound.epsilon,
        "all thresholds at once": everywhere,
        "if a record was replaced, under add or remove": halved,
    }
    rows += [[f"ε, {how}", say(value, to=down), "at least", "bound"] for how, value in proofs.items()]
    return rows
