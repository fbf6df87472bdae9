"""Finite mechanisms: one row of probabilities a data set, one column an output."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from scipy.special import log_softmax

from explorable import validate
from explorable.checked import Integer, Numbers, OneOf, checked
from mipbook.base.types import Array, Delta, Epsilon, FiniteEpsilon, Rate, Sensitivity


@checked
def randomised_response(epsilon: Epsilon, values: Annotated[int, Integer(2, 5000)] = 2) -> Array:
    """Return randomised response: the true value with odds ``e**epsilon`` against any other.

    Parameters
    ----------
    values : int
        How many values a record can take, 2 to 5000.

    Returns
    -------
    ndarray of shape (values, values)
        Row i holds the probabilities of the answers when the record's value is i.

    Notes
    -----
    Exactly epsilon-DP when a record is replaced.  The game of the lecture notes, section 3,
    with two values; PMP paper, Definition 1.

    References
    ----------
    S. L. Warner, "Randomized Response", Journal of the American Statistical Association 1965.

    Examples
    --------
    >>> randomised_response(1.0).round(6).tolist()
    [[0.731059, 0.268941], [0.268941, 0.731059]]
    """
    # Both probabilities from exp(-epsilon), which cannot overflow.
    odds = math.exp(-epsilon)
    table = np.full((values, values), odds / (1 + (values - 1) * odds))
    np.fill_diagonal(table, 1 / (1 + (values - 1) * odds))
    return table


@checked
def tight_mechanism(epsilon: float, delta: Delta = 0.0) -> Array:
    """Return the mechanism that attains every (epsilon, delta) bound at once.

    Returns
    -------
    ndarray of shape (2, 4)
        Row 0: the record is out; row 1: it is in.  The outputs, in order: *certainly
        out*, *probably out*, *probably in*, *certainly in*.

    Notes
    -----
    With probability delta the truth is told for certain, otherwise with odds
    ``e**epsilon``.  Every (epsilon, delta)-DP mechanism is a randomised function of this
    one, so its ROC curve is the boundary of the region of Theorem 1 of the lecture notes.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential
    Privacy", IEEE Trans. Inf. Theory 2017, Section 3.

    Examples
    --------
    >>> tight_mechanism(1.0, 0.1).round(6).tolist()
    [[0.1, 0.657953, 0.242047, 0.0], [0.0, 0.242047, 0.657953, 0.1]]
    """
    (likely, unlikely), _ = randomised_response(epsilon)
    out = [delta, (1 - delta) * likely, (1 - delta) * unlikely, 0.0]
    return np.array([out, out[::-1]])


@checked
def sampling_mechanism(
    fraction: Rate, neighbours: Annotated[str, OneOf(("add or remove", "replace"))] = "add or remove"
) -> Array:
    """Return what the release of random records says about one record.

    Parameters
    ----------
    fraction : float
        Share of the records that is released, in [0, 1].
    neighbours : {"add or remove", "replace"}
        Whether the record is added to the others, or takes the place of one that the attacker
        knows, and that is a sign of its own when it is seen.

    Returns
    -------
    ndarray of shape (2, 2) or (2, 3)
        Row 0: the record is out; row 1: it is in.  Outputs: *not seen*, *seen*, and with
        *replace* also *the replaced one seen*.

    Notes
    -----
    Lecture notes, section 2.  The other released records carry no information about this one.
    Total variation and delta do not depend on the relation; the ROC curve does.

    Examples
    --------
    >>> sampling_mechanism(0.5).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    >>> sampling_mechanism(0.5, "replace").tolist()
    [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    if neighbours == "replace":
        return np.array([[1 - fraction, 0.0, fraction], [1 - fraction, fraction, 0.0]])
    return np.array([[1.0, 0.0], [1 - fraction, fraction]])


@checked
def exponential_probabilities(
    losses: Annotated[Any, Numbers()], epsilon: FiniteEpsilon, sensitivity: Sensitivity = 1.0
) -> Array:
    r"""Return the mechanism's chances, :math:`p(w) \propto e^{-\epsilon\ell(w)/2\Delta}`.

    Parameters
    ----------
    losses : array_like of shape (..., outputs)
        The loss of each output on each data set, finite.
    epsilon : float
        Privacy parameter in [0, inf); at 0 every output is equally likely.
    sensitivity : float
        Largest change of any loss between neighbouring data sets, in (0, inf).

    Returns
    -------
    ndarray of shape (..., outputs)
        Each row sums to 1.

    Notes
    -----
    PMP paper, Definition 7 and Lemma 8; the neighbour relation is the one that
    ``sensitivity`` was measured in.

    Examples
    --------
    >>> exponential_probabilities([[0.0, 1.0], [1.0, 1.0]], 2.0).round(6).tolist()
    [[0.731059, 0.268941], [0.5, 0.5]]
    """
    if losses.ndim == 0 or losses.size == 0 or not np.isfinite(losses).all():
        validate.refuse("losses", losses, "finite numbers, at least one output")
    # The smallest loss first, so that huge losses and epsilons stay within the doubles.
    with np.errstate(over="ignore", under="ignore"):
        above = losses - losses.min(axis=-1, keepdims=True)
        exponent = -np.minimum(above / sensitivity * (epsilon / 2), 1e300)
        return np.asarray(np.exp(log_softmax(exponent, axis=-1)))
