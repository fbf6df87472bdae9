"""From a privacy curve to the rates of the best attacker."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mipbook.base.types import Array

__all__ = ["tpr_of"]

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
