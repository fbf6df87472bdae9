"""From the scores of canaries to a lower bound on epsilon, and runs on digits whose epsilon is known."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import bdtr

from explorable import validate
from explorable.checked import Integer, Number, checked
from explorable.private import private
from mipbook import tradeoff
from mipbook.audit.canary_bounds import MOST, canary_ceiling, canary_epsilon, several
from mipbook.audit.canary_gaussian import canary_mu
from mipbook.base.rounding import Report, at_least, proved
from mipbook.base.types import Array, Confidence, Rate, Rng
from mipbook.data.mnist import small_digits
from mipbook.dpsgd.contour import last_model_delta
from mipbook.dpsgd.step import MOST_LOSS, Training
from mipbook.game.counts import marks
from mipbook.learners.classifiers import ClippedNetwork


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
        At least this at ``delta``, with the confidence (bound), by the sharp formula.
    mu : float
        At least this if the run is mu-GDP at all (bound).
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

    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much."""
        ceiling = canary_ceiling(self.guesses, self.delta, self.canaries, self._share)
        return [
            ("formula", "sharp"),
            ("right guesses", f"{self.right} of {self.guesses}, on {self.canaries} canaries"),
            ("all right would prove", f"epsilon {at_least(float(ceiling))} (exact)"),
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
        published = canary_epsilon(
            self.right, self.guesses, self.delta, self.canaries, self._share, bound="published"
        )
        found = [("epsilon by the formula of Steinke et al.", float(published))]
        if self.delta > 0:
            found.append(("epsilon, if the run is Gaussian DP", gaussian_reading(self.mu, self.delta)))
        found.append(("mu, if the run is Gaussian DP", self.mu))
        return [(name, f"{at_least(value)} ({sure})") for name, value in found]

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what the audit does not say."""
        return "Limits", (
            "This is a lower bound: better canaries or better scores may prove more.",
            "It holds if each canary was in by a fair toss of its own, the scores did not know the tosses, "
            "and the number of guesses was fixed before.",
            "It is about adding or removing a record. For replacing one, let each canary be one of a pair.",
            "The numbers for Gaussian DP hold only if the run is Gaussian DP.",
        )


_MOST_NUMBERS = 100


def _canaries(scores: Any, included: Any) -> tuple[Array, NDArray[np.bool_]]:
    """Return checked scores, and which canaries were in."""
    values = validate.array("scores", scores, ndim=1)
    if not 1 <= values.size <= MOST:
        validate.refuse_as("scores", f"{values.size} scores", f"from 1 to {MOST} scores")
    return values, marks("included", included, values.shape)


@private("scores", "included")
@checked
def right_guesses(scores: ArrayLike, included: ArrayLike, guesses: int, *, rng: Rng | None = None) -> int:
    """Return how many guesses are right: the largest scores are called *in*, as many others *out*.

    Parameters
    ----------
    scores : array_like of shape (canaries,)
        Larger for *in*; no nan.
    included : array_like of bool, shape (canaries,)
        Which canaries were in.
    guesses : int
        How many canaries are guessed, from 1 to all.
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
    return _right(values, flags, guesses, rng)


def _right(values: Array, flags: NDArray[np.bool_], guesses: int, rng: np.random.Generator | None) -> int:
    said_in = round(0.5 * guesses)
    low, high = guesses - said_in, values.size - said_in
    keys = np.zeros(values.size) if rng is None else rng.random(values.size)
    order = np.lexsort((keys, values))
    ranked = values[order]
    for cut in (low, high):
        if rng is None and 0 < cut < values.size and ranked[cut - 1] == ranked[cut]:
            validate.refuse("rng", rng, "a numpy.random.Generator: guesses end among equal scores")
    return int((~flags[order[:low]]).sum() + flags[order[high:]].sum())


@private("scores", "included")
@checked
def one_run(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    delta: Rate = 1e-5,
    guesses: Any = None,
    confidence: Confidence = 0.95,
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
    canaries, inside = values.size, int(flags.sum())
    # Tosses that fair coins give less than once in ten thousand times are doubted, and refused where
    # it is less than once in a thousand million.
    chance = 2 * float(bdtr(min(inside, canaries - inside), canaries, 0.5))
    if chance < 1e-9:
        allowed = "a fair toss of its own for each, which gives this less than once in 10^9 times"
        validate.refuse_as("included", f"{inside} of {canaries}", allowed)
    doubt = f"{inside} of {canaries} canaries were in: fair tosses give that rarely."
    if guesses is None:
        guesses = max(min(canaries, 30), canaries // 5)
    tried = tuple(map(int, several(guesses, canaries, _MOST_NUMBERS)))
    each = min(max(1.0 - (1.0 - confidence) / len(tried), 1e-300), 1.0 - 1e-16)
    found = []
    for r in tried:
        v = _right(values, flags, r, rng)
        epsilon = float(canary_epsilon(v, r, delta, canaries, each))
        found.append((epsilon, canary_mu(v, r, canaries, each), v, r))
    notes = (doubt,) if chance < 1e-4 else ()
    return OneRun(*max(found), tried, canaries, inside, delta, confidence, notes)


@private("scores", "included")
def many_runs(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    delta: float = 1e-5,
    guesses: Any = None,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> OneRun:
    """Audit a training procedure by many runs, one canary each, by the test of `one_run`.

    Parameters
    ----------
    scores : array_like of shape (runs,)
        The attacker's score of the canary in each run, larger for *in*; no nan.
    included : array_like of bool, shape (runs,)
        In which runs the canary was in; each by a fair toss of its own.
    guesses, confidence, rng
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
    found = one_run(scores, included, delta=delta, guesses=guesses, confidence=confidence, rng=rng)
    return replace(found, runs=found.canaries)


# How strongly a canary's own column speaks; clipping keeps the direction alone.
_LOUD = 30.0
_TRAIN, _CLASSES = 898, 10
_MOST_CANARIES, _MOST_STEPS = 5000, 3000


class CanaryTraining(NamedTuple):
    """A run on digits with canaries.

    Attributes
    ----------
    scores : ndarray of shape (canaries,)
        How far the model's weights lean to each canary's label in the column that is its own.
    included : ndarray of bool, shape (canaries,)
        Which canaries were trained on.
    accuracy : float
        Share of the test digits told right.
    """

    scores: Array
    included: NDArray[np.bool_]
    accuracy: float


@checked
def train_with_canaries(
    sigma: Annotated[float, Number(0.1, 100.0)],
    canaries: Annotated[int, Integer(1, _MOST_CANARIES)],
    rng: Rng,
    *,
    sampling: Annotated[float, Number(0.01, 1.0)] = 0.1,
    steps: Annotated[int, Integer(1, _MOST_STEPS)] = 300,
) -> CanaryTraining:
    """Train a softmax on half of the small digits by clipped, noisy gradients, with canaries.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise over the clip, in [0.1, 100].
    canaries : int
        In [1, 5000]; each has a column of its own, a random label, and is in by a fair toss.
    sampling : float
        The chance that a record takes part in a step, in [0.01, 1].
    steps : int
        In [1, 3000].

    Notes
    -----
    The learning rate is 0.5, and 1 / sigma where sigma is above 2.  It is set for the expected
    number of records, so that the number of canaries drawn changes nothing.

    References
    ----------
    M. Abadi et al., "Deep Learning with Differential Privacy", CCS 2016.

    Examples
    --------
    >>> run = train_with_canaries(1.0, 50, np.random.default_rng(0), steps=100)
    >>> run.scores.shape, bool(run.accuracy > 0.5)
    ((50,), True)
    """
    table = small_digits()
    images = np.hstack([table.images, np.zeros((len(table.images), canaries))])
    order = rng.permutation(len(images))
    train, test = order[:_TRAIN], order[_TRAIN:]
    planted = np.zeros((canaries, images.shape[1]))
    planted[np.arange(canaries), table.images.shape[1] + np.arange(canaries)] = _LOUD
    labels = rng.integers(0, _CLASSES, canaries)
    included = rng.random(canaries) < 0.5
    x = np.vstack([images[train], planted[included]])
    y = np.concatenate([table.labels[train], labels[included]])
    step = min(0.5, 1.0 / sigma) * len(x) / (_TRAIN + canaries / 2)
    made = ClippedNetwork(0, 1.0, sigma, sampling, steps, step)
    made.fit(x, y, rng, classes=_CLASSES)
    own = made.weights[0][table.images.shape[1] : -1]
    scores = own[np.arange(canaries), labels] - own.mean(axis=1)
    return CanaryTraining(scores, included, made.accuracy(images[test], table.labels[test]))


@checked
def last_model_epsilon(
    sigma: Annotated[float, Number(0.1, 100.0)],
    sampling: Annotated[float, Number(1e-12, 1.0, open_high=True)],
    steps: Annotated[int, Integer(1, 100000)],
    delta: Annotated[float, Number(1e-12, 1.0)],
) -> float:
    """Return the exact epsilon at a delta of the last model alone, for a record seen by itself.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise over the clip, in [0.1, 100].
    sampling : float
        The chance that a record takes part in a step, in [1e-12, 1).
    steps : int
        In [1, 100000].
    delta : float
        In [1e-12, 1].

    Notes
    -----
    A record whose clipped gradient always has the same direction and full length, which no
    other has: the sum of all steps along it is N(0, T sigma^2) without the record and
    N(K, T sigma^2) with it, K binomial.  Neighbours: added or removed, the worse of both.  Settings
    whose epsilon is above 700 are refused.

    Examples
    --------
    >>> round(last_model_epsilon(1.0, 0.1, 300, 1e-5), 4)
    9.4967
    """
    training = Training(sampling, sigma, steps)

    def over(epsilon: float) -> float:
        return max(last_model_delta(training, epsilon, mirrored) for mirrored in (False, True)) - delta

    if over(0.0) <= 0.0:
        return 0.0
    high = 1.0
    while over(high) > 0.0:
        if high == MOST_LOSS:
            training.refuse(f"such that epsilon is at most {MOST_LOSS:g}")
        high = min(2.0 * high, MOST_LOSS)
    return float(brentq(over, 0.0, high))
