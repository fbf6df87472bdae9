"""Shadow models: the learner trained many times, asked about members and about others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook import progress, validate
from mipbook.audit._learners import Learn, learner_of

__all__ = ["Shadows", "shadow_models"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Shadows:
    """What an attacker sees of every model.

    Attributes
    ----------
    inside, outside : ndarray of shape (models, members, features)
        Of records that each model was trained on, and of records that it was not.
    n : int
        Records that a model was trained on.
    learner : str
        What was trained.
    game : str
        How records were drawn.
    """

    inside: Array
    outside: Array
    n: int
    learner: str
    game: str

    def first(self, models: int) -> Shadows:
        """Return the first so many of the models."""
        models = validate.integer("models", models, 2, len(self.inside))
        return Shadows(self.inside[:models], self.outside[:models], self.n, self.learner, self.game)


@dataclass(frozen=True)
class _Source:
    """Where records come from: a table, or a function of a generator and a count."""

    X: Any
    y: Any

    def draw(self, rng: np.random.Generator, count: int) -> tuple[Any, Any]:
        if callable(self.X):
            found = self.X(rng, count)
            X, y = found if isinstance(found, tuple) else (found, None)
        else:
            rows = rng.choice(len(self.X), count, replace=False)
            X, y = self.X[rows], None if self.y is None else self.y[rows]
        if len(X) != count or (y is not None and len(y) != count):
            validate.refuse("X", f"{len(X)} records", f"a sampler of {count} records when asked")
        return X, y


def _source(X: Any, y: Any, needed: int) -> tuple[_Source, str]:
    if callable(X):
        if y is not None:
            validate.refuse("y", y, "None where X is a sampler: it returns (X, y)")
        return _Source(X, None), "every model gets fresh records from the sampler"
    try:
        table = np.asarray(X)
        targets = None if y is None else np.asarray(y)
    except ValueError:
        validate.refuse("X", X, "a table with rows of one length, or a sampler(rng, count)")
    if table.ndim not in (1, 2) or table.size == 0 or table.dtype.kind not in "iuf":
        validate.refuse("X", X, "a table of numbers, one record a row, or a sampler(rng, count)")
    table = table.reshape(len(table), -1).astype(float)
    if not np.isfinite(table).all():
        validate.refuse("X", X, "free of nan and infinities")
    if targets is not None:
        if targets.shape != (len(table),):
            validate.refuse("y", f"of shape {targets.shape}", f"of shape ({len(table)},)")
        if targets.dtype.kind == "f" and not np.isfinite(targets).all():
            validate.refuse("y", y, "free of nan and infinities")
    if len(table) < needed:
        validate.refuse("X", f"{len(table)} records", f"at least n + members = {needed} records")
    return _Source(table, targets), (
        f"every model gets other records of the table's {len(table)}, drawn without replacement; "
        "the non-members are drawn from the rest"
    )


def _shadow(
    learn: Learn, source: _Source, n: int, members: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    X, y = source.draw(rng, n + members)
    ask = learn(rng, X[:n], None if y is None else y[:n])
    picked = rng.choice(n, members, replace=False)
    chosen = np.concatenate([picked, np.arange(n, n + members)])
    table = ask(X[chosen], None if y is None else y[chosen])
    return table[:members], table[members:]


def shadow_models(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    n: int,
    models: int = 200,
    members: int = 20,
    rng: np.random.Generator,
    features: Callable[[Any, Any, Any], Any] | None = None,
    jobs: int | None = None,
) -> Shadows:
    """Train a learner on many data sets and record what an attacker sees.

    Parameters
    ----------
    learner : estimator or callable
        A scikit-learn estimator, which is cloned and fitted; or ``learner(rng, X, y)``, which
        returns a function from records to predictions.
    X : array_like of shape (records, columns), or callable
        A table, which stands for the population; or ``X(rng, count)``, which returns so many
        fresh records, ``X`` alone or ``(X, y)``.
    y : array_like of shape (records,), optional
        Targets of a table.
    n : int
        Records that a model is trained on, at least 1.
    models : int
        Models, at least 4.
    members : int
        Records that each model is asked about, inside and outside alike; from 1 to n.
    rng : numpy.random.Generator
        Every model gets a generator of its own, spawned from it.
    features : callable, optional
        ``features(predict, X, y)`` returns one row of numbers a record, instead of the
        prediction, the target and the loss.
    jobs : int, optional
        Processes; what ``joblib.parallel_config`` says if not given.  The result does not
        depend on it.

    Returns
    -------
    Shadows

    Raises
    ------
    ValueError
        For a malformed argument, or a learner that fails on a draw.

    Notes
    -----
    Limits paper, Definition 1: the members are uniform among the training records, the others
    are fresh.  One set of records is drawn for each model, so the models are independent.

    Examples
    --------
    >>> def mean(rng, X, y):
    ...     return lambda Z: np.full(len(Z), X.mean())
    >>> rng = np.random.default_rng(0)
    >>> found = shadow_models(mean, rng.normal(size=100), n=10, models=4, members=3, rng=rng)
    >>> found.inside.shape
    (4, 3, 2)
    """
    from joblib import Parallel, delayed

    validate.generator("rng", rng)
    n = validate.integer("n", n, 1)
    models = validate.integer("models", models, 4)
    members = validate.integer("members", members, 1, n)
    if features is not None and not callable(features):
        validate.refuse("features", features, "a function of (predict, X, y)")
    source, game = _source(X, y, n + members)
    learn, name = learner_of(learner, features)
    calls = (delayed(_shadow)(learn, source, n, members, own) for own in rng.spawn(models))
    with progress.reader() as stream:
        found = Parallel(n_jobs=jobs, return_as="generator")(calls)
        pairs = list(progress.track(found, stream, total=models, what="audit", unit="models"))
    inside, outside = (np.stack([pair[side] for pair in pairs]) for side in (0, 1))
    return Shadows(inside, outside, n, name, game)
