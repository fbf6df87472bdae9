"""The maximum-margin linear classifier: how many records end exactly on the margin."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mipbook import validate
from mipbook.learners.base import Array, records

__all__ = ["MaximumMargin", "near_orthogonal"]


class MaximumMargin:
    """The shortest w with y w'x >= 1 on all records, y in {-1, 1}.

    Attributes
    ----------
    weights : ndarray
        Set by `fit`.

    Notes
    -----
    Limits paper, Proposition 19, with a linear classifier in place of the network.  Solved
    exactly as a least-distance problem (Lawson and Hanson, chapter 23).

    Examples
    --------
    >>> x = [[2.0, 0.0], [0.0, 4.0]]
    >>> learner = MaximumMargin().fit(x, [1.0, -1.0], rng=np.random.default_rng(1))
    >>> learner.predict(x).round(9).tolist()
    [1.0, -1.0]
    """

    weights: Array | None = None

    def fit(self, x: Any, y: Any, *, rng: np.random.Generator) -> Self:
        """Solve; ``rng`` is not used, since nothing is random.

        Raises
        ------
        ValueError
            For malformed records, labels other than -1 and 1, or classes that no plane
            through 0 separates.
        """
        from scipy.optimize import nnls

        checked = records(x, y)
        validate.generator("rng", rng)
        if not np.isin(checked.y, (-1, 1)).all():
            validate.refuse("y", y, "labels -1 and 1")
        system = np.vstack([(checked.x * checked.y[:, None]).T, np.ones(len(checked.y))])
        goal = np.zeros(len(system))
        goal[-1] = 1.0
        solution, _ = nnls(system, goal)
        left = goal - system @ solution
        if left[-1] < 1e-10:
            validate.refuse("y", y, "labels that a plane through 0 separates")
        self.weights = -left[:-1] / left[-1]
        return self

    def predict(self, x: Any) -> Array:
        """Return w'x for each row: its sign is the class, and 1 is the margin.

        Raises
        ------
        ValueError
            Before `fit`, or for rows of another length than those learnt from.
        """
        if self.weights is None:
            raise ValueError("learner: must be fitted first")
        inputs = validate.array("x", x, -1e3, 1e3, ndim=2)
        if inputs.shape[1] != len(self.weights):
            validate.refuse("x", inputs.shape, f"rows of {len(self.weights)} numbers")
        return np.asarray(inputs @ self.weights)

    def losses(self, x: Any, y: Any) -> Array:
        """Return the distance of the size of w'x from 1: zero on the margin, for any class."""
        checked = records(x, y)
        return np.asarray(np.abs(np.abs(self.predict(checked.x)) - 1))


def near_orthogonal(x: Any) -> bool:
    """Return whether all pairs of rows on the sphere of radius sqrt(d) are nearly orthogonal.

    Parameters
    ----------
    x : array_like
        At least one row; the rows are brought to length sqrt(d) first.

    Returns
    -------
    bool
        Whether every inner product of two rows is at most sqrt(d) ln d in size.

    Raises
    ------
    ValueError
        For a row of zeros or a malformed array.

    Notes
    -----
    The event in the proof of the Limits paper, Proposition 19.

    Examples
    --------
    >>> near_orthogonal(np.eye(10)), near_orthogonal(np.ones((2, 10)))
    (True, False)
    """
    rows = validate.array("x", x, -1e3, 1e3, ndim=2)
    sizes = np.linalg.norm(rows, axis=1)
    if rows.size == 0 or not sizes.all():
        validate.refuse("x", x, "an array with at least one row, no row of zeros")
    d = rows.shape[1]
    inner = d * (rows / sizes[:, None]) @ (rows / sizes[:, None]).T
    np.fill_diagonal(inner, 0.0)
    return bool(np.abs(inner).max() <= np.sqrt(d) * np.log(d))
