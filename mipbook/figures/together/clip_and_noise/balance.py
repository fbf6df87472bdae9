"""What clip and noise cost a step, and what the noise buys: two pictures side by side."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Part, Stops, declared, layer, stacked
from mipbook import together
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.looks import BEST, DP, LEVEL, PUBLISHED, READING, SERIES
from mipbook.figures.marks import curve, level, points, reading
from mipbook.figures.words import say
from mipbook.stored.accounting import DELTAS, SIGMAS, SWEPT, cost

__all__ = ["ALPHA", "clip_balance"]

ALPHA = 2.5
_CLIPS = [float(f"{c:.3g}") for c in np.geomspace(1.0, 128.0, 29)]
_NOISES = list(SIGMAS)
_RECORDS = [round(float(f"{n:.2g}")) for n in np.geomspace(1e3, 1e5, 17)]
_BUDGETS = [0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0]
_X = np.geomspace(1.0, 128.0, 43)
_TOTAL = "error in all (exact)"
_COST = "ε that can be promised (bound)"


def _errors(clips: Array | list[float], n: int, sigma: float) -> list[together.ClipError]:
    sampling = float(SWEPT["sampling"])
    return [together.pareto_clip_error(c, int(n), sigma, ALPHA, sampling) for c in clips]


def _axes() -> Part:
    rows = two_rows(0.5, 0.2)
    bias = np.abs([e.bias for e in _errors(_X, 1000, 1.0)])
    layout = {
        "xaxis": axis("clip C", log=True, range=[-0.02, 2.13]) | rows["xaxis"],
        "yaxis": axis("error of a step", log=True, range=[-4.2, 1.5]) | rows["yaxis"],
        "xaxis2": axis("noise σ, in clips", log=True, range=[-0.33, 1.25]) | rows["xaxis2"],
        "yaxis2": axis("ε of the run", log=True, range=[-1.0, 2.0]) | rows["yaxis2"],
        "height": 460,
    }
    drawn = curve("bias (exact)", _X, np.round(bias, 6), PUBLISHED.exact(), hoverinfo="skip")
    return Part([drawn], layout, meta={"beside": 0.5, "ghost": [_TOTAL]})


def _left(n: int, sigma: float) -> Part:
    """Return the error over the clip, its parts, and where it is least."""
    errors = _errors(_X, n, sigma)
    at = [float(f"{e.rmse:.3g}") for e in _errors(_CLIPS, n, sigma)]
    sampling = float(SWEPT["sampling"])
    best = together.best_pareto_clip(int(n), sigma, ALPHA, sampling)
    least = together.pareto_clip_error(best, int(n), sigma, ALPHA, sampling).rmse
    noise = [errors[0].noise, errors[-1].noise]
    ends = [_X[0], _X[-1]]
    spread = [float(f"{e.spread:.3g}") for e in errors]
    total = [float(f"{e.rmse:.3g}") for e in errors]
    hover = "C = %{x:.3g}: off by %{y:.3g}<extra></extra>"
    inside = bool(best >= 1.0)
    traces = [
        curve("noise (exact)", ends, noise, SERIES[2], hoverinfo="skip"),
        curve("the records' spread (exact)", _X, spread, SERIES[3], hoverinfo="skip"),
        curve(_TOTAL, _X, total, BEST, hovertemplate=hover),
        points(
            "the best clip (exact)",
            [best if inside else None],
            [least if inside else None],
            READING.with_symbol("star"),
            size=15,
            hovertemplate="the best clip, %{x:.3g}<extra></extra>",
        ),
    ]
    words = {"best": say(best), "least": say(least)}
    grab = [{"control": "clip", "axis": "x", "track": {"x": _CLIPS, "y": at}}]
    return Part(traces, words=words, meta={"grab": grab, "probe": [_TOTAL]})


def _clipped(clip: float, n: int, sigma: float) -> Part:
    found = _errors([clip], n, sigma)[0]
    words = {
        "error": say(found.rmse),
        "bias": say(abs(found.bias)),
        "spread": say(found.spread),
        "noise": say(found.noise),
        "clip": say(clip),
    }
    return Part([reading(clip, found.rmse, "at your clip")], words=words)


@lru_cache(maxsize=1)
def _told() -> Array:
    return cost()


def _right(delta: float) -> Part:
    """Return epsilon over the noise at a delta."""
    sides = _told()[:, DELTAS.index(delta)]
    hover = "σ = %{x}: ε = %{y:.3g}<extra></extra>"
    drawn = curve(_COST, list(SIGMAS), np.ceil(1e4 * sides[:, 1]) / 1e4, DP.bound(), **LOWER)
    drawn["hovertemplate"] = hover
    at = [float(f"{sides[SIGMAS.index(s), 1]:.4g}") for s in _NOISES]
    grab = [{"control": "sigma", "axis": "x2", "track": {"x": _NOISES, "y": at}}]
    return Part([drawn], words={"delta": say(delta)}, meta={"grab": grab, "probe": [_COST]})


def _paid(sigma: float, delta: float) -> Part:
    low, high = _told()[SIGMAS.index(sigma), DELTAS.index(delta)]
    mark = reading(sigma, high, "at your noise", **LOWER)
    return Part([mark], words={"low": say(low, to=down), "high": say(high, to=up), "sigma": say(sigma)})


def _budget(epsilon: float, delta: float) -> Part:
    """Return the budget's level, and the least noise of those tried that keeps it."""
    high = _told()[:, DELTAS.index(delta), 1]
    kept = np.flatnonzero(high <= epsilon)
    needs = (
        f"of the noises tried, {say(SIGMAS[kept[0]])} clips is the least that keeps it"
        if kept.size
        else "none of the noises tried keeps it"
    )
    line = level("your budget", [0.47, 17.5], epsilon, LEVEL, **LOWER)
    handle = points("your budget, to drag", 0.52, epsilon, LEVEL.with_symbol("square"), size=12, **LOWER)
    handle |= {"showlegend": False}
    grab = [{"control": "epsilon", "axis": "y2", "at": 0.52}]
    words = {"budget": say(epsilon), "needs": needs}
    return Part([line, handle], words=words, meta={"grab": grab})


