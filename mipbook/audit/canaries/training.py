"""A training run on real digits with canaries in it, and what its last model can tell at most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from explorable import validate
from mipbook.base.types import Array
from mipbook.data.mnist import small_digits
from mipbook.learners.clipped import ClippedNetwork
from mipbook.together.training.last import LastModel

__all__ = ["CanaryTraining", "last_model_epsilon", "train_with_canaries"]

# How strongly a canary's own column speaks; clipping keeps the direction alone.
_LOUD = 30.0
_TRAIN, _CLASSES = 898, 10
_MOST_CANARIES, _MOST_STEPS = 5000, 3000


class CanaryTraining(NamedTuple):
    """A run on digits with canaries.

    Attributes
    ----------
    scores : ndarray of shape (canaries,)
        How far the model's weights lean to each canary's label in the column that is its own.
    included : ndarray of bool, shape (canaries,)
        Which canaries were trained on.
    accuracy : float
        Share of the test digits told right.
    """

    scores: Array
    included: NDArray[np.bool_]
    accuracy: float


def train_with_canaries(
    sigma: float, canaries: int, rng: np.random.Generator, *, sampling: float = 0.1, steps: int = 300
) -> CanaryTraining:
    """Train a softmax on half of the small digits by clipped, noisy gradients, with canaries.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise over the clip, in [0.1, 100].
    canaries : int
        In [1, 5000]; each has a column of its own, a random label, and is in by a fair toss.
    sampling : float
        The chance that a record takes part in a step, in [0.01, 1].
    steps : int
        In [1, 3000].

    Notes
    -----
    The learning rate is 0.5, and 1 / sigma where sigma is above 2.  It is set for the expected
    number of records, so that the number of canaries drawn changes nothing.

    References
    ----------
    M. Abadi et al., "Deep Learning with Differential Privacy", CCS 2016.

    Examples
    --------
    >>> run = train_with_canaries(1.0, 50, np.random.default_rng(0), steps=100)
    >>> run.scores.shape, bool(run.accuracy > 0.5)
    ((50,), True)
    """
    sigma = validate.number("sigma", sigma, 0.1, 100.0)
    canaries = validate.integer("canaries", canaries, 1, _MOST_CANARIES)
    rng = validate.generator("rng", rng)
    sampling = validate.number("sampling", sampling, 0.01, 1.0)
    steps = validate.integer("steps", steps, 1, _MOST_STEPS)
    table = small_digits()
    images = np.hstack([table.images, np.zeros((len(table.images), canaries))])
    order = rng.permutation(len(images))
    train, test = order[:_TRAIN], order[_TRAIN:]
    planted = np.zeros((canaries, images.shape[1]))
    planted[np.arange(canaries), table.images.shape[1] + np.arange(canaries)] = _LOUD
    labels = rng.integers(0, _CLASSES, canaries)
    included = rng.random(canaries) < 0.5
    x = np.vstack([images[train], planted[included]])
    y = np.concatenate([table.labels[train], labels[included]])
    step = min(0.5, 1.0 / sigma) * len(x) / (_TRAIN + canaries / 2)
    made = ClippedNetwork(0, 1.0, sigma, sampling, steps, step)
    made.fit(x, y, rng, classes=_CLASSES)
    own = made.weights[0][table.images.shape[1] : -1]
    scores = own[np.arange(canaries), labels] - own.mean(axis=1)
    return CanaryTraining(scores, included, made.accuracy(images[test], table.labels[test]))


def last_model_epsilon(sigma: float, sampling: float, steps: int, delta: float) -> float:
    """Return the exact epsilon at a delta of the last model alone, for a record seen by itself.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise over the clip, in [0.1, 100].
    sampling : float
        The chance that a record takes part in a step, in [1e-12, 1).
    steps : int
        In [1, 100000].
    delta : float
        In [1e-12, 1].

    Notes
    -----
    A record whose clipped gradient always has the same direction and full length, which no
    other has: the sum of all steps along it is N(0, T sigma^2) without the record and
    N(K, T sigma^2) with it, K binomial.  Neighbours: added or removed, the worse of both.

    Examples
    --------
    >>> round(last_model_epsilon(1.0, 0.1, 300, 1e-5), 4)
    9.4967
    """
    sigma = validate.number("sigma", sigma, 0.1, 100.0)
    q = validate.number("sampling", sampling, 1e-12, 1.0, open_high=True)
    steps = validate.integer("steps", steps, 1, 100_000)
    delta = validate.number("delta", delta, 1e-12, 1.0)
    model = LastModel(q, sigma, steps)

    def over(epsilon: float) -> float:
        return max(model.hockey(epsilon, sign) for sign in (1.0, -1.0)) - delta

    if over(0.0) <= 0.0:
        return 0.0
    high = 1.0
    while over(high) > 0.0:
        high *= 2.0
    return float(brentq(over, 0.0, high))
