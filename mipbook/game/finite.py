"""The membership game on a finite mechanism, solved exactly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mipbook import tradeoff, validate

__all__ = [
    "finite_delta",
    "finite_epsilon",
    "finite_rates",
    "finite_roc",
    "joint_sums",
    "optimal_accuracy",
    "optimal_decisions",
    "output_laws",
    "posterior",
]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def joint_sums(probabilities: Any, member: Any, weights: Any) -> tuple[Array, Array, float]:
    """Return P(output, out) and P(output, in) times a number, and it, after checking all."""
    table = validate.array("probabilities", probabilities, 0.0, 1.0 + 1e-9, ndim=2)
    off = np.abs(table.sum(axis=1) - 1.0)
    if table.size == 0 or np.any(off > 1e-9):
        row = int(off.argmax()) if table.size else 0
        validate.refuse("probabilities", probabilities, f"rows that sum to 1 (row {row} does not)")
    if member is None:
        if len(table) != 2:
            validate.refuse("member", member, f"given for {len(table)} data sets; two need none")
        member = [False, True]
    flags = validate.flags("member", member)
    if flags.shape != (len(table),):
        validate.refuse("member", member, f"a vector of {len(table)} booleans, one a data set")
    if flags.all() or not flags.any():
        validate.refuse("member", member, "True for some data sets and False for others")
    if weights is None:
        # Sums of zeros and ones are exact; sums of their shares are not.
        return table[~flags].sum(axis=0), table[flags].sum(axis=0), float(len(table))
    chance = validate.probability_vector("weights", weights)
    if chance.shape != flags.shape:
        validate.refuse("weights", weights, f"of length {len(table)}, one a data set")
    if chance[flags].sum() == 0 or chance[~flags].sum() == 0:
        validate.refuse("weights", weights, "positive for members and for others")
    return chance[~flags] @ table[~flags], chance[flags] @ table[flags], 1.0


def _joint(probabilities: Any, member: Any, weights: Any) -> tuple[Array, Array]:
    """Return P(output, out) and P(output, in)."""
    out, inside, total = joint_sums(probabilities, member, weights)
    return out / total, inside / total


def output_laws(
    probabilities: ArrayLike, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Return the law of the output when the record is out, and when it is in.

    Parameters
    ----------
    probabilities : array_like of shape (datasets, outputs)
        One probability vector a data set.
    member : array_like of bool, shape (datasets,), optional
        Which data sets hold the record; ``(False, True)`` for two data sets if not given.
    weights : array_like of shape (datasets,), optional
        How likely each data set is; equally likely if not given.

    Returns
    -------
    without, inside : ndarray of shape (outputs,)
        Two probability vectors.

    Raises
    ------
    ValueError
        For a malformed argument.

    Notes
    -----
    Lecture notes, section 3; PMP paper, Definition 2.

    Examples
    --------
    >>> without, inside = output_laws([[1.0, 0.0], [0.5, 0.5]])
    >>> inside.tolist()
    [0.5, 0.5]
    """
    out, inside = _joint(probabilities, member, weights)
    return out / out.sum(), inside / inside.sum()


