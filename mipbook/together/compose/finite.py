"""Releases with finitely many outputs: the pair of distributions of k of them."""

from __future__ import annotations

import numpy as np

from explorable import validate
from mipbook.base.types import Array

__all__ = ["composed_pair"]

# Outputs that are told apart at most, and pairs of outputs held at once.
_MOST, _PAIRS = 20_000, 4_000_000
_SAME = 1e-12


def composed_pair(log_p: Array, log_q: Array, k: int) -> tuple[Array, Array]:
    """Return the distributions *in* and *out* of k releases; outputs of one ratio are one.

    In logarithms, as chances of k releases may be too small for a double.  By squaring: a
    release, two of them, four, and so on.
    """
    pair = _merged(log_p, log_q)
    found: tuple[Array, Array] | None = None
    left = k
    while True:
        if left & 1:
            found = pair if found is None else _joined(found, pair, k)
        left >>= 1
        if not left:
            assert found is not None
            return found
        pair = _joined(pair, pair, k)


def _joined(first: tuple[Array, Array], second: tuple[Array, Array], k: int) -> tuple[Array, Array]:
    if first[0].size * second[0].size > _PAIRS:
        _too_many(k)
    p, q = _merged(*(np.add.outer(a, b).ravel() for a, b in zip(first, second, strict=True)))
    if p.size > _MOST:
        _too_many(k)
    return p, q


def _too_many(k: int) -> None:
    validate.refuse("k", k, f"so small that at most {_MOST:,} ratios of two chances can come up")


def _merged(p: Array, q: Array) -> tuple[Array, Array]:
    """Join the outputs whose ratios agree to twelve digits, and drop those of no chance."""
    seen = (p > -np.inf) | (q > -np.inf)
    p, q = p[seen], q[seen]
    ratio = p - q
    order = np.argsort(-ratio, kind="stable")
    p, q, ratio = p[order], q[order], ratio[order]
    # Of the digits of the logarithms: a sum of many is rounded as often.
    size = 1.0 + np.minimum(np.maximum(np.abs(p), np.abs(q)), 1e300)
    with np.errstate(invalid="ignore"):
        steps = ratio[:-1] - ratio[1:] > _SAME * size[1:]
    starts = np.flatnonzero(np.append(True, steps))
    return np.logaddexp.reduceat(p, starts), np.logaddexp.reduceat(q, starts)
