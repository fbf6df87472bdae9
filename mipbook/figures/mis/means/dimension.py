"""Means of many coordinates: Delta depends on d/n, not on n alone."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say

__all__ = ["mean_dimension"]

_SIZES = (5, 20, 100, 1000)
_RATIOS = np.geomspace(0.01, 30, 15)
_MARKS = ((BLUE, "circle"), (ORANGE, "square"), (GREEN, "triangle-up"), (PURPLE, "x"))


@lru_cache(maxsize=16)
def _curve(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    d = np.maximum(1, np.round(_RATIOS * n)).astype(int)
    return d / n, np.array([mis.gaussian_mean_delta(n, int(each)) for each in d])


def mean_dimension(n: int = 100, d: int = 100) -> go.Figure:
    """Draw Delta of the Gaussian mean against d/n for several n.

    Parameters
    ----------
    n : int
        Records, in [2, 10000].
    d : int
        Coordinates, in [1, 100000].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 13: the constant in front of 1/sqrt(n) hides the dimension.

    Examples
    --------
    >>> "0.384 (exact)" in mean_dimension(100, 100).layout.meta["sentence"]
    True
    """
    n = validate.integer("n", n, 2, 10_000)
    d = validate.integer("d", d, 1, 100_000)
    figure = go.Figure()
    for size, (colour, symbol) in zip(_SIZES, _MARKS, strict=True):
        ratio, heights = _curve(size)
        figure.add_scatter(
            x=ratio,
            y=heights,
            mode="markers",
            name=f"n = {size:,} (exact)",
            marker={"color": colour, "symbol": symbol, "size": 8},
        )
    fine = np.geomspace(0.01, 30, 80)
    figure.add_scatter(
        x=fine,
        y=[math.erf(math.sqrt(t / 8)) for t in fine],
        mode="lines",
        name="many coordinates (approximation)",
        line={"color": GREY, "width": 2},
    )
    delta = mis.gaussian_mean_delta(n, d)
    near = mis.gaussian_mean_delta_approximation(n, d)
    figure.add_scatter(
        x=[d / n],
        y=[delta],
        mode="markers",
        name="this n and d",
        marker={"color": INK, "symbol": "diamond-open", "size": 15, "line": {"width": 2.5}},
    )
    return finish(
        figure,
        sentence=(
            f"With n = {n:,} records of {d:,} coordinate{'s' if d > 1 else ''}, d/n = "
            f"{say(d / n)} and Delta = {say(delta)} (exact); 2 Phi(sqrt(d/n)/2) - 1 gives "
            f"{say(near)} (approximation). For a Delta of about 0.1 one needs "
            f"{say(_needed(d))} records (approximation, for "
            f"many coordinates), in proportion to d."
        ),
        alt=(
            f"Delta against d/n on a log axis for n = 5, 20, 100 and 1,000: all marks lie near one "
            f"rising S-shaped curve; the diamond at d/n = {say(d / n)} has height {say(delta)}."
        ),
        layout={
            "xaxis": axis("coordinates a record, d/n", log=True),
            "yaxis": axis("Delta", range=[0, 1.03]),
            "height": 430,
        },
    )


def _needed(d: int) -> float:
    """Return the n at which the approximation is one tenth."""
    from scipy.special import ndtri

    return d / float(2 * ndtri(0.55)) ** 2
