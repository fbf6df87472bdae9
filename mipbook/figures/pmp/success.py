"""How often the best attacker is right, against the epsilon that promises it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game, mip, pmp
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.roc import add_point
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


@lru_cache(maxsize=512)
def _measured(name: str, epsilon: float, delta: float) -> tuple[float, float, float, float]:
    """Return epsilon and best accuracy, for the worst-case and for the practical attacker."""
    table, members = _mechanism(name, epsilon)
    pairs = pmp.neighbouring_pairs(members)
    known = max(game.optimal_accuracy(table[pair]) for pair in pairs)
    practical = float(mip.record_accuracies(table, members).max())
    worst = pmp.finite_dp_epsilon(table, members, delta)
    return worst, known, pmp.finite_pmp_epsilon(table, members, delta), practical


def success_against_epsilon(
    mechanism: str = _MECHANISMS[1], epsilon: float = 3.0, delta: float = 0.0
) -> go.Figure:
    """Draw the bound on an attacker's success, and where a mechanism's two attackers stand.

    Parameters
    ----------
    mechanism : str
        *randomised response, n = 1*, *noisy sum mod 6, n = 3* or *exponential, n = 3*.
    epsilon : float
        The DP parameter that the mechanism is built for, in [0, 8].
    delta : float
        In [0, 0.2].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Lemma 6, for positive delta too.

    Examples
    --------
    >>> "(bound)" in success_against_epsilon().layout.meta["sentence"]
    True
    """
    mechanism = validate.choice("mechanism", mechanism, _MECHANISMS)
    epsilon = validate.number("epsilon", epsilon, 0.0, 8.0)
    delta = validate.number("delta", delta, 0.0, 0.2)
    worst, known, practical, right = _measured(mechanism, epsilon, delta)
    promised = float(pmp.success_bound(epsilon, delta))
    bound = float(pmp.success_bound(practical, delta))
    figure = go.Figure()
    figure.add_scatter(
        x=_GRID,
        y=np.asarray(pmp.success_bound(_GRID, delta)),
        mode="lines",
        name="Lemma 6 (bound)",
        line={"color": BLUE, "width": 3},
    )
    figure.add_scatter(
        x=[practical, practical],
        y=[right, bound],
        mode="lines",
        name="slack",
        line={"color": GREY, "width": 2, "dash": "dot"},
        hoverinfo="skip",
    )
    add_point(figure, epsilon, promised, "built for (bound)")
    for name, x, y, colour, symbol in (
        ("knows all but one (exact)", worst, known, ORANGE, "x"),
        ("knows the pool (exact)", practical, right, GREEN, "circle"),
    ):
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 13},
        )
    if bound - right < 5e-7:
        verdict = "the bound is attained"
    else:
        verdict = f"{say(100 * (bound - right))} percentage points less than the bound"
    pair = f"({say(epsilon)}, {say(delta)})" if delta else say(epsilon)
    level = f" with delta = {say(delta)}" if delta else ""
    return finish(
        figure,
        sentence=(
            f"Built to be {say(epsilon)}-DP; {pair}-DP allows any attacker "
            f"{percent(promised, 4)} (bound). An attacker who knows all but one record is right "
            f"{percent(known, 4)} of the time at worst (exact). For one who knows only the pool, "
            f"epsilon{level} is {say(round(practical, 12))} (exact), which allows "
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
