"""What a PMP parameter promises about attackers, and how the paper's other forms relate to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorable import validate
from explorable.checked import checked
from mipbook import tradeoff
from mipbook.base.types import Deltas, Epsilons, Floats, Rates
from mipbook.mip.conversion import eta_from_dp


@checked
def success_bound(epsilon: Epsilons, delta: Deltas = 0.0, share: Rates = 0.5) -> Floats:
    r"""Return how often the best practical attacker can be right, at most.

    Parameters
    ----------
    share : float or array_like
        The share of the pool that was drawn, in [0, 1]; the three broadcast.

    Returns
    -------
    float or ndarray
        :math:`\delta + (1 - \delta)\max\{1/(1 + e^{-\epsilon}),\, p,\, 1 - p\}` with p the
        share; for a half, :math:`(e^\epsilon + \delta)/(1 + e^\epsilon)`.

    Notes
    -----
    PMP paper, Lemma 6, and footnote 1 for shares other than a half.  Attained by the tight
    mechanism; for a half it is `mipbook.tradeoff.dp_accuracy`, the bound on the attacker who
    knows all other records.

    Examples
    --------
    >>> round(success_bound(0.1), 6), round(success_bound(1.0, share=0.1), 6)
    (0.524979, 0.9)
    """
    validate.broadcast(("epsilon", "delta", "share"), (epsilon, delta, share))
    blind = delta + (1 - delta) * np.maximum(share, 1 - share)
    return validate.plain(np.maximum(tradeoff.dp_accuracy(epsilon, delta), blind))


@checked
def eta_from_pmp(epsilon: Epsilons, delta: Any = 0.0, *, as_published: bool = False) -> Floats:
    r"""Return an eta for which every (epsilon, delta)-PMP mechanism is eta-MIP.

    Parameters
    ----------
    delta : float or array_like
        PMP parameter in [0, 1]; the published form has none.
    as_published : bool
        Return :math:`(1 - e^{-\epsilon})/2` instead of the sharp
        :math:`\delta/2 + (1 - \delta)\tanh(\epsilon/2)/2`.

    Raises
    ------
    ValueError
        For a positive delta with the published form.

    Notes
    -----
    PMP paper, Lemma 13; the sharp form is Lemma 6.

    Examples
    --------
    >>> round(eta_from_pmp(0.1), 12), round(eta_from_pmp(0.1, as_published=True), 12)
    (0.024979187479, 0.047581290982)
    """
    if not validate.switch("as_published", as_published):
        return eta_from_dp(epsilon, delta)
    if np.any(validate.array("delta", delta, 0.0, 1.0) > 0):
        validate.refuse("delta", delta, "0 with as_published, which is about pure PMP")
    return validate.plain(-np.expm1(-epsilon) / 2)


@checked
def epsilon_from_posterior(epsilon: Epsilons, delta: Deltas) -> Floats:
    r"""Return the pure PMP parameter that the paper's posterior condition amounts to.

    Parameters
    ----------
    delta : float or array_like
        In [0, 1]; at 1 the condition says nothing.

    Returns
    -------
    float or ndarray
        :math:`\ln\left((e^\epsilon + \delta)/(1 - \delta)\right)`, in [0, inf].

    Notes
    -----
    PMP paper, Lemma 3, condition (1) for all events at once.

    Examples
    --------
    >>> round(epsilon_from_posterior(0.0, 1 / 3), 12)
    0.69314718056
    """
    validate.broadcast(("epsilon", "delta"), (epsilon, delta))
    with np.errstate(divide="ignore"):
        rest = -np.log1p(-delta)
    return validate.plain(epsilon + np.log1p(delta * np.exp(-epsilon)) + rest)
