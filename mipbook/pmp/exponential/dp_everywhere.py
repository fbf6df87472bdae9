"""What the exponential mechanism promises to everybody, and what the figures call eps(X)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from mipbook.base.types import Array
from mipbook.data.populations import points

__all__ = [
    "SENSITIVITIES",
    "local_sensitivity",
    "norm_losses",
    "norm_sensitivity",
    "surrogate_epsilon",
    "true_epsilon_bound",
]

SENSITIVITIES = ("attained", "triangle")
# Distances held at once: 1.6 GB.
_MOST_CELLS = 200_000_000


def norm_losses(values: ArrayLike, objects: ArrayLike) -> Array:
    """Return the distance of each object from each record.

    Parameters
    ----------
    values : array_like of shape (records, dimension)
        The records, clipped already.
    objects : array_like of shape (objects, dimension)
        What the mechanism chooses from.

    Returns
    -------
    ndarray of shape (records, objects)

    Notes
    -----
    PMP paper, the loss of its simulations; a data set's loss is the mean over its records.

    Examples
    --------
    >>> norm_losses([[3.0, 0.0]], [[0.0, 4.0], [3.0, 0.0]]).tolist()
    [[5.0, 0.0]]
    """
    x, w = points("values", values), points("objects", objects)
    if x.shape[1] != w.shape[1]:
        validate.refuse("objects", objects, f"of dimension {x.shape[1]}, as the values are")
    if len(x) * len(w) > _MOST_CELLS:
        validate.refuse(
            "values",
            f"{len(x)} records, {len(w)} objects",
            f"at most {_MOST_CELLS:,} pairs of a record and an object",
        )
    # Slow to load, and many readers never get here.
    from scipy.spatial.distance import cdist

    top = max(float(np.abs(x).max()), float(np.abs(w).max()))
    if 1e-140 < top < 1e140:
        return np.asarray(cdist(x, w))
    # A power of two: squares neither overflow nor vanish, and nothing is rounded.
    scale = math.ldexp(1.0, math.frexp(top)[1] - 1) if top > 0 else 1.0
    with np.errstate(over="ignore"):
        losses = np.asarray(cdist(x / scale, w / scale) * scale)
    if not np.isfinite(losses).all():
        validate.refuse("values", x, "so near to the objects that their distances are finite")
    return losses


def norm_sensitivity(n: int, clip: float, convention: str = "attained") -> float:
    """Return the sensitivity of the mean distance from a unit vector, for clipped records.

    Parameters
    ----------
    n : int
        Records in a data set, at least 1.
    clip : float
        Largest length of a record, C, in (0, inf).
    convention : {"attained", "triangle"}
        The largest change that some neighbours attain, ``min(C + 1, 2 C) / n``, or the triangle
        inequality's bound ``2 C / n``.

    Notes
    -----
    PMP paper, the simulations of Figures 1 to 3, which do not say which of the two they use.

    Examples
    --------
    >>> norm_sensitivity(6, 50.0), norm_sensitivity(6, 51.0, "triangle")
    (8.5, 17.0)
    """
    n = validate.integer("n", n, 1)
    clip = validate.number("clip", clip, 0.0, math.inf, open_low=True, open_high=True)
    convention = validate.choice("convention", convention, SENSITIVITIES)
    # Divided first: twice the largest numbers is none.
    attained = convention == "attained" and clip >= 1
    found = (clip + 1) / n if attained else 2 * (clip / n)
    if found == math.inf:
        validate.refuse("clip", clip, "small enough that the sensitivity is a number")
    return found


def local_sensitivity(losses: ArrayLike) -> float:
    """Return the largest change of any object's mean loss between neighbouring halves.

    Returns
    -------
    float
        In [0, inf); the paper's Delta_X.

    Notes
    -----
    PMP paper, the simulations of Figures 1 to 3.

    Examples
    --------
    >>> local_sensitivity([[0.0, 1.0], [3.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    1.5
    """
    table = validate.array("losses", losses, ndim=2)
    if table.size == 0 or len(table) % 2:
        validate.refuse("losses", losses, "of an even number of rows, not empty")
    return float(np.ptp(table, axis=0).max() / (len(table) // 2))


def surrogate_epsilon(losses: ArrayLike, epsilon: Any, sensitivity: float) -> float:
    """Return what the paper's figures plot as eps(X): epsilon times Delta_X / Delta.

    Returns
    -------
    float
        In [0, inf): a bound on `subset_epsilon`, often far above it.

    Notes
    -----
    PMP paper, Figures 1 to 3.  The text defines eps(X) otherwise; only this reading gives the
    numbers that it quotes.

    Examples
    --------
    >>> surrogate_epsilon([[0.0, 1.0], [3.0, 1.0], [0.0, 1.0], [1.0, 1.0]], 4.0, 3.0)
    2.0
    """
    epsilon = validate.number("epsilon", epsilon, 0.0, math.inf, open_high=True)
    sensitivity = validate.number("sensitivity", sensitivity, 0.0, math.inf, open_low=True, open_high=True)
    return float(epsilon * local_sensitivity(losses) / sensitivity)


def true_epsilon_bound(objects: ArrayLike, n: int, epsilon: float, sensitivity: float) -> float:
    r"""Return a proved bound on the true DP parameter when the loss is a distance.

    Parameters
    ----------
    objects : array_like of shape (objects, dimension)
        What the mechanism chooses from.
    n : int
        Records in a data set, at least 1.

    Returns
    -------
    float
        In [0, epsilon], a bound over all pairs of neighbouring data sets.

    Notes
    -----
    New here.  What a record adds to all losses alike cancels in the exponential mechanism, and
    :math:`\|w-x\| - \|w'-x\|` is at most the distance of the two objects, so a replaced record
    moves a log probability by at most
    :math:`\frac{\epsilon}{n\Delta}\max_{w,w'}\|w-w'\|`.

    Examples
    --------
    >>> true_epsilon_bound([[1.0], [-1.0]], 6, 28.5, 20 / 6)
    2.85
    """
    w = points("objects", objects)
    n = validate.integer("n", n, 1)
    epsilon = validate.number("epsilon", epsilon, 0.0, math.inf, open_high=True)
    sensitivity = validate.number("sensitivity", sensitivity, 0.0, math.inf, open_low=True, open_high=True)
    from scipy.spatial.distance import cdist

    blocks = np.array_split(w, max(1, len(w) // 64))
    diameter = max(float(cdist(block, w).max()) for block in blocks)
    return min(epsilon, epsilon / (n * sensitivity) * diameter)
