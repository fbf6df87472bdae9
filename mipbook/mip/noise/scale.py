"""How much Laplace noise each route to eta-MIP asks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.base.types import Floats

__all__ = ["eta_from_ratio", "laplace_dp_scale", "noise_scale", "smallest_winning_ratio"]


def _eta(eta: ArrayLike) -> NDArray[np.float64]:
    return validate.array("eta", eta, 0.0, 0.5, open_low=True, open_high=True)


def _finite(scale: NDArray[np.float64], eta: NDArray[np.float64], where: str = "") -> Floats:
    if not np.isfinite(scale).all():
        validate.refuse("eta", eta, f"so large that the noise stays finite{where}")
    return validate.plain(np.asarray(scale))


def noise_scale(eta: ArrayLike, M: float = 2, dimension: int = 1, as_published: bool = False) -> Floats:
    """Return the constant c for which noise of scale c times sigma gives eta-MIP.

    The noise has density proportional to ``exp(-|x| / (c sigma))`` in any norm, and sigma is
    ``E[|theta - m|^M]^(1/M)`` over uniformly random halves, for any centre m.

    Parameters
    ----------
    M : float
        Moment exponent, in [1, inf).
    as_published : bool
        Give the constant of the papers instead of the sharp one.

    Returns
    -------
    float or ndarray
        ``1 / ln(1 / (1 - 2 eta))``, for every M and dimension; or as published
        ``(6.16 / eta)^(1 + 2/M)`` for M >= 2 and ``(7.5 / eta)^(1 + 2/M)`` below.

    Notes
    -----
    Published: MIP paper, Theorem 9 (7.5) and Corollary 14 (6.16); RIP paper, Theorem 7.
    Their proof covers dimension 1; the statement holds in every dimension since the sharp
    constant, proved in the chapter *Less noise than DP*, is smaller.  The sharp constant is
    attained by the query that answers plus or minus sigma by the membership of one record.

    Examples
    --------
    >>> round(noise_scale(0.1), 4), round(noise_scale(0.1, as_published=True), 2)
    (4.4814, 3794.56)
    """
    eta = _eta(eta)
    M = validate.number("M", M, 1.0, np.inf, open_high=True)
    validate.integer("dimension", dimension, 1)
    validate.choice("as_published", as_published, (True, False))
    with np.errstate(over="ignore"):
        if as_published:  # infinite where the constant exceeds the doubles
            return validate.plain(((6.16 if M >= 2 else 7.5) / eta) ** (1 + 2 / M))
        return _finite(-1 / np.log1p(-2 * eta), eta)


def eta_from_ratio(ratio: float) -> float:
    """Return the eta that noise of so many times the mean deviation guarantees any query.

    Examples
    --------
    >>> round(eta_from_ratio(noise_scale(0.1)), 12)
    0.1
    """
    ratio = validate.number("ratio", ratio, 0.0, open_low=True)
    return float(-np.expm1(-1 / ratio) / 2)


def laplace_dp_scale(eta: ArrayLike, sensitivity: ArrayLike) -> Floats:
    """Return the Laplace scale that guarantees eta-MIP by way of pure DP.

    Parameters
    ----------
    sensitivity : array_like
        Largest change of the answer between neighbours, in [0, inf).

    Returns
    -------
    float or ndarray
        ``sensitivity / ln((1 + 2 eta) / (1 - 2 eta))``.

    Notes
    -----
    MIP paper, Figure 1: Theorem 4 solved for epsilon, then the Laplace mechanism.

    Examples
    --------
    >>> round(laplace_dp_scale(0.1, 1.0), 6)
    2.466303
    """
    eta = _eta(eta)
    sensitivity = validate.array("sensitivity", sensitivity, 0.0, np.inf, open_high=True)
    validate.broadcast(("eta", "sensitivity"), (eta, sensitivity))
    with np.errstate(over="ignore"):
        scale = sensitivity / (2 * np.arctanh(2 * eta))
    return _finite(scale, eta, " at this sensitivity")


def smallest_winning_ratio(M: float = 2) -> float:
    """Return how large sensitivity / sigma must be for the published noise to beat DP at all.

    Parameters
    ----------
    M : float
        Moment exponent, at least 1.

    Returns
    -------
    float
        The minimum over eta of the published constant times ``ln((1 + 2 eta) / (1 - 2 eta))``.

    Notes
    -----
    Not in the papers; it says for which queries their Figure 1 can look as it does.

    Examples
    --------
    >>> round(smallest_winning_ratio(2), 6)
    521.067123
    """
    from scipy.optimize import minimize_scalar

    noise_scale(0.25, M=M)

    def ratio(eta: float) -> float:
        return float(noise_scale(eta, M=M, as_published=True)) / float(laplace_dp_scale(eta, 1.0))

    found = minimize_scalar(ratio, bounds=(1e-3, 0.5 - 1e-9), options={"xatol": 1e-12})
    return float(found.fun)
