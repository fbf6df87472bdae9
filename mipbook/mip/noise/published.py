"""Algorithm 1 as it is printed, to show what it gives away."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.mip.noise.fits import Fit, fit_one, rows_of_data, vector_of
from mipbook.mip.noise.norms import cone_directions, norm_of
from mipbook.mip.noise.scale import noise_scale

__all__ = ["published_release"]


def published_release(
    data: Any, fit: Fit, eta: float, fits: int, rng: np.random.Generator, M: float = 2.0
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
    itself depends on who is in.  A coordinate with sigma 0 gets no noise.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> published_release(np.arange(8.0), np.mean, 0.1, 5, rng)[1].sum()
    np.int64(4)
    """
    rows = rows_of_data(data, 4)
    if len(rows) % 4:
        validate.refuse("data", data, "a multiple of 4 records, for halves of a half")
    eta = validate.number("eta", eta, 0.0, 0.5, open_low=True, open_high=True)
    if not callable(fit):
        validate.refuse("fit", fit, "a function from records to a number or a vector")
    fits = validate.integer("fits", fits, 2, 10**7)
    M = validate.number("M", M, 1.0, math.inf, open_high=True)
    members = np.zeros(len(rows), dtype=bool)
    members[validate.generator("rng", rng).permutation(len(rows))[: len(rows) // 2]] = True
    half = rows[members]
    theta = vector_of(fit, half)
    sample = np.stack([fit_one(fit, half, len(half) // 2, rng) for _ in range(fits)])
    sigma = norm_of((sample - sample.mean(axis=0)).T, M)
    released = theta.copy()
    moving = sigma > 0
    if moving.any():
        length = abs(rng.laplace(0.0, float(noise_scale(eta, M=M, as_published=True))))
        released[moving] += length * cone_directions(sigma[moving], M, rng)
    return released, members, sigma
