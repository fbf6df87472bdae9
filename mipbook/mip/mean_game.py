"""The membership game on a noisy mean of a random half, solved exactly."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

from explorable import validate
from explorable.checked import Number, Numbers, Rule, checked
from mipbook.base.types import Array, Rng, Sigma
from mipbook.mip.finite import subsets
from mipbook.mip.mixtures import mixture_distances

# Up to so many standard deviations from the centre squares lose no digit that counts.
_MODERATE = 100.0


def _records(name: str, value: Any) -> Array:
    records = validate.array(name, value, ndim=1)
    if records.size not in range(2, 17, 2) or not np.isfinite(records).all():
        validate.refuse(name, records.tolist(), "2 to 16 finite numbers, an even count")
    return records


Records = Annotated[Any, Rule(_records)]


def _half_means(records: Array, target: Any) -> tuple[Array, Array]:
    """Return the means of all halves with the target, and of all without it."""
    target = validate.integer("target", target, 0, records.size - 1)
    members = subsets(records.size)
    means = members @ records / (records.size // 2)
    return means[members[:, target]], means[~members[:, target]]


@checked
def draw_round(records: Records, sigma: Sigma, rng: Rng) -> tuple[NDArray[np.bool_], float]:
    """Draw a uniformly random half and release its mean with Gaussian noise.

    Parameters
    ----------
    records : array_like of shape (n,)
        Finite numbers, n even, 2 to 16.

    Returns
    -------
    half : ndarray of bool, shape (n,)
        Which records were drawn.
    released : float
        Their mean plus noise.

    Notes
    -----
    The game of MIP paper, Definition 1.

    Examples
    --------
    >>> import numpy as np
    >>> half, released = draw_round([0.0, 1.0], 0.1, np.random.default_rng(0))
    >>> int(half.sum())
    1
    """
    half = np.zeros(records.size, dtype=bool)
    half[rng.permutation(records.size)[: records.size // 2]] = True
    return half, float(records[half].mean() + sigma * rng.standard_normal())


@checked
def noisy_mean_posterior(
    records: Records, target: int, released: Annotated[Any, Numbers()], sigma: Sigma
) -> float | Array:
    """Return the probability that the target was in the half, given the released mean.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records, known to the attacker; n even, 2 to 16.
    target : int
        Index of the record in question.
    released : array_like
        Released values, finite.

    Returns
    -------
    float or ndarray
        In [0, 1], exact: every half is counted.

    Notes
    -----
    MIP paper, Proposition 2: the optimal attacker says *in* iff this is at least 1/2.

    Examples
    --------
    >>> noisy_mean_posterior([0.0, 1.0], 1, 0.5, 0.3)
    0.5
    """
    inside, outside = _half_means(records, target)
    if not np.isfinite(released).all():
        validate.refuse("released", released, "finite")
    edge = _log_odds(released, inside, outside, sigma)
    with np.errstate(over="ignore"):
        return validate.plain(np.exp(-np.logaddexp(0.0, -edge)))


def _log_odds(released: Array, inside: Array, outside: Array, sigma: float) -> Array:
    """Return the log odds of *in* from the means of both kinds of halves.

    Squares of large gaps never appear, so that far out, or with little noise, no difference of
    infinities does: all densities are then taken relative to that of the nearest mean.
    """
    seen, means = released[..., None], np.concatenate([inside, outside])
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        centre = means.mean()
        if max(np.abs(x - centre).max(initial=0.0) for x in (seen, means)) < _MODERATE * sigma:
            laws = (means - centre) / sigma
            exponents = (seen - centre) / sigma * laws - 0.5 * laws**2
        else:
            # (x - m)^2 without its x^2 and in units of the largest number, to find the nearest.
            size = np.maximum(np.maximum(np.abs(seen), np.abs(means).max()), 1e-300)
            lean = means / size * (2 * (seen / size) - means / size)
            nearest = means[lean.argmax(axis=-1)][..., None]
            gaps, beyond = means - nearest, seen - (means / 2 + nearest / 2)
            exponents = np.where((gaps == 0) | (beyond == 0), 0.0, (gaps / sigma) * (beyond / sigma))
        within, without = (_log_sum(side) for side in np.split(exponents, [inside.size], axis=-1))
        return np.asarray(within - without)


def _log_sum(exponents: Array) -> Array:
    """Return ln of the sum of the exponentials, -inf where none is above 0."""
    top = np.maximum(exponents.max(axis=-1, keepdims=True), -1e300)
    return np.asarray(np.log(np.exp(exponents - top).sum(axis=-1)) + top[..., 0])


@checked
def noisy_mean_accuracy(records: Records, target: int, sigma: Sigma) -> float:
    """Return the accuracy of the optimal attacker on the noisy mean.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records, known to the attacker; n even, 2 to 16.
    target : int
        Index of the record in question.

    Returns
    -------
    float
        In [1/2, 1]; absolute error below 1e-11.

    Notes
    -----
    MIP paper, Proposition 2: one half plus half the total variation distance between the
    distributions with and without the record.  Where the densities cross is found numerically;
    between crossings the area is a difference of normal distribution functions.

    Examples
    --------
    >>> round(noisy_mean_accuracy([0.0, 1.0], 1, 0.5), 9)
    0.841344746
    """
    return float(_accuracies([_half_means(records, target)], sigma)[0])


@checked
def noisy_mean_accuracies(records: Records, sigma: Sigma) -> Array:
    """Return `noisy_mean_accuracy` for every record as the target, at the cost of few.

    Examples
    --------
    >>> noisy_mean_accuracies([0.0, 1.0], 0.5).round(6)
    array([0.841345, 0.841345])
    """
    members = subsets(records.size)
    means = members @ records / (records.size // 2)
    return _accuracies([(means[has], means[~has]) for has in members.T], sigma)


def _accuracies(sides: list[tuple[Array, Array]], sigma: float) -> Array:
    each = np.full(sides[0][0].size, 1 / sides[0][0].size)
    distances = mixture_distances([(*means, (each, each)) for means in sides], sigma)
    return np.minimum(1.0, 0.5 + distances / 2)


@checked
def noisy_mean_line_accuracy(
    records: Records, target: int, sigma: Sigma, line: Annotated[Any, Numbers()]
) -> float | Array:
    """Return the accuracy of the attacker who draws a line and says *in* on the better side.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records, known to the attacker; n even, 2 to 16.
    target : int
        Index of the record in question.
    line : array_like
        Where the attacker changes its mind, finite.

    Returns
    -------
    float or ndarray
        In [1/2, 1], exact: every half is counted.

    Notes
    -----
    The game of MIP paper, Definition 1; no line does better than `noisy_mean_accuracy`.

    Examples
    --------
    >>> round(noisy_mean_line_accuracy([0.0, 1.0], 1, 0.5, 0.5), 9)
    0.841344746
    """
    inside, outside = _half_means(records, target)
    if not np.isfinite(line).all():
        validate.refuse("line", line, "finite")
    with np.errstate(over="ignore"):
        above, wrong = (ndtr((m - line[..., None]) / sigma).mean(axis=-1) for m in (inside, outside))
    return validate.plain(np.asarray(np.minimum(1.0, 0.5 + np.abs(above - wrong) / 2)))


@checked
def noisy_mean_silent_accuracy(
    records: Records, target: int, sigma: Sigma, spoken: Annotated[float, Number(1e-9, 1.0)]
) -> float:
    """Return how often an attacker is right who answers only when the released mean lies far out.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records, known to the attacker; n even, 2 to 16.
    target : int
        Index of the record in question.
    spoken : float
        The share of rounds with an answer.

    Returns
    -------
    float
        In [1/2, 1]; absolute error below 1e-9.

    Notes
    -----
    The game of MIP paper, Definition 1.  Who is in one half is out of the other, so the two
    distributions mirror each other, and it answers as often above as below.

    Examples
    --------
    >>> round(noisy_mean_silent_accuracy([0.0, 1.0], 1, 0.5, 1.0), 9)
    0.841344746
    """
    size = float(np.abs(records).max()) or 1.0
    with np.errstate(over="ignore"):
        width = min(max(sigma / size, 1e-300), 1e300)
    records = records / size
    halves = [half - records.mean() for half in _half_means(records, target)]

    def beyond(far: float) -> list[float]:
        return [float(ndtr((half - far) / width).mean()) for half in halves]

    widest, far = 4 + 10 * width, 0.0
    if spoken < sum(beyond(far)):
        far = brentq(lambda far: sum(beyond(far)) - spoken, 0.0, widest, xtol=1e-300, maxiter=2000)
    # Under noise that no number resolves, the side of a step on which it answers.
    found = beyond(far) if sum(beyond(far)) else beyond(far * (1 - 1e-14))
    return max(found) / sum(found)


@checked
def noisy_mean_shares(
    records: Records, target: int, sigma: Sigma, edges: Annotated[Any, Numbers(ndim=1)]
) -> tuple[Array, Array]:
    """Return how often a released mean falls between two edges, with the target in and with it out.

    Parameters
    ----------
    records : array_like of shape (n,)
        All records; n even, 2 to 16.
    target : int
        Index of the record in question.
    edges : array_like of shape (k + 1,)
        Finite and increasing.

    Returns
    -------
    inside, outside : ndarray of shape (k,)
        In [0, 1], exact: every half is counted.

    Notes
    -----
    The game of MIP paper, Definition 1.

    Examples
    --------
    >>> inside, outside = noisy_mean_shares([0.0, 1.0], 1, 0.5, [-0.5, 0.5, 1.5])
    >>> inside.round(3), outside.round(3)
    (array([0.157, 0.683]), array([0.683, 0.157]))
    """
    if not (np.isfinite(edges).all() and (edges[1:] > edges[:-1]).all()):
        validate.refuse("edges", edges, "finite and increasing")
    with np.errstate(over="ignore", invalid="ignore"):  # so far away is at the end
        inside, outside = (
            np.diff(ndtr((edges[:, None] - means) / sigma).mean(axis=1))
            for means in _half_means(records, target)
        )
    return inside, outside
