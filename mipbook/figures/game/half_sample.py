"""The release of random records: safe from reconstruction, and no protection at all."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Count, Part, Slider, declared, layer, stacked
from mipbook import game
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.looks import BEST, IN, LEVEL
from mipbook.figures.marks import bars, level, points
from mipbook.figures.words import percent, say
from mipbook.mechanisms import sampling_mechanism

__all__ = ["half_sample"]

# So many of the records right, and the data set counts as reconstructed.
_BLATANT = 0.95
_COLUMNS = 16
_SIZES = [20, 50, 100, 200]
_SHARES = Slider(0, 1, 0.5, step=0.025, label="Share released", play=True)
# Below this probability no bar is drawn.
_FLOOR = 1e-12
_TRACK = {"x": [100 * f for f in _SHARES.stops], "y": [0.3] * len(_SHARES.stops)}


@lru_cache(maxsize=256)
def _order(n: int, draw: int) -> NDArray[np.int64]:
    """Return the order in which records are drawn: the released ones only ever grow."""
    return np.random.default_rng([n, draw]).permutation(n)


def _people(n: int, fraction: float, draw: int) -> Part:
    """Return one mark a record: who is released in this draw, and who is not."""
    released, order = round(fraction * n), _order(n, draw)
    traces = []
    for name, records, look, symbol in (
        ("released: membership is certain", order[:released], IN, "square"),
        ("not released: hidden", order[released:], LEVEL, "circle-open"),
    ):
        x, y = np.sort(records) % _COLUMNS, -(np.sort(records) // _COLUMNS)
        dots = points(name, x, y, look.with_symbol(symbol), size=8, hoverinfo="name", **LOWER)
        traces.append(dots)
    return Part(traces)


def _said(n: int, fraction: float) -> tuple[str, str]:
    """Return the headline, and what the release is good for and whom it exposes."""
    released = round(fraction * n)
    if not released:
        return f"0 of {n} exposed", "Nobody is drawn, and nothing is learnt (exact)."
    laws = sampling_mechanism(released / n)
    tpr, _ = game.finite_rates(laws, [False, True])
    # Half ones, half zeros: the data whose mean is hardest to estimate.
    error = game.sample_mean_error(np.arange(n) % 2, released)
    told = (
        f"All {released} drawn, {percent(float(tpr))} of the people, are recognised and nobody is "
        f"accused wrongly: no factor is large enough (exact). A published share is off by "
        f"{say(error, 2)} (exact)."
    )
    return f"{released} of {n} exposed", told


def _rebuilt(n: int, fraction: float, values: int) -> Part:
    """Return how many records come out right, and what is said."""
    released = round(fraction * n)
    law = game.rows_recovered(n, released, 1 / values)
    needed = math.ceil(_BLATANT * n)
    chance = game.reconstruction_probability(n, released, 1 / values, _BLATANT)
    average = float(law @ np.arange(n + 1))
    likely = np.flatnonzero(law > _FLOOR)
    headline, exposed = _said(n, fraction)
    sentence = f"{needed} or more of {n} come out right with chance {say(chance)} (exact). {exposed}"
    alt = (
        f"A bar chart, on a logarithmic scale, of the share of {n} records that the attacker gets "
        f"right, centred at {percent(average / n)}, with a line at {percent(_BLATANT)}. Beside "
        f"it {n} marks for the records, {released} filled squares that are exposed and "
        f"{n - released} open circles."
    )
    hover = "%{x:.0f}% right: chance %{y:.2g}<extra></extra>"
    chart = bars(
        "how likely so many are right (exact)",
        100 * likely / n,
        law[likely],
        BEST,
        width=80 / n,
        hovertemplate=hover,
    )
    edge = level("released", 100 * released / n, [_FLOOR, 1], showlegend=False)
    meta = {"sentence": sentence, "alt": alt, "headline": headline}
    return Part([chart, edge], meta=meta)


def _frame() -> Part:
    """Return the axes, the same for all data sets, and the line of reconstruction."""
    layout: dict[str, Any] = {
        "xaxis": axis("records right, %", range=[-1, 101]),
        "yaxis": axis("probability", log=True, range=[-12, 0.1], dtick=3),
        "xaxis2": {"visible": False, "range": [-0.8, _COLUMNS - 0.2]},
        "yaxis2": {"visible": False, "range": [-(_SIZES[-1] / _COLUMNS) - 0.2, 0.8]},
        "height": 400,
    }
    for name, place in two_rows(0.55, 0.2).items():
        layout[name] = {**layout[name], **place}
    line = level("from here on: reconstructed", 100 * _BLATANT, [_FLOOR, 1])
    grab = [{"control": "fraction", "axis": "x", "track": _TRACK}]
    return Part([line], layout, meta={"beside": 0.6, "grab": grab})


@declared
def half_sample(
    fraction: Annotated[float, _SHARES] = 0.5,
    n: Annotated[int, Count(_SIZES, label="Records, n")] = 100,
    values: Annotated[int, Count([2, 3, 10, 100], label="Values a record can have")] = 2,
    draw: Annotated[int, Slider(1, 15, step=1, label="Draw", play=True)] = 1,
) -> go.Figure:
    """Draw how many records an attacker rebuilds from a random part, and who is exposed.

    Notes
    -----
    Lecture notes, section 2.  A record that is not released has one of so many equally likely
    values.  The factor is the e^ε of differential privacy, one record replaced.

    Examples
    --------
    >>> "(exact)" in half_sample(0.5, 20).layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_frame),
        layer(_rebuilt, n=n, fraction=fraction, values=values),
        layer(_people, n=n, fraction=fraction, draw=draw),
    )
