"""Noise of a known distribution, on a public grid: what a calibration finds and a release adds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.mip.noise.grid import (
    discrete_gaussian,
    discrete_laplace,
    discrete_radial,
    grid_cost,
    grid_steps,
    on_grid,
)
from mipbook.mip.noise.norms import cone_directions, weighted_norm

__all__ = ["Calibration", "grid_share"]


@dataclass(frozen=True)
class Calibration:
    """A noise scale with what it rests on.

    With probability at least ``confidence`` over the halves that were drawn, releasing a
    fresh half's result plus this noise is eta-MIP.  ``scale`` multiplies ``weights``.
    ``routes`` holds the scale that each way to prove it would need, ``route`` the one taken.
    """

    scale: float
    eta: float
    noise: str
    M: float
    weights: Array
    centre: Array = field(repr=False)  # a fit without noise
    fits: int
    confidence: float
    route: str = "spread"
    routes: Mapping[str, float] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """Whether the noise is drawn in whole numbers, with every error counted."""
        return self.M in (1, 2) or self.weights.size == 1

    @property
    def steps(self) -> Array:
        """The step of the grid, a power of two, that each coordinate is released on."""
        return grid_steps(self._width())[0]

    def _width(self) -> Array:
        # The norm divides by the number of coordinates, so each gets more of the noise.
        return self.weights * (self.scale * _reach(self.weights.size, self.noise, self.M))

    def draw(self, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draw noise, on the grid: Gaussian, or with density falling as ``exp(-|x|)``.

        To publish a value plus noise use `release`: a sum of doubles may tell the value.

        Examples
        --------
        >>> noise = Calibration(1.0, 0.1, "gamma", 2.0, np.ones(2), np.zeros(2), 0, 0.999)
        >>> noise.draw(np.random.default_rng(0), 3).shape
        (3, 2)
        """
        validate.generator("rng", rng)
        # A draw takes a dozen numbers' room for each that it gives.
        beside = 16 * self.weights.size
        count = 1 if size is None else validate.size("size", size, beside=beside)
        noise = self._whole(rng, count) * self.steps
        return np.asarray(noise[0] if size is None else noise)

    def release(self, values: Any, rng: np.random.Generator) -> Array:
        """Return values plus noise, on the grid: the only sum that is safe to publish.

        Examples
        --------
        >>> noise = Calibration(1.0, 0.1, "gamma", 2.0, np.ones(2), np.zeros(2), 0, 0.999)
        >>> noise.release([0.0, 10.0], np.random.default_rng(0)).shape
        (2,)
        """
        validate.generator("rng", rng)
        theta = validate.array("values", values)
        if theta.shape[-1:] != self.weights.shape or not np.isfinite(theta).all():
            validate.refuse("values", theta, f"finite, of length {self.weights.size}")
        with np.errstate(over="ignore"):
            if not np.isfinite(theta / self.steps).all():
                validate.refuse("values", theta, "less than 1e300 times the noise")
        noise = self._whole(rng, theta.size // self.weights.size).reshape(theta.shape)
        return on_grid(theta, noise, np.broadcast_to(self.steps, theta.shape))

    def _whole(self, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
        steps, widths = grid_steps(self._width())
        each = np.broadcast_to(widths, (count, widths.size))
        if self.noise == "gaussian":
            return discrete_gaussian(each, rng)
        if self.M == 1 or widths.size == 1:
            return discrete_laplace(each, rng)
        if self.M == 2:
            unit = self.weights * (self.scale * math.sqrt(widths.size))
            return discrete_radial(unit, steps, count, rng)
        lengths = rng.gamma(self.weights.size, self.scale, count)
        noise = cone_directions(self.weights, self.M, rng, count) * lengths[:, None]
        return np.asarray(np.rint(noise / steps)).astype(np.int64)

    def log_density(self, gaps: Any) -> Array:
        """Return the log density of the noise, up to a constant, at each vector of ``gaps``.

        Examples
        --------
        >>> noise = Calibration(1.0, 0.1, "gamma", 2.0, np.ones(2), np.zeros(2), 0, 0.999)
        >>> noise.log_density([[3.0, 3.0], [1.0, 1.0]]).tolist()
        [-3.0, -1.0]
        """
        gaps = validate.array("gaps", gaps)
        if gaps.shape[-1:] != self.weights.shape or not np.isfinite(gaps).all():
            validate.refuse("gaps", gaps, f"finite, of length {self.weights.size}")
        length = np.asarray(weighted_norm(gaps, self.weights, self.M)) / self.scale
        return np.asarray(-0.5 * length**2 if self.noise == "gaussian" else -length)


def _reach(dimension: int, noise: str, M: float) -> float:
    """Return the noise on a coordinate, in units of scale times weight."""
    if noise == "gaussian":
        return math.sqrt(dimension)
    radial = M == 2 and dimension > 1
    return math.sqrt(dimension * (dimension + 1)) if radial else float(dimension)


def grid_share(dimension: int, noise: str, M: float) -> float:
    """Return how much of eta the grid takes for noise of this kind."""
    radial = noise == "gamma" and M == 2 and dimension > 1
    return grid_cost(dimension, _reach(dimension, noise, M), radial=radial)
