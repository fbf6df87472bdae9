"""MIP by adding noise, with a guarantee: calibrate on fits, and draw what was calibrated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from explorable import validate
from mipbook.base.types import Array
from mipbook.mip.noise.betting import fits_needed, swaps_needed
from mipbook.mip.noise.calibrated import Calibration, grid_share
from mipbook.mip.noise.fits import Fit, fit_on_halves, rows_of_data
from mipbook.mip.noise.norms import weighted_norm
from mipbook.mip.noise.routes import route_scales
from mipbook.mip.noise.swapped import swap_distances

__all__ = ["calibrate_scale", "plan", "scale_from_fits"]


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
    fits : int
        Halves to calibrate on, at least `fits_needed`.
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
    of two shifted noises, eta is at most the mean of ``T(|A(D) - m|)`` (*spread*), half the mean of
    ``T(|A(D) - A(D')|)`` for a record swapped (*swap*), and half of T(sensitivity).  Each mean is
    bounded by ``mipbook.mip.noise.betting.log_wealth``; the wealth falls with the mean and the mean
    with the scale, so the scale may be chosen after the fits were seen.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = calibrate_scale(np.arange(12.0), np.mean, 0.1, rng)
    >>> 2 < found.scale < 12
    True
    """
    rows = rows_of_data(data, 2)
    eta, M, fits = plan(eta, fits, confidence, noise, M)
    pilot = validate.integer("pilot", pilot, 2, 10**7)
    swaps = validate.integer("swaps", swaps, 0, 10**6)
    if 0 < swaps < (least := swaps_needed(eta, confidence, len(rows))):
        validate.refuse("swaps", swaps, f"0, or at least {least} for {len(rows)} records")
    if sensitivity is not None:
        sensitivity = _change(sensitivity)
    first = fit_on_halves(rows, fit, pilot, rng, n_jobs=n_jobs)
    centre, weights = _shares("fit", first, "that moves with its data X")
    found = fit_on_halves(rows, fit, fits, rng, n_jobs=n_jobs)
    swapped = None
    if swaps:
        swapped = swap_distances(rows, fit, weights, M, swaps, rng, n_jobs=n_jobs)
    bound = None if sensitivity is None else _bound(sensitivity, weights, M)
    return _calibration(centre, weights, found, eta, confidence, noise, M, swapped, bound)


def plan(
    eta: Any, fits: Any, confidence: Any, noise: Any, M: Any, name: str = "fits", known: bool = False
) -> tuple[float, float, int]:
    """Check what can be checked before any work starts; return eta, M and the number of fits.

    Where the spread is ``known`` from elsewhere, any number of fits will do.
    """
    validate.choice("noise", noise, ("gamma", "gaussian"))
    M = validate.number("M", M, 1.0, math.inf)
    if noise == "gaussian" and M != 2:
        validate.refuse("M", M, "2 for Gaussian noise")
    least = fits_needed(eta, confidence)
    fits = validate.integer(name, fits, 0, 10**7)
    if fits < least and not known:
        allowed = f"at least {least} for eta = {eta:g} at this confidence: fewer cannot prove it"
        validate.refuse(name, fits, allowed)
    return float(eta), float(M), int(fits)


def _shares(name: str, first: Array, moves: str) -> tuple[Array, Array]:
    """Return the centre and each coordinate's share of the noise, from fits made for them."""
    allowed = f"one {moves}, by 1e-250 to 1e250 on each coordinate"
    if not (np.abs(first) < 1e250).all():
        validate.refuse(name, first, allowed)
    centre = np.median(first, axis=0)
    with np.errstate(over="ignore"):
        weights = np.abs(first - centre).mean(axis=0)
    if not (weights > 0).all():
        still = np.flatnonzero(weights == 0).tolist()
        validate.refuse_as(name, f"coordinates {still} never change", f"one {moves}")
    if not ((weights > 1e-250) & (weights < 1e250)).all():
        validate.refuse(name, weights, allowed)
    return centre, weights


def _change(sensitivity: Any) -> Array:
    return validate.array("sensitivity", sensitivity, 0.0, math.inf, open_high=True, ndim=1)


def _bound(change: Array, weights: Array, M: float) -> float:
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
    if not math.isfinite(routes[route]):
        validate.refuse("fits", len(found), "more: these prove nothing at this confidence")
    return Calibration(
        *(routes[route], eta, noise, M, weights, centre, len(found), confidence), route=route, routes=routes
    )


def scale_from_fits(
    first: Any, found: Any, eta: float, *, confidence: float = 0.999, noise: str = "gamma", M: float = 2.0
) -> Calibration:
    """Calibrate as `calibrate_scale` does, on fits that were made before.

    Parameters
    ----------
    first : array_like of shape (pilot, d)
        Fits on random halves, which set the centre and each coordinate's share.
    found : array_like of shape (fits, d)
        Fits on other random halves, at least `fits_needed`.
    noise : {"gamma", "gaussian"}
        Gaussian noise needs M = 2.
    M : float
        Exponent of the norm, in [1, inf].

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
    eta, M, _ = plan(eta, len(found), confidence, noise, M, "found")
    if len(first) < 2 or first.shape[1] != found.shape[1]:
        validate.refuse("first", first.shape, f"at least 2 rows of length {found.shape[1]}")
    centre, weights = _shares("first", first, "of fits that move with their data")
    return _calibration(centre, weights, found, eta, confidence, noise, M)


def _finite(name: str, fits: Any) -> Array:
    # Distances between numbers of this size, and their sums, are finite.
    return validate.array(name, fits, -1e250, 1e250, ndim=2)
