"""One advantage, two mechanisms: a blurred answer for all, or the truth about a few."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import LogSlider, Part, declared, layer, stacked
from mipbook import game, tradeoff
from mipbook.figures.looks import SERIES
from mipbook.figures.marks import curve, reading
from mipbook.figures.roc import SPOKEN, Axes, coin, grid, rate_axes, shown
from mipbook.figures.words import people, percent, say
from mipbook.mechanisms import sampling_mechanism

__all__ = ["same_advantage"]

_FPRS = LogSlider(0.0001, 1, 0.01, points=25, label="Wrong accusations, FPR", play=True)
_NOISE, _TRUTH = "noise for everybody (exact)", "the truth about a few (exact)"


@lru_cache(maxsize=64)
def _sigma(advantage: float) -> float:
    """Return the noise with this advantage: the delta of a mechanism at epsilon 0."""
    return float(tradeoff.gaussian_sigma(0.0, advantage))


def _curves(advantage: float, axes: str) -> Part:
    """Return both curves; the FPR is dragged along that of the few."""
    sigma, revealing = _sigma(advantage), sampling_mechanism(advantage)
    x, stops = grid(axes), np.array(_FPRS.stops)
    track = {"x": stops.tolist(), "y": shown(game.finite_tpr(stops, revealing), axes).tolist()}
    traces = [
        curve(_NOISE, x, shown(tradeoff.gaussian_tpr(x, sigma), axes), SERIES[0], **SPOKEN),
        curve(_TRUTH, x, shown(game.finite_tpr(x, revealing), axes), SERIES[1], **SPOKEN),
        coin(axes),
    ]
    sentence = (
        f"Both best attackers are right {percent(0.5 + advantage / 2)} of the time (exact). But "
        "who accuses {accused} others finds {noisy} members through the noise, and {told} where "
        "the truth about a few is told (exact): {times} times as many."
    )
    alt = (
        f"ROC plane with {axes} axes. The solid curve of the noisy mechanism bends smoothly "
        f"from corner to corner, the dashed one jumps to {say(advantage)} at FPR 0 and goes "
        "straight to the corner. At FPR {fpr} they stand at {low} and {high}."
    )
    meta = {
        "sentence": sentence,
        "headline": "{noisy} or {told}",
        "alt": alt,
        "probe": [_NOISE, _TRUTH],
        "grab": [{"control": "fpr", "axis": "x", "track": track}],
    }
    return Part(traces, {**rate_axes(axes), "height": 440}, meta=meta)


def _found(advantage: float, fpr: float) -> Part:
    """Return what each attacker finds at the reader's FPR."""
    noisy = float(tradeoff.gaussian_tpr(fpr, _sigma(advantage)))
    told = float(game.finite_tpr(fpr, sampling_mechanism(advantage)))
    words = {
        "accused": people(fpr),
        "noisy": people(noisy),
        "told": people(told),
        "times": say(told / noisy),
        "fpr": say(fpr),
        "low": say(noisy),
        "high": say(told),
    }
    return Part([reading([fpr, fpr], [noisy, told], "at your FPR", **SPOKEN)], words=words)


@declared
def same_advantage(
    fpr: Annotated[float, _FPRS] = 0.01,
    advantage: Annotated[
        float, LogSlider(0.01, 0.5, 0.1, points=17, label="TPR − FPR of the best attacker")
    ] = 0.1,
    axes: Axes = "linear",
) -> go.Figure:
    """Draw the ROC curves of two mechanisms whose best attackers have the same advantage.

    Notes
    -----
    Lecture notes, section 3, on success metrics.

    Examples
    --------
    >>> [trace.name for trace in same_advantage().data][:2]
    ['noise for everybody (exact)', 'the truth about a few (exact)']
    """
    return stacked(
        layer(_curves, advantage=advantage, axes=axes), layer(_found, advantage=advantage, fpr=fpr)
    )
