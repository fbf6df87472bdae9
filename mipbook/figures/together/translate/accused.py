"""Who is accused, and how sure one may be: the predictive value at any prior."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import LogSlider, Part, declared, layer, stacked
from mipbook import accounting, tradeoff
from mipbook.base.rounding import up
from mipbook.figures.frame import axis
from mipbook.figures.looks import DP, SERIES, Look
from mipbook.figures.marks import curve, level, reading
from mipbook.figures.together.translate.releases import DELTA
from mipbook.figures.words import people, percent, say

__all__ = ["accused"]

_PRIORS = LogSlider(0.001, 0.5, 0.01, points=25, label="Members among all, before", play=True)
_EPSILONS = LogSlider(0.1, 10, 3.0, points=17, label="Privacy, ε")
_FPR = np.geomspace(1e-6, 1.0, 49)
_AT = 0.01
_LOOKS: dict[str, Look] = {
    "ε-DP": DP,
    "(ε, 10⁻⁵)-DP": SERIES[3],
    "Gaussian noise, same ε at 10⁻⁵": SERIES[0].exact(),
}
_SPOKEN: dict[str, Any] = {
    "hovertemplate": "accuse %{x:.2~%} of the others: %{y:.1%} of the accused are members<extra></extra>"
}


@lru_cache(maxsize=64)
def _releases(epsilon: float) -> tuple[accounting.Reading, ...]:
    """Return three releases with this epsilon."""
    sigma = float(tradeoff.gaussian_sigma(epsilon, DELTA))
    return (accounting.from_dp(epsilon), accounting.from_dp(epsilon, DELTA), accounting.from_gaussian(sigma))


def _frame(prior: float) -> Part:
    """Return the axes, the prior, and what can be held of the prior."""
    priors = [float(stop) for stop in _PRIORS.stops]
    names = list(_LOOKS)
    layout = {
        "xaxis": axis("wrong accusations, FPR", log=True, range=[-6.1, 0.1]),
        "yaxis": axis("members among the accused", range=[-0.02, 1.02]),
        "height": 410,
    }
    grab = {"control": "prior", "axis": "y", "track": {"x": [1.0] * len(priors), "y": priors}}
    name = "accuse everybody (exact)"
    before = level(name, [1e-6, 1.0], prior)
    return Part([before], layout, meta={"grab": [grab], "probe": names, "ghost": names[2:]})


def _told(prior: float, epsilon: float) -> Part:
    """Return the predictive values, and what they mean."""
    found = _releases(epsilon)
    traces = [
        curve(name, _FPR, each.predictive_value(_FPR, prior), look, **_SPOKEN)
        for (name, look), each in zip(_LOOKS.items(), found, strict=True)
    ]
    values = [float(each.predictive_value(_AT, prior)) for each in found]
    traces.append(reading([_AT] * 3, values, "at FPR 1%", hoverinfo="skip"))
    rare = float(found[2].predictive_value(1e-6, prior))
    right = float(found[0].accuracy(prior))
    sentence = (
        f"Of those whom an attacker on {say(epsilon)}-DP accuses, at most {people(values[0], up)} "
        f"are members, however few it accuses, if {percent(prior)} of all are. Under Gaussian "
        f"noise with the same ε at δ = 10⁻⁵ it is at most {people(values[2], up)} at FPR 1%, and "
        f"{people(rare, up)} at FPR 10⁻⁶. Of all answers {percent(right, to=up)} are right at "
        f"most, where who always says no is right {percent(1 - prior)} of the time (all exact). "
        "Neighbours: replace one record."
    )
    alt = (
        "The share of members among the accused against FPR on a logarithmic axis. The dotted "
        f"curve of pure DP is level at {percent(values[0], to=up)} and falls to {percent(prior)}; "
        f"the one of Gaussian noise rises to {percent(rare, to=up)} at its left end."
    )
    headline = f"at most {people(values[0], up)} accused are members"
    return Part(traces, meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def accused(prior: Annotated[float, _PRIORS] = 0.01, epsilon: Annotated[float, _EPSILONS] = 3.0) -> go.Figure:
    """Draw the chance that an accused is a member against the false positive rate.

    Examples
    --------
    >>> accused().layout.meta["headline"]
    'at most 169 of 1,000 accused are members'
    """
    return stacked(layer(_frame, prior=prior), layer(_told, prior=prior, epsilon=epsilon))
