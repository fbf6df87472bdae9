"""Between differential privacy and membership inference privacy, both ways."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.base.types import Floats

__all__ = ["epsilon_from_eta", "eta_from_dp"]


def eta_from_dp(epsilon: ArrayLike, delta: ArrayLike = 0.0) -> Floats:
    """Return the smallest eta for which every (epsilon, delta)-DP release is eta-MIP.

    Returns
    -------
    float or ndarray
        ``delta/2 + (1 - delta) tanh(epsilon/2) / 2``, in [0, 1/2].

    Notes
    -----
    MIP paper, Theorem 4; with ``delta = 0`` RIP paper, Theorem 4.  The bound is attained.

    Examples
    --------
    >>> round(eta_from_dp(1.0, 0.1), 12)
    0.257952720767
    """
    epsilon = validate.array("epsilon", epsilon, 0.0)
    delta = validate.array("delta", delta, 0.0, 1.0)
    validate.broadcast(("epsilon", "delta"), (epsilon, delta))
    return validate.plain(delta / 2 + (1 - delta) * np.tanh(epsilon / 2) / 2)


def epsilon_from_eta(eta: ArrayLike, delta: ArrayLike = 0.0) -> Floats:
    """Return the largest epsilon for which (epsilon, delta)-DP still implies eta-MIP.

    Parameters
    ----------
    eta : array_like
        Edge over a coin toss, in [0, 1/2].
    delta : array_like
        Failure probability in [0, 1], at most ``2 eta``: a larger one rules eta out.

    Returns
    -------
    float or ndarray
        ``ln((1 + x) / (1 - x))`` with ``x = (2 eta - delta) / (1 - delta)``, in [0, inf].

    Notes
    -----
    MIP paper, Theorem 4, solved for epsilon.

    Examples
    --------
    >>> round(epsilon_from_eta(0.1), 12)
    0.405465108108
    """
    eta = validate.array("eta", eta, 0.0, 0.5)
    delta = validate.array("delta", delta, 0.0, 1.0)
    validate.broadcast(("eta", "delta"), (eta, delta))
    eta, delta = np.broadcast_arrays(eta, delta)
    if np.any(delta > 2 * eta):
        worst = float(delta[delta > 2 * eta].flat[0])
        validate.refuse("delta", worst, "at most 2 eta, since delta alone costs delta / 2")
    # The gap 1 - x decides for eta near 1/2; formed directly it keeps its digits.
    surplus, gap = 2 * eta - delta, 1 - 2 * eta
    with np.errstate(divide="ignore", invalid="ignore"):
        epsilon = np.log1p(2 * surplus / gap)
    return validate.plain(np.where(gap > 0, epsilon, np.inf))
