"""eps~ against epsilon: more noise can cost privacy, when the attacker is unsure of the rest."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from mipbook import pmp
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say

__all__ = ["NOT_MONOTONE", "not_monotone"]

# Six numbers, objects +1, +1 and -1: eps~ rises, falls, and settles.
NOT_MONOTONE = (4.406, -2.497, 0.855, 1.78, -0.236, -1.443)
_OBJECTS = ((1.0,), (1.0,), (-1.0,))
_GRID = np.geomspace(0.1, 1000, 61)
POOLS = ("six numbers", "twelve numbers", "five dimensions")


@lru_cache(maxsize=8)
def _losses(pool: str) -> tuple[np.ndarray, float]:
    """Return the losses, and the sensitivity: the largest change on this very pool."""
    if pool == "six numbers":
        losses = pmp.norm_losses(np.array(NOT_MONOTONE), _OBJECTS)
    else:
        n, dimension = (6, 1) if pool == "twelve numbers" else (6, 5)
        drawn = pmp.draw_pool(n, dimension, 10, 2.0, 50.0, 0, 1.0, np.random.default_rng(3))
        losses = drawn.losses
    return losses, pmp.local_sensitivity(losses)


@lru_cache(maxsize=8)
def _curves(pool: str) -> tuple[np.ndarray, np.ndarray]:
    losses, sensitivity = _losses(pool)
    pairs = [
        (
            pmp.exponential_epsilon(losses, float(e), sensitivity),
            pmp.subset_epsilon(losses, float(e), sensitivity),
        )
        for e in _GRID
    ]
    return tuple(np.array(pairs).T)  # type: ignore[return-value]


def not_monotone(pool: str = "six numbers", epsilon: float = 10.0) -> go.Figure:
    """Draw eps~ against epsilon on a small pool.

    Parameters
    ----------
    pool : {"six numbers", "twelve numbers", "five dimensions"}
        Which pool.
    epsilon : float
        Where to read the curve, in [0.1, 1000]; measured against the pool's own sensitivity.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Proposition 9: the parameter of the exponential mechanism is not monotone.

    Examples
    --------
    >>> [trace.name for trace in not_monotone().data][0]
    'eps~ (exact)'
    """
    pool = validate.choice("pool", pool, POOLS)
    epsilon = validate.number("epsilon", epsilon, 0.1, 1000.0)
    losses, sensitivity = _losses(pool)
    practical, on_pool = _curves(pool)
    here = pmp.exponential_epsilon(losses, epsilon, sensitivity)
    known = pmp.subset_epsilon(losses, epsilon, sensitivity)
    figure = go.Figure()
    for name, curve, colour, dash in (
        ("eps~ (exact)", practical, ORANGE, "solid"),
        ("eps(X) (exact)", on_pool, GREEN, "dash"),
        ("epsilon", _GRID, BLUE, "dot"),
    ):
        figure.add_scatter(
            x=_GRID, y=curve, mode="lines", name=name, line={"color": colour, "dash": dash}
        )
    figure.add_scatter(
        x=[epsilon],
        y=[here],
        mode="markers",
        name="your epsilon",
        marker={"color": INK, "size": 12, "symbol": "diamond"},
    )
    top = int(practical.argmax())
    falls = practical[-1] < practical[top] - 1e-9 and top < len(_GRID) - 1
    shape = (
        f"The curve is highest, {say(practical[top])}, at epsilon = {say(_GRID[top])}, and falls "
        f"to {say(practical[-1])} at 1,000 (exact): a larger epsilon can be safer."
        if falls
        else f"On this grid the curve rises up to {say(practical[-1])} at 1,000 (exact)."
    )
    return finish(
        figure,
        sentence=(
            f"At epsilon = {say(epsilon)}, eps~ is {say(here)}, and an attacker who knows all "
            f"other records has {say(known)} (exact). {shape}"
        ),
        alt=(
            f"Log-log curves against epsilon from 0.1 to 1000. eps~ climbs to "
            f"{say(practical[top])} near epsilon = {say(_GRID[top])} and ends at "
            f"{say(practical[-1])}; eps(X) climbs to {say(on_pool[-1])}."
        ),
        layout={
            "xaxis": axis("epsilon", log=True),
            "yaxis": axis("privacy parameter", log=True, range=[-2, 3]),
            "height": 420,
        },
    )
