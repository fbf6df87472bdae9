"""C_K from counts: the plug-in value and its correction against the sample size."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, Count, Part, declared, layer, stacked
from mipbook import mis
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import curve, level, points
from mipbook.figures.words import percent, say
from mipbook.mis.discrete.from_counts import counted_diversity_means
from mipbook.stored.digits import ATOMS, table1

__all__ = ["plug_in_bias"]

Array = NDArray[np.float64]
_SIZES = [
    *(30, 36, 44, 53, 65, 80, 100, 120, 140, 170, 200, 250, 300, 360, 440),
    *(530, 650, 800, 1000, 1200, 1500, 1800, 2200, 2600, 3000),
]
_SAMPLES = 12


@lru_cache(maxsize=8)
def _law(clusters: int, of: str) -> Array:
    return table1().law(clusters, 0, of)


@lru_cache(maxsize=512)
def _means(clusters: int, of: str, n: int) -> tuple[float, float]:
    """Return the means of the plug-in and of the jackknife, as shares of the truth."""
    law = _law(clusters, of)
    truth = mis.diversity(law)
    rough, better = counted_diversity_means(law, n)
    return rough / truth, better / truth


def _grown(clusters: int, of: str) -> Array:
    """Return the plug-in of samples to which records are added, at each size."""
    law = _law(clusters, of)
    rng = np.random.default_rng((95, clusters, ATOMS.index(of)))
    added = np.diff([0, *_SIZES])
    samples = [np.cumsum(rng.multinomial(added, law), axis=0) for _ in range(_SAMPLES)]
    return np.array([[mis.plug_in_diversity(counts) for counts in one] for one in samples])


def _counted(clusters: int, of: str) -> Part:
    truth = mis.diversity(_law(clusters, of))
    rough, better = np.array([_means(clusters, of, n) for n in _SIZES]).T
    over = "%{x:,} records: %{y:.1%} of C(K)<extra></extra>"
    ring = looks.LEVEL.with_symbol("circle-open")
    drawn = _grown(clusters, of) / truth
    traces = [
        points(
            f"{_SAMPLES} samples that grow",
            np.tile(_SIZES, _SAMPLES),
            drawn.ravel(),
            ring,
            size=5,
            hovertemplate=over,
        ),
        curve("plug-in, mean", _SIZES, rough, looks.SERIES[0], hovertemplate=over),
        curve("jackknife, mean", _SIZES, better, looks.SERIES[1], hovertemplate=over),
        level("the truth", [_SIZES[0], _SIZES[-1]], 1),
    ]
    sentence = (
        f"The distribution of {clusters} {of} has C(K) = {say(truth)}. Frequencies of n = {{n}} "
        "records give {rough} on average, {low} too low; the jackknife gives {better}, {left} (all "
        "exact). From too low a C(K) follows too high a security."
    )
    alt = (
        "C(K) from counts, as a share of the truth, against the sample size from 30 to 3,000. The "
        f"plug-in's mean climbs from {say(float(rough[0]))} to {say(float(rough[-1]))}, below 1 "
        f"everywhere; the jackknife's mean goes from {say(float(better[0]))} to "
        f"{say(float(better[-1]))}. At each size twelve small rings, samples that grow; the line "
        "of your n is at {n}."
    )
    layout = {
        "xaxis": axis("records counted, n", log=True, range=[1, 3.6]),
        "yaxis": axis("share of C(K) that is counted", range=[0, 1.3], tickformat=".0%"),
        "height": 420,
    }
    meta = {"headline": "{low} too low", "sentence": sentence, "alt": alt}
    handle = {"x": _SIZES, "y": rough.tolist()}
    grab = [{"control": "n", "axis": "x", "track": handle}]
    return Part(traces, layout, words={"truth": say(truth)}, meta={**meta, "grab": grab})


def _here(clusters: int, of: str, n: int) -> Part:
    truth = mis.diversity(_law(clusters, of))
    rough, better = _means(clusters, of, n)
    off = better - 1
    left = f"{percent(abs(off), 2)} too {'high' if off > 0 else 'low'}"
    words = {
        "n": f"{n:,}",
        "rough": say(rough * truth),
        "low": percent(1 - rough, 2),
        "better": say(better * truth),
        "left": left if abs(off) > 5e-4 else "right to a tenth of a percent",
    }
    return Part([level("your n", n, [0.0, 1.3], replace(looks.READING, dash="longdashdot"))], words=words)


@declared
def plug_in_bias(
    clusters: Annotated[int, Choice([10, 30, 100, 300], label="Clusters, K")] = 100,
    of: Annotated[str, Choice(ATOMS, label="Atoms")] = "clusters and labels",
    n: Annotated[int, Count(_SIZES, label="Records counted, n", play=True)] = 1000,
) -> go.Figure:
    """Draw what counting atoms in n records makes of C_K, on average and in a few samples.

    Notes
    -----
    Limits paper, Section 6.2: C_K "numerically computed".  The distribution is that of one stored
    trial.

    Examples
    --------
    >>> plug_in_bias(10, "clusters", 1000).data[0].name
    'your n'
    """
    return stacked(layer(_here, clusters=clusters, of=of, n=n), layer(_counted, clusters=clusters, of=of))
