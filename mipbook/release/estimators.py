"""What a fitted scikit-learn estimator has learnt, as a list of numbers, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorable import validate
from explorable.private import private
from mipbook.base.types import Array

__all__ = ["estimator_parameters", "is_estimator", "refuse_unfaithful", "refuse_unsafe", "with_parameters"]

# What a prediction is made from. Everything else that fitting stores, such as training
# records or counts of them, stays behind.
_LEARNT = (
    "coef_",
    "intercept_",
    "coefs_",
    "intercepts_",
    "cluster_centers_",
    "theta_",
    "var_",
    "components_",
    "mean_",
    "scale_",
    "location_",
    "covariance_",
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
        allowed = f"a fitted model with one of {', '.join(_LEARNT)}"
        validate.refuse("learner", model, allowed)
    return np.concatenate(parts)


def _arrays(model: Any, name: str) -> list[Any]:
    value = getattr(model, name, None)
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


@private("learner", "task", "theta")
def with_parameters(learner: Any, task: Any, theta: Any) -> Any:
    """Return a model that predicts with given numbers, made from an unfitted learner.

    Parameters
    ----------
    learner : scikit-learn estimator
        Never fitted on the half that is hidden; gives the settings.
    task : scikit-learn estimator
        The same, fitted on all the data; gives shapes, classes and the names of the columns.
    theta : array_like of shape (d,)
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
    >>> model = with_parameters(LinearRegression(), fitted, [5.0, 1.0])
    >>> bool(np.isclose(model.predict([[2.0]])[0], 11.0))
    True
    """
    from sklearn.base import clone

    vector = validate.array("theta", theta, ndim=1)
    for called, given in (("learner", learner), ("task", task)):
        if not is_estimator(given) or isinstance(given, type):
            validate.refuse(called, given, "a scikit-learn estimator")
    size = estimator_parameters(task).size
    if vector.size != size:
        validate.refuse("theta", vector, f"of length {size}")
    copy = clone(learner)
    at = 0
    for name in _LEARNT:
        pieces = []
        for part in _arrays(task, name):
            shape = np.shape(part)
            count = int(np.prod(shape, dtype=int))
            piece = vector[at : at + count].reshape(shape)
            # A variance that noise made negative cannot predict.
            pieces.append(np.maximum(piece, 1e-12) if name in ("var_", "scale_") else piece)
            at += count
        if pieces:
            is_list = isinstance(getattr(task, name), list)
            setattr(copy, name, pieces if is_list else pieces[0])
    for name in _TASK:
        if hasattr(task, name):
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
    seen = 0
    for method in ("predict", "predict_proba", "decision_function", "transform"):
        if not hasattr(task, method):
            continue
        seen += 1
        try:
            ours, own = getattr(copy, method)(rows), getattr(task, method)(rows)
            same = np.shape(ours) == np.shape(own) and _alike(ours, own)
        except Exception:  # whatever an estimator without its other attributes may raise
            same = False
        if not same:
            allowed = f"a model whose {method} needs no more than {', '.join(_LEARNT)}"
            validate.refuse("learner", task, allowed)
    if not seen:
        validate.refuse("learner", task, "a model that predicts or transforms")


def _alike(ours: Any, own: Any) -> bool:
    if np.asarray(own).dtype.kind in "iuf":
        return bool(np.allclose(ours, own, rtol=1e-6, atol=1e-9 * (1 + np.max(np.abs(own)))))
    return bool(np.all(np.asarray(ours) == np.asarray(own)))
