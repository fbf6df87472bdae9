"""What a learner is, how its losses are counted, and the data: on a sphere, and how orthogonal there."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Number, Numbers, OneOf, Size, checked
from mipbook.base.types import Rng

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
def records(x: Inputs, y: Targets, dimension: int | None = None) -> Records:
    """Check inputs and labels, at least one record, entries in [-1000, 1000]."""
    if min(x.shape) < 1 or dimension not in (None, x.shape[1]):
        wanted = "at least one" if dimension is None else str(dimension)
        validate.refuse("x", x.shape, f"at least one row and {wanted} column(s)")
    if len(y) != len(x):
        validate.refuse("y", y.shape, f"one label for each of the {len(x)} rows of x")
    return Records(x, y)


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


@checked
def sphere_points(n: Annotated[int, Size()], dimension: int, rng: Rng) -> Array:
    """Draw points uniformly on the unit sphere.

    Parameters
    ----------
    n, dimension : int
        Points and coordinates, at least 1.

    Notes
    -----
    The inputs of the Limits paper, section 6.1.

    Examples
    --------
    >>> points = sphere_points(3, 10, np.random.default_rng(1))
    >>> bool(np.allclose(np.linalg.norm(points, axis=1), 1))
    True
    """
    dimension = validate.size("dimension", dimension, beside=n)
    drawn = rng.standard_normal((n, dimension))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


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
    rng = validate.generator("rng", rng)
    x, blur = _drawn(n, dimension, noise, rng)
    return Records(x, np.sin(math.pi * x[:, 0]) + blur)


@checked
def linear_data(
    n: int,
    dimension: int,
    noise: float,
    rng: np.random.Generator,
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
    rng = validate.generator("rng", rng)
    x, blur = _drawn(n, dimension, noise, rng)
    if design == "gaussian":
        # A normal vector is a direction times an independent length.
        x = x * np.sqrt(rng.chisquare(dimension, size=(n, 1)) / dimension)
    return Records(x, math.pi * x[:, 0] + blur)


@checked
def _drawn(
    n: int, dimension: int, noise: Annotated[float, Number(0.0, 100.0)], rng: np.random.Generator
) -> tuple[Array, Array]:
    x = sphere_points(n, dimension, rng)
    return x, noise * rng.standard_normal(len(x))
