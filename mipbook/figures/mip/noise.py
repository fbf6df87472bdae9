"""Noise over the spread of an answer, and the length of noise in many dimensions."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np
from scipy.special import ndtr

import mipbook.figures.kit as k
from explorable.palette import PURPLE
from mipbook import mip
from mipbook.mip.conversion import eta_from_ratio
from mipbook.mip.laplace import laplace_mixture
from mipbook.mip.norms import length_quantiles

_OTHERS = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0])
# Where the hills bend they are drawn more closely.
_X = np.concatenate([np.arange(-40, 20, 5), np.arange(20, 70), np.arange(70, 131, 5)])
_INCOME = k.Slider(40, 120, 92, step=2, label="Zoe's income", unit="thousand")
_RATIOS = np.arange(1, 7.1, 0.25).tolist()
# Below the hills lie the two bars; below them the others are dots, and Zoe, who is dragged, is a face.
_STRIP, _ZOE, _HIGH = -160 - 12 * np.array([0, 1, 0, 1, 0, 1, 0, 1, 0]), -166, 250
_SPREAD, _NOISE_BAR, _PIECES = -20, -76, 7
# The ring that is pulled stands so far beyond the end of the bar.
_BEYOND = 8.0
_NAMED = {
    who: replace(look, dash="dot", width=1.5) for who, look in (("without Zoe", k.OUT), ("with Zoe", k.IN))
}
_BARS = ["one spread: how far<br>the mean strays", "noise"]


@k.cache
def _halves(target):
    """Return which halves hold Zoe, the means of all halves, and how far these stray on average."""
    members = mip.subsets(_OTHERS.size + 1)
    means = members @ np.append(_OTHERS, target) / (_OTHERS.size + 1) * 2
    return members[:, -1], means, mip.mean_deviation(means)


@k.cache
def _edge(target, ratio):
    inside, means, deviation = _halves(target)
    return mip.laplace_eta(means, inside[:, None], ratio * deviation)


def _hills(target, ratio):
    """Return the densities of the noisy mean, without Zoe and with her."""
    inside, means, deviation = _halves(target)
    return np.array([laplace_mixture(means[side], ratio * deviation, _X) for side in (~inside, inside)])


def _people(target):
    """Draw ten people by their incomes, and one spread of their mean."""
    _, means, deviation = _halves(target)
    quiet, middle = {"showlegend": False, "hover": "%{customdata}, %{x} thousand"}, means.mean()
    who, hills = [*k.PEOPLE], _hills(target, 1)
    ends = middle + deviation * np.array(_RATIOS) + _BEYOND
    # A frame, which the noise fills again and again.
    x, y = middle + deviation * np.array([0, 1, 1, 0, 0]), _SPREAD + 7 * np.array([-1, -1, 1, 1, -1])
    thin = {"line": {"color": k.INK, "width": 1.5}, "showlegend": False, "hoverinfo": "skip"}
    names = {"textposition": ["top left", "top right"], "textfont": {"color": [k.OUT.colour, k.IN.colour]}}
    high = _HIGH / hills.max()
    return k.part(
        [
            k.curve(f"no wider yet, {name}", _X, (high * hill).round(1), look, **k.QUIET)
            for (name, look), hill in zip(_NAMED.items(), hills, strict=True)
        ],
        k.cast(_OTHERS, _STRIP, who[:-1], size=11, **quiet) | {"mode": "markers"},
        k.cast(target, _ZOE, who[-1:], name="Zoe", size=26, **quiet),
        k.curve("one spread", x, y, k.READING, **thin),
        k.text("names", _X[hills.argmax(1)] + [-2, 2], high * hills.max(1) + 5, list(_NAMED), **names),
        k.text(
            "bars, named", [middle - 3] * 2, [_SPREAD - 12, _NOISE_BAR], _BARS, textposition="middle left"
        ),
        x=k.axis("income and mean, thousands", range=[-40, 130], tickvals=[0, 50, 100], showgrid=False),
        y={"range": [-190, 288], "visible": False},
        height=550,
        grab=k.drag("target", _INCOME.stops, np.full(len(_INCOME.stops), _ZOE), ring=True)
        + k.drag("ratio", ends, np.full(ends.size, _NOISE_BAR), ring=True),
        target=target,
    )


def _released(target, ratio):
    """Return the density of the noisy mean, with Zoe and without."""
    _, means, deviation = _halves(target)
    eta, high = _edge(target, ratio), _HIGH / _hills(target, 1).max()
    without, within = (high * _hills(target, ratio)).round(1)
    # The part of a hill that lies above what both share is full of its colour.
    shared = np.minimum(without, within)
    bare, coloured = {"line": {"width": 0}, **k.QUIET}, f"in colour:<br>{200 * eta:.0f} in 100<br>of each"
    # A piece of the noise for each spread that it is long, and what is left.
    begun, whole = np.minimum(np.arange(_PIECES), ratio), np.minimum(np.arange(_PIECES) + 0.9, ratio)
    pieces = means.mean() + deviation * np.stack([begun, whole, whole], 1).ravel()
    pieces = k.kept(pieces, np.arange(3 * _PIECES) % 3 < 2)
    return k.part(
        k.level("its scale", pieces, _NOISE_BAR, line={"color": PURPLE, "width": 12}, **k.QUIET),
        k.curve("published without Zoe", _X, without, replace(k.OUT, dash="solid"), **k.QUIET),
        k.curve("more without", _X, shared, k.LEVEL, fill="tonexty", fillcolor=k.OUT.colour, **bare),
        k.curve("published with her", _X, within, k.IN, fill="tonexty", fillcolor=k.IN.colour, **k.QUIET),
        k.curve("shared", _X, shared, k.LEVEL, fill="tozeroy", fillcolor=k.fill(k.GREY), **bare),
        k.text("not shared", [86], [120], [coloured], textposition="middle right"),
        headline="right {right} times in 100",
        sentence=f"At {{ratio}} spread{'s' * (ratio != 1)} of noise a spy is right about Zoe {{right}} times "
        "in 100 (exact), about anybody in any study at most {bound} (bound).",
        alt="Above, two hills, how the noisy mean falls without Zoe and with her; below, a frame, one "
        "spread, a bar, the noise, in as many pieces as it fills frames, and ten people by their incomes, "
        "Zoe at {target} thousand. What the hills share is grey, the rest in colour; at {ratio} spreads of "
        "noise a spy is right {right} times in 100.",
        ghost=[],
        ratio=ratio,
        # What holds for every answer of this spread.
        bound=k.at_most(100 * (0.5 + eta_from_ratio(ratio))),
        right=k.exact(100 * (0.5 + eta)),
    )


@k.figure
def noise_over_spread(
    ratio: Annotated[float, k.Stops(_RATIOS, label="Noise, in spreads", play=True)] = 1.0,
    target: Annotated[float, _INCOME] = 92.0,
):
    """Draw the noisy mean of a random half of ten people, with Zoe and without.

    The noise is Laplace, its scale a multiple of the mean deviation of the answer.

    Notes
    -----
    MIP paper, Theorem 9, with the sharp constant.

    Examples
    --------
    >>> noise_over_spread(1.0, 100.0).layout.meta["headline"]
    'right 80.9 times in 100'
    """
    return _people, _released


_DIMENSIONS = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 100, 150, 200, 300, 500, 700, 1000]
# So many dots, and the promise.
_SHOWN, _ETA = 150, 0.1


@k.cache
def _lengths(dimension):
    """Return the lengths of noise on so many numbers, the shortest first, by their average."""
    return length_quantiles((np.arange(_SHOWN) + 0.5) / _SHOWN, dimension, "gamma")


@k.figure
def radius_meter(dimension: Annotated[int, k.Count(_DIMENSIONS, label="Numbers at once", play=True)] = 2):
    """Draw how long the noise is on so many numbers at once, by its average.

    Notes
    -----
    MIP paper, Corollary 10, with the corrected length.

    Examples
    --------
    >>> radius_meter(1000).layout.meta["headline"]
    'The shortest: 91.6% of the average'
    """
    length, angle = _lengths(dimension), np.arange(_SHOWN) * math.pi * (3 - math.sqrt(5))
    if dimension == 1:  # one number has two directions
        angle = math.pi * np.arange(_SHOWN)
    ends, round_ = k.short([length * np.cos(angle), length * np.sin(angle)]), np.linspace(0, 2 * math.pi, 73)
    far = 1.06 * max(length[-1], 1.3)
    bare = {"visible": False, "range": [-far, far], "constrain": "domain"}
    thin = {"line": {"color": k.READING.colour, "width": 1.5}, **k.QUIET}
    return k.part(
        k.curve("shortest arrow", [0, ends[0][0]], [0, ends[1][0]], k.READING, **thin),
        k.points("the noise", *ends, k.MIP.with_symbol("circle-open"), size=7, **k.QUIET),
        k.curve(
            "average",
            *k.short([np.cos(round_), np.sin(round_)]),
            k.LEVEL,
            line={"color": k.INK, "width": 2, "dash": "dash"},
            **k.QUIET,
        ),
        k.points("true answer", 0, 0, k.READING, size=8, **k.QUIET),
        x=bare,
        y={**bare, "scaleanchor": "x"},
        height=420,
        ghost=[],
        moving_axes="one steps closer as the cloud becomes a ring",
        headline="The shortest: {short} of the average",
        sentence=f"Of {{shown}} arrows of noise on {{dimension}} number{'s' * (dimension > 1)} the shortest "
        "reaches {short} of the average length, the longest {long} (exact).",
        alt="The ends of {shown} arrows of noise on {dimension} numbers, at their lengths, around the true "
        "answer, and a dashed circle at their average length. The shortest reaches {short} of it, the "
        "longest {long}: the more numbers, the thinner the ring.",
        **k.words(dimension=dimension, shown=_SHOWN),
        **k.words(k.exact, k.percent, short=length[0], long=length[-1]),
    )


_SIDE = 10
# A heart of ten by ten pixels, from the top.
_HEART = ["..##..##..", ".########.", "##########", "##########", "##########"]
_HEART += [".########.", "..######..", "...####...", "....##....", ".........."]
# How much brighter the heart is than its ground, where Zoe moves a pixel by 1, up or down.
_BRIGHT = 100.0
# How strong the noise is, by what one number needs.
_TIMES = [1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 40, 50, 60, 70, 80, 90, 100, 120, 150, 200, 300, 500, 700, 1000]
# Between them the curve is drawn, too.
_FINE = sorted({*_TIMES, *np.geomspace(1, 20, 21).round(1).tolist()})
_SPY_ON_HEART, _LONG = "the spy (exact)", "Laplace"


@k.cache
def _arrow(noise):
    """Return noise on a hundred pixels: its longest part is 1, or each is Gaussian."""
    rng = np.random.default_rng(5 if noise == _LONG else 1)
    if noise != _LONG:
        return rng.standard_normal(_SIDE**2)
    noise = mip.sample_noise(np.ones(_SIDE**2), _ETA, math.inf, rng, 1, radius="gamma")[0]
    return noise / np.abs(noise).max()


def _strong(times, noise):
    """Return the length of the noise that is so many times as strong as one pixel's."""
    return times * (mip.noise_scale(_ETA) if noise == _LONG else mip.gaussian_sigma_for_mip(1.0, _ETA))


