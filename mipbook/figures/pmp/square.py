"""The unit square of an event's two probabilities, and what each form of PMP allows in it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.palette import fill
from explorable.panels import Choice, Part, Slider, declared, layer, stacked
from mipbook import mip, pmp, tradeoff
from mipbook.base.types import Array
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.looks import Look
from mipbook.figures.marks import Trace, curve, level, points, reading
from mipbook.figures.words import say

__all__ = ["pmp_square"]

_ALONE, _SPLIT = "tell the truth", "print two groups"
_Point = tuple[float, float]


def _region(name: str, epsilon: float, delta: float, look: Look) -> Trace:
    """Return the region that (epsilon, delta) allows: a polygon, by its corners."""
    corner = (1 - delta) / (1 + math.exp(epsilon))
    x = np.array([0.0, corner, 1 - delta, 1.0])
    upper = np.asarray(tradeoff.dp_tpr(x, epsilon, delta))
    # Turned around the middle of the square, the upper border is the lower one.
    around: dict[str, Any] = {"x": np.concatenate([x, 1 - x]), "y": np.concatenate([upper, 1 - upper])}
    return curve(name, look=look, fill="toself", fillcolor=fill(look.colour), hoverinfo="skip", **around)


def _regions(epsilon: float, delta: float) -> Part:
    """Return what each form allows, and how strong the posterior form is."""
    posterior = float(pmp.epsilon_from_posterior(epsilon, delta))
    traces = [
        _region("as printed, 2δ", epsilon, min(1.0, 2 * delta), looks.PUBLISHED),
        _region("PMP, δ (bound)", epsilon, delta, looks.PMP),
        _region("posterior form (1)", posterior, 0.0, looks.SERIES[2]),
        level("nothing told", [0.0, 1.0], [0.0, 1.0]),
    ]
    words = {
        "posterior": say(posterior),
        "e": say(epsilon),
        "low": say(delta),
        "high": say(min(1.0, 2 * delta)),
    }
    return Part(traces, words=words)


def _frame() -> Part:
    sentence = "{verdict} The posterior form with ε = {e}, δ = {low} is pure {posterior}-PMP (exact)."
    alt = (
        "The unit square, the chance of an event with the record out against in. A solid region "
        "around the diagonal that starts at height {low}, a dashed one around it that starts at "
        "{high}, a dotted lens inside that starts at the corner. A diamond at {pair}, a ring at "
        "{average}."
    )
    layout = {
        "xaxis": axis("chance of the event, record out", range=[-0.03, 1.03]),
        "yaxis": axis("chance, record in", range=[-0.03, 1.03]),
        "height": 440,
    }
    return Part(layout=layout, meta={"sentence": sentence, "alt": alt})


def _mechanism(example: str, told: float) -> tuple[Array, NDArray[np.bool_], _Point, _Point]:
    """Return a mechanism's table and its draws, and the chances of the event that tells most.

    Each is a chance with the record out and in: first on average, then of a pair of neighbours.
    """
    if example == _ALONE:
        table = np.array([[told, 1 - told], [0.0, 1.0]])
        return table, mip.subsets(2), (0.0, told), (0.0, told)
    return pmp.partition_mechanism(3), mip.subsets(6), (0.1, 0.1), (0.0, 1.0)


def _point(told: float, example: str) -> Part:
    """Return the mechanism's event, and where it may be dragged."""
    _, _, average, pair = _mechanism(example, told)
    stops = list(_TOLD.stops)
    track = {"x": [0.0] * len(stops), "y": stops}
    grab = [{"control": "told", "axis": "y", "track": track}] if example == _ALONE else []
    traces = [
        reading([pair[0]], [pair[1]], "neighbours (DP)", showlegend=True),
        points("averages (PMP)", [average[0]], [average[1]], looks.PMP.with_symbol("circle-open"), size=20),
    ]
    words = {
        "pair": f"({say(pair[0])}, {say(pair[1])})",
        "average": f"({say(average[0])}, {say(average[1])})",
    }
    return Part(traces, words=words, meta={"grab": grab})


@lru_cache(maxsize=256)
def _needed(told: float, example: str) -> tuple[float, float]:
    """Return the delta of PMP and of DP; where one side has chance 0 it is the same at any eps."""
    table, members, *_ = _mechanism(example, told)
    found = pmp.finite_pmp_delta(table, members, 0.0), pmp.finite_dp_delta(table, members, 0.0)
    return round(float(found[0]), 12), round(float(found[1]), 12)


def _verdict(delta: float, told: float, example: str) -> Part:
    """Say which promises the mechanism keeps."""
    by_pmp, by_dp = _needed(told, example)
    if example == _SPLIT:
        text = (
            "Every event is as likely with the record in as out, so this is 0-PMP (exact). "
            f"Neighbours give different groups: only (ε, {say(by_dp)})-DP holds (exact)."
        )
        return Part(words={"verdict": text}, meta={"headline": "0-PMP, and no DP"})
    needs = f"At every ε the mechanism is (ε, {say(by_pmp)})-PMP and -DP, for no smaller δ (exact)"
    if by_pmp <= delta:
        text = f"{needs}. The point is inside the solid region."
        headline = f"δ = {say(by_pmp)}: promise kept"
    elif by_pmp <= 2 * delta:
        text = f"{needs}. Corollary 4 as printed calls it (ε, {say(delta)})-DP."
        headline = f"δ = {say(by_pmp)}, not {say(delta)}"
    else:
        text = f"{needs}. The point is outside of all regions."
        headline = f"δ = {say(by_pmp)}: all broken"
    return Part(words={"verdict": text}, meta={"headline": headline})


_TOLD = Slider(0.0, 1.0, 0.2, step=0.04, label="Chance of the truth")


@declared
def pmp_square(
    told: Annotated[float, _TOLD] = 0.2,
    delta: Annotated[float, Slider(0.0, 0.5, step=0.02, label="δ")] = 0.1,
    epsilon: Annotated[float, Slider(0.0, 3.0, step=0.125, label="ε")] = 0.5,
    example: Annotated[str, Choice([_ALONE, _SPLIT], label="Example")] = _ALONE,
) -> go.Figure:
    """Draw the events that (epsilon, delta) allows, those that 2 delta allows, and an example.

    References
    ----------
    PMP paper, Lemma 3 and Corollary 4, with their correction.

    Examples
    --------
    >>> "(ε, 0.2)-PMP and -DP" in pmp_square().layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_frame),
        layer(_regions, epsilon=epsilon, delta=delta),
        layer(_verdict, delta=delta, told=told, example=example),
        layer(_point, told=told, example=example),
    )
