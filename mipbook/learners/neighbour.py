"""The nearest neighbour, through scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from explorable import validate
from mipbook.learners.base import Array, records

__all__ = ["NearestNeighbour"]


class NearestNeighbour:
    """Predict the label of the nearest training record.

    Notes
    -----
    Limits paper, Figure 2b.  A training record finds itself, so its loss is 0 unless another
    has the same inputs.  Needs scikit-learn: ``pip install mipbook[learners]``.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> learner = NearestNeighbour().fit([[0.0], [1.0]], [5.0, 7.0], rng=rng)
    >>> learner.predict([[0.2], [0.9]]).tolist()
    [5.0, 7.0]
    """

    def __init__(self) -> None:
        self._model: Any = None
        self._dimension = 0

    def fit(self, x: Any, y: Any, *, rng: np.random.Generator) -> Self:
        """Keep the records; ``rng`` is not used, since nothing is random."""
        from sklearn.neighbors import KNeighborsRegressor

        checked = records(x, y)
        validate.generator("rng", rng)
        self._dimension = checked.x.shape[1]
        # In many dimensions the default search expands squares, and records that are closer
        # to each other than rounding would not find themselves.
        model = KNeighborsRegressor(n_neighbors=1, algorithm="kd_tree")
        self._model = model.fit(checked.x, checked.y)
        return self

    def predict(self, x: Any) -> Array:
        """Return the label of each row's nearest training record."""
        if self._model is None:
            raise ValueError("learner: must be fitted first")
        inputs = validate.array("x", x, -1e3, 1e3, ndim=2)
        if inputs.shape[1] != self._dimension or not len(inputs):
            validate.refuse("x", inputs.shape, f"rows of {self._dimension} numbers, at least one")
        return np.asarray(self._model.predict(inputs), dtype=float)

    def losses(self, x: Any, y: Any) -> Array:
        """Return the squared error of each record.

        Examples
        --------
        >>> x, rng = [[0.0], [1.0]], np.random.default_rng(0)
        >>> NearestNeighbour().fit(x, [2.0, 3.0], rng=rng).losses(x, [2.0, 5.0]).tolist()
        [0.0, 4.0]
        """
        checked = records(x, y)
        return np.asarray(np.square(self.predict(checked.x) - checked.y))
