"""Hold a reading: the noise and the promises that have it follow."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, LogSlider, Part, declared, layer, stacked
from mipbook import accounting
from mipbook.base.rounding import down, up
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.looks import DP, SERIES, Look
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.roc import SPOKEN, coin, rate_axes, shown
from mipbook.figures.words import people, percent, say

__all__ = ["same_reading"]

_HELD = {"advantage": "advantage", "found at FPR 1%": "tpr", "MIS: Δ": "mis"}
_LEVELS = LogSlider(0.03, 0.9, 0.1, points=25, label="Held at", play=True)
_FPR = np.concatenate([np.geomspace(1e-4, 0.3, 36), [0.5, 0.7, 0.85, 0.95, 1.0]])
_RARE = 0.001
# The name of a curve, the family, what is fixed of it, the row of its parameter, its look.
_FAMILIES: tuple[tuple[str, str, float | None, str, Look], ...] = (
    ("ε-DP", "dp", None, "pure ε", DP),
    ("(ε, 0.01)-DP", "dp", 0.01, "ε, δ = 0.01", SERIES[3]),
    ("Gaussian noise", "gaussian", None, "Gaussian σ", SERIES[0].exact()),
    ("Laplace noise", "laplace", None, "Laplace b", SERIES[1]),
)
_HEIGHTS = np.arange(len(_FAMILIES))[::-1]
_LEAST, _MOST = 0.005, 50.0


@lru_cache(maxsize=1024)
def _matched(held: str, level: float) -> tuple[accounting.Match, ...]:
    """Return the four releases whose reading is the level."""
    return tuple(
        accounting.matching(family, _HELD[held], level, fixed=fixed) for _, family, fixed, _, _ in _FAMILIES
    )


def _tracks(held: str) -> Part:
    """Return the axes, and what can be held: the parameters, and the curves where they meet."""
    levels = [float(level) for level in _LEVELS.stops]
    values = np.array([[each.value for each in _matched(held, level)] for level in levels])
    rounded = [[float(f"{v:.4g}") for v in column] for column in np.clip(values, _LEAST, _MOST).T]
    grab: list[dict[str, Any]] = [
        {"control": "level", "axis": "x2", "track": {"x": column, "y": [int(height)] * len(column)}}
        for column, height in zip(rounded, _HEIGHTS, strict=True)
    ]
    if held == "found at FPR 1%":
        meet = {"x": [0.01] * len(levels), "y": levels}
        grab.append({"control": "level", "axis": "y", "track": meet})
    layout = {
        **rate_axes("logarithmic"),
        "xaxis2": axis("parameter", log=True, range=[np.log10(_LEAST), np.log10(_MOST)]),
        "yaxis2": axis(
            "",
            range=[-0.7, len(_FAMILIES) - 0.3],
            tickvals=_HEIGHTS.tolist(),
            ticktext=[row for _, _, _, row, _ in _FAMILIES],
            automargin=True,
        ),
        "rows": (0.62, 0.24),
        "height": 440,
    }
    names = [name for name, *_ in _FAMILIES]
    meta = {"beside": 0.55, "grab": grab, "probe": names, "ghost": names[2:3]}
    return Part([coin("logarithmic")], placed(layout), meta=meta)


def _followed(held: str, level: float) -> Part:
    """Return the curves, the parameters that follow, and where the releases differ."""
    found = _matched(held, level)
    traces = [
        curve(name, _FPR, shown(each.reading.tpr(_FPR), "logarithmic"), look, **SPOKEN)
        for (name, _, _, _, look), each in zip(_FAMILIES, found, strict=True)
    ]
    rates = [float(each.reading.tpr(_RARE)) for each in found]
    traces.append(reading([_RARE] * len(rates), rates, "at FPR 0.1%", hoverinfo="skip"))
    # More noise, or a smaller promise, than is needed.
    sizes = [
        say(each.value, to=up if accounting.FAMILIES[family].hides else down)
        for (_, family, *_), each in zip(_FAMILIES, found, strict=True)
    ]
    rows = zip(_FAMILIES, found, sizes, _HEIGHTS, strict=True)
    for (name, _, _, _, look), each, size, height in rows:
        mark: dict[str, Any] = {"mode": "markers+text", "text": [f"\u2003{size}\u2003"], "size": 13}
        mark |= {"textposition": "middle left" if each.value > 0.5 else "middle right"}
        mark |= {"textfont": {"color": look.colour}, "showlegend": False, "hoverinfo": "skip"}
        value = min(max(each.value, _LEAST), _MOST)
        traces.append(
            points(f"{name}, parameter", value, int(height), look.with_symbol("diamond"), **mark) | LOWER
        )
    pure, few, gauss, laplace = sizes
    least, most = people(min(rates), up), people(max(rates), up)
    sentence = (
        f"{held} is at most {say(level)} for σ = {gauss}, for Laplace noise of scale {laplace}, "
        f"for {pure}-DP and for ({few}, 0.01)-DP (all "
        f"{'bounds' if held == 'MIS: Δ' else 'exact'}). Yet who accuses 1 of 1,000 others finds at "
        f"most {least} members in one of them and {most} in another (exact). Neighbours: replace "
        "one record."
    )
    alt = (
        f"On the left four ROC curves on logarithmic axes with the same {held}; at FPR 0.1% they "
        f"stand between {percent(min(rates), to=up)} and {percent(max(rates), to=up)}. On the "
        f"right the four parameters on a logarithmic ruler: {pure}, {few}, {gauss} and {laplace}."
    )
    times = max(rates) / min(rates)
    headline = f"{say(times, 2)} times apart at FPR 0.1%"
    sentence = sentence[0].upper() + sentence[1:]
    return Part(traces, meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def same_reading(
    held: Annotated[str, Choice(list(_HELD), label="What is held")] = "advantage",
    level: Annotated[float, _LEVELS] = 0.1,
) -> go.Figure:
    """Draw four releases that share one reading, and the parameters that follow from it.

    Notes
    -----
    The parameters are those that `mipbook.accounting.matching` finds.

    Examples
    --------
    >>> same_reading().layout.meta["headline"]
    '9.2 times apart at FPR 0.1%'
    """
    return stacked(layer(_tracks, held=held), layer(_followed, held=held, level=level))
