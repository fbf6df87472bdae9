"""How often an audit of a run without any leak raises an alarm, if its guesses are chosen late."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Count, Part, declared, layer, stacked
from mipbook import audit
from mipbook.base.types import Array
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.looks import ATTACK, BEST, OUT
from mipbook.figures.marks import curve, level, points, reading
from mipbook.figures.words import percent

__all__ = ["chosen_afterwards"]

_CANARIES = 1000
_NUMBERS = (*range(1, 13), 14, 16, 18, 20, 22, 25, 28, 30, 33, 36, 40, 45, 50)
_AFTER, _SHARED = "chosen after looking (exact)", "5% shared among all (exact)"
_SPOKEN: dict[str, Any] = {"hovertemplate": "%{x} numbers tried: %{y:.1%} false alarms<extra></extra>"}
_RUNS = Count(range(1, 16), 1, label="Run", play=True)


def _tried(numbers: int) -> Array:
    """Return so many numbers of guesses, in equal steps up to all canaries."""
    return np.round(np.arange(1, numbers + 1) * _CANARIES / numbers)


@lru_cache(maxsize=4)
def _alarms(shared: bool) -> Array:
    return np.array([audit.false_alarm(_tried(n), corrected=shared) for n in _NUMBERS])


@lru_cache(maxsize=128)
def _needed(numbers: int, shared: bool) -> Array:
    confidence = 1 - 0.05 / (numbers if shared else 1)
    return np.asarray(audit.right_needed(0.0, _tried(numbers), confidence=confidence))


@lru_cache(maxsize=32)
def _walk(run: int) -> Array:
    """Return how many guesses are right, the surest first, where all are coin tosses."""
    right = np.random.default_rng((172, run)).random(_CANARIES) < 0.5
    return np.concatenate([[0], np.cumsum(right)])


def _frame() -> Part:
    sentence = (
        "A run that reveals nothing is audited with {numbers}: {alarms} of such audits claim a "
        "leak (exact; 5% is promised). Run {run}: {verdict}."
    )
    alt = (
        "Above, right guesses beyond half of the guesses made, for the surest guess first: a "
        "jagged line of run {run}, and {marks} at heights that would be an alarm; {verdict}. "
        "Below, the share of false alarms against the numbers tried: one curve rises from 5% to "
        "{most}, the other stays below 5%."
    )
    layout = {
        "xaxis": axis("guesses made, the surest first", range=[0, 1020]),
        "yaxis": axis("right, beyond half", range=[-55, 55]),
        "xaxis2": axis("numbers of guesses tried", range=[0, 51]),
        "yaxis2": axis("false alarms", range=[0, 0.4], tickformat=".0%"),
        "rows": (0.5, 0.2),
        "height": 480,
    }
    after, shared = _alarms(False), _alarms(True)
    traces = [
        level("5%, as promised", [0, 51], 0.05, **LOWER),
        curve(_AFTER, _NUMBERS, after, OUT, **_SPOKEN, **LOWER),
        curve(_SHARED, _NUMBERS, shared, BEST, **_SPOKEN, **LOWER),
    ]
    meta = {"sentence": sentence, "alt": alt, "headline": "{alarms} false alarms", "probe": [_AFTER, _SHARED]}
    return Part(traces, placed(layout), words={"most": percent(float(after[-1]))}, meta=meta)


def _path(run: int) -> Part:
    right = _walk(run)
    made = np.arange(_CANARIES + 1)
    name = "right guesses of a run without a leak"
    line = curve(name, made, right - made / 2, ATTACK, hoverinfo="skip")
    return Part([line], words={"run": str(run)})


def _border(numbers: int, shared: bool) -> Part:
    tried, needed = _tried(numbers), _needed(numbers, shared)
    name = "so many would be an alarm (exact)"
    marks = points(name, tried, needed - tried / 2, OUT, hoverinfo="skip")
    stops = list(_NUMBERS)
    track = {"x": stops, "y": _alarms(shared).tolist()}
    at = float(_alarms(shared)[stops.index(numbers)])
    words = {
        "numbers": "one number of guesses" if numbers == 1 else f"the best of {numbers} numbers",
        "alarms": percent(at),
        "marks": "1 mark" if numbers == 1 else f"{numbers} marks",
    }
    grab = [{"control": "numbers", "axis": "x2", "at": "y2", "track": track}]
    here = reading(numbers, at, "at your number", **_SPOKEN, **LOWER)
    return Part([marks, here], words=words, meta={"grab": grab})


def _verdict(numbers: int, run: int, shared: bool) -> Part:
    tried = _tried(numbers).astype(int)
    over = _walk(run)[tried] >= _needed(numbers, shared)
    first = f"a false alarm after {tried[over.argmax()]} guesses"
    return Part(words={"verdict": first if over.any() else "no alarm, as it should be"})


@declared
def chosen_afterwards(
    numbers: Annotated[int, Count(_NUMBERS, 8, label="Numbers tried", play=True)] = 8,
    run: Annotated[int, _RUNS] = 1,
    shared: Annotated[bool, Choice({"after looking": False, "5% shared": True}, label="Guesses")] = False,
) -> go.Figure:
    """Draw how often the best of several numbers of guesses accuses a run that reveals nothing.

    Notes
    -----
    1,000 canaries, epsilon = 0, delta = 0, numbers in equal steps: `mipbook.audit.false_alarm`.

    Examples
    --------
    >>> chosen_afterwards(1).layout.meta["headline"]
    '4.68% false alarms'
    """
    return stacked(
        layer(_frame),
        layer(_path, run=run),
        layer(_border, numbers=numbers, shared=shared),
        layer(_verdict, numbers=numbers, run=run, shared=shared),
    )
