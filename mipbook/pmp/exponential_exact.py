"""The exact PMP parameter of the exponential mechanism, over every half of the pool."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from explorable import progress, validate
from mipbook.base.types import Array
from mipbook.pmp.exponential_sums import Weights, log_sums_of_two, seconds_for, spectral_seconds, weights

# A tile of normalisers fits the second-level cache.
_ROWS, _COLUMNS = 64, 2048
# Beyond these spans of exponents a double would underflow: the sums then run over logarithms.
_SPAN_Z, _SPAN_COLUMN = 600.0, 300.0
_SHOW_FROM = 20_000_000


class _Half(NamedTuple):
    flags: Array  # (2**n, n), sorted by size
    start: NDArray[np.intp]  # where the subsets of each size begin


@lru_cache(maxsize=4)
def _half(n: int) -> _Half:
    codes = np.arange(1 << n)
    sizes = sum((codes >> bit) & 1 for bit in range(n))
    order = np.argsort(sizes, kind="stable")
    flags = ((codes[order, None] >> np.arange(n)) & 1).astype(float)
    return _Half(flags, np.concatenate([[0], np.cumsum(np.bincount(sizes, minlength=n + 1))]))


def _tiles(n: int) -> Iterator[tuple[slice, slice]]:
    start = _half(n).start
    for size in range(n + 1):
        other = n - size
        for top in range(start[size], start[size + 1], _ROWS):
            rows = slice(top, min(top + _ROWS, start[size + 1]))
            for left in range(start[other], start[other + 1], _COLUMNS):
                yield rows, slice(left, min(left + _COLUMNS, start[other + 1]))


def _shown(n: int) -> Iterator[tuple[slice, slice]]:
    """Yield the tiles, with a progress bar where the work is long."""
    if math.comb(2 * n, n) < _SHOW_FROM:
        yield from _tiles(n)
        return
    total = int(sum(-(-s // _ROWS) * -(-s // _COLUMNS) for s in np.diff(_half(n).start)))
    with progress.reader() as stream:
        yield from progress.track(_tiles(n), stream, total=total, what="all subsets", unit="blocks")


def _linear(la: Array, lb: Array, copies: Array, n: int) -> tuple[Array, Array, Array]:
    """Return the sums over the other half and the logarithm of each column's scale."""
    top_a, top_b = la.max(axis=0), lb.max(axis=0)
    a, b = np.exp(la) * copies, np.exp(lb)
    # Numerators get a scale of their own for each object, so that a rare one keeps its digits.
    na, nb = np.exp(la - top_a), np.exp(lb - top_b)
    up, down = np.zeros_like(na), np.zeros_like(nb)
    buffer = np.empty(_ROWS * _COLUMNS)
    for rows, columns in _shown(n):
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        z = buffer[: shape[0] * shape[1]].reshape(shape)
        np.matmul(a[rows], b[columns].T, out=z)
        np.reciprocal(z, out=z)
        up[rows] += z @ nb[columns]
        down[columns] += z.T @ na[rows]
    return up * na, down * nb, top_a + top_b


def _logarithmic(la: Array, lb: Array, copies: Array, n: int) -> tuple[Array, Array]:
    """Do the same in logarithms, for exponents that no double could hold."""
    up, down = np.full_like(la, -np.inf), np.full_like(lb, -np.inf)
    log_copies = np.log(copies)
    for rows, columns in _shown(n):
        joint = la[rows][:, None, :] + lb[columns][None, :, :]
        joint -= logsumexp(joint + log_copies, axis=2, keepdims=True)
        up[rows] = np.logaddexp(up[rows], logsumexp(joint, axis=1))
        down[columns] = np.logaddexp(down[columns], logsumexp(joint, axis=0))
    return up, down


def _logs(given: Weights) -> tuple[Array, Array]:
    """Return the exponents of the subsets of each half of the pool, the largest at 0."""
    flags = _half(given.n).flags
    la, lb = flags @ given.exponents[: given.n], flags @ given.exponents[given.n :]
    return la - la.max(axis=1, keepdims=True), lb - lb.max(axis=1, keepdims=True)


