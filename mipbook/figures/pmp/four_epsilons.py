"""One mechanism, four epsilons: nominal, true, on the pool, and for the practical attacker."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from mipbook import pmp
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import percent, say

__all__ = ["four_epsilons"]

_SEED = 7
# Above this the exact eps(X) takes seconds, and its bound stands in.
_EXACT_UP_TO = 8
_NAMES = ("nominal", "true", "on X", "practical")


@lru_cache(maxsize=10_000)
def _numbers(
    epsilon: float, clip: float, sigma: float, dimension: int, n: int, outliers: int
) -> tuple[float, float, float, float, float, float]:
    rng = np.random.default_rng(_SEED)
    pool = pmp.draw_pool(n, dimension, 10, sigma, clip, outliers, 100.0, rng)
    sensitivity = pmp.norm_sensitivity(n, clip)
    on_pool = pmp.subset_epsilon if n <= _EXACT_UP_TO else pmp.epsilon_cap
    return (
        epsilon,
        pmp.true_epsilon_bound(pool.objects, n, epsilon, sensitivity),
        on_pool(pool.losses, epsilon, sensitivity),
        pmp.exponential_epsilon(pool.losses, epsilon, sensitivity),
        pmp.surrogate_epsilon(pool.losses, epsilon, sensitivity),
        pmp.exponential_success(pool.losses, epsilon, sensitivity),
    )


def four_epsilons(
    epsilon: float = 10.0,
    clip: float = 50.0,
    sigma: float = 1.0,
    dimension: int = 5,
    n: int = 6,
    outliers: int = 2,
) -> go.Figure:
    """Draw the four epsilons of the exponential mechanism on one pool as bars.

    Parameters
    ----------
    epsilon : float
        Nominal privacy parameter, in [0.1, 1000].
    clip : float
        Clip threshold C, in [1, 1000].
    sigma : float
        Spread of the records, in [0.01, 10].
    dimension : int
        Coordinates d, in [1, 100].
    n : int
        Records drawn, in [2, 12].
    outliers : int
        Records that are scaled by 100, in [0, n].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, the simulations of Figures 1 to 3, taken apart: 10 objects, one fixed draw.

    Examples
    --------
    >>> list(four_epsilons().data[0].y)
    ['practical', 'on X', 'true', 'nominal']
    """
    epsilon = validate.number("epsilon", epsilon, 0.1, 1000.0)
    clip = validate.number("clip", clip, 1.0, 1000.0)
    sigma = validate.number("sigma", sigma, 0.01, 10.0)
    dimension = validate.integer("dimension", dimension, 1, 100)
    n = validate.integer("n", n, 2, 12)
    outliers = validate.integer("outliers", outliers, 0, n)
    *bars, surrogate, success = _numbers(epsilon, clip, sigma, dimension, n, outliers)
    sort = "exact" if n <= _EXACT_UP_TO else "bound"
    kinds = ("exact", "bound", sort, "exact")
    figure = go.Figure()
    figure.add_bar(
        x=bars[::-1],
        y=list(_NAMES[::-1]),
        orientation="h",
        name="epsilon",
        text=[f"{say(v)} ({k})" for v, k in zip(bars[::-1], kinds[::-1], strict=True)],
        textposition="outside",
        textfont={"color": INK},
        cliponaxis=False,
        marker={
            "color": [ORANGE, GREEN, BLUE, GREY],
            "pattern": {"shape": ["", "/", ".", "x"], "fgcolor": INK, "solidity": 0.15},
        },
        showlegend=False,
    )
    figure.add_scatter(
        x=[surrogate],
        y=["on X"],
        mode="markers",
        name="the paper's eps(X) (bound)",
        marker={"color": INK, "size": 13, "symbol": "diamond-open", "line": {"width": 2}},
    )
    nominal, true, on_pool, practical = bars
    return finish(
        figure,
        sentence=(
            f"The mechanism that is called {say(nominal)}-DP is at most {say(true)}-DP on any "
            f"data (bound), {say(on_pool)}-DP on halves of this pool ({sort}), and "
            f"{say(practical)}-PMP (exact). So of the factor {say(nominal / practical)} from "
            f"first to last, {say(nominal / on_pool)} is a loose bound or harmless data, and "
            f"only {say(on_pool / practical)} is the attacker's uncertainty. The best practical "
            f"attack is right {percent(success)} of the time (exact)."
        ),
        alt=(
            f"Four horizontal bars on a log scale. Nominal {say(nominal)}, true at most "
            f"{say(true)}, on the pool {say(on_pool)}, practical {say(practical)}. A diamond at "
            f"{say(surrogate)} marks the paper's surrogate for the third."
        ),
        layout={
            "xaxis": axis("epsilon, log scale", log=True, range=[-2.6, 4.4]),
            "yaxis": axis("", type="category"),
            "height": 380,
        },
    )
