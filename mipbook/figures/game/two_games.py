"""The worst-case game and the distributional one, on the same mechanism."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.base import validate
from mipbook.base.palette import GREEN, ORANGE
from mipbook.figures.frame import finish
from mipbook.figures.roc import AXES, add_band, add_coin, add_point, grid, rate_axes, shown
from mipbook.figures.words import people, say
from mipbook.mechanisms import Gaussian

__all__ = ["two_games"]

_GAMES = 4000


@lru_cache(maxsize=64)
def _drawn(k: int, n: int, sigma: float, neighbours: str) -> game.Roc:
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


def two_games(
    k: int = 100,
    n: int = 20,
    sigma: float = 0.3,
    fpr: float = 0.01,
    neighbours: str = "replace",
    axes: str = "linear",
) -> go.Figure:
    """Draw what the best attacker gets in the worst case, and what a tracer gets on random data.

    Parameters
    ----------
    k : int
        Bits a record has, in [1, 2000].
    n : int
        Records without the target, in [1, 200].
    sigma : float
        Standard deviation of the noise on each released mean, in [0.01, 100].
    fpr : float
        Where to read the curves, in [0.001, 1].
    neighbours : {"replace", "add or remove"}
        What the two data sets of a game have to do with each other.
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
    Lecture notes, section 3.  In the worst case the attacker picks all-zero records and an
    all-one target; in the other game all records are fair coins, and the attacker sees
    the release and the target only.

    Examples
    --------
    >>> two_games(20, 20).data[0].name
    'worst case, best attacker (exact)'
    """
    k = validate.integer("k", k, 1, 2000)
    n = validate.integer("n", n, 1, 200)
    sigma = validate.number("sigma", sigma, 0.01, 100.0)
    fpr = validate.number("fpr", fpr, 0.001, 1.0)
    validate.choice("neighbours", neighbours, game.NEIGHBOURS)
    axes = validate.choice("axes", axes, AXES)
    attack = game.TracingAttack(k, n, sigma, neighbours)
    drawn = _drawn(k, n, sigma, neighbours)
    x = grid(axes)
    figure = go.Figure()
    figure.add_scatter(
        x=x,
        y=shown(np.asarray(tradeoff.gaussian_tpr(x, sigma, attack.sensitivity)), axes),
        mode="lines",
        name="worst case, best attacker (exact)",
        line={"color": ORANGE, "width": 3},
    )
    add_band(figure, drawn, axes, GREEN, 0.95, "random data, tracer (estimate)")
    add_coin(figure, axes)
    worst = float(tradeoff.gaussian_tpr(fpr, sigma, attack.sensitivity))
    typical = float(drawn.tpr_at(fpr))
    low, high = drawn.tpr_band(fpr)
    add_point(
        figure, [fpr, fpr], shown(np.array([worst, typical]), axes), "at your FPR", showlegend=False
    )
    return finish(
        figure,
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
