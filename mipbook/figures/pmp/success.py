"""How often the best attacker is right, against the epsilon that promises it."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip, pmp
from mipbook.mechanisms import exponential_probabilities, randomised_response

_MECHANISMS = ("randomised response, n = 1", "noisy sum mod 6, n = 3", "exponential, n = 3")
_EPSILON = k.Slider(0.0, 8.0, 3.0, step=0.25, label="Built for ε")
_GRID = np.linspace(0, 8, 65)


def _mechanism(name, epsilon):
    """Return the table on all subsets, and who is in each."""
    if name == _MECHANISMS[0]:
        return randomised_response(epsilon), mip.subsets(2)
    members = mip.subsets(6)
    if name == _MECHANISMS[1]:
        return randomised_response(epsilon, 6)[members @ np.arange(6) % 6], members
    # Six numbers of size at most 3, and three objects: the one closest on average is best.  The
    # largest change by one number is from 0 to 4, over n.
    numbers, objects = np.array([[-3.0], [-1.5], [-0.5], [0.5], [1.5], [3.0]]), np.array([-1.0, 0.0, 1.0])
    return exponential_probabilities(members @ np.abs(numbers - objects) / 3, epsilon, 4 / 3), members


@k.cache
def _measured(name, epsilon, delta):
    """Return epsilon and best accuracy, for the worst-case and for the practical attacker."""
    table, members = _mechanism(name, epsilon)
    known = float(pmp.success_bound(0.0, pmp.finite_dp_delta(table, members, 0.0)))
    right = float(mip.record_accuracies(table, members).max())
    worst = pmp.finite_dp_epsilon(table, members, delta)
    return worst, known, pmp.finite_pmp_epsilon(table, members, delta), right


def _bound(delta):
    """Return what an epsilon allows, and the track of the reader's epsilon on it."""
    name, said = "Lemma 6 (bound)", "ε = %{x:.3g} allows to be right %{y:.1%} of the time"
    return k.part(
        k.curve(name, _GRID, np.asarray(pmp.success_bound(_GRID, delta)), k.PMP.bound(), hover=said),
        x=k.axis("ε", range=[-0.15, 8.1]),
        y=k.axis("best accuracy", range=[0.48, 1.02]),
        height=430,
        probe=[name],
        grab=k.drag("epsilon", _EPSILON.stops, pmp.success_bound(_EPSILON.stops, delta)),
        start=(1 + delta) / 2,
    )


def _attackers(mechanism, epsilon, delta):
    """Return where the promise and the two attackers stand."""
    worst, known, practical, right = _measured(mechanism, epsilon, delta)
    promised, allowed = (float(pmp.success_bound(each, delta)) for each in (epsilon, practical))
    named = "({name}, {delta})" if delta else "{name}"
    reached = "{more} percentage points more" if allowed - right >= 5e-7 else "which is attained"
    headline = "right {short}, where {promised} is allowed"
    if round(promised - right, 9) == 0:
        headline = "right {short}, all that is allowed"
    each, slack = "%{x:.3g}, right %{y:.1%} of the time", replace(k.LEVEL, dash="dot", width=2)
    looks = k.DP.with_symbol("x"), k.PMP.with_symbol("circle")
    hovers = {"hover": f"knows all but one: ε = {each}"}, {"hover": f"knows the pool: ε̃ = {each}"}
    return k.part(
        k.level("slack", [practical, practical], [right, allowed], slack),
        k.reading(epsilon, promised, "built for (bound)", showlegend=True),
        k.points("knows all but one (exact)", worst, known, looks[0], size=13, **hovers[0]),
        k.points("knows the pool (exact)", practical, right, looks[1], size=13, **hovers[1]),
        headline=headline,
        sentence="An attacker who knows only the pool is right {right} of the time (exact); {epsilon}-DP "
        "would allow {promised} (bound). One who knows all but one record is right {known} of the time "
        "(exact). The pool's ε̃ = "
        f"{{practical}} allows {{allowed}} (bound), {reached}.",
        alt="Accuracy against epsilon from 0 to 8: a curve that rises from {start} towards 1, with a diamond "
        "at epsilon {epsilon}. A cross at ({worst}, {known_height}) for the attacker who knows all but one "
        "record of the mechanism '{mechanism}', a dot at ({practical}, {pool_height}) for the one who knows "
        "the pool.",
        mechanism=mechanism,
        epsilon=k.told(named, name=epsilon, delta=delta),
        promised=k.at_most(promised, k.percent, 4),
        known=k.exact(known, k.percent, 4),
        right=k.exact(right, k.percent, 4),
        short=k.exact(right, k.percent),
        practical=round(practical, 12),
        allowed=k.at_most(allowed, k.percent, 4),
        more=k.exact(100 * (allowed - right)),
        worst=round(worst, 12),
        known_height=known,
        pool_height=right,
    )


@k.figure
def success_against_epsilon(
    mechanism: Annotated[str, k.Choice(_MECHANISMS, label="Mechanism")] = _MECHANISMS[2],
    epsilon: Annotated[float, _EPSILON] = 3.0,
    delta: Annotated[float, k.Stops([0.0, 0.05, 0.1], label="δ")] = 0.0,
):
    """Draw the bound on an attacker's success, and where a mechanism's two attackers stand.

    References
    ----------
    PMP paper, Lemma 6, for positive delta too.

    Examples
    --------
    >>> "(bound)" in success_against_epsilon().layout.meta["sentence"]
    True
    """
    return _bound, _attackers
