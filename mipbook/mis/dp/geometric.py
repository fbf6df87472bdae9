"""A count with geometric noise: a private learner whose Delta is known exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mipbook.base import validate
from mipbook.mis.security.divergence import gain
from mipbook.mis.security.finite import weights_as_numbers
from mipbook.mis.security.weights import checked_weights

__all__ = ["geometric_count_delta", "geometric_count_laws"]

Array = NDArray[np.float64]


def geometric_count_laws(n: int, p: float, epsilon: float) -> Array:
    r"""Return the laws of a noisy count, given that a member is 0 and that it is 1.

    Parameters
    ----------
    n : int
        Records, each 0 or 1; from 1 to 100,000.
    p : float
        The chance, in (0, 1), that a record is 1.
    epsilon : float
        Privacy parameter in [0, inf].

    Returns
    -------
    ndarray of shape (2, n + 1)
        Row z is the law of the release when a random member is z.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    The count gets noise k with probability proportional to :math:`e^{-\varepsilon|k|}`, which
    is epsilon-DP, and the release is clipped to 0, ..., n.  Clipping loses nothing: beyond
    the ends all ratios of probabilities are those at the ends.

    Examples
    --------
    >>> geometric_count_laws(1, 0.5, 0.0).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    from scipy.signal import lfilter
    from scipy.stats import binom

    n = validate.integer("n", n, 1, 100_000)
    p = validate.number("p", p, 0.0, 1.0, open_low=True, open_high=True)
    epsilon = validate.number("epsilon", epsilon, 0.0)
    others = binom.pmf(np.arange(n), n - 1, p)
    counts = np.zeros((2, n + 1))
    counts[0, :-1], counts[1, 1:] = others, others
    odds = float(np.exp(-epsilon))
    # Two passes add up odds**|distance| over all counts.
    up = lfilter([1.0], [1.0, -odds], counts, axis=1)
    down = lfilter([1.0], [1.0, -odds], counts[:, ::-1], axis=1)[:, ::-1]
    laws = (up + down - counts) / (1 + odds)
    laws[:, 1:-1] *= -np.expm1(-epsilon)
    return np.asarray(laws)


def geometric_count_delta(
    n: int, p: float, epsilon: float, nu: float = 0.5, lam: float = 0.5
) -> float:
    """Return Delta of the count of n zeros and ones, released with geometric noise.

    Parameters
    ----------
    n, p, epsilon
        As in `geometric_count_laws`.
    nu, lam : float
        As in `weights`.

    Returns
    -------
    float
        In [0, 1]; exact up to rounding.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Appendix H.  Differential privacy bounds Delta in the same way for every n;
    here it falls with the square root of n.

    Examples
    --------
    >>> round(geometric_count_delta(10, 0.5, 1.0), 12)
    0.100151812472
    """
    laws = geometric_count_laws(n, p, epsilon)
    a, b = checked_weights(*weights_as_numbers(nu, lam))
    law = np.array([1 - p, p])
    every = gain(laws, law @ laws, a.reshape(1, 1), b.reshape(1, 1))
    return min(float(law @ every), 1.0)
