"""A two-layer ReLU network for regression, trained on all records at once by Adam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from explorable import progress, threads, validate
from mipbook.learners.adam import Adam
from mipbook.learners.base import Array, records

__all__ = ["ReluRegression"]


class ReluRegression:
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

    def __init__(
        self, width: int = 512, rate: float = 0.02, iterations: int = 3000, *, eta: float | None = None
    ) -> None:
        self.width = validate.integer("width", width, 1, 65536)
        self.rate = validate.number("rate", rate, 0.0, 1.0, open_low=True)
        self.iterations = validate.integer("iterations", iterations, 0)
        self.eta = None if eta is None else validate.number("eta", eta, 0.0)
        self.stopped_at = 0
        self._weights: tuple[Array, Array, Array] | None = None

    def fit(
        self,
        x: Any,
        y: Any,
        *,
        rng: np.random.Generator,
        watch: Callable[[int, Array, ReluRegression], None] | None = None,
    ) -> Self:
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
        checked = records(x, y)
        validate.generator("rng", rng)
        if watch is not None:
            validate.function("watch", watch, "watch(updates, losses, learner)")
        n, dimension = checked.x.shape
        inputs = np.hstack([checked.x, np.ones((n, 1))]).astype(np.float32)
        labels = checked.y.astype(np.float32)
        theta = self._start(dimension, rng)
        gradient, adam = np.zeros(theta.size, np.float32), Adam(theta, self.rate)
        first, second, offset = self._weights = self._views(theta)
        to_first, to_second, to_offset = self._views(gradient)
        hidden, active = np.empty((2, n, self.width), np.float32)
        positive = np.empty((n, self.width), bool)
        quiet = np.errstate(over="ignore", invalid="ignore")
        with progress.reader() as stream, quiet, threads.one():
            for k in progress.track(
                range(self.iterations + 1),
                stream,
                total=self.iterations + 1,
                what="training",
                unit="iterations",
            ):
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

    def predict(self, x: Any) -> Array:
        """Return the prediction for each row of ``x``, in single precision."""
        first, second, offset = self._fitted()
        inputs = validate.array("x", x, -1e3, 1e3, ndim=2)
        if inputs.shape[1] != len(first) - 1:
            validate.refuse("x", inputs.shape, f"rows of {len(first) - 1} numbers")
        hidden = inputs.astype(np.float32) @ first[:-1]
        hidden += first[-1]
        return np.asarray(np.maximum(hidden, 0, out=hidden) @ second + offset)

    def losses(self, x: Any, y: Any) -> Array:
        """Return the squared error of each record."""
        checked = records(x, y, len(self._fitted()[0]) - 1)
        return np.asarray(np.square(self.predict(checked.x) - checked.y.astype(np.float32)))

    def _fitted(self) -> tuple[Array, Array, Array]:
        if self._weights is None:
            raise ValueError("learner: must be fitted first")
        return self._weights

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
