"""A softmax or a small network trained with clipped gradients and noise (DP-SGD), in numpy."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import progress, threads, validate
from explorable.checked import Integer, Number, checked
from mipbook.base.types import Array, Rng
from mipbook.learners.base import Inputs, records

_MOST_STEPS = 100_000
_MOST_CLASSES = 1000


class ClippedNetwork:
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
        steps: Annotated[int, Integer(1, _MOST_STEPS)] = 300,
        learning_rate: Annotated[float, Number(0.0, 1e6, open_low=True)] = 1.0,
    ) -> None:
        if clip > 1e6 and not (math.isinf(clip) and sigma == 0):
            validate.refuse("clip", clip, "in [1e-6, 1e6], or infinite where sigma is 0")
        self.hidden, self.clip, self.sigma = hidden, clip, sigma
        self.rate, self.steps, self.learning_rate = rate, steps, learning_rate
        self.weights: list[Array] = []

    @checked
    def fit(self, x: ArrayLike, y: ArrayLike, rng: Rng, *, classes: int | None = None) -> Self:
        """Train from scratch, with a progress bar once a second has passed.

        Parameters
        ----------
        x : array_like of shape (records, columns)
            In [-1000, 1000], best within [-1, 1] or so.
        y : array_like of int, shape (records,)
            Classes, from 0.
        classes : int, optional
            How many classes there are, at most 1000; the largest label plus 1 if not given.

        Examples
        --------
        >>> made = ClippedNetwork(hidden=8, sigma=0.0).fit([[0.0], [1.0]], [0, 1],
        ...                                                np.random.default_rng(0))
        >>> [table.shape for table in made.weights]
        [(2, 8), (9, 2)]
        """
        table, kinds = records(x, y)
        labels = _classes(kinds, None)
        if classes is not None:
            least = int(labels.max()) + 1
            classes = validate.integer("classes", classes, least, _MOST_CLASSES)
        count = int(labels.max()) + 1 if classes is None else classes
        widths = (table.shape[1], *([self.hidden] if self.hidden else []), count)
        # The last layer starts at zero, so that the first gradients are calm.
        self.weights = [
            rng.standard_normal((rows + 1, columns)) / math.sqrt(rows + 1)
            for rows, columns in pairwise(widths[:-1])
        ] + [np.zeros((widths[-2] + 1, count))]
        with threads.one():
            for _ in progress.track(range(self.steps), what="training", unit="steps"):
                chosen = rng.random(len(table)) < self.rate
                self._step(table[chosen], labels[chosen], self.rate * len(table), rng)
        return self

    def _step(self, x: Array, y: NDArray[np.int64], expected: float, rng: np.random.Generator) -> None:
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

    def _slopes(self, x: Array, y: NDArray[np.int64]) -> tuple[list[Array], list[Array]]:
        """Return the two factors of every record's gradient, layer by layer."""
        layers, scores = self._forward(x)
        back = np.exp(scores - _log_sum(scores)[:, None])
        back[np.arange(len(y)), y] -= 1
        if len(layers) == 1:
            return layers, [back]
        inner = (back @ self.weights[1][:-1].T) * (1 - layers[1][:, :-1] ** 2)
        return layers, [inner, back]

    def _forward(self, x: Array) -> tuple[list[Array], Array]:
        layers = [_with_one(x)]
        if len(self.weights) == 2:
            layers.append(_with_one(np.tanh(layers[0] @ self.weights[0])))
        return layers, layers[-1] @ self.weights[-1]

    def _scores(self, x: Array) -> Array:
        if not self.weights:
            raise ValueError("the network is not trained yet: call fit first")
        columns = len(self.weights[0]) - 1
        if x.shape[1] != columns:
            validate.refuse("x", f"of shape {x.shape}", f"of {columns} columns")
        return self._forward(x)[1]

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
        table, labels = records(x, y)
        scores = self._scores(table)
        at = np.arange(len(labels)), _classes(labels, scores.shape[1])
        if scores.shape[1] == 1:
            validate.refuse("y", "one class", "of at least 2 classes: the odds are infinite")
        own = scores[at]
        scores[at] = -np.inf
        return np.asarray(own - _log_sum(scores))

    def losses(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the cross-entropy of each record, in nats.

        Parameters
        ----------
        x : array_like of shape (records, columns)
        y : array_like of int, shape (records,)

        Examples
        --------
        >>> made = ClippedNetwork(hidden=0, sigma=0.0).fit([[0.0], [1.0]], [0, 1],
        ...                                                np.random.default_rng(0))
        >>> bool((made.losses([[0.0], [1.0]], [0, 1]) < np.log(2)).all())
        True
        """
        table, labels = records(x, y)
        scores = self._scores(table)
        own = scores[np.arange(len(labels)), _classes(labels, scores.shape[1])]
        return np.maximum(_log_sum(scores) - own, 0.0)

    @checked
    def predict(self, x: Inputs) -> NDArray[np.int64]:
        """Return the likeliest class of each record."""
        return np.asarray(self._scores(x).argmax(axis=1))

    def accuracy(self, x: ArrayLike, y: ArrayLike) -> float:
        """Return the share of records whose class is predicted.

        Parameters
        ----------
        x : array_like of shape (records, columns)
        y : array_like of int, shape (records,)
        """
        table, labels = records(x, y)
        return float((self.predict(table) == _classes(labels, None)).mean())


def _classes(labels: Array, count: int | None) -> NDArray[np.int64]:
    most = _MOST_CLASSES if count is None else count
    if np.any((labels < 0) | (labels >= most) | (labels != np.floor(labels))):
        validate.refuse("y", labels, f"whole numbers in [0, {most}), one for each row of x")
    return labels.astype(np.int64)


def _with_one(x: Array) -> Array:
    """Return the columns and one of ones, for the bias."""
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)


def _log_sum(scores: Array) -> Array:
    most = scores.max(axis=1)
    return np.asarray(most + np.log(np.exp(scores - most[:, None]).sum(axis=1)))
