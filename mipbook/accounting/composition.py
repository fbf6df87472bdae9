"""From one release to k releases of the same data: the hardest promises, noise, tables, means."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import BarycentricInterpolator
from scipy.signal import lfilter
from scipy.special import expit
from scipy.stats import binom

from explorable import validate
from explorable.checked import Integer, Number, checked
from mipbook import mip, pmp
from mipbook.accounting.curves import Coins, Curve, HockeyStick, LaplaceCurve
from mipbook.accounting.reading import Reading
from mipbook.accounting.renyi import RenyiCurve
from mipbook.base.rounding import halved
from mipbook.base.types import Array, Count, Rate
from mipbook.dpsgd.step import GaussianCurve
from mipbook.mis.means import pair_delta
from mipbook.mis.notion import laws

_GOLDEN = (np.sqrt(5.0) - 1) / 2
_COARSE, _SEARCHES = 257, 26


def _height(e: Array, told: Array, fpr: Array) -> Array:
    far = np.abs(e)
    with np.errstate(under="ignore"):
        steep = told + np.exp(np.minimum(far, 700.0)) * fpr
        flat = 1.0 - np.exp(-far) * (1.0 - told - fpr)
    return np.where(e >= 0, steep, flat)


# Within these the rule on a cell keeps eleven digits.
MOST_LAPLACE, LARGEST_LOSS = 500, 50.0
_NODES, _WEIGHTS = (0.5 * part for part in np.polynomial.legendre.leggauss(24))
_NODES = _NODES + 0.5
_HALVINGS, _KEPT = 64, 1.0 - 1e-11


class LaplaceSum(Curve):
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
        ends = np.append(atoms[:-1] + below, atoms[-1])[::-1]
        slope = np.asarray(lfilter([1.0], [1.0, -np.exp(-self.loss)], ends))[::-1]
        rise = above - np.expm1(-self.loss) * slope[1:]
        delta = np.append(np.cumsum(rise[::-1])[::-1], 0.0)
        return delta, slope

    @cached_property
    def auc(self) -> float:
        """The area under the trade-off curve: of twice as many releases, the sign."""
        cells, atoms = LaplaceSum(self.loss, 2 * self.k)._cells
        below = float((cells[: 2 * self.k] @ _WEIGHTS).sum() + atoms[: 2 * self.k].sum())
        return 1.0 - below - float(atoms[2 * self.k]) / 2

    def tpr(self, fpr: Array) -> Array:
        """Return the least height of the lines that lie above the curve."""
        # Below 0 stand the lines of the other direction.
        coarse = self.loss * self.k * np.linspace(-1.0, 1.0, 2 * _COARSE - 1)
        told = self.delta_in(coarse[_COARSE - 1 :])
        heights = _height(coarse, np.append(told[:0:-1], told), fpr[:, None])
        place, best = heights.argmin(axis=1), heights.min(axis=1)
        low, high = coarse[np.maximum(place - 1, 0)], coarse[np.minimum(place + 1, coarse.size - 1)]
        for _ in range(_SEARCHES):
            step = _GOLDEN * (high - low)
            left, right = high - step, low + step
            first, second = (_height(e, self.delta_in(np.abs(e)), fpr) for e in (left, right))
            best = np.minimum(best, np.minimum(first, second))
            falls = first > second
            low, high = np.where(falls, left, low), np.where(falls, high, right)
        return np.asarray(np.clip(best, fpr, 1.0))

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


class OptimalCurve(HockeyStick, Curve):
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
        loss = 0.0 if np.isinf(loss) else loss
        self.false = float(expit(-loss))
        # The privacy curve bends at the losses (k - 2 l) epsilon down to 0.
        lies = np.arange(k // 2 + 1)
        chance = (1.0 - self.all_told) * binom.pmf(lies, k, self.false)
        shrinks = float(np.exp(-2.0 * loss))
        slope = np.asarray(lfilter([1.0], [1.0, -shrinks], chance))
        rise = -np.expm1(-2.0 * loss) * slope[:-1]
        losses = _multiples(np.asarray(k - 2.0 * lies, dtype=float), loss)
        super().__init__(losses, np.append(0.0, np.cumsum(rise)), slope, self.all_told)

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

    delta_out = HockeyStick.delta_in


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
        How many, from 1 to 100,000; with Laplace noise to 500 (of a loss up to 50 each).

    Returns
    -------
    Reading
        Every notion's number.  MIP's, PMP's and MIS's are those that DP's curve of all releases
        allows: their own parameters do not compose.

    Notes
    -----
    Exact for Gaussian and Laplace noise and for randomised response with two answers, sharp for an
    (epsilon, delta) promise; promises of Rényi DP add up, and the reading is that of their sum.  Tables
    are composed by `repeated_table`, the steps of a training run by `mipbook.dpsgd`.  What is released
    next may depend on what was released before, as each release keeps the promise whatever it is told.

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
    match reading.curve:
        case GaussianCurve() as one:
            curve: Curve = replace(one, sensitivity=one.sensitivity * float(np.sqrt(k)))
        case LaplaceCurve(loss) if loss <= LARGEST_LOSS:
            curve = LaplaceSum(loss, validate.integer("k", k, 1, MOST_LAPLACE))
        case RenyiCurve() as one:
            curve = replace(one, promise=k * one.promise)
        case Coins() as one if one.nothing < _NONE:
            curve = OptimalCurve(one.loss, one.tells, k)
        case _:
            noise = f"Gaussian noise, or Laplace noise of a loss up to {LARGEST_LOSS:g} for each release"
            allowed = f"a promise, randomised response with two answers, {noise}"
            validate.refuse("reading", reading.what, f"{allowed}; for a table take repeated_table")
    return replace(reading, what=f"{k:,} releases, each {reading.what}", curve=curve, releases=k)


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


def repeated_mean_delta(n: int, sigma: float, k: int) -> float:
    """Return MIS's Delta of k noisy means of n normal numbers, exactly.

    Parameters
    ----------
    n : int
        Records in the data set, in [2, 10^6].
    sigma : float
        Standard deviation of each release's Gaussian noise, in units of a record's, in [0, 1e6].
    k : int
        How many releases, from 1 to 10^12.

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
    return pair_delta(n + (n * sigma) ** 2 / k, 1, 0.0)


