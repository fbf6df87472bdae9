"""Random tags: a release that keeps a PMP promise on every pool and has a large Delta."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, logsumexp, xlog1py, xlogy

from mipbook.base import validate
from mipbook.base.types import Array

__all__ = ["Tags", "tag_release", "tag_weights"]


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


def _log_binomials(n: int, k: Array) -> Array:
    with np.errstate(invalid="ignore"):
        logs = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return np.where((k >= 0) & (k <= n), logs, -np.inf)


def _epsilon(n: int, weights: Array) -> float:
    """Return the largest logarithm of a ratio of *in* and *out*, over all pools and tags."""
    others = 2 * n - 1
    tagged = np.arange(others + 1.0)[:, None]
    k = np.arange(n + 1.0)
    logs = gammaln(np.arange(2.0 * n + 1) + 1.0)

    def mean(drawn: int, shift: int) -> Array:
        """Return ln E g(k + shift), k tagged ones among so many drawn, for each pool."""
        held = k[: drawn + 1]
        ways = logs[tagged.astype(int)] - logs[held.astype(int)]
        low, rest = tagged - held, others - tagged - (drawn - held)
        fits = (low >= 0) & (rest >= 0)
        ways = ways - logs[np.where(fits, low, 0).astype(int)]
        ways = ways + logs[(others - tagged).astype(int)] - logs[(drawn - held).astype(int)]
        ways = ways - logs[np.where(fits, rest, 0).astype(int)]
        ways = np.where(fits, ways + weights[shift : shift + drawn + 1], -np.inf)
        total = logs[others] - logs[drawn] - logs[others - drawn]
        return np.asarray(logsumexp(ways, axis=1) - total)

    out = mean(n, 0)
    return float(max(np.abs(mean(n - 1, tag) - out).max() for tag in (0, 1)))


def _delta(n: int, weights: Array, share: float) -> float:
    """Return Delta where a share of all values is tagged."""

    def mean(drawn: int, shift: int) -> float:
        k = np.arange(drawn + 1.0)
        logs = _log_binomials(drawn, k) + xlogy(k, share) + xlog1py(drawn - k, -share)
        return float(logsumexp(logs + weights[shift : shift + drawn + 1]))

    whole = mean(n, 0)
    gap = math.exp(mean(n - 1, 1) - whole) - math.exp(mean(n - 1, 0) - whole)
    return max(share * (1 - share) * gap, 0.0)


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
            lambda s: -_delta(n, weights, s), bounds=(1e-9, 0.75), method="bounded"
        )
        share = float(found.x)
    share = validate.number("share", share, 0.0, 1.0, open_low=True, open_high=True)
    return Tags(_epsilon(n, weights), _delta(n, weights, share), share)
