"""Delta of the histogram learner against what mutual information says about it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.explore import Choice, Count, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import curve, level, reading
from mipbook.figures.words import say

__all__ = ["security_pinsker"]

LAWS = {
    "a fair coin": (0.5, 0.5),
    "a coin, 1 in 50": (0.02, 0.98),
    "five kinds, 1/2 to 1/16": (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16),
    "twenty kinds alike": (0.05,) * 20,
}
_SIZES = np.array([1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200, 300, 500, 700, 1000, 2000])
_STOPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


@lru_cache(maxsize=256)
def _delta_and_bound(law: str, n: int) -> tuple[float, float]:
    """Return Delta and the bound from the mutual information, not cut at 1."""
    p = LAWS[law]
    nats = mis.histogram_information(p, n)
    return float(mis.worst_case_delta(p, n)), math.sqrt(nats / 2)


@lru_cache(maxsize=4)
def _curves(law: str) -> Any:
    return np.array([_delta_and_bound(law, int(n)) for n in _SIZES]).T


@declared
def security_pinsker(
    law: Annotated[str, Choice(list(LAWS), label="Records")] = "five kinds, 1/2 to 1/16",
    n: Annotated[int, Count(_STOPS, label="n")] = 20,
) -> go.Figure:
    """Draw Delta and sqrt(I / 2) against n, and their ratio below.

    Notes
    -----
    Limits paper, Remark 7 and equation (8).  The learner publishes the histogram, which is
    the worst case for its law.

    Examples
    --------
    >>> "1.52 times" in security_pinsker().layout.meta["sentence"]
    True
    """
    exact, bound = _curves(law)
    delta, pinsker = _delta_and_bound(law, n)
    kinds = len(LAWS[law])
    limit = math.sqrt(math.pi / 2 * (kinds - 1)) / mis.diversity(LAWS[law])
    top = 2.0 if (bound / exact).max() < 2 else 6.0
    ratio_look = looks.SERIES[0].with_symbol("circle-open")
    vacuous = " It is above 1 and says nothing." if pinsker > 1 else ""
    return finish(
        [
            curve("sqrt(I/2) (bound)", _SIZES, bound, looks.MIS.bound()),
            curve("Delta (exact)", _SIZES, exact, looks.MIS),
            reading([n, n], [pinsker, delta], "at your n"),
            curve("ratio", _SIZES, bound / exact, ratio_look, marked=True, **LOWER),
            level("its limit", [1, 2000], limit, **LOWER),
        ],
        sentence=(
            f"{law[0].upper()}{law[1:]}, n = {n:,}: Delta is {say(delta)} (exact); mutual "
            f"information bounds it by {say(pinsker)} (bound), {say(pinsker / delta)} times as "
            f"much.{vacuous} For large n the factor tends to {say(limit)} (approximation); for no "
            f"law does it tend to less than 1.25."
        ),
        alt=(
            f"Above, on two logarithmic axes against n from 1 to 2,000, a dashed and a solid line "
            f"that become parallel; at n = {n} they are {say(pinsker)} and {say(delta)}. Below, "
            f"their ratio, which ends near {say(float(bound[-1] / exact[-1]))}, and a dashed line "
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
