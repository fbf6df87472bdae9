"""What differential privacy promises, four times, and what a private count does."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.explore import Count, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import Trace, curve, reading
from mipbook.figures.words import say

__all__ = ["dp_security"]

_EPSILONS = np.linspace(0, 4, 41)
_SIZES = np.array([1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000])
_BOUNDS = (
    ("published", "e^eps - 1 (bound)", looks.PUBLISHED, True),
    ("one-sided", "1 - e^-eps (bound)", replace(looks.DP, dash="dashdot"), False),
    ("two-sided", "tanh(eps/2) (bound)", looks.DP, False),
    ("sharp", "tanh(eps/4) (bound)", looks.DP.bound(), False),
)
_AT = [0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
_RECORDS = [1, 2, 5, 10, 50, 200, 1000]


@lru_cache(maxsize=128)
def _against_epsilon(n: int, p: float) -> Any:
    return mis.geometric_count_delta(n, p, _EPSILONS)


@lru_cache(maxsize=4096)
def _count(n: int, p: float, epsilon: float) -> float:
    return float(mis.geometric_count_delta(n, p, epsilon))


@lru_cache(maxsize=128)
def _against_size(p: float, epsilon: float) -> Any:
    return np.array([_count(int(n), p, epsilon) for n in _SIZES])


@lru_cache(maxsize=128)
def _bounds_at(epsilon: float) -> dict[str, float]:
    return {kind: float(mis.delta_from_dp(epsilon, bound=kind)) for kind in mis.DP_BOUNDS}


@lru_cache(maxsize=4)
def _bound_curve(kind: str) -> Any:
    return np.minimum(mis.delta_from_dp(_EPSILONS, bound=kind), 2.0)


@declared
def dp_security(
    epsilon: Annotated[float, Stops(_AT, label="epsilon")] = 1.0,
    n: Annotated[int, Count(_RECORDS, label="Records, n")] = 10,
    p: Annotated[float, Stops([0.05, 0.2, 0.5], label="Chance of a 1")] = 0.5,
) -> go.Figure:
    """Draw four bounds on Delta, and the exact Delta of a count with geometric noise.

    Notes
    -----
    Limits paper, Remark 8 and equation (53); tanh(eps/4) is new in this book.

    Examples
    --------
    >>> "0.1 (exact)" in dp_security().layout.meta["sentence"]
    True
    """
    exact, values = _count(n, p, epsilon), _bounds_at(epsilon)
    sharp = values["sharp"]
    rings = looks.MIS.with_symbol("circle-open")
    below: Trace = {"showlegend": False, **LOWER}
    vacuous = ", which says nothing" if values["published"] >= 1 else ""
    return finish(
        [
            *(
                curve(name, _EPSILONS, _bound_curve(kind), look, marked=marked)
                for kind, name, look, marked in _BOUNDS
            ),
            curve("noisy count (exact)", _EPSILONS, _against_epsilon(n, p), rings, marked=True),
            reading([epsilon, epsilon], [sharp, exact], "at your epsilon"),
            curve("bound, any n", _SIZES, np.full(_SIZES.size, sharp), looks.DP.bound(), **below),
            curve("noisy count", _SIZES, _against_size(p, epsilon), looks.MIS, **below),
            reading(n, exact, "at your n", **LOWER),
        ],
        sentence=(
            f"{say(epsilon)}-DP keeps Delta below {say(values['published'])} by the published "
            f"bound{vacuous}, below {say(values['two-sided'])} by tanh(eps/2) and below "
            f"{say(sharp)} by tanh(eps/4), which some learner attains (bound). "
            f"The noisy count of n = {n:,} records has {say(exact)} (exact), so security "
            f"{say(1 - exact)} where DP promises {say(1 - sharp)}."
        ),
        alt=(
            f"Above, Delta against epsilon from 0 to 4: a dashed curve with crosses, a "
            f"dash-dotted, a dotted and a plainly dashed one, each below the one before, and a "
            f"line with rings far below; at {say(epsilon)} the lowest of the four is at "
            f"{say(sharp)}, the rings at {say(exact)}. Below, on logarithmic axes against n, a "
            f"level line at {say(sharp)} and a falling one through {say(exact)} at n = {n}."
        ),
        layout={
            "xaxis": axis("epsilon", range=[0, 4]),
            "yaxis": axis("Delta", range=[0, 1.05]),
            "xaxis2": axis("records, n", log=True, range=[-0.05, 3.35]),
            "yaxis2": axis("Delta", log=True, range=[-4.2, 0.1]),
            "rows": (0.58, 0.2),
            "height": 600,
        },
    )
