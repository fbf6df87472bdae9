"""LiRA: each record is judged by what shadow models, trained with and without it, say of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.private import private
from mipbook.audit.canary_runs import marks
from mipbook.base.types import Array
from mipbook.game.roc import Roc, roc
from mipbook.mis.mean_attacks import log_ratio

LIRA_METHODS = ("online", "offline")
LIRA_VARIANCES = ("pooled", "each")
_LARGEST = 1e9
# Shadow models that all say the same have this deviation, in units of the largest score.
_LEAST_DEVIATION = 1e-6


class _Sums(NamedTuple):
    """Numbers, sums and sums of squares of the scores, of shape (..., 2 sides, records)."""

    number: Array
    total: Array
    square: Array

    def less(self, other: _Sums) -> _Sums:
        return _Sums(*(mine - its for mine, its in zip(self, other, strict=True)))


def _each(scores: Array, included: NDArray[np.bool_]) -> _Sums:
    """Return what every model adds to the sums; the sides are with the record and without."""
    sides = np.stack([included, ~included], axis=-2).astype(float)
    values = scores[..., None, :] * sides
    return _Sums(sides, values, values * scores[..., None, :])


def _summed(each: _Sums) -> _Sums:
    return _Sums(*(part.sum(axis=0) for part in each))


def _judged(sums: _Sums, target: Array, method: str, variance: str, unit: float) -> Array:
    """Return the score of each record of the target; the sums broadcast before it."""
    count = np.maximum(sums.number, 1.0)
    mean = sums.total / count
    spread = np.maximum(sums.square - sums.total * mean, 0.0)
    free = sums.number - 1
    if variance == "pooled":
        spread = spread.sum(axis=-1, keepdims=True)
        free = np.maximum(free, 0).sum(axis=-1, keepdims=True)
    least = max((_LEAST_DEVIATION * unit) ** 2, 1e-200)
    width = np.maximum(spread / np.maximum(free, 1.0), least)
    width = np.broadcast_to(width, mean.shape)
    inside, outside = (..., 0, slice(None)), (..., 1, slice(None))
    if method == "offline":
        return np.asarray((target - mean[outside]) / np.sqrt(width[outside]))
    return log_ratio(target, mean[inside], width[inside], mean[outside], width[outside])


def _refuse_bare(sums: _Sums, method: str, variance: str) -> None:
    """Refuse records that too few models were trained with, or without."""
    need = 2 if variance == "each" else 1
    sides = (0, 1) if method == "online" else (1,)
    for side in sides:
        bare = np.argwhere(sums.number[..., side, :] < need)
        words = "with" if side == 0 else "without"
        if bare.size:
            row = int(bare[0][-1])
            has = int(sums.number[..., side, :].min())
            told = f"such that every record has at least {need} shadow models {words} it"
            validate.refuse_as("included", f"{has} models {words} record {row}", told)
        if (np.maximum(sums.number[..., side, :] - 1, 0).sum(axis=-1) < 1).any():
            told = f"such that some record has 2 shadow models {words} it"
            validate.refuse_as("included", f"at most 1 model {words} each record", told)


def _tables(scores: ArrayLike, included: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
    table = validate.array("scores", scores, -_LARGEST, _LARGEST, ndim=2)
    if min(table.shape) < 1:
        validate.refuse_as("scores", f"of shape {table.shape}", "of shape (models, records)")
    return table, marks("included", included, table.shape)


def _options(method: Any, variance: Any) -> tuple[str, str]:
    method = validate.choice("method", method, LIRA_METHODS)
    return method, validate.choice("variance", variance, LIRA_VARIANCES)


@private("scores", "included", "target")
def lira_scores(
    scores: ArrayLike,
    included: ArrayLike,
    target: ArrayLike,
    *,
    method: str = "online",
    variance: str = "pooled",
) -> Array:
    """Return how much each record looks like a member of the target model.

    Parameters
    ----------
    scores : array_like of shape (models, records)
        What each shadow model says of each record, larger for a better fit, in [-10^9, 10^9]:
        best ln(p / (1 - p)) of the right class, as `mipbook.learners.ClippedNetwork.log_odds`.
    included : array_like of bool, shape (models, records)
        Which records each shadow model was trained on.
    target : array_like of shape (records,)
        What the attacked model says.
    method : {"online", "offline"}
        The log likelihood ratio of two normal distributions, fitted to the models with the
        record and to those without; or the distance from the models without, in their
        standard deviations, one-sided.
    variance : {"pooled", "each"}
        One variance for all records, about each record's own mean, or one for each record.

    Returns
    -------
    ndarray of shape (records,)
        Larger for *in*.  Online it may be compared with 0; offline only with other records.

    References
    ----------
    N. Carlini et al., "Membership Inference Attacks From First Principles", 2022.

    Examples
    --------
    >>> scores = [[3.0, 0.1], [2.8, -0.1], [0.1, 3.0], [-0.1, 3.2]]
    >>> included = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> lira_scores(scores, included, [2.9, 0.0]) > 0
    array([ True, False])
    """
    table, bits = _tables(scores, included)
    judged = validate.array("target", target, -_LARGEST, _LARGEST, ndim=1)
    if len(judged) != table.shape[1]:
        told = f"one score for each of the {table.shape[1]} records"
        validate.refuse_as("target", f"of shape {judged.shape}", told)
    method, variance = _options(method, variance)
    middle = table.mean(axis=0)
    sums = _summed(_each(table - middle, bits))
    _refuse_bare(sums, method, variance)
    return _judged(sums, judged - middle, method, variance, float(np.abs(table).max()))


@private("scores", "included", "target", "member")
def lira(
    scores: ArrayLike,
    included: ArrayLike,
    target: ArrayLike,
    member: ArrayLike,
    *,
    method: str = "online",
    variance: str = "pooled",
) -> Roc:
    """Return the ROC curve of LiRA against one model whose members are known.

    Parameters
    ----------
    scores, included, target, method, variance
        As in `lira_scores`.
    member : array_like of bool, shape (records,)
        Which records the target was trained on.

    Examples
    --------
    >>> scores = [[3.0, 0.1], [2.8, -0.1], [0.1, 3.0], [-0.1, 3.2]]
    >>> lira(scores, [[1, 0], [1, 0], [0, 1], [0, 1]], [2.9, 0.0], [True, False]).auc
    1.0
    """
    judged = lira_scores(scores, included, target, method=method, variance=variance)
    return roc(judged, member)


@private("scores", "included")
def lira_in_turn(
    scores: ArrayLike, included: ArrayLike, *, method: str = "online", variance: str = "pooled"
) -> Array:
    """Attack each model with all the others as its shadows.

    Parameters
    ----------
    scores, included, method, variance
        As in `lira_scores`.

    Returns
    -------
    ndarray of shape (models, records)
        Row i is what `lira_scores` says of model i by the others.

    Notes
    -----
    The rows share their shadows, so their spread is no error band.  If the models are independent
    draws, a jackknife over models is: leave one out altogether and do all again.

    Examples
    --------
    >>> scores = [[3.0, 0.1], [2.8, -0.1], [2.9, 0.0], [0.1, 3.0], [-0.1, 3.2], [0.0, 3.1]]
    >>> included = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    >>> bool(((lira_in_turn(scores, included) > 0) == included).all())
    True
    """
    table, bits = _tables(scores, included)
    method, variance = _options(method, variance)
    middle = table.mean(axis=0)
    each = _each(table - middle, bits)
    sums = _summed(each).less(each)
    _refuse_bare(sums, method, variance)
    return _judged(sums, table - middle, method, variance, float(np.abs(table).max()))
