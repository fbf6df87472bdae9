"""Delta of the histogram learner against what mutual information says about it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Stops, declared
from mipbook import mis
from mipbook.base.rounding import up
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import curve, level
from mipbook.figures.words import say

__all__ = ["security_pinsker"]

_SIZES = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
# The size of which the sentence speaks.
_SAID = 20
_FIRST = [0.01, 0.02, 0.03, 0.05, 0.07, *(k / 20 for k in range(2, 19)), 0.93, 0.95, 0.97, 0.98]


@lru_cache(maxsize=256)
def _law(kinds: int, first: float) -> tuple[float, ...]:
    """Return the chances of the kinds: the first one's, and the rest in equal parts."""
    return (first, *[(1 - first) / (kinds - 1)] * (kinds - 1))


@lru_cache(maxsize=256)
def _curves(kinds: int, first: float) -> Any:
    """Return the bound from the mutual information, not cut at 1, and Delta."""
    p = _law(kinds, first)
    nats = np.array([mis.histogram_information(p, int(n)) for n in _SIZES])
    return np.sqrt(nats / 2), np.asarray(mis.worst_case_delta(p, _SIZES))


@declared
def security_pinsker(
    kinds: Annotated[int, Choice([2, 5, 20], label="Kinds of records")] = 5,
    first: Annotated[float, Stops(_FIRST, label="Chance of the first kind")] = 0.5,
) -> go.Figure:
    """Draw Delta and sqrt(I / 2) against n, and their ratio.

    The other kinds share the rest in equal parts.

    Notes
    -----
    Limits paper, Remark 7 and equation (8).  The learner publishes the histogram, which is
    the worst case for its distribution.

    Examples
    --------
    >>> security_pinsker(2, 0.5).layout.meta["headline"]
    'bound 1.29 times too large'
    """
    bound, exact = _curves(kinds, first)
    ratio = bound / exact
    said = int(np.flatnonzero(_SIZES == _SAID)[0])
    limit = math.sqrt(math.pi / 2 * (kinds - 1)) / mis.diversity(_law(kinds, first))
    ratio_look = looks.SERIES[0].with_symbol("circle-open")
    of = "%{y:.3g} with %{x:,} records<extra></extra>"
    return finish(
        [
            curve("√(I/2) (bound)", _SIZES, bound, looks.MIS.bound(), hovertemplate=f"≤ {of}"),
            curve("Δ (exact)", _SIZES, exact, looks.MIS, hovertemplate=f"Δ = {of}"),
            curve(
                "bound / Δ",
                _SIZES,
                ratio,
                ratio_look,
                marked=True,
                hovertemplate="the bound is %{y:.2f} times Δ with %{x:,} records<extra></extra>",
                **LOWER,
            ),
            level("its limit", [1, 1000], limit, **LOWER),
        ],
        headline=f"bound {say(float(ratio[said]))} times too large",
        sentence=(
            f"{kinds} kinds, the first with chance {say(first)}: with {_SAID} records Δ is "
            f"{say(float(exact[said]))} (exact), and mutual information bounds it by "
            f"{say(float(bound[said]), to=up)} (bound). For large n the factor tends to "
            f"{say(limit)} (approximation); for no distribution to less than 1.25."
        ),
        alt=(
            f"Above, on two logarithmic axes against n from 1 to 1,000, a dashed and a solid line "
            f"that become parallel; at n = {_SAID} they are {say(float(bound[said]), to=up)} and "
            f"{say(float(exact[said]))}. Below, their ratio, which ends near "
            f"{say(float(ratio[-1]))}, and a dashed line at {say(limit)}."
        ),
        layout={
            "xaxis": axis("records, n", log=True, range=[-0.05, 3.05]),
            "yaxis": axis("Δ", log=True, range=[-3, 0.3]),
            "xaxis2": axis("records, n", log=True, range=[-0.05, 3.05]),
            "yaxis2": axis("bound / Δ", type="log", range=[0, 1.1], tickvals=[1, 1.25, 2, 5, 10]),
            "rows": (0.6, 0.2),
            "height": 430,
        },
        beside=0.55,
        probe=["√(I/2) (bound)", "Δ (exact)", "bound / Δ"],
    )
