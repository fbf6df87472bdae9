"""The runs of section 6.1 of the Limits paper."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mipbook.data import unit_vectors
from mipbook.learners.base import THRESHOLDS, Array, Records, below, linear_data, sine_data
from mipbook.learners.interpolating import MinimumNorm, NearestNeighbour
from mipbook.stored.limits import (
    ADAM_AT,
    ADAM_LEVELS,
    ADAM_RATES,
    FACTORS,
    LEVELS,
    MODELS,
    NEIGHBOUR_DIMENSIONS,
    NEIGHBOUR_SIZES,
    NEIGHBOURS,
    SMALL,
    VARIED_AT,
    VARIED_SEEDS,
    train_run,
    varied,
)
from studies.run import Run, told

# Records, hidden units and noise: the settings of Figure 1, a run whose losses jump, and a small one.
CASES = (1000, 4096, 0.1), (1000, 1024, 0.1), (200, 256, 0.1)
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
    n, seed = (200, 1) if figure == "2a" else (1000, 2)
    return {"n": n, "noise": 0.1, "repeats": MODELS, "fresh": 1000, "thresholds": list(LEVELS), "seed": seed}


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
        found = np.empty((2, settings["repeats"], len(LEVELS)))
        for i in range(settings["repeats"]):
            parts = draw(settings["n"], rng), draw(settings["fresh"], rng)
            learner.fit(*parts[0], rng=rng)
            found[:, i] = [below(learner.losses(*part), LEVELS) for part in parts]
        fractions.append(found)
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


def varied_run(name: str) -> dict[str, Array]:
    """Train a small Figure 1 at every factor on one of its settings, with a few seeds.

    The validation records train nothing: the same networks are looked at with more and more of them.

    Returns
    -------
    dict of ndarray
        ``train`` and ``validation``, losses under each threshold, of shape (factors, seeds,
        iterations, thresholds).
    """
    seeds = range(VARIED_SEEDS)
    if name == "fresh":
        sizes = [varied(name, factor)[name] for factor in FACTORS]
        most, own = max(sizes), varied(name, 1.0)
        more: dict[str, Any] = {"more": most - own[name], "shown": most, "watched": VARIED_AT}
        seen = [train_run(**own, **more, seed=seed) for seed in told(seeds, name, "seeds")]
        counts = [
            [np.rint(k * below(run["validation_shown"][:, :k], THRESHOLDS)) for run in seen] for k in sizes
        ]
        train = np.array([[run["train"] for run in seen]] * len(sizes))
        return {"train": train, "validation": np.array(counts, np.uint16)}
    runs = [
        [train_run(**varied(name, f), watched=VARIED_AT, seed=seed) for seed in seeds]
        for f in told(FACTORS, name, "settings")
    ]
    return {side: np.array([[run[side] for run in row] for row in runs]) for side in ("train", "validation")}


def adam_run(models: int = 2, seed: int = 12) -> dict[str, Array]:
    """Train the linear regressors of Figure 2a by Adam from a random start, at many rates at once.

    Returns
    -------
    dict of ndarray
        ``dimensions``; ``train`` and ``validation``, losses under each level, of shape (dimensions,
        models, iterations, rates, levels).
    """
    rng, rates = np.random.default_rng(seed), np.array(ADAM_RATES)
    dimensions = _DIMENSIONS_2A[:-1]
    shape = (len(dimensions), models, len(ADAM_AT), len(rates), len(ADAM_LEVELS))
    train, validation = np.zeros(shape, np.uint8), np.zeros(shape, np.uint16)
    for i, d in enumerate(told(dimensions, "Figure 2a by Adam", "dimensions")):
        for model in range(models):
            members, others = (linear_data(count, d, 0.1, rng) for count in (200, 1000))
            weights = np.tile(rng.normal(0, (2 / (d + 1)) ** 0.5, (d, 1)), len(rates))
            mean, square = np.zeros((2, *weights.shape))
            for step in range(ADAM_AT[-1] + 1):
                off = members.x @ weights - members.y[:, None]
                if step in ADAM_AT:
                    row = ADAM_AT.index(step)
                    fresh = others.x @ weights - others.y[:, None]
                    for kept, side in ((train, off), (validation, fresh)):
                        kept[i, model, row] = np.rint(below((side**2).T, ADAM_LEVELS) * len(side))
                slope = members.x.T @ off / 100
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope**2 - square)
                scale = np.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8
                weights -= rates / (1 - 0.9 ** (step + 1)) * mean / scale
    return {"dimensions": np.array(dimensions, np.int32), "train": train, "validation": validation}


_QUANTILES, _SHIFT_MODELS, _SHIFT_FRESH = 64, 5, 1000


def _shifts(dimension: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return how far a prediction is off before any noise, for one draw of the records.

    Of fresh records by n, with one neighbour; by k, with n = 1000; and of members by k.
    """
    points = unit_vectors(NEIGHBOUR_SIZES[-1], dimension, rng)
    fresh = unit_vectors(_SHIFT_FRESH, dimension, rng)
    values, own = (np.sin(np.pi * x[:, 0]) for x in (points, fresh))
    near = fresh @ points.T  # on a sphere the nearest has the largest product
    by_n = [values[near[:, :n].argmax(axis=1)] - own for n in NEIGHBOUR_SIZES]
    many, some = NEIGHBOURS[-1], points[:1000]
    order = np.argsort(-near[:, :1000], axis=1)[:, :many]
    inside = some @ some.T
    np.fill_diagonal(inside, 2.0)
    around = np.argsort(-inside, axis=1)[:, :many]
    means = [np.cumsum(values[each], axis=1) / np.array(NEIGHBOURS) for each in (order, around)]
    return np.array(by_n), (means[0] - own[:, None]).T, (means[1] - values[:1000, None]).T


