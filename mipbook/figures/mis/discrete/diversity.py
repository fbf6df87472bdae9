"""Which diversities are possible when the largest probability is known."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.palette import fill
from explorable.panels import Part, Slider, declared, layer, stacked
from mipbook import mis
from mipbook.base.rounding import down, up
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import Trace, curve
from mipbook.figures.words import say

__all__ = ["diversity_band"]

_POINTS = 121
_MOST_VALUES, _STEPS = 17, 25
_PLACE = "From uniform (0) to one value (1)"
_OVER = "largest probability %{x:.3f}: "


def _largest(K: int, place: Any) -> Any:
    return np.minimum(1 / K + (1 - 1 / K) * place, 1.0)


@lru_cache(maxsize=64)
def _curves(K: int) -> tuple[Any, ...]:
    """Return the largest probabilities, the ends of C_K, and what two entropies promise."""
    x = _largest(K, np.linspace(0, 1, _POINTS))
    low, high = mis.diversity_range(K, x)
    # Each entropy is largest where all other values are alike.
    rest = np.repeat((1 - x[:, None]) / (K - 1), K - 1, axis=1)
    flattest = np.column_stack([x, rest])
    gini = np.array([2 * mis.gini_simpson(p) for p in flattest])
    shannon = np.array([mis.shannon_entropy(p) / mis.SHANNON_FACTOR for p in flattest])
    return x, low, high, gini, shannon


def _band(K: int) -> Part:
    x, low, high, gini, shannon = _curves(K)
    area: Trace = {"fill": "tonexty", "fillcolor": fill(looks.MIS.colour)}
    area["customdata"] = [down(v, 3) for v in low]
    traces = [
        curve(name, x, y, look, hovertemplate=f"{_OVER}{over}<extra></extra>", **more)
        for name, y, look, over, more in (
            (
                "most",
                high,
                looks.MIS,
                "C(K) is at most %{customdata:.3g}",
                {"customdata": [up(v, 3) for v in high]},
            ),
            ("least", low, looks.MIS.bound(), "C(K) is at least %{customdata:.3g}", area),
            ("2 Gini–Simpson", gini, looks.SERIES[2], "Gini–Simpson promises %{y:.3f}", {}),
            ("Shannon × 2/ln 5", shannon, looks.SERIES[3], "Shannon promises %{y:.3f}", {}),
        )
    ]
    alt = (
        f"A band against the largest probability from {say(1 / K)} to 1 for {K} values. Its "
        f"upper edge falls from {say(float(high[0]))} to 0, its lower edge touches it at both "
        f"ends and has kinks at 1/2, 1/3 and so on. Two dotted entropy curves lie below the "
        "upper edge. At {largest} the band goes from {least} to {most}."
    )
    layout = {
        "xaxis": axis("largest probability", range=[0, 1.02]),
        "yaxis": axis("diversity, C(K)", range=[0, 4.05]),
        "height": 420,
    }
    places = np.linspace(0, 1, _STEPS)
    _, top = mis.diversity_range(K, _largest(K, places))
    track = {"x": _largest(K, places).tolist(), "y": np.asarray(top).tolist()}
    told = f"With {K} values, the likeliest of them of probability {{largest}}, {{verdict}}."
    meta = {"headline": "{headline}", "sentence": told, "alt": alt}
    grab = [{"control": "place", "axis": "x", "track": track}]
    return Part(traces, layout, meta={**meta, "grab": grab})


def _here(K: int, place: float) -> Part:
    largest = float(_largest(K, place))
    least, most = (float(end) for end in mis.diversity_range(K, largest))
    if most - least < 1e-9:
        which = "one distribution is" if largest < 1 else "the case of a single value is"
        verdict = f"only {which} possible, with C(K) = {say(most)} (exact)"
        headline = f"C(K) = {say(most)}"
    else:
        verdict = (
            f"C(K) lies between {say(least)} and {say(most)}, both attained (exact), "
            f"so a factor of {say((most / least) ** 2)} in the records needed stays open"
        )
        headline = f"C(K): {say(least)} to {say(most)}"
    thin = replace(looks.READING, width=1)
    ends: Trace = {"marked": True, "showlegend": False}
    words = {"largest": say(largest), "least": say(least), "most": say(most)}
    words |= {"verdict": verdict, "headline": headline}
    here = curve("at your place", [largest, largest], [least, most], thin, **ends)
    return Part([here], words=words)


@declared
def diversity_band(
    K: Annotated[int, Slider(2, _MOST_VALUES, step=1, label="Values, K", play=True)] = 5,
    place: Annotated[float, Slider(0.0, 1.0, points=_STEPS, label=_PLACE)] = 0.25,
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
    return stacked(layer(_band, K=K), layer(_here, K=K, place=place))
