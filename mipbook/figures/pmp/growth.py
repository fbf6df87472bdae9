"""What happens to eps~ when the pool grows from 4 to 1,000 records."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from mipbook import pmp
from mipbook.base import validate
from mipbook.base.estimate import Estimate
from mipbook.base.palette import BLUE, GREY, INK, ORANGE, PURPLE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say

__all__ = ["POOLS", "SIZES", "pmp_growth"]

_SEED = 11
SIZES = (2, 3, 4, 6, 8, 10, 12, 25, 50, 100, 200, 500)
# dimension, objects, clip, outliers, the paper's eps(X)
_SETTINGS = {
    "one dimension": (1, 10, 10.0, 0, 5.0),
    "outliers": (5, 32, 50.0, 2, 10.0),
    "five dimensions": (5, 10, 10.0, 0, 2.0),
}
POOLS = tuple(_SETTINGS)
_EXACT_UP_TO = 12


@lru_cache(maxsize=500)
def _at(pool: str, n: int) -> tuple[Estimate, float, float]:
    """Return eps~, its cap and what the odds alone say, at one size."""
    dimension, objects, clip, outliers, held = _SETTINGS[pool]
    rng = np.random.default_rng((_SEED, n))
    drawn = pmp.draw_pool(n, dimension, objects, 1.0, clip, outliers, 100.0, rng)
    sensitivity = pmp.norm_sensitivity(n, clip)
    epsilon = held * sensitivity / pmp.local_sensitivity(drawn.losses)
    if n <= _EXACT_UP_TO or dimension == 1:
        value = pmp.exponential_epsilon(drawn.losses, epsilon, sensitivity)
        found = Estimate(value, value, value)
    else:
        # A wide average needs more draws; small pools are cheap.
        found = pmp.exponential_epsilon_estimate(
            drawn.losses, epsilon, sensitivity, rng, samples=20_000 if n <= 50 else 4000
        )
    return (
        found,
        pmp.epsilon_cap(drawn.losses, epsilon, sensitivity),
        pmp.exponential_epsilon_odds(drawn.losses, epsilon, sensitivity),
    )


def pmp_growth(pool: str = "one dimension", n: int = 6) -> go.Figure:
    """Draw eps~ against n, exact as far as it goes, then estimated, with its band.

    Parameters
    ----------
    pool : {"one dimension", "outliers", "five dimensions"}
        The settings of Figures 1, 2 and 3 of the paper; eps(X) is 5, 10 and 2.
    n : int
        Where to read the curve, in [2, 500].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Proposition 9 and the remark after Figure 2 that larger n should help.

    Examples
    --------
    >>> "exact" in pmp_growth("one dimension", 6).layout.meta["sentence"]
    True
    """
    pool = validate.choice("pool", pool, POOLS)
    n = validate.integer("n", n, 2, 500)
    sizes = sorted({*SIZES, n})
    found = [_at(pool, size) for size in sizes]
    held = _SETTINGS[pool][4]
    figure = go.Figure()
    low = [f[0].low for f in found]
    high = [f[0].high for f in found]
    exact = np.array([f[0].kind == "exact" for f in found])
    values = np.array([f[0].value for f in found])
    # One pool for each n, so marks next to each other are not joined.
    for name, part, symbol in (
        ("eps~ (exact)", exact, "circle"),
        ("eps~ (estimate)", ~exact, "circle-open"),
    ):
        figure.add_scatter(
            x=[s for s, p in zip(sizes, part, strict=True) if p],
            y=values[part],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": (np.array(high) - values)[part],
                "arrayminus": (values - np.array(low))[part],
                "color": ORANGE,
                "visible": name != "eps~ (exact)",
            },
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 9, "color": ORANGE},
        )
    for name, place, colour, dash in (
        ("cap (bound)", 1, GREY, "dash"),
        ("odds alone (approximation)", 2, PURPLE, "dashdot"),
    ):
        figure.add_scatter(
            x=sizes,
            y=[f[place] for f in found],
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 2},
        )
    here, cap, odds = found[sizes.index(n)]
    figure.add_scatter(
        x=[n],
        y=[here.value],
        mode="markers",
        name="your n",
        marker={"color": INK, "size": 13, "symbol": "diamond-open", "line": {"width": 2.5}},
    )
    figure.add_scatter(
        x=[sizes[0], sizes[-1]],
        y=[held, held],
        mode="lines",
        name="the paper's eps(X)",
        line={"color": BLUE, "dash": "longdash", "width": 1.5},
    )
    told = (
        f"{say(here.value)} (exact)"
        if here.kind == "exact"
        else f"{say(here.value)} (estimate, 95% band {say(here.low)} to {say(here.high)})"
    )
    halves = (
        say(math.exp(math.lgamma(2 * n + 1) - 2 * math.lgamma(n + 1)))
        if n < 400
        else (f"more than 10^{int((2 * n) * math.log10(2) - 2)}")
    )
    return finish(
        figure,
        sentence=(
            f"At n = {n} there are {halves} halves, and eps~ is {told} on the one pool that was "
            f"drawn; no attacker on this pool "
            f"exceeds the cap {say(cap)} (bound). The odds of the tilted draw alone give "
            f"{say(odds)} (approximation): they depend on the law of the records, and hardly on "
            f"their number."
        ),
        alt=(
            f"eps~ against n from 2 to 500 on a log axis, for {pool}, with the paper's eps(X) "
            f"held at {say(held)}. It goes from {say(values[0])} at n = 2 to {say(values[-1])} "
            f"at n = 500, below a cap between {say(min(f[1] for f in found))} and "
            f"{say(max(f[1] for f in found))}."
        ),
        layout={
            "xaxis": axis("records drawn, n", log=True),
            "yaxis": axis("epsilon, log scale", log=True, dtick="D2"),
            "height": 460,
        },
    )
