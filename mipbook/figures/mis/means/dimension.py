"""Means of many coordinates: Delta depends on d/n, not on n alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.explore import Count, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.words import say
from mipbook.mis.means.many_coordinates import many_coordinates_delta, many_coordinates_records

__all__ = ["mean_dimension"]

_SIZES = (5, 20, 100, 1000)
_DIMENSIONS = [1, 3, 10, 30, 100, 300, 1000, 3000]
_RATIOS = np.geomspace(0.01, 30, 15)
_FINE_RATIOS = np.geomspace(0.01, 30, 80)


@lru_cache(maxsize=16)
def _exact(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return d/n and Delta at whole d near each ratio."""
    dimensions = np.maximum(1, np.round(_RATIOS * n)).astype(int)
    return dimensions / n, np.array([mis.gaussian_mean_delta(n, int(d)) for d in dimensions])


@declared
def mean_dimension(
    n: Annotated[int, Count(_SIZES, label="Records, n")] = 100,
    dimension: Annotated[int, Count(_DIMENSIONS, label="Coordinates, d")] = 100,
) -> go.Figure:
    """Draw Delta of the Gaussian mean against d/n for several n.

    Notes
    -----
    Limits paper, Theorem 13: the constant in front of 1/sqrt(n) hides the dimension.

    Examples
    --------
    >>> "0.384 (exact)" in mean_dimension(100, 100).layout.meta["sentence"]
    True
    """
    ratio = dimension / n
    delta = mis.gaussian_mean_delta(n, dimension)
    near = mis.gaussian_mean_delta_approximation(n, dimension)
    return finish(
        [
            *(
                points(f"n = {size:,} (exact)", *_exact(size), look)
                for size, look in zip(_SIZES, looks.SERIES, strict=True)
            ),
            curve(
                "many coordinates (approximation)",
                _FINE_RATIOS,
                many_coordinates_delta(_FINE_RATIOS),
                looks.MIS.estimate(),
            ),
            reading(ratio, delta, "this n and d"),
        ],
        sentence=(
            f"With n = {n:,} records of {dimension:,} coordinate{'s' if dimension > 1 else ''}, "
            f"d/n = {say(ratio)} and Delta = {say(delta)} (exact); 2 Phi(sqrt(d/n)/2) - 1 gives "
            f"{say(near)} (approximation). For a Delta of about 0.1 one needs "
            f"{say(many_coordinates_records(0.1, dimension))} records (approximation, for "
            f"many coordinates), in proportion to d."
        ),
        alt=(
            f"Delta against d/n on a log axis for n = 5, 20, 100 and 1,000: all marks lie near one "
            f"rising S-shaped curve; the diamond at d/n = {say(ratio)} has height {say(delta)}."
        ),
        layout={
            "xaxis": axis("coordinates a record, d/n", log=True),
            "yaxis": axis("Delta", range=[0, 1.03]),
            "height": 430,
        },
    )
