"""Answers with noise: the Gaussian and the Laplace mechanism as callables."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook import tradeoff
from mipbook.base.attempt import attempt
from mipbook.base.types import Array

__all__ = ["Gaussian", "Laplace", "records_mean"]

Query = Callable[[Any], ArrayLike]


def records_mean(data: ArrayLike) -> Array:
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
    rows = validate.array("data", data)
    if rows.ndim == 0 or len(rows) == 0:
        validate.refuse("data", data, "at least one record, one a row")
    if np.abs(rows).max(initial=0.0) > 1e300:
        # The sum might overflow where the mean does not.
        return np.asarray((rows / len(rows)).sum(axis=0))
    return np.asarray(rows.mean(axis=0))


def _answer(query: Query, data: Any) -> Array:
    if query is records_mean:  # which refuses by name itself
        answer = records_mean(data)
    else:
        given = attempt("query", query, "on data", query, data)
        answer = validate.array("query(data)", given)
    if not np.isfinite(answer).all():
        validate.refuse("query(data)", answer, "finite")
    return answer


def _gaps(outputs: ArrayLike, answer: Array) -> Array:
    """Return outputs minus answer, one flat row an output."""
    seen = validate.array("outputs", outputs)
    if seen.shape[seen.ndim - answer.ndim :] != answer.shape:
        validate.refuse("outputs", seen, f"of a shape that ends in {answer.shape} as query(data)")
    rest = seen.shape[: seen.ndim - answer.ndim]
    return (seen - answer).reshape(*rest, answer.size)


class _Additive:
    """What mechanisms that add noise share."""

    def sample(self, data: Any, size: int, rng: np.random.Generator) -> Array:
        """Return ``size`` independent releases, one a row."""
        raise NotImplementedError

    def __call__(self, data: Any, rng: np.random.Generator) -> Array:
        """Return one release."""
        return np.asarray(self.sample(data, 1, rng)[0])


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

    sigma: float
    query: Query = records_mean

    def __post_init__(self) -> None:
        validate.number("sigma", self.sigma, 0.0, math.inf, open_low=True, open_high=True)
        if not callable(self.query):
            validate.refuse("query", self.query, "a function of a data set")

    @classmethod
    def for_dp(
        cls, epsilon: float, delta: float, sensitivity: float, query: Query = records_mean
    ) -> Gaussian:
        """Return the mechanism with the smallest sigma that is (epsilon, delta)-DP.

        ``sensitivity`` is the largest Euclidean change of the answer between neighbours, in the
        neighbour relation that the promise is about.

        Examples
        --------
        >>> round(Gaussian.for_dp(1.0, 1e-5, sensitivity=0.1).sigma, 4)
        0.3731
        """
        epsilon = validate.number("epsilon", epsilon, 0.0)
        delta = validate.number("delta", delta, 0.0, 1.0)
        sensitivity = validate.number(
            "sensitivity", sensitivity, 0.0, math.inf, open_low=True, open_high=True
        )
        sigma = float(tradeoff.gaussian_sigma(epsilon, delta, sensitivity))
        if not math.isfinite(sigma):
            validate.refuse("delta", delta, "so large that a finite sigma is enough at this sensitivity")
        if sigma == 0:
            validate.refuse("delta", delta, "so small that any noise is needed at this epsilon")
        return cls(sigma, query)

    def sample(self, data: Any, size: int, rng: np.random.Generator) -> Array:
        """Return ``size`` independent releases, one a row.

        Examples
        --------
        >>> Gaussian(0.1).sample([[0.0], [2.0]], 4, np.random.default_rng(0)).shape
        (4, 1)
        """
        answer = _answer(self.query, data)
        size = validate.size("size", size, 0, beside=answer.size)
        noise = validate.generator("rng", rng).standard_normal((size, *answer.shape))
        noise *= self.sigma
        noise += answer
        return noise

    def log_density(self, outputs: ArrayLike, data: Any) -> Array:
        """Return the log density of each output; the last axes are those of one release.

        Examples
        --------
        >>> Gaussian(1.0).log_density([[0.0], [1.0]], [[0.0]]).round(3).tolist()
        [-0.919, -1.419]
        """
        with np.errstate(over="ignore"):  # minus infinity is right far out
            gaps = _gaps(outputs, _answer(self.query, data)) / self.sigma
            constant = math.log(self.sigma) + 0.5 * math.log(2 * math.pi)
            return np.asarray(-0.5 * (gaps**2).sum(axis=-1) - gaps.shape[-1] * constant)


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

    scale: float
    query: Query = records_mean

    def __post_init__(self) -> None:
        validate.number("scale", self.scale, 0.0, math.inf, open_low=True, open_high=True)
        if not callable(self.query):
            validate.refuse("query", self.query, "a function of a data set")

    @classmethod
    def for_dp(cls, epsilon: float, sensitivity: float, query: Query = records_mean) -> Laplace:
        """Return the mechanism with the smallest scale that is epsilon-DP.

        ``sensitivity`` is the largest change of the answer between neighbours, summed over
        coordinates, in the neighbour relation that the promise is about.
        """
        epsilon = validate.number("epsilon", epsilon, 0.0, math.inf, open_low=True, open_high=True)
        sensitivity = validate.number(
            "sensitivity", sensitivity, 0.0, math.inf, open_low=True, open_high=True
        )
        scale = sensitivity / epsilon
        if not 0 < scale < math.inf:
            validate.refuse("epsilon", epsilon, "such that sensitivity / epsilon is in (0, inf)")
        return cls(scale, query)

    def sample(self, data: Any, size: int, rng: np.random.Generator) -> Array:
        """Return ``size`` independent releases, one a row.

        Examples
        --------
        >>> Laplace(0.1).sample([[0.0], [2.0]], 4, np.random.default_rng(0)).shape
        (4, 1)
        """
        answer = _answer(self.query, data)
        size = validate.size("size", size, 0, beside=answer.size)
        noise = validate.generator("rng", rng).laplace(scale=self.scale, size=(size, *answer.shape))
        noise += answer
        return noise

    def log_density(self, outputs: ArrayLike, data: Any) -> Array:
        """Return the log density of each output; the last axes are those of one release.

        Examples
        --------
        >>> Laplace(0.5).log_density([[0.5], [1.0]], [[0.0]]).tolist()
        [-1.0, -2.0]
        """
        with np.errstate(over="ignore"):
            gaps = np.abs(_gaps(outputs, _answer(self.query, data))) / self.scale
            constant = math.log(2) + math.log(self.scale)
            return np.asarray(-gaps.sum(axis=-1) - gaps.shape[-1] * constant)
