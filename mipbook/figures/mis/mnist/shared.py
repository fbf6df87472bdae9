"""What the figures on clusters share: one look for each kind of record, and the trade-off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook.figures import looks
from mipbook.figures.marks import Trace, curve, points

__all__ = ["CENTROIDS", "CLUSTERS", "PAIRS", "RAW", "raw_star", "trade_off"]

Array = NDArray[np.float64]

# What networks are trained on, and what a learner sees: clusters, or clusters with labels.
CENTROIDS, RAW, CLUSTERS, PAIRS = looks.SERIES


def trade_off(
    security: tuple[Array, Array],
    accuracy: Array,
    numbers: Sequence[int],
    across: tuple[Any, Any] = (None, None),
    up: Any = None,
) -> list[Trace]:
    """Draw accuracy against security, one point for each number of clusters.

    Parameters
    ----------
    security : pair of ndarray
        Of clusters, and of clusters with labels.
    numbers : sequence of int
        How many clusters, written beside the points.
    across, up
        Plotly's error bars, of each security and of the accuracy; none if not given.
    """
    names = ("atoms: clusters", "atoms: with labels")
    sides = ("middle right", "middle left")
    return [
        curve(
            name,
            x,
            accuracy,
            look,
            marked=True,
            mode="lines+markers+text",
            text=[str(k) for k in numbers],
            textposition=side,
            textfont={"color": look.colour},
            error_x=bars,
            error_y=up,
            hovertemplate="K = %{text}: right on %{y:.1%}, security %{x:.3f}<extra></extra>",
        )
        for name, x, bars, look, side in zip(names, security, across, (CLUSTERS, PAIRS), sides, strict=True)
    ]


def raw_star(name: str, security: float, accuracy: float) -> Trace:
    """Mark the network that was trained on raw records."""
    return points(name, security, accuracy, RAW.with_symbol("star"), size=14)
