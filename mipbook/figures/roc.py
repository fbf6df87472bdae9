"""What the figures of ROC curves share: their axes, and what is drawn in the ROC plane."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, tradeoff

Axes = Annotated[str, k.Choice(["linear", "logarithmic"], label="Axes")]
Neighbours = Annotated[str, k.Choice(game.NEIGHBOURS, label="Neighbours in the game")]
# The least rate on a logarithmic axis; what would lie below is cut there.
FLOOR = 1e-4
ALLOWED = "all that (ε, δ)-DP allows (bound)"
# What a point of a curve says to who points at it.
SPOKEN = {"hovertemplate": "accuse %{x:.2%}, find %{y:.2%}<extra></extra>"}
_LINEAR = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 73))
_LOG = np.concatenate([np.geomspace(FLOOR, 0.5, 65)[:-1], np.linspace(0.5, 1, 9)])


def grid(axes):
    """Return the false positive rates at which curves are drawn."""
    return _LINEAR if axes == "linear" else _LOG


def rate_axes(axes, suffix=""):
    """Return the two axes of the ROC plane."""
    log = axes == "logarithmic"
    span = [float(np.log10(FLOOR)), 0.02] if log else [-0.01, 1.01]
    return {
        f"xaxis{suffix}": k.axis("wrong accusations, FPR", log=log, range=span),
        f"yaxis{suffix}": k.axis("members found, TPR", log=log, range=span),
    }


def shown(rates, axes):
    """Cut rates at the floor of a logarithmic axis."""
    found = np.asarray(rates)
    return np.maximum(found, FLOOR / 2) if axes == "logarithmic" else found


def coin(axes, **place):
    """Return the diagonal, the attackers that do not look."""
    ends = [FLOOR, 1.0] if axes == "logarithmic" else [0.0, 1.0]
    return k.level("a coin toss (exact)", ends, ends, **place)


def region(epsilon, delta, axes):
    """Return the rates in which every (epsilon, delta)-DP mechanism keeps its attackers."""
    x, look = grid(axes), k.DP.bound()
    upper = shown(tradeoff.dp_tpr(x, epsilon, delta), axes)
    # An attacker who says the opposite mirrors the plane, so the lower edge is the upper one.
    lower = shown(1 - np.asarray(tradeoff.dp_tpr(1 - x, epsilon, delta)), axes)
    line = {"color": look.colour, "dash": look.dash, "width": 2}
    return k.band(ALLOWED, x, lower, upper, look, line=line)


def edge(name, epsilon, delta, axes, look, **place):
    """Return the largest TPR that (epsilon, delta)-DP allows at each FPR."""
    x = grid(axes)
    # An infinite epsilon has no edge to draw; the largest finite one looks the same.
    limit = shown(tradeoff.dp_tpr(x, min(epsilon, 700.0), delta), axes)
    return k.curve(name, x, limit, look, **{**SPOKEN, **place})


def empirical(name, roc, axes, confidence):
    """Return the curve of a played attack in its band; at each drawn FPR the step rule holds."""
    x, look = grid(axes), k.ATTACK.estimate()
    low, high = (shown(end, axes) for end in roc.tpr_band(x, confidence, simultaneous=True))
    return [
        k.band(f"{k.sure(confidence)} band of the whole curve", x, low, high, look),
        k.curve(name, x, shown(roc.tpr_at(x), axes), look, **SPOKEN),
    ]
