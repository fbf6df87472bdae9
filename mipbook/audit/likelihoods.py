"""LiRA: each record is judged by what shadow models, trained with and without it, say of it."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.checked import Numbers, OneOf, checked
from explorable.private import private
from mipbook.base.types import Array
from mipbook.game.counts import marks
from mipbook.game.curve import Roc, roc
from mipbook.mis.mean_attacks import log_ratio

LIRA_METHODS = ("online", "offline")
LIRA_VARIANCES = ("pooled", "each")
_LARGEST = 1e9
# Shadow models that all say the same have this deviation, in units of the largest score.
_LEAST_DEVIATION = 1e-6


Scores = Annotated[Any, Numbers(-_LARGEST, _LARGEST, ndim=2)]
Method = Annotated[str, OneOf(LIRA_METHODS)]
Variance = Annotated[str, OneOf(LIRA_VARIANCES)]


def _each(scores: Array, included: NDArray[np.bool_]) -> Array:
    """Return what every model adds to the numbers, sums and sums of squares of the scores.

    Of shape (3, models, 2, records); the sides are with the record and without.
    """
    sides = np.stack([included, ~included], axis=1).astype(float)
    values = scores[:, None] * sides
    return np.stack([sides, values, values * scores[:, None]])


def _judged(sums: Array, target: Array, method: str, variance: str, unit: float) -> Array:
    """Return the score of each record of the target by sums of shape (3, ..., 2, records)."""
    number, total, square = sums
    _refuse_bare(number, method, variance)
    count = np.maximum(number, 1.0)
    mean = total / count
    spread = np.maximum(square - total * mean, 0.0)
    free = number - 1
    if variance == "pooled":
        spread = spread.sum(axis=-1, keepdims=True)
        free = np.maximum(free, 0).sum(axis=-1, keepdims=True)
    least = max((_LEAST_DEVIATION * unit) ** 2, 1e-200)
    width = np.broadcast_to(np.maximum(spread / np.maximum(free, 1.0), least), mean.shape)
    inside, outside = (..., 0, slice(None)), (..., 1, slice(None))
    if method == "offline":
        return np.asarray((target - mean[outside]) / np.sqrt(width[outside]))
    return log_ratio(target, mean[inside], width[inside], mean[outside], width[outside])


def _refuse_bare(number: Array, method: str, variance: str) -> None:
    """Refuse records that too few models were trained with, or without."""
    need = 2 if variance == "each" else 1
    for side, words in enumerate(("with", "without")):
        if method == "offline" and words == "with":
            continue
        models = number[..., side, :]
        bare = np.argwhere(models < need)
        if bare.size:
            told = f"such that every record has at least {need} shadow models {words} it"
            row, has = int(bare[0][-1]), int(models.min())
            validate.refuse_as("included", f"{has} models {words} record {row}", told)
        if (np.maximum(models - 1, 0).sum(axis=-1) < 1).any():
            told = f"such that some record has 2 shadow models {words} it"
            validate.refuse_as("included", f"at most 1 model {words} each record", told)


def _marked(scores: Array, included: ArrayLike) -> NDArray[np.bool_]:
    if min(scores.shape) < 1:
        validate.refuse_as("scores", f"of shape {scores.shape}", "of shape (models, records)")
    return marks("included", included, scores.shape)


@private("scores", "included", "target")
@checked
def lira_scores(
    scores: Scores,
    included: ArrayLike,
    target: Annotated[Any, Numbers(-_LARGEST, _LARGEST, ndim=1)],
    *,
    method: Method = "online",
    variance: Variance = "pooled",
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
    bits = _marked(scores, included)
    if len(target) != scores.shape[1]:
        told = f"one score for each of the {scores.shape[1]} records"
        validate.refuse_as("target", f"of shape {target.shape}", told)
    middle = scores.mean(axis=0)
    sums = _each(scores - middle, bits).sum(axis=1)
    return _judged(sums, target - middle, method, variance, float(np.abs(scores).max()))


@private("scores", "included", "target", "member")
def lira(scores: ArrayLike, included: ArrayLike, target: ArrayLike, member: ArrayLike) -> Roc:
    """Return the ROC curve of LiRA against one model whose members are known.

    Parameters
    ----------
    scores, included, target
        As in `lira_scores`.
    member : array_like of bool, shape (records,)
        Which records the target was trained on.

    Examples
    --------
    >>> scores = [[3.0, 0.1], [2.8, -0.1], [0.1, 3.0], [-0.1, 3.2]]
    >>> lira(scores, [[1, 0], [1, 0], [0, 1], [0, 1]], [2.9, 0.0], [True, False]).auc
    1.0
    """
    return roc(lira_scores(scores, included, target), member)


@private("scores", "included")
@checked
def lira_in_turn(
    scores: Scores, included: ArrayLike, *, method: Method = "online", variance: Variance = "pooled"
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
    bits = _marked(scores, included)
    centred = scores - scores.mean(axis=0)
    each = _each(centred, bits)
    sums = each.sum(axis=1, keepdims=True) - each
    return _judged(sums, centred, method, variance, float(np.abs(scores).max()))
