"""The best ROC curve of a finite mechanism, and what it says about epsilon and delta."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook import tradeoff
from mipbook.base.types import Array
from mipbook.game.finite import output_laws

__all__ = ["finite_delta", "finite_epsilon", "finite_roc", "finite_tpr"]


def finite_roc(
    probabilities: ArrayLike, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Return the corners of the best ROC curve that a finite mechanism allows.

    Returns
    -------
    fpr, tpr : ndarray of shape (corners,)
        From (0, 0) to (1, 1).  A line between two corners is an attacker that tosses a coin.

    Notes
    -----
    The Neyman-Pearson lemma: outputs enter in falling order of their likelihood ratio;
    equal ratios enter together.

    Examples
    --------
    >>> fpr, tpr = finite_roc([[1.0, 0.0], [0.5, 0.5]])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 1.0], [0.0, 0.5, 1.0])
    """
    out, inside = output_laws(probabilities, member, weights)
    seen = out + inside > 0
    out, inside = out[seen], inside[seen]
    # The likelihood ratio, as the smaller over the larger: a huge one keeps its digits.
    ahead = inside > out
    ratio = np.minimum(out, inside) / np.maximum(out, inside)
    order = np.lexsort((np.where(ahead, ratio, -ratio), ~ahead))
    keys = np.stack([ahead, ratio])[:, order]
    first = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    fpr, tpr = (np.add.reduceat(law[order], first) for law in (out, inside))

    def curve(steps: Array) -> Array:
        path = np.minimum(np.concatenate([[0.0], np.cumsum(steps)]), 1.0)
        path[-1] = 1.0
        return np.asarray(path)

    return curve(fpr), curve(tpr)


def finite_tpr(
    fpr: ArrayLike,
    probabilities: ArrayLike,
    member: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> float | Array:
    """Return the best TPR that a finite mechanism allows at an FPR; a coin joins the corners.

    Notes
    -----
    The largest TPR is the trade-off curve of the two, by the lemma of Neyman and Pearson.

    Examples
    --------
    >>> finite_tpr([0.0, 0.5, 1.0], [[1.0, 0.0], [0.5, 0.5]]).tolist()
    [0.5, 0.75, 1.0]
    """
    at = validate.array("fpr", fpr, 0.0, 1.0)
    corners = finite_roc(probabilities, member, weights)
    # Where the curve rises straight up, its top counts.
    top = np.append(corners[0][1:] > corners[0][:-1], True)
    return validate.plain(np.interp(at, corners[0][top], corners[1][top]))


def finite_delta(
    probabilities: ArrayLike, epsilon: Any, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> float | Array:
    """Return the smallest delta for which both are (epsilon, delta)-close, both ways.

    Returns
    -------
    float or ndarray
        In [0, 1]; of the shape of ``epsilon``.

    Notes
    -----
    Lecture notes, Theorem 1.  For a pair of neighbouring data sets this is the pair's DP
    delta; maximise over pairs for the mechanism's.

    Examples
    --------
    >>> finite_delta([[1.0, 0.0], [0.5, 0.5]], 3.0)
    0.5
    """
    out, inside = output_laws(probabilities, member, weights)
    forth = np.asarray(tradeoff.hockey_stick(inside, out, epsilon))
    back = np.asarray(tradeoff.hockey_stick(out, inside, epsilon))
    return validate.plain(np.maximum(forth, back))


def finite_epsilon(
    probabilities: ArrayLike,
    delta: float = 0.0,
    member: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> float:
    """Return the smallest epsilon for which the two distributions are (epsilon, delta)-close.

    Returns
    -------
    float
        In [0, inf].  Rounded up: never below the smallest epsilon of the two distributions that
        `output_laws` returns, and for delta = 0 at most 2e-15 of itself above it; else the sums
        cost as many units of the last digit as there are outputs.

    Notes
    -----
    Lecture notes, Corollary 1, read over all attackers: for delta = 0 the largest log ratio of
    the two distributions at any output; otherwise the largest ``ln((TPR - delta) / FPR)`` along
    the best ROC curve, and the same with the roles of *in* and *out* exchanged.  The one exception
    to the rounding up: a delta that equals a chance, or TPR - FPR, up to the rounding of the
    table's sums counts as equal to it.

    Examples
    --------
    >>> 0 <= finite_epsilon([[0.25, 0.75], [0.75, 0.25]]) - math.log(3) < 1e-14
    True
    >>> finite_epsilon([[1.0, 0.0], [0.5, 0.5]], delta=0.1)
    inf
    """
    delta = validate.number("delta", delta, 0.0, 1.0)
    laws = output_laws(probabilities, member, weights)
    if delta == 0:
        rarer, likelier = np.minimum(*laws), np.maximum(*laws)
        rarer, likelier = rarer[likelier > 0], likelier[likelier > 0]
        with np.errstate(divide="ignore", over="ignore"):
            more = (likelier - rarer) / rarer
            # A ratio beyond the doubles still has a logarithm.
            logs = np.where(np.isfinite(more), np.log1p(more), np.log(likelier) - np.log(rarer))
        return float(logs.max()) * (1 + 2.0**-50)
    epsilon = 0.0
    for q, p in (laws, laws[::-1]):
        fpr, tpr = finite_roc([q, p])
        over = tpr - delta
        # A rounding error of the sums must not look like an event that is impossible.
        over[over <= 4e-16 * delta * np.sqrt(q.size)] = 0.0
        if np.any((over > 0) & (fpr == 0)):
            return math.inf
        open_ = over - fpr > 4e-16 * np.sqrt(q.size) * tpr
        if open_.any():
            # What the sums may be off by, then what the logarithms may be.
            off = (q.size + 3) * 2.0**-53
            rest, caught = over[open_] + off * tpr[open_], fpr[open_] * (1 - off)
            top, bottom = np.log(rest), np.log(caught)
            slack = 2.0**-50 * (np.abs(top) + np.abs(bottom))
            epsilon = max(epsilon, float((top - bottom + slack).max()))
    return epsilon
