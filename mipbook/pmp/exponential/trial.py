"""One data set of the paper's simulations of the exponential mechanism, and its four epsilons."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from explorable import validate
from mipbook import data
from mipbook.base.types import Array
from mipbook.pmp.exponential.dp_everywhere import (
    SENSITIVITIES,
    local_sensitivity,
    norm_losses,
    norm_sensitivity,
    true_epsilon_bound,
)
from mipbook.pmp.exponential.dp_on_pool import subset_epsilon
from mipbook.pmp.exponential.exact import exponential_risks

__all__ = ["HELD", "ExponentialTrial", "Pool", "draw_pool", "exponential_trial"]

HELD = ("surrogate", "subset", "epsilon")


class Pool(NamedTuple):
    """A drawn data set: the objects, the losses, and the clipped records."""

    objects: Array
    values: Array
    losses: Array


class ExponentialTrial(NamedTuple):
    """The four epsilons on one data set, the surrogate, and the best attack.

    Attributes
    ----------
    epsilon : float
        What the mechanism is nominally (exact).
    true_bound : float
        What it provably is, on all data sets (bound).
    surrogate : float
        What the paper's figures call eps(X) (bound on ``subset``).
    subset : float or None
        DP on halves of the pool (exact); None where it was not asked for.
    pmp : float
        The PMP parameter (exact).
    success : float
        How often the best practical attacker is right (exact).
    """

    epsilon: float
    true_bound: float
    surrogate: float
    subset: float | None
    pmp: float
    success: float


def draw_pool(
    n: int,
    dimension: int,
    objects: int,
    sigma: float,
    clip: float,
    outliers: int,
    factor: float,
    rng: np.random.Generator,
) -> Pool:
    """Draw a pool as the paper's simulations do.

    Parameters
    ----------
    n, dimension, objects : int
        Half of the records, their coordinates d, the objects m; each at least 1.
    sigma : float
        Spread of the records around the first object, in [0, inf).
    outliers : int
        Records that are scaled, in [0, 2n].
    factor : float
        What they are scaled by, in (0, inf).

    Notes
    -----
    PMP paper, the simulations of Figures 1 to 3: unit objects, records around the first of
    them, outliers scaled before they are clipped.

    Examples
    --------
    >>> draw_pool(6, 5, 32, 1.0, 50.0, 2, 100.0, np.random.default_rng(0)).losses.shape
    (12, 32)
    """
    n = validate.size("n", n, beside=2)
    objects = validate.size("objects", objects, beside=2 * n)
    dimension = validate.size("dimension", dimension, beside=max(objects, 2 * n))
    centres = data.unit_vectors(objects, dimension, rng)
    values = data.gaussian_points(2 * n, dimension, sigma, rng, centres[0])
    values = data.clip_norm(data.scale_outliers(values, outliers, factor, rng), clip)
    return Pool(centres, values, norm_losses(values, centres))


def exponential_trial(
    n: int = 6,
    dimension: int = 1,
    objects: int = 10,
    sigma: float = 1.0,
    clip: float = 10.0,
    outliers: int = 0,
    factor: float = 100.0,
    epsilon: float = 5.0,
    held: str = "surrogate",
    convention: str = "attained",
    subset: bool = False,
    *,
    rng: np.random.Generator,
) -> ExponentialTrial:
    """Draw one data set and return its four epsilons.

    Parameters
    ----------
    n, dimension, objects, sigma, clip, outliers, factor
        As in `draw_pool`.
    epsilon : float
        The value of what is held fixed, in (0, inf).
    held : {"surrogate", "subset", "epsilon"}
        Whether ``epsilon`` is the paper's eps(X), the exact one, or the nominal parameter.
    convention : {"attained", "triangle"}
        The sensitivity, as in `norm_sensitivity`.
    subset : bool
        Whether to compute the exact eps(X) too, which takes longest.

    Raises
    ------
    ValueError
        For a pool of equal records where eps(X) is held.

    Notes
    -----
    PMP paper, Figures 1 to 3.

    Examples
    --------
    >>> found = exponential_trial(rng=np.random.default_rng(0))
    >>> found.pmp < found.surrogate < found.epsilon
    True
    """
    epsilon = validate.number("epsilon", epsilon, 0.0, math.inf, open_low=True, open_high=True)
    held = validate.choice("held", held, HELD)
    subset = validate.switch("subset", subset)
    convention = validate.choice("convention", convention, SENSITIVITIES)
    pool = draw_pool(n, dimension, objects, sigma, clip, outliers, factor, rng)
    sensitivity = norm_sensitivity(n, clip, convention)
    local = local_sensitivity(pool.losses)
    if local == 0 and held != "epsilon":
        validate.refuse("sigma", sigma, "such that records differ within clip: eps(X) is 0 for equal ones")
    nominal = epsilon
    if held == "surrogate":
        nominal = epsilon * sensitivity / local
    elif held == "subset":
        nominal = _nominal_for_subset(pool.losses, epsilon, sensitivity)
    return ExponentialTrial(
        nominal,
        true_epsilon_bound(pool.objects, n, nominal, sensitivity),
        nominal * local / sensitivity,
        subset_epsilon(pool.losses, nominal, sensitivity) if subset else None,
        *exponential_risks(pool.losses, nominal, sensitivity),
    )


def _nominal_for_subset(losses: Array, epsilon: float, sensitivity: float) -> float:
    """Return the smallest nominal parameter found whose exact eps(X) is ``epsilon``."""
    from scipy.optimize import brentq

    def over(log_nominal: float) -> float:
        return subset_epsilon(losses, math.exp(log_nominal), sensitivity) - epsilon

    low = math.log(epsilon * sensitivity / local_sensitivity(losses))
    high = low
    while over(high) < 0:
        high += 0.5
        if high > low + 60:
            validate.refuse("epsilon", epsilon, "one that this pool's eps(X) reaches")
    return math.exp(low if high == low else brentq(over, high - 0.5, high, xtol=1e-12))
