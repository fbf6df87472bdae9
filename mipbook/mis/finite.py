"""A learner on finitely many kinds of records, solved exactly by enumerating its data, and played."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, rel_entr, xlogy

from explorable import validate
from explorable.checked import Integer, Numbers, checked
from explorable.private import attempt
from mipbook import game
from mipbook.base.types import Array, Floats, Rng, Weight
from mipbook.mis.binomial import pmf
from mipbook.mis.notion import checked_weights, gain

# Numbers this close, relatively, differ by rounding.
_CLOSE = 1e-12


def released(learner: Callable[[Any], Any], sample: Any) -> list[tuple[Hashable, float]]:
    """Return the outputs of a learner on a data set, with their probabilities."""
    answer = attempt("learner", learner, f"on the data set {sample}", learner, sample)
    if not isinstance(answer, Mapping):
        try:
            hash(answer)
        except TypeError:
            validate.refuse("learner", answer, "a function that returns a hashable output or a mapping")
        return [(answer, 1.0)]
    validate.probability_vector("learner", list(answer.values()))
    return list(answer.items())


def _numbers(output: Any) -> Iterator[float]:
    if isinstance(output, tuple):
        for part in output:
            yield from _numbers(part)
    elif isinstance(output, float) and math.isfinite(output):
        yield output


def same_outputs(outputs: Iterable[Hashable]) -> Callable[[Hashable], Hashable]:
    """Return a map that gives outputs which differ by rounding one and the same name.

    Numbers, alone or within tuples, are one where they differ by a relative 1e-12 at most;
    every nan is the same nan.
    """
    starts: list[float] = []
    last = math.nan
    for value in sorted({v for output in outputs for v in _numbers(output)}):
        if not value - last <= _CLOSE * max(abs(value), abs(last)):
            starts.append(value)
        last = value

    def name(output: Hashable) -> Hashable:
        if isinstance(output, tuple):
            return tuple(map(name, output))
        if not isinstance(output, float) or math.isinf(output):
            return output
        return math.nan if math.isnan(output) else starts[bisect_right(starts, output) - 1]

    return name


Flags = NDArray[np.bool_]
Counts = tuple[int, ...]
# From a data set to an output, or to a mapping from outputs to probabilities.
Learner = Callable[[Counts], Hashable | Mapping[Any, float]]


@dataclass(frozen=True)
class FiniteModel:
    """How a learner's releases are distributed, given each value of a record; by `finite_model`.

    Attributes
    ----------
    p : ndarray of shape (kinds,)
        The distribution of a record.
    n : int
        Records in the data set.
    outputs : tuple
        What can be released.
    given : ndarray of shape (kinds, outputs)
        Row k is the distribution of the output given that a random member of the data set is k.

    Notes
    -----
    Limits paper, Theorem 6.  ``p @ given`` is the distribution of the output.
    """

    p: Array
    n: int
    outputs: tuple[Hashable, ...]
    given: Array
    learner: Learner = field(repr=False, compare=False)
    ordered: bool = False

    @property
    def law(self) -> Array:
        """The distribution of the output, of shape (outputs,)."""
        return np.asarray(self.p @ self.given)

    def delta(self, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
        """Return Delta, in [0, 1]; arrays ``nu`` and ``lam`` broadcast.

        Examples
        --------
        >>> from mipbook import mis
        >>> mis.finite_model(lambda data: data[0], [0.5, 0.5], 1).delta()
        0.5
        """
        a, b = checked_weights(nu, lam)
        every = gain(self.given, self.law, a[..., None, None], b[..., None, None])
        return validate.plain(np.asarray(np.minimum(every @ self.p, 1.0)))

    def security(self, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
        """Return the membership inference security, 1 - Delta."""
        return 1.0 - self.delta(nu, lam)

    @checked
    def best_attack(self, nu: Weight = 0.5, lam: Weight = 0.5) -> Flags:
        """Return where the best attack says *member*: booleans of shape (kinds, outputs)."""
        a, b = checked_weights(nu, lam)
        return np.asarray(a * self.given > b * self.law)

    def rates(self, attack: ArrayLike) -> tuple[float, float]:
        """Return the exact TPR and TNR of any attack.

        ``attack`` holds, for each kind of record and each output, the chance in [0, 1] of
        saying *member*, or booleans.

        Examples
        --------
        >>> from mipbook import mis
        >>> model = mis.finite_model(lambda data: data[0], [0.5, 0.5], 1)
        >>> model.rates(model.best_attack())
        (1.0, 0.5)
        """
        chances = validate.chances("attack", attack)
        if chances.shape != self.given.shape:
            validate.refuse("attack", attack, f"of shape {self.given.shape}, (kinds, outputs)")
        tpr = float(self.p @ (chances * self.given).sum(axis=1))
        fpr = float(self.p @ (chances @ self.law))
        return min(tpr, 1.0), max(1.0 - fpr, 0.0)

    @checked
    def accuracy(self, attack: ArrayLike, nu: Weight = 0.5, lam: Weight = 0.5) -> float:
        """Return the accuracy ``a TPR + b TNR`` of any attack.

        Examples
        --------
        >>> from mipbook import mis
        >>> model = mis.finite_model(lambda data: data[0], [0.5, 0.5], 1)
        >>> model.accuracy(model.best_attack())
        0.75
        """
        a, b = checked_weights(nu, lam)
        tpr, tnr = self.rates(attack)
        return float(a * tpr + b * tnr)

    def best_accuracy(self, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
        """Return ``max(a, b) + min(a, b) Delta``, which no attack exceeds."""
        a, b = checked_weights(nu, lam)
        most = np.maximum(a, b) + np.minimum(a, b) * np.asarray(self.delta(nu, lam))
        return validate.plain(np.asarray(np.minimum(most, 1.0)))

    def roc(self) -> tuple[Array, Array]:
        """Return the corners (FPR, TPR) of the best ROC curve."""
        fresh = (self.p[:, None] * self.law).ravel()
        member = (self.p[:, None] * self.given).ravel()
        return game.finite_roc(np.stack([fresh, member]))

    def information(self) -> float:
        """Return the mutual information of the output and one record, in nats."""
        return max(float(self.p @ rel_entr(self.given, self.law).sum(axis=1)), 0.0)


_MOST_DATA_SETS = 200_000


def _histograms(kinds: int, n: int) -> NDArray[np.int64]:
    """Return all ways to split n into ``kinds`` counts."""
    if kinds == 1:
        return np.array([[n]])
    bars = np.array(list(combinations(range(n + kinds - 1), kinds - 1)), dtype=np.int64)
    bars = bars.reshape(-1, kinds - 1)
    ends = np.concatenate([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + kinds - 1)], axis=1)
    return np.asarray(np.diff(ends, axis=1) - 1)


def _data_sets(p: Array, n: int, ordered: bool) -> tuple[Any, NDArray[np.int64], Array]:
    """Return all data sets, their histograms, and how likely they are."""
    kinds = p.size
    # In logarithms first: a huge power would take its time.
    logarithm = n * math.log(kinds) if ordered else min(n, kinds - 1) * math.log(2)
    many = _MOST_DATA_SETS + 1
    if logarithm < 50 and n <= (_MOST_DATA_SETS if ordered else 10**9):
        many = kinds**n if ordered else math.comb(n + kinds - 1, kinds - 1)
    if many > _MOST_DATA_SETS:
        validate.refuse("n", n, f"so small that at most {_MOST_DATA_SETS:,} data sets exist")
    if ordered:
        data = np.array(list(product(range(kinds), repeat=n)))
        counts = (data[:, :, None] == np.arange(kinds)).sum(axis=1)
        return data, counts, np.asarray(np.exp(counts @ np.log(p)))
    counts = _histograms(kinds, n)
    chance = np.exp(gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + counts @ np.log(p))
    return counts, counts, np.asarray(chance / chance.sum())


def checked_law(p: ArrayLike) -> Array:
    """Return ``p`` as a probability vector without zeros."""
    law = validate.probability_vector("p", p)
    if np.any(law == 0):
        validate.refuse("p", p, "a probability vector without zeros")
    return law


def finite_model(learner: Learner, p: ArrayLike, n: int, *, ordered: bool = False) -> FiniteModel:
    """Enumerate a learner: its output distributions given a member, its best attack, its Delta.

    Parameters
    ----------
    learner : callable
        From a data set to an output (any hashable value), or to a mapping from outputs to
        probabilities.  The data set is the histogram, a tuple of counts, one a kind of record.
    p : array_like of shape (kinds,)
        The distribution of a record; no entry may be 0.
    n : int
        Records in the data set, at least 1; so few that at most 200,000 data sets exist.
    ordered : bool
        Hand over the sample itself, a tuple of n kinds ``0, 1, ...``, instead of the
        histogram.  For learners that see the order.

    Notes
    -----
    Limits paper, Definition 1 and Theorem 6.  Numbers in the outputs, alone or in tuples, that
    differ by a relative 1e-12 at most are one output, as nan is; who releases rounding noise
    around 0 should round it away, or Delta comes out too large.  A data set with ``N_k``
    records of kind k has the density ``N_k / (n p_k)`` given that a random member is k.

    Examples
    --------
    >>> model = finite_model(lambda counts: counts, [0.5, 0.3, 0.2], 5)
    >>> round(model.security(), 12), round(model.best_accuracy(), 12)
    (0.754278, 0.622861)
    """
    law = checked_law(p)
    n = validate.integer("n", n, 1)
    ordered = validate.switch("ordered", ordered)
    if not callable(learner):
        validate.refuse("learner", learner, "a function of a data set")
    from scipy.sparse import csr_array

    data, counts, chance = _data_sets(law, n, ordered)
    answers = [released(learner, tuple(sample.tolist())) for sample in data]
    same = same_outputs(output for answer in answers for output, _ in answer)
    place: dict[Hashable, int] = {}
    shares = [share for answer in answers for _, share in answer]
    rows = [row for row, answer in enumerate(answers) for _ in answer]
    columns = [place.setdefault(same(output), len(place)) for answer in answers for output, _ in answer]
    releases = csr_array((shares, (rows, columns)), shape=(len(data), len(place)))
    given = np.asarray(releases.T @ (chance[:, None] * counts / (n * law))).T
    laws = given / given.sum(axis=1, keepdims=True)
    return FiniteModel(law, n, tuple(place), laws, learner, ordered)


@checked
def learner_delta(
    learner: Learner, p: ArrayLike, n: int, nu: Weight = 0.5, lam: Weight = 0.5, *, ordered: bool = False
) -> float:
    """Return Delta of a learner; its membership inference security is 1 - Delta.

    ``learner``, ``p``, ``n`` and ``ordered`` are as in `finite_model`.

    References
    ----------
    Limits paper, equation (5) and Theorem 6.

    Examples
    --------
    >>> learner_delta(lambda counts: "nothing", [0.5, 0.5], 4)
    0.0
    >>> learner_delta(lambda counts: counts[0] > 2, [0.5, 0.5], 4)
    0.1875
    """
    return float(finite_model(learner, p, n, ordered=ordered).delta(nu, lam))


_MOST_DRAWS = 20_000_000


class Played(NamedTuple):
    """What happened in many games.

    Attributes
    ----------
    output : ndarray of int
        What the learner released, as an index into the model's outputs.
    point : ndarray of int
        The test point's kind.
    member : ndarray of bool
        Whether the test point is a member.
    """

    output: NDArray[np.int64]
    point: NDArray[np.int64]
    member: NDArray[np.bool_]

    def right(self, attack: ArrayLike) -> NDArray[np.bool_]:
        """Return in which games an attack, booleans of shape (kinds, outputs), is right."""
        answers = validate.flags("attack", attack, ndim=2)
        try:
            return np.asarray(answers[self.point, self.output] == self.member)
        except IndexError:
            allowed = "of shape (kinds, outputs), as the model that was played has"
            validate.refuse("attack", f"of shape {answers.shape}", allowed)


@checked
def play(model: FiniteModel, games: int, rng: Rng, nu: Weight = 0.5) -> Played:
    """Play the membership game of the paper's Section 2, step by step.

    Parameters
    ----------
    model : FiniteModel
        A learner with the distribution of its records.  Only the learner, ``p`` and ``n`` are used:
        nothing of what was enumerated.
    games : int
        How many, at least 1, of 20 million records in all.

    Notes
    -----
    Limits paper, Definition 1.  In each game a data set is drawn, the learner runs, and the
    test point is a fresh draw with chance ``nu``, a uniform member of the data set otherwise.

    Examples
    --------
    >>> from mipbook import mis
    >>> model = mis.finite_model(lambda counts: counts, [0.5, 0.5], 1)
    >>> seen = mis.play(model, 1000, np.random.default_rng(0))
    >>> bool(seen.right(model.best_attack())[seen.member].all())
    True
    """
    if not isinstance(model, FiniteModel):
        validate.refuse("model", model, "what finite_model returned")
    games = validate.integer("games", games, 1, _MOST_DRAWS // model.n)
    kinds, every = model.p.size, np.arange(games)
    data = rng.choice(kinds, size=(games, model.n), p=model.p / model.p.sum())
    counts = np.stack([(data == k).sum(axis=1) for k in range(kinds)], axis=1)
    seen, which = np.unique(data if model.ordered else counts, axis=0, return_inverse=True)
    answers = [released(model.learner, tuple(sample.tolist())) for sample in seen]
    same = same_outputs([*model.outputs, *(output for row in answers for output, _ in row)])
    place = {same(output): i for i, output in enumerate(model.outputs)}
    table = np.zeros((len(seen), len(place)))
    for row, answer in zip(table, answers, strict=True):
        for output, share in answer:
            if same(output) not in place:
                validate.refuse("model", output, "a model whose learner tells the same twice")
            row[place[same(output)]] += share
    steps = np.cumsum(table, axis=1)
    # The last step is 1 up to rounding, and a uniform draw must fall below it.
    steps /= steps[:, -1:]
    output = (rng.random(games)[:, None] >= steps[which.ravel()]).sum(axis=1)
    fresh = rng.random(games) < nu
    chosen = data[every, rng.integers(0, model.n, games)]
    point = np.where(fresh, rng.choice(kinds, size=games, p=model.p / model.p.sum()), chosen)
    return Played(output, point, ~fresh)


@checked
def histogram_information(p: ArrayLike, n: Annotated[int, Integer(1, 10**7)]) -> float:
    r"""Return the mutual information of the histogram of a sample and one of its records.

    Parameters
    ----------
    p : array_like of shape (kinds,)
        The distribution of a record; no entry may be 0.
    n : int
        Records in the sample, from 1 to 10 million.

    Returns
    -------
    float
        In nats, at most the entropy of ``p``; about ``(kinds - 1) / (2 n)`` for large n.

    Notes
    -----
    Limits paper, Remark 7: :math:`\sum_k E[\frac{B_k}{n} \ln\frac{B_k}{n p_k}]` with
    :math:`B_k` binomial.  No learner that looks at the histogram has more information about
    a record.

    Examples
    --------
    >>> round(histogram_information([0.5, 0.25, 0.125, 0.0625, 0.0625], 20), 12)
    0.11251798134
    """
    law = checked_law(p)
    counts = np.arange(n + 1.0)
    total = 0.0
    for chance, times in zip(*np.unique(law, return_counts=True), strict=True):
        ratio = counts / (n * chance)
        # x ln x - x + 1 is never negative, and its mean is that of x ln x.
        excess = np.maximum(xlogy(ratio, ratio) - ratio + 1, 0.0)
        total += times * chance * float(pmf(counts, n, chance) @ excess)
    return float(total)


@checked
def pinsker_bound(information: Annotated[Any, Numbers(0.0, open_high=True)]) -> Floats:
    """Return the bound on Delta that a mutual information gives.

    Parameters
    ----------
    information : float or array_like
        Mutual information of the output and one record, in nats, in [0, inf).

    Returns
    -------
    float or ndarray
        ``min(1, sqrt(information / 2))``.

    Notes
    -----
    Limits paper, Remark 7 and equation (8); it holds for all ``nu`` and ``lam``.

    Examples
    --------
    >>> pinsker_bound(0.02)
    0.1
    """
    return validate.plain(np.asarray(np.minimum(np.sqrt(information / 2), 1.0)))
