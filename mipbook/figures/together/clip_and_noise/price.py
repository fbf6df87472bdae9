"""What a run of growing length costs: certified from both sides, and two other answers."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Count, Part, declared, layer, stacked
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import DP, PUBLISHED, SERIES, Look
from mipbook.figures.marks import Trace, band, curve, kept, reading
from mipbook.figures.words import percent, say
from mipbook.stored.accounting import NOISES, SAMPLINGS, STEPS, prices

__all__ = ["training_price"]

_SIDES = "ε that can be promised (bound)"
_LIMIT = "the Gaussian limit (approximation)"
_LEAST = 0.05
_prices = lru_cache(maxsize=len(SAMPLINGS) * len(NOISES))(prices)


def _curve(name: str, values: Array, look: Look, most: int | None = None) -> Trace:
    shown: Any = kept(values, values >= _LEAST)
    hover = "%{x} steps: ε = %{y:.3g}<extra></extra>"
    return curve(name, list(STEPS), shown, look, most=most, hovertemplate=hover)


def _curves(sampling: float, sigma: float) -> Part:
    low, high, loose, limit = np.maximum(_prices(sampling, sigma).T, 1e-3)
    # Rounded to the safe side.
    low, high, loose = (np.floor(1e4 * low) / 1e4, np.ceil(1e4 * high) / 1e4, np.ceil(1e4 * loose) / 1e4)
    hidden = np.minimum(limit, low)
    traces = [
        band("where the limit promises too much", STEPS, hidden, low, PUBLISHED),
        _curve("by Rényi divergences (bound)", loose, SERIES[3].bound(), 7),
        _curve("no less than this holds (bound)", low, SERIES[2].bound(), 7),
        _curve(_SIDES, high, DP.bound()),
        _curve(_LIMIT, limit, PUBLISHED.estimate()),
    ]
    layout = {
        "xaxis": axis("steps, T", log=True, range=[0.95, 3.22]),
        "yaxis": axis("ε at δ = 10⁻⁵", log=True, range=[-1.3, 2.05]),
        "height": 420,
    }
    grab = [{"control": "steps", "axis": "x", "track": {"x": list(STEPS), "y": high}}]
    return Part(traces, layout, meta={"grab": grab, "probe": [_SIDES, _LIMIT], "ghost": [_SIDES]})


def _at(steps: int, sampling: float, sigma: float) -> Part:
    low, high, loose, limit = _prices(sampling, sigma)[STEPS.index(steps)]
    short = limit < low
    verdict = (
        f"which is {percent(1 - limit / low, 2)} less than any accountant could promise"
        if short
        else ("which is more than is needed" if limit > high else "between the two")
    )
    least, most = say(low, 4, down), say(high, 4, up)
    sentence = (
        f"{steps:,} steps cost ε between {least} and {most} (bounds). The Gaussian limit says "
        f"{say(limit)} (approximation), {verdict}. Rényi accounting promises "
        f"{say(loose, to=up)} (bound)."
    )
    alt = (
        "ε over the number of steps, both logarithmic: two certified curves that nearly coincide, "
        f"Rényi's above them, and the Gaussian limit, which at {steps:,} steps lies "
        f"{'below both, in the shaded region' if short else 'not below them'}."
    )
    headline = f"ε ≤ {say(high, to=up)}; the limit says {say(limit)}"
    mark = reading(steps, max(high, _LEAST), "at your number of steps")
    return Part([mark], meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def training_price(
    steps: Annotated[int, Count(list(STEPS), label="Steps, T", play=True)] = 100,
    sigma: Annotated[float, Choice(list(NOISES), label="Noise, σ")] = 0.7,
    sampling: Annotated[float, Choice(list(SAMPLINGS), label="Sampling, q")] = 0.01,
) -> go.Figure:
    """Draw epsilon over the number of steps, certified from both sides, beside its limit.

    Notes
    -----
    This book, Proposition 4.2 and Example 4.3; the accountant's numbers are stored.

    Examples
    --------
    >>> training_price(100, 0.7, 0.01).layout.meta["headline"]
    'ε ≤ 2.37; the limit says 0.962'
    """
    return stacked(
        layer(_curves, sampling=sampling, sigma=sigma),
        layer(_at, steps=steps, sampling=sampling, sigma=sigma),
    )
