"""The stored runs of section 6.1 of the Limits paper; `mipbook.runs.command` makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from mipbook.learners.base import THRESHOLDS, Array, Records, below, held_out, linear_data, sine_data
from mipbook.learners.interpolating import MinimumNorm, NearestNeighbour
from mipbook.learners.relu import ReluRegression
from mipbook.runs.store import Run

__all__ = [
    "LEVELS",
    "RUNS",
    "SEEDS",
    "SIZES",
    "STANDARD_DEVIATIONS",
    "WIDTHS",
    "run_name",
    "seeds_run",
    "train_run",
]

# n = 1000, width 4096 and noise 0.1 are the settings of Figure 1.
SIZES, WIDTHS, STANDARD_DEVIATIONS = (200, 1000), (256, 1024, 4096), (0.1, 0.3)
_WATCHED = tuple(sorted({*range(0, 201, 10), *range(0, 3001, 50)}))
# How often the main run is repeated, and the share at which the authors' code stops.
SEEDS, _NEARLY_ALL = 6, 0.99
_DIMENSIONS_2A = (50, 100, 150, 180, 200, 220, 250, 300, 400, 600, 1000, 2000)
_DIMENSIONS_2B = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
# The thresholds of Figures 2a and 2b, four a decade.
LEVELS = (*(float(f"{k}e{e}") for e in range(-6, 0) for k in (1, 2, 3, 5)), 1.0)


def run_name(n: int, width: int, noise: float) -> str:
    """Return the name under which a training run of Figure 1 is stored."""
    return f"overfitting_1_n{n}_w{width}_s{noise:g}"


def train_run(
    n: int,
    width: int,
    noise: float,
    *,
    dimension: int = 10,
    fresh: int = 1000,
    rate: float = 0.1,
    watched: Sequence[int] = _WATCHED,
    thresholds: Sequence[float] | Array = THRESHOLDS,
    seed: int = 0,
    every: Callable[[int, Array], None] | None = None,
) -> dict[str, Array]:
    """Train once as Figure 1 does; return what was seen on the way.

    Parameters
    ----------
    n, width, noise, dimension, fresh, rate
        Records, hidden units, standard deviation, coordinates, validation records, and
        Adam's rate.
    watched : sequence of int
        The iterations at which to look, rising; the last one ends the training.
    thresholds : sequence of float
        Losses at most each of these are counted.
    seed : int
        Of the records and the first weights.
    every : callable, optional
        Called at every iteration with its number and the training losses.

    Returns
    -------
    dict of ndarray
        ``iterations``; ``train`` and ``validation``, the number of losses under
        each threshold; ``train_mean`` and ``validation_mean``; and the losses at the end,
        ``train_losses`` and ``validation_losses``.

    Notes
    -----
    Limits paper, Figure 1.  Single precision: another machine sees the same picture, but not
    the same bits.

    Examples
    --------
    >>> seen = train_run(20, 32, 0.1, fresh=50, watched=(0, 200))
    >>> seen["train"].shape, bool(seen["train_mean"][1] < seen["validation_mean"][1])
    ((2, 7), True)
    """
    rng = np.random.default_rng(seed)
    members, others = (sine_data(k, dimension, noise, rng) for k in (n, fresh))
    rows: list[tuple[Array, Array]] = []
    wanted = set(watched)

    def watch(iteration: int, losses: Array, learner: ReluRegression) -> None:
        if every is not None:
            every(iteration, losses)
        if iteration in wanted:
            rows.append((losses, learner.losses(*others)))

    ReluRegression(width, rate, watched[-1]).fit(*members, rng=rng, watch=watch)
    train, validation = (np.array([row[side] for row in rows]) for side in (0, 1))
    return {
        "iterations": np.array(watched, np.int32),
        "thresholds": np.array(thresholds),
        "train": np.rint(below(train, thresholds) * n).astype(np.uint16),
        "validation": np.rint(below(validation, thresholds) * fresh).astype(np.uint16),
        "train_mean": train.mean(axis=1),
        "validation_mean": validation.mean(axis=1),
        "train_losses": train[-1],
        "validation_losses": validation[-1],
    }


def seeds_run(n: int, width: int, noise: float, *, seeds: int = SEEDS, **settings: Any) -> dict[str, Array]:
    """Train as Figure 1 does with several seeds; return what was seen and what was reached.

    Parameters
    ----------
    n, width, noise
        As in `train_run`.
    seeds : int
        Seeds 0, 1, ... are used.
    **settings
        Passed to `train_run`.

    Returns
    -------
    dict of ndarray
        ``train`` and ``validation`` as in `train_run`, with a first axis for the seeds;
        ``most``, the number of training losses under each threshold at the best of *all*
        iterations; and ``reached``, the first iteration with 99% of them there, or -1.

    Notes
    -----
    Limits paper, Figure 1.

    Examples
    --------
    >>> seen = seeds_run(20, 32, 0.1, seeds=2, fresh=50, watched=(0, 200))
    >>> seen["most"].shape, bool((seen["most"] >= seen["train"].max(axis=1)).all())
    ((2, 7), True)
    """
    trained, most = [], np.zeros((seeds, len(THRESHOLDS)), np.uint16)
    reached = np.full(most.shape, -1, np.int32)
    for seed in range(seeds):

        def every(iteration: int, losses: Array, seed: int = seed) -> None:
            counts = np.rint(below(losses, THRESHOLDS) * n).astype(np.uint16)
            np.maximum(most[seed], counts, out=most[seed])
            new = (reached[seed] < 0) & (counts >= _NEARLY_ALL * n)
            reached[seed, new] = iteration

        trained.append(train_run(n, width, noise, seed=seed, every=every, **settings))
    kept = {name: np.array([each[name] for each in trained]) for name in ("train", "validation")}
    same = {name: trained[0][name] for name in ("iterations", "thresholds")}
    return {**same, **kept, "most": most, "reached": reached}


def _dimension_settings(figure: str) -> dict[str, Any]:
    """Return the settings of Figure 2a or 2b."""
    n, repeats, seed = (200, 10, 1) if figure == "2a" else (1000, 5, 2)
    return {"n": n, "noise": 0.1, "repeats": repeats, "fresh": 1000, "thresholds": list(LEVELS), "seed": seed}


def _dimension_run(figure: str) -> dict[str, Array]:
    """Return what Figure 2a or 2b shows: fractions at every dimension, model and threshold."""
    first, settings = figure == "2a", _dimension_settings(figure)
    dimensions = _DIMENSIONS_2A if first else _DIMENSIONS_2B
    rng = np.random.default_rng(settings["seed"])
    draw_from = linear_data if first else sine_data
    fractions = []
    for dimension in dimensions:

        def draw(count: int, source: np.random.Generator, d: int = dimension) -> Records:
            return draw_from(count, d, settings["noise"], source)

        learner = MinimumNorm() if first else NearestNeighbour()
        fractions.append(held_out(learner, draw, settings["n"], LEVELS, rng=rng, repeats=settings["repeats"]))
    train, validation = (np.array([f[side] for f in fractions], np.float32) for side in (0, 1))
    return {
        "dimensions": np.array(dimensions, np.int32),
        "thresholds": np.array(LEVELS),
        "train": train,
        "validation": validation,
    }


def _train_settings(n: int, width: int, noise: float) -> dict[str, Any]:
    sizes = {"n": n, "width": width, "noise": noise}
    return {**sizes, "dimension": 10, "fresh": 1000, "rate": 0.1, "seed": 0}


_CASES = tuple(product(SIZES, WIDTHS, STANDARD_DEVIATIONS))
RUNS = (
    *(
        Run(f"overfitting_{figure}", _dimension_settings(figure), partial(_dimension_run, figure))
        for figure in ("2a", "2b")
    ),
    *(Run(run_name(*case), _train_settings(*case), partial(train_run, *case)) for case in _CASES),
    Run(
        "overfitting_1_seeds",
        {**_train_settings(1000, 4096, 0.1), "seed": list(range(SEEDS))},
        partial(seeds_run, 1000, 4096, 0.1),
    ),
)
