"""From one release to k releases of the same data: the hardest promises, noise, tables, means."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BarycentricInterpolator
from scipy.signal import lfilter
from scipy.special import expit
from scipy.stats import binom

from explorable import validate
from mipbook import mip
from mipbook.accounting.curves import Coins, Curve, HockeyStick, LaplaceCurve, Polygon
from mipbook.accounting.reading import Reading
from mipbook.accounting.renyi import RenyiCurve
from mipbook.accounting.training import from_training
from mipbook.base.rounding import halved
from mipbook.base.types import Array
from mipbook.dpsgd.step import GaussianCurve, SubsampledCurve
from mipbook.mis.means import pair_delta

_GOLDEN = (np.sqrt(5.0) - 1) / 2
_COARSE, _SEARCHES = 257, 26


def tpr_of(delta: Callable[[Array], Array], largest: float, fpr: Array) -> Array:
    """Return the best TPR at an FPR: the least height of the lines that lie above the curve.

    The curve is the same in both directions; ``largest`` is where its delta is 0.
    """
    # Below 0 stand the lines of the other direction.
    coarse = np.linspace(-largest, largest, 2 * _COARSE - 1)
    told = delta(np.linspace(0.0, largest, _COARSE))
    heights = _height(coarse, np.append(told[:0:-1], told), fpr[:, None])
    place, best = heights.argmin(axis=1), heights.min(axis=1)
    low, high = coarse[np.maximum(place - 1, 0)], coarse[np.minimum(place + 1, coarse.size - 1)]
    for _ in range(_SEARCHES):
        step = _GOLDEN * (high - low)
        left, right = high - step, low + step
        first, second = (_height(e, delta(np.abs(e)), fpr) for e in (left, right))
        best = np.minimum(best, np.minimum(first, second))
        falls = first > second
        low, high = np.where(falls, left, low), np.where(falls, high, right)
    return np.asarray(np.clip(best, fpr, 1.0))


def _height(e: Array, told: Array, fpr: Array) -> Array:
    far = np.abs(e)
    with np.errstate(under="ignore"):
        steep = told + np.exp(np.minimum(far, 700.0)) * fpr
        flat = 1.0 - np.exp(-far) * (1.0 - told - fpr)
    return np.where(e >= 0, steep, flat)


# Outputs that are told apart at most, and pairs of outputs held at once.
_MOST, _PAIRS = 20_000, 4_000_000
_SAME = 1e-12


def composed_pair(log_p: Array, log_q: Array, k: int) -> tuple[Array, Array]:
    """Return the distributions *in* and *out* of k releases; outputs of one ratio are one.

    In logarithms, as chances of k releases may be too small for a double.  By squaring: a
    release, two of them, four, and so on.
    """
    pair = _merged(log_p, log_q)
    found: tuple[Array, Array] | None = None
    left = k
    while True:
        if left & 1:
            found = pair if found is None else _joined(found, pair, k)
        left >>= 1
        if not left:
            assert found is not None
            return found
        pair = _joined(pair, pair, k)


def _joined(first: tuple[Array, Array], second: tuple[Array, Array], k: int) -> tuple[Array, Array]:
    if first[0].size * second[0].size > _PAIRS:
        _too_many(k)
    p, q = _merged(*(np.add.outer(a, b).ravel() for a, b in zip(first, second, strict=True)))
    if p.size > _MOST:
        _too_many(k)
    return p, q


def _too_many(k: int) -> None:
    validate.refuse("k", k, f"so small that at most {_MOST:,} ratios of two chances can come up")


def _merged(p: Array, q: Array) -> tuple[Array, Array]:
    """Join the outputs whose ratios agree to twelve digits, and drop those of no chance."""
    seen = (p > -np.inf) | (q > -np.inf)
    p, q = p[seen], q[seen]
    ratio = p - q
    order = np.argsort(-ratio, kind="stable")
    p, q, ratio = p[order], q[order], ratio[order]
    # Of the digits of the logarithms: a sum of many is rounded as often.
    size = 1.0 + np.minimum(np.maximum(np.abs(p), np.abs(q)), 1e300)
    with np.errstate(invalid="ignore"):
        steps = ratio[:-1] - ratio[1:] > _SAME * size[1:]
    starts = np.flatnonzero(np.append(True, steps))
    return np.logaddexp.reduceat(p, starts), np.logaddexp.reduceat(q, starts)


# Within these the rule on a cell keeps eleven digits.
MOST_LAPLACE, LARGEST_LOSS = 500, 50.0
_NODES, _WEIGHTS = (0.5 * part for part in np.polynomial.legendre.leggauss(24))
_NODES = _NODES + 0.5
_HALVINGS, _KEPT = 64, 1.0 - 1e-11


class LaplaceSum:
    """The test between k noisy answers with a record and k without it.

    Parameters
    ----------
    loss : float
        The epsilon of one release, its sensitivity over its scale, in (0, 50].
    k : int
        How many there are, from 1 to 500.
    """

    def __init__(self, loss: float, k: int) -> None:
        self.loss, self.k = loss, k

    @cached_property
    def _cells(self) -> tuple[Array, Array]:
        """The density *in* at the nodes of the cells of [-k, k], and the atoms at -k..k."""
        k, loss = self.k, self.loss
        fades = np.exp(-loss)
        x = np.arange(-k, k)[:, None] + _NODES
        one = (loss / 2) / -np.expm1(-loss) * np.exp(loss / 2 * (np.minimum(x, 1) - 1))
        part = np.where(np.abs(x) < 1, one, 0.0)
        shares = binom.pmf(np.arange(k + 1), k, -np.expm1(-loss) / 2)
        total = shares[1] * part
        for r in range(2, k + 1):
            grown = (x + r) * fades * _up(part) + (r - x) * _down(part)
            part = np.maximum(grown, 0.0) * (loss / -np.expm1(-loss) / (2 * (r - 1)))
            total = (_down(total) + fades * _up(total)) / (1 + fades) + shares[r] * part
        atoms = np.zeros(2 * k + 1)
        atoms[::2] = shares[0] * binom.pmf(np.arange(k, -1, -1), k, fades / (1 + fades))
        return total, atoms

    @cached_property
    def _steps(self) -> tuple[Array, Array]:
        """Delta at the epsilons 0, 1, ... k losses, and what the slope is made of."""
        cells, atoms = self._cells
        cells, atoms = cells[self.k :], atoms[self.k :]
        fall = np.exp(-self.loss * _NODES)
        below = cells @ (_WEIGHTS * fall)
        above = cells @ (_WEIGHTS * -np.expm1(-self.loss * _NODES))
        delta, slope = np.zeros(self.k + 1), np.zeros(self.k + 1)
        slope[-1] = atoms[-1]
        for m in range(self.k - 1, -1, -1):
            slope[m] = atoms[m] + below[m] + np.exp(-self.loss) * slope[m + 1]
            delta[m] = delta[m + 1] - np.expm1(-self.loss) * slope[m + 1] + above[m]
        return delta, slope

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR."""
        return min(float(self._steps[0][0]), 1.0)

    @cached_property
    def auc(self) -> float:
        """The area under the trade-off curve: of twice as many releases, the sign."""
        cells, atoms = LaplaceSum(self.loss, 2 * self.k)._cells
        below = float((cells[: 2 * self.k] @ _WEIGHTS).sum() + atoms[: 2 * self.k].sum())
        return 1.0 - below - float(atoms[2 * self.k]) / 2

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""
        return tpr_of(self.delta_in, self.loss * self.k, fpr)

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick, the same in both directions."""
        delta, slope = self._steps
        with np.errstate(over="ignore"):
            u = np.minimum(epsilon / self.loss, self.k)
        cell = np.minimum(u.astype(int), self.k - 1)
        beyond = delta[cell + 1] - slope[cell + 1] * np.expm1(self.loss * (u - cell - 1))
        return np.asarray(np.clip(beyond + self._rest(u, cell), 0.0, 1.0))

    delta_out = delta_in

    def _rest(self, u: Array, cell: Array) -> Array:
        """Return the integral from u to the end of its cell."""
        width = cell + 1 - u
        inner = (u - cell)[:, None] + width[:, None] * _NODES
        # The polynomial alone is interpolated.
        tilt = self.loss / 2
        smooth = self._cells[0][self.k :][cell] * np.exp(-tilt * _NODES)
        weights = BarycentricInterpolator(_NODES, np.eye(_NODES.size))(inner.ravel())
        weights = np.asarray(weights.reshape(*inner.shape, _NODES.size))
        found = np.einsum("nij,nj->ni", weights, smooth) * np.exp(tilt * inner)
        gain = -np.expm1(-self.loss * width[:, None] * _NODES)
        return np.asarray((np.maximum(found, 0.0) * gain) @ _WEIGHTS * width)

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta, up."""
        ends, less = ((np.zeros(delta.shape), np.full(delta.shape, self.k * self.loss)), _KEPT * delta)
        _, high = halved(lambda epsilon: self.delta_in(epsilon) > less, *ends, _HALVINGS)
        return np.where(delta >= self.advantage, 0.0, high)


