"""Train a small network now, and attack it by its losses."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook.explore import Count, Stops, declared
from mipbook.figures.frame import finish
from mipbook.figures.mis.overfitting.separation import (
    LAYOUT,
    Run,
    Spot,
    alt_text,
    sentence,
    traces,
)
from mipbook.figures.words import say

__all__ = ["train_and_attack"]

_LONGEST, _FRESH, _RATE, _SEED = 2000, 500, 0.02, 20231013
_WATCHED = tuple(sorted({*range(51), *range(0, 201, 5), *range(0, _LONGEST + 1, 25)}))
_LEVELS = np.geomspace(1e-8, 10, 73)
_ITERATIONS = [0, 10, 20, 50, 100, 200, 500, 1000, _LONGEST]
_THRESHOLDS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1]


@lru_cache(maxsize=64)
def _trained(n: int, width: int, noise: float) -> Run:
    """Train once; every iteration and every threshold is read off the same run."""
    from mipbook.runs.overfitting import train_run

    arrays = train_run(
        n,
        width,
        noise,
        fresh=_FRESH,
        rate=_RATE,
        watched=_WATCHED,
        thresholds=_LEVELS,
        seed=_SEED,
    )
    return Run.of({"n": n, "fresh": _FRESH}, arrays)


@declared
def train_and_attack(
    n: Annotated[int, Count([25, 50, 100, 200], label="Records, n")] = 100,
    width: Annotated[int, Count([32, 128, 512], label="Hidden units")] = 128,
    noise: Annotated[float, Stops([0.1, 0.3], label="Noise of the labels")] = 0.1,
    iterations: Annotated[int, Count(_ITERATIONS, label="Iterations")] = 100,
    threshold: Annotated[float, Stops(_THRESHOLDS, label="Threshold")] = 1e-4,
) -> go.Figure:
    """Train a small network now, watch the losses of members and others separate, attack it.

    Notes
    -----
    Limits paper, Example 1, Theorem 11 and a small Figure 1.  Thresholds and iterations are read
    on a grid, which the sentence names; a training is kept, so only a new one takes time.

    Examples
    --------
    >>> figure = train_and_attack(25, 32, iterations=500)
    >>> figure.data[0].name, bool(figure.data[0].y[-1] > figure.data[1].y[-1])
    ('members', True)
    """
    run = _trained(n, width, noise)
    nearest = int(np.abs(np.log(run.levels / threshold)).argmin())
    spot = Spot(run.row(iterations), nearest)
    half = int(np.searchsorted(run.fresh[spot.row], 0.5))
    middle = f"{say(run.levels[half])}" if half < len(run.levels) else "more than 10"
    return finish(
        traces(run, spot),
        sentence=sentence(
            run,
            spot,
            f"Trained on {n} records with {width:,} hidden units and noise {say(noise)}",
        ),
        alt=alt_text(run, spot, f"half of the fresh losses are at most {middle}"),
        layout=LAYOUT,
    )
