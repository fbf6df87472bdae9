"""The exact residuals of least squares, and the double descent of their mean square."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Count, LogSlider, Part, declared, layer, stacked
from mipbook import learners, mis
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.marks import curve, level
from mipbook.figures.words import percent, say

__all__ = ["ols_residuals"]

Array = NDArray[Any]

_N, _SIGNAL, _NOISE = 20, 1.0, 0.5
_REACH, _TOP = 2.5, 2.0
_GRID = np.linspace(-_REACH, _REACH, 100)
_FEATURES = [*range(1, 31), 35, 40, 50, 60, 70, 80]
_BELOW: dict[str, Any] = {"showlegend": False, **LOWER}
_SLIDER = LogSlider(1e-4, 1.0, points=17, label="Threshold, ε")


@lru_cache(maxsize=256)
def _law(dimension: int, of: str) -> learners.ResidualLaw:
    return learners.residual_law(_N, dimension, _SIGNAL, _NOISE, of=of)


@lru_cache(maxsize=256)
def _density(dimension: int, of: str) -> Array:
    # The distribution is even.
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


def _member(dimension: int) -> tuple[Array, Array]:
    """Return the density of a member's residual; where all mass is in one point, a needle."""
    if dimension < _N:
        return _GRID, np.minimum(_density(dimension, "train"), _TOP)
    return np.zeros(len(_GRID)), np.linspace(0, _TOP, len(_GRID))


def _residuals(dimension: int) -> Part:
    """Draw both distributions of the residual, and mark the features below."""
    inside, outside = (_mean_loss(dimension, of) for of in ("train", "test"))
    words = {
        "features": f"{dimension} feature{'s' if dimension > 1 else ''}",
        "shape": "is a needle at 0" if dimension >= _N else "is the narrower one",
        "inside": say(inside),
        "outside": "infinite" if math.isinf(outside) else say(outside),
        "d": str(dimension),
    }
    return Part(
        [
            curve("member", *_member(dimension), looks.IN, hoverinfo="skip"),
            curve("fresh", _GRID, _density(dimension, "test"), looks.OUT, hoverinfo="skip"),
            level("your d", dimension, [0, 3], looks.READING, **_BELOW),
        ],
        words=words,
    )


def _threshold(epsilon: float) -> Part:
    """Draw the residuals between which the attack says member."""
    edge = math.sqrt(epsilon)
    look = replace(looks.ATTACK, dash="dot")
    says_in = curve("says member", [-edge, -edge, edge, edge], [0, _TOP, _TOP, 0], look)
    return Part([says_in], words={"edge": say(edge), "epsilon": say(epsilon)})


def _found(dimension: int, epsilon: float) -> Part:
    """Say what the threshold finds."""
    inside, outside = (_below(dimension, of, epsilon) for of in ("train", "test"))
    words = {"gain": say(inside - outside), "caught": percent(outside)}
    if dimension < _N:
        limit = float(mis.threshold_advantage(dimension / _N))
        words["found"] = f"{percent(inside)} of members"
        words["best"] = f"the best threshold, with n large, {say(limit)} (approximation)"
    else:
        words["found"] = "all members"
        words["best"] = "smaller thresholds gain more, up to all: the security is 0 (exact)"
    return Part(words=words)


def _frame() -> Part:
    """Draw the mean losses against the number of features, and say what is around the numbers."""
    told = "%{x} features: mean square %{y:.2f} for "
    names = (("member, mean", "train", looks.IN), ("fresh, mean", "test", looks.OUT))
    means = [
        curve(
            name,
            *_mean_losses(of),
            look,
            hovertemplate=f"{told}{'members' if of == 'train' else 'others'}<extra></extra>",
            **_BELOW,
        )
        for name, of, look in names
    ]
    sentence = (
        f"{_N} records, {{features}}: saying member up to a squared residual of {{epsilon}} finds "
        "{found} and accuses {caught} of others, a gain of {gain} (exact); {best}. The mean "
        "square is {inside} for members, {outside} for others (exact)."
    )
    alt = (
        "Above, two densities of the residual: the member's {shape}, the fresh one's is broad; "
        "dotted lines at plus and minus {edge}. Below, the mean squared residuals against d: the "
        f"member's falls to 0 at d = {_N}, the other's goes to infinity there and comes down "
        "again; at d = {d} it is {outside}."
    )
    layout = {
        "rows": (0.52, 0.2),
        "xaxis": axis("residual", range=[-_REACH, _REACH]),
        "yaxis": axis("density", range=[0, _TOP]),
        "xaxis2": axis("features, d", range=[0, 81]),
        "yaxis2": axis("mean squared residual", range=[0, 3]),
        "height": 440,
    }
    edges = np.sqrt(_SLIDER.stops)
    track = {"x": edges.tolist(), "y": [0.9 * _TOP] * len(edges)}
    meta = {
        "headline": "the threshold gains {gain}",
        "sentence": sentence,
        "alt": alt,
        "beside": 0.55,
        "probe": ["fresh, mean", "member, mean"],
        "grab": [{"control": "epsilon", "axis": "x", "track": track}, {"control": "dimension", "axis": "x2"}],
    }
    return Part([*means, level("d = n", _N, [0, 3], **LOWER)], placed(layout), meta=meta)


@declared
def ols_residuals(
    dimension: Annotated[int, Count(_FEATURES, label="Features, d", play=True)] = 10,
    epsilon: Annotated[float, _SLIDER] = 0.1,
) -> go.Figure:
    """Draw the distributions of a member's and a fresh residual of least squares on 20 records.

    Notes
    -----
    Limits paper, Example 2, with exact distributions that are new here: normal inputs, noise
    0.5, a signal of variance 1.

    Examples
    --------
    >>> "finds all members" in ols_residuals(30).layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_residuals, dimension=dimension),
        layer(_threshold, epsilon=epsilon),
        layer(_frame),
        layer(_found, dimension=dimension, epsilon=epsilon),
    )
