"""What differential privacy promises, four times, and what a private count does."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Count, Part, Stops, declared, layer, stacked
from mipbook import mis
from mipbook.base.rounding import down, up
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.marks import curve, level, reading
from mipbook.figures.words import say

__all__ = ["EPSILONS", "dp_security"]

EPSILONS = Stops([*(k / 10 for k in range(1, 10)), *(k / 5 for k in range(5, 21))], 1.0, label="Privacy, ε")
_CURVE = np.linspace(0, 4, 41)
_BOUNDS = (
    ("published", "exp(ε) − 1 (bound)", looks.PUBLISHED, 10),
    ("one-sided", "1 − exp(−ε) (bound)", replace(looks.DP, dash="dashdot"), None),
    ("two-sided", "tanh(ε/2) (bound)", looks.DP, None),
    ("sharp", "tanh(ε/4) (bound)", looks.DP.bound(), None),
)
_RECORDS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000]


@lru_cache(maxsize=4096)
def _count(n: int, p: float, epsilon: float) -> float:
    return float(mis.geometric_count_delta(n, p, epsilon))


@lru_cache(maxsize=128)
def _bounds_at(epsilon: float) -> dict[str, float]:
    return {kind: float(mis.delta_from_dp(epsilon, bound=kind)) for kind in mis.DP_BOUNDS}


def _bounds() -> Part:
    """Draw the four bounds, and say what is around the numbers."""
    told = "ε = %{x:.1f}: Δ at most %{customdata:.3g}<extra></extra>"
    curves = []
    for kind, name, look, most in _BOUNDS:
        found = np.minimum(mis.delta_from_dp(_CURVE, bound=kind), 2.0)
        more: dict[str, Any] = {"hovertemplate": told, "customdata": [up(value, 3) for value in found]}
        curves.append(curve(name, _CURVE, found, look, most=most, **more))
    stops = [float(stop) for stop in EPSILONS.stops]
    sharp = np.asarray(mis.delta_from_dp(stops, bound="sharp"))
    sentence = (
        "For any {epsilon}-DP learner Δ ≤ {sharp}, which some learner attains; tanh(ε/2) gives "
        "{two}, the published bound {published}{vacuous} (bounds). The noisy count of {n} records "
        "has {exact} (exact): security {security}, not {promised}."
    )
    alt = (
        "Above, Δ against ε from 0 to 4: a dashed curve with crosses, a dash-dotted, a dotted "
        "and a plainly dashed one, each below the one before, and a line with rings far below; "
        "at {epsilon} the lowest of the four is at {sharp}, the rings at {exact}. Below, on "
        "logarithmic axes against n, a level line at {sharp} and a falling one through {exact} "
        "at n = {n}."
    )
    layout = {
        "xaxis": axis("ε", range=[0, 4]),
        "yaxis": axis("Δ", range=[0, 1.05]),
        "xaxis2": axis("records, n", log=True, range=[-0.05, 3.05]),
        "yaxis2": axis("Δ", log=True, range=[-4.2, 0.1]),
        "rows": (0.58, 0.2),
        "height": 430,
    }
    meta = {
        "headline": "Δ = {exact}, where DP promises {sharp}",
        "sentence": sentence,
        "alt": alt,
        "beside": 0.55,
        "probe": ["tanh(ε/4) (bound)", "noisy count (exact)", "noisy count against n"],
        "grab": [{"control": "epsilon", "axis": "x", "track": {"x": stops, "y": sharp.tolist()}}],
    }
    return Part(curves, placed(layout), meta=meta)


def _against_epsilon(n: int, p: float) -> Part:
    rings = looks.MIS.with_symbol("circle-open")
    exact = mis.geometric_count_delta(n, p, _CURVE)
    told = f"ε = %{{x:.1f}}: the noisy count of {n:,} has Δ = %{{y:.3g}}<extra></extra>"
    name = "noisy count (exact)"
    return Part([curve(name, _CURVE, exact, rings, most=10, hovertemplate=told)])


def _against_size(p: float, epsilon: float) -> Part:
    exact = [_count(n, p, epsilon) for n in _RECORDS]
    sharp = _bounds_at(epsilon)["sharp"]
    told = "noisy count of %{x:,} records: Δ = %{y:.3g}<extra></extra>"
    name, hidden = "noisy count against n", {"showlegend": False, **LOWER}
    return Part(
        [
            level("bound, any n", [1, 1000], sharp, looks.DP.bound(), **hidden),
            curve(name, _RECORDS, exact, looks.MIS, hovertemplate=told, **hidden),
        ],
        meta={"grab": [{"control": "n", "axis": "x2", "track": {"x": _RECORDS, "y": exact}}]},
    )


def _here(epsilon: float, n: int, p: float) -> Part:
    """Mark the reader's epsilon and n, and say what they mean."""
    exact, values = _count(n, p, epsilon), _bounds_at(epsilon)
    sharp = values["sharp"]
    words = {
        "epsilon": say(epsilon),
        "n": f"{n:,}",
        "sharp": say(sharp, to=up),
        "two": say(values["two-sided"], to=up),
        "published": say(values["published"], to=up),
        "vacuous": ", which says nothing" if values["published"] >= 1 else "",
        "exact": say(exact),
        "security": say(1 - exact),
        "promised": say(1 - sharp, to=down),
    }
    marks = [
        reading([epsilon, epsilon], [sharp, exact], "at your ε"),
        reading(n, exact, "at your n", **LOWER),
    ]
    return Part(marks, words=words)


@declared
def dp_security(
    epsilon: Annotated[float, EPSILONS] = 1.0,
    n: Annotated[int, Count(_RECORDS, label="Records, n")] = 10,
    p: Annotated[float, Choice([0.05, 0.2, 0.5], label="Chance of a 1")] = 0.5,
) -> go.Figure:
    """Draw four bounds on Delta, and the exact Delta of a count with geometric noise.

    Notes
    -----
    Limits paper, Remark 8 and equation (53); tanh(eps/4) is new in this book.

    Examples
    --------
    >>> dp_security().layout.meta["headline"]
    'Δ = 0.1, where DP promises 0.245'
    """
    return stacked(
        layer(_bounds),
        layer(_against_epsilon, n=n, p=p),
        layer(_against_size, p=p, epsilon=epsilon),
        layer(_here, epsilon=epsilon, n=n, p=p),
    )
