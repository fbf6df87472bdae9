"""Random tags: a release that keeps a PMP promise on every pool and has a large Delta."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln, xlog1py, xlogy

from explorable import validate
from mipbook.base.types import Array

__all__ = ["Tags", "tag_release", "tag_release_at", "tag_weights"]


class Tags(NamedTuple):
    """A tag release, solved exactly.

    Attributes
    ----------
    epsilon : float
        Its PMP parameter, the worst over all pools.
    delta : float
        Its Delta where no two records are alike.
    share : float
        How likely a value is to be tagged.
    """

    epsilon: float
    delta: float
    share: float


def tag_weights(n: int, odds: float) -> Array:
    r"""Return the logarithm of the weight of each number of tagged members.

    Parameters
    ----------
    n : int
        Records in a data set, in [1, 1000].
    odds : float
        What the release is built for, :math:`e^{\tilde\varepsilon}` in the limit; in [1, 1e6].

    Returns
    -------
    ndarray of shape (n + 1,)
        The sums over j < k of :math:`\ln\rho(j/n)`, with
        :math:`\rho(h) = \frac{E - h}{1 - h}` up to :math:`h = \frac{E}{1 + E}` and
        :math:`\frac{Eh}{Eh - E + 1}` from there on.

    Notes
    -----
    This book, Example 2.10.

    Examples
    --------
    >>> np.exp(tag_weights(2, 2.0)).round(9).tolist()
    [1.0, 2.0, 6.0]
    """
    n = validate.integer("n", n, 1, 1000)
    odds = validate.number("odds", odds, 1.0, 1e6)
    h = np.arange(n) / n
    early = h <= odds / (1 + odds)
    ratio = np.where(early, (odds - h) / (1 - h), 1.0)
    # E h - E + 1 = 1 - E (1 - h), without the difference of two large numbers.
    late = odds * h / np.where(early, 1.0, 1 - odds * (n - np.arange(n)) / n)
    return np.concatenate([[0.0], np.cumsum(np.log(np.where(early, ratio, late)))])


def _log_mean(logs: Array, values: Array) -> Array:
    """Return the logarithm of the mean of e^values, the chances given as logarithms."""
    terms = logs + values
    top = terms.max(axis=-1, keepdims=True)
    return np.asarray(np.log(np.exp(terms - top).sum(axis=-1)) + top[..., 0])


@lru_cache(maxsize=8)
def _log_hypergeometric(n: int, drawn: int) -> Array:
    """Return how likely k of those drawn from 2n - 1 are tagged; a row for each number tagged."""
    others = 2 * n - 1
    logs = gammaln(np.arange(2.0 * n + 1) + 1.0)
    tagged, k = np.arange(others + 1)[:, None], np.arange(drawn + 1)
    left, rest = tagged - k, others - tagged - (drawn - k)
    fits = (left >= 0) & (rest >= 0)
    chosen = logs[tagged] - logs[k] - logs[np.where(fits, left, 0)]
    others_chosen = logs[others - tagged] - logs[drawn - k] - logs[np.where(fits, rest, 0)]
    table = np.where(fits, chosen + others_chosen, -np.inf)
    return np.asarray(table - _log_mean(table, np.zeros(drawn + 1))[:, None])


def _epsilon(n: int, weights: Array) -> float:
    """Return the largest logarithm of a ratio of *in* and *out*, over all pools and tags."""
    out = _log_mean(_log_hypergeometric(n, n), weights)
    mates = _log_hypergeometric(n, n - 1)
    within = (_log_mean(mates, weights[tag : tag + n]) for tag in (0, 1))
    return float(max(np.abs(each - out).max() for each in within))


def _delta(n: int, weights: Array, share: float) -> float:
    """Return Delta where a share of all values is tagged."""
    k = np.arange(n + 1.0)
    counts = xlogy(k, share) + xlog1py(n - k, -share) - gammaln(k + 1) - gammaln(n - k + 1)
    mates = counts[:-1] + np.log((n - k[:-1]) / (n * (1 - share)))
    whole = _log_mean(counts, weights)
    within = [math.exp(_log_mean(mates, weights[tag : tag + n]) - whole) for tag in (0, 1)]
    return max(share * (1 - share) * (within[1] - within[0]), 0.0)


def tag_release(n: int, odds: float, share: float | None = None) -> Tags:
    r"""Return the exact PMP parameter and the exact Delta of a release of random tags.

    Every possible record value is tagged or not, independently; among all ways to tag, one is
    published with a density that grows with the number of members it tags.

    Parameters
    ----------
    n : int
        Records in a data set, in [1, 1000].
    odds : float
        What the release is built for; its own PMP parameter is larger for n above 1 and comes
        down to the logarithm of ``odds``.  In [1, 1e6].
    share : float, optional
        The chance of a tag, in (0, 1); that with the largest Delta if not given.

    Notes
    -----
    This book, Example 2.10.  The ratio of *in* and *out* depends on the record's tag and on how
    many of the other 2n - 1 are tagged, so that 4n numbers stand for all pools.  The PMP
    parameter does not depend on the share.

    Examples
    --------
    >>> found = tag_release(10, 2.0)
    >>> round(found.epsilon, 6), round(found.delta, 4), round(float(np.tanh(found.epsilon / 2)), 4)
    (0.824248, 0.2745, 0.3903)
    """
    n = validate.integer("n", n, 1, 1000)
    weights = tag_weights(n, odds)
    if share is None:
        found = minimize_scalar(
            lambda s: -_delta(n, weights, s), bounds=(1e-9, 0.75), options={"xatol": 1e-5}
        )
        share = float(found.x)
    share = validate.number("share", share, 0.0, 1.0, open_low=True, open_high=True)
    return Tags(_epsilon(n, weights), _delta(n, weights, share), share)


def tag_release_at(n: int, epsilon: float) -> Tags:
    """Return the release of random tags that has a given PMP parameter.

    Parameters
    ----------
    n : int
        Records in a data set, in [1, 200].
    epsilon : float
        The PMP parameter, the worst over all pools; in [0, 10].

    Notes
    -----
    This book, Example 2.10.  The ``odds`` that `tag_release` has to be built for are found to
    a relative 1e-12; the numbers returned are those of the release found.

    Examples
    --------
    >>> found = tag_release_at(64, 1.0)
    >>> round(found.epsilon, 9), round(found.delta, 4)
    (1.0, 0.4141)
    """
    n = validate.integer("n", n, 1, 200)
    epsilon = validate.number("epsilon", epsilon, 0.0, 10.0)

    def above(log_odds: float) -> float:
        return _epsilon(n, tag_weights(n, math.exp(log_odds))) - epsilon

    # Built for odds of e^epsilon a release of more than one record has a larger parameter.
    found = above(0.0) < 0 < above(epsilon)
    log_odds = brentq(above, 0.0, epsilon, rtol=1e-12) if found else epsilon
    return tag_release(n, math.exp(log_odds))
