"""Overfitting: what small training losses promise, and what an attack by a threshold gains."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from explorable import validate
from explorable.checked import Integer, Number, Numbers, checked
from mipbook.base.rounding import Estimate
from mipbook.base.types import Array, Chance, Chances, Epsilon, Floats, Rate, Rates
from mipbook.mis.notion import weight_ratio


def _kept_out(n: Array, alpha: Array) -> Array:
    """Return how many losses may exceed epsilon: the largest integer below n alpha."""
    share = n * alpha
    # 100 * 0.07 is 7.000000000000001: what is an integer on paper stays one.
    whole = np.rint(share)
    near = np.abs(share - whole) <= 1e-12 * np.maximum(share, 1)
    return np.asarray(np.maximum(np.where(near, whole, np.ceil(share)) - 1, 0))


@checked
def overfitting_fraction(n: Any, alpha: Chances) -> Floats:
    """Return the share of losses that stopping at a mean of epsilon * alpha keeps small.

    Parameters
    ----------
    n : int or array_like
        Training records, whole numbers, at least 1.
    alpha : float or array_like
        In (0, 1).

    Returns
    -------
    float or ndarray
        The smallest possible fraction of losses at most epsilon, at least ``1 - alpha``.

    References
    ----------
    Limits paper, Proposition 10, in its sharp form (new here): fewer than ``n alpha`` losses
    exceed epsilon, and `worst_losses` shows that no fewer need be allowed for.

    Examples
    --------
    >>> overfitting_fraction(10, 0.25), overfitting_fraction(10, 0.1)
    (0.8, 1.0)
    """
    count = validate.array("n", n, 1.0, open_high=True)
    validate.broadcast(("n", "alpha"), (count, alpha))
    if (count != np.rint(count)).any():
        validate.refuse("n", n, "whole numbers, at least 1")
    return validate.plain(np.asarray(1 - _kept_out(count, alpha) / count))


Threshold = Annotated[float, Number(0.0, 1e100, open_low=True)]


@checked
def worst_losses(n: Annotated[int, Integer(1, 10**7)], epsilon: Threshold, alpha: Chance) -> Array:
    """Return rising losses with mean at most epsilon * alpha, as many as can be above epsilon.

    Parameters
    ----------
    n : int
        Training records, in [1, 10^7].
    epsilon : float
        The threshold on the loss, in (0, 1e100].
    alpha : float
        In (0, 1).

    References
    ----------
    Limits paper, Proposition 10: the case in which Markov's inequality is sharp.

    Examples
    --------
    >>> losses = worst_losses(10, 1.0, 0.25)
    >>> int((losses > 1).sum()), bool(losses.mean() <= 0.25)
    (2, True)
    """
    high = int(_kept_out(np.asarray(float(n)), np.asarray(alpha)))
    losses = np.zeros(n)
    # All of the allowed total is used, so each is above epsilon as far as it can be.
    if high:
        losses[n - high :] = n * alpha * epsilon / high
    return losses


@checked
def overfitting_security(alpha: Rates, below: Rates, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    r"""Return the most security that an overfitting learner can have.

    Parameters
    ----------
    alpha : float or array_like
        The share of training losses that may exceed the threshold, in [0, 1].
    below : float or array_like
        The chance that the loss of a fresh record is at most the threshold, in [0, 1].

    Returns
    -------
    float or ndarray
        An upper bound on the MIS, in [0, 1].

    References
    ----------
    Limits paper, Theorem 11, equation (12): :math:`\alpha + P(\ell(z_0) \le \varepsilon)` in
    the balanced case; the other weights are new here.

    Examples
    --------
    >>> overfitting_security(0.1, 0.05)
    0.15000000000000002
    >>> overfitting_security(0.0, 0.0, nu=0.2)
    0.0
    """
    gamma = np.asarray(weight_ratio(nu, lam))
    validate.broadcast(("alpha", "below", "nu and lam"), (alpha, below, gamma))
    bound = np.maximum(1.0, 1 / gamma) * alpha + np.maximum(1.0, gamma) * below
    return validate.plain(np.asarray(np.minimum(bound, 1.0)))


Losses = Annotated[Any, Numbers(0.0, ndim=1)]
# The mean training loss, and a bound M on the density of y given x.
Mean = Annotated[Any, Numbers(0.0, 1e100)]
Density = Annotated[Any, Numbers(1e-100, 1e100)]
Thresholds = Annotated[Any, Numbers(0.0, 1e100, open_low=True)]


@checked
def stopping_threshold(eta: Mean, density: Density) -> Floats:
    """Return the threshold ``(eta / M)**(2/3)`` at which `stopping_security` is smallest.

    Parameters
    ----------
    eta, density
        As in `stopping_security`.

    References
    ----------
    Limits paper, Theorem 11; the quantitative form is new here.

    Examples
    --------
    >>> round(stopping_threshold(1e-6, 4.0), 12)
    3.9685026e-05
    """
    validate.broadcast(("eta", "density"), (eta, density))
    return validate.plain(np.asarray(np.cbrt(eta / density) ** 2))


@checked
def stopping_terms(eta: Mean, density: Density, epsilon: Thresholds) -> tuple[Array, Array]:
    """Return the two bounds whose sum `stopping_security` takes, uncapped.

    Parameters
    ----------
    eta, density, epsilon
        As in `stopping_security`.

    Returns
    -------
    missed, caught : ndarray
        Of members whose loss exceeds the threshold, and of fresh records whose loss does not.

    Examples
    --------
    >>> missed, caught = stopping_terms(1e-4, 4.0, 1e-2)
    >>> round(float(missed), 12), round(float(caught), 12)
    (0.01, 0.8)
    """
    validate.broadcast(("eta", "density", "epsilon"), (eta, density, epsilon))
    with np.errstate(over="ignore"):
        return np.asarray(eta / epsilon), np.asarray(2 * density * np.sqrt(epsilon))


@checked
def stopping_security(eta: Mean, density: Density, epsilon: Any = None) -> Floats:
    r"""Return the most security left when training stops at a mean squared error of eta.

    Parameters
    ----------
    eta : float or array_like
        The mean training loss, in [0, 1e100].
    density : float or array_like
        A bound M on the density of y given x, in [1e-100, 1e100]; for normal noise
        ``1 / (sigma * sqrt(2 pi))``.
    epsilon : float or array_like, optional
        The attack's threshold on the loss, in (0, 1e100]; the best one if not given.

    Returns
    -------
    float or ndarray
        An upper bound on the MIS, in [0, 1].

    References
    ----------
    Limits paper, Theorem 11, equation (13), made quantitative (new here):
    :math:`\eta/\varepsilon + 2M\sqrt\varepsilon`, which is :math:`3(M^2\eta)^{1/3}` at the best
    :math:`\varepsilon`.

    Examples
    --------
    >>> import math
    >>> round(stopping_security(1e-4, 1 / (0.1 * math.sqrt(2 * math.pi))), 12)
    0.350263297482
    """
    if epsilon is None:
        validate.broadcast(("eta", "density"), (eta, density))
        bound = 3 * np.cbrt(density) ** 2 * np.cbrt(eta)
    else:
        missed, caught = stopping_terms(eta, density, epsilon)
        bound = missed + caught
    return validate.plain(np.asarray(np.minimum(bound, 1.0)))


@checked
def accuracy_from_rates(caught: Rate, wrong: int, others: int, confidence: float = 0.95) -> Estimate:
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

    rates = (wrong / others, *map(float, reversed(clopper_pearson(wrong, others, confidence))))
    value, low, high = ((caught + 1 - rate) / 2 for rate in rates)
    return Estimate(value, low, high, "estimate", confidence)


@checked
def threshold_attack(members: Losses, others: Losses, epsilon: Epsilon, confidence: float = 0.95) -> Estimate:
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
    for name, losses in (("members", members), ("others", others)):
        if not losses.size:
            validate.refuse(name, losses, "at least one loss")
    caught = float((members <= epsilon).mean())
    wrong = int((others <= epsilon).sum())
    return accuracy_from_rates(caught, wrong, others.size, validate.confidence(confidence))


def residual_edge(kappa: Any) -> Any:
    """Return how far off, in units of the noise, members and others are equally likely, d / n -> kappa.

    Examples
    --------
    >>> round(float(residual_edge(0.5)), 6)
    0.961351
    """
    # In units of the noise the geometric mean of the two spreads is 1, and so is this for small kappa.
    return np.sqrt(-2 * np.log1p(-kappa) * (1 - kappa) / (kappa * (2 - kappa)))


@checked
def threshold_advantage(kappa: Annotated[Any, Numbers(0.0)]) -> Floats:
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

    inner = np.clip(kappa, 1e-300, 1 - 1e-16)
    rest, t = 1 - inner, residual_edge(inner)
    gain = erf(t / np.sqrt(2 * rest)) - erf(t * np.sqrt(rest / 2))
    return validate.plain(np.where(kappa >= 1, 1.0, np.where(kappa == 0, 0.0, gain)))
