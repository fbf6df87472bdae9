"""Which diversities are possible when the largest probability is known."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE, PURPLE, fill
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say

__all__ = ["diversity_band"]

_POINTS = 121


def _flattest(K: int, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the laws with largest entry x and all others equal, one a row."""
    rest = (1 - x) / (K - 1)
    return np.column_stack([x, np.repeat(rest[:, None], K - 1, axis=1)])


def diversity_band(K: int = 5, place: float = 0.25) -> go.Figure:
    """Draw the band of C_K against the largest probability, with what two entropies promise.

    Parameters
    ----------
    K : int
        Number of values, in [2, 100].
    place : float
        Where to read the band: 0 for the largest probability 1/K, 1 for 1; in [0, 1].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Lemmas 23 and 24 and Appendix C.2.

    Examples
    --------
    >>> "between 1.38 and 1.92" in diversity_band(5).layout.meta["sentence"]
    True
    """
    K = validate.integer("K", K, 2, 100)
    place = validate.number("place", place, 0.0, 1.0)
    x = 1 / K + (1 - 1 / K) * np.linspace(0, 1, _POINTS)
    low, high = (np.asarray(v) for v in mis.diversity_range(K, np.minimum(x, 1.0)))
    laws = _flattest(K, x)
    entropies = np.array([[mis.gini_simpson(p), mis.shannon_entropy(p)] for p in laws])
    here = min(1 / K + (1 - 1 / K) * place, 1.0)
    least, most = mis.diversity_range(K, here)
    figure = go.Figure()
    for name, y, colour, dash, area in (
        ("most", high, BLUE, "solid", None),
        ("least", low, ORANGE, "dash", "tonexty"),
        ("2 Gini–Simpson", 2 * entropies[:, 0], GREEN, "dot", None),
        ("Shannon × 2/ln 5", entropies[:, 1] / mis.SHANNON_FACTOR, PURPLE, "dashdot", None),
    ):
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 3 if area or name == "most" else 2},
            fill=area,
            fillcolor=fill(BLUE),
        )
    figure.add_scatter(
        x=[here, here],
        y=[least, most],
        mode="lines+markers",
        name="at your place",
        showlegend=False,
        line={"color": INK, "width": 1},
        marker={"color": INK, "size": 9, "symbol": "diamond"},
    )
    if float(most) - float(least) < 1e-9:
        which = "one law is" if here < 1 else "the law of a single value is"
        verdict = f"only {which} possible, with C_K = {say(float(most))} (exact)"
    else:
        verdict = (
            f"C_K lies between {say(float(least))} and {say(float(most))}, both attained (exact), "
            f"so a factor of {say((float(most) / float(least)) ** 2)} in the records needed stays "
            f"open"
        )
    return finish(
        figure,
        sentence=f"With {K} values, the likeliest of them of probability {say(here)}, {verdict}.",
        alt=(
            f"A band against the largest probability from {say(1 / K)} to 1 for {K} values. Its "
            f"upper edge falls from {say(float(high[0]))} to 0, its lower edge touches it at both "
            f"ends and has kinks at 1/2, 1/3 and so on. Two dotted entropy curves lie below the "
            f"upper edge. At {say(here)} the band goes from {say(float(least))} to "
            f"{say(float(most))}."
        ),
        layout={
            "xaxis": axis("largest probability", range=[0, 1.02]),
            "yaxis": axis("C_K", rangemode="tozero"),
            "height": 420,
        },
    )
