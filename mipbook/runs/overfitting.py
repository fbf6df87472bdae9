"""Make the stored runs of section 6.1 again: ``python -m mipbook runs overfitting``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mipbook.base import progress
from mipbook.learners.base import Array, Records, below, held_out
from mipbook.learners.experiments import THRESHOLDS, linear_data, sine_data
from mipbook.learners.min_norm import MinimumNorm
from mipbook.learners.neighbour import NearestNeighbour
from mipbook.learners.relu import ReluRegression
from mipbook.runs import store as stored_runs

__all__ = [
    "SEEDS",
    "SIZES",
    "STANDARD_DEVIATIONS",
    "WIDTHS",
    "main",
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
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Train once as Figure 1 does; return the settings and what was seen on the way.

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
    settings, arrays
        The arrays are ``iterations``; ``train`` and ``validation``, the number of losses under
        each threshold; ``train_mean`` and ``validation_mean``; and the losses at the end,
        ``train_losses`` and ``validation_losses``.

    Notes
    -----
    Limits paper, Figure 1.  Single precision: another machine sees the same picture, but not
    the same bits.

    Examples
    --------
    >>> _, seen = train_run(20, 32, 0.1, fresh=50, watched=(0, 200))
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
    settings = {
        "n": n,
        "width": width,
        "noise": noise,
        "dimension": dimension,
        "fresh": fresh,
        "rate": rate,
        "seed": seed,
    }
    return settings, {
        "iterations": np.array(watched, np.int32),
        "thresholds": np.array(thresholds),
        "train": np.rint(below(train, thresholds) * n).astype(np.uint16),
        "validation": np.rint(below(validation, thresholds) * fresh).astype(np.uint16),
        "train_mean": train.mean(axis=1),
        "validation_mean": validation.mean(axis=1),
        "train_losses": train[-1],
        "validation_losses": validation[-1],
    }


def seeds_run(
    n: int, width: int, noise: float, *, seeds: int = SEEDS, **settings: Any
) -> tuple[dict[str, Any], dict[str, Array]]:
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
    settings, arrays
        ``train`` and ``validation`` as in `train_run`, with a first axis for the seeds;
        ``most``, the number of training losses under each threshold at the best of *all*
        iterations; and ``reached``, the first iteration with 99% of them there, or -1.

    Notes
    -----
    Limits paper, Figure 1.

    Examples
    --------
    >>> _, seen = seeds_run(20, 32, 0.1, seeds=2, fresh=50, watched=(0, 200))
    >>> seen["most"].shape, bool((seen["most"] >= seen["train"].max(axis=1)).all())
    ((2, 7), True)
    """
    found, most = [], np.zeros((seeds, len(THRESHOLDS)), np.uint16)
    reached = np.full(most.shape, -1, np.int32)
    for seed in range(seeds):

        def every(iteration: int, losses: Array, seed: int = seed) -> None:
            counts = np.rint(below(losses, THRESHOLDS) * n).astype(np.uint16)
            np.maximum(most[seed], counts, out=most[seed])
            new = (reached[seed] < 0) & (counts >= _NEARLY_ALL * n)
            reached[seed, new] = iteration

        used, arrays = train_run(n, width, noise, seed=seed, every=every, **settings)
        found.append(arrays)
    kept = {name: np.array([each[name] for each in found]) for name in ("train", "validation")}
    same = {name: found[0][name] for name in ("iterations", "thresholds")}
    return {**used, "seed": list(range(seeds))}, {**same, **kept, "most": most, "reached": reached}


def _dimension_run(figure: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what Figure 2a or 2b shows: fractions at every dimension, model and threshold."""
    first = figure == "2a"
    n, repeats, noise, seed = (200, 10, 0.1, 1) if first else (1000, 5, 0.1, 2)
    dimensions = _DIMENSIONS_2A if first else _DIMENSIONS_2B
    rng = np.random.default_rng(seed)
    draw_from = linear_data if first else sine_data
    found = []
    for d in dimensions:

        def draw(count: int, source: np.random.Generator, d: int = d) -> Records:
            return draw_from(count, d, noise, source)

        learner = MinimumNorm() if first else NearestNeighbour()
        found.append(held_out(learner, draw, n, THRESHOLDS, rng=rng, repeats=repeats))
    train, validation = (np.array([f[side] for f in found], np.float32) for side in (0, 1))
    settings = {"n": n, "noise": noise, "repeats": repeats, "fresh": 1000, "seed": seed}
    return settings, {
        "dimensions": np.array(dimensions, np.int32),
        "thresholds": np.array(THRESHOLDS),
        "train": train,
        "validation": validation,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run everything, with a progress bar, and write the files."""
    parser = argparse.ArgumentParser(
        prog="python -m mipbook runs overfitting", description=(__doc__ or "").split(":")[0]
    )
    parser.add_argument("--folder", default=stored_runs.FOLDER, help="where to write the files")
    parser.add_argument("--only", default="", help="runs whose name starts with this")
    options = parser.parse_args(arguments)
    Path(options.folder).mkdir(exist_ok=True)
    jobs: dict[str, Callable[[], tuple[dict[str, Any], dict[str, Array]]]] = {
        f"overfitting_{figure}": partial(_dimension_run, figure) for figure in ("2a", "2b")
    }
    for case in product(SIZES, WIDTHS, STANDARD_DEVIATIONS):
        jobs[run_name(*case)] = partial(train_run, *case)
    jobs["overfitting_1_seeds"] = partial(seeds_run, 1000, 4096, 0.1)
    chosen = [name for name in jobs if name.startswith(options.only)]
    with progress.reader() as stream:
        for name in progress.track(
            chosen, stream, total=len(chosen), what="stored runs", unit="runs"
        ):
            settings, arrays = jobs[name]()
            stored_runs.save(options.folder, name, settings, **arrays)
