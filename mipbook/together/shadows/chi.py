"""Averages over the length of a record: a chi variable with as many degrees as coordinates."""

from __future__ import annotations

import math

import numpy as np

from mipbook.base.types import Array
from mipbook.mis.means.pair_test import legendre, log_chi

__all__ = ["lengths"]

# Further from the root of the degrees than this a length has a chance below e^-60.
_REACH = 11.0
_NODES = 160


def lengths(d: int, scale: Array, start: Array | float = 0.0) -> tuple[Array, Array]:
    """Return lengths and their weights, one row for each ``scale``, from ``start`` on.

    A hyperbolic angle resolves what happens at that scale next to the start.

    Examples
    --------
    >>> length, weight = lengths(20, np.array([1.0]))
    >>> bool(np.isclose((length**2 * weight).sum(), 20))
    True
    """
    root = math.sqrt(d)
    begin = np.maximum(np.broadcast_to(start, scale.shape), 0.0)
    low = np.maximum(root - _REACH - begin, 0.0)
    high = np.maximum(root, begin) + _REACH - begin
    unit = np.clip(scale, 1e-12, 1e12)
    first, last = np.arcsinh(low / unit), np.arcsinh(high / unit)
    nodes, weights = legendre(_NODES)
    angle = first[:, None] + (last - first)[:, None] * nodes
    length = begin[:, None] + unit[:, None] * np.sinh(angle)
    slope = unit[:, None] * np.cosh(angle) * (last - first)[:, None]
    with np.errstate(under="ignore"):
        weight = np.exp(log_chi(length, d)) * slope * weights
    return length, weight
