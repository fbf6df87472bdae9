"""Delta of the histogram learner against what mutual information says about it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import say

__all__ = ["PINSKER_LAWS", "security_pinsker"]

_LAWS = {
    "a fair coin": (0.5, 0.5),
    "a coin, 1 in 50": (0.02, 0.98),
    "five kinds, 1/2 to 1/16": (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16),
    "twenty kinds alike": (0.05,) * 20,
}
PINSKER_LAWS = tuple(_LAWS)
_SIZES = np.array([1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200, 300, 500, 700, 1000, 2000])


@lru_cache(maxsize=256)
def _point(law: str, n: int) -> tuple[float, float]:
    """Return Delta and the bound from the mutual information, not cut at 1."""
    p = _LAWS[law]
    nats = mis.histogram_information(p, n)
    return float(np.asarray(mis.worst_case_delta(p, n))), math.sqrt(nats / 2)


@lru_cache(maxsize=4)
def _curves(law: str) -> NDArray[np.float64]:
    return np.array([_point(law, int(n)) for n in _SIZES]).T


def security_pinsker(law: str = PINSKER_LAWS[2], n: int = 20) -> go.Figure:
    """Draw Delta and sqrt(I / 2) against n, and their ratio below.

    Parameters
    ----------
    law : str
        The law of a record.
    n : int
        Where to read the curves, in [1, 2000].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Remark 7 and equation (8).  The learner publishes the histogram, which is
    the worst case for its law.

    Examples
    --------
    >>> "1.52 times" in security_pinsker().layout.meta["sentence"]
    True
    """
    law = validate.choice("law", law, PINSKER_LAWS)
    n = validate.integer("n", n, 1, 2000)
    exact, bound = _curves(law)
    delta, pinsker = _point(law, n)
    p = np.array(_LAWS[law])
    limit = math.sqrt(math.pi / 2 * (p.size - 1)) / float(np.sqrt(p * (1 - p)).sum())
    top = 2.0 if (bound / exact).max() < 2 else 6.0
    figure = go.Figure()
    for name, y, colour, dash in (
        ("sqrt(I/2) (bound)", bound, ORANGE, "dash"),
        ("Delta (exact)", exact, BLUE, "solid"),
    ):
        figure.add_scatter(
            x=_SIZES, y=y, mode="lines", name=name, line={"color": colour, "dash": dash, "width": 3}
        )
    figure.add_scatter(
        x=[n, n],
        y=[pinsker, delta],
        mode="markers",
        name="at your n",
        marker={"color": INK, "symbol": "diamond", "size": 10},
    )
    figure.add_scatter(
        x=_SIZES,
        y=bound / exact,
        mode="lines+markers",
        name="ratio",
        line={"color": GREEN, "width": 2},
        marker={"color": GREEN, "symbol": "circle-open", "size": 7},
        **LOWER,
    )
    figure.add_scatter(
        x=[1, 2000],
        y=[limit, limit],
        mode="lines",
        name="its limit",
        line={"color": GREY, "dash": "dot", "width": 2},
        **LOWER,
    )
    vacuous = " It is above 1 and says nothing." if pinsker > 1 else ""
    return finish(
        figure,
        sentence=(
            f"{law[0].upper()}{law[1:]}, n = {n:,}: Delta is {say(delta)} (exact); mutual "
            f"information bounds it by {say(pinsker)} (bound), {say(pinsker / delta)} times as "
            f"much.{vacuous} For large n the factor tends to {say(limit)} (approximation); for no "
            f"law does it tend to less than 1.25."
        ),
        alt=(
            f"Above, on two logarithmic axes against n from 1 to 2,000, a dashed and a solid line "
            f"that become parallel; at n = {n} they are {say(pinsker)} and {say(delta)}. Below, "
            f"their ratio, which ends near {say(float(bound[-1] / exact[-1]))}, and a dotted line "
            f"at {say(limit)}."
        ),
        layout={
            "xaxis": axis("", log=True, range=[-0.05, 3.35]),
            "yaxis": axis("Delta", log=True, range=[-2.7, 0.3]),
            "xaxis2": axis("records, n", log=True, range=[-0.05, 3.35]),
            "yaxis2": axis("ratio", range=[1.0, top]),
            "rows": (0.62, 0.1),
            "height": 540,
        },
    )
