"""Means of many coordinates, where Delta is nearly a function of d/n alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, ndtri

from explorable import validate

__all__ = ["gaussian_mean_delta_approximation", "many_coordinates_delta", "many_coordinates_records"]

_LARGEST = 10**12


def many_coordinates_delta(ratio: Any) -> NDArray[np.float64]:
    """Return what Delta of the Gaussian mean tends to as d and n grow in a fixed ratio.

    Parameters
    ----------
    ratio : float or array_like
        d/n, in [0, inf].

    References
    ----------
    Limits paper, Theorem 13: its constant hides the dimension.  With many coordinates the log
    likelihood ratio is nearly normal with mean and half variance d/(2n).

    Examples
    --------
    >>> many_coordinates_delta([0.0, 1.0]).round(5).tolist()
    [0.0, 0.38292]
    """
    return np.asarray(erf(np.sqrt(validate.array("ratio", ratio, 0.0) / 8)))


def many_coordinates_records(delta: float, dimension: int) -> float:
    """Return the n at which `gaussian_mean_delta_approximation` is ``delta``.

    Parameters
    ----------
    delta : float
        Of the security game, in (0, 1).
    dimension : int
        Coordinates of a record, in [1, 10^12].

    Examples
    --------
    >>> round(many_coordinates_records(0.1, 50))
    792
    """
    delta = validate.number("delta", delta, 0.0, 1.0, open_low=True, open_high=True)
    dimension = validate.integer("dimension", dimension, 1, _LARGEST)
    return dimension / float(2 * ndtri((1 + delta) / 2)) ** 2


def gaussian_mean_delta_approximation(n: int, dimension: int) -> float:
    """Return what Delta of the Gaussian mean is near where d and n are of one size.

    Parameters
    ----------
    n, dimension : int
        In [1, 10^12].

    Returns
    -------
    float
        An approximation, 2 Phi(sqrt(d/n)/2) - 1: no bound in either direction.

    References
    ----------
    Limits paper, Theorem 13; see ``many_coordinates_delta``.

    Examples
    --------
    >>> round(gaussian_mean_delta_approximation(100, 100), 5)
    0.38292
    """
    n = validate.integer("n", n, 1, _LARGEST)
    dimension = validate.integer("dimension", dimension, 1, _LARGEST)
    return float(many_coordinates_delta(dimension / n))
