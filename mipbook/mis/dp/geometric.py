"""A count with geometric noise: a private learner whose Delta is known exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorable import validate
from mipbook.base.types import Array, Floats
from mipbook.mis.binomial import pmf
from mipbook.mis.security.divergence import gain
from mipbook.mis.security.weights import checked_weights

__all__ = ["geometric_count_delta", "geometric_count_laws"]

_MOST = 20_000_000


def _summed_up(values: Array, odds: Array) -> Array:
    """Return the sum of odds^j values[..., i - j] over j >= 0, for each i along the last axis."""
    total, step = values.copy(), 1
    while step < values.shape[-1]:
        # So far the sums hold ``step`` terms; those that end where they begin hold as many more.
        total[..., step:] += (odds**step)[..., None] * total[..., :-step].copy()
        step *= 2
    return total


def geometric_count_laws(n: int, p: float, epsilon: Any) -> Array:
    r"""Return the distributions of a noisy count, given that a member is 0 and that it is 1.

    Parameters
    ----------
    n : int
        Records, each 0 or 1; from 1 to 100,000.
    p : float
        The chance, in (0, 1), that a record is 1.

    Returns
    -------
    ndarray of shape (..., 2, n + 1)
        For each epsilon: row z is the distribution of the release when a random member is z.

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
    n = validate.integer("n", n, 1, 100_000)
    p = validate.number("p", p, 0.0, 1.0, open_low=True, open_high=True)
    eps = validate.array("epsilon", epsilon, 0.0)
    if eps.size * n > _MOST:
        validate.refuse("epsilon", epsilon, f"at most {_MOST // n:,} numbers at n = {n:,}")
    others = pmf(np.arange(float(n)), n - 1, p)
    counts = np.zeros((*eps.shape, 2, n + 1))
    counts[..., 0, :-1], counts[..., 1, 1:] = others, others
    with np.errstate(under="ignore"):
        odds = np.exp(-eps)[..., None]
        up = _summed_up(counts, odds)
        down = _summed_up(counts[..., ::-1], odds)[..., ::-1]
    laws: Array = (up + down - counts) / (1 + odds[..., None])
    laws[..., 1:-1] *= -np.expm1(-eps)[..., None, None]
    return laws


def geometric_count_delta(n: int, p: float, epsilon: Any, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    """Return Delta of the count of n zeros and ones, released with geometric noise.

    Exact up to rounding.  ``n`` and ``p`` are as in `geometric_count_laws`; ``epsilon``,
    ``nu`` and ``lam`` broadcast.

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
    a, b = checked_weights(nu, lam)
    validate.broadcast(("epsilon", "nu, lam"), (laws[..., 0, 0], a))
    chances = np.array([1 - p, p])
    law = np.einsum("k,...kj->...j", chances, laws)[..., None, :]
    every = gain(laws, law, a[..., None, None], b[..., None, None])
    return validate.plain(np.asarray(np.minimum(every @ chances, 1.0)))
