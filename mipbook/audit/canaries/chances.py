"""How likely a private training run lets so many guesses about its canaries be right."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betainc, expit

from explorable import validate
from mipbook.audit.canaries.tails import Tail, guessed, tail
from mipbook.base.halving import first_whole
from mipbook.base.types import Array, Floats

__all__ = ["CANARY_BOUNDS", "canary_p_value", "log_chance"]

CANARY_BOUNDS = ("sharp", "published")


def canary_p_value(
    right: Any,
    guesses: Any,
    epsilon: Any,
    delta: Any = 0.0,
    canaries: Any = None,
    *,
    bound: str = "sharp",
    log: bool = False,
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
    log : bool
        Whether to return the natural logarithm.

    Returns
    -------
    float or ndarray
        In [0, 1] (or its logarithm).

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
    v, r, m = guessed(right, guesses, canaries)
    eps = validate.array("epsilon", epsilon, 0.0)
    slack = validate.array("delta", delta, 0.0, 1.0)
    bound = validate.choice("bound", bound, CANARY_BOUNDS)
    log = validate.switch("log", log)
    validate.broadcast(("right", "guesses", "canaries", "epsilon", "delta"), (v, r, m, eps, slack))
    found = log_chance(v, r, m, eps, slack, bound)
    return validate.plain(found if log else np.exp(found))


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
