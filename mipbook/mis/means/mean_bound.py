"""Theorem 13's bound for any learner that sees a mean, and the records that it asks for."""

from __future__ import annotations

import math

from explorable import validate

__all__ = ["mean_delta_bound", "mean_records_needed"]

_LARGEST = 10**12


def mean_delta_bound(n: int, dimension: int, average_length: float, c: float = 0.0) -> float:
    """Return Theorem 13's bound on Delta of any learner that sees a mean of a vector.

    Parameters
    ----------
    n : int
        Records, in [2, 10^12].
    dimension : int
        Of the averaged vector L, in [1, 10^12].
    average_length : float
        Mean length of L after centring and whitening, at least 0.
    c : float
        Constant of the central limit theorem in total variation, at least 0.  It is 0 for
        Gaussian L, and not known in general.

    Returns
    -------
    float
        A bound, at most 1.

    References
    ----------
    Limits paper, Theorem 13: (c + m/2)/sqrt(n) + sqrt(d)/(2n), as rebuilt up to normalisation.

    Examples
    --------
    >>> round(mean_delta_bound(100, 1, (2 / math.pi) ** 0.5), 6)
    0.044894
    """
    n = validate.integer("n", n, 2, _LARGEST)
    dimension = validate.integer("dimension", dimension, 1, _LARGEST)
    average_length = validate.number("average_length", average_length, 0.0, open_high=True)
    c = validate.number("c", c, 0.0, open_high=True)
    return min(1.0, (c + average_length / 2) / math.sqrt(n) + math.sqrt(dimension) / (2 * n))


def mean_records_needed(security: float, dimension: int, average_length: float, c: float = 0.0) -> int:
    """Return the smallest n, at least 2, at which `mean_delta_bound` gives a security.

    Parameters
    ----------
    security : float
        What the security should be at least, in [0, 1); more than 10^12 records are refused.
    dimension, average_length, c
        As in `mean_delta_bound`.

    References
    ----------
    Limits paper, Remark 13: the quadratic inequality in 1/sqrt(n), solved.

    Examples
    --------
    >>> mean_records_needed(0.9, 50, 50**0.5)
    1320
    """
    security = validate.number("security", security, 0.0, 1.0, open_high=True)
    mean_delta_bound(2, dimension, average_length, c)
    for name, value in (("average_length", average_length), ("c", c)):
        validate.number(name, value, 0.0, 1e100)
    room, slope = 1 - security, c + average_length / 2
    root = 2 * room / (slope + math.sqrt(slope**2 + 2 * math.sqrt(dimension) * room))
    if root < 1.001e-6:
        validate.refuse(
            "security", security, f"one that at most {_LARGEST:,} records give, for this average_length and c"
        )
    n = max(2, math.ceil(1 / root**2) - 1)
    # The root is rounded, and the bound decides.
    while mean_delta_bound(n, dimension, average_length, c) > room:
        n += 1
    return n
