"""How much security the choice of the test mix buys: the sharp bound against nu."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.explore import Count, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import say

__all__ = ["dp_weights"]

_NU = np.linspace(0.05, 0.95, 91)
_STOPS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]


@lru_cache(maxsize=64)
def _count_curve(n: int, epsilon: float) -> Any:
    return 1 - np.asarray(mis.geometric_count_delta(n, 0.5, epsilon, _NU))


@lru_cache(maxsize=1024)
def _count(n: int, epsilon: float, nu: float) -> float:
    return 1 - float(mis.geometric_count_delta(n, 0.5, epsilon, nu))


@lru_cache(maxsize=64)
def _promise_curve(epsilon: float) -> Any:
    return mis.security_from_dp(epsilon, nu=_NU)


def _sentence(epsilon: float, n: int, nu: float, exact: float, balanced: float) -> str:
    promised = float(mis.security_from_dp(epsilon, nu=nu))
    if promised > 1 - 1e-12:
        return (
            f"With {say(100 * nu)}% fresh test points, MIS is 1 for every {say(epsilon)}-DP "
            f"learner (bound): no attack beats a constant answer. The same noisy count has "
            f"{say(balanced)} when half the points are fresh (exact)."
        )
    return (
        f"With {say(100 * nu)}% fresh test points, {say(epsilon)}-DP promises a security of "
        f"{say(promised)} (bound). The noisy count of n = {n:,} records has "
        f"{say(exact) if exact < 1 - 1e-12 else '1'} (exact), and {say(balanced)} when half "
        f"the points are fresh (exact)."
    )


@declared
def dp_weights(
    epsilon: Annotated[float, Stops([0.1, 0.5, 1.0, 2.0, 4.0], label="epsilon")] = 1.0,
    n: Annotated[int, Count([1, 10, 100], label="Records, n")] = 10,
    nu: Annotated[float, Stops(_STOPS, label="nu, fresh points")] = 0.4,
) -> go.Figure:
    """Draw the least security against the share of fresh test points.

    Notes
    -----
    Limits paper, Remark 8; the bound is new in this book.  ``lam`` is one half.

    Examples
    --------
    >>> "MIS is 1" in dp_weights(nu=0.9).layout.meta["sentence"]
    True
    """
    bound = 1 - float(mis.delta_from_dp(epsilon, nu=nu))
    exact, balanced = _count(n, epsilon, nu), _count(n, epsilon, 0.5)
    # Beyond these shares DP alone leaves nothing to gain.
    edge = 1 / (1 + math.exp(epsilon))
    edges = [edge, edge, None, 1 - edge, 1 - edge], [0.0, 1.0, None, 0.0, 1.0]
    return finish(
        [
            curve("noisy count (exact)", _NU, _count_curve(n, epsilon), looks.MIS),
            curve("any DP learner (bound)", _NU, _promise_curve(epsilon), looks.DP.bound()),
            curve("beyond: always 1", *edges, looks.DP),
            reading([nu, nu], [exact, bound], "at your nu"),
        ],
        sentence=_sentence(epsilon, n, nu, exact, balanced),
        alt=(
            f"Security against nu from 0.05 to 0.95. A dashed and a solid curve, both lowest at "
            f"one half, where they are {say(float(mis.security_from_dp(epsilon)))} and "
            f"{say(balanced)}; both reach 1 towards the sides. Dotted upright lines at "
            f"{say(edge)} and {say(1 - edge)}. Diamonds at nu = {say(nu)}."
        ),
        layout={
            "xaxis": axis("nu, share of fresh points", range=[0, 1]),
            "yaxis": axis("security", range=[0, 1.05]),
            "height": 420,
        },
    )
