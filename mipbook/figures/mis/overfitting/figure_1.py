"""Figure 1 of the Limits paper, from stored runs."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.palette import fill
from explorable.panels import Choice, Count, Part, declared, layer, stacked
from mipbook import learners
from mipbook.figures import looks
from mipbook.figures.frame import LOWER
from mipbook.figures.marks import Trace, curve
from mipbook.figures.mis.overfitting.separation import Run, losses_part, over_time_part, spot_part
from mipbook.figures.words import percent, say
from mipbook.stored import store as stored_runs

__all__ = ["mis_figure_1"]

Array = NDArray[Any]

# The settings of the paper, which were run with several seeds.
_PAPER = (1000, 4096, 0.1)
_ITERATIONS = sorted({*range(0, 100, 10), *range(100, 200, 20), *range(200, 3001, 100)})
_THRESHOLDS = {say(level): level for level in learners.THRESHOLDS}
_DECADES = (-7.2, 0.7)


class _Seeds(NamedTuple):
    """The run of Figure 1 with other seeds: members' fractions, and what was ever reached."""

    runs: int
    train: Array
    most: Array
    reached: Array

    def summary(self, row: int, column: int) -> str:
        """Say how far apart the seeds are, and how many reach the threshold at all."""
        shares = self.train[:, row, column]
        nearly = (self.reached[:, column] >= 0).sum()
        every = (self.most[:, column] == 1).sum()
        return (
            f". Over {self.runs} seeds the members' share is {percent(shares.min())} to "
            f"{percent(shares.max())}; {nearly} ever have 99%, {every} all"
        )


@lru_cache(maxsize=1)
def _seeds() -> _Seeds:
    run = stored_runs.load("overfitting_1_seeds")
    arrays, n = run.arrays, run.settings["n"]
    return _Seeds(len(run.settings["seed"]), arrays["train"] / n, arrays["most"] / n, arrays["reached"])


@lru_cache(maxsize=16)
def _stored(n: int, width: int, noise: float) -> Run:
    return Run.of(*stored_runs.load(f"overfitting_1_n{n}_w{width}_s{noise:g}"))


def _seed_band(run: Run, column: int, seeds: _Seeds | None) -> list[Trace]:
    """Draw where the members' curve lies with other seeds; nothing where there is one seed."""
    if seeds is None:
        low = high = [None] * len(run.iterations)
    else:
        low, high = (ends(seeds.train[:, :, column], axis=0) for ends in (np.min, np.max))
    bare: dict[str, Any] = {"line": {"width": 0}, "hoverinfo": "skip", **LOWER}
    filled: dict[str, Any] = {"fill": "tonexty", "fillcolor": fill(looks.IN.colour)}
    return [
        curve("members, lowest seed", run.iterations, low, looks.IN, showlegend=False, **bare),
        curve("members, all seeds", run.iterations, high, looks.IN, **filled, **bare),
    ]


def _seeds_of(n: int, width: int, noise: float) -> _Seeds | None:
    return _seeds() if (n, width, noise) == _PAPER else None


def _losses(n: int, width: int, noise: float, iteration: int) -> Part:
    return losses_part(_stored(n, width, noise), iteration)


def _over_time(n: int, width: int, noise: float, threshold: float) -> Part:
    run = _stored(n, width, noise)
    part = over_time_part(run, threshold, losses=_DECADES)
    band = _seed_band(run, run.column(threshold), _seeds_of(n, width, noise))
    return replace(part, traces=[*band, *part.traces])


def _spot(n: int, width: int, noise: float, iteration: int, threshold: float) -> Part:
    run, seeds = _stored(n, width, noise), _seeds_of(n, width, noise)
    more = seeds.summary(run.row(iteration), run.column(threshold)) if seeds else ""
    return spot_part(run, iteration, threshold, more)


@declared
def mis_figure_1(
    n: Annotated[int, Choice([200, 1000], label="Records, n")] = 1000,
    width: Annotated[int, Choice([256, 1024, 4096], label="Hidden units")] = 4096,
    noise: Annotated[float, Choice([0.1, 0.3], label="Noise of the labels")] = 0.1,
    threshold: Annotated[float, Choice(_THRESHOLDS, label="Threshold")] = 1e-4,
    iteration: Annotated[int, Count(_ITERATIONS, label="Iteration", play=True)] = 2000,
) -> go.Figure:
    """Draw the losses and the fractions under a threshold while a network trains, as stored.

    Notes
    -----
    Limits paper, Figure 1; the settings at the start are its own.  They were run with several
    seeds, which the band shows; the other settings with one.  The last iteration up to the
    chosen one that was stored is read.

    Examples
    --------
    >>> mis_figure_1(iteration=100).layout.meta["headline"]
    'attack right 51.3% of the time'
    """
    return stacked(
        layer(_losses, n=n, width=width, noise=noise, iteration=iteration),
        layer(_over_time, n=n, width=width, noise=noise, threshold=threshold),
        layer(_spot, n=n, width=width, noise=noise, iteration=iteration, threshold=threshold),
    )
