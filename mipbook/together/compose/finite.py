"""Releases with finitely many outputs: the pair of distributions of k of them."""

from __future__ import annotations

import numpy as np

from mipbook.base import validate
from mipbook.base.types import Array

__all__ = ["composed_pair"]

# Outputs that are told apart at most, and pairs of outputs held at once.
_MOST, _PAIRS = 20_000, 4_000_000
_SAME = 1e-12


def composed_pair(p: Array, q: Array, k: int) -> tuple[Array, Array]:
    """Return the distributions *in* and *out* of k releases; outputs of one ratio are one.

    By squaring: a release, two of them, four, and so on.
    """
    p, q = _merged(p, q)
    found: tuple[Array, Array] | None = None
    left = k
    while True:
        if left & 1:
            found = (p, q) if found is None else _joined(found, (p, q), k)
        left >>= 1
        if not left:
            assert found is not None
            return found
        p, q = _joined((p, q), (p, q), k)


def _joined(first: tuple[Array, Array], second: tuple[Array, Array], k: int) -> tuple[Array, Array]:
    if first[0].size * second[0].size > _PAIRS:
        _too_many(k)
    p, q = (np.outer(a, b).ravel() for a, b in zip(first, second, strict=True))
    p, q = _merged(p, q)
    if p.size > _MOST:
        _too_many(k)
    return p, q


def _too_many(k: int) -> None:
    validate.refuse("k", k, f"so small that at most {_MOST:,} ratios of two chances can come up")


def _merged(p: Array, q: Array) -> tuple[Array, Array]:
    """Join the outputs whose ratios agree to twelve digits, and drop those of no chance."""
    seen = (p > 0) | (q > 0)
    p, q = p[seen], q[seen]
    with np.errstate(divide="ignore"):
        ratio = np.log(p) - np.log(q)
    order = np.argsort(-ratio, kind="stable")
    ratio = ratio[order]
    with np.errstate(invalid="ignore"):
        steps = ratio[:-1] - ratio[1:] > _SAME * (1.0 + np.minimum(np.abs(ratio[1:]), 1e300))
    starts = np.flatnonzero(np.append(True, steps))
    return np.add.reduceat(p[order], starts), np.add.reduceat(q[order], starts)
