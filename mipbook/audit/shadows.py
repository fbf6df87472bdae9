"""Shadow models: the learner trained many times, asked about members and about others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from explorable import progress, threads, validate
from explorable.private import private
from mipbook.audit._learners import Learn, learner_of
from mipbook.audit._records import Source, source_of, take
from mipbook.base.types import Array

__all__ = ["Shadows", "shadow_models"]


@dataclass(frozen=True)
class Shadows:
    """What an attacker sees of every model.

    Attributes
    ----------
    inside, outside : ndarray of shape (models, challenges, features)
        Of records that each model was trained on, and of records that it was not.
    n : int
        Records that a model was trained on.
    learner : str
        What was trained.
    game : str
        How records were drawn.
    """

    inside: Array = field(repr=False)
    outside: Array = field(repr=False)
    n: int
    learner: str
    game: str

    @private("self")
    def __post_init__(self) -> None:
        for name in ("inside", "outside"):
            table = validate.rows(name, getattr(self, name))
            if table.ndim != 3 or table.size == 0 or table.dtype.kind not in "biuf":
                validate.refuse(name, table, "numbers of shape (models, challenges, features)")
            if not np.isfinite(table).all():
                validate.refuse(name, table, "free of nan and infinities")
        if self.inside.shape != self.outside.shape:
            allowed = f"of the shape of inside, {self.inside.shape}"
            validate.refuse_as("outside", f"of shape {self.outside.shape}", allowed)
        if len(self.inside) < 2:
            validate.refuse_as("inside", f"{len(self.inside)} models", "at least 2 models")

    def first(self, models: int) -> Shadows:
        """Return the first so many of the models.

        Examples
        --------
        >>> Shadows(np.zeros((4, 2, 1)), np.ones((4, 2, 1)), 5, "mean", "").first(2).inside.shape
        (2, 2, 1)
        """
        models = validate.integer("models", models, 2, len(self.inside))
        return Shadows(self.inside[:models], self.outside[:models], self.n, self.learner, self.game)


@private("learn", "source", "rng")
def _shadow(
    learn: Learn, source: Source, n: int, challenges: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    X, y = source.draw(rng, n + challenges)
    # Members are picked, and copied, before a learner can touch its records.
    picked = np.concatenate([rng.choice(n, challenges, replace=False), np.arange(n, n + challenges)])
    # Shuffled, so that a place among the asked says nothing.
    order = rng.permutation(2 * challenges)
    asked = take(X, picked[order]), None if y is None else y[picked[order]]
    with threads.one():
        ask = learn(rng, take(X, np.arange(n)), None if y is None else y[:n].copy())
        table = np.empty_like(found := ask(*asked))
    table[order] = found
    return table[:challenges], table[challenges:]


@private("learner", "X", "y", "features")
def shadow_models(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    n: int,
    models: int = 200,
    challenges: int = 20,
    rng: np.random.Generator,
    features: Callable[[Any, Any, Any], Any] | None = None,
    n_jobs: int | None = None,
) -> Shadows:
    """Train a learner on many data sets and record what an attacker sees.

    Parameters
    ----------
    learner : estimator or callable
        A scikit-learn estimator, which is cloned and fitted; or ``learner(rng, X, y)``, which
        returns a function from records to predictions.
    X : array_like, data frame, sparse matrix or callable
        A table, one record a row, images included: the population is its rows, each equally
        likely.  Or ``X(rng, count)``, which returns so many fresh records, ``X`` alone or
        ``(X, y)``.
    y : array_like of shape (records,), optional
        Targets of a table.
    n : int
        Records that a model is trained on, in [1, 10^7].
    models : int
        Models, in [4, 10^6].
    challenges : int
        Records that the attack is asked about each model, inside and outside alike; from 1 to n.
    rng : numpy.random.Generator
        Every model gets a generator of its own, spawned from it.
    features : callable, optional
        ``features(predict, X, y)`` returns one row of numbers a record, which must depend on
        that record alone.  If not given: the prediction, the target, the loss, and the record
        itself where it has at most 20 numbers.

    Raises
    ------
    ValueError
        Also where the learner, the sampler or the features fail.

    Notes
    -----
    Limits paper, Definitions 1 and 3: records are independent draws of one distribution, the
    members are uniform among the training records, the others are fresh.  From a table records are
    drawn with replacement, so Theorem 14 for the table's distribution holds for what is found.

    Examples
    --------
    >>> def mean(rng, X, y):
    ...     return lambda Z: np.full(len(Z), X.mean())
    >>> rng = np.random.default_rng(0)
    >>> found = shadow_models(mean, rng.normal(size=100), n=10, models=4, challenges=3, rng=rng)
    >>> found.inside.shape
    (4, 3, 2)
    """
    from joblib import Parallel, delayed

    validate.generator("rng", rng)
    n = validate.integer("n", n, 1, 10**7)
    models = validate.integer("models", models, 4, 10**6)
    challenges = validate.integer("challenges", challenges, 1, n, bound="n")
    if features is not None and not callable(features):
        validate.refuse("features", features, "a function of (predict, X, y)")
    n_jobs = validate.jobs("n_jobs", n_jobs)
    source, game = source_of(X, y)
    learn, name = learner_of(learner, features)
    calls = (delayed(_shadow)(learn, source, n, challenges, own) for own in rng.spawn(models))
    with progress.reader() as stream:
        found = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
        pairs = list(progress.track(found, stream, total=models, what="audit", unit="models"))
    widths = sorted({pair[0].shape[1] for pair in pairs})
    if len(widths) > 1:
        what = "learner" if features is None else "features"
        validate.refuse_as(what, f"{widths} numbers a record", "as many for every model")
    inside, outside = (np.stack([pair[side] for pair in pairs]) for side in (0, 1))
    return Shadows(inside, outside, n, name, game)
