"""The ROC plane: what DP allows, what a mechanism allows, and what an attack does."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.explore import LogSlider, Part, Slider, Stops, declared, layer, stacked
from mipbook.figures.looks import BEST
from mipbook.figures.marks import curve, reading
from mipbook.figures.roc import Axes, Neighbours, coin, empirical, grid, rate_axes, region, shown
from mipbook.figures.words import people, percent, say
from mipbook.mechanisms import Gaussian

__all__ = ["roc_plane"]

_GAMES = 20_000
_DELTAS = [0.0, *(m * 10.0**e for e in range(-9, -1) for m in (1, 3)), 0.1]
# Adding or removing a number in [-1, 1] moves the sum by at most 1, replacing one by at most 2.
_SENSITIVITY = {"add or remove": 1.0, "replace": 2.0}


@lru_cache(maxsize=64)
def _attack(sigma: float, neighbours: str) -> game.Roc:
    """Play the worst-case game on a noisy sum of numbers in [-1, 1]."""
    mechanism = Gaussian(sigma, query=np.sum)
    data, target = np.array([-1.0]), np.array(1.0)
    pair = game.neighbouring(data, target, neighbours)
    attacker = game.LikelihoodRatio(mechanism, *pair)
    rng = np.random.default_rng(30)
    return game.worst_case_game(
        mechanism, data, target, attacker, _GAMES, rng, neighbours=neighbours
    ).roc()


def _verdict(epsilon: float, delta: float, spent: float) -> str:
    """Say whether the noise is (epsilon, delta)-DP."""
    promise, there = f"({say(epsilon)}, {say(delta)})-DP", f"{say(spent)} (exact)"
    if spent <= delta:
        return (
            f"This noise is {promise}: its delta at that epsilon is only {there}, and the curve "
            "stays in the region."
        )
    return (
        f"This noise is not {promise}: its delta at that epsilon is {there}, and the curve leaves "
        "the region."
    )


def _frame(neighbours: str, axes: str) -> Part:
    """Return the axes, the coin, and what is said around the numbers."""
    sentence = (
        "Let an attacker wrongly accuse {accused} (FPR {rate}). The best attack on this mechanism "
        "then finds {best} members (exact); the simulated one found {did} (estimate, 95% band "
        "{low} to {high}); DP alone would allow {allowed} (bound). {verdict} "
        f"Neighbours: {neighbours} one record."
    )
    alt = (
        f"ROC plane with {axes} axes. A shaded region with straight edges shows what "
        "epsilon = {epsilon} and delta = {delta} allow; a smooth curve shows the best attack on "
        "Gaussian noise of sigma = {sigma}, and a stepped one with a band a simulated attack. At "
        "FPR {fpr} the region reaches {top}, the curve {curve}."
    )
    layout = {**rate_axes(axes), "height": 460}
    return Part([coin(axes)], layout, meta={"sentence": sentence, "alt": alt})


def _promise(epsilon: float, delta: float, axes: str) -> Part:
    words = {"epsilon": say(epsilon), "delta": say(delta)}
    return Part([region(epsilon, delta, axes)], words=words)


def _noise(sigma: float, neighbours: str, axes: str) -> Part:
    x = grid(axes)
    best = shown(tradeoff.gaussian_tpr(x, sigma, _SENSITIVITY[neighbours]), axes)
    played = empirical("a simulated attack (estimate)", _attack(sigma, neighbours), axes, 0.95)
    truth = curve("best attack on the Gaussian mechanism (exact)", x, best, BEST)
    return Part([truth, *played], words={"sigma": say(sigma)})


def _allowed(epsilon: float, delta: float, fpr: float) -> Part:
    """Return what DP allows at the reader's FPR."""
    top = float(tradeoff.dp_tpr(fpr, epsilon, delta))
    words = {"allowed": people(top), "top": say(top)}
    return Part([reading([fpr], [top], "DP at your FPR")], words=words)


def _found(sigma: float, neighbours: str, fpr: float) -> Part:
    """Return what the best and the simulated attack find at the reader's FPR."""
    played = _attack(sigma, neighbours)
    best = float(tradeoff.gaussian_tpr(fpr, sigma, _SENSITIVITY[neighbours]))
    low, high = (float(v) for v in played.tpr_band(fpr))
    words = {
        "accused": people(fpr),
        "rate": percent(fpr),
        "fpr": say(fpr),
        "best": people(best),
        "curve": say(best),
        "did": people(float(played.tpr_at(fpr))),
        "low": percent(low),
        "high": percent(high),
    }
    return Part([reading([fpr], [best], "the best attack at your FPR")], words=words)


def _kept(epsilon: float, delta: float, sigma: float, neighbours: str) -> Part:
    """Say whether the noise keeps the promise."""
    spent = float(tradeoff.gaussian_delta(epsilon, sigma, _SENSITIVITY[neighbours]))
    return Part(words={"verdict": _verdict(epsilon, delta, spent)})


@declared
def roc_plane(
    epsilon: Annotated[float, Slider(0, 8, step=0.5, label="epsilon")] = 1.0,
    delta: Annotated[float, Stops(_DELTAS, label="delta")] = 1e-5,
    sigma: Annotated[float, LogSlider(0.25, 4, points=17, label="Noise, sigma")] = 1.0,
    fpr: Annotated[float, LogSlider(0.0001, 1, points=25, label="FPR")] = 0.01,
    neighbours: Neighbours = "add or remove",
    axes: Axes = "linear",
) -> go.Figure:
    """Draw the region of (epsilon, delta)-DP, a Gaussian mechanism's curve, and an attack on it.

    Notes
    -----
    Lecture notes, Theorem 1 and Corollary 1.  The mechanism is a noisy sum of numbers in [-1, 1].

    Examples
    --------
    >>> "92 of 1,000" in roc_plane(sigma=1.0, fpr=0.01).layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_promise, epsilon=epsilon, delta=delta, axes=axes),
        layer(_noise, sigma=sigma, neighbours=neighbours, axes=axes),
        layer(_frame, neighbours=neighbours, axes=axes),
        layer(_allowed, epsilon=epsilon, delta=delta, fpr=fpr),
        layer(_found, sigma=sigma, neighbours=neighbours, fpr=fpr),
        layer(_kept, epsilon=epsilon, delta=delta, sigma=sigma, neighbours=neighbours),
    )
