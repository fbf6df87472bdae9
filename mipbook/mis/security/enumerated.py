"""A learner on finitely many kinds of records, solved exactly by enumerating its data."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from explorable import validate
from mipbook.base.types import Array
from mipbook.mis.security.model import FiniteModel, Learner
from mipbook.mis.security.outputs import released, same_outputs
from mipbook.mis.security.weights import weights_as_numbers

__all__ = ["finite_model", "learner_delta"]

_MOST = 200_000


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
    rows, columns, shares = [], [], []
    for row, answer in enumerate(answers):
        for output, share in answer:
            rows.append(row)
            columns.append(place.setdefault(same(output), len(place)))
            shares.append(share)
    releases = csr_array((shares, (rows, columns)), shape=(len(data), len(place)))
    given = np.asarray(releases.T @ (chance[:, None] * counts / (n * law))).T
    laws = given / given.sum(axis=1, keepdims=True)
    return FiniteModel(law, n, tuple(place), laws, learner, ordered)


def learner_delta(
    learner: Learner, p: ArrayLike, n: int, nu: float = 0.5, lam: float = 0.5, *, ordered: bool = False
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
    nu, lam = weights_as_numbers(nu, lam)
    return float(finite_model(learner, p, n, ordered=ordered).delta(nu, lam))
