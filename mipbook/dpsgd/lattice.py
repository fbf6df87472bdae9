"""Losses on a lattice, of one step and of many, from both sides: sums that tell more, or less."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft
from scipy.linalg.blas import dtbsv
from scipy.optimize import brentq
from scipy.special import logsumexp

from mipbook.base.types import Array
from mipbook.dpsgd.step import Training

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

    def mirrored(self) -> Self:
        """Return the pair with its two distributions exchanged."""
        masses = (self.masses * np.exp(-self.losses))[::-1]
        return type(self)(-self.index[::-1], masses, -self.first, self.width, self.before, self.beyond)


def above(training: Training, width: float, tail: float) -> Lattice:
    """Return a pair that tells at least as much as a step; ``tail`` as `Training.ends` takes it."""
    low, high = training.ends(tail)
    first = 0.0 if training.replaced else float(training.loss(np.array(low)))
    edges = _edges(training, first, width, low, high)
    losses = _losses(edges, first, width)
    down, up, _, _ = _cells(training, losses, low)
    masses = np.append(down, 0.0) + np.insert(up, 0, 0.0)
    lost, before = training.below(low)
    masses[1] += lost
    end = float(training.places(losses[-1:])[0])
    return Lattice(edges, masses, first, width, training.above(end), before)


def below(training: Training, width: float, tail: float) -> Lattice:
    """Return a pair that tells at most as much as a step; ``tail`` as `Training.ends` takes it."""
    low, high = training.ends(tail)
    start, bin_mass, first = _first_bin(training, width, low, high)
    edges = _edges(training, first, width, start, high)
    losses = _losses(edges, first, width)
    down, up, gap, wide = _cells(training, losses, start)
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
    return _with_its_mirror(found, bin_mass) if training.replaced else found


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


def _first_bin(training: Training, width: float, low: float, high: float) -> tuple[float, float, float]:
    """Return where a first bin ends, what it holds of the first, and its loss as a whole.

    Where sampling is rare nearly all lies within one cell above the least loss: there the lattice
    begins at the loss of this part as a whole.  Elsewhere the bin is empty.  Of records that are
    replaced only the losses above 0 are looked at, and the bin is what lies around 0.
    """
    if training.replaced:
        end = float(training.places(np.array(_EDGE * width)))
        return end, training.below(end)[0] - training.below(-end)[0], 0.0

    def past(x: float) -> float:
        return float(training.loss(np.array(x))) - training.whole(x) - _EDGE * width

    if past(low) >= 0.0:
        return low, 0.0, float(training.loss(np.array(low)))
    end = high if past(high) <= 0.0 else float(brentq(past, low, high))
    return end, training.below(end)[0], training.whole(end)


def _edges(training: Training, first: float, width: float, low: float, high: float) -> Indices:
    """Return the indices of points between cells: each, or where the loss is steep fewer.

    A cell is as wide as one of x that is fine against the noise: so many points, a power of two.
    """
    fine = FINE * training.sigma * min(training.sigma, 1.0)
    x = np.linspace(low, high, int(2.0 * (high - low) / fine) + 2)
    level = np.log2(np.maximum(training.slope(x) * fine / width, 1.0)).astype(np.int64)
    at = np.floor((training.loss(x) - first) / width).astype(np.int64)
    found = np.unique((at >> level) << level)
    return np.append(found, at[-1] + 1)


def _cells(training: Training, losses: Array, start: float) -> tuple[Array, Array, Array, Array]:
    """Sum over the cells between losses, from a place in the first on.

    Returns what each holds of the first distribution, its share for both ends, how high its chord
    may lie, and how wide it is.  By panels of x, none of which has a loss of the list inside.
    """
    places = training.places(losses)
    places[0] = start
    fine = 2.0 * FINE * training.sigma * min(training.sigma, 1.0)
    count = int((places[-1] - start) / fine) + 2
    cuts = np.union1d(places, np.linspace(start, places[-1], count))
    half = np.diff(cuts)[:, None] / 2
    cell = np.clip(np.searchsorted(places, cuts[:-1], side="right") - 1, 0, losses.size - 2)
    x = cuts[:-1, None] + half * (1.0 + _NODES)
    mass = training.density(x) * half * _WEIGHTS
    wide = np.diff(losses)
    most = wide[cell, None]
    full = np.expm1(most)
    rise = np.expm1(np.clip(training.loss(x) - losses[cell, None], 0.0, most))
    mass /= full * (1.0 + rise)

    def held(part: Array) -> Array:
        summed = np.bincount(cell, (mass * part).sum(axis=1), minlength=wide.size)
        return np.asarray(summed, dtype=float)

    return held(full - rise), held(rise * (1.0 + full)), held(rise * (full - rise)), wide


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


# A transform of numbers that sum to 1, of at most 2^20 points, is off by less, at each point:
# 20 times the rounding of a product and a sum (Higham, "Accuracy and Stability", theorem 24.2).
_TRANSFORM = 2e-14
# What sums and quadrature leave of a mass, relatively, and of a loss.
_MASS, _LOSS = 1e-11, 4.0 * np.finfo(float).eps
# So many points for a number, and for whole curves, of which a run takes a dozen.
_POINTS, _CURVES = 1 << 20, 1 << 18
# The logarithm of what a window leaves out of delta, and of what doubles hold.
_OUTSIDE, _FAR = -14.0, 600.0
# The ends of tilts to choose from, in one over the standard deviation of the whole loss: the
# first, where a rare loss is large, is rather one that is small against such a loss.
_TILTS, _RARE = (1e-3, 64.0), 0.05
# How little of delta the ends of x may hold, and the rounding may come to.
_TAIL, _ROUNDED = 1e-5, 1e-5
# The logarithm of a delta from which a plan without one sets out.
_USUAL = -23.0


def _most(tilt: Array) -> Array:
    """Return the logarithm of the most that 1 - exp(-y) is of exp(tilt y), for y above 0."""
    return -tilt * np.log1p(1.0 / tilt) - np.log1p(tilt)


@dataclass(frozen=True)
class Plan:
    """How to add up losses: the result holds whatever it is, and is as narrow as it is good.

    Attributes
    ----------
    epsilon, log_delta : float
        About what is expected, by Chernoff.
    tilt : float
        Where the tilted sums lie: near the losses that are asked for.
    lower, upper : float
        Tilts that tell how far the tails reach.
    width : float
        Between the lattice's points.
    tail : float
        What the ends of x may hold.
    outside : float
        The logarithm of what each side of a window of sums may leave out.
    """

    epsilon: float
    log_delta: float
    tilt: float
    lower: float
    upper: float
    width: float
    tail: float
    outside: float


def planned(
    training: Training, mirrored: bool, delta: float | None = None, epsilon: float | None = None
) -> Plan:
    """Return how to find epsilon at a delta, or delta at an epsilon; both help if both are known.

    ``mirrored`` exchanges the two distributions of a step.
    """
    if delta is None:
        first = _planned(training, mirrored, _USUAL, epsilon, _CURVES)
        return _planned(training, mirrored, max(first.log_delta, -_FAR / 2), epsilon, _CURVES)
    return _planned(training, mirrored, float(np.log(delta)), epsilon, _POINTS)


def _planned(
    training: Training, mirrored: bool, log_delta: float, epsilon: float | None, points: int
) -> Plan:
    steps, sigma = training.steps, training.sigma
    tail = float(_TAIL * np.exp(log_delta) / steps)
    low, high = training.ends(tail)
    x = np.linspace(low, high, int(12.0 * (high - low) / (sigma * min(sigma, 1.0))) + 2)
    loss = training.loss(x)
    logs = np.log(training.density(x) * (x[1] - x[0]))
    if mirrored:
        logs, loss = logs - loss, -loss
    mass = np.exp(logs)
    spread = float(np.sqrt(mass @ (loss - mass @ loss) ** 2))
    least, largest = np.array(_TILTS) / (spread * np.sqrt(steps))
    tilts = np.geomspace(min(least, _RARE), largest, 100)
    every = np.concatenate([-tilts[::-1], [0.0], tilts])
    single = logsumexp(logs + every[:, None] * loss, axis=1)
    here = single[-tilts.size :]
    most = steps * here + _most(tilts)
    if epsilon is None:
        epsilon = max(float(((most - log_delta) / tilts).min()), 0.0)
    worth = most - tilts * epsilon
    log_delta = min(log_delta, float(worth.min()))
    outside = np.minimum(log_delta - worth, 0.0) + _OUTSIDE
    # Windows by Chernoff, from each tilt with all tilts above it and below it.
    apart = every - tilts[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        far = (steps * (single - here[:, None]) - outside[:, None]) / apart
    tops, ends = np.where(apart > 0, far, np.inf), np.where(apart < 0, far, -np.inf)
    wide = np.minimum(tops.min(axis=1), steps * loss.max())
    wide -= np.maximum(ends.max(axis=1), steps * loss.min())
    width = np.maximum(FINE * spread, wide / points)
    lost = _rounded(training, logs, loss, spread, tilts, width) + worth - _most(tilts) - log_delta
    # Narrow cells, little lost; and near what is asked for.
    score = np.log(width) + np.logaddexp(0.0, lost - np.log(_ROUNDED)) + 0.02 * worth
    best = int(np.argmin(score))
    lower, upper = every[np.argmax(ends[best])], every[np.argmin(tops[best])]
    upper = upper if tops[best].min() < np.inf else tilts[best]
    tilt, lower, upper, wide = (float(value) for value in (tilts[best], lower, upper, width[best]))
    return Plan(epsilon, log_delta, tilt, lower, upper, wide, tail, float(outside[best]))


def _rounded(
    training: Training, logs: Array, loss: Array, spread: float, tilts: Array, width: Array
) -> Array:
    """Return the logarithm of what rounding may come to, over that of sums at the tilt.

    It goes by the likeliest sum of all steps but one: one of many, or that none is a surprise.
    """
    others = training.steps - 1
    if others == 0:
        return np.full(tilts.shape, -np.inf)
    weights = logs + tilts[:, None] * loss
    usual = np.abs(loss - loss[np.argmax(logs)]) <= width[:, None]
    with np.errstate(divide="ignore"):
        idle = logsumexp(weights, axis=1, b=usual) - logsumexp(weights, axis=1)
    likely = np.maximum(np.log(width / (spread * np.sqrt(others))), others * idle)
    return np.asarray(likely + np.log(4.0 * (others + 2) * _TRANSFORM / (tilts * width)))


def _fading(values: Array, drop: float) -> Array:
    """Return at each place ``drop`` times what was there one before: the value, and this sum.

    A band of two diagonals is solved: a filter of scipy.signal does as well, and takes a second to load.
    """
    band = np.ones((2, values.size), order="F")
    band[1] = -drop
    return np.asarray(dtbsv(1, band, np.concatenate([[0.0], drop * values[:-1]]), lower=1, diag=1))


@dataclass(frozen=True)
class Sums:
    """The hockey-stick of many steps of a pair on a lattice, from above or from below.

    Attributes
    ----------
    one : Lattice
        The pair of a step.
    steps : int
        How many.
    plan : Plan
        How they are added up.
    upper : bool
        Whether what is left out is added, or taken off.
    """

    one: Lattice
    steps: int
    plan: Plan
    upper: bool

    def moment(self, tilt: float) -> float:
        """Return the logarithm of the mean of exp(tilt loss), of all steps."""
        return self.steps * float(logsumexp(tilt * self.one.losses, b=self.one.masses))

    def at_most(self, epsilon: float) -> float:
        """Return a bound on delta by the moment alone, where the pair is one from above."""
        tilt = self.plan.tilt
        best = self.moment(tilt) - tilt * epsilon + float(_most(np.array(tilt)))
        return float(np.exp(min(best, 0.0)) + self.steps * self.one.beyond)

    @cached_property
    def curve(self) -> tuple[Array, Array]:
        """Epsilons, and bounds on delta there; over exp(epsilon) chords between them are bounds."""
        one, steps, tilt = self.one, self.steps, self.plan.tilt
        whole = self.moment(tilt)
        low, high, outside = self._window(whole)
        start = int(np.floor((low - steps * one.first) / one.width))
        count = int(np.ceil((high - low) / one.width)) + 3
        chance, off = self._powered(whole / steps, 1 << (count - 1).bit_length())
        chance = np.roll(chance, -(start % chance.size))[:count]
        chance = chance + off if self.upper else np.maximum(chance - off, 0.0)
        losses = steps * one.first + one.width * (start + np.arange(count))
        depth = whole - tilt * losses
        # Below, chances are larger than doubles hold: nothing is said there.
        began = int(np.searchsorted(-depth, -_FAR))
        losses, height = losses[began:], np.exp(depth[began:])
        # From a point to the next all rises that lies above it, by the share that it is worth.
        drop = np.exp(-one.width)
        after = _fading((chance[began:] * height)[::-1], drop)
        delta = np.cumsum(np.expm1(one.width) * after)[::-1]
        sign = 1.0 if self.upper else -1.0
        delta *= np.exp(sign * steps * _MASS)
        delta += sign * outside * height * np.exp(_most(np.array(tilt)))
        delta += sign * 2.0 * steps * one.beyond
        losses += sign * steps * _LOSS * np.abs(one.losses).max()
        delta = np.clip(delta, 0.0, 1.0)
        if self.upper:
            return np.asarray(losses), np.asarray(np.minimum.accumulate(delta))
        return np.asarray(losses), np.asarray(np.maximum.accumulate(delta[::-1])[::-1])

    def _window(self, whole: float) -> tuple[float, float, float]:
        """Return between which sums the tilted masses lie, and how much does not."""
        least, most = self.steps * self.one.losses[[0, -1]]
        ends, outside = [least, most], 0.0
        for side, other in enumerate((self.plan.lower, self.plan.upper)):
            apart = other - self.plan.tilt
            if apart == 0.0:
                continue
            end = (self.moment(other) - whole - self.plan.outside) / apart
            if least < end < most:
                ends[side] = float(end)
                outside += np.exp(self.plan.outside)
        return float(ends[0]), float(ends[1]), outside

    def _powered(self, step: float, size: int) -> tuple[Array, float]:
        """Return the tilted chances of all sums, the size taken off, and how far each is off."""
        tilted = self.one.masses * np.exp(self.plan.tilt * self.one.losses - step)
        folded = np.asarray(np.bincount(self.one.index % size, tilted, size), dtype=float)
        if self.steps == 1:
            return folded, 0.0
        wave = rfft(folded)
        with np.errstate(divide="ignore"):
            height = np.log(np.abs(wave))
        turn = self.steps * np.angle(wave)
        found = irfft(np.exp(self.steps * height) * (np.cos(turn) + 1j * np.sin(turn)), size)
        # An error of each value of the transform, raised to the power, where that is not nothing.
        reached = np.exp((self.steps - 1) * np.maximum(height, -_FAR))
        return found, (self.steps + 1) * _TRANSFORM * 2.0 * float(reached.sum()) / size

    def delta(self, epsilon: Array) -> Array:
        """Return the bound on delta at each epsilon."""
        losses, delta = self.curve
        at = np.clip(np.searchsorted(losses, epsilon, side="right"), 1, losses.size - 1)
        share = np.expm1(np.clip(epsilon - losses[at - 1], 0.0, self.one.width))
        found = delta[at - 1] + share / np.expm1(self.one.width) * (delta[at] - delta[at - 1])
        return np.where(epsilon < losses[0], 1.0 if self.upper else delta[0], found)

    def epsilon(self, delta: float) -> float:
        """Return the least epsilon, at least 0, where the bound on delta is so small."""
        losses, found = self.curve
        if self.delta(np.zeros(1))[0] <= delta:
            return 0.0
        if found[-1] > delta:
            return np.inf if self.upper else float(losses[-1])
        k = int(np.argmax(found <= delta))
        if k == 0:
            return float(max(losses[0], 0.0))
        share = (found[k - 1] - delta) / (found[k - 1] - found[k])
        return float(max(losses[k - 1] + np.log1p(share * np.expm1(self.one.width)), 0.0))
