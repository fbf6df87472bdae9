"""What a learner is, and how its losses on members and on others are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from explorable import progress, validate

__all__ = ["Learner", "Records", "below", "held_out", "records"]

Array = NDArray[Any]


class Records(NamedTuple):
    """Inputs, one row a record, and the label of each.

    Attributes
    ----------
    x : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    """

    x: Array
    y: Array


class Learner(Protocol):
    """What the experiments need of a learner: ``fit``, ``predict``, ``losses``.

    `fit` takes a generator even where nothing is random, so that all learners are called
    alike; a learner that works in steps shows a progress bar once a second has passed.  Before
    `fit`, `predict` and `losses` raise a ``ValueError``.
    """

    def fit(self, x: Any, y: Any, *, rng: np.random.Generator) -> Self:
        """Learn from the records and return the learner itself."""

    def predict(self, x: Any) -> Array:
        """Return the prediction for each row."""

    def losses(self, x: Any, y: Any) -> Array:
        """Return the loss of each record."""


def records(x: Any, y: Any, dimension: int | None = None) -> Records:
    """Check inputs and labels, at least one record, entries in [-1000, 1000]."""
    inputs = validate.array("x", x, -1e3, 1e3, ndim=2)
    labels = validate.array("y", y, -1e3, 1e3, ndim=1)
    if min(inputs.shape) < 1 or dimension not in (None, inputs.shape[1]):
        wanted = "at least one" if dimension is None else str(dimension)
        validate.refuse("x", inputs.shape, f"at least one row and {wanted} column(s)")
    if len(labels) != len(inputs):
        validate.refuse("y", labels.shape, f"one label for each of the {len(inputs)} rows of x")
    return Records(inputs, labels)


def below(losses: Any, thresholds: Any) -> Array:
    """Return the fraction of losses at or below each threshold.

    Parameters
    ----------
    losses : array_like
        One loss a record, at least 0, in the last axis.
    thresholds : array_like
        At least 0, one dimension or a single number.

    Returns
    -------
    ndarray
        The axes of ``losses`` without the last one, then those of ``thresholds``.

    Notes
    -----
    What Figures 1, 2a and 2b of the Limits paper draw.

    Examples
    --------
    >>> below([0.0, 0.2, 0.4, 0.9], [0.2, 0.5]).tolist()
    [0.5, 0.75]
    """
    found = validate.array("losses", losses, 0.0)
    levels = validate.array("thresholds", thresholds, 0.0)
    if found.ndim == 0 or found.shape[-1] == 0:
        validate.refuse("losses", losses, "an array with at least one loss")
    if levels.ndim > 1:
        validate.refuse("thresholds", levels.shape, "a number or an array with 1 dimension")
    flat = np.sort(found.reshape(-1, found.shape[-1]), axis=1)
    counts = [np.searchsorted(row, levels, side="right") for row in flat]
    return np.asarray(np.reshape(counts, (*found.shape[:-1], *levels.shape)) / found.shape[-1])


def held_out(
    learner: Learner,
    draw: Callable[[int, np.random.Generator], Records],
    n: int,
    thresholds: Any,
    *,
    rng: np.random.Generator,
    repeats: int = 10,
    fresh: int = 1000,
) -> tuple[Array, Array]:
    """Train several times; return the loss fractions of members and of fresh records.

    Parameters
    ----------
    learner : Learner
        Trained anew at every repeat.
    draw : callable
        ``draw(count, rng)`` returns that many records.
    n : int
        Records to train on, at least 1.
    thresholds : array_like
        One dimension, at least 0.
    repeats, fresh : int
        How many models, and how many fresh records for each; at least 1.

    Returns
    -------
    train, validation : ndarray of shape (repeats, thresholds)

    Notes
    -----
    The experiment of the Limits paper, section 6.1.

    Examples
    --------
    >>> from mipbook.learners import MinimumNorm, sine_data
    >>> rng = np.random.default_rng(1)
    >>> train, _ = held_out(
    ...     MinimumNorm(), lambda k, g: sine_data(k, 30, 0.1, g), 20, [1e-6], rng=rng, repeats=3
    ... )
    >>> train.ravel().tolist()
    [1.0, 1.0, 1.0]
    """
    for method in ("fit", "losses"):
        if not callable(getattr(learner, method, None)) or isinstance(learner, type):
            validate.refuse("learner", learner, "a learner with fit and losses")
    validate.function("draw", draw, "draw(count, rng) of that many records")
    n = validate.size("n", n)
    levels = validate.array("thresholds", thresholds, 0.0, ndim=1)
    validate.generator("rng", rng)
    repeats = validate.size("repeats", repeats, beside=levels.size)
    fresh = validate.size("fresh", fresh)
    train, validation = np.empty((2, repeats, len(levels)))
    with progress.reader() as stream:
        for i in progress.track(range(repeats), stream, total=repeats, what="learner", unit="models"):
            members, others = draw(n, rng), draw(fresh, rng)
            learner.fit(*members, rng=rng)
            train[i] = below(learner.losses(*members), levels)
            validation[i] = below(learner.losses(*others), levels)
    return train, validation
