"""The truth about training by noisy gradients: its privacy curve, a contour integral; the last model."""

from functools import lru_cache
from typing import Any, NoReturn

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import logsumexp, ndtr

from explorable import validate
from mipbook.base.types import Array
from mipbook.dpsgd.step import GaussianCurve, SubsampledCurve, Training
from mipbook.mis.binomial import log_pmf

_MOST_TILT = 60.0
_BLOCK = 32
_MOST_BLOCKS = 48
_MOST_WAVES = 1 << 24
_HALVINGS = 6
_AGREED = 1e-10
_LEAST_DELTA = 1e-100
_NOTHING = -300.0  # the logarithm of a delta that no promise speaks of


def training_delta(
    sampling: float, sigma: float, steps: int, epsilon: float, replaced: bool = False
) -> float:
    r"""Return the exact delta at an epsilon of training by clipped, noisy gradients.

    Parameters
    ----------
    sampling, sigma, steps, replaced
        As in `certified_epsilon`.
    epsilon : float
        In [0, 1000].

    Notes
    -----
    With :math:`k(s) = \ln E e^{sL}` of one step's loss :math:`L`,

    .. math:: \delta(\varepsilon) = \frac{1}{2\pi i}
              \int_{c-i\infty}^{c+i\infty} \frac{e^{T k(s) - s\varepsilon}}{s(s+1)}\,ds

    with a c above 0, by equal steps through the saddle, halved until two results agree to
    1e-10.  All steps' outputs are seen, and the record's gradient is never shorter than the clip.

    References
    ----------
    Y. Zhu, J. Dong and Y.-X. Wang, "Optimal Accounting of Differential Privacy via
    Characteristic Function", AISTATS 2022.

    Examples
    --------
    >>> round(1e5 * training_delta(0.1, 1.0, 100, 7.046602617), 6)
    1.0
    """
    training = Training.checked(sampling, sigma, steps, replaced)
    epsilon = validate.number("epsilon", epsilon, 0.0, 1000.0)
    found = _delta(training, False, epsilon)
    if replaced or _at_most(training, epsilon) <= found:
        return found
    return max(found, _delta(training, True, epsilon))


def training_epsilon(
    sampling: float, sigma: float, steps: int, delta: float, replaced: bool = False
) -> float:
    """Return the exact epsilon at a delta of training by clipped, noisy gradients.

    Parameters
    ----------
    sampling, sigma, steps, replaced
        As in `certified_epsilon`.
    delta : float
        In [1e-100, 1].

    Notes
    -----
    The root of `training_delta`, to 1e-9.

    Examples
    --------
    >>> round(training_epsilon(256 / 60000, 1.1, 14062, 1e-5), 6)
    2.381597
    """
    training = Training.checked(sampling, sigma, steps, replaced)
    delta = validate.number("delta", delta, _LEAST_DELTA, 1.0)
    found = _epsilon(training, False, delta)
    if replaced or _at_most(training, found) <= delta:
        return found
    return max(found, _epsilon(training, True, delta))


def _epsilon(training: Training, mirrored: bool, delta: float) -> float:
    """Return the least epsilon of one direction: from *in* to *out*, or mirrored."""
    if _delta(training, mirrored, 0.0) <= delta:
        return 0.0

    def gap(epsilon: float) -> float:
        return float(np.log(max(_delta(training, mirrored, epsilon), 1e-300)) - np.log(delta))

    high = 1.0
    while gap(high) > 0:
        high *= 2.0
    return float(brentq(gap, 0.0, high, xtol=1e-9))


def _delta(training: Training, mirrored: bool, epsilon: float) -> float:
    """Return one direction's hockey-stick."""
    known = _closed(training)
    if known is not None:
        curve = known.delta_out if mirrored else known.delta_in
        return float(curve(np.array([epsilon]))[0])
    if mirrored and epsilon >= _highest(training):
        return 0.0
    tilt, base, height = _saddle(training, mirrored, epsilon)
    if base == 0.0 and height < _NOTHING:
        return 0.0
    # The poles stay many nodes away, as the tilted loss does.
    log_mass, loss = training.table(mirrored, tilt)
    weight = log_mass + tilt * loss
    mass = np.exp(weight - np.logaddexp.reduce(weight))
    spread = np.sqrt(training.steps * (mass @ (loss - mass @ loss) ** 2))
    spacing = float(min(min(abs(tilt), abs(tilt + 1.0)) / 6.0, 1.0 / max(spread, 1e-12)))
    found = _sum(training, mirrored, epsilon, tilt, spacing, 0.0)
    for _ in range(_HALVINGS):
        between = _sum(training, mirrored, epsilon, tilt, spacing, 0.5)
        before, found = found, (found + between) / 2
        spacing /= 2
        if abs(found - before) <= _AGREED * abs(base + found):
            return float(np.clip(base + found, 0.0, 1.0))
    _hopeless(training)


def _closed(training: Training) -> GaussianCurve | SubsampledCurve | None:
    """Return the curve where it has a closed form."""
    if training.sampling == 1.0:
        apart = (2.0 if training.replaced else 1.0) * np.sqrt(training.steps)
        return GaussianCurve(training.sigma, float(apart))
    if training.steps == 1 and not training.replaced:
        return SubsampledCurve(training.sampling, GaussianCurve(training.sigma))
    return None


