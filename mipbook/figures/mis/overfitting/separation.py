"""A training run, seen through the losses: the picture that Figure 1 and the small run share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis
from mipbook.figures.marks import Trace, curve, level, reading
from mipbook.figures.words import percent, say
from mipbook.mis.overfitting.threshold import accuracy_from_rates

__all__ = ["LAYOUT", "Run", "Spot", "alt_text", "sentence", "traces"]

Array = NDArray[Any]

LAYOUT = {
    "rows": (0.5, 0.2),
    "xaxis": axis("iterations"),
    "yaxis": axis("fraction", range=[-0.03, 1.03]),
    "xaxis2": axis("threshold on the loss", log=True, dtick=2),
    "yaxis2": axis("fraction", range=[-0.03, 1.03]),
    "height": 560,
}


class Run(NamedTuple):
    """Fractions of members' and of fresh losses, by iteration and level."""

    iterations: Array
    levels: Array
    train: Array
    fresh: Array
    drawn: int

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Run:
        """Return what `mipbook.runs.overfitting.train_run` counted, as fractions."""
        return cls(
            arrays["iterations"],
            arrays["thresholds"],
            arrays["train"] / settings["n"],
            arrays["validation"] / settings["fresh"],
            settings["fresh"],
        )

    def row(self, iteration: int) -> int:
        """Return the row of the last iteration up to this one that was looked at."""
        return int(np.searchsorted(self.iterations, iteration, side="right")) - 1


class Spot(NamedTuple):
    """Where a run is read: a row and a column of its tables."""

    row: int
    column: int


def _right(run: Run, column: int) -> Array:
    """Return how often the attack with this threshold is right, at every iteration."""
    right: Array = (run.train[:, column] + 1 - run.fresh[:, column]) / 2
    return right


def traces(run: Run, spot: Spot) -> list[Trace]:
    """Draw the fractions under one threshold above, and those at one iteration below."""
    row, column = spot
    train, fresh, right = run.train[:, column], run.fresh[:, column], _right(run, column)
    below = {"marked": len(run.levels) < 10, "showlegend": False, **LOWER}
    return [
        curve("members", run.iterations, train, looks.IN),
        curve("fresh", run.iterations, fresh, looks.OUT),
        curve("attack right", run.iterations, right, looks.ATTACK.estimate()),
        reading([run.iterations[row]] * 3, [train[row], fresh[row], right[row]], "your iteration"),
        curve("members, all thresholds", run.levels, run.train[row], looks.IN, **below),
        curve("fresh, all thresholds", run.levels, run.fresh[row], looks.OUT, **below),
        level("threshold", run.levels[column], [0, 1], **LOWER),
    ]


def sentence(run: Run, spot: Spot, trained: str) -> str:
    """Say what the attack reaches at one iteration, and when it does best."""
    row, column = spot
    right, threshold = _right(run, column), say(float(run.levels[column]))
    caught, wrong = run.train[row, column], round(run.fresh[row, column] * run.drawn)
    accuracy = accuracy_from_rates(caught, wrong, run.drawn)
    best = int(np.argmax(right))
    if right[row] >= right[best]:
        ever = "At no other iteration that was looked at does it do better."
    else:
        ever = (
            f"Its best moment in this run is iteration {run.iterations[best]:,}, "
            f"with {percent(float(right[best]))} (estimate)."
        )
    return (
        f"{trained}: after {run.iterations[row]:,} iterations {percent(caught)} of the training "
        f"losses are at most {threshold} (exact for this run), and "
        f"{percent(run.fresh[row, column])} of {run.drawn:,} fresh ones (estimate). The attack "
        f"that says in below this threshold is right {percent(accuracy.value)} of the time "
        f"(estimate, 95% interval {percent(accuracy.low)} to {percent(accuracy.high)}). {ever}"
    )


def alt_text(run: Run, spot: Spot, below: str) -> str:
    """Describe the two pictures; ``below`` says what stands out in the lower one."""
    row, column = spot
    last = run.train[-1, column], run.fresh[-1, column], _right(run, column)[-1]
    members, fresh, attack = map(say, last)
    return (
        f"Above, the fraction of losses at most {say(float(run.levels[column]))} against "
        f"iterations from 0 to {run.iterations[-1]:,}: members end at {members}, fresh records at "
        f"{fresh}, the attack's accuracy at {attack}. Below, the fractions against the threshold "
        f"at iteration {run.iterations[row]:,}; {below}."
    )
