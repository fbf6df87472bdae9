"""Figure 1 of the Limits paper, from stored runs."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import learners
from mipbook.base.palette import fill
from mipbook.explore import Choice, Count, declared
from mipbook.figures import looks
from mipbook.figures.frame import finish
from mipbook.figures.marks import Trace, curve
from mipbook.figures.mis.overfitting.separation import (
    LAYOUT,
    Run,
    Spot,
    alt_text,
    sentence,
    traces,
)
from mipbook.figures.words import percent, say
from mipbook.runs import store as stored_runs

__all__ = ["mis_figure_1"]

Array = NDArray[Any]

# The settings of the paper, which were run with several seeds.
_PAPER = (1000, 4096, 0.1)
_ITERATIONS = [0, 100, 200, 500, 1000, 1500, 2000, 3000]


class _Seeds(NamedTuple):
    """The run of Figure 1 with other seeds: members' fractions, and what was ever reached."""

    runs: int
    train: Array
    most: Array
    reached: Array

    def summary(self, spot: Spot) -> str:
        """Say how far apart the seeds are, and how many reach the threshold at all."""
        shares, column = self.train[:, spot.row, spot.column], spot.column
        nearly = (self.reached[:, column] >= 0).sum()
        every = (self.most[:, column] == 1).sum()
        return (
            f" Over {self.runs} seeds the share of members is between {percent(shares.min())} and "
            f"{percent(shares.max())}; within 3,000 iterations {nearly} of them have 99% below "
            f"the threshold at some moment, and {every} have all (exact for these runs)."
        )


@lru_cache(maxsize=1)
def _seeds() -> _Seeds:
    run = stored_runs.load("overfitting_1_seeds")
    arrays, n = run.arrays, run.settings["n"]
    return _Seeds(
        len(run.settings["seed"]), arrays["train"] / n, arrays["most"] / n, arrays["reached"]
    )


@lru_cache(maxsize=16)
def _stored(n: int, width: int, noise: float) -> Run:
    return Run.of(*stored_runs.load(f"overfitting_1_n{n}_w{width}_s{noise:g}"))


def _seed_band(run: Run, column: int, seeds: _Seeds | None) -> list[Trace]:
    """Draw where the members' curve lies with other seeds; nothing where there is one seed."""
    if seeds is None:
        low = high = [None] * len(run.iterations)
    else:
        low, high = (ends(seeds.train[:, :, column], axis=0) for ends in (np.min, np.max))
    bare: dict[str, Any] = {"line": {"width": 0}, "hoverinfo": "skip"}
    filled: dict[str, Any] = {"fill": "tonexty", "fillcolor": fill(looks.IN.colour)}
    return [
        curve("members, lowest seed", run.iterations, low, looks.IN, showlegend=False, **bare),
        curve("members, all seeds", run.iterations, high, looks.IN, **filled, **bare),
    ]


@declared
def mis_figure_1(
    n: Annotated[int, Choice([200, 1000], label="Records, n")] = 1000,
    width: Annotated[int, Choice([256, 1024, 4096], label="Hidden units")] = 4096,
    noise: Annotated[float, Choice([0.1, 0.3], label="Noise of the labels")] = 0.1,
    threshold: Annotated[float, Choice(learners.THRESHOLDS, label="Threshold")] = 1e-4,
    iteration: Annotated[int, Count(_ITERATIONS, label="Iteration")] = 2000,
) -> go.Figure:
    """Draw the fractions of losses under a threshold while a network trains, from a stored run.

    Notes
    -----
    Limits paper, Figure 1; the settings at the start are its own.  They were run with several
    seeds, which the band shows; the other settings with one.  The last iteration up to the
    chosen one that was stored is read.

    Examples
    --------
    >>> "after 2,000 iterations" in mis_figure_1().layout.meta["sentence"]
    True
    """
    run = _stored(n, width, noise)
    seeds = _seeds() if (n, width, noise) == _PAPER else None
    spot = Spot(run.row(iteration), learners.THRESHOLDS.index(threshold))
    trained = f"Trained on {n:,} records with {width:,} hidden units and noise {say(noise)}"
    smallest = (
        f"at the smallest, {say(run.levels[0])}, they are {say(run.train[spot.row, 0])} and "
        f"{say(run.fresh[spot.row, 0])}"
    )
    return finish(
        [*traces(run, spot), *_seed_band(run, spot.column, seeds)],
        sentence=sentence(run, spot, trained) + (seeds.summary(spot) if seeds else ""),
        alt=alt_text(run, spot, smallest),
        layout=LAYOUT,
    )
