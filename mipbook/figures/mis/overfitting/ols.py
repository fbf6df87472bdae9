"""The exact residuals of least squares, and the double descent of their mean square."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import learners, mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREY, INK, ORANGE, PURPLE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import percent, say

__all__ = ["ols_residuals"]

Array = NDArray[Any]

_N, _SIGNAL, _NOISE = 20, 1.0, 0.5
_REACH, _TOP = 2.5, 2.0
_GRID = np.linspace(-_REACH, _REACH, 100)


@lru_cache(maxsize=128)
def _density(dimension: int, of: str) -> Array:
    law = learners.residual_law(_N, dimension, _SIGNAL, _NOISE, of=of)
    # The law is even.
    half = law.density(_GRID[50:])
    return np.concatenate([half[::-1], half])


def ols_residuals(dimension: int = 10, epsilon: float = 0.01) -> go.Figure:
    """Draw the laws of a member's and a fresh residual of least squares on 20 records.

    Parameters
    ----------
    dimension : int
        Features, in [1, 80]; there are 20 records.
    epsilon : float
        The attack's threshold on the squared residual, in [1e-6, 4].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Example 2, with exact laws that are new here: normal inputs, noise 0.5, a
    signal of variance 1.

    Examples
    --------
    >>> "every training residual is 0" in ols_residuals(30).layout.meta["sentence"]
    True
    """
    dimension = validate.integer("dimension", dimension, 1, 80)
    epsilon = float(f"{validate.number('epsilon', epsilon, 1e-6, 4.0):.12g}")
    laws = {
        of: learners.residual_law(_N, dimension, _SIGNAL, _NOISE, of=of) for of in ("train", "test")
    }
    inside, outside = (float(law.below(epsilon)) for law in laws.values())
    means = [learners.mean_loss(_N, dimension, _SIGNAL, _NOISE, of=of) for of in ("train", "test")]
    figure = go.Figure()
    if dimension < _N:
        x, y = _GRID, np.minimum(_density(dimension, "train"), _TOP)
    else:
        # All mass in one point: a needle.
        x, y = np.zeros(len(_GRID)), np.linspace(0, _TOP, len(_GRID))
    figure.add_scatter(x=x, y=y, mode="lines", name="member", line={"color": BLUE, "width": 3})
    figure.add_scatter(
        x=_GRID,
        y=_density(dimension, "test"),
        mode="lines",
        name="fresh",
        line={"color": ORANGE, "width": 3, "dash": "dash"},
    )
    edge = math.sqrt(epsilon)
    figure.add_scatter(
        x=[-edge, -edge, edge, edge],
        y=[0, _TOP, _TOP, 0],
        mode="lines",
        name="says in",
        line={"color": PURPLE, "width": 2, "dash": "dot"},
    )
    sizes = [d for d in range(1, 81) if abs(d - _N) > 1]
    for name, of, colour, dash in (
        ("member", "train", BLUE, "solid"),
        ("fresh", "test", ORANGE, "dash"),
    ):
        curve = [learners.mean_loss(_N, d, _SIGNAL, _NOISE, of=of) for d in sizes]
        gap = sum(d < _N for d in sizes)
        # At d = n - 1, n, n + 1 the mean of a fresh loss is infinite: the line breaks.
        figure.add_scatter(
            x=[*sizes[:gap], _N, *sizes[gap:]],
            y=[*curve[:gap], None, *curve[gap:]],
            mode="lines",
            name=f"{name}, mean loss",
            showlegend=False,
            line={"color": colour, "width": 2.5, "dash": dash},
            **LOWER,
        )
    figure.add_scatter(
        x=[dimension] * 2,
        y=[0, 3],
        mode="lines",
        name="your d",
        line={"color": INK, "width": 1.5},
        **LOWER,
    )
    figure.add_scatter(
        x=[_N] * 2,
        y=[0, 3],
        mode="lines",
        name="d = n",
        line={"color": GREY, "width": 1.5, "dash": "longdash"},
        **LOWER,
    )
    if dimension < _N:
        limit = float(mis.threshold_advantage(dimension / _N))
        known = (
            f"a squared residual is at most {say(epsilon)} with probability {percent(inside)} for "
            f"a member and {percent(outside)} for a fresh record (exact)"
        )
        reach = (
            f"The best threshold would gain {say(limit)} if n were large (approximation); this "
            f"one gains {say(inside - outside)} (exact)."
        )
    else:
        known = (
            f"every training residual is 0 (exact), and a fresh squared residual is at most "
            f"{say(epsilon)} with probability {percent(outside)} (exact)"
        )
        reach = (
            f"The threshold gains {say(inside - outside)} (exact); a smaller one gains more, and "
            f"in the limit all there is: the security is 0 (exact)."
        )
    middle = "infinite" if math.isinf(means[1]) else say(means[1])
    return finish(
        figure,
        sentence=(
            f"{_N} records, {dimension} feature{'s' if dimension > 1 else ''}: {known}. {reach} "
            f"The mean squared residual is {say(means[0])} for members and {middle} for others "
            f"(exact)."
        ),
        alt=(
            f"Above, two densities of the residual: the member's "
            f"{'is a needle at 0' if dimension >= _N else 'is the narrower one'}, the fresh "
            f"one's is broad; dotted lines at plus and minus {say(edge)}. Below, the mean squared "
            f"residuals against d: the member's falls to 0 at d = {_N}, the other's goes to "
            f"infinity there and comes down again; at d = {dimension} it is {middle}."
        ),
        layout={
            "rows": (0.52, 0.2),
            "xaxis": axis("residual", range=[-_REACH, _REACH]),
            "yaxis": axis("density", range=[0, _TOP]),
            "xaxis2": axis("features, d", range=[0, 81]),
            "yaxis2": axis("mean square", range=[0, 3]),
            "height": 540,
        },
    )
