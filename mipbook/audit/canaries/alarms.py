"""How often an audit by canaries is wrong about the hardest mechanism, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betainc, expit

from explorable import validate
from mipbook.audit.canaries.epsilon import canary_epsilon, right_needed
from mipbook.audit.canaries.tails import MOST, guessed, whole
from mipbook.base.halving import first_whole
from mipbook.base.types import Array, Floats
from mipbook.mis.binomial import pmf

__all__ = ["false_alarm", "proof_quantile"]

_MOST_GUESSES, _MOST_LOOKS = 10_000, 1000


def _looks(guesses: Any) -> Array:
    found = whole("guesses", guesses, 1, MOST)
    if found.ndim == 1:
        found = whole("guesses", guesses, 1, _MOST_GUESSES)
    if found.ndim > 1 or not 1 <= found.size <= _MOST_LOOKS:
        validate.refuse("guesses", guesses, f"one number, or up to {_MOST_LOOKS} of them")
    return np.unique(found)


def false_alarm(
    guesses: Any,
    epsilon: float = 0.0,
    delta: float = 0.0,
    canaries: int | None = None,
    confidence: float = 0.95,
    *,
    corrected: bool = False,
) -> float:
    """Return how often an audit refutes the true epsilon of randomised response.

    Parameters
    ----------
    guesses : int or list of int
        Canaries guessed, up to a million, or several numbers up to 10,000, of which the auditor
        takes the one that proves most, after looking.
    epsilon : float
        The true one: each guess is right with odds of e^epsilon to 1.
    canaries : int, optional
        Canaries in all; as many as the most guesses if not given.
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
    looks = _looks(guesses)
    epsilon = validate.number("epsilon", epsilon, 0.0)
    delta = validate.number("delta", delta, 0.0, 1.0)
    most = int(looks[-1])
    if canaries is None:
        canaries = most
    guessed(0, most, validate.number("canaries", canaries, 1))
    risk = 1.0 - validate.confidence(confidence)
    if validate.switch("corrected", corrected):
        risk /= looks.size
    sure = min(max(1.0 - risk, 1e-300), 1.0 - 1e-16)
    needed = np.atleast_1d(right_needed(epsilon, looks, delta, canaries, sure))
    quiet, alarm, before = np.ones(1), 0.0, 0
    for look, need in zip(looks.astype(int), needed, strict=True):
        more = look - before
        quiet = np.convolve(quiet, pmf(np.arange(more + 1.0), more, expit(epsilon)))
        alarm += float(quiet[need:].sum())
        quiet, before = np.where(np.arange(quiet.size) < need, quiet, 0.0), look
    return min(alarm, 1.0)


def proof_quantile(share: Any, guesses: Any, epsilon: Any, confidence: float = 0.95) -> Floats:
    """Return what an audit of randomised response proves, at a quantile of the number right.

    Parameters
    ----------
    share : float or array_like
        The quantile, in (0, 1): 0.5 for the median run.
    guesses : int or array_like
        Canaries guessed, all there are, up to a million.
    epsilon : float or array_like
        The true one, in [0, 30]: each guess is right with odds of e^epsilon to 1.

    Notes
    -----
    Exact: `canary_epsilon` at delta = 0 and the quantile of a binomial.

    Examples
    --------
    >>> round(proof_quantile(0.5, 1000, 1.0), 4)
    0.8806
    """
    share = validate.array("share", share, 0.0, 1.0, open_low=True, open_high=True)
    _, r, _ = guessed(0, guesses, None)
    eps = validate.array("epsilon", epsilon, 0.0, 30.0)
    validate.broadcast(("share", "guesses", "epsilon"), (share, r, eps))
    share, r, eps = np.broadcast_arrays(share, r, eps)

    def reached(k: Array) -> Any:
        return (betainc(r - k, k + 1.0, expit(-eps)) >= share) | (k == r)

    right = first_whole(reached, np.full(r.shape, -1.0), r + 0.0)
    return canary_epsilon(right, r, confidence=confidence)
