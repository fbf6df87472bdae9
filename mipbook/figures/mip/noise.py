"""Noise over the spread of an answer, and the length of noise in many dimensions."""

import math
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

import mipbook.figures.kit as k
from explorable.palette import PURPLE
from mipbook import mip
from mipbook.mip.conversion import eta_from_ratio
from mipbook.mip.laplace import laplace_mixture
from mipbook.mip.norms import length_quantiles

_OTHERS = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0])
# Where the hills bend they are drawn more closely.
_X = np.concatenate([np.arange(-40, 20, 5), np.arange(20, 70), np.arange(70, 131, 5)])
_PLACES = np.linspace(40.0, 100.0, 31)
_RATIOS = [0.2, 0.3, 0.4, *np.arange(0.5, 7.1, 0.25).tolist()]
# Below the hills lie the two bars; below them the others are dots, and Zoe, who is dragged, is a face.
_STRIP, _ZOE, _HIGH = -138 - 12 * np.array([0, 1, 0, 1, 0, 1, 0, 1, 0]), -144, 250
_SPREAD, _NOISE_BAR, _PIECES = -22, -58, 7
# Between a name and its bar: the ring at the end of a short bar.
_APART = "\u2002" * 3
_SAID: dict[str, Any] = {"mode": "text", "showlegend": False}


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


@k.cache
def _peak(target, ratio):
    """Return what the picture's height stands for: more noise makes lower hills, though not so fast."""
    inside, means, deviation = _halves(target)
    top = max(laplace_mixture(means[side], ratio * deviation, _X).max() for side in (inside, ~inside))
    return top * math.sqrt(0.85 + 0.15 * ratio)


def _hill(means, scale, x, peak):
    return laplace_mixture(means, scale, x) / peak * _HIGH


def _people(target):
    """Draw ten people by their incomes, and one spread of their mean."""
    _, means, deviation = _halves(target)
    quiet, middle = {"showlegend": False, "hover": "%{customdata}, %{x} thousand"}, means.mean()
    who, left_of = [*k.PEOPLE], {"textposition": "middle left", **_SAID}
    ends = middle + deviation * np.array(_RATIOS)
    # A frame, which the noise fills again and again.
    x, y = middle + deviation * np.array([0, 1, 1, 0, 0]), _SPREAD + 7 * np.array([-1, -1, 1, 1, -1])
    thin = {"line": {"color": k.INK, "width": 1.5}, "showlegend": False, "hoverinfo": "skip"}
    return k.part(
        k.cast(_OTHERS, _STRIP, who[:-1], size=11, **quiet) | {"mode": "markers"},
        k.cast(target, _ZOE, who[-1:], name="Zoe", size=26, **quiet),
        k.curve("one spread", x, y, k.READING, **thin),
        k.level("words", middle, _SPREAD, text=["one spread" + _APART], **left_of),
        x=k.axis("income and mean, thousands", range=[-40, 130], tickvals=[0, 50, 100], showgrid=False),
        y={"range": [-168, 284], "visible": False},
        height=540,
        grab=k.drag("target", _PLACES, np.full(_PLACES.size, _ZOE), ring=True)
        + k.drag("ratio", ends, np.full(ends.size, _NOISE_BAR), ring=True),
        target=target,
    )


