"""What right guesses about canaries prove of a training run that hides like Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from explorable import validate
from mipbook.audit.canaries.program import MOST_GUESSES, Guesses, sharpened
from mipbook.audit.canaries.tails import MOST

__all__ = ["canary_mu", "excess"]

_LARGEST, _STEP = 38.0, 1e-9


def excess(right: int, guesses: int, canaries: int, chance: float, least: Callable[[float], float]) -> float:
    """Return by how much a chance of so many right guesses is more than a trade-off curve allows.

    Positive if no such mechanism has it.  ``reached`` is the share of canaries guessed right,
    and ``missed`` of those guessed wrong, in runs with at least i right; going down in i, each
    new ``missed`` is the least FPR at which the curve reaches that TPR.
    """
    reached = chance * right / canaries
    missed = chance * (guesses - right) / canaries
    for i in range(right - 1, -1, -1):
        if reached >= 1.0:
            return 1.0
        asked = least(reached)
        if asked <= missed:
            break
        reached += i / (guesses - i) * (asked - missed)
        missed = asked
    return reached + missed - guesses / canaries


def canary_mu(
    right: int, guesses: int, canaries: int | None = None, confidence: float = 0.95, *, sharp: bool = False
) -> float:
    r"""Return a lower bound on mu from right guesses about canaries, if the run is mu-GDP at all.

    Parameters
    ----------
    right : int
        Right guesses, in [0, guesses].
    guesses : int
        Canaries guessed, a number fixed before anybody looked, in [1, canaries].
    canaries : int, optional
        Canaries in all, up to a million; as many as guesses if not given.
    sharp : bool
        Whether to go on from the recursion to the sharp bound, by linear programs, for up to 500
        guesses: some percent more, in at most a few seconds.  Beyond it is the recursion's.

    Returns
    -------
    float
        In [0, 38].  A run that is mu-GDP for a smaller mu is right so often with at most a
        chance of 1 - ``confidence``.  The epsilon of that mu is a bound for runs that hide like
        Gaussian noise, and for no others.

    Notes
    -----
    With :math:`R_i` and :math:`H_i` the shares of canaries guessed right and wrong, over the
    runs with at least i right guesses, :math:`R_i \le \bar f(H_{i-1})` for a mechanism whose
    trade-off curve is :math:`1 - \bar f`: turn one toss round, and average over the canaries.
    A valid bound, and not the sharp one.

    The sharp one needs all events, not only these.  A run may be taken to depend on the number
    right alone, so the largest chance is a linear program in the chances of each number, with
    one limit for each epsilon.  What is returned is proved by the prices of a solved program,
    checked here; the solver's word counts for nothing.

    References
    ----------
    S. Mahloujifar, L. Melis and K. Chaudhuri, "Auditing f-Differential Privacy in One Run",
    ICML 2025; the recursion is read from code that implements it, and proved in this book.

    Examples
    --------
    >>> round(canary_mu(160, 200, 1000), 4), round(canary_mu(160, 200, 1000, sharp=True), 3)
    (0.4402, 0.456)
    """
    guesses = validate.integer("guesses", guesses, 1, MOST)
    if canaries is None:
        canaries = guesses
    canaries = validate.integer("canaries", canaries, 1, MOST)
    if guesses > canaries:
        validate.refuse("guesses", guesses, f"at most canaries = {canaries}")
    right = validate.integer("right", right, 0, guesses, bound="guesses")
    risk = math.exp(math.log1p(-validate.confidence(confidence)))
    sharp = validate.switch("sharp", sharp)

    def allowed(mu: float) -> float:
        return excess(right, guesses, canaries, risk, lambda tpr: float(ndtr(ndtri(tpr) - mu)))

    if allowed(0.0) <= 0.0:
        return 0.0
    high = 1.0
    while allowed(high) > 0.0:
        high *= 2.0
        if high > _LARGEST:
            return _LARGEST
    root = float(brentq(allowed, 0.0, high, xtol=_STEP))
    # On the safe side of the root.
    step = _STEP
    while root > 0.0 and allowed(root) <= 0.0:
        root, step = max(root - step, 0.0), 2.0 * step
    if sharp and root > 0.0 and guesses <= MOST_GUESSES:
        return min(sharpened(Guesses(right, guesses, canaries), root, risk), _LARGEST)
    return root
