"""One mechanism, four epsilons: nominal, true, on the pool, and for the practical attacker."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Part, Stops, declared, layer, stacked
from mipbook import pmp
from mipbook.base.types import Array
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.marks import Trace, level, points
from mipbook.figures.words import percent, say

__all__ = ["four_epsilons"]

# Ten directions, twelve records in five dimensions around the first of them, two outliers.
_SEED, _N, _DIMENSION, _OBJECTS, _OUTLIERS = 7, 6, 5, 10, 2
_NO_CLIP = 1e6
_CLIPS = [1.0, 1.25, 1.6, 2, 2.5, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80]
_CLIPS += [100, 125, 160, 200]
_FACTORS = [1.0, 1.25, 1.6, 2, 2.5, 3, 4, 5, 7, 10, 14, 20, 30, 40, 50, 70, 100]
# From the bottom up: the practical attacker faces PMP, the three above are DP.
_NAMES = ("pool<br>known", "others<br>known", "on any<br>data", "in<br>name")
# The axis of the bars ends at this power of ten.
_RIGHT = 4
_KINDS = ("exact", "exact", "bound", "exact")


class _Epsilons(NamedTuple):
    """Four parameters of one mechanism on one pool, the paper's surrogate, and the best attack."""

    practical: float
    on_pool: float
    true: float
    nominal: float
    surrogate: float
    success: float


@lru_cache(maxsize=2048)
def _pool(clip: float, factor: float) -> pmp.Pool:
    rng = np.random.default_rng(_SEED)
    settings = (_N, _DIMENSION, _OBJECTS, 1.0, clip, _OUTLIERS, factor)
    return pmp.draw_pool(*settings, rng)


@lru_cache(maxsize=512)
def _lengths(factor: float) -> Array:
    """Return the records' lengths before clipping."""
    return np.asarray(np.linalg.norm(_pool(_NO_CLIP, factor).values, axis=1))


@lru_cache(maxsize=1)
def _outliers() -> Array:
    """Return the lengths of the records that are scaled, before they are."""
    moved = _lengths(1.0) != _lengths(2.0)
    return np.asarray(_lengths(1.0)[moved])


@lru_cache(maxsize=4096)
def _found(epsilon: float, clip: float, factor: float) -> _Epsilons:
    pool, sensitivity = _pool(clip, factor), pmp.norm_sensitivity(_N, clip)
    practical, success = pmp.exponential_risks(pool.losses, epsilon, sensitivity)
    return _Epsilons(
        practical,
        pmp.subset_epsilon(pool.losses, epsilon, sensitivity),
        pmp.true_epsilon_bound(pool.objects, _N, epsilon, sensitivity),
        epsilon,
        pmp.surrogate_epsilon(pool.losses, epsilon, sensitivity),
        success,
    )


def _epsilons(epsilon: float, clip: float, factor: float) -> _Epsilons:
    # An outlier beyond the threshold is as long as the threshold, however far away it was.
    beyond = factor > 1 and factor * _outliers().min() > clip
    return _found(epsilon, clip, max(1.0, clip) * 10 if beyond else factor)


def _frame() -> Part:
    sentence = (
        "Called {nominal}-DP, it is at most {true}-DP on any data (bound), {known}-DP on this "
        "pool and {practical}-PMP (exact). The name exaggerates {loose} times; not knowing the "
        "others hides {hidden} times more."
    )
    alt = (
        "Above, the lengths of twelve records on a log axis, two of them {far} times scaled, and "
        "a line at the clip threshold {clip}. Below, four horizontal bars on a log axis: "
        "{nominal} in name, at most {true} on any data, {known} for an attacker who knows all "
        "others, {practical} for one who knows the pool. A diamond at {surrogate} marks what the "
        "paper plots for the third. The best attack with the pool is right {right} of the time."
    )
    rows = two_rows(0.27, 0.2)
    layout = {
        "xaxis": axis("length of a record", log=True, range=[0, 3]) | rows["xaxis"],
        "yaxis": {"visible": False, "range": [-1.6, 1.9]} | rows["yaxis"],
        "xaxis2": axis("ε", log=True, range=[-3, _RIGHT]) | rows["xaxis2"],
        "yaxis2": axis("", type="category") | rows["yaxis2"],
        "height": 430,
    }
    return Part(layout=layout, meta={"sentence": sentence, "alt": alt})


