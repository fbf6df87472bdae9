"""Two records of a finite field: the sum, the squared difference, and both."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Part, Slider, declared, layer, stacked
from mipbook import accounting
from mipbook.figures.frame import axis
from mipbook.figures.looks import IN, LEVEL, MIS
from mipbook.figures.marks import points
from mipbook.figures.words import percent, say

__all__ = ["sum_and_square"]

_Q = 17
_SEEN = ("nothing", "the sum", "the square", "both")
_ONE, _TWO = np.divmod(np.arange(_Q * _Q), _Q)


def _fits(first: int, second: int, seen: str) -> np.ndarray:
    """Return which pairs of records lead to what is released."""
    fits = np.ones(_Q * _Q, dtype=bool)
    if seen in ("the sum", "both"):
        fits &= (_ONE + _TWO - first - second) % _Q == 0
    if seen in ("the square", "both"):
        fits &= ((_ONE - _TWO) ** 2 - (first - second) ** 2) % _Q == 0
    return fits


def _frame() -> Part:
    ends: dict[str, Any] = {"range": [-0.7, _Q - 0.3], "dtick": 4, "constrain": "domain"}
    layout = {
        "xaxis": axis("first record", **ends),
        "yaxis": axis("second record", scaleanchor="x", **ends),
        "height": 440,
    }
    return Part(layout=layout)


def _pairs(first: int, second: int, seen: str) -> Part:
    fits = _fits(first, second, seen)
    said = "%{x} and %{y}, "
    traces = [
        points("ruled out", _ONE[~fits], _TWO[~fits], LEVEL.with_symbol("circle"), size=3, hoverinfo="skip"),
        points(
            "still possible",
            _ONE[fits],
            _TWO[fits],
            MIS.with_symbol("square"),
            size=10,
            hovertemplate=said + "still possible<extra></extra>",
        ),
        points("the data", first, second, IN.with_symbol("circle-open"), size=19),
    ]
    chances = _record_chances(fits)
    count = int(fits.sum())
    deltas = accounting.field_deltas(_Q)
    delta = dict(zip(_SEEN, (0.0, deltas.first, deltas.second, deltas.together), strict=True))[seen]
    pairs = f"{count} pair{'s' * (count > 1)} of {_Q * _Q}"
    sure = (
        f"each of the {_Q} values is the first record as likely as before"
        if np.ptp(chances) == 0
        else "the first record is one of at most two values"
    )
    sentence = (
        f"{pairs} lead to what is released, and {sure}: this learner has Δ = {say(delta)} (exact), "
        f"security {say(1 - delta)}. The best attacker is right {percent(0.5 + delta / 2)} of the "
        "time (exact)."
    )
    alt = (
        f"A grid of {_Q} by {_Q} pairs of records with a ring around {first} and {second}. "
        f"{seen.capitalize()} released leaves {pairs} marked: all, a line, two crossing lines "
        "or two points mirrored at the diagonal."
    )
    meta = {
        "sentence": sentence,
        "alt": alt,
        "headline": f"Δ = {say(delta)} from {seen}",
        "grab": [
            {"control": "first", "axis": "x", "at": -0.7},
            {"control": "second", "axis": "y", "at": -0.7},
        ],
    }
    return Part(traces, meta=meta)


def _record_chances(fits: np.ndarray) -> np.ndarray:
    return np.asarray(np.bincount(_ONE[fits], minlength=_Q) / fits.sum())


@declared
def sum_and_square(
    first: Annotated[int, Slider(0, _Q - 1, step=1, value=12, label="First record")] = 12,
    second: Annotated[int, Slider(0, _Q - 1, step=1, value=7, label="Second record")] = 7,
    seen: Annotated[str, Choice(_SEEN, label="Released")] = "the sum",
) -> go.Figure:
    """Draw which pairs of records modulo 17 fit their sum, their squared difference, or both.

    Examples
    --------
    >>> sum_and_square(12, 7, "both").layout.meta["headline"]
    'Δ = 0.886 from both'
    """
    return stacked(layer(_frame), layer(_pairs, first=first, second=second, seen=seen))
