"""A training run, seen through the losses: the picture that Figure 1 and the small run share.

Above, how the losses of members and of fresh records lie at one iteration, with the threshold
between them; below, what the threshold makes of them at every iteration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable.palette import fill
from explorable.panels import Part
from mipbook.base.estimate import Estimate
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.marks import Trace, curve, level, reading
from mipbook.figures.words import percent, say
from mipbook.mis.overfitting.threshold import accuracy_from_rates

__all__ = ["Run", "losses_part", "over_time_part", "spot_part"]

Array = NDArray[Any]

SENTENCE = (
    "After {iteration} iterations {caught} of {members} members (exact for this run) and {wrong} "
    "of fresh records (estimate) have a loss of at most {threshold}. Saying member there is "
    "right {right} of the time (estimate, 95% band {low} to {high}); {ever}."
)
ALT = (
    "Above, how the losses are spread at iteration {iteration}, on a logarithmic axis: half of "
    "the members' are at most {half_in}, half of the fresh ones at most {half_out}; an upright "
    "line at the threshold, {threshold}. Below, the shares under it against iterations: members "
    "end at {end_in}, fresh records at {end_out}, the attack's accuracy at {end_right}."
)


class Run(NamedTuple):
    """Fractions of members' and of fresh losses, by iteration and level."""

    iterations: Array
    levels: Array
    train: Array
    fresh: Array
    members: int
    drawn: int

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Run:
        """Return what `mipbook.stored.limits.train_run` counted, as fractions."""
        return cls(
            arrays["iterations"],
            arrays["thresholds"],
            arrays["train"] / settings["n"],
            arrays["validation"] / settings["fresh"],
            settings["n"],
            settings["fresh"],
        )

    def row(self, iteration: int) -> int:
        """Return the row of the last iteration up to this one that was looked at."""
        return int(np.searchsorted(self.iterations, iteration, side="right")) - 1

    def column(self, threshold: float) -> int:
        """Return the column of the nearest level that was looked at."""
        return int(np.abs(np.log(self.levels / threshold)).argmin())

    def right(self, column: int) -> Array:
        """Return how often the attack with this threshold is right, at every iteration."""
        right: Array = (self.train[:, column] + 1 - self.fresh[:, column]) / 2
        return right

    def half(self, shares: Array) -> str:
        """Return the lowest level that holds half of the losses."""
        at = int(np.searchsorted(shares, 0.5))
        return say(float(self.levels[at])) if at < len(self.levels) else "more"


def _steps(run: Run, shares: Array, step: int) -> tuple[Array, Array]:
    """Return the outline of a histogram of losses; what lies beyond the levels ends it."""
    levels, shares = run.levels[::step], shares[::step]
    wide = levels[1] / levels[0], levels[-1] / levels[-2]
    edges = np.concatenate([[levels[0] / wide[0]], levels, [levels[-1] * wide[1]]])
    inside = np.diff(np.concatenate([[0.0], shares, [1.0]]))
    return edges, np.append(inside, inside[-1])


def losses_part(run: Run, iteration: int, step: int = 1) -> Part:
    """Draw how the losses are spread at one iteration; every ``step``-th level is an edge."""
    row = run.row(iteration)
    kinds = (
        ("members' losses", run.train[row], looks.IN, "members"),
        ("fresh losses", run.fresh[row], looks.OUT, "fresh records"),
    )
    bells = []
    for name, shares, look, who in kinds:
        told = f"%{{y:.0%}} of {who} from here to the next step<extra></extra>"
        area: dict[str, Any] = {"fill": "tozeroy", "fillcolor": fill(look.colour)}
        trace = curve(name, *_steps(run, shares, step), look, hovertemplate=told, **area)
        bells.append({**trace, "line": {**trace["line"], "shape": "hv"}})
    words = {
        "iteration": f"{run.iterations[row]:,}",
        "half_in": run.half(run.train[row]),
        "half_out": run.half(run.fresh[row]),
    }
    return Part(bells, words=words)


def over_time_part(run: Run, threshold: float, *, losses: tuple[float, float]) -> Part:
    """Draw the fractions under one threshold at all iterations; ``losses`` are its decades."""
    column = run.column(threshold)
    train, fresh, right = run.train[:, column], run.fresh[:, column], run.right(column)
    at = "after %{x} iterations %{y:.0%}"
    below = {"showlegend": False, **LOWER}
    lines = [
        curve(name, run.iterations, y, look, hovertemplate=f"{at} {told}<extra></extra>", **below)
        for name, y, look, told in (
            ("members below", train, looks.IN, "of the members are below"),
            ("fresh below", fresh, looks.OUT, "of fresh records are below"),
        )
    ]
    told = "after %{x} iterations right %{y:.0%} of the time<extra></extra>"
    attack = looks.ATTACK.estimate()
    lines.append(curve("attack right (estimate)", run.iterations, right, attack, hovertemplate=told, **LOWER))
    last = int(run.iterations[-1])
    layout = {
        "rows": (0.5, 0.3),
        "xaxis": axis("loss", log=True, dtick=2, range=list(losses)),
        "yaxis": axis("share of records", range=[0, 1.03], tickformat=".0%"),
        "xaxis2": axis("iterations", range=[-0.01 * last, 1.01 * last]),
        "yaxis2": axis("share below", range=[-0.03, 1.03], tickformat=".0%"),
        "height": 440,
    }
    grab = [
        {"control": "threshold", "axis": "x", "at": 0.9},
        {"control": "iteration", "axis": "x2", "at": -0.03},
    ]
    meta = {
        "headline": "attack right {right} of the time",
        "sentence": SENTENCE,
        "alt": ALT,
        "grab": grab,
        "probe": ["attack right (estimate)"],
        "beside": 0.5,
    }
    end = {"end_in": train[-1], "end_out": fresh[-1], "end_right": right[-1]}
    words = {name: say(float(value)) for name, value in end.items()}
    words |= {"threshold": say(float(run.levels[column])), "members": f"{run.members:,}"}
    line = level("threshold", float(run.levels[column]), [0, 1.03], replace(looks.READING, dash="dashdot"))
    return Part([*lines, line], placed(layout), words=words, meta=meta)


@lru_cache(maxsize=4096)
def _accuracy(caught: float, wrong: int, drawn: int) -> Estimate:
    return accuracy_from_rates(caught, wrong, drawn)


def spot_part(run: Run, iteration: int, threshold: float, more: str = "") -> Part:
    """Mark one iteration on the curves of one threshold, and say what the attack reaches there."""
    row, column = run.row(iteration), run.column(threshold)
    train, fresh, right = run.train[row, column], run.fresh[row, column], run.right(column)
    accuracy = _accuracy(float(train), round(float(fresh) * run.drawn), run.drawn)
    best = int(np.argmax(right))
    ever = "it is at its best"
    if right[row] < right[best]:
        ever = f"at iteration {run.iterations[best]:,} it was or will be {percent(right[best])}"
    words = {
        "caught": percent(float(train)),
        "wrong": percent(float(fresh)),
        "right": percent(accuracy.value),
        "low": percent(accuracy.low),
        "high": percent(accuracy.high),
        "ever": ever + more,
    }
    marks: Trace = reading([run.iterations[row]] * 3, [train, fresh, right[row]], "your iteration", **LOWER)
    return Part([marks], words=words)
