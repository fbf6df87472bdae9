"""Attackers: objects that give a release a score, larger for *in*; and those who rebuild the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Integer, Number, Row, Squarable, checked
from explorable.private import attempt
from mipbook.base.types import Array, Rate, Values


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
    >>> import numpy as np
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
    >>> import numpy as np
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


@checked
@dataclass(frozen=True)
class Threshold:
    """An attacker that decides: *in* where another's score is at least the threshold.

    Parameters
    ----------
    attacker : Attacker or callable
        Whose scores to use.
    threshold : float
        The least score that is called *in*; not nan.

    Notes
    -----
    Lecture notes, Theorem 2, step 3 of the proof.

    Examples
    --------
    >>> import numpy as np
    >>> Threshold(InnerProduct(), 0.5).decide(np.array([[0.5], [0.4]]), np.array([1.0])).tolist()
    [True, False]
    """

    attacker: Any
    threshold: Annotated[float, Number()]

    def decide(self, outputs: Any, target: Any) -> NDArray[np.bool_]:
        """Return True where the attacker says *in*."""
        return np.asarray(score(self.attacker, outputs, target) >= self.threshold)

    def score(self, outputs: Any, target: Any) -> Array:
        """Return 1 for *in* and 0 for *out*.

        Examples
        --------
        >>> Threshold(InnerProduct(), 0.5).score([[0.5], [0.4]], [1.0]).tolist()
        [1.0, 0.0]
        """
        return self.decide(outputs, target).astype(float)


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