def _words() -> Part:
    sentence = (
        "At clip {clip} a step's mean gradient is off by {error}: bias {bias}, records {spread}, "
        "noise {noise} (all exact). The best clip, {best}, would leave {least} (exact). "
        "Whatever the clip, ε of the whole run at δ = {delta} lies between {low} and {high} "
        "(bounds). For a budget of ε = {budget}, {needs}."
    )
    alt = (
        "Left, the error of a step over the clip, both logarithmic: bias falls, noise rises, and "
        "their sum is least at {best}; yours is {error} at {clip}. Right, ε of the run falls with "
        "the noise; at σ = {sigma} it is at most {high}, and a level marks the budget of {budget}."
    )
    headline = "off by {error}; ε ≤ {high}"
    return Part(meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def clip_balance(
    clip: Annotated[float, Stops(_CLIPS, label="Clip, C", play=True)] = 32.0,
    sigma: Annotated[float, Stops(_NOISES, label="Noise, σ")] = 2.0,
    n: Annotated[int, Stops(_RECORDS, label="Records, n")] = 10_000,
    delta: Annotated[float, Stops(list(DELTAS), label="δ")] = 1e-5,
    epsilon: Annotated[float, Stops(_BUDGETS, label="Budget, ε")] = 3.0,
) -> go.Figure:
    """Draw the error of a step as the clip moves, beside what the run's noise promises.

    Gradients with a heavy tail, of which one in ten is drawn for each of 100 steps.

    Notes
    -----
    This book, Theorem 4.5; the accountant's numbers are stored.

    Examples
    --------
    >>> clip_balance(16.0, 2.0, 10_000, 1e-5, 3.0).layout.meta["headline"]
    'off by 0.0697; ε ≤ 2.34'
    """
    return stacked(
        layer(_axes),
        layer(_left, n=n, sigma=sigma),
        layer(_clipped, clip=clip, n=n, sigma=sigma),
        layer(_right, delta=delta),
        layer(_paid, sigma=sigma, delta=delta),
        layer(_budget, epsilon=epsilon, delta=delta),
        layer(_words),
    )
