"""What clipping costs: the error of a noisy mean of clipped gradients, and where it is least."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import exprel

from explorable import validate
from explorable.checked import Integer, Number, checked
from mipbook.base.types import Array, Floats
from mipbook.mis.binomial import stirling_error

_LIMIT = 1e9

Clip = Annotated[float, Number(0.0, _LIMIT, open_low=True)]
Records = Annotated[int, Integer(1, 10**9)]
Noise = Annotated[float, Number(0.0, 1000.0)]
# Without noise the largest clip is the best one.
SomeNoise = Annotated[float, Number(1e-3, 1000.0)]
Tail = Annotated[float, Number(1.0, 100.0, open_low=True)]
Sampling = Annotated[float, Number(1e-6, 1.0)]


class ClipError(NamedTuple):
    """The parts of the error of a step's mean gradient, and their root mean square.

    Attributes
    ----------
    bias : float
        How far the mean of clipped gradients lies from that of all, signed.
    spread : float
        The standard deviation by which records are in the batch.
    noise : float
        The standard deviation of the noise.
    """

    bias: float
    spread: float
    noise: float

    @property
    def rmse(self) -> float:
        """The root of the mean square of the error."""
        return float(np.sqrt(self.bias**2 + self.spread**2 + self.noise**2))


@checked
def pareto_clip_error(
    clip: Clip, n: Records, sigma: Noise, alpha: Tail, sampling: Sampling = 1.0
) -> ClipError:
    """Return the exact error of a noisy mean of clipped, heavy-tailed gradients.

    Parameters
    ----------
    clip : float
        In (0, 1e9].
    n : int
        Records, in [1, 1e9]; a batch holds ``sampling * n`` of them on average.
    sigma : float
        The standard deviation of the noise on the sum, over the clip, in [0, 1000].
    alpha : float
        The tail: a gradient is longer than ``g`` with chance ``g ** -alpha``; in (1, 100].
    sampling : float
        The chance of each record to be in the batch, in [1e-6, 1].

    Notes
    -----
    The records are drawn anew for each batch, so that the error counts their spread.

    Examples
    --------
    >>> round(pareto_clip_error(11.9373, 1000, 1.0, 2.5).rmse, 6)
    0.039011
    """
    return _error(clip, n, sigma, sampling, _pareto(alpha))


@checked
def sample_clip_error(
    clip: Clip, n: Records, sigma: Noise, values: ArrayLike, sampling: Sampling = 1.0
) -> ClipError:
    """Return the error of a noisy mean of clipped gradients whose norms were measured.

    Parameters
    ----------
    clip : float
        In (0, 1e9].
    n, sigma, sampling
        As in `pareto_clip_error`.
    values : array_like
        The norms, in [0, 1e9], at least two, not all 0.

    Notes
    -----
    Exact for gradients that all point one way and are drawn from ``values``.

    Examples
    --------
    >>> round(sample_clip_error(2.0, 100, 1.0, [1.0, 2.0, 9.0]).bias, 6)
    -2.333333
    """
    return _error(clip, n, sigma, sampling, _sample(_norms(values)))


@checked
def best_pareto_clip(n: Records, sigma: SomeNoise, alpha: Tail, sampling: Sampling = 1.0) -> float:
    """Return the clip of the least error for heavy-tailed gradients.

    Parameters
    ----------
    n, alpha, sampling
        As in `pareto_clip_error`.
    sigma : float
        In [0.001, 1000].

    Notes
    -----
    The only root of an increasing function, which the chapter *DP-SGD: clip and noise* derives.

    Examples
    --------
    >>> round(best_pareto_clip(1000, 1.0, 2.5), 4)
    11.9373
    """
    return _best(n, sigma, sampling, _pareto(alpha), _LIMIT)


@checked
def best_sample_clip(n: Records, sigma: SomeNoise, values: ArrayLike, sampling: Sampling = 1.0) -> float:
    """Return the clip of the least error for gradients whose norms were measured.

    Parameters
    ----------
    n, sampling
        As in `pareto_clip_error`.
    sigma : float
        In [0.001, 1000].
    values : array_like
        The norms, in [0, 1e9], at least two, not all 0.

    Notes
    -----
    As `best_pareto_clip`.  Norms of private records are private: a clip that is chosen by
    them tells of them.

    Examples
    --------
    >>> round(best_sample_clip(100, 1.0, [1.0, 2.0, 9.0]), 4)
    8.8451
    """
    norms = _norms(values)
    return _best(n, sigma, sampling, _sample(norms), float(norms.max()))


@checked
def pareto_clip_guess(n: Records, sigma: SomeNoise, alpha: Tail, sampling: Sampling = 1.0) -> float:
    """Return what the best clip comes near when the batch is large: an approximation.

    Parameters
    ----------
    n, alpha, sampling
        As in `pareto_clip_error`.
    sigma : float
        In [0.001, 1000].

    Notes
    -----
    Where bias and noise alone decide; the spread of the records lowers the best clip.

    Examples
    --------
    >>> round(pareto_clip_guess(1000, 1.0, 2.5), 3)
    14.614
    """
    batch = sampling * n
    return float(np.exp(np.log(batch**2 / ((alpha - 1.0) * sigma**2)) / (2.0 * alpha)))


class _Lengths(NamedTuple):
    """The mean of all gradients; and by the clip two moments of the clipped, and who is longer."""

    mean: float
    moments: Callable[[float], tuple[float, float, float]]


def pareto_mean(alpha: float) -> float:
    """Return the mean length of gradients with a heavy tail."""
    return 1.0 / (alpha - 1.0) + 1.0


def _pareto(alpha: float) -> _Lengths:
    def moments(clip: float) -> tuple[float, float, float]:
        if clip <= 1.0:
            return clip, clip**2, 1.0
        depth = float(np.log(clip))
        first = 1.0 + depth * exprel((1.0 - alpha) * depth)
        second = 1.0 + 2.0 * depth * exprel((2.0 - alpha) * depth)
        return float(first), float(second), float(np.exp(-alpha * depth))

    return _Lengths(pareto_mean(alpha), moments)


def _sample(norms: Array) -> _Lengths:
    def moments(clip: float) -> tuple[float, float, float]:
        cut = np.minimum(norms, clip)
        return float(cut.mean()), float((cut**2).mean()), float((norms > clip).mean())

    return _Lengths(float(norms.mean()), moments)


def _error(clip: float, n: int, sigma: float, sampling: float, lengths: _Lengths) -> ClipError:
    first, second, _ = lengths.moments(clip)
    batch = sampling * n
    spread = np.sqrt(max(second - sampling * first**2, 0.0) / batch)
    return ClipError(first - lengths.mean, float(spread), sigma * clip / batch)


def _best(n: int, sigma: float, sampling: float, lengths: _Lengths, most: float) -> float:
    """Return where a slightly larger clip begins to harm."""
    batch = sampling * n

    def won(log_clip: float) -> float:
        clip = float(np.exp(log_clip))
        first, _, longer = lengths.moments(clip)
        gain = longer * ((lengths.mean - first) - (clip - sampling * first) / batch)
        return gain - sigma**2 * clip / batch**2

    low, high = np.log(1e-9) + np.log(min(lengths.mean, 1.0)), np.log(most)
    if won(low) <= 0:
        return float(np.exp(low))
    return most if won(high) > 0 else float(np.exp(brentq(won, low, high, xtol=1e-15)))


def _norms(values: Any) -> Array:
    norms = validate.array("values", values, 0.0, _LIMIT, ndim=1)
    if norms.size < 2 or not norms.any():
        validate.refuse("values", values, "at least two norms, not all of them 0")
    return norms


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(100)
# Beyond so many standard deviations nothing is left that a double could hold.
_FAR = 14.0
# Below it, the series has all digits.
_SMALL = 1e-2


def divisor_advantage(n: Any, numbers: Any) -> Floats:
    r"""Return the advantage of telling n records from n - 1 by the width of pure noise.

    Parameters
    ----------
    n : float or array_like
        Records with the target, in [2, 1e15].
    numbers : float or array_like
        Published numbers, coordinates times steps, in [1, 1e30].

    Returns
    -------
    float or ndarray
        In [0, 1], exact to about 1e-15: the total variation between that many independent
        numbers from N(0, 1/n^2) and from N(0, 1/(n - 1)^2), in any unit.

    Notes
    -----
    Noise of one width is added to sums, which are then divided by the number of records; the
    sums themselves are 0.  The sum of squares decides, :math:`\chi^2` with D degrees.  With
    :math:`L = \ln\frac{n}{n - 1}` and :math:`\kappa = \ln\frac{L}{\sinh L}` the advantage is the
    chance that the logarithm of :math:`\chi^2/D` is within L of :math:`\kappa`.  The integral of
    its density keeps its digits where a difference of two chances would lose them.

    Examples
    --------
    >>> divisor_advantage(60_000, [14_062 * 10**5, 14_062 * 10**6]).round(3).tolist()
    [0.341, 0.838]
    """
    n = validate.array("n", n, 2.0, 1e15)
    numbers = validate.array("numbers", numbers, 1.0, 1e30)
    validate.broadcast(("n", "numbers"), (n, numbers))
    half, n = np.broadcast_arrays(0.5 * numbers, n)
    wide = -np.log1p(-1.0 / n)
    square = wide * wide
    near = wide < _SMALL
    shift = -np.log(np.sinh(wide) / wide)
    shift = np.where(near, -square / 6.0 * (1.0 - square / 30.0), shift)
    far = np.where(half > 200.0, _FAR / np.sqrt(half), np.inf)
    low, high = np.maximum(shift - wide, -far), np.minimum(shift + wide, far)
    u = low[..., None] + (high - low)[..., None] * 0.5 * (_NODES + 1.0)
    density = np.exp(-half[..., None] * _beyond(u)) @ _WEIGHTS
    scale = np.sqrt(half / (2.0 * np.pi)) * np.exp(-stirling_error(half))
    return validate.plain(np.minimum(scale * density * 0.5 * (high - low), 1.0))


def _beyond(u: Array) -> Array:
    """Return e^u - 1 - u without cancellation."""
    series = u * u / 2.0 * (1.0 + u / 3.0 * (1.0 + u / 4.0 * (1.0 + u / 5.0 * (1.0 + u / 6.0))))
    return np.asarray(np.where(np.abs(u) < _SMALL, series, np.expm1(u) - u))
