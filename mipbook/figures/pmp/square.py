"""The unit square of an event's two probabilities, and what each form of PMP allows in it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mip, pmp, tradeoff
from mipbook.base.palette import fill
from mipbook.base.types import Array
from mipbook.explore import Choice, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.looks import Look
from mipbook.figures.marks import Trace, curve, level, points, reading
from mipbook.figures.words import say

__all__ = ["pmp_square"]

_ALONE, _SPLIT = "n = 1, told with chance 2 delta", "n = 3, the two groups printed"
_X = np.concatenate([np.linspace(0, 0.1, 21), np.linspace(0.12, 0.88, 39), np.linspace(0.9, 1, 21)])
_EPSILONS = [0.0, 0.25, 0.5, 1.0, 2.0, 3.0]
_DELTAS = [0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5]


def _region(name: str, epsilon: float, delta: float, look: Look) -> Trace:
    """Return the region that (epsilon, delta) allows, its border drawn once around."""
    upper = np.asarray(tradeoff.dp_tpr(_X, epsilon, delta))
    lower = 1 - np.asarray(tradeoff.dp_tpr(1 - _X, epsilon, delta))
    x, y = np.concatenate([_X, _X[::-1]]), np.concatenate([upper, lower[::-1]])
    return curve(name, x, y, look, fill="toself", fillcolor=fill(look.colour), hoverinfo="skip")


_Point = tuple[float, float]


def _example(example: str, delta: float) -> tuple[Array, NDArray[np.bool_], _Point, _Point]:
    """Return a mechanism's table and its draws, and the chances of the event that tells most.

    Each is a chance with the record out and in: first on average, then of a pair of neighbours.
    """
    if example == _ALONE:
        table = np.array([[2 * delta, 1 - 2 * delta], [0.0, 1.0]])
        return table, mip.subsets(2), (0.0, 2 * delta), (0.0, 2 * delta)
    return pmp.partition_mechanism(3), mip.subsets(6), (0.1, 0.1), (0.0, 1.0)


def _verdict(example: str, epsilon: float, delta: float, by_pmp: float, by_dp: float) -> str:
    pmp_say, dp_say, e = say(round(by_pmp, 12)), say(round(by_dp, 12)), say(epsilon)
    if example == _SPLIT:
        return (
            f"With n = 3 every event has the same chance with the record in and out, so the "
            f"mechanism is 0-PMP (exact). Two neighbours give different groups: ({e}, {dp_say})-DP "
            f"is all that holds (exact)."
        )
    if delta == 0:
        return (
            "At delta = 0 all three regions are one: the posterior form, PMP and the factor 2 "
            "agree, and the example tells nothing (exact)."
        )
    return (
        f"With n = 1 the averages are the neighbours themselves. The mechanism that tells the "
        f"truth with chance {say(2 * delta)} is ({e}, {pmp_say})-PMP and ({e}, {dp_say})-DP, "
        f"for no smaller delta (exact). Corollary 4 as printed would make it "
        f"({e}, {say(delta)})-DP: the point is in the dashed region and outside the solid one."
    )


@declared
def pmp_square(
    epsilon: Annotated[float, Stops(_EPSILONS, label="epsilon")] = 0.5,
    delta: Annotated[float, Stops(_DELTAS, label="delta")] = 0.1,
    example: Annotated[str, Choice([_ALONE, _SPLIT], label="Example")] = _ALONE,
) -> go.Figure:
    """Draw the events that (epsilon, delta) allows, those that 2 delta allows, and an example.

    References
    ----------
    PMP paper, Lemma 3 and Corollary 4, with their correction.

    Examples
    --------
    >>> "is (0.5, 0.2)-PMP and (0.5, 0.2)-DP" in pmp_square().layout.meta["sentence"]
    True
    """
    posterior = float(pmp.epsilon_from_posterior(epsilon, delta))
    table, members, average, pair = _example(example, delta)
    by_pmp = float(pmp.finite_pmp_delta(table, members, epsilon))
    by_dp = pmp.finite_dp_delta(table, members, epsilon)
    ring = looks.PMP.with_symbol("circle-open")
    return finish(
        [
            _region("as printed, 2 delta", epsilon, 2 * delta, looks.PUBLISHED),
            _region("PMP, delta (bound)", epsilon, delta, looks.PMP),
            _region("posterior form (1)", posterior, 0.0, looks.SERIES[2]),
            level("nothing told", [0.0, 1.0], [0.0, 1.0]),
            reading([pair[0]], [pair[1]], "neighbours (DP)", showlegend=True),
            points("averages (PMP)", [average[0]], [average[1]], ring, size=20),
        ],
        sentence=(
            f"{_verdict(example, epsilon, delta, by_pmp, by_dp)} The posterior form with this "
            f"epsilon and delta amounts to "
            f"pure {say(posterior)}-PMP (exact)."
        ),
        alt=(
            f"The unit square, the chance of an event with the record out against in. A solid "
            f"region around the diagonal that starts at height {say(delta)}, a dashed one around "
            f"it that starts at {say(min(1.0, 2 * delta))}, a dotted lens inside that starts at "
            f"the corner. A diamond at ({say(pair[0])}, {say(pair[1])}), a ring at "
            f"({say(average[0])}, {say(average[1])})."
        ),
        layout={
            "xaxis": axis("chance of the event, record out", range=[-0.03, 1.02]),
            "yaxis": axis("chance, record in", range=[-0.02, 1.03]),
            "height": 470,
        },
    )
