"""What a PMP parameter promises, and the exact PMP and DP parameters of finite mechanisms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.checked import Integer, Numbers, OneOf, Switched, checked
from mipbook import game, tradeoff
from mipbook.base.types import Array, Delta, Deltas, Epsilon, Epsilons, Floats, Members, Rates
from mipbook.game.finite import output_laws
from mipbook.mip.conversion import eta_from_dp
from mipbook.mip.finite import membership_table, subsets
from mipbook.tradeoff.gaussian import row_divergences


@checked
def success_bound(epsilon: Epsilons, delta: Deltas = 0.0, share: Rates = 0.5) -> Floats:
    r"""Return how often the best practical attacker can be right, at most.

    Parameters
    ----------
    share : float or array_like
        The share of the pool that was drawn, in [0, 1]; the three broadcast.

    Returns
    -------
    float or ndarray
        :math:`\delta + (1 - \delta)\max\{1/(1 + e^{-\epsilon}),\, p,\, 1 - p\}` with p the
        share; for a half, :math:`(e^\epsilon + \delta)/(1 + e^\epsilon)`.

    Notes
    -----
    PMP paper, Lemma 6, and footnote 1 for shares other than a half.  Attained by the tight
    mechanism; for a half it is `mipbook.tradeoff.dp_accuracy`, the bound on the attacker who
    knows all other records.

    Examples
    --------
    >>> round(success_bound(0.1), 6), round(success_bound(1.0, share=0.1), 6)
    (0.524979, 0.9)
    """
    validate.broadcast(("epsilon", "delta", "share"), (epsilon, delta, share))
    blind = delta + (1 - delta) * np.maximum(share, 1 - share)
    return validate.plain(np.maximum(tradeoff.dp_accuracy(epsilon, delta), blind))


@checked
def eta_from_pmp(
    epsilon: Epsilons, delta: Deltas = 0.0, *, as_published: Annotated[bool, Switched()] = False
) -> Floats:
    r"""Return an eta for which every (epsilon, delta)-PMP mechanism is eta-MIP.

    Parameters
    ----------
    delta : float or array_like
        PMP parameter in [0, 1]; the published form has none.
    as_published : bool
        Return :math:`(1 - e^{-\epsilon})/2` instead of the sharp
        :math:`\delta/2 + (1 - \delta)\tanh(\epsilon/2)/2`.

    Raises
    ------
    ValueError
        For a positive delta with the published form.

    Notes
    -----
    PMP paper, Lemma 13; the sharp form is Lemma 6.

    Examples
    --------
    >>> round(eta_from_pmp(0.1), 12), round(eta_from_pmp(0.1, as_published=True), 12)
    (0.024979187479, 0.047581290982)
    """
    if not as_published:
        return eta_from_dp(epsilon, delta)
    if np.any(delta > 0):
        validate.refuse("delta", delta, "0 with as_published, which is about pure PMP")
    return validate.plain(-np.expm1(-epsilon) / 2)


@checked
def epsilon_from_posterior(epsilon: Epsilons, delta: Deltas) -> Floats:
    r"""Return the pure PMP parameter that the paper's posterior condition amounts to.

    Parameters
    ----------
    delta : float or array_like
        In [0, 1]; at 1 the condition says nothing.

    Returns
    -------
    float or ndarray
        :math:`\ln\left((e^\epsilon + \delta)/(1 - \delta)\right)`, in [0, inf].

    Notes
    -----
    PMP paper, Lemma 3, condition (1) for all events at once.

    Examples
    --------
    >>> round(epsilon_from_posterior(0.0, 1 / 3), 12)
    0.69314718056
    """
    validate.broadcast(("epsilon", "delta"), (epsilon, delta))
    with np.errstate(divide="ignore"):
        rest = -np.log1p(-delta)
    return validate.plain(epsilon + np.log1p(delta * np.exp(-epsilon)) + rest)


@checked
def record_epsilons(probabilities: ArrayLike, members: ArrayLike, delta: Delta = 0.0) -> Array:
    """Return, for each record, how close the output's distributions with and without it are.

    Parameters
    ----------
    members : array_like of bool, shape (datasets, records)
        Which records each data set holds, as from `mipbook.mip.subsets`.

    Returns
    -------
    ndarray of shape (records,)
        In [0, inf].

    Notes
    -----
    PMP paper, Definition 2, for one record at a time.

    Examples
    --------
    >>> from mipbook import mip
    >>> only_the_first = np.array([[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 3)
    >>> [round(e, 6) for e in record_epsilons(only_the_first, mip.subsets(4)).tolist()]
    [inf, 0.693147, 0.693147, 0.693147]
    """
    table, flags = membership_table(probabilities, members)
    return np.array([game.finite_epsilon(table, delta, column) for column in flags.T])


def finite_pmp_epsilon(probabilities: ArrayLike, members: ArrayLike, delta: float = 0.0) -> float:
    """Return the smallest epsilon for which a finite mechanism is (epsilon, delta)-PMP.

    Returns
    -------
    float
        In [0, inf]; the worst record, both directions.

    Notes
    -----
    PMP paper, Definition 2 and Lemma 11.

    Examples
    --------
    >>> from mipbook import mip
    >>> halves = mip.subsets(6)
    >>> remainder = halves @ np.arange(6) % 6
    >>> table = (remainder[:, None] == np.arange(6)) * 1.0
    >>> round(finite_pmp_epsilon(table, halves), 12) == round(math.log(2), 12)
    True
    """
    return float(record_epsilons(probabilities, members, delta).max())


def finite_pmp_delta(probabilities: ArrayLike, members: ArrayLike, epsilon: Any) -> Floats:
    """Return the smallest delta for which a finite mechanism is (epsilon, delta)-PMP.

    Returns
    -------
    float or ndarray
        In [0, 1], of the shape of ``epsilon``; the worst record, both directions.

    Notes
    -----
    PMP paper, Lemma 11: the larger of the two hockey-stick divergences.

    Examples
    --------
    >>> from mipbook import mip
    >>> finite_pmp_delta([[0.2, 0.8], [0.0, 1.0]], mip.subsets(2), 0.0)
    0.2
    """
    table, flags = membership_table(probabilities, members)
    found = [np.asarray(game.finite_delta(table, epsilon, column)) for column in flags.T]
    return validate.plain(np.max(found, axis=0))


@checked
def posterior_delta(probabilities: ArrayLike, members: ArrayLike, epsilon: Epsilon) -> float:
    r"""Return the smallest delta for which the *posterior* obeys Lemma 3's condition (1).

    For every event S, with q the chance that a record is in given S, that condition is
    :math:`q \le e^\epsilon (1 - q) + \delta` and the same with q and 1 - q exchanged.

    Parameters
    ----------
    members : array_like of bool, shape (datasets, records)
        Which records each data set holds; each record in exactly half of the data sets.

    Returns
    -------
    float
        In [0, 1]; never below `finite_pmp_delta`.

    Notes
    -----
    PMP paper, Lemma 3.  The worst event is a single output, the one with the most extreme
    posterior, so the condition is pure PMP in disguise: with e~ the pure parameter, delta is
    :math:`(e^{\tilde e} - e^\epsilon) / (1 + e^{\tilde e})`.

    Examples
    --------
    >>> from mipbook import mip
    >>> from mipbook.mechanisms import randomised_response
    >>> round(posterior_delta(randomised_response(math.log(2)), mip.subsets(2), 0.0), 12)
    0.333333333333
    """
    table, flags = membership_table(probabilities, members)
    if np.any(2 * flags.sum(axis=0) != len(flags)):
        validate.refuse("members", flags, "such that each record is in half of the data sets")
    pure = finite_pmp_epsilon(table, flags)
    if math.isinf(pure):
        return 1.0
    if epsilon >= pure:
        return 0.0
    return -math.expm1(epsilon - pure) / (1 + math.exp(-pure))


# Entries of a block of pairs at once: 16 MB.
_BLOCK = 1 << 21


@checked
def neighbouring_pairs(members: Members) -> NDArray[np.intp]:
    """Return which data sets differ in one replaced record.

    Returns
    -------
    ndarray of int, shape (pairs, 2)
        Row numbers, each pair once.

    Raises
    ------
    ValueError
        If no two data sets are neighbours.

    Notes
    -----
    PMP paper, Definition 1, among data sets of equal size.

    Examples
    --------
    >>> from mipbook import mip
    >>> len(neighbouring_pairs(mip.subsets(4)))
    12
    """
    numbers = members.astype(np.float32)
    shared = numbers @ numbers.T
    sizes = members.sum(axis=1)
    near = (sizes[:, None] == sizes) & (shared == sizes[:, None] - 1)
    pairs = np.argwhere(np.triu(near, 1))
    if not len(pairs):
        validate.refuse("members", members, "such that some data sets differ in one replaced record")
    return pairs


@checked
def finite_dp_delta(probabilities: ArrayLike, members: ArrayLike, epsilon: Epsilon) -> float:
    """Return the smallest delta for which a finite mechanism is (epsilon, delta)-DP.

    Parameters
    ----------
    members : array_like of bool, shape (datasets, records)
        Which records each data set holds; neighbours replace one record.

    Returns
    -------
    float
        In [0, 1]; the worst pair of neighbours, both directions.

    Notes
    -----
    PMP paper, Definition 1, over all data sets drawn from one pool.

    Examples
    --------
    >>> from mipbook import mip
    >>> finite_dp_delta([[0.2, 0.8], [0.0, 1.0]], mip.subsets(2), 0.0)
    0.2
    """
    table, flags = membership_table(probabilities, members)
    level = np.full((1, 1), epsilon)
    worst = 0.0
    for left, right in _laws(table, flags):
        for p, q in ((left, right), (right, left)):
            with np.errstate(over="ignore"):
                worst = max(worst, float(row_divergences(p, q, level).max()))
    return worst


def _laws(table: Any, flags: NDArray[np.bool_]) -> Iterator[tuple[Array, Array]]:
    """Yield the distributions of all pairs of neighbours, block by block."""
    # The checks of the table are those of the game; one call makes them all.
    output_laws(table, flags[:, 0])
    laws = np.asarray(table, dtype=float)
    pairs = neighbouring_pairs(flags)
    step = max(1, _BLOCK // laws.shape[1])
    for start in range(0, len(pairs), step):
        block = pairs[start : start + step]
        yield laws[block[:, 0]], laws[block[:, 1]]


def finite_dp_epsilon(probabilities: ArrayLike, members: ArrayLike) -> float:
    """Return the smallest epsilon for which a finite mechanism is epsilon-DP.

    Parameters
    ----------
    members : array_like of bool, shape (datasets, records)
        Which records each data set holds; neighbours replace one record.

    Notes
    -----
    PMP paper, Definition 1, over all data sets drawn from one pool.

    Examples
    --------
    >>> from mipbook import mip
    >>> halves = mip.subsets(4)
    >>> finite_dp_epsilon(np.eye(6), halves)
    inf
    >>> finite_dp_epsilon(np.ones((6, 1)), halves)
    0.0
    """
    table, flags = membership_table(probabilities, members)
    worst = 0.0
    for left, right in _laws(table, flags):
        seen = left > 0
        if np.any(seen != (right > 0)):
            return math.inf
        worst = max(worst, float(np.abs(np.log(left[seen]) - np.log(right[seen])).max()))
    return worst


# The largest n with C(2n - 1, n - 1) below 2**63.
_MOST_SUM = 33
# One block design on 0..5: every pair of records is in exactly two of the ten blocks.
_DESIGN = ("012", "013", "024", "035", "045", "125", "134", "145", "234", "235")


class SumCounts(NamedTuple):
    """How many subsets with a record, and how many without it, give each remainder.

    Attributes
    ----------
    inside, outside : ndarray of int, shape (modulus,)
        Counts; both add up to C(2n - 1, n - 1).
    """

    inside: NDArray[np.int64]
    outside: NDArray[np.int64]

    @property
    def odds(self) -> tuple[int, int]:
        """The two counts, the larger first, at the remainder where their ratio is largest."""
        pairs = zip(self.inside.tolist(), self.outside.tolist(), strict=True)
        ordered = [(max(pair), min(pair)) for pair in pairs if max(pair) > 0]
        return max(ordered, key=lambda p: Fraction(p[0], p[1]) if p[1] else math.inf)

    @property
    def epsilon(self) -> float:
        """The PMP parameter against this record, exact up to one rounding; may be inf."""
        top, bottom = self.odds
        return math.log1p((top - bottom) / bottom) if bottom else math.inf

    @property
    def accuracy(self) -> float:
        """How often the attacker is right who says the likelier side at each remainder."""
        return int(np.maximum(self.inside, self.outside).sum()) / (2 * int(self.inside.sum()))

    @property
    def loose_odds(self) -> tuple[int, int]:
        """The largest and the smallest count, at whatever remainders they occur."""
        both = np.concatenate([self.inside, self.outside])
        return int(both.max()), int(both.min())


@checked
def modular_sum(
    n: Annotated[int, Integer(1, _MOST_SUM)],
    record: int = 0,
    labels: Annotated[Any, Numbers(-1e15, 1e15, ndim=1)] | None = None,
    modulus: Annotated[int, Integer(1, 4096)] | None = None,
) -> SumCounts:
    """Count the subsets that give each value of the sum of their labels, modulo 2n.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, in [1, 33].
    record : int
        The record in question, in [0, 2n - 1].
    labels : sequence of int, optional
        One for each of the 2n records; ``0, 1, ..., 2n - 1`` if not given.
    modulus : int, optional
        At least 1 and at most 4096; 2n if not given.

    Notes
    -----
    PMP paper, Proposition 5.  Counted by dynamic programming over the records, in whole
    numbers; no subset is listed.

    Examples
    --------
    >>> counts = modular_sum(6)
    >>> counts.odds, counts.loose_odds
    ((38, 37), (40, 37))
    >>> modular_sum(3, labels=(0, 0, 0, 1, 1, 1)).epsilon
    inf
    """
    record = validate.integer("record", record, 0, 2 * n - 1)
    modulus = modulus or 2 * n
    steps = np.arange(2 * n) if labels is None else labels
    if steps.size != 2 * n or np.any(steps % 1):
        validate.refuse("labels", labels, f"{2 * n} whole numbers, 2 n of them")
    shifts = (steps % modulus).astype(int).tolist()
    table = np.zeros((n + 1, modulus), dtype=np.int64)
    table[0, 0] = 1
    own = shifts.pop(record)
    for shift in shifts:
        table[1:] += np.roll(table[:-1], shift, axis=1)
    return SumCounts(np.roll(table[n - 1], own), table[n])


def answers_table(answers: ArrayLike) -> Array:
    """Write a mechanism without randomness as a table of probabilities.

    Parameters
    ----------
    answers : array_like of shape (datasets,)
        What the mechanism answers on each data set.

    Returns
    -------
    ndarray of shape (datasets, outputs)
        A 1 in each row; the outputs in rising order.

    Raises
    ------
    ValueError
        If ``answers`` is empty, has more than one dimension or holds nan.

    Notes
    -----
    PMP paper, Definition 2: with no noise, the draw alone is the randomness.

    Examples
    --------
    >>> answers_table([3, 5, 3]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    given = validate.array("answers", answers, ndim=1)
    if given.size == 0:
        validate.refuse("answers", answers, "at least one answer")
    return np.asarray((given[:, None] == np.unique(given)) * 1.0)


@checked
def partition_mechanism(n: Annotated[int, Integer(1, 7)]) -> Array:
    """Return the mechanism that prints the two halves, without saying which one was drawn.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, in [1, 7].

    Returns
    -------
    ndarray of shape (C(2n, n), C(2n, n) / 2)
        Rows in the order of ``mipbook.mip.subsets(2 * n)``.

    Notes
    -----
    Exactly 0-PMP: every output comes from one subset with a given record and one without.
    It strengthens Proposition 5 of the PMP paper and shows what PMP lets through.

    Examples
    --------
    >>> partition_mechanism(2).sum(axis=0).tolist()
    [2.0, 2.0, 2.0]
    """
    codes = subsets(2 * n) @ (1 << np.arange(2 * n))
    return answers_table(np.minimum(codes, (1 << 2 * n) - 1 - codes))


def design_bit() -> Array:
    """Return the mechanism on 3 of 6 records that says whether the subset is one of ten blocks.

    Returns
    -------
    ndarray of shape (20, 2)
        Rows in the order of ``mipbook.mip.subsets(6)``; column 1 is *yes, a block*.

    Notes
    -----
    The blocks form a 2-(6, 3, 2) design: each record is in five of the ten, so the bit is
    0-PMP.  No two blocks are complements, so the bit and `partition_mechanism` together name
    the subset: PMP does not compose.

    Examples
    --------
    >>> design_bit().sum(axis=0).tolist()
    [10.0, 10.0]
    """
    blocks = {tuple(int(c) for c in block) for block in _DESIGN}
    chosen = [tuple(np.flatnonzero(row).tolist()) in blocks for row in subsets(6)]
    return answers_table(np.array(chosen, dtype=float))


@checked
def publish_one(
    n: Annotated[int, Integer(1, 7)],
    eta: Any,
    which: Annotated[str, OneOf(("random", "smallest"))] = "random",
) -> Array:
    """Return the mechanism that publishes a member with probability n eta, else nothing.

    Parameters
    ----------
    n : int
        Records drawn out of 2n, in [1, 7].
    eta : float
        In [0, 1 / n].
    which : {"random", "smallest"}
        Which member: one at random, which is the first when the data come in random order,
        or the one with the smallest number.

    Returns
    -------
    ndarray of shape (C(2n, n), 2n + 1)
        Column i publishes record i; the last column publishes nothing.

    Notes
    -----
    PMP paper, appendix: an eta-MIP mechanism with no finite PMP parameter.  For a random
    member the attacker's edge is ``eta / 2``; for the smallest one it is ``n eta / 2``.

    Examples
    --------
    >>> from mipbook import mip
    >>> round(mip.finite_eta(publish_one(3, 1 / 30), mip.subsets(6)), 12) == round(1 / 60, 12)
    True
    """
    eta = validate.number("eta", eta, 0.0, 1 / n)
    members = subsets(2 * n)
    if which == "random":
        published = members * eta
    else:
        published = np.zeros(members.shape)
        published[np.arange(len(members)), members.argmax(axis=1)] = n * eta
    return np.hstack([published, np.full((len(members), 1), max(0.0, 1 - n * eta))])