def _up(values: Array) -> Array:
    """Return the values one cell further up, at x + 1."""
    return np.concatenate([values[1:], np.zeros((1, values.shape[1]))])


def _down(values: Array) -> Array:
    return np.concatenate([np.zeros((1, values.shape[1])), values[:-1]])


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
        with np.errstate(divide="ignore"):
            self.all_told = 1.0 if np.isinf(loss) else float(-np.expm1(k * np.log1p(-tells)))
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


# A chance that is there by rounding alone.
_NONE = 1e-12


def composed(reading: Reading, k: int) -> Reading:
    """Read k releases of one data set, each as ``reading`` says, with noise of their own.

    Parameters
    ----------
    reading : Reading
        One release, by `translate` or its parts.
    k : int
        How many, from 1 to 100,000; with Laplace noise to 500 (of a loss up to 50 each), with
        other finite mechanisms as long as there are at most 20,000 likelihood ratios.

    Returns
    -------
    Reading
        Every notion's number.  MIP's, PMP's and MIS's are those that DP's curve of all releases
        allows: their own parameters do not compose.

    Notes
    -----
    Exact for Gaussian and Laplace noise and for finite mechanisms, sharp for an (epsilon, delta)
    promise; promises of Rényi DP add up, and the reading is that of their sum.  Samples are read
    by `from_training`, within its limits.  What is released next may depend on what was released
    before, as each release keeps the promise whatever it is told.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorem 3.3.
    J. Dong, A. Roth and W. Su, "Gaussian Differential Privacy", J. R. Stat. Soc. B 2022.

    Examples
    --------
    >>> from mipbook.accounting import from_dp
    >>> round(composed(from_dp(0.1), 100).epsilon(1e-6), 6)
    4.774568
    """
    reading = validate.instance("reading", reading, Reading, "made by mipbook.accounting.translate")
    k = validate.integer("k", k, 1, MOST_RELEASES)
    if k == 1:
        return reading
    curve = _curve(reading, k)
    what = f"{k:,} releases, each {reading.what}"
    # The accountant's rates are bounds.
    sharp = reading.sharp and not isinstance(reading.curve, SubsampledCurve)
    return replace(reading, what=what, curve=curve, sharp=sharp, releases=k)


