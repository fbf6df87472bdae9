"""A study among its own population: who was in it, and who is only like those who were."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from explorable import validate
from mipbook.base.types import Array

__all__ = ["peer_accuracy"]


def peer_accuracy(n: int) -> float:
    """Return the best accuracy in telling a member of a study from another of its population.

    Records are normal, the study draws n of them and publishes their mean; the attacker knows
    the population's distribution and the person's own record.

    Parameters
    ----------
    n : int
        Records that the study averages, in [2, 10,000].

    Returns
    -------
    float
        At equal odds; by quadrature, absolute error below 1e-9.

    References
    ----------
    MIP paper, section 3.2.

    Examples
    --------
    >>> round(peer_accuracy(20), 4)
    0.5368
    """
    return _peer_accuracy(validate.integer("n", n, 2, 10_000))


@lru_cache(maxsize=256)
def _peer_accuracy(n: int) -> float:
    """Average over the person's deviation x.

    Without her the mean is N(0, 1/n) around the population's, with her N(x/n, (n-1)/n^2); the
    densities cross at two points.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    first, second = 1 / n, (n - 1) / n**2
    shift = nodes / n
    # Equal log densities: a quadratic a z^2 + b z + c = 0.
    a = 1 / second - 1 / first
    b = -2 * shift / second
    c = shift**2 / second + np.log(second / first)
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
    low, high = (-b - root) / (2 * a), (-b + root) / (2 * a)

    def inside(mean: Array | float, variance: float) -> Array:
        sd = np.sqrt(variance)
        return np.asarray(ndtr((high - mean) / sd) - ndtr((low - mean) / sd))

    distance = np.abs(inside(shift, second) - inside(0.0, first))
    return float(0.5 + (weights * distance).sum() / 2)
