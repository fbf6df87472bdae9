"""The data of the experiments: directions on a sphere, a smooth target, normal noise."""

from __future__ import annotations

import math

import numpy as np

from explorable import validate
from mipbook.learners.base import Array, Records

__all__ = ["THRESHOLDS", "linear_data", "sine_data", "sphere_points"]

# The loss thresholds of Figures 1, 2a and 2b.
THRESHOLDS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5)


def sphere_points(n: int, dimension: int, rng: np.random.Generator) -> Array:
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
    n = validate.size("n", n)
    dimension = validate.size("dimension", dimension, beside=n)
    drawn = validate.generator("rng", rng).standard_normal((n, dimension))
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
    x, blur = _drawn(n, dimension, noise, rng)
    return Records(x, np.sin(math.pi * x[:, 0]) + blur)


def linear_data(
    n: int, dimension: int, noise: float, rng: np.random.Generator, *, design: str = "sphere"
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
    design = validate.choice("design", design, ("sphere", "gaussian"))
    x, blur = _drawn(n, dimension, noise, rng)
    if design == "gaussian":
        # A normal vector is a direction times an independent length.
        x = x * np.sqrt(rng.chisquare(dimension, size=(n, 1)) / dimension)
    return Records(x, math.pi * x[:, 0] + blur)


def _drawn(n: int, dimension: int, noise: float, rng: np.random.Generator) -> tuple[Array, Array]:
    noise = validate.number("noise", noise, 0.0, 100.0)
    x = sphere_points(n, dimension, rng)
    return x, noise * rng.standard_normal(len(x))
