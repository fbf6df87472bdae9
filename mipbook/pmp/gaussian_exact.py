"""The two mixtures of the Gaussian mechanism: exact in one dimension, drawn or projected in more."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from explorable import validate
from explorable.checked import checked
from mipbook import tradeoff
from mipbook.base.estimate import Estimate
from mipbook.base.halving import halved
from mipbook.base.intervals import bernstein
from mipbook.base.types import Array, Chance, Confidence, FiniteEpsilon, Floats
from mipbook.pmp.gaussian_bound import Rows, decreasing_root, pool, record_index, standardised

Complex = NDArray[np.complex128]


class _Averages:
    """Means of exp(i omega sum) over all subsets of each size k of the records so far."""

    def __init__(self, largest: int, frequencies: int) -> None:
        self.count = 0
        self.table: Complex = np.zeros((largest + 1, frequencies), dtype=complex)
        self.table[0] = 1.0

    def copy(self) -> _Averages:
        """Return an independent copy."""
        other = object.__new__(_Averages)
        other.count, other.table = self.count, self.table.copy()
        return other

    def add(self, factor: Complex, lowest: int) -> None:
        """Take in one more record; sizes below ``lowest`` are no longer needed.

        Each new mean is a convex combination of two old ones, so nothing is amplified.
        """
        self.count += 1
        top = min(self.count, len(self.table) - 1)
        low = max(1, lowest)
        if top < low:
            return
        share = (np.arange(low, top + 1) / self.count)[:, None]
        moved = self.table[low - 1 : top] * factor
        moved *= share
        self.table[low : top + 1] *= 1.0 - share
        self.table[low : top + 1] += moved


def leave_one_out(
    values: Array, size: int, omega: Array, targets: Any
) -> Iterator[tuple[int, Complex, Complex]]:
    """Yield each target with the means over subsets of the others, of sizes n - 1 and n.

    Halves of the targets share the work of adding everybody else, so that all 2n records
    together cost only log2(2n) times as much as one.
    """
    factors = np.exp(1j * np.outer(values, omega))
    total = len(values) - 1
    wanted = [int(t) for t in targets]

    def grow(state: _Averages, rows: list[int]) -> None:
        for row in rows:
            # Only sizes that can still reach n - 1 with the records to come.
            state.add(factors[row], size - 1 - (total - state.count - 1))

    def descend(state: _Averages, rows: list[int]) -> Iterator[tuple[int, Complex, Complex]]:
        if len(rows) == 1:
            yield rows[0], state.table[size - 1], state.table[size]
            return
        half = len(rows) // 2
        for inner, added in ((rows[:half], rows[half:]), (rows[half:], rows[:half])):
            branch = state.copy()
            grow(branch, added)
            yield from descend(branch, inner)

    state = _Averages(size, len(omega))
    grow(state, [row for row in range(len(values)) if row not in set(wanted)])
    yield from descend(state, wanted)


# Where the density of the noise is below 1e-19.
_TAIL = 9.3
# Of a cell between grid points, before a straight line: the area's error is quadratic in that
# of its end.
_HALVINGS = 13
# Terms of a mixture times grid points, about a second's work.
_TERMS = 60_000_000

# Grid points around a cell that its polynomial goes through.
_NODES = np.arange(-3, 5)
_NODE_PRODUCTS = np.array([np.prod(np.delete(k - _NODES, i)) for i, k in enumerate(_NODES)])


class Pair(Protocol):
    """Two densities on the line, with everything that a hockey-stick needs."""

    def delta(self, epsilon: float) -> float:
        """Return the hockey-stick divergence of the first against the second."""
        ...

    def density(self, at: Array) -> tuple[Array, Array]:
        """Return both densities, in units of one over the noise."""
        ...


class AtomPair:
    """Mixtures given by their atoms: exact up to the rounding of normal probabilities.

    Parameters
    ----------
    inside, outside : ndarray
        The sums over all halves with and without the record, in units of the noise.
    """

    def __init__(self, inside: Array, outside: Array) -> None:
        self.atoms = np.sort(inside), np.sort(outside)

    @cached_property
    def grid(self) -> Array:
        """Points no more than a tenth apart near the atoms: elsewhere is nothing."""
        every = np.unique(np.concatenate(self.atoms))
        grid = (every[:, None] + np.arange(-_TAIL, _TAIL + 0.1, 0.1)).ravel()
        grid = np.unique(np.round(grid * 10) / 10)
        size = self.atoms[0].size
        if grid.size * size <= _TERMS:
            return grid
        return np.linspace(every[0] - _TAIL, every[-1] + _TAIL, max(64, _TERMS // size))

    @cached_property
    def logs(self) -> list[Array]:
        """The logs of both densities on the grid, but for a constant."""
        return [self._log_density(a, self.grid) for a in self.atoms]

    @staticmethod
    def _log_density(atoms: Array, at: Array) -> Array:
        out = np.empty(at.size)
        step = max(1, (1 << 20) // atoms.size)
        for start in range(0, at.size, step):
            part = slice(start, start + step)
            power = -0.5 * (at[part, None] - atoms) ** 2
            top = power.max(axis=1)
            out[part] = top + np.log(np.exp(power - top[:, None]).sum(axis=1) / atoms.size)
        return out

    def delta(self, epsilon: float) -> float:
        """Return the hockey-stick divergence of the first against the second."""
        atoms = self.atoms
        sign = self.logs[0] - self.logs[1] > epsilon
        change = np.flatnonzero(sign[1:] != sign[:-1])
        low, high, rising = self.grid[change], self.grid[change + 1], sign[change + 1]

        def above(at: Array) -> Array:
            return self._log_density(atoms[0], at) - self._log_density(atoms[1], at) - epsilon

        low, high = halved(lambda at: (above(at) > 0) != rising, low, high, _HALVINGS)
        first, last = above(low), above(high)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(first == last, 0.5, np.clip(first / (first - last), 0.0, 1.0))
        cuts = np.concatenate([[-np.inf], low + share * (high - low), [np.inf]])
        start = bool(sign[0])
        total = 0.0
        for left, right in pairwise(cuts):
            if start:
                gain = _mass(atoms[0], left, right)
                loss = _mass(atoms[1], left, right)
                total += gain - (np.exp(epsilon + np.log(loss)) if loss > 0 else 0.0)
            start = not start
        return float(max(total, 0.0))

    def density(self, at: Array) -> tuple[Array, Array]:
        """Return both densities, in units of one over the noise."""
        scale = 1 / np.sqrt(2 * np.pi)
        # Farther than this from every atom a density is 0 as a double.
        low, high = self.grid[0] - 40.0, self.grid[-1] + 40.0
        near = np.clip(at, low, high)
        first, second = (scale * np.exp(self._log_density(a, near)) for a in self.atoms)
        return np.where(near == at, first, 0.0), np.where(near == at, second, 0.0)


def _mass(atoms: Array, left: float, right: float) -> float:
    """Return the mixture's probability of an interval, from the nearer tail."""
    a, b = left - atoms, right - atoms
    flip = a > 0
    return float(np.where(flip, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a)).mean())


