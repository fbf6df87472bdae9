"""Any learner, as the audit uses it: train on records, then give an attacker numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from explorable import validate
from mipbook.audit._records import numbers_of, size_of
from mipbook.base.attempt import attempt
from mipbook.base.types import Array

__all__ = ["MOST_NUMBERS", "Learn", "learner_of", "name_of", "seeded_clone"]

Ask = Callable[[Any, Any], Array]
# A chance of 0 would be an infinite loss.
_TINY = 1e-12
# A record of more numbers is not shown to the attack: it would learn noise from them.
MOST_NUMBERS = 20


def seeded_clone(estimator: Any, rng: np.random.Generator) -> Any:
    """Return an unfitted copy of an estimator whose randomness comes from the generator."""
    from sklearn.base import clone

    copy: Any = clone(estimator)
    names = [n for n in copy.get_params() if n == "random_state" or n.endswith("__random_state")]
    return copy.set_params(**{name: int(rng.integers(2**31)) for name in sorted(names)})


def _columns(value: Any, count: int, what: str) -> Array:
    """Return what a learner said of ``count`` records as a table of finite numbers."""
    table = value.toarray() if hasattr(value, "toarray") else np.asarray(value)
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


def _of_classes(said: Any, classes: Any, y: Any) -> Array:
    said = _columns(said, len(y), "learner")
    at = y[:, None] == np.asarray(classes)[None, :]
    # A class that no training record had gets no probability.
    truth = (said * at).sum(axis=1)
    return np.column_stack([truth, -np.log(np.maximum(truth, _TINY)), said.max(axis=1)])


def _of_estimator(model: Any, X: Any, y: Any) -> Array:
    if y is not None and hasattr(model, "predict_proba"):
        return _of_classes(model.predict_proba(X), model.classes_, y)
    names = ("score_samples", "decision_function", "transform") if y is None else ()
    asked = next((name for name in names if hasattr(model, name)), "predict")
    return _of_predictions(getattr(model, asked)(X), y, size_of(X))


@dataclass(frozen=True)
class Learn:
    """Trains a learner and returns what turns records into an attacker's features."""

    learner: Any
    features: Any
    is_estimator: bool

    def __call__(self, rng: np.random.Generator, X: Any, y: Any) -> Ask:
        """Train on the records."""
        drawn = f"on a draw of n = {size_of(X)} records of X and y"
        if self.is_estimator:
            model = seeded_clone(self.learner, rng)
            given = (X,) if y is None else (X, y)
            model = attempt("learner", self.learner, drawn, model.fit, *given)
            predict = getattr(model, "predict", None)
        else:
            model = predict = attempt("learner", self.learner, drawn, self.learner, rng, X, y)
            if not callable(predict):
                validate.refuse("learner", predict, "a function that returns a function of X")

        def ask(Z: Any, targets: Any) -> Array:
            count, asked = size_of(Z), f"when asked about {size_of(Z)} records of X and y"
            if self.features is not None:
                told = attempt("features", self.features, asked, self.features, predict, Z, targets)
                return _columns(told, count, "features")
            seen = numbers_of(Z, MOST_NUMBERS)
            if self.is_estimator:
                told = attempt("learner", self.learner, asked, _of_estimator, model, Z, targets)
            else:
                said = attempt("learner", self.learner, asked, model, Z)
                told = _of_predictions(said, targets, count)
            # Without targets what is seen stands first: it is all that there is to compare with.
            return np.hstack([seen, told] if targets is None else [told, seen])

        return ask


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


def learner_of(learner: Any, features: Any) -> tuple[Learn, str]:
    """Check a learner and return how it is trained, and its name."""
    if isinstance(learner, type):
        validate.refuse("learner", learner, f"an instance, such as {learner.__name__}()")
    if hasattr(learner, "fit") and hasattr(learner, "get_params"):
        return Learn(learner, features, True), name_of(learner)
    if not callable(learner):
        validate.refuse("learner", learner, "an estimator, or a function (rng, X, y)")
    return Learn(learner, features, False), name_of(learner)
