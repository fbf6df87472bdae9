"""Proposition 12 against the truth as the pool grows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from mipbook import pmp, tradeoff
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say

__all__ = ["gaussian_scaling"]

_SIZES = (1, 2, 4, 6, 12, 25, 50, 100, 200)
_POOLS = 3


@lru_cache(maxsize=500)
def _point(n: int, epsilon: float, delta: float) -> tuple[float, float, float]:
    """Return the bound, the exact value and the normal one, averaged over a few pools."""
    found = []
    for seed in range(_POOLS):
        values = np.random.default_rng((20246, seed)).standard_normal(2 * n) / n
        sigma = float(tradeoff.gaussian_sigma(epsilon, delta, pmp.diameter(values)))
        found.append(
            [
                pmp.gaussian_epsilon_bound(values, sigma, delta),
                pmp.gaussian_epsilon_exact(values, sigma, delta),
                pmp.gaussian_epsilon_normal(values, sigma, delta),
            ]
        )
    bound, exact, normal = np.mean(found, axis=0)
    return float(bound), float(exact), float(normal)


def gaussian_scaling(epsilon: float = 10.0, n: int = 100, delta: float = 0.01) -> go.Figure:
    """Draw the bound and the exact PMP parameter against n, at the same eps(X).

    Parameters
    ----------
    epsilon : float
        eps(X), to which the noise is set, in [0.1, 10].
    n : int
        Where the sentence reads the curves, one of 1, 2, 4, 6, 12, 25, 50, 100, 200.
    delta : float
        In [1e-6, 0.5].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Proposition 12, for the mean of normal data in one dimension.

    Examples
    --------
    >>> [t.name for t in gaussian_scaling(1.0, 6).data][1:3]
    ['Prop. 12 (bound)', 'eps~ (exact)']
    """
    epsilon = validate.number("epsilon", epsilon, 0.1, 10.0)
    n = validate.choice("n", n, _SIZES)
    delta = validate.number("delta", delta, 1e-6, 0.5)
    table = np.array([_point(k, epsilon, delta) for k in _SIZES])
    figure = go.Figure()
    for name, y, colour, dash, symbol in (
        ("eps(X) (exact)", np.full(len(_SIZES), epsilon), GREY, "dot", "diamond"),
        ("Prop. 12 (bound)", table[:, 0], ORANGE, "dash", "square"),
        ("eps~ (exact)", table[:, 1], BLUE, "solid", "circle"),
    ):
        figure.add_scatter(
            x=list(_SIZES),
            y=y,
            mode="lines+markers",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 8},
        )
    figure.add_scatter(
        x=list(_SIZES),
        y=table[:, 2],
        mode="markers",
        name="normal (approximation)",
        marker={"symbol": "x", "color": GREEN, "size": 9},
    )
    bound, exact, normal = table[_SIZES.index(n)]
    if exact > 0:
        off = normal / exact - 1
        side = "below" if off < 0 else "above"
        against = (
            f", {say(bound / exact, 2)} times less; the normal curve lies "
            f"{say(100 * abs(off), 2)}% {side} it (approximation)"
        )
    else:
        against = f"; the normal curve says {say(normal)} (approximation)"
    return finish(
        figure,
        sentence=(
            f"With the noise set to eps(X) = {say(epsilon)}, at n = {n} Proposition 12 certifies "
            f"eps~ ≤ {say(bound)} (bound). The truth is {say(exact)} (exact)"
            f"{against}. All are means over {_POOLS} pools."
        )
        if n > 1
        else (
            f"With one record drawn, knowing the pool is knowing everything: eps(X), Proposition "
            f"12 and the exact eps~ are all {say(epsilon)} (exact)."
        ),
        alt=(
            f"Three curves against n from 1 to 200 on log scales, all starting at "
            f"{say(epsilon)}. eps(X) is flat; the bound ends at {say(table[-1, 0])}; the exact "
            f"value falls to {say(table[-1, 1])}, with crosses of the normal curve on it."
        ),
        layout={
            "xaxis": axis("records drawn, n", log=True),
            "yaxis": axis("eps", log=True),
            "height": 420,
        },
    )
