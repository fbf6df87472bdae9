"""Distances between the answers with and without a record: W_1 and the average sensitivity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from explorable.checked import Flags, Numbers, checked
from mipbook.base.types import Array, Etas
from mipbook.mip.laplace import cumulated_atoms


@checked
def average_sensitivity(outputs: ArrayLike, members: Annotated[Any, Flags(ndim=2)]) -> Array:
    """Return how much the answer changes on average when a record is swapped for another.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half of an even number of records, each equally likely.
    members : array_like of bool, shape (halves, records)
        Which records each half holds; every half once.

    Returns
    -------
    ndarray of shape (records,)
        For each record x, the mean of ``|A(D) - A(D - x + x')|`` over halves D with x and
        records x' left out.

    Raises
    ------
    ValueError
        For a malformed argument, or if a neighbouring half is missing.

    Notes
    -----
    New here: noise with density ``exp(-|x|/b)`` gives
    ``eta <= (1 - exp(-average_sensitivity / 2b)) / 2`` for every query.  At most the
    sensitivity, and at most twice `mean_deviation`.

    Examples
    --------
    >>> average_sensitivity([1.0, -1.0], [[True, False], [False, True]]).tolist()
    [2.0, 2.0]
    """
    totals, pairs = np.zeros((2, members.shape[1]))
    for x, changes in _swap_changes(outputs, members):
        with np.errstate(over="ignore"):
            totals[x] += changes.sum()
        pairs[x] += changes.size
    if not np.isfinite(totals).all():
        validate.refuse("outputs", outputs, "such that their distances are finite")
    return np.asarray(totals / pairs)


def largest_sensitivity(outputs: ArrayLike, members: ArrayLike) -> float:
    """Return the largest change of the answer when a record is swapped for another.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half of an even number of records.
    members : array_like of bool, shape (halves, records)
        Which records each half holds; every half once.

    Notes
    -----
    The sensitivity of DP, for this query and these records.

    Examples
    --------
    >>> largest_sensitivity([1.0, -1.0], [[True, False], [False, True]])
    2.0
    """
    largest = max(float(changes.max()) for _, changes in _swap_changes(outputs, members))
    if not np.isfinite(largest):
        validate.refuse("outputs", outputs, "such that their distances are finite")
    return largest


def _swap_changes(outputs: ArrayLike, members: ArrayLike) -> Iterator[tuple[int, Array]]:
    """Yield a record, and how much the answers change when another one takes its place."""
    cumulated_atoms(outputs, members)
    answers, flags = np.asarray(outputs, dtype=float), np.asarray(members)
    n = flags.shape[1]
    if n > 62:
        validate.refuse("members", n, "at most 62 records, one bit each")
    codes = flags @ (1 << np.arange(n, dtype=np.int64))
    order = np.argsort(codes)
    sorted_codes = codes[order]
    for x, other in permutations(range(n), 2):
        with_x = np.flatnonzero(flags[:, x] & ~flags[:, other])
        wanted = codes[with_x] - (1 << x) + (1 << other)
        place = np.minimum(np.searchsorted(sorted_codes, wanted), codes.size - 1)
        if np.any(sorted_codes[place] != wanted):
            validate.refuse("members", "a half is missing", "all halves, each once")
        with np.errstate(over="ignore"):
            changes = np.abs(answers[with_x] - answers[order[place]])
        if changes.size:
            yield x, changes


@checked
def mean_deviation(outputs: Annotated[Any, Numbers(ndim=1)]) -> float:
    """Return the first absolute moment around the best centre, the median.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half.

    Returns
    -------
    float
        ``E|A - m|`` for m the median: the sigma that `noise_scale` asks for, at its least.

    Notes
    -----
    MIP paper, Theorem 9 with M = 1 and the best centre.

    Examples
    --------
    >>> mean_deviation([0.0, 0.0, 3.0])
    1.0
    """
    if outputs.size == 0 or not np.isfinite(outputs).all():
        validate.refuse("outputs", outputs, "finite numbers, at least one")
    with np.errstate(over="ignore"):
        found = float(np.abs(outputs - np.median(outputs / 2) * 2).mean())
    if not np.isfinite(found):
        validate.refuse("outputs", outputs, "such that their mean deviation is finite")
    return found


@checked
def scale_from_distance(distance: Annotated[Any, Numbers(0.0, math.inf, open_high=True)], eta: Etas) -> Any:
    """Return the noise scale that turns a distance between the two distributions into eta-MIP.

    Parameters
    ----------
    distance : array_like
        `average_sensitivity` of the worst record, or another average distance, in [0, inf).

    Returns
    -------
    float or ndarray
        ``distance / (2 ln(1 / (1 - 2 eta)))``: noise with density ``exp(-|x| / scale)``.

    Notes
    -----
    New here; sharpens MIP paper, Theorem 9.  Valid in every norm and dimension, with
    distances in the same norm.

    Examples
    --------
    >>> round(scale_from_distance(2.0, 0.1), 4)
    4.4814
    """
    validate.broadcast(("distance", "eta"), (distance, eta))
    with np.errstate(over="ignore"):
        found = distance / (-2 * np.log1p(-2 * eta))
    if not np.isfinite(found).all():
        validate.refuse("eta", eta, "so large that the noise stays finite at this distance")
    return validate.plain(found)


@checked
def gaussian_sigma_for_mip(
    mean_distance: Annotated[Any, Numbers(0.0, math.inf, open_high=True)], eta: Etas
) -> Any:
    """Return the Gaussian noise that gives eta-MIP to a query with this spread.

    Parameters
    ----------
    mean_distance : array_like
        ``E|theta - m|`` in the Euclidean norm, for any centre m; in [0, inf).

    Returns
    -------
    float or ndarray
        Standard deviation on each coordinate, ``mean_distance / Phi^-1(1/2 + eta)``.

    Notes
    -----
    New here: the total variation of two normal distributions is concave in their distance, so the
    coupling proof of Theorem 9 applies; attained by the two-point query in every dimension.

    Examples
    --------
    >>> round(gaussian_sigma_for_mip(1.0, 0.1), 12)
    3.947153875543
    """
    from scipy.special import erfinv

    validate.broadcast(("mean_distance", "eta"), (mean_distance, eta))
    # 1/2 + eta would lose the digits of a small eta.
    with np.errstate(over="ignore"):
        found = mean_distance / (np.sqrt(2) * np.asarray(erfinv(2 * eta)))
    if not np.isfinite(found).all():
        validate.refuse("eta", eta, "so large that the noise stays finite at this mean_distance")
    return validate.plain(found)
