"""The losses of many steps added up: a power of one step's transform, and all that it leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.fft import irfft, rfft
from scipy.signal import lfilter
from scipy.special import logsumexp

from mipbook.base.types import Array
from mipbook.dpsgd.lattice import FINE, Lattice
from mipbook.dpsgd.step import Law

# A transform of numbers that sum to 1, of at most 2^20 points, is off by less, at each point:
# 20 times the rounding of a product and a sum (Higham, "Accuracy and Stability", theorem 24.2).
_TRANSFORM = 2e-14
# What sums and quadrature leave of a mass, relatively, and of a loss.
_MASS, _LOSS = 1e-11, 4.0 * np.finfo(float).eps
_POINTS = 1 << 20
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


def planned(law: Law, mirrored: bool, delta: float | None = None, epsilon: float | None = None) -> Plan:
    """Return how to find epsilon at a delta, or delta at an epsilon; both help if both are known.

    ``mirrored`` exchanges the two distributions of a step.
    """
    if delta is None:
        first = _planned(law, mirrored, _USUAL, epsilon)
        return _planned(law, mirrored, max(first.log_delta, -_FAR / 2), epsilon)
    return _planned(law, mirrored, float(np.log(delta)), epsilon)


def _planned(law: Law, mirrored: bool, log_delta: float, epsilon: float | None) -> Plan:
    steps, sigma = law.training.steps, law.training.sigma
    tail = float(_TAIL * np.exp(log_delta) / steps)
    low, high = law.ends(tail)
    x = np.linspace(low, high, int(12.0 * (high - low) / (sigma * min(sigma, 1.0))) + 2)
    loss = law.loss(x)
    logs = np.log(law.density(x) * (x[1] - x[0]))
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
    width = np.maximum(FINE * spread, wide / _POINTS)
    lost = _rounded(law, logs, loss, spread, tilts, width) + worth - _most(tilts) - log_delta
    # Narrow cells, little lost; and near what is asked for.
    score = np.log(width) + np.logaddexp(0.0, lost - np.log(_ROUNDED)) + 0.02 * worth
    best = int(np.argmin(score))
    over = tops[best].min() < np.inf
    return Plan(
        epsilon,
        log_delta,
        float(tilts[best]),
        float(every[np.argmax(ends[best])]),
        float(every[np.argmin(tops[best])] if over else tilts[best]),
        float(width[best]),
        tail,
        float(outside[best]),
    )


def _rounded(law: Law, logs: Array, loss: Array, spread: float, tilts: Array, width: Array) -> Array:
    """Return the logarithm of what rounding may come to, over that of sums at the tilt.

    It goes by the likeliest sum of all steps but one: one of many, or that none is a surprise.
    """
    others = law.training.steps - 1
    if others == 0:
        return np.full(tilts.shape, -np.inf)
    weights = logs + tilts[:, None] * loss
    usual = np.abs(loss - loss[np.argmax(logs)]) <= width[:, None]
    with np.errstate(divide="ignore"):
        idle = logsumexp(weights, axis=1, b=usual) - logsumexp(weights, axis=1)
    likely = np.maximum(np.log(width / (spread * np.sqrt(others))), others * idle)
    return np.asarray(likely + np.log(4.0 * (others + 2) * _TRANSFORM / (tilts * width)))


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
        after = lfilter([0.0, drop], [1.0, -drop], (chance[began:] * height)[::-1])
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
