"""A lower bound on epsilon that holds although its threshold was chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.game.lower_bound import epsilon_lower_bound, steps_of
from mipbook.game.roc import Roc, roc

__all__ = ["Certificate", "certify_epsilon"]

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


def certify_epsilon(
    scores: ArrayLike,
    member: ArrayLike,
    rng: np.random.Generator,
    delta: float = 0.0,
    confidence: float = 0.95,
    *,
    held_back: float = 0.7,
    steps: int = 1,
) -> Certificate:
    """Return a lower bound on epsilon from scores, valid although the threshold is chosen.

    Parameters
    ----------
    scores : array_like of shape (games,)
        The attacker's scores, larger for *in*; no nan.
    member : array_like of bool, shape (games,)
        Which records were in; at least two members and two others.
    rng : numpy.random.Generator
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
    validate.generator("rng", rng)
    delta = validate.number("delta", delta, 0.0, 1.0)
    confidence = validate.confidence(confidence)
    held_back = validate.number("held_back", held_back, 0.0, 1.0, open_low=True, open_high=True)
    steps = steps_of(steps)
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
