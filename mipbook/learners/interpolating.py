"""Learners that meet every record: nearest neighbour, minimum norm, bumps under gradient descent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Self

import numpy as np

from explorable import validate
from explorable.checked import Integer, Number, Numbers, OneOf, Switched, checked
from mipbook.base.types import Count, Epsilons, Positive, Rng
from mipbook.learners.base import Array, Regression, records


class NearestNeighbour(Regression):
    """Predict the label of the nearest training record.

    Notes
    -----
    Limits paper, Figure 2b.  A training record finds itself, so its loss is 0 unless another
    has the same inputs.  Needs scikit-learn: ``pip install mipbook[learners]``.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> learner = NearestNeighbour().fit([[0.0], [1.0]], [5.0, 7.0], rng=rng)
    >>> learner.predict([[0.2], [0.9]]).tolist()
    [5.0, 7.0]
    """

    _model: Any = None

    @checked
    def fit(self, x: Any, y: Any, *, rng: Rng) -> Self:
        """Keep the records; ``rng`` is not used, since nothing is random."""
        from sklearn.neighbors import KNeighborsRegressor

        data = records(x, y)
        self._columns = data.x.shape[1]
        # In many dimensions the default search expands squares, and records that are closer
        # to each other than rounding would not find themselves.
        model = KNeighborsRegressor(n_neighbors=1, algorithm="kd_tree")
        self._model = model.fit(data.x, data.y)
        return self

    def _predicted(self, x: Array) -> Array:
        return np.asarray(self._model.predict(x), dtype=float)


# Points of each quadrature, and the mass left out at either end; a product of two needs fewer where
# steps on the logit axis are small already, and keep 13 digits.
_POINTS, _LEFT_OUT = 161, 1e-16
_FEWEST, _STEP = 65, 0.25
_LARGEST_COUNT = 10**9


class MinimumNorm(Regression):
    """Linear regression without intercept: least squares, and the shortest of the solutions.

    Attributes
    ----------
    weights : ndarray
        Set by `fit`.

    Notes
    -----
    Limits paper, Example 2.  With at least as many features as records it interpolates.

    Examples
    --------
    >>> from mipbook.learners import linear_data
    >>> rng = np.random.default_rng(1)
    >>> x, y = linear_data(10, 30, 0.1, rng)
    >>> bool(MinimumNorm().fit(x, y, rng=rng).losses(x, y).max() < 1e-20)
    True
    """

    weights: Array

    @checked
    def fit(self, x: Any, y: Any, *, rng: Rng) -> Self:
        """Solve; ``rng`` is not used, since nothing is random."""
        data = records(x, y)
        self._columns, self.weights = data.x.shape[1], np.linalg.lstsq(data.x, data.y, rcond=None)[0]
        return self

    def _predicted(self, x: Array) -> Array:
        return np.asarray(x @ self.weights)


@dataclass(frozen=True)
class ResidualLaw:
    """A normal distribution with mean 0 whose variance is itself random.

    Attributes
    ----------
    variances, weights : ndarray
        The points and weights of the quadrature over the variance.

    Examples
    --------
    >>> law = ResidualLaw(np.array([1.0]), np.array([1.0]))
    >>> round(float(law.below(1.0)), 6)
    0.682689
    """

    variances: Array
    weights: Array

    @checked
    def below(self, epsilon: Epsilons) -> Array:
        """Return P(squared residual <= epsilon), for epsilon at least 0."""
        from scipy.special import erf

        if not self.variances[-1]:
            return np.ones(epsilon.shape)
        with np.errstate(over="ignore"):  # all residuals are below infinity
            ratio = np.sqrt(epsilon[..., None] / (2 * self.variances))
        # Row by row, so that a level has the same digits alone and among others.
        return np.asarray(np.vecdot(erf(ratio), self.weights))


@checked
@lru_cache(maxsize=64)
def residual_law(
    n: Annotated[int, Integer(1, _LARGEST_COUNT)],
    dimension: Annotated[int, Integer(1, _LARGEST_COUNT)],
    signal: Annotated[float, Number(0.0, 1e6)],
    noise: Annotated[float, Number(0.0, 1e3)],
    *,
    of: Annotated[str, OneOf(("test", "train"))] = "test",
) -> ResidualLaw:
    r"""Return the exact distribution of y - x'w for the minimum-norm w on normal inputs.

    Parameters
    ----------
    n, dimension : int
        Records and features, in [1, 10^9].
    signal : float
        Squared length of the true coefficients times the variance of one feature, in
        [0, 1e6].
    noise : float
        Standard deviation of the noise, in [0, 1000].
    of : {"test", "train"}
        A fresh record, or one that was trained on.

    Notes
    -----
    Limits paper, Example 2; the distributions are new here.  Given the inputs the residual is
    normal, with variance ``noise**2`` times a beta variable (train, d < n), divided by one (test,
    d < n), zero (train, d >= n), or ``noise**2 + signal B + noise**2 chi2_n/chi2_(d-n+1)``
    (test, d >= n).

    Examples
    --------
    >>> import math
    >>> law = residual_law(20, 20, math.pi**2, 0.1)
    >>> round(float(law.below(1e-2)), 9)
    0.138506662
    """
    d, nothing = dimension, ResidualLaw(np.zeros(1), np.ones(1))
    if d < n:
        if not noise:
            return nothing
        logit, weights = _beta(n - d + (of == "test"), d)
        # The logistic function, and its reciprocal, without loss of digits.
        factor = 1 / (1 + np.exp(-logit)) if of == "train" else 1 + np.exp(-logit)
        return ResidualLaw(noise**2 * factor, weights)
    if of == "train" or (not noise and (d == n or not signal)):
        return nothing
    # chi2_n / chi2_m is the odds of a beta variable.
    logit, weights = _beta(n, d - n + 1, sparing=d > n)
    spread = noise**2 * (1 + np.exp(logit))
    if d == n:
        return ResidualLaw(spread, weights)
    missed, other = _beta(d - n, n, sparing=True)
    variances = spread[:, None] + signal / (1 + np.exp(-missed))
    return ResidualLaw(variances.ravel(), np.outer(weights, other).ravel())


@lru_cache(maxsize=64)
def _beta(p: int, q: int, *, sparing: bool = False) -> tuple[Array, Array]:
    """Return points on the logit axis and weights for averages over Beta(p/2, q/2).

    On that axis the density is smooth and falls off at an exponential rate, where the
    trapezoidal rule is as good as any.
    """
    from scipy.special import betaincinv, betaln, logit

    a, b = p / 2, q / 2
    low = logit(max(float(betaincinv(a, b, _LEFT_OUT)), 1e-300))
    # Near 1 the inverse would round; the mirrored distribution keeps its digits.
    high = -logit(max(float(betaincinv(b, a, _LEFT_OUT)), 1e-300))
    points = min(max(math.ceil((high - low) / _STEP), _FEWEST), _POINTS) if sparing else _POINTS
    t = np.linspace(low, high, points)
    log = -a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) - betaln(a, b)
    weights = np.exp(log) * (t[1] - t[0])
    return t, weights / weights.sum()


@checked
def neighbour_below(
    shifts: Annotated[Any, Numbers(-1e3, 1e3)],
    noise: Annotated[float, Number(0.0, 1e3)],
    neighbours: Count,
    epsilon: Annotated[float, Number(0.0)],
    *,
    member: Annotated[bool, Switched()] = False,
) -> Array:
    """Return the chance of a loss of at most epsilon when the nearest labels are averaged.

    Parameters
    ----------
    shifts : array_like
        How far the mean of the neighbours' values is from the record's own before any noise,
        equally likely ones along the last axis; their signs do not count.
    noise : float
        Standard deviation of the labels' independent normal noise.
    neighbours : int
        How many are averaged; a member is the first of its own.
    epsilon : float
        The threshold on the squared error.
    member : bool
        Whether the record is one of the training records.

    Notes
    -----
    Limits paper, Figure 2b.  The noise of the record and of its neighbours is integrated: it is
    normal with variance ``noise**2 (1 + 1/k)`` for a fresh record, ``noise**2 (1 - 1/k)`` for a
    member.

    Examples
    --------
    >>> round(float(neighbour_below([0.0], 1.0, 1, 2.0)), 6)
    0.682689
    >>> float(neighbour_below([0.0], 1.0, 1, 0.0, member=True))
    1.0
    """
    from scipy.special import ndtr

    if not np.size(shifts) or not np.ndim(shifts):
        validate.refuse("shifts", shifts, "an array with at least one number along its last axis")
    spread, edge = noise * math.sqrt(1 + (-1 if member else 1) / neighbours), math.sqrt(epsilon)
    if spread < 1e-300:
        return np.asarray((np.abs(shifts) <= edge).mean(axis=-1))
    return np.asarray((ndtr((edge - shifts) / spread) - ndtr((-edge - shifts) / spread)).mean(axis=-1))


_Line = Annotated[Any, Numbers(-1e9, 1e9, ndim=1)]
_Steps = Annotated[Any, Numbers(0.0, 1e9, ndim=1)]


@checked
def descended(x: _Line, y: _Line, at: _Line, steps: _Steps, width: Positive = 1.0) -> Array:
    """Return what a curve says after so many steps of gradient descent on its squared error.

    Parameters
    ----------
    x, y : array_like
        The training records, one number each, and their labels.
    at : array_like
        Where the curve is read.
    steps : array_like of int
        The steps at which it is read; none is the mean of the labels.
    width : float
        How wide a bump is; there are equally many of three times the width.

    Returns
    -------
    ndarray
        A row for each of the steps.

    Notes
    -----
    The curve is the labels' mean and a sum of normal bumps.  Descent acts on each eigenvector
    of the bumps' matrix alone, so all steps have a closed form; the rate is the largest at
    which none overshoots.

    Examples
    --------
    >>> descended([0.0, 1.0], [0.0, 2.0], [0.0, 1.0], [0, 1000], width=0.3).round(3).tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    if x.size == 0 or x.size != y.size:
        validate.refuse("y", y, "a number for each of x, of which there is at least one")

    def bumps(here: Array) -> Array:
        with np.errstate(over="ignore"):  # so far away is no bump
            apart = ((here[:, None] - x) / width) ** 2
        return np.asarray(np.exp(-apart / 2) + np.exp(-apart / 18))

    sizes, parts = np.linalg.eigh(bumps(x))
    sizes = np.maximum(sizes, 0.0)
    # Records in one place share a bump, and leave directions along which nothing descends.
    bent = sizes > 1e-14 * sizes[-1]
    left = (1 - sizes / sizes[-1]) ** steps[:, None]
    moved = np.where(bent, (1 - left) / np.where(bent, sizes, 1.0), 0.0)
    weights = (moved * (parts.T @ (y - y.mean()))) @ parts.T
    return np.asarray(y.mean() + weights @ bumps(at).T)
