"""Train a small network now, and attack it by its losses."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Count, LogSlider, Part, declared, layer, stacked
from mipbook.figures.mis.overfitting.separation import Run, losses_part, over_time_part, spot_part

__all__ = ["train_and_attack"]

_LONGEST, _FRESH, _RATE, _NOISE, _SEED = 1000, 500, 0.02, 0.1, 20231013
_WATCHED = tuple(sorted({*range(0, 101, 5), *range(100, _LONGEST + 1, 10)}))
_ITERATIONS = sorted({*range(0, 100, 5), *range(100, 300, 20), *range(300, _LONGEST + 1, 50)})
# Eight levels a decade are counted; the histogram has two steps a decade.
_LEVELS, _STEP = np.geomspace(1e-8, 10, 73), 4
_DECADES = (-8.6, 1.4)


@lru_cache(maxsize=64)
def _trained(n: int, width: int) -> Run:
    """Train once; every iteration and every threshold is read off the same run."""
    from mipbook.stored.limits import train_run

    arrays = train_run(
        n, width, _NOISE, fresh=_FRESH, rate=_RATE, watched=_WATCHED, thresholds=_LEVELS, seed=_SEED
    )
    return Run.of({"n": n, "fresh": _FRESH}, arrays)


def _losses(n: int, width: int, iteration: int) -> Part:
    return losses_part(_trained(n, width), iteration, _STEP)


def _over_time(n: int, width: int, threshold: float) -> Part:
    return over_time_part(_trained(n, width), threshold, losses=_DECADES)


def _spot(n: int, width: int, iteration: int, threshold: float) -> Part:
    return spot_part(_trained(n, width), iteration, threshold)


@declared
def train_and_attack(
    n: Annotated[int, Count([25, 100, 200], label="Records, n")] = 100,
    width: Annotated[int, Count([32, 128, 512], label="Hidden units")] = 128,
    iteration: Annotated[int, Count(_ITERATIONS, label="Iteration", play=True)] = 60,
    threshold: Annotated[float, LogSlider(1e-7, 1.0, points=15, label="Threshold")] = 1e-4,
) -> go.Figure:
    """Train a small network now, watch the losses of members and others separate, attack it.

    Notes
    -----
    Limits paper, Example 1, Theorem 11 and a small Figure 1.  Thresholds and iterations are read
    on a grid, which the sentence names; a training is kept, so only a new one takes time.

    Examples
    --------
    >>> figure = train_and_attack(25, 32, iteration=500)
    >>> figure.data[2].name, bool(figure.data[2].y[-1] > figure.data[3].y[-1])
    ('members below', True)
    """
    return stacked(
        layer(_losses, n=n, width=width, iteration=iteration),
        layer(_over_time, n=n, width=width, threshold=threshold),
        layer(_spot, n=n, width=width, iteration=iteration, threshold=threshold),
    )
