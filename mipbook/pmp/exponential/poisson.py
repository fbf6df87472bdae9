"""Sums over all n-subsets of products of weights, as a Poisson trial that happened to give n.

With weights w, inclusion chances ``w / (1 + w)`` and independent coins, the probability of n
successes is the elementary symmetric polynomial of the weights times a constant.  Chances are
tilted so that n is the expected number: then nothing overflows, underflows or cancels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from mipbook.base.types import Array

__all__ = ["Coins", "calibrate", "calibrated", "draw", "leave_one_out", "log_chance"]


class Coins(NamedTuple):
    """Each record's chance to be in and to be out, and the shift of their log odds.

    Both are kept: a chance next to 1 says nothing of its complement.
    """

    inside: Array
    without: Array
    shift: float


def calibrated(logits: Array, n: int) -> Coins:
    """Return coins with these log odds, up to the shift that makes n the expected number."""
    shift = float(calibrate(logits, n))
    return Coins(expit(logits + shift), expit(-logits - shift), shift)


def log_chance(coins: Coins, n: int) -> float:
    """Return ln of the chance of exactly n successes."""
    row = np.zeros(n + 1)
    row[0] = 1.0
    for chance, rest in zip(coins.inside, coins.without, strict=True):
        row[1:] = rest * row[1:] + chance * row[:-1]
        row[0] *= rest
    return float(np.log(row[n]))


def calibrate(logits: Array, n: int) -> Array:
    """Shift each row of log weights so that its chances add up to n; return the shift."""
    low = -logits.max(axis=-1) - 40.0
    high = -logits.min(axis=-1) + 40.0
    place = (low + high) / 2
    # Newton's steps, halved into the bracket where they leave it.
    for _ in range(100):
        chance = expit(logits + place[..., None])
        excess = chance.sum(axis=-1) - n
        high, low = np.where(excess > 0, place, high), np.where(excess > 0, low, place)
        slope = (chance * (1.0 - chance)).sum(axis=-1)
        step = place - excess / np.maximum(slope, 1e-300)
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        if np.all(np.abs(step - place) <= 1e-13 * (1 + np.abs(step))):
            break
        place = step
    return np.asarray(place)


def prefixes(coins: Coins, n: int) -> Array:
    """Return the chance of 0..n successes after each record, of shape (records + 1, n + 1)."""
    table = np.zeros((len(coins.inside) + 1, n + 1))
    table[0, 0] = 1.0
    for row, (chance, rest) in enumerate(zip(coins.inside, coins.without, strict=True)):
        table[row + 1] = rest * table[row]
        table[row + 1, 1:] += chance * table[row, :-1]
    return table


def leave_one_out(coins: Coins, n: int) -> tuple[Array, Array]:
    """Return the chance of n successes with each record in, and with it out.

    The others' chances come from what lies before and after, so nothing is divided out.
    """
    before = prefixes(coins, n)[:-1]
    turned = Coins(coins.inside[::-1], coins.without[::-1], coins.shift)
    after = prefixes(turned, n)[:-1][::-1]
    fewer = (before[:, :n] * after[:, n - 1 :: -1][:, :n]).sum(axis=1)
    same = (before * after[:, ::-1]).sum(axis=1)
    return coins.inside * fewer, coins.without * same


def draw(coins: Coins, n: int, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw ``count`` subsets of exactly n records, each with chance proportional to its weight."""
    table = prefixes(coins, n)
    members = np.zeros((count, len(coins.inside)), dtype=bool)
    left = np.full(count, n)
    # Backwards: the last record is in with the chance that the others make up the rest.
    for row in range(len(coins.inside) - 1, -1, -1):
        inside = coins.inside[row] * np.where(left > 0, table[row, np.maximum(left - 1, 0)], 0.0)
        without = coins.without[row] * table[row, left]
        taken = rng.random(count) * (inside + without) < inside
        members[:, row] = taken
        left -= taken
    return members
