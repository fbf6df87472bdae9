"""From the scores of canaries to a lower bound on epsilon: one training run, or many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr

from explorable import validate
from explorable.checked import Number, OneOf, checked
from explorable.private import private
from mipbook import tradeoff
from mipbook.audit.canary_bounds import MOST, canary_ceiling, canary_epsilon, canary_p_value, whole
from mipbook.audit.canary_gaussian import canary_mu
from mipbook.base.rounding import Report, at_least, proved
from mipbook.base.types import Array, Confidence, Rate, Rng


def marks(name: str, value: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return the marks of all places of *shape*; `ValueError` for other marks, or too few."""
    told = validate.chances(name, value)
    if told.shape != shape:
        validate.refuse_as(name, f"of shape {told.shape}", f"of shape {shape}, as the scores are")
    if not np.isin(told, (0.0, 1.0)).all():
        validate.refuse(name, value, "booleans, or 0 and 1")
    return np.asarray(told == 1.0)


_NO_PROOF = "This is a lower bound: better canaries or better scores may prove more."
_FAMILY = "The numbers for Gaussian DP hold only if the run is Gaussian DP."


@checked
def gaussian_reading(
    mu: Annotated[float, Number(0.0, 1000000.0)], delta: Annotated[float, Number(0.0, 1.0, open_low=True)]
) -> float:
    """Return the epsilon at delta of a mu-GDP run; 0 where nothing is refuted.

    Examples
    --------
    >>> round(gaussian_reading(1.0, 1e-5), 4)
    4.3772
    """
    return float(tradeoff.gaussian_epsilon(delta, sigma=1.0, sensitivity=mu)) if mu > 0 else 0.0


@dataclass(frozen=True)
class OneRun(Report):
    """What guesses about the canaries of one training run prove, and what they do not.

    Made by `one_run`, and by `many_runs` for a run for each canary.

    Attributes
    ----------
    epsilon : float
        At least this at ``delta``, with the confidence (bound), by the method.
    mu : float
        At least this if the run is mu-GDP at all (bound).
    method : str
        *sharp*, *published* or *gaussian*.
    right, guesses : int
        Right guesses, and guesses, of the number that proves most.
    tried : tuple of int
        The numbers of guesses that were fixed beforehand; they share the risk.
    canaries, included : int
        All canaries, and those that were in.
    delta, confidence : float
        As asked.
    runs : int
        Training runs; one canary each, if there are several.
    """

    epsilon: float
    mu: float
    method: str
    right: int
    guesses: int
    tried: tuple[int, ...]
    canaries: int
    included: int
    delta: float
    confidence: float
    notes: tuple[str, ...] = ()
    runs: int = 1

    @property
    def _share(self) -> float:
        """The confidence of each number tried."""
        return 1.0 - (1.0 - self.confidence) / len(self.tried)

    @property
    def ceiling(self) -> float:
        """What so many right guesses would prove if all had been right."""
        return float(canary_ceiling(self.guesses, self.delta, self.canaries, self._share))

    def p_value(self, epsilon: float) -> float:
        """Return the largest chance of this result, or a clearer one, under a claimed epsilon.

        Times the numbers tried, by the sharp formula; in [0, 1].

        Examples
        --------
        >>> from mipbook.audit import OneRun
        >>> run = OneRun(0.88, 0.4, "sharp", 731, 1000, (1000,), 1000, 500, 0.0, 0.95)
        >>> round(run.p_value(0.5), 6), round(run.p_value(1.0), 2)
        (0.0, 0.52)
        """
        epsilon = validate.number("epsilon", epsilon, 0.0)
        found = canary_p_value(self.right, self.guesses, epsilon, self.delta, self.canaries)
        return min(1.0, len(self.tried) * float(found))

    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much."""
        return [
            ("formula", self.method),
            ("right guesses", f"{self.right} of {self.guesses}, on {self.canaries} canaries"),
            ("all right would prove", f"epsilon {at_least(self.ceiling)} (exact)"),
            ("canaries that were in", f"{self.included} of {self.canaries}"),
            ("numbers of guesses fixed", ", ".join(map(str, self.tried))),
            ("neighbours", "one canary is added or removed"),
            ("training runs", str(self.runs)),
        ]

    def headline(self) -> str:
        """Return the one line to report."""
        counted = f"{self.right} of {self.guesses} canaries"
        return proved(self.epsilon, self.confidence, self.delta, "add/remove", counted)

    def others(self) -> list[tuple[str, str]]:
        """Return what other formulas make of the same guesses."""
        sure = f"bound, {100 * self.confidence:g}%"
        named = {"sharp": "the sharp formula", "published": "the formula of Steinke et al."}
        found = [
            (f"epsilon by {name}", f"{at_least(self._by(formula))} ({sure})")
            for formula, name in named.items()
            if formula != self.method
        ]
        if self.method != "gaussian" and self.delta > 0:
            reading = at_least(gaussian_reading(self.mu, self.delta))
            found.append(("epsilon, if the run is Gaussian DP", f"{reading} ({sure})"))
        return [*found, ("mu, if the run is Gaussian DP", f"{at_least(self.mu)} ({sure})")]

    def _by(self, bound: str) -> float:
        found = canary_epsilon(self.right, self.guesses, self.delta, self.canaries, self._share, bound=bound)
        return float(found)

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what the audit does not say."""
        return "Limits", (
            _NO_PROOF,
            "It holds if each canary was in by a fair toss of its own, the scores did not know the tosses, "
            "and the number of guesses was fixed before.",
            "It is about adding or removing a record. For replacing one, let each canary be one of a pair.",
            _FAMILY,
        )


