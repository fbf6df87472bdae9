"""How often the best attacker is right, against the epsilon that promises it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, Part, Slider, Stops, declared, layer, stacked
from mipbook import mip, pmp
from mipbook.base.rounding import up
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import curve, level, points, reading
from mipbook.figures.words import percent, say
from mipbook.mechanisms import exponential_probabilities, randomised_response

__all__ = ["success_against_epsilon"]

_MECHANISMS = ("randomised response, n = 1", "noisy sum mod 6, n = 3", "exponential, n = 3")
# Six numbers of size at most 3, and three objects: the one closest on average is best.
_NUMBERS = np.array([-3.0, -1.5, -0.5, 0.5, 1.5, 3.0])
_OBJECTS = np.array([-1.0, 0.0, 1.0])
_GRID = np.linspace(0, 8, 65)


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


@lru_cache(maxsize=256)
def _accuracies(name: str, epsilon: float) -> tuple[float, float]:
    """Return how often the worst-case and the practical attacker are right."""
    table, members = _mechanism(name, epsilon)
    known = float(pmp.success_bound(0.0, pmp.finite_dp_delta(table, members, 0.0)))
    return known, float(mip.record_accuracies(table, members).max())


@lru_cache(maxsize=512)
def _measured(name: str, epsilon: float, delta: float) -> tuple[float, float, float, float]:
    """Return epsilon and best accuracy, for the worst-case and for the practical attacker."""
    table, members = _mechanism(name, epsilon)
    known, right = _accuracies(name, epsilon)
    worst = pmp.finite_dp_epsilon(table, members, delta)
    return worst, known, pmp.finite_pmp_epsilon(table, members, delta), right


def _frame(mechanism: str) -> Part:
    sentence = (
        "Who knows only the pool is right {right} of the time (exact), where {epsilon}-DP allows "
        "{promised} (bound). Who knows all but one record is right {known} (exact). {verdict}."
    )
    alt = (
        "Accuracy against epsilon from 0 to 8: a curve that rises from {start} towards 1, with a "
        "diamond at epsilon {epsilon}. A cross at {worst} for the attacker who knows all but one "
        f"record of the mechanism '{mechanism}', a dot at {{pool}} for the one who knows the pool."
    )
    layout = {
        "xaxis": axis("ε", range=[-0.15, 8.1]),
        "yaxis": axis("best accuracy", range=[0.48, 1.02]),
        "height": 430,
    }
    return Part(layout=layout, meta={"sentence": sentence, "alt": alt})


def _bound(delta: float) -> Part:
    """Return what an epsilon allows, and the track of the reader's epsilon on it."""
    line = curve(
        "Lemma 6 (bound)",
        _GRID,
        _lemma_6(delta),
        looks.PMP.bound(),
        hovertemplate="ε = %{x:.3g} allows to be right %{y:.1%} of the time<extra></extra>",
    )
    stops = list(_EPSILON.stops)
    track = {"x": stops, "y": np.asarray(pmp.success_bound(stops, delta)).tolist()}
    grab = [{"control": "epsilon", "axis": "x", "track": track}]
    start = {"start": say((1 + delta) / 2)}
    return Part([line], words=start, meta={"grab": grab, "probe": ["Lemma 6 (bound)"]})


def _attackers(mechanism: str, epsilon: float, delta: float) -> Part:
    """Return where the promise and the two attackers stand."""
    worst, known, practical, right = _measured(mechanism, epsilon, delta)
    promised = float(pmp.success_bound(epsilon, delta))
    bound = float(pmp.success_bound(practical, delta))
    slack = replace(looks.LEVEL, dash="dot", width=2)
    all_but_one, pool_only = looks.DP.with_symbol("x"), looks.PMP.with_symbol("circle")
    said = "%{x:.3g}, right %{y:.1%} of the time<extra></extra>"
    traces = [
        level("slack", [practical, practical], [right, bound], slack),
        reading(epsilon, promised, "built for (bound)", showlegend=True),
        points(
            "knows all but one (exact)",
            worst,
            known,
            all_but_one,
            size=13,
            hovertemplate=f"knows all but one: ε = {said}",
        ),
        points(
            "knows the pool (exact)",
            practical,
            right,
            pool_only,
            size=13,
            hovertemplate=f"knows the pool: ε̃ = {said}",
        ),
    ]
    allowed = f"The pool's ε̃ = {say(round(practical, 12))} allows {percent(bound, 4, up)} (bound)"
    reached = "which is attained"
    if bound - right >= 5e-7:
        reached = f"{say(100 * (bound - right))} percentage points more"
    words = {
        "epsilon": f"({say(epsilon)}, {say(delta)})" if delta else say(epsilon),
        "promised": percent(promised, 4),
        "known": percent(known, 4),
        "right": percent(right, 4),
        "verdict": f"{allowed}, {reached}",
        "worst": f"({say(round(worst, 12))}, {say(known)})",
        "pool": f"({say(round(practical, 12))}, {say(right)})",
    }
    headline = f"right {percent(right)}, where {percent(promised, 4)} is allowed"
    if round(promised - right, 9) == 0:
        headline = f"right {percent(right)}, all that is allowed"
    return Part(traces, words=words, meta={"headline": headline})


_EPSILON = Slider(0.0, 8.0, 3.0, step=0.25, label="Built for ε")


@declared
def success_against_epsilon(
    mechanism: Annotated[str, Choice(_MECHANISMS, label="Mechanism")] = _MECHANISMS[2],
    epsilon: Annotated[float, _EPSILON] = 3.0,
    delta: Annotated[float, Stops([0.0, 0.05, 0.1], label="δ")] = 0.0,
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
    return stacked(
        layer(_frame, mechanism=mechanism),
        layer(_bound, delta=delta),
        layer(_attackers, mechanism=mechanism, epsilon=epsilon, delta=delta),
    )
