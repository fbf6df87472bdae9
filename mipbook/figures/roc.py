"""What the figures of ROC curves share: their axes, and what is drawn in the ROC plane."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from explorable.panels import Choice
from mipbook import game, tradeoff
from mipbook.base.types import Array
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.looks import Look
from mipbook.figures.marks import Trace, band, curve, level
from mipbook.figures.words import sure

__all__ = [
    "FLOOR",
    "SPOKEN",
    "Axes",
    "Neighbours",
    "coin",
    "edge",
    "empirical",
    "grid",
    "rate_axes",
    "region",
    "shown",
]

Axes = Annotated[str, Choice(["linear", "logarithmic"], label="Axes")]
Neighbours = Annotated[str, Choice(game.NEIGHBOURS, label="Neighbours in the game")]
# The least rate on a logarithmic axis; what would lie below is cut there.
FLOOR = 1e-4
# What a point of a curve says to who points at it.
SPOKEN: dict[str, Any] = {"hovertemplate": "accuse %{x:.2%}, find %{y:.2%}<extra></extra>"}
_LINEAR = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 73))
_LOG = np.concatenate([np.geomspace(FLOOR, 0.5, 65)[:-1], np.linspace(0.5, 1, 9)])


def grid(axes: str) -> Array:
    """Return the false positive rates at which curves are drawn."""
    return _LINEAR if axes == "linear" else _LOG


def rate_axes(axes: str, suffix: str = "") -> dict[str, Any]:
    """Return the two axes of the ROC plane."""
    log = axes == "logarithmic"
    span = [float(np.log10(FLOOR)), 0.02] if log else [-0.01, 1.01]
    return {
        f"xaxis{suffix}": axis("wrong accusations, FPR", log=log, range=span),
        f"yaxis{suffix}": axis("members found, TPR", log=log, range=span),
    }


def shown(rates: Any, axes: str) -> Array:
    """Cut rates at the floor of a logarithmic axis."""
    found: Array = np.asarray(rates)
    return np.maximum(found, FLOOR / 2) if axes == "logarithmic" else found


def coin(axes: str, **place: Any) -> Trace:
    """Return the diagonal, the attackers that do not look."""
    ends = [FLOOR, 1.0] if axes == "logarithmic" else [0.0, 1.0]
    return level("a coin toss (exact)", ends, ends, **place)


def region(epsilon: float, delta: float, axes: str) -> Trace:
    """Return the rates in which every (epsilon, delta)-DP mechanism keeps its attackers."""
    x = grid(axes)
    upper = np.asarray(tradeoff.dp_tpr(x, epsilon, delta))
    # An attacker who says the opposite mirrors the plane, so the lower edge is the upper one.
    lower = 1 - np.asarray(tradeoff.dp_tpr(1 - x, epsilon, delta))
    return band(
        "all that (ε, δ)-DP allows (bound)",
        x,
        shown(lower, axes),
        shown(upper, axes),
        looks.DP,
        line={"color": looks.DP.colour, "dash": looks.DP.bound().dash, "width": 2},
    )


def edge(name: str, epsilon: float, delta: float, axes: str, look: Look, **place: Any) -> Trace:
    """Return the largest TPR that (epsilon, delta)-DP allows at each FPR."""
    x = grid(axes)
    # An infinite epsilon has no edge to draw; the largest finite one looks the same.
    limit = shown(tradeoff.dp_tpr(x, min(epsilon, 700.0), delta), axes)
    return curve(name, x, limit, look, **{**SPOKEN, **place})


def empirical(name: str, roc: game.Roc, axes: str, confidence: float) -> list[Trace]:
    """Return the curve of a played attack in its band; at each drawn FPR the step rule holds."""
    x, look = grid(axes), looks.ATTACK.estimate()
    low, high = (shown(end, axes) for end in roc.tpr_band(x, confidence, simultaneous=True))
    return [
        band(f"{sure(confidence)} band of the whole curve", x, low, high, look),
        curve(name, x, shown(roc.tpr_at(x), axes), look, **SPOKEN),
    ]
