"""The ROC plane: what DP allows, what a mechanism allows, and what an attack does."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.explore import Stops, declared
from mipbook.figures.frame import finish
from mipbook.figures.looks import BEST
from mipbook.figures.marks import curve, reading
from mipbook.figures.roc import Axes, Neighbours, coin, empirical, grid, rate_axes, region, shown
from mipbook.figures.words import people, percent, say
from mipbook.mechanisms import Gaussian

__all__ = ["roc_plane"]

_GAMES = 20_000
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


@declared
def roc_plane(
    epsilon: Annotated[float, Stops([0.1, 0.5, 1, 2, 4, 8], label="epsilon")] = 1.0,
    delta: Annotated[float, Stops([0, 1e-5, 1e-3, 0.05], label="delta")] = 1e-5,
    sigma: Annotated[float, Stops([0.3, 0.5, 1, 2, 4], label="Noise, sigma")] = 1.0,
    fpr: Annotated[float, Stops([0.0001, 0.001, 0.01, 0.1, 0.5], label="FPR")] = 0.01,
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
    sensitivity = _SENSITIVITY[neighbours]
    played = _attack(sigma, neighbours)
    x = grid(axes)
    allowed = float(tradeoff.dp_tpr(fpr, epsilon, delta))
    best = float(tradeoff.gaussian_tpr(fpr, sigma, sensitivity))
    did = float(played.tpr_at(fpr))
    low, high = (float(v) for v in played.tpr_band(fpr))
    spent = float(tradeoff.gaussian_delta(epsilon, sigma, sensitivity))
    return finish(
        [
            region(epsilon, delta, axes),
            curve(
                "best attack on the Gaussian mechanism (exact)",
                x,
                shown(tradeoff.gaussian_tpr(x, sigma, sensitivity), axes),
                BEST,
            ),
            *empirical("a simulated attack (estimate)", played, axes, 0.95),
            coin(axes),
            reading([fpr, fpr], [allowed, best], "at your FPR"),
        ],
        sentence=(
            f"Let an attacker wrongly accuse {people(fpr)} (FPR {percent(fpr)}). The best attack "
            f"on this mechanism then finds {people(best)} members (exact); the simulated one found "
            f"{people(did)} (estimate, 95% band {percent(low)} to {percent(high)}); DP alone would "
            f"allow {people(allowed)} (bound). {_verdict(epsilon, delta, spent)} "
            f"Neighbours: {neighbours} one record."
        ),
        alt=(
            f"ROC plane with {axes} axes. A shaded region with straight edges shows what "
            f"epsilon = {say(epsilon)} and delta = {say(delta)} allow; a smooth curve shows the "
            f"best attack on Gaussian noise of sigma = {say(sigma)}, and a stepped one with a band "
            f"a simulated attack. At FPR {say(fpr)} the region reaches {say(allowed)}, the curve "
            f"{say(best)}."
        ),
        layout={**rate_axes(axes), "height": 500},
    )
