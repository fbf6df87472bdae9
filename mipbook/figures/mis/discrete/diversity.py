"""Which diversities are possible when the largest probability is known."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.base.palette import fill
from mipbook.explore import Count, Slider, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import Trace, curve
from mipbook.figures.words import say

__all__ = ["diversity_band"]

_POINTS = 121
_KINDS = [2, 3, 4, 5, 8, 12, 20, 50]
_PLACE = "From uniform (0) to one value (1)"


@lru_cache(maxsize=64)
def _curves(K: int) -> tuple[Any, ...]:
    """Return the largest probabilities, the ends of C_K, and what two entropies promise."""
    x = np.minimum(1 / K + (1 - 1 / K) * np.linspace(0, 1, _POINTS), 1.0)
    low, high = mis.diversity_range(K, x)
    # Each entropy is largest where all other values are alike.
    rest = np.repeat((1 - x[:, None]) / (K - 1), K - 1, axis=1)
    flattest = np.column_stack([x, rest])
    gini = np.array([2 * mis.gini_simpson(p) for p in flattest])
    shannon = np.array([mis.shannon_entropy(p) / mis.SHANNON_FACTOR for p in flattest])
    return x, low, high, gini, shannon


@declared
def diversity_band(
    K: Annotated[int, Count(_KINDS, label="Values, K")] = 5,
    place: Annotated[float, Slider(0.0, 1.0, step=0.05, label=_PLACE)] = 0.25,
) -> go.Figure:
    """Draw the band of C_K against the largest probability, with what two entropies promise.

    Notes
    -----
    Limits paper, Lemmas 23 and 24 and Appendix C.2.

    Examples
    --------
    >>> "between 1.38 and 1.92" in diversity_band(5).layout.meta["sentence"]
    True
    """
    x, low, high, gini, shannon = _curves(K)
    largest = min(1 / K + (1 - 1 / K) * place, 1.0)
    least, most = (float(end) for end in mis.diversity_range(K, largest))
    area: Trace = {"fill": "tonexty", "fillcolor": fill(looks.MIS.colour)}
    ends: Trace = {"marked": True, "showlegend": False}
    thin = replace(looks.READING, width=1)
    if most - least < 1e-9:
        which = "one law is" if largest < 1 else "the law of a single value is"
        verdict = f"only {which} possible, with C_K = {say(most)} (exact)"
    else:
        verdict = (
            f"C_K lies between {say(least)} and {say(most)}, both attained (exact), "
            f"so a factor of {say((most / least) ** 2)} in the records needed stays open"
        )
    return finish(
        [
            curve("most", x, high, looks.MIS),
            curve("least", x, low, looks.MIS.bound(), **area),
            curve("2 Gini–Simpson", x, gini, looks.SERIES[2]),
            curve("Shannon × 2/ln 5", x, shannon, looks.SERIES[3]),
            curve("at your place", [largest, largest], [least, most], thin, **ends),
        ],
        sentence=(
            f"With {K} values, the likeliest of them of probability {say(largest)}, {verdict}."
        ),
        alt=(
            f"A band against the largest probability from {say(1 / K)} to 1 for {K} values. Its "
            f"upper edge falls from {say(float(high[0]))} to 0, its lower edge touches it at both "
            f"ends and has kinks at 1/2, 1/3 and so on. Two dotted entropy curves lie below the "
            f"upper edge. At {say(largest)} the band goes from {say(least)} to {say(most)}."
        ),
        layout={
            "xaxis": axis("largest probability", range=[0, 1.02]),
            "yaxis": axis("C_K", rangemode="tozero"),
            "height": 420,
        },
    )
