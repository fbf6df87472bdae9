"""Beyond exact: the exponential mechanism's PMP parameter from draws, with its band."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logsumexp

from explorable import progress, validate
from explorable.checked import Size, checked
from mipbook.base.rounding import Estimate, bernstein
from mipbook.base.types import Array, Rng
from mipbook.pmp.exponential import _cap
from mipbook.pmp.exponential_sums import Weights, calibrate, calibrated, draw, leave_one_out, weights

_DRAWS = 2048
_STEPS = 40
# More objects than this share their draws, which then are sparse where an object is rare.
_OWN_DRAWS = 64


def first_order(given: Weights) -> float:
    """Return the approximation for checked exponents."""
    records, objects = given.exponents.shape
    if objects == 1:
        return 0.0
    n = records // 2
    exponents = given.exponents - given.exponents.mean(axis=1, keepdims=True)
    middle = exponents.mean(axis=0)
    centred = exponents - middle
    covariance = centred.T @ centred * (n / (2 * (2 * n - 1)))
    typical = n * middle + np.log(given.copies)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    # Antithetic draws of a fixed seed: the same pool gives the same number.
    half = np.random.default_rng(0).standard_normal((_DRAWS // 2, objects))
    draws = np.concatenate([half, -half])
    if objects <= _OWN_DRAWS:
        shifts = _shifts(typical, root)
        shares = np.array([_shares(w, s, typical, root, draws) for w, s in enumerate(shifts)])
    else:
        joint = typical + draws @ root.T
        joint = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        shares = joint.T @ joint / np.maximum(joint.sum(axis=0), 1e-300)[:, None]
    # ln p(w|D) moves by E_w(x) - sum_v q_v E_v(x) when x comes in.
    moves = exponents - exponents @ shares.T
    moves -= moves.mean(axis=0)
    return float(np.abs(moves).max() * (2 * n / (2 * n - 1)))


def _shifts(typical: Array, root: Array) -> Array:
    """Return for each w where the normal density times p(w|.) is highest."""
    objects = len(typical)
    shifts = np.zeros((objects, objects))
    for _ in range(_STEPS):
        logs = typical + shifts @ root.T
        pulls = np.eye(objects) - np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        shifts = 0.5 * (shifts + pulls @ root)
    return shifts


def _shares(w: int, shift: Array, typical: Array, root: Array, draws: Array) -> Array:
    """Return the mean of p(v|D) over halves drawn with chance proportional to p(w|D)."""
    joint = typical + (draws + shift) @ root.T
    joint -= logsumexp(joint, axis=1, keepdims=True)
    chance = joint[:, w] - draws @ shift
    chance = np.exp(chance - chance.max())
    return np.asarray((chance / chance.sum()) @ np.exp(joint))


# Weights whose standard deviation exceeds half their mean make a poor average.
_HEAVY_WEIGHTS = 0.5
_BLOCK = 1024
_ROUNDING = 1e-10
# Records of the largest pool: its tables of chances take about 300 MB each.
_MOST = 8000


class _Column(NamedTuple):
    """One object: the exact log odds of each record, and two halves of the averaging."""

    odds: Array
    mean: Array  # (parts, sides, records)
    variance: Array
    drawn: Array
    low: float
    span: float
    heavy: float


def _partners(given: Weights) -> NDArray[np.intp]:
    """Return for each object the v that wins most surely under its tilt."""
    exponents, log_copies = given.exponents, np.log(given.copies)
    partners = np.empty(exponents.shape[1], dtype=np.intp)
    for w, column in enumerate(exponents.T):
        logits = (column[:, None] - exponents).T
        chance = expit(logits + calibrate(logits, given.n)[:, None])
        typical = chance @ exponents + log_copies
        partners[w] = (np.diag(typical) - logsumexp(typical, axis=1)).argmax()
    return partners


def _span(given: Weights, v: int) -> tuple[float, float]:
    """Return an interval that holds p(v|D) for every half D, copies counted together."""
    ahead = np.sort(given.exponents - given.exponents[:, [v]], axis=0)
    odds = np.log(given.copies / given.copies[v])
    low, high = ahead[: given.n].sum(axis=0) + odds, ahead[-given.n :].sum(axis=0) + odds
    return float(np.exp(-logsumexp(high))), float(np.exp(-logsumexp(low)))


def _column(given: Weights, w: int, v: int, samples: int, rng: np.random.Generator) -> _Column:
    """Average p(v|D) over draws of Q, for each record in and out, in two separate parts."""
    coins = calibrated(given.exponents[:, w] - given.exponents[:, v], given.n)
    inside, without = leave_one_out(coins, given.n)
    low, high = _span(given, v)
    log_copies = np.log(given.copies)
    records = len(given.exponents)
    sums = np.zeros((2, 2, 2, records))  # parts, powers, sides, records
    count = np.zeros((2, 2, records))
    for part in range(2):
        for start in range(0, samples, _BLOCK):
            members = draw(coins, given.n, min(_BLOCK, samples - start), rng)
            joint = members @ given.exponents + log_copies
            value = np.exp(joint[:, v] - logsumexp(joint, axis=1)) - low
            for side, flags in enumerate((members, ~members)):
                count[part, side] += flags.sum(axis=0)
                sums[part, 0, side] += value @ flags
                sums[part, 1, side] += value**2 @ flags
    enough = np.maximum(count, 2)
    mean = sums[:, 0] / np.maximum(count, 1)
    spread = np.maximum(sums[:, 1] - count * mean**2, 0.0) / (enough - 1)
    total = mean + low
    heavy = float(np.max(np.sqrt(spread) / np.where(total > 0, total, 1.0)))
    with np.errstate(divide="ignore"):
        odds = np.log(inside) - np.log(without)
    return _Column(odds, total, spread, count, low, high - low, heavy)


def _ratio(column: _Column, part: int, risk: float) -> tuple[Array, Array, Array]:
    """Return the log ratio of each record, with an interval."""
    width = bernstein(column.variance[part], column.drawn[part], column.span, risk / 2)
    floor = np.maximum(column.mean[part] - width, column.low)
    ceiling = np.minimum(column.mean[part] + width, column.low + column.span)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = np.log(column.mean[part])
        bottom, top = np.log(floor), np.log(ceiling)
        return (
            column.odds + middle[0] - middle[1],
            np.nan_to_num(column.odds + bottom[0] - top[1], nan=-math.inf, neginf=-math.inf),
            np.nan_to_num(column.odds + top[0] - bottom[1], nan=math.inf, posinf=math.inf),
        )


@checked
def exponential_epsilon_estimate(
    losses: ArrayLike,
    epsilon: float,
    sensitivity: float,
    rng: Rng,
    *,
    samples: Annotated[int, Size(100)] = 4000,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate the PMP parameter of the exponential mechanism where it cannot be summed.

    Parameters
    ----------
    losses : array_like of shape (2n, objects)
        The loss of each object on each record of the pool; 2n up to 8,000.
    samples : int
        Tilted halves drawn for each distinct object, at least 100.

    Returns
    -------
    Estimate
        The interval holds the maximum over all records and objects with the stated
        confidence at least, whatever the losses are; ``warning`` is set where the draws are
        too uneven for the value to mean much.

    Notes
    -----
    PMP paper, Proposition 9, in both directions.  Half of the draws choose the most exposed
    record and object, the other half measure it: the value and the lower end carry no bias of
    choosing a maximum.  The upper end takes in every record and object, and the bound
    `epsilon_cap`.  Intervals are empirical Bernstein bounds.

    References
    ----------
    A. Maurer and M. Pontil, "Empirical Bernstein Bounds and Sample Variance Penalization",
    COLT 2009, Theorem 4.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> losses = rng.random((100, 3))
    >>> found = exponential_epsilon_estimate(losses, 5.0, 0.02, rng)
    >>> found.low <= found.value <= found.high, found.kind
    (True, 'estimate')
    """
    given = weights(losses, epsilon, sensitivity)
    risk = 1 - validate.confidence(confidence)
    records, objects = given.exponents.shape
    if records > _MOST:
        told = f"at most {_MOST} rows; beyond, use exponential_epsilon_bound"
        validate.refuse("losses", f"{records} records", told)
    if objects == 1 or epsilon == 0:
        return Estimate(0.0, 0.0, 0.0, "exact", 1.0)
    cap = _cap(given)
    partners = _partners(given)
    best = (-1.0, 0.0, 0.0)  # chosen on part 0; the value and its lower end from part 1
    upper = heavy = 0.0
    for w in progress.track(range(objects), what="tilted draws", unit="objects"):
        column = _column(given, w, int(partners[w]), samples // 2, rng)
        first, _, _ = _ratio(column, 0, risk / 2)
        x = int(np.nan_to_num(np.abs(first), nan=-1.0, posinf=-1.0).argmax())
        middle, down, up = _ratio(column, 1, risk / 2)
        size = float(np.nan_to_num(np.abs(first[x]), nan=0.0, posinf=0.0))
        if size > best[0]:
            best = (size, float(abs(middle[x])), float(max(down[x], -up[x], 0.0)))
        _, down, up = _ratio(column, 1, risk / 2 / (records * objects))
        upper = max(upper, float(np.maximum(up, -down).max()))
        heavy = max(heavy, column.heavy)
    # Sums of thousands of terms round; an interval without width must still hold the truth.
    high = min(upper * (1 + _ROUNDING), cap)
    low_end = min(best[2] * (1 - _ROUNDING), high)
    value = float(np.clip(best[1], low_end, high)) if math.isfinite(best[1]) else high
    told = f"the averaged weights vary by {heavy:.2g} times their mean: trust the interval, not the value"
    return Estimate(value, low_end, high, "estimate", 1 - risk, told if heavy > _HEAVY_WEIGHTS else "")
