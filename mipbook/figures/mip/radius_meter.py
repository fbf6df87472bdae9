"""Corollary 10 and its repair: two distributions of the noise's length, and what they deliver."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Count, Part, declared, layer, stacked
from mipbook import mip
from mipbook.base.types import Array
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.looks import MIP, PUBLISHED
from mipbook.figures.marks import Trace, curve, level, points, reading
from mipbook.figures.mip.promises import promise
from mipbook.figures.words import say
from mipbook.mip.norms import length_quantiles

__all__ = ["radius_meter"]

_DIMENSIONS = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64]
_DIMENSIONS += [digit * 10**power for power in range(2, 6) for digit in (1, 2, 5)] + [10**6]
_EXPONENTS: dict[float | str, float] = {2: 2.0, "infinity": math.inf}
_RADII = {"laplace": ("published", PUBLISHED), "gamma": ("repaired", MIP)}
_SHOWN = 150


@lru_cache(maxsize=2048)
def _delivered(dimension: int, M: float, eta: float) -> tuple[float, float]:
    """Return the eta that the published length delivers, and the repaired one."""
    published, repaired = (mip.delivered_eta(dimension, M, eta, radius) for radius in _RADII)
    return published.value, repaired.value


def _against_dimension(M: float | str, eta: float) -> Part:
    """Return the eta that is delivered in every dimension."""
    every = [_delivered(d, _EXPONENTS[M], eta) for d in _DIMENSIONS]
    delivered = list(zip(*every, strict=True))
    traces = [
        curve(
            f"{name} length (exact)",
            _DIMENSIONS,
            np.array(values),
            look,
            hovertemplate=f"in %{{x}} dimensions the {name} noise delivers η = %{{y:.3f}}<extra></extra>",
        )
        for values, (name, look) in zip(delivered, _RADII.values(), strict=True)
    ]
    traces.append(level("the promise", [1, 1e6], eta))
    layout = {
        "xaxis": axis("dimension d", log=True, range=[-0.1, 6.1], dtick=2),
        "yaxis": axis("η delivered", range=[0, 0.52]),
        "xaxis2": axis("", range=[-3, 3], showticklabels=False, zeroline=True),
        "yaxis2": axis("", range=[-3, 3], showticklabels=False, zeroline=True),
        "rows": (0.5, 0.16),
        "height": 400,
    }
    probe = [trace["name"] for trace in traces[:2]]
    track = {"x": _DIMENSIONS, "y": np.round(delivered[0], 5)}
    grab = [{"control": "dimension", "axis": "x", "track": track}]
    meta = {"beside": 0.55, "probe": probe, "ghost": probe[:1], "grab": grab}
    return Part(traces, placed(layout), meta=meta)


@lru_cache(maxsize=64)
def _lengths(dimension: int) -> dict[str, Array]:
    """Return some lengths of both kinds, in units of their mean; the ranks stay the same."""
    rank = (np.arange(_SHOWN) + 0.5) / _SHOWN
    return {name: length_quantiles(rank, dimension, name) for name in _RADII}


def _cloud(dimension: int) -> Part:
    """Return noise of both kinds, each point at its length in a direction of its own."""
    angle = np.arange(_SHOWN) * math.pi * (3 - math.sqrt(5))
    traces: list[Trace] = []
    for name, symbol in (("laplace", "x-thin-open"), ("gamma", "circle-open")):
        length = _lengths(dimension)[name]
        x, y = np.round(length * np.cos(angle), 3), np.round(length * np.sin(angle), 3)
        words, look = _RADII[name]
        look = look.with_symbol(symbol)
        traces.append(points(f"{words} noise", x, y, look, size=6, hoverinfo="skip", **LOWER))
    return Part(traces)


def _at(dimension: int, M: float | str, eta: float) -> Part:
    exponent = _EXPONENTS[M]
    published, repaired = _delivered(dimension, exponent, eta)
    broken = published > eta
    told = "breaks its promise" if broken else "keeps its promise here"
    norm = "largest-coordinate" if M == "infinity" else "Euclidean"
    sentence = (
        f"In {dimension:,} dimensions ({norm} norm) noise made for η = {say(eta)} as published "
        f"delivers η = {say(published)} on this query and {told}; the repaired noise delivers "
        f"{say(repaired)} (both exact)."
    )
    alt = (
        f"The delivered eta against the dimension, from 1 to a million: the published curve rises "
        f"and stands at {say(published)}, the repaired one never passes the line at {say(eta)}. "
        f"Beside it the lengths of the noise in {dimension:,} dimensions: the published ones crowd "
        "around zero, the repaired ones lie on a ring that grows thin with the dimension."
    )
    here = reading([dimension] * 2, [published, repaired], "at your dimension")
    headline = f"{say(published, 2)} delivered, {say(eta, 2)} promised"
    meta = {"sentence": sentence, "alt": alt, "headline": headline}
    return Part([here], meta=meta)


@declared
def radius_meter(
    dimension: Annotated[int, Count(_DIMENSIONS, label="Dimension, d", play=True)] = 8,
    M: Annotated[float | str, Choice(_EXPONENTS.keys(), label="Exponent, M")] = "infinity",
    eta: Annotated[float, promise(0.01, 0.25)] = 0.1,
) -> go.Figure:
    """Draw the lengths of the noise, and the eta that each way to draw them delivers against d.

    Notes
    -----
    MIP paper, Corollary 10, and its correction, on the query whose answer is +1 in every
    coordinate with the target and -1 without.  Lengths are in units of their mean.

    Examples
    --------
    >>> "breaks its promise" in radius_meter(8, "infinity", 0.1).layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_against_dimension, M=M, eta=eta),
        layer(_cloud, dimension=dimension),
        layer(_at, dimension=dimension, M=M, eta=eta),
    )
