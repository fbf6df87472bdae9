"""What right guesses about the canaries of one private training run prove of epsilon."""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from scipy.special import betainc, expit

from explorable import validate
from explorable.checked import Number, OneOf, Switched, checked
from mipbook.base.rounding import first_whole, halved
from mipbook.base.types import Array, Confidence, Epsilon, Epsilons, Floats, Rate, Rates
from mipbook.game.counts import whole
from mipbook.mis.binomial import log_pmf, pmf

# Canaries; a series below takes some thousand terms at the most for so many.
MOST = 10**6
# Beyond this epsilon a right guess is certain to the last digit of a double.
_SURE = 700.0
# Smaller tails are summed as logarithms.
_TINY = 1e-280


class Tail(NamedTuple):
    """Logarithms for W of Bin(r, e^epsilon / (1 + e^epsilon)): reached, missed, last over reached.

    Attributes
    ----------
    reached : ndarray
        log P(W >= v).
    missed : ndarray
        log P(W < v).
    ratio : ndarray
        log of P(W >= v) / P(W = v).
    """

    reached: Array
    missed: Array
    ratio: Array


def guessed(right: Any, guesses: Any, canaries: Any, **more: Array) -> list[Array]:
    """Return checked counts, and more, of one shape; all canaries are guessed if not told otherwise."""
    r = whole("guesses", guesses, 1, MOST)
    v = whole("right", right, 0, MOST)
    m = r if canaries is None else whole("canaries", canaries, 1, MOST)
    # Not everybody who calls this takes *right*: it comes last, so no other is held against it.
    validate.broadcast(("guesses", "canaries", *more, "right"), (r, m, *more.values(), v))
    if np.any(v > r):
        validate.refuse("right", right, f"at most guesses = {guesses}")
    if np.any(r > m):
        validate.refuse("guesses", guesses, f"at most canaries = {canaries}")
    return list(np.broadcast_arrays(v, r, m, *more.values()))


def several(guesses: Any, most: int, many: int) -> Array:
    """Return one number of guesses, or up to so many, each once and in order."""
    found = whole("guesses", guesses, 1, most)
    if found.ndim > 1 or not 1 <= found.size <= many:
        validate.refuse("guesses", guesses, f"one number, or up to {many} of them")
    return np.unique(found)


def tail(v: Array, r: Array, epsilon: Array) -> Tail:
    """Return the tail at v of r guesses; no checks, but for v = 0, which all guesses reach."""
    v, r, eps = np.broadcast_arrays(v, r, np.minimum(epsilon, _SURE))
    some, wrong = np.maximum(v, 1.0), expit(-eps)
    above = betainc(some, r - some + 1.0, expit(eps))
    below = betainc(r - some + 1.0, some, wrong)
    mass: Array = log_pmf(r - some, r, wrong)
    with np.errstate(divide="ignore"):
        log_above = np.where(above < 0.5, np.log(above), np.log1p(-np.minimum(below, 0.5)))
        log_below = np.log(below)
    far = above < _TINY
    if np.any(far):
        summed = mass + _log_series(some, r, np.where(far, eps, -np.inf))
        log_above = np.where(far, summed, log_above)
    ratio = log_above - mass
    none = v == 0
    return Tail(np.where(none, 0.0, log_above), np.where(none, -np.inf, log_below), np.where(none, 0, ratio))


def _log_series(v: Array, r: Array, eps: Array) -> Array:
    """Return log of P(W >= v) / P(W = v) far above the mean, where the terms fall."""
    odds = np.exp(eps)
    total, term, k = np.ones_like(odds), np.ones_like(odds), v
    while np.any(term > 1e-17 * total):
        term = term * np.maximum(r - k, 0.0) / (k + 1.0) * odds
        total, k = total + term, k + 1.0
    return np.log(total)


CANARY_BOUNDS = ("sharp", "published")


@checked
def canary_p_value(
    right: Any,
    guesses: Any,
    epsilon: Epsilons,
    delta: Rates = 0.0,
    canaries: Any = None,
    *,
    bound: Annotated[str, OneOf(CANARY_BOUNDS)] = "sharp",
) -> Floats:
    r"""Return the largest chance of so many right guesses under (epsilon, delta)-DP.

    Parameters
    ----------
    right : int or array_like
        Right guesses, or more, in [0, guesses].
    guesses : int or array_like
        Canaries guessed, a number fixed before anybody looked, in [1, canaries].
    canaries : int or array_like, optional
        Canaries in all, each in or out by a fair toss of its own, up to a million; as many as
        guesses if not given.
    bound : {"sharp", "published"}
        The published formula is no bound where it is near 1; see the notes.

    Returns
    -------
    float or ndarray
        In [0, 1].

    Notes
    -----
    With W binomial, r guesses right with chance :math:`e^\varepsilon / (1 + e^\varepsilon)`
    each, and :math:`f = P(W \ge v)`, the sharp value is
    :math:`f + (1 - f) \min\{1, \frac{m\delta}{v} \frac{f}{P(W = v)}\}`: some mechanism reaches it.
    It is derived in this book; the tests compare it with linear programs.  The published one is
    :math:`f + 2 m \delta \max_i (f(v - i) - f(v)) / i`, cut at 1.

    References
    ----------
    T. Steinke, M. Nasr and M. Jagielski, "Privacy Auditing with One (1) Training Run", NeurIPS
    2023, for the published formula, read from code that implements it.

    Examples
    --------
    >>> round(canary_p_value(760, 1000, 1.0, 1e-5), 6)
    0.020426
    >>> round(canary_p_value(760, 1000, 1.0, 1e-5, bound="published"), 6)
    0.020735
    """
    v, r, m, eps, slack = guessed(right, guesses, canaries, epsilon=epsilon, delta=delta)
    return validate.plain(np.exp(log_chance(v, r, m, eps, slack, bound)))


