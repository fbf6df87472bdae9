"""What is stored of the Limits paper: overfitted networks (section 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mipbook.learners.base import THRESHOLDS, Array, Records, below, sine_data
from mipbook.learners.relu import ReluRegression

# The thresholds of Figures 2a and 2b, four a decade.
LEVELS = (*(float(f"{k}e{e}") for e in range(-6, 0) for k in (1, 2, 3, 5)), 1.0)
# So many models count their losses at each dimension there.
MODELS = 20
_WATCHED = tuple(sorted({*range(0, 201, 10), *range(0, 3001, 50)}))

# One setting of Figure 1 at a time is varied around a smaller network than the paper's, by these factors.
FACTORS = (0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
SMALL = {"n": 200, "width": 128, "noise": 0.1, "dimension": 10, "rate": 0.1, "fresh": 1000}
VARIED_SEEDS = 4
VARIED_AT = (0, 10, 20, 30, 50, 70, *range(100, 300, 50), *range(300, 2001, 100))
# Figure 2a with Adam: n = 200 and noise 0.1, at each of these rates.
ADAM_RATES = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.5, 1.0)
ADAM_AT = (0, 10, 20, 50, 100, 150, 200, 300, 400, 500, 700, 1000, 1200, 1400, 1600, 1800, 2000)
ADAM_LEVELS = (1e-6, 1e-4, 1e-3, 1e-2, 1e-1)
# Figure 2b: records, neighbours and dimensions, and how many quantiles of a shift are kept.
NEIGHBOUR_SIZES = (50, 70, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000)
NEIGHBOURS = tuple(range(1, 17))
NEIGHBOUR_DIMENSIONS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000)


def varied(name: str, factor: float) -> dict[str, Any]:
    """Return the settings of `train_run` with one of them times a factor.

    Examples
    --------
    >>> varied("width", 8.0)["width"], varied("rate", 0.2)["rate"]
    (1024, 0.02)
    """
    value = SMALL[name] * factor
    return {**SMALL, name: round(value) if isinstance(SMALL[name], int) else round(value, 6)}


def train_run(
    n: int,
    width: int,
    noise: float,
    *,
    dimension: int = 10,
    fresh: int = 1000,
    more: int = 0,
    rate: float = 0.1,
    watched: Sequence[int] = _WATCHED,
    thresholds: Sequence[float] | Array = THRESHOLDS,
    seed: int = 0,
    every: Callable[[int, Array], None] | None = None,
    shown: int = 0,
) -> dict[str, Array]:
    """Train once as Figure 1 does; return what was seen on the way.

    Parameters
    ----------
    n, width, noise, dimension, fresh, more, rate
        Records, hidden units, standard deviation, coordinates, validation records, how many more
        of these, which change no training, and Adam's rate.
    watched : sequence of int
        The iterations at which to look, rising; the last one ends the training.
    thresholds : sequence of float
        Losses at most each of these are counted.
    seed : int
        Of the records and the first weights.
    every : callable, optional
        Called at every iteration with its number and the training losses.
    shown : int
        Of so many records each the losses are kept at every iteration that is watched.

    Returns
    -------
    dict of ndarray
        ``iterations``; ``train`` and ``validation``, the number of losses under
        each threshold; ``train_mean`` and ``validation_mean``; the losses at the end,
        ``train_losses`` and ``validation_losses``; and ``train_shown`` and ``validation_shown``,
        a row for each iteration, where some are asked for.

    Notes
    -----
    Limits paper, Figure 1.  In single precision a trajectory is chaotic: another processor, which
    adds in another order, soon sees another one, and only the spread over many seeds stays.

    Examples
    --------
    >>> seen = train_run(20, 32, 0.1, fresh=50, watched=(0, 200))
    >>> seen["train"].shape, bool(seen["train_mean"][1] < seen["validation_mean"][1])
    ((2, 7), True)
    """
    rng = np.random.default_rng(seed)
    members, others = (sine_data(k, dimension, noise, rng) for k in (n, fresh))
    if more:
        apart = sine_data(more, dimension, noise, rng.spawn(1)[0])
        others = Records(*map(np.concatenate, zip(others, apart, strict=True)))
    rows: list[tuple[Array, Array]] = []
    wanted = set(watched)

    def watch(iteration: int, losses: Array, learner: ReluRegression) -> None:
        if every is not None:
            every(iteration, losses)
        if iteration in wanted:
            rows.append((losses, learner.losses(*others)))

    ReluRegression(width, rate, watched[-1]).fit(*members, rng=rng, watch=watch)
    train, validation = (np.array([row[side] for row in rows]) for side in (0, 1))
    seen = {"train_shown": train[:, :shown], "validation_shown": validation[:, :shown]} if shown else {}
    return seen | {
        "iterations": np.array(watched, np.int32),
        "thresholds": np.array(thresholds),
        "train": np.rint(below(train, thresholds) * n).astype(np.uint16),
        "validation": np.rint(below(validation, thresholds) * (fresh + more)).astype(np.uint16),
        "train_mean": train.mean(axis=1),
        "validation_mean": validation.mean(axis=1),
        "train_losses": train[-1],
        "validation_losses": validation[-1],
    }
