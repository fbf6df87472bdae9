"""One release, every reading: hold any of them, and the release follows."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, LogSlider, Part, declared, layer, stacked
from mipbook.accounting import Reading
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.looks import BEST, DP, MIP, MIS, Look
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.roc import SPOKEN, coin
from mipbook.figures.together.translate.releases import DELTA, RELEASES, kind, known, neighbours
from mipbook.figures.words import people, percent, say

__all__ = ["every_reading"]

_SIZES = LogSlider(0.05, 10, 3.0, points=33, label="Its number: ε, μ = 1/σ or ρ", play=True)
_FPR = np.concatenate([np.geomspace(1e-4, 0.5, 49), np.linspace(0.55, 1.0, 8)])
# A row of the ruler: what is read, how it looks, and how it is written.
_ROWS: dict[str, tuple[Callable[[Reading], float], Look, Callable[..., str]]] = {
    "ε at 10⁻⁵": (lambda found: float(found.epsilon(DELTA)), DP, say),
    "advantage": (lambda found: found.advantage.value, BEST, say),
    "TPR at 1%": (lambda found: float(found.tpr(0.01)), BEST, percent),
    "TPR at 0.1%": (lambda found: float(found.tpr(0.001)), BEST, percent),
    "AUC less ½": (lambda found: found.auc.value - 0.5, BEST, say),
    "MIP: η": (lambda found: found.eta.value, MIP, say),
    "MIS: Δ": (lambda found: found.mis.value, MIS, say),
}
_HEIGHTS = np.arange(len(_ROWS))[::-1]
_LEAST, _MOST = 5e-4, 200.0
_CURVE = "the best attacker"


@lru_cache(maxsize=1024)
def _read(release: str, size: float) -> Array:
    """Return all rows of the ruler."""
    found = known(release, size)
    return np.array([read(found) for read, _, _ in _ROWS.values()])


def _tracks(release: str) -> Part:
    """Return what can be held: each row, and the curve at a false positive rate of 1%."""
    rows = np.array([_read(release, float(size)) for size in _SIZES.stops])
    shown = np.clip(rows, _LEAST, _MOST)
    rounded = [[float(f"{value:.4g}") for value in column] for column in shown.T]
    grab: list[dict[str, Any]] = [
        {"control": "size", "axis": "x2", "track": {"x": column, "y": [int(height)] * len(column)}}
        for column, height in zip(rounded, _HEIGHTS, strict=True)
    ]
    # The row of the rate at 1%, once more on the curve itself.
    grab.append({"control": "size", "axis": "y", "track": {"x": [0.01] * len(rows), "y": rounded[2]}})
    layout = {
        "xaxis": axis("wrong accusations, FPR", log=True, range=[-4.05, 0.05]),
        "yaxis": axis("found, TPR", range=[-0.02, 1.02]),
        "xaxis2": axis("each reading, on one ruler", log=True, range=[np.log10(_LEAST), np.log10(_MOST)]),
        "yaxis2": axis(
            "",
            range=[-0.7, len(_ROWS) - 0.3],
            tickvals=_HEIGHTS.tolist(),
            ticktext=list(_ROWS),
            automargin=True,
        ),
        "rows": (0.42, 0.26),
        "height": 440,
    }
    meta = {"beside": 0.5, "grab": grab, "probe": [_CURVE], "ghost": [_CURVE]}
    diagonal = {**coin("logarithmic"), "x": _FPR, "y": _FPR, "showlegend": False}
    return Part([diagonal], placed(layout), meta=meta)


def _table(found: Reading, read: dict[str, float]) -> list[list[str]]:
    """Return every reading, and what sort of number it is; those of the ruler are read."""
    sort = kind(found)
    rates = [
        ["found at FPR " + percent(f) + ", at most", percent(float(found.tpr(f)), to=up)]
        for f in (0.1, 0.01, 1e-3)
    ]
    return [
        ["reading", "value", "kind"],
        ["right at even odds, at most", percent(float(found.accuracy()), to=up), "exact"],
        ["advantage, TPR − FPR, at most", say(read["advantage"], to=up), "exact"],
        *([*row, sort] for row in rates),
        ["area under the curve, AUC, at most", say(found.auc.value, to=up), sort],
        ["DP: δ at ε = 1, at most", say(float(found.delta(1.0)), to=up), sort],
        ["DP, PMP: ε at δ = 10⁻⁵, at most", say(read["ε at 10⁻⁵"], to=up), sort],
        ["MIP: η, at most", say(read["MIP: η"], to=up), "exact"],
        ["MIS: security 1 − Δ, at least", say(1 - read["MIS: Δ"], to=down), "bound"],
    ]


def _here(release: str, size: float) -> Part:
    """Return the curve, the ruler, and what they mean."""
    found, values = known(release, size), _read(release, size).tolist()
    read = dict(zip(_ROWS, values, strict=True))
    told, sort = RELEASES[release].told(size), kind(found)
    at = read["TPR at 1%"]
    traces = [
        curve(f"{_CURVE} ({sort})", _FPR, found.tpr(_FPR), BEST, **SPOKEN) | {"name": _CURVE},
        reading(0.01, at, "at FPR 1%", hoverinfo="skip"),
    ]
    for (name, (_, look, write)), value, height in zip(_ROWS.items(), values, _HEIGHTS.tolist(), strict=True):
        mark: dict[str, Any] = {"mode": "markers+text", "text": [f"\u2003{write(value, to=up)}\u2003"]}
        mark |= {"textposition": "middle left" if value > 1 else "middle right", "size": 13}
        mark |= {"textfont": {"color": look.colour}, "showlegend": False, "hoverinfo": "skip"}
        shown = min(max(value, _LEAST), _MOST)
        traces.append(points(name, shown, height, look.with_symbol("diamond"), **mark, **LOWER))
    half = float(found.predictive_value(0.01))
    sentence = (
        f"Who accuses 10 of 1,000 others finds at most {people(at, up)} members ({sort}); if half "
        f"were members before, at most {people(half, up)} accused are ({sort}). Known is {told}: "
        f"right at most {percent(float(found.accuracy()), to=up)} of the time at even odds, η at "
        f"most {say(read['MIP: η'], to=up)} (both exact), ε at most "
        f"{say(read['ε at 10⁻⁵'], to=up)} at δ = 10⁻⁵ ({sort}), security at least "
        f"{say(1 - read['MIS: Δ'], to=down)} (bound). Neighbours: {neighbours(found)}."
    )
    alt = (
        f"On the left the ROC curve of {told}, with FPR on a logarithmic axis and a diamond at 1% "
        f"and {percent(at, to=up)}. On the right {len(_ROWS)} diamonds on one logarithmic ruler: "
        + "; ".join(
            f"{name} {write(value, to=up)}"
            for (name, (_, _, write)), value in zip(_ROWS.items(), values, strict=True)
        )
        + "."
    )
    meta = {
        "sentence": sentence,
        "alt": alt,
        "headline": f"at most {people(at, up)} members found",
        "table": _table(found, read),
    }
    return Part(traces, meta=meta)


@declared
def every_reading(
    release: Annotated[str, Choice(list(RELEASES), label="What is known")] = "(ε, 10⁻⁵)-DP",
    size: Annotated[float, _SIZES] = 3.0,
) -> go.Figure:
    """Draw what one number of a release means in every notion, each on one ruler.

    Notes
    -----
    `mipbook.accounting.translate` reads any parameters.

    Examples
    --------
    >>> every_reading().layout.meta["headline"]
    'at most 201 of 1,000 members found'
    """
    return stacked(layer(_tracks, release=release), layer(_here, release=release, size=size))
