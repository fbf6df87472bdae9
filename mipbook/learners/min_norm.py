"""Least squares of minimum norm, and the exact distribution of its residuals on normal inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from explorable import validate
from mipbook.learners.base import Array, records

__all__ = ["MinimumNorm", "ResidualLaw", "mean_loss", "residual_law"]

# Points of each quadrature, and the mass left out at either end.
_POINTS, _LEFT_OUT = 161, 1e-16
_LARGEST_COUNT = 10**9


class MinimumNorm:
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

    weights: Array | None = None

    def fit(self, x: Any, y: Any, *, rng: np.random.Generator) -> Self:
        """Solve; ``rng`` is not used, since nothing is random."""
        checked = records(x, y)
        validate.generator("rng", rng)
        self.weights = np.linalg.lstsq(checked.x, checked.y, rcond=None)[0]
        return self

    def predict(self, x: Any) -> Array:
        """Return the prediction for each row."""
        if self.weights is None:
            raise ValueError("learner: must be fitted first")
        inputs = validate.array("x", x, -1e3, 1e3, ndim=2)
        if inputs.shape[1] != len(self.weights):
            validate.refuse("x", inputs.shape, f"rows of {len(self.weights)} numbers")
        return inputs @ self.weights

    def losses(self, x: Any, y: Any) -> Array:
        """Return the squared error of each record."""
        checked = records(x, y)
        return np.asarray(np.square(self.predict(checked.x) - checked.y))


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
    >>> round(float(law.below(1.0)), 6), round(float(law.density(0.0)), 6)
    (0.682689, 0.398942)
    """

    variances: Array
    weights: Array

    def below(self, epsilon: Any) -> Array:
        """Return P(squared residual <= epsilon), for epsilon at least 0."""
        from scipy.special import erf

        levels = validate.array("epsilon", epsilon, 0.0)
        if not self.variances[-1]:
            return np.ones(levels.shape)
        with np.errstate(over="ignore"):  # all residuals are below infinity
            ratio = np.sqrt(levels[..., None] / (2 * self.variances))
        return np.asarray(erf(ratio) @ self.weights)

    def density(self, residual: Any) -> Array:
        """Return the density at a residual; infinite where there is an atom or a pole."""
        at = validate.array("residual", residual, -1e150, 1e150)
        if not self.variances[-1]:
            return np.where(at == 0, np.inf, 0.0)
        scaled = self.weights / np.sqrt(2 * math.pi * self.variances)
        # A residual far out divides by a tiny variance: the exponential is 0 there.
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.exp(-np.square(at[..., None]) / (2 * self.variances)) @ scaled)


def residual_law(n: int, dimension: int, signal: float, noise: float, *, of: str = "test") -> ResidualLaw:
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
    n = validate.integer("n", n, 1, _LARGEST_COUNT)
    dimension = validate.integer("dimension", dimension, 1, _LARGEST_COUNT)
    signal = validate.number("signal", signal, 0.0, 1e6)
    noise = validate.number("noise", noise, 0.0, 1e3)
    of = validate.choice("of", of, ("test", "train"))
    return _law(n, dimension, signal, noise, of)


@lru_cache(maxsize=64)
def _law(n: int, d: int, signal: float, noise: float, of: str) -> ResidualLaw:
    nothing = ResidualLaw(np.zeros(1), np.ones(1))
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
    logit, weights = _beta(n, d - n + 1)
    spread = noise**2 * (1 + np.exp(logit))
    if d == n:
        return ResidualLaw(spread, weights)
    missed, other = _beta(d - n, n)
    variances = spread[:, None] + signal / (1 + np.exp(-missed))
    return ResidualLaw(variances.ravel(), np.outer(weights, other).ravel())


@lru_cache(maxsize=64)
def _beta(p: int, q: int) -> tuple[Array, Array]:
    """Return points on the logit axis and weights for averages over Beta(p/2, q/2).

    On that axis the density is smooth and falls off at an exponential rate, where the
    trapezoidal rule is as good as any.
    """
    from scipy.special import betaincinv, betaln, logit

    a, b = p / 2, q / 2
    low = logit(max(float(betaincinv(a, b, _LEFT_OUT)), 1e-300))
    # Near 1 the inverse would round; the mirrored distribution keeps its digits.
    high = -logit(max(float(betaincinv(b, a, _LEFT_OUT)), 1e-300))
    t = np.linspace(low, high, _POINTS)
    log = -a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) - betaln(a, b)
    weights = np.exp(log) * (t[1] - t[0])
    return t, weights / weights.sum()


def mean_loss(n: int, dimension: int, signal: float, noise: float, *, of: str = "test") -> float:
    """Return the mean squared residual of minimum-norm least squares on normal inputs.

    Parameters
    ----------
    n, dimension, signal, noise, of
        As in `residual_law`.

    Returns
    -------
    float
        Infinite for a fresh record if there is noise and the dimension is n - 1, n or n + 1.

    Notes
    -----
    The double descent curve: noise**2 (1 + d/(n-d-1)) below n, and
    signal (1 - n/d) + noise**2 (1 + n/(d-n-1)) above.

    Examples
    --------
    >>> mean_loss(20, 10, 1.0, 0.3, of="train"), mean_loss(20, 20, 1.0, 0.3)
    (0.045, inf)
    """
    n = validate.integer("n", n, 1)
    d = validate.integer("dimension", dimension, 1)
    signal = validate.number("signal", signal, 0.0, 1e6)
    noise = validate.number("noise", noise, 0.0, 1e3)
    if validate.choice("of", of, ("test", "train")) == "train":
        return noise**2 * max(1 - d / n, 0.0)
    bias = signal * max(1 - n / d, 0.0)
    if not noise:
        return bias
    if abs(d - n) <= 1:
        return math.inf
    return bias + noise**2 * (1 + min(n, d) / (abs(d - n) - 1))
