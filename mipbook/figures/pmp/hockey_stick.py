"""The two distributions of a noisy sum, the hockey-stick between them, and the ladder of bounds."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.palette import fill
from explorable.panels import Choice, Part, Slider, declared, layer, stacked
from mipbook import pmp
from mipbook.base.rounding import up
from mipbook.base.types import Array
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.marks import Trace, curve
from mipbook.figures.words import say
from mipbook.stored.pmp import AREAS, DRAWN, NOISES, PLACES, Rungs, ladder, ladder_pool

__all__ = ["hockey_stick"]

# Outputs in units of the spread of the release without the record, around its mean.
_AT = np.linspace(-4, 8, 49)
_TOP = 0.9
# The rungs of the ladder: who knows everything inside X, then ever closer to the truth.
_RUNGS = {
    "inside X": looks.DP.with_symbol("diamond"),
    "Prop. 12": looks.PMP.with_symbol("square"),
    "mixed": looks.PMP.with_symbol("triangle-up"),
    "exact": looks.PMP.with_symbol("circle"),
    "normal": looks.PMP.with_symbol("x"),
}
_LADDER = tuple(_RUNGS)
_KINDS = ("exact", "bound", "estimate", "exact", "approximation")
_RAISED = replace(looks.LEVEL, dash="dot", width=2.5)
# The axis of the ladder, in powers of ten; what is smaller stands at its left end.
_LEFT, _RIGHT = -2, 4
_SMOOTH = {"shape": "spline", "smoothing": 0.8}


@lru_cache(maxsize=512)
def _laws(n: int, noise: float, place: float) -> tuple[Array, Array]:
    """Return the density of the release with the record in and out, at ``_AT``."""
    spread = math.sqrt(noise**2 + n / 2)
    values = ladder_pool(n, place)
    at = n * values[1:].mean() + spread * _AT
    inside, outside = pmp.gaussian_densities(values, noise, 0, at)
    return spread * inside, spread * outside


def _coarse(heights: Array) -> Array:
    """Round what is drawn to the eleven bits of a half float, for the page's weight."""
    return np.asarray(heights, dtype=np.float16).astype(float)


def _smooth(name: str, y: Array, look: looks.Look, **more: Any) -> Trace:
    trace = curve(name, _AT, _coarse(y), look, **more)
    return {**trace, "line": {**trace["line"], **_SMOOTH}}


def _frame() -> Part:
    sentence = (
        "The shaded area is δ {area} at ε = {epsilon} (exact). For δ = 0.01 Proposition 12 "
        "certifies ε̃ ≤ {bound} for this record (bound){against}. Who knows all others faces "
        "{inside} (exact)."
    )
    alt = (
        "Left, the density of the noisy sum of {n} of {pool} records with the record in (solid) "
        "and out (dashed), and the shaded part, delta {area}, above e^eps times the second. "
        "Right, five marks on a log scale of epsilon: {marks}."
    )
    rows = two_rows(0.56, 0.17)
    layout = {
        "xaxis": axis("what is released", range=[-4, 8]) | rows["xaxis"],
        "yaxis": axis("density", range=[0, _TOP]) | rows["yaxis"],
        "xaxis2": axis("ε at δ = 0.01", log=True, dtick=2, range=[_LEFT, _RIGHT]) | rows["xaxis2"],
        "yaxis2": axis("", type="category", autorange="reversed") | rows["yaxis2"],
        "height": 440,
    }
    return Part(layout=layout, meta={"sentence": sentence, "alt": alt, "beside": 0.56})


def _densities(n: int, noise: float, place: float) -> Part:
    """Return the two distributions, and the track of the first one's top."""
    inside, outside = _laws(n, noise, place)
    traces = [
        _smooth("record out", outside, looks.OUT, hoverinfo="skip"),
        _smooth("record in", inside, looks.IN, hoverinfo="skip"),
    ]
    return Part(traces)


@lru_cache(maxsize=64)
def _tops(n: int, noise: float) -> list[dict[str, object]]:
    """Return where the top of the first distribution is, for each place of the record."""
    laws = [_laws(n, noise, place)[0] for place in PLACES]
    tops = [int(law.argmax()) for law in laws]
    track = {
        "x": [float(_AT[top]) for top in tops],
        "y": [float(min(law[top], _TOP)) for law, top in zip(laws, tops, strict=True)],
    }
    return [{"control": "place", "axis": "x", "track": track}]


