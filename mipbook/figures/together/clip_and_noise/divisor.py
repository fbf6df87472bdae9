"""How often the width of the noise alone tells who was in, where the divisor is the data's own."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Count, Part, declared, layer, stacked
from mipbook import dpsgd
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import BEST, DP
from mipbook.figures.marks import curve, level, reading
from mipbook.figures.words import percent

__all__ = ["divisor_leak"]

_STEPS, _SIGMA, _SAMPLING = 14_062, 1.1, 256 / 60_000
_SIZES = [m * 10**k for k in range(1, 9) for m in (1, 2, 5)] + [10**9]
_RECORDS = sorted([m * 10**k for k in range(3, 8) for m in (1, 2, 5)] + [60_000, 10**8])
_WIDTH = "right by the width of the noise (exact)"
_SPOKEN: dict[str, Any] = {"hovertemplate": "%{x:,} numbers: right in %{y:.1f}%<extra></extra>"}


def _right(parameters: Any, n: int) -> Array:
    told = dpsgd.divisor_advantage(n, _STEPS * np.asarray(parameters, dtype=float))
    return 50.0 + 50.0 * np.asarray(told)


def _allowed() -> float:
    return 50.0 + 50.0 * dpsgd.training_delta(_SAMPLING, _SIGMA, _STEPS, 0.0)


def _frame() -> Part:
    allowed = _allowed()
    sentence = (
        "{n} people, a model of {parameters} numbers, {steps} steps divided by the number of "
        "people: the width of the noise alone lets an attacker be right {right} of the time "
        "(exact). The theorem allows {allowed} in all, at σ = {sigma} and a divisor that is no "
        "secret (exact)."
    )
    alt = (
        "How often an attacker is right, from 50% to 100%, over the numbers in the model on a "
        "logarithmic axis. A curve rises from 50% to 100%; at {parameters} it is at {right}. A "
        "level line stands at {allowed}, what the theorem allows."
    )
    layout = {
        "xaxis": axis("numbers in the model, d", log=True, range=[0.9, 9.1]),
        "yaxis": axis("right, in percent", range=[49, 101]),
        "height": 340,
    }
    name = "all that the theorem allows (exact)"
    words = {"allowed": percent(allowed / 100), "sigma": f"{_SIGMA:g}", "steps": f"{_STEPS:,}"}
    meta = {"sentence": sentence, "alt": alt, "probe": [_WIDTH]}
    return Part(
        [level(name, [_SIZES[0], _SIZES[-1]], allowed, DP)],
        layout,
        words=words,
        meta={**meta, "headline": "{right} right, where {allowed} are allowed"},
    )


def _curve(n: int) -> Part:
    right = _right(_SIZES, n)
    grab = [{"control": "parameters", "axis": "x", "track": {"x": _SIZES, "y": right.tolist()}}]
    trace = curve(_WIDTH, _SIZES, right, BEST, **_SPOKEN)
    return Part([trace], words={"n": f"{n:,}"}, meta={"grab": grab, "ghost": [_WIDTH]})


def _here(parameters: int, n: int) -> Part:
    right = float(_right(parameters, n))
    words = {"parameters": f"{parameters:,}", "right": percent(right / 100)}
    return Part([reading(parameters, right, "at your model", **_SPOKEN)], words=words)


@declared
def divisor_leak(
    parameters: Annotated[int, Count(_SIZES, label="Numbers in the model, d", play=True)] = 100_000,
    n: Annotated[int, Count(_RECORDS, label="People, n")] = 60_000,
) -> go.Figure:
    """Draw how often pure noise, divided by the data's own number, tells whether one is missing.

    Notes
    -----
    Exact: `mipbook.dpsgd.divisor_advantage`; the level is Theorem 4.1 for a published run.

    Examples
    --------
    >>> divisor_leak().layout.meta["headline"]
    '67.1% right, where 61.2% are allowed'
    """
    return stacked(layer(_frame), layer(_curve, n=n), layer(_here, parameters=parameters, n=n))
