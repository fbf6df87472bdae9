"""The twelve arrows between DP, MIP, PMP and MIS, and releases that show which ones are missing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logit, xlog1py, xlogy

from explorable import validate
from explorable.checked import Integer, Number, checked
from mipbook import mip, pmp
from mipbook.base.types import Array, Floats, Rate
from mipbook.game.counts import Interval
from mipbook.mip.conversion import eta_from_dp

NOTIONS = ("DP", "MIP", "PMP", "MIS")


@dataclass(frozen=True)
class Arrow:
    """What a promise of one notion says in another, if it says anything.

    Attributes
    ----------
    start, end : str
        Two of `NOTIONS`.
    kind : str
        ``"sharp"``: nothing better can be said, whatever the number of records; ``"bound"``:
        proved, and its sharp form is open; ``"impossible"``: some release
        keeps the promise as well as one likes and tells all in the other notion.

    Notes
    -----
    A promise holds for all data sets (DP), for every pool of 2n different records (MIP, PMP) or
    for one distribution of a record (MIS); n is at least 2.  What DP, MIP and PMP say of MIS
    holds for every distribution that hardly ever gives two equal records.
    """

    start: str
    end: str
    kind: str

    @property
    def needs_delta(self) -> bool:
        r"""Whether what follows has a delta though the promise has none, as from MIP to PMP.

        The spy who may stay silent can be sure: with a chance of at most :math:`2\eta`.
        """
        return (self.start, self.end) == ("MIP", "PMP")

    def accuracy(self, right: Any) -> Floats:
        r"""Return how often the best attacker of the other notion is right, at most.

        Parameters
        ----------
        right : float or array_like
            How often, at even odds, the promise lets its own best attacker be right; in
            [1/2, 1].  From DP to MIS the promise is pure: with a ``delta`` take
            `mipbook.mis.delta_from_dp`.  Along the other arrows it may have a ``delta``.

        Returns
        -------
        float or ndarray
            ``right`` itself, but for two cases: 1 where nothing follows, and
            :math:`\sqrt r / (\sqrt r + \sqrt{1 - r})` from pure DP to MIS.

        Notes
        -----
        This book, Theorems 2.1, 2.3, 2.5, 2.6 and 2.7.

        Examples
        --------
        >>> arrow("DP", "MIP").accuracy(0.8), arrow("MIS", "MIP").accuracy(0.8)
        (0.8, 1.0)
        >>> round(arrow("DP", "MIS").accuracy(0.8), 6)
        0.666667
        """
        right = validate.array("right", right, 0.5, 1.0)
        if self.kind == "impossible":
            return validate.plain(np.ones_like(right))
        if (self.start, self.end) == ("DP", "MIS"):
            # The odds of one half of epsilon.
            return validate.plain(np.sqrt(right) / (np.sqrt(right) + np.sqrt(1 - right)))
        return validate.plain(right)


def _kind(start: str, end: str) -> str:
    if end == "DP" or start == "MIS":
        return "impossible"
    return "bound" if (start, end) == ("PMP", "MIS") else "sharp"


ARROWS = tuple(Arrow(a, b, _kind(a, b)) for a in NOTIONS for b in NOTIONS if a != b)


def arrow(start: str, end: str) -> Arrow:
    """Return the arrow from one notion to another.

    Parameters
    ----------
    start, end : {"DP", "MIP", "PMP", "MIS"}
        Two different notions.

    Notes
    -----
    This book, Theorems 2.1 to 2.7.

    Examples
    --------
    >>> arrow("PMP", "MIS").kind, arrow("MIS", "PMP").kind
    ('bound', 'impossible')
    """
    validate.choice("start", start, NOTIONS)
    validate.choice("end", end, [notion for notion in NOTIONS if notion != start])
    return next(each for each in ARROWS if (each.start, each.end) == (start, end))


def promised_parameter(notion: str, right: Any) -> Floats:
    r"""Return the parameter of a notion that lets the best attacker be right so often.

    Parameters
    ----------
    notion : {"DP", "MIP", "PMP", "MIS"}
    right : float or array_like
        The accuracy at even odds, in [1/2, 1].

    Returns
    -------
    float or ndarray
        :math:`\varepsilon = \ln\frac{r}{1 - r}` of pure DP or PMP, in [0, inf];
        :math:`\eta = r - \frac12`; or :math:`\Delta = 2r - 1`.

    Notes
    -----
    MIP paper, Definition 1; PMP paper, Lemma 6; Limits paper, Theorem 6.

    Examples
    --------
    >>> [round(promised_parameter(notion, 0.75), 6) for notion in NOTIONS]
    [1.098612, 0.25, 1.098612, 0.5]
    """
    validate.choice("notion", notion, NOTIONS)
    right = validate.array("right", right, 0.5, 1.0)
    if notion == "MIP":
        return validate.plain(right - 0.5)
    if notion == "MIS":
        return validate.plain(2 * right - 1)
    return validate.plain(np.asarray(logit(right)))


def delta_from_mip(eta: Any) -> Floats:
    r"""Return the most that the best attack on an eta-MIP learner gains, :math:`\Delta \le 2\eta`.

    Parameters
    ----------
    eta : float or array_like
        In [0, 1/2].

    Returns
    -------
    float or ndarray
        In [0, 1].

    Notes
    -----
    This book, Theorem 2.3.  The learner is eta-MIP on almost every pool of 2n records drawn
    from the distribution of the data.  Sharp for every n: publish one random member with
    probability p; then eta is p / (2n), and Delta is p / n where no two records are alike.

    Examples
    --------
    >>> delta_from_mip(0.1)
    0.2
    """
    return validate.plain(2 * validate.array("eta", eta, 0.0, 0.5))


def delta_from_pmp(epsilon: Any, delta: Any = 0.0) -> Floats:
    r"""Return a bound on Delta of every learner that is (epsilon, delta)-PMP on all pools.

    Parameters
    ----------
    epsilon : float or array_like
        The PMP parameter, in [0, inf].
    delta : float or array_like
        In [0, 1]; the two broadcast.

    Returns
    -------
    float or ndarray
        :math:`\delta + (1 - \delta)\tanh(\epsilon/2)`, in [0, 1].

    Notes
    -----
    This book, Theorem 2.5.  A bound for every n.  The exact numbers of `tag_release` come near
    it for pure PMP as n grows; that they reach it in the limit is not proved.

    Examples
    --------
    >>> round(delta_from_pmp(1.0), 6), round(delta_from_pmp(1.0, 0.1), 6)
    (0.462117, 0.515905)
    """
    # An advantage, which is twice what MIP calls eta.
    return 2 * eta_from_dp(epsilon, delta)


class OneHalf(NamedTuple):
    """What a release that names one half promises, exactly, on every pool.

    Attributes
    ----------
    eta : float
        The MIP parameter.
    epsilon : float
        The PMP parameter with delta 0; may be inf.
    least_delta : float
        No (epsilon, delta)-DP holds for any finite epsilon with a smaller delta.
    """

    eta: float
    epsilon: float
    least_delta: float


@checked
def one_half(n: Annotated[int, Integer(1, 500)], p: Rate = 0.0) -> OneHalf:
    r"""Return what *yes on one half, and with probability p on any other* promises.

    Parameters
    ----------
    n : int
        Records in a data set, drawn out of 2n; in [1, 500].
    p : float
        In [0, 1].

    Notes
    -----
    This book, Theorem 2.6.  With :math:`N = \binom{2n - 1}{n - 1}` halves that hold a record:
    :math:`\eta = \frac{1 - p}{2N}` and
    :math:`\tilde\varepsilon = \max\{\ln\frac{1/p + N - 1}{N}, \ln\frac{N}{N - 1}\}`.  On the
    half and a neighbour *no* has the probabilities 0 and 1 - p.

    Examples
    --------
    >>> found = one_half(10, 0.01)
    >>> round(found.epsilon, 6), found.least_delta
    (0.001071, 0.99)
    """
    halves = math.comb(2 * n - 1, n - 1)
    eta = (1 - p) / (2 * halves)
    if p == 1:
        return OneHalf(0.0, 0.0, 0.0)
    inverse = 1 / p if p > 0 else math.inf
    yes = math.log1p((inverse - 1) / halves)
    no = math.log1p(1 / (halves - 1)) if halves > 1 else math.inf
    return OneHalf(eta, max(yes, no), 1 - p)


@checked
def one_half_table(n: Annotated[int, Integer(1, 7)], p: Rate = 0.0) -> Array:
    """Return the release of `one_half` as a table, row by row of ``mip.subsets(2 * n)``.

    Parameters
    ----------
    n : int
        Records in a data set, in [1, 7].
    p : float
        In [0, 1].

    Returns
    -------
    ndarray of shape (C(2n, n), 2)
        The probabilities of *no* and of *yes*; the first row is the half that is named.

    Notes
    -----
    MIP paper, Theorem 5, for ``p = 0``.

    Examples
    --------
    >>> one_half_table(1, 0.25).tolist()
    [[0.0, 1.0], [0.75, 0.25]]
    """
    yes = np.full(len(mip.subsets(2 * n)), p)
    yes[0] = 1.0
    return np.stack([1 - yes, yes], axis=1)


class PowerSums(NamedTuple):
    """What the sum modulo q tells on one pool, exactly.

    Attributes
    ----------
    eta : float
        The MIP parameter, the worst record's.
    epsilon : float
        The PMP parameter with delta 0; inf as soon as one remainder gives a record away.
    inside, outside : ndarray of int, shape (q,)
        How many halves with the first record, and without it, give each remainder.
    """

    eta: float
    epsilon: float
    inside: NDArray[np.int64]
    outside: NDArray[np.int64]


@checked
def power_sums(n: Annotated[int, Integer(1, 6)], q: Annotated[int, Integer(2, 4096)]) -> PowerSums:
    r"""Return what the sum of n records modulo q tells of the pool 1, 2, 4, ..., :math:`2^{2n-1}`.

    Parameters
    ----------
    n : int
        Records in a data set, drawn out of 2n; in [1, 6].
    q : int
        The modulus, in [2, 4096], such that the 2n powers of two leave different remainders.

    Notes
    -----
    This book, Theorem 2.7.  Where records are drawn uniformly from 0, ..., q - 1 and n is at
    least 2, the sum is independent of each of them and Delta is 0.  Once q is large enough for
    the sums of all halves to differ, the same sum names the half.

    Examples
    --------
    >>> [round(power_sums(3, q).eta, 4) for q in (11, 37, 61)]
    [0.25, 0.45, 0.5]
    """
    labels = [pow(2, i, q) for i in range(2 * n)]
    if len(set(labels)) < 2 * n:
        allowed = f"such that the first {2 * n} powers of two leave different remainders"
        validate.refuse("q", q, allowed)
    counts = [pmp.modular_sum(n, record, labels, q) for record in range(2 * n)]
    eta = max(count.accuracy for count in counts) - 0.5
    epsilon = max(count.epsilon for count in counts)
    return PowerSums(eta, epsilon, counts[0].inside, counts[0].outside)


@checked
def match_bracket(n: Annotated[int, Integer(1, 1_000_000)]) -> Interval:
    r"""Return a bracket of the largest Delta of *publish D if it is n different records of the pool*.

    Parameters
    ----------
    n : int
        Records in a data set, in [1, 1,000,000]; the pool holds 2n.

    Returns
    -------
    Interval
        ``low`` is Delta under the uniform distribution on the pool, exactly; ``high`` is a bound that
        holds for every distribution.

    Notes
    -----
    This book, Proposition 2.8.  Of n draws from any distribution at most
    :math:`\pi_n = \frac{(2n)!}{n!\,(2n)^n}` are different records of a given pool of 2n, and a
    learner that says nothing else has Delta at most :math:`\pi_n`.  Under the uniform
    distribution on the pool it is :math:`\pi_n / 2`.  On the pool itself eta is always 1/2.

    Examples
    --------
    >>> [round(match_bracket(n).high, 6) for n in (1, 2, 10)]
    [1.0, 0.75, 0.065473]
    """
    # The logarithms of 1 - i / (2n), i < n, smallest first.
    factors = np.log1p(-np.arange(n) / (2.0 * n))
    high = math.exp(math.fsum(factors.tolist())) if n <= 1000 else float(np.exp(factors.sum()))
    return Interval(high / 2, high)


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


Records = Annotated[int, Integer(1, 1000)]


@checked
def tag_weights(n: Records, odds: Annotated[float, Number(1.0, 1e6)]) -> Array:
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


@checked
def tag_release(n: Records, odds: float, share: float | None = None) -> Tags:
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
    weights = tag_weights(n, odds)
    if share is None:
        # Slow to load, and most readers never get here.
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(
            lambda s: -_delta(n, weights, s), bounds=(1e-9, 0.75), options={"xatol": 1e-5}
        )
        share = float(found.x)
    share = validate.number("share", share, 0.0, 1.0, open_low=True, open_high=True)
    return Tags(_epsilon(n, weights), _delta(n, weights, share), share)


@checked
def tag_release_at(n: Annotated[int, Integer(1, 200)], epsilon: Annotated[float, Number(0.0, 10.0)]) -> Tags:
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
    from scipy.optimize import brentq

    def above(log_odds: float) -> float:
        return _epsilon(n, tag_weights(n, math.exp(log_odds))) - epsilon

    # Built for odds of e^epsilon a release of more than one record has a larger parameter.
    found = above(0.0) < 0 < above(epsilon)
    log_odds = brentq(above, 0.0, epsilon, rtol=1e-12) if found else epsilon
    return tag_release(n, math.exp(log_odds))
