"""Two secure learners that tell who was in a pool."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Count, Part, Slider, declared, layer, stacked
from mipbook import accounting
from mipbook.base.rounding import down, up
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.looks import IN, MIP, MIS, Look
from mipbook.figures.marks import band, curve, level, points, reading
from mipbook.figures.words import percent, say

__all__ = ["half_or_nothing", "secure_sum"]

# Moduli at which the first ten powers of two leave different remainders.
_MODULI = [
    *(11, 13, 19, 23, 25, 29, 37, 41, 43, 47, 53, 61, 67, 71, 79, 83, 97, 101, 121, 149),
    *(173, 197, 227, 269, 317, 373, 443, 523, 619, 733, 859, 1019),
]
_EDGE = "η on the pool of powers of two (exact)"
_MATCHED = range(1, 51)
_BOUND, _UNIFORM = "Δ of any distribution (bound)", "Δ of the uniform one (exact)"
_found = lru_cache(maxsize=256)(accounting.power_sums)


def _edges(n: int) -> Part:
    """Return eta at every modulus."""
    etas = [_found(n, q).eta for q in _MODULI]
    rows = two_rows(0.5, 0.2)
    traces = [
        curve(
            _EDGE,
            _MODULI,
            etas,
            MIP,
            marked=True,
            hovertemplate="the sum modulo %{x} has η = %{y:.3g}<extra></extra>",
        ),
        level("Δ of uniform records (exact)", [10, 1100], 0.0, MIS.bound()),
    ]
    layout = {
        "xaxis": axis("modulus q", log=True, range=[0.98, 3.08]) | rows["xaxis"],
        "yaxis": axis("η and Δ", range=[-0.03, 0.55]) | rows["yaxis"],
        "xaxis2": axis("the sum, over q", range=[-0.02, 1.02]) | rows["xaxis2"],
        "yaxis2": axis("chance that record 1 is in", range=[-0.05, 1.05]) | rows["yaxis2"],
        "height": 440,
    }
    grab = [{"control": "q", "axis": "x", "at": 0.0}]
    meta = {"beside": 0.5, "probe": [_EDGE], "grab": grab, "ghost": [_EDGE]}
    return Part(traces, layout, meta=meta)


def _at(n: int, q: int) -> Part:
    """Return what each sum says of the first record."""
    found = _found(n, q)
    total = found.inside + found.outside
    seen = np.flatnonzero(total)
    chance = found.inside[seen] / total[seen]
    every = "every sum is another one, and names the half" if found.eta == 0.5 else "some sums agree"
    sentence = (
        f"Records drawn evenly from 0 to {q - 1} have Δ = 0 (exact): their sum modulo {q} says "
        f"nothing about any of them. On the pool 1, 2, 4, ... of {2 * n} the same sum has "
        f"η = {say(found.eta)} (exact), since {every}: {percent(0.5 + found.eta)} right."
    )
    certain = percent(float(total[seen][(chance == 0) | (chance == 1)].sum() / total.sum()))
    alt = (
        f"Left, η against the modulus from 11 to 1,019 rises to one half; at {q} it is "
        f"{say(found.eta)}, and Δ lies level at 0. Right, for each sum of {n} records, the chance "
        f"that record 1 is among them: {certain} of the halves lead to a sum that settles it."
    )
    dots = points(
        "each sum that occurs (exact)",
        seen / q,
        chance,
        IN,
        size=6,
        customdata=seen,
        hovertemplate="sum %{customdata}: in with chance %{y:.3g}<extra></extra>",
        **LOWER,
    )
    here = reading(q, found.eta, "at your q")
    headline = f"Δ = 0, and {percent(0.5 + found.eta)} right"
    return Part([here, dots], meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def secure_sum(
    q: Annotated[int, Count(_MODULI, label="Modulus, q", play=True)] = 41,
    n: Annotated[int, Choice([3, 4, 5], label="Records, n")] = 4,
) -> go.Figure:
    """Draw what a sum modulo q tells on a pool of powers of two, though its Delta is 0.

    Notes
    -----
    This book, Theorem 2.7.

    Examples
    --------
    >>> "names the half" in secure_sum(61, 3).layout.meta["sentence"]
    True
    """
    return stacked(layer(_edges, n=n), layer(_at, n=n, q=q))


def _brackets() -> Part:
    """Return the bracket of Delta at every n, and eta."""
    found = [accounting.match_bracket(n) for n in _MATCHED]
    low, high = ([f[i] for f in found] for i in (0, 1))
    sizes = list(_MATCHED)
    traces = [
        band("where the worst distribution lies", sizes, low, high, MIS),
        curve(
            _BOUND, sizes, high, MIS.bound(), hovertemplate="with %{x} records Δ ≤ %{y:.3g}<extra></extra>"
        ),
        curve(_UNIFORM, sizes, low, MIS, hovertemplate="with %{x} records Δ = %{y:.3g}<extra></extra>"),
        level("η on the pool (exact)", [1, 50], 0.5, Look(MIP.colour, "longdash")),
    ]
    layout = {
        "xaxis": axis("records, n", range=[0, 51]),
        "yaxis": axis("η and Δ", log=True, range=[-7.2, 0.4]),
        "height": 400,
    }
    grab = [{"control": "n", "axis": "x", "track": {"x": sizes, "y": high}}]
    return Part(traces, layout, meta={"probe": [_BOUND, _UNIFORM], "grab": grab})


def _matched(n: int) -> Part:
    low, high = accounting.match_bracket(n)
    sentence = (
        f"No distribution has Δ above {say(high, to=up)} (bound), and the uniform one on the pool "
        f"has {say(low, to=down)} (exact). On the pool of {2 * n} the same learner publishes all: "
        "η = 1/2 (exact)."
    )
    alt = (
        "On a logarithmic axis against n from 1 to 50: η is level at one half; below it a band of "
        f"Δ falls steeply, and at n = {n} lies between {say(low)} and {say(high)}."
    )
    here = reading([n, n], [low, high], "at your n")
    meta = {"sentence": sentence, "alt": alt, "headline": f"Δ ≤ {say(high)}, η = 1/2"}
    return Part([here], meta=meta)


@declared
def half_or_nothing(
    n: Annotated[int, Slider(1, 50, 10, step=1, label="Records, n", play=True)] = 10,
) -> go.Figure:
    """Draw Delta and eta of *publish the data if they are half of the pool, else nothing*.

    Notes
    -----
    This book, Proposition 2.8.

    Examples
    --------
    >>> "0.0655" in half_or_nothing(10).layout.meta["sentence"]
    True
    """
    return stacked(layer(_brackets), layer(_matched, n=n))
