"""What right guesses about canaries prove, and how many it takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from explorable import validate
from mipbook.audit.canaries.chances import CANARY_BOUNDS, log_chance
from mipbook.audit.canaries.tails import guessed
from mipbook.base.halving import first_whole, halved
from mipbook.base.types import Array, Floats

__all__ = ["canaries_needed", "canary_ceiling", "canary_epsilon", "right_needed"]

_HIGHEST, _HALVINGS = 700.0, 50


def _log_risk(confidence: float) -> float:
    """Return the logarithm of 1 - confidence."""
    return math.log1p(-validate.confidence(confidence))


def canary_epsilon(
    right: Any,
    guesses: Any,
    delta: Any = 0.0,
    canaries: Any = None,
    confidence: float = 0.95,
    *,
    bound: str = "sharp",
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
    v, r, m = guessed(right, guesses, canaries)
    slack = validate.array("delta", delta, 0.0, 1.0)
    bound = validate.choice("bound", bound, CANARY_BOUNDS)
    validate.broadcast(("right", "guesses", "canaries", "delta"), (v, r, m, slack))
    v, r, m, slack = np.broadcast_arrays(v, r, m, slack)
    risk, zero = _log_risk(confidence), np.zeros(v.shape)

    def refuted(eps: Array) -> Any:
        return log_chance(v, r, m, eps, slack, bound) < risk

    low, _ = halved(refuted, zero, np.full(v.shape, _HIGHEST), _HALVINGS)
    return validate.plain(np.asarray(low))


def canary_ceiling(guesses: Any, delta: Any = 0.0, canaries: Any = None, confidence: float = 0.95) -> Floats:
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
    _, r, m = guessed(0, guesses, canaries)
    slack = validate.array("delta", delta, 0.0, 1.0)
    validate.broadcast(("guesses", "canaries", "delta"), (r, m, slack))
    risk = math.exp(_log_risk(confidence))
    spent = np.minimum(m * slack / r, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_q = np.log(np.maximum(risk - spent, 0.0) / (1.0 - spent)) / r
        found = log_q - np.log(-np.expm1(log_q))
    proves = (spent < risk) & (log_q > math.log(0.5))
    return validate.plain(np.where(proves, np.minimum(found, _HIGHEST), 0.0))


def canaries_needed(epsilon: float, delta: float = 0.0, confidence: float = 0.95) -> int:
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
    epsilon = validate.number("epsilon", epsilon, 0.0, 300.0)
    delta = validate.number("delta", delta, 0.0, 1.0)
    risk = math.exp(_log_risk(confidence))
    if not delta < risk:
        validate.refuse("delta", delta, f"below 1 - confidence = {risk:g}")
    q_log = -math.log1p(math.exp(-epsilon))
    return max(1, math.ceil((math.log(risk - delta) - math.log1p(-delta)) / q_log))


def right_needed(
    epsilon: Any,
    guesses: Any,
    delta: Any = 0.0,
    canaries: Any = None,
    confidence: float = 0.95,
    *,
    bound: str = "sharp",
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
    bound : {"sharp", "published"}
        By which p-value, see `canary_p_value`.

    Returns
    -------
    int or ndarray of int
        The least number whose p-value is below 1 - ``confidence``; ``guesses + 1`` if none is.

    Notes
    -----
    The p-value falls as the number rises, so bisection finds it.

    Examples
    --------
    >>> right_needed(1.0, 1000), right_needed(8.0, 100)
    (755, 101)
    """
    _, r, m = guessed(0, guesses, canaries)
    eps = validate.array("epsilon", epsilon, 0.0)
    slack = validate.array("delta", delta, 0.0, 1.0)
    bound = validate.choice("bound", bound, CANARY_BOUNDS)
    validate.broadcast(("epsilon", "guesses", "canaries", "delta"), (eps, r, m, slack))
    eps, r, m, slack = np.broadcast_arrays(eps, r, m, slack)
    risk = _log_risk(confidence)

    def refutes(v: Array) -> Any:
        return log_chance(np.clip(v, 1.0, r), r, m, eps, slack, bound) < risk

    whole = first_whole(refutes, np.zeros(r.shape), r + 1.0).astype(np.int64)
    return int(whole) if whole.ndim == 0 else whole
