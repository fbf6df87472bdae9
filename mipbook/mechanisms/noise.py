"""Mechanisms as callables: answers with Gaussian or Laplace noise, and a random part of the records."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.checked import Called, Numbers, Rows, checked
from explorable.private import attempt
from mipbook import tradeoff
from mipbook.base.types import Array, Delta, Epsilon, Positive, Rate, Rng, Sensitivity, Sigma

Query = Callable[[Any], ArrayLike]
CheckedQuery = Annotated[Query, Called("of a data set")]


@checked
def records_mean(data: Annotated[Any, Numbers()]) -> Array:
    """Return the mean of the records, the query of the lecture's Theorem 2.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        One record a row; at least one.

    Returns
    -------
    ndarray
        Mean over the first axis.

    Notes
    -----
    Lecture notes, Theorem 2.

    Examples
    --------
    >>> records_mean([[0.0, 1.0], [1.0, 1.0]]).tolist()
    [0.5, 1.0]
    """
    if data.ndim == 0 or len(data) == 0:
        validate.refuse("data", data, "at least one record, one a row")
    if np.abs(data).max(initial=0.0) > 1e300:
        # The sum might overflow where the mean does not.
        return np.asarray((data / len(data)).sum(axis=0))
    return np.asarray(data.mean(axis=0))


def _answer(query: Query, data: Any) -> Array:
    if query is records_mean:  # which refuses by name itself
        answer = records_mean(data)
    else:
        given = attempt("query", query, "on data", query, data)
        answer = validate.array("query(data)", given)
    if not np.isfinite(answer).all():
        validate.refuse("query(data)", answer, "finite")
    return answer


class _Additive:
    """What mechanisms that add noise share."""

    def sample(self, data: Any, size: int, rng: np.random.Generator) -> Array:
        """Return ``size`` independent releases, one a row."""
        raise NotImplementedError

    def __call__(self, data: Any, rng: np.random.Generator) -> Array:
        """Return one release."""
        return np.asarray(self.sample(data, 1, rng)[0])


@checked
@dataclass(frozen=True)
class Gaussian(_Additive):
    """The Gaussian mechanism: a query's answer plus independent normal noise.

    Parameters
    ----------
    query : callable
        From a data set to a number or an array; the mean of the records if not given.

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
    query: CheckedQuery = records_mean

    @classmethod
    @checked
    def for_dp(
        cls, epsilon: Epsilon, delta: Delta, sensitivity: Sensitivity, query: Query = records_mean
    ) -> Gaussian:
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
        return cls(sigma, query)

    @checked
    def sample(self, data: Any, size: int, rng: Rng) -> Array:
        """Return ``size`` independent releases, one a row.

        Examples
        --------
        >>> Gaussian(0.1).sample([[0.0], [2.0]], 4, np.random.default_rng(0)).shape
        (4, 1)
        """
        answer = _answer(self.query, data)
        size = validate.size("size", size, 0, beside=answer.size)
        noise = rng.standard_normal((size, *answer.shape))
        noise *= self.sigma
        noise += answer
        return noise


@checked
@dataclass(frozen=True)
class Laplace(_Additive):
    """The Laplace mechanism: a query's answer plus independent Laplace noise.

    Parameters
    ----------
    scale : float
        Scale b of the noise on each coordinate, in (0, inf); its density falls as
        ``exp(-|x|/b)`` and its standard deviation is ``sqrt(2) b``.
    query : callable
        From a data set to a number or an array; the mean of the records if not given.

    Notes
    -----
    MIP paper, section 3; lecture notes, section 1.

    Examples
    --------
    >>> import numpy as np
    >>> round(Laplace.for_dp(0.5, sensitivity=1.0).scale, 12)
    2.0
    """

    scale: Positive
    query: CheckedQuery = records_mean

    @classmethod
    @checked
    def for_dp(cls, epsilon: Positive, sensitivity: Sensitivity, query: Query = records_mean) -> Laplace:
        """Return the mechanism with the smallest scale that is epsilon-DP.

        ``sensitivity`` is the largest change of the answer between neighbours, summed over
        coordinates, in the neighbour relation that the promise is about.
        """
        scale = sensitivity / epsilon
        if not 0 < scale < math.inf:
            validate.refuse("epsilon", epsilon, "such that sensitivity / epsilon is in (0, inf)")
        return cls(scale, query)

    @checked
    def sample(self, data: Any, size: int, rng: Rng) -> Array:
        """Return ``size`` independent releases, one a row.

        Examples
        --------
        >>> Laplace(0.1).sample([[0.0], [2.0]], 4, np.random.default_rng(0)).shape
        (4, 1)
        """
        answer = _answer(self.query, data)
        size = validate.size("size", size, 0, beside=answer.size)
        noise = rng.laplace(scale=self.scale, size=(size, *answer.shape))
        noise += answer
        return noise


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
