"""Corollary 10 and its repair: two laws for the length of the noise, and what they deliver."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from scipy.special import gammaln

from mipbook import mip
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREY, INK, ORANGE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import say
from mipbook.mip.noise.norms import RADII, radius_scale

__all__ = ["radius_meter"]

_FEW = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)
_EXPONENTS: dict[float | str, float] = {2: 2.0, 64: 64.0, "infinity": math.inf}
_MANY = tuple(int(d) for d in np.round(np.geomspace(1, 1e6, 25)))


@lru_cache(maxsize=1024)
def _delivered(d: int, M: float, eta: float, radius: str) -> mip.Delivered:
    # One seed for every setting, so that the simulated curves are smooth.
    return mip.delivered_eta(d, M, eta, radius, np.random.default_rng(70))


def radius_meter(dimension: int = 8, M: float | str = 64, eta: float = 0.01) -> go.Figure:
    """Draw the laws of the noise's length, and the eta that each delivers against d.

    Parameters
    ----------
    dimension : int
        Coordinates of the released vector: in [1, 1,000,000] for M = 2, else in [1, 64].
    M : {2, 64, "infinity"}
        Exponent of the norm.
    eta : float
        The promise, in (0, 1/2).

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, Corollary 10, and its correction, on the query whose answer is +1 in every
    coordinate with the target and -1 without.

    Examples
    --------
    >>> "breaks its promise" in radius_meter(8, "infinity", 0.1).layout.meta["sentence"]
    True
    """
    exponent = _EXPONENTS[validate.choice("M", M, tuple(_EXPONENTS))]
    grid = _MANY if exponent == 2 else _FEW
    dimension = validate.integer("dimension", dimension, 1, grid[-1])
    eta = validate.number("eta", eta, 0.0, 0.5, open_low=True, open_high=True)
    figure = go.Figure()
    scales = {radius: radius_scale(eta, exponent, radius) for radius in RADII}
    names = {"laplace": "published, Laplace length", "gamma": "repaired, Gamma length"}
    looks = {"laplace": (ORANGE, "dash", "square"), "gamma": (BLUE, "solid", "circle")}
    top = max(5 * scales["laplace"], (dimension + 4 * math.sqrt(dimension)) * scales["gamma"])
    length = np.geomspace(top * 1e-4, top, 81)
    here = {}
    for radius, (colour, dash, symbol) in looks.items():
        scale, shape = scales[radius], 1 if radius == "laplace" else dimension
        # Density per factor e of the length, which a logarithmic axis shows as areas.
        log_density = shape * np.log(length / scale) - length / scale - gammaln(shape)
        figure.add_scatter(
            x=length,
            y=np.exp(np.maximum(log_density, -60)),
            mode="lines",
            name=f"{names[radius]} (exact)",
            line={"color": colour, "dash": dash, "width": 3},
        )
        found = [_delivered(d, exponent, eta, radius) for d in grid]
        here[radius] = _delivered(dimension, exponent, eta, radius)
        spread = [f.high - f.value for f in found]
        figure.add_scatter(
            x=grid,
            y=[f.value for f in found],
            error_y={"type": "data", "array": spread, "thickness": 1.5} if any(spread) else None,
            mode="lines+markers",
            name=f"eta delivered, {radius} ({found[-1].kind})",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"color": colour, "symbol": symbol, "size": 7},
            **LOWER,
        )
    figure.add_scatter(
        x=[grid[0], grid[-1]],
        y=[eta, eta],
        mode="lines",
        name="the promise",
        line={"color": GREY, "dash": "longdash", "width": 2},
        **LOWER,
    )
    figure.add_scatter(
        x=[dimension, dimension],
        y=[here["laplace"].value, here["gamma"].value],
        mode="markers",
        name="at your dimension",
        showlegend=False,
        marker={"color": INK, "symbol": "diamond", "size": 11},
        **LOWER,
    )
    old, new = here["laplace"], here["gamma"]
    verdict = "breaks its promise" if old.low > eta else "keeps its promise here"
    return finish(
        figure,
        sentence=(
            f"In {dimension:,} dimensions with M = {M}, noise made for eta = {say(eta)} "
            f"as published delivers {_told(old)} on this query and {verdict}; the repaired noise "
            f"delivers {_told(new)}. Their mean lengths are {say(scales['laplace'])} and "
            f"{say(scales['gamma'] * dimension)} (exact)."
        ),
        alt=(
            f"Above, the densities of the two lengths on a logarithmic axis, one around "
            f"{say(scales['laplace'])} and one around {say(scales['gamma'] * dimension)}. Below, "
            f"the delivered eta against the dimension: the published curve rises and stands at "
            f"{say(old.value)}, the repaired one never passes the line at {say(eta)}."
        ),
        layout={
            "xaxis": axis("length of the noise, in units of sigma", log=True),
            "yaxis": axis("density", rangemode="tozero"),
            "xaxis2": axis("dimension d", log=True),
            "yaxis2": axis("eta delivered", rangemode="tozero"),
            "rows": (0.42, 0.2),
            "height": 680,
        },
    )


def _told(found: mip.Delivered) -> str:
    if found.kind == "exact":
        return f"eta = {say(found.value)} (exact)"
    return f"eta = {say(found.value)} (estimate, 95% band {say(found.low)} to {say(found.high)})"