CANARY_METHODS = ("sharp", "published", "gaussian")
_MOST_NUMBERS = 100
# Tosses that fair coins give less than once in ten thousand times are doubted, and refused where
# it is less than once in a thousand million.
_DOUBTED, _UNFAIR = 1e-4, 1e-9


def _canaries(scores: Any, included: Any) -> tuple[Array, NDArray[np.bool_]]:
    """Return checked scores, and which canaries were in."""
    values = validate.array("scores", scores, ndim=1)
    if not 1 <= values.size <= MOST:
        validate.refuse_as("scores", f"{values.size} scores", f"from 1 to {MOST} scores")
    return values, marks("included", included, values.shape)


@private("scores", "included")
@checked
def right_guesses(
    scores: ArrayLike, included: ArrayLike, guesses: int, *, split: Rate = 0.5, rng: Rng | None = None
) -> int:
    """Return how many guesses are right: the largest scores are called *in*, the least *out*.

    Parameters
    ----------
    scores : array_like of shape (canaries,)
        Larger for *in*; no nan.
    included : array_like of bool, shape (canaries,)
        Which canaries were in.
    guesses : int
        How many canaries are guessed, from 1 to all.
    split : float
        The share of the guesses that says *in*, in [0, 1].
    rng : numpy.random.Generator, optional
        Chooses among equal scores; needed only where some of them are guessed and others not.

    Notes
    -----
    The order of the rows plays no part: it could tell what the scores do not.

    Examples
    --------
    >>> right_guesses([5.0, 4.0, 3.0, 2.0], [True, False, False, False], 3)
    2
    """
    values, flags = _canaries(scores, included)
    guesses = validate.integer("guesses", guesses, 1, values.size)
    return _right(values, flags, guesses, split, rng)


def _right(
    values: Array, flags: NDArray[np.bool_], guesses: int, split: float, rng: np.random.Generator | None
) -> int:
    said_in = round(split * guesses)
    low, high = guesses - said_in, values.size - said_in
    keys = np.zeros(values.size) if rng is None else rng.random(values.size)
    order = np.lexsort((keys, values))
    ranked = values[order]
    for cut in (low, high):
        if rng is None and 0 < cut < values.size and ranked[cut - 1] == ranked[cut]:
            told = "a numpy.random.Generator: guesses end among equal scores"
            validate.refuse("rng", rng, told)
    return int((~flags[order[:low]]).sum() + flags[order[high:]].sum())


