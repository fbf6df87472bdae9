"""What differential privacy promises, four times, and what a private count does."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis

_EPSILONS = [*(tenth / 10 for tenth in range(1, 10)), *(fifth / 5 for fifth in range(5, 21))]
_EPSILON = k.Stops(_EPSILONS, 1.0, label="Privacy, ε")
_CURVE = np.linspace(0, 4, 41)
_BOUNDS = (
    ("published", "exp(ε) − 1 (bound)", k.PUBLISHED, 10),
    ("one-sided", "1 − exp(−ε) (bound)", replace(k.DP, dash="dashdot"), None),
    ("two-sided", "tanh(ε/2) (bound)", k.DP, None),
    ("sharp", "tanh(ε/4) (bound)", k.DP.bound(), None),
)
_RECORDS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000]
_EXACT, _AGAINST = "noisy count (exact)", "noisy count against n"


@k.cache
def _count(n, p, epsilon):
    return float(mis.geometric_count_delta(n, p, epsilon))


@k.cache
def _at_most(epsilon):
    """Return the four bounds on Delta."""
    return {kind: float(mis.delta_from_dp(epsilon, bound=kind)) for kind in mis.DP_BOUNDS}


def _bounds():
    """Draw the four bounds, and say what is around the numbers."""
    curves = []
    for kind, name, look, most in _BOUNDS:
        found = np.minimum(mis.delta_from_dp(_CURVE, bound=kind), 2.0)
        told: dict[str, Any] = {"customdata": [k.up(value, 3) for value in found]}
        told["hover"] = "ε = %{x:.1f}: Δ at most %{customdata:.3g}"
        curves.append(k.curve(name, _CURVE, found, look, most=most, **told))
    return k.part(
        *curves,
        x=k.axis("ε", range=[0, 4]),
        y=k.axis("Δ", range=[0, 1.05]),
        x2=k.axis("records, n", log=True, range=[-0.05, 3.05]),
        y2=k.axis("Δ", log=True, range=[-4.2, 0.1]),
        rows=(0.58, 0.2),
        height=430,
        beside=0.55,
        probe=[_BOUNDS[-1][1], _EXACT, _AGAINST],
        grab=k.drag("epsilon", _EPSILON.stops, [_at_most(epsilon)["sharp"] for epsilon in _EPSILON.stops]),
        headline="Δ = {exact}, where DP promises {sharp}",
        sentence="For any {epsilon}-DP learner Δ ≤ {sharp}, which some learner attains; tanh(ε/2) gives "
        "{two}, the published bound {published}{vacuous} (bounds). The noisy count of {n} records leaks only "
        "{exact} (exact): security {security}, not {promised}.",
        alt="Above, Δ against ε from 0 to 4: a dashed curve with crosses, a dash-dotted, a dotted and a "
        "plainly dashed one, each below the one before, and a line with rings below all; at {epsilon} the "
        "lowest of the four is at {sharp}, the rings at {exact}. Below, on logarithmic axes against n, a "
        "level line at {sharp} and a falling one through {exact} at n = {n}.",
    )


def _against_epsilon(n, p):
    exact, rings = mis.geometric_count_delta(n, p, _CURVE), k.MIS.with_symbol("circle-open")
    told = f"ε = %{{x:.1f}}: the noisy count of {n:,} has Δ = %{{y:.3g}}"
    return k.part(k.curve(_EXACT, _CURVE, exact, rings, most=10, hover=told))


def _against_size(p, epsilon):
    exact, more = [_count(n, p, epsilon) for n in _RECORDS], {"showlegend": False, "lower": True}
    told = "noisy count of %{x:,} records: Δ = %{y:.3g}"
    return k.part(
        k.level("bound, any n", [1, 1000], _at_most(epsilon)["sharp"], k.DP.bound(), **more),
        k.curve(_AGAINST, _RECORDS, exact, k.MIS, hover=told, **more),
        grab=k.drag("n", _RECORDS, exact, "x2"),
    )


def _here(epsilon, n, p):
    """Mark the reader's epsilon and n, and say what they mean."""
    exact, found = _count(n, p, epsilon), _at_most(epsilon)
    return k.part(
        k.reading([epsilon, epsilon], [found["sharp"], exact], "at your ε"),
        k.reading(n, exact, "at your n", lower=True),
        epsilon=epsilon,
        n=n,
        exact=exact,
        security=1 - exact,
        sharp=k.at_most(found["sharp"]),
        promised=k.at_least(1 - found["sharp"]),
        two=k.at_most(found["two-sided"]),
        published=k.at_most(found["published"]),
        vacuous=", which says nothing" if found["published"] >= 1 else "",
    )


@k.figure
def dp_security(
    epsilon: Annotated[float, _EPSILON] = 1.0,
    n: Annotated[int, k.Count(_RECORDS, label="Records, n")] = 10,
    p: Annotated[float, k.Choice([0.05, 0.2, 0.5], label="Chance of a 1")] = 0.5,
):
    """Draw four bounds on Delta, and the exact Delta of a count with geometric noise.

    Notes
    -----
    Limits paper, Remark 8 and equation (53); tanh(eps/4) is new in this book.

    Examples
    --------
    >>> dp_security().layout.meta["headline"]
    'Δ = 0.1, where DP promises 0.245'
    """
    return _bounds, _against_epsilon, _against_size, _here
