"""Means of clipped, noisy gradients as they come out, beside the truth."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Part, Stops, declared, layer, stacked
from mipbook import dpsgd
from mipbook.base.types import Array
from mipbook.dpsgd.clipping import drawn_error, pareto_mean
from mipbook.figures.frame import axis
from mipbook.figures.looks import BEST, LEVEL, READING
from mipbook.figures.marks import bars, level, points
from mipbook.figures.together.clip_and_noise.balance import ALPHA
from mipbook.figures.words import say

__all__ = ["clipped_means"]

_N, _RUNS, _SEED = 100, 5000, 17
_CLIPS = [float(f"{c:.3g}") for c in np.geomspace(2.0, 32.0, 25)]
_EDGES = np.linspace(0.0, 3.5, 71)
_TRUTH = pareto_mean(ALPHA)


@lru_cache(maxsize=1)
def _gradients() -> tuple[Array, Array]:
    rng = np.random.default_rng(_SEED)
    return rng.pareto(ALPHA, (_RUNS, _N)) + 1.0, rng.standard_normal(_RUNS)


@lru_cache(maxsize=64)
def _means(clip: float) -> Array:
    return np.asarray(np.minimum(_gradients()[0], clip).mean(axis=1))


def _frame() -> Part:
    layout = {
        "xaxis": axis("the step's mean gradient, clipped and noisy", range=[0.0, 3.5]),
        "yaxis": axis("of 5,000 steps", range=[0, 3000]),
        "height": 400,
        "bargap": 0.05,
    }
    line = level("the true mean, 1.67", _TRUTH, [0.0, 2900.0], LEVEL)
    return Part([line], layout)


def _drawn(clip: float, sigma: float) -> Part:
    means = _means(clip) + sigma * clip / _N * _gradients()[1]
    counts = np.histogram(np.clip(means, _EDGES[0], _EDGES[-1]), _EDGES)[0]
    square = drawn_error(means, _TRUTH)
    off, low, high = (say(each**0.5) for each in (square.value, square.low, square.high))
    exact = dpsgd.pareto_clip_error(clip, _N, sigma, ALPHA)
    best = dpsgd.best_pareto_clip(_N, sigma, ALPHA)
    drawn = bars("steps drawn (simulation)", (_EDGES[:-1] + _EDGES[1:]) / 2, counts, BEST)
    drawn["hovertemplate"] = "around %{x:.2f}: %{y} steps<extra></extra>"
    drawn["width"] = float(_EDGES[1])
    middle = _TRUTH + exact.bias
    mark = points("where clipping moves it (exact)", middle, 0.0, READING, size=13)
    sentence = (
        f"Clipped at {say(clip)}, the means of {_N} gradients centre on {say(middle)} instead of "
        f"{say(_TRUTH)} (exact). Their error is {off} (estimate, "
        f"{low} to {high} at 95%), by the formula {say(exact.rmse)} (exact); the best "
        f"clip is {say(best)} (exact)."
    )
    side = "left of" if exact.bias < -0.05 else "around"
    alt = (
        f"A histogram of 5,000 noisy means stands {side} the line of the true mean, "
        f"{say(_TRUTH)}; clipped at {say(clip)} with noise of {say(sigma)} clips it is "
        f"{say(float(means.std()))} wide."
    )
    return Part(
        [drawn, mark], meta={"sentence": sentence, "alt": alt, "headline": f"off by {say(exact.rmse)}"}
    )


@declared
def clipped_means(
    clip: Annotated[float, Stops(_CLIPS, label="Clip, C", play=True)] = 2.83,
    sigma: Annotated[float, Choice([0.5, 1.0, 2.0, 4.0], label="Noise, σ")] = 1.0,
) -> go.Figure:
    """Draw noisy means of a hundred clipped gradients, beside the mean that was asked for.

    Notes
    -----
    This book, Proposition 4.4: a simulation beside the formula.

    Examples
    --------
    >>> clipped_means(3.0, 1.0).layout.meta["headline"]
    'off by 0.144'
    """
    return stacked(layer(_frame), layer(_drawn, clip=clip, sigma=sigma))
