"""The exact residuals of least squares, and the double descent of their mean square."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import learners, mis
from mipbook.explore import Count, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import Trace, curve, level
from mipbook.figures.words import percent, say

__all__ = ["ols_residuals"]

Array = NDArray[Any]

_N, _SIGNAL, _NOISE = 20, 1.0, 0.5
_REACH, _TOP = 2.5, 2.0
_GRID = np.linspace(-_REACH, _REACH, 100)
_FEATURES = [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 19, 20, 21, 22, 24, 27, 30, 40, 60, 80]
_EPSILONS = [1e-4, 1e-3, 0.01, 0.03, 0.1, 0.25, 0.5, 1.0]


@lru_cache(maxsize=256)
def _law(dimension: int, of: str) -> learners.ResidualLaw:
    return learners.residual_law(_N, dimension, _SIGNAL, _NOISE, of=of)


@lru_cache(maxsize=256)
def _density(dimension: int, of: str) -> Array:
    # The law is even.
    half = _law(dimension, of).density(_GRID[50:])
    return np.concatenate([half[::-1], half])


@lru_cache(maxsize=512)
def _below(dimension: int, of: str, epsilon: float) -> float:
    return float(_law(dimension, of).below(epsilon))


@lru_cache(maxsize=256)
def _mean_loss(dimension: int, of: str) -> float:
    return learners.mean_loss(_N, dimension, _SIGNAL, _NOISE, of=of)


@lru_cache(maxsize=2)
def _mean_losses(of: str) -> tuple[list[int], list[float | None]]:
    """Return the mean squared residual against d; a fresh one is infinite around d = n."""
    features = [d for d in range(1, 81) if abs(d - _N) > 1]
    means: list[float | None] = [_mean_loss(d, of) for d in features]
    gap = sum(d < _N for d in features)
    return [*features[:gap], _N, *features[gap:]], [*means[:gap], None, *means[gap:]]


def _traces(dimension: int, epsilon: float) -> list[Trace]:
    if dimension < _N:
        member = _GRID, np.minimum(_density(dimension, "train"), _TOP)
    else:
        # All mass in one point: a needle.
        member = np.zeros(len(_GRID)), np.linspace(0, _TOP, len(_GRID))
    edge = math.sqrt(epsilon)
    says_in = [-edge, -edge, edge, edge], [0, _TOP, _TOP, 0]
    hidden: dict[str, Any] = {"showlegend": False, **LOWER}
    return [
        curve("member", *member, looks.IN),
        curve("fresh", _GRID, _density(dimension, "test"), looks.OUT),
        curve("says in", *says_in, replace(looks.ATTACK, dash="dot")),
        curve("member, mean loss", *_mean_losses("train"), looks.IN, **hidden),
        curve("fresh, mean loss", *_mean_losses("test"), looks.OUT, **hidden),
        level("your d", dimension, [0, 3], looks.READING, **LOWER),
        level("d = n", _N, [0, 3], **LOWER),
    ]


def _what_the_threshold_finds(dimension: int, epsilon: float) -> str:
    inside, outside = (_below(dimension, of, epsilon) for of in ("train", "test"))
    if dimension < _N:
        limit = float(mis.threshold_advantage(dimension / _N))
        return (
            f"a squared residual is at most {say(epsilon)} with probability {percent(inside)} for "
            f"a member and {percent(outside)} for a fresh record (exact). The best threshold would "
            f"gain {say(limit)} if n were large (approximation); this one gains "
            f"{say(inside - outside)} (exact)."
        )
    return (
        f"every training residual is 0 (exact), and a fresh squared residual is at most "
        f"{say(epsilon)} with probability {percent(outside)} (exact). The threshold gains "
        f"{say(inside - outside)} (exact); a smaller one gains more, and in the limit all there "
        f"is: the security is 0 (exact)."
    )


@declared
def ols_residuals(
    dimension: Annotated[int, Count(_FEATURES, label="Features, d")] = 10,
    epsilon: Annotated[float, Stops(_EPSILONS, label="Threshold")] = 0.1,
) -> go.Figure:
    """Draw the laws of a member's and a fresh residual of least squares on 20 records.

    Notes
    -----
    Limits paper, Example 2, with exact laws that are new here: normal inputs, noise 0.5, a
    signal of variance 1.

    Examples
    --------
    >>> "every training residual is 0" in ols_residuals(30).layout.meta["sentence"]
    True
    """
    inside, outside = (_mean_loss(dimension, of) for of in ("train", "test"))
    middle = "infinite" if math.isinf(outside) else say(outside)
    return finish(
        _traces(dimension, epsilon),
        sentence=(
            f"{_N} records, {dimension} feature{'s' if dimension > 1 else ''}: "
            f"{_what_the_threshold_finds(dimension, epsilon)} The mean squared residual is "
            f"{say(inside)} for members and {middle} for others (exact)."
        ),
        alt=(
            f"Above, two densities of the residual: the member's "
            f"{'is a needle at 0' if dimension >= _N else 'is the narrower one'}, the fresh "
            f"one's is broad; dotted lines at plus and minus {say(math.sqrt(epsilon))}. Below, the "
            f"mean squared residuals against d: the member's falls to 0 at d = {_N}, the other's "
            f"goes to infinity there and comes down again; at d = {dimension} it is {middle}."
        ),
        layout={
            "rows": (0.52, 0.2),
            "xaxis": axis("residual", range=[-_REACH, _REACH]),
            "yaxis": axis("density", range=[0, _TOP]),
            "xaxis2": axis("features, d", range=[0, 81]),
            "yaxis2": axis("mean square", range=[0, 3]),
            "height": 540,
        },
    )
