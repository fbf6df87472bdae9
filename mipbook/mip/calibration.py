"""MIP by adding noise, with a guarantee: calibrate on fits, and draw what was calibrated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook import validate
from mipbook.mip.halves import Fit, fit_on_halves, rows_of_data
from mipbook.mip.norms import cone_directions, weighted_norm

__all__ = ["Calibration", "calibrate_scale", "fits_needed", "scale_from_fits"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """A noise scale with what it rests on.

    With probability at least ``confidence`` over the halves that were drawn, releasing a
    fresh half's result plus this noise is eta-MIP.  ``scale`` multiplies ``weights``.
    """

    scale: float
    eta: float
    noise: str
    M: float
    weights: Array
    centre: Array
    fits: int
    confidence: float

    def draw(self, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draw noise: Gaussian, or with a Gamma length along the norm's directions."""
        count = 1 if size is None else size
        d = self.weights.size
        if self.noise == "gaussian":
            # The norm divides by the number of coordinates, so each gets sqrt(d) of it.
            noise = rng.standard_normal((count, d)) * (self.scale * math.sqrt(d)) * self.weights
        else:
            lengths = rng.gamma(d, self.scale, count)
            noise = cone_directions(self.weights, self.M, rng, count) * lengths[:, None]
        return np.asarray(noise[0] if size is None else noise)

    def log_density(self, gaps: Any) -> Array:
        """Return the log density of the noise, up to a constant, at each vector of ``gaps``."""
        length = np.asarray(weighted_norm(gaps, self.weights, self.M)) / self.scale
        return np.asarray(-0.5 * length**2 if self.noise == "gaussian" else -length)


def fits_needed(eta: float, confidence: float = 0.999) -> int:
    """Return the least number of fits with which a calibration can succeed at all.

    Parameters
    ----------
    eta : float
        The promise, in (0, 1/2).
    confidence : float
        In (0, 1).

    Returns
    -------
    int
        One more than ``ln(1 / (1 - confidence)) / (2 eta^2)``.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    New here: the one-sided Dvoretzky-Kiefer-Wolfowitz inequality.

    Examples
    --------
    >>> fits_needed(0.1)
    346
    """
    eta = validate.number("eta", eta, 0.0, 0.5, open_low=True, open_high=True)
    return math.floor(-math.log1p(-validate.confidence(confidence)) / (2 * eta**2)) + 1


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
    n_jobs : int, optional
        Processes, through joblib.

    Returns
    -------
    Calibration

    Raises
    ------
    ValueError
        For a malformed argument, or too few fits.

    Notes
    -----
    New here; takes the place of MIP paper, Algorithm 1.  Halves are drawn from all the data,
    not from the training half, so the scale says nothing about who is in.  The noise is the
    smallest for which the mean of T(|A(D) - m|), T the distance of two shifted noises, plus
    sqrt(ln(1/(1 - confidence)) / (2 fits)) stays at most eta.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = calibrate_scale(np.arange(12.0), np.mean, 0.1, rng)
    >>> 2 < found.scale < 12
    True
    """
    rows = rows_of_data(data, 2)
    fits = _plan(eta, fits, confidence, noise, M)
    pilot = validate.integer("pilot", pilot, 2)
    first = fit_on_halves(rows, fit, pilot, rng, n_jobs=n_jobs)
    found = fit_on_halves(rows, fit, fits, rng, n_jobs=n_jobs)
    return scale_from_fits(first, found, eta, confidence=confidence, noise=noise, M=M)


def _plan(eta: Any, fits: Any, confidence: Any, noise: Any, M: Any) -> int:
    """Check what can be checked before any work starts; return the number of fits."""
    least = fits_needed(eta, confidence)
    fits = validate.integer("fits", fits, 1)
    if fits < least:
        validate.refuse("fits", fits, f"at least {least} for eta = {eta:g} at this confidence")
    validate.choice("noise", noise, ("gamma", "gaussian"))
    M = validate.number("M", M, 1.0, math.inf)
    if noise == "gaussian" and M != 2:
        validate.refuse("M", M, "2 for Gaussian noise")
    return int(fits)


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
    first = validate.array("first", first, ndim=2)
    found = validate.array("found", found, ndim=2)
    fits = _plan(eta, len(found), confidence, noise, M)
    if len(first) < 2 or first.shape[1] != found.shape[1]:
        validate.refuse("first", first.shape, f"at least 2 rows of length {found.shape[1]}")
    centre = np.median(first, axis=0)
    weights = np.abs(first - centre).mean(axis=0)
    if not (weights > 0).all():
        still = np.flatnonzero(weights == 0).tolist()
        validate.refuse("fit", f"coordinates {still} never change", "one that moves with its data")
    distances = np.asarray(weighted_norm(found - centre, weights, M))
    slack = math.sqrt(-math.log1p(-confidence) / (2 * fits))
    scale = _smallest_scale(distances, eta - slack, noise)
    return Calibration(scale, eta, noise, M, weights, centre, fits, confidence)


def _smallest_scale(distances: Array, allowed: float, noise: str) -> float:
    from scipy.optimize import brentq
    from scipy.special import erf

    def excess(log_scale: float) -> float:
        reach = distances / (2 * math.exp(log_scale))
        lost = erf(reach / math.sqrt(2)) if noise == "gaussian" else -np.expm1(-reach)
        return float(np.mean(lost)) - allowed

    high = math.log(distances.max() / allowed) + 1.0
    low = high - 2.0
    while excess(low) <= 0:
        low -= 2.0
        if low < high - 80:
            return math.exp(low)
    scale = math.exp(brentq(excess, low, high, xtol=1e-12))
    return scale * (1 + 1e-9)
