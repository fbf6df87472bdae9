r"""Broadcasting in blocks, arithmetic with twice the digits, and the Mills ratio without cancellation.

With :math:`u = \epsilon/\mu - \mu/2`, :math:`v = \epsilon/\mu + \mu/2` and
:math:`R(x) = \Phi(-x)/\varphi(x)`, the identity
:math:`e^\epsilon \varphi(v) = \varphi(u)` turns the analytic Gaussian mechanism into

.. math:: \delta = \varphi(u)\,[R(u) - R(v)], \qquad
          1 - \delta = \varphi(u)\,[R(-u) + R(v)],

where nothing overflows.  The difference is the delicate part: `spread` computes
it to about 2e-14 however close u and v are.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

from explorable import validate
from mipbook.base.types import Array, Floats

Kernel = TypeVar("Kernel", bound=Callable[..., Floats])
# 4096 doubles are 32 kB: temporaries stay in cache; half and double are slower.
BLOCK = 4096
# Exponents of 2 beyond these give zero or infinity whatever the mantissa is.
_LOW_EXPONENT, _HIGH_EXPONENT = -1200, 1020


def in_blocks(kernel: Kernel) -> Kernel:
    """Broadcast the arrays that a function is called with, and run it on flat blocks of them.

    The result is a Python ``float`` when every array has dimension 0.  Shapes
    that do not broadcast are refused in the name of the first argument that does
    not fit those before it.
    """
    names = tuple(inspect.signature(kernel).parameters)

    @functools.wraps(kernel)
    def call(*args: Array, **named: Array) -> Floats:
        given = dict(zip(names, args, strict=False)) | named
        shape = validate.broadcast(names, [given[name] for name in names])
        flat = {name: np.broadcast_to(given[name], shape).ravel() for name in names}
        out = np.empty(math.prod(shape))
        # Underflow to 0 and overflow to inf are the right answers where they happen;
        # a caller who turned warnings into errors must not see them.
        with np.errstate(all="ignore"):
            for start in range(0, out.size, BLOCK):
                part = slice(start, start + BLOCK)
                out[part] = kernel(**{name: array[part] for name, array in flat.items()})
        return validate.plain(out.reshape(shape))

    made: Any = call
    return made  # type: ignore[no-any-return]


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


SQRT_HALF = math.sqrt(0.5)
SQRT_2PI = math.sqrt(2 * math.pi)
INV_SQRT_2PI = 1 / SQRT_2PI
_SQRT_HALF_PI = math.sqrt(math.pi / 2)
# Below this ratio of h to max(c, 1) the direct difference would lose over 5 bits.
_CLOSE = 1 / 32
# The forward recurrence loses 4 bits at c = 4, where it hands over to a continued
# fraction; the further out, the fewer of its levels are needed.
_REGIONS = ((0.0, 4.0, 0), (4.0, 8.0, 28), (8.0, math.inf, 12))
# Odd terms of the series kept: the last one is below (1/32)^12 of the first.
_ODD_TERMS = 6


def mills(x: Array) -> Array:
    """Return Phi(-x) / phi(x) for x >= 0."""
    return erfcx(x * SQRT_HALF) * _SQRT_HALF_PI


def spread(c: Array, h: Array, u: Array, v: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return G, R(v) and a mask, for u = c - h and v = c + h.

    Where the mask is False, ``G = R(u) - R(v)`` and ``delta = phi(u) G``; where it
    is True, ``G = R(-u) + R(v)`` and ``1 - delta = phi(u) G``.
    """
    tail = mills(v)
    other = mills(np.abs(u))
    close = h < _CLOSE * np.maximum(c, 1.0)
    complement = (u < 0) & ~close
    g = other + np.where(complement, tail, -tail)
    if close.any():
        for low, high, levels in _REGIONS:
            index = np.flatnonzero(close & (low <= c) & (c < high))
            if index.size:
                # Beyond 1e3 phi(u) is 0 already: only overflow is to be avoided.
                g[index] = _series(np.minimum(c[index], 1e3), np.minimum(h[index], 1e2), levels)
    return g, tail, complement


def _series(c: Array, h: Array, levels: int) -> Array:
    """Sum 2 * sum over odd k of h^k / k! * M_k(c), M_k = int t^k exp(-c t - t^2/2) dt."""
    first, steps = _ratios_backward(c, levels) if levels else _ratios_forward(c)
    h2 = h * h
    total = np.zeros_like(c)
    for j in range(_ODD_TERMS - 1, 0, -1):
        total = (1.0 + total) * (h2 / ((2 * j) * (2 * j + 1))) * steps[j - 1]
    return 2.0 * h * first * (1.0 + total)


def _ratios_forward(c: Array) -> tuple[Array, list[Array]]:
    """Return M_1 and M_(2j+1) / M_(2j-1) by M_(k+1) = k M_(k-1) - c M_k."""
    even = mills(c)
    odd = 1.0 - c * even
    first = odd
    steps = []
    for j in range(1, _ODD_TERMS):
        even = (2 * j - 1) * even - c * odd
        following = 2 * j * odd - c * even
        steps.append(following / odd)
        odd = following
    return first, steps


def _ratios_backward(c: Array, levels: int) -> tuple[Array, list[Array]]:
    """Return the same from the continued fraction M_k / M_(k-1) = k / (c + M_(k+1) / M_k)."""
    ratio = 0.5 * (np.sqrt(c * c + 4 * (levels + 1)) - c)
    below = np.empty_like(ratio)
    steps: list[Array] = []
    for k in range(levels, 0, -1):
        # In place: this loop is most of the cost of the whole function.
        np.add(ratio, c, out=ratio)
        np.divide(k, ratio, out=ratio)
        if 1 < k < 2 * _ODD_TERMS:
            if k % 2:
                np.copyto(below, ratio)
            else:
                steps.append(below * ratio)
    return ratio / (c + ratio), steps[::-1]
