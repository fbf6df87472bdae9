"""Broadcasting, blocks that fit the cache, and arithmetic with twice the digits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook.base.types import Array, Floats

# 4096 doubles are 32 kB: temporaries stay in cache; half and double are slower.
BLOCK = 4096
# Exponents of 2 beyond these give zero or infinity whatever the mantissa is.
_LOW_EXPONENT, _HIGH_EXPONENT = -1200, 1020


def apply(kernel: Callable[..., Array], **arrays: Array) -> Floats:
    """Broadcast ``arrays`` and run ``kernel`` on flat blocks of them.

    The result is a Python ``float`` when every array has dimension 0.  Shapes
    that do not broadcast are refused in the name of the first argument that does
    not fit those before it.
    """
    shape = validate.broadcast(tuple(arrays), tuple(arrays.values()))
    flat = [np.broadcast_to(array, shape).ravel() for array in arrays.values()]
    out = np.empty(flat[0].size)
    # Underflow to 0 and overflow to inf are the right answers where they happen;
    # a caller who turned warnings into errors must not see them.
    with np.errstate(all="ignore"):
        for start in range(0, out.size, BLOCK):
            part = slice(start, start + BLOCK)
            out[part] = kernel(*(array[part] for array in flat))
    if shape == ():
        return float(out[0])
    return out.reshape(shape)


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the rounded sum and its exact error (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the rounded product and its exact error (Dekker, Veltkamp's split).

    Exact for factors well inside the range of doubles; callers pass mantissas or
    other moderate numbers.
    """
    p = a * b
    t = 134217729.0 * a  # 2^27 + 1 splits 53 bits into 26 + 26
    ah = t - (t - a)
    al = a - ah
    t = 134217729.0 * b
    bh = t - (t - b)
    bl = b - bh
    return p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)


def quotient(a: Array, b: Array) -> tuple[Array, Array, NDArray[np.int32]]:
    """Write ``a / b``, both positive and finite, as ``(high + low) * 2**exponent``.

    ``high`` lies in [0.5, 2] and about 105 bits are right, for subnormal numbers
    and for quotients out of the range of doubles as well.
    """
    am, ae = np.frexp(a)
    bm, be = np.frexp(b)
    high = am / bm
    p, e = two_product(high, bm)
    return high, ((am - p) - e) / bm, ae - be


def scaled(mantissa: Array, exponent: NDArray[np.int32]) -> Array:
    """Return ``mantissa * 2**exponent``, with the exponent clipped so that sums stay finite."""
    return np.ldexp(mantissa, np.clip(exponent, _LOW_EXPONENT, _HIGH_EXPONENT))
