"""An upper bound on a mean in [0, 1], by a game that nobody can win on average."""

from __future__ import annotations

import math

import numpy as np

from explorable import validate
from mipbook.base.types import Array

__all__ = ["fits_needed", "log_wealth"]

_STAKES = 8


def log_wealth(values: Array, mean: float) -> Array:
    """Return the log of what a gambler owns who bets that the values' mean is below ``mean``.

    Each value x multiplies what stands on a stake by ``1 + stake (mean - x)``.  If the true
    mean is ``mean`` or more, the expected wealth is at most 1; so it reaches 1/alpha with a
    chance of at most alpha (Markov).  Half of the purse stands on the largest stake that cannot
    go below 0, the rest in equal parts on halves, quarters, ... of it.

    Parameters
    ----------
    values : ndarray of shape (count, ...)
        Independent numbers in [0, 1], one sample a column.
    mean : float
        In (0, 1).

    Returns
    -------
    ndarray of shape (...)

    References
    ----------
    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
    J. R. Statist. Soc. B 2024.

    Examples
    --------
    >>> bool(log_wealth(np.full(100, 0.1), 0.2) > 10)
    True
    """
    from scipy.special import logsumexp

    stakes = 2.0 ** -np.arange(_STAKES) / (1 - mean)
    purse = np.full(_STAKES, 0.5 / (_STAKES - 1))
    purse[0] = 0.5
    gains = mean - values
    with np.errstate(divide="ignore"):  # a value of 1 takes all that stands on the largest stake
        # The floor is against rounding only: 1 + stake (mean - 1) may fall below 0 by a hair.
        logs = np.stack([np.log1p(np.maximum(s * gains, -1.0)).sum(axis=0) for s in stakes])
    return np.asarray(logsumexp(logs, axis=0, b=purse.reshape(-1, *[1] * (values.ndim - 1))))


def fits_needed(eta: float, confidence: float = 0.999) -> int:
    """Return the number of fits from which on a calibration finds a scale, whatever the data.

    Returns
    -------
    int
        The least B with ``(1 - eta)^-B / 2 >= 1 / (1 - confidence)``.

    Raises
    ------
    ValueError
        For an argument outside its range, or an eta for which the count is not finite.

    Notes
    -----
    New here: the wealth of ``log_wealth`` when all values are 0, on its largest stake.

    Examples
    --------
    >>> fits_needed(0.1)
    73
    """
    eta = validate.number("eta", eta, 0.0, 0.5, open_low=True, open_high=True)
    target = wealth_needed(confidence) + math.log(2)
    with np.errstate(over="ignore"):
        count = float(np.float64(target) / -math.log1p(-eta))
    if math.isinf(count):
        validate.refuse("eta", eta, "so large that a finite number of fits can prove it")
    return math.ceil(count)


def wealth_needed(confidence: float, claims: int = 1) -> float:
    """Return the log wealth that proves this many claims at once with this confidence."""
    return math.log(claims) - math.log1p(-validate.confidence(confidence))


def swaps_needed(eta: float, confidence: float, records: int) -> int:
    """Return the number of halves from which on the route by swaps finds a scale, surely.

    It shares the confidence with the other route and among all records; a thousandth of eta is
    left to the grid.
    """
    target = wealth_needed(confidence, 2 * records) + math.log(2)
    return math.ceil(min(target / -math.log1p(-1.998 * eta), 1e18))
