"""What training by noisy gradients promises, certified from both sides, and what else is said of it."""

import logging
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from explorable import validate
from mipbook.base.rounding import Estimate
from mipbook.dpsgd.lattice import Plan, Sums, above, below, planned
from mipbook.dpsgd.step import Training
from mipbook.tradeoff import gaussian_epsilon

_LEAST_DELTA = 1e-10
_SEVERAL = 16.0
_LEAST_SIGMA, _MOST_SIGMA = 0.1, 1000.0
# A plan whose epsilon is so many times too high is made again; so often at most.
_FAR, _PASSES = 2.0, 5
# Two ends so near each other are not looked for again, nor two noises.
_NEAR, _SIGMA_NEAR = 1e-3, 1e-4
# No delta below it is told apart from 0.
_TINY = 1e-120


def certified_epsilon(
    sampling: float, sigma: float, steps: int, delta: float, replaced: bool = False
) -> Estimate:
    """Return the epsilon of a DP-SGD run at a delta, from both sides.

    Parameters
    ----------
    sampling : float
        The chance of each record to be in a step's batch, in [1e-6, 1].
    sigma : float
        The standard deviation of the noise over the clip, in [0.1, 1000].
    steps : int
        How many batches are drawn, in [1, 1000000]; each record is in each by a toss (Poisson sampling).
    delta : float
        In [1e-10, 1].
    replaced : bool
        Whether neighbours differ by a record that is replaced; else it is added or removed.

    Returns
    -------
    Estimate
        Its value and its upper end can be promised; nothing below its lower end can.

    Notes
    -----
    Neither the clip nor the model enters.  Both ends leave room for all that rounding may do.
    They are a ten-thousandth apart or less, but where a record is drawn so rarely that hardly
    more than one step can tell.

    References
    ----------
    V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar and P. Manurangsi, "Connect the Dots: Tighter
    Discrete Approximations of Privacy Loss Distributions", PETS 2022, for the upper end.

    Examples
    --------
    >>> found = certified_epsilon(0.1, 2.0, 100, 1e-5)
    >>> 2.3372 < found.low < 2.3373996 < found.high < 2.3375
    True
    """
    training = Training.checked(sampling, sigma, steps, replaced)
    delta = validate.number("delta", delta, _LEAST_DELTA, 1.0)
    low, high = epsilon_ends(training, delta)
    return Estimate(high, low, high, "bound")


def certified_delta(
    sampling: float, sigma: float, steps: int, epsilon: float, replaced: bool = False
) -> Estimate:
    """Return delta at an epsilon of training by clipped, noisy gradients, from both sides.

    Parameters
    ----------
    sampling, sigma, steps, replaced
        As in `certified_epsilon`.
    epsilon : float
        In [0, 1000].

    Notes
    -----
    As `certified_epsilon`; at ``epsilon = 0`` it is the attacker's advantage.

    Examples
    --------
    >>> found = certified_delta(0.1, 2.0, 100, 0.0)
    >>> found.low < 0.2058611 < found.high < 0.2059
    True
    """
    training = Training.checked(sampling, sigma, steps, replaced)
    epsilon = validate.number("epsilon", epsilon, 0.0, 1000.0)
    low, high = _delta(training, False, epsilon)
    if _may_exceed(training, epsilon, low):
        mirrored = _delta(training, True, epsilon)
        low, high = max(low, mirrored[0]), max(high, mirrored[1])
    return Estimate(high, low, high, "bound")


def certified_advantage(sampling: float, sigma: float, steps: int, replaced: bool = False) -> Estimate:
    """Return the best attacker's advantage on training by noisy gradients, from both sides.

    Parameters
    ----------
    sampling, sigma, steps, replaced
        As in `certified_epsilon`.

    Notes
    -----
    `certified_delta` at ``epsilon = 0``.

    Examples
    --------
    >>> found = certified_advantage(0.1, 2.0, 100)
    >>> found.low < 0.2058611 < found.high
    True
    """
    return certified_delta(sampling, sigma, steps, 0.0, replaced)


