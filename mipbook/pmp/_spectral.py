r"""Two distinct objects: the sums over all subsets in polynomial time.

Then ``p(w|D) = 1 / (1 + e^v)`` where v adds up over D, and by Mellin and Barnes

.. math:: \frac1{1+e^v} = R_k(v) + \frac1{2\pi} \int \frac{\pi}{\sin\pi s} e^{-sv} d\omega

with s = theta + i omega and theta in (k, k + 1).  The sum over D passes inside, where it is an
elementary symmetric polynomial.  Theta sits at the saddle, and the strip is the one with the
lowest saddle: what the integral leaves over, ``R``, is then known exactly (1 for k = -1,
0 for k = 0, ``e^{-v}`` for k = 1), so nothing is lost by cancellation.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from mipbook import progress, validate
from mipbook.pmp._poisson import Coins, calibrated, log_chance
from mipbook.pmp._weights import Weights

__all__ = ["log_sums_of_two"]

Array = NDArray[np.float64]
# ln(10) * 17: what is left out is below the rounding of a double.
_DIGITS = 39.0
# Past this share of rounding too many digits are lost.
_REFUSE = 1e-8


class _Tilt(NamedTuple):
    """Weights ``exp(-theta u)`` as coins, and ln of the sum over all n-subsets.

    A sum is a chance of exactly n successes times the exponential of ``log_constant``.
    """

    coins: Coins
    log_constant: float
    log_total: float


def _tilt(u: Array, theta: float, n: int) -> _Tilt:
    logits = -theta * u
    coins = calibrated(logits, n)
    constant = float(-log_expit(-(logits + coins.shift)).sum() - n * coins.shift)
    return _Tilt(coins, constant, constant + log_chance(coins, n))


class _Contour(NamedTuple):
    strip: int
    theta: float
    step: float
    points: int


def _contour(u: Array, shift: float, n: int) -> _Contour:
    """Choose the strip, the saddle, and the trapezoid rule that is exact to rounding."""
    # Slow to load, and most readers never get here.
    from scipy.optimize import minimize_scalar

    def height(theta: float) -> float:
        sine = abs(math.sin(math.pi * theta))
        return math.log(math.pi / sine) + _tilt(u, theta, n).log_total - theta * shift

    best, strip, theta = math.inf, 0, 0.5
    for k in (0, -1, 1):
        found = minimize_scalar(
            height, bounds=(k + 1e-4, k + 1 - 1e-4), method="bounded", options={"xatol": 1e-4}
        )
        if found.fun < best - 1e-9:
            best, strip, theta = float(found.fun), k, float(found.x)
    # The rule's error is the integrand's value where v is shifted by a whole period, a sum
    # that the two ends of the strip bound.
    needed = []
    for end in (strip, strip + 1):
        reach = _tilt(u, float(end), n).log_total - end * shift - best
        needed.append(2 * math.pi * abs(theta - end) / (max(reach, 0.0) + _DIGITS + 6.0))
    step = min(needed)
    # pi / |sin(pi s)| falls like exp(-pi |omega|).
    return _Contour(strip, theta, step, math.ceil((_DIGITS + 6.0) / math.pi / step) + 1)


def _kernel(line: _Contour, shift: float) -> tuple[Any, Any]:
    """Return the frequencies and what each is multiplied with; the negative ones are mirrored."""
    omega = line.step * np.arange(line.points)
    kernel = math.pi / np.sin(math.pi * (line.theta + 1j * omega)) * np.exp(-1j * omega * shift)
    kernel[0] /= 2
    return omega, np.asarray(kernel * (line.step / math.pi))


def _single(u: Array, shift: float, n: int) -> float:
    """Return ln sum 1/(1 + e^v) over all n-subsets of these records."""
    if n in (0, len(u)):
        return float(log_expit(-(shift + (u.sum() if n else 0.0))))
    line = _contour(u, shift, n)
    tilt = _tilt(u, line.theta, n)
    constant = tilt.log_constant - line.theta * shift
    log_rest = -math.inf
    if line.strip:
        edge = 0.0 if line.strip == -1 else 1.0
        log_rest = _tilt(u, edge, n).log_total - edge * shift
        if log_rest > tilt.log_total - line.theta * shift + _DIGITS + 6.0:
            return log_rest  # the integral is below the rounding of what it would change
    omega, kernel = _kernel(line, shift)
    row = np.zeros((n + 1, line.points), dtype=complex)
    row[0] = 1.0
    for chance, out, each in zip(tilt.coins.inside, tilt.coins.without, u, strict=True):
        row[1:] = out * row[1:] + chance * np.exp(-1j * omega * each) * row[:-1]
        row[0] *= out
    terms = row[n] * kernel
    rest = math.exp(log_rest - constant)
    total = float(terms.real.sum()) + rest
    lost = 1e-16 * (float(np.abs(terms).sum()) + rest)
    if not lost < _REFUSE * total:
        validate.refuse(
            "losses",
            "of two objects",
            "less spread out at this epsilon for an exact sum over "
            "all subsets; use exponential_epsilon_estimate or a smaller epsilon",
        )
    return math.log(total) + constant


def log_sums_of_two(given: Weights) -> tuple[Array, Array]:
    """Return what `mipbook.pmp._halves.log_sums` does, for the two records that matter.

    The sum over the subsets with a record rises or falls in that record's difference between
    the two losses, and the sum with and without it is the same for all.  So the records with
    the largest and the smallest difference are the most exposed.
    """
    n = given.n
    gap = given.exponents[:, 1] - given.exponents[:, 0]
    odds = math.log(given.copies[1] / given.copies[0])
    records = [int(gap.argmin()), int(gap.argmax())]
    tasks = [(sign, record, size) for sign in (1, -1) for record in records for size in (n - 1, n)]
    with progress.reader() as stream:
        sums = [
            _single(
                np.delete(sign * gap, record),
                sign * (odds + (gap[record] if size < n else 0.0)),
                size,
            )
            for sign, record, size in progress.track(
                tasks, stream, total=len(tasks), what="all subsets", unit="sums"
            )
        ]
    # One row a record, one column an object; each object of a class has its share.
    table = np.array(sums).reshape(2, 2, 2).transpose(1, 0, 2) - np.log(given.copies)[:, None]
    return table[..., 0], table[..., 1]
