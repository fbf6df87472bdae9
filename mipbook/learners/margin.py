"""A two-layer ReLU classifier in the limit of gradient flow: who ends exactly on the margin."""

from __future__ import annotations

import math
from typing import Annotated, Any, Self

import numpy as np

from explorable import validate
from explorable.checked import Integer, Number, Numbers, checked
from mipbook.base.types import Rng
from mipbook.learners.base import Array, Inputs, records

Dimensions = Annotated[Any, Numbers(2.0, 1e12)]


class MarginFlow:
    """Two-layer ReLU network whose direction follows the gradient flow of the exponential loss.

    Parameters
    ----------
    units : int
        Hidden units a record, in [1, 100].
    steps : int
        Steps, in [0, 10^6].
    pace : float
        Length of a step over that of the weights, in (0, 0.1].

    Attributes
    ----------
    start_margin : float
        The smallest y times output before the first step; positive if the start classifies.
    margins : ndarray
        What `fit` ends with, y times output of each record; the smallest one is 1.

    Notes
    -----
    Limits paper, Proposition 19: it holds for *an* initialisation, one that classifies the
    records.  Here a unit starts along each record, with its label as the outer weight, which
    classifies records that are nearly orthogonal.  The flow slows down like the loss; steps of
    a fixed relative length follow the same path.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.standard_normal((6, 100))
    >>> flow = MarginFlow().fit(x, [1, -1, 1, 1, -1, -1], rng=rng)
    >>> flow.start_margin > 0, bool(flow.margins.max() < 1.01)
    (True, True)
    """

    @checked
    def __init__(
        self,
        units: Annotated[int, Integer(1, 100)] = 2,
        steps: Annotated[int, Integer(0, 10**6)] = 8000,
        pace: Annotated[float, Number(0.0, 0.1, open_low=True)] = 1e-3,
    ) -> None:
        self.units, self.steps, self.pace = units, steps, pace
        self._weights: tuple[Array, Array] | None = None

    @checked
    def fit(self, x: Any, y: Any, *, rng: Rng) -> Self:
        """Follow the flow from a start along the records; the rest of the start is random.

        Raises
        ------
        ValueError
            For malformed records, labels other than -1 and 1, or records that are not
            classified in the end.
        """
        data = records(x, y)
        if not np.isin(data.y, (-1, 1)).all():
            validate.refuse("y", y, "labels -1 and 1")
        n, d = data.x.shape
        inputs, y = np.hstack([data.x, np.ones((n, 1))]), data.y
        first = np.tile(np.hstack([data.x, np.zeros((n, 1))]), (self.units, 1)) / (10 * d**0.5)
        first += rng.normal(0, 0.02 / d**0.5, first.shape)
        second = np.tile(y, self.units) / 10
        for step in range(self.steps + 1):
            hidden = inputs @ first.T
            margins = y * (np.maximum(hidden, 0) @ second)
            if step == 0:
                self.start_margin = float(margins.min())
            # The slope of the logarithm of the loss: the smallest margins count most.
            weight = np.exp(margins.min() - margins)
            weight *= y / weight.sum()
            to_first = ((hidden > 0) * weight[:, None] * second).T @ inputs
            to_second = np.maximum(hidden, 0).T @ weight
            slope = np.sqrt((to_first**2).sum() + (to_second**2).sum())
            if step == self.steps or not slope:
                break
            size = self.pace * np.sqrt((first**2).sum() + (second**2).sum()) / slope
            first += size * to_first
            second += size * to_second
        if margins.min() <= 0:
            validate.refuse("y", y, "labels that this network learns for x from this start")
        self.margins = margins / margins.min()
        # Both layers alike, as in the problem whose conditions the limit meets.
        root = np.sqrt(margins.min())
        self._weights = first / root, second / root
        return self

    @checked
    def predict(self, x: Inputs) -> Array:
        """Return the output for each row: its sign is the class, and 1 is the margin.

        Examples
        --------
        >>> x, rng = [[2.0, 1.0], [-1.0, 2.0]], np.random.default_rng(0)
        >>> learnt = MarginFlow(8, steps=200).fit(x, [1.0, -1.0], rng=rng)
        >>> np.sign(learnt.predict(x)).tolist()
        [1.0, -1.0]
        """
        if self._weights is None:
            raise ValueError("learner: must be fitted first")
        first, second = self._weights
        if x.shape[1] != first.shape[1] - 1:
            validate.refuse("x", x.shape, f"rows of {first.shape[1] - 1} numbers")
        hidden = x @ first[:, :-1].T + first[:, -1]
        return np.asarray(np.maximum(hidden, 0) @ second)

    def losses(self, x: Any, y: Any) -> Array:
        """Return the distance of the output's size from 1: zero on the margin, for any class.

        Examples
        --------
        >>> x, rng = [[2.0, 1.0], [-1.0, 2.0]], np.random.default_rng(0)
        >>> learnt = MarginFlow(8, steps=200).fit(x, [1.0, -1.0], rng=rng)
        >>> learnt.losses(x, [1.0, -1.0]).shape
        (2,)
        """
        data = records(x, y)
        return np.asarray(np.abs(np.abs(self.predict(data.x)) - 1))


