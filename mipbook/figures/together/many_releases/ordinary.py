"""Noisy means, released again and again: the numbers of three notions grow like a root."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from scipy.special import ndtri

from explorable.panels import Part, Stops, declared, layer, stacked
from mipbook import accounting, mip, tradeoff
from mipbook.base.rounding import up
from mipbook.figures.frame import axis
from mipbook.figures.looks import DP, LEVEL, MIP, MIS
from mipbook.figures.marks import curve, level, reading
from mipbook.figures.words import percent, say

__all__ = ["REPEATED_POOL", "repeated_means"]

_N = 8
_ROOT = replace(LEVEL, dash="dashdot")
REPEATED_POOL = np.exp(ndtri((np.arange(_N) + 0.5) / _N))
_RECORDS = 10
_SIGMAS = [0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.7, 8, 11, 16, 18, 23, 32, 45, 64]
_K = np.array([1, 2, 5, 13, 32, 80, 200, 500, 1300, 3200, 10_000])
_RELEASES = [1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 40, 50, 70, 100, 140, 200, 300, 400, 500, 700]
_RELEASES += [1000, 1400, 2000, 3000, 4000, 5000, 7000, 10_000]


@lru_cache(maxsize=2048)
def _edge(sigma: float, k: int) -> float:
    """Return the best attacker's edge on the largest record."""
    return mip.noisy_mean_accuracy(REPEATED_POOL, _N - 1, sigma / np.sqrt(k)) - 0.5


@lru_cache(maxsize=2048)
def _delta(sigma: float, k: int) -> float:
    return accounting.repeated_mean_delta(_RECORDS, sigma, k)


def _dp(sigma: float, k: np.ndarray) -> np.ndarray:
    """Return half of the advantage that the largest change of the mean allows."""
    change = (REPEATED_POOL.max() - REPEATED_POOL.min()) / (_N / 2)
    return np.asarray(tradeoff.gaussian_advantage(sigma / np.sqrt(k), change)) / 2


def _curves(sigma: float) -> Part:
    names = ("MIP: η of the outlier (exact)", "MIS: Δ of ten normal records (exact)")
    edges = [_edge(sigma, k) for k in _K.tolist()]
    deltas = [_delta(sigma, k) for k in _K.tolist()]
    said = "after %{x} releases: %{y:.3g}<extra></extra>"
    traces = [
        curve("DP's bound on η (bound)", _K, _dp(sigma, _K), DP.bound(), hoverinfo="skip"),
        curve(names[0], _K, edges, MIP, marked=True, hovertemplate=said),
        curve(names[1], _K, deltas, MIS, marked=True, hovertemplate=said),
        level("Δ without noise (exact)", [1, 10_000], accounting.repeated_mean_delta(_RECORDS, 0, 1)),
        curve("the root of k", _K, _edge(sigma, 1) * np.sqrt(_K), _ROOT, hoverinfo="skip"),
    ]
    layout = {
        "xaxis": axis("releases, k", log=True, range=[-0.1, 4.1]),
        "yaxis": axis("η and Δ", log=True, range=[-3, 0]),
        "height": 420,
    }
    heights = np.exp(np.interp(np.log(_RELEASES), np.log(_K), np.log(edges)))
    track = {"x": _RELEASES, "y": np.round(heights, 6)}
    grab = [{"control": "k", "axis": "x", "track": track}]
    meta = {"probe": list(names), "ghost": [names[0]], "grab": grab}
    return Part(traces, layout, meta=meta)


def _at(sigma: float, k: int) -> Part:
    k = int(k)
    edge, delta, bound = _edge(sigma, k), _delta(sigma, k), float(_dp(sigma, np.array(k)))
    once = f"{say(edge / _edge(sigma, 1))} times what one release tells"
    sentence = (
        f"After {k:,} release{'s' * (k > 1)} η = {say(edge, to=up)} (exact), {once}; DP allows "
        f"{say(bound, to=up)} (bound). The mean of ten normal records has Δ = {say(delta, to=up)} "
        "(exact)."
    )
    alt = (
        "Eta and Delta against the number of releases from 1 to 10,000, on logarithmic axes. All "
        f"rise along straight lines of slope one half and then bend: eta, {say(edge, to=up)} at "
        f"{k:,}, below DP's bound {say(bound, to=up)}, towards one half; Delta, "
        f"{say(delta, to=up)}, towards a level line, its value without noise."
    )
    headline = f"right {percent(0.5 + edge, to=up)} of the time"
    marks = [reading([k, k], [edge, delta], "at your k")]
    return Part(marks, meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def repeated_means(
    k: Annotated[int, Stops(_RELEASES, label="Releases, k", play=True)] = 10,
    sigma: Annotated[float, Stops(_SIGMAS, label="Noise of each, σ")] = 18,
) -> go.Figure:
    """Draw eta and Delta of a noisy mean against the number of times that it is released.

    The pool of MIP has eight records, one of them an outlier; the target is the outlier.

    Examples
    --------
    >>> "η = 0.0314" in repeated_means(10, 18).layout.meta["sentence"]
    True
    """
    return stacked(layer(_curves, sigma=sigma), layer(_at, sigma=sigma, k=k))
