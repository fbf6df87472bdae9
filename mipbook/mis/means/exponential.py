"""The mean of exponential records: a second case where Delta can be computed."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammainc

from explorable import validate
from mipbook.base.halving import halved

__all__ = ["exponential_mean_delta"]

_HALVINGS = 80
_PANELS = (0.0, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1.0, 1.5, 3.0, 6.0, 12.0, 40.0)


def exponential_mean_delta(n: int) -> float:
    """Return Delta, balanced, of the mean of n exponential records, exact up to about 1e-9.

    Parameters
    ----------
    n : int
        Records in the data set, in [1, 10000].

    References
    ----------
    Limits paper, Theorem 13, for records that are not normal.  Given z, the sum is z plus a
    gamma variable; the best attack says *member* between two crossings of two gamma densities.

    Examples
    --------
    >>> round(exponential_mean_delta(10), 9)
    0.102240658
    """
    n = validate.integer("n", n, 1, 10_000)
    if n == 1:
        return 1.0
    nodes, weights = np.polynomial.legendre.leggauss(60)
    ends = np.array(_PANELS)
    width = np.diff(ends)[:, None]
    z = (ends[:-1, None] + width * (nodes + 1) / 2).ravel()
    step = (width * weights / 2).ravel()

    def excess(s: np.ndarray) -> np.ndarray:
        """Log of the density of the sum given z over the density of the sum."""
        powers = (n - 2) * np.log1p(-z / s) if n > 2 else 0.0
        ratio: np.ndarray = math.log(n - 1) + z + powers - np.log(s)
        return ratio

    # The ratio rises up to s = (n-1) z and falls from there on.
    peak = (n - 1) * z
    far = peak * 2 + 1
    while (excess(far) > 0).any():
        far = np.where(excess(far) > 0, far * 2, far)
    low = z  # where the ratio starts, and for two records it is high from there on
    if n > 2:
        low, _ = halved(lambda s: excess(np.maximum(s, z * (1 + 1e-15))) <= 0, z, peak, _HALVINGS)
    _, right = halved(lambda s: excess(s) > 0, peak, far, _HALVINGS)
    member = gammainc(n - 1, right - z) - gammainc(n - 1, low - z)
    other = gammainc(n, right) - gammainc(n, low)
    return float(np.clip(((member - other) * np.exp(-z)) @ step, 0.0, 1.0))
