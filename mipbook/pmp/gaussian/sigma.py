"""Proposition 12 the other way round: the least noise that it certifies."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook import tradeoff
from mipbook.base.types import Array
from mipbook.pmp.gaussian.majorant import Moments, survivors
from mipbook.pmp.gaussian.pool import pool, standardised
from mipbook.pmp.gaussian.rows import SMALL, Rows, decreasing_root

__all__ = ["gaussian_sigma_bound", "power_of_two"]

# Pairs that may be evaluated one by one before more noise is taken instead.
_BUDGET = 20_000_000
_ROUNDING = 1e-13
# Relative steps of the noise where the parabola alone decides.
_STEP, _FINE = 2e-3, 5e-4
# Halvings of the noise after which none is needed.
_LOWEST = 60


def power_of_two(table: Array) -> float:
    """Return a power of two near the extent of a pool; 0 where all records are equal."""
    top = math.frexp(float(np.abs(table).max()))[1] + 1
    extent = float(np.ptp(np.ldexp(table, -top), axis=0).max())
    exponent = math.frexp(extent)[1] + top
    return math.ldexp(1.0, min(exponent, 1023)) if extent > 0 else 0.0


class _Search:
    """Noise in units in which the pool is neither large nor small."""

    def __init__(self, rows: Rows, epsilon: float, delta: float) -> None:
        self.rows, self.epsilon, self.delta = rows, epsilon, delta
        reach = 2 * float(np.sqrt((rows.points**2).sum(axis=1).max())) * (1 + 1e-12)
        # Noise for DP with the pool's extent is enough for the average too.
        self.high = float(tradeoff.gaussian_sigma(epsilon, delta, sensitivity=reach))
        self.moments = Moments(rows) if rows.count > SMALL else None
        exposed = self.moments.first[1] if self.moments else (rows.points**2).sum(axis=1)
        self.farthest = int(np.argmax(exposed))

    def root(self, row: int, low: float) -> float:
        """Return the least noise, from ``low`` on, that suits one record."""

        def average(sigma: float) -> float:
            return float(self.rows.averages(self.epsilon, [row], sigma)[0])

        target = self.delta * (1 - _ROUNDING)
        if low == 0:
            low = self.high
            for _ in range(_LOWEST):
                low /= 2
                if average(low) > target:
                    break
            else:
                return low
        return decreasing_root(average, target, low, self.high)

    def open_rows(self, sigma: float) -> NDArray[np.intp] | None:
        """Return the records that are not certified at once, None if they are too many."""
        if self.moments is None:
            return np.arange(self.rows.count)
        left, _ = survivors(self.rows, self.moments, self.epsilon, self.delta, sigma)
        return left if left.size * self.rows.count <= _BUDGET else None

    def least(self) -> float:
        """Return the least noise that is certified for all records."""
        sigma = self.root(self.farthest, 0.0)
        step, undecided = _STEP, sigma
        left = self.open_rows(sigma)
        while left is None:
            undecided, sigma, step = sigma, sigma * (1 + step), 2 * step
            left = self.open_rows(sigma)
        # By hand: there is no number to find the root of, only whether few enough stay open.
        while sigma > undecided * (1 + _FINE):
            middle = math.sqrt(sigma * undecided)
            among = self.open_rows(middle)
            if among is None:
                undecided = middle
            else:
                sigma, left = middle, among
        while left.size:
            averages = self.rows.averages(self.epsilon, left, sigma)
            over = averages > self.delta
            # Averages fall as the noise rises: whoever is within delta stays so.
            left, averages = left[over], averages[over]
            if left.size:
                sigma = max(sigma, self.root(int(left[np.argmax(averages)]), sigma))
        return sigma


def gaussian_sigma_bound(values: ArrayLike, epsilon: float, delta: float) -> float:
    r"""Return the least noise for which Proposition 12 certifies (epsilon, delta)-PMP.

    Returns
    -------
    float
        Standard deviation of the noise, in the units of ``values``, a bound on what the target
        needs.  It is 0 where all records are equal, and as good as 0 where ``delta`` is so
        large that no noise is needed.

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    PMP paper, section on the approach, step 3, solved for the noise: one epsilon, so that every
    record costs one average a step.  Large pools are certified as in `gaussian_epsilon_bound`;
    where too many records are equally exposed to go through their pairs, up to some percent more
    noise is returned than the bound needs.

    Examples
    --------
    >>> sigma = gaussian_sigma_bound([0.0, 1.0, 3.0, 4.0], 0.5, 0.01)
    >>> from mipbook.pmp import gaussian_delta_bound
    >>> round(gaussian_delta_bound([0.0, 1.0, 3.0, 4.0], sigma, 0.5), 9)
    0.01
    """
    table = pool(values)
    epsilon = validate.number("epsilon", epsilon, 0.0, math.inf, open_high=True)
    delta = validate.number("delta", delta, 0.0, 1.0, open_low=True, open_high=True)
    unit = power_of_two(table)
    if unit == 0:
        return 0.0
    rows = Rows(standardised(table, unit))
    if rows.count == 1:
        return 0.0
    return _Search(rows, epsilon, delta).least() * unit * (1 + _ROUNDING)
