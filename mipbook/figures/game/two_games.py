"""The worst-case game and the distributional one, on the same mechanism."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Count, LogSlider, Part, declared, layer, stacked
from mipbook import game, tradeoff
from mipbook.figures.looks import BEST, SERIES
from mipbook.figures.marks import curve, reading
from mipbook.figures.roc import SPOKEN, Axes, coin, grid, rate_axes, shown
from mipbook.figures.words import people, say

__all__ = ["two_games"]

# At this FPR the two games are compared in words.
_FPR = 0.01
# Thresholds, in standard deviations of the statistic on random data.
_THRESHOLDS = np.linspace(-6, 6, 73)
_WORST = "worst case, best attacker (exact)"
_RANDOM = "random data, tracer (exact)"


@lru_cache(maxsize=256)
def _rates(k: int, n: int, sigma: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return FPR and TPR along the tracer's curve on random data, and its TPR at `_FPR`."""
    attack = game.CoinTracing(k, n, sigma)
    centre = k / (8 * n)
    reach = np.hypot(attack.spread, np.sqrt(k / n) / 4) + centre / 6
    at = centre + reach * _THRESHOLDS
    return np.asarray(attack.fpr(at)), np.asarray(attack.tpr(at)), attack.tpr_at(_FPR)


def _frame(axes: str) -> Part:
    layout = {**rate_axes(axes), "height": 440}
    return Part([coin(axes)], layout, meta={"probe": [_WORST, _RANDOM]})


def _curves(k: int, n: int, sigma: float, axes: str) -> Part:
    sensitivity = game.TracingAttack(k, n, sigma).sensitivity
    fpr, tpr, typical = _rates(k, n, sigma)
    x = grid(axes)
    worst = float(tradeoff.gaussian_tpr(_FPR, sigma, sensitivity))
    best = shown(tradeoff.gaussian_tpr(x, sigma, sensitivity), axes)
    sentence = (
        f"Who accuses {people(_FPR)} others finds {people(worst)} members in the worst case, and "
        f"{people(typical)} on random data (both exact; one of {n} records is replaced, {k} bits "
        "each)."
    )
    alt = (
        f"ROC plane with {axes} axes. The worst-case curve for k = {k}, n = {n} and "
        f"σ = {say(sigma)} lies above the curve of the game on random data. At FPR {say(_FPR)} "
        f"they stand at {say(worst)} and {say(typical)}."
    )
    traces = [
        curve(_WORST, x, best, BEST, **SPOKEN),
        curve(_RANDOM, shown(fpr, axes), shown(tpr, axes), SERIES[1], **SPOKEN),
        reading([_FPR] * 2, shown([worst, typical], axes), "at FPR 1%", **SPOKEN),
    ]
    headline = f"{people(worst)} against {people(typical)}"
    return Part(traces, meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def two_games(
    k: Annotated[int, Count([20, 100, 400], label="Bits a record has, k")] = 100,
    n: Annotated[int, Count([10, 20, 50], label="Records, n")] = 20,
    sigma: Annotated[float, LogSlider(0.05, 2, 0.3, points=25, label="Noise, σ", play=True)] = 0.3,
    axes: Axes = "linear",
) -> go.Figure:
    """Draw what the best attacker gets in the worst case, and what a tracer gets on random data.

    Notes
    -----
    Lecture notes, section 3, where one of n records is replaced.  In the worst case the attacker
    picks all-zero records and an all-one target; in the other game all records are fair coins,
    and the attacker sees the release and the target only.

    Examples
    --------
    >>> two_games(20, 20).data[1].name
    'worst case, best attacker (exact)'
    """
    return stacked(layer(_frame, axes=axes), layer(_curves, k=k, n=n, sigma=sigma, axes=axes))
