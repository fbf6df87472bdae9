"""One mechanism, four epsilons: nominal, true, on the pool, and for the practical attacker."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import pmp

# Ten directions, twelve records in five dimensions around the first of them, two outliers.
_SEED, _N, _DIMENSION, _OBJECTS, _OUTLIERS = 7, 6, 5, 10, 2
_CLIPS = [
    *(1.0, 1.25, 1.6, 2, 2.5, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60),
    *(80, 100, 125, 160, 200),
]
_FACTORS = [1.0, 1.25, 1.6, 2, 2.5, 3, 4, 5, 7, 10, 14, 20, 30, 40, 50, 70, 100]
# From the bottom up: the practical attacker faces PMP, the three above are DP.
_NAMES = ["pool<br>known", "others<br>known", "on any<br>data", "in<br>name"]
# The axis of the bars ends at this power of ten.
_RIGHT = 4


@k.cache
def _pool(clip, factor):
    rng = np.random.default_rng(_SEED)
    return pmp.draw_pool(_N, _DIMENSION, _OBJECTS, 1.0, clip, _OUTLIERS, factor, rng)


@k.cache
def _lengths(factor):
    """Return the records' lengths before clipping."""
    return np.linalg.norm(_pool(1e6, factor).values, axis=1)


@k.cache
def _outliers():
    """Return which records are scaled, and their lengths before they are."""
    far = _lengths(1.0) != _lengths(2.0)
    return far, _lengths(1.0)[far]


@k.cache
def _found(epsilon, clip, factor):
    """Return the four parameters from the bottom up, the paper's surrogate, and the best attack."""
    pool, sensitivity = _pool(clip, factor), pmp.norm_sensitivity(_N, clip)
    each = pmp.subset_epsilon, pmp.surrogate_epsilon
    known, surrogate = (function(pool.losses, epsilon, sensitivity) for function in each)
    practical, success = pmp.exponential_risks(pool.losses, epsilon, sensitivity)
    true = pmp.true_epsilon_bound(pool.objects, _N, epsilon, sensitivity)
    return (practical, known, true, epsilon), surrogate, success


def _records(clip, factor):
    """Return each record at the length that counts, and where it was before clipping."""
    lengths, (far, _) = _lengths(factor), _outliers()
    height, shown = np.linspace(-1, 1, len(lengths)), np.minimum(lengths, clip)
    rings, said = k.LEVEL.with_symbol("circle-open"), {"hover": "%{x:.3g} long"}
    squares = k.OUT.with_symbol("square")
    return k.part(
        k.level("clip threshold, C", clip, [-1.6, 1.6], replace(k.READING, dash="dash", width=2)),
        k.points("before clipping", lengths.tolist(), height, rings, **said),
        k.points("a record", shown[~far], height[~far], k.IN, size=9, **said),
        k.points("an outlier", shown[far], height[far], squares, size=11, **said),
        clip=clip,
        far=factor,
    )


def _bars(epsilon, clip, factor):
    # An outlier beyond the threshold is as long as the threshold, however far away it was.
    beyond = factor > 1 and factor * _outliers()[1].min() > clip
    sizes, surrogate, success = _found(epsilon, clip, max(1.0, clip) * 10 if beyond else factor)
    practical, known, true, nominal = sizes
    told = [k.told("{value} (exact)", value=v) for v in sizes]
    told[2] = k.told("{value} (bound)", value=k.at_most(true))
    hidden = {"showlegend": False, **k.LOWER}
    pattern = {"shape": ["", "/", ".", "x"], "fgcolor": k.INK, "solidity": 0.15}
    marker = {"color": [k.PMP.colour, *[k.DP.colour] * 3], "pattern": pattern}
    bars = {"orientation": "h", "customdata": told, "hover": "%{y}: %{customdata}", "marker": marker}
    # In a column at the right edge, where no bar reaches.
    values = {
        "type": "scatter",
        "name": "the values",
        "x": [10**_RIGHT] * 4,
        "y": _NAMES,
        "mode": "text",
        "text": told,
        "textposition": "middle left",
        "textfont": {"color": k.INK},
        "hoverinfo": "skip",
    }
    theirs = k.PUBLISHED.with_symbol("diamond-open")
    return k.part(
        k.bars("the four ε", list(sizes), _NAMES, k.DP, **bars, **hidden),
        k.points("the paper's ε(X) (bound)", [surrogate], [_NAMES[1]], theirs, size=13, lower=True),
        values | hidden,
        headline="nominal {nominal}, against a pool attacker {short}",
        nominal=nominal,
        true=k.at_most(true),
        known=known,
        practical=practical,
        short=k.exact(practical, digits=2),
        surrogate=surrogate,
        loose=k.exact(nominal / known, digits=2),
        hidden=k.exact(known / practical, digits=2),
        right=k.exact(success, k.in_100),
    )


def _frame():
    """Return what is said and may be dragged in all states: the threshold, and the longest outlier."""
    far, lengths = _outliers()
    height = np.linspace(-1, 1, len(far))[far][lengths.argmax()]
    return k.part(
        x=k.axis("length of a record", log=True, range=[0, 3]),
        y={"visible": False, "range": [-1.6, 1.9]},
        x2=k.axis("ε", log=True, range=[-3, _RIGHT]),
        y2=k.axis("", type="category"),
        rows=(0.27, 0.2),
        height=430,
        grab=k.drag("clip") + k.drag("factor", lengths.max() * np.array(_FACTORS), [height] * len(_FACTORS)),
        sentence="Called {nominal}-DP, it is at most {true}-DP on any data (bound), {known}-DP on this pool "
        "and {practical}-PMP (exact). The label is {loose} times too large; secrecy about the others adds a "
        "factor of {hidden}.",
        alt="Above, the lengths of twelve records on a log axis, two of them {far} times scaled, and a line "
        "at the clip threshold {clip}. Below, four horizontal bars on a log axis: {nominal} in name, at most "
        "{true} on any data, {known} for an attacker who knows all others, {practical} for one who knows the "
        "pool. A diamond at {surrogate} marks what the paper plots for the third. The best attack with the "
        "pool is right {right}.",
    )


@k.figure
def four_epsilons(
    clip: Annotated[float, k.Stops(_CLIPS, label="Clip threshold, C")] = 50.0,
    factor: Annotated[float, k.Stops(_FACTORS, label="Outliers scaled by")] = 100.0,
    epsilon: Annotated[float, k.Choice([1.0, 10.0, 100.0], label="Nominal ε")] = 10.0,
):
    """Draw the four epsilons of the exponential mechanism on one pool, and the pool.

    References
    ----------
    PMP paper, the simulations of Figures 1 to 3, taken apart: 10 objects, one fixed draw.

    Examples
    --------
    >>> list(four_epsilons().data[4].x)[::-1] == sorted(four_epsilons().data[4].x, reverse=True)
    True
    """
    return _records, _bars, _frame
