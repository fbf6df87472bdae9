"""Learners whose Delta is known: a mean that tells all, and a private count."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Integer, checked
from mipbook.base.rounding import Estimate
from mipbook.base.types import Array, Chance, Floats
from mipbook.mis.binomial import pmf
from mipbook.mis.notion import checked_weights, gain

_GRID = 2**18


def digit_total(bits: Any) -> int:
    """Return the sum of the records that the bits stand for, as one whole number.

    Parameters
    ----------
    bits : array_like of 0 and 1, shape (n, J)
        Row i is the record z_i, the sum of e_ij 10^(-j^2) over its J digits, at most 100.

    Returns
    -------
    int
        n times the mean of the records, times 10^(J^2).

    References
    ----------
    Limits paper, Theorem 13: without its hypothesis on the distribution of L, the rate fails.

    Examples
    --------
    >>> digit_total([[1, 0], [1, 1]])
    2001
    """
    table = validate.array("bits", bits, 0.0, 1.0, ndim=2)
    if table.size == 0 or table.shape[1] > 100 or not np.isin(table, (0.0, 1.0)).all():
        validate.refuse("bits", bits, "zeros and ones, at least one row, 1 to 100 columns")
    digits = table.shape[1]
    sums = table.sum(axis=0)
    return sum(int(s) * 10 ** (digits**2 - (j + 1) ** 2) for j, s in enumerate(sums))


@checked
def digit_sums_of(
    total: int, n: Annotated[int, Integer(1, 999)], digits: Annotated[int, Integer(1, 100)]
) -> list[int]:
    """Return how many records have a 1 in each digit, as can be read off the mean.

    Parameters
    ----------
    total : int
        What `digit_total` returned; what n records cannot give is refused.
    n : int
        Number of records, in [1, 999]: with more the first digit sums run into each other,
        and the later ones can still be read.
    digits : int
        Number of digits J, in [1, 100].

    References
    ----------
    Limits paper, Theorem 13.

    Examples
    --------
    >>> digit_sums_of(2001, 2, 2)
    [2, 1]
    """
    if not isinstance(total, int) or isinstance(total, bool) or total < 0:
        validate.refuse("total", total, "a whole number, at least 0")
    rest, sums = total, []
    for j in range(1, digits + 1):
        found, rest = divmod(rest, 10 ** (digits**2 - j**2))
        if found > n:
            validate.refuse("total", total, f"the sum of n = {n} records of so many digits")
        sums.append(found)
    return sums


@checked
def digit_delta(
    n: Annotated[int, Integer(1, 10_000)], digits: Annotated[int, Integer(0, 100_000)]
) -> Estimate:
    """Return Delta, balanced, of the mean of n records with so many random digits.

    Parameters
    ----------
    n : int
        Records in the data set, in [1, 10000].
    digits : int
        Fair bits in a record that the attack reads, in [0, 100000].

    Returns
    -------
    Estimate
        The value, within 1e-5 or so of the truth, in an interval that certainly holds it.

    References
    ----------
    Limits paper, Theorem 13.  Of a digit the attack sees how many records M agree with the
    target's.  Without the target in the data M is binomial, with it 1 plus a binomial of one
    record less; the likelihood ratio is 2M/n.  Digits are independent, so Delta tends to 1
    with their number, for every n.

    Examples
    --------
    >>> digit_delta(20, 0).value, round(digit_delta(20, 1).value, 6)
    (0.0, 0.088099)
    >>> digit_delta(20, 1000).value > 0.999
    True
    """
    return _digit_delta(n, digits)


@checked
def agreement_laws(n: Annotated[int, Integer(1, 10_000)], agree: Any) -> tuple[Array, Array]:
    """Return how likely so many of n records agree with the target in one digit.

    Parameters
    ----------
    n : int
        Records in the data set, in [1, 10000].
    agree : array_like
        Records that agree, in [0, n]; between whole numbers by the gamma function.

    Returns
    -------
    without, given : ndarray
        Binomial without the target in the data; with it, 1 plus a binomial of one record less.

    Examples
    --------
    >>> [law.round(3).tolist() for law in agreement_laws(2, [0, 1, 2])]
    [[0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
    """
    from scipy.special import gammaln

    k = validate.array("agree", agree, 0.0, float(n))
    without = np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * math.log(2))
    return np.asarray(without), np.asarray(without * (2 * k / n))


def _power(values: NDArray[Any], exponent: int) -> NDArray[Any]:
    """Return a power by squaring, a third of the time of numpy's for complex numbers."""
    result, factor = np.ones_like(values), values
    while exponent:
        if exponent & 1:
            result = result * factor
        exponent >>= 1
        factor = factor * factor
    return result


@lru_cache(maxsize=512)
def _digit_delta(n: int, digits: int) -> Estimate:
    from scipy.fft import irfft, rfft

    agree = np.arange(n + 1)
    chance, given = agreement_laws(n, agree)
    if digits == 0:
        return Estimate(0.0, 0.0, 0.0)
    if digits == 1:
        value = float(np.maximum(given - chance, 0).sum())
        return Estimate(value, value, value)
    # At M = 0 the ratio is 0 and the attack is sure; elsewhere its logarithm goes on a grid.
    chance, logs = chance[1:], np.log(2 * agree[1:] / n)
    kept = chance > 1e-18 / digits
    chance, logs = chance[kept], logs[kept]
    mean = float(chance @ logs)
    spread = math.sqrt(max(float(chance @ (logs - mean) ** 2), 0.0) * digits)
    largest = float(np.abs(logs - mean).max())
    step = 2 * (10 * spread + 30 * largest) / _GRID
    # Mass is moved to both neighbours so that the mean ratio stays: Delta can only grow.
    left = np.floor(logs / step).astype(np.int64)
    upper = np.expm1(logs - left * step) / math.expm1(step)
    table = np.zeros(_GRID)
    np.add.at(table, left % _GRID, chance * (1 - upper))
    np.add.at(table, (left + 1) % _GRID, chance * upper)
    total = irfft(_power(rfft(table), digits), _GRID)
    centre = round(mean * digits / step)
    places = centre + (np.arange(_GRID, dtype=np.int64) - centre + _GRID // 2) % _GRID - _GRID // 2
    value = 1.0 - float(np.maximum(total, 0) @ np.exp(np.minimum(places * step, 0)))
    value = min(max(value, 0.0), 1.0)
    # The moved ratios differ from the true ones by a factor of mean 1 and small variance.
    slack = math.sqrt(math.expm1(digits * math.expm1(step / 2) ** 2)) / 2
    return Estimate(value, max(0.0, value - slack - 1e-9), min(1.0, value + 1e-9), "approximation")


_MOST_COUNTS = 20_000_000


def _summed_up(values: Array, odds: Array) -> Array:
    """Return the sum of odds^j values[..., i - j] over j >= 0, for each i along the last axis."""
    total, step = values.copy(), 1
    while step < values.shape[-1]:
        # So far the sums hold ``step`` terms; those that end where they begin hold as many more.
        total[..., step:] += (odds**step)[..., None] * total[..., :-step].copy()
        step *= 2
    return total


@checked
def geometric_count_laws(n: Annotated[int, Integer(1, 100_000)], p: Chance, epsilon: Any) -> Array:
    r"""Return the distributions of a noisy count, given that a member is 0 and that it is 1.

    Parameters
    ----------
    n : int
        Records, each 0 or 1; from 1 to 100,000.
    p : float
        The chance, in (0, 1), that a record is 1.

    Returns
    -------
    ndarray of shape (..., 2, n + 1)
        For each epsilon: row z is the distribution of the release when a random member is z.

    Notes
    -----
    The count gets noise k with probability proportional to :math:`e^{-\varepsilon|k|}`, which
    is epsilon-DP, and the release is clipped to 0, ..., n.  Clipping loses nothing: beyond
    the ends all ratios of probabilities are those at the ends.

    Examples
    --------
    >>> geometric_count_laws(1, 0.5, 0.0).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    eps = validate.array("epsilon", epsilon, 0.0)
    if eps.size * n > _MOST_COUNTS:
        validate.refuse("epsilon", epsilon, f"at most {_MOST_COUNTS // n:,} numbers at n = {n:,}")
    others = pmf(np.arange(float(n)), n - 1, p)
    counts = np.zeros((*eps.shape, 2, n + 1))
    counts[..., 0, :-1], counts[..., 1, 1:] = others, others
    with np.errstate(under="ignore"):
        odds = np.exp(-eps)[..., None]
        up = _summed_up(counts, odds)
        down = _summed_up(counts[..., ::-1], odds)[..., ::-1]
    laws: Array = (up + down - counts) / (1 + odds[..., None])
    laws[..., 1:-1] *= -np.expm1(-eps)[..., None, None]
    return laws


def geometric_count_delta(n: int, p: float, epsilon: Any, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    """Return Delta of the count of n zeros and ones, released with geometric noise.

    Exact up to rounding.  ``n`` and ``p`` are as in `geometric_count_laws`; ``epsilon``,
    ``nu`` and ``lam`` broadcast.

    Notes
    -----
    Limits paper, Appendix H.  Differential privacy bounds Delta in the same way for every n;
    here it falls with the square root of n.

    Examples
    --------
    >>> round(geometric_count_delta(10, 0.5, 1.0), 12)
    0.100151812472
    """
    laws = geometric_count_laws(n, p, epsilon)
    a, b = checked_weights(nu, lam)
    validate.broadcast(("epsilon", "nu, lam"), (laws[..., 0, 0], a))
    chances = np.array([1 - p, p])
    law = np.einsum("k,...kj->...j", chances, laws)[..., None, :]
    every = gain(laws, law, a[..., None, None], b[..., None, None])
    return validate.plain(np.asarray(np.minimum(every @ chances, 1.0)))
