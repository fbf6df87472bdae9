"""Binomial tails at the odds that epsilon allows, in logarithms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc, expit

from explorable import validate
from mipbook.base.types import Array
from mipbook.mis.binomial import log_pmf

__all__ = ["MOST", "Tail", "guessed", "tail"]

# Canaries; a series below takes some thousand terms at the most for so many.
MOST = 10**6
# Beyond this epsilon a right guess is certain to the last digit of a double.
_SURE = 700.0
# Smaller tails are summed as logarithms.
_TINY = 1e-280


class Tail(NamedTuple):
    """Logarithms for W of Bin(r, e^epsilon / (1 + e^epsilon)): reached, missed, last over reached.

    Attributes
    ----------
    reached : ndarray
        log P(W >= v).
    missed : ndarray
        log P(W < v).
    ratio : ndarray
        log of P(W >= v) / P(W = v).
    """

    reached: Array
    missed: Array
    ratio: Array


def guessed(right: Any, guesses: Any, canaries: Any) -> tuple[Array, Array, Array]:
    """Return checked counts; all canaries are guessed if their number is not given."""
    r = whole("guesses", guesses, 1, MOST)
    v = whole("right", right, 0, MOST)
    m = r if canaries is None else whole("canaries", canaries, 1, MOST)
    validate.broadcast(("right", "guesses", "canaries"), (v, r, m))
    if np.any(v > r):
        validate.refuse("right", right, f"at most guesses = {guesses}")
    if np.any(r > m):
        validate.refuse("guesses", guesses, f"at most canaries = {canaries}")
    return v, r, m


def whole(name: str, value: Any, low: int, high: int) -> Array:
    """Return whole numbers as an array of floats."""
    found = validate.array(name, value, low, high)
    if np.any(found != np.floor(found)):
        validate.refuse(name, value, f"a whole number in [{low}, {high}]")
    return found


def tail(v: Array, r: Array, epsilon: Array) -> Tail:
    """Return the tail at v of r guesses; no checks, but for v = 0, which all guesses reach."""
    v, r, eps = np.broadcast_arrays(v, r, np.minimum(epsilon, _SURE))
    some, wrong = np.maximum(v, 1.0), expit(-eps)
    above = betainc(some, r - some + 1.0, expit(eps))
    below = betainc(r - some + 1.0, some, wrong)
    mass: Array = log_pmf(r - some, r, wrong)
    with np.errstate(divide="ignore"):
        log_above = np.where(above < 0.5, np.log(above), np.log1p(-np.minimum(below, 0.5)))
        log_below = np.log(below)
    far = above < _TINY
    if np.any(far):
        summed = mass + _log_series(some, r, np.where(far, eps, -np.inf))
        log_above = np.where(far, summed, log_above)
    ratio = log_above - mass
    none = v == 0
    return Tail(np.where(none, 0.0, log_above), np.where(none, -np.inf, log_below), np.where(none, 0, ratio))


def _log_series(v: Array, r: Array, eps: Array) -> Array:
    """Return log of P(W >= v) / P(W = v) far above the mean, where the terms fall."""
    odds = np.exp(eps)
    total, term, k = np.ones_like(odds), np.ones_like(odds), v
    while np.any(term > 1e-17 * total):
        term = term * np.maximum(r - k, 0.0) / (k + 1.0) * odds
        total, k = total + term, k + 1.0
    return np.log(total)
