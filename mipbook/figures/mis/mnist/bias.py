"""C_K from counts: the plug-in value and its correction against the sample size."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.explore import Choice, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, level, points
from mipbook.figures.words import percent, say
from mipbook.runs.table1 import ATOMS, table1

__all__ = ["plug_in_bias"]

Array = NDArray[np.float64]
_SIZES = (30, 100, 300, 1000, 3000, 10_000)
_DRAWS = 12


@lru_cache(maxsize=16)
def _curves(clusters: int, of: str) -> tuple[float, Array, Array, Array]:
    """Return the truth, both means, and a few drawn values at each sample size."""
    law = table1().law(clusters, 0, of)
    rng = np.random.default_rng((95, clusters, ATOMS.index(of)))
    drawn = [
        [mis.plug_in_diversity(rng.multinomial(n, law)) for _ in range(_DRAWS)] for n in _SIZES
    ]
    return (
        mis.diversity(law),
        np.array([mis.plug_in_diversity_mean(law, n) for n in _SIZES]),
        np.array([mis.jackknife_diversity_mean(law, n) for n in _SIZES]),
        np.array(drawn),
    )


@declared
def plug_in_bias(
    clusters: Annotated[int, Choice([10, 30, 100, 300], label="Clusters, K")] = 100,
    of: Annotated[str, Choice(ATOMS, label="Atoms")] = "clusters and labels",
    n: Annotated[int, Choice(_SIZES, label="Records counted")] = 1000,
) -> go.Figure:
    """Draw what counting atoms in n records makes of C_K, on average and in a few draws.

    Notes
    -----
    Limits paper, Section 6.2: C_K "numerically computed".  The law is that of one stored trial.

    Examples
    --------
    >>> plug_in_bias(10, "clusters", 1000).data[-1].name
    'your n'
    """
    truth, rough, corrected, drawn = _curves(clusters, of)
    mean, better = (float(values[_SIZES.index(n)]) for values in (rough, corrected))
    off = better / truth - 1
    left = (
        f"{percent(abs(off), 2)} too {'high' if off > 0 else 'low'}"
        if abs(off) > 5e-4
        else "right to a tenth of a percent"
    )
    ring = looks.LEVEL.with_symbol("circle-open")
    return finish(
        [
            points("12 draws", np.repeat(_SIZES, _DRAWS), drawn.ravel(), ring, size=6),
            curve("plug-in, mean", _SIZES, rough, looks.SERIES[0], marked=True),
            curve("jackknife, mean", _SIZES, corrected, looks.SERIES[1], marked=True),
            level("C_K of the law", [_SIZES[0], _SIZES[-1]], truth),
            level("your n", n, [0.0, truth], looks.READING),
        ],
        sentence=(
            f"The law of {clusters} {of} has C_K = {say(truth)} (exact). Frequencies of n = {n:,} "
            f"records give {say(mean)} on average, {percent(1 - mean / truth, 2)} too low "
            f"(exact); the jackknife gives {say(better)}, {left} (exact). "
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
