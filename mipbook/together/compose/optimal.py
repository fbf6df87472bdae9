"""Releases that each keep one (epsilon, delta) promise: the curve of the hardest ones."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.signal import lfilter
from scipy.special import expit
from scipy.stats import binom

from explorable import validate
from mipbook.base.types import Array
from mipbook.together.polygon import HockeyStick

__all__ = ["MOST_RELEASES", "EpsilonBounds", "OptimalCurve", "epsilon_bounds"]

MOST_RELEASES = 100_000


class OptimalCurve:
    """What k releases with an (epsilon, delta) promise each allow together, at most.

    The hardest releases tell all with chance delta, else the truth with odds of e^epsilon.  Unless
    one of them tells all, the number of false answers is what counts.  All sums are of positive
    terms.

    Parameters
    ----------
    loss : float
        The epsilon of each release, in [0, inf].
    tells : float
        The delta of each, in [0, 1].
    k : int
        How many there are.
    """

    def __init__(self, loss: float, tells: float, k: int) -> None:
        self.k = k
        self.all_told = 1.0 if np.isinf(loss) else float(-np.expm1(k * _log1m(tells)))
        self.loss = 0.0 if np.isinf(loss) else loss
        self.false = float(expit(-self.loss))

    @cached_property
    def _stick(self) -> HockeyStick:
        """The privacy curve, which bends at the losses (k - 2 l) epsilon down to 0."""
        lies = np.arange(self.k // 2 + 1)
        chance = (1.0 - self.all_told) * binom.pmf(lies, self.k, self.false)
        shrinks = float(np.exp(-2.0 * self.loss))
        slope = np.asarray(lfilter([1.0], [1.0, -shrinks], chance))
        rise = -np.expm1(-2.0 * self.loss) * slope[:-1]
        losses = _multiples(np.asarray(self.k - 2.0 * lies, dtype=float), self.loss)
        return HockeyStick(losses, np.append(0.0, np.cumsum(rise)), slope, self.all_told)

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR."""
        return float(self.delta_in(np.zeros(1))[0])

    @property
    def auc(self) -> float:
        """The area under the trade-off curve: of twice as many answers the majority."""
        k = self.k
        right = binom.cdf(k - 1, 2 * k, self.false) + binom.pmf(k, 2 * k, self.false) / 2
        return float(1.0 - (1.0 - self.all_told) ** 2 * (1.0 - right))

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""
        lies = np.arange(self.k + 1)
        found = np.cumsum(binom.pmf(lies, self.k, self.false))
        accused = np.cumsum(binom.pmf(self.k - lies, self.k, self.false))
        kept = 1.0 - self.all_told
        corners = np.append(0.0, accused) * kept, self.all_told + np.append(0.0, found) * kept
        told = np.interp(fpr, *corners, right=1.0)
        return np.where(fpr == 0, self.all_told, np.minimum(told, 1.0))

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick, the same in both directions."""
        return self._stick.at(epsilon)

    delta_out = delta_in

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta; infinite below the chance that all is told."""
        return self._stick.epsilon(delta)


def _multiples(count: Array, loss: float) -> Array:
    """Return count times loss, rounded up."""
    mantissa, power = np.frexp(loss)
    high = np.ldexp(np.floor(np.ldexp(mantissa, 26)), power - 26)
    found = count * loss
    # In two parts, whose products with a whole number below 2^26 are exact.
    lost = (count * high - found) + count * (loss - high)
    return np.where(lost > 0, np.nextafter(found, np.inf), found)


def _log1m(chance: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log1p(-chance))


class EpsilonBounds(NamedTuple):
    """Bounds on the epsilon of k releases, each epsilon-DP, at a delta.

    Attributes
    ----------
    basic : float
        The sum of the epsilons; it needs no delta.
    advanced : float
        The advanced composition of Dwork, Rothblum and Vadhan.
    refined : float
        The same with the mean of the loss of randomised response.
    least : float
        The least of the closed forms of Kairouz, Oh and Viswanath, Theorem 3.4.
    """

    basic: float
    advanced: float
    refined: float
    least: float


def epsilon_bounds(epsilon: float, k: int, delta: float) -> EpsilonBounds:
    """Return the closed bounds on the epsilon of k releases, each epsilon-DP.

    Parameters
    ----------
    epsilon : float
        Of each release, in [0, 700].
    k : int
        How many releases, from 1 to 100,000.
    delta : float
        What all of them together may fail by, in (0, 1].

    Notes
    -----
    Bounds, each of them above the optimal value, which is
    ``composed(from_dp(epsilon), k).epsilon(delta)``.

    References
    ----------
    C. Dwork, G. N. Rothblum and S. Vadhan, "Boosting and Differential Privacy", FOCS 2010.
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorem 3.4.

    Examples
    --------
    >>> bounds = epsilon_bounds(0.1, 100, 1e-6)
    >>> [round(each, 3) for each in bounds]
    [10.0, 6.308, 5.756, 5.756]
    """
    epsilon = validate.number("epsilon", epsilon, 0.0, 700.0)
    k = validate.integer("k", k, 1, MOST_RELEASES)
    delta = validate.number("delta", delta, 0.0, 1.0, open_low=True)
    basic = k * epsilon
    mean = basic * float(np.tanh(epsilon / 2))
    spread = epsilon * np.sqrt(2 * k)
    width = float(spread * np.sqrt(-np.log(delta)))
    root = np.logaddexp(1.0, np.log(max(epsilon * np.sqrt(k), 1e-300)) - np.log(delta))
    smaller = mean + float(spread * np.sqrt(root))
    advanced, refined = basic * float(np.expm1(epsilon)) + width, mean + width
    return EpsilonBounds(basic, advanced, refined, min(basic, refined, smaller))
