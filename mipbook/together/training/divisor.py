"""What the width of the noise tells, where noisy sums are divided by the data's own number."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorable import validate
from mipbook.base.types import Array, Floats
from mipbook.mis.binomial import stirling_error

__all__ = ["divisor_advantage"]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(100)
# Beyond so many standard deviations nothing is left that a double could hold.
_FAR = 14.0
# Below it, the series has all digits.
_SMALL = 1e-2


def divisor_advantage(n: Any, numbers: Any) -> Floats:
    r"""Return the advantage of telling n records from n - 1 by the width of pure noise.

    Parameters
    ----------
    n : float or array_like
        Records with the target, in [2, 1e15].
    numbers : float or array_like
        Published numbers, coordinates times steps, in [1, 1e30].

    Returns
    -------
    float or ndarray
        In [0, 1], exact to about 1e-15: the total variation between that many independent
        numbers from N(0, 1/n^2) and from N(0, 1/(n - 1)^2), in any unit.

    Notes
    -----
    Noise of one width is added to sums, which are then divided by the number of records; the
    sums themselves are 0.  The sum of squares decides, :math:`\chi^2` with D degrees.  With
    :math:`L = \ln\frac{n}{n - 1}` and :math:`\kappa = \ln\frac{L}{\sinh L}` the advantage is the
    chance that the logarithm of :math:`\chi^2/D` is within L of :math:`\kappa`.  The integral of
    its density keeps its digits where a difference of two chances would lose them.

    Examples
    --------
    >>> divisor_advantage(60_000, [14_062 * 10**5, 14_062 * 10**6]).round(3).tolist()
    [0.341, 0.838]
    """
    n = validate.array("n", n, 2.0, 1e15)
    numbers = validate.array("numbers", numbers, 1.0, 1e30)
    validate.broadcast(("n", "numbers"), (n, numbers))
    half, n = np.broadcast_arrays(0.5 * numbers, n)
    wide = -np.log1p(-1.0 / n)
    square = wide * wide
    near = wide < _SMALL
    shift = -np.log(np.sinh(wide) / wide)
    shift = np.where(near, -square / 6.0 * (1.0 - square / 30.0), shift)
    far = np.where(half > 200.0, _FAR / np.sqrt(half), np.inf)
    low, high = np.maximum(shift - wide, -far), np.minimum(shift + wide, far)
    u = low[..., None] + (high - low)[..., None] * 0.5 * (_NODES + 1.0)
    density = np.exp(-half[..., None] * _beyond(u)) @ _WEIGHTS
    scale = np.sqrt(half / (2.0 * np.pi)) * np.exp(-stirling_error(half))
    return validate.plain(np.minimum(scale * density * 0.5 * (high - low), 1.0))


def _beyond(u: Array) -> Array:
    """Return e^u - 1 - u without cancellation."""
    series = u * u / 2.0 * (1.0 + u / 3.0 * (1.0 + u / 4.0 * (1.0 + u / 5.0 * (1.0 + u / 6.0))))
    return np.asarray(np.where(np.abs(u) < _SMALL, series, np.expm1(u) - u))
