"""From records to a vector of numbers, whatever the learner, and back; all that is checked beforehand."""

import contextlib
import copy
import warnings
from functools import partial
from typing import Any, Self

import numpy as np

from explorable import validate
from explorable.private import attempt, private, unheard
from mipbook.base.types import Array

# What a prediction is made from. Everything else that fitting stores, such as training
# records or counts of them, stays behind.
_LEARNT = (
    *("coef_", "intercept_", "coefs_", "intercepts_", "cluster_centers_", "theta_"),
    *("var_", "components_", "mean_", "scale_", "location_", "covariance_"),
)
# What describes the task, and the number of steps and the like: all of it taken from the fit
# on all the data and not from the half.
_TASK = (
    *("classes_", "n_features_in_", "feature_names_in_", "n_outputs_", "_label_binarizer"),
    *("n_layers_", "out_activation_", "n_iter_", "class_prior_", "_n_threads"),
)


def is_estimator(learner: Any) -> bool:
    """Return whether this is a scikit-learn estimator."""
    return callable(getattr(learner, "fit", None)) and callable(getattr(learner, "get_params", None))


@private("model")
def estimator_parameters(model: Any) -> Array:
    """Return what a fitted estimator predicts with, as one vector.

    Parameters
    ----------
    model : scikit-learn estimator
        Fitted.

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError
        If the estimator keeps its training records, or learns no fixed list of numbers.

    Notes
    -----
    MIP paper, Algorithm 1: theta must be a vector of real numbers.

    Examples
    --------
    >>> class Fitted:
    ...     coef_, intercept_ = np.array([1.0, 2.0]), 3.0
    >>> estimator_parameters(Fitted()).tolist()
    [1.0, 2.0, 3.0]
    """
    for kept in ("_fit_X", "support_vectors_", "X_train_", "X_fit_", "tree_", "estimators_"):
        if hasattr(model, kept):
            validate.refuse(
                "learner",
                model,
                "a model that predicts from a fixed list of numbers; this one keeps records or a "
                f"structure ({kept}) that noise on numbers cannot hide",
            )
    parts = [np.ravel(part).astype(float) for name in _LEARNT for part in _arrays(model, name)]
    if not parts:
        validate.refuse("learner", model, f"a fitted model with one of {', '.join(_LEARNT)}")
    return np.concatenate(parts)


def _arrays(model: Any, name: str) -> list[Any]:
    value = getattr(model, name, None)
    return value if isinstance(value, list) else [] if value is None else [value]


@private("learner", "task", "theta")
def with_parameters(learner: Any, task: Any, theta: Array) -> Any:
    """Return a model that predicts with given numbers, made from an unfitted learner.

    Parameters
    ----------
    learner : scikit-learn estimator
        Never fitted on the half that is hidden; gives the settings.
    task : scikit-learn estimator
        The same, fitted on all the data; gives shapes, classes and the names of the columns.
    theta : ndarray of shape (d,)
        The numbers, in the order of `estimator_parameters`.

    Returns
    -------
    scikit-learn estimator
        It holds nothing else that fitting stored.

    Notes
    -----
    MIP paper, Algorithm 1.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> fitted = LinearRegression().fit([[0.0], [1.0]], [1.0, 3.0])
    >>> model = with_parameters(LinearRegression(), fitted, np.array([5.0, 1.0]))
    >>> bool(np.isclose(model.predict([[2.0]])[0], 11.0))
    True
    """
    from sklearn.base import clone

    copy, at = clone(learner), 0
    for name in _LEARNT:
        pieces = []
        for part in _arrays(task, name):
            piece = theta[at : at + np.size(part)].reshape(np.shape(part))
            # A variance that noise made negative cannot predict.
            pieces.append(np.maximum(piece, 1e-12) if name in ("var_", "scale_") else piece)
            at += np.size(part)
        if pieces:
            setattr(copy, name, pieces if isinstance(getattr(task, name), list) else pieces[0])
    for name in filter(partial(hasattr, task), _TASK):
        setattr(copy, name, getattr(task, name))
    # Before scikit-learn 1.9 components ask for this array's kind; only whitening uses its values,
    # and then the predictions would differ.
    if hasattr(task, "explained_variance_"):
        copy.explained_variance_ = np.ones(np.shape(task.explained_variance_))
    return copy


def refuse_unsafe(learner: Any) -> None:
    """Refuse a class in place of an estimator, and one that tells how its fits went.

    Fitting moves a generator on, by as much as the data ask for, and the state would tell.
    """
    if isinstance(learner, type):
        validate.refuse("learner", learner, f"an estimator, {learner.__name__}(), not its class")
    for name, value in learner.get_params(deep=True).items():
        if isinstance(value, np.random.RandomState | np.random.Generator | np.random.BitGenerator):
            allowed = "an integer or None: a generator's state tells how long a fit took"
            validate.refuse(f"learner's {name}", value, allowed)
        kind = name.rpartition("__")[2]
        if (kind == "verbose" and value) or (kind == "memory" and value is not None):
            allowed = "off: what a fit prints, or keeps in a folder, tells of the half"
            validate.refuse(f"learner's {name}", value, allowed)


