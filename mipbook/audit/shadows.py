"""Train a learner many times on drawn records, and show an attacker what each model says of some."""

import math
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Annotated, Any, Self

import numpy as np

from explorable import progress, threads, validate
from explorable.checked import Integer, checked
from explorable.private import attempt, private
from mipbook.base.types import Array, Rng

_KINDS = "numbers, one record a row: an array, a data frame; or a sampler(rng, count)"
_MOST_NUMBERS = 20


def take(records: Any, rows: Any) -> Any:
    """Return a copy of some records, in the reader's own kind of container."""
    return records.iloc[rows] if hasattr(records, "iloc") else records[rows]


def numbers_of(records: Any) -> Array:
    """Return the numbers of each record as columns; none of a record of very many."""
    if hasattr(records, "iloc"):
        records = records.select_dtypes(["number", "bool"])
    # Of so many an attack would learn noise.
    if math.prod(records.shape[1:]) > _MOST_NUMBERS:
        return np.empty((len(records), 0))
    return np.asarray(records, dtype=np.float64).reshape(len(records), -1)


def _records(value: Any) -> Any:
    """Return records that `take` understands, all there and finite."""
    if hasattr(value, "iloc") and getattr(value, "ndim", 1) == 2:
        if value.isna().to_numpy().any():
            validate.refuse("X", value, "free of missing values")
        records, table = value, value.select_dtypes(["number", "bool"]).to_numpy(np.float64)
    else:
        try:
            table = np.asarray(value)
        except ValueError:
            validate.refuse("X", value, f"rows of one length, {_KINDS}")
        records = table[:, None] if table.ndim == 1 else table
    if table.dtype.kind not in "biuf" or len(records.shape) < 2 or not math.prod(records.shape):
        validate.refuse("X", value, _KINDS)
    if table.dtype.kind == "f" and not np.isfinite(table).all():
        validate.refuse("X", value, "free of nan and infinities")
    return records


def _targets(value: Any, count: int) -> Any:
    try:
        targets = np.asarray(value)
        if targets.dtype.kind == "O":
            targets = np.array(targets.tolist())
    except ValueError:
        validate.refuse("y", value, f"of shape ({count},)")
    if targets.shape != (count,):
        validate.refuse_as("y", f"of shape {targets.shape}", f"of shape ({count},), one a row of X")
    if targets.dtype.kind not in "biufU":
        validate.refuse("y", value, "numbers or strings")
    if targets.dtype.kind == "f" and not np.isfinite(targets).all():
        validate.refuse("y", value, "free of nan and infinities")
    return targets


@dataclass(frozen=True)
class Source:
    """Where records come from: the rows of a table, or a function of the reader's."""

    X: Any
    y: Any
    count: int

    def draw(self, rng: np.random.Generator, count: int) -> tuple[Any, Any]:
        """Return so many independent records of one distribution."""
        if self.count:
            # With replacement: a draw without it is not independent, and Definition 3's
            # security is about independent records.
            rows = rng.integers(0, self.count, count)
            return take(self.X, rows), None if self.y is None else self.y[rows]
        found = attempt("X", self.X, f"when asked for {count} records", self.X, rng, count)
        X, y = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
        X = _records(X)
        if len(X) != count:
            validate.refuse_as("X", f"{len(X)} records", f"a sampler of {count} when asked")
        return X, None if y is None else _targets(y, count)


def source_of(X: Any, y: Any) -> tuple[Source, str]:
    """Check where records come from, and say what is drawn."""
    if callable(X):
        if y is not None:
            validate.refuse("y", y, "None where X is a sampler: it returns (X, y)")
        return Source(X, None, 0), "every model gets fresh records from the sampler"
    table = _records(X)
    if (count := len(table)) < 2:
        validate.refuse_as("X", f"{count} records", "at least 2 records")
    drawn = f"members and others are drawn from the table's {count} records, with replacement"
    source = Source(table, None if y is None else _targets(y, count), count)
    return source, f"{drawn}: the population is the table"


