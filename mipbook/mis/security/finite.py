"""A learner on finitely many kinds of records, solved exactly: Delta and the best attack."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, rel_entr

from mipbook import game
from mipbook.base import validate
from mipbook.mis.security.divergence import FloatOrArray, gain
from mipbook.mis.security.outputs import same_outputs, told
from mipbook.mis.security.weights import checked_weights

__all__ = ["FiniteModel", "Learner", "finite_model", "learner_delta", "pinsker_bound"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Counts = tuple[int, ...]
# From a data set to an output, or to a mapping from outputs to probabilities.
Learner = Callable[[Counts], Hashable | Mapping[Any, float]]

_MOST = 200_000


@dataclass(frozen=True)
class FiniteModel:
    """The laws of what a learner releases, given each value of a record that was used.

    Attributes
    ----------
    p : ndarray of shape (kinds,)
        The law of a record.
    n : int
        Records in the data set.
    outputs : tuple
        What can be released.
    given : ndarray of shape (kinds, outputs)
        Row k is the law of the output given that a random member of the data set is k.

    Notes
    -----
    Limits paper, Theorem 6.  Made by `finite_model`.  ``p @ given`` is the law of the output.
    """

    p: Array
    n: int
    outputs: tuple[Hashable, ...]
    given: Array
    learner: Learner = field(repr=False, compare=False)
    ordered: bool = False

    @property
    def law(self) -> Array:
        """The law of the output, of shape (outputs,)."""
        return np.asarray(self.p @ self.given)

    def delta(self, nu: Any = 0.5, lam: Any = 0.5) -> FloatOrArray:
        """Return Delta, in [0, 1]; arrays ``nu`` and ``lam`` broadcast.

        Examples
        --------
        >>> finite_model(lambda data: data[0], [0.5, 0.5], 1).delta()
        0.5
        """
        a, b = checked_weights(nu, lam)
        every = gain(self.given, self.law, a[..., None, None], b[..., None, None])
        return validate.plain(np.asarray(np.minimum(every @ self.p, 1.0)))

    def security(self, nu: Any = 0.5, lam: Any = 0.5) -> FloatOrArray:
        """Return the membership inference security, 1 - Delta."""
        return validate.plain(np.asarray(1.0 - np.asarray(self.delta(nu, lam))))

    def best_attack(self, nu: float = 0.5, lam: float = 0.5) -> Flags:
        """Return what the best attack says: True for *member*, of shape (kinds, outputs)."""
        a, b = checked_weights(*weights_as_numbers(nu, lam))
        return np.asarray(a * self.given > b * self.law)

    def rates(self, attack: ArrayLike) -> tuple[float, float]:
        """Return the exact TPR and TNR of any attack.

        ``attack`` holds, for each kind of record and each output, the chance in [0, 1] of
        saying *member*, or booleans.

        Examples
        --------
        >>> model = finite_model(lambda data: data[0], [0.5, 0.5], 1)
        >>> model.rates(model.best_attack())
        (1.0, 0.5)
        """
        said = validate.chances("attack", attack)
        if said.shape != self.given.shape:
            validate.refuse("attack", attack, f"of shape {self.given.shape}, (kinds, outputs)")
        tpr = float(self.p @ (said * self.given).sum(axis=1))
        fpr = float(self.p @ (said @ self.law))
        return min(tpr, 1.0), max(1.0 - fpr, 0.0)

    def accuracy(self, attack: ArrayLike, nu: float = 0.5, lam: float = 0.5) -> float:
        """Return the accuracy ``a TPR + b TNR`` of any attack.

        Examples
        --------
        >>> model = finite_model(lambda data: data[0], [0.5, 0.5], 1)
        >>> model.accuracy(model.best_attack())
        0.75
        """
        a, b = checked_weights(*weights_as_numbers(nu, lam))
        tpr, tnr = self.rates(attack)
        return float(a * tpr + b * tnr)

    def best_accuracy(self, nu: Any = 0.5, lam: Any = 0.5) -> FloatOrArray:
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


def _histograms(kinds: int, n: int) -> NDArray[np.int64]:
    """Return all ways to split n into ``kinds`` counts."""
    if kinds == 1:
        return np.array([[n]])
    bars = np.array(list(combinations(range(n + kinds - 1), kinds - 1)), dtype=np.int64)
    bars = bars.reshape(-1, kinds - 1)
    ends = np.concatenate(
        [np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + kinds - 1)], axis=1
    )
    return np.asarray(np.diff(ends, axis=1) - 1)


def _data_sets(p: Array, n: int, ordered: bool) -> tuple[Any, NDArray[np.int64], Array]:
    """Return all data sets, their histograms, and how likely they are."""
    kinds = p.size
    # In logarithms first: a huge power would take its time.
    logarithm = n * math.log(kinds) if ordered else min(n, kinds - 1) * math.log(2)
    many = _MOST + 1
    if logarithm < 50 and n <= (_MOST if ordered else 10**9):
        many = kinds**n if ordered else math.comb(n + kinds - 1, kinds - 1)
    if many > _MOST:
        validate.refuse("n", n, f"so small that at most {_MOST:,} data sets exist")
    if ordered:
        data = np.array(list(product(range(kinds), repeat=n)))
        counts = (data[:, :, None] == np.arange(kinds)).sum(axis=1)
        return data, counts, np.asarray(np.exp(counts @ np.log(p)))
    counts = _histograms(kinds, n)
    logs = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + counts @ np.log(p)
    chance = np.exp(logs)
    return counts, counts, np.asarray(chance / chance.sum())


def checked_law(p: ArrayLike) -> Array:
    """Return ``p`` as a probability vector without zeros."""
    law = validate.probability_vector("p", p)
    if np.any(law == 0):
        validate.refuse("p", p, "a probability vector without zeros")
    return law


def finite_model(learner: Learner, p: ArrayLike, n: int, *, ordered: bool = False) -> FiniteModel:
    """Enumerate a learner: its output laws given a member, its best attack, its Delta.

    Parameters
    ----------
    learner : callable
        From a data set to an output (any hashable value), or to a mapping from outputs to
        probabilities.  The data set is the histogram, a tuple of counts, one a kind of record.
    p : array_like of shape (kinds,)
        The law of a record; no entry may be 0.
    n : int
        Records in the data set, at least 1.
    ordered : bool
        Hand over the sample itself, a tuple of n kinds ``0, 1, ...``, instead of the
        histogram.  For learners that see the order.

    Returns
    -------
    FiniteModel

    Raises
    ------
    ValueError
        For a malformed argument, a learner whose probabilities do not sum to 1, or more than
        200,000 data sets.

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
    answers = [told(learner, tuple(sample.tolist())) for sample in data]
    same = same_outputs(output for answer in answers for output, _ in answer)
    place: dict[Hashable, int] = {}
    rows, columns, shares = [], [], []
    for row, answer in enumerate(answers):
        for output, share in answer:
            rows.append(row)
            columns.append(place.setdefault(same(output), len(place)))
            shares.append(share)
    told_by = csr_array((shares, (rows, columns)), shape=(len(data), len(place)))
    given = np.asarray(told_by.T @ (chance[:, None] * counts / (n * law))).T
    laws = given / given.sum(axis=1, keepdims=True)
    return FiniteModel(law, n, tuple(place), laws, learner, ordered)


