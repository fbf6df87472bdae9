"""The ROC plane: what DP allows, what a mechanism allows, and what an attack does."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import LogSlider, Part, Slider, Stops, declared, layer, stacked
from mipbook import game, tradeoff
from mipbook.figures.looks import BEST
from mipbook.figures.marks import curve, reading
from mipbook.figures.roc import SPOKEN, Axes, coin, empirical, grid, rate_axes, region, shown
from mipbook.figures.words import people, say
from mipbook.mechanisms import Gaussian

__all__ = ["roc_plane"]

_GAMES = 20_000
_BEST = "best attack on this noise (exact)"
_FPRS = LogSlider(0.0001, 1, 0.01, points=25, label="Wrong accusations, FPR")


@lru_cache(maxsize=64)
def _attack(sigma: float) -> game.Roc:
    """Play the worst-case game on a noisy sum of numbers in [-1, 1]."""
    mechanism = Gaussian(sigma, query=np.sum)
    data, target = np.array([-1.0]), np.array(1.0)
    attacker = game.LikelihoodRatio(mechanism, *game.neighbouring(data, target))
    rng = np.random.default_rng(30)
    return game.worst_case_game(mechanism, data, target, attacker, _GAMES, rng).roc()


def _frame(axes: str) -> Part:
    """Return the axes, the coin, and what is said around the numbers."""
    sentence = (
        "Who accuses {accused} others finds at best {best} members (exact); the promise allows "
        "{allowed} (bound). {verdict}"
    )
    alt = (
        f"ROC plane with {axes} axes. A shaded region with straight edges shows what "
        "ε = {epsilon} and δ = {delta} allow; a smooth curve shows the best attack on "
        "Gaussian noise of σ = {sigma}, and a stepped one with a band a simulated attack. At "
        "FPR {fpr} the region reaches {top}, the exact curve {curve}, the simulated one {did}."
    )
    layout = {**rate_axes(axes), "height": 440}
    meta = {"sentence": sentence, "headline": "{best} found", "alt": alt, "probe": [_BEST], "ghost": [_BEST]}
    return Part([coin(axes)], layout, meta=meta)


def _promise(epsilon: float, delta: float, axes: str) -> Part:
    words = {"epsilon": say(epsilon), "delta": say(delta)}
    return Part([region(epsilon, delta, axes)], words=words)


def _noise(sigma: float, axes: str) -> Part:
    """Return the best attack's curve, along which the FPR is dragged, and a played one."""
    x, stops = grid(axes), np.array(_FPRS.stops)
    best = shown(tradeoff.gaussian_tpr(x, sigma), axes)
    played = empirical("a simulated attack (estimate, 95% band)", _attack(sigma), axes, 0.95)
    played[0]["showlegend"] = False
    truth = curve(_BEST, x, best, BEST, **SPOKEN)
    track = {"x": stops.tolist(), "y": shown(tradeoff.gaussian_tpr(stops, sigma), axes).tolist()}
    grab = [{"control": "fpr", "axis": "x", "track": track}]
    return Part([truth, *played], words={"sigma": say(sigma)}, meta={"grab": grab})


def _allowed(epsilon: float, delta: float, fpr: float) -> Part:
    """Return what DP allows at the reader's FPR."""
    top = float(tradeoff.dp_tpr(fpr, epsilon, delta))
    words = {"allowed": people(top), "top": say(top)}
    return Part([reading([fpr], [top], "DP at your FPR", **SPOKEN)], words=words)


def _found(sigma: float, fpr: float) -> Part:
    """Return what the best and the simulated attack find at the reader's FPR."""
    best = float(tradeoff.gaussian_tpr(fpr, sigma))
    words = {
        "accused": people(fpr),
        "fpr": say(fpr),
        "best": people(best),
        "curve": say(best),
        "did": say(float(_attack(sigma).tpr_at(fpr))),
    }
    here = reading([fpr], [best], "the best attack at your FPR", **SPOKEN)
    return Part([here], words=words)


@lru_cache(maxsize=2048)
def _spent(epsilon: float, sigma: float) -> float:
    return float(tradeoff.gaussian_delta(epsilon, sigma))


def _kept(epsilon: float, delta: float, sigma: float) -> Part:
    """Say whether the noise keeps the promise."""
    spent = _spent(epsilon, sigma)
    word = "is" if spent <= delta else "is not"
    promise = f"({say(epsilon)}, {say(delta)})-DP"
    verdict = f"The noise {word} {promise}: at that ε it needs δ = {say(spent)} (exact)."
    return Part(words={"verdict": verdict})


@declared
def roc_plane(
    epsilon: Annotated[float, Slider(0, 8, step=0.2, label="Promise, ε")] = 1.0,
    delta: Annotated[float, Stops([0, 1e-5, 0.05], label="Promise, δ")] = 1e-5,
    sigma: Annotated[float, LogSlider(0.25, 4, points=25, label="Noise, σ")] = 1.0,
    fpr: Annotated[float, _FPRS] = 0.01,
    axes: Axes = "linear",
) -> go.Figure:
    """Draw the region of (epsilon, delta)-DP, a Gaussian mechanism's curve, and an attack on it.

    Notes
    -----
    Lecture notes, Theorem 1 and Corollary 1.  The mechanism is a noisy sum of numbers in
    [-1, 1], which adding or removing a person moves by at most 1.

    Examples
    --------
    >>> "92 of 1,000" in roc_plane(sigma=1.0, fpr=0.01).layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_promise, epsilon=epsilon, delta=delta, axes=axes),
        layer(_noise, sigma=sigma, axes=axes),
        layer(_frame, axes=axes),
        layer(_allowed, epsilon=epsilon, delta=delta, fpr=fpr),
        layer(_found, sigma=sigma, fpr=fpr),
        layer(_kept, epsilon=epsilon, delta=delta, sigma=sigma),
    )
