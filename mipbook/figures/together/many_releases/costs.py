"""What k releases cost in epsilon, exactly and by each closed bound."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Part, Stops, declared, layer, stacked
from mipbook import accounting
from mipbook.base.rounding import up
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.looks import BEST, DP, LEVEL, PUBLISHED
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import say

__all__ = ["composition_costs"]

_RELEASES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 22, 25, 28, 32, 36, 40, 45, 50]
_RELEASES += [56, 63, 70, 75, 80, 90, 100]
_EPSILONS = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]
_SLACKS = np.geomspace(1e-12, 0.5, 25)
_LEAST = 1e-12


@lru_cache(maxsize=512)
def _together(epsilon: float, k: int) -> accounting.Reading:
    return accounting.composed(accounting.from_dp(epsilon), k)


def _against_k(epsilon: float, delta: float) -> Part:
    """Return epsilon against the number of releases, and both pairs of axes."""
    bounds = [accounting.epsilon_bounds(epsilon, k, delta) for k in _RELEASES]
    exact = [float(_together(epsilon, k).epsilon(delta)) for k in _RELEASES]
    said = "%{x} releases, {}: ε = %{y:.3g}<extra></extra>"
    hover = {name: said.replace("{}", name) for name in ("the sum", "advanced", "least bound", "optimal")}
    traces = [
        curve("the sum, k ε (bound)", _RELEASES, [b.basic for b in bounds], LEVEL),
        curve(
            "advanced composition (bound)",
            _RELEASES,
            [b.advanced for b in bounds],
            PUBLISHED,
            hovertemplate=hover["advanced"],
        ),
        curve(
            "the least closed bound (bound)",
            _RELEASES,
            [b.least for b in bounds],
            DP.bound(),
            marked=True,
            most=6,
            hovertemplate=hover["least bound"],
        ),
        curve("optimal (exact)", _RELEASES, exact, BEST, hovertemplate=hover["optimal"]),
    ]
    rows = two_rows(0.5, 0.2)
    layout = {
        "xaxis": axis("releases, k", log=True, range=[-0.05, 2.05]) | rows["xaxis"],
        "yaxis": axis("ε of all", log=True, range=[-2.1, 2.1]) | rows["yaxis"],
        "xaxis2": axis("ε of all together", range=[0, 10.2]) | rows["xaxis2"],
        "yaxis2": axis("δ", log=True, range=[-12, 0.2], dtick=3) | rows["yaxis2"],
        "height": 430,
    }
    grab = [{"control": "k", "axis": "x", "track": {"x": _RELEASES, "y": np.round(exact, 5)}}]
    probe = [trace["name"] for trace in traces[1:]]
    return Part(traces, layout, meta={"grab": grab, "probe": probe, "beside": 0.5})


def _privacy_curve(k: int, epsilon: float) -> Part:
    """Return delta against epsilon for that many releases."""
    found = _together(epsilon, k)
    told = np.geomspace(_LEAST, found.advantage.value, 49)
    along = np.append(found.epsilon(told[:-1]), 0.0)
    least = [accounting.epsilon_bounds(epsilon, k, slack).least for slack in _SLACKS.tolist()]
    traces = [
        curve(
            "optimal, at each δ (exact)",
            np.round(along, 5),
            told,
            BEST,
            showlegend=False,
            hovertemplate="ε = %{x}: δ = %{y:.2g} (exact)<extra></extra>",
            **LOWER,
        ),
        curve(
            "the least bound, at each δ",
            np.round(least, 5),
            _SLACKS,
            DP.bound(),
            showlegend=False,
            hoverinfo="skip",
            **LOWER,
        ),
    ]
    return Part(traces, meta={"ghost": ["optimal, at each δ (exact)"]})


def _at(k: int, epsilon: float, delta: float) -> Part:
    k = int(k)
    exact = float(_together(epsilon, k).epsilon(delta))
    bounds = accounting.epsilon_bounds(epsilon, k, delta)
    one = "One release" if k == 1 else f"{k} releases"
    sentence = (
        f"{one}, each {say(epsilon)}-DP, {'is' if k == 1 else 'are'} together "
        f"({say(exact, to=up)}, {say(delta)})-DP, and no smaller ε will do (exact). The sum says "
        f"{say(bounds.basic, to=up)}, the best closed bound {say(bounds.least, to=up)} (bounds). "
        "Neighbours: replace one record."
    )
    alt = (
        "Left, epsilon against the number of releases on logarithmic axes: the sum rises "
        f"straight, the optimal curve bends away below it and is at {say(exact, to=up)} for {k}; "
        "advanced composition starts far above the sum. Right, delta against epsilon for that "
        "many releases, on a logarithmic axis: the optimal curve falls, the closed bound lies "
        "to the right of it."
    )
    meta = {"sentence": sentence, "alt": alt, "headline": f"ε = {say(exact, to=up)} at δ = {say(delta)}"}
    marks = [reading(k, exact, "at your k"), reading([min(exact, 10.2)], [delta], "at your δ", **LOWER)]
    return Part(marks, meta=meta)


@declared
def composition_costs(
    k: Annotated[int, Stops(_RELEASES, label="Releases, k", play=True)] = 20,
    epsilon: Annotated[float, Stops(_EPSILONS, label="ε of each")] = 0.1,
    delta: Annotated[float, Stops([1e-9, 1e-6, 1e-3], label="δ of all")] = 1e-6,
) -> go.Figure:
    """Draw epsilon of k releases against k, and their delta against epsilon.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorems 3.3 and 3.4.

    Examples
    --------
    >>> composition_costs(100).layout.meta["headline"]
    'ε = 4.78 at δ = 10⁻⁶'
    """
    return stacked(
        layer(_against_k, epsilon=epsilon, delta=delta),
        layer(_privacy_curve, k=k, epsilon=epsilon),
        layer(_at, k=k, epsilon=epsilon, delta=delta),
    )
