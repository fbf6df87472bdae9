"""All n-subsets of 2n records at once: meet in the middle, with matrix products.

A subset of the pool is a subset i of its first half with a subset j of its second.  The
normaliser is ``Z[i, j] = sum_w a[i, w] b[j, w]``, and the sums of ``p(w|D) = a b / Z`` over j
and over i are two more matrix products.  Nothing is stored for each of the C(2n, n) subsets,
and no exponential is taken for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from explorable import progress
from mipbook.base.types import Array
from mipbook.pmp.exponential.weights import Weights

__all__ = ["is_linear", "log_sums"]

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
    start = _half(n).start
    sizes = np.diff(start)
    total = int(sum(-(-s // _ROWS) * -(-s // _COLUMNS) for s in sizes))
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
    widest = np.ptp(given.exponents, axis=1)
    if 2 * widest.sum() < _SPAN_COLUMN:
        return True
    return _fit(*_logs(given))


def log_sums(given: Weights) -> tuple[Array, Array]:
    """Return ln of the sum of p(w|D) over the D with each record, and over those without."""
    n, copies = given.n, given.copies
    flags = _half(n).flags
    la, lb = _logs(given)
    if _fit(la, lb):
        up, down, scale = _linear(la, lb, copies, n)
        inside = np.concatenate([flags.T @ up, flags.T @ down])
        without = np.concatenate([(1 - flags).T @ up, (1 - flags).T @ down])
        return np.log(inside) + scale, np.log(without) + scale
    up, down = _logarithmic(la, lb, copies, n)
    results = []
    for wanted in (1.0, 0.0):
        rows = [logsumexp(side[flags[:, bit] == wanted], axis=0) for side in (up, down) for bit in range(n)]
        results.append(np.array(rows))
    return results[0], results[1]
