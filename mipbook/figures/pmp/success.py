"""How often the best attacker is right, against the epsilon that promises it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game, mip, pmp
from mipbook.explore import Choice, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, level, points, reading
from mipbook.figures.words import percent, say
from mipbook.mechanisms import exponential_probabilities, randomised_response

__all__ = ["success_against_epsilon"]

_MECHANISMS = ("randomised response, n = 1", "noisy sum mod 6, n = 3", "exponential, n = 3")
# Six numbers of size at most 3, and three objects: the one closest on average is best.
_NUMBERS = np.array([-3.0, -1.5, -0.5, 0.5, 1.5, 3.0])
_OBJECTS = np.array([-1.0, 0.0, 1.0])
_GRID = np.linspace(0, 8, 65)
_EPSILONS = [0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0]


def _mechanism(name: str, epsilon: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the table on all subsets and who is in each."""
    if name == _MECHANISMS[0]:
        return randomised_response(epsilon), mip.subsets(2)
    members = mip.subsets(6)
    if name == _MECHANISMS[1]:
        return randomised_response(epsilon, 6)[members @ np.arange(6) % 6], members
    losses = members @ np.abs(_NUMBERS[:, None] - _OBJECTS) / 3
    # The largest change by one number of size at most 3: from 0 to 4, over n.
    return exponential_probabilities(losses, epsilon, 4 / 3), members


@lru_cache(maxsize=64)
def _lemma_6(delta: float) -> NDArray[np.float64]:
    return np.asarray(pmp.success_bound(_GRID, delta))


@lru_cache(maxsize=512)
def _measured(name: str, epsilon: float, delta: float) -> tuple[float, float, float, float]:
    """Return epsilon and best accuracy, for the worst-case and for the practical attacker."""
    table, members = _mechanism(name, epsilon)
    pairs = pmp.neighbouring_pairs(members)
    known = max(game.optimal_accuracy(table[pair]) for pair in pairs)
    practical = float(mip.record_accuracies(table, members).max())
    worst = pmp.finite_dp_epsilon(table, members, delta)
    return worst, known, pmp.finite_pmp_epsilon(table, members, delta), practical


@declared
def success_against_epsilon(
    mechanism: Annotated[str, Choice(_MECHANISMS, label="Mechanism")] = _MECHANISMS[2],
    epsilon: Annotated[float, Stops(_EPSILONS, label="Built for epsilon")] = 3.0,
    delta: Annotated[float, Stops([0.0, 0.01, 0.05, 0.1], label="delta")] = 0.0,
) -> go.Figure:
    """Draw the bound on an attacker's success, and where a mechanism's two attackers stand.

    References
    ----------
    PMP paper, Lemma 6, for positive delta too.

    Examples
    --------
    >>> "(bound)" in success_against_epsilon().layout.meta["sentence"]
    True
    """
    worst, known, practical, right = _measured(mechanism, epsilon, delta)
    promised = float(pmp.success_bound(epsilon, delta))
    bound = float(pmp.success_bound(practical, delta))
    if bound - right < 5e-7:
        verdict = "the bound is attained"
    else:
        verdict = f"{say(100 * (bound - right))} percentage points less than the bound"
    pair = f"({say(epsilon)}, {say(delta)})" if delta else say(epsilon)
    with_delta = f" with delta = {say(delta)}" if delta else ""
    slack = replace(looks.LEVEL, dash="dot", width=2)
    all_but_one, pool_only = looks.DP.with_symbol("x"), looks.PMP.with_symbol("circle")
    return finish(
        [
            curve("Lemma 6 (bound)", _GRID, _lemma_6(delta), looks.PMP.bound()),
            level("slack", [practical, practical], [right, bound], slack),
            reading(epsilon, promised, "built for (bound)", showlegend=True),
            points("knows all but one (exact)", worst, known, all_but_one, size=13),
            points("knows the pool (exact)", practical, right, pool_only, size=13),
        ],
        sentence=(
            f"Built to be {say(epsilon)}-DP; {pair}-DP allows any attacker "
            f"{percent(promised, 4)} (bound). An attacker who knows all but one record is right "
            f"{percent(known, 4)} of the time at worst (exact). For one who knows only the pool, "
            f"epsilon{with_delta} is {say(round(practical, 12))} (exact), which allows "
            f"{percent(bound, 4)} (bound); the best such attack is right {percent(right, 4)} of "
            f"the time (exact): {verdict}."
        ),
        alt=(
            f"Accuracy against epsilon from 0 to 8: a curve that rises from "
            f"{say((1 + delta) / 2)} towards 1, with a diamond at epsilon {say(epsilon)}. A cross "
            f"at ({say(round(worst, 12))}, {say(known)}) for the attacker who knows all but one "
            f"record, a dot at ({say(round(practical, 12))}, {say(right)}) for the one who knows "
            f"the pool."
        ),
        layout={
            "xaxis": axis("epsilon", range=[-0.15, 8.1]),
            "yaxis": axis("best accuracy", range=[0.48, 1.02]),
            "height": 430,
        },
    )
