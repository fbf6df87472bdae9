"""Does a learner see more than the empirical distribution?  Tests by shuffling and copying."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.base.attempt import attempt
from mipbook.base.types import Array

__all__ = ["estimator_gaps", "redundancy_gap", "symmetry_gap"]

_MOST = 50_000_000


def _rows(data: Any) -> Array:
    rows = validate.squarable("data", data)
    if rows.ndim == 0 or rows.size == 0:
        validate.refuse("data", data, "an array with at least one record")
    return rows


def _answer(function: Callable[[Array], Any], rows: Array) -> Array:
    what = f"on data of shape {rows.shape}"
    answer = np.asarray(attempt("function", function, what, function, rows))
    if answer.dtype.kind not in "biuf" or not np.isfinite(answer).all():
        validate.refuse("function", answer, "a function that answers with finite numbers")
    return answer.astype(np.float64)


def _apart(function: Callable[[Array], Any], rows: Array, other: Array) -> float:
    left, right = (_answer(function, x) for x in (rows, other))
    if left.shape != right.shape:
        validate.refuse("function", function, "a function whose answer keeps its shape")
    return float(np.abs(left - right).max(initial=0.0))


def redundancy_gap(function: Callable[[Array], Any], data: ArrayLike, copies: int = 2) -> float:
    """Return how far a function moves when the whole sample is given several times.

    Parameters
    ----------
    function : callable
        From an array of records to numbers.
    data : array_like of shape (records, ...)
        The sample.
    copies : int
        How often the sample is repeated, at least 2 and up to 50 million numbers in all.

    Returns
    -------
    float
        Largest absolute change of an entry; 0 if the function does not notice.

    Notes
    -----
    Limits paper, Definition 17 (one sample at a time: a gap of 0 here proves nothing for
    other samples, and any other gap is a counterexample).

    Examples
    --------
    >>> redundancy_gap(np.mean, [1.0, 2.0, 6.0]), redundancy_gap(np.sum, [1.0, 2.0, 6.0])
    (0.0, 9.0)
    """
    rows = _rows(data)
    copies = validate.integer("copies", copies, 2, max(2, _MOST // rows.size))
    return _apart(function, rows, np.concatenate([rows] * copies))


def symmetry_gap(
    function: Callable[[Array], Any], data: ArrayLike, rng: np.random.Generator, trials: int = 20
) -> float:
    """Return how far a function moves at most when the records are shuffled.

    Parameters
    ----------
    function, data
        As in `redundancy_gap`.
    trials : int
        How many shuffles, in [1, 10,000].

    Returns
    -------
    float
        Largest absolute change of an entry.

    References
    ----------
    Limits paper, Definition 16.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> symmetry_gap(np.max, [1.0, 2.0, 6.0], rng)
    0.0
    >>> symmetry_gap(lambda x: x[0], [1.0, 2.0, 6.0], rng)
    5.0
    """
    rows = _rows(data)
    rng = validate.generator("rng", rng)
    shuffles = range(validate.integer("trials", trials, 1, 10_000))
    return max(_apart(function, rows, rng.permutation(rows)) for _ in shuffles)


def estimator_gaps(
    estimator: Any,
    features: ArrayLike,
    labels: ArrayLike,
    at: ArrayLike,
    rng: np.random.Generator,
    copies: int = 2,
) -> tuple[float, float]:
    """Return how a scikit-learn estimator reacts to shuffled and to repeated training data.

    Parameters
    ----------
    estimator : object
        Anything with ``fit`` and ``predict`` that ``sklearn.base.clone`` accepts; a
        classifier is compared by ``predict_proba``.
    features : array_like of shape (records, features)
    labels : array_like of shape (records,)
    at : array_like of shape (points, features)
        Where predictions are compared.
    copies : int
        How often the training data are repeated, at least 2.

    Returns
    -------
    symmetry, redundancy : float
        Largest absolute change of a prediction when the training data are shuffled, and when
        they are repeated.

    Notes
    -----
    Limits paper, Proposition 18: a learner that sees only the empirical distribution has both
    gaps 0, up to rounding and the solver's tolerance.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((8, 2))
    >>> estimator_gaps(KNeighborsRegressor(n_neighbors=1), x, x[:, 0], x + 0.1, rng)
    (0.0, 0.0)
    """
    from sklearn.base import clone

    x = validate.squarable("features", features, ndim=2)
    y = validate.squarable("labels", labels, ndim=1)
    where = validate.squarable("at", at, ndim=2)
    if len(x) == 0 or len(x) != len(y):
        validate.refuse("labels", labels, f"one a record ({len(x)} records in features)")
    copies = validate.size("copies", copies, 2, beside=2 * max(1, x.size))
    if not (callable(getattr(estimator, "fit", None)) and hasattr(estimator, "predict")):
        validate.refuse("estimator", estimator, "an estimator with fit and predict")
    rng = validate.generator("rng", rng)
    attempt("estimator", estimator, "to be cloned", clone, estimator)

    def predictions(rows: Array) -> Array:
        fitted = clone(estimator).fit(rows[:, :-1], rows[:, -1])
        tell = fitted.predict_proba if hasattr(fitted, "predict_proba") else fitted.predict
        return np.asarray(tell(where), dtype=float)

    together = np.column_stack([x, y])
    return (symmetry_gap(predictions, together, rng, 1), redundancy_gap(predictions, together, copies))
