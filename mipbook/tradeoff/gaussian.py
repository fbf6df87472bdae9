r"""The Gaussian mechanism, forwards: delta, TPR and advantage; what any DP mechanism allows.

With :math:`u = \epsilon/\mu - \mu/2`, :math:`v = \epsilon/\mu + \mu/2` and
:math:`R(x) = \Phi(-x)/\varphi(x)`, the identity
:math:`e^\epsilon \varphi(v) = \varphi(u)` turns the analytic Gaussian mechanism into

.. math:: \delta = \varphi(u)\,[R(u) - R(v)], \qquad
          1 - \delta = \varphi(u)\,[R(-u) + R(v)],

where nothing overflows.  The difference is the delicate part: `spread` computes
it to about 2e-14 however close u and v are.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, erfcx, ndtri

from explorable import validate
from explorable.checked import checked
from mipbook.base.types import Array, Deltas, Distribution, Epsilons, Floats, Rates, Sensitivities, Sigmas

# --- Broadcasting in blocks, arithmetic with twice the digits, and the Mills ratio -----------------

Kernel = TypeVar("Kernel", bound=Callable[..., Floats])
# 4096 doubles are 32 kB: temporaries stay in cache; half and double are slower.
BLOCK = 4096
# Exponents of 2 beyond these give zero or infinity whatever the mantissa is.
_LOW_EXPONENT, _HIGH_EXPONENT = -1200, 1020


def in_blocks(kernel: Kernel) -> Kernel:
    """Broadcast the arrays that a function is called with, and run it on flat blocks of them.

    The result is a Python ``float`` when every array has dimension 0.  Shapes
    that do not broadcast are refused in the name of the first argument that does
    not fit those before it.
    """
    signature = inspect.signature(kernel)

    @functools.wraps(kernel)
    def call(*args: Array, **named: Array) -> Floats:
        # Refuses what the function itself would: an argument too many, too few, or misspelt.
        given = signature.bind(*args, **named).arguments
        shape = validate.broadcast(tuple(given), tuple(given.values()))
        flat = {name: np.broadcast_to(array, shape).ravel() for name, array in given.items()}
        out = np.empty(math.prod(shape))
        # Underflow to 0 and overflow to inf are the right answers where they happen;
        # a caller who turned warnings into errors must not see them.
        with np.errstate(all="ignore"):
            for start in range(0, out.size, BLOCK):
                part = slice(start, start + BLOCK)
                out[part] = kernel(**{name: array[part] for name, array in flat.items()})
        return validate.plain(out.reshape(shape))

    made: Any = call
    return made  # type: ignore[no-any-return]


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the rounded sum and its exact error (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the rounded product and its exact error (Dekker, Veltkamp's split).

    Exact for factors well inside the range of doubles; callers pass mantissas or
    other moderate numbers.
    """
    p = a * b
    t = 134217729.0 * a  # 2^27 + 1 splits 53 bits into 26 + 26
    ah = t - (t - a)
    al = a - ah
    t = 134217729.0 * b
    bh = t - (t - b)
    bl = b - bh
    return p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)


def quotient(a: Array, b: Array) -> tuple[Array, Array, NDArray[np.int32]]:
    """Write ``a / b``, both positive and finite, as ``(high + low) * 2**exponent``.

    ``high`` lies in [0.5, 2] and about 105 bits are right, for subnormal numbers
    and for quotients out of the range of doubles as well.
    """
    am, ae = np.frexp(a)
    bm, be = np.frexp(b)
    high = am / bm
    p, e = two_product(high, bm)
    return high, ((am - p) - e) / bm, ae - be


def scaled(mantissa: Array, exponent: NDArray[np.int32]) -> Array:
    """Return ``mantissa * 2**exponent``, with the exponent clipped so that sums stay finite."""
    return np.ldexp(mantissa, np.clip(exponent, _LOW_EXPONENT, _HIGH_EXPONENT))