def refuse_unfaithful(learner: Any, task: Any, rows: Any) -> None:
    """Refuse an estimator whose numbers alone do not give its predictions back."""
    copy = with_parameters(learner, task, estimator_parameters(task))
    methods = ("predict", "predict_proba", "decision_function", "transform")
    known = [method for method in methods if hasattr(task, method)]
    if not known:
        validate.refuse("learner", task, "a model that predicts or transforms")
    for method in known:
        try:
            ours, own = getattr(copy, method)(rows), getattr(task, method)(rows)
            same = np.shape(ours) == np.shape(own) and _alike(ours, own)
        except Exception:  # whatever an estimator without its other attributes may raise
            same = False
        if not same:
            allowed = f"a model whose {method} needs no more than {', '.join(_LEARNT)}"
            validate.refuse("learner", task, allowed)


def _alike(ours: Any, own: Any) -> bool:
    if np.asarray(own).dtype.kind in "iuf":
        return bool(np.allclose(ours, own, rtol=1e-6, atol=1e-9 * (1 + np.max(np.abs(own)))))
    return bool(np.all(np.asarray(ours) == np.asarray(own)))


def checked_data(X: Any, y: Any) -> tuple[Any, Any]:
    """Return records and targets as arrays, refused unless a half of them can be drawn."""
    try:
        rows = np.asarray(X)
    except ValueError:
        validate.refuse("X", X, "an array of numbers, every record of one length")
    if rows.ndim == 0 or rows.dtype.kind not in "iufb":
        validate.refuse("X", X, "an array of numbers, one record a row; encode words first")
    if len(rows) < 4 or len(rows) % 2:
        validate.refuse_as("X", f"{len(rows)} records", "an even number of records, at least 4")
    if np.ma.is_masked(X) or not np.isfinite(rows.astype(float)).all():
        validate.refuse("X", X, "finite; fill or drop missing values first")
    if y is None:
        return rows, None
    try:
        targets = np.asarray(y)
    except ValueError:
        validate.refuse("y", y, "one target a record, all of one length")
    if targets.ndim == 0 or len(targets) != len(rows):
        validate.refuse("y", y, f"one target for each of {len(rows)} records")
    if targets.dtype.kind == "f" and not np.isfinite(targets).all():
        validate.refuse("y", y, "finite; fill or drop missing values first")
    return rows, targets


class Learner:
    """A fit from row numbers to a vector; picklable, so that fits may run in other processes.

    Making one fits the learner on all the data, and tries everything that a release needs.
    ``whole`` is that fit: any other that is not finite, or of another length, has failed.
    """

    def __init__(self, learner: Any, rows: Any, targets: Any) -> None:
        self.learner, self.rows, self.targets = learner, rows, targets
        self.task: Any = None
        self.whole = np.empty(0)
        self.is_estimator = is_estimator(learner)
        with unheard() as heard:
            self.task, self.whole = self.both(np.arange(len(rows)))
            if self.is_estimator:
                refuse_unfaithful(learner, self.task, rows)
        if kinds := ", ".join(sorted({warning.category.__name__ for warning in heard})):
            # Once for all: of the fits that follow nothing is heard.
            warnings.warn(f"the learner warns of X ({kinds})", stacklevel=4)

    def apart(self) -> Self:
        """Return one with a copy of the function: what that keeps of its records goes with it."""
        twin = copy.copy(self)
        with contextlib.suppress(Exception):  # what cannot be copied has to serve itself
            twin.learner = copy.deepcopy(self.learner)
        return twin

    def _fitted(self, chosen: Any) -> Any:
        """Return the fitted model, or what a function makes of the records."""
        if not self.is_estimator:
            return np.atleast_1d(np.asarray(self.learner(self.rows[chosen])))
        from sklearn.base import clone

        given = (self.rows,) if self.targets is None else (self.rows, self.targets)
        return clone(self.learner).fit(*(each[chosen] for each in given))

    def both(self, chosen: Any) -> tuple[Any, Array]:
        """Return the fitted model (or None) and its numbers."""
        allowed = "a function from records X to finite real numbers, one number or a vector"
        if self.is_estimator:
            allowed = "an estimator that learns finite numbers from each half"
        named = ("y", None) if self.is_estimator and self.targets is None else ("learner", self.learner)
        drawn = f"on {len(chosen)} of {len(self.rows)} records of X and y"
        model = attempt(*named, drawn, self._fitted, chosen)
        theta = estimator_parameters(model) if self.is_estimator else model
        if theta.dtype.kind not in "iuf" or theta.ndim != 1 or not np.isfinite(theta).all():
            validate.refuse("learner", self.learner, allowed)
        if theta.size != (self.whole.size or max(theta.size, 1)):
            validate.refuse("learner", self.learner, f"{allowed} that always has the same length")
        return model if self.is_estimator else None, theta.astype(float)

    def published(self, theta: Array) -> Any:
        """Return the model that predicts with these numbers; None for a function."""
        return with_parameters(self.learner, self.task, theta) if self.is_estimator else None

    @private("self", "chosen")
    def __call__(self, chosen: Any) -> Array:
        """Return the numbers alone."""
        return self.both(np.asarray(chosen))[1]
