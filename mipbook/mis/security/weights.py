"""The weights that an accuracy gives to its two rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorable import validate
from mipbook.base.types import Array, Floats

__all__ = ["weight_ratio", "weights"]

# A ratio of two weights stays within the doubles.
_LEAST = 1e-307


def checked_weights(nu: Any, lam: Any) -> tuple[Array, Array]:
    """Return ``(a, b)`` as arrays of one shape."""
    nu_ = validate.array("nu", nu, 0.0, 1.0, open_low=True, open_high=True)
    lam_ = validate.array("lam", lam, 0.0, 1.0, open_low=True, open_high=True)
    validate.broadcast(("nu", "lam"), (nu_, lam_))
    member, fresh = lam_ * (1 - nu_), (1 - lam_) * nu_
    if np.any(np.minimum(member, fresh) < _LEAST):
        validate.refuse("lam", lam, f"such that lam (1 - nu) and (1 - lam) nu are >= {_LEAST:g}")
    total = member + fresh
    return np.asarray(member / total), np.asarray(fresh / total)


def weights_as_numbers(nu: Any, lam: Any) -> tuple[float, float]:
    """Return ``nu`` and ``lam`` as two numbers in (0, 1)."""
    return (
        validate.number("nu", nu, 0.0, 1.0, open_low=True, open_high=True),
        validate.number("lam", lam, 0.0, 1.0, open_low=True, open_high=True),
    )


def weights(nu: Any = 0.5, lam: Any = 0.5) -> tuple[Floats, Floats]:
    r"""Return the weights of TPR and TNR in an attack's accuracy.

    Returns
    -------
    a, b : float or ndarray
        ``Acc = a TPR + b TNR``, with ``a + b = 1``.  They are also the accuracies of the two
        constant attacks.

    Notes
    -----
    Limits paper, Definition 2: :math:`a : b = \lambda(1 - \nu) : (1 - \lambda)\nu`, scaled to
    sum 1; neither may come near 1e-307.  Balanced, ``a = b``, when ``nu = lam``.  With ``lam``
    one half the accuracy is the chance of being right.

    Examples
    --------
    >>> weights()
    (0.5, 0.5)
    >>> a, b = weights(nu=1 / 3)
    >>> round(a, 12), round(b, 12)
    (0.666666666667, 0.333333333333)
    """
    a, b = checked_weights(nu, lam)
    return validate.plain(a), validate.plain(b)


def weight_ratio(nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    """Return gamma = b / a, the slope of the lines of equal accuracy in the ROC plane.

    Notes
    -----
    Limits paper, Definition 2.  The security depends on ``nu`` and ``lam`` through gamma alone.

    Examples
    --------
    >>> weight_ratio(nu=0.75)
    3.0
    """
    a, b = checked_weights(nu, lam)
    return validate.plain(np.asarray(b / a))
