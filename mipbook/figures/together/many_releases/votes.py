"""The attacker's advantage after k answers: the even ones are worth nothing."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from scipy.stats import binom

from explorable.panels import Part, Slider, Stops, declared, layer, stacked
from mipbook import accounting
from mipbook.base.rounding import up
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.looks import BEST, DP, IN, OUT, SERIES
from mipbook.figures.marks import bars, curve, reading
from mipbook.figures.words import percent, say

__all__ = ["votes"]

_MOST = 31
_EPSILONS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0]
_FEW = [1, 2, 3, 4, 6, 9, 13, 19, 31]


def _advantage(epsilon: float, k: int) -> float:
    return accounting.composed(accounting.from_dp(epsilon), k).advantage.value


def _against_k(epsilon: float) -> Part:
    steps = np.arange(1, _MOST + 1)
    found = [_advantage(epsilon, k) for k in steps.tolist()]
    noise = accounting.from_laplace(1 / epsilon)
    laplace = [accounting.composed(noise, k).advantage.value for k in _FEW]
    name = "hardest answers of this ε (exact)"
    traces = [
        curve(
            name,
            steps,
            found,
            BEST,
            marked=True,
            hovertemplate="%{x} answers: TPR - FPR at most %{customdata:.3g}<extra></extra>",
            customdata=[up(value, 3) for value in found],
        ),
        curve(
            "Laplace noise of this ε (exact)",
            _FEW,
            laplace,
            SERIES[2],
            hovertemplate="Laplace, %{x} answers: %{y:.3f}<extra></extra>",
        ),
        curve(
            "k ε in one release (bound)", steps, np.tanh(steps * epsilon / 2), DP.bound(), hoverinfo="skip"
        ),
    ]
    rows = two_rows(0.5, 0.2)
    layout = {
        "xaxis": axis("answers, k", range=[0, _MOST + 1]) | rows["xaxis"],
        "yaxis": axis("TPR - FPR", range=[0, 1.03]) | rows["yaxis"],
        "xaxis2": axis("share of answers that say “in”", range=[-0.5, 1.5]) | rows["xaxis2"],
        "yaxis2": axis("chance", range=[0, 1]) | rows["yaxis2"],
        "barmode": "group",
        "height": 430,
    }
    grab = [{"control": "k", "axis": "x", "track": {"x": steps, "y": np.round(found, 4)}}]
    return Part(traces, layout, meta={"grab": grab, "probe": [name], "beside": 0.5})


def _answers(k: int, epsilon: float) -> Part:
    """Return how many of k answers say *in*, with the member and without."""
    count = np.arange(k + 1)
    lie = 1 / (1 + np.exp(epsilon))
    chances = binom.pmf(count, k, 1 - lie), binom.pmf(count, k, lie)
    found = _advantage(epsilon, k)
    said = "%{customdata} of " + str(k) + " say in: %{y:.3f}<extra></extra>"
    more = {"customdata": count, "hovertemplate": said, **LOWER}
    traces = [reading(k, found, "at your k")] + [
        bars(name, np.round(count / k, 5), np.round(chance, 6), look, pattern, **more)
        for name, chance, look, pattern in zip(
            ("member", "no member"), chances, (IN, OUT), ("", "/"), strict=True
        )
    ]
    if k % 2:
        verdict = "The majority decides, and there is one."
    else:
        tie = percent(float(chances[0][k // 2]))
        verdict = (
            f"Without the last answer it would be the same: with {k} there is a tie {tie} of the "
            "time (exact), as often with the member as without."
        )
    sentence = (
        f"After {k} answer{'s' * (k > 1)} with odds of e^{say(epsilon)} to one each, the best "
        f"attacker has TPR - FPR of at most {say(found, to=up)} and is right at most "
        f"{percent(0.5 + found / 2, to=up)} of the time (exact). {verdict}"
    )
    alt = (
        f"Left, the best attacker's TPR - FPR against the number of answers: a staircase whose "
        f"every second step is flat, at {say(found)} for {k}. Right, bars: how many of {k} "
        "answers say in, with the member to the right, without mirrored to the left."
    )
    meta = {"sentence": sentence, "alt": alt, "headline": f"right {percent(0.5 + found / 2)}"}
    return Part(traces, meta=meta)


@declared
def votes(
    k: Annotated[int, Slider(1, _MOST, step=1, value=2, label="Answers, k", play=True)] = 2,
    epsilon: Annotated[float, Stops(_EPSILONS, label="ε of each")] = 0.5,
) -> go.Figure:
    """Draw the best attacker's advantage after k randomised responses, and what it counts.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorem 3.3.

    Examples
    --------
    >>> votes(1).layout.meta["headline"] == votes(2).layout.meta["headline"]
    True
    """
    return stacked(layer(_against_k, epsilon=epsilon), layer(_answers, k=k, epsilon=epsilon))