SQRT_HALF = math.sqrt(0.5)
SQRT_2PI = math.sqrt(2 * math.pi)
INV_SQRT_2PI = 1 / SQRT_2PI
_SQRT_HALF_PI = math.sqrt(math.pi / 2)
# Below this ratio of h to max(c, 1) the direct difference would lose over 5 bits.
_CLOSE = 1 / 32
# The forward recurrence loses 4 bits at c = 4, where it hands over to a continued
# fraction; the further out, the fewer of its levels are needed.
_REGIONS = ((0.0, 4.0, 0), (4.0, 8.0, 28), (8.0, math.inf, 12))
# Odd terms of the series kept: the last one is below (1/32)^12 of the first.
_ODD_TERMS = 6


def mills(x: Array) -> Array:
    """Return Phi(-x) / phi(x) for x >= 0."""
    return erfcx(x * SQRT_HALF) * _SQRT_HALF_PI


def spread(c: Array, h: Array, u: Array, v: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return G, R(v) and a mask, for u = c - h and v = c + h.

    Where the mask is False, ``G = R(u) - R(v)`` and ``delta = phi(u) G``; where it
    is True, ``G = R(-u) + R(v)`` and ``1 - delta = phi(u) G``.
    """
    tail = mills(v)
    other = mills(np.abs(u))
    close = h < _CLOSE * np.maximum(c, 1.0)
    complement = (u < 0) & ~close
    g = other + np.where(complement, tail, -tail)
    if close.any():
        for low, high, levels in _REGIONS:
            index = np.flatnonzero(close & (low <= c) & (c < high))
            if index.size:
                # Beyond 1e3 phi(u) is 0 already: only overflow is to be avoided.
                g[index] = _series(np.minimum(c[index], 1e3), np.minimum(h[index], 1e2), levels)
    return g, tail, complement


def _series(c: Array, h: Array, levels: int) -> Array:
    """Sum 2 * sum over odd k of h^k / k! * M_k(c), M_k = int t^k exp(-c t - t^2/2) dt."""
    first, steps = _ratios_backward(c, levels) if levels else _ratios_forward(c)
    h2 = h * h
    total = np.zeros_like(c)
    for j in range(_ODD_TERMS - 1, 0, -1):
        total = (1.0 + total) * (h2 / ((2 * j) * (2 * j + 1))) * steps[j - 1]
    return 2.0 * h * first * (1.0 + total)


def _ratios_forward(c: Array) -> tuple[Array, list[Array]]:
    """Return M_1 and M_(2j+1) / M_(2j-1) by M_(k+1) = k M_(k-1) - c M_k."""
    even = mills(c)
    odd = 1.0 - c * even
    first = odd
    steps = []
    for j in range(1, _ODD_TERMS):
        even = (2 * j - 1) * even - c * odd
        following = 2 * j * odd - c * even
        steps.append(following / odd)
        odd = following
    return first, steps


def _ratios_backward(c: Array, levels: int) -> tuple[Array, list[Array]]:
    """Return the same from the continued fraction M_k / M_(k-1) = k / (c + M_(k+1) / M_k)."""
    ratio = 0.5 * (np.sqrt(c * c + 4 * (levels + 1)) - c)
    below = np.empty_like(ratio)
    steps: list[Array] = []
    for k in range(levels, 0, -1):
        # In place: this loop is most of the cost of the whole function.
        np.add(ratio, c, out=ratio)
        np.divide(k, ratio, out=ratio)
        if 1 < k < 2 * _ODD_TERMS:
            if k % 2:
                np.copyto(below, ratio)
            else:
                steps.append(below * ratio)
    return ratio / (c + ratio), steps[::-1]


# --- The Gaussian mechanism -----------------------------------------------------------------------


@checked
@in_blocks
def gaussian_delta(epsilon: Epsilons, sigma: Sigmas, sensitivity: Sensitivities = 1.0) -> Floats:
    r"""Smallest delta for which the Gaussian mechanism is (epsilon, delta)-DP.

    The value is exact, not a bound: with :math:`\mu = s/\sigma`,

    .. math:: \delta = \Phi(\mu/2 - \epsilon/\mu) - e^\epsilon\,\Phi(-\mu/2 - \epsilon/\mu).

    Returns
    -------
    float or ndarray
        delta in [0, 1], rounded to nearest.

    Notes
    -----
    The inputs are taken as exact.  The exponent is computed with twice the digits
    of a double, so that at ``epsilon`` 1e5, where a change of ``sigma`` in its last
    digit moves ``delta`` by 1e-11, the relative error is still below 1e-13 for
    every delta of at least 1e-300.  Below the smallest double the result is 0.

    Limits: delta is 0 at ``epsilon`` inf, at ``sigma`` inf and at ``sensitivity``
    0; otherwise it is 1 at ``sigma`` 0, and at ``epsilon`` 0 it is the total
    variation distance, `gaussian_advantage`.

    References
    ----------
    B. Balle and Y.-X. Wang, "Improving the Gaussian Mechanism for Differential
    Privacy", ICML 2018, Theorem 8.  The same statement is Lemma 10 of A. Lowy et al.,
    "Why Does Differential Privacy with Large Epsilon Defend Against Practical
    Membership Inference Attacks?", 2024.

    Examples
    --------
    >>> round(gaussian_delta(1.0, 1.0), 12)
    0.126936737507
    >>> gaussian_delta([0.0, 1000.0], [1.0, 0.02]).round(6).tolist()
    [0.382925, 1.0]
    """
    zero = np.isinf(epsilon) | np.isinf(sigma) | (sensitivity == 0)
    one = (sigma == 0) & ~zero
    epsilon, sigma, sensitivity = (np.where(zero | one, 1.0, a) for a in (epsilon, sigma, sensitivity))
    # c = epsilon / mu and h = mu / 2, each as an unevaluated sum of two doubles.
    high, low, exponent = quotient(sensitivity, sigma)
    em, ee = np.frexp(epsilon)
    c_high = em / high
    p, e = two_product(c_high, high)
    c_low = (((em - p) - e) - c_high * low) / high
    c, h = scaled(c_high, ee - exponent), scaled(high, exponent - 1)
    u, rest = two_sum(c, -h)
    rest += scaled(c_low, ee - exponent) - scaled(low, exponent - 1)
    u, rest = two_sum(u, rest)  # G is computed from the leading part alone
    g, _, complement = spread(c, h, u, c + h)
    p = _times_density(g, u, rest)
    return np.where(zero, 0.0, np.where(one, 1.0, np.where(complement, 1.0 - p, p)))


def _root_density(x: Array, rest: Array | float) -> Array:
    """Return exp(-(x + rest)^2 / 4) where ``rest`` holds digits of x below the last."""
    x = np.clip(x, -60.0, 60.0)  # the square of the result is 0 from 39 on
    square, e = two_product(x, x)
    e += 2.0 * x * rest
    return np.exp(-0.25 * square) * np.exp(-0.25 * np.clip(e, -1.0, 1.0))


def _times_density(factor: Array, x: Array, rest: Array) -> Array:
    """Return the normal density at x + rest times a factor."""
    # The density enters as a square so that it underflows only together with the result.
    root = _root_density(x, rest)
    return (root * factor) * root * INV_SQRT_2PI


@checked
@in_blocks
def gaussian_advantage(sigma: Sigmas, sensitivity: Sensitivities = 1.0) -> Floats:
    r"""Total variation distance of the two outputs of a Gaussian mechanism.

    It is the best membership advantage, :math:`\max(\mathrm{TPR} - \mathrm{FPR}) =
    2\,\mathrm{accuracy} - 1 = 2\Phi(\mu/2) - 1` with :math:`\mu = s/\sigma`.

    Parameters
    ----------
    sigma : float or array, in [0, inf]
        Standard deviation of the noise.
    sensitivity : float or array, in [0, inf)
        Distance between the two means, in the units of ``sigma``.

    Returns
    -------
    float or ndarray
        Advantage in [0, 1], with a relative error below 1e-14; 0 at ``sigma`` inf
        and at ``sensitivity`` 0, otherwise 1 at ``sigma`` 0.

    References
    ----------
    J. Dong, A. Roth and W. J. Su, "Gaussian Differential Privacy", JRSS B 2022,
    Section 2.

    Examples
    --------
    >>> round(gaussian_advantage(1.0), 12)
    0.382924922548
    """
    mu, _ = _shift(sigma, sensitivity)
    return np.asarray(erf(mu * (0.5 * SQRT_HALF)))


def _shift(sigma: Array, sensitivity: Array) -> tuple[Array, Array]:
    """Return mu = sensitivity / sigma as a sum of two doubles; at most about 1e307."""
    none = np.isinf(sigma) | (sensitivity == 0)
    full = (sigma == 0) & ~none
    limit = none | full
    high, low, exponent = quotient(np.where(limit, 1.0, sensitivity), np.where(limit, 1.0, sigma))
    mu, rest = scaled(high, exponent), scaled(low, exponent)
    return np.where(none, 0.0, np.where(full, math.inf, mu)), np.where(limit, 0.0, rest)


@checked
@in_blocks
def gaussian_tpr(fpr: Rates, sigma: Sigmas, sensitivity: Sensitivities = 1.0) -> Floats:
    r"""Best true positive rate at a false positive rate, :math:`\Phi(\Phi^{-1}(x) + \mu)`.

    Parameters
    ----------
    sigma : float or array, in [0, inf]
        Standard deviation of the noise.
    sensitivity : float or array, in [0, inf)
        Distance between the two means; :math:`\mu = s/\sigma`.

    Returns
    -------
    float or ndarray
        True positive rate in [0, 1], never below ``fpr``.

    Notes
    -----
    The relative error is below 1e-13 for every ``fpr``, down to the smallest, as
    long as the result is at least 1e-300: one Newton step gives the quantile twice
    the digits, and a small rate is a tail probability, never ``1 - beta``.

    Limits: ``fpr`` itself at ``sigma`` inf and at ``sensitivity`` 0; otherwise 1 at
    ``sigma`` 0, even for ``fpr`` 0.  At ``fpr`` 0 and positive ``sigma`` it is 0.

    References
    ----------
    J. Dong, A. Roth and W. J. Su, "Gaussian Differential Privacy", JRSS B 2022,
    equation (6).

    Examples
    --------
    >>> round(gaussian_tpr(0.01, 1.0), 12)
    0.092362248074
    >>> gaussian_tpr([0.0, 0.5, 1.0], 1.0).round(6).tolist()
    [0.0, 0.841345, 1.0]
    """
    inside = np.where((fpr > 0) & (fpr < 1), fpr, 0.5)
    small = np.minimum(inside, 1.0 - inside)  # 1 - fpr is exact where it is taken
    z = ndtri(small)
    root = _root_density(z, 0.0)
    # Newton on log Phi; dividing by the square root twice keeps subnormal rates exact.
    step = small / root / root * SQRT_2PI - mills(-z)
    sign = np.where(inside > 0.5, -1.0, 1.0)
    mu, rest = _shift(sigma, sensitivity)
    # Phi^-1(fpr) + mu as a sum of two doubles.
    x, e = two_sum(sign * z, np.minimum(mu, 1e300))
    rest = e + (rest + sign * step)
    tail = _times_density(mills(np.abs(x)), np.abs(x), np.where(x < 0, -rest, rest))
    tpr = np.where(x < 0, tail, 1.0 - tail)
    tpr = np.where((mu == 0) | (fpr == 0) | (fpr == 1), fpr, np.maximum(tpr, fpr))
    return np.where(np.isinf(mu), 1.0, tpr)


# --- Bounds that hold for every (epsilon, delta)-DP mechanism, and the hockey-stick ---------------

# e^1418 times the smallest double is far above 1, and e^709 is still finite.
_SATURATED = 1418.0
# Entries of the table of differences held at once: 32 MB.
_TABLE = 1 << 22


@checked
@in_blocks
def dp_tpr(fpr: Rates, epsilon: Epsilons, delta: Deltas = 0.0) -> Floats:
    r"""Best true positive rate that any (epsilon, delta)-DP mechanism allows.

    .. math:: \min\{1,\; \delta + e^\epsilon x,\; 1 - e^{-\epsilon}(1 - \delta - x)\}

    Returns
    -------
    float or ndarray
        True positive rate in [fpr, 1].

    Notes
    -----
    Huge ``epsilon`` does not overflow.  At ``epsilon`` inf the rate is ``delta``
    for ``fpr`` 0 and 1 for every other: the limit of the formula.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential
    Privacy", IEEE Trans. Inf. Theory 2017, Theorem 2.1.

    Examples
    --------
    >>> round(dp_tpr(0.01, 1.0, 1e-5), 12)
    0.027192818285
    >>> dp_tpr([0.0, 1e-300, 0.5], 1000.0).tolist()
    [0.0, 1.0, 1.0]
    """
    first = delta + _times_exp(fpr, epsilon)
    # The published form 1 - e^-eps (1 - delta - x) loses every digit at small epsilon.
    second = -np.expm1(-epsilon) + np.exp(-epsilon) * (delta + fpr)
    return np.asarray(np.maximum(fpr, np.minimum(1.0, np.minimum(first, second))))


def _times_exp(x: Array, epsilon: Array) -> Array:
    """Return x e^epsilon where it is at most 1e290, else a number far above 1."""
    root = np.exp(0.5 * np.minimum(epsilon, _SATURATED))
    return (x * root) * root


@checked
@in_blocks
def dp_accuracy(epsilon: Epsilons, delta: Deltas = 0.0) -> Floats:
    r"""Best membership accuracy against the worst (epsilon, delta)-DP mechanism.

    Both hypotheses have probability 1/2.  The value is :math:`1/2 + \eta` with
    :math:`\eta = \delta/2 + (1 - \delta)\tanh(\epsilon/2)/2`, and the mechanism
    that attains it reveals all with probability delta and otherwise answers
    truthfully with odds :math:`e^\epsilon`.

    Returns
    -------
    float or ndarray
        Accuracy in [1/2, 1]; 1 at ``epsilon`` inf and at ``delta`` 1.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential
    Privacy", IEEE Trans. Inf. Theory 2017, Theorem 2.1.

    Examples
    --------
    >>> round(dp_accuracy(1.0), 12)
    0.73105857863
    >>> dp_accuracy([0.0, 1e4], [0.5, 0.0]).tolist()
    [0.75, 1.0]
    """
    return np.asarray(0.5 + 0.5 * (delta + (1.0 - delta) * np.tanh(0.5 * epsilon)))


@checked
def hockey_stick(p: Distribution, q: Distribution, epsilon: Epsilons) -> Floats:
    r"""Hockey-stick divergence :math:`\sum_i \max(p_i - e^\epsilon q_i, 0)`.

    It is the smallest delta for which p and q are (epsilon, delta)-close in this
    direction; take the larger of the two orders for a mechanism.

    Parameters
    ----------
    p, q : array of shape (k,)
        Probability vectors over the same outcomes.

    Returns
    -------
    float or ndarray
        Divergence in [0, 1], of the shape of ``epsilon``.  At ``epsilon`` inf it is
        the probability under p of outcomes that are impossible under q.

    References
    ----------
    G. Barthe and F. Olmedo, "Beyond Differential Privacy: Composition Theorems and
    Relational Logic for f-divergences between Probabilistic Programs", ICALP 2013.

    Examples
    --------
    >>> round(hockey_stick([0.75, 0.25], [0.25, 0.75], 0.0), 12)
    0.5
    >>> hockey_stick([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 1000.0, float("inf")]).tolist()
    [0.5, 0.5, 0.5]
    """
    if p.shape != q.shape:
        validate.refuse("q", q, f"a probability vector of the length of p, {p.size}")
    rows, levels = max(1, _TABLE // p.size), epsilon.reshape(-1, 1)
    with np.errstate(all="ignore"):
        starts = range(0, max(1, epsilon.size), rows)
        found = np.concatenate([row_divergences(p, q, levels[at : at + rows]) for at in starts])
    return validate.plain(found.reshape(epsilon.shape))


def row_divergences(p: Array, q: Array, epsilon: Array) -> Array:
    """Return the hockey-stick divergence of each row of ``p`` from that of ``q``."""
    # Near epsilon 0 the difference p - q is exact where p and q are close.
    near = (p - q) - q * np.expm1(np.minimum(epsilon, 1.0))
    far = p - _times_exp(q, epsilon)
    terms = np.maximum(np.where(epsilon < 1.0, near, far), 0.0)
    return np.asarray(np.minimum(terms.sum(axis=1), 1.0))