# --- Releases that each keep a promise and together break it --------------------------------------

_CELLS = 40_000_000


class TwoReleases(NamedTuple):
    """A notion's number for a release, for another one, and for both together.

    Attributes
    ----------
    first, second, together : float
        Exact.
    """

    first: float
    second: float
    together: float


def _rows(name: str, value: ArrayLike) -> Array:
    return laws(name, validate.array(name, value, 0.0, 1.0, ndim=2))


def joint_table(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the outputs of two mechanisms on one data set, with coins of their own.

    Parameters
    ----------
    first, second : array_like of shape (datasets, outputs)
        Each row the output probabilities of a data set; the data sets of both are the same.

    Returns
    -------
    ndarray of shape (datasets, pairs of outputs)
        Pairs that never come up are left out; at most 40,000,000 entries.

    Notes
    -----
    Two releases are one: a pair.  Each notion's number of the pair is that of this table.

    Examples
    --------
    >>> from mipbook import mip, pmp
    >>> both = joint_table(pmp.partition_mechanism(3), pmp.design_bit())
    >>> mip.finite_eta(both, mip.subsets(6))
    0.5
    """
    one, two = _rows("first", first), _rows("second", second)
    if len(one) != len(two):
        validate.refuse("second", second, f"a table with {len(one)} rows, as first has")
    if one.size * two.shape[1] > _CELLS:
        allowed = f"so small that the table of both has at most {_CELLS:,} entries"
        validate.refuse("second", f"a table of {two.shape[1]} outputs", allowed)
    both = (one[:, :, None] * two[:, None, :]).reshape(len(one), -1)
    return np.asarray(both[:, both.any(axis=0)])


@checked
def repeated_table(table: ArrayLike, k: Annotated[int, Integer(1, 64)]) -> Array:
    """Return the outputs of k runs of one mechanism on one data set.

    Parameters
    ----------
    table : array_like of shape (datasets, outputs)
        Each row the output probabilities of a data set.
    k : int
        How many runs, from 1 to 64; at most 40,000,000 entries come out.

    Notes
    -----
    The runs draw their noise independently, so the probabilities of their outputs multiply.

    Examples
    --------
    >>> repeated_table([[0.5, 0.5], [1.0, 0.0]], 2).tolist()
    [[0.25, 0.25, 0.25, 0.25], [1.0, 0.0, 0.0, 0.0]]
    """
    once = _rows("table", table)
    found = once
    for _ in range(k - 1):
        if found.size * once.shape[1] > _CELLS:
            validate.refuse("k", k, f"so small that at most {_CELLS:,} entries come out")
        found = joint_table(found, once)
    return found


@checked
def member_and_split_etas(n: Annotated[int, Integer(1, 10**6)], chance: Rate) -> TwoReleases:
    """Return eta of one random member published, of the split, and of both.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, from 1 to 1,000,000.
    chance : float
        How often a member is published, in [0, 1].

    Notes
    -----
    A member is published with a chance; the other release prints the two halves without saying
    which one was drawn, and has eta 0.  Together they name all members as soon as one is named:
    eta grows by the factor n.

    Examples
    --------
    >>> member_and_split_etas(5, 0.1)
    TwoReleases(first=0.01, second=0.0, together=0.05)
    """
    return TwoReleases(chance / (2 * n), 0.0, chance / 2)


@checked
def block_bit(n: Annotated[int, Integer(3, 5)]) -> Array:
    """Return the mechanism that draws six records of the pool and says a bit about them.

    The six are printed.  If three of them are in the data, it says whether these are a block of
    the design of `mipbook.pmp.design_bit`; else that they are not three.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, in [3, 5].

    Returns
    -------
    ndarray of shape (C(2n, n), 3 C(2n, 6))
        Rows in the order of ``mipbook.mip.subsets(2 * n)``.

    Notes
    -----
    Exactly 0-MIP and 0-PMP: of the draws with any number of the six, each record is in as often
    as out at each answer.

    Examples
    --------
    >>> from mipbook import mip
    >>> mip.finite_eta(block_bit(4), mip.subsets(8)) < 1e-12
    True
    """
    members = mip.subsets(2 * n)
    sixes = np.array(list(combinations(range(2 * n), 6)))
    codes = members[:, sixes] @ (1 << np.arange(6))
    halves = mip.subsets(6) @ (1 << np.arange(6))
    answers = np.full(64, 2)
    answers[halves] = pmp.design_bit()[:, 1].astype(int)
    told = answers[codes]
    table = (told[:, :, None] == np.arange(3)) / len(sixes)
    return np.asarray(table.reshape(len(members), -1))


@checked
def block_etas(n: Annotated[int, Integer(3, 10**6)]) -> TwoReleases:
    """Return eta of the split, of `block_bit`, and of both, for any n.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, from 3 to 1,000,000.

    Notes
    -----
    Together they name all members whenever three of the six are in the data.

    Examples
    --------
    >>> block_etas(3), round(block_etas(1000).together, 4)
    (TwoReleases(first=0.0, second=0.0, together=0.5), 0.1565)
    """
    return TwoReleases(0.0, 0.0, math.comb(n, 3) ** 2 / math.comb(2 * n, 6) / 2)


AnyEta = Annotated[float, Number(0.0, 0.5)]


@checked
def eta_of_two(first: AnyEta, second: AnyEta, n: Count) -> float:
    """Return the best known bound on eta of two releases, from the eta of each.

    Parameters
    ----------
    first, second : float
        Eta of each release, in [0, 1/2].
    n : int
        Records drawn out of 2n, at least 1.

    Notes
    -----
    Sharp for n = 1, where eta is half of a total variation; for n = 2 three times the sum, where
    twice the sum is attained and what lies between is open; from n = 3 on nothing but 1/2, which
    two releases of eta 0 reach at n = 3.

    Examples
    --------
    >>> [round(eta_of_two(0.05, 0.05, n), 3) for n in (1, 2, 3)]
    [0.095, 0.3, 0.5]
    """
    if n == 1:
        return first + second - 2.0 * first * second
    return min(0.5, 3.0 * (first + second)) if n == 2 else 0.5


@checked
def field_deltas(q: Annotated[int, Integer(3, 199)], k: int | None = None) -> TwoReleases:
    """Return Delta of the sum of two records modulo q, of their squared difference, and of both.

    Parameters
    ----------
    q : int
        An odd prime up to 199; the records are uniform on 0, ..., q - 1.
    k : int, optional
        If given, *both* is k runs, from 1 to 10,000, of the learner that tosses a coin which of
        the two it publishes.

    Notes
    -----
    Counted over all pairs of records.  Sum and difference give the two records, in some order.

    Examples
    --------
    >>> found = field_deltas(5)
    >>> found.first, found.second, round(found.together, 12)
    (0.0, 0.0, 0.64)
    >>> round(field_deltas(5, k=3).together, 12)
    0.48
    """
    if any(q % factor == 0 for factor in range(2, math.isqrt(q) + 1)):
        validate.refuse("q", q, "an odd prime")
    one, two = np.divmod(np.arange(q * q), q)
    sums, squares = (one + two) % q, (one - two) ** 2 % q
    found = [_delta_of(told, one, q) for told in (sums, squares, sums * q + squares)]
    if k is not None:
        # Both coins come up unless all k tosses agree.
        k = validate.integer("k", k, 1, 10_000)
        found[2] *= 1.0 - 2.0 ** (1 - k)
    return TwoReleases(*found)


def _delta_of(told: NDArray[np.int64], record: NDArray[np.int64], q: int) -> float:
    """Return Delta from what is told of each equally likely pair of records; exact counts."""
    count = np.bincount(told * q + record, minlength=(int(told.max()) + 1) * q).reshape(-1, q)
    # A record is uniform: q times its count against the count of what is told.
    gap = int(np.abs(q * count - count.sum(axis=1, keepdims=True)).sum())
    return gap / (2 * q * int(count.sum()))
