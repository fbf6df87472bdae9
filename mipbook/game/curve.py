"""The empirical ROC curve of an attack, with bands, from scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.checked import Number, Numbers, Switched, checked
from mipbook.base.types import Array, Confidence, Rates
from mipbook.game.counts import (
    Confusion,
    Interval,
    Steps,
    envelope,
    epsilon_from_rates,
    lower_rate,
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
        return validate.plain(np.asarray(self.tpr[self._index(fpr)]))

    @checked
    def confusion(self, threshold: Annotated[float, Number()]) -> Confusion:
        """Return the counts of the attacker with this threshold."""
        i = int(np.searchsorted(-self.thresholds, -threshold, side="right"))
        tp, fp = int(self.tp[i]), int(self.fp[i])
        return Confusion(tp, self.members - tp, fp, self.others - fp)

    def _index(self, fpr: Array) -> NDArray[np.intp]:
        # Rates are compared, not counts: 0.29 * 100 is below 29, but 29 / 100 is 0.29.
        return np.asarray(np.searchsorted(self.fpr, fpr, side="right") - 1)

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
    def epsilon_lower_bound(
        self, delta: float = 0.0, confidence: Confidence = 0.95, *, steps: Steps = 1
    ) -> float:
        """Return a lower bound on epsilon that holds for all thresholds at once.

        Parameters
        ----------
        steps : {1, 2}
            How many neighbouring steps the game's two data sets are apart.

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
        return float(np.max(epsilon_from_rates(hit, false, delta, steps=steps)))


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
    try:
        flags = np.asarray(member)
    except ValueError:
        validate.refuse("member", member, "booleans, or 0 and 1")
    if flags.dtype != bool:
        if flags.dtype.kind not in "iuf" or not np.isin(flags, (0, 1)).all():
            validate.refuse("member", member, "booleans, or 0 and 1")
        flags = flags.astype(bool)
    if flags.shape != scores.shape:
        validate.refuse("member", member, f"one entry for each of the {scores.size} scores")
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
