"""Beyond exact, the plain way: uniform halves, and every record swapped with one from outside.

A half D and a random pairing of its records with the others give each record x one pair of
neighbouring halves, with x and without.  The two probabilities of a pair move together, so
their ratio is known far better than from separate halves.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from explorable import progress, validate
from mipbook.base.estimate import Estimate
from mipbook.base.intervals import bernstein
from mipbook.base.types import Array
from mipbook.pmp.exponential.dp_on_pool import _cap
from mipbook.pmp.exponential.weights import Weights, weights

__all__ = ["exponential_epsilon_swaps"]

_CELLS = 2_000_000
_GRID = 201
_HEAVY = 1.0
# A log ratio beyond this is not told apart from the cap.
_REACH = 300.0


def _ceilings(given: Weights) -> Array:
    """Return ln of the most that p(w|D) can be, for each object."""
    n, log_copies = given.n, np.log(given.copies)
    bounds = []
    for column in given.exponents.T:
        behind = np.sort(given.exponents - column[:, None], axis=0)[:n].sum(axis=0)
        bounds.append(-logsumexp(behind + log_copies))
    return np.array(bounds)


def _moments(given: Weights, samples: int, ceilings: Array, rng: np.random.Generator) -> Array:
    """Return the sums of A, B, A^2, B^2 and AB: p(w|D) with each record, and without."""
    n, log_copies = given.n, np.log(given.copies)
    records, objects = given.exponents.shape
    sums = np.zeros((5, records, objects))
    block = max(1, _CELLS // (records * objects))
    for start in range(0, samples, block):
        size = min(block, samples - start)
        order = rng.permuted(np.tile(np.arange(records), (size, 1)), axis=1)
        ins, outs = given.exponents[order[:, :n]], given.exponents[order[:, n:]]
        whole = ins.sum(axis=1)[:, None, :]
        swapped = whole - ins + outs
        p_whole = whole - logsumexp(whole + log_copies, axis=2, keepdims=True)
        p_swapped = swapped - logsumexp(swapped + log_copies, axis=2, keepdims=True)
        a = np.broadcast_to(np.exp(p_whole - ceilings), swapped.shape)
        b = np.exp(p_swapped - ceilings)
        for which, there, gone in ((order[:, :n], a, b), (order[:, n:], b, a)):
            for power, term in enumerate((there, gone, there**2, gone**2, there * gone)):
                np.add.at(sums[power], which, term)
    return sums


def _interval(sums: Array, samples: int, cap: float, risk: float) -> tuple[Array, Array]:
    """Return an interval for each log ratio: where the mean of A - r B may be 0."""
    a, b, aa, bb, ab = sums / samples
    scale = samples / (samples - 1)
    va, vb, cov = scale * (aa - a * a), scale * (bb - b * b), scale * (ab - a * b)
    # Swapping one record moves ln p by at most the cap, so A - r B spans no more than this.
    reach = min(cap, _REACH)
    span = 2.0 * math.sinh(reach) if cap <= _REACH else math.inf
    logs = np.linspace(-reach, reach, _GRID)
    low, high = np.full(a.shape, math.inf), np.full(a.shape, -math.inf)

    def width(log_r: float) -> Any:
        r = math.exp(log_r)
        variance = np.maximum(va - 2 * r * cov + r * r * vb, 0.0)
        return bernstein(variance, samples, min(span, 1 + r), risk)

    # The width is convex in r, so within a cell it is largest at one of the ends.
    for left, right in pairwise(logs):
        gap = np.maximum(math.exp(left) * b - a, a - math.exp(right) * b)
        kept = gap <= np.maximum(width(left), width(right))
        low, high = np.where(kept, np.minimum(low, left), low), np.where(kept, right, high)
    unknown = low > high
    return (np.where(unknown | (low <= -reach), -cap, low), np.where(unknown | (high >= reach), cap, high))


def exponential_epsilon_swaps(
    losses: ArrayLike,
    epsilon: float,
    sensitivity: float,
    rng: np.random.Generator,
    *,
    samples: int = 4000,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate the PMP parameter of the exponential mechanism from swapped halves.

    Parameters
    ----------
    samples : int
        Halves drawn, at least 100.

    Returns
    -------
    Estimate
        The interval holds the maximum over all records and objects with the stated confidence
        at least; ``warning`` is set where p(w|D) is so uneven that the value means little.

    Notes
    -----
    PMP paper, Proposition 9, in both directions.  It needs no table of size n^2, so it serves
    pools too large for `exponential_epsilon_estimate`, whose interval is narrower elsewhere.

    References
    ----------
    A. Maurer and M. Pontil, "Empirical Bernstein Bounds and Sample Variance Penalization",
    COLT 2009, Theorem 4.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> losses = rng.random((40, 3))
    >>> found = exponential_epsilon_swaps(losses, 5.0, 0.5, rng, samples=1000)
    >>> 0 <= found.low <= found.value <= found.high
    True
    """
    given = weights(losses, epsilon, sensitivity)
    rng = validate.generator("rng", rng)
    samples = validate.size("samples", samples, 100)
    risk = 1 - validate.confidence(confidence)
    records, objects = given.exponents.shape
    if objects == 1 or epsilon == 0:
        return Estimate(0.0, 0.0, 0.0, "exact", 1.0)
    cap, ceilings, half = _cap(given), _ceilings(given), samples // 2
    if cap == 0:
        return Estimate(0.0, 0.0, 0.0, "exact", 1.0)
    with progress.reader() as stream:
        first, second = (
            _moments(given, half, ceilings, rng)
            for _ in progress.track(range(2), stream, total=2, what="swapped halves", unit="parts")
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        chosen = np.nan_to_num(np.abs(np.log(first[0] / first[1])), nan=-1.0, posinf=-1.0)
        measured = np.log(second[0] / second[1])
        mean = second[0] / half
        heavy = np.nan_to_num(np.sqrt(second[2] / half - mean**2) / mean, nan=math.inf)
    x, w = divmod(int(chosen.argmax()), objects)
    one = second[:, [x], :][:, :, [w]]
    low, high = _interval(one, half, cap, risk / 2)
    lower = float(max(low[0, 0], -high[0, 0], 0.0))
    low, high = _interval(second, half, cap, risk / 2 / (records * objects))
    upper = float(min(np.maximum(high, -low).max(), cap))
    lower = min(lower, upper)
    seen = float(abs(measured[x, w]))
    value = float(np.clip(seen, lower, upper)) if math.isfinite(seen) else upper
    worst = float(heavy.max())
    warning = (
        ""
        if worst <= _HEAVY
        else (f"p(w|D) varies by {worst:.2g} times its mean: trust the interval, not the value")
    )
    return Estimate(value, lower, upper, "estimate", 1 - risk, warning)
