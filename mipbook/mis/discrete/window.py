"""How the worst Delta falls when the test mix leaves balance by about 1/sqrt(n)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcx

from explorable import validate

__all__ = ["nu_window_limit"]


def nu_window_limit(p: ArrayLike, u: ArrayLike) -> float | NDArray[np.float64]:
    r"""Return the limit of sqrt(n) Delta at gamma = 1 + u/sqrt(n), in the worst case.

    Parameters
    ----------
    p : array_like of shape (K,)
        The distribution of a record.
    u : array_like
        How far gamma is from 1, in units of 1/sqrt(n); any real number.

    Returns
    -------
    float or ndarray
        :math:`\sum_k \sqrt{p_k q_k}\,[\varphi(x_k) - x_k (1 - \Phi(x_k))]` with
        :math:`q_k = 1 - p_k` and :math:`x_k = |u| \sqrt{p_k / q_k}`; at u = 0 it is
        :math:`C_K / \sqrt{2\pi}`.

    Notes
    -----
    From the Limits paper's Theorem 14 by the central limit theorem.  nu is
    gamma / (1 + gamma) when lam is one half, so u = 1 at n = 10,000 is nu = 0.5025.

    Examples
    --------
    >>> round(nu_window_limit([0.5, 0.25, 0.125, 0.0625, 0.0625], 1.0), 5)
    0.33321
    """
    vector = np.minimum(validate.probability_vector("p", p), 1.0)
    far = np.abs(validate.array("u", u, -np.inf, np.inf))
    vector = vector[(vector > 0) & (vector < 1)]
    spread = np.sqrt(vector * (1 - vector))
    # Beyond 40 deviations nothing is left, and infinity times zero is not a number.
    x = np.minimum(far[..., None] * np.sqrt(vector / (1 - vector)), 40.0)
    ratio = np.sqrt(np.pi / 2) * erfcx(x / np.sqrt(2))
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return validate.plain(np.asarray((spread * density * np.maximum(1 - x * ratio, 0.0)).sum(-1)))
