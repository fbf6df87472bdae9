"""One step of training on a lattice of losses, from both sides: a pair that tells more, or less."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from mipbook.base.types import Array
from mipbook.dpsgd.step import Law

Indices = NDArray[np.int64]
# Cells are so wide, in standard deviations of the noise or of the loss.
FINE = 0.0125
# Of a panel, which is at most two cells wide: what they leave is far below 1e-12.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
# Where in its cell a first bin ends whose loss as a whole is the lattice's first point.
_EDGE = 0.42


@dataclass(frozen=True)
class Lattice:
    """Masses of the first distribution at losses ``first + width * index``; the second's follow.

    From above ``beyond`` is how much of the first lies above all losses, and ``before`` how much
    of the second below; from below, what each step may take off a hockey-stick for them.
    """

    index: Indices
    masses: Array
    first: float
    width: float
    beyond: float
    before: float

    @cached_property
    def losses(self) -> Array:
        """The losses of the masses."""
        return _losses(self.index, self.first, self.width)

    def mirrored(self) -> Lattice:
        """Return the pair with its two distributions exchanged."""
        masses = (self.masses * np.exp(-self.losses))[::-1]
        return Lattice(-self.index[::-1], masses, -self.first, self.width, self.before, self.beyond)


def above(law: Law, width: float, tail: float) -> Lattice:
    """Return a pair that tells at least as much as a step; ``tail`` as `Law.ends` takes it."""
    low, high = law.ends(tail)
    first = 0.0 if law.training.replaced else float(law.loss(np.array(low)))
    edges = _edges(law, first, width, low, high)
    losses = _losses(edges, first, width)
    down, up, _, _ = _cells(law, losses, low)
    masses = np.append(down, 0.0) + np.insert(up, 0, 0.0)
    lost, before = law.below(low)
    masses[1] += lost
    end = float(law.places(losses[-1:])[0])
    return Lattice(edges, masses, first, width, law.above(end), before)


def below(law: Law, width: float, tail: float) -> Lattice:
    """Return a pair that tells at most as much as a step; ``tail`` as `Law.ends` takes it."""
    low, high = law.ends(tail)
    start, bin_mass, first = _first_bin(law, width, low, high)
    edges = _edges(law, first, width, start, high)
    losses = _losses(edges, first, width)
    down, up, gap, wide = _cells(law, losses, start)
    masses = np.append(down, 0.0) + np.insert(up, 0, 0.0)
    # How much lower the curve is taken at each point: by what the chords beside it may lie too
    # high.  Into the first cell, which may begin inside, a tangent leads.
    taken = np.append(np.maximum(gap, np.insert(gap[:-1], 0, 0.0)), gap[-1])
    taken[0] = 0.0
    taken[1] = max(down[0] * np.expm1(wide[0]), gap[min(1, gap.size - 1)])
    steps = np.diff(taken)
    masses[:-1] -= steps / np.expm1(wide)
    masses[1:] -= steps / np.expm1(-wide)
    masses[0] += bin_mass
    kept, masses, before, beyond = _drawn_together(losses, masses)
    found = Lattice(edges[kept], masses, first, width, beyond + float(taken[-1]), before)
    return _with_its_mirror(found, bin_mass) if law.training.replaced else found


def _losses(index: Indices, first: float, width: float) -> Array:
    return np.asarray(first + width * index, dtype=float)


def _with_its_mirror(half: Lattice, bin_mass: float) -> Lattice:
    """Return the whole of a pair that looks the same from its second; both halves have the bin."""
    other = half.mirrored()
    index = np.concatenate([other.index[:-1], half.index])
    masses = np.concatenate([other.masses[:-1], half.masses])
    masses[other.index.size - 1] += other.masses[-1] - bin_mass
    lost = half.beyond + half.before
    return Lattice(index, masses, half.first, half.width, lost, lost)


def _first_bin(law: Law, width: float, low: float, high: float) -> tuple[float, float, float]:
    """Return where a first bin ends, what it holds of the first, and its loss as a whole.

    Where sampling is rare nearly all lies within one cell above the least loss: there the lattice
    begins at the loss of this part as a whole.  Elsewhere the bin is empty.  Of records that are
    replaced only the losses above 0 are looked at, and the bin is what lies around 0.
    """
    if law.training.replaced:
        end = float(law.places(np.array(_EDGE * width)))
        return end, law.below(end)[0] - law.below(-end)[0], 0.0

    def past(x: float) -> float:
        return float(law.loss(np.array(x))) - law.whole(x) - _EDGE * width

    if past(low) >= 0.0:
        return low, 0.0, float(law.loss(np.array(low)))
    end = high if past(high) <= 0.0 else float(brentq(past, low, high))
    return end, law.below(end)[0], law.whole(end)


def _edges(law: Law, first: float, width: float, low: float, high: float) -> Indices:
    """Return the indices of points between cells: each, or where the loss is steep fewer.

    A cell is as wide as one of x that is fine against the noise: so many points, a power of two.
    """
    fine = FINE * law.training.sigma * min(law.training.sigma, 1.0)
    x = np.linspace(low, high, int(2.0 * (high - low) / fine) + 2)
    level = np.log2(np.maximum(law.slope(x) * fine / width, 1.0)).astype(np.int64)
    at = np.floor((law.loss(x) - first) / width).astype(np.int64)
    found = np.unique((at >> level) << level)
    return np.append(found, at[-1] + 1)


class _Cells(NamedTuple):
    """What cells hold of the first: its share for both ends, and how high their chords may lie."""

    down: Array
    up: Array
    gap: Array
    wide: Array


def _cells(law: Law, losses: Array, start: float) -> _Cells:
    """Sum over the cells between losses, from a place in the first on.

    By panels of x, none of which has a loss of the list inside.
    """
    places = law.places(losses)
    places[0] = start
    fine = 2.0 * FINE * law.training.sigma * min(law.training.sigma, 1.0)
    count = int((places[-1] - start) / fine) + 2
    cuts = np.union1d(places, np.linspace(start, places[-1], count))
    half = np.diff(cuts)[:, None] / 2
    cell = np.clip(np.searchsorted(places, cuts[:-1], side="right") - 1, 0, losses.size - 2)
    x = cuts[:-1, None] + half * (1.0 + _NODES)
    mass = law.density(x) * half * _WEIGHTS
    wide = np.diff(losses)
    most = wide[cell, None]
    full = np.expm1(most)
    rise = np.expm1(np.clip(law.loss(x) - losses[cell, None], 0.0, most))
    mass /= full * (1.0 + rise)

    def held(part: Array) -> Array:
        summed = np.bincount(cell, (mass * part).sum(axis=1), minlength=wide.size)
        return np.asarray(summed, dtype=float)

    return _Cells(held(full - rise), held(rise * (1.0 + full)), held(rise * (full - rise)), wide)


def _drawn_together(losses: Array, masses: Array) -> tuple[Indices, Array, float, float]:
    """Spread negative masses to what is left on both sides of them, until none is left.

    Returns which stay, their masses, and what was spread beyond the ends: of the second
    distribution below all losses, of the first above.
    """
    kept, before, beyond = np.arange(losses.size), 0.0, 0.0
    while (masses < 0.0).any() and masses.max() > 0.0:
        stay, bad = np.flatnonzero(masses >= 0.0), np.flatnonzero(masses < 0.0)
        right = np.searchsorted(stay, bad)
        at, amount, here, new = losses[bad], masses[bad], losses[stay], masses[stay]
        first, last = right == 0, right == stay.size
        inner = ~(first | last)
        new[0] += amount[first].sum()
        before -= float(np.sum(amount[first] * (np.exp(-at[first]) - np.exp(-here[0]))))
        sunk = np.exp(here[-1] - at[last])
        new[-1] += float(amount[last] @ sunk)
        beyond -= float(amount[last] @ (1.0 - sunk))
        right, at, amount = right[inner], at[inner], amount[inner]
        wide = here[right] - here[right - 1]
        down = np.expm1(here[right] - at) / np.expm1(wide)
        new += np.bincount(right - 1, amount * down, stay.size)
        new += np.bincount(right, amount * (1.0 - down), stay.size)
        kept, masses, losses = kept[stay], new, here
    return kept, np.maximum(masses, 0.0), before, beyond
