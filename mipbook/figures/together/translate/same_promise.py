"""One (epsilon, delta), three releases that keep it: what the pair does not tell."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import LogSlider, Part, declared, layer, stacked
from mipbook import accounting, tradeoff
from mipbook.base.rounding import up
from mipbook.figures.looks import DP, SERIES, Look
from mipbook.figures.marks import curve, reading
from mipbook.figures.roc import SPOKEN, coin, rate_axes, shown
from mipbook.figures.words import people, say

__all__ = ["same_promise"]

_EPSILONS = LogSlider(0.1, 10, 3.0, points=25, label="Promise, ε", play=True)
_DELTAS = LogSlider(1e-9, 0.01, 1e-5, points=15, label="Promise, δ")
_FPR = np.concatenate([np.geomspace(1e-4, 0.3, 36), [0.5, 0.7, 0.85, 0.95, 1.0]])
_AT = 0.01
_PAIR, _GAUSS = "the pair alone", "Gaussian noise"
_LOOKS: dict[str, Look] = {_PAIR: DP, _GAUSS: SERIES[0].exact(), "Laplace noise": SERIES[1]}


@lru_cache(maxsize=1024)
def _kept(epsilon: float, delta: float) -> tuple[accounting.Reading, ...]:
    """Return what the pair alone allows, and two releases with just this epsilon at delta."""
    return (
        accounting.from_dp(epsilon, delta),
        accounting.from_gaussian(float(tradeoff.gaussian_sigma(epsilon, delta))),
        accounting.matching("laplace", "epsilon", epsilon, at=delta).reading,
    )


def _tracks(delta: float) -> Part:
    """Return the axes, and two curves that can be held at a false positive rate of 1%."""
    found = [_kept(float(epsilon), delta) for epsilon in _EPSILONS.stops]
    grab: list[dict[str, Any]] = []
    for place in (0, 1):
        rates = [float(f"{float(each[place].tpr(_AT)):.4g}") for each in found]
        track = {"x": [_AT] * len(rates), "y": rates}
        grab.append({"control": "epsilon", "axis": "y", "track": track})
    names = list(_LOOKS)
    meta = {"grab": grab, "probe": names, "ghost": [_GAUSS]}
    return Part([coin("logarithmic")], {**rate_axes("logarithmic"), "height": 430}, meta=meta)


def _curves(epsilon: float, delta: float) -> Part:
    """Return the three curves, and what they find."""
    found = _kept(epsilon, delta)
    rates = [float(each.tpr(_AT)) for each in found]
    traces = [
        curve(name, _FPR, shown(each.tpr(_FPR), "logarithmic"), look, **SPOKEN)
        for (name, look), each in zip(_LOOKS.items(), found, strict=True)
    ]
    traces.append(reading([_AT] * 3, rates, "at FPR 1%", hoverinfo="skip"))
    pair, gauss, laplace = (people(rate, up) for rate in rates)
    right = [math.ceil(1000 * float(each.accuracy())) for each in found]
    sentence = (
        f"All three keep ({say(epsilon)}, {say(delta)})-DP, and no smaller ε at this δ. Who "
        f"accuses 10 of 1,000 others finds at most {gauss} members under Gaussian noise and "
        f"{laplace} under Laplace noise; the pair alone allows {pair}. At even odds the best "
        f"attacker gives at most {right[1]}, {right[2]} and {right[0]} right answers of 1,000 (all "
        "exact). Neighbours: replace one record."
    )
    alt = (
        "ROC plane with logarithmic axes. At FPR 1% the dotted curve of the pair stands at "
        f"{say(rates[0], to=up)}, the solid one of Gaussian noise at {say(rates[1], to=up)}, the "
        f"dashed one of Laplace noise at {say(rates[2], to=up)}."
    )
    headline = f"{gauss} under Gaussian noise"
    return Part(traces, meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def same_promise(
    epsilon: Annotated[float, _EPSILONS] = 3.0, delta: Annotated[float, _DELTAS] = 1e-5
) -> go.Figure:
    """Draw the trade-off curves of three releases that keep the same (epsilon, delta).

    Examples
    --------
    >>> same_promise(3.0, 1e-5).layout.meta["headline"]
    '55 of 1,000 under Gaussian noise'
    """
    return stacked(layer(_tracks, delta=delta), layer(_curves, epsilon=epsilon, delta=delta))