def _fit(la: Array, lb: Array) -> bool:
    return bool(
        (la.min(axis=0) + lb.min(axis=0)).max() > -_SPAN_Z
        and np.ptp(la, axis=0).max() < _SPAN_COLUMN
        and np.ptp(lb, axis=0).max() < _SPAN_COLUMN
    )


def is_linear(given: Weights) -> bool:
    """Tell whether doubles hold all terms, so that no logarithm is taken for a subset."""
    return bool(2 * np.ptp(given.exponents, axis=1).sum() < _SPAN_COLUMN) or _fit(*_logs(given))


def log_sums(given: Weights) -> tuple[Array, Array]:
    """Return ln of the sum of p(w|D) over the D with each record, and over those without."""
    n, flags = given.n, _half(given.n).flags
    la, lb = _logs(given)
    if _fit(la, lb):
        up, down, scale = _linear(la, lb, given.copies, n)
        inside = np.concatenate([flags.T @ up, flags.T @ down])
        without = np.concatenate([(1 - flags).T @ up, (1 - flags).T @ down])
        return np.log(inside) + scale, np.log(without) + scale
    sides = _logarithmic(la, lb, given.copies, n)

    def of(wanted: float) -> Array:
        each = [logsumexp(side[flags[:, bit] == wanted], axis=0) for side in sides for bit in range(n)]
        return np.array(each)

    return of(1.0), of(0.0)


METHODS = ("auto", "subsets", "spectral")
# Seconds for one subset and object on one slow core: linear sums, and sums over logarithms.
_PER_CELL = 0.6e-9
_LOGARITHMS = 60.0
# Up to here all subsets are faster than the integral; two objects need no more than this.
_SPECTRAL_FROM = 14


def exponential_seconds(n: int, objects: int) -> float:
    """Return about how long all subsets take: the sums over C(2n, n) halves.

    An approximation: measured on one slow core, good to a factor of 3; infinite where no double
    holds the seconds, from n = 510 or so.

    Parameters
    ----------
    n : int
        Records drawn, in [1, 10^9]; the pool has 2n.
    objects : int
        Distinct objects to choose from, in [1, 10^9].

    References
    ----------
    PMP paper, Proposition 9, whose sums over C(2n, n) halves it counts.

    Examples
    --------
    >>> exponential_seconds(6, 10) < 0.001 < exponential_seconds(15, 10) < 10
    True
    """
    n = validate.integer("n", n, 1, 10**9)
    objects = validate.integer("objects", objects, 1, 10**9)
    return seconds_for(2 * n, n, objects * _PER_CELL)


def counting_seconds(given: Weights, budget: float, method: str = "auto") -> float:
    """Return about how long the sums over all subsets take; beyond ``budget``, any such number."""
    if _integrated(given, method):
        return spectral_seconds(given)
    seconds = exponential_seconds(given.n, given.exponents.shape[1])
    # Sums over logarithms are needed where a double would underflow.
    return seconds * _LOGARITHMS if seconds <= budget and not is_linear(given) else seconds


def _integrated(given: Weights, method: str) -> bool:
    pair = given.exponents.shape[1] == 2
    return method == "spectral" or (method == "auto" and pair and given.n > _SPECTRAL_FROM)


def _sums(given: Weights, method: str, budget: float) -> tuple[Array, Array]:
    """Return ln of both sums, for all records or for the two that matter."""
    records, distinct = given.exponents.shape
    if method == "spectral" and distinct != 2:
        validate.refuse("method", method, f"'subsets' for {distinct} distinct objects")
    seconds = counting_seconds(given, budget, method)
    if seconds > budget:
        long = f"the sum over all subsets would take about {seconds:.3g} seconds, the budget is {budget:g}"
        other = "raise it, or use exponential_epsilon_bound or exponential_epsilon_estimate"
        shown = f"{records} records, {distinct} distinct objects"
        validate.refuse("losses", shown, f"fewer, or epsilon smaller: {long}; {other}")
    return log_sums_of_two(given) if _integrated(given, method) else log_sums(given)


def _given(
    losses: Any, epsilon: Any, sensitivity: Any, method: Any, budget: Any
) -> tuple[Weights, str, float]:
    given = weights(losses, epsilon, sensitivity)
    method = validate.choice("method", method, METHODS)
    return given, method, validate.number("budget", budget, 0.0, math.inf, open_low=True)


