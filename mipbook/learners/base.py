"""What a learner is, how its losses are counted, and the data: uniform on a sphere, or normal."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Number, Numbers, OneOf, Size, checked
from mipbook.base.types import Rng
from mipbook.data.populations import unit_vectors

Array = NDArray[Any]
Inputs = Annotated[Any, Numbers(-1e3, 1e3, ndim=2)]
Targets = Annotated[Any, Numbers(-1e3, 1e3, ndim=1)]


class Records(NamedTuple):
    """Inputs, one row a record, and the label of each.

    Attributes
    ----------
    x : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    """

    x: Array
    y: Array


@checked
def records(x: Inputs, y: Targets) -> Records:
    """Check inputs and labels, at least one record, entries in [-1000, 1000]."""
    if 0 in x.shape:
        validate.refuse("x", x.shape, "at least one row and one column")
    if len(y) != len(x):
        validate.refuse("y", y.shape, f"one label for each of the {len(x)} rows of x")
    return Records(x, y)


class Regression(ABC):
    """What predicts a record's label; its loss is the squared error."""

    _columns: int | None = None

    @abstractmethod
    def _predicted(self, x: Array) -> Array:
        """Return the prediction for each row, of as many columns as the learner was fitted to."""

    @checked
    def predict(self, x: Inputs) -> Array:
        """Return the prediction for each row of ``x``."""
        if self._columns is None:
            raise ValueError("learner: must be fitted first")
        if x.shape[1] != self._columns or not len(x):
            validate.refuse("x", x.shape, f"rows of {self._columns} numbers, at least one")
        return np.asarray(self._predicted(x))

    def losses(self, x: Any, y: Any) -> Array:
        """Return the squared error of each record.

        Examples
        --------
        >>> from mipbook.learners import NearestNeighbour
        >>> x, rng = [[0.0], [1.0]], np.random.default_rng(0)
        >>> NearestNeighbour().fit(x, [2.0, 3.0], rng=rng).losses(x, [2.0, 5.0]).tolist()
        [0.0, 4.0]
        """
        data = records(x, y)
        predicted = self.predict(data.x)
        return np.asarray(np.square(predicted - data.y.astype(predicted.dtype)))


@checked
def below(losses: Annotated[Any, Numbers(0.0)], thresholds: Annotated[Any, Numbers(0.0)]) -> Array:
    """Return the fraction of losses at or below each threshold.

    Parameters
    ----------
    losses : array_like
        One loss a record, at least 0, in the last axis.
    thresholds : array_like
        At least 0, one dimension or a single number.

    Returns
    -------
    ndarray
        The axes of ``losses`` without the last one, then those of ``thresholds``.

    Notes
    -----
    What Figures 1, 2a and 2b of the Limits paper draw.

    Examples
    --------
    >>> below([0.0, 0.2, 0.4, 0.9], [0.2, 0.5]).tolist()
    [0.5, 0.75]
    """
    if losses.ndim == 0 or losses.shape[-1] == 0:
        validate.refuse("losses", losses, "an array with at least one loss")
    if thresholds.ndim > 1:
        validate.refuse("thresholds", thresholds.shape, "a number or an array with 1 dimension")
    flat = np.sort(losses.reshape(-1, losses.shape[-1]), axis=1)
    counts = [np.searchsorted(row, thresholds, side="right") for row in flat]
    return np.asarray(np.reshape(counts, (*losses.shape[:-1], *thresholds.shape)) / losses.shape[-1])


# The loss thresholds of Figures 1, 2a and 2b.
THRESHOLDS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5)


def sine_data(n: int, dimension: int, noise: float, rng: np.random.Generator) -> Records:
    """Draw records with y = sin(pi x_1) + normal noise, x uniform on the sphere.

    Parameters
    ----------
    n, dimension : int
        Records and coordinates, at least 1.
    noise : float
        Standard deviation of the noise, in [0, 100].

    Notes
    -----
    Limits paper, Figures 1 and 2b.  The settings follow the first author's public code.

    Examples
    --------
    >>> x, y = sine_data(4, 10, 0.0, np.random.default_rng(1))
    >>> bool(np.allclose(y, np.sin(np.pi * x[:, 0])))
    True
    """
    x, blur = _drawn(n, dimension, noise, rng)
    return Records(x, np.sin(math.pi * x[:, 0]) + blur)


@checked
def linear_data(
    n: int,
    dimension: int,
    noise: float,
    rng: Rng,
    *,
    design: Annotated[str, OneOf(("sphere", "gaussian"))] = "sphere",
) -> Records:
    """Draw records with y = pi x_1 + normal noise.

    Parameters
    ----------
    n, dimension : int
        Records and coordinates, at least 1.
    noise : float
        Standard deviation of the noise, in [0, 100].
    design : {"sphere", "gaussian"}
        x uniform on the unit sphere, or normal with variance 1/dimension a coordinate, for
        which the distribution of the residuals is known exactly.

    Notes
    -----
    Limits paper, Figure 2a.  The settings follow the first author's public code.

    Examples
    --------
    >>> x, y = linear_data(4, 10, 0.0, np.random.default_rng(1))
    >>> bool(np.allclose(y, np.pi * x[:, 0]))
    True
    """
    x, blur = _drawn(n, dimension, noise, rng)
    if design == "gaussian":
        # A normal vector is a direction times an independent length.
        x = x * np.sqrt(rng.chisquare(dimension, size=(n, 1)) / dimension)
    return Records(x, math.pi * x[:, 0] + blur)


@checked
def _drawn(
    n: Annotated[int, Size()], dimension: int, noise: Annotated[float, Number(0.0, 100.0)], rng: Rng
) -> tuple[Array, Array]:
    x = unit_vectors(n, dimension, rng)
    return x, noise * rng.standard_normal(len(x))