def _numbers(guesses: Any, canaries: int) -> tuple[int, ...]:
    """Return the numbers of guesses, a fifth of the canaries if none is given."""
    if guesses is None:
        return (max(min(canaries, 30), canaries // 5),)
    found = whole("guesses", guesses, 1, canaries)
    if found.ndim > 1 or not 1 <= found.size <= _MOST_NUMBERS:
        validate.refuse("guesses", guesses, f"one number, or up to {_MOST_NUMBERS} of them")
    return tuple(int(each) for each in np.unique(found))


@private("scores", "included")
@checked
def one_run(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    delta: Rate = 1e-5,
    guesses: Any = None,
    confidence: Confidence = 0.95,
    method: Annotated[str, OneOf(CANARY_METHODS)] = "sharp",
    split: Rate = 0.5,
    rng: Rng | None = None,
) -> OneRun:
    """Audit one training run by its canaries, and return what it proves about epsilon.

    Parameters
    ----------
    scores : array_like of shape (canaries,)
        The attacker's score of each canary, larger for *in*; no nan.
    included : array_like of bool, shape (canaries,)
        Which canaries were in; each by a fair toss of its own, before the training.  A share of
        heads that fair tosses give less than once in 10^9 times is refused.
    guesses : int or list of int, optional
        How many canaries are guessed, fixed before anybody looks; a fifth of them, and at least
        30, if not given.  Several numbers share the risk equally (Bonferroni).
    method : {"sharp", "published", "gaussian"}
        By which p-value the report's epsilon is found.  *gaussian* is a bound for runs that hide
        like Gaussian noise, and for no others.
    split : float
        The share of the guesses that says *in*, in [0, 1].
    rng : numpy.random.Generator, optional
        Chooses among equal scores where guesses end.

    Notes
    -----
    The neighbours are two data sets of which one has a canary more.  See `canary_epsilon` and
    `canary_mu` for the bounds.

    References
    ----------
    T. Steinke, M. Nasr and M. Jagielski, "Privacy Auditing with One (1) Training Run", NeurIPS
    2023.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> included = rng.random(1000) < 0.5
    >>> scores = rng.normal(np.where(included, 1.0, -1.0))
    >>> report = one_run(scores, included)
    >>> report.right, report.guesses, round(report.epsilon, 2)
    (200, 200, 4.19)
    """
    values, flags = _canaries(scores, included)
    notes = _doubts(values.size, int(flags.sum()))
    tried = _numbers(guesses, values.size)
    risk = (1.0 - confidence) / len(tried)
    if method == "gaussian" and delta == 0.0:
        validate.refuse("delta", delta, "above 0 where method = 'gaussian'")
    each = min(max(1.0 - risk, 1e-300), 1.0 - 1e-16)
    found = []
    for r in tried:
        v = _right(values, flags, r, split, rng)
        mu = canary_mu(v, r, values.size, each)
        if method == "gaussian":
            epsilon = gaussian_reading(mu, delta)
        else:
            epsilon = float(canary_epsilon(v, r, delta, values.size, each, bound=method))
        found.append((epsilon, mu, v, r))
    epsilon, mu, v, r = max(found)
    return OneRun(epsilon, mu, method, v, r, tried, values.size, int(flags.sum()), delta, confidence, notes)


def _doubts(canaries: int, included: int) -> tuple[str, ...]:
    """Say so where the tosses do not look fair; refuse those that cannot be."""
    chance = 2 * float(bdtr(min(included, canaries - included), canaries, 0.5))
    if chance < _UNFAIR:
        allowed = "a fair toss of its own for each, which gives this less than once in 10^9 times"
        validate.refuse_as("included", f"{included} of {canaries}", allowed)
    if chance < _DOUBTED:
        return (f"{included} of {canaries} canaries were in: fair tosses give that rarely.",)
    return ()


@private("scores", "included")
def many_runs(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    delta: float = 1e-5,
    guesses: Any = None,
    confidence: float = 0.95,
    method: str = "sharp",
    split: float = 0.5,
    rng: np.random.Generator | None = None,
) -> OneRun:
    """Audit a training procedure by many runs, one canary each, by the test of `one_run`.

    Parameters
    ----------
    scores : array_like of shape (runs,)
        The attacker's score of the canary in each run, larger for *in*; no nan.
    included : array_like of bool, shape (runs,)
        In which runs the canary was in; each by a fair toss of its own.
    guesses, confidence, method, split, rng
        As in `one_run`.

    Notes
    -----
    Independent runs are together one mechanism of all tosses, and a toss turned round changes
    one of them.  So the count of right guesses is judged as in one run, and proves as much.

    References
    ----------
    T. Steinke, M. Nasr and M. Jagielski, "Privacy Auditing with One (1) Training Run", NeurIPS
    2023.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> included = rng.random(1000) < 0.5
    >>> scores = rng.normal(np.where(included, 1.0, -1.0))
    >>> found = many_runs(scores, included)
    >>> found.runs, found.epsilon == one_run(scores, included).epsilon
    (1000, True)
    """
    settings: dict[str, Any] = {"delta": delta, "guesses": guesses, "confidence": confidence}
    found = one_run(scores, included, **settings, method=method, split=split, rng=rng)
    return replace(found, runs=found.canaries)
