"""Networks that tell classes apart, in numpy: by Adam, or by clipped gradients and noise (DP-SGD)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax, logsumexp

from explorable import progress, threads, validate
from explorable.checked import Integer, Number, Switched, checked
from mipbook.base.types import Count, Rng
from mipbook.learners.base import Array, Inputs, records
from mipbook.learners.relu import Adam

_MOST_CLASSES = 1000
Classes = NDArray[np.int64]


def _classes(labels: Array, most: int) -> Classes:
    if np.any((labels < 0) | (labels >= most) | (labels != np.floor(labels))):
        validate.refuse("y", labels, f"whole numbers in [0, {most}), the classes, one for each row of x")
    return labels.astype(np.int64)


def _softmax(scores: Array) -> Array:
    """Return the chances of the classes, without overflow."""
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


class _Network(ABC):
    """Layers of weights, and scores of the classes: the largest is that of the likeliest."""

    def __init__(self, hidden: tuple[int, ...], steps: int) -> None:
        self._hidden, self._steps, self._columns = hidden, steps, 0
        self.weights: list[Array] = []

    @abstractmethod
    def _start(self, widths: tuple[int, ...], rng: np.random.Generator) -> list[Array]:
        """Return the first weights, of layers with so many units each."""

    @abstractmethod
    def _train(self, x: Array, y: Classes, rng: np.random.Generator, steps: Iterable[int]) -> None:
        """Take all steps."""

    @abstractmethod
    def _forward(self, x: Array) -> tuple[list[Array], Array]:
        """Return what each layer gets, and the scores."""

    @checked
    def fit(
        self,
        x: ArrayLike,
        y: ArrayLike,
        rng: Rng,
        *,
        classes: Annotated[int, Integer(1, _MOST_CLASSES)] | None = None,
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
            How many classes there are, at most 1000; the largest label plus 1 if not given.
        show : bool
            Whether to show a progress bar once a second has passed.

        Examples
        --------
        >>> made = ClippedNetwork(hidden=8, sigma=0.0).fit([[0.0], [1.0]], [0, 1],
        ...                                                np.random.default_rng(0))
        >>> [table.shape for table in made.weights]
        [(2, 8), (9, 2)]
        """
        table, kinds = records(x, y)
        labels = _classes(kinds, classes or _MOST_CLASSES)
        self._columns = table.shape[1]
        self.weights = self._start((self._columns, *self._hidden, classes or int(labels.max()) + 1), rng)
        steps = range(self._steps)
        with threads.one():
            shown = progress.track(steps, what="training", unit="steps") if show else steps
            self._train(table, labels, rng, shown)
        return self

    @checked
    def _scores(self, x: Inputs) -> Array:
        if not self.weights:
            raise ValueError("the network is not trained yet: call fit first")
        if x.shape[1] != self._columns or not len(x):
            validate.refuse("x", f"of shape {x.shape}", f"of {self._columns} columns, at least one row")
        return self._forward(x)[1]

    def _told(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Classes]:
        """Return the scores of records and their classes, each of which has a score."""
        scores, labels = self._scores(x), records(x, y).y
        return scores, _classes(labels, scores.shape[1])

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
        scores, labels = self._told(x, y)
        own = log_softmax(scores, axis=1)[np.arange(len(labels)), labels]
        return np.maximum(-own.astype(np.float64), 0.0)

    def predict(self, x: ArrayLike) -> Classes:
        """Return the likeliest class of each record."""
        return np.asarray(self._scores(x).argmax(axis=1))

    def accuracy(self, x: ArrayLike, y: ArrayLike) -> float:
        """Return the share of records whose class is predicted.

        Parameters
        ----------
        x : array_like of shape (records, columns)
        y : array_like of int, shape (records,)
        """
        return float((self.predict(x) == _classes(records(x, y).y, _MOST_CLASSES)).mean())