# A chance of 0 would be an infinite loss.
_TINY = 1e-12


def is_estimator(learner: Any) -> bool:
    """Return whether this is a scikit-learn estimator."""
    return hasattr(learner, "fit") and hasattr(learner, "get_params")


def seeded_clone(estimator: Any, rng: np.random.Generator) -> Any:
    """Return an unfitted copy of an estimator whose randomness comes from the generator."""
    from sklearn.base import clone

    copy: Any = clone(estimator)
    names = [n for n in copy.get_params() if n == "random_state" or n.endswith("__random_state")]
    return copy.set_params(**{name: int(rng.integers(2**31)) for name in sorted(names)})


def _columns(value: Any, count: int, what: str) -> Array:
    """Return what a learner said of ``count`` records as a table of finite numbers."""
    table = np.asarray(value)
    if table.ndim < 1 or len(table) != count or table.dtype.kind not in "biuf":
        validate.refuse_as(what, f"a result of shape {table.shape}", f"numbers for {count} records")
    numbers: Array = table.reshape(count, -1).astype(float)
    if not np.isfinite(numbers).all():
        validate.refuse_as(what, "a result with nan or infinities", "finite numbers of this X")
    return numbers


def _of_predictions(said: Any, y: Any, count: int) -> Array:
    if y is None:
        return _columns(said, count, "learner")
    said = np.asarray(said)
    if said.dtype.kind == "O":
        said = np.array(said.tolist())
    if "U" in (said.dtype.kind, y.dtype.kind):
        if said.dtype.kind != y.dtype.kind or said.shape != y.shape:
            validate.refuse_as(
                "learner",
                f"predictions of kind {said.dtype.name} and shape {said.shape}",
                f"of the kind and shape of y, {y.dtype.name} and {y.shape}",
            )
        return np.asarray(said == y, dtype=np.float64)[:, None]
    guess, truth = _columns(said, count, "learner"), _columns(y, count, "y")
    # One prediction a record is compared with the target; of several the attack makes its own.
    return np.hstack([guess, truth, np.abs(guess - truth)])


def _of_estimator(model: Any, X: Any, y: Any) -> Array:
    if y is not None and hasattr(model, "predict_proba"):
        said = _columns(model.predict_proba(X), len(y), "learner")
        # A class that no training record had gets no probability.
        truth = (said * (y[:, None] == np.asarray(model.classes_))).sum(axis=1)
        return np.column_stack([truth, -np.log(np.maximum(truth, _TINY)), said.max(axis=1)])
    names = ("score_samples", "decision_function", "transform") if y is None else ()
    asked = next((name for name in names if hasattr(model, name)), "predict")
    return _of_predictions(getattr(model, asked)(X), y, len(X))


def _trained(learner: Any, rng: np.random.Generator, X: Any, y: Any) -> Any:
    """Train a learner and return the model."""
    drawn = f"on a draw of n = {len(X)} records of X and y"
    if is_estimator(learner):
        given = (X,) if y is None else (X, y)
        return attempt("learner", learner, drawn, seeded_clone(learner, rng).fit, *given)
    model = attempt("learner", learner, drawn, learner, rng, X, y)
    if not callable(model):
        validate.refuse("learner", model, "a function that returns a function of X")
    return model


def _told(learner: Any, model: Any, X: Any, y: Any) -> Array:
    """Return an attacker's features of each record, which depend on that record alone."""
    asked = f"when asked about {len(X)} records of X and y"
    seen = numbers_of(X)
    if is_estimator(learner):
        told = attempt("learner", learner, asked, _of_estimator, model, X, y)
    else:
        told = _of_predictions(attempt("learner", learner, asked, model, X), y, len(X))
    # Without targets what is seen stands first: it is all that there is to compare with.
    return np.hstack([seen, told] if y is None else [told, seen])


