"""A two-layer ReLU network for regression, trained on all records at once by Adam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from explorable import progress, threads
from explorable.checked import Called, Integer, Number, checked
from mipbook.base.types import Rng
from mipbook.learners.base import Array, Regression, records

_KEEP, _KEEP_SQUARE, _TINY = 0.9, 0.999, 1e-8


class Adam:
    """Adam with its usual constants, on one array of weights in single precision, in place.

    Parameters
    ----------
    weights : ndarray of float32
        What `step` changes.
    rate : float
        The learning rate.

    References
    ----------
    D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, Section 2.

    Examples
    --------
    >>> weights = np.ones(2, np.float32)
    >>> adam = Adam(weights, 0.25)
    >>> adam.step(np.array([4.0, -4.0], np.float32))
    >>> weights.tolist()
    [0.75, 1.25]
    """

    def __init__(self, weights: NDArray[Any], rate: float) -> None:
        self.weights, self.rate, self.steps = weights, rate, 0
        self._mean, self._square = np.zeros((2, *weights.shape), np.float32)

    def step(self, slope: NDArray[Any]) -> None:
        """Move the weights against the slope of the loss in them."""
        self.steps += 1
        mean, square = self._mean, self._square
        mean *= _KEEP
        mean += (1 - _KEEP) * slope
        square *= _KEEP_SQUARE
        square += (1 - _KEEP_SQUARE) * np.square(slope)
        move = np.sqrt(square)
        move /= np.float32(np.sqrt(1 - _KEEP_SQUARE**self.steps))
        move += np.float32(_TINY)
        np.divide(mean, move, out=move)
        move *= np.float32(self.rate / (1 - _KEEP**self.steps))
        self.weights -= move


Watch = Annotated[Callable[[int, Array, "ReluRegression"], None], Called("watch(updates, losses, learner)")]


class ReluRegression(Regression):
    """Two-layer ReLU regression with mean squared error, full batch, Adam.

    Parameters
    ----------
    width : int
        Hidden units, in [1, 65536].
    rate : float
        Adam's learning rate, in (0, 1].
    iterations : int
        Updates at most, at least 0.
    eta : float, optional
        Stop as soon as the mean training loss is at most ``eta``, at least 0: the learner
        A_eta of Proposition 10.

    Attributes
    ----------
    stopped_at : int
        The number of updates made by the last `fit`.
    train_losses : ndarray
        The loss of each training record at the end of the last `fit`.

    Notes
    -----
    Limits paper, Example 1 and Figure 1: Xavier-normal weights, uniform biases, single
    precision.  The forward pass on the training records, which every update needs, already
    holds the loss of each record, so watching them costs nothing.

    Examples
    --------
    >>> from mipbook.learners import sine_data
    >>> rng = np.random.default_rng(1)
    >>> x, y = sine_data(20, 5, 0.1, rng)
    >>> learner = ReluRegression(64, 0.02, 2000, eta=1e-4).fit(x, y, rng=rng)
    >>> learner.stopped_at < 2000, bool(learner.losses(x, y).mean() <= 1e-4 + 1e-9)
    (True, True)
    """

    @checked
    def __init__(
        self,
        width: Annotated[int, Integer(1, 65536)] = 512,
        rate: Annotated[float, Number(0.0, 1.0, open_low=True)] = 0.02,
        iterations: Annotated[int, Integer(0)] = 3000,
        *,
        eta: Annotated[float, Number(0.0)] | None = None,
    ) -> None:
        self.width, self.rate, self.iterations = width, rate, iterations
        self.eta, self.stopped_at = eta, 0

    @checked
    def fit(self, x: Any, y: Any, *, rng: Rng, watch: Watch | None = None) -> Self:
        """Train on all records and return the learner.

        Parameters
        ----------
        x, y : array_like
            One row and one label a record.
        watch : callable, optional
            Called before every update, and at the end, as ``watch(updates made, loss of each
            training record, learner)``.  It must not change the losses.

        Raises
        ------
        FloatingPointError
            If the training diverges.
        """
        data = records(x, y)
        n, dimension = data.x.shape
        inputs = np.hstack([data.x, np.ones((n, 1))]).astype(np.float32)
        labels = data.y.astype(np.float32)
        self._columns, theta = dimension, self._start(dimension, rng)
        gradient, adam = np.zeros(theta.size, np.float32), Adam(theta, self.rate)
        first, second, offset = self._weights = self._views(theta)
        to_first, to_second, to_offset = self._views(gradient)
        hidden, active = np.empty((2, n, self.width), np.float32)
        positive = np.empty((n, self.width), bool)
        quiet = np.errstate(over="ignore", invalid="ignore")
        with quiet, threads.one():
            for k in progress.track(range(self.iterations + 1), what="training", unit="iterations"):
                np.matmul(inputs, first, out=hidden)
                np.maximum(hidden, 0, out=hidden)
                residual = hidden @ second + offset - labels
                losses = np.square(residual)
                level = float(losses.mean())
                if not np.isfinite(level):
                    raise FloatingPointError(
                        f"the training diverged at iteration {k}: lower rate = {self.rate:g}"
                    )
                self.stopped_at, self.train_losses = k, losses
                if watch is not None:
                    watch(k, losses, self)
                if k == self.iterations or (self.eta is not None and level <= self.eta):
                    break
                residual *= 2 / n
                np.greater(hidden, 0, out=positive)
                np.copyto(active, positive)
                to_first[:] = ((inputs * residual[:, None]).T @ active) * second
                to_second[:] = residual @ hidden
                to_offset[:] = residual.sum()
                adam.step(gradient)
        return self

    def _predicted(self, x: Array) -> Array:
        first, second, offset = self._weights
        hidden = x.astype(np.float32) @ first[:-1]
        hidden += first[-1]
        return np.asarray(np.maximum(hidden, 0, out=hidden) @ second + offset)

    def _start(self, dimension: int, rng: np.random.Generator) -> Array:
        theta = np.empty((dimension + 2) * self.width + 1, np.float32)
        first, second, offset = self._views(theta)
        first[:-1] = rng.normal(0, np.sqrt(2 / (dimension + self.width)), first[:-1].shape)
        first[-1] = rng.uniform(-1, 1, self.width) / np.sqrt(dimension)
        second[:] = rng.normal(0, np.sqrt(2 / (self.width + 1)), self.width)
        offset[:] = rng.uniform(-1, 1) / np.sqrt(self.width)
        return theta

    def _views(self, flat: Array) -> tuple[Array, Array, Array]:
        """Return weights of the first layer (last row: biases), of the second, and its bias."""
        return (flat[: -self.width - 1].reshape(-1, self.width), flat[-self.width - 1 : -1], flat[-1:])