def exponential_epsilon(
    losses: ArrayLike, epsilon: float, sensitivity: float, *, method: str = "auto", budget: float = 60.0
) -> float:
    r"""Return the exact PMP parameter of the exponential mechanism on a pool.

    Not monotone in epsilon; the rounding error is below 1e-12, relative to the larger of the
    value and 1.

    Parameters
    ----------
    method : {"auto", "subsets", "spectral"}
        All n-subsets by matrix products, or the polynomial-time integral that serves when at
        most two objects differ; chosen by size if not said.
    budget : float
        The longest time in seconds that the sums may take, by an estimate made beforehand; a
        longer one is refused.

    References
    ----------
    PMP paper, Proposition 9, in both directions: the printed one-sided maximum is too small for
    n >= 2.  The largest :math:`|\ln\sum_{D\ni x}p(w|D) - \ln\sum_{D\not\ni x}p(w|D)|` over the
    records x and the objects w.

    Examples
    --------
    >>> round(exponential_epsilon([[0.7, 1.3], [2.2, 0.2], [1.5, 3.5], [0.1, 1.9]], 4.0, 2.0), 12)
    1.078684700542
    """
    return exponential_risks(losses, epsilon, sensitivity, method=method, budget=budget)[0]


def exponential_risks(
    losses: ArrayLike, epsilon: float, sensitivity: float, *, method: str = "auto", budget: float = 60.0
) -> tuple[float, float]:
    """Return `exponential_epsilon` and `exponential_success`, for the price of one.

    Parameters
    ----------
    method, budget
        As in `exponential_epsilon`.

    References
    ----------
    PMP paper, Proposition 9 and Lemma 6.

    Examples
    --------
    >>> epsilon, success = exponential_risks([[0.0, 1.0], [1.0, 0.0]], 2.0, 1.0)
    >>> round(epsilon, 12), round(success, 6)
    (1.0, 0.731059)
    """
    given, method, budget = _given(losses, epsilon, sensitivity, method, budget)
    if given.exponents.shape[1] == 1 or epsilon == 0:
        return 0.0, 0.5
    inside, without = _sums(given, method, budget)
    count = math.log(math.comb(2 * given.n - 1, given.n - 1))
    gap = np.abs(np.exp(inside - count) - np.exp(without - count)) @ given.copies
    return float(np.abs(inside - without).max()), float(min(1.0, 0.5 + gap.max() / 4))


def exponential_laws(
    losses: ArrayLike, epsilon: float, sensitivity: float, *, budget: float = 60.0
) -> tuple[Array, Array]:
    """Return ln of each object's probability with each record in, and with it out.

    Exact up to rounding, also where a probability is below the smallest double.

    Parameters
    ----------
    budget : float
        The longest time in seconds that all subsets may take.

    Returns
    -------
    log_inside, log_without : ndarray of shape (2n, objects)

    References
    ----------
    PMP paper, Proposition 9.

    Examples
    --------
    >>> log_in, log_out = exponential_laws([[0.0, 1.0], [1.0, 0.0]], 2.0, 1.0)
    >>> np.exp(log_in[0]).round(6).tolist()
    [0.731059, 0.268941]
    """
    given, method, budget = _given(losses, epsilon, sensitivity, "subsets", budget)
    inside, without = _sums(given, method, budget)
    count = math.log(math.comb(2 * given.n - 1, given.n - 1))
    return (inside - count)[:, given.column], (without - count)[:, given.column]


def exponential_success(
    losses: ArrayLike, epsilon: float, sensitivity: float, *, method: str = "auto", budget: float = 60.0
) -> float:
    """Return how often the best practical attacker is right about the most exposed record.

    Parameters
    ----------
    method, budget
        As in `exponential_epsilon`.

    References
    ----------
    PMP paper, Lemma 6 bounds it by ``1 / (1 + exp(-eps~))``; rare outputs set eps~, so it is
    often far lower.

    Examples
    --------
    >>> losses = [[0.7, 1.3], [2.2, 0.2], [1.5, 3.5], [0.1, 1.9]]
    >>> round(exponential_success(losses, 4.0, 2.0), 12)
    0.686236375304
    """
    return exponential_risks(losses, epsilon, sensitivity, method=method, budget=budget)[1]
