"""MIP by adding noise, with a guarantee: calibrate on fits, and draw what was calibrated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook import validate
from mipbook.mip.betting import fits_needed
from mipbook.mip.grid import (
    discrete_gaussian,
    discrete_laplace,
    discrete_radial,
    grid_cost,
    grid_steps,
    on_grid,
)
from mipbook.mip.halves import Fit, fit_on_halves, rows_of_data
from mipbook.mip.norms import cone_directions, weighted_norm
from mipbook.mip.routes import route_scales
from mipbook.mip.swapped import swap_distances

__all__ = ["Calibration", "calibrate_scale", "scale_from_fits"]

Array = NDArray[np.float64]


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
    centre: Array
    fits: int
    confidence: float
    route: str = "spread"
    routes: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

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
        """Draw noise, on the grid: Gaussian, or with density falling as exp(-|x|)."""
        count = 1 if size is None else size
        noise = self._whole(rng, count) * self.steps
        return np.asarray(noise[0] if size is None else noise)

    def release(self, values: Any, rng: np.random.Generator) -> Array:
        """Return values plus noise, on the grid: the only sum that is safe to publish."""
        theta = validate.array("values", values)
        if theta.shape[-1:] != self.weights.shape or not np.isfinite(theta).all():
            validate.refuse("values", theta, f"finite, of length {self.weights.size}")
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
        """Return the log density of the noise, up to a constant, at each vector of ``gaps``."""
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


def calibrate_scale(
    data: Any,
    fit: Fit,
    eta: float,
    rng: np.random.Generator,
    *,
    fits: int = 2000,
    confidence: float = 0.999,
    noise: str = "gamma",
    M: float = 2.0,
    pilot: int = 100,
    swaps: int = 0,
    sensitivity: Any = None,
    n_jobs: int | None = None,
) -> Calibration:
    """Find noise that makes a fit eta-MIP, with a stated confidence and no moment assumed.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        All records from which a half will be drawn, n even.
    fit : callable
        From records to a number or a vector.
    eta : float
        The promise, in (0, 1/2).
    rng : numpy.random.Generator
        Source of randomness.
    fits : int
        Halves to calibrate on, at least `fits_needed`.
    confidence : float
        The chance, in (0, 1), that the promise holds, at least.
    noise : {"gamma", "gaussian"}
        Gaussian noise needs M = 2.
    M : float
        Exponent of the norm, in [1, inf].
    pilot : int
        Halves that set the centre and each coordinate's share of the noise, at least 2.
    swaps : int
        Halves of which every record is swapped once, at n/2 + 1 fits each, for the route by
        average sensitivity; 0 leaves this route out.
    sensitivity : array_like of shape (d,), optional
        The largest change of each coordinate when one record of a half is replaced, known from
        elsewhere; adds the route by sensitivity.
    n_jobs : int, optional
        Processes, through joblib.

    Returns
    -------
    Calibration
        With the smallest noise among the routes.

    Raises
    ------
    ValueError
        For a malformed argument, or too few fits.

    Notes
    -----
    New here; takes the place of MIP paper, Algorithm 1.  Halves are drawn from all the data,
    not from the training half, so the scale says nothing about who is in.  With T the distance
    of two shifted noises, eta is at most the mean of T(|A(D) - m|) (*spread*), half the mean of
    T(|A(D) - A(D')|) for a record swapped (*swap*), and half of T(sensitivity).  Each mean is
    bounded by `mipbook.mip.betting.log_wealth`; the wealth falls with the mean and the mean
    with the scale, so the scale may be chosen after the fits were seen.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = calibrate_scale(np.arange(12.0), np.mean, 0.1, rng)
    >>> 2 < found.scale < 12
    True
    """
    rows = rows_of_data(data, 2)
    M, fits = _plan(eta, fits, confidence, noise, M)
    pilot = validate.integer("pilot", pilot, 2, 10**7)
    swaps = validate.integer("swaps", swaps, 0, 10**6)
    first = fit_on_halves(rows, fit, pilot, rng, n_jobs=n_jobs)
    centre, weights = _shares(first)
    found = fit_on_halves(rows, fit, fits, rng, n_jobs=n_jobs)
    swapped = None
    if swaps:
        swapped = swap_distances(rows, fit, weights, M, swaps, rng, n_jobs=n_jobs)
    bound = None if sensitivity is None else _bound(sensitivity, weights, M)
    return _calibration(centre, weights, found, eta, confidence, noise, M, swapped, bound)


def _plan(eta: Any, fits: Any, confidence: Any, noise: Any, M: Any) -> tuple[float, int]:
    """Check what can be checked before any work starts; return M and the number of fits."""
    validate.choice("noise", noise, ("gamma", "gaussian"))
    M = validate.number("M", M, 1.0, math.inf)
    if noise == "gaussian" and M != 2:
        validate.refuse("M", M, "2 for Gaussian noise")
    least = fits_needed(eta, confidence)
    fits = validate.integer("fits", fits, 1, 10**7)
    if fits < least:
        allowed = f"at least {least} for eta = {eta:g} at this confidence: fewer cannot prove it"
        validate.refuse("fits", fits, allowed)
    return float(M), int(fits)


def _shares(first: Array) -> tuple[Array, Array]:
    """Return the centre and each coordinate's share of the noise, from fits made for them."""
    centre = np.median(first, axis=0)
    with np.errstate(over="ignore"):
        weights = np.abs(first - centre).mean(axis=0)
    if not (weights > 0).all():
        still = np.flatnonzero(weights == 0).tolist()
        validate.refuse("fit", f"coordinates {still} never change", "one that moves with its data")
    if not ((weights > 1e-250) & (weights < 1e250)).all():
        validate.refuse("fit", weights, "one that moves by 1e-250 to 1e250 on each coordinate")
    return centre, weights


def _bound(sensitivity: Any, weights: Array, M: float) -> float:
    change = validate.array("sensitivity", sensitivity, 0.0, math.inf, open_high=True, ndim=1)
    if change.shape != weights.shape:
        validate.refuse("sensitivity", change, f"of length {weights.size}, one a coordinate")
    return float(weighted_norm(change, weights, M))


def _calibration(
    centre: Array,
    weights: Array,
    found: Array,
    eta: float,
    confidence: float,
    noise: str,
    M: float,
    swapped: Array | None = None,
    bound: float | None = None,
) -> Calibration:
    left = eta - grid_share(weights.size, noise, M)
    if left <= eta / 2:
        validate.refuse("eta", eta, f"at least {2 * (eta - left):.3g} for {weights.size} numbers")
    spread = np.asarray(weighted_norm(found - centre, weights, M))[:, None]
    routes = route_scales(spread, swapped, bound, left, confidence, noise)
    route = min(routes, key=routes.__getitem__)
    return Calibration(
        *(routes[route], eta, noise, M, weights, centre, len(found), confidence),
        route=route,
        routes=MappingProxyType(routes),
    )


def scale_from_fits(
    first: Any,
    found: Any,
    eta: float,
    *,
    confidence: float = 0.999,
    noise: str = "gamma",
    M: float = 2.0,
) -> Calibration:
    """Calibrate as `calibrate_scale` does, on fits that were made before.

    Parameters
    ----------
    first : array_like of shape (pilot, d)
        Fits on random halves, which set the centre and each coordinate's share.
    found : array_like of shape (fits, d)
        Fits on other random halves, at least `fits_needed`.
    eta : float
        The promise, in (0, 1/2).
    confidence : float
        The chance, in (0, 1), that the promise holds, at least.
    noise : {"gamma", "gaussian"}
        Gaussian noise needs M = 2.
    M : float
        Exponent of the norm, in [1, inf].

    Returns
    -------
    Calibration

    Raises
    ------
    ValueError
        For a malformed argument, too few fits, or a coordinate that never changes.

    Notes
    -----
    New here; see `calibrate_scale`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> fits = rng.standard_normal((2000, 1))
    >>> 1 < scale_from_fits(fits[:100], fits[100:], 0.1).scale < 20
    True
    """
    first = _finite("first", first)
    found = _finite("found", found)
    M, _ = _plan(eta, len(found), confidence, noise, M)
    if len(first) < 2 or first.shape[1] != found.shape[1]:
        validate.refuse("first", first.shape, f"at least 2 rows of length {found.shape[1]}")
    centre, weights = _shares(first)
    return _calibration(centre, weights, found, eta, confidence, noise, M)


def _finite(name: str, fits: Any) -> Array:
    table = validate.array(name, fits, ndim=2)
    if not np.isfinite(table).all():
        validate.refuse(name, table, "finite, one fit a row")
    return table