def learner_delta(
    learner: Learner,
    p: ArrayLike,
    n: int,
    nu: float = 0.5,
    lam: float = 0.5,
    *,
    ordered: bool = False,
) -> float:
    """Return Delta of a learner; its membership inference security is 1 - Delta.

    Parameters
    ----------
    learner, p, n, ordered
        As in `finite_model`.
    nu, lam : float
        As in `weights`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        For a malformed argument.

    Notes
    -----
    Limits paper, equation (5) and Theorem 6.  `finite_model` says which outputs are the same.

    Examples
    --------
    >>> learner_delta(lambda counts: "nothing", [0.5, 0.5], 4)
    0.0
    >>> learner_delta(lambda counts: counts[0] > 2, [0.5, 0.5], 4)
    0.1875
    """
    nu, lam = weights_as_numbers(nu, lam)
    return float(finite_model(learner, p, n, ordered=ordered).delta(nu, lam))


def weights_as_numbers(nu: Any, lam: Any) -> tuple[float, float]:
    """Return ``nu`` and ``lam`` as two numbers in (0, 1)."""
    kind = {"open_low": True, "open_high": True}
    return (
        validate.number("nu", nu, 0.0, 1.0, **kind),
        validate.number("lam", lam, 0.0, 1.0, **kind),
    )


def pinsker_bound(information: Any) -> FloatOrArray:
    """Return the bound on Delta that a mutual information gives.

    Parameters
    ----------
    information : float or array_like
        Mutual information of the output and one record, in nats, in [0, inf).

    Returns
    -------
    float or ndarray
        ``min(1, sqrt(information / 2))``.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Remark 7 and equation (8).  It holds for all ``nu`` and ``lam``.

    Examples
    --------
    >>> pinsker_bound(0.02)
    0.1
    """
    nats = validate.array("information", information, 0.0, open_high=True)
    return validate.plain(np.asarray(np.minimum(np.sqrt(nats / 2), 1.0)))
