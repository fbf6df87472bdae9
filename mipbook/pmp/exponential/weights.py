"""The exponential mechanism on a pool, as exponents: one row a record, one column an object."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.pmp.gaussian.pool import distinct

__all__ = ["Weights", "seconds_for", "weights"]


class Weights(NamedTuple):
    """``p(w|D)`` is proportional to the exponential of ``exponents[D, w]`` summed over D.

    Objects with equal losses are merged: ``copies`` counts them, ``column`` says where each
    went.
    """

    exponents: Array
    copies: Array
    column: NDArray[np.intp]

    @property
    def n(self) -> int:
        """Records drawn, half of the pool."""
        return len(self.exponents) // 2


def weights(losses: Any, epsilon: Any, sensitivity: Any) -> Weights:
    """Check the three arguments and return the exponents."""
    table = validate.array("losses", losses, ndim=2)
    if table.size == 0 or not np.isfinite(table).all():
        validate.refuse("losses", losses, "finite numbers of shape (2n, objects), not empty")
    if len(table) % 2:
        validate.refuse("losses", losses, f"of an even number of rows; it has {len(table)}")
    epsilon = validate.number("epsilon", epsilon, 0.0, math.inf, open_high=True)
    sensitivity = validate.number("sensitivity", sensitivity, 0.0, math.inf, open_low=True, open_high=True)
    merged, copies, column = distinct(table.T)
    merged = merged.T
    scale = epsilon / (2 * sensitivity) / (len(table) // 2)
    # A loss that a record has in common for all objects cancels; taking it out keeps digits.
    middle = merged.max(axis=1, keepdims=True) / 2 + merged.min(axis=1, keepdims=True) / 2
    with np.errstate(over="ignore", invalid="ignore"):
        exponents = -scale * (merged - middle)
    if not np.isfinite(exponents).all() or np.abs(exponents).max() > 1e290:
        validate.refuse("epsilon", epsilon, "small enough that losses * epsilon / sensitivity is finite")
    return Weights(np.ascontiguousarray(exponents), copies, column)


def seconds_for(records: int, size: int, each: float) -> float:
    """Return ``each`` seconds for every subset of a size; infinite where no double holds it."""
    logs = [math.lgamma(k + 1) for k in (records, size, records - size)]
    exponent = logs[0] - logs[1] - logs[2] + math.log(each)
    return math.exp(exponent) if exponent < 700 else math.inf
