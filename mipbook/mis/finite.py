"""Learners on finitely many kinds of records: enumerated and played, and two with a formula."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, product
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, rel_entr, xlogy

from explorable import validate
from explorable.checked import Integer, Numbers, checked
from explorable.private import attempt
from mipbook import game
from mipbook.base.rounding import Estimate
from mipbook.base.types import Array, Chance, Floats, Rng, Weight
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


# From a data set to an output, or to a mapping from outputs to probabilities.
Learner = Callable[[tuple[int, ...]], Hashable | Mapping[Any, float]]


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
    def best_attack(self, nu: Weight = 0.5, lam: Weight = 0.5) -> NDArray[np.bool_]:
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
    # All ways to split n into ``kinds`` counts: what lies between so many bars.
    bars = np.array(list(combinations(range(n + kinds - 1), kinds - 1)), dtype=np.int64)
    counts = np.diff(bars, axis=1, prepend=-1, append=n + kinds - 1) - 1
    chance = np.exp(gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + counts @ np.log(p))
    return counts, counts, np.asarray(chance / chance.sum())


def _releases(
    learner: Learner, data: NDArray[np.int64], known: tuple[Hashable, ...] = ()
) -> tuple[Any, tuple[Hashable, ...]]:
    """Return how likely each output is on each data set, a sparse table, and the outputs, the known first."""
    from scipy.sparse import csr_array

    answers = [released(learner, tuple(sample.tolist())) for sample in data]
    told = [(row, output, share) for row, answer in enumerate(answers) for output, share in answer]
    same = same_outputs([*known, *(output for _, output, _ in told)])
    place = {same(output): column for column, output in enumerate(known)}
    columns = [place.setdefault(same(output), len(place)) for _, output, _ in told]
    rows, _, shares = zip(*told, strict=True)
    return csr_array((shares, (rows, columns)), shape=(len(data), len(place))), tuple(place)


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
    data, counts, chance = _data_sets(law, n, ordered)
    releases, outputs = _releases(learner, data)
    given = np.asarray(releases.T @ (chance[:, None] * counts / (n * law))).T
    laws = given / given.sum(axis=1, keepdims=True)
    return FiniteModel(law, n, outputs, laws, learner, ordered)


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
    table, outputs = _releases(model.learner, seen, model.outputs)
    if len(outputs) > len(model.outputs):
        validate.refuse("model", outputs[-1], "a model whose learner tells the same twice")
    steps = np.cumsum(table.toarray(), axis=1)
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


# --- A mean whose digits tell all, and a private count --------------------------------------------

_GRID = 2**18


def digit_total(bits: Any) -> int:
    """Return the sum of the records that the bits stand for, as one whole number.

    Parameters
    ----------
    bits : array_like of 0 and 1, shape (n, J)
        Row i is the record z_i, the sum of e_ij 10^(-j^2) over its J digits, at most 100.

    Returns
    -------
    int
        n times the mean of the records, times 10^(J^2).

    References
    ----------
    Limits paper, Theorem 13: without its hypothesis on the distribution of L, the rate fails.

    Examples
    --------
    >>> digit_total([[1, 0], [1, 1]])
    2001
    """
    table = validate.array("bits", bits, 0.0, 1.0, ndim=2)
    if table.size == 0 or table.shape[1] > 100 or not np.isin(table, (0.0, 1.0)).all():
        validate.refuse("bits", bits, "zeros and ones, at least one row, 1 to 100 columns")
    digits = table.shape[1]
    sums = table.sum(axis=0)
    return sum(int(s) * 10 ** (digits**2 - (j + 1) ** 2) for j, s in enumerate(sums))


@checked
def digit_sums_of(
    total: int, n: Annotated[int, Integer(1, 999)], digits: Annotated[int, Integer(1, 100)]
) -> list[int]:
    """Return how many records have a 1 in each digit, as can be read off the mean.

    Parameters
    ----------
    total : int
        What `digit_total` returned; what n records cannot give is refused.
    n : int
        Number of records, in [1, 999]: with more the first digit sums run into each other,
        and the later ones can still be read.
    digits : int
        Number of digits J, in [1, 100].

    References
    ----------
    Limits paper, Theorem 13.

    Examples
    --------
    >>> digit_sums_of(2001, 2, 2)
    [2, 1]
    """
    if not isinstance(total, int) or isinstance(total, bool) or total < 0:
        validate.refuse("total", total, "a whole number, at least 0")
    rest, sums = total, []
    for j in range(1, digits + 1):
        found, rest = divmod(rest, 10 ** (digits**2 - j**2))
        if found > n:
            validate.refuse("total", total, f"the sum of n = {n} records of so many digits")
        sums.append(found)
    return sums


@checked
def digit_delta(n: Annotated[int, Integer(1, 10**4)], digits: Annotated[int, Integer(0, 10**5)]) -> Estimate:
    """Return Delta, balanced, of the mean of n records with so many random digits.

    Parameters
    ----------
    n : int
        Records in the data set, in [1, 10000].
    digits : int
        Fair bits in a record that the attack reads, in [0, 100000].

    Returns
    -------
    Estimate
        The value, within 1e-5 or so of the truth, in an interval that certainly holds it.

    References
    ----------
    Limits paper, Theorem 13.  Of a digit the attack sees how many records M agree with the
    target's.  Without the target in the data M is binomial, with it 1 plus a binomial of one
    record less; the likelihood ratio is 2M/n.  Digits are independent, so Delta tends to 1
    with their number, for every n.

    Examples
    --------
    >>> digit_delta(20, 0).value, round(digit_delta(20, 1).value, 6)
    (0.0, 0.088099)
    >>> digit_delta(20, 1000).value > 0.999
    True
    """
    return _digit_delta(n, digits)


@lru_cache(maxsize=512)
def _digit_delta(n: int, digits: int) -> Estimate:
    from scipy.fft import irfft, rfft

    agree = np.arange(n + 1.0)
    chance = pmf(agree, n, 0.5)
    if digits < 2:
        value = digits * float((chance * np.maximum(2 * agree / n - 1, 0)).sum())
        return Estimate(value, value, value)
    # At M = 0 the ratio is 0 and the attack is sure; elsewhere its logarithm goes on a grid.
    chance, logs = chance[1:], np.log(2 * agree[1:] / n)
    kept = chance > 1e-18 / digits
    chance, logs = chance[kept], logs[kept]
    mean = float(chance @ logs)
    spread = math.sqrt(max(float(chance @ (logs - mean) ** 2), 0.0) * digits)
    largest = float(np.abs(logs - mean).max())
    step = 2 * (10 * spread + 30 * largest) / _GRID
    # Mass is moved to both neighbours so that the mean ratio stays: Delta can only grow.
    left = np.floor(logs / step).astype(np.int64)
    upper = np.expm1(logs - left * step) / math.expm1(step)
    table = np.zeros(_GRID)
    np.add.at(table, left % _GRID, chance * (1 - upper))
    np.add.at(table, (left + 1) % _GRID, chance * upper)
    total = irfft(rfft(table) ** digits, _GRID)
    centre = round(mean * digits / step)
    places = centre + (np.arange(_GRID, dtype=np.int64) - centre + _GRID // 2) % _GRID - _GRID // 2
    value = 1.0 - float(np.maximum(total, 0) @ np.exp(np.minimum(places * step, 0)))
    value = min(max(value, 0.0), 1.0)
    # The moved ratios differ from the true ones by a factor of mean 1 and small variance.
    slack = math.sqrt(math.expm1(digits * math.expm1(step / 2) ** 2)) / 2
    return Estimate(value, max(0.0, value - slack - 1e-9), min(1.0, value + 1e-9), "approximation")


_MOST_COUNTS = 20_000_000


def _summed_up(values: Array, odds: Array) -> Array:
    """Return the sum of odds^j values[..., i - j] over j >= 0, for each i along the last axis."""
    total, step = values.copy(), 1
    while step < values.shape[-1]:
        # So far the sums hold ``step`` terms; those that end where they begin hold as many more.
        total[..., step:] += (odds**step)[..., None] * total[..., :-step].copy()
        step *= 2
    return total


@checked
def geometric_count_laws(n: Annotated[int, Integer(1, 100_000)], p: Chance, epsilon: Any) -> Array:
    r"""Return the distributions of a noisy count, given that a member is 0 and that it is 1.

    Parameters
    ----------
    n : int
        Records, each 0 or 1; from 1 to 100,000.
    p : float
        The chance, in (0, 1), that a record is 1.

    Returns
    -------
    ndarray of shape (..., 2, n + 1)
        For each epsilon: row z is the distribution of the release when a random member is z.

    Notes
    -----
    The count gets noise k with probability proportional to :math:`e^{-\varepsilon|k|}`, which
    is epsilon-DP, and the release is clipped to 0, ..., n.  Clipping loses nothing: beyond
    the ends all ratios of probabilities are those at the ends.

    Examples
    --------
    >>> geometric_count_laws(1, 0.5, 0.0).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    eps = validate.array("epsilon", epsilon, 0.0)
    if eps.size * n > _MOST_COUNTS:
        validate.refuse("epsilon", epsilon, f"at most {_MOST_COUNTS // n:,} numbers at n = {n:,}")
    others = pmf(np.arange(float(n)), n - 1, p)
    counts = np.zeros((*eps.shape, 2, n + 1))
    counts[..., 0, :-1], counts[..., 1, 1:] = others, others
    with np.errstate(under="ignore"):
        odds = np.exp(-eps)[..., None]
        up = _summed_up(counts, odds)
        down = _summed_up(counts[..., ::-1], odds)[..., ::-1]
    laws: Array = (up + down - counts) / (1 + odds[..., None])
    laws[..., 1:-1] *= -np.expm1(-eps)[..., None, None]
    return laws


def geometric_count_delta(n: int, p: float, epsilon: Any) -> Floats:
    """Return Delta, balanced, of the count of n zeros and ones, released with geometric noise.

    Exact up to rounding.  The arguments are as in `geometric_count_laws`.

    Notes
    -----
    Limits paper, Appendix H.  Differential privacy bounds Delta in the same way for every n;
    here it falls with the square root of n.

    Examples
    --------
    >>> round(geometric_count_delta(10, 0.5, 1.0), 12)
    0.100151812472
    """
    laws = geometric_count_laws(n, p, epsilon)
    chances = np.array([1 - p, p])
    law = np.einsum("k,...kj->...j", chances, laws)[..., None, :]
    every = np.maximum(laws - law, 0.0).sum(axis=-1)
    return validate.plain(np.asarray(np.minimum(every @ chances, 1.0)))
