"""The attack that says *in* when the loss is at most a threshold, and what it gains."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.base.estimate import Estimate
from mipbook.base.types import Floats

__all__ = ["accuracy_from_rates", "threshold_advantage", "threshold_attack"]


def accuracy_from_rates(caught: float, wrong: int, others: int, confidence: float = 0.95) -> Estimate:
    """Return how often an attack on one model is right, balanced, when all members were asked.

    Parameters
    ----------
    caught : float
        The share of the members that are called *in*, in [0, 1].
    wrong, others : int
        How many of how many fresh records are called *in*.

    Returns
    -------
    Estimate
        Only the share among fresh records is uncertain; its interval is Clopper and Pearson's.

    Examples
    --------
    >>> accuracy_from_rates(1.0, 1, 4).value
    0.875
    """
    from mipbook.game import clopper_pearson

    caught = validate.number("caught", caught, 0.0, 1.0)
    low, high = clopper_pearson(wrong, others, confidence)
    return Estimate(
        (caught + 1 - wrong / others) / 2,
        (caught + 1 - float(high)) / 2,
        (caught + 1 - float(low)) / 2,
        "estimate",
        confidence,
    )


def threshold_attack(
    members: ArrayLike, others: ArrayLike, epsilon: float, confidence: float = 0.95
) -> Estimate:
    """Return how often the attack *in if the loss is at most epsilon* is right, balanced.

    Parameters
    ----------
    members : array_like of shape (records,)
        The losses of all training records of one model, at least 0.
    others : array_like of shape (others,)
        The losses of fresh records, drawn independently, at least 0.
    epsilon : float
        The attack's threshold on the loss, in [0, inf].

    Returns
    -------
    Estimate
        The accuracy against this model.  All its members are seen, so only the share among
        fresh records is uncertain; its interval is Clopper and Pearson's.

    References
    ----------
    The attack in the proof of the Limits paper, Theorem 11.

    Examples
    --------
    >>> threshold_attack([0.0, 0.0], [0.0, 1.0, 2.0, 3.0], 0.5).value
    0.875
    """
    inside = validate.array("members", members, 0.0, ndim=1)
    outside = validate.array("others", others, 0.0, ndim=1)
    for name, losses in (("members", inside), ("others", outside)):
        if not losses.size:
            validate.refuse(name, losses, "at least one loss")
    epsilon = validate.number("epsilon", epsilon, 0.0)
    caught = float((inside <= epsilon).mean())
    wrong = int((outside <= epsilon).sum())
    return accuracy_from_rates(caught, wrong, outside.size, validate.confidence(confidence))


def threshold_advantage(kappa: ArrayLike) -> Floats:
    """Return what the best loss threshold gains against least squares, d / n -> kappa.

    Parameters
    ----------
    kappa : float or array_like
        Features over records, in [0, inf].

    Returns
    -------
    float or ndarray
        TPR minus FPR, a lower bound on the limit of Delta; 1 from ``kappa`` = 1 on.

    References
    ----------
    Limits paper, Example 2; new here.  On normal inputs the residuals tend to normal distributions
    with variances 1 - kappa (members) and 1 / (1 - kappa) (others), in units of the noise.

    Examples
    --------
    >>> threshold_advantage([0.0, 0.5, 1.0]).round(6).tolist()
    [0.0, 0.322675, 1.0]
    """
    from scipy.special import erf

    ratio = validate.array("kappa", kappa, 0.0)
    inner = np.clip(ratio, 1e-300, 1 - 1e-16)
    rest = 1 - inner
    # The two densities meet at t; in units of the geometric mean it is 1 for small kappa.
    t = np.sqrt(-2 * np.log1p(-inner) * rest / (inner * (2 - inner)))
    gain = erf(t / np.sqrt(2 * rest)) - erf(t * np.sqrt(rest / 2))
    return validate.plain(np.where(ratio >= 1, 1.0, np.where(ratio == 0, 0.0, gain)))
