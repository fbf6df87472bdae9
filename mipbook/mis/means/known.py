"""Learners whose Delta is known, and how often the best attack on them is right."""

from __future__ import annotations

import math

import numpy as np

from explorable import validate
from mipbook.base.types import Array
from mipbook.mis.discrete.worst_case import worst_case_delta
from mipbook.mis.means.gaussian import gaussian_mean_delta

__all__ = ["KNOWN_LEARNERS", "best_attack_scores", "known_delta"]

KNOWN_LEARNERS = ("mean of 10 numbers", "histogram of 5 records", "a learner that memorises")
_MEAN_OF, _HISTOGRAM_OF = 10, 5
_P = np.array([0.5, 0.3, 0.2])


def known_delta(learner: str) -> float:
    """Return Delta of one of `KNOWN_LEARNERS`, exact.

    Examples
    --------
    >>> known_delta("a learner that memorises")
    1.0
    """
    learner = validate.choice("learner", learner, KNOWN_LEARNERS)
    if learner == KNOWN_LEARNERS[0]:
        return gaussian_mean_delta(_MEAN_OF)
    if learner == KNOWN_LEARNERS[1]:
        return float(np.asarray(worst_case_delta(_P, _HISTOGRAM_OF)))
    return 1.0


def _mean_says_in(models: int, challenges: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return what the likelihood ratio says of members and of fresh normal numbers."""
    records = rng.standard_normal((models, _MEAN_OF))
    fresh = rng.standard_normal((models, challenges))
    total, n = records.sum(axis=1, keepdims=True), _MEAN_OF
    level = -math.log1p(-1 / n)

    def says_in(z: Array) -> Array:
        return np.asarray((total - n * z) ** 2 < n * (n - 1) * (z**2 + level))

    return says_in(records[:, :challenges]), says_in(fresh)


def _histogram_says_in(models: int, challenges: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Say *in* for the values that stand in the histogram more often than is likely."""
    records = rng.choice(len(_P), (models, _HISTOGRAM_OF), p=_P)
    fresh = rng.choice(len(_P), (models, challenges), p=_P)
    share = (records[:, :, None] == np.arange(len(_P))).mean(axis=1)
    above = share > _P
    members, others = (np.take_along_axis(above, z, axis=1) for z in (records[:, :challenges], fresh))
    return members, others


def best_attack_scores(learner: str, models: int, challenges: int, rng: np.random.Generator) -> Array:
    """Return how often the best attack is right on each of a number of trained models.

    Parameters
    ----------
    learner : str
        One of `KNOWN_LEARNERS`.
    models : int
        Models, each trained on records of its own, in [1, 10^6].
    challenges : int
        Members, and as many fresh records, that each model is asked about, in [1, 5].

    Returns
    -------
    ndarray of shape (models,)
        The share of right answers, in [0, 1]; its mean over many models is (1 + Delta) / 2.

    Examples
    --------
    >>> scores = best_attack_scores("mean of 10 numbers", 2000, 5, np.random.default_rng(130))
    >>> bool(abs(2 * scores.mean() - 1 - known_delta("mean of 10 numbers")) < 0.03)
    True
    """
    learner = validate.choice("learner", learner, KNOWN_LEARNERS)
    models = validate.integer("models", models, 1, 10**6)
    challenges = validate.integer("challenges", challenges, 1, 5)
    validate.generator("rng", rng)
    if learner == KNOWN_LEARNERS[2]:
        return np.ones(models)
    says_in = _mean_says_in if learner == KNOWN_LEARNERS[0] else _histogram_says_in
    members, fresh = says_in(models, challenges, rng)
    return np.asarray((members.mean(axis=1) + 1 - fresh.mean(axis=1)) / 2)