def _right_on_heart(times, noise):
    """Return how often the spy is right under such noise."""
    if noise == _LONG:
        return 100 * (0.5 + eta_from_ratio(_strong(times, noise) / _SIDE**2))
    return 100 * float(ndtr(_SIDE / _strong(times, noise)))


def _frame_of_heart(noise):
    right, fine = (np.round([_right_on_heart(times, noise) for times in each], 3) for each in (_TIMES, _FINE))
    bare = {"visible": False, "range": [-0.6, _SIDE - 0.4], "constrain": "domain"}
    hover = "%{x} times as strong: right %{y:.1f} times in 100"
    return k.part(
        k.curve(_SPY_ON_HEART, _FINE, fine, k.ATTACK, lower=True, hover=hover),
        k.level("promised", [0.35, 1300], 100 * (0.5 + _ETA), k.MIP.bound(), lower=True),
        k.text("promised, said", [0.4], [59], ["promised"], textposition="bottom right", lower=True),
        x=bare,
        y={**bare, "scaleanchor": "x"},
        x2=k.axis("noise, times as strong as for one pixel", range=np.log10([0.35, 1300]).tolist(), log=True)
        | {"tickvals": [1, 10, 100, 1000], "ticktext": ["1", "10", "100", "1,000"]},
        y2=k.axis("spy right in 100", range=[41, 102], tickvals=[50, 60, 80, 100]),
        rows=(0.6, 0.14),
        beside=0.5,
        height=400,
        showlegend=False,
        ghost=[],
        probe=[_SPY_ON_HEART],
        grab=k.drag("times", _TIMES, right, along="x2"),
    )


