"""What happens to eps~ when the pool grows from 4 to 1,000 records."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, declared
from mipbook.base.rounding import up
from mipbook.base.types import Array
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import Trace, curve, error_bars, level, points
from mipbook.figures.words import say
from mipbook.stored.pmp import POOLS, SIZES, growth

__all__ = ["pmp_growth"]

_EXACT, _ESTIMATE = "ε̃ (exact)", "ε̃ (estimate)"


def _halves(n: int) -> str:
    """Write how many halves a pool of 2n records has."""
    if n < 400:
        return say(math.exp(math.lgamma(2 * n + 1) - 2 * math.lgamma(n + 1)))
    return f"more than {say(float(f'1e{int(2 * n * math.log10(2) - 2)}'))}"


def _told(value: float, low: float, high: float) -> str:
    """Write a value, with its band where it is an estimate."""
    if low == high:
        return f"{say(value)} (exact)"
    return f"{say(value)} (estimate, 95% band {say(low)} to {say(high)})"


def _marks(values: Array, low: Array, high: Array) -> list[Trace]:
    """Return eps~ at each size, exact and estimated, the latter with its interval."""
    sizes, exact = np.array(SIZES), low == high
    # One pool for each n, so marks next to each other are not joined.
    traces = []
    for name, part, symbol in ((_EXACT, exact, "circle"), (_ESTIMATE, ~exact, "circle-open")):
        kept = sizes[part], values[part], low[part], high[part]
        told = [
            f"n = {n}, {_halves(n)} halves: ε̃ = {_told(*ends)}"
            for n, *ends in zip(*(side.tolist() for side in kept), strict=True)
        ]
        bars = error_bars(*kept[1:], color=looks.PMP.colour, visible=name == _ESTIMATE)
        look = looks.PMP.with_symbol(symbol)
        more = {"customdata": told, "hovertemplate": "%{customdata}<extra></extra>"}
        traces.append(points(name, kept[0], kept[1], look, size=9, error_y=bars, **more))
    return traces


@declared
def pmp_growth(pool: Annotated[str, Choice(tuple(POOLS), label="Pool")] = "one dimension") -> go.Figure:
    """Draw eps~ against n, exact as far as it goes, then estimated, with its band.

    The pools are those of Figures 1, 2 and 3 of the paper; its eps(X) is 5, 10 and 2.

    References
    ----------
    PMP paper, Proposition 9 and the remark after Figure 2 that larger n should help.

    Examples
    --------
    >>> "exact" in pmp_growth("one dimension").layout.meta["sentence"]
    True
    """
    values, low, high, caps, odds = growth(pool).T
    held = POOLS[pool]["held"]
    published = replace(looks.PUBLISHED, dash="longdash", width=1.5)
    n, at = SIZES[-1], SIZES.index(6)
    said = "%{y:.3g} at n = %{x}<extra></extra>"
    cap = curve("cap (bound)", SIZES, caps, looks.PMP.bound(), hovertemplate=f"no attacker exceeds {said}")
    alone = curve(
        "odds alone (approximation)",
        SIZES,
        odds,
        replace(looks.PMP, dash="dashdot"),
        hovertemplate=f"the odds alone say {said}",
    )
    return finish(
        [
            *_marks(values, low, high),
            cap,
            alone,
            level("the paper's ε(X)", [SIZES[0], SIZES[-1]], held, published),
        ],
        sentence=(
            f"From n = 6 to {n}, with {_halves(n)} halves, ε̃ goes from {say(values[at])} (exact) "
            f"to {_told(values[-1], low[-1], high[-1])} on one pool each; the cap is "
            f"{say(caps[-1], to=up)} (bound). The odds alone, {say(odds[-1])} (approximation), "
            "hardly depend on n."
        ),
        alt=(
            f"The PMP parameter against n from 2 to 500 on a log axis, for {pool}, with the "
            f"paper's eps(X) held at {say(held)}. It goes from {say(values[0])} at n = 2 to "
            f"{say(values[-1])} at n = 500, below a cap between {say(caps.min())} and "
            f"{say(caps.max())}."
        ),
        layout={
            "xaxis": axis("records drawn, n", log=True, range=[0.2, 2.8]),
            "yaxis": axis("ε̃", log=True, range=[-1.2, 1.2]),
            "height": 440,
        },
        headline=f"ε̃ = {say(values[-1])} with {2 * n:,} records",
        probe=[_EXACT, _ESTIMATE, "cap (bound)", "odds alone (approximation)"],
    )
