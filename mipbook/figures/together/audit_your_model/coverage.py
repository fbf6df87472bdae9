"""What an audit proves of a mechanism whose epsilon is known, and how often it is right."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Part, Slider, declared, layer, stacked
from mipbook import audit
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import BEST
from mipbook.figures.marks import band, curve, level, reading
from mipbook.figures.together.audit_your_model.proof import CANARIES
from mipbook.figures.words import percent, say

__all__ = ["audit_coverage"]

_TRUE = Slider(0.25, 8, 2.0, step=0.25, label="True ε", play=True)
_STOPS = np.array(_TRUE.stops)
_SHARES = (0.05, 0.5, 0.95)
_MEDIAN = "the median run (exact)"
_SPOKEN: dict[str, Any] = {"hovertemplate": "true ε = %{x}: %{y:.2f} is proved<extra></extra>"}


@lru_cache(maxsize=64)
def _proved(canaries: int) -> Array:
    """Return the quantiles of what is proved, by share and true epsilon."""
    shares = np.array(_SHARES)[:, None]
    return np.asarray(audit.proof_quantile(shares, canaries, _STOPS))


@lru_cache(maxsize=1024)
def _right(canaries: int, epsilon: float) -> float:
    return 1.0 - audit.false_alarm(canaries, epsilon)


def _frame() -> Part:
    sentence = (
        "Randomised response at ε = {epsilon}, all {canaries} canaries guessed: the median run "
        "proves {median}, nine runs of ten {low} to {high} (exact, δ = 0). The bound holds "
        "in {right} of the runs (exact; 95% is promised). No run can prove more than {ceiling}."
    )
    alt = (
        "The ε that is proved against the true one, 0 to 8. A band around a rising curve lies "
        "below the diagonal and flattens at {ceiling}, the ceiling for {canaries} canaries. At "
        "{epsilon} the curve is at {median}, the band from {low} to {high}."
    )
    layout = {
        "xaxis": axis("true ε", range=[0, 8.2]),
        "yaxis": axis("ε that is proved", range=[0, 8.4]),
        "height": 420,
    }
    meta = {"sentence": sentence, "alt": alt, "probe": [_MEDIAN]}
    return Part(layout=layout, meta={**meta, "headline": "{median} is proved of {epsilon}"})


def _curves(canaries: int) -> Part:
    low, median, high = _proved(canaries)
    ceiling = float(audit.canary_ceiling(canaries))
    traces = [
        level("the truth", [0, 8.2], [0, 8.2]),
        level("every guess right (exact)", [0, 8.2], ceiling, BEST.bound()),
        band("nine runs of ten (exact)", _STOPS, low, high, BEST),
        curve(_MEDIAN, _STOPS, median, BEST, **_SPOKEN),
    ]
    track = {"x": _STOPS.tolist(), "y": median.tolist()}
    return Part(
        traces,
        words={"canaries": f"{canaries:,}", "ceiling": say(ceiling, to=up)},
        meta={"grab": [{"control": "epsilon", "axis": "x", "track": track}]},
    )


def _here(epsilon: float, canaries: int) -> Part:
    # At a stop it is a point of the curves.
    stop = np.flatnonzero(epsilon == _STOPS)
    if stop.size:
        found = _proved(canaries)[:, stop[0]]
    else:
        found = np.asarray(audit.proof_quantile(_SHARES, canaries, epsilon))
    low, median, high = found
    words = {
        "epsilon": say(epsilon),
        "low": say(float(low), to=down),
        "median": say(float(median), to=down),
        "high": say(float(high), to=down),
        "right": percent(_right(canaries, epsilon), to=down),
    }
    return Part([reading(epsilon, median, "at your ε", **_SPOKEN)], words=words)


@declared
def audit_coverage(
    epsilon: Annotated[float, _TRUE] = 2.0, canaries: Annotated[int, CANARIES] = 1000
) -> go.Figure:
    """Draw what an audit of randomised response proves against its true epsilon.

    Notes
    -----
    Exact, by the binomial: `mipbook.audit.proof_quantile` and `false_alarm`.

    Examples
    --------
    >>> audit_coverage().layout.meta["headline"]
    '1.83 is proved of 2'
    """
    return stacked(
        layer(_frame), layer(_curves, canaries=canaries), layer(_here, epsilon=epsilon, canaries=canaries)
    )
