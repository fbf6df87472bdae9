"""The membership game on a finite mechanism, solved exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.base.types import Array

__all__ = ["finite_rates", "joint_sums", "optimal_accuracy", "optimal_decisions", "output_laws", "posterior"]

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
            validate.refuse("member", member, f"given for {len(table)} rows of probabilities; two need none")
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
    out, inside = _joint(probabilities, member, weights)
    return out / out.sum(), inside / inside.sum()


def posterior(
    probabilities: ArrayLike, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> Array:
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
    probabilities: ArrayLike, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> Flags:
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


def optimal_accuracy(
    probabilities: ArrayLike, member: ArrayLike | None = None, weights: ArrayLike | None = None
) -> float:
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
    out, inside = output_laws(probabilities, member, weights)
    chances = validate.chances("decisions", decisions)
    if chances.ndim == 0 or chances.shape[-1] != out.size:
        validate.refuse("decisions", decisions, f"of length {out.size}, one an output")
    tpr, fpr = np.asarray(chances @ inside), np.asarray(chances @ out)
    return (validate.plain(np.clip(tpr, 0.0, 1.0)), validate.plain(np.clip(fpr, 0.0, 1.0)))
