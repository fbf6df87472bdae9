"""The empirical ROC curve of an attack, with bands, and what scores prove: of epsilon, and of two attacks."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from explorable import validate
from explorable.checked import Number, Numbers, Switched, checked
from mipbook.base.rounding import Estimate
from mipbook.base.types import Array, Confidence, Delta, Rates, Rng
from mipbook.game.counts import (
    Confusion,
    Interval,
    envelope,
    epsilon_from_rates,
    epsilon_lower_bound,
    lower_rate,
    marks,
    upper_rate,
)


@dataclass(frozen=True)
class Roc:
    """The ROC curve of a set of scores: one point a distinct score.

    Made by `roc`.  The attacker says *in* where the score is at least the threshold, so
    records with equal scores are judged alike.

    Parameters
    ----------
    thresholds : ndarray of shape (points - 1,)
        The distinct scores in falling order; ``thresholds[i]`` belongs to point i + 1.  The
        first point, (0, 0), calls nobody *in* and has none.
    tp, fp : ndarray of int, shape (points,)
        Members and others at or above each threshold, from 0.
    members, others : int
        How many of each there are.

    Examples
    --------
    >>> curve = roc([3.0, 2.0, 2.0, 1.0], [True, True, False, False])
    >>> curve.fpr.tolist(), curve.tpr.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """

    thresholds: Array
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    members: int
    others: int

    @property
    def tpr(self) -> Array:
        """True positive rates, as fractions of 1."""
        return np.asarray(self.tp / self.members)

    @property
    def fpr(self) -> Array:
        """False positive rates, as fractions of 1."""
        return np.asarray(self.fp / self.others)

    @property
    def auc(self) -> float:
        """Area under the curve: the chance that a member outscores another, ties count half."""
        heights = (self.tp[1:] + self.tp[:-1]) / (2 * self.members)
        return float(np.sum(np.diff(self.fp) / self.others * heights))

    @property
    def advantage(self) -> float:
        """Largest TPR - FPR.  Picked on these very scores, it leans upwards: see the band."""
        return float((self.tpr - self.fpr).max())

    @checked
    def advantage_band(self, confidence: Confidence = 0.95) -> Interval:
        """Return an interval for the largest true TPR - FPR over all thresholds.

        It is conservative: it holds for all thresholds at once and covers more often than asked.

        Examples
        --------
        >>> 0 < roc(range(100), [False] * 50 + [True] * 50).advantage_band().low < 1
        True
        """
        low, high = self._envelopes((1 - confidence) / 2)
        least = (low[0][self.tp] - high[1][self.fp]).max()
        most = (high[0][self.tp] - low[1][self.fp]).max()
        return Interval(float(max(least, 0.0)), float(min(most, 1.0)))

    @checked
    def tpr_at(self, fpr: Rates) -> float | Array:
        """Return the TPR at a false positive rate by the step rule.

        The best point that accuses no more than the share ``fpr`` of the others.  There is
        no line between two points: it would be an attacker that nobody ran.

        Examples
        --------
        >>> roc([0.9, 0.8, 0.3, 0.1], [1, 0, 1, 0]).tpr_at([0.0, 0.5]).tolist()
        [0.5, 1.0]
        """
        # Rates are compared, not counts: 0.29 * 100 is below 29, but 29 / 100 is 0.29.
        at = np.searchsorted(self.fpr, fpr, side="right") - 1
        return validate.plain(np.asarray(self.tpr[at]))

    @checked
    def confusion(self, threshold: Annotated[float, Number()]) -> Confusion:
        """Return the counts of the attacker with this threshold."""
        i = int(np.searchsorted(-self.thresholds, -threshold, side="right"))
        tp, fp = int(self.tp[i]), int(self.fp[i])
        return Confusion(tp, self.members - tp, fp, self.others - fp)

    @checked
    def tpr_band(
        self, fpr: Rates, confidence: Confidence = 0.95, *, simultaneous: Annotated[bool, Switched()] = False
    ) -> Interval:
        """Return a band for the true TPR at a false positive rate.

        It covers the largest TPR that any threshold reaches with a true FPR of at most
        ``fpr``; the randomness of both rates is counted.

        Parameters
        ----------
        simultaneous : bool
            Whether that chance is for all false positive rates at once, as a band around a
            curve needs, or for each of them alone, as one number in a table needs.

        Returns
        -------
        Interval
            ``low`` and ``high`` of the shape of ``fpr``.

        Notes
        -----
        Alone: two order statistics of the others' scores enclose the true threshold, and
        Clopper-Pearson ends enclose the TPR there, each with a quarter of the error.  Four
        events that hardly ever fail together make the band conservative.

        Examples
        --------
        >>> curve = roc(range(100), [False] * 50 + [True] * 50)
        >>> curve.tpr_band(0.1).low > curve.tpr_band(0.1, simultaneous=True).low
        True
        """
        alpha = 1 - confidence
        if simultaneous:
            low, high = self._band_everywhere(fpr, alpha)
        else:
            low, high = self._band_alone(fpr, alpha / 4)
        low, high = np.where(fpr == 1, 1.0, low), np.where(fpr == 1, 1.0, high)
        return Interval(validate.plain(low), validate.plain(high))

    def _band_alone(self, at: Array, alpha: float) -> tuple[Array, Array]:
        from scipy.stats import binom  # slow to import, and only needed here

        n = self.others
        # Above the j-th largest other, the FPR is at most x; at or above it, more than x.
        inner = np.asarray(binom.ppf(alpha, n, at)).astype(int)
        outer = np.asarray(binom.ppf(1 - alpha, n, at)).astype(int) + 1
        # Members strictly above the j-th largest other: the last point with fewer than j of them.
        above = self.tp[np.maximum(np.searchsorted(self.fp, inner, side="left") - 1, 0)]
        low = np.where(inner > 0, lower_rate(above, self.members, alpha), 0.0)
        some = np.minimum(outer, n)
        # Members at or above it: the first point with at least j of the others.
        reach = self.tp[np.searchsorted(self.fp, some, side="left")]
        high = np.where(outer <= n, upper_rate(reach, self.members, alpha), 1.0)
        return low, high

    def _envelopes(self, alpha: float) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Return (low, high) by count, each a pair for members and others."""
        members, others = envelope(self.members, alpha), envelope(self.others, alpha)
        return (members[0], others[0]), (members[1], others[1])

    def _band_everywhere(self, at: Array, alpha: float) -> tuple[Array, Array]:
        low, high = self._envelopes(alpha / 2)
        # Every region has the counts of some point of the curve, so the envelopes hold for it.
        surely, most = high[1][self.fp], high[0][self.tp]
        least, reached = low[1][self.fp], low[0][self.tp]
        index = np.searchsorted(surely, at, side="right") - 1
        lower = np.where(index >= 0, reached[np.maximum(index, 0)], 0.0)
        return lower, most[np.searchsorted(least, at, side="right") - 1]

    @checked
    def epsilon_lower_bound(self, delta: float = 0.0, confidence: Confidence = 0.95) -> float:
        """Return a lower bound on epsilon that holds for all thresholds at once.

        Notes
        -----
        Lecture notes, Corollary 1, along the simultaneous band.  No scores are set aside;
        `mipbook.game.certify_epsilon` sets some aside and is usually sharper.

        Examples
        --------
        >>> roc(range(100), [False] * 50 + [True] * 50).epsilon_lower_bound() > 1
        True
        """
        low, high = self._envelopes((1 - confidence) / 2)
        hit, false = low[0][self.tp], high[1][self.fp]
        # The envelope is symmetric, so 1 - hit and 1 - false are the twin rates' bounds.
        return float(np.max(epsilon_from_rates(hit, false, delta)))


