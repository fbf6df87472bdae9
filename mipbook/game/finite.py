"""Exact membership inference on a finite mechanism: the best attacker, its curve, epsilon and delta."""

import math
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.checked import Chances, Numbers, checked
from mipbook import tradeoff
from mipbook.base.types import Array, Delta, Rates

Given = ArrayLike | None


@checked
def joint_sums(
    probabilities: Annotated[Any, Numbers(0.0, 1.0 + 1e-9, ndim=2)], member: Any, weights: Any
) -> tuple[Array, Array, float]:
    """Return P(output, out) and P(output, in) times a number, and it, after checking all."""
    off = np.abs(probabilities.sum(axis=1) - 1.0)
    if probabilities.size == 0 or np.any(off > 1e-9):
        row = int(off.argmax()) if probabilities.size else 0
        validate.refuse("probabilities", probabilities, f"rows that sum to 1 (row {row} does not)")
    if member is None:
        if len(probabilities) != 2:
            told = f"given for {len(probabilities)} rows of probabilities; two need none"
            validate.refuse("member", member, told)
        member = [False, True]
    flags = validate.flags("member", member)
    if flags.shape != (len(probabilities),):
        validate.refuse("member", member, f"a vector of {len(probabilities)} booleans, one a data set")
    if flags.all() or not flags.any():
        validate.refuse("member", member, "True for some data sets and False for others")
    if weights is None:
        # Sums of zeros and ones are exact; sums of their shares are not.
        return probabilities[~flags].sum(axis=0), probabilities[flags].sum(axis=0), float(len(probabilities))
    chance = validate.probability_vector("weights", weights)
    if chance.shape != flags.shape:
        validate.refuse("weights", weights, f"of length {len(probabilities)}, one a data set")
    if chance[flags].sum() == 0 or chance[~flags].sum() == 0:
        validate.refuse("weights", weights, "positive for members and for others")
    return chance[~flags] @ probabilities[~flags], chance[flags] @ probabilities[flags], 1.0


def _joint(probabilities: Any, member: Any, weights: Any) -> tuple[Array, Array]:
    """Return P(output, out) and P(output, in)."""
    out, inside, total = joint_sums(probabilities, member, weights)
    return out / total, inside / total


def output_laws(probabilities: ArrayLike, member: Given = None) -> tuple[Array, Array]:
    """Return the distribution of the output when the record is out, and when it is in.

    Returns
    -------
    without, inside : ndarray of shape (outputs,)
        Two probability vectors.

    Notes
    -----
    Lecture notes, section 3; PMP paper, Definition 2.

    Examples
    --------
    >>> without, inside = output_laws([[1.0, 0.0], [0.5, 0.5]])
    >>> inside.tolist()
    [0.5, 0.5]
    """
    out, inside = _joint(probabilities, member, None)
    return out / out.sum(), inside / inside.sum()


def posterior(probabilities: ArrayLike, member: Given = None, weights: Given = None) -> Array:
    """Return the probability that the record was in, given each output.

    Returns
    -------
    ndarray of shape (outputs,)
        In [0, 1]; at an output that never occurs, the chance before any output is seen.

    Notes
    -----
    Lecture notes, section 3; MIP paper, Proposition 2.

    Examples
    --------
    >>> posterior([[1.0, 0.0], [0.5, 0.5]]).round(6).tolist()
    [0.333333, 1.0]
    """
    out, inside = _joint(probabilities, member, weights)
    total = out + inside
    seen = total > 0
    return np.where(seen, inside / np.where(seen, total, 1.0), inside.sum())


def optimal_decisions(
    probabilities: ArrayLike, member: Given = None, weights: Given = None
) -> NDArray[np.bool_]:
    """Return what the Bayes attacker says at each output: True for *in*.

    Returns
    -------
    ndarray of bool, shape (outputs,)
        True where *in* is at least as likely as *out*.

    Notes
    -----
    MIP paper, Proposition 2: no attacker is right more often.

    Examples
    --------
    >>> optimal_decisions([[1.0, 0.0], [0.5, 0.5]]).tolist()
    [False, True]
    """
    out, inside = _joint(probabilities, member, weights)
    return np.asarray(inside >= out)