@checked
def near_orthogonal(x: Inputs) -> bool:
    """Return whether all pairs of rows on the sphere of radius sqrt(d) are nearly orthogonal.

    Parameters
    ----------
    x : array_like
        At least one row; the rows are brought to length sqrt(d) first.

    Returns
    -------
    bool
        Whether every inner product of two rows is at most sqrt(d) ln d in size.

    Notes
    -----
    The event in the proof of the Limits paper, Proposition 19.

    Examples
    --------
    >>> near_orthogonal(np.eye(10)), near_orthogonal(np.ones((2, 10)))
    (True, False)
    """
    sizes = np.linalg.norm(x, axis=1)
    if x.size == 0 or not sizes.all():
        validate.refuse("x", x, "an array with at least one row, no row of zeros")
    d = x.shape[1]
    inner = d * (x / sizes[:, None]) @ (x / sizes[:, None]).T
    np.fill_diagonal(inner, 0.0)
    return bool(np.abs(inner).max() <= np.sqrt(d) * np.log(d))


def _pair_apart(d: Array) -> Array:
    """Return the chance that two uniform points on the sphere are not nearly orthogonal."""
    from scipy.special import betaincc

    return np.asarray(betaincc(0.5, (d - 1) / 2, np.log(d) ** 2 / d))


@checked
def not_orthogonal_bounds(n: Annotated[int, Integer(2, 10**9)], d: Dimensions) -> tuple[Array, Array]:
    """Return bounds on the chance that some pair of n points on a sphere is not nearly orthogonal.

    Parameters
    ----------
    n : int
        Points, uniform and independent.
    d : array_like
        Dimensions, at least 2.

    Returns
    -------
    low, high : ndarray
        With q for the exact chance of one of the m pairs: m q / (1 + (m - 1) q), since pairs are
        independent two by two, and m q, at most 1.

    Notes
    -----
    The event in the proof of the Limits paper, Proposition 19, which `near_orthogonal` asks for,
    fails.  The lower bound is Chung and Erdos's.

    Examples
    --------
    >>> low, high = not_orthogonal_bounds(10, 50)
    >>> bool(0 < low <= high < 0.01)
    True
    """
    q, pairs = _pair_apart(d), n * (n - 1) / 2
    return pairs * q / (1 + (pairs - 1) * q), np.minimum(pairs * q, 1.0)


@checked
def most_near_orthogonal(
    d: Annotated[float, Number(2.0, 1e12)],
    chance: Annotated[float, Number(0.0, 1.0, open_low=True, open_high=True)],
    most: Annotated[int, Integer(1, 10**9)],
) -> int:
    """Return up to which n all pairs are nearly orthogonal with at least a chance, by a bound.

    Parameters
    ----------
    d : float
        Dimensions.
    chance : float
        That no pair fails.
    most : int
        Where to stop.

    Examples
    --------
    >>> most_near_orthogonal(50, 0.99, 10**6)
    28
    """
    q = float(_pair_apart(np.array(d)))
    # n (n - 1) / 2 pairs may fail with 1 - chance together.
    room = math.sqrt(0.25 + 2 * (1 - chance) / q) if q else math.inf
    return most if room + 0.5 >= most else int(0.5 + room)
