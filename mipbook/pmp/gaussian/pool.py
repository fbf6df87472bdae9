"""The pool that a Gaussian mechanism sums over: checked, centred, in units of the noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.data.populations import points

__all__ = ["distinct", "pool", "record_index", "standardised"]


# Squares of squares of lengths must stay finite.
_FARTHEST = 1e70


def pool(values: ArrayLike) -> Array:
    """Return f(x) of all records, of shape (2n, d), or refuse it."""
    table = points("values", values)
    if len(table) % 2:
        validate.refuse("values", values, "an even number of rows, 2n of them")
    return table


def standardised(values: ArrayLike, sigma: Any) -> Array:
    """Return the pool centred and divided by the noise's standard deviation."""
    table = pool(values)
    sigma = validate.number("sigma", sigma, 0.0, math.inf, open_low=True, open_high=True)
    with np.errstate(over="ignore", invalid="ignore"):
        # Halves first, so that the sum of two huge numbers does not overflow.
        centred = table - (table / len(table)).sum(axis=0)
        scaled = centred / sigma
    if not (np.abs(scaled) < _FARTHEST).all():
        validate.refuse("values", values, f"within {_FARTHEST:g} sigma of their mean")
    return np.asarray(scaled)


def record_index(record: Any, count: int) -> int:
    """Return ``record`` as a row of the pool."""
    return validate.integer("record", record, 0, count - 1)


def distinct(table: Array) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return the different rows, how often each occurs, and which one each row is.

    A 64-bit hash of the bits finds equal rows in one sort.  Equal rows have equal hashes;
    should different rows ever share one, nothing is merged.
    """
    bits = (np.ascontiguousarray(table) + 0.0).view(np.uint64)
    factors = np.random.default_rng(0).integers(1, 1 << 63, table.shape[1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        keys = ((bits ^ (bits >> np.uint64(29))) * (2 * factors + np.uint64(1))).sum(axis=1)
    _, first, which, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(table) or not (table[first][which] == table).all():
        return table, np.ones(len(table)), np.arange(len(table))
    return table[first], counts.astype(float), which