def optimal_accuracy(probabilities: ArrayLike, member: Given = None, weights: Given = None) -> float:
    """Return how often the Bayes attacker is right.

    Returns
    -------
    float
        In [1/2, 1], exact up to rounding.

    Notes
    -----
    MIP paper, Proposition 2.  At equal odds it is one half plus half the total variation
    distance, and the lecture's advantage is the part above one half.

    Examples
    --------
    >>> optimal_accuracy([[1.0, 0.0], [0.5, 0.5]])
    0.75
    """
    out, inside = _joint(probabilities, member, weights)
    # What one side is ahead by, output by output: so no rounding takes him below a coin toss.
    return float(min(1.0, (1 + np.abs(out - inside).sum()) / 2))


@checked
def finite_rates(
    probabilities: ArrayLike, decisions: Annotated[Any, Chances()], member: Given = None
) -> tuple[float | Array, float | Array]:
    """Return the exact TPR and FPR of any attacker on a finite mechanism.

    Parameters
    ----------
    decisions : array_like of shape (..., outputs)
        The chance, in [0, 1], that the attacker says *in* at each output; booleans are
        attackers that do not toss coins.

    Returns
    -------
    tpr, fpr : float or ndarray of shape (...)
        True and false positive rates.

    Notes
    -----
    Lecture notes, section 3.

    Examples
    --------
    >>> finite_rates([[1.0, 0.0], [0.5, 0.5]], [False, True])
    (0.5, 0.0)
    """
    out, inside = output_laws(probabilities, member)
    if decisions.ndim == 0 or decisions.shape[-1] != out.size:
        validate.refuse("decisions", decisions, f"of length {out.size}, one an output")
    tpr, fpr = np.asarray(decisions @ inside), np.asarray(decisions @ out)
    return (validate.plain(np.clip(tpr, 0.0, 1.0)), validate.plain(np.clip(fpr, 0.0, 1.0)))


def finite_roc(probabilities: ArrayLike, member: Given = None) -> tuple[Array, Array]:
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
    out, inside = output_laws(probabilities, member)
    seen = out + inside > 0
    out, inside = out[seen], inside[seen]
    # The likelihood ratio, as the smaller over the larger: a huge one keeps its digits.
    ahead = inside > out
    ratio = np.minimum(out, inside) / np.maximum(out, inside)
    order = np.lexsort((np.where(ahead, ratio, -ratio), ~ahead))
    keys = np.stack([ahead, ratio])[:, order]
    first = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    fpr, tpr = (np.add.reduceat(law[order], first) for law in (out, inside))

    path = np.minimum(np.cumsum(np.insert([fpr, tpr], 0, 0.0, axis=1), axis=1), 1.0)
    path[:, -1] = 1.0
    return path[0], path[1]


@checked
def finite_tpr(fpr: Rates, probabilities: ArrayLike) -> float | Array:
    """Return the best TPR that a finite mechanism allows at an FPR; a coin joins the corners.

    Notes
    -----
    The largest TPR is the trade-off curve of the two, by the lemma of Neyman and Pearson.

    Examples
    --------
    >>> finite_tpr([0.0, 0.5, 1.0], [[1.0, 0.0], [0.5, 0.5]]).tolist()
    [0.5, 0.75, 1.0]
    """
    x, y = finite_roc(probabilities)
    # Where the curve rises straight up, its top counts.
    top = np.append(x[1:] > x[:-1], True)
    return validate.plain(np.interp(fpr, x[top], y[top]))


def finite_delta(probabilities: ArrayLike, epsilon: Any, member: Given = None) -> float | Array:
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
    out, inside = output_laws(probabilities, member)
    forth = np.asarray(tradeoff.hockey_stick(inside, out, epsilon))
    back = np.asarray(tradeoff.hockey_stick(out, inside, epsilon))
    return validate.plain(np.maximum(forth, back))


@checked
def finite_epsilon(probabilities: ArrayLike, delta: Delta = 0.0, member: Given = None) -> float:
    """Return the smallest epsilon for which the two distributions are (epsilon, delta)-close.

    Returns
    -------
    float
        In [0, inf].  Rounded up: never below the smallest epsilon of the two distributions, *in* and
        *out*, as doubles hold them, and for delta = 0 at most 2e-15 of itself above it; else the sums
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
    laws = output_laws(probabilities, member)
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
