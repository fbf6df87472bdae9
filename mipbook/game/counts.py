"""What counts prove: intervals of rates, bands that hold everywhere, and a lower bound on epsilon."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv

from explorable import validate
from explorable.checked import Integer, checked
from mipbook.base.types import Array, Confidence, Deltas, Floats, Rates

Tally = Annotated[int, Integer(0)]


class Interval(NamedTuple):
    """A lower and an upper end."""

    low: Any
    high: Any


def lower_rate(successes: Any, trials: Any, alpha: Any) -> Array:
    """Return the rate at which ``successes`` or more have probability ``alpha``; no checks."""
    c, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    some = np.maximum(c, 1.0)
    value = betaincinv(some, n - some + 1.0, np.asarray(alpha, dtype=float))
    return np.asarray(np.where(c == 0, 0.0, value))


def upper_rate(successes: Any, trials: Any, alpha: Any) -> Array:
    """Return the rate at which ``successes`` or fewer have probability ``alpha``; no checks."""
    c, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    few = np.minimum(c, n - 1.0)
    value = betainccinv(few + 1.0, n - few, np.asarray(alpha, dtype=float))
    return np.asarray(np.where(c == n, 1.0, value))


def whole(name: str, value: Any, low: int = 0, high: int = 2**53) -> Array:
    """Return whole numbers as an array of floats."""
    found = validate.array(name, value, low, high)
    if np.any(found != np.floor(found)):
        validate.refuse(name, value, f"a whole number in [{low}, {high}]")
    return found


def marks(name: str, value: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return the marks of all places of *shape*; `ValueError` for other marks, or too few."""
    allowed = "booleans, or 0 and 1, and none missing"
    try:
        told = validate.chances(name, value)
    except ValueError:
        validate.refuse(name, value, allowed)
    if told.shape != shape:
        validate.refuse_as(name, f"of shape {told.shape}", f"of shape {shape}, as the scores are")
    if not np.isin(told, (0.0, 1.0)).all():
        validate.refuse(name, value, allowed)
    return np.asarray(told == 1.0)


@checked
def clopper_pearson(successes: Any, trials: Any, confidence: Confidence = 0.95) -> Interval:
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
    tries, hits = whole("trials", trials, 1), whole("successes", successes)
    validate.broadcast(("successes", "trials"), (hits, tries))
    if np.any(hits > tries):
        validate.refuse("successes", successes, f"at most trials = {trials}")
    alpha = (1 - confidence) / 2
    low, high = lower_rate(hits, tries, alpha), upper_rate(hits, tries, alpha)
    return Interval(validate.plain(low), validate.plain(high))


@checked
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

    tp: Tally
    fn: Tally
    fp: Tally
    tn: Tally

    def __post_init__(self) -> None:
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
    def tnr(self) -> float:
        """True negative rate: the share of others cleared."""
        return self.tn / self.others

    @property
    def fpr(self) -> float:
        """False positive rate: the share of others accused."""
        return self.fp / self.others

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
        return abs(self.advantage) / 2

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


@lru_cache(maxsize=64)
def envelope(size: int, alpha: float) -> tuple[Array, Array]:
    """Return bounds on a region's probability for every count of samples inside it.

    Parameters
    ----------
    size : int
        Number of independent samples, at least 1.
    alpha : float
        The chance, in (0, 1), that a bound fails for any upper-tail region, at most.

    Returns
    -------
    low, high : ndarray of shape (size + 1,)
        Bounds for a region with 0, 1, ..., ``size`` samples in it, all at once.

    Notes
    -----
    Half of ``alpha`` goes to the Dvoretzky-Kiefer-Wolfowitz inequality with Massart's
    constant, which is good in the middle; the other half to Clopper-Pearson bounds at a
    few marks, dense towards both ends, which is what a small FPR needs.  Between marks the
    tail function is monotone, so the bound of the next mark holds.

    References
    ----------
    P. Massart, "The Tight Constant in the Dvoretzky-Kiefer-Wolfowitz Inequality",
    Annals of Probability 1990.
    """
    counts = np.arange(size + 1)
    width = math.sqrt(math.log(4 / alpha) / (2 * size))
    low = np.maximum(counts / size - width, 0.0)
    high = np.minimum(counts / size + width, 1.0)
    # Counts from 1 to ``size``, four an octave towards both ends.
    steps = 4 * max(1, math.ceil(math.log2(size + 1)))
    near = np.unique(np.round(np.geomspace(1, (size + 1) / 2, steps)).astype(np.int64))
    marks = np.unique(np.concatenate([near, size + 1 - near]))
    each = alpha / 2 / (2 * marks.size)
    # A region with at least `mark` samples holds all at or above the mark-th largest ...
    reached = np.searchsorted(marks, counts, side="right")
    floor = np.concatenate([[0.0], lower_rate(marks, size, each)])
    # ... and one with fewer than `mark` lies strictly above it.
    ceiling = np.concatenate([upper_rate(marks - 1, size, each), [1.0]])
    return np.maximum(low, floor[reached]), np.minimum(high, ceiling[reached])