def certified_sigma(
    sampling: float, steps: int, epsilon: float, delta: float, replaced: bool = False
) -> float:
    """Return a noise that is certified to keep a promise; 1e-4 of it less may not be.

    Parameters
    ----------
    sampling, steps, replaced
        As in `certified_epsilon`.
    epsilon : float
        In [0.001, 500].
    delta : float
        In [1e-10, 0.5].

    Notes
    -----
    By the upper end of `certified_epsilon`, and a Chernoff bound that says where to look.

    Examples
    --------
    >>> 2.0 < certified_sigma(0.1, 100, 2.3373996, 1e-5) < 2.001
    True
    """
    run = Training.checked(sampling, _MOST_SIGMA, steps, replaced)
    epsilon = validate.number("epsilon", epsilon, 1e-3, 500.0)
    delta = validate.number("delta", delta, _LEAST_DELTA, 0.5)

    def cost(sigma: float) -> float:
        there = replace(run, sigma=sigma)
        # So much lost on average leaves no such promise, and makes a long lattice.
        return np.inf if there.lost > epsilon + _SEVERAL else epsilon_ends(there, delta, both=False)[1]

    def rough(sigma: float) -> float:
        return planned(replace(run, sigma=sigma), False, delta).epsilon

    if cost(_LEAST_SIGMA) <= epsilon:
        return _LEAST_SIGMA
    # A rough cost, times what the last trial showed it to be off, tells where to try next.
    low, high, ratio = _LEAST_SIGMA, np.inf, 1.0
    while high > low * (1.0 + _SIGMA_NEAR):
        aim = _where(rough, epsilon * ratio)
        # Once the aim is good, its two sides hold the answer.
        aim *= 1.0 + (0.3 if high > aim * (1.0 + _SIGMA_NEAR) else -0.3) * _SIGMA_NEAR
        middle = np.sqrt(low * min(high, _MOST_SIGMA))
        sigma = aim if low < aim < high else float(middle)
        sigma = sigma if sigma * (1.0 + _SIGMA_NEAR) < _MOST_SIGMA else _MOST_SIGMA
        found = cost(sigma)
        low, high = (low, sigma) if found <= epsilon else (sigma, high)
        if low == _MOST_SIGMA:
            shown = (sampling, steps, epsilon, delta, replaced)
            allowed = f"such that noise of at most {_MOST_SIGMA:g} clips keeps the promise"
            validate.refuse("(sampling, steps, epsilon, delta, replaced)", shown, allowed)
        ratio = rough(sigma) / found if 0.0 < found < np.inf else 1.0
    return float(high)


def sums_of(training: Training, mirrored: bool, plan: Plan, upper: bool) -> Sums:
    """Return the sums of one direction by a plan, from above or from below."""
    one = (above if upper else below)(training, plan.width, plan.tail)
    return Sums(one.mirrored() if mirrored else one, training.steps, plan, upper)


def epsilon_ends(training: Training, delta: float, both: bool = True) -> tuple[float, float]:
    """Return epsilon from both sides, or from above alone: the larger of the two directions."""
    low, high = epsilon_of(training, False, delta, both)
    if _may_exceed(training, high, delta):
        mirrored = epsilon_of(training, True, delta, both)
        low, high = max(low, mirrored[0]), max(high, mirrored[1])
    return low, high


def epsilon_of(training: Training, mirrored: bool, delta: float, both: bool = True) -> tuple[float, float]:
    """Return epsilon of one direction from both sides, or from above alone."""
    low, high, near = 0.0, np.inf, None
    for _ in range(_PASSES):
        plan = planned(training, mirrored, delta, near)
        high = min(high, sums_of(training, mirrored, plan, True).epsilon(delta))
        if both:
            low = max(low, sums_of(training, mirrored, plan, False).epsilon(delta))
        if plan.epsilon <= _FAR * high and (not both or high <= low * (1.0 + _NEAR)):
            break
        near = high if high < np.inf else plan.epsilon / 8.0
    return low, high


def _delta(training: Training, mirrored: bool, epsilon: float) -> tuple[float, float]:
    """Return delta of one direction from both sides."""
    low, high, near, at = 0.0, 1.0, None, np.array([epsilon])
    for _ in range(_PASSES):
        plan = planned(training, mirrored, near, epsilon)
        low = max(low, float(sums_of(training, mirrored, plan, False).delta(at)[0]))
        high = min(high, float(sums_of(training, mirrored, plan, True).delta(at)[0]))
        if high <= max(low * (1.0 + _NEAR), _TINY):
            break
        near = max(high, _TINY)
    return low, high


