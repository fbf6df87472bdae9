"""The membership game, worst-case and distributional; who plays it, and who rebuilds the data."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Integer, OneOf, Row, Rows, Squarable, checked
from explorable.private import attempt
from explorable.progress import track
from mipbook.base.types import Array, Jobs, Rate, Rng, Values
from mipbook.game.counts import Confusion
from mipbook.game.curve import Roc, roc

NEIGHBOURS = ("add or remove", "replace")
Relation = Annotated[str, OneOf(NEIGHBOURS)]
Games = Annotated[int, Integer(1, 10**8)]
Target = Annotated[Any, Row()]
# Numbers drawn at once: 1.6 MB of doubles stay in the cache and leave room for progress.
_BATCH = 200_000
_MOST_GAMES = 10_000


class Attacker(Protocol):
    """What the games ask of an attacker.

    ``outputs`` holds one release a row; ``target`` is the record in question, or one
    record a row where every game has its own.
    """

    def score(self, outputs: Any, target: Any) -> Array:
        """Return one score a release, larger for *in*."""
        ...


def score(attacker: Attacker | Callable[[Any, Any], Any], outputs: Any, target: Any) -> Array:
    """Return an attacker's scores, checked: one real number a release.

    Parameters
    ----------
    attacker : Attacker or callable
        An object with ``score(outputs, target)``, or such a function.
    outputs : array_like of shape (games, ...)
        One release a row.
    target : array_like
        The record, or one record a row.

    Returns
    -------
    ndarray of shape (games,)

    Raises
    ------
    ValueError
        If the attacker is neither, or its scores are not one real number a release.

    Notes
    -----
    Lecture notes, section 3.

    Examples
    --------
    >>> score(InnerProduct(), np.eye(2), np.array([1.0, 0.0])).tolist()
    [1.0, 0.0]
    """
    function = getattr(attacker, "score", attacker)
    if not callable(function):
        validate.refuse("attacker", attacker, "an object with score(outputs, target), or a function")
    try:
        games = len(outputs)
    except TypeError:
        validate.refuse("outputs", outputs, "releases, one a row")
    seen = "on the outputs, which are releases of data, and the target"
    raw = np.asarray(attempt("attacker", attacker, seen, function, outputs, target))
    scores = validate.array("attacker's scores", raw.astype(float) if raw.dtype == bool else raw)
    if scores.shape != (games,):
        validate.refuse("attacker's scores", scores, f"of shape ({games},), one of the outputs")
    return scores


@dataclass(frozen=True)
class InnerProduct:
    """The lecture's tracer: the inner product of the release with the target.

    Parameters
    ----------
    centre : float or ndarray
        What a record of the population is on average; taken off both.  0 for the lecture's
        worst case, where all other records are zero.

    Notes
    -----
    Lecture notes, Theorem 2, step 2 of the proof.

    Examples
    --------
    >>> InnerProduct().score(np.array([[0.5, 0.25]]), np.array([1.0, 1.0])).tolist()
    [0.75]
    """

    centre: Any = 0.0

    def __post_init__(self) -> None:
        validate.squarable("centre", self.centre)

    @checked
    def score(self, outputs: Values, target: Values) -> Array:
        """Return one inner product a release."""
        if outputs.ndim == 0:
            validate.refuse("outputs", outputs, "releases, one a row")
        if target.shape not in (outputs.shape[1:], outputs.shape):
            each = f"of shape {outputs.shape[1:]} as each of outputs, or one such record for each"
            validate.refuse("target", target, each)
        if np.ndim(self.centre) or self.centre != 0:
            target, outputs = target - self.centre, outputs - self.centre
        if target.ndim == 1 and outputs.ndim == 2:
            return np.asarray(outputs @ target)
        return np.asarray((outputs * target).sum(axis=tuple(range(1, outputs.ndim))))


@dataclass(frozen=True)
class ExactMatch:
    """Says *in* where the target stands in the released records, letter by letter.

    Notes
    -----
    Lecture notes, section 2: the attack on the sampling mechanism.

    Examples
    --------
    >>> ExactMatch().score([[3, 1], [4, 5]], 4).tolist()
    [0.0, 1.0]
    """

    @checked
    def score(self, outputs: Any, target: Annotated[Any, Row()]) -> Array:
        """Return 1 where the target is among the released records, else 0."""
        if not isinstance(outputs, list | tuple | np.ndarray) or getattr(outputs, "ndim", 1) < 1:
            validate.refuse("outputs", outputs, "a list or array of releases")
        found = []
        for release in outputs:
            rows = validate.rows("outputs", release)
            if len(rows) and rows.shape[1:] != target.shape:
                validate.refuse("target", target, f"of shape {rows.shape[1:]} as in outputs")
            same = np.asarray(rows == target)
            found.append(len(rows) > 0 and bool(same.reshape(len(rows), -1).all(axis=1).any()))
        return np.array(found, dtype=float)


@dataclass(frozen=True)
class Transcript:
    """What happened in many games: the attacker's scores and the truth.

    Parameters
    ----------
    scores : ndarray of shape (games,)
        Larger for *in*.
    member : ndarray of bool, shape (games,)
        The challenger's coin b.
    neighbours : {"add or remove", "replace"}
        How the two data sets of each game differ.

    Examples
    --------
    >>> game = Transcript(np.array([1.0, 0.0]), np.array([True, False]), "replace")
    >>> game.confusion(0.5).accuracy
    1.0
    """

    scores: Array
    member: NDArray[np.bool_]
    neighbours: str

    def roc(self) -> Roc:
        """Return the ROC curve of the scores."""
        return roc(self.scores, self.member)

    def confusion(self, threshold: float) -> Confusion:
        """Return the counts of the attacker that says *in* from this score on."""
        return self.roc().confusion(threshold)


@checked
def neighbouring(
    data: Annotated[Any, Rows()], target: Target, neighbours: Relation = "add or remove"
) -> tuple[Any, Any]:
    """Return the two data sets of a game, without the target and with it.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        The records that are not in question, one a row.
    target : array_like of shape (...)
        The record in question.
    neighbours : {"add or remove", "replace"}
        Whether the target joins the n records or takes the place of the last one.

    Returns
    -------
    without, inside : ndarray
        n rows, and n + 1 rows (add or remove) or n rows (replace).

    Notes
    -----
    Lecture notes, section 3 and footnote 2 (add or remove); the papers replace.

    Examples
    --------
    >>> without, inside = neighbouring([0.0, 0.0], 1.0)
    >>> inside.tolist()
    [0.0, 0.0, 1.0]
    >>> neighbouring([0.0, 0.0], 1.0, "replace")[1].tolist()
    [0.0, 1.0]
    """
    if len(data) == 0:
        validate.refuse("data", data, "at least one record, one a row")
    if target.shape != data.shape[1:]:
        validate.refuse("target", target, f"one record, of shape {data.shape[1:]} as in data")
    if not np.can_cast(target.dtype, data.dtype) and {target.dtype.kind, data.dtype.kind} & set("mM"):
        validate.refuse("target", target, f"one record of the kind of data, {data.dtype}")
    kept = data if neighbours == "add or remove" else data[:-1]
    return data, np.concatenate([kept, target[None]])


def _releases(mechanism: Any, data: Any, count: int, rng: np.random.Generator) -> Any:
    """Draw many releases on one data set, at once where the mechanism can."""
    if hasattr(mechanism, "sample"):
        return mechanism.sample(data, count, rng)
    return _stacked([mechanism(data, rng) for _ in range(count)])


def _stacked(releases: list[Any]) -> Any:
    """Return an array where all releases have one shape, else the list."""
    arrays = [np.asarray(r) for r in releases]
    return np.stack(arrays) if len({a.shape for a in arrays}) == 1 else releases


def _worst_case(
    mechanism: Any, pair: tuple[Any, Any], target: Any, attacker: Any, count: int, rng: Any
) -> tuple[Array, NDArray[np.bool_]]:
    member = rng.random(count) < 0.5
    scores = np.empty(count)
    for inside, data in enumerate(pair):
        mine = np.flatnonzero(member == bool(inside))
        if mine.size:
            scores[mine] = score(attacker, _releases(mechanism, data, mine.size, rng), target)
    return scores, member


def _distributional(
    mechanism: Any, draw: Any, size: int, neighbours: str, attacker: Any, count: int, rng: Any
) -> tuple[Array, NDArray[np.bool_]]:
    member = rng.random(count) < 0.5
    releases, targets = [], []
    for inside in member:
        records = np.asarray(draw(size + 1, rng))
        if records.ndim == 0 or len(records) != size + 1:
            validate.refuse("draw", draw, f"a function that returns {size + 1} records, one a row")
        pair = neighbouring(records[:-1], records[-1], neighbours)
        releases.append(mechanism(pair[int(inside)], rng))
        targets.append(records[-1])
    return score(attacker, _stacked(releases), np.stack(targets)), member


def _run(
    play: Callable[[int, np.random.Generator], Any],
    games: int,
    batch: int,
    rng: np.random.Generator,
    n_jobs: Jobs,
    neighbours: str,
) -> Transcript:
    """Play in batches with a generator each, so that the number of processes changes nothing."""
    from joblib import Parallel, delayed

    sizes = [batch] * (games // batch) + ([games % batch] if games % batch else [])
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    played = run(delayed(play)(*each) for each in zip(sizes, rng.spawn(len(sizes)), strict=True))
    parts = list(track(played, len(sizes), what="games", unit="batches"))
    scores, member = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Transcript(scores, member, neighbours)


@checked
def worst_case_game(
    mechanism: Callable[..., Any],
    data: Any,
    target: Target,
    attacker: Any,
    games: Games,
    rng: Rng,
    *,
    neighbours: Relation = "add or remove",
    n_jobs: Jobs = None,
) -> Transcript:
    """Play the game in which the attacker chooses the data set and the target.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, rng)`` returns one release.  If it has ``sample(data, size, rng)``,
        that is used to draw many at once.
    data : array_like of shape (n, ...)
        The other records, chosen by the attacker.
    target : array_like of shape (...)
        The record in question, chosen by the attacker.
    attacker : Attacker or callable
        See `Attacker`.
    games : int
        How many games, 1 to 10^8.
    neighbours : {"add or remove", "replace"}
        Whether the target joins the data or takes the place of the last record.

    Notes
    -----
    Lecture notes, section 3.  A bar shows the progress of a long run, and an interrupt
    ends it.

    Examples
    --------
    >>> from mipbook.mechanisms import Gaussian
    >>> rng = np.random.default_rng(0)
    >>> zeros, ones = np.zeros((99, 400)), np.ones(400)
    >>> game = worst_case_game(Gaussian(0.1), zeros, ones, InnerProduct(), 20_000, rng)
    >>> abs(game.roc().auc - 0.92135) < 0.01
    True
    """
    if not callable(mechanism):
        validate.refuse("mechanism", mechanism, "a callable mechanism(data, rng)")
    pair = neighbouring(data, target, neighbours)
    # One release of each tells how large they are; they are thrown away.
    trial = rng.spawn(1)[0]
    tried = [
        attempt("mechanism", mechanism, "on data without or with target", mechanism, part, trial)
        for part in pair
    ]
    score(attacker, _stacked(tried), target)
    width = max(1, np.size(tried[0]))
    batch = max(1, min(games, _BATCH // width, _MOST_GAMES))
    play = partial(_worst_case, mechanism, pair, target, attacker)
    return _run(play, games, batch, rng, n_jobs, neighbours)


@checked
def distributional_game(
    mechanism: Callable[..., Any],
    draw: Callable[[int, np.random.Generator], Any],
    size: Annotated[int, Integer(1, 10**7)],
    attacker: Any,
    games: Games,
    rng: Rng,
    *,
    neighbours: Relation = "add or remove",
    n_jobs: Jobs = None,
) -> Transcript:
    """Play the game in which the data set and the target are drawn at random.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, rng)`` returns one release.
    draw : callable
        ``draw(count, rng)`` returns ``count`` records, one a row.
    size : int
        How many records the data set without the target has, 1 to 10^7.
    attacker : Attacker or callable
        Sees the releases and the targets, one a row, but not the other records.
    games : int
        How many games, 1 to 10^8.
    neighbours : {"add or remove", "replace"}
        Whether the target joins the data or takes the place of a record.

    Notes
    -----
    Lecture notes, section 3, the weaker variants.  A lower bound on epsilon from this game
    is valid too: an average over pairs of neighbours is no worse than the worst pair.

    Examples
    --------
    >>> from mipbook.mechanisms import Gaussian
    >>> def coins(count, rng):
    ...     return rng.integers(0, 2, (count, 50)) * 1.0
    >>> rng = np.random.default_rng(0)
    >>> game = distributional_game(Gaussian(0.1), coins, 9, InnerProduct(0.5), 2000, rng)
    >>> game.roc().auc > 0.6
    True
    """
    if not callable(mechanism):
        validate.refuse("mechanism", mechanism, "a callable mechanism(data, rng)")
    if not callable(draw):
        validate.refuse("draw", draw, "a callable draw(count, rng)")
    play = partial(_distributional, mechanism, draw, size, neighbours, attacker)
    return _run(play, games, min(games, 200), rng, n_jobs, neighbours)


Records = Annotated[int, Integer(1, 10**7)]
# What is never guessed in practice is not guessed at all.
_NEVER = 1e-290


@checked
def rows_recovered(n: Records, released: int, guess: Rate) -> Array:
    """Return the distribution of the number of records that the best attacker gets right.

    Parameters
    ----------
    n : int
        Records in the data set, 1 to 10^7.
    released : int
        How many of them are released as they are, in [0, n].
    guess : float
        The chance, in [0, 1], to guess a record that was not released.

    Returns
    -------
    ndarray of shape (n + 1,)
        Probability of 0, 1, ..., n records right.

    Notes
    -----
    Lecture notes, section 2: the released ones are right, each other one is a guess of
    its own.

    Examples
    --------
    >>> rows_recovered(4, 2, 0.5).round(12).tolist()
    [0.0, 0.0, 0.25, 0.5, 0.25]
    """
    released = validate.integer("released", released, 0, n, bound="n")
    guess = guess if guess > _NEVER else 0.0
    from scipy.stats import binom  # slow to import, and only needed here

    law = np.zeros(n + 1)
    law[released:] = binom.pmf(np.arange(n - released + 1), n - released, guess)
    return law


@checked
def reconstruction_probability(n: Records, released: int, guess: Rate, share: Rate) -> float:
    """Return the chance that the best attacker gets at least this share of the records right.

    Parameters
    ----------
    n : int
        Records in the data set, 1 to 10^7.
    released : int
        How many of them are released as they are, in [0, n].
    guess : float
        The chance, in [0, 1], to guess a record that was not released.
    share : float
        The share of all records, in [0, 1], that counts as a reconstruction.

    Returns
    -------
    float
        In [0, 1], exact.

    Notes
    -----
    Lecture notes, section 2.

    Examples
    --------
    >>> reconstruction_probability(100, 50, 0.5, 0.95) < 1e-8
    True
    """
    released = validate.integer("released", released, 0, n, bound="n")
    guess = guess if guess > _NEVER else 0.0
    from scipy.stats import binom

    needed = math.ceil(share * n - 1e-9) - released
    return float(binom.sf(needed - 1, n - released, guess))


@checked
def sample_mean_error(values: Annotated[Any, Squarable(ndim=1)], released: int) -> float:
    """Return the standard deviation of the mean of a random part of the records.

    Parameters
    ----------
    values : array_like of shape (n,)
        One finite number a record.
    released : int
        How many records the part has, in [1, n].

    Returns
    -------
    float
        Exact: drawing without replacement, around the mean of all records.

    Notes
    -----
    Lecture notes, section 2: the mechanism is useful.

    Examples
    --------
    >>> round(sample_mean_error([0.0, 0.0, 1.0, 1.0], 2), 12)
    0.288675134595
    """
    if values.size == 0:
        validate.refuse("values", values, "at least one number")
    released = validate.integer("released", released, 1, values.size, bound="len(values)")
    if released == values.size:
        return 0.0
    variance = values.var(ddof=1) * (1 / released - 1 / values.size)
    return float(np.sqrt(variance))