def neighbour_run(seed: int = 2) -> dict[str, Array]:
    """Return quantiles of how far nearest neighbours are off before any noise; the size alone.

    Returns
    -------
    dict of ndarray
        ``by_n``, of fresh records and one neighbour, (dimensions, sizes, quantiles); ``by_k`` and
        ``members``, at n = 1000, (dimensions, neighbours, quantiles).
    """
    places, rng = (np.arange(_QUANTILES) + 0.5) / _QUANTILES, np.random.default_rng(seed)
    rows = []
    for d in told(NEIGHBOUR_DIMENSIONS, "Figure 2b", "dimensions"):
        drawn = [_shifts(d, rng) for _ in range(_SHIFT_MODELS)]
        joined = [np.abs(np.concatenate(side, axis=1)) for side in zip(*drawn, strict=True)]
        rows.append([np.quantile(each, places, axis=1).T for each in joined])
    names = ("by_n", "by_k", "members")
    return {
        name: np.array(side, np.float16) for name, side in zip(names, zip(*rows, strict=True), strict=True)
    }


RUNS = (
    *(
        Run(f"overfitting_{figure}", _dimension_settings(figure), partial(_dimension_run, figure))
        for figure in ("2a", "2b")
    ),
    *(Run(run_name(*case), _train_settings(*case), partial(train_run, *case)) for case in CASES),
    Run(
        "overfitting_1_seeds",
        {**_train_settings(1000, 4096, 0.1), "seed": list(range(SEEDS))},
        partial(seeds_run, 1000, 4096, 0.1),
    ),
    *(
        Run(
            f"overfitting_1_vary_{name}",
            {"base": SMALL, "factors": FACTORS, "seeds": VARIED_SEEDS, "watched": VARIED_AT},
            partial(varied_run, name),
        )
        for name in SMALL
    ),
    Run(
        "overfitting_2a_adam",
        {"n": 200, "noise": 0.1, "rates": ADAM_RATES, "watched": ADAM_AT, "levels": ADAM_LEVELS, "seed": 12},
        adam_run,
    ),
    Run(
        "overfitting_2b_shifts",
        {"sizes": NEIGHBOUR_SIZES, "neighbours": NEIGHBOURS, "dimensions": NEIGHBOUR_DIMENSIONS, "seed": 2},
        neighbour_run,
    ),
)