def _may_exceed(training: Training, epsilon: float, delta: float) -> bool:
    """Whether a record that is added may have a larger delta than this."""
    if training.replaced:
        return False
    return sums_of(training, True, planned(training, True, epsilon=epsilon), True).at_most(epsilon) > delta


def _where(falling: Callable[[float], float], value: float) -> float:
    """Return the noise at which a falling function has a value, or the end that is nearest."""
    if falling(_LEAST_SIGMA) <= value:
        return _LEAST_SIGMA
    if falling(_MOST_SIGMA) >= value:
        return _MOST_SIGMA

    def over(log_sigma: float) -> float:
        return float(np.log(falling(np.exp(log_sigma)) + 1e-9) - np.log(value + 1e-9))

    return float(np.exp(brentq(over, np.log(_LEAST_SIGMA), np.log(_MOST_SIGMA), xtol=1e-6)))


def renyi_epsilon(sampling: float, sigma: float, steps: int, delta: float) -> float:
    """Return the epsilon that accounting by Rényi divergences promises: an upper bound.

    Parameters
    ----------
    sampling, sigma, steps
        As in `certified_epsilon`.
    delta : float
        In [1e-10, 1).

    Notes
    -----
    For records that are added or removed; the package dp-accounting, with its own orders.

    References
    ----------
    I. Mironov, K. Talwar and L. Zhang, "Rényi Differential Privacy of the Sampled Gaussian
    Mechanism", 2019.

    Examples
    --------
    >>> round(renyi_epsilon(0.1, 2.0, 100, 1e-5), 4)
    2.5806
    """
    training = Training.checked(sampling, sigma, steps)
    delta = validate.number("delta", delta, _LEAST_DELTA, 1.0, open_high=True)
    import dp_accounting  # a second to load, and an extra of the package

    event = dp_accounting.GaussianDpEvent(training.sigma)
    if training.sampling < 1.0:
        event = dp_accounting.PoissonSampledDpEvent(training.sampling, event)
    # The accountant logs which orders it leaves out: fewer orders bound as well.
    logger = logging.getLogger("absl")
    before = logger.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logger.setLevel(logging.ERROR)
        try:
            account = dp_accounting.rdp.RdpAccountant()
            account.compose(dp_accounting.SelfComposedDpEvent(event, training.steps))
            return float(max(account.get_epsilon(delta), 0.0))
        finally:
            logger.setLevel(before)


def limit_mu(sampling: float, sigma: float, steps: int) -> float:
    """Return the mu of the Gaussian that training by noisy gradients comes near: no bound.

    Parameters
    ----------
    sampling, sigma, steps
        As in `certified_epsilon`.

    Notes
    -----
    The limit for many steps with ``sampling`` falling as one over the root of their number.

    References
    ----------
    Z. Bu, J. Dong, Q. Long and W. Su, "Deep Learning with Gaussian Differential Privacy", Harvard
    Data Science Review 2020.

    Examples
    --------
    >>> round(limit_mu(256 / 60000, 1.1, 14062), 6)
    0.573581
    """
    training = Training.checked(sampling, sigma, steps)
    return float(training.sampling * np.sqrt(training.steps * np.expm1(training.sigma**-2)))


def limit_epsilon(sampling: float, sigma: float, steps: int, delta: float) -> float:
    """Return the epsilon at a delta of the Gaussian limit: an approximation, too low at times.

    Parameters
    ----------
    sampling, sigma, steps
        As in `certified_epsilon`.
    delta : float
        In [1e-10, 1].

    Notes
    -----
    For records that are added or removed.  Where few steps make large losses it falls short of
    the truth by more than half, so it certifies nothing.

    Examples
    --------
    >>> round(limit_epsilon(0.01, 0.7, 100, 1e-5), 4)
    0.9621
    """
    mu = limit_mu(sampling, sigma, steps)
    delta = validate.number("delta", delta, _LEAST_DELTA, 1.0)
    return float(gaussian_epsilon(delta, sigma=1.0 / mu))
