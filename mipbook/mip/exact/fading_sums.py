"""Sums with exponentially fading memory, without a loop over the terms."""

from __future__ import annotations

import numpy as np

from mipbook.base.types import Array

__all__ = ["faded_sums"]

# Within a block exponents stay below this, so that nothing overflows.
_SPAN = 300.0
# Below exp(-_GONE) a term is lost in the rounding of those after it.
_GONE = 42.0


def faded_sums(places: Array, weights: Array) -> Array:
    """Return s with s[i] = sum over j <= i of exp(places[j] - places[i]) weights[j].

    Parameters
    ----------
    places : ndarray of shape (m,)
        Rising and finite.
    weights : ndarray of shape (m, columns)
        Any real numbers.

    Returns
    -------
    ndarray of shape (m, columns)
    """
    total = places[-1] - places[0]
    if total <= _SPAN * 4096:
        return _by_blocks(places, weights)
    return _by_doubling(places, weights)


def _by_blocks(places: Array, weights: Array) -> Array:
    # Rising exponentials inside a block, a carry from one block to the next.
    block = np.floor((places - places[0]) / _SPAN)
    starts = np.flatnonzero(np.append(True, np.diff(block) > 0))
    ends = np.append(starts[1:], places.size)
    sums = np.empty_like(weights)
    carry, at = np.zeros(weights.shape[1]), places[0]
    for start, end in zip(starts, ends, strict=True):
        rise = np.exp(places[start:end] - places[start])[:, None]
        part = np.cumsum(weights[start:end] * rise, axis=0)
        part += carry * np.exp(max(at - places[start], -745.0))
        part /= rise
        sums[start:end] = part
        carry, at = part[-1], places[end - 1]
    return sums


def _by_doubling(places: Array, weights: Array) -> Array:
    # So far apart that only few terms reach each other: double the reach until none is left.
    sums = weights.copy()
    reach = 1
    while reach < places.size:
        gap = places[reach:] - places[:-reach]
        near = np.flatnonzero(gap < _GONE)
        if near.size == 0:
            break
        add = sums[near] * np.exp(-gap[near])[:, None]
        sums[near + reach] += add
        reach *= 2
    return sums
