"""Training a network and attacking it: Figure 1 from stored runs, and a small run live."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game, learners
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE, fill
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import percent, say
from mipbook.runs import store as stored_runs

__all__ = ["OVERFITTING_RUNS", "mis_figure_1", "train_and_attack"]

Array = NDArray[Any]

# Records, widths and noises of the stored runs.
OVERFITTING_RUNS = ((200, 1000), (256, 1024, 4096), (0.1, 0.3))
_LONGEST, _FRESH, _DIMENSION, _RATE = 2000, 500, 10, 0.02
_SEEN = tuple(sorted({*range(51), *range(0, 201, 5), *range(0, _LONGEST + 1, 25)}))
_LEVELS = np.geomspace(1e-8, 10, 73)


class _Run(NamedTuple):
    """Fractions of members' and fresh losses, by iteration and level."""

    iterations: Array
    levels: Array
    train: Array
    fresh: Array
    drawn: int


class _Seeds(NamedTuple):
    """The run of Figure 1 with other seeds: members' fractions, and what was ever reached."""

    runs: int
    train: Array
    most: Array
    reached: Array

    def told(self, at: int, level: int) -> str:
        """Say how far apart the seeds are, and how many reach the threshold at all."""
        shares = self.train[:, at, level]
        nearly, every = (self.reached[:, level] >= 0).sum(), (self.most[:, level] == 1).sum()
        return (
            f" Over {self.runs} seeds the share of members is between {percent(shares.min())} and "
            f"{percent(shares.max())}; within 3,000 iterations {nearly} of them have 99% below "
            f"the threshold at some moment, and {every} have all (exact for these runs)."
        )


@lru_cache(maxsize=1)
def _seeds() -> _Seeds:
    run = stored_runs.load("overfitting_1_seeds")
    found, n = run.arrays, run.settings["n"]
    return _Seeds(
        len(run.settings["seed"]), found["train"] / n, found["most"] / n, found["reached"]
    )


@lru_cache(maxsize=16)
def _stored(n: int, width: int, noise: float) -> _Run:
    run = stored_runs.load(f"overfitting_1_n{n}_w{width}_s{noise:g}")
    found, count = run.arrays, run.settings["fresh"]
    return _Run(
        found["iterations"],
        found["thresholds"],
        found["train"] / n,
        found["validation"] / count,
        count,
    )


@lru_cache(maxsize=64)
def _trained(n: int, width: int, noise: float) -> _Run:
    rng = np.random.default_rng(20231013)
    members, others = (learners.sine_data(k, _DIMENSION, noise, rng) for k in (n, _FRESH))
    rows: list[tuple[Array, Array]] = []
    wanted = set(_SEEN)

    def watch(iteration: int, losses: Array, learner: learners.ReluRegression) -> None:
        if iteration in wanted:
            rows.append((losses, learner.losses(*others)))

    learners.ReluRegression(width, _RATE, _LONGEST).fit(*members, rng=rng, watch=watch)
    train, fresh = (
        learners.below(np.array([row[side] for row in rows]), _LEVELS) for side in (0, 1)
    )
    return _Run(np.array(_SEEN), _LEVELS, train, fresh, _FRESH)


def _band(figure: go.Figure, run: _Run, level: int, seeds: _Seeds | None) -> None:
    """Draw where the members' curve lies with other seeds; nothing where there is one seed."""
    for name, reduce, look in (
        ("members, lowest seed", np.min, {"line": {"width": 0}, "showlegend": False}),
        ("members, all seeds", np.max, {"line": {"width": 0}, "fill": "tonexty"}),
    ):
        nothing = [None] * len(run.iterations)
        figure.add_scatter(
            x=run.iterations,
            y=nothing if seeds is None else reduce(seeds.train[:, :, level], axis=0),
            mode="lines",
            name=name,
            fillcolor=fill(BLUE),
            hoverinfo="skip",
            **look,
        )


