"""How many queries can be answered: epsilon for fixed noise, and for noise that keeps pace."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Count, LogSlider, Part, declared, layer, stacked
from mipbook import game, tradeoff
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import BEST, DP
from mipbook.figures.marks import curve, level, reading
from mipbook.figures.words import say

__all__ = ["tracing_law"]

_QUERIES = np.unique(np.round(np.geomspace(1, 100_000, 101)).astype(int))
_DELTA = 1e-5
_BUDGETS = LogSlider(0.1, 100, 1.0, points=31, label="Budget, ε", play=True)
_FIXED = "fixed noise: the mechanism's ε (exact)"
_PROVEN = "fixed noise: what the attack proves (bound)"
_SPOKEN: dict[str, Any] = {"hovertemplate": "%{x:,.0f} queries: ε = %{y:.3g}<extra></extra>"}


@lru_cache(maxsize=128)
def _fixed(precision: float) -> tuple[Array, Array]:
    """Return the mechanism's epsilon at each number of queries, and what the attack proves.

    The attack feels ``sqrt(k) / precision``, where the precision is n sigma.
    """
    signals = np.sqrt(_QUERIES) / precision
    own = np.asarray(tradeoff.gaussian_epsilon(_DELTA, 1.0, signals))
    return own, np.array([_proven(float(r)) for r in signals])


def _proven(signal: float) -> float:
    """Return what the attack proves at its threshold, the statistic's mean with the target."""
    attack = game.TracingAttack(1, 1, 1 / signal)
    return float(attack.certified_epsilon(attack.shift, _DELTA))


@lru_cache(maxsize=128)
def _factor(epsilon: float) -> float:
    """Return the noise, in units of the sensitivity, that spends just this epsilon."""
    return float(tradeoff.gaussian_sigma(epsilon, _DELTA))


def _frame() -> Part:
    layout = {
        "xaxis": axis("counting queries, k", log=True, range=[0, 5]),
        "yaxis": axis("ε", log=True, range=[-2, 4]),
        "height": 420,
    }
    grab = [{"control": "epsilon", "axis": "y"}]
    return Part(layout=layout, meta={"probe": [_FIXED, _PROVEN], "grab": grab})


def _rising(n: int, sigma: float) -> Part:
    own, proven = _fixed(round(n * sigma, 9))
    look = BEST.bound().with_symbol("circle-open")
    traces = [
        curve(_FIXED, _QUERIES, own, BEST, **_SPOKEN),
        curve(_PROVEN, _QUERIES, proven, look, **_SPOKEN),
    ]
    return Part(traces, words={"sigma": say(sigma), "last": say(float(own[-1]))})


def _budget(epsilon: float) -> Part:
    """Return the two level lines of noise that spends the budget at every number of queries."""
    factor = _factor(epsilon)
    proven = _proven(1 / factor)
    ends = [1, 100_000]
    traces = [
        level("noise that keeps pace: its ε, your budget (exact)", ends, epsilon, DP),
        level("noise that keeps pace: what the attack proves (bound)", ends, proven, DP.bound()),
    ]
    words = {"epsilon": say(epsilon), "factor": say(factor), "proven": say(proven)}
    return Part(traces, words=words)


def _answered(n: int, sigma: float, epsilon: float) -> Part:
    """Return how many queries the budget pays for with this noise."""
    k = int((n * sigma / _factor(epsilon)) ** 2)
    shown = np.array([k] if 1 <= k <= _QUERIES[-1] else [])
    told = f"{k:,}" if k < 10**6 else say(float(k))
    queries = "1 query" if k == 1 else f"{told} queries"
    sentence = (
        f"With σ = {{sigma}} fixed, ε = {{epsilon}} pays for {queries} (exact; δ = {say(_DELTA)}, "
        f"one of {n:,} records replaced). Noise of {{factor}} √k / n stays at that ε for every k; "
        "the attack proves only {proven} (bound)."
    )
    alt = (
        f"ε against the number of queries k on logarithmic axes, for n = {n}. Two curves rise for "
        "noise fixed at {sigma}: the mechanism's ε, {last} at the right end, and below it what the "
        "attack proves. Two level lines for noise that grows like the square root of k stand at "
        f"{{epsilon}} and {{proven}}; the first is met at k = {told}."
    )
    marks = [reading(shown, np.full(shown.shape, epsilon), "where the budget is spent", **_SPOKEN)]
    meta = {"sentence": sentence, "alt": alt, "headline": f"{queries} answered"}
    return Part(marks, meta=meta)


@declared
def tracing_law(
    epsilon: Annotated[float, _BUDGETS] = 1.0,
    sigma: Annotated[float, LogSlider(0.001, 1, 0.1, points=31, label="Fixed noise, σ", play=True)] = 0.1,
    n: Annotated[int, Count([10, 100, 1000, 10_000], label="Records, n")] = 100,
) -> go.Figure:
    """Draw epsilon against the number of queries, for fixed noise and for noise that keeps pace.

    Notes
    -----
    Lecture notes, Theorem 2, for a record replaced and delta = 1e-5.  The growing noise is the
    least that keeps the budget, a constant times ``sqrt(k) / n``.

    Examples
    --------
    >>> len(tracing_law().data)
    5
    """
    return stacked(
        layer(_frame),
        layer(_rising, n=n, sigma=sigma),
        layer(_budget, epsilon=epsilon),
        layer(_answered, n=n, sigma=sigma, epsilon=epsilon),
    )
