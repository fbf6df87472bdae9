"""The runs of section 6.1 of the Limits paper."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from mipbook.learners.base import THRESHOLDS, Array, Records, below, held_out, linear_data, sine_data
from mipbook.learners.interpolating import MinimumNorm, NearestNeighbour
from mipbook.stored.limits import LEVELS, train_run
from studies.run import Run

# n = 1000, width 4096 and noise 0.1 are the settings of Figure 1.
SIZES, WIDTHS, STANDARD_DEVIATIONS = (200, 1000), (256, 1024, 4096), (0.1, 0.3)
# How often the main run is repeated, and the share at which the authors' code stops.
SEEDS, _NEARLY_ALL = 20, 0.99
_DIMENSIONS_2A = (50, 100, 150, 180, 200, 220, 250, 300, 400, 600, 1000, 2000)
_DIMENSIONS_2B = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def run_name(n: int, width: int, noise: float) -> str:
    """Return the name under which a training run of Figure 1 is stored."""
    return f"overfitting_1_n{n}_w{width}_s{noise:g}"


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
        ``train``, ``validation`` and ``train_mean`` as in `train_run`, with a first axis for the seeds;
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
    every_seed, same = ("train", "validation", "train_mean"), ("iterations", "thresholds")
    kept = {name: np.array([each[name] for each in trained]) for name in every_seed}
    kept |= {name: trained[0][name] for name in same}
    return {**kept, "most": most, "reached": reached}


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