def _draw(
    run: _Run, at: int, level: int, title: str, place: str, seeds: _Seeds | None = None
) -> go.Figure:
    """Draw the fractions under one threshold above, and those at one iteration below."""
    train, fresh = run.train[:, level], run.fresh[:, level]
    right = (train + 1 - fresh) / 2
    iteration, threshold = int(run.iterations[at]), float(run.levels[level])
    low, high = game.clopper_pearson(round(fresh[at] * run.drawn), run.drawn)
    figure = go.Figure()
    looks = (("members", BLUE, "solid", "circle"), ("fresh", ORANGE, "dash", "square"))
    for (name, colour, dash, _), y in zip(looks, (train, fresh), strict=True):
        figure.add_scatter(
            x=run.iterations,
            y=y,
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
        )
    figure.add_scatter(
        x=run.iterations,
        y=right,
        mode="lines",
        name="attack right",
        line={"color": GREEN, "dash": "dot", "width": 3},
    )
    figure.add_scatter(
        x=[iteration] * 3,
        y=[train[at], fresh[at], right[at]],
        mode="markers",
        name="your iteration",
        marker={"color": INK, "symbol": "diamond-open", "size": 11, "line": {"width": 2}},
    )
    for (name, colour, dash, symbol), y in zip(looks, (run.train[at], run.fresh[at]), strict=True):
        figure.add_scatter(
            x=run.levels,
            y=y,
            mode="lines+markers" if len(run.levels) < 10 else "lines",
            name=f"{name}, all thresholds",
            showlegend=False,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 8},
            **LOWER,
        )
    figure.add_scatter(
        x=[threshold] * 2,
        y=[0, 1],
        mode="lines",
        name="threshold",
        line={"color": GREY, "dash": "longdash", "width": 2},
        **LOWER,
    )
    best = int(np.argmax(right))
    if right[at] >= right[best]:
        ever = "At no other iteration that was looked at does it do better."
    else:
        ever = (
            f"Its best moment in this run is iteration {run.iterations[best]:,}, "
            f"with {percent(right[best])} (estimate)."
        )
    return finish(
        figure,
        sentence=(
            f"{title}: after {iteration:,} iterations {percent(train[at])} of the training losses "
            f"are at most {say(threshold)} (exact for this run), and {percent(fresh[at])} of "
            f"{run.drawn:,} fresh ones (estimate). The attack that says in below this threshold is "
            f"right {percent(right[at])} of the time (estimate, 95% interval "
            f"{percent((train[at] + 1 - float(high)) / 2)} to "
            f"{percent((train[at] + 1 - float(low)) / 2)}). {ever}"
            f"{seeds.told(at, level) if seeds else ''}"
        ),
        alt=(
            f"Above, the fraction of losses at most {say(threshold)} against iterations from 0 to "
            f"{run.iterations[-1]:,}: members end at {say(train[-1])}, fresh records at "
            f"{say(fresh[-1])}, the attack's accuracy at {say(right[-1])}. Below, the fractions "
            f"against the threshold at iteration {iteration:,}; {place}."
        ),
        layout={
            "rows": (0.5, 0.2),
            "xaxis": axis("iterations"),
            "yaxis": axis("fraction", range=[-0.03, 1.03]),
            "xaxis2": axis("threshold on the loss", log=True, dtick=2),
            "yaxis2": axis("fraction", range=[-0.03, 1.03]),
            "height": 560,
        },
    )


def mis_figure_1(
    n: int = 1000,
    width: int = 4096,
    noise: float = 0.1,
    threshold: float = 1e-6,
    iteration: int = 2000,
) -> go.Figure:
    """Draw the fractions of losses under a threshold while a network trains, from a stored run.

    Parameters
    ----------
    n : int
        Training records, 200 or 1000.
    width : int
        Hidden units, 256, 1024 or 4096.
    noise : float
        Standard deviation of the labels' noise, 0.1 or 0.3.
    threshold : float
        One of the seven thresholds, from 1e-6 to 0.5.
    iteration : int
        In [0, 3000]; the last iteration up to it that was stored is read.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Figure 1; the defaults are its settings.  They were run with several seeds,
    which the band shows; the other settings with one.

    Examples
    --------
    >>> "after 2,000 iterations" in mis_figure_1().layout.meta["sentence"]
    True
    """
    sizes, widths, noises = OVERFITTING_RUNS
    n = validate.choice("n", n, sizes)
    width = validate.choice("width", width, widths)
    noise = validate.choice("noise", noise, noises)
    threshold = validate.choice("threshold", threshold, learners.THRESHOLDS)
    iteration = validate.integer("iteration", iteration, 0, 3000)
    run = _stored(n, width, noise)
    seeds = _seeds() if (n, width, noise) == (1000, 4096, 0.1) else None
    at = int(np.searchsorted(run.iterations, iteration, side="right")) - 1
    figure = _draw(
        run,
        at,
        learners.THRESHOLDS.index(threshold),
        f"Trained on {n:,} records with {width:,} hidden units and noise {say(noise)}",
        f"at the smallest, {say(run.levels[0])}, they are {say(run.train[at, 0])} and "
        f"{say(run.fresh[at, 0])}",
        seeds,
    )
    _band(figure, run, learners.THRESHOLDS.index(threshold), seeds)
    return figure


def train_and_attack(
    n: int = 100,
    width: int = 128,
    noise: float = 0.1,
    iterations: int = 200,
    threshold: float = 1e-4,
) -> go.Figure:
    """Train a small network now, watch the losses of members and others separate, attack it.

    Parameters
    ----------
    n : int
        Training records, in [5, 400].
    width : int
        Hidden units, in [8, 1024].
    noise : float
        Standard deviation of the labels' noise, in [0.01, 1].
    iterations : int
        Where training is stopped, in [0, 2000].
    threshold : float
        The attack's threshold on the squared error, in [1e-8, 10].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Example 1, Theorem 11 and a small Figure 1.  Levels and iterations are read
    on a grid, which the sentence names; a training is kept, so only a new one takes time.

    Examples
    --------
    >>> figure = train_and_attack(20, 32, iterations=500)
    >>> figure.data[0].name, bool(figure.data[0].y[-1] > figure.data[1].y[-1])
    ('members', True)
    """
    n = validate.integer("n", n, 5, 400)
    width = validate.integer("width", width, 8, 1024)
    noise = validate.number("noise", noise, 0.01, 1.0)
    iterations = validate.integer("iterations", iterations, 0, _LONGEST)
    threshold = validate.number("threshold", threshold, 1e-8, 10.0)
    run = _trained(n, width, noise)
    at = int(np.searchsorted(run.iterations, iterations, side="right")) - 1
    level = int(np.abs(np.log(run.levels / threshold)).argmin())
    half = int(np.searchsorted(run.fresh[at], 0.5))
    middle = f"{say(run.levels[half])}" if half < len(run.levels) else "more than 10"
    return _draw(
        run,
        at,
        level,
        f"Trained on {n} records with {width:,} hidden units and noise {say(noise)}",
        f"half of the fresh losses are at most {middle}",
    )
