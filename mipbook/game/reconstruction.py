"""What a release of some records gives to an attacker who wants to rebuild all of them."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from explorable import validate
from explorable.checked import Integer, Squarable, checked
from mipbook.base.types import Array, Rate

Records = Annotated[int, Integer(1, 10**7)]
# What is never guessed in practice is not guessed at all.
_NEVER = 1e-290


@checked
def rows_recovered(n: Records, released: int, guess: Rate) -> Array:
    """Return the distribution of the number of records that the best attacker gets right.

    Parameters
    ----------
    n : int
        Records in the data set, 1 to 10^7.
    released : int
        How many of them are released as they are, in [0, n].
    guess : float
        The chance, in [0, 1], to guess a record that was not released.

    Returns
    -------
    ndarray of shape (n + 1,)
        Probability of 0, 1, ..., n records right.

    Notes
    -----
    Lecture notes, section 2: the released ones are right, each other one is a guess of
    its own.

    Examples
    --------
    >>> rows_recovered(4, 2, 0.5).round(12).tolist()
    [0.0, 0.0, 0.25, 0.5, 0.25]
    """
    released = validate.integer("released", released, 0, n, bound="n")
    guess = guess if guess > _NEVER else 0.0
    from scipy.stats import binom  # slow to import, and only needed here

    law = np.zeros(n + 1)
    law[released:] = binom.pmf(np.arange(n - released + 1), n - released, guess)
    return law


@checked
def reconstruction_probability(n: Records, released: int, guess: Rate, share: Rate) -> float:
    """Return the chance that the best attacker gets at least this share of the records right.

    Parameters
    ----------
    n : int
        Records in the data set, 1 to 10^7.
    released : int
        How many of them are released as they are, in [0, n].
    guess : float
        The chance, in [0, 1], to guess a record that was not released.
    share : float
        The share of all records, in [0, 1], that counts as a reconstruction.

    Returns
    -------
    float
        In [0, 1], exact.

    Notes
    -----
    Lecture notes, section 2.

    Examples
    --------
    >>> reconstruction_probability(100, 50, 0.5, 0.95) < 1e-8
    True
    """
    released = validate.integer("released", released, 0, n, bound="n")
    guess = guess if guess > _NEVER else 0.0
    from scipy.stats import binom

    needed = math.ceil(share * n - 1e-9) - released
    return float(binom.sf(needed - 1, n - released, guess))


@checked
def sample_mean_error(values: Annotated[Any, Squarable(ndim=1)], released: int) -> float:
    """Return the standard deviation of the mean of a random part of the records.

    Parameters
    ----------
    values : array_like of shape (n,)
        One finite number a record.
    released : int
        How many records the part has, in [1, n].

    Returns
    -------
    float
        Exact: drawing without replacement, around the mean of all records.

    Notes
    -----
    Lecture notes, section 2: the mechanism is useful.

    Examples
    --------
    >>> round(sample_mean_error([0.0, 0.0, 1.0, 1.0], 2), 12)
    0.288675134595
    """
    if values.size == 0:
        validate.refuse("values", values, "at least one number")
    released = validate.integer("released", released, 1, values.size, bound="len(values)")
    if released == values.size:
        return 0.0
    variance = values.var(ddof=1) * (1 / released - 1 / values.size)
    return float(np.sqrt(variance))
