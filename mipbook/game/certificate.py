"""What scores prove: of one attack on epsilon, and of two on each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, rankdata

from explorable import validate
from explorable.checked import Numbers, checked
from mipbook.base.rounding import Estimate
from mipbook.base.types import Array, Chance, Confidence, Delta, Rng
from mipbook.game.counts import Steps, epsilon_lower_bound
from mipbook.game.curve import Roc, roc

# Candidate thresholds a side: the choice needs no more, and its validity none at all.
_CANDIDATES = 400


@dataclass(frozen=True)
class Certificate:
    """A lower bound on epsilon, with all that it rests on.

    ``epsilon`` holds with probability at least ``confidence``, for the neighbour relation
    and the delta of the game that was played.  ``threshold`` was chosen on ``chosen_on``
    scores that were not used again; the counts are of the rest.
    """

    epsilon: float
    delta: float
    confidence: float
    threshold: float
    tp: int
    fn: int
    fp: int
    tn: int
    chosen_on: int

    def __str__(self) -> str:
        return (
            f"epsilon >= {self.epsilon:.4g} at delta = {self.delta:g}, with "
            f"{100 * self.confidence:g}% confidence: of {self.tp + self.fn} members {self.tp} were "
            f"found, of {self.fp + self.tn} others {self.fp} were accused; the threshold "
            f"{self.threshold:.6g} was chosen on {self.chosen_on} other scores"
        )


@checked
def certify_epsilon(
    scores: ArrayLike,
    member: ArrayLike,
    rng: Rng | None = None,
    delta: Delta = 0.0,
    confidence: Confidence = 0.95,
    *,
    held_back: Chance = 0.7,
    steps: Steps = 1,
) -> Certificate:
    """Return a lower bound on epsilon from scores, valid although the threshold is chosen.

    Parameters
    ----------
    scores : array_like of shape (games,)
        The attacker's scores, larger for *in*; no nan.
    member : array_like of bool, shape (games,)
        Which records were in; at least two members and two others.
    rng : numpy.random.Generator or int, optional
        Splits the scores.
    held_back : float
        Share of the scores that the bound is computed on, in (0, 1); the others choose
        the threshold, which needs fewer.
    steps : {1, 2}
        How many neighbouring steps the game's two data sets are apart.

    Notes
    -----
    Lecture notes, Corollary 1.  On the first part the threshold with the largest bound is
    picked; only the second part is counted, so the Clopper-Pearson events are about a
    threshold that was fixed beforehand.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> member = rng.random(4000) < 0.5
    >>> scores = rng.standard_normal(4000) + 2 * member
    >>> bound = certify_epsilon(scores, member, rng, delta=1e-5)
    >>> 1 < bound.epsilon < 9.9973
    True
    """
    rng = validate.generator("rng", rng)
    whole = roc(scores, member)
    if min(whole.members, whole.others) < 2:
        validate.refuse_as("member", "too few", "at least two members and two others")
    values, flags = np.asarray(scores, dtype=float), np.asarray(member).astype(bool)
    keep = np.zeros(flags.size, dtype=bool)
    for group in (np.flatnonzero(flags), np.flatnonzero(~flags)):
        size = min(max(round(held_back * group.size), 1), group.size - 1)
        keep[rng.choice(group, size, replace=False)] = True
    threshold = _best_threshold(roc(values[~keep], flags[~keep]), delta, confidence, steps)
    said_in = values[keep] >= threshold
    truth = flags[keep]
    counts = {
        "tp": int((said_in & truth).sum()),
        "fn": int((~said_in & truth).sum()),
        "fp": int((said_in & ~truth).sum()),
        "tn": int((~said_in & ~truth).sum()),
    }
    epsilon = epsilon_lower_bound(**counts, delta=delta, confidence=confidence, steps=steps)
    return Certificate(float(epsilon), delta, confidence, threshold, **counts, chosen_on=int((~keep).sum()))


def _best_threshold(curve: Roc, delta: float, confidence: float, steps: int) -> float:
    """Return the threshold with the largest bound, among candidates dense at both ends."""
    size = curve.thresholds.size
    ends = np.unique(np.geomspace(1, size, min(size, _CANDIDATES)).astype(int)) - 1
    pick = np.unique(np.concatenate([ends, size - 1 - ends]))
    tp, fp = curve.tp[pick + 1], curve.fp[pick + 1]
    bounds = epsilon_lower_bound(
        tp, curve.members - tp, fp, curve.others - fp, delta, confidence, steps=steps
    )
    return float(curve.thresholds[pick[int(np.argmax(bounds))]])


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


@checked
def auc_difference(
    scores: ArrayLike,
    other: Annotated[Any, Numbers(ndim=1)],
    member: ArrayLike,
    confidence: Confidence = 0.95,
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
    first = roc(scores, member)
    if other.size != first.members + first.others:
        validate.refuse("other", other, "one score for each in scores")
    second = roc(other, member)
    if min(first.members, first.others) < 2:
        validate.refuse_as("member", "too few", "at least two members and two others")
    flags = np.asarray(member).astype(bool)
    one = _placements(np.asarray(scores, dtype=float), flags)
    two = _placements(other, flags)
    variance = sum(float(np.var(a - b, ddof=1)) / a.size for a, b in zip(one, two, strict=True))
    value = first.auc - second.auc
    reach = float(norm.isf((1.0 - confidence) / 2)) * variance**0.5
    warning = _FEW if min(first.members, first.others) < _ROUGH else ""
    low, high = max(value - reach, -1.0), min(value + reach, 1.0)
    return Estimate(value, low, high, "approximation", confidence, _SAME if variance == 0 else warning)
