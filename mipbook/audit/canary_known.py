"""Audits by canaries of runs whose epsilon is known: randomised response, and training on digits.

The first tells exactly how often an audit is wrong, and what it proves of the hardest mechanism.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from explorable import validate
from explorable.checked import Integer, Number, Switched, checked
from mipbook.audit.canary_bounds import MOST, guessed, right_needed, whole
from mipbook.base.types import Array, Confidence, Epsilon, Rate, Rng
from mipbook.data.mnist import small_digits
from mipbook.dpsgd.contour import last_model_delta
from mipbook.dpsgd.step import Training
from mipbook.learners.clipped import ClippedNetwork
from mipbook.mis.binomial import pmf

_MOST_GUESSES, _MOST_LOOKS = 10_000, 1000


def _looks(guesses: Any) -> Array:
    found = whole("guesses", guesses, 1, MOST)
    if found.ndim == 1:
        found = whole("guesses", guesses, 1, _MOST_GUESSES)
    if found.ndim > 1 or not 1 <= found.size <= _MOST_LOOKS:
        validate.refuse("guesses", guesses, f"one number, or up to {_MOST_LOOKS} of them")
    return np.unique(found)


@checked
def false_alarm(
    guesses: Any,
    epsilon: Epsilon = 0.0,
    delta: Rate = 0.0,
    canaries: int | None = None,
    confidence: Confidence = 0.95,
    *,
    corrected: Annotated[bool, Switched()] = False,
) -> float:
    """Return how often an audit refutes the true epsilon of randomised response.

    Parameters
    ----------
    guesses : int or list of int
        Canaries guessed, up to a million, or several numbers up to 10,000, of which the auditor
        takes the one that proves most, after looking.
    epsilon : float
        The true one: each guess is right with odds of e^epsilon to 1.
    canaries : int, optional
        Canaries in all; as many as the most guesses if not given.
    corrected : bool
        Whether the risk is shared among the numbers (Bonferroni).

    Returns
    -------
    float
        At most 1 - ``confidence`` for a single number, or if corrected.

    Notes
    -----
    Exact: the counts of right guesses, one number after the other, with those taken out that
    have refuted it.  Fewer guesses are the first of more: the surest come first.

    Examples
    --------
    >>> round(false_alarm(1000), 4), round(false_alarm([20, 100, 500, 1000]), 4)
    (0.0468, 0.1231)
    """
    looks = _looks(guesses)
    most = int(looks[-1])
    if canaries is None:
        canaries = most
    guessed(0, most, validate.number("canaries", canaries, 1))
    risk = 1.0 - confidence
    if corrected:
        risk /= looks.size
    sure = min(max(1.0 - risk, 1e-300), 1.0 - 1e-16)
    needed = np.atleast_1d(right_needed(epsilon, looks, delta, canaries, sure))
    quiet, alarm, before = np.ones(1), 0.0, 0
    for look, need in zip(looks.astype(int), needed, strict=True):
        more = look - before
        quiet = np.convolve(quiet, pmf(np.arange(more + 1.0), more, expit(epsilon)))
        alarm += float(quiet[need:].sum())
        quiet, before = np.where(np.arange(quiet.size) < need, quiet, 0.0), look
    return min(alarm, 1.0)


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


@checked
def train_with_canaries(
    sigma: Annotated[float, Number(0.1, 100.0)],
    canaries: Annotated[int, Integer(1, _MOST_CANARIES)],
    rng: Rng,
    *,
    sampling: Annotated[float, Number(0.01, 1.0)] = 0.1,
    steps: Annotated[int, Integer(1, _MOST_STEPS)] = 300,
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


@checked
def last_model_epsilon(
    sigma: Annotated[float, Number(0.1, 100.0)],
    sampling: Annotated[float, Number(1e-12, 1.0, open_high=True)],
    steps: Annotated[int, Integer(1, 100000)],
    delta: Annotated[float, Number(1e-12, 1.0)],
) -> float:
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
    training = Training(sampling, sigma, steps)

    def over(epsilon: float) -> float:
        return max(last_model_delta(training, epsilon, mirrored) for mirrored in (False, True)) - delta

    if over(0.0) <= 0.0:
        return 0.0
    high = 1.0
    while over(high) > 0.0:
        high *= 2.0
    return float(brentq(over, 0.0, high))
