"""Fits on random halves of the data: the material of Algorithm 1, as printed and as repaired."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Called, Integer, Number, Numbers, Rows, checked
from explorable.private import attempt
from explorable.progress import track
from mipbook.base.types import Array, Eta, Jobs, Rng
from mipbook.mip.conversion import noise_scale
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


def fit_one(fit: Fit, rows: Any, size: int, rng: np.random.Generator) -> Array:
    """Return the fit on a random part of the records."""
    return vector_of(fit, rows[np.sort(rng.permutation(len(rows))[:size])])


@checked
def fit_on_halves(
    data: Any,
    fit: CheckedFit,
    count: Annotated[int, Integer(1, 10**7)],
    rng: Rng,
    *,
    size: int | None = None,
    n_jobs: Jobs = None,
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
    size : int, optional
        Records in a part; n / 2 if not given.

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
    from joblib import Parallel, delayed

    rows = rows_of_data(data, 2)
    size = validate.integer("size", len(rows) // 2 if size is None else size, 1, len(rows))
    children = rng.spawn(count)
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    fits = run(delayed(fit_one)(fit, rows, size, child) for child in children)
    found = list(track(fits, count, what="fits", unit="halves"))
    if len({theta.size for theta in found}) != 1:
        validate.refuse("fit", fit, "a function whose result always has the same length")
    return np.stack(found)


def swap_distances(
    rows: Any,
    fit: Fit,
    weights: Array,
    M: float,
    count: int,
    rng: np.random.Generator,
    *,
    n_jobs: int | None = None,
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
    M : float
        Its exponent.
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
    >>> moved = swap_distances(np.array([0.0, 2.0]), np.mean, np.ones(1), 2.0, 3, rng)
    >>> moved.tolist()
    [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]
    """
    from joblib import Parallel, delayed

    children = rng.spawn(count)
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    each = run(delayed(_one)(rows, fit, weights, M, child) for child in children)
    return np.stack(list(track(each, count, what="swaps", unit="halves")))


def _one(rows: Any, fit: Fit, weights: Array, M: float, rng: np.random.Generator) -> Array:
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
    moved[inside] = moved[outside] = weighted_norm(np.stack(found) - start, weights, M)
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
    data: Any,
    fit: CheckedFit,
    eta: Eta,
    fits: Annotated[int, Integer(2, 10**7)],
    rng: Rng,
    M: Annotated[float, Number(1.0, math.inf, open_high=True)] = 2.0,
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
    M : float
        Exponent, in [1, inf).

    Returns
    -------
    released : ndarray of shape (d,)
    members : ndarray of bool, shape (n,)
        The training half.
    sigma : ndarray of shape (d,)
        The estimate that set the noise.

    Notes
    -----
    MIP paper, Algorithm 1; RIP paper, Algorithm 1 (divisor B - 1, one sigma).  Not a safe
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
    sample = np.stack([fit_one(fit, half, len(half) // 2, rng) for _ in range(fits)])
    sigma = spread_of(sample, M)
    released = theta.copy()
    moving = sigma > 0
    if moving.any():
        length = abs(rng.laplace(0.0, float(noise_scale(eta, M=M, as_published=True))))
        released[moving] += length * cone_directions(sigma[moving], M, rng)
    return released, members, sigma
