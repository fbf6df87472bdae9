"""How far a fit moves when one record of the half is swapped for one left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorable import validate
from explorable.progress import reader, track
from mipbook.base.types import Array
from mipbook.mip.noise.fits import Fit, vector_of
from mipbook.mip.noise.norms import weighted_norm

__all__ = ["swap_distances"]


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
    New here: the coupling of the chapter *Noise that works*, sampled.

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
    with reader() as stream:
        return np.stack(list(track(each, stream, total=count, what="swaps", unit="halves")))


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