def posterior(
    probabilities: ArrayLike, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> Array:
    """Return the probability that the record was in, given each output.

    Parameters
    ----------
    probabilities : array_like of shape (datasets, outputs)
        One probability vector a data set.
    member : array_like of bool, shape (datasets,), optional
        Which data sets hold the record; ``(False, True)`` for two data sets if not given.
    weights : array_like of shape (datasets,), optional
        How likely each data set is; equally likely if not given.

    Returns
    -------
    ndarray of shape (outputs,)
        In [0, 1]; at an output that never occurs, the chance before any output is seen.

    Raises
    ------
    ValueError
        For a malformed argument.

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
    probabilities: ArrayLike, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> Flags:
    """Return what the Bayes attacker says at each output: True for *in*.

    Parameters
    ----------
    probabilities : array_like of shape (datasets, outputs)
        One probability vector a data set.
    member : array_like of bool, shape (datasets,), optional
        Which data sets hold the record; ``(False, True)`` for two data sets if not given.
    weights : array_like of shape (datasets,), optional
        How likely each data set is; equally likely if not given.

    Returns
    -------
    ndarray of bool, shape (outputs,)
        True where *in* is at least as likely as *out*.

    Raises
    ------
    ValueError
        For a malformed argument.

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


def optimal_accuracy(
    probabilities: ArrayLike, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> float:
    """Return how often the Bayes attacker is right.

    Parameters
    ----------
    probabilities : array_like of shape (datasets, outputs)
        One probability vector a data set.
    member : array_like of bool, shape (datasets,), optional
        Which data sets hold the record; ``(False, True)`` for two data sets if not given.
    weights : array_like of shape (datasets,), optional
        How likely each data set is; equally likely if not given.

    Returns
    -------
    float
        In [1/2, 1], exact up to rounding.

    Raises
    ------
    ValueError
        For a malformed argument.

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
    return float(min(1.0, np.maximum(out, inside).sum()))


def finite_rates(
    probabilities: ArrayLike,
    decisions: ArrayLike,
    member: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> tuple[float | Array, float | Array]:
    """Return the exact TPR and FPR of any attacker on a finite mechanism.

    Parameters
    ----------
    probabilities : array_like of shape (datasets, outputs)
        One probability vector a data set.
    decisions : array_like of shape (..., outputs)
        The chance, in [0, 1], that the attacker says *in* at each output; booleans are
        attackers that do not toss coins.
    member : array_like of bool, shape (datasets,), optional
        Which data sets hold the record; ``(False, True)`` for two data sets if not given.
    weights : array_like of shape (datasets,), optional
        How likely each data set is; equally likely if not given.

    Returns
    -------
    tpr, fpr : float or ndarray of shape (...)
        True and false positive rates.

    Raises
    ------
    ValueError
        For a malformed argument.

    Notes
    -----
    Lecture notes, section 3.

    Examples
    --------
    >>> finite_rates([[1.0, 0.0], [0.5, 0.5]], [False, True])
    (0.5, 0.0)
    """
    out, inside = output_laws(probabilities, member, weights)
    try:
        raw = np.asarray(decisions)
    except ValueError:
        validate.refuse("decisions", decisions, "of one length in every row")
    chances = validate.array("decisions", raw.astype(float) if raw.dtype == bool else raw, 0.0, 1.0)
    if chances.ndim == 0 or chances.shape[-1] != out.size:
        validate.refuse("decisions", decisions, f"of length {out.size}, one an output")
    tpr, fpr = np.asarray(chances @ inside), np.asarray(chances @ out)
    return (
        validate.plain(np.clip(tpr, 0.0, 1.0)),
        validate.plain(np.clip(fpr, 0.0, 1.0)),
    )


def finite_roc(
    probabilities: ArrayLike, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Return the corners of the best ROC curve that a finite mechanism allows.

    Parameters
    ----------
    probabilities : array_like of shape (datasets, outputs)
        One probability vector a data set.
    member : array_like of bool, shape (datasets,), optional
        Which data sets hold the record; ``(False, True)`` for two data sets if not given.
    weights : array_like of shape (datasets,), optional
        How likely each data set is; equally likely if not given.

    Returns
    -------
    fpr, tpr : ndarray of shape (corners,)
        From (0, 0) to (1, 1).  A line between two corners is an attacker that tosses a coin.

    Raises
    ------
    ValueError
        For a malformed argument.

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


def finite_delta(
    probabilities: ArrayLike,
    epsilon: Any,
    member: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> float | Array:
    """Return the smallest delta for which the two laws are (epsilon, delta)-close, both ways.

    Parameters
    ----------
    probabilities : array_like of shape (datasets, outputs)
        One probability vector a data set.
    epsilon : float or array_like
        Privacy parameter in [0, inf].
    member : array_like of bool, shape (datasets,), optional
        Which data sets hold the record; ``(False, True)`` for two data sets if not given.
    weights : array_like of shape (datasets,), optional
        How likely each data set is; equally likely if not given.

    Returns
    -------
    float or ndarray
        In [0, 1]; of the shape of ``epsilon``.

    Raises
    ------
    ValueError
        For a malformed argument.

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
    """Return the smallest epsilon for which the two laws are (epsilon, delta)-close.

    Parameters
    ----------
    probabilities : array_like of shape (datasets, outputs)
        One probability vector a data set.
    delta : float
        Failure probability in [0, 1].
    member : array_like of bool, shape (datasets,), optional
        Which data sets hold the record; ``(False, True)`` for two data sets if not given.
    weights : array_like of shape (datasets,), optional
        How likely each data set is; equally likely if not given.

    Returns
    -------
    float
        In [0, inf].

    Raises
    ------
    ValueError
        For a malformed argument.

    Notes
    -----
    Lecture notes, Corollary 1, read over all attackers: for delta = 0 the largest log ratio of
    the two laws at any output; otherwise the largest ``ln((TPR - delta) / FPR)`` along the best
    ROC curve, and the same with the roles of *in* and *out* exchanged.  A delta that equals a
    chance up to the rounding of the table's sums counts as equal to it.

    Examples
    --------
    >>> finite_epsilon([[0.25, 0.75], [0.75, 0.25]]) == math.log(3)
    True
    >>> finite_epsilon([[1.0, 0.0], [0.5, 0.5]], delta=0.1)
    inf
    """
    delta = validate.number("delta", delta, 0.0, 1.0)
    laws = output_laws(probabilities, member, weights)
    if delta == 0:
        with np.errstate(divide="ignore"):
            logs = np.log(np.stack(laws))
        seen = np.isfinite(logs).any(axis=0)
        return float(np.abs(logs[0, seen] - logs[1, seen]).max())
    epsilon = 0.0
    for q, p in (laws, laws[::-1]):
        fpr, tpr = finite_roc([q, p])
        over = tpr - delta
        # A rounding error of the sums must not look like an event that is impossible.
        over[over <= 4e-16 * delta * np.sqrt(q.size)] = 0.0
        if np.any((over > 0) & (fpr == 0)):
            return math.inf
        open_ = (over > 0) & (fpr > 0)
        if open_.any():
            logs = np.log(over[open_]) - np.log(fpr[open_])
            epsilon = max(epsilon, float(logs.max()))
    return epsilon
