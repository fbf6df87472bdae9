"""Corollary 1: lower bounds on epsilon from an attack's rates, and from its counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorable import validate
from mipbook.base.types import Array, Floats
from mipbook.game.counts import count, lower_rate, upper_rate

__all__ = ["epsilon_from_rates", "epsilon_lower_bound", "steps_of"]


def _one_side(hit: Array, false: Array, delta: Array, steps: int) -> Array:
    """Return the smallest ln u >= 0 that allows the rate ``hit`` where the other is ``false``."""
    over = hit - delta
    with np.errstate(divide="ignore", invalid="ignore"):
        if steps == 1:
            bound = np.log(over) - np.log(false)
        else:
            # Two steps cost (2 epsilon, (1 + e^epsilon) delta): a quadratic in u = e^epsilon,
            # solved in the form without cancellation.
            root = np.sqrt(delta**2 + 4 * false * over)
            bound = np.log(2 * over) - np.log(delta + root)
    return np.asarray(np.where(over > 0, np.maximum(bound, 0.0), 0.0))


def _both_sides(tpr: Array, fpr: Array, tnr: Array, fnr: Array, delta: Array, steps: int) -> Floats:
    value = np.maximum(_one_side(tpr, fpr, delta, steps), _one_side(tnr, fnr, delta, steps))
    return validate.plain(value)


def steps_of(steps: Any) -> int:
    """Return the number of neighbouring steps, 1 or 2."""
    return validate.integer("steps", steps, 1, 2)


def epsilon_from_rates(tpr: Any, fpr: Any, delta: Any = 0.0, *, fnr: Any = None, steps: int = 1) -> Floats:
    r"""Return the smallest epsilon that allows an attack with exactly these rates.

    Parameters
    ----------
    fnr : float or array_like, optional
        1 - ``tpr``, for rates so close to 1 that the difference has no digits left.
    steps : {1, 2}
        How many neighbouring steps the game's two data sets are apart.  Two for an attack
        on a replaced record that is to bound epsilon under add or remove.

    Returns
    -------
    float or ndarray
        In [0, inf]; inf if only delta = TPR would allow the attack.

    Notes
    -----
    Lecture notes, Corollary 1:
    :math:`e^\epsilon \ge \max\{(TPR-\delta)/FPR,\ (TNR-\delta)/FNR\}`, where a ratio 0/0 asks
    for nothing.  For two steps, (epsilon, delta)-DP implies
    :math:`(2\epsilon, (1+e^\epsilon)\delta)`-DP, and that is solved for epsilon.

    Examples
    --------
    >>> import math
    >>> epsilon_from_rates(0.9, 0.01) == math.log(90)
    True
    >>> epsilon_from_rates(0.9, 0.01, steps=2) == math.log(90) / 2
    True
    """
    hit = validate.array("tpr", tpr, 0.0, 1.0)
    false = validate.array("fpr", fpr, 0.0, 1.0)
    loss = validate.array("delta", delta, 0.0, 1.0)
    miss = 1.0 - hit if fnr is None else validate.array("fnr", fnr, 0.0, 1.0)
    if fnr is not None and np.any(np.abs(hit + miss - 1.0) > 1e-12):
        validate.refuse("fnr", fnr, "1 - tpr")
    validate.broadcast(("tpr", "fpr", "delta", "fnr"), (hit, false, loss, miss))
    return _both_sides(hit, false, 1.0 - false, miss, loss, steps_of(steps))


def epsilon_lower_bound(
    tp: Any, fn: Any, fp: Any, tn: Any, delta: Any = 0.0, confidence: float = 0.95, *, steps: int = 1
) -> Floats:
    """Return a lower bound on epsilon from an attack's counts, at a stated confidence.

    Parameters
    ----------
    tp, fn : int or array_like
        Members called *in* and *out*; together at least 1.
    fp, tn : int or array_like
        Others called *in* and *out*; together at least 1.
    steps : {1, 2}
        How many neighbouring steps the game's two data sets are apart.

    Returns
    -------
    float or ndarray
        In [0, inf).

    Notes
    -----
    Lecture notes, Corollary 1, with the Clopper-Pearson lower end of TPR and upper end of
    FPR, each at half the error; the ratio TNR / FNR rests on the same two events.  The
    attack, its threshold included, must be fixed before these games are played:
    `certify_epsilon` sees to that.

    Examples
    --------
    >>> round(epsilon_lower_bound(90, 10, 1, 99), 8)
    2.71644515
    """
    counts = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    arrays = {name: count(name, value) for name, value in counts.items()}
    loss = validate.array("delta", delta, 0.0, 1.0)
    alpha = (1 - validate.confidence(confidence)) / 2
    steps = steps_of(steps)
    validate.broadcast((*arrays, "delta"), (*arrays.values(), loss))
    members, others = arrays["tp"] + arrays["fn"], arrays["fp"] + arrays["tn"]
    if np.any(members < 1):
        validate.refuse("tp + fn", 0, "at least 1: a rate needs a member")
    if np.any(others < 1):
        validate.refuse("fp + tn", 0, "at least 1: a rate needs a record that was out")
    # The upper end of FNR is 1 minus the lower end of TPR, computed where it keeps its digits.
    return _both_sides(
        lower_rate(arrays["tp"], members, alpha),
        upper_rate(arrays["fp"], others, alpha),
        lower_rate(arrays["tn"], others, alpha),
        upper_rate(arrays["fn"], members, alpha),
        loss,
        steps,
    )
