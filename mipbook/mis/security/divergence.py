"""The f-divergence whose value is what the best attack gains over a constant answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.base.types import Array, Floats
from mipbook.mis.security.weights import checked_weights

__all__ = ["divergence", "generator", "total_variation"]


def laws(name: str, value: Any) -> Array:
    """Return probability vectors along the last axis."""
    table = validate.array(name, value, 0.0, 1.0 + 1e-9)
    if table.ndim == 0 or table.size == 0 or np.any(np.abs(table.sum(axis=-1) - 1) > 1e-9):
        validate.refuse(name, value, "probability vectors along the last axis")
    return table


def gain(p: Array, q: Array, a: Array, b: Array) -> Array:
    """Return D; ``a`` and ``b`` have a last axis of length 1."""
    # The hockey-stick form of either side: no difference of two large numbers.
    with np.errstate(under="ignore"):
        forth = np.maximum(p - q * (b / a), 0.0).sum(axis=-1)
        back = np.maximum(q - p * (a / b), 0.0).sum(axis=-1)
    return np.asarray(np.minimum(np.where((a <= b)[..., 0], forth, back), 1.0))


def divergence(p: ArrayLike, q: ArrayLike, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    r"""Return the divergence D of two distributions on finitely many values.

    Parameters
    ----------
    p, q : array_like of shape (..., values)
        Probability vectors along the last axis; the leading axes broadcast, with ``nu`` and
        ``lam`` as well.

    Returns
    -------
    float or ndarray
        In [0, 1].  0 if the distributions agree (and, unless balanced, also if they are close);
        1 if and only if no value has positive probability under both.

    Notes
    -----
    Limits paper, equations (3) and (4) and Proposition 5:
    :math:`[\sup_A\{aP(A) - bQ(A)\} - (a - b)_+] / \min(a, b)`.  With gamma = b/a it is the
    hockey-stick divergence of P and Q at gamma if gamma is at least 1, and that of Q and P at
    1/gamma otherwise.

    Examples
    --------
    >>> p, q = [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]
    >>> round(divergence(p, q), 12), round(divergence(p, q, lam=0.4), 12)
    (0.4, 0.2)
    """
    left, right = laws("p", p), laws("q", q)
    a, b = (np.asarray(w) for w in checked_weights(nu, lam))
    if left.shape[-1] != right.shape[-1]:
        validate.refuse("q", q, f"of {left.shape[-1]} values, as p")
    validate.broadcast(("p", "q", "nu, lam"), (left[..., 0], right[..., 0], a))
    return validate.plain(gain(left, right, a[..., None], b[..., None]))


def total_variation(p: ArrayLike, q: ArrayLike) -> Floats:
    """Return the total variation distance, in [0, 1]; ``p`` and ``q`` are as in `divergence`.

    References
    ----------
    Limits paper, Remark 7: the balanced `divergence`, the largest over all ``nu`` and ``lam``.

    Examples
    --------
    >>> total_variation([0.5, 0.5], [0.25, 0.75])
    0.25
    """
    return divergence(p, q)


def generator(x: Any, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    r"""Return the convex function f with D(P, Q) = E_Q f(dP/dQ).

    Parameters
    ----------
    x : float or array_like
        Ratio of the probabilities under P and Q, in [0, inf).

    Returns
    -------
    float or ndarray
        ``(|a x - b| - |a - b|) / (2 min(a, b))``; 0 at ``x = 1``, where it may be negative
        on one side.

    Notes
    -----
    Limits paper, Proposition 5 and equation (26).  Where Q vanishes and P does not, the
    divergence gains :math:`a / (2\min(a, b))` times the probability under P, the slope of f
    at infinity.

    Examples
    --------
    >>> generator([0.0, 1.0, 3.0]).tolist()
    [0.5, 0.0, 1.0]
    """
    ratio = validate.array("x", x, 0.0, open_high=True)
    a, b = checked_weights(nu, lam)
    validate.broadcast(("x", "nu, lam"), (ratio, a))
    # Beyond the doubles the answer is infinite.
    with np.errstate(over="ignore"):
        value = (np.abs(a * ratio - b) - np.abs(a - b)) / (2 * np.minimum(a, b))
    return validate.plain(np.asarray(value))