def _one_side(hit: Array, false: Array, delta: Array, steps: int) -> Array:
    """Return the smallest ln u >= 0 that allows the rate ``hit`` where the other is ``false``."""
    over = hit - delta
    with np.errstate(divide="ignore", invalid="ignore"):
        if steps == 1:
            bound = np.log(over) - np.log(false)
        else:
            # Two steps cost (2 epsilon, (1 + e^epsilon) delta): a quadratic in u = e^epsilon,
            # solved in the form without cancellation.
            root = np.sqrt(delta**2 + 4 * false * over)
            bound = np.log(2 * over) - np.log(delta + root)
    return np.asarray(np.where(over > 0, np.maximum(bound, 0.0), 0.0))


# How many neighbouring steps two data sets are apart.
Steps = Annotated[int, Integer(1, 2)]


@checked
def epsilon_from_rates(tpr: Rates, fpr: Rates, delta: Deltas = 0.0, *, steps: Steps = 1) -> Floats:
    r"""Return the smallest epsilon that allows an attack with exactly these rates.

    Parameters
    ----------
    steps : {1, 2}
        How many neighbouring steps the game's two data sets are apart.  Two for an attack
        on a replaced record that is to bound epsilon under add or remove.

    Returns
    -------
    float or ndarray
        In [0, inf]; inf if only delta = TPR would allow the attack.

    Notes
    -----
    Lecture notes, Corollary 1:
    :math:`e^\epsilon \ge \max\{(TPR-\delta)/FPR,\ (TNR-\delta)/FNR\}`, where a ratio 0/0 asks
    for nothing.  For two steps, (epsilon, delta)-DP implies
    :math:`(2\epsilon, (1+e^\epsilon)\delta)`-DP, and that is solved for epsilon.

    Examples
    --------
    >>> import math
    >>> epsilon_from_rates(0.9, 0.01) == math.log(90)
    True
    >>> epsilon_from_rates(0.9, 0.01, steps=2) == math.log(90) / 2
    True
    """
    validate.broadcast(("tpr", "fpr", "delta"), (tpr, fpr, delta))
    twin = _one_side(1.0 - fpr, 1.0 - tpr, delta, steps)
    return validate.plain(np.maximum(_one_side(tpr, fpr, delta, steps), twin))


@checked
def epsilon_lower_bound(
    tp: Any,
    fn: Any,
    fp: Any,
    tn: Any,
    delta: Deltas = 0.0,
    confidence: Confidence = 0.95,
    *,
    steps: Steps = 1,
) -> Floats:
    """Return a lower bound on epsilon from an attack's counts, at a stated confidence.

    Parameters
    ----------
    tp, fn : int or array_like
        Members called *in* and *out*; together at least 1.
    fp, tn : int or array_like
        Others called *in* and *out*; together at least 1.
    steps : {1, 2}
        How many neighbouring steps the game's two data sets are apart.

    Returns
    -------
    float or ndarray
        In [0, inf).

    Notes
    -----
    Lecture notes, Corollary 1, with the Clopper-Pearson lower end of TPR and upper end of
    FPR, each at half the error; the ratio TNR / FNR rests on the same two events.  The
    attack, its threshold included, must be fixed before these games are played:
    `certify_epsilon` sees to that.

    Examples
    --------
    >>> round(epsilon_lower_bound(90, 10, 1, 99), 8)
    2.71644515
    """
    names = ("tp", "fn", "fp", "tn")
    counts = [whole(name, value) for name, value in zip(names, (tp, fn, fp, tn), strict=True)]
    validate.broadcast((*names, "delta"), (*counts, delta))
    found, missed, accused, cleared = counts
    members, others, alpha = found + missed, accused + cleared, (1 - confidence) / 2
    if np.any(members < 1):
        validate.refuse("tp + fn", 0, "at least 1: a rate needs a member")
    if np.any(others < 1):
        validate.refuse("fp + tn", 0, "at least 1: a rate needs a record that was out")
    # The upper end of FNR is 1 minus the lower end of TPR, computed where it keeps its digits.
    hit = _one_side(lower_rate(found, members, alpha), upper_rate(accused, others, alpha), delta, steps)
    twin = _one_side(lower_rate(cleared, others, alpha), upper_rate(missed, members, alpha), delta, steps)
    return validate.plain(np.maximum(hit, twin))
