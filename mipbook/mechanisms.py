"""Mechanisms: finite ones as tables of probabilities, the others as callables.

A *mechanism* of this book is any callable ``mechanism(data, rng)`` that returns one
release.  `Gaussian`, `Laplace` and `Sampling` are such callables that can also draw
many releases at once.  A *finite* mechanism is an array of shape (data sets, outputs)
whose rows are probability vectors; `mipbook.game` computes on those exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from explorable import validate
from explorable.checked import Integer, Numbers, OneOf, Rows, checked
from mipbook import tradeoff
from mipbook.base.types import Array, Delta, Epsilon, FiniteEpsilon, Positive, Rate, Rng, Sensitivity, Sigma

__all__ = ["Gaussian", "Laplace", "Sampling"]
__all__ += ["exponential_probabilities", "randomised_response", "sampling_mechanism", "tight_mechanism"]


@checked
def randomised_response(epsilon: Epsilon, values: Annotated[int, Integer(2, 5000)] = 2) -> Array:
    """Return randomised response: the true value with odds ``e**epsilon`` against any other.

    Parameters
    ----------
    values : int
        How many values a record can take, 2 to 5000.

    Returns
    -------
    ndarray of shape (values, values)
        Row i holds the probabilities of the answers when the record's value is i.

    Notes
    -----
    Exactly epsilon-DP when a record is replaced.  The game of the lecture notes, section 3,
    with two values; PMP paper, Definition 1.

    References
    ----------
    S. L. Warner, "Randomized Response", Journal of the American Statistical Association 1965.

    Examples
    --------
    >>> randomised_response(1.0).round(6).tolist()
    [[0.731059, 0.268941], [0.268941, 0.731059]]
    """
    # Both probabilities from exp(-epsilon), which cannot overflow.
    odds = math.exp(-epsilon)
    table = np.full((values, values), odds / (1 + (values - 1) * odds))
    np.fill_diagonal(table, 1 / (1 + (values - 1) * odds))
    return table


@checked
def tight_mechanism(epsilon: float, delta: Delta = 0.0) -> Array:
    """Return the mechanism that attains every (epsilon, delta) bound at once.

    Returns
    -------
    ndarray of shape (2, 4)
        Row 0: the record is out; row 1: it is in.  The outputs, in order: *certainly
        out*, *probably out*, *probably in*, *certainly in*.

    Notes
    -----
    With probability delta the truth is told for certain, otherwise with odds
    ``e**epsilon``.  Every (epsilon, delta)-DP mechanism is a randomised function of this
    one, so its ROC curve is the boundary of the region of Theorem 1 of the lecture notes.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential
    Privacy", IEEE Trans. Inf. Theory 2017, Section 3.

    Examples
    --------
    >>> tight_mechanism(1.0, 0.1).round(6).tolist()
    [[0.1, 0.657953, 0.242047, 0.0], [0.0, 0.242047, 0.657953, 0.1]]
    """
    (likely, unlikely), _ = randomised_response(epsilon)
    out = [delta, (1 - delta) * likely, (1 - delta) * unlikely, 0.0]
    return np.array([out, out[::-1]])


@checked
def sampling_mechanism(
    fraction: Rate, neighbours: Annotated[str, OneOf(("add or remove", "replace"))] = "add or remove"
) -> Array:
    """Return what the release of random records says about one record.

    Parameters
    ----------
    fraction : float
        Share of the records that is released, in [0, 1].
    neighbours : {"add or remove", "replace"}
        Whether the record is added to the others, or takes the place of one that the attacker
        knows, and that is a sign of its own when it is seen.

    Returns
    -------
    ndarray of shape (2, 2) or (2, 3)
        Row 0: the record is out; row 1: it is in.  Outputs: *not seen*, *seen*, and with
        *replace* also *the replaced one seen*.

    Notes
    -----
    Lecture notes, section 2.  The other released records carry no information about this one.
    Total variation and delta do not depend on the relation; the ROC curve does.

    Examples
    --------
    >>> sampling_mechanism(0.5).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    >>> sampling_mechanism(0.5, "replace").tolist()
    [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    if neighbours == "replace":
        return np.array([[1 - fraction, 0.0, fraction], [1 - fraction, fraction, 0.0]])
    return np.array([[1.0, 0.0], [1 - fraction, fraction]])


@checked
def exponential_probabilities(
    losses: Annotated[Any, Numbers()], epsilon: FiniteEpsilon, sensitivity: Sensitivity = 1.0
) -> Array:
    r"""Return the mechanism's chances, :math:`p(w) \propto e^{-\epsilon\ell(w)/2\Delta}`.

    Parameters
    ----------
    losses : array_like of shape (..., outputs)
        The loss of each output on each data set, finite.
    epsilon : float
        Privacy parameter in [0, inf); at 0 every output is equally likely.
    sensitivity : float
        Largest change of any loss between neighbouring data sets, in (0, inf).

    Returns
    -------
    ndarray of shape (..., outputs)
        Each row sums to 1.

    Notes
    -----
    PMP paper, Definition 7 and Lemma 8; the neighbour relation is the one that
    ``sensitivity`` was measured in.

    Examples
    --------
    >>> exponential_probabilities([[0.0, 1.0], [1.0, 1.0]], 2.0).round(6).tolist()
    [[0.731059, 0.268941], [0.5, 0.5]]
    """
    if losses.ndim == 0 or losses.size == 0 or not np.isfinite(losses).all():
        validate.refuse("losses", losses, "finite numbers, at least one output")
    # The smallest loss first, so that huge losses and epsilons stay within the doubles.
    with np.errstate(over="ignore", under="ignore"):
        above = losses - losses.min(axis=-1, keepdims=True)
        exponent = -np.minimum(above / sensitivity * (epsilon / 2), 1e300)
        return np.asarray(np.exp(log_softmax(exponent, axis=-1)))


class _Additive:
    """The mean of the records plus independent noise on each coordinate."""

    def _noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        raise NotImplementedError

    @checked
    def sample(self, data: Annotated[Any, Numbers()], size: int, rng: Rng) -> Array:
        """Return ``size`` independent releases, one a row.

        Examples
        --------
        >>> Gaussian(0.1).sample([[0.0], [2.0]], 4, np.random.default_rng(0)).shape
        (4, 1)
        """
        if data.ndim == 0 or len(data) == 0 or not np.isfinite(data).all():
            validate.refuse("data", data, "finite numbers, at least one record, one a row")
        # Divided first where the sum might overflow and the mean does not.
        huge = np.abs(data).max(initial=0.0) > 1e300
        answer = (data / len(data)).sum(axis=0) if huge else data.mean(axis=0)
        size = validate.size("size", size, 0, beside=answer.size)
        noise = self._noise((size, *answer.shape), rng)
        noise += answer
        return noise

    def __call__(self, data: Any, rng: np.random.Generator) -> Array:
        """Return one release."""
        return np.asarray(self.sample(data, 1, rng)[0])


@checked
@dataclass(frozen=True)
class Gaussian(_Additive):
    """The Gaussian mechanism: the mean of the records plus independent normal noise.

    Notes
    -----
    Lecture notes, Theorem 2; PMP paper, Lemma 10.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = Gaussian(0.1)
    >>> mechanism(np.zeros((5, 3)), np.random.default_rng(0)).shape
    (3,)
    """

    sigma: Sigma

    @classmethod
    @checked
    def for_dp(cls, epsilon: Epsilon, delta: Delta, sensitivity: Sensitivity) -> Gaussian:
        """Return the mechanism with the smallest sigma that is (epsilon, delta)-DP.

        ``sensitivity`` is the largest Euclidean change of the answer between neighbours, in the
        neighbour relation that the promise is about.

        Examples
        --------
        >>> round(Gaussian.for_dp(1.0, 1e-5, sensitivity=0.1).sigma, 4)
        0.3731
        """
        sigma = float(tradeoff.gaussian_sigma(epsilon, delta=delta, sensitivity=sensitivity))
        if not math.isfinite(sigma):
            validate.refuse("delta", delta, "so large that a finite sigma is enough at this sensitivity")
        if sigma == 0:
            validate.refuse("delta", delta, "so small that any noise is needed at this epsilon")
        return cls(sigma)

    def _noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        noise = rng.standard_normal(shape)
        noise *= self.sigma
        return noise


@checked
@dataclass(frozen=True)
class Laplace(_Additive):
    """The Laplace mechanism: the mean of the records plus independent Laplace noise.

    Parameters
    ----------
    scale : float
        Scale b of the noise on each coordinate, in (0, inf); its density falls as
        ``exp(-|x|/b)`` and its standard deviation is ``sqrt(2) b``.

    Notes
    -----
    MIP paper, section 3; lecture notes, section 1.

    Examples
    --------
    >>> import numpy as np
    >>> Laplace(2.0)(np.zeros((5, 3)), np.random.default_rng(0)).shape
    (3,)
    """

    scale: Positive

    def _noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        return rng.laplace(scale=self.scale, size=shape)


@checked
@dataclass(frozen=True)
class Sampling:
    """Release a uniformly random part of the records, unchanged.

    Parameters
    ----------
    fraction : float
        Share of the records that is released, in [0, 1]; the count is rounded down.

    Notes
    -----
    Lecture notes, section 2.  It defeats reconstruction and protects nobody who is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> Sampling(0.5)(np.arange(10), np.random.default_rng(0)).size
    5
    """

    fraction: Rate = 0.5

    @checked
    def __call__(self, data: Annotated[Any, Rows()], rng: Rng) -> NDArray[Any]:
        """Return the released records, in random order."""
        # 0.29 * 100 is a hair below 29, and nobody means 28 by it.
        size = int(self.fraction * len(data) + 1e-9)
        return rng.choice(data, size, replace=False, shuffle=True)
