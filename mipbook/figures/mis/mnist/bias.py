"""C_K from counts: the plug-in value and its correction against the sample size."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREY, INK, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import percent, say
from mipbook.runs.table1 import ATOMS, table1

__all__ = ["PLUG_IN_SIZES", "plug_in_bias"]

Array = NDArray[np.float64]
PLUG_IN_SIZES = (30, 100, 300, 1000, 3000, 10_000)
_DRAWS = 12


@lru_cache(maxsize=16)
def _curves(clusters: int, of: str) -> tuple[float, Array, Array, Array]:
    """Return the truth, both means, and a few drawn values at each sample size."""
    law = table1().law(clusters, 0, of)
    rng = np.random.default_rng((95, clusters, ATOMS.index(of)))
    drawn = [
        [mis.plug_in_diversity(rng.multinomial(n, law)) for _ in range(_DRAWS)]
        for n in PLUG_IN_SIZES
    ]
    return (
        mis.diversity(law),
        np.array([mis.plug_in_diversity_mean(law, n) for n in PLUG_IN_SIZES]),
        np.array([mis.jackknife_diversity_mean(law, n) for n in PLUG_IN_SIZES]),
        np.array(drawn),
    )


def plug_in_bias(clusters: int = 100, of: str = "clusters and labels", n: int = 1000) -> go.Figure:
    """Draw what counting atoms in n records makes of C_K, on average and in a few draws.

    Parameters
    ----------
    clusters : {10, 30, 100, 300}
        K.
    of : {"clusters", "clusters and labels"}
        What an atom is.
    n : {30, 100, 300, 1000, 3000, 10000}
        The sample size that the sentence speaks of.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Section 6.2: C_K "numerically computed".  The law is that of one stored trial.

    Examples
    --------
    >>> plug_in_bias(10, "clusters", 1000).data[-1].name
    'your n'
    """
    clusters = validate.choice("clusters", clusters, table1().clusters)
    of = validate.choice("of", of, ATOMS)
    n = validate.choice("n", n, PLUG_IN_SIZES)
    truth, rough, corrected, drawn = _curves(clusters, of)
    here = PLUG_IN_SIZES.index(n)
    figure = go.Figure()
    figure.add_scatter(
        x=np.repeat(PLUG_IN_SIZES, _DRAWS),
        y=drawn.ravel(),
        mode="markers",
        name="12 draws",
        marker={"color": GREY, "symbol": "circle-open", "size": 6},
    )
    for name, values, colour, dash, symbol in (
        ("plug-in, mean", rough, BLUE, "solid", "circle"),
        ("jackknife, mean", corrected, ORANGE, "dash", "diamond-open"),
    ):
        figure.add_scatter(
            x=PLUG_IN_SIZES,
            y=values,
            mode="lines+markers",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"color": colour, "symbol": symbol, "size": 9},
        )
    figure.add_scatter(
        x=[PLUG_IN_SIZES[0], PLUG_IN_SIZES[-1]],
        y=[truth, truth],
        mode="lines",
        name="C_K of the law",
        line={"color": INK, "dash": "dot", "width": 2},
    )
    figure.add_scatter(
        x=[n, n],
        y=[0.0, truth],
        mode="lines",
        name="your n",
        line={"color": GREY, "dash": "longdash", "width": 1.5},
        hoverinfo="skip",
    )
    low = 1 - rough[here] / truth
    off = corrected[here] / truth - 1
    left = (
        f"{percent(abs(float(off)), 2)} too {'high' if off > 0 else 'low'}"
        if abs(off) > 5e-4
        else "right to a tenth of a percent"
    )
    return finish(
        figure,
        sentence=(
            f"The law of {clusters} {of} has C_K = {say(truth)} (exact). Frequencies of n = {n:,} "
            f"records give {say(float(rough[here]))} on average, {percent(float(low), 2)} too low "
            f"(exact); the jackknife gives {say(float(corrected[here]))}, {left} (exact). "
            f"From too low a C_K follows too high a security."
        ),
        alt=(
            f"C_K against the sample size from 30 to 10,000. The plug-in's mean climbs from "
            f"{say(float(rough[0]))} to {say(float(rough[-1]))}, below the true "
            f"{say(truth)} everywhere; the jackknife's mean goes from {say(float(corrected[0]))} "
            f"to {say(float(corrected[-1]))}. At each size twelve small rings, single draws."
        ),
        layout={
            "xaxis": axis("records counted", log=True),
            "yaxis": axis("C_K", rangemode="tozero"),
            "height": 420,
        },
    )
