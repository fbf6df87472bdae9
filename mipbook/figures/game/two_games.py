"""The worst-case game and the distributional one, on the same mechanism."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.explore import Count, Stops, declared
from mipbook.figures.frame import finish
from mipbook.figures.looks import BEST
from mipbook.figures.marks import curve, reading
from mipbook.figures.roc import Axes, Neighbours, coin, empirical, grid, rate_axes, shown
from mipbook.figures.words import people, say
from mipbook.mechanisms import Gaussian

__all__ = ["two_games"]

_GAMES = 4000


@lru_cache(maxsize=64)
def _tracer(k: int, n: int, sigma: float, neighbours: str) -> game.Roc:
    """Play the distributional game on fair coins."""

    def coins(count: int, rng: np.random.Generator) -> np.ndarray:
        return rng.integers(0, 2, (count, k)).astype(float)

    return game.distributional_game(
        Gaussian(sigma),
        coins,
        n,
        game.InnerProduct(0.5),
        _GAMES,
        np.random.default_rng(20),
        neighbours=neighbours,
    ).roc()


@declared
def two_games(
    k: Annotated[int, Count([20, 100, 400], label="Bits a record has, k")] = 100,
    n: Annotated[int, Count([10, 20, 50], label="Other records, n")] = 20,
    sigma: Annotated[float, Stops([0.1, 0.3, 1.0], label="Noise, sigma")] = 0.3,
    fpr: Annotated[float, Stops([0.001, 0.01, 0.1, 0.5], label="FPR")] = 0.01,
    neighbours: Neighbours = "replace",
    axes: Axes = "linear",
) -> go.Figure:
    """Draw what the best attacker gets in the worst case, and what a tracer gets on random data.

    Notes
    -----
    Lecture notes, section 3.  In the worst case the attacker picks all-zero records and an
    all-one target; in the other game all records are fair coins, and the attacker sees
    the release and the target only.

    Examples
    --------
    >>> two_games(20, 20).data[0].name
    'worst case, best attacker (exact)'
    """
    sensitivity = game.TracingAttack(k, n, sigma, neighbours).sensitivity
    tracer = _tracer(k, n, sigma, neighbours)
    x = grid(axes)
    worst = float(tradeoff.gaussian_tpr(fpr, sigma, sensitivity))
    typical = float(tracer.tpr_at(fpr))
    low, high = tracer.tpr_band(fpr)
    return finish(
        [
            curve(
                "worst case, best attacker (exact)",
                x,
                shown(tradeoff.gaussian_tpr(x, sigma, sensitivity), axes),
                BEST,
            ),
            *empirical("random data, tracer (estimate)", tracer, axes, 0.95),
            coin(axes),
            reading([fpr, fpr], shown([worst, typical], axes), "at your FPR"),
        ],
        sentence=(
            f"While wrongly accusing {people(fpr)}, the best attacker finds {people(worst)} "
            f"members in the worst case (exact). On random data the tracer finds "
            f"{people(typical)} (estimate from {_GAMES:,} games, 95% band from {say(float(low))} "
            f"to {say(float(high))}). Neighbours: {neighbours} one record."
        ),
        alt=(
            f"ROC plane with {axes} axes. The exact worst-case curve for k = {k}, n = {n} and "
            f"sigma = {say(sigma)} lies above the stepped curve of the game on random data, which "
            f"has a shaded band. At FPR {say(fpr)} they stand at {say(worst)} and {say(typical)}."
        ),
        layout={**rate_axes(axes), "height": 480},
    )
