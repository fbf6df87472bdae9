"""A release that names one half: hardly anything on average, everything to a neighbour."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from explorable import validate
from mipbook.base.types import Array
from mipbook.mip.finite import subsets

__all__ = ["OneHalf", "one_half", "one_half_table"]


class OneHalf(NamedTuple):
    """What a release that names one half promises, exactly, on every pool.

    Attributes
    ----------
    eta : float
        The MIP parameter.
    epsilon : float
        The PMP parameter with delta 0; may be inf.
    least_delta : float
        No (epsilon, delta)-DP holds for any finite epsilon with a smaller delta.
    """

    eta: float
    epsilon: float
    least_delta: float


def _checked(n: int, p: float, most: int) -> tuple[int, float]:
    return validate.integer("n", n, 1, most), validate.number("p", p, 0.0, 1.0)


def one_half(n: int, p: float = 0.0) -> OneHalf:
    r"""Return what *yes on one half, and with probability p on any other* promises.

    Parameters
    ----------
    n : int
        Records in a data set, drawn out of 2n; in [1, 500].
    p : float
        In [0, 1].

    Notes
    -----
    This book, Theorem 2.6.  With :math:`N = \binom{2n - 1}{n - 1}` halves that hold a record:
    :math:`\eta = \frac{1 - p}{2N}` and
    :math:`\tilde\varepsilon = \max\{\ln\frac{1/p + N - 1}{N}, \ln\frac{N}{N - 1}\}`.  On the
    half and a neighbour *no* has the probabilities 0 and 1 - p.

    Examples
    --------
    >>> found = one_half(10, 0.01)
    >>> round(found.epsilon, 6), found.least_delta
    (0.001071, 0.99)
    """
    n, p = _checked(n, p, 500)
    halves = math.comb(2 * n - 1, n - 1)
    eta = (1 - p) / (2 * halves)
    if p == 1:
        return OneHalf(0.0, 0.0, 0.0)
    inverse = 1 / p if p > 0 else math.inf
    yes = math.log1p((inverse - 1) / halves)
    no = math.log1p(1 / (halves - 1)) if halves > 1 else math.inf
    return OneHalf(eta, max(yes, no), 1 - p)


def one_half_table(n: int, p: float = 0.0) -> Array:
    """Return the release of `one_half` as a table, row by row of ``mip.subsets(2 * n)``.

    Parameters
    ----------
    n : int
        Records in a data set, in [1, 7].
    p : float
        In [0, 1].

    Returns
    -------
    ndarray of shape (C(2n, n), 2)
        The probabilities of *no* and of *yes*; the first row is the half that is named.

    Notes
    -----
    MIP paper, Theorem 5, for ``p = 0``.

    Examples
    --------
    >>> one_half_table(1, 0.25).tolist()
    [[0.0, 1.0], [0.75, 0.25]]
    """
    n, p = _checked(n, p, 7)
    yes = np.full(len(subsets(2 * n)), p)
    yes[0] = 1.0
    return np.stack([1 - yes, yes], axis=1)
