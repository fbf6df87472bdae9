"""Corollary 10 and its repair: two laws for the length of the noise, and what they deliver."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import mip
from mipbook.explore import Choice, Count, Stops, declared
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.looks import MIP, PUBLISHED
from mipbook.figures.marks import Trace, curve, error_bars, level, reading
from mipbook.figures.words import say
from mipbook.mip.noise.norms import length_density, radius_scale
from mipbook.runs.delivered import delivered

__all__ = ["radius_meter"]

_FEW = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)
_MANY = tuple(int(d) for d in np.round(np.geomspace(1, 1e6, 25)))
_EXPONENTS: dict[float | str, float] = {2: 2.0, 64: 64.0, "infinity": math.inf}
_LAWS = {
    "laplace": ("published, Laplace length", PUBLISHED),
    "gamma": ("repaired, Gamma length", MIP),
}


@lru_cache(maxsize=64)
def _against_dimension(M: float, eta: float, radius: str) -> Trace:
    """Return the eta that is delivered in every dimension."""
    dimensions = _MANY if M == 2 else _FEW
    found = [delivered(d, M, eta, radius) for d in dimensions]
    values, low, high, _ = zip(*found, strict=True)
    return curve(
        f"eta delivered, {radius} ({found[-1].kind})",
        dimensions,
        values,
        _LAWS[radius][1],
        marked=True,
        error_y=error_bars(values, low, high) if high > values else None,
        **LOWER,
    )


def _lengths(dimension: int, M: float, eta: float) -> list[Trace]:
    """Return the densities of both lengths, per factor e: a logarithmic axis shows areas."""
    laplace, gamma = (radius_scale(eta, M, radius) for radius in _LAWS)
    top = max(5 * laplace, (dimension + 4 * math.sqrt(dimension)) * gamma)
    length = np.geomspace(top * 1e-4, top, 81)
    return [
        curve(
            f"{name} (exact)",
            length,
            length * length_density(length, dimension, M, eta, radius),
            look,
        )
        for radius, (name, look) in _LAWS.items()
    ]


def _in_words(found: mip.Delivered) -> str:
    value = f"eta = {say(found.value)}"
    if found.kind == "exact":
        return f"{value} (exact)"
    return f"{value} (estimate, 95% band {say(found.low)} to {say(found.high)})"


@declared
def radius_meter(
    dimension: Annotated[int, Count([1, 2, 4, 8, 16, 64], label="Dimension, d")] = 8,
    M: Annotated[float | str, Choice(_EXPONENTS.keys(), label="Exponent, M")] = 64,
    eta: Annotated[float, Stops([0.01, 0.1, 0.25], label="Promise, eta")] = 0.01,
) -> go.Figure:
    """Draw the laws of the noise's length, and the eta that each delivers against d.

    Notes
    -----
    MIP paper, Corollary 10, and its correction, on the query whose answer is +1 in every
    coordinate with the target and -1 without.

    Examples
    --------
    >>> "breaks its promise" in radius_meter(8, "infinity", 0.1).layout.meta["sentence"]
    True
    """
    exponent = _EXPONENTS[M]
    published, repaired = (delivered(dimension, exponent, eta, radius) for radius in _LAWS)
    laplace, gamma = (radius_scale(eta, exponent, radius) for radius in _LAWS)
    upper = _lengths(dimension, exponent, eta)
    lower = [_against_dimension(exponent, eta, radius) for radius in _LAWS]
    ends = [lower[0]["x"][0], lower[0]["x"][-1]]
    verdict = "breaks its promise" if published.low > eta else "keeps its promise here"
    return finish(
        [
            upper[0],
            lower[0],
            upper[1],
            lower[1],
            level("the promise", ends, eta, **LOWER),
            reading(
                [dimension] * 2, [published.value, repaired.value], "at your dimension", **LOWER
            ),
        ],
        sentence=(
            f"In {dimension:,} dimensions with M = {M}, noise made for eta = {say(eta)} "
            f"as published delivers {_in_words(published)} on this query and {verdict}; the "
            f"repaired noise delivers {_in_words(repaired)}. Their mean lengths are "
            f"{say(laplace)} and {say(gamma * dimension)} (exact)."
        ),
        alt=(
            f"Above, the densities of the two lengths on a logarithmic axis, one around "
            f"{say(laplace)} and one around {say(gamma * dimension)}. Below, "
            f"the delivered eta against the dimension: the published curve rises and stands at "
            f"{say(published.value)}, the repaired one never passes the line at {say(eta)}."
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