def _noisy(times, noise):
    """Return the heart under noise of this length, in its own shades, and how often the spy is right."""
    heart = np.array([[pixel == "#" for pixel in row] for row in _HEART]) * _BRIGHT
    long, right = _strong(times, noise), _right_on_heart(times, noise)
    noisy = heart + long * _arrow(noise).reshape(_SIDE, _SIDE)
    # The longest part of the one has the whole length, the others half of it on average.
    moved = long * (1 + 1 / _SIDE**2) / 2 if noise == _LONG else math.sqrt(2 / math.pi) * long
    # The printer's ink goes so far from the middle; strong noise asks for more, and saturates.
    ink = 50 + 4 * moved**0.75
    scale = {"colorscale": [[0.0, k.fill(k.ORANGE)], [1.0, k.ORANGE]], "showscale": False}
    scale |= {"zmin": _BRIGHT / 2 - ink, "zmax": _BRIGHT / 2 + ink}
    return k.part(
        {"type": "heatmap", "name": "the picture", "z": noisy[::-1].round(1).tolist(), **scale, **k.QUIET},
        k.reading(times, right, "the spy, at your noise", lower=True),
        headline="right {right}",
        sentence="The heart is a hundred shades dark. Zoe moves each pixel by one shade, up or down, the "
        "noise on average by {moved} (exact).",
        alt="A picture of ten by ten pixels, a heart under noise that moves them by {moved} shades: the "
        "stronger the noise, the less of the heart is to be seen. Beside it how often a spy is right, by the "
        "noise: a curve that falls from 100 to 50 and stands at {right}.",
        right=k.exact(right / 100, k.in_100),
        moved=k.exact(moved),
    )


@k.figure
def noisy_heart(
    times: Annotated[int, k.Count(_TIMES, label="Noise, times as strong", play=True)] = 100,
    noise: Annotated[str, k.Choice([_LONG, "Gaussian"], label="Which noise")] = _LONG,
):
    """Draw a picture of a hundred pixels under noise, so many times as strong as one number needs.

    Lengths are by the largest coordinate, in shades: Zoe moves each pixel by one, up or down.

    Notes
    -----
    MIP paper, Corollary 10, and its correction.

    Examples
    --------
    >>> noisy_heart(10, "Gaussian").layout.meta["headline"]
    'right 60 times in 100'
    """
    return _frame_of_heart, _noisy
