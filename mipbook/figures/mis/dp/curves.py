"""What differential privacy promises, four times, and what a private count does."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE, PURPLE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import say

__all__ = ["dp_security"]

_EPSILONS = np.linspace(0, 4, 41)
_SIZES = np.array([1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000])
_STYLES = (
    ("published", "e^eps - 1 (bound)", ORANGE, "dot"),
    ("one-sided", "1 - e^-eps (bound)", PURPLE, "dashdot"),
    ("two-sided", "tanh(eps/2) (bound)", GREEN, "dash"),
    ("sharp", "tanh(eps/4) (bound)", BLUE, "solid"),
)


@lru_cache(maxsize=128)
def _against_epsilon(n: int, p: float) -> NDArray[np.float64]:
    return np.array([mis.geometric_count_delta(n, p, float(e)) for e in _EPSILONS])


@lru_cache(maxsize=128)
def _against_size(p: float, epsilon: float) -> NDArray[np.float64]:
    return np.array([mis.geometric_count_delta(int(n), p, epsilon) for n in _SIZES])


def dp_security(epsilon: float = 1.0, n: int = 10, p: float = 0.5) -> go.Figure:
    """Draw four bounds on Delta, and the exact Delta of a count with geometric noise.

    Parameters
    ----------
    epsilon : float
        Where to read the curves, in [0.01, 4].
    n : int
        Records that are counted, in [1, 2000].
    p : float
        The chance that a record is 1, in [0.01, 0.99].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Remark 8 and equation (53); tanh(eps/4) is new in this book.

    Examples
    --------
    >>> "0.1 (exact)" in dp_security().layout.meta["sentence"]
    True
    """
    epsilon = validate.number("epsilon", epsilon, 0.01, 4.0)
    n = validate.integer("n", n, 1, 2000)
    p = validate.number("p", p, 0.01, 0.99)
    exact = mis.geometric_count_delta(n, p, epsilon)
    values = {k: float(np.asarray(mis.delta_from_dp(epsilon, bound=k))) for k in mis.DP_BOUNDS}
    figure = go.Figure()
    for kind, name, colour, dash in _STYLES:
        figure.add_scatter(
            x=_EPSILONS,
            y=np.minimum(np.asarray(mis.delta_from_dp(_EPSILONS, bound=kind)), 2.0),
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
        )
    figure.add_scatter(
        x=_EPSILONS,
        y=_against_epsilon(n, p),
        mode="lines+markers",
        name="noisy count (exact)",
        line={"color": INK, "width": 1.5},
        marker={"color": INK, "symbol": "circle-open", "size": 5},
    )
    figure.add_scatter(
        x=[epsilon, epsilon],
        y=[values["sharp"], exact],
        mode="markers",
        name="at your epsilon",
        marker={"color": INK, "symbol": "diamond", "size": 11},
    )
    for name, y, colour, dash in (
        ("bound, any n", np.full(_SIZES.size, values["sharp"]), BLUE, "solid"),
        ("noisy count", _against_size(p, epsilon), INK, "longdash"),
    ):
        figure.add_scatter(
            x=_SIZES,
            y=y,
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
            showlegend=False,
            **LOWER,
        )
    figure.add_scatter(
        x=[n],
        y=[exact],
        mode="markers",
        name="at your n",
        marker={"color": INK, "symbol": "diamond", "size": 11},
        showlegend=False,
        **LOWER,
    )
    vacuous = ", which says nothing" if values["published"] >= 1 else ""
    return finish(
        figure,
        sentence=(
            f"{say(epsilon)}-DP keeps Delta below {say(values['published'])} by the published "
            f"bound{vacuous}, below {say(values['two-sided'])} by tanh(eps/2) and below "
            f"{say(values['sharp'])} by tanh(eps/4), which some learner attains (bound). "
            f"The noisy count of n = {n:,} records has {say(exact)} (exact), so security "
            f"{say(1 - exact)} where DP promises {say(1 - values['sharp'])}."
        ),
        alt=(
            f"Above, Delta against epsilon from 0 to 4: a dotted, a dash-dotted, a dashed and a "
            f"solid curve, each below the one before, and a line with rings far below; at "
            f"{say(epsilon)} the solid one is at {say(values['sharp'])}, the rings at "
            f"{say(exact)}. Below, on logarithmic axes against n, a level line at "
            f"{say(values['sharp'])} and a falling one through {say(exact)} at n = {n}."
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