class FourierPair:
    """Mixtures given by their Fourier coefficients over one period.

    Densities and their primitives are laid out on a grid once; between its points a
    polynomial through eight of them is right to 1e-11, as no density changes faster than
    the noise's.

    Parameters
    ----------
    inside, outside : ndarray of complex
        Characteristic functions at 0, 1, 2, ... times 2 pi / period.
    period : float
        Length that holds all the mass but 1e-17, centred at 0.
    """

    def __init__(self, inside: Complex, outside: Complex, period: float) -> None:
        self.size = 1 << int(np.ceil(np.log2(max(16 * period, 2 * len(inside)))))
        self.period, self.step = period, period / self.size
        order = 2j * np.pi * np.arange(len(inside)) / period
        order[0] = 1.0
        self.densities, self.primitives = [], []
        for c in (np.conj(inside), np.conj(outside)):
            self.densities.append(np.fft.irfft(c, self.size) / self.step)
            rest = c / order
            rest[0] = 0.0
            linear = np.arange(self.size) / self.size
            self.primitives.append(np.fft.irfft(rest, self.size) / self.step + linear)

    def delta(self, epsilon: float) -> float:
        """Return the hockey-stick divergence of the first against the second."""
        factor = float(np.exp(epsilon))
        height = self.densities[0] - factor * self.densities[1]
        # Where both densities are rounding errors, nothing is to be had.
        inside = height > 4e-16 * (1 + factor)
        if not inside.any() or inside.all():
            return 0.0
        start = int(np.argmin(inside))  # begin the round trip outside
        inside = np.roll(inside, -start)
        change = np.flatnonzero(inside != np.roll(inside, -1))
        nodes = (change[:, None] + start + _NODES) % self.size
        near, rising = height[nodes], ~inside[change]

        def is_below(at: Array) -> NDArray[np.bool_]:
            return np.asarray(((near * _lagrange(at)).sum(axis=1) > 0) != rising)

        # The height is 0 at the root, so an error there counts by its square.
        low, high = halved(is_below, np.zeros(change.size), np.ones(change.size), 18)
        weights = _lagrange(0.5 * (low + high))
        turn = 1.0 - factor  # what the primitive gains per period
        area = self.primitives[0][nodes] - factor * self.primitives[1][nodes]
        area += turn * ((change[:, None] + start + _NODES) // self.size)
        reached = (area * weights).sum(axis=1)
        # Changes alternate: in, out, in, out.
        return float(np.maximum(reached[1::2] - reached[0::2], 0.0).sum())

    def density(self, at: Array) -> tuple[Array, Array]:
        """Return both densities, in units of one over the noise."""
        # The grid is one period of a wave; beyond it there is nothing but rounding.
        outside = ~(np.abs(at) < 0.5 * self.period)
        at = np.where(outside, 0.0, at)
        cell = np.floor(at / self.step)
        weights = _lagrange(at / self.step - cell)
        nodes = (cell.astype(int)[:, None] + _NODES) % self.size
        first, second = (np.maximum((d[nodes] * weights).sum(axis=1), 0) for d in self.densities)
        return np.where(outside, 0.0, first), np.where(outside, 0.0, second)


def _lagrange(place: Array) -> Array:
    """Return the weights of eight neighbouring grid points for places in [0, 1]."""
    gaps = place[:, None] - _NODES
    before = np.cumprod(np.hstack([np.ones_like(gaps[:, :1]), gaps[:, :-1]]), axis=1)
    after = np.cumprod(np.hstack([np.ones_like(gaps[:, :1]), gaps[:, :0:-1]]), axis=1)[:, ::-1]
    return np.asarray(before * after / _NODE_PRODUCTS)


def subset_sums(values: Array, size: int) -> Array:
    """Return the sums over all subsets of a size."""
    members = np.array(list(combinations(range(len(values)), size)), dtype=int)
    return np.asarray(values[members].sum(axis=1))


def half_width(values: Array, size: int) -> float:
    """Return how far a subset's sum strays from its mean, but for a chance of 1e-18."""
    span = float(np.ptp(values))
    ordered = np.sort(values)
    mean = size * float(values.mean())
    reach = max(float(ordered[-size:].sum()) - mean, mean - float(ordered[:size].sum()))
    return min(reach, span * float(np.sqrt(0.5 * size * np.log(2e18)))) if size else 0.0


# Doubles in one block of draws: 32 MB.
_BLOCK = 1 << 22
_CACHED = 1 << 15


def _ratios(
    values: ArrayLike, sigma: float, rng: np.random.Generator, draws: int, record: int | None
) -> Array:
    """Return draws of the likelihood ratio of the mixture against the release itself.

    A release with the record is moved by a Gaussian z; without it, it is a mixture around
    the n records that may have been swapped in.  The ratio at z does not depend on the rest.
    """
    standard = standardised(values, sigma)
    rng = validate.generator("rng", rng)
    draws = validate.size("draws", draws, 2)
    total = len(standard)
    if record is None:
        row = int(np.argmax(((standard - standard.mean(axis=0)) ** 2).sum(axis=1)))
    else:
        row = record_index(record, total)
    steps = np.delete(standard, row, axis=0) - standard[row]
    halves = 0.5 * (steps**2).sum(axis=1)
    out = np.empty(draws)
    block = max(1, _BLOCK // total)
    for start in range(0, draws, block):
        count = min(block, draws - start)
        z = rng.standard_normal((count, steps.shape[1]))
        keys = rng.random((count, total - 1))
        # Few rows at a time stay in the processor's cache.
        for first in range(0, count, max(1, _CACHED // total)):
            rows = slice(first, first + max(1, _CACHED // total))
            place = slice(start + first, start + min(rows.stop, count))
            out[place] = _log_mean(keys[rows], z[rows] @ steps.T - halves)
    return out


def _log_mean(keys: Array, power: Array) -> Array:
    """Return ln of the mean of e^power over the records with the smaller half of the keys."""
    size = (keys.shape[1] + 1) // 2
    chosen = keys <= np.partition(keys, size - 1, axis=1)[:, size - 1 : size]
    power = np.where(chosen, power, -np.inf)
    top = power.max(axis=1)
    with np.errstate(over="ignore"):
        return np.asarray(top + np.log(np.exp(power - top[:, None]).sum(axis=1) / size))


def _gains(log_ratios: Array, epsilon: float) -> Array:
    """Return (1 - e^epsilon ratio)^+ for each draw."""
    return np.asarray(-np.expm1(np.minimum(epsilon + log_ratios, 0.0)))


def _spread(gains: Array, confidence: float) -> float:
    """Return the half width of the interval for their mean."""
    return float(bernstein(gains.var(ddof=1), gains.size, 1.0, 1 - confidence))


@checked
def gaussian_delta_mixture(
    values: ArrayLike,
    sigma: float,
    epsilon: FiniteEpsilon,
    rng: np.random.Generator,
    draws: int = 20_000,
    record: int | None = None,
    confidence: Confidence = 0.95,
) -> Estimate:
    r"""Estimate a bound on the PMP delta that is sharper than Proposition 12.

    The average runs over the halves D, as in Proposition 12, but the records x' that may
    stand in for x remain a mixture; this is the first line of the paper's proof.

    Parameters
    ----------
    draws : int
        Halves and releases drawn, at least 2.
    record : int, optional
        The record; otherwise the one farthest from the mean.

    Returns
    -------
    Estimate
        Of the bound for this record.  The interval is the empirical Bernstein interval
        (Maurer and Pontil), which needs no normal approximation.

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    PMP paper, first line of equation (15).  Both directions give the same number, because
    the Gaussian density is even.

    Examples
    --------
    >>> found = gaussian_delta_mixture([0.0, 1.0], 0.5, 1.0, np.random.default_rng(0))
    >>> found.low < 0.50986 < found.high, found.kind
    (True, 'estimate')
    """
    gains = _gains(_ratios(values, sigma, rng, draws, record), epsilon)
    middle, half = float(gains.mean()), _spread(gains, confidence)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Estimate(middle, low, high, "estimate", confidence)


@checked
def gaussian_epsilon_mixture(
    values: ArrayLike,
    sigma: float,
    delta: Chance,
    rng: np.random.Generator,
    draws: int = 20_000,
    record: int | None = None,
    confidence: Confidence = 0.95,
) -> Estimate:
    """Estimate the epsilon at which `gaussian_delta_mixture` equals delta.

    Parameters
    ----------
    draws : int
        Halves and releases drawn, at least 2.
    record : int, optional
        The record; otherwise the one farthest from the mean.

    Returns
    -------
    Estimate
        Its interval holds all epsilon at which the interval for delta holds ``delta``; the
        upper end is infinite where the draws are too few for so small a delta.

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    PMP paper, first line of equation (15).

    Examples
    --------
    >>> found = gaussian_epsilon_mixture([0.0, 1.0], 0.5, 0.1, np.random.default_rng(0))
    >>> found.low < 3.807 < found.high
    True
    """
    from scipy.optimize import brentq

    logs = _ratios(values, sigma, rng, draws, record)

    def crossing(sign: int) -> float:
        """Return where the mean, moved by so many half widths, falls to delta."""

        def excess(epsilon: float) -> float:
            gains = _gains(logs, epsilon)
            return float(gains.mean()) + sign * _spread(gains, confidence) - delta

        high = max(1.0, -float(logs.min()))
        if excess(0.0) <= 0:
            return 0.0
        if excess(high) > 0:
            return math.inf
        return brentq(excess, 0.0, high, xtol=1e-14 * high)

    value, low, high = (crossing(sign) for sign in (0, -1, 1))
    warning = "" if math.isfinite(high) else "too few draws for this delta"
    return Estimate(value, low, high, "estimate", confidence, warning)


# Up to this n, all halves are listed.
_LISTED = 7
# exp(-omega^2 / 2) is below 1e-17 from here on.
_HIGHEST_FREQUENCY = 8.9
# Multiplications of complex numbers that one call may cost, about a minute.
_BUDGET = 1.5e10
_PER_GRID = 2000.0
# Rounding of a delta, the part of it that grows as e^epsilon, and the interpolation's share.
_ERROR, _DENSITY_ERROR, _GRID_ERROR = 1e-12, 3e-16, 1e-8
# A delta whose rounding is a larger share of it is refused.
_SHARE = 1e-3
# Up to here e^epsilon times the rounding may be looked at.
_HIGHEST_EPSILON = 30.0


def _line(values: ArrayLike, sigma: float) -> Array:
    standard = standardised(values, sigma)
    if standard.shape[1] != 1:
        others = "gaussian_delta_mixture or gaussian_epsilon_projection"
        validate.refuse("values", values, f"of dimension 1; in more, use {others}")
    return standard[:, 0]


def _targets(line: Array, record: int | None) -> Array:
    """Return one row for each value that occurs, outermost first, or the record asked for."""
    if record is not None:
        return np.array([record_index(record, len(line))])
    _, first = np.unique(line, return_index=True)
    return np.asarray(first[np.argsort(-np.abs(line[first]), kind="stable")])


def _pairs(line: Array, sigma: float, targets: Array, budget: float = _BUDGET) -> Iterator[tuple[int, Pair]]:
    """Yield the two mixtures of each target."""
    size = len(line) // 2
    if size <= _LISTED:
        for row in targets:
            others = np.delete(line, row)
            inside, outside = subset_sums(others, size - 1), subset_sums(others, size)
            yield int(row), AtomPair(inside + line[row], outside)
        return
    # Long enough that no mass comes round from the other side.
    centre = float(np.abs(line).max()) * size / (len(line) - 1)
    period = 2 * (centre + half_width(line, size) + 10.0)
    count = int(_HIGHEST_FREQUENCY * period / (2 * math.pi)) + 2
    adds = len(line) + len(targets) * math.log2(len(targets) + 1)
    # Every evaluation of a curve costs its grid, whatever the number of records.
    grids = _PER_GRID * len(targets) * period
    if adds * size * count + grids > budget:
        validate.refuse("sigma", sigma, "larger, or the pool smaller: the exact curve would take minutes")
    omega = np.arange(count, dtype=np.float64) * (2 * math.pi / period)
    damping = np.exp(-0.5 * omega**2)
    for row, fewer, more in leave_one_out(line, size, omega, targets):
        shifted = fewer * np.exp(1j * omega * line[row])
        yield row, FourierPair(shifted * damping, more * damping, period)


def _error(size: int, epsilon: float, delta: float) -> float:
    """Return how far `gaussian_delta_exact` may be off for n = size, measured and rounded up."""
    if size <= _LISTED:
        return 1e-14
    return _ERROR + _GRID_ERROR * delta + _DENSITY_ERROR * (1 + math.exp(min(epsilon, 700.0)))


def _refuse_rounded(size: int, epsilon: float, delta: float, name: str, value: Any) -> None:
    """Refuse a delta of which rounding is more than a small share."""
    error = _error(size, epsilon, 0.0)
    if error > max(_SHARE * delta, 4 * _ERROR):
        known = f"for n > {_LISTED} it is known to {error:.2g} at epsilon = {epsilon:.4g}"
        further = "gaussian_epsilon_bound goes further"
        validate.refuse(name, value, f"such that delta stands out from its rounding: {known}; {further}")


def gaussian_delta_exact(
    values: ArrayLike, sigma: float, epsilon: ArrayLike, record: int | None = None
) -> Floats:
    """Smallest delta for which a sum with Gaussian noise is (epsilon, delta)-PMP, for d = 1.

    Parameters
    ----------
    values : array_like of shape (2n,) or (2n, 1)
        f(x) for all records of the pool; for a mean, the records divided by n.
    epsilon : array_like
        In [0, 700]; for n > 7 as far as delta stands out from its rounding, see the notes.
    record : int, optional
        Look at one record only; otherwise at all, and return the largest.

    Returns
    -------
    float or ndarray
        Of the shape of ``epsilon``, in [0, 1].

    Raises
    ------
    ValueError
        For more than one dimension, or a pool that is so large, compared with the noise,
        that minutes would pass.

    Notes
    -----
    PMP paper, Lemma 11, with the mixtures themselves in place of Proposition 12.  The two
    hockey-stick divergences of a sum with symmetric noise are equal, because what is drawn
    and what is left always add up to the same total.

    Up to n = 7 all halves are listed, places where the sign changes are isolated, and normal
    probabilities added: the error is about 1e-14.  For larger n the characteristic function
    of the sum over a random half follows from one pass over the records; the error is below
    1e-12 + 3e-16 (1 + e^epsilon) + 1e-8 delta.  Where the first two are above 4e-12 and above a
    thousandth of delta, epsilon is refused.  All records cost O(n^2 log n) times the number of
    frequencies.

    Examples
    --------
    >>> round(gaussian_delta_exact([0.15, -0.6, 1.25, 0.45], 0.5, 1.0), 12)
    0.449021184466
    """
    grid = validate.array("epsilon", epsilon, 0.0, 700.0)
    line = _line(values, sigma)
    found = _deltas(line, sigma, grid, record)
    for e, delta in zip(grid.flat, found.flat, strict=True):
        _refuse_rounded(len(line) // 2, float(e), float(delta), "epsilon", float(e))
    return validate.plain(found)


def _deltas(line: Array, sigma: float, grid: Array, record: int | None, budget: float = _BUDGET) -> Array:
    best = np.zeros(grid.size)
    if np.ptp(line) > 0:
        for _, pair in _pairs(line, sigma, _targets(line, record), budget):
            best = np.maximum(best, [pair.delta(float(e)) for e in grid.flat])
    return np.minimum(best, 1.0).reshape(grid.shape)


def delta_and_error(
    values: ArrayLike, sigma: float, epsilon: float, budget: float, record: int | None = None
) -> tuple[float, float]:
    """Return delta at one epsilon and how far it may be off; no size of delta is refused.

    ``budget`` limits the products, some 250 million a second; beyond it sigma is refused.
    """
    line = _line(values, sigma)
    found = float(_deltas(line, sigma, np.array(epsilon), record, budget))
    return found, _error(len(line) // 2, epsilon, found)


def gaussian_epsilon_exact(values: ArrayLike, sigma: float, delta: float, record: int | None = None) -> float:
    """Exact PMP parameter of a sum with Gaussian noise, for d = 1.

    Parameters
    ----------
    values : array_like of shape (2n,) or (2n, 1)
        f(x) for all records of the pool; for a mean, the records divided by n.
    record : int, optional
        Look at one record only; otherwise at all, and return the largest.

    Returns
    -------
    float
        Infinite at ``delta`` 0 unless all records are equal.  The error is that of
        `gaussian_delta_exact`, divided by the slope of the curve.

    Raises
    ------
    ValueError
        For more than one dimension, a pool too large for the noise, or with n > 7 a
        ``delta`` that does not stand out from its rounding.

    Notes
    -----
    PMP paper, Definition 2 and Lemma 11.  Every record is looked at: one whose bound of
    Proposition 12 is already within ``delta`` at the largest epsilon found so far cannot
    raise it, the others are computed.

    Examples
    --------
    >>> round(gaussian_epsilon_exact([0.15, -0.6, 1.25, 0.45], 0.5, 0.01), 9)
    6.288567764
    """
    return exact_within(values, sigma, delta, _BUDGET, record)


def exact_within(
    values: ArrayLike, sigma: float, delta: float, budget: float, record: int | None = None
) -> float:
    """Return the same; ``budget`` limits the products, some 250 million a second."""
    line = _line(values, sigma)
    delta = validate.number("delta", delta, 0.0, 1.0)
    targets = _targets(line, record)
    if np.ptp(line) == 0 or delta == 1:
        return 0.0
    if delta == 0:
        return math.inf
    size, rows = len(line) // 2, Rows(line[:, None])
    best, settled = 0.0, np.zeros(rows.count, dtype=bool)
    for row, pair in _pairs(line, sigma, targets, budget):
        place = int(rows.which[row])
        if settled[place] or pair.delta(best) <= delta:
            continue
        ceiling = rows.root(place, delta)
        if size > _LISTED:
            # Farther out, rounding alone decides; the result there is refused below.
            ceiling = min(ceiling, _HIGHEST_EPSILON)
        # Where Proposition 12 is an equality, rounding may put the root above its bound.
        best = ceiling if pair.delta(ceiling) > delta else decreasing_root(pair.delta, delta, best, ceiling)
        if size <= _LISTED:  # a record whose bound is within delta needs no mixtures
            settled = rows.all_averages(best) <= delta
    named = ("sigma", sigma) if best >= _HIGHEST_EPSILON else ("delta", delta)
    _refuse_rounded(size, best, delta, *named)
    return best


def gaussian_densities(values: ArrayLike, sigma: float, record: int, at: ArrayLike) -> tuple[Array, Array]:
    """Density of a sum with Gaussian noise, with a record in and without it, for d = 1.

    Parameters
    ----------
    values : array_like of shape (2n,) or (2n, 1)
        f(x) for all records of the pool; for a mean, the records divided by n.
    record : int
        The record.
    at : array_like of one dimension
        Outputs, in the units of ``values``.

    Returns
    -------
    tuple of ndarray
        Density given that the record is in, and given that it is out.

    Notes
    -----
    PMP paper, the mixtures before Lemma 11.

    Examples
    --------
    >>> inside, outside = gaussian_densities([0.0, 1.0], 1.0, 1, [0.0, 1.0])
    >>> inside.round(6).tolist(), outside.round(6).tolist()
    ([0.241971, 0.398942], [0.398942, 0.241971])
    """
    line = _line(values, sigma)
    row = record_index(record, len(line))
    where = validate.array("at", at, ndim=1)
    table = pool(values)
    middle = float((table / len(table)).sum())  # the sum may overflow where the mean does not
    _, pair = next(_pairs(line, sigma, np.array([row])))
    inside, outside = pair.density((where - len(line) // 2 * middle) / sigma)
    return inside / sigma, outside / sigma


def _shifts(standard: Array) -> tuple[Array, Array]:
    """Return each record's shift in standard deviations of the release, and its direction.

    With the record in or out, the sum over the rest of a random half varies with the same
    covariance V.  Leaving one record out changes V by a rank-one term, so one factorisation
    serves all records (Sherman and Morrison).
    """
    total, dimension = standard.shape
    size = total // 2
    y = standard - standard.mean(axis=0)
    share = size / (2 * (2 * size - 1))
    matrix = np.eye(dimension) + share * (y.T @ y)
    # Cholesky keeps y' A^-1 y positive for badly scaled data.
    lower = np.linalg.cholesky(matrix)
    half = np.linalg.solve(lower, y.T)
    q = (half * half).sum(axis=0)
    ratio = total / (total - 1)
    size_of_shift = ratio * np.sqrt(q / np.maximum(1.0 - share * ratio * q, 1e-300))
    return np.asarray(size_of_shift), np.asarray(np.linalg.solve(lower.T, half).T)


def gaussian_epsilon_normal(
    values: ArrayLike, sigma: float, delta: float, record: int | None = None
) -> float:
    r"""Closed-form approximation of the PMP parameter; not a bound.

    The release with the record in and the release without it are treated as normal, with
    the same covariance: noise plus the variation of a random half.

    Parameters
    ----------
    record : int, optional
        Look at one record only; otherwise at all, and return the largest.

    Returns
    -------
    float
        An approximation.  It is usually too small: by up to 12% at n = 6, by 1% at n = 100
        in the cases that were measured.  Do not certify anything with it.

    Raises
    ------
    ValueError
        For an odd number of records.

    Notes
    -----
    The curve is Lemma 10's at the shift :math:`\mu`, with :math:`\mu^2 = u^T (\sigma^2 I +
    V)^{-1} u` for the record's distance u from the mean of the others and the covariance V
    of a sum over n of them.

    Examples
    --------
    >>> round(gaussian_epsilon_normal([0.15, -0.6, 1.25, 0.45], 0.5, 0.01), 6)
    5.473335
    """
    standard = standardised(values, sigma)
    delta = validate.number("delta", delta, 0.0, 1.0)
    mu, _ = _shifts(standard)
    shift = float(mu.max() if record is None else mu[record_index(record, len(mu))])
    return float(tradeoff.gaussian_epsilon(delta, 1.0, shift))


def gaussian_epsilon_projection(
    values: ArrayLike, sigma: float, delta: float, record: int | None = None
) -> float:
    r"""Lower bound on the PMP parameter: an attacker who looks along one line.

    Parameters
    ----------
    record : int, optional
        The attacked record; otherwise the one with the largest shift.

    Returns
    -------
    float
        No mechanism parameter can be smaller.  Infinite at ``delta`` 0 unless all records
        are equal.

    Notes
    -----
    Projecting the release on a line is post-processing, so it cannot raise the parameter
    (PMP paper, Lemma 14).  The line is the one that tells two normal releases apart best,
    and the curve along it is exact.

    Examples
    --------
    >>> square = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
    >>> round(gaussian_epsilon_projection(square, 1.0, 0.01), 6)
    4.175428
    """
    standard = standardised(values, sigma)
    delta = validate.number("delta", delta, 0.0, 1.0)
    mu, directions = _shifts(standard)
    row = int(np.argmax(mu)) if record is None else record_index(record, len(mu))
    length = float(np.linalg.norm(directions[row]))
    if length == 0:
        # The record sits in the middle of the others: along this line nothing is seen.
        return math.inf if delta == 0 and np.ptp(standard, axis=0).any() else 0.0
    line = standard @ (directions[row] / length)
    return gaussian_epsilon_exact(line, 1.0, delta, record=row)
