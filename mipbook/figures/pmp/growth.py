"""What happens to eps~ when the pool grows from 4 to 1,000 records."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

import plotly.graph_objects as go

from mipbook.base.types import Array
from mipbook.explore import Choice, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import Trace, curve, level, points, reading
from mipbook.figures.words import say
from mipbook.runs.pmp_pools import POOLS, SIZES, growth

__all__ = ["pmp_growth"]


def _halves(n: int) -> str:
    """Write how many halves a pool of 2n records has."""
    if n < 400:
        return say(math.exp(math.lgamma(2 * n + 1) - 2 * math.lgamma(n + 1)))
    return f"more than 10^{int((2 * n) * math.log10(2) - 2)}"


def _marks(values: Array, low: Array, high: Array) -> list[Trace]:
    """Return eps~ at each size, exact and estimated, the latter with its interval."""
    exact = low == high
    # One pool for each n, so marks next to each other are not joined.
    traces = []
    for name, part, symbol in (
        ("eps~ (exact)", exact, "circle"),
        ("eps~ (estimate)", ~exact, "circle-open"),
    ):
        bars = {
            "type": "data",
            "symmetric": False,
            "array": (high - values)[part],
            "arrayminus": (values - low)[part],
            "color": looks.PMP.colour,
            "visible": name != "eps~ (exact)",
        }
        sizes = [size for size, kept in zip(SIZES, part, strict=True) if kept]
        look = looks.PMP.with_symbol(symbol)
        traces.append(points(name, sizes, values[part], look, size=9, error_y=bars))
    return traces


@declared
def pmp_growth(
    pool: Annotated[str, Choice(tuple(POOLS), label="Pool")] = "one dimension",
    n: Annotated[int, Choice(SIZES, label="Records drawn, n")] = 6,
) -> go.Figure:
    """Draw eps~ against n, exact as far as it goes, then estimated, with its band.

    The pools are those of Figures 1, 2 and 3 of the paper; its eps(X) is 5, 10 and 2.

    References
    ----------
    PMP paper, Proposition 9 and the remark after Figure 2 that larger n should help.

    Examples
    --------
    >>> "exact" in pmp_growth("one dimension", 6).layout.meta["sentence"]
    True
    """
    values, low, high, caps, odds = growth(pool).T
    held = POOLS[pool]["held"]
    published = replace(looks.PUBLISHED, dash="longdash", width=1.5)
    exact = low == high
    at = SIZES.index(n)
    value = f"{say(values[at])} (exact)"
    if not exact[at]:
        ends = f"95% band {say(low[at])} to {say(high[at])}"
        value = f"{say(values[at])} (estimate, {ends})"
    return finish(
        [
            *_marks(values, low, high),
            curve("cap (bound)", SIZES, caps, looks.PMP.bound()),
            curve("odds alone (approximation)", SIZES, odds, replace(looks.PMP, dash="dashdot")),
            reading([n], [values[at]], "your n", showlegend=True),
            level("the paper's eps(X)", [SIZES[0], SIZES[-1]], held, published),
        ],
        sentence=(
            f"At n = {n} there are {_halves(n)} halves, and eps~ is {value} on the one pool that "
            f"was drawn; no attacker on this pool "
            f"exceeds the cap {say(caps[at])} (bound). The odds of the tilted draw alone give "
            f"{say(odds[at])} (approximation): they depend on the law of the records, and hardly "
            f"on their number."
        ),
        alt=(
            f"eps~ against n from 2 to 500 on a log axis, for {pool}, with the paper's eps(X) "
            f"held at {say(held)}. It goes from {say(values[0])} at n = 2 to {say(values[-1])} "
            f"at n = 500, below a cap between {say(caps.min())} and {say(caps.max())}."
        ),
        layout={
            "xaxis": axis("records drawn, n", log=True),
            "yaxis": axis("epsilon, log scale", log=True, dtick="D2"),
            "height": 460,
        },
    )
