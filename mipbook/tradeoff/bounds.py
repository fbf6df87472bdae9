"""Bounds that hold for every (epsilon, delta)-DP mechanism, and the hockey-stick."""

import numpy as np

from explorable import validate
from explorable.checked import checked
from mipbook.base.types import Array, Deltas, Distribution, Epsilons, Floats, Rates
from mipbook.tradeoff.numerics import apply

# e^1418 times the smallest double is far above 1, and e^709 is still finite.
_SATURATED = 1418.0
# Entries of the table of differences held at once: 32 MB.
_TABLE = 1 << 22


@checked
def dp_tpr(fpr: Rates, epsilon: Epsilons, delta: Deltas = 0.0) -> Floats:
    r"""Best true positive rate that any (epsilon, delta)-DP mechanism allows.

    .. math:: \min\{1,\; \delta + e^\epsilon x,\; 1 - e^{-\epsilon}(1 - \delta - x)\}

    Returns
    -------
    float or ndarray
        True positive rate in [fpr, 1].

    Notes
    -----
    Huge ``epsilon`` does not overflow.  At ``epsilon`` inf the rate is ``delta``
    for ``fpr`` 0 and 1 for every other: the limit of the formula.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential
    Privacy", IEEE Trans. Inf. Theory 2017, Theorem 2.1.

    Examples
    --------
    >>> round(dp_tpr(0.01, 1.0, 1e-5), 12)
    0.027192818285
    >>> dp_tpr([0.0, 1e-300, 0.5], 1000.0).tolist()
    [0.0, 1.0, 1.0]
    """
    return apply(_dp_tpr, fpr=fpr, epsilon=epsilon, delta=delta)


def _dp_tpr(fpr: Array, epsilon: Array, delta: Array) -> Array:
    first = delta + _times_exp(fpr, epsilon)
    # The published form 1 - e^-eps (1 - delta - x) loses every digit at small epsilon.
    second = -np.expm1(-epsilon) + np.exp(-epsilon) * (delta + fpr)
    return np.maximum(fpr, np.minimum(1.0, np.minimum(first, second)))


def _times_exp(x: Array, epsilon: Array) -> Array:
    """Return x e^epsilon where it is at most 1e290, else a number far above 1."""
    root = np.exp(0.5 * np.minimum(epsilon, _SATURATED))
    return (x * root) * root


@checked
def dp_accuracy(epsilon: Epsilons, delta: Deltas = 0.0) -> Floats:
    r"""Best membership accuracy against the worst (epsilon, delta)-DP mechanism.

    Both hypotheses have probability 1/2.  The value is :math:`1/2 + \eta` with
    :math:`\eta = \delta/2 + (1 - \delta)\tanh(\epsilon/2)/2`, and the mechanism
    that attains it reveals all with probability delta and otherwise answers
    truthfully with odds :math:`e^\epsilon`.

    Returns
    -------
    float or ndarray
        Accuracy in [1/2, 1]; 1 at ``epsilon`` inf and at ``delta`` 1.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential
    Privacy", IEEE Trans. Inf. Theory 2017, Theorem 2.1.

    Examples
    --------
    >>> round(dp_accuracy(1.0), 12)
    0.73105857863
    >>> dp_accuracy([0.0, 1e4], [0.5, 0.0]).tolist()
    [0.75, 1.0]
    """
    return apply(_dp_accuracy, epsilon=epsilon, delta=delta)


def _dp_accuracy(epsilon: Array, delta: Array) -> Array:
    return np.asarray(0.5 + 0.5 * (delta + (1.0 - delta) * np.tanh(0.5 * epsilon)))


@checked
def hockey_stick(p: Distribution, q: Distribution, epsilon: Epsilons) -> Floats:
    r"""Hockey-stick divergence :math:`\sum_i \max(p_i - e^\epsilon q_i, 0)`.

    It is the smallest delta for which p and q are (epsilon, delta)-close in this
    direction; take the larger of the two orders for a mechanism.

    Parameters
    ----------
    p, q : array of shape (k,)
        Probability vectors over the same outcomes.

    Returns
    -------
    float or ndarray
        Divergence in [0, 1], of the shape of ``epsilon``.  At ``epsilon`` inf it is
        the probability under p of outcomes that are impossible under q.

    References
    ----------
    G. Barthe and F. Olmedo, "Beyond Differential Privacy: Composition Theorems and
    Relational Logic for f-divergences between Probabilistic Programs", ICALP 2013.

    Examples
    --------
    >>> round(hockey_stick([0.75, 0.25], [0.25, 0.75], 0.0), 12)
    0.5
    >>> hockey_stick([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 1000.0, float("inf")]).tolist()
    [0.5, 0.5, 0.5]
    """
    if p.shape != q.shape:
        validate.refuse("q", q, f"a probability vector of the length of p, {p.size}")
    rows = max(1, _TABLE // p.size)

    def kernel(level: Array) -> Array:
        starts = range(0, level.size, rows)
        return np.concatenate([row_divergences(p, q, level[at : at + rows, None]) for at in starts])

    return apply(kernel, epsilon=epsilon)


def row_divergences(p: Array, q: Array, epsilon: Array) -> Array:
    """Return the hockey-stick divergence of each row of ``p`` from that of ``q``."""
    # Near epsilon 0 the difference p - q is exact where p and q are close.
    near = (p - q) - q * np.expm1(np.minimum(epsilon, 1.0))
    far = p - _times_exp(q, epsilon)
    terms = np.maximum(np.where(epsilon < 1.0, near, far), 0.0)
    return np.asarray(np.minimum(terms.sum(axis=1), 1.0))
