"""Any learner, as the audit uses it: train on records, then give an attacker numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook import validate

__all__ = ["Learn", "learner_of", "seeded_clone"]

Array = NDArray[np.float64]
Ask = Callable[[Any, Any], Array]
_TINY = 1e-12


def seeded_clone(estimator: Any, rng: np.random.Generator) -> Any:
    """Return an unfitted copy of an estimator whose randomness comes from the generator."""
    from sklearn.base import clone

    copy: Any = clone(estimator)
    names = [n for n in copy.get_params() if n == "random_state" or n.endswith("__random_state")]
    return copy.set_params(**{name: int(rng.integers(2**31)) for name in sorted(names)})


def _columns(value: Any, count: int, what: str) -> Array:
    """Return what a learner said of ``count`` records as a table of finite numbers."""
    table = np.asarray(value)
    if table.ndim not in (1, 2) or len(table) != count or table.dtype.kind not in "biuf":
        validate.refuse(what, f"a result of shape {table.shape}", f"numbers for {count} records")
    numbers: Array = table.reshape(count, -1).astype(float)
    if not np.isfinite(numbers).all():
        validate.refuse(what, "a result with nan or infinities", "finite numbers")
    return numbers


def _of_predictions(said: Any, X: Any, y: Any) -> Array:
    if y is None:
        return np.hstack([_columns(X, len(X), "X"), _columns(said, len(X), "learner")])
    said, targets = np.asarray(said), np.asarray(y)
    if said.shape == targets.shape and set("OU") & {said.dtype.kind, targets.dtype.kind}:
        return np.asarray(said == targets, dtype=np.float64)[:, None]
    guess, truth = _columns(said, len(X), "learner"), _columns(targets, len(X), "y")
    # One prediction a record is compared with the target; of several the attack makes its own.
    return np.hstack([guess, truth, np.abs(guess - truth)])


def _of_classes(said: Array, classes: Any, y: Any) -> Array:
    at = np.asarray(y)[:, None] == np.asarray(classes)[None, :]
    # A class that no training record had gets no probability.
    truth = (said * at).sum(axis=1)
    return np.column_stack([truth, -np.log(np.maximum(truth, _TINY)), said.max(axis=1)])


def _of_estimator(model: Any, X: Any, y: Any) -> Array:
    if y is not None and hasattr(model, "predict_proba"):
        return _of_classes(model.predict_proba(X), model.classes_, y)
    if y is None:
        for name in ("score_samples", "decision_function", "transform"):
            if hasattr(model, name):
                return _of_predictions(getattr(model, name)(X), X, None)
    return _of_predictions(model.predict(X), X, y)


@dataclass(frozen=True)
class Learn:
    """Trains a learner and returns what turns records into an attacker's features."""

    learner: Any
    features: Any
    is_estimator: bool

    def __call__(self, rng: np.random.Generator, X: Any, y: Any) -> Ask:
        """Train on the records."""
        if self.is_estimator:
            model = seeded_clone(self.learner, rng)
            try:
                model = model.fit(X) if y is None else model.fit(X, y)
            except ValueError as error:
                raise ValueError(
                    f"learner = {self.learner!r}: failed on a draw of n = {len(X)} records: {error}"
                ) from error
            predict = getattr(model, "predict", None)
        else:
            model = predict = self.learner(rng, X, y)
            if not callable(predict):
                validate.refuse("learner", predict, "a function that returns a function of X")

        def ask(Z: Any, targets: Any) -> Array:
            if self.features is not None:
                return _columns(self.features(predict, Z, targets), len(Z), "features")
            if self.is_estimator:
                return _of_estimator(model, Z, targets)
            return _of_predictions(model(Z), Z, targets)

        return ask


def learner_of(learner: Any, features: Any) -> tuple[Learn, str]:
    """Check a learner and return how it is trained, and its name."""
    if isinstance(learner, type):
        validate.refuse("learner", learner, f"an instance, such as {learner.__name__}()")
    if hasattr(learner, "fit") and hasattr(learner, "get_params"):
        return Learn(learner, features, True), " ".join(str(learner).split())
    if not callable(learner):
        validate.refuse("learner", learner, "an estimator, or a function (rng, X, y)")
    return Learn(learner, features, False), getattr(learner, "__name__", "function")
