"""The mean absolute deviation of a binomial share, in De Moivre's closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.base.types import Array
from mipbook.mis.binomial import excess, log_main_term

__all__ = ["LARGEST_N", "de_moivre_sum", "mean_absolute_deviation", "sizes"]

# Above it n p is off by more than a millionth of a count.
LARGEST_N = 10**9


def sizes(name: str, value: ArrayLike) -> Array:
    """Return whole numbers in [1, 10^9] as floats."""
    n = validate.array(name, value, 1, LARGEST_N)
    if np.any(n != np.floor(n)):
        validate.refuse(name, value, f"whole numbers in [1, {LARGEST_N}]")
    return n


def mean_absolute_deviation(
    n: ArrayLike, p: ArrayLike, gamma: ArrayLike = 1.0
) -> float | NDArray[np.float64]:
    r"""Return E|B/n - gamma p| for a binomial count B of n trials with chance p.

    Parameters
    ----------
    n : array_like
        Trials, whole numbers in [1, 10^9].
    p : array_like
        Chance, in [0, 1].
    gamma : array_like
        What multiplies the mean, in [0, inf); 1 for the mean absolute deviation itself.

    Notes
    -----
    Limits paper, Lemmas 29 and 31.  With :math:`m = \lfloor np \rfloor` and gamma = 1 the
    value is :math:`2\binom{n-1}{m}p^{m+1}(1-p)^{n-m}`; otherwise an incomplete beta function
    enters.  Evaluated by the saddle-point form of the binomial distribution, in logarithms.

    Examples
    --------
    >>> round(mean_absolute_deviation(7, 1 / 3) * 2187, 9)
    320.0
    >>> round(mean_absolute_deviation(10**9, 0.5) * 10**4.5, 6)
    0.398942
    """
    count = sizes("n", n)
    chance = validate.array("p", p, 0.0, 1.0)
    factor = validate.array("gamma", gamma, 0.0, np.inf, open_high=True)
    validate.broadcast(("n", "p", "gamma"), (count, chance, factor))
    value = np.abs(factor - 1) * chance + 2 * excess(count, chance, factor)
    return validate.plain(value)


def de_moivre_sum(n: ArrayLike, p: ArrayLike, m: ArrayLike) -> float | NDArray[np.float64]:
    r"""Return the sum of (np - k) P(B = k) over k = 0, ..., m, in closed form.

    Parameters
    ----------
    n, p : array_like
        As in `mean_absolute_deviation`.
    m : array_like
        Where the sum ends, whole numbers in [0, n].

    Returns
    -------
    float or ndarray
        :math:`(n - m)\binom{n}{m}p^{m+1}(1-p)^{n-m}`; 0 at m = n, where the sum is complete.

    References
    ----------
    Limits paper, Lemma 31 (De Moivre 1730).

    Examples
    --------
    >>> round(de_moivre_sum(12, 2 / 7, 4), 12)
    0.510893854649
    """
    count = sizes("n", n)
    chance = validate.array("p", p, 0.0, 1.0)
    end = validate.array("m", m, 0, LARGEST_N)
    validate.broadcast(("n", "p", "m"), (count, chance, end))
    if np.any(end != np.floor(end)) or np.any(end > count):
        validate.refuse("m", m, "whole numbers in [0, n]")
    count, chance, end = np.broadcast_arrays(count, chance, end)
    inside = (chance > 0) & (chance < 1) & (end < count)
    safe = np.where(inside, chance, 0.5), np.where(inside, end, 0.0)
    value = np.exp(log_main_term(count, *safe))
    # With p = 1 the count is n: the sum is zero until its last term, which is zero as well.
    result = np.where(inside, value, 0.0)
    return validate.plain(result)
