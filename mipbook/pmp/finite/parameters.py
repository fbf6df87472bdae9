"""The exact PMP parameters of a finite mechanism, record by record."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook import game
from mipbook.base.types import Array
from mipbook.mip.finite import membership_table
from mipbook.pmp.finite.worst import worst_epsilon

__all__ = ["finite_pmp_delta", "finite_pmp_epsilon", "posterior_delta", "record_epsilons"]


def record_epsilons(probabilities: ArrayLike, members: ArrayLike, delta: float = 0.0) -> Array:
    """Return, for each record, how close the output's distributions with and without it are.

    Parameters
    ----------
    members : array_like of bool, shape (datasets, records)
        Which records each data set holds, as from `mipbook.mip.subsets`.

    Returns
    -------
    ndarray of shape (records,)
        In [0, inf].

    Notes
    -----
    PMP paper, Definition 2, for one record at a time.

    Examples
    --------
    >>> from mipbook import mip
    >>> only_the_first = np.array([[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 3)
    >>> [round(e, 6) for e in record_epsilons(only_the_first, mip.subsets(4)).tolist()]
    [inf, 0.693147, 0.693147, 0.693147]
    """
    delta = validate.number("delta", delta, 0.0, 1.0)
    table, flags = membership_table(probabilities, members)
    return np.array([game.finite_epsilon(table, delta, column) for column in flags.T])


def finite_pmp_epsilon(probabilities: ArrayLike, members: ArrayLike, delta: float = 0.0) -> float:
    """Return the smallest epsilon for which a finite mechanism is (epsilon, delta)-PMP.

    Returns
    -------
    float
        In [0, inf]; the worst record, both directions.

    Notes
    -----
    PMP paper, Definition 2 and Lemma 11.

    Examples
    --------
    >>> from mipbook import mip
    >>> halves = mip.subsets(6)
    >>> remainder = halves @ np.arange(6) % 6
    >>> table = (remainder[:, None] == np.arange(6)) * 1.0
    >>> round(finite_pmp_epsilon(table, halves), 12) == round(math.log(2), 12)
    True
    """
    delta = validate.number("delta", delta, 0.0, 1.0)
    table, flags = membership_table(probabilities, members)
    drawn = flags.sum(axis=0)
    # The check of a column makes those of the table too.
    game.output_laws(table, flags[:, 0])
    if delta == 0 or (drawn % len(flags) == 0).any():
        return float(record_epsilons(table, flags, delta).max())
    inside, without = flags.T @ table, ~flags.T @ table
    inside, without = inside / drawn[:, None], without / (len(flags) - drawn)[:, None]
    return worst_epsilon(inside, without, delta, lambda i: game.finite_epsilon(table, delta, flags[:, i]))


def finite_pmp_delta(
    probabilities: ArrayLike, members: ArrayLike, epsilon: Any
) -> float | NDArray[np.float64]:
    """Return the smallest delta for which a finite mechanism is (epsilon, delta)-PMP.

    Returns
    -------
    float or ndarray
        In [0, 1], of the shape of ``epsilon``; the worst record, both directions.

    Notes
    -----
    PMP paper, Lemma 11: the larger of the two hockey-stick divergences.

    Examples
    --------
    >>> from mipbook import mip
    >>> finite_pmp_delta([[0.2, 0.8], [0.0, 1.0]], mip.subsets(2), 0.0)
    0.2
    """
    table, flags = membership_table(probabilities, members)
    found = [np.asarray(game.finite_delta(table, epsilon, column)) for column in flags.T]
    return validate.plain(np.max(found, axis=0))


def posterior_delta(probabilities: ArrayLike, members: ArrayLike, epsilon: float) -> float:
    r"""Return the smallest delta for which the *posterior* obeys Lemma 3's condition (1).

    For every event S, with q the chance that a record is in given S, that condition is
    :math:`q \le e^\epsilon (1 - q) + \delta` and the same with q and 1 - q exchanged.

    Parameters
    ----------
    members : array_like of bool, shape (datasets, records)
        Which records each data set holds; each record in exactly half of the data sets.

    Returns
    -------
    float
        In [0, 1]; never below `finite_pmp_delta`.

    Notes
    -----
    PMP paper, Lemma 3.  The worst event is a single output, the one with the most extreme
    posterior, so the condition is pure PMP in disguise: with e~ the pure parameter, delta is
    :math:`(e^{\tilde e} - e^\epsilon) / (1 + e^{\tilde e})`.

    Examples
    --------
    >>> from mipbook import mip
    >>> from mipbook.mechanisms import randomised_response
    >>> round(posterior_delta(randomised_response(math.log(2)), mip.subsets(2), 0.0), 12)
    0.333333333333
    """
    epsilon = validate.number("epsilon", epsilon, 0.0)
    table, flags = membership_table(probabilities, members)
    if np.any(2 * flags.sum(axis=0) != len(flags)):
        validate.refuse("members", flags, "such that each record is in half of the data sets")
    pure = finite_pmp_epsilon(table, flags)
    if math.isinf(pure):
        return 1.0
    if epsilon >= pure:
        return 0.0
    return -math.expm1(epsilon - pure) / (1 + math.exp(-pure))
