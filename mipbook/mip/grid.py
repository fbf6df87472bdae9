"""Noise in whole numbers, drawn exactly, and a calibration that adds it on a public grid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Numbers, checked
from mipbook.base.types import Array, Rng
from mipbook.mip.norms import weighted_norm

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
# The noise of a coordinate is between 2^BITS and 2^(BITS + 1) steps wide.
BITS = 24
# Beyond so many widths a draw is refused: its chance, below e^-60, is counted in `grid_cost`.
_FAR = 60


def grid_steps(width: Array) -> tuple[Array, Whole]:
    """Return the grid's step for each coordinate, and the noise's width in steps, rounded up.

    A step is the power of two that is 2^24 to 2^25 times smaller than the width.  It depends
    on the noise alone, which is public, and never on a value.

    Parameters
    ----------
    width : ndarray
        Standard deviation, or scale, of each coordinate's noise; at least 1e-290.

    Returns
    -------
    steps : ndarray
    widths : ndarray of int

    Examples
    --------
    >>> steps, widths = grid_steps(np.array([1.0, 3.0]))
    >>> (steps * 2**BITS).tolist(), (widths / 2**BITS).tolist()
    ([1.0, 2.0], [1.0, 1.5])
    """
    steps = np.ldexp(1.0, np.frexp(width)[1] - 1 - BITS)
    return steps, np.ceil(width / steps).astype(np.int64)


def grid_cost(dimension: int, reach: float) -> float:
    """Return how much the grid may add to eta, at most.

    Parameters
    ----------
    reach : float
        How wide the noise of a coordinate is, in units of ``scale * weight``.

    Returns
    -------
    float
        ``reach 2^-26 + d 2^-51``, since BITS = 24.

    Notes
    -----
    New here.  Two things are counted.  Rounding moves each value by half a step at most, so
    each distance between two values grows by no more than ``reach 2^-24`` in units of the
    scale; the total variation of two shifted noises grows by at most 1/2 for a unit of it,
    and eta by half of that.

    And the whole-number noise is not the continuous noise, rounded, which would cost nothing
    more.  For a normal distribution of s steps the midpoint rule errs on each cell by at most an
    eighth of the integral of |f''|, on all cells together by 4 f'(-s) / 8 = 0.121 / s^2, and total
    variation is half of it; the norms differ by less than exp(-2 pi^2 s^2) (Poisson
    summation).  For a Laplace distribution two copies shifted by an odd number of steps overlap
    less, by the factor 1/cosh(1/2s).  Both costs stay below 2^-51 a coordinate, with the draws
    left out.

    Examples
    --------
    >>> grid_cost(1, 1.0) < 1.5e-8
    True
    """
    return reach * 2.0 ** -(BITS + 2) + dimension * 2.0 ** -(2 * BITS + 3)


def grid_share(dimension: int) -> float:
    """Return how much of eta the grid takes for noise on so many numbers."""
    return grid_cost(dimension, math.sqrt(dimension))


def on_grid(values: Array, noise: Whole, steps: Array) -> Array:
    """Return values, rounded to the grid, plus noise in steps; the sum is exact.

    Parameters
    ----------
    values : ndarray
        What is to be hidden.
    noise : ndarray of int
        Whole steps.
    steps : ndarray
        Powers of two.

    Returns
    -------
    ndarray
        The sum, as the nearest doubles.

    Examples
    --------
    >>> on_grid(np.array([0.3]), np.array([2]), np.array([0.25])).tolist()
    [0.75]
    """
    # Division by a power of two is exact, and rint of a double is a whole number.
    places = np.rint(values / steps)
    if np.abs(places).max() < 2.0**61:
        total = (places.astype(np.int64) + noise).astype(float)
    else:
        sums = [int(p) + int(z) for p, z in zip(places.flat, noise.flat, strict=True)]
        total = np.array([float(s) for s in sums]).reshape(places.shape)
    return np.asarray(total * steps)


def _tosses(top: Whole, bottom: Whole, rng: np.random.Generator) -> Flags:
    """Toss coins that fall True with chance exp(-top / bottom), for top <= bottom."""
    heads = np.zeros(top.shape, dtype=bool)
    live = np.arange(top.size)
    k = 1
    # With chance x, x/2, x/3, ... one goes on; the number of steps is even with chance e^-x.
    while live.size:
        on = rng.integers(0, bottom[live] * k) < top[live]
        heads[live[~on]] = k % 2 == 1
        live, k = live[on], k + 1
    return heads


def _exp_coins(top: Whole, bottom: Whole, rng: np.random.Generator) -> Flags:
    """Toss coins that fall True with chance exp(-top / bottom), for any top >= 0."""
    heads = _tosses(top % bottom, bottom, rng)
    whole = top // bottom
    live = np.flatnonzero(heads & (whole > 0))
    while live.size:
        one = np.ones_like(live)
        kept = _tosses(one, one, rng)
        heads[live[~kept]] = False
        live = live[kept]
        whole[live] -= 1
        live = live[whole[live] > 0]
    return heads


def discrete_laplace(scales: Whole, rng: np.random.Generator) -> Whole:
    """Draw integers z with chance in proportion to exp(-|z| / scale), exactly.

    Parameters
    ----------
    scales : ndarray of int
        At least 1; one draw for each.

    References
    ----------
    C. Canonne, G. Kamath and T. Steinke, "The Discrete Gaussian for Differential Privacy",
    2020, Algorithm 2.

    Examples
    --------
    >>> z = discrete_laplace(np.full(2000, 3), np.random.default_rng(0))
    >>> bool(abs((z == 0).mean() - np.tanh(1 / 6)) < 0.03)
    True
    """
    flat = np.asarray(scales, dtype=np.int64).ravel()
    found = np.zeros(flat.size, dtype=np.int64)
    live = np.arange(flat.size)
    while live.size:
        t = flat[live]
        low = rng.integers(0, t)
        kept = _tosses(low, t, rng)
        laps = _geometric(live.size, rng)
        negative = rng.integers(0, 2, live.size) == 1
        size = low + t * laps
        kept &= ~(negative & (size == 0)) & (laps < _FAR)
        found[live[kept]] = np.where(negative, -size, size)[kept]
        live = live[~kept]
    return found.reshape(np.shape(scales))


def _geometric(count: int, rng: np.random.Generator) -> Whole:
    """Draw how often a coin with chance 1/e falls True in a row."""
    laps = np.zeros(count, dtype=np.int64)
    live = np.arange(count)
    while live.size:
        one = np.ones_like(live)
        live = live[_tosses(one, one, rng)]
        laps[live] += 1
    return laps


def discrete_gaussian(sigmas: Whole, rng: np.random.Generator) -> Whole:
    """Draw integers z with chance in proportion to exp(-z^2 / 2 sigma^2), exactly.

    Parameters
    ----------
    sigmas : ndarray of int
        From 1 to 2^28; one draw for each.

    References
    ----------
    C. Canonne, G. Kamath and T. Steinke, "The Discrete Gaussian for Differential Privacy",
    2020, Algorithm 3.

    Examples
    --------
    >>> z = discrete_gaussian(np.full(2000, 5), np.random.default_rng(0))
    >>> bool(abs(z.std() - 5) < 0.3)
    True
    """
    flat = np.asarray(sigmas, dtype=np.int64).ravel()
    found = np.zeros(flat.size, dtype=np.int64)
    live = np.arange(flat.size)
    while live.size:
        s = flat[live]
        z = discrete_laplace(s, rng)
        kept = _exp_coins((np.abs(z) - s) ** 2, 2 * s**2, rng)
        found[live[kept]] = z[kept]
        live = live[~kept]
    return found.reshape(np.shape(sigmas))


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
    weights: Array
    centre: Array = field(repr=False)  # a fit without noise
    fits: int
    confidence: float
    route: str = "spread"
    routes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = np.size(self.weights)
        if self.noise != "gaussian" and (self.noise != "laplace" or numbers > 1):
            allowed = "'laplace' or 'gaussian'" if numbers == 1 else f"'gaussian' for {numbers} numbers"
            validate.refuse("noise", self.noise, allowed)

    @property
    def steps(self) -> Array:
        """The step of the grid, a power of two, that each coordinate is released on."""
        return self._grid()[0]

    def _grid(self) -> tuple[Array, Whole]:
        # The norm divides by the number of coordinates, so each gets more of the noise.
        return grid_steps(self.weights * (self.scale * math.sqrt(self.weights.size)))

    @checked
    def draw(self, rng: Rng, size: int | None = None) -> Array:
        """Draw noise, on the grid: Gaussian, or Laplace noise for a single number.

        To publish a value plus noise use `release`: a sum of doubles may tell the value.

        Examples
        --------
        >>> noise = Calibration(1.0, 0.1, "gaussian", np.ones(2), np.zeros(2), 0, 0.999)
        >>> noise.draw(np.random.default_rng(0), 3).shape
        (3, 2)
        """
        # A draw takes a dozen numbers' room for each that it gives.
        beside = 16 * self.weights.size
        count = 1 if size is None else validate.size("size", size, beside=beside)
        noise = self._whole(rng, count) * self.steps
        return np.asarray(noise[0] if size is None else noise)

    @checked
    def release(self, values: Annotated[Any, Numbers()], rng: Rng) -> Array:
        """Return values plus noise, on the grid: the only sum that is safe to publish.

        Examples
        --------
        >>> noise = Calibration(1.0, 0.1, "gaussian", np.ones(2), np.zeros(2), 0, 0.999)
        >>> noise.release([0.0, 10.0], np.random.default_rng(0)).shape
        (2,)
        """
        if values.shape[-1:] != self.weights.shape or not np.isfinite(values).all():
            validate.refuse("values", values, f"finite, of length {self.weights.size}")
        with np.errstate(over="ignore"):
            if not np.isfinite(values / self.steps).all():
                validate.refuse("values", values, "less than 1e300 times the noise")
        noise = self._whole(rng, values.size // self.weights.size).reshape(values.shape)
        return on_grid(values, noise, np.broadcast_to(self.steps, values.shape))

    def _whole(self, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
        widths = np.broadcast_to(self._grid()[1], (count, self.weights.size))
        return (discrete_gaussian if self.noise == "gaussian" else discrete_laplace)(widths, rng)

    @checked
    def log_density(self, gaps: Annotated[Any, Numbers()]) -> Array:
        """Return the log density of the noise, up to a constant, at each vector of ``gaps``.

        Examples
        --------
        >>> noise = Calibration(1.0, 0.1, "gaussian", np.ones(2), np.zeros(2), 0, 0.999)
        >>> noise.log_density([[3.0, 3.0], [1.0, 1.0]]).tolist()
        [-4.5, -0.5]
        """
        if gaps.shape[-1:] != self.weights.shape or not np.isfinite(gaps).all():
            validate.refuse("gaps", gaps, f"finite, of length {self.weights.size}")
        with np.errstate(over="ignore"):
            length = np.asarray(weighted_norm(gaps, self.weights)) / self.scale
            return np.asarray(-0.5 * length**2 if self.noise == "gaussian" else -length)
