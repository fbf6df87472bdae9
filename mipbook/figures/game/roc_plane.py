"""The ROC plane: what DP allows, what a mechanism allows, and what an attack does."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, ORANGE
from mipbook.figures.frame import finish
from mipbook.figures.roc import (
    AXES,
    add_band,
    add_coin,
    add_point,
    add_region,
    grid,
    rate_axes,
    shown,
)
from mipbook.figures.words import people, percent, say
from mipbook.mechanisms import Gaussian

__all__ = ["roc_plane"]

_GAMES = 20_000


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


def roc_plane(
    epsilon: float = 1.0,
    delta: float = 1e-5,
    sigma: float = 1.0,
    fpr: float = 0.01,
    neighbours: str = "add or remove",
    axes: str = "linear",
) -> go.Figure:
    """Draw the region of (epsilon, delta)-DP, a Gaussian mechanism's curve, and an attack on it.

    Parameters
    ----------
    epsilon : float
        Privacy parameter in [0, 50].
    delta : float
        Failure probability in [0, 1].
    sigma : float
        Standard deviation of the noise on a sum of numbers in [-1, 1], in [0.05, 100].
    fpr : float
        Where to read the curves, in [0.0001, 1].
    neighbours : {"add or remove", "replace"}
        Adding or removing a number moves the sum by at most 1, replacing one by at most 2.
    axes : {"linear", "logarithmic"}
        Scale of both axes.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Lecture notes, Theorem 1 and Corollary 1.

    Examples
    --------
    >>> "92 of 1,000" in roc_plane(sigma=1.0, fpr=0.01).layout.meta["sentence"]
    True
    """
    epsilon = validate.number("epsilon", epsilon, 0.0, 50.0)
    delta = validate.number("delta", delta, 0.0, 1.0)
    sigma = validate.number("sigma", sigma, 0.05, 100.0)
    fpr = validate.number("fpr", fpr, 1e-4, 1.0)
    validate.choice("neighbours", neighbours, game.NEIGHBOURS)
    axes = validate.choice("axes", axes, AXES)
    sensitivity = 2.0 if neighbours == "replace" else 1.0
    played = _attack(sigma, neighbours)
    x = grid(axes)
    figure = go.Figure()
    add_region(figure, epsilon, delta, axes, ORANGE)
    figure.add_scatter(
        x=x,
        y=shown(np.asarray(tradeoff.gaussian_tpr(x, sigma, sensitivity)), axes),
        mode="lines",
        name="best attack on the Gaussian mechanism (exact)",
        line={"color": BLUE, "width": 3},
    )
    add_band(figure, played, axes, GREEN, 0.95, "a simulated attack (estimate)")
    add_coin(figure, axes)
    allowed = float(tradeoff.dp_tpr(fpr, epsilon, delta))
    best = float(tradeoff.gaussian_tpr(fpr, sigma, sensitivity))
    did = float(played.tpr_at(fpr))
    low, high = (float(v) for v in played.tpr_band(fpr))
    add_point(figure, [fpr, fpr], [allowed, best], "at your FPR", showlegend=False)
    spent = float(tradeoff.gaussian_delta(epsilon, sigma, sensitivity))
    verdict = (
        f"This noise is ({say(epsilon)}, {say(delta)})-DP: its delta at that epsilon is only "
        f"{say(spent)} (exact), and the curve stays in the region."
        if spent <= delta
        else f"This noise is not ({say(epsilon)}, {say(delta)})-DP: its delta at that epsilon is "
        f"{say(spent)} (exact), and the curve leaves the region."
    )
    return finish(
        figure,
        sentence=(
            f"Let an attacker wrongly accuse {people(fpr)} (FPR {percent(fpr)}). The best attack "
            f"on this mechanism then finds {people(best)} members (exact); the simulated one found "
            f"{people(did)} (estimate, 95% band {percent(low)} to {percent(high)}); DP alone would "
            f"allow {people(allowed)} (bound). {verdict} Neighbours: {neighbours} one record."
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
