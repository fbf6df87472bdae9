"""The empirical ROC curve of an attack, with bands, from scores, points or text."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
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

_KIND = "mipbook.game.Roc"
_MOST = 10**7
# Of a rate that is a count over a number of records, in doubles.
_CLOSE = 1e-9
_ALLOWED = "text that Roc.to_json wrote"


def _total(name: str, rates: Array, given: Any) -> int:
    """Return of how many records these are rates: as given, else the least that fits."""
    if given is not None:
        return validate.integer(name, given, 1, _MOST)
    total = 1
    for rate in np.unique(rates):
        # A count over at most ten million is told apart by its doubles.
        nearest = Fraction(float(rate)).limit_denominator(_MOST)
        if abs(float(nearest) - rate) > 1e-15:
            total = _MOST + 1
        total = math.lcm(total, nearest.denominator)
        if total > _MOST:
            told = f"with all the others a count over at most {_MOST:,} records; say how many there were"
            rates_of = {"members": "tpr", "others": "fpr"}[name]
            validate.refuse(rates_of, float(rate), f"{told} with {name}=...")
    return total


def _counts(name: str, rates: Array, total: int, of: str) -> NDArray[np.int64]:
    counts = np.round(rates * total)
    off = np.abs(rates * total - counts) > _CLOSE * max(total, 1)
    if off.any():
        allowed = f"a count over {of} = {total}; nothing rounded"
        validate.refuse(name, float(rates[off][0]), allowed)
    return counts.astype(np.int64)


RateVector = Annotated[Any, Numbers(0.0, 1.0, ndim=1)]


@checked
def points_of(
    fpr: RateVector, tpr: RateVector, members: Any, others: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int]:
    """Return the counts behind rates: false and true positives from (0, 0) to all, and totals."""
    if fpr.size == 0:
        validate.refuse("fpr", fpr, "at least one rate")
    if tpr.shape != fpr.shape:
        validate.refuse("tpr", tpr, f"one rate for each of the {fpr.size} in fpr")
    for name, rates in (("fpr", fpr), ("tpr", tpr)):
        if np.any(np.diff(rates) < 0):
            validate.refuse(name, rates, "rising, as the threshold falls")
    members, others = _total("members", tpr, members), _total("others", fpr, others)
    fp = _counts("fpr", fpr, others, "others")
    tp = _counts("tpr", tpr, members, "members")
    # Calling nobody and calling everybody *in* are attackers too.
    fp, tp = np.concatenate([[0], fp, [others]]), np.concatenate([[0], tp, [members]])
    new = np.append(True, (np.diff(fp) > 0) | (np.diff(tp) > 0))
    return fp[new], tp[new], members, others


def to_text(thresholds: Array, tp: Any, fp: Any, members: int, others: int) -> str:
    """Return the counts as JSON; infinite thresholds, which JSON has no number for, as words."""
    told = [t if math.isfinite(t) else str(t) for t in thresholds.tolist()]
    counts = {"tp": tp.tolist(), "fp": fp.tolist(), "members": members, "others": others}
    return json.dumps({"kind": _KIND, "thresholds": told, **counts}, allow_nan=False)


def from_text(text: Any) -> dict[str, Any]:
    """Return the fields of a curve from its JSON; nothing in it is believed unseen."""
    if not isinstance(text, str | bytes):
        validate.refuse("text", text, _ALLOWED)
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        validate.refuse("text", text, _ALLOWED)
    if not isinstance(told, dict) or told.get("kind") != _KIND:
        validate.refuse("text", text, _ALLOWED)
    try:
        members, others = (validate.integer(k, told.get(k), 1) for k in ("members", "others"))
        tp = _rising("tp", told.get("tp"), members)
        fp = _rising("fp", told.get("fp"), others)
        thresholds = validate.array("thresholds", [float(t) for t in told["thresholds"]], ndim=1)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"text = the JSON of a ROC curve that is damaged: {error}") from None
    fits = tp.size == fp.size == thresholds.size + 1
    if not fits or np.any(np.diff(thresholds) >= 0) or np.any(np.diff(tp) + np.diff(fp) == 0):
        validate.refuse("text", text, f"{_ALLOWED}; its lists do not fit together")
    return {"thresholds": thresholds, "tp": tp, "fp": fp, "members": members, "others": others}


def _rising(name: str, counts: Any, total: int) -> NDArray[np.int64]:
    """Return counts that rise from none to all."""
    found = validate.array(name, counts, 0.0, float(total), ndim=1)
    rises = found.size > 1 and found[0] == 0 and found[-1] == total and np.all(np.diff(found) >= 0)
    if not rises or np.any(found != np.floor(found)):
        validate.refuse(name, found, f"whole numbers that rise from 0 to {total}")
    return found.astype(np.int64)


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

    @classmethod
    def from_rates(cls, fpr: Any, tpr: Any, *, members: int | None = None, others: int | None = None) -> Roc:
        """Return the curve through rates, such as those of ``sklearn.metrics.roc_curve``.

        Parameters
        ----------
        fpr, tpr : array_like of shape (points,)
            Rising rates in [0, 1], each a count over ``others`` and ``members``, not rounded.
        members, others : int, optional
            How many there were; else the least that fit: were there more, bands are too wide.

        Notes
        -----
        The thresholds only count the points: -1, -2, ...

        Examples
        --------
        >>> Roc.from_rates([0, 0.5, 1], [0.25, 0.75, 1]).members
        4
        """
        fp, tp, members, others = points_of(fpr, tpr, members, others)
        return cls(-np.arange(1.0, fp.size), tp, fp, members, others)

    @classmethod
    def from_json(cls, text: str) -> Roc:
        """Return the curve that `to_json` wrote, checked.

        Examples
        --------
        >>> Roc.from_json(roc([3.0, 2.0, 1.0], [True, False, False]).to_json()).auc
        1.0
        """
        return cls(**from_text(text))

    def to_json(self) -> str:
        """Return thresholds and counts as JSON.

        Examples
        --------
        >>> roc([2.0, 1.0], [True, False]).to_json()[:44]
        '{"kind": "mipbook.game.Roc", "thresholds": ['
        """
        return to_text(self.thresholds, self.tp, self.fp, self.members, self.others)

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