def _released(target, ratio):
    """Return the density of the noisy mean, with Zoe and without."""
    inside, means, deviation = _halves(target)
    scale, eta = ratio * deviation, _edge(target, ratio)
    sides, peak = (~inside, inside), _peak(target, ratio)
    without, within = (np.round(2 * _hill(means[side], scale, _X, peak)) / 2 for side in sides)
    # The part of a hill that lies above what both share is full of its colour.
    shared = np.minimum(without, within)
    bare, left_of = {"line": {"width": 0}, **k.QUIET}, {"textposition": "middle left", **_SAID}
    middle, coloured = means.mean(), f"in colour:<br>{200 * eta:.0f} in 100<br>of each hill"
    names = {"text": ["without Zoe", "with Zoe"], "textposition": ["middle left", "middle right"]}
    names["textfont"] = {"color": [k.OUT.colour, k.IN.colour]}
    # A piece of the noise for each spread that it is long, and what is left.
    begun, whole = np.minimum(np.arange(_PIECES), ratio), np.minimum(np.arange(_PIECES) + 0.9, ratio)
    pieces = middle + deviation * np.stack([begun, whole, whole], 1).ravel()
    pieces = k.kept(pieces, np.arange(3 * _PIECES) % 3 < 2)
    top = max(without.max(), within.max())
    return k.part(
        k.level("its scale", pieces, _NOISE_BAR, line={"color": PURPLE, "width": 12}, **k.QUIET),
        k.level("its name", middle, _NOISE_BAR, text=["noise" + _APART], **left_of),
        k.curve("published without Zoe", _X, without, replace(k.OUT, dash="solid"), **k.QUIET),
        k.curve("more without", _X, shared, k.LEVEL, fill="tonexty", fillcolor=k.OUT.colour, **bare),
        k.curve("published with her", _X, within, k.IN, fill="tonexty", fillcolor=k.IN.colour, **k.QUIET),
        k.curve("shared", _X, shared, k.LEVEL, fill="tozeroy", fillcolor=k.fill(k.GREY), **bare),
        k.level("names", [38, 52], top + 16, **names, **_SAID),
        k.level("not shared", 84, 200, text=[coloured], textposition="middle right", **_SAID),
        headline="right {right} times in 100",
        sentence="One spread is {deviation} thousand, the noise {scale} thousand. About Zoe a spy is right "
        "{right} times in 100 (exact), about anybody in any study at most {bound} (bound).",
        alt="Above, two hills, how the noisy mean falls without Zoe and with her; below, a frame, one "
        "spread, a bar, the noise, in as many pieces as it fills frames, and ten people by their incomes, "
        "Zoe at {target} thousand. What the hills share is grey, the rest in colour; at {ratio} spreads of "
        "noise a spy is right {right} times in 100.",
        ghost=[],
        **k.words(deviation=deviation, scale=scale, ratio=ratio),
        # What holds for every answer of this spread.
        bound=k.at_most(100 * (0.5 + eta_from_ratio(ratio))),
        right=k.exact(100 * (0.5 + eta)),
    )


@k.figure
def noise_over_spread(
    ratio: Annotated[float, k.Stops(_RATIOS, label="Noise, in spreads", play=True)] = 1.0,
    target: Annotated[float, k.Slider(40, 100, step=2, label="Zoe's income", unit="thousand")] = 92.0,
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


_DIMENSIONS = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64]
_DIMENSIONS += [digit * 10**power for power in range(2, 6) for digit in (1, 2, 5)] + [10**6]
_EXPONENTS: dict[float | str, float] = {2: 2.0, "infinity": math.inf}
# The distribution of the length: what it suits, its look, and the symbol of its noise.
_RADII = {
    "laplace": ("your noise", k.PUBLISHED, "x-thin-open"),
    "gamma": ("enough noise", k.MIP, "circle-open"),
}
# So many dots of each kind, and the promise.
_SHOWN, _ETA = 150, 0.1


@k.cache
def _delivered(dimension, M):
    """Return how often the spy is right with each length of the noise."""
    return [0.5 + mip.delivered_eta(dimension, _EXPONENTS[M], _ETA, radius).value for radius in _RADII]


def _against_dimension(M):
    """Return how often the spy is right in every dimension."""
    right = 100 * np.array([_delivered(dimension, M) for dimension in _DIMENSIONS]).T
    names = [f"the spy, {name}" for name, *_ in _RADII.values()]
    low = {"lower": True, "hover": "in %{x} dimensions right %{y:.1f} times in 100"}
    return k.part(
        [
            k.curve(name, _DIMENSIONS, values, look, **low)
            for name, values, (_, look, _) in zip(names, right, _RADII.values(), strict=True)
        ],
        x={},  # as far as `_cloud` says
        y={},
        x2=k.axis("numbers at once, d", log=True, range=[-0.1, 6.1], dtick=2),
        y2=k.axis("right in 100", range=[48, 102]),
        rows=(0.64, 0.18),
        height=420,
        beside=0.58,
        probe=names,
        ghost=[],
        grab=k.drag("dimension", _DIMENSIONS, np.round(right[0], 3), along="x2"),
    )


@k.cache
def _lengths(radius, dimension, longer=1.0, flat=False):
    """Return arrows of a kind, at their lengths in steps of the right noise, each in its direction."""
    rank, angle = (np.arange(_SHOWN) + 0.5) / _SHOWN, np.arange(_SHOWN) * math.pi * (3 - math.sqrt(5))
    length = longer * length_quantiles(rank, dimension, radius) * (dimension if radius == "gamma" else 1)
    if flat:  # one number has two directions
        return k.short([length * np.where(np.arange(_SHOWN) % 2, 1, -1), 0 * length])
    return k.short([length * np.cos(angle), length * np.sin(angle)])


