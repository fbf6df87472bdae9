"""What training by noisy gradients promises, certified from both sides by the field's accountant.

`dp-accounting` adds up privacy losses on a grid.  Rounded one way the result is a promise that
holds, rounded the other way one that does not: the truth lies between.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from mipbook.base import validate
from mipbook.base.estimate import Estimate
from mipbook.base.types import Array
from mipbook.together.training.settings import Training

__all__ = [
    "certified_advantage",
    "certified_delta",
    "certified_deltas",
    "certified_epsilon",
    "certified_sigma",
]

# Cells of the grid from above, whose error is of the second order in their width, and from below.
_CELLS_ABOVE, _CELLS_BELOW, _MOST_BELOW = 1 << 15, 1 << 17, 1 << 21
_CELLS_A_STEP = 1 << 8
_NARROWEST_ABOVE, _NARROWEST_BELOW = 1e-4, 1e-6
_SECOND_ORDER = 1e-3
# The convolution's rounding grows with the power; the accountant cuts tails of 1e-15.
_ROUNDING = 1e-15
_LEAST_DELTA = 1e-10
_SEVERAL = 16.0
_LEAST_SIGMA, _MOST_SIGMA = 0.1, 1000.0


def certified_epsilon(
    sampling: float, sigma: float, steps: int, delta: float, replaced: bool = False
) -> Estimate:
    """Return epsilon at a delta of training by clipped, noisy gradients, from both sides.

    Parameters
    ----------
    sampling : float
        The chance of each record to be in a step's batch, in [1e-6, 1].
    sigma : float
        The standard deviation of the noise over the clip, in [0.1, 1000].
    steps : int
        In [1, 1000000].
    delta : float
        In [1e-10, 1], and at least 1e-14 for each step: the accountant's rounding lies below.
    replaced : bool
        Whether neighbours differ by a record that is replaced; else it is added or removed.

    Returns
    -------
    Estimate
        Its value and its upper end can be promised; nothing below its lower end can.

    Notes
    -----
    Neither the clip nor the model enters.  The lower end falls short by about ``steps`` times half
    a cell of the grid.

    References
    ----------
    V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar and P. Manurangsi, "Connect the Dots: Tighter
    Discrete Approximations of Privacy Loss Distributions", PETS 2022; the package dp-accounting.

    Examples
    --------
    >>> found = certified_epsilon(0.1, 2.0, 100, 1e-5)
    >>> found.low < 2.3373996 < found.high < 2.3375
    True
    """
    training = Training.checked(sampling, sigma, steps, replaced)
    spare = _rounding(training)
    delta = validate.number("delta", delta, max(_LEAST_DELTA, 10.0 * spare), 1.0)
    high = _losses(training, True).get_epsilon_for_delta(delta - spare)
    low = _losses(training, False).get_epsilon_for_delta(min(delta + spare, 1.0))
    return _between(low, high)


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
    spare = _rounding(training)
    high = _losses(training, True).get_delta_for_epsilon(epsilon) + spare
    low = _losses(training, False).get_delta_for_epsilon(epsilon) - spare
    return _between(low, min(high, 1.0))


def certified_advantage(
    sampling: float, sigma: float, steps: int, replaced: bool = False
) -> Estimate:
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
        In [1e-10, 0.5], and at least 1e-14 for each step.

    Notes
    -----
    By halving, with the upper end of `certified_epsilon`.

    Examples
    --------
    >>> 2.0 < certified_sigma(0.1, 100, 2.3373996, 1e-5) < 2.001
    True
    """
    spare = _rounding(Training.checked(sampling, _MOST_SIGMA, steps, replaced))
    epsilon = validate.number("epsilon", epsilon, 1e-3, 500.0)
    delta = validate.number("delta", delta, max(_LEAST_DELTA, 10.0 * spare), 0.5)

    def kept(sigma: float) -> bool:
        training = Training(float(sampling), sigma, int(steps), replaced)
        if training.steps * training.remove.mean > epsilon + _SEVERAL:
            return False
        return bool(_losses(training, True).get_epsilon_for_delta(delta - spare) <= epsilon)

    if kept(_LEAST_SIGMA):
        return _LEAST_SIGMA
    low, high = _LEAST_SIGMA, 1.0
    while not kept(high):
        low, high = high, 2.0 * high
        if high > _MOST_SIGMA:
            shown = (sampling, steps, epsilon, delta, replaced)
            allowed = f"such that noise of at most {_MOST_SIGMA:g} clips keeps the promise"
            validate.refuse("(sampling, steps, epsilon, delta, replaced)", shown, allowed)
    while high > low * (1.0 + 1e-4):
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if kept(middle) else (middle, high)
    return high


def certified_deltas(training: Training, epsilon: Array) -> Array:
    """Return upper bounds on delta at each of several epsilons."""
    order = np.argsort(epsilon)
    found = np.empty(epsilon.shape)
    found[order] = _losses(training, True).get_delta_for_epsilon(epsilon[order])
    return np.minimum(found + _rounding(training), 1.0)


@lru_cache(maxsize=8)
def _losses(training: Training, above: bool) -> Any:
    """Return the accountant's distribution of the loss of all steps, rounded up or down."""
    one = _one(training.sampling, training.sigma, training.replaced, _cell(training, above), above)
    return one.self_compose(training.steps)


@lru_cache(maxsize=4)
def _one(sampling: float, sigma: float, replaced: bool, cell: float, above: bool) -> Any:
    """Return the accountant's distribution of the loss of one step."""
    import dp_accounting
    from dp_accounting.pld import privacy_loss_distribution

    relations = dp_accounting.NeighboringRelation
    return privacy_loss_distribution.from_gaussian_mechanism(
        sigma,
        sampling_prob=sampling,
        pessimistic_estimate=above,
        use_connect_dots=above,
        value_discretization_interval=cell,
        neighboring_relation=relations.REPLACE_ONE if replaced else relations.ADD_OR_REMOVE_ONE,
    )


def _cell(training: Training, above: bool) -> float:
    """Return the width of the grid's cells, so that their number is near what is meant.

    It is a power of 2: neighbouring numbers of steps share the distribution of one.
    """
    step = training.remove
    single = float((step.table(0.0)[1]).max())
    wide = single + _SEVERAL * step.spread * np.sqrt(training.steps)
    if above:
        fine = min(wide / _CELLS_ABOVE, np.sqrt(_SECOND_ORDER / training.steps))
        width = max(fine, wide / _MOST_BELOW, _NARROWEST_ABOVE)
    else:
        cells = min(max(_CELLS_A_STEP * training.steps, _CELLS_BELOW), _MOST_BELOW)
        width = max(wide / cells, _NARROWEST_BELOW)
    return float(2.0 ** np.floor(np.log2(width)))


def _rounding(training: Training) -> float:
    return _ROUNDING * (100.0 + training.steps)


def _between(low: float, high: float) -> Estimate:
    low = max(min(float(low), float(high)), 0.0)
    return Estimate(float(high), low, float(high), "bound")