class DigitNetwork(_Network):
    """A network columns -> width -> width -> classes of ReLU layers, trained by minibatch Adam.

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
    weights : list of ndarray
        A table and the biases of each layer after `fit`, in single precision.

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
        super().__init__((width, width), iterations)
        self.learning_rate, self.batch = learning_rate, batch

    def _start(self, widths: tuple[int, ...], rng: np.random.Generator) -> list[Array]:
        weights = []
        for fan_in, fan_out in pairwise(widths):
            drawn = rng.standard_normal((fan_in, fan_out), dtype=np.float32)
            weights += [drawn * np.float32(math.sqrt(2 / fan_in)), np.zeros(fan_out, dtype=np.float32)]
        return weights

    def _train(self, x: Array, y: Classes, rng: np.random.Generator, steps: Iterable[int]) -> None:
        x, batch = x.astype(np.float32), min(self.batch, len(x))
        adams = [Adam(weight, self.learning_rate) for weight in self.weights]
        for _ in steps:
            chosen = rng.choice(len(x), batch, replace=False)
            for adam, slope in zip(adams, self._slopes(x[chosen], y[chosen]), strict=True):
                adam.step(slope)

    def _slopes(self, x: Array, y: Classes) -> list[Array]:
        """Return the slope of the mean loss in every weight."""
        layers, scores = self._forward(x)
        back = _softmax(scores)
        back[np.arange(len(y)), y] -= 1
        back = back / np.float32(len(y))
        slopes: list[Array] = []
        for depth in (2, 1, 0):
            slopes = [layers[depth].T @ back, back.sum(axis=0), *slopes]
            if depth:
                back = (back @ self.weights[2 * depth].T) * (layers[depth] > 0)
        return slopes

    def _forward(self, x: Array) -> tuple[list[Array], Array]:
        w, layers = self.weights, [np.ascontiguousarray(x, dtype=np.float32)]
        for depth in (0, 1):
            layers.append(np.maximum(layers[-1] @ w[2 * depth] + w[2 * depth + 1], 0))
        return layers, layers[-1] @ w[4] + w[5]


class ClippedNetwork(_Network):
    """A classifier whose every step sums clipped gradients and adds Gaussian noise.

    Parameters
    ----------
    hidden : int
        Units of the one hidden layer (tanh), in [0, 4096]; 0 for softmax regression.
    clip : float
        The largest norm C of one record's gradient, in [1e-6, 1e6]; infinite for none, where
        ``sigma`` is 0.
    sigma : float
        Standard deviation of the noise on the sum of clipped gradients in units of ``clip``, in
        [0, 10^4].
    rate : float
        The chance that a record takes part in a step, in (0, 1].
    steps : int
        Steps, in [1, 100,000].
    learning_rate : float
        What multiplies each step, in (0, 10^6].

    Attributes
    ----------
    weights : list of ndarray
        One table a layer after `fit`; its last row is the bias.

    Notes
    -----
    A step adds up the clipped gradients of a Poisson sample of the records, adds
    N(0, (sigma clip)^2) to each entry, and divides by the expected size of the sample.  Its
    privacy against adding or removing a record, all iterates published, depends on
    ``sigma``, ``rate`` and ``steps`` alone.  The gradient of one record in one layer is an outer
    product, so its norm is the product of two norms and no record's gradient is ever formed.

    References
    ----------
    M. Abadi et al., "Deep Learning with Differential Privacy", CCS 2016.
    I. Goodfellow, "Efficient Per-Example Gradient Computations", arXiv 2015.

    Examples
    --------
    >>> x = np.array([[0.0, 1.0], [1.0, 0.0]] * 50)
    >>> y = np.array([0, 1] * 50)
    >>> made = ClippedNetwork(hidden=0, sigma=1.0).fit(x, y, np.random.default_rng(0))
    >>> made.accuracy(x, y)
    1.0
    """

    @checked
    def __init__(
        self,
        hidden: Annotated[int, Integer(0, 4096)] = 32,
        clip: Annotated[float, Number(1e-6)] = 1.0,
        sigma: Annotated[float, Number(0.0, 1e4)] = 1.0,
        rate: Annotated[float, Number(0.0, 1.0, open_low=True)] = 0.1,
        steps: Annotated[int, Integer(1, 100_000)] = 300,
        learning_rate: Annotated[float, Number(0.0, 1e6, open_low=True)] = 1.0,
    ) -> None:
        if clip > 1e6 and not (math.isinf(clip) and sigma == 0):
            validate.refuse("clip", clip, "in [1e-6, 1e6], or infinite where sigma is 0")
        super().__init__((hidden,) if hidden else (), steps)
        self.clip, self.sigma, self.rate, self.learning_rate = clip, sigma, rate, learning_rate

    def _start(self, widths: tuple[int, ...], rng: np.random.Generator) -> list[Array]:
        # The last layer starts at zero, so that the first gradients are calm.
        return [
            rng.standard_normal((rows + 1, columns)) / math.sqrt(rows + 1)
            for rows, columns in pairwise(widths[:-1])
        ] + [np.zeros((widths[-2] + 1, widths[-1]))]

    def _train(self, x: Array, y: Classes, rng: np.random.Generator, steps: Iterable[int]) -> None:
        for _ in steps:
            chosen = rng.random(len(x)) < self.rate
            self._step(x[chosen], y[chosen], self.rate * len(x), rng)

    def _step(self, x: Array, y: Classes, expected: float, rng: np.random.Generator) -> None:
        layers, backs = self._slopes(x, y)
        squares = sum(
            (layer**2).sum(axis=1) * (back**2).sum(axis=1) for layer, back in zip(layers, backs, strict=True)
        )
        # A gradient of norm 0 stays as it is.
        scale = np.minimum(1.0, self.clip / np.sqrt(np.maximum(squares, 1e-300)))
        for table, layer, back in zip(self.weights, layers, backs, strict=True):
            total = layer.T @ (back * scale[:, None])
            if self.sigma:
                total += self.sigma * self.clip * rng.standard_normal(table.shape)
            table -= self.learning_rate / expected * total

    def _slopes(self, x: Array, y: Classes) -> tuple[list[Array], list[Array]]:
        """Return the two factors of every record's gradient, layer by layer."""
        layers, scores = self._forward(x)
        back = _softmax(scores)
        back[np.arange(len(y)), y] -= 1
        if len(layers) == 1:
            return layers, [back]
        inner = (back @ self.weights[1][:-1].T) * (1 - layers[1][:, :-1] ** 2)
        return layers, [inner, back]

    def _forward(self, x: Array) -> tuple[list[Array], Array]:
        # A column of ones for the bias.
        ones = np.ones((len(x), 1))
        layers = [np.hstack([x, ones])]
        if self._hidden:
            layers.append(np.hstack([np.tanh(layers[0] @ self.weights[0]), ones]))
        return layers, layers[-1] @ self.weights[-1]

    def log_odds(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return ln(p / (1 - p)) of each record's class, the score that LiRA looks at.

        Parameters
        ----------
        x : array_like of shape (records, columns)
        y : array_like of int, shape (records,)

        Returns
        -------
        ndarray of shape (records,)
            Any real number; large for a class that the network is sure of.

        Notes
        -----
        N. Carlini et al., "Membership Inference Attacks From First Principles", 2022.

        Examples
        --------
        >>> made = ClippedNetwork(hidden=0, sigma=0.0).fit([[0.0], [1.0]], [0, 1],
        ...                                                np.random.default_rng(0))
        >>> bool((made.log_odds([[0.0], [1.0]], [0, 1]) > 0).all())
        True
        """
        scores, labels = self._told(x, y)
        if scores.shape[1] == 1:
            validate.refuse("y", "one class", "of at least 2 classes: the odds are infinite")
        at = np.arange(len(labels)), labels
        own = scores[at]
        scores[at] = -np.inf
        return np.asarray(own - logsumexp(scores, axis=1))