def _tells_settings_only(value: Any) -> bool:
    """Whether an estimator prints as its settings, and none of them is a list of numbers."""
    if hasattr(value, "get_params"):
        from sklearn.base import BaseEstimator

        settings = value.get_params(deep=False).values()
        return type(value).__repr__ is BaseEstimator.__repr__ and all(map(_tells_settings_only, settings))
    if isinstance(value, list | tuple):
        return all(not isinstance(v, Real) and _tells_settings_only(v) for v in value)
    return value is None or isinstance(value, Real | str)


def name_of(learner: Any) -> str:
    """Return what a report calls a learner or an attack: with its settings, but for records."""
    if not hasattr(learner, "get_params"):
        return str(getattr(learner, "__name__", "function"))
    told = str(learner) if _tells_settings_only(learner) else type(learner).__name__
    return " ".join(told.split())


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

    def first(self, models: int) -> Self:
        """Return the first so many of the models.

        Examples
        --------
        >>> Shadows(np.zeros((4, 2, 1)), np.ones((4, 2, 1)), 5, "mean", "").first(2).inside.shape
        (2, 2, 1)
        """
        models = validate.integer("models", models, 2, len(self.inside))
        return replace(self, inside=self.inside[:models], outside=self.outside[:models])


@private("learner", "source", "rng")
def _shadow(
    learner: Any, source: Source, n: int, challenges: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    X, y = source.draw(rng, n + challenges)
    # Members are picked, and copied, before a learner can touch its records.
    picked = np.concatenate([rng.choice(n, challenges, replace=False), np.arange(n, n + challenges)])
    # Shuffled, so that a place among the asked says nothing.
    order = rng.permutation(2 * challenges)
    asked = take(X, picked[order]), None if y is None else y[picked[order]]
    with threads.one():
        model = _trained(learner, rng, take(X, np.arange(n)), None if y is None else y[:n].copy())
        table = np.empty_like(found := _told(learner, model, *asked))
    table[order] = found
    return table[:challenges], table[challenges:]


@private("learner", "X", "y")
@checked
def shadow_models(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    n: Annotated[int, Integer(1, 10**7)],
    models: Annotated[int, Integer(4, 10**6)] = 200,
    challenges: int = 20,
    rng: Rng | None = None,
    n_jobs: int | None = None,
) -> Shadows:
    """Train a learner on many data sets and record what an attacker sees.

    Parameters
    ----------
    learner : estimator or callable
        A scikit-learn estimator, which is cloned and fitted; or ``learner(rng, X, y)``, which
        returns a function from records to predictions.
    X : array_like, data frame or callable
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
    rng : numpy.random.Generator or int, optional
        Every model gets a generator of its own, spawned from it.

    Raises
    ------
    ValueError
        Also where the learner or the sampler fails.

    Notes
    -----
    Limits paper, Definitions 1 and 3: records are independent draws of one distribution, the
    members are uniform among the training records, the others are fresh.  From a table records are
    drawn with replacement, so Theorem 14 for the table's distribution holds for what is found.

    Of each record the attacker sees the prediction, the target and how far they are apart (where a
    classifier tells chances: that of the true class, its loss, and the largest), then the record
    itself where it has at most 20 numbers.  Without targets he sees the record, then the prediction.

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

    challenges = validate.integer("challenges", challenges, 1, n, bound="n")
    n_jobs = validate.jobs("n_jobs", n_jobs)
    source, game = source_of(X, y)
    if isinstance(learner, type):
        validate.refuse("learner", learner, f"an instance, such as {learner.__name__}()")
    if not (is_estimator(learner) or callable(learner)):
        validate.refuse("learner", learner, "an estimator, or a function (rng, X, y)")
    calls = (
        delayed(_shadow)(learner, source, n, challenges, own)
        for own in validate.generator("rng", rng).spawn(models)
    )
    found = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    pairs = list(progress.track(found, models, what="audit", unit="models"))
    widths = sorted({pair[0].shape[1] for pair in pairs})
    if len(widths) > 1:
        validate.refuse_as("learner", f"{widths} numbers a record", "as many for every model")
    inside, outside = (np.stack([pair[side] for pair in pairs]) for side in (0, 1))
    return Shadows(inside, outside, n, name_of(learner), game)
