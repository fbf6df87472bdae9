"""Between differential privacy and MIP, both ways, and the noise that each promise asks for."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Number, Numbers, OneOf, checked
from mipbook.base.types import Deltas, Epsilons, Etas, Floats, Sensitivities


@checked
def eta_from_dp(epsilon: Epsilons, delta: Deltas = 0.0) -> Floats:
    """Return the smallest eta for which every (epsilon, delta)-DP release is eta-MIP.

    Returns
    -------
    float or ndarray
        ``delta/2 + (1 - delta) tanh(epsilon/2) / 2``, in [0, 1/2].

    Notes
    -----
    MIP paper, Theorem 4; with ``delta = 0`` RIP paper, Theorem 4.  The bound is attained.

    Examples
    --------
    >>> round(eta_from_dp(1.0, 0.1), 12)
    0.257952720767
    """
    validate.broadcast(("epsilon", "delta"), (epsilon, delta))
    return validate.plain(delta / 2 + (1 - delta) * np.tanh(epsilon / 2) / 2)


@checked
def epsilon_from_eta(eta: Annotated[Any, Numbers(0.0, 0.5)], delta: Deltas = 0.0) -> Floats:
    """Return the largest epsilon for which (epsilon, delta)-DP still implies eta-MIP.

    Parameters
    ----------
    eta : array_like
        Edge over a coin toss, in [0, 1/2].
    delta : array_like
        Failure probability in [0, 1], at most ``2 eta``: a larger one rules eta out.

    Returns
    -------
    float or ndarray
        ``ln((1 + x) / (1 - x))`` with ``x = (2 eta - delta) / (1 - delta)``, in [0, inf].

    Notes
    -----
    MIP paper, Theorem 4, solved for epsilon.

    Examples
    --------
    >>> round(epsilon_from_eta(0.1), 12)
    0.405465108108
    """
    validate.broadcast(("eta", "delta"), (eta, delta))
    eta, delta = np.broadcast_arrays(eta, delta)
    if np.any(delta > 2 * eta):
        worst = float(delta[delta > 2 * eta].flat[0])
        validate.refuse("delta", worst, "at most 2 eta, since delta alone costs delta / 2")
    # The gap 1 - x decides for eta near 1/2; formed directly it keeps its digits.
    surplus, gap = 2 * eta - delta, 1 - 2 * eta
    with np.errstate(divide="ignore", invalid="ignore"):
        epsilon = np.log1p(2 * surplus / gap)
    return validate.plain(np.where(gap > 0, epsilon, np.inf))


def _finite(scale: NDArray[np.float64], eta: NDArray[np.float64], where: str = "") -> Floats:
    if not np.isfinite(scale).all():
        validate.refuse("eta", eta, f"so large that the noise stays finite{where}")
    return validate.plain(np.asarray(scale))


@checked
def noise_scale(
    eta: Etas,
    M: Annotated[float, Number(1.0, math.inf, open_high=True)] = 2,
    as_published: Annotated[bool, OneOf((True, False))] = False,
) -> Floats:
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
    with np.errstate(over="ignore"):
        if as_published:  # infinite where the constant exceeds the doubles
            return validate.plain(((6.16 if M >= 2 else 7.5) / eta) ** (1 + 2 / M))
        return _finite(-1 / np.log1p(-2 * eta), eta)


@checked
def eta_from_ratio(ratio: Annotated[float, Number(0.0, open_low=True)]) -> float:
    """Return the eta that noise of so many times the mean deviation guarantees any query.

    Examples
    --------
    >>> round(eta_from_ratio(noise_scale(0.1)), 12)
    0.1
    """
    return float(-np.expm1(-1 / ratio) / 2)


@checked
def laplace_dp_scale(eta: Etas, sensitivity: Sensitivities) -> Floats:
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
    validate.broadcast(("eta", "sensitivity"), (eta, sensitivity))
    with np.errstate(over="ignore"):
        return _finite(sensitivity / (2 * np.arctanh(2 * eta)), eta, " at this sensitivity")


@checked
def scale_from_distance(distance: Sensitivities, eta: Etas) -> Floats:
    """Return the noise scale that turns a distance between the two distributions into eta-MIP.

    Parameters
    ----------
    distance : array_like
        `average_sensitivity` of the worst record, or another average distance, in [0, inf).

    Returns
    -------
    float or ndarray
        ``distance / (2 ln(1 / (1 - 2 eta)))``: noise with density ``exp(-|x| / scale)``.

    Notes
    -----
    New here; sharpens MIP paper, Theorem 9.  Valid in every norm and dimension, with
    distances in the same norm.

    Examples
    --------
    >>> round(scale_from_distance(2.0, 0.1), 4)
    4.4814
    """
    validate.broadcast(("distance", "eta"), (distance, eta))
    with np.errstate(over="ignore"):
        return _finite(distance / (-2 * np.log1p(-2 * eta)), eta, " at this distance")


@checked
def gaussian_sigma_for_mip(mean_distance: Sensitivities, eta: Etas) -> Floats:
    """Return the Gaussian noise that gives eta-MIP to a query with this spread.

    Parameters
    ----------
    mean_distance : array_like
        ``E|theta - m|`` in the Euclidean norm, for any centre m; in [0, inf).

    Returns
    -------
    float or ndarray
        Standard deviation on each coordinate, ``mean_distance / Phi^-1(1/2 + eta)``.

    Notes
    -----
    New here: the total variation of two normal distributions is concave in their distance, so the
    coupling proof of Theorem 9 applies; attained by the two-point query in every dimension.

    Examples
    --------
    >>> round(gaussian_sigma_for_mip(1.0, 0.1), 12)
    3.947153875543
    """
    from scipy.special import erfinv

    validate.broadcast(("mean_distance", "eta"), (mean_distance, eta))
    # 1/2 + eta would lose the digits of a small eta.
    with np.errstate(over="ignore"):
        scale = mean_distance / (np.sqrt(2) * np.asarray(erfinv(2 * eta)))
    return _finite(scale, eta, " at this mean_distance")


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
