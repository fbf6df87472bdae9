"""What a fitted scikit-learn estimator has learnt, as a list of numbers, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook import validate

__all__ = ["estimator_parameters", "is_estimator", "with_parameters"]

Array = NDArray[np.float64]
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
# What describes the task, taken from all the data and not from the half.
_TASK = ("classes_", "n_features_in_", "feature_names_in_", "n_outputs_", "_label_binarizer")


def is_estimator(learner: Any) -> bool:
    """Return whether this is a scikit-learn estimator."""
    return callable(getattr(learner, "fit", None)) and callable(
        getattr(learner, "get_params", None)
    )


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
                type(model).__name__,
                "a model that predicts from a fixed list of numbers; this one keeps records or a "
                f"structure ({kept}) that noise on numbers cannot hide",
            )
    parts = [np.ravel(part).astype(float) for name in _LEARNT for part in _arrays(model, name)]
    if not parts:
        allowed = f"a fitted model with one of {', '.join(_LEARNT)}"
        validate.refuse("learner", type(model).__name__, allowed)
    return np.concatenate(parts)


def _arrays(model: Any, name: str) -> list[Any]:
    value = getattr(model, name, None)
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def with_parameters(model: Any, task: Any, theta: Any) -> Any:
    """Return a copy of a fitted estimator that predicts with other numbers.

    Parameters
    ----------
    model : scikit-learn estimator
        Fitted; gives the shapes only.
    task : scikit-learn estimator
        Fitted on all the data; gives the classes and the names of the columns.
    theta : array_like of shape (d,)
        The numbers, in the order of `estimator_parameters`.

    Returns
    -------
    scikit-learn estimator
        It holds nothing else that fitting stored.

    Raises
    ------
    ValueError
        If the number of numbers does not fit.

    Notes
    -----
    MIP paper, Algorithm 1.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> fitted = LinearRegression().fit([[0.0], [1.0]], [1.0, 3.0])
    >>> bool(np.isclose(with_parameters(fitted, fitted, [5.0, 1.0]).predict([[2.0]])[0], 11.0))
    True
    """
    from sklearn.base import clone

    vector = validate.array("theta", theta, ndim=1)
    size = estimator_parameters(model).size
    if vector.size != size:
        validate.refuse("theta", vector, f"of length {size}")
    copy = clone(model)
    at = 0
    for name in _LEARNT:
        pieces = []
        for part in _arrays(model, name):
            shape = np.shape(part)
            count = int(np.prod(shape, dtype=int))
            piece = vector[at : at + count].reshape(shape)
            # A variance that noise made negative cannot predict.
            pieces.append(np.maximum(piece, 1e-12) if name in ("var_", "scale_") else piece)
            at += count
        if pieces:
            is_list = isinstance(getattr(model, name), list)
            setattr(copy, name, pieces if is_list else pieces[0])
    for name in (*_TASK, "n_layers_", "out_activation_", "n_iter_", "class_prior_", "_n_threads"):
        # The number of steps and the like are read from the task's fit, not from the half's.
        if hasattr(task, name):
            setattr(copy, name, getattr(task, name))
    return copy
