"""How much security the choice of the test mix buys: the sharp bound against nu."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say

__all__ = ["dp_weights"]

_NU = np.linspace(0.05, 0.95, 91)


@lru_cache(maxsize=64)
def _count(n: int, epsilon: float) -> NDArray[np.float64]:
    laws = mis.geometric_count_laws(n, 0.5, epsilon)
    every = mis.divergence(laws[:, None, :], laws.mean(axis=0), _NU)
    return np.asarray(np.asarray(every).mean(axis=0))


def dp_weights(epsilon: float = 1.0, n: int = 10, nu: float = 0.4) -> go.Figure:
    """Draw the least security against the share of fresh test points.

    Parameters
    ----------
    epsilon : float
        Privacy parameter in [0.01, 10].
    n : int
        Records of the noisy count, in [1, 2000].
    nu : float
        Where to read the curves, in [0.05, 0.95].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Remark 8; the bound is new in this book.  ``lam`` is one half.

    Examples
    --------
    >>> "MIS is 1" in dp_weights(nu=0.9).layout.meta["sentence"]
    True
    """
    epsilon = validate.number("epsilon", epsilon, 0.01, 10.0)
    n = validate.integer("n", n, 1, 2000)
    nu = validate.number("nu", nu, 0.05, 0.95)
    bound = 1 - float(np.asarray(mis.delta_from_dp(epsilon, nu=nu)))
    exact = 1 - mis.geometric_count_delta(n, 0.5, epsilon, nu)
    balanced = 1 - mis.geometric_count_delta(n, 0.5, epsilon)
    figure = go.Figure()
    edge = 1 / (1 + math.exp(epsilon))
    for name, y, colour, dash in (
        ("noisy count (exact)", 1 - _count(n, epsilon), BLUE, "solid"),
        (
            "any DP learner (bound)",
            np.asarray(mis.security_from_dp(epsilon, nu=_NU)),
            ORANGE,
            "dash",
        ),
    ):
        figure.add_scatter(
            x=_NU, y=y, mode="lines", name=name, line={"color": colour, "dash": dash, "width": 3}
        )
    figure.add_scatter(
        x=[edge, edge, None, 1 - edge, 1 - edge],
        y=[0.0, 1.0, None, 0.0, 1.0],
        mode="lines",
        name="beyond: always 1",
        line={"color": GREEN, "dash": "dot", "width": 2},
    )
    figure.add_scatter(
        x=[nu, nu],
        y=[exact, bound],
        mode="markers",
        name="at your nu",
        marker={"color": INK, "symbol": "diamond", "size": 11},
    )
    if bound > 1 - 1e-12:
        told = (
            f"With {say(100 * nu)}% fresh test points, MIS is 1 for every {say(epsilon)}-DP "
            f"learner (bound): no attack beats a constant answer. The same noisy count has "
            f"{say(balanced)} when half the points are fresh (exact)."
        )
    else:
        told = (
            f"With {say(100 * nu)}% fresh test points, {say(epsilon)}-DP promises a security of "
            f"{say(bound)} (bound). The noisy count of n = {n:,} records has "
            f"{say(exact) if exact < 1 - 1e-12 else '1'} (exact), and {say(balanced)} when half "
            f"the points are fresh (exact)."
        )
    return finish(
        figure,
        sentence=told,
        alt=(
            f"Security against nu from 0.05 to 0.95. A dashed and a solid curve, both lowest at "
            f"one half, where they are {say(float(np.asarray(mis.security_from_dp(epsilon))))} and "
            f"{say(balanced)}; both reach 1 towards the sides. Dotted upright lines at "
            f"{say(edge)} and {say(1 - edge)}. Diamonds at nu = {say(nu)}."
        ),
        layout={
            "xaxis": axis("nu, share of fresh points", range=[0, 1]),
            "yaxis": axis("security", range=[0, 1.05]),
            "height": 420,
        },
    )