def _log_moment(training: Training, mirrored: bool, tilt: float) -> float:
    log_mass, loss = training.table(mirrored, tilt)
    return float(np.logaddexp.reduce(log_mass + tilt * loss))


def _at_most(training: Training, epsilon: float) -> float:
    """Return a bound on the mirrored hockey-stick, by Chernoff: 1 - exp(-y) is at most exp(c y)."""
    if _closed(training) is not None or epsilon >= _highest(training):
        return _delta(training, True, epsilon)
    tilts = (0.5, 1, 2, 4, 8, 16, 32)
    best = min(training.steps * _log_moment(training, True, tilt) - tilt * epsilon for tilt in tilts)
    return float(np.exp(min(best, 0.0)))


def _highest(training: Training) -> float:
    """Return what the loss of the direction *add* cannot exceed."""
    return float(-training.steps * np.log1p(-training.sampling))


def _saddle(training: Training, mirrored: bool, epsilon: float) -> tuple[float, float, float]:
    """Return where the contour crosses the real axis, what the pole at 0 adds, and the height."""

    def height(tilt: float) -> float:
        grown = training.steps * _log_moment(training, mirrored, tilt) - tilt * epsilon
        return grown - float(np.log(abs(tilt * (tilt + 1.0))))

    ends = (-8.0, np.log(_MOST_TILT))
    right = minimize_scalar(lambda u: height(float(np.exp(u))), bounds=ends, method="bounded")
    left = minimize_scalar(height, bounds=(-1 + 1e-6, -1e-6), method="bounded")
    if right.fun < left.fun:
        return float(np.exp(right.x)), 0.0, float(right.fun)
    return float(left.x), 1.0, float(left.fun)


def _sum(
    training: Training, mirrored: bool, epsilon: float, tilt: float, spacing: float, start: float
) -> float:
    """Return the integral by equally spaced nodes from the real axis up, until they fade."""
    total = 0.0
    for block in range(_MOST_BLOCKS):
        at = block * _BLOCK + start + np.arange(_BLOCK)
        terms = _terms(training, mirrored, epsilon, tilt, np.asarray(spacing * at))
        if block == 0 and start == 0.0:
            terms[0] /= 2.0
        total += float(terms.real.sum())
        if np.abs(terms).max() <= 1e-16 * abs(total):
            return total * spacing / np.pi
    _hopeless(training)


def _hopeless(training: Training) -> NoReturn:
    training.refuse("such that the contour integral fades; certified_epsilon bounds it in any case")


def _terms(training: Training, mirrored: bool, epsilon: float, tilt: float, heights: Array) -> Any:
    log_mass, loss = training.table(mirrored, tilt, float(heights[-1]))
    weight = log_mass + tilt * loss
    top = weight.max()
    kept = weight > top - 45.0
    if kept.sum() * heights.size > _MOST_WAVES:
        _hopeless(training)
    waves = np.exp(1j * np.outer(heights, loss[kept])) @ np.exp(weight[kept] - top)
    order = tilt + 1j * heights
    with np.errstate(divide="ignore"):
        grown = training.steps * (top + np.log(waves)) - order * epsilon
    return np.exp(grown) / (order * (order + 1.0))


@lru_cache(maxsize=8)
def _draws(sampling: float, steps: int) -> tuple[Array, Array]:
    """Return how often a record may be drawn, and the logarithms of the chances."""
    if sampling == 1.0:
        return np.array([float(steps)]), np.zeros(1)
    k = np.arange(steps + 1.0)
    log_mass = log_pmf(k, np.array(float(steps)), np.array(sampling))
    # What doubles hold.
    kept = log_mass > -745.0
    return k[kept], log_mass[kept]


def last_model_delta(training: Training, epsilon: float, mirrored: bool = False) -> float:
    """Return the hockey-stick of a last model with a record from one without it, or mirrored."""
    k, log_mass = _draws(training.sampling, training.steps)
    spread = float(training.sigma * np.sqrt(training.steps))
    wide = (epsilon + training.steps + 800.0) * spread**2 + training.steps + 40.0 * spread
    sign = -1.0 if mirrored else 1.0

    def beyond(x: float) -> float:
        return float(logsumexp(log_mass + k * (x - k / 2) / spread**2)) - sign * epsilon

    if beyond(-wide) > 0.0:
        return 0.0
    x = brentq(beyond, -wide, wide)
    inside = float(np.exp(log_mass) @ ndtr(sign * (k - x) / spread))
    outside = float(ndtr(-sign * x / spread))
    first, second = (outside, inside) if mirrored else (inside, outside)
    return first - float(np.exp(epsilon)) * second


def last_model_advantage(sampling: float, sigma: float, steps: int) -> float:
    """Return the best attacker's advantage when only the last model is seen, and not the steps.

    Parameters
    ----------
    sampling, sigma
        As in `certified_epsilon`.
    steps : int
        In [1, 10000].

    Notes
    -----
    For one record, present or not, whose gradient has the length of the clip and one direction
    that no other gradient shares.  Others may be easier to find out.

    Examples
    --------
    >>> round(last_model_advantage(0.1, 1.0, 300), 4)
    0.6033
    """
    training = Training.checked(sampling, sigma, steps)
    if training.steps > 10**4:
        training.refuse("with at most 10000 steps")
    return last_model_delta(training, 0.0)
