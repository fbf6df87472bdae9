"""MIP by adding noise: fits on random halves, Algorithm 1 as printed, and noise with a guarantee."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Called, Integer, Number, Numbers, OneOf, Rows, checked
from explorable.private import attempt
from explorable.progress import track
from mipbook.base.types import Array, Confidence, Eta, Jobs, Rng
from mipbook.mip.conversion import gaussian_sigma_for_mip, noise_scale, scale_from_distance
from mipbook.mip.grid import Calibration, grid_share
from mipbook.mip.norms import cone_directions, norm_of, weighted_norm

Fit = Callable[[Any], Any]
CheckedFit = Annotated[Fit, Called("from records to a number or a vector")]


def vector_of(fit: Fit, data: Any) -> Array:
    """Return what a fit gives, checked: a finite vector."""
    given = attempt("fit", fit, f"on {len(data)} records of data", fit, data)
    theta = np.atleast_1d(validate.array("fit(data)", given))
    if theta.ndim != 1 or not np.isfinite(theta).all():
        validate.refuse("fit(data)", theta, "a finite number or vector")
    return theta


@checked
def rows_of_data(data: Annotated[Any, Rows()], least: int) -> Any:
    """Return the records, an even number of them."""
    if len(data) < least or len(data) % 2:
        validate.refuse("data", data, f"an even number of records, at least {least}, one a row")
    return data


def _fit_once(fit: Fit, rows: Any, rng: np.random.Generator) -> Array:
    """Return the fit on a random half of the records."""
    return vector_of(fit, rows[np.sort(rng.permutation(len(rows))[: len(rows) // 2])])


def _repeated(
    what: str, once: Callable[..., Array], given: tuple[Any, ...], count: int, rng: Rng, n_jobs: Jobs
) -> list[Array]:
    """Return what a function of these arguments and a generator of its own gives so many times."""
    from joblib import Parallel, delayed

    run = Parallel(n_jobs=n_jobs, return_as="generator")
    found = run(delayed(once)(*given, child) for child in rng.spawn(count))
    return list(track(found, count, what=what, unit="halves"))


@checked
def fit_on_halves(
    data: Any, fit: CheckedFit, count: Annotated[int, Integer(1, 10**7)], rng: Rng, *, n_jobs: Jobs = None
) -> Array:
    """Return what a fit gives on random halves of the data.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records, n even.
    fit : callable
        From some of the records to a number or a vector, always of one length.
    count : int
        How many halves, at least 1.

    Returns
    -------
    ndarray of shape (count, d)

    Raises
    ------
    ValueError
        For a malformed argument, or fits of different lengths.

    Notes
    -----
    MIP paper, Algorithm 1, its loop.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> fit_on_halves(np.arange(4.0), np.mean, 3, rng).shape
    (3, 1)
    """
    found = _repeated("fits", _fit_once, (fit, rows_of_data(data, 2)), count, rng, n_jobs)
    if len({theta.size for theta in found}) != 1:
        validate.refuse("fit", fit, "a function whose result always has the same length")
    return np.stack(found)


def swap_distances(
    rows: Any, fit: Fit, weights: Array, count: int, rng: np.random.Generator, n_jobs: int | None = None
) -> Array:
    """Return, for random halves, how far the fit moves when each record is swapped.

    Members and others are paired at random and each pair is exchanged once, so n/2 + 1 fits
    give one sample for every record: the half that holds it is uniform, and so is the partner.
    Samples of different halves are independent.

    Parameters
    ----------
    rows : ndarray of shape (n, ...)
        Records, n even.
    fit : callable
        From records to a vector.
    weights : ndarray of shape (d,)
        Of the norm that distances are measured in.
    count : int
        How many halves.

    Returns
    -------
    ndarray of shape (count, n)

    Notes
    -----
    New here: the coupling of the chapter *How much noise is enough?*, sampled.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> moved = swap_distances(np.array([0.0, 2.0]), np.mean, np.ones(1), 3, rng)
    >>> moved.tolist()
    [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]
    """
    return np.stack(_repeated("swaps", _swap_once, (rows, fit, weights), count, rng, n_jobs))


def _swap_once(rows: Any, fit: Fit, weights: Array, rng: np.random.Generator) -> Array:
    order = rng.permutation(len(rows))
    inside, outside = np.split(order, 2)
    start = vector_of(fit, rows[np.sort(inside)])
    found = []
    for place, other in enumerate(outside):
        swapped = inside.copy()
        swapped[place] = other
        found.append(vector_of(fit, rows[np.sort(swapped)]))
    if {theta.size for theta in found} != {start.size}:
        validate.refuse("fit", fit, "a function whose result always has the same length")
    moved = np.empty(len(rows))
    moved[inside] = moved[outside] = weighted_norm(np.stack(found) - start, weights)
    return moved


@checked
def spread_of(
    fits: Annotated[Any, Numbers(-1e150, 1e150, ndim=2)], M: Annotated[float, Number(1.0)] = 2.0
) -> Array:
    """Return the spread of each coordinate of some fits, ``mean(|theta - their mean|^M)^(1/M)``.

    Parameters
    ----------
    fits : ndarray of shape (count, d)
        As `fit_on_halves` returns them.
    M : float
        Exponent, in [1, inf).

    Returns
    -------
    ndarray of shape (d,)

    Notes
    -----
    MIP paper, Algorithm 1: its sigma.

    Examples
    --------
    >>> spread_of(np.array([[0.0], [2.0]])).tolist()
    [1.0]
    """
    if not fits.size:
        validate.refuse("fits", fits, "an array with at least one fit and one coordinate")
    return norm_of((fits - fits.mean(axis=0)).T, M)


@checked
def published_release(
    data: Any, fit: CheckedFit, eta: Eta, fits: Annotated[int, Integer(2, 10**7)], rng: Rng
) -> tuple[Array, NDArray[np.bool_], Array]:
    """Run Algorithm 1 as it is printed: one release, its training half, and sigma.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records, n a multiple of 4.
    fit : callable
        From records to a number or a vector.
    fits : int
        Number B of fits for the estimate, at least 2.

    Returns
    -------
    released : ndarray of shape (d,)
    members : ndarray of bool, shape (n,)
        The training half.
    sigma : ndarray of shape (d,)
        The estimate that set the noise.

    Notes
    -----
    MIP paper, Algorithm 1 for M = 2; RIP paper, Algorithm 1 (divisor B - 1, one sigma).  Not a safe
    mechanism: sigma is computed from halves of the training half, so the size of the noise
    itself depends on who is in.  A coordinate with sigma 0 gets no noise.  Directions are those
    of Corollary 10, not uniform as printed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> published_release(np.arange(8.0), np.mean, 0.1, 5, rng)[1].sum()
    np.int64(4)
    """
    rows = rows_of_data(data, 4)
    if len(rows) % 4:
        validate.refuse("data", data, "a multiple of 4 records, for halves of a half")
    members = np.zeros(len(rows), dtype=bool)
    members[rng.permutation(len(rows))[: len(rows) // 2]] = True
    half = rows[members]
    theta = vector_of(fit, half)
    sample = np.stack([_fit_once(fit, half, rng) for _ in range(fits)])
    sigma = spread_of(sample)
    released = theta.copy()
    moving = sigma > 0
    if moving.any():
        length = abs(rng.laplace(0.0, float(noise_scale(eta, as_published=True))))
        released[moving] += length * cone_directions(sigma[moving], 2.0, rng)
    return released, members, sigma


# --- A scale that keeps the promise: three ways to prove one -------------------------------------------

Noise = Annotated[str, OneOf(("laplace", "gaussian"))]
_STAKES = 8


def log_wealth(values: Array, mean: float) -> Array:
    """Return the log of what a gambler owns who bets that the values' mean is below ``mean``.

    Each value x multiplies what stands on a stake by ``1 + stake (mean - x)``.  If the true
    mean is ``mean`` or more, the expected wealth is at most 1; so it reaches 1/alpha with a
    chance of at most alpha (Markov).  Half of the purse stands on the largest stake that cannot
    go below 0, the rest in equal parts on halves, quarters, ... of it.

    Parameters
    ----------
    values : ndarray of shape (count, ...)
        Independent numbers in [0, 1], one sample a column.
    mean : float
        In (0, 1).

    Returns
    -------
    ndarray of shape (...)

    References
    ----------
    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
    J. R. Statist. Soc. B 2024.

    Examples
    --------
    >>> bool(log_wealth(np.full(100, 0.1), 0.2) > 10)
    True
    """
    from scipy.special import logsumexp

    stakes = 2.0 ** -np.arange(_STAKES) / (1 - mean)
    purse = np.full(_STAKES, 0.5 / (_STAKES - 1))
    purse[0] = 0.5
    gains = mean - values
    with np.errstate(divide="ignore"):  # a value of 1 takes all that stands on the largest stake
        # The floor is against rounding only: 1 + stake (mean - 1) may fall below 0 by a hair.
        logs = np.stack([np.log1p(np.maximum(s * gains, -1.0)).sum(axis=0) for s in stakes])
    return np.asarray(logsumexp(logs, axis=0, b=purse.reshape(-1, *[1] * (values.ndim - 1))))


@checked
def fits_needed(eta: Eta, confidence: float = 0.999) -> int:
    """Return the number of fits from which on a calibration finds a scale, whatever the data.

    Returns
    -------
    int
        The least B with ``(1 - eta)^-B / 2 >= 1 / (1 - confidence)``.

    Raises
    ------
    ValueError
        For an argument outside its range, or an eta for which the count is not finite.

    Notes
    -----
    New here: the wealth of ``log_wealth`` when all values are 0, on its largest stake.

    Examples
    --------
    >>> fits_needed(0.1)
    73
    """
    target = wealth_needed(confidence) + math.log(2)
    with np.errstate(over="ignore"):
        count = float(np.float64(target) / -math.log1p(-eta))
    if math.isinf(count):
        validate.refuse("eta", eta, "so large that a finite number of fits can prove it")
    return math.ceil(count)


@checked
def wealth_needed(confidence: Confidence, claims: int = 1) -> float:
    """Return the log wealth that proves this many claims at once with this confidence."""
    return math.log(claims) - math.log1p(-confidence)


def swaps_needed(eta: float, confidence: float, records: int) -> int:
    """Return the number of halves from which on the route by swaps finds a scale, surely.

    It shares the confidence with the other route and among all records; a thousandth of eta is
    left to the grid.
    """
    target = wealth_needed(confidence, 2 * records) + math.log(2)
    return math.ceil(min(target / -math.log1p(-1.998 * eta), 1e18))


# No scale below this, in units of the weights: fits that never differ prove nothing finer.
_LEAST = 2.0**-80
# Numbers of one block of the wealth's sums.
_CELLS = 1 << 21


def route_scales(
    spread: Array, swapped: Array | None, bound: float | None, eta: float, confidence: float, noise: str
) -> dict[str, float]:
    """Return the scale that each route needs; the routes by fits hold together.

    Parameters
    ----------
    spread : ndarray of shape (fits, 1)
        Distances of fits from the centre.
    swapped : ndarray of shape (halves, records), optional
        Distances of fits when a record is swapped, one column a record.
    bound : float, optional
        The largest such distance there is, known from elsewhere.
    eta : float
        What is left of the promise when the grid has had its share.
    noise : {"laplace", "gaussian"}
        The distribution.

    Returns
    -------
    dict of float
        *spread*, *swap*, *sensitivity*; infinite where the fits prove nothing.

    Examples
    --------
    >>> scales = route_scales(np.ones((2000, 1)), None, 0.1, 0.1, 0.9, "laplace")
    >>> scales["sensitivity"] < scales["spread"]
    True
    """
    ways = 1 if swapped is None else 2
    routes = {"spread": _smallest(spread, eta, wealth_needed(confidence, ways), noise)}
    if swapped is not None:
        target = wealth_needed(confidence, ways * swapped.shape[1])
        routes["swap"] = _smallest(swapped, 2 * eta, target, noise)
    if bound is not None:
        gaussian = noise == "gaussian"
        least = gaussian_sigma_for_mip(bound / 2, eta) if gaussian else scale_from_distance(bound, eta)
        routes["sensitivity"] = max(float(least), _LEAST)
    return routes


def _smallest(distances: Array, mean: float, target: float, noise: str) -> float:
    """Return the smallest scale at which every column's wealth proves a mean T below ``mean``."""
    from scipy.optimize import brentq
    from scipy.special import erf

    step = max(1, _CELLS // (8 * len(distances)))
    columns = [distances[:, i : i + step] for i in range(0, distances.shape[1], step)]

    def missing(log_scale: float) -> float:
        worst = math.inf
        for part in columns:
            reach = part * (0.5 * math.exp(-log_scale))
            lost = erf(reach / math.sqrt(2)) if noise == "gaussian" else -np.expm1(-reach)
            worst = min(worst, float(log_wealth(lost, mean).min()))
        return max(target - worst, -1e6)

    if missing(600.0) > 0:  # even without any distance left the fits are too few
        return math.inf
    top = float(distances.max())
    high = max(math.log(top / mean), math.log(_LEAST)) if top > 0 else math.log(_LEAST)
    while missing(high) > 0:
        high += 2.0
    low = high - 2.0
    while missing(low) <= 0:
        high, low = low, low - 2.0
        if high < math.log(_LEAST):
            return _LEAST
    return math.exp(brentq(missing, low, high, xtol=1e-12)) * (1 + 1e-9)


@checked
def calibrate_scale(
    data: Any,
    fit: Fit,
    eta: float,
    rng: Rng,
    *,
    fits: int = 2000,
    confidence: float = 0.999,
    noise: Noise = "laplace",
    pilot: Annotated[int, Integer(2, 10**7)] = 100,
    swaps: Annotated[int, Integer(0, 10**6)] = 0,
    sensitivity: Annotated[Any, Numbers(0.0, math.inf, open_high=True, ndim=1)] | None = None,
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
    noise : {"laplace", "gaussian"}
        Laplace noise is for a single number.
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
    bounded by ``mipbook.mip.calibration.log_wealth``; the wealth falls with the mean and the mean
    with the scale, so the scale may be chosen after the fits were seen.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = calibrate_scale(np.arange(12.0), np.mean, 0.1, rng)
    >>> 2 < found.scale < 12
    True
    """
    rows = rows_of_data(data, 2)
    eta, fits = plan(eta, fits, confidence)
    if 0 < swaps < (least := swaps_needed(eta, confidence, len(rows))):
        validate.refuse("swaps", swaps, f"0, or at least {least} for {len(rows)} records")
    first = fit_on_halves(rows, fit, pilot, rng, n_jobs=n_jobs)
    centre, weights = _shares("fit", first, "that moves with its data X", noise)
    found = fit_on_halves(rows, fit, fits, rng, n_jobs=n_jobs)
    swapped = swap_distances(rows, fit, weights, swaps, rng, n_jobs) if swaps else None
    bound = None
    if sensitivity is not None:
        if sensitivity.shape != weights.shape:
            validate.refuse("sensitivity", sensitivity, f"of length {weights.size}, one a coordinate")
        bound = float(weighted_norm(sensitivity, weights))
    return _calibration(centre, weights, found, eta, confidence, noise, swapped, bound)


def plan(
    eta: float, fits: int, confidence: float, name: str = "fits", known: bool = False
) -> tuple[float, int]:
    """Check what can be checked before any work starts; return eta and the number of fits.

    Where the spread is ``known`` from elsewhere, any number of fits will do.
    """
    least = fits_needed(eta, confidence)
    fits = validate.integer(name, fits, 0, 10**7)
    if fits < least and not known:
        allowed = f"at least {least} for eta = {eta:g} at this confidence: fewer cannot prove it"
        validate.refuse(name, fits, allowed)
    return float(eta), fits


def _shares(name: str, first: Array, moves: str, noise: str) -> tuple[Array, Array]:
    """Return the centre and each coordinate's share of the noise, from fits made for them."""
    if noise == "laplace" and first.shape[1] > 1:
        validate.refuse("noise", noise, f"'gaussian' for {first.shape[1]} numbers")
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


def _calibration(
    centre: Array,
    weights: Array,
    found: Array,
    eta: float,
    confidence: float,
    noise: str,
    swapped: Array | None = None,
    bound: float | None = None,
) -> Calibration:
    left = eta - grid_share(weights.size)
    if left <= eta / 2:
        validate.refuse("eta", eta, f"at least {2 * (eta - left):.3g} for {weights.size} numbers")
    spread = np.asarray(weighted_norm(found - centre, weights))[:, None]
    routes = route_scales(spread, swapped, bound, left, confidence, noise)
    route = min(routes, key=routes.__getitem__)
    if not math.isfinite(routes[route]):
        validate.refuse("fits", len(found), "more: these prove nothing at this confidence")
    return Calibration(
        *(routes[route], eta, noise, weights, centre, len(found), confidence), route=route, routes=routes
    )


# Distances between numbers of this size, and their sums, are finite.
Fits = Annotated[Any, Numbers(-1e250, 1e250, ndim=2)]


@checked
def scale_from_fits(
    first: Fits, found: Fits, eta: float, *, confidence: float = 0.999, noise: Noise = "laplace"
) -> Calibration:
    """Calibrate as `calibrate_scale` does, on fits that were made before.

    Parameters
    ----------
    first : array_like of shape (pilot, d)
        Fits on random halves, which set the centre and each coordinate's share.
    found : array_like of shape (fits, d)
        Fits on other random halves, at least `fits_needed`.
    noise : {"laplace", "gaussian"}
        Laplace noise is for a single number.

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
    eta, _ = plan(eta, len(found), confidence, "found")
    if len(first) < 2 or first.shape[1] != found.shape[1]:
        validate.refuse("first", first.shape, f"at least 2 rows of length {found.shape[1]}")
    centre, weights = _shares("first", first, "of fits that move with their data", noise)
    return _calibration(centre, weights, found, eta, confidence, noise)
