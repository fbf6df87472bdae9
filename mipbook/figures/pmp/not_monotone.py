"""eps~ against epsilon: more noise can cost privacy, when the attacker is unsure of the rest."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import pmp
from mipbook.base.types import Array
from mipbook.explore import Choice, LogSlider, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import say

__all__ = ["NOT_MONOTONE", "not_monotone"]

# Six numbers, objects +1, +1 and -1: eps~ rises, falls, and settles.
NOT_MONOTONE = (4.406, -2.497, 0.855, 1.78, -0.236, -1.443)
_OBJECTS = ((1.0,), (1.0,), (-1.0,))
_GRID = np.geomspace(0.1, 1000, 61)
_POOLS = ("six numbers", "twelve numbers", "five dimensions")


@lru_cache(maxsize=8)
def _losses(pool: str) -> tuple[Array, float]:
    """Return the losses, and the sensitivity: the largest change on this very pool."""
    if pool == "six numbers":
        losses = pmp.norm_losses(np.array(NOT_MONOTONE), _OBJECTS)
    else:
        n, dimension = (6, 1) if pool == "twelve numbers" else (6, 5)
        drawn = pmp.draw_pool(n, dimension, 10, 2.0, 50.0, 0, 1.0, np.random.default_rng(3))
        losses = drawn.losses
    return losses, pmp.local_sensitivity(losses)


def _both(pool: str, epsilon: float) -> tuple[float, float]:
    """Return eps~ and eps(X) at one epsilon, measured against the pool's own sensitivity."""
    losses, sensitivity = _losses(pool)
    return (
        pmp.exponential_epsilon(losses, epsilon, sensitivity),
        pmp.subset_epsilon(losses, epsilon, sensitivity),
    )


@lru_cache(maxsize=8)
def _curves(pool: str) -> Array:
    return np.array([_both(pool, float(epsilon)) for epsilon in _GRID]).T


@declared
def not_monotone(
    pool: Annotated[str, Choice(_POOLS, label="Pool")] = "six numbers",
    epsilon: Annotated[float, LogSlider(0.1, 1000, points=25, label="Epsilon")] = 10.0,
) -> go.Figure:
    """Draw eps~ against epsilon on a small pool.

    References
    ----------
    PMP paper, Proposition 9: the parameter of the exponential mechanism is not monotone.

    Examples
    --------
    >>> [trace.name for trace in not_monotone().data][0]
    'eps~ (exact)'
    """
    practical, on_pool = _curves(pool)
    at_yours, known = _both(pool, epsilon)
    top = int(practical.argmax())
    falls = practical[-1] < practical[top] - 1e-9 and top < len(_GRID) - 1
    shape = (
        f"The curve is highest, {say(practical[top])}, at epsilon = {say(_GRID[top])}, and falls "
        f"to {say(practical[-1])} at 1,000 (exact): a larger epsilon can be safer."
        if falls
        else f"On this grid the curve rises up to {say(practical[-1])} at 1,000 (exact)."
    )
    return finish(
        [
            curve("eps~ (exact)", _GRID, practical, looks.PMP),
            curve("eps(X) (exact)", _GRID, on_pool, looks.DP),
            curve("epsilon", _GRID, _GRID, looks.LEVEL),
            reading([epsilon], [at_yours], "your epsilon", showlegend=True),
        ],
        sentence=(
            f"At epsilon = {say(epsilon)}, eps~ is {say(at_yours)}, and an attacker who knows all "
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
