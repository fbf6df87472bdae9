"""What MIP and PMP on every pool say about security, where nobody chooses the pool."""

from __future__ import annotations

from typing import Any

from explorable import validate
from mipbook.base.types import Floats
from mipbook.mip.conversion import eta_from_dp

__all__ = ["delta_from_mip", "delta_from_pmp"]


def delta_from_mip(eta: Any) -> Floats:
    r"""Return the most that the best attack on an eta-MIP learner gains, :math:`\Delta \le 2\eta`.

    Parameters
    ----------
    eta : float or array_like
        In [0, 1/2].

    Returns
    -------
    float or ndarray
        In [0, 1].

    Notes
    -----
    This book, Theorem 2.3.  The learner is eta-MIP on almost every pool of 2n records drawn
    from the distribution of the data.  Sharp for every n: publish one random member with
    probability p; then eta is p / (2n), and Delta is p / n where no two records are alike.

    Examples
    --------
    >>> delta_from_mip(0.1)
    0.2
    """
    return validate.plain(2 * validate.array("eta", eta, 0.0, 0.5))


def delta_from_pmp(epsilon: Any, delta: Any = 0.0) -> Floats:
    r"""Return a bound on Delta of every learner that is (epsilon, delta)-PMP on all pools.

    Parameters
    ----------
    epsilon : float or array_like
        The PMP parameter, in [0, inf].
    delta : float or array_like
        In [0, 1]; the two broadcast.

    Returns
    -------
    float or ndarray
        :math:`\delta + (1 - \delta)\tanh(\epsilon/2)`, in [0, 1].

    Notes
    -----
    This book, Theorem 2.5.  A bound for every n.  The exact numbers of `tag_release` come near
    it for pure PMP as n grows; that they reach it in the limit is not proved.

    Examples
    --------
    >>> round(delta_from_pmp(1.0), 6), round(delta_from_pmp(1.0, 0.1), 6)
    (0.462117, 0.515905)
    """
    # An advantage, which is twice what MIP calls eta.
    return 2 * eta_from_dp(epsilon, delta)
