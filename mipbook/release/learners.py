"""From records to a vector of numbers, whatever the learner; all that is checked beforehand."""

from __future__ import annotations

import contextlib
import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from explorable import validate
from explorable.private import private
from mipbook.base.attempt import attempt, unheard
from mipbook.base.types import Array
from mipbook.release.estimators import estimator_parameters, is_estimator, refuse_unfaithful, with_parameters

__all__ = ["Learner", "checked_data", "utility_of"]

Utility = Callable[..., float]


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

    def apart(self) -> Learner:
        """Return one with a copy of the function: what that keeps of its records goes with it."""
        twin = copy.copy(self)
        with contextlib.suppress(Exception):  # what cannot be copied has to serve itself
            twin.learner = copy.deepcopy(self.learner)
        return twin

    def _model(self, chosen: Any) -> Any:
        from sklearn.base import clone

        model = clone(self.learner)
        if self.targets is None:
            return model.fit(self.rows[chosen])
        return model.fit(self.rows[chosen], self.targets[chosen])

    def _result(self, chosen: Any) -> Any:
        return np.atleast_1d(np.asarray(self.learner(self.rows[chosen])))

    def both(self, chosen: Any) -> tuple[Any, Array]:
        """Return the fitted model (or None) and its numbers."""
        drawn, model = f"on {len(chosen)} of {len(self.rows)} records of X and y", None
        if self.is_estimator:
            allowed = "an estimator that learns finite numbers from each half"
            told = ("y", None) if self.targets is None else ("learner", self.learner)
            model = attempt(*told, drawn, self._model, chosen)
            theta = estimator_parameters(model)
        else:
            allowed = "a function from records X to finite real numbers, one number or a vector"
            theta = attempt("learner", self.learner, drawn, self._result, chosen)
        if theta.dtype.kind not in "iuf" or theta.ndim != 1 or not np.isfinite(theta).all():
            validate.refuse("learner", self.learner, allowed)
        if theta.size != (self.whole.size or max(theta.size, 1)):
            validate.refuse("learner", self.learner, f"{allowed} that always has the same length")
        return model, theta.astype(float)

    def published(self, theta: Array) -> Any:
        """Return the model that predicts with these numbers; None for a function."""
        return with_parameters(self.learner, self.task, theta) if self.is_estimator else None

    @private("self", "chosen")
    def __call__(self, chosen: Any) -> Array:
        """Return the numbers alone."""
        return self.both(np.asarray(chosen))[1]


def utility_of(fit: Learner, utility: Utility | None) -> Callable[[Any, Array], float | None]:
    """Return a function of a model and its numbers that says how good they are.

    It was tried on all the data, where it must work.  On a release it may still fail; then it
    returns None, for a release that was drawn must not be lost, nor drawn again.
    """
    if utility is not None and not callable(utility):
        validate.refuse("utility", utility, "a function")
    arguments = (fit.rows,) if fit.targets is None else (fit.rows, fit.targets)

    def measured(model: Any, theta: Array) -> float | None:
        if utility is not None:
            if fit.is_estimator:
                return float(utility(model, fit.rows, fit.targets))
            return float(utility(theta, fit.rows))
        return float(model.score(*arguments)) if hasattr(model, "score") else None

    def safely(model: Any, theta: Array) -> float | None:
        with unheard(), contextlib.suppress(Exception):
            return measured(model, theta)
        return None

    if utility is None:
        own = safely(fit.published(fit.whole), fit.whole)
        return safely if own is not None else lambda model, theta: None
    attempt("utility", utility, "on X and y", measured, fit.published(fit.whole), fit.whole)
    return safely
