"""What the figures of ROC curves share: grids, axes, regions, bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import tradeoff
from mipbook.base.palette import GREY, INK, fill
from mipbook.figures.frame import axis
from mipbook.figures.words import sure
from mipbook.game import Roc

__all__ = [
    "AXES",
    "FLOOR",
    "add_band",
    "add_coin",
    "add_point",
    "add_region",
    "grid",
    "rate_axes",
    "shown",
]

Array = NDArray[np.float64]
AXES = ("linear", "logarithmic")
# The least rate on a logarithmic axis; what would lie below is cut there.
FLOOR = 1e-4
_LINEAR = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 49))
_LOG = np.concatenate([np.geomspace(FLOOR, 0.5, 45)[:-1], np.linspace(0.5, 1, 6)])


def grid(axes: str) -> Array:
    """Return the false positive rates at which curves are drawn."""
    return _LINEAR if axes == "linear" else _LOG


def rate_axes(axes: str, suffix: str = "") -> dict[str, Any]:
    """Return the two axes of the ROC plane."""
    log = axes == "logarithmic"
    span = [float(np.log10(FLOOR)), 0.02] if log else [-0.01, 1.01]
    return {
        f"xaxis{suffix}": axis("false positive rate, FPR", log=log, range=span),
        f"yaxis{suffix}": axis("true positive rate, TPR", log=log, range=span),
    }


def shown(rates: Array, axes: str) -> Array:
    """Cut rates at the floor of a logarithmic axis."""
    return np.maximum(rates, FLOOR / 2) if axes == "logarithmic" else rates


def add_region(
    figure: go.Figure, epsilon: float, delta: float, axes: str, colour: str, **place: Any
) -> None:
    """Shade the rates that every (epsilon, delta)-DP mechanism keeps its attackers in."""
    x = grid(axes)
    upper = np.asarray(tradeoff.dp_tpr(x, epsilon, delta))
    # An attacker who says the opposite mirrors the plane, so the lower edge is the upper one.
    lower = 1 - np.asarray(tradeoff.dp_tpr(1 - x, epsilon, delta))
    figure.add_scatter(
        x=np.concatenate([x, x[::-1]]),
        y=shown(np.concatenate([upper, lower[::-1]]), axes),
        fill="toself",
        fillcolor=fill(colour),
        line={"color": colour, "dash": "dot", "width": 2},
        hoverinfo="skip",
        name="all that (epsilon, delta)-DP allows (bound)",
        **place,
    )


def add_coin(figure: go.Figure, axes: str, **place: Any) -> None:
    """Draw the diagonal, the attackers that do not look."""
    ends = [FLOOR, 1.0] if axes == "logarithmic" else [0.0, 1.0]
    figure.add_scatter(
        x=ends,
        y=ends,
        mode="lines",
        name="a coin (exact)",
        line={"color": GREY, "dash": "longdash", "width": 1.5},
        hoverinfo="skip",
        **place,
    )


def add_band(
    figure: go.Figure,
    curve: Roc,
    axes: str,
    colour: str,
    confidence: float,
    name: str,
    **place: Any,
) -> None:
    """Draw an empirical curve with its simultaneous band; at each drawn FPR the step rule holds."""
    x = grid(axes)
    low, high = curve.tpr_band(x, confidence, simultaneous=True)
    figure.add_scatter(
        x=np.concatenate([x, x[::-1]]),
        y=shown(np.concatenate([high, np.asarray(low)[::-1]]), axes),
        fill="toself",
        fillcolor=fill(colour),
        line={"width": 0},
        hoverinfo="skip",
        name=f"{sure(confidence)} band, everywhere at once",
        **place,
    )
    figure.add_scatter(
        x=x,
        y=shown(np.asarray(curve.tpr_at(x)), axes),
        mode="lines",
        name=name,
        line={"color": colour, "width": 2},
        **place,
    )


def add_point(figure: go.Figure, fpr: Any, tpr: Any, name: str, **settings: Any) -> None:
    """Mark operating points."""
    figure.add_scatter(
        x=np.atleast_1d(fpr),
        y=np.atleast_1d(tpr),
        mode="markers",
        name=name,
        marker={"color": INK, "size": 11, "symbol": "diamond"},
        **settings,
    )