def log_chance(v: Array, r: Array, m: Array, eps: Array, slack: Array, bound: str) -> Array:
    """Return the logarithm of either p-value; no checks."""
    v, r, m, eps, slack = np.broadcast_arrays(v, r, m, eps, slack)
    found = tail(v, r, eps)
    with np.errstate(divide="ignore"):
        log_slack = np.log(slack) + np.log(m)
        if bound == "sharp":
            lifted = log_slack - np.log(np.maximum(v, 1.0)) + found.ratio
            extra = found.missed + np.minimum(lifted, 0.0)
        else:
            extra = log_slack + np.log(2.0 * _steepest(v, r, eps, found))
    return np.asarray(np.minimum(np.logaddexp(found.reached, extra), 0.0))


def _steepest(v: Array, r: Array, eps: Array, at: Tail) -> Array:
    """Return the largest (f(v - i) - f(v)) / i.

    This is the mean chance of the i counts below v.  Chances rise and then fall on the way down,
    so the mean falls from the first count whose own chance is below it.
    """
    reached, missed = np.exp(at.reached), np.exp(at.missed)
    right, wrong = expit(eps), expit(-eps)

    def mean(i: Array) -> Array:
        k = np.maximum(v - i, 1.0)
        above = np.where(v > i, betainc(k, r - k + 1.0, right), 1.0)
        below = np.where(v > i, betainc(r - k + 1.0, k, wrong), 0.0)
        # The difference of the small ones keeps its digits.
        step = np.where(above < 0.5, above - reached, missed - below)
        return np.asarray(np.maximum(step, 0.0) / np.maximum(i, 1.0))

    def falls(i: Array) -> Any:
        return mean(i + 1.0) <= mean(i)

    best = first_whole(falls, np.zeros_like(v), np.maximum(v, 1.0))
    return np.where(v > 0, mean(best), 0.0)


_HIGHEST, _HALVINGS = 700.0, 50


@checked
def canary_epsilon(
    right: Any,
    guesses: Any,
    delta: Rates = 0.0,
    canaries: Any = None,
    confidence: Confidence = 0.95,
    *,
    bound: Annotated[str, OneOf(CANARY_BOUNDS)] = "sharp",
) -> Floats:
    """Return a lower bound on epsilon from right guesses about the canaries of one run.

    Parameters
    ----------
    right : int or array_like
        Right guesses, in [0, guesses].
    guesses : int or array_like
        Canaries guessed, a number fixed before anybody looked, in [1, canaries].
    canaries : int or array_like, optional
        Canaries in all, up to a million; as many as guesses if not given.
    bound : {"sharp", "published"}
        By which p-value, see `canary_p_value`.

    Returns
    -------
    float or ndarray
        In [0, 700]; no (epsilon, delta)-DP run with a smaller epsilon is right so often with
        more than a chance of 1 - ``confidence``.

    Notes
    -----
    The largest epsilon whose p-value is below 1 - ``confidence``, by bisection.  Neighbours
    differ by one record that is added or removed: a toss puts a canary in or leaves it out.

    References
    ----------
    T. Steinke, M. Nasr and M. Jagielski, "Privacy Auditing with One (1) Training Run", NeurIPS
    2023.

    Examples
    --------
    >>> round(canary_epsilon(731, 1000), 4)
    0.8806
    >>> round(canary_epsilon(1000, 1000, 1e-5), 4)
    5.809
    """
    v, r, m, delta = guessed(right, guesses, canaries, delta=delta)
    risk, zero = math.log1p(-confidence), np.zeros(v.shape)

    def refuted(eps: Array) -> Any:
        return log_chance(v, r, m, eps, delta, bound) < risk

    low, _ = halved(refuted, zero, np.full(v.shape, _HIGHEST), _HALVINGS)
    return validate.plain(np.asarray(low))


