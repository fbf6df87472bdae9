"""The exact eta of a real-valued query with any of the noises of `mipbook.mechanisms`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mipbook.base import validate
from mipbook.mechanisms import Gaussian, Laplace
from mipbook.mip.exact.laplace import cumulated_atoms, laplace_eta
from mipbook.mip.exact.mixtures import mixture_distance

__all__ = ["optimal_eta"]


def optimal_eta(
    outputs: ArrayLike, members: ArrayLike, noise: Laplace | Gaussian | None = None
) -> float:
    """Return the eta of a query with additive noise: what the optimal attacker gains.

    Parameters
    ----------
    outputs : array_like of shape (halves,)
        The query's answer on every half, each half equally likely.
    noise : Laplace or Gaussian, optional
        Its scale or sigma counts; none at all if not given.

    Returns
    -------
    float
        Half the total variation distance for the worst record, in [0, 1/2].  Exact for
        Laplace noise and for none; absolute error below 1e-11 for Gaussian noise.

    Notes
    -----
    MIP paper, Proposition 2.

    Examples
    --------
    >>> members = [[True, False], [False, True]]
    >>> round(optimal_eta([1.0, -1.0], members, Gaussian(1.0)), 9)
    0.341344746
    >>> optimal_eta([1.0, -1.0], members)
    0.5
    """
    if noise is None:
        return laplace_eta(outputs, members, 0.0)
    if isinstance(noise, Laplace):
        return laplace_eta(outputs, members, noise.scale)
    if not isinstance(noise, Gaussian):
        validate.refuse("noise", noise, "a Laplace or Gaussian of mipbook.mechanisms, or None")
    cumulated_atoms(outputs, members)
    answers, flags = np.asarray(outputs, dtype=float), np.asarray(members)
    distances = [
        mixture_distance(answers[column], answers[~column], noise.sigma) for column in flags.T
    ]
    return float(min(0.5, max(distances) / 2))
