"""The two mixtures of the Gaussian mechanism in one dimension, and their hockey-stick."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mipbook.base.rounding import halved
from mipbook.base.types import Array

Complex = NDArray[np.complex128]


@dataclass
class _Averages:
    """Means of exp(i omega sum) over all subsets of each size k of the ``count`` records so far."""

    table: Complex
    count: int = 0

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
            branch = _Averages(state.table.copy(), state.count)
            grow(branch, added)
            yield from descend(branch, inner)

    table: Complex = np.zeros((size + 1, len(omega)), dtype=complex)
    table[0] = 1.0
    state = _Averages(table)
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


Pair = AtomPair | FourierPair


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