def _longer(M):
    """Return how much longer the published noise is than noise on one number must be."""
    exponent = min(_EXPONENTS[M], 1e9)
    return float(mip.noise_scale(_ETA, M=exponent, as_published=True) / mip.noise_scale(_ETA))


def _both(dimension, M):
    """Return both kinds of arrows, and how far one has to stand back to see nearly all of them."""
    crosses = _lengths("laplace", 1, _longer(M), flat=dimension == 1)
    circles = _lengths("gamma", dimension, flat=dimension == 1)
    long = np.sort(np.hypot(*crosses))[int(0.93 * _SHOWN)]
    return crosses, circles, max(float(long), float(np.hypot(*circles).max()))


def _dots(radius, places, **more):
    name, look, symbol = _RADII[radius]
    look = look.with_symbol(symbol)
    return k.points(name, *places, look, size=7, hoverinfo="skip", **more)


def _cloud(dimension, M):
    """Return the noise as dots, one arrow, and a bar that says how long the picture is."""
    crosses, circles, far = _both(dimension, M)
    thin = {"line": {"color": k.READING.colour, "width": 1.5}, "hoverinfo": "skip"}
    arrow = k.curve(
        "one arrow, from the true answer",
        *([0, side[-8]] for side in circles),
        k.READING,
        showlegend=False,
        **thin,
    )
    centre = k.points("true answer", 0, 0, k.READING, size=8, showlegend=False)
    step = 10.0 ** math.floor(math.log10(0.9 * far))
    low, left = -1.2 * far, -1.04 * far
    bar = k.curve("the picture's size", [left, left + step], [low, low], k.LEVEL.exact(), showlegend=False)
    told = k.text("told", [left], [low], [f"{step:,.0f} b"], textposition="top right")
    x, y = (k.kept(side, np.hypot(*crosses) <= 1.08 * far) for side in crosses)
    bare = {"visible": False, "constrain": "domain"}
    return k.part(
        _dots("laplace", (x, y)),
        _dots("gamma", circles),
        arrow,
        centre,
        bar,
        told,
        x={**bare, "range": [-1.1 * far, 1.1 * far]},
        y={**bare, "range": [-1.28 * far, 1.1 * far], "scaleanchor": "x"},
        moving_axes="one stands back as the ring grows",
    )


def _at(dimension, M):
    right = _delivered(dimension, M)
    norm = "largest-coordinate" if M == "infinity" else "Euclidean"
    here = {"lower": True, "size": 13, "showlegend": False, "hoverinfo": "skip"}
    return k.part(
        [
            k.points(f"{name}, at your d", dimension, 100 * value, look.with_symbol(symbol), **here)
            for (name, look, symbol), value in zip(_RADII.values(), right, strict=True)
        ],
        headline="{promised} promised, right {right}",
        sentence="Under your noise, {longer} times as long as for one number, the spy is right {right}; "
        f"under noise long enough for d = {{dimension}}, {{kept}} (exact, {norm} norm).",
        alt="Noise as dots at their lengths, true to scale, at d = {dimension}: with a length for d numbers "
        "they lie on a ring, the thinner the larger d (for one number, on a line); those with a length for "
        "one are a cloud around the middle, {longer} times as long as one number needs. "
        "Beside it how often a spy is right against the dimension, from 1 to a million: the first curve "
        "rises and stands at {right}, the second never passes {promised}.",
        dimension=dimension,
        longer=k.exact(_longer(M)),
        **k.words(k.exact, k.in_100, right=right[0], kept=right[1]),
        promised=k.exact(100 * (0.5 + _ETA)),
    )


@k.figure
def radius_meter(
    dimension: Annotated[int, k.Count(_DIMENSIONS, label="Dimension, d", play=True)] = 100,
    M: Annotated[float | str, k.Choice(_EXPONENTS.keys(), label="Length by, M")] = "infinity",
):
    """Draw the lengths of the noise, and how often the spy is right with each against d.

    Notes
    -----
    MIP paper, Corollary 10, and its correction, on the query whose answer is +1 in every
    coordinate with the target and -1 without.

    Examples
    --------
    >>> radius_meter(8, "infinity").layout.meta["headline"]
    '60 promised, right 63 times in 100'
    """
    return _against_dimension, _cloud, _at