def _lengths_drawn(clip: float, factor: float) -> Part:
    """Return each record at the length that counts, and where it was before clipping."""
    lengths, ordinary = _lengths(factor), _lengths(1.0)
    height = np.linspace(-1, 1, len(lengths))
    cut = lengths > clip
    far = np.isin(ordinary, _outliers())
    shown = np.minimum(lengths, clip)
    edge = replace(looks.READING, dash="dash", width=2)
    said = "%{x:.3g} long<extra></extra>"
    before = [*np.where(cut, lengths, shown).tolist()]
    traces = [
        level("clip threshold, C", clip, [-1.6, 1.6], edge),
        points("before clipping", before, height, looks.LEVEL.with_symbol("circle-open"), hovertemplate=said),
        points("a record", shown[~far], height[~far], looks.IN, size=9, hovertemplate=said),
        points(
            "an outlier",
            shown[far],
            height[far],
            looks.OUT.with_symbol("square"),
            size=11,
            hovertemplate=said,
        ),
    ]
    return Part(traces, words={"clip": say(clip), "far": say(factor)})


def _bars(epsilon: float, clip: float, factor: float) -> Part:
    found = _epsilons(epsilon, clip, factor)
    sizes, ink = found[:4], looks.READING.colour
    told = [f"{say(v)} ({k})" for v, k in zip(sizes, _KINDS, strict=True)]
    bars: Trace = {
        "type": "bar",
        "x": list(sizes),
        "y": list(_NAMES),
        "orientation": "h",
        "name": "the four ε",
        "customdata": told,
        "hovertemplate": "%{y}: %{customdata}<extra></extra>",
        "marker": {
            "color": [looks.PMP.colour, *[looks.DP.colour] * 3],
            "pattern": {"shape": ["", "/", ".", "x"], "fgcolor": ink, "solidity": 0.15},
        },
        "showlegend": False,
        **LOWER,
    }
    theirs = looks.PUBLISHED.with_symbol("diamond-open")
    surrogate = points("the paper's ε(X) (bound)", [found.surrogate], [_NAMES[1]], theirs, size=13, **LOWER)
    values: Trace = {
        "type": "scatter",
        "mode": "text",
        "name": "the values",
        # In a column at the right edge, where no bar reaches.
        "x": [10**_RIGHT] * 4,
        "y": list(_NAMES),
        "text": told,
        "textposition": "middle left",
        "textfont": {"color": ink},
        "hoverinfo": "skip",
        "showlegend": False,
        **LOWER,
    }
    words = {
        "nominal": say(found.nominal),
        "true": say(found.true),
        "known": say(found.on_pool),
        "practical": say(found.practical),
        "surrogate": say(found.surrogate),
        "loose": say(found.nominal / found.on_pool, 2),
        "hidden": say(found.on_pool / found.practical, 2),
        "right": f"{percent(found.success)} (exact)",
    }
    headline = f"{say(found.nominal)} in name, {say(found.practical, 2)} in practice"
    return Part([bars, surrogate, values], words=words, meta={"headline": headline})


@lru_cache(maxsize=1)
def _grabs() -> list[dict[str, object]]:
    """Return what is dragged: the threshold, and the longest outlier."""
    lengths = [float(_outliers().max() * factor) for factor in _FACTORS]
    far = np.isin(_lengths(1.0), _outliers().max())
    height = float(np.linspace(-1, 1, len(far))[far][0])
    track = {"x": lengths, "y": [height] * len(lengths)}
    return [{"control": "clip", "axis": "x"}, {"control": "factor", "axis": "x", "track": track}]


@declared
def four_epsilons(
    clip: Annotated[float, Stops(_CLIPS, label="Clip threshold, C")] = 50.0,
    factor: Annotated[float, Stops(_FACTORS, label="Outliers scaled by")] = 100.0,
    epsilon: Annotated[float, Choice([1.0, 10.0, 100.0], label="Nominal ε")] = 10.0,
) -> go.Figure:
    """Draw the four epsilons of the exponential mechanism on one pool, and the pool.

    References
    ----------
    PMP paper, the simulations of Figures 1 to 3, taken apart: 10 objects, one fixed draw.

    Examples
    --------
    >>> list(four_epsilons().data[4].x)[::-1] == sorted(four_epsilons().data[4].x, reverse=True)
    True
    """
    return stacked(
        layer(_frame),
        layer(_lengths_drawn, clip=clip, factor=factor),
        layer(_bars, epsilon=epsilon, clip=clip, factor=factor),
        layer(_held),
    )


def _held() -> Part:
    """Return what may be dragged: the same in all states."""
    return Part(meta={"grab": _grabs()})
