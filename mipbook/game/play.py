"""Play the membership game many times: the worst-case and the distributional variant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Integer, OneOf, Row, Rows, checked
from explorable.private import attempt
from explorable.progress import track
from mipbook.base.types import Array, Jobs, Rng
from mipbook.game.attackers import score
from mipbook.game.counts import Confusion
from mipbook.game.curve import Roc, roc

NEIGHBOURS = ("add or remove", "replace")
Relation = Annotated[str, OneOf(NEIGHBOURS)]
Games = Annotated[int, Integer(1, 10**8)]
Target = Annotated[Any, Row()]
# Numbers drawn at once: 1.6 MB of doubles stay in the cache and leave room for progress.
_BATCH = 200_000
_MOST_GAMES = 10_000


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
    >>> import numpy as np
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
    play: Callable[..., Any],
    fixed: tuple[Any, ...],
    games: int,
    batch: int,
    rng: np.random.Generator,
    n_jobs: int | None,
    neighbours: str,
) -> Transcript:
    """Play in batches with a generator each, so that the number of processes changes nothing."""
    from joblib import Parallel, delayed

    sizes = [batch] * (games // batch) + ([games % batch] if games % batch else [])
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    played: Iterable[Any] = run(
        delayed(play)(*fixed, size, child) for size, child in zip(sizes, rng.spawn(len(sizes)), strict=True)
    )
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
    >>> import numpy as np
    >>> from mipbook.game import InnerProduct
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
    fixed = (mechanism, pair, target, attacker)
    return _run(_worst_case, fixed, games, batch, rng, n_jobs, neighbours)


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
    >>> import numpy as np
    >>> from mipbook.game import InnerProduct
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
    fixed = (mechanism, draw, size, neighbours, attacker)
    return _run(_distributional, fixed, games, min(games, 200), rng, n_jobs, neighbours)