_SIDE = 10
# A heart of ten by ten pixels, from the top.
_HEART = ["..##..##..", ".########.", "##########", "##########", "##########"]
_HEART += [".########.", "..######..", "...####...", "....##....", ".........."]
# How much brighter the heart is than its ground, where Zoe moves a pixel by 1, up or down.
_BRIGHT = 100.0
# How long the arrow is, by what one number needs.
_TIMES = [1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 40, 50, 60, 70, 80, 90, 100, 120, 150, 200, 300, 500, 700, 1000]
_SPY_ON_HEART = "the spy (exact)"


@k.cache
def _arrow():
    """Return noise on a hundred pixels whose longest part is 1."""
    rng = np.random.default_rng(5)
    noise = mip.sample_noise(np.ones(_SIDE**2), _ETA, math.inf, rng, 1, radius="gamma")[0]
    return noise / np.abs(noise).max()


def _right_on_heart(times):
    """Return how often the spy is right if so long is what the arrows are on average."""
    return 100 * (0.5 + eta_from_ratio(times * mip.noise_scale(_ETA) / _SIDE**2))


def _frame_of_heart():
    right = np.round([_right_on_heart(times) for times in _TIMES], 3)
    bare = {"visible": False, "range": [-0.6, _SIDE - 0.4], "constrain": "domain"}
    hover = "%{x} times as long: right %{y:.1f} times in 100"
    return k.part(
        k.curve(_SPY_ON_HEART, _TIMES, right, k.ATTACK, lower=True, hover=hover),
        k.level("promised", [0.35, 1300], 100 * (0.5 + _ETA), k.MIP.bound(), lower=True),
        x=bare,
        y={**bare, "scaleanchor": "x"},
        x2=k.axis("arrow, times as long as for one number", range=np.log10([0.35, 1300]).tolist(), log=True)
        | {"tickvals": [1, 10, 100, 1000], "ticktext": ["1", "10", "100", "1,000"]},
        y2=k.axis("spy right in 100", range=[48, 102]),
        rows=(0.6, 0.14),
        beside=0.5,
        height=400,
        showlegend=False,
        ghost=[],
        probe=[_SPY_ON_HEART],
        grab=k.drag("times", _TIMES, right, along="x2"),
    )


def _noisy(times):
    """Return the heart under noise of this length, in its own shades, and how often the spy is right."""
    heart = np.array([[pixel == "#" for pixel in row] for row in _HEART]) * _BRIGHT
    long = times * mip.noise_scale(_ETA)
    noisy = heart + long * _arrow().reshape(_SIDE, _SIDE)
    shown = (noisy - noisy.min()) / (noisy.max() - noisy.min())
    scale = {
        "colorscale": [[0.0, k.fill(k.ORANGE)], [1.0, k.ORANGE]],
        "zmin": 0,
        "zmax": 1,
        "showscale": False,
    }
    right = _right_on_heart(times)
    return k.part(
        {"type": "heatmap", "name": "the picture", "z": shown[::-1].round(3).tolist(), **scale, **k.QUIET},
        k.reading(times, right, "the spy, at your arrow", lower=True),
        headline="right {right}",
        sentence="The arrow is {long} shades long on average (exact), Zoe moves a pixel by one. You promised "
        "at most {promised} times in 100.",
        alt="A picture of ten by ten pixels, a heart under an arrow of noise of length {long}: the longer "
        "the arrow, the less of the heart is to be seen. Beside it how often a spy is right, by the "
        "length: a curve that falls from 100 to 50 and stands at {right}.",
        promised=k.exact(100 * (0.5 + _ETA)),
        right=k.exact(right / 100, k.in_100),
        long=k.exact(long),
    )


@k.figure
def noisy_heart(times: Annotated[int, k.Count(_TIMES, label="Arrow, times as long", play=True)] = 100):
    """Draw a picture of a hundred pixels under noise, so many times as long as one number needs.

    Lengths are by the largest coordinate, in shades: Zoe moves each pixel by one, up or down.

    Notes
    -----
    MIP paper, Corollary 10, and its correction.

    Examples
    --------
    >>> noisy_heart(100).layout.meta["headline"]
    'right 60 times in 100'
    """
    return _frame_of_heart, _noisy