def _curve(reading: Reading, k: int) -> Curve:
    curve = reading.curve
    if isinstance(curve, GaussianCurve):
        return replace(curve, sensitivity=curve.sensitivity * float(np.sqrt(k)))
    if isinstance(curve, LaplaceCurve):
        if not curve.loss <= LARGEST_LOSS:
            allowed = f"Laplace noise of a loss up to {LARGEST_LOSS:g} for each release"
            validate.refuse("reading", reading.what, allowed)
        return LaplaceSum(curve.loss, validate.integer("k", k, 1, MOST_LAPLACE))
    if isinstance(curve, RenyiCurve):
        return replace(curve, promise=k * curve.promise)
    if isinstance(curve, Coins) and curve.nothing < _NONE:
        return OptimalCurve(curve.loss, curve.tells, k)
    if isinstance(curve, Polygon):
        return Polygon(*composed_pair(curve.log_p, curve.log_q, k))
    if isinstance(curve, SubsampledCurve):
        try:
            return from_training(curve.sampling, curve.part.sigma / curve.part.sensitivity, k).curve
        except ValueError as error:
            validate.refuse("reading", reading.what, f"within the accountant's reach: {error}")
    validate.refuse("reading", reading.what, "a release whose composition is known")


_MOST_MEANS = 10**12


def repeated_mean_eta(records: ArrayLike, sigma: float, k: int) -> float:
    """Return the eta of k noisy means of one random half of a pool, exactly.

    Parameters
    ----------
    records : array_like of shape (n,)
        The pool's numbers, n even, 2 to 16; all differences within 1e150.
    sigma : float
        Standard deviation of each release's Gaussian noise, in (0, inf).
    k : int
        How many releases, from 1 to 10^12.

    Notes
    -----
    The mean of the k answers tells as much as all of them, and its noise is ``sigma / sqrt(k)``.

    Examples
    --------
    >>> round(repeated_mean_eta([0.0, 1.0, 3.0, 8.0], 10.0, 4), 4)
    0.1295
    """
    values = validate.squarable("records", records, ndim=1)
    sigma = validate.number("sigma", sigma, 0.0, math.inf, open_low=True, open_high=True)
    k = validate.integer("k", k, 1, _MOST_MEANS)
    if sigma / math.sqrt(k) == 0.0:
        validate.refuse("sigma", sigma, "so large that sigma / sqrt(k) is above 0")
    values = values - values.mean() if values.size else values
    targets, noise = range(max(values.size, 1)), sigma / math.sqrt(k)
    return float(max(mip.noisy_mean_accuracy(values, target, noise) for target in targets) - 0.5)


def repeated_mean_delta(n: int, sigma: float, k: int, dimension: int = 1) -> float:
    """Return MIS's Delta of k noisy means of n normal records, exactly.

    Parameters
    ----------
    n : int
        Records in the data set, in [2, 10^6].
    sigma : float
        Standard deviation of each release's Gaussian noise, in units of a record's, in [0, 1e6].
    k : int
        How many releases, from 1 to 10^12.
    dimension : int
        Coordinates of a record, in [1, 10^6]; the noise is on each.

    Notes
    -----
    A record and the mean of the k answers are normal, and all depends on their correlation:
    1 over the root of ``n + (n sigma)^2 / k``.  As k grows, Delta rises to that of the mean itself.

    References
    ----------
    Limits paper, Theorem 13, for its simplest learner, here with noise.

    Examples
    --------
    >>> round(repeated_mean_delta(10, 3.1701524, 1), 6), round(repeated_mean_delta(10, 0.0, 1), 6)
    (0.01, 0.107092)
    """
    n = validate.integer("n", n, 2, 10**6)
    sigma = validate.number("sigma", sigma, 0.0, 1e6)
    k = validate.integer("k", k, 1, _MOST_MEANS)
    dimension = validate.integer("dimension", dimension, 1, 10**6)
    return pair_delta(n + (n * sigma) ** 2 / k, dimension, 0.0)