@checked
def canary_ceiling(
    guesses: Any, delta: Rates = 0.0, canaries: Any = None, confidence: Confidence = 0.95
) -> Floats:
    r"""Return the epsilon that is proved if every guess is right: no run can prove more.

    Parameters
    ----------
    guesses : int or array_like
        Canaries guessed, in [1, canaries].
    canaries : int or array_like, optional
        Canaries in all, up to a million; as many as guesses if not given.

    Notes
    -----
    With :math:`d = \min(1, m\delta/r)` and :math:`\alpha` the risk, :math:`q^r + (1 - q^r)d =
    \alpha` for :math:`q = e^\varepsilon/(1 + e^\varepsilon)`; the sharp p-value where all are
    right.

    Examples
    --------
    >>> canary_ceiling([100, 1000, 10_000]).round(3).tolist()
    [3.493, 5.809, 8.113]
    """
    _, r, m, delta = guessed(0, guesses, canaries, delta=delta)
    risk = math.exp(math.log1p(-confidence))
    spent = np.minimum(m * delta / r, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_q = np.log(np.maximum(risk - spent, 0.0) / (1.0 - spent)) / r
        found = log_q - np.log(-np.expm1(log_q))
    proves = (spent < risk) & (log_q > math.log(0.5))
    return validate.plain(np.where(proves, np.minimum(found, _HIGHEST), 0.0))


@checked
def canaries_needed(
    epsilon: Annotated[float, Number(0.0, 300.0)], delta: Rate = 0.0, confidence: Confidence = 0.95
) -> int:
    """Return with how few canaries a run can prove that epsilon, if every guess is right.

    Parameters
    ----------
    epsilon : float
        In [0, 300].
    delta : float
        In [0, 1 - confidence).

    Notes
    -----
    `canary_ceiling` solved for the canaries, all of them guessed: about e^epsilon times the
    logarithm of 1 over the risk.

    Examples
    --------
    >>> canaries_needed(1.0), canaries_needed(4.0), canaries_needed(8.0, 1e-5)
    (10, 166, 8933)
    """
    risk = math.exp(math.log1p(-confidence))
    if not delta < risk:
        validate.refuse("delta", delta, f"below 1 - confidence = {risk:g}")
    q_log = -math.log1p(math.exp(-epsilon))
    return max(1, math.ceil((math.log(risk - delta) - math.log1p(-delta)) / q_log))


@checked
def right_needed(
    epsilon: Epsilons, guesses: Any, delta: Rates = 0.0, canaries: Any = None, confidence: Confidence = 0.95
) -> Any:
    """Return how many guesses must be right to refute a claimed epsilon.

    Parameters
    ----------
    epsilon : float or array_like
        The claim, at least 0.
    guesses : int or array_like
        Canaries guessed, in [1, canaries].
    canaries : int or array_like, optional
        Canaries in all, up to a million; as many as guesses if not given.

    Returns
    -------
    int or ndarray of int
        The least number whose sharp p-value is below 1 - ``confidence``; ``guesses + 1`` if none is.

    Notes
    -----
    The p-value falls as the number rises, so bisection finds it.

    Examples
    --------
    >>> right_needed(1.0, 1000), right_needed(8.0, 100)
    (755, 101)
    """
    _, r, m, epsilon, delta = guessed(0, guesses, canaries, epsilon=epsilon, delta=delta)
    risk = math.log1p(-confidence)

    def refutes(v: Array) -> Any:
        return log_chance(np.clip(v, 1.0, r), r, m, epsilon, delta, "sharp") < risk

    needed = first_whole(refutes, np.zeros(r.shape), r + 1.0).astype(np.int64)
    return int(needed) if needed.ndim == 0 else needed


_MOST_LOOKED, _MOST_LOOKS = 10_000, 1000


@checked
def false_alarm(
    guesses: Any,
    epsilon: Epsilon = 0.0,
    confidence: Confidence = 0.95,
    *,
    corrected: Annotated[bool, Switched()] = False,
) -> float:
    """Return how often an audit refutes the true epsilon of randomised response.

    Parameters
    ----------
    guesses : int or list of int
        Canaries guessed, up to a million, or several numbers up to 10,000, of which the auditor
        takes the one that proves most, after looking.
    epsilon : float
        The true one: each guess is right with odds of e^epsilon to 1.
    corrected : bool
        Whether the risk is shared among the numbers (Bonferroni).

    Returns
    -------
    float
        At most 1 - ``confidence`` for a single number, or if corrected.

    Notes
    -----
    Exact: the counts of right guesses, one number after the other, with those taken out that
    have refuted it.  Fewer guesses are the first of more: the surest come first.

    Examples
    --------
    >>> round(false_alarm(1000), 4), round(false_alarm([20, 100, 500, 1000]), 4)
    (0.0468, 0.1231)
    """
    looks = several(guesses, MOST, _MOST_LOOKS)
    if looks.size > 1:
        whole("guesses", guesses, 1, _MOST_LOOKED)
    risk = 1.0 - confidence
    if corrected:
        risk /= looks.size
    sure = min(max(1.0 - risk, 1e-300), 1.0 - 1e-16)
    needed = np.atleast_1d(right_needed(epsilon, looks, confidence=sure))
    quiet, alarm, before = np.ones(1), 0.0, 0
    for look, need in zip(looks.astype(int), needed, strict=True):
        more = look - before
        quiet = np.convolve(quiet, pmf(np.arange(more + 1.0), more, expit(epsilon)))
        alarm += float(quiet[need:].sum())
        quiet, before = np.where(np.arange(quiet.size) < need, quiet, 0.0), look
    return min(alarm, 1.0)
