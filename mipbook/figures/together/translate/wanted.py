"""From a wanted reading to the parameter: the release that just keeps it."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, LogSlider, Part, declared, layer, stacked
from mipbook import accounting
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import BEST
from mipbook.figures.marks import curve, level, reading
from mipbook.figures.words import percent, say

__all__ = ["wanted_reading"]

# The family, and what else it has.
_FAMILIES: dict[str, tuple[str, float | None]] = {
    "Gaussian noise, σ": ("gaussian", None),
    "Laplace noise, scale": ("laplace", None),
    "randomised response, ε": ("randomised response", 2),
    "(ε, 0.001)-DP, ε": ("dp", 0.001),
}
# How a reading is called, and how large it may be drawn.
_WANTED = {"advantage": "advantage", "found at FPR 1%": "tpr", "MIP: η": "eta", "MIS: Δ": "mis"}
_VALUES = LogSlider(0.012, 0.45, 0.1, points=25, label="At most", play=True)
_SIZES = np.geomspace(1e-3, 30.0, 61)
_CURVE = "the reading at each parameter"


@lru_cache(maxsize=16)
def _along(family: str, wanted: str) -> tuple[Array, Array]:
    """Return the parameters that are drawn, and the reading at each."""
    name, fixed = _FAMILIES[family]
    made, kind = accounting.FAMILIES[name], accounting.READINGS[_WANTED[wanted]]
    sizes = np.sort(1 / _SIZES) if made.hides else _SIZES
    told = [kind.read(made.made(float(size), fixed or 0), kind.at) for size in sizes]
    return sizes, np.array(told)


def _all(family: str, wanted: str) -> Part:
    """Return the reading at each parameter; the slider is the reading, so hold that."""
    sizes, told = _along(family, wanted)
    meta = {"probe": [_CURVE], "grab": [{"control": "value", "axis": "y", "at": float(sizes[0])}]}
    layout = {
        "xaxis": axis(family, log=True, range=[float(np.log10(e)) for e in (sizes[0], sizes[-1])]),
        "yaxis": axis(wanted, log=True, range=[-2.1, 0.05]),
        "height": 400,
    }
    hover = f"{family} %{{x:.3g}}: {wanted} %{{y:.3g}}<extra></extra>"
    drawn = np.clip(told, 1e-6, 1e3)
    return Part([curve(_CURVE, sizes, drawn, BEST, hovertemplate=hover)], layout, meta=meta)


def _held(family: str, wanted: str, value: float) -> Part:
    """Return the parameter with the wanted reading, and what else it means."""
    name, fixed = _FAMILIES[family]
    found = accounting.matching(name, _WANTED[wanted], value, fixed=fixed)
    safe = up if accounting.FAMILIES[name].hides else down
    release, size = found.reading, say(found.value, 4, safe)
    sizes, _ = _along(family, wanted)
    sentence = (
        f"{family} of {size} has {wanted} of {say(value)} at most (exact). An attacker is then "
        f"right at most {percent(float(release.accuracy()), to=up)} of the time at even odds "
        f"(exact), and finds at most {percent(float(release.tpr(0.001)), to=up)} at FPR 0.1% "
        "(exact). Neighbours: replace one record."
    )
    alt = (
        f"{wanted} against {family} on logarithmic axes, a level line at {say(value)}, and a "
        f"diamond where they meet, at {size}."
    )
    traces: list[dict[str, Any]] = [
        level("at most", [float(sizes[0]), float(sizes[-1])], value),
        reading(min(max(found.value, float(sizes[0])), float(sizes[-1])), value, "what you need"),
    ]
    headline = f"{family} of {size}".replace(", ", " ")
    return Part(traces, meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def wanted_reading(
    family: Annotated[str, Choice(list(_FAMILIES), label="Release")] = "Gaussian noise, σ",
    wanted: Annotated[str, Choice(list(_WANTED), label="Reading")] = "found at FPR 1%",
    value: Annotated[float, _VALUES] = 0.1,
) -> go.Figure:
    """Draw a reading against a family's parameter, and the parameter that a wanted value asks for.

    Notes
    -----
    The parameter is what `mipbook.accounting.matching` finds, which knows more families.

    Examples
    --------
    >>> wanted_reading(value=0.1).layout.meta["headline"]
    'Gaussian noise σ of 0.9572'
    """
    return stacked(
        layer(_all, family=family, wanted=wanted), layer(_held, family=family, wanted=wanted, value=value)
    )