@checked
def roc(scores: Annotated[Any, Numbers(ndim=1)], member: ArrayLike) -> Roc:
    """Return the ROC curve of an attacker's scores.

    Parameters
    ----------
    scores : array_like of shape (games,)
        Larger for *in*.  Infinite scores are allowed, nan is not.
    member : array_like of bool, shape (games,)
        Which records were in; 0 and 1 will do.  At least one member and one other.

    Notes
    -----
    Lecture notes, section 3.  Every distinct score is a threshold; equal scores share one
    point, whatever the order of the rows.

    Examples
    --------
    >>> roc([0.9, 0.8, 0.3, 0.1], [1, 0, 1, 0]).auc
    0.75
    """
    flags = marks("member", member, scores.shape)
    members = int(flags.sum())
    if members in (0, flags.size):
        validate.refuse("member", member, "such that there is a member and a record that was out")
    order = np.argsort(-scores, kind="stable")
    values, flags = scores[order], flags[order]
    last = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    tp = np.cumsum(flags)[last]
    start = np.zeros(1, dtype=np.int64)
    return Roc(
        thresholds=values[last],
        tp=np.concatenate([start, tp]),
        fp=np.concatenate([start, last + 1 - tp]),
        members=members,
        others=int(flags.size - members),
    )


# The share of the scores that the bound is computed on.
_HELD_BACK = 0.7
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
) -> Certificate:
    """Return a lower bound on epsilon from scores, valid although the threshold is chosen.

    Parameters
    ----------
    scores : array_like of shape (games,)
        The attacker's scores, larger for *in*; no nan.
    member : array_like of bool, shape (games,)
        Which records were in; at least two members and two others.
    rng : numpy.random.Generator or int, optional
        Splits the scores: three of ten choose the threshold, which needs fewer.

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
        size = min(max(round(_HELD_BACK * group.size), 1), group.size - 1)
        keep[rng.choice(group, size, replace=False)] = True
    threshold = _best_threshold(roc(values[~keep], flags[~keep]), delta, confidence)
    kept = roc(values[keep], flags[keep]).confusion(threshold)
    counts = (kept.tp, kept.fn, kept.fp, kept.tn)
    epsilon = epsilon_lower_bound(*counts, delta, confidence)
    return Certificate(float(epsilon), delta, confidence, threshold, *counts, chosen_on=int((~keep).sum()))


def _best_threshold(curve: Roc, delta: float, confidence: float) -> float:
    """Return the threshold with the largest bound, among candidates dense at both ends."""
    size = curve.thresholds.size
    ends = np.unique(np.geomspace(1, size, min(size, _CANDIDATES)).astype(int)) - 1
    pick = np.unique(np.concatenate([ends, size - 1 - ends]))
    tp, fp = curve.tp[pick + 1], curve.fp[pick + 1]
    bounds = epsilon_lower_bound(tp, curve.members - tp, fp, curve.others - fp, delta, confidence)
    return float(curve.thresholds[pick[int(np.argmax(bounds))]])


def _placements(scores: Array, flags: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return, for each member, the share of others below it, and for each other of members above.

    Ties count half; the mean of each is the area under the curve.
    """
    from scipy.stats import rankdata  # slow to import, and only needed here

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
    one, two = (_placements(each, flags) for each in (np.asarray(scores, dtype=float), other))
    variance = sum(float(np.var(a - b, ddof=1)) / a.size for a, b in zip(one, two, strict=True))
    value = first.auc - second.auc
    reach = -float(ndtri((1.0 - confidence) / 2)) * variance**0.5
    low, high, warning = max(value - reach, -1.0), min(value + reach, 1.0), ""
    if variance == 0:
        warning = "the two order the records alike, so nothing is known of how they differ"
    elif min(first.members, first.others) < 50:
        warning = "fewer than 50 members or others: the interval is rough"
    return Estimate(value, low, high, "approximation", confidence, warning)
