"""Two attacks on the same records: how far their areas under the curve are apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, rankdata

from explorable import validate
from mipbook.base.estimate import Estimate
from mipbook.base.types import Array
from mipbook.game.roc import roc

__all__ = ["auc_difference"]

_FEW = "fewer than 50 members or others: the interval is rough"
_SAME = "the two order the records alike, so nothing is known of how they differ"
_ROUGH = 50


def _placements(scores: Array, flags: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return, for each member, the share of others below it, and for each other of members above.

    Ties count half; the mean of each is the area under the curve.
    """
    ranks = np.asarray(rankdata(scores))
    members, others = ranks[flags], ranks[~flags]
    below = (members - rankdata(members)) / others.size
    above = 1.0 - (others - rankdata(others)) / members.size
    return below, above


def auc_difference(
    scores: ArrayLike, other: ArrayLike, member: ArrayLike, confidence: float = 0.95
) -> Estimate:
    """Return by how much one attack's area under the ROC curve exceeds another's.

    Parameters
    ----------
    scores, other : array_like of shape (games,)
        The scores of the two attacks on the same records, larger for *in*; no nan.
    member : array_like of bool, shape (games,)
        Which records were in; at least two members and two others.

    Returns
    -------
    Estimate
        An approximation, in [-1, 1]: its interval is that of a normal distribution.

    References
    ----------
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the Areas under Two or More
    Correlated Receiver Operating Characteristic Curves", Biometrics 1988.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> member = rng.random(2000) < 0.5
    >>> noise = rng.standard_normal(2000)
    >>> found = auc_difference(noise + member, noise + 0.5 * member, member)
    >>> 0 < found.low < found.value < found.high < 0.2
    True
    """
    confidence = validate.confidence(confidence)
    first = roc(scores, member)
    values = validate.array("other", other, ndim=1)
    if values.size != first.members + first.others:
        validate.refuse("other", other, "one score for each in scores")
    second = roc(values, member)
    if min(first.members, first.others) < 2:
        validate.refuse_as("member", "too few", "at least two members and two others")
    flags = np.asarray(member).astype(bool)
    one = _placements(np.asarray(scores, dtype=float), flags)
    two = _placements(values, flags)
    variance = sum(float(np.var(a - b, ddof=1)) / a.size for a, b in zip(one, two, strict=True))
    value = first.auc - second.auc
    reach = float(norm.isf((1.0 - confidence) / 2)) * variance**0.5
    warning = _FEW if min(first.members, first.others) < _ROUGH else ""
    low, high = max(value - reach, -1.0), min(value + reach, 1.0)
    return Estimate(value, low, high, "approximation", confidence, _SAME if variance == 0 else warning)
