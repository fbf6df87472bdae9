"""The unit square of an event's two probabilities, and what each form of PMP allows in it."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mipbook import mip, pmp, tradeoff
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, ORANGE, fill
from mipbook.figures.frame import axis, finish
from mipbook.figures.roc import add_point
from mipbook.figures.words import say

__all__ = ["pmp_square"]

_EXAMPLES = ("n = 1, told with chance 2 delta", "n = 3, the two groups printed")
_X = np.concatenate([np.linspace(0, 0.1, 21), np.linspace(0.12, 0.88, 39), np.linspace(0.9, 1, 21)])


def _edges(epsilon: float, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the region's border, once around."""
    upper = np.asarray(tradeoff.dp_tpr(_X, epsilon, delta))
    lower = 1 - np.asarray(tradeoff.dp_tpr(1 - _X, epsilon, delta))
    return np.concatenate([_X, _X[::-1]]), np.concatenate([upper, lower[::-1]])


def pmp_square(epsilon: float = 0.5, delta: float = 0.1, example: str = _EXAMPLES[0]) -> go.Figure:
    """Draw the events that (epsilon, delta) allows, those that 2 delta allows, and an example.

    Parameters
    ----------
    epsilon : float
        In [0, 4].
    delta : float
        In [0, 0.5].
    example : str
        *n = 1, told with chance 2 delta* or *n = 3, the two groups printed*.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Lemma 3 and Corollary 4, with their correction.

    Examples
    --------
    >>> "is (0.5, 0.2)-PMP and (0.5, 0.2)-DP" in pmp_square().layout.meta["sentence"]
    True
    """
    epsilon = validate.number("epsilon", epsilon, 0.0, 4.0)
    delta = validate.number("delta", delta, 0.0, 0.5)
    example = validate.choice("example", example, _EXAMPLES)
    posterior = float(pmp.epsilon_from_posterior(epsilon, delta))
    figure = go.Figure()
    for name, (level, slack), colour, dash in (
        ("as printed, 2 delta", (epsilon, 2 * delta), ORANGE, "dot"),
        ("PMP, delta (bound)", (epsilon, delta), BLUE, "solid"),
        ("posterior form (1)", (posterior, 0.0), GREEN, "dash"),
    ):
        x, y = _edges(level, slack)
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            fill="toself",
            fillcolor=fill(colour),
            line={"color": colour, "dash": dash, "width": 2.5},
            name=name,
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=[0.0, 1.0],
        y=[0.0, 1.0],
        mode="lines",
        name="nothing told",
        line={"color": GREY, "dash": "longdash", "width": 1.5},
        hoverinfo="skip",
    )
    first = example == _EXAMPLES[0]
    if first:
        members = mip.subsets(2)
        table = np.array([[2 * delta, 1 - 2 * delta], [0.0, 1.0]])
        seen, pair = (0.0, 2 * delta), (0.0, 2 * delta)
    else:
        members, table = mip.subsets(6), pmp.partition_mechanism(3)
        seen, pair = (0.1, 0.1), (0.0, 1.0)
    pmp_delta = float(pmp.finite_pmp_delta(table, members, epsilon))
    dp_delta = pmp.finite_dp_delta(table, members, epsilon)
    add_point(figure, *pair, "neighbours (DP)")
    figure.add_scatter(
        x=[seen[0]],
        y=[seen[1]],
        mode="markers",
        name="averages (PMP)",
        marker={"color": BLUE, "size": 20, "symbol": "circle-open", "line": {"width": 3}},
    )
    pmp_say, dp_say, e = say(round(pmp_delta, 12)), say(round(dp_delta, 12)), say(epsilon)
    if not first:
        told = (
            f"With n = 3 every event has the same chance with the record in and out, so the "
            f"mechanism is 0-PMP (exact). Two neighbours give different groups: ({e}, {dp_say})-DP "
            f"is all that holds (exact)."
        )
    elif delta == 0:
        told = (
            "At delta = 0 all three regions are one: the posterior form, PMP and the factor 2 "
            "agree, and the example tells nothing (exact)."
        )
    else:
        told = (
            f"With n = 1 the averages are the neighbours themselves. The mechanism that tells the "
            f"truth with chance {say(2 * delta)} is ({e}, {pmp_say})-PMP and ({e}, {dp_say})-DP, "
            f"for no smaller delta (exact). Corollary 4 as printed would make it "
            f"({e}, {say(delta)})-DP: the point is in the dotted region and outside the solid one."
        )
    return finish(
        figure,
        sentence=(
            f"{told} The posterior form with this epsilon and delta amounts to "
            f"pure {say(posterior)}-PMP (exact)."
        ),
        alt=(
            f"The unit square, the chance of an event with the record out against in. A solid "
            f"region around the diagonal that starts at height {say(delta)}, a dotted one around "
            f"it that starts at {say(min(1.0, 2 * delta))}, a dashed lens inside that starts at "
            f"the corner. A diamond at ({say(pair[0])}, {say(pair[1])}), a ring at "
            f"({say(seen[0])}, {say(seen[1])})."
        ),
        layout={
            "xaxis": axis("chance of the event, record out", range=[-0.03, 1.02]),
            "yaxis": axis("chance, record in", range=[-0.02, 1.03]),
            "height": 470,
        },
    )
