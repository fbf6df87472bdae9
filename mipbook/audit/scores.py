"""All that the scores of an attack prove, in one call."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from explorable.private import private
from mipbook.audit.canary_runs import OneRun, one_run
from mipbook.base.rounding import CERTAIN, Estimate, Report, at_least, at_most, down, proved
from mipbook.game.counts import epsilon_lower_bound, marks
from mipbook.game.curve import Certificate, Roc, auc_difference, certify_epsilon, roc

FPRS = (0.0001, 0.001, 0.01, 0.1)
_LIMITS = (
    "This is a lower bound: a better attack may find more.",
    "The intervals assume independent rows. If all scores come from one trained model, they describe that "
    "model's records only.",
)
_RELATION = "The epsilon holds for the relation that your experiment used (add/remove or replace)."


def lacking(curve: Roc, fpr: float) -> str:
    """Say how many others a rate of wrong accusations needs, if ``curve`` has fewer; else nothing."""
    return f"needs {math.ceil(1 / fpr - 1e-9):,} others" if 0 < fpr * curve.others < 1 - 1e-9 else ""


@dataclass(frozen=True)
class ScoresAudit(Report):
    """What the scores of one attack, or of two on the same records, say and prove.

    Made by `audit_scores`.

    Attributes
    ----------
    curve : Roc
        The attack's curve.
    certificate : Certificate
        The bound on epsilon whose threshold was chosen on other rows.
    everywhere : float
        The bound on epsilon from all thresholds at once.
    replaced : float
        What the certificate says of epsilon under add or remove, if a record was replaced.
    delta, confidence : float
        As asked.
    fprs : tuple of float
        Where the true positive rate is read.
    other : Roc, optional
        The second attack's curve.
    difference : Estimate, optional
        How far the first attack's area is above the second's.
    canaries : OneRun, optional
        What the canaries prove from one training run.
    """

    curve: Roc = field(repr=False)
    certificate: Certificate = field(repr=False)
    everywhere: float
    replaced: float
    delta: float
    confidence: float
    fprs: tuple[float, ...] = FPRS
    other: Roc | None = field(default=None, repr=False)
    difference: Estimate | None = None
    canaries: OneRun | None = None
    notes: tuple[str, ...] = ()

    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much."""
        sure = f"{100 * self.confidence:g}%"
        found = [("records", f"{self.curve.members:,} members, {self.curve.others:,} others")]
        found += self._curve_rows("", self.curve, sure)
        if self.other is not None:
            found += self._curve_rows("second attack: ", self.other, sure)
        if self.difference is not None:
            gap = self.difference
            band = f"{sure} interval {at_least(gap.low)} to {at_most(gap.high)}"
            found.append(("AUC, first less second", f"{gap.value:.4g} ({gap.kind}, {band})"))
        return found

    def headline(self) -> str:
        """Return the one line to report: of the canaries, where there are some."""
        if self.canaries is not None:
            return self.canaries.headline()
        bound = self.certificate
        games = f"{bound.tp + bound.fn + bound.fp + bound.tn:,} games"
        return proved(bound.epsilon, self.confidence, self.delta, "your experiment's neighbours", games)

    def others(self) -> list[tuple[str, str]]:
        """Return other bounds on the same epsilon; of one trained model, those by its canaries."""
        if self.canaries is not None:
            return self.canaries.others()
        sure = f"bound, {100 * self.confidence:g}%"
        return [
            ("from a band over all thresholds", f"{at_least(self.everywhere)} ({sure})"),
            ("under add/remove, if you replaced records", f"{at_least(self.replaced)} ({sure})"),
        ]

    def _curve_rows(self, whose: str, curve: Roc, sure: str) -> list[tuple[str, str]]:
        edge = curve.advantage_band(self.confidence)
        band = f"{sure} band {at_least(edge.low)} to {at_most(edge.high)}"
        found = [
            (f"{whose}AUC", f"{curve.auc:.4g} (estimate)"),
            (f"{whose}advantage", f"{curve.advantage:.4g} (estimate, {band})"),
        ]
        for fpr, rates in self._rates(curve):
            if rates is None:
                told = f"{lacking(curve, fpr)}; there are {curve.others:,}"
            else:
                value, low, high = rates
                band = f"{sure} band {at_least(100 * low)}% to {at_most(100 * high)}%"
                told = f"{100 * value:.4g}% (estimate, {band})"
            found.append((f"{whose}TPR at FPR {100 * fpr:g}%", told))
        return found

    def _rates(self, curve: Roc) -> Iterator[tuple[float, tuple[float, float, float] | None]]:
        """Return each FPR with the TPR there and its band; without where there are too few others."""
        for fpr in self.fprs:
            if lacking(curve, fpr):
                yield fpr, None
            else:
                low, high = curve.tpr_band(fpr, self.confidence)
                yield fpr, (float(curve.tpr_at(fpr)), float(low), float(high))

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what the scores do not show."""
        more = (_RELATION,) if self.canaries is None else self.canaries.limits()[1][1:2]
        return "Limits", _LIMITS + more

    def numbers(self) -> dict[str, Any]:
        """Return what a program wants of it: plain numbers, each curve by its rates.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> found = audit_scores([3.0, 2.0, 1.0, 0.0], [1, 1, 0, 0], rng)
        >>> found.numbers()["attack"]["auc"]
        1.0
        """
        bound = self.certificate
        told: dict[str, Any] = {
            "confidence": self.confidence,
            "delta": self.delta,
            "report": self.headline(),
            "attack": self._of(self.curve),
        }
        # Of one trained model its rows are no games of their own.
        if (run := self.canaries) is None:
            told["epsilon"] = {
                "chosen_threshold": down(bound.epsilon, CERTAIN),
                "all_thresholds": down(self.everywhere, CERTAIN),
                "add_or_remove_if_replaced": down(self.replaced, CERTAIN),
            }
            names = ("tp", "fn", "fp", "tn", "chosen_on", "threshold")
            told["certificate"] = {name: getattr(bound, name) for name in names}
        else:
            counts = ("right", "guesses", "canaries", "included")
            told["canaries"] = {"method": "sharp"} | {name: getattr(run, name) for name in counts}
            told["canaries"] |= {"epsilon": down(run.epsilon, CERTAIN), "mu": down(run.mu, CERTAIN)}
        if self.other is not None:
            told["second_attack"] = self._of(self.other)
        if self.difference is not None:
            told["auc_difference"] = self.difference._asdict()
        return told

    def _of(self, curve: Roc) -> dict[str, Any]:
        edge = curve.advantage_band(self.confidence)
        names = ("tpr", "low", "high")
        return {
            "members": curve.members,
            "others": curve.others,
            "auc": curve.auc,
            "advantage": {"value": curve.advantage, "low": edge.low, "high": edge.high},
            "tpr_at_fpr": {
                f"{fpr:g}": dict(zip(names, found, strict=True))
                for fpr, found in self._rates(curve)
                if found is not None
            },
        }


@private("scores", "member", "other", "canary")
def audit_scores(
    scores: ArrayLike,
    member: ArrayLike,
    rng: np.random.Generator | int | None = None,
    *,
    delta: float = 1e-5,
    confidence: float = 0.95,
    other: ArrayLike | None = None,
    canary: ArrayLike | None = None,
    guesses: Any = None,
    fprs: Sequence[float] = FPRS,
) -> ScoresAudit:
    """Say what an attack's scores prove: rates with bands, and lower bounds on epsilon.

    Parameters
    ----------
    scores : array_like of shape (games,)
        The attack's scores, larger for *in*; no nan.
    member : array_like of bool, shape (games,)
        Which records were in; at least two members and two others.
    rng : numpy.random.Generator or int, optional
        Chooses the rows that choose the threshold, and among equal scores of canaries.
    other : array_like of shape (games,), optional
        A second attack's scores on the same records.
    canary : array_like of bool, shape (games,), optional
        Which records are canaries of one training run, each in it by a fair toss of its own.
    guesses : int or list of int, optional
        As `one_run` takes it: fixed before anybody looks.
    fprs : sequence of float
        False positive rates at which to read the true positive rate, each in [0, 1].

    Notes
    -----
    `mipbook.game.Roc.tpr_band`, each rate alone; `mipbook.game.certify_epsilon`; `one_run`;
    `mipbook.game.auc_difference`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> member = rng.random(2000) < 0.5
    >>> found = audit_scores(rng.standard_normal(2000) + 2 * member, member, rng)
    >>> 0.5 < found.certificate.epsilon < 9.9973
    True
    """
    rng = validate.generator("rng", rng)
    rates = tuple(validate.array("fprs", fprs, 0.0, 1.0, ndim=1).tolist())
    if not 1 <= len(rates) <= 100:
        validate.refuse("fprs", fprs, "from 1 to 100 rates")
    curve, values = roc(scores, member), np.asarray(scores, dtype=float)
    second = difference = None
    if other is not None:
        difference = auc_difference(scores, other, member, confidence)
        second = roc(other, member)
    run = None
    if canary is not None:
        planted = marks("canary", canary, (curve.members + curve.others,))
        if not planted.any():
            validate.refuse_as("canary", "none", "such that there is one; leave it out otherwise")
        tossed = values[planted], np.asarray(member).astype(bool)[planted]
        run = one_run(*tossed, delta=delta, confidence=confidence, guesses=guesses, rng=rng)
    elif guesses is not None:
        validate.refuse("guesses", guesses, "given with canary")
    bound = certify_epsilon(scores, member, rng, delta, confidence)
    counts = (bound.tp, bound.fn, bound.fp, bound.tn)
    replaced = float(epsilon_lower_bound(*counts, delta, confidence, steps=2))
    everywhere = curve.epsilon_lower_bound(delta, confidence)
    notes = [
        f"{whose} AUC is below one half. If low scores mean member (a loss), negate them "
        "(in a terminal: --smaller-is-in)."
        for whose, each in (("The", curve), ("The second attack's", second))
        if each is not None and each.auc < 0.5
    ]
    notes += () if run is None else run.notes
    if endless := int(np.isinf(values).sum()):
        told = "infinite, and those of one sign equal; if they overflowed, their order is lost."
        notes.append(f"{endless:,} scores are {told}")
    bounds = (curve, bound, everywhere, replaced, bound.delta, bound.confidence, rates)
    return ScoresAudit(*bounds, second, difference, run, tuple(notes))
