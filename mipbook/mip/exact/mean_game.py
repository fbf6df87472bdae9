"""The membership game on a noisy mean of a random half, solved exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp, ndtr

from explorable import validate
from mipbook.base.types import Array
from mipbook.mip.exact.finite import subsets
from mipbook.mip.exact.mixtures import mixture_distance, mixture_distances

__all__ = [
    "draw_round",
    "noisy_mean_accuracies",
    "noisy_mean_accuracy",
    "noisy_mean_line_accuracy",
    "noisy_mean_posterior",
]

# Up to so many standard deviations from the centre squares lose no digit that counts.
_MODERATE = 100.0


def _records(records: Any) -> Array:
    values = validate.array("records", records, ndim=1)
    if values.size not in range(2, 17, 2) or not np.isfinite(values).all():
        validate.refuse("records", values.tolist(), "2 to 16 finite numbers, an even count")
    return values


def _sigma(sigma: Any) -> float:
    return validate.number("sigma", sigma, 0.0, np.inf, open_low=True, open_high=True)


def _half_means(records: Array, target: Any) -> tuple[Array, Array]:
    """Return the means of all halves with the target, and of all without it."""
    target = validate.integer("target", target, 0, records.size - 1)
    members = subsets(records.size)
    means = members @ records / (records.size // 2)
    return means[members[:, target]], means[~members[:, target]]


def draw_round(records: ArrayLike, sigma: float, rng: np.random.Generator) -> tuple[NDArray[np.bool_], float]:
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
    values = _records(records)
    sigma = _sigma(sigma)
    rng = validate.generator("rng", rng)
    half = np.zeros(values.size, dtype=bool)
    half[rng.permutation(values.size)[: values.size // 2]] = True
    return half, float(values[half].mean() + sigma * rng.standard_normal())


def noisy_mean_posterior(records: ArrayLike, target: int, released: ArrayLike, sigma: float) -> float | Array:
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
    values = _records(records)
    sigma = _sigma(sigma)
    inside, outside = _half_means(values, target)
    seen = validate.array("released", released)
    if not np.isfinite(seen).all():
        validate.refuse("released", released, "finite")

    edge = log_odds(seen[..., None], inside[:, None], outside[:, None], sigma)
    with np.errstate(over="ignore"):
        chance = np.exp(-np.logaddexp(0.0, -edge))
    return validate.plain(np.asarray(chance))


def log_odds(points: Array, inside: Array, outside: Array, sigma: float) -> Array:
    """Return the log odds of *in* at points of shape (..., d), from means (halves, d); no checks.

    All densities are taken relative to that of the nearest mean.  Squares of large gaps never
    appear, so that far out, or with little noise, no difference of infinities does.
    """
    means = np.concatenate([inside, outside])
    with np.errstate(over="ignore", invalid="ignore"):
        centre = means.mean(axis=0)
        reach = max(np.abs(x - centre).max(initial=0.0) for x in (points, means))
    if reach < _MODERATE * sigma:
        laws = ((half - centre) / sigma for half in (inside, outside))
        within, without = (_log_density((points - centre) / sigma, law) for law in laws)
        return within - without
    seen = points[..., None, :]
    with np.errstate(over="ignore", invalid="ignore"):
        # (x - m)^2 without its x^2 and in units of the largest number, to find the nearest.
        size = np.maximum(np.abs(seen).max(axis=-1, keepdims=True), np.abs(means).max())
        size = np.maximum(size, 1e-300)
        lean = (means / size * (2 * (seen / size) - means / size)).sum(axis=-1)
        nearest = means[lean.argmax(axis=-1)][..., None, :]
        gaps, beyond = means - nearest, seen - (means / 2 + nearest / 2)
        parts = (gaps / sigma) * (beyond / sigma)
        rise = np.where((gaps == 0) | (beyond == 0), 0.0, parts).sum(axis=-1)
    # Equal means have no gap, however far out the point is.
    log_density = np.where((means == nearest).all(axis=-1), 0.0, rise)
    return np.asarray(
        logsumexp(log_density[..., : len(inside)], axis=-1)
        - logsumexp(log_density[..., len(inside) :], axis=-1)
    )


def _log_density(points: Array, means: Array) -> Array:
    """Return the log of the summed densities around means, but for terms that all share."""
    exponents = points @ means.T - 0.5 * (means**2).sum(axis=-1)
    top = exponents.max(axis=-1, keepdims=True)
    return np.asarray(np.log(np.exp(exponents - top).sum(axis=-1)) + top[..., 0])


def noisy_mean_accuracy(records: ArrayLike, target: int, sigma: float) -> float:
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
    values = _records(records)
    inside, outside = _half_means(values, target)
    return float(min(1.0, 0.5 + mixture_distance(inside, outside, _sigma(sigma)) / 2))


def noisy_mean_accuracies(records: ArrayLike, sigma: float) -> Array:
    """Return `noisy_mean_accuracy` for every record as the target, at the cost of few.

    Examples
    --------
    >>> noisy_mean_accuracies([0.0, 1.0], 0.5).round(6)
    array([0.841345, 0.841345])
    """
    values = _records(records)
    members = subsets(values.size)
    means = members @ values / (values.size // 2)
    each = np.full(len(means) // 2, 2 / len(means))
    pairs = [(means[has], means[~has], (each, each)) for has in members.T]
    distances = mixture_distances(pairs, _sigma(sigma))
    return np.asarray(np.minimum(1.0, 0.5 + distances / 2))


def noisy_mean_line_accuracy(records: ArrayLike, target: int, sigma: float, line: ArrayLike) -> float | Array:
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
    values = _records(records)
    sigma = _sigma(sigma)
    inside, outside = _half_means(values, target)
    at = validate.array("line", line)
    if not np.isfinite(at).all():
        validate.refuse("line", line, "finite")
    with np.errstate(over="ignore"):
        above, wrong = (ndtr((m - at[..., None]) / sigma).mean(axis=-1) for m in (inside, outside))
    return validate.plain(np.asarray(np.minimum(1.0, 0.5 + np.abs(above - wrong) / 2)))
