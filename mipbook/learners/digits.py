"""A small classifier in numpy: two hidden ReLU layers, cross-entropy, minibatch Adam."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import progress, threads, validate
from explorable.checked import Integer, Number, Switched, checked
from mipbook.base.types import Count, Rng
from mipbook.learners.relu import Adam

Single = NDArray[np.float32]
_LARGEST_INPUT = 1e3


def _records(name: str, value: Any) -> Single:
    # Single precision: products of huge numbers would overflow.
    table = validate.array(name, value, -_LARGEST_INPUT, _LARGEST_INPUT, ndim=2)
    if table.size == 0:
        validate.refuse(name, value, "an array of numbers of shape (records, columns), not empty")
    return np.ascontiguousarray(table, dtype=np.float32)


class DigitNetwork:
    """A network columns -> width -> width -> classes that tells classes apart.

    Parameters
    ----------
    width : int
        Units in each of the two hidden layers, in [1, 4096].
    learning_rate : float
        Adam's step, in (0, 1].
    iterations : int
        Steps, in [1, 100,000].
    batch : int
        Records a step, at least 1; all of them if there are fewer.

    Attributes
    ----------
    training_losses : ndarray of shape (iterations,)
        The mean loss of each step's records, before the step.

    Notes
    -----
    Limits paper, Appendix D: a 3-layer ReLU network, cross-entropy, Adam, 500 iterations.  Its
    width and step are lost; 128 and 0.001 are choices, and so is the batch of 200.

    Examples
    --------
    >>> x = np.array([[0.0, 1.0], [1.0, 0.0]] * 20)
    >>> y = np.array([0, 1] * 20)
    >>> network = DigitNetwork(8, 0.02, 100).fit(x, y, np.random.default_rng(0))
    >>> network.accuracy(x, y)
    1.0
    """

    @checked
    def __init__(
        self,
        width: Annotated[int, Integer(1, 4096)] = 128,
        learning_rate: Annotated[float, Number(0.0, 1.0, open_low=True)] = 1e-3,
        iterations: Annotated[int, Integer(1, 100_000)] = 500,
        batch: Count = 200,
    ) -> None:
        self.width, self.learning_rate = width, learning_rate
        self.iterations, self.batch = iterations, batch
        self.training_losses = np.empty(0)
        self._weights: list[Single] = []

    @checked
    def fit(
        self,
        x: ArrayLike,
        y: ArrayLike,
        rng: Rng,
        *,
        classes: int | None = None,
        show: Annotated[bool, Switched()] = True,
    ) -> Self:
        """Train from scratch.

        Parameters
        ----------
        x : array_like of shape (records, columns)
            In [-1000, 1000], best within [-1, 1] or so.
        y : array_like of int, shape (records,)
            Classes, from 0.
        classes : int, optional
            How many classes there are; the largest label plus 1 if not given.
        show : bool
            Whether to show a progress bar once a second has passed.
        """
        table = _records("x", x)
        kinds = self._labels(table, y, classes)
        classes = int(kinds.max()) + 1 if classes is None else classes
        sizes = (table.shape[1], self.width, self.width, classes)
        self._weights = []
        for fan_in, fan_out in pairwise(sizes):
            drawn = rng.standard_normal((fan_in, fan_out), dtype=np.float32)
            self._weights += [drawn * np.float32(math.sqrt(2 / fan_in)), np.zeros(fan_out, dtype=np.float32)]
        self._train(table, kinds, rng, show)
        return self

    def _train(self, x: Single, y: NDArray[np.int64], rng: Any, show: bool) -> None:
        adams = [Adam(weight, self.learning_rate) for weight in self._weights]
        batch = min(self.batch, len(x))
        self.training_losses = np.empty(self.iterations)
        steps = range(self.iterations)
        with threads.one():
            for step in progress.track(steps, what="training", unit="steps") if show else steps:
                chosen = rng.choice(len(x), batch, replace=False)
                loss, slopes = self._slopes(x[chosen], y[chosen])
                self.training_losses[step] = loss
                for adam, slope in zip(adams, slopes, strict=True):
                    adam.step(slope)

    def _slopes(self, x: Single, y: NDArray[np.int64]) -> tuple[float, list[Single]]:
        """Return the mean loss and its slope in every weight."""
        layers, scores = self._forward(x)
        chances, losses = _softmax(scores, y)
        chances[np.arange(len(y)), y] -= 1
        back = chances / np.float32(len(y))
        slopes: list[Single] = []
        for depth in (2, 1, 0):
            slopes = [layers[depth].T @ back, back.sum(axis=0), *slopes]
            if depth:
                back = (back @ self._weights[2 * depth].T) * (layers[depth] > 0)
        return float(losses.mean()), slopes

    def _forward(self, x: Single) -> tuple[list[Single], Single]:
        w = self._weights
        layers = [x]
        for depth in (0, 1):
            layers.append(np.maximum(layers[-1] @ w[2 * depth] + w[2 * depth + 1], 0))
        return layers, layers[-1] @ w[4] + w[5]

    def _scores(self, records: ArrayLike) -> Single:
        if not self._weights:
            raise ValueError("the network is not trained yet: call fit first")
        x = _records("x", records)
        if x.shape[1] != self._weights[0].shape[0]:
            columns = self._weights[0].shape[0]
            validate.refuse("x", f"of shape {x.shape}", f"of {columns} columns")
        return self._forward(x)[1]

    @staticmethod
    @checked
    def _labels(
        x: NDArray[Any], labels: ArrayLike, classes: Annotated[int, Integer(1, 10_000)] | None
    ) -> NDArray[np.int64]:
        most = 10_000 if classes is None else classes
        y = validate.array("y", labels, 0, ndim=1)
        if y.max(initial=0) >= most:
            validate.refuse("y", labels, f"below {most}" + ("" if classes is None else ", classes"))
        if len(y) != len(x) or np.any(y != np.floor(y)):
            validate.refuse("y", labels, f"{len(x)} whole numbers, one for each row of x")
        return y.astype(np.int64)

    def losses(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return the cross-entropy of each record, what a loss attack looks at.

        Parameters
        ----------
        x : array_like of shape (records, columns)
        y : array_like of int, shape (records,)

        Returns
        -------
        ndarray of shape (records,)
            In nats, at least 0.

        Examples
        --------
        >>> x, y = [[0.0], [1.0]], [0, 1]
        >>> network = DigitNetwork(4, 0.02, 10).fit(x, y, np.random.default_rng(0))
        >>> network.losses(x, y).shape
        (2,)
        """
        scores = self._scores(x)
        return _softmax(scores, self._labels(scores, y, scores.shape[1]))[1]

    def predict(self, x: ArrayLike) -> NDArray[np.int64]:
        """Return the likeliest class of each record."""
        return np.asarray(self._scores(x).argmax(axis=1))

    def accuracy(self, x: ArrayLike, y: ArrayLike) -> float:
        """Return the share of records whose class is predicted.

        Parameters
        ----------
        x : array_like of shape (records, columns)
        y : array_like of int, shape (records,)
        """
        predicted = self.predict(x)
        return float((predicted == self._labels(predicted[:, None], y, None)).mean())


def _softmax(scores: Single, y: NDArray[np.int64]) -> tuple[Single, NDArray[np.float64]]:
    """Return the chances of the classes and each record's loss, without overflow."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    chances = np.exp(shifted)
    total = chances.sum(axis=1, keepdims=True)
    losses = np.log(total[:, 0]) - shifted[np.arange(len(y)), y]
    return chances / total, np.maximum(losses.astype(np.float64), 0.0)
