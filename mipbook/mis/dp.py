"""What differential privacy promises about membership inference security, and back."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from explorable import validate
from explorable.checked import Integer, checked
from mipbook.base.types import Array, Chance, Floats, Rates
from mipbook.mis.binomial import pmf
from mipbook.mis.notion import checked_weights, gain

DP_BOUNDS = ("sharp", "two-sided", "one-sided", "published")


def _checked(epsilon: Any, delta: Any, nu: Any, lam: Any) -> tuple[Array, Array, Array]:
    """Return epsilon, delta and the logarithm of max(gamma, 1/gamma), in one shape."""
    eps = validate.array("epsilon", epsilon, 0.0)
    slack = validate.array("delta", delta, 0.0, 1.0)
    a, b = checked_weights(nu, lam)
    validate.broadcast(("epsilon", "delta", "nu, lam"), (eps, slack, a))
    eps, slack, tilt = np.broadcast_arrays(eps, slack, np.abs(np.log(b) - np.log(a)))
    return eps, slack, tilt


def _pure(eps: Array, tilt: Array | float) -> Array:
    """Return (e^(eps/2) - sqrt(Gamma))_+^2 / (e^eps - 1), which is tanh(eps/4) at Gamma = 1."""
    square = np.expm1(np.minimum((tilt - eps) / 2, 0.0)) ** 2
    below = np.where(eps > 0, -np.expm1(-eps), 1.0)
    return np.where(tilt == 0, np.tanh(eps / 4), square / below)


def sharp_delta(eps: Array, slack: Array, tilt: Array | float = 0.0) -> Array:
    """Return the sharp bound of `delta_from_dp` for arrays that were checked, as searches ask."""
    pure = _pure(eps, tilt)
    return pure + (1 - pure) * slack


def delta_from_dp(
    epsilon: Any, delta: Any = 0.0, nu: Any = 0.5, lam: Any = 0.5, *, bound: str = "sharp"
) -> Floats:
    r"""Return a bound on Delta that holds for every (epsilon, delta)-DP learner.

    Parameters
    ----------
    bound : {"sharp", "two-sided", "one-sided", "published"}
        Only the sharp one uses ``nu`` and ``lam``.

    Returns
    -------
    float or ndarray
        At least 0.  *published* is above 1, and says nothing, from ``epsilon = ln 2``; it is
        infinite for huge ``epsilon``.

    Notes
    -----
    Limits paper, Remark 8 and equation (53).  *published*: :math:`e^\varepsilon - 1 + \delta`.
    *one-sided*: :math:`1 - e^{-\varepsilon}(1 - \delta)`.  *two-sided*:
    :math:`(e^\varepsilon - 1 + 2\delta) / (e^\varepsilon + 1)`, the best for two distributions.
    *sharp*, new in this book: :math:`B + (1 - B)\delta` with
    :math:`B = (e^{\varepsilon/2} - \sqrt\Gamma)_+^2 / (e^\varepsilon - 1)` and
    :math:`\Gamma = \max(\gamma, 1/\gamma)`; balanced, :math:`B = \tanh(\varepsilon/4)`.  It
    is the least bound that holds for all data distributions and all numbers of records.

    Examples
    --------
    >>> round(delta_from_dp(1.0), 12)
    0.244918662404
    >>> [round(delta_from_dp(1.0, bound=b), 6) for b in DP_BOUNDS[1:]]
    [0.462117, 0.632121, 1.718282]
    """
    eps, slack, tilt = _checked(epsilon, delta, nu, lam)
    bound = validate.choice("bound", bound, DP_BOUNDS)
    with np.errstate(over="ignore", under="ignore"):
        if bound == "published":
            value = np.expm1(eps) + slack
        elif bound == "one-sided":
            value = -np.expm1(-eps) + np.exp(-eps) * slack
        elif bound == "two-sided":
            value = np.tanh(eps / 2) + (1 - np.tanh(eps / 2)) * slack
        else:
            value = sharp_delta(eps, slack, tilt)
    return validate.plain(np.asarray(value))


def security_from_dp(
    epsilon: Any, delta: Any = 0.0, nu: Any = 0.5, lam: Any = 0.5, *, bound: str = "sharp"
) -> Floats:
    """Return the membership inference security that (epsilon, delta)-DP guarantees.

    It is 1 minus `delta_from_dp`, at least 0, for every distribution of the data and every number
    of records; the arguments are as in `delta_from_dp`.

    References
    ----------
    Limits paper, Remark 8 and equations (9) and (53).

    Examples
    --------
    >>> round(security_from_dp(1.0), 6), security_from_dp(1.0, bound="published")
    (0.755081, 0.0)
    >>> security_from_dp(1.0, nu=0.9)
    1.0
    """
    most = delta_from_dp(epsilon, delta, nu, lam, bound=bound)
    return validate.plain(np.clip(1.0 - np.asarray(most), 0.0, 1.0))


@checked
def epsilon_from_security(security: Rates, delta: Any = 0.0, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    r"""Return the largest epsilon at which DP alone guarantees a security.

    Parameters
    ----------
    security : float or array_like
        The membership inference security that is wanted, in [0, 1].
    delta : float or array_like
        Failure probability in [0, 1), at most ``1 - security``.

    Returns
    -------
    float or ndarray
        In [0, inf], to about 1e-15 of itself for every security, however small.  The inverse of
        `security_from_dp` with the sharp bound; in the balanced case with ``delta = 0`` it is
        ``4 artanh(1 - security)``.

    Notes
    -----
    Limits paper, Remark 8.  With :math:`B = (1 - \text{security} - \delta)/(1 - \delta)`:
    :math:`e^{\varepsilon/2} = (\sqrt\Gamma + \sqrt{B(\Gamma - 1 + B)}) / (1 - B)`.

    Examples
    --------
    >>> round(epsilon_from_security(0.9), 6)
    0.401341
    >>> round(security_from_dp(epsilon_from_security(0.9)), 12)
    0.9
    """
    slack = validate.array("delta", delta, 0.0, 1.0, open_high=True)
    a, b = checked_weights(nu, lam)
    validate.broadcast(("security", "delta", "nu, lam"), (security, slack, a))
    most = 1 - security
    # With what the first difference lost: what is left of it may be as small.
    left = (most - slack) + ((1 - most) - security)
    if np.any(left < 0):
        validate.refuse("delta", delta, "at most 1 - security")
    log_ratio = np.abs(np.log(b) - np.log(a))
    share, tilt = np.broadcast_arrays(left / (1 - slack), log_ratio)
    with np.errstate(divide="ignore", over="ignore"):
        # log(1 - B); near B = 1 all digits are those of the security itself.
        rest = np.log(security) - np.log1p(-slack)
        log_rest = np.where(share < 0.5, np.log1p(-np.minimum(share, 0.5)), rest)
        # e^(eps/2) / sqrt(Gamma), so that a huge Gamma stays within the doubles.
        root = np.sqrt(share * (-np.expm1(-tilt) + share * np.exp(-tilt)))
        uneven = tilt + 2 * (np.log1p(root) - log_rest)
        even = 2 * (np.log1p(share) - log_rest)
    return validate.plain(np.asarray(np.where(tilt == 0, even, uneven)))


_MOST = 20_000_000


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
    if eps.size * n > _MOST:
        validate.refuse("epsilon", epsilon, f"at most {_MOST // n:,} numbers at n = {n:,}")
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