def _held(n: int, noise: float) -> Part:
    return Part(meta={"grab": _tops(n, noise)})


def _area(n: int, noise: float, place: float, epsilon: float) -> Part:
    """Return the second distribution raised, and what of the first sticks out above it."""
    inside, outside = _laws(n, noise, place)
    raised = np.minimum(math.exp(epsilon) * outside, 2 * _TOP)
    low = np.minimum(raised, inside)
    filled = {"fill": "tonexty", "fillcolor": fill(looks.PMP.colour), "line": {"width": 0, **_SMOOTH}}
    areas = ladder(n, noise, place).areas
    delta = float(areas[AREAS.index(epsilon)])
    words = {"area": f"= {say(delta)}" if delta >= 1e-12 else "< 10⁻¹²", "epsilon": say(epsilon)}
    traces = [
        {**_smooth("area = δ", low, looks.PMP, hoverinfo="skip"), **filled},
        _smooth("out, raised", raised, _RAISED, hoverinfo="skip"),
    ]
    share = f"= {say(delta, 2)}" if delta >= 1e-4 else "below 10⁻⁴"
    return Part(traces, words=words, meta={"headline": f"δ {share} at ε = {say(epsilon)}"})


def _against(found: Rungs) -> str:
    """Say how far the bound is from the truth."""
    if found.exact == 0:
        return "; exactly, ε̃ = 0 is enough (exact)"
    if found.bound < 1.005 * found.exact:
        return ", which is exact here"
    return f", {say(found.bound / found.exact, 2)} times the exact {say(found.exact)} (exact)"


def _ladder(n: int, noise: float, place: float) -> Part:
    """Return the marks of the ladder; the estimate has its interval."""
    found = ladder(n, noise, place)
    values = (found.inside, found.bound, found.mixed, found.exact, found.normal)
    told = [f"{say(v)} ({k})" for v, k in zip(values, _KINDS, strict=True)]
    high, edge = min(found.high, 10**_RIGHT), 10**_LEFT
    shown = np.clip(values, edge, 10**_RIGHT)
    marks: Trace = {
        "type": "scatter",
        "x": shown,
        "y": list(_LADDER),
        "mode": "markers",
        "marker": {
            "symbol": [look.symbol for look in _RUNGS.values()],
            "color": [look.colour for look in _RUNGS.values()],
            "size": 12,
        },
        "name": "ε at δ = 0.01",
        "customdata": told,
        "hovertemplate": "%{y}: %{customdata}<extra></extra>",
        "showlegend": False,
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [0, 0, max(high - shown[2], 0), 0, 0],
            "arrayminus": [0, 0, max(shown[2] - max(found.low, edge), 0), 0, 0],
            "color": looks.READING.colour,
        },
        **LOWER,
    }
    words = {
        "bound": say(found.bound, to=up),
        "inside": say(found.inside),
        "against": _against(found),
        "n": str(n),
        "pool": str(2 * n),
        "marks": ", ".join(f"{k} {say(v)}" for k, v in zip(_LADDER, values, strict=True)),
    }
    return Part([marks], words=words)


@declared
def hockey_stick(
    place: Annotated[float, Slider(0.0, 6.0, 2.0, step=0.25, label="Place of the record", unit="sd")] = 2.0,
    n: Annotated[int, Choice(DRAWN, label="Records drawn, n")] = 6,
    noise: Annotated[float, Choice(NOISES, label="Noise on the sum, σ")] = 1.0,
    epsilon: Annotated[float, Choice(AREAS, label="ε")] = 0.5,
) -> go.Figure:
    """Draw the release with and without a record, the hockey-stick area, and the bounds.

    The other 2n - 1 records are normal numbers of spread 1; the release is the sum with noise.

    References
    ----------
    PMP paper, Lemma 11 and Proposition 12, for a sum in one dimension.

    Examples
    --------
    >>> "The shaded area is δ = " in hockey_stick().layout.meta["sentence"]
    True
    """
    record = {"n": n, "noise": noise, "place": place}
    return stacked(
        layer(_frame),
        layer(_densities, **record),
        layer(_area, **record, epsilon=epsilon),
        layer(_ladder, **record),
        layer(_held, n=n, noise=noise),
    )
