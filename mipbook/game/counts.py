"""What an attacker got right and wrong: counts, rates, and exact intervals for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv

from explorable import validate

__all__ = ["Confusion", "Interval", "clopper_pearson", "lower_rate", "upper_rate"]


class Interval(NamedTuple):
    """A lower and an upper end."""

    low: Any
    high: Any


def lower_rate(successes: Any, trials: Any, alpha: Any) -> NDArray[np.float64]:
    """Return the rate at which ``successes`` or more have probability ``alpha``; no checks."""
    c, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    some = np.maximum(c, 1.0)
    value = betaincinv(some, n - some + 1.0, np.asarray(alpha, dtype=float))
    return np.asarray(np.where(c == 0, 0.0, value))


def upper_rate(successes: Any, trials: Any, alpha: Any) -> NDArray[np.float64]:
    """Return the rate at which ``successes`` or fewer have probability ``alpha``; no checks."""
    c, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    few = np.minimum(c, n - 1.0)
    value = betainccinv(few + 1.0, n - few, np.asarray(alpha, dtype=float))
    return np.asarray(np.where(c == n, 1.0, value))


def count(name: str, value: Any, low: float = 0.0) -> NDArray[np.float64]:
    """Return an array of whole numbers, at least ``low``."""
    array = validate.array(name, value, low, 2.0**53)
    if np.any(array != np.floor(array)):
        validate.refuse(name, value, "a whole number")
    return array


def clopper_pearson(successes: Any, trials: Any, confidence: float = 0.95) -> Interval:
    """Return the Clopper-Pearson interval of a rate.

    Parameters
    ----------
    successes : int or array_like
        How often it happened, in [0, trials].
    trials : int or array_like
        How often it was tried, at least 1.

    Returns
    -------
    Interval
        ``low`` and ``high`` in [0, 1], of the broadcast shape.

    References
    ----------
    C. J. Clopper and E. S. Pearson, "The Use of Confidence or Fiducial Limits
    Illustrated in the Case of the Binomial", Biometrika 1934.

    Examples
    --------
    >>> low, high = clopper_pearson(45, 50)
    >>> round(low, 6), round(high, 6)
    (0.781865, 0.966725)
    """
    tries = count("trials", trials, 1.0)
    hits = count("successes", successes)
    validate.broadcast(("successes", "trials"), (hits, tries))
    if np.any(hits > tries):
        validate.refuse("successes", successes, f"at most trials = {trials}")
    alpha = (1 - validate.confidence(confidence)) / 2
    return Interval(
        validate.plain(lower_rate(hits, tries, alpha)), validate.plain(upper_rate(hits, tries, alpha))
    )


@dataclass(frozen=True)
class Confusion:
    """How many members and others an attacker judged right and wrong.

    Parameters
    ----------
    tp, fn : int
        Members that the attacker called *in* (found) and *out* (missed).
    fp, tn : int
        Others that the attacker called *in* (accused) and *out* (cleared).

    Notes
    -----
    Lecture notes, section 3: the rates and the advantage.

    Examples
    --------
    >>> attack = Confusion(tp=90, fn=10, fp=1, tn=99)
    >>> attack.tpr, attack.fpr, attack.accuracy
    (0.9, 0.01, 0.945)
    """

    tp: int
    fn: int
    fp: int
    tn: int

    def __post_init__(self) -> None:
        for name in ("tp", "fn", "fp", "tn"):
            validate.integer(name, getattr(self, name), 0)
        if self.members == 0:
            validate.refuse("tp + fn", 0, "at least 1: a rate needs a member")
        if self.others == 0:
            validate.refuse("fp + tn", 0, "at least 1: a rate needs a record that was out")

    @property
    def members(self) -> int:
        """Records that were in."""
        return self.tp + self.fn

    @property
    def others(self) -> int:
        """Records that were out."""
        return self.fp + self.tn

    @property
    def tpr(self) -> float:
        """True positive rate: the share of members found."""
        return self.tp / self.members

    @property
    def fnr(self) -> float:
        """False negative rate: the share of members missed."""
        return self.fn / self.members

    @property
    def fpr(self) -> float:
        """False positive rate: the share of others accused."""
        return self.fp / self.others

    @property
    def tnr(self) -> float:
        """True negative rate: the share of others cleared."""
        return self.tn / self.others

    @property
    def accuracy(self) -> float:
        """Share of right answers."""
        return (self.tp + self.tn) / (self.members + self.others)

    @property
    def advantage(self) -> float:
        """TPR minus FPR."""
        return self.tpr - self.fpr

    @property
    def lecture_advantage(self) -> float:
        """The lecture's advantage: how far the accuracy is from 1/2 where a fair coin decides.

        Members and others count alike, however many of each were seen.
        """
        return abs(self.tpr - self.fpr) / 2

    def tpr_interval(self, confidence: float = 0.95) -> Interval:
        """Return the Clopper-Pearson interval of the true positive rate.

        Examples
        --------
        >>> Confusion(tp=90, fn=10, fp=1, tn=99).tpr_interval().low < 0.9
        True
        """
        return clopper_pearson(self.tp, self.members, confidence)

    def fpr_interval(self, confidence: float = 0.95) -> Interval:
        """Return the Clopper-Pearson interval of the false positive rate.

        Examples
        --------
        >>> Confusion(tp=90, fn=10, fp=1, tn=99).fpr_interval().high > 0.01
        True
        """
        return clopper_pearson(self.fp, self.others, confidence)
