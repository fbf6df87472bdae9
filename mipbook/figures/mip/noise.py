"""Noise over the spread of an answer, noise that gives itself away, and noise in many dimensions."""

import math
from typing import Annotated

import numpy as np
from scipy.special import ndtr

import mipbook.figures.kit as k
from explorable.palette import BACKGROUND
from mipbook import accounting, mip
from mipbook.mip.conversion import eta_from_ratio
from mipbook.mip.laplace import laplace_mixture
from mipbook.mip.norms import length_quantiles

_OTHERS = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0])
# Where the hills bend they are drawn more closely.
_X = np.concatenate([np.arange(10, 20, 2), np.arange(20, 37), np.arange(37, 55, 0.5)])
_X, _ENDS = np.append(_X, [*np.arange(55, 70), *np.arange(70, 109, 2)]), [12, 106]
_INCOME = k.Slider(40, 100, 92, step=2, label="Zoe's income", unit="thousand")
_RATIOS = np.arange(1, 7.1, 0.25).tolist()
# On the ground the others stand on each other, so that each is seen; Zoe, who is dragged, climbs over them.
_PEOPLE = 13 + 31 * np.array([0, 1, 0, 2, 1, 0, 2, 0, 1])
_CLIMB = [46, 50, 58], [103, 80, 19]
# Above them lie the noise's bar, a stroke for each mean, and on these the hills.
_NOISE_BAR, _RUG, _HILLS, _TALL, _NAMES, _PIECES = 145, 178, 188, 204, 408, np.arange(7)
_BAR = {"color": k.PURPLE, "width": 16}
_NAMED = {"without Zoe": k.OUT.but(dash="dot", width=1.5), "with Zoe": k.IN.but(dash="dot", width=1.5)}
# A hundred squares beside the hills: those without Zoe on the left, those with her on the right.
_SQUARES = 80 + 2.65 * np.arange(10), 266 + 14.6 * np.arange(10)
_FILLED = {"colorscale": [[0, k.fill(k.GREY)], [0.5, k.ORANGE], [1, k.BLUE]], "zmin": 0, "zmax": 2}
_FILLED |= {"showscale": False, "xgap": 1, "ygap": 1, **k.QUIET}


@k.cache
def _halves(target):
    """Return which halves hold Zoe, the means of all halves, and how far these stray on average."""
    members = mip.subsets(_OTHERS.size + 1)
    means = members @ np.append(_OTHERS, target) / (_OTHERS.size + 1) * 2
    return members[:, -1], means, mip.mean_deviation(means)


def _hills(target, ratio):
    """Return the densities of the noisy mean, without Zoe and with her."""
    inside, means, deviation = _halves(target)
    return np.array([laplace_mixture(means[side], ratio * deviation, _X) for side in (~inside, inside)])


def _means(target):
    """Draw all means, the hills under noise of one spread, the noise's ruler, and the ten people."""
    (inside, means, deviation), hills, lowest = _halves(target), _hills(target, 1), []
    middle, high, who = means.mean(), _TALL / hills.max(), [*k.PEOPLE]
    for (name, look), hill, those in zip(_NAMED.items(), hills, (~inside, inside), strict=True):
        # So thin and pale that its like beside it are seen.
        thin = {"symbol": "line-ns", "size": 12, "opacity": 0.5, "line": {"color": look.colour, "width": 1.5}}
        lowest.append(k.points(f"means {name}", means[those], _RUG, look, marker=thin, **k.QUIET))
        around = np.concatenate([_X, _X[::-1]]), _HILLS + np.append(high * hill, 0 * hill).round(1)
        lowest.append(k.curve(f"no wider yet, {name}", *around, look, fill="toself", **k.QUIET))
    tops, names = _X[hills.argmax(1)], {"textposition": ["middle left", "middle right"], "cliponaxis": False}
    names["textfont"] = {"color": [k.OUT.colour, k.IN.colour], "size": 16}
    ticks = {20: "20 thousand"} | {income: f"{income}" for income in (40, 60, 80, 100)}
    pull = k.READING.but(width=2, symbol="triangle-right")
    slots = k.gapped(middle + deviation * (_PIECES[:, None] + [0, 0.9]))
    unnamed = {"showlegend": False, "hover": "%{customdata}, %{x} thousand"}
    return k.part(
        lowest,
        k.text("names", np.add(tops, [-1, 3.5]), _NAMES, [f"<b>{name}</b>" for name in _NAMED], **names),
        k.level("how far Zoe pulls", tops, _NAMES, pull, **k.QUIET),
        k.points("she pulls", tops[1], _NAMES, pull, size=12, **k.QUIET),
        k.level("its ruler", slots, _NOISE_BAR, line=_BAR | {"color": k.fill(k.PURPLE)}, **k.QUIET),
        k.text("the ruler, named", middle - 1.5, _NOISE_BAR, "noise, in blocks", textposition="middle left"),
        k.cast(_OTHERS, _PEOPLE, who[:-1], size=18, **unnamed),
        k.cast(target, np.interp(target, *_CLIMB), who[-1:], name="Zoe", size=30, **unnamed),
        x=k.axis("", ticks, range=_ENDS, showgrid=False),
        y=k.unseen(0, 422),
        height=550,
        ghost=[],
        grab=k.drag("target", _INCOME.stops, np.interp(_INCOME.stops, *_CLIMB), ring=True),
    )


def _noisy(ratio, target):
    """Draw the hills under the noise, how much they do not share, and the noise's bar."""
    inside, means, deviation = _halves(target)
    eta, middle = mip.laplace_eta(means, inside[:, None], ratio * deviation), means.mean()
    # A spread's noise is the highest.
    high = _TALL / _hills(target, 1).max()
    without, within = _HILLS + (high * _hills(target, ratio)).round(1)
    # The part of a hill that lies above what both share is full of its colour; so are as many squares.
    shared, ground, right = np.minimum(without, within), np.full(_X.size, _HILLS), round(50 + 100 * eta)
    coloured = 2 * (right - 50)
    (x, y), turn = _SQUARES, np.arange(50).reshape(10, 5)[::-1]
    to_the_left = {"textposition": "middle left", "textfont": {"size": 14}}
    summed = f"<b>{coloured}</b> + half of {100 - coloured}<br>= right <b>{right}</b> in 100"
    lit = np.hstack([turn < right - 50, 2 * (turn < right - 50)])
    # A piece of the noise for each spread that it is long, and what is left.
    ends = np.minimum(_PIECES, ratio), np.minimum(_PIECES + 0.9, ratio)
    pieces = k.gapped(middle + deviation * np.stack(ends, axis=1))
    squares = []
    # A guess leaves those of one spread, with which it begins.
    for name, seen in (("of one spread", ratio == 1), ("not shared", ratio != 1)):
        filled = {"x": x, "y": y, "z": lit.tolist(), "opacity": int(seen), **_FILLED}
        squares.append({"type": "heatmap", "name": f"{name}, of 100", **filled})
        squares.append(k.text(name, x[-1] + 1.3, y[0] - 32, summed if seen else " ", **to_the_left))
    return k.part(
        k.level("its scale", pieces, _NOISE_BAR, line=_BAR, **k.QUIET),
        k.level("the ground", _X, _HILLS, k.LEVEL.exact(), **k.QUIET),
        # What is behind the hills is not seen through them.
        k.area("all", _X, np.maximum(without, within), k.LEVEL, fill="tonexty", fillcolor=BACKGROUND[0]),
        k.curve("published without Zoe", _X, without, k.OUT.exact(), **k.QUIET),
        k.area("more without", _X, shared, k.LEVEL, fill="tonexty", fillcolor=k.OUT.colour),
        k.curve("published with her", _X, within, k.IN, fill="tonexty", fillcolor=k.IN.colour, **k.QUIET),
        k.area("shared", _X, shared, k.LEVEL, fill="none"),
        k.area("of both", _X, ground, k.LEVEL, fill="tonexty", fillcolor=k.fill(k.GREY)),
        squares,
        grab=k.drag("ratio", middle + deviation * np.array(_RATIOS), _NOISE_BAR, ring=True),
        headline="right {right} times in 100",
        sentence=f"At {{ratio}} spread{'s' * (ratio != 1)} of noise a spy is right about Zoe {{right}} times "
        "in 100 (exact), about anybody in any study at most {bound} (bound).",
        alt="Two hills, how the noisy mean falls without Zoe and with her; below, a stroke for each mean, "
        "a ruler of seven spreads, of which the noise fills {ratio}, and ten people by their incomes, Zoe at "
        "{target} thousand. What the hills share is grey, the rest, {coloured} in 100, in colour; a spy is "
        "right {right} times in 100. Pale behind them: the hills under noise of one spread.",
        # The bound holds for every answer of this spread.
        **k.words(target=target, ratio=ratio, right=k.exact(50 + 100 * eta, ".0f"), coloured=coloured),
        bound=k.at_most(100 * (0.5 + eta_from_ratio(ratio))),
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
    'right 81 times in 100'
    """
    return _means, _noisy


# --- One swap: from stroke to stroke, and through the middle ---------------------------------------

_INCOMES, _SWAPS, _SHOWN_SWAPS = np.append(_OTHERS, 92), ["Anna", "Finn", "Zoe"], 15
# From the top: the ten, the arrow on the strokes, the ways to the middle, and a spread to each side of it.
_CHAIRS, _STEP, _FOOT, _WAYS, _SPREADS = 45 + 3.1 * (np.arange(10) - 4.5), 2.0, 1.05, (0.75, 0.42), -0.05


@k.cache
def _swapped(who):
    """Return fives with somebody, from the lowest mean to the highest, and who takes the place."""
    members, place = mip.subsets(_INCOMES.size), list(k.PEOPLE).index(who)
    fives = members[members[:, place]]
    lowest = np.unique((fives @ _INCOMES).round(), return_index=True)[1]
    fives = fives[lowest[np.linspace(0, lowest.size - 1, _SHOWN_SWAPS).round().astype(int)]]
    rng = np.random.default_rng(3)
    return place, fives, [int(rng.choice(np.flatnonzero(~five))) for five in fives]


@k.figure
def one_swap(
    five: Annotated[int, k.Slider(1, _SHOWN_SWAPS, 8, step=1, label="Which five", play=True)] = 8,
    who: Annotated[str, k.Choice(_SWAPS, label="Who is swapped")] = "Anna",
):
    """Draw how far the mean of five steps when one is swapped, and how far it is through the middle.

    Notes
    -----
    New here: the average step is at most twice the mean deviation.

    Examples
    --------
    >>> one_swap(8, "Zoe").layout.meta["headline"]
    'Step 10.2, through the middle 10.2'
    """
    (_, means, spread), names = _halves(_INCOMES[-1]), list(k.PEOPLE)
    (place, fives, comers), at = _swapped(who), int(five) - 1
    drawn, comes, middle = fives[at], comers[at], means.mean()
    every, members = (fives @ _INCOMES / 5).round(1), mip.subsets(_INCOMES.size)
    blue = every[at]
    orange = round(blue + (_INCOMES[comes] - _INCOMES[place]) / 5, 1)
    step, ways = abs(blue - orange), np.abs([blue - middle, orange - middle])
    signs = np.sign([blue - middle, orange - middle])
    ten = k.cast(_CHAIRS, 3.3, names, size=24, **k.QUIET)
    ten["marker"]["opacity"] = np.where(drawn | (np.arange(10) == comes), 1, 0.25).tolist()
    # The one who comes goes over the heads of the others.
    bow = np.linspace(0, 1, 13)
    over = np.interp(bow, [0, 1], _CHAIRS[[comes, place]]), 3.62 + 1.3 * bow * (1 - bow)
    thin = {"symbol": "line-ns", "size": 10, "opacity": 0.4, "line": {"color": k.GREY, "width": 1}}
    spreads, side = k.gapped(middle + spread * np.array([[-1, -0.05], [0.05, 1]])), np.sign(orange - blue)
    arrow = {"symbol": "triangle-left" if side < 0 else "triangle-right", "size": 11, "color": k.INK}
    ticks = {35: "35 thousand", 45: "<b>45</b>, the middle", 55: "55"}
    return k.part(
        k.points("all means", np.unique(means.round(1)), _FOOT, k.LEVEL, marker=thin, **k.QUIET),
        k.level("the middle", middle, [-0.2, _STEP], k.LEVEL.estimate(), **k.QUIET),
        k.level("the spreads", spreads, _SPREADS, line=_BAR, **k.QUIET),
        k.text("spreads, named", middle, -0.42, "<b>1 spread + 1 spread</b>"),
        k.text("on average", middle - spread - 0.5, _SPREADS, "on average", textposition="middle left"),
        [
            [
                k.level(f"stroke {name}", x, [_FOOT - 0.12, _STEP], look.exact().but(width=4), **k.QUIET),
                k.level(f"way {name}", [middle, x], y, look.exact().but(width=9), **k.QUIET),
            ]
            for name, look, x, y in zip(
                ("with", "without"), (k.IN, k.OUT), (blue, orange), _WAYS, strict=True
            )
        ],
        k.text(
            "ways, long",
            [blue, orange] + 0.5 * signs,
            _WAYS,
            [f"<b>{way:.1f}</b>" for way in ways],
            textposition=["middle right" if sign > 0 else "middle left" for sign in signs],
            textfont={"color": [k.IN.colour, k.OUT.colour]},
        ),
        k.level("step", [blue, orange], _STEP, k.READING.but(width=3), **k.QUIET),
        k.points("step's end", orange - 0.25 * side, _STEP, k.READING, marker=arrow, **k.QUIET),
        k.text("step, long", (blue + orange) / 2, _STEP + 0.27, f"step <b>{step:.1f}</b>"),
        k.curve("who comes", *over, k.READING.but(width=2), **k.QUIET),
        k.points("who goes", _CHAIRS[place], 3.3, k.IN.with_symbol("circle-open"), size=30, **k.QUIET),
        k.points("in whose place", _CHAIRS[comes], 3.3, k.OUT.with_symbol("circle-open"), size=30, **k.QUIET),
        ten,
        k.text("the swap", 45, 2.78, f"{names[comes]} takes {who}'s place"),
        x=k.axis("", ticks, range=[29, 61], showgrid=False),
        y=k.unseen(-0.65, 4.05),
        height=400,
        ghost=[],
        grab=k.drag("five", every, _STEP),
        headline="Step {step}, through the middle {way}",
        sentence="On average over all swaps of {who}'s the step is {average}, and the way through the middle "
        "{two}, two spreads (exact).",
        alt="Ten people, of whom {comes} takes {who}'s place. Below, a blue stroke, the mean of the five "
        "with {who}, and an orange one, without; an arrow from one to the other, {step} thousand long, and "
        "bars from the middle to both, together {way}. Under these, a spread to each side of the middle.",
        **k.words(step=k.exact(step, ".1f"), way=k.exact(ways.sum(), ".1f"), who=who, comes=names[comes]),
        two=k.exact(2 * spread, ".1f"),
        average=k.exact(mip.average_sensitivity(means, members)[place], ".1f"),
    )


_DIMENSIONS = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 100, 150, 200, 300, 500, 700, 1000]
# So many dots, and the promise.
_SHOWN, _ETA = 150, 0.1


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
    # Where the arrows of the noise end, the shortest first, each in a direction of its own.
    length = length_quantiles((np.arange(_SHOWN) + 0.5) / _SHOWN, dimension, "gamma")
    angle = np.arange(_SHOWN) * math.pi * (3 - math.sqrt(5))
    if dimension == 1:  # one number has two directions
        angle = math.pi * np.arange(_SHOWN)
    turn, far = np.linspace(0, 2 * math.pi, 73), 1.06 * max(length[-1], 1.3)
    ends = k.short([length * np.cos(angle), length * np.sin(angle)])
    circle, shafts = (
        k.short([np.cos(turn), np.sin(turn)]),
        [k.gapped(np.outer(each, [0, 1])) for each in ends],
    )
    return k.part(
        k.curve("arrows", *shafts, k.MIP.but(width=1), opacity=0.4, **k.QUIET),
        k.points("the noise", *ends, k.MIP, size=7, opacity=0.5, **k.QUIET),
        k.curve("shortest arrow", [0, ends[0][0]], [0, ends[1][0]], k.READING.but(width=3), **k.QUIET),
        k.curve("average", *circle, k.Look(k.INK, "dash", width=2), **k.QUIET),
        k.points("true answer", 0, 0, k.READING, size=8, **k.QUIET),
        k.text("circle, named", -far, 0.97 * far, "dashed: average length", textposition="middle right"),
        k.text("shortest, named", far, -0.97 * far, "bold: the shortest", textposition="middle left"),
        **k.stage((-far, far), (-far, far), square=True, height=460, ghost=[]),
        layout={"margin": {"l": 8, "r": 8, "t": 8, "b": 8}},
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


_SIDE, _PIXELS = 10, (-0.6, 9.6)
# A heart of ten by ten pixels, from the top.
_HEART = ["..##..##..", ".########.", "##########", "##########", "##########"]
_HEART += [".########.", "..######..", "...####...", "....##....", ".........."]
# How much brighter the heart is than its ground, where Zoe moves a pixel by 1, up or down.
_BRIGHT = 100.0
# How strong the noise is, by what one number needs.
_TIMES = [1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 40, 50, 60, 70, 80, 90, 100, 120, 150, 200, 300, 500, 700, 1000]
# Between them the curve is drawn, too.
_FINE = sorted({*_TIMES, *np.geomspace(1, 20, 21).round(1).tolist()})
_SPY_ON_HEART, _LONG, _EACH = "the spy (exact)", "one arrow", "each by itself"


@k.cache
def _arrow(noise):
    """Return noise on a hundred pixels: its longest part is 1, or each has its own, Laplace or Gaussian."""
    rng = np.random.default_rng({_LONG: 5, _EACH: 14}.get(noise, 1))
    if noise != _LONG:
        return rng.laplace(size=_SIDE**2) if noise == _EACH else rng.standard_normal(_SIDE**2)
    noise = mip.sample_noise(np.ones(_SIDE**2), _ETA, math.inf, rng, 1, radius="gamma")[0]
    return noise / np.abs(noise).max()


def _strong(times, noise):
    """Return the length of the noise that is so many times as strong as one pixel's."""
    return times * (mip.gaussian_sigma_for_mip(1.0, _ETA) if noise == "Gaussian" else mip.noise_scale(_ETA))


@k.cache
def _right_on_heart(times, noise):
    """Return how often the spy is right under such noise."""
    if noise == _LONG:
        return 100 * (0.5 + eta_from_ratio(_strong(times, noise) / _SIDE**2))
    if noise == _EACH:
        pixel = accounting.from_laplace(_strong(times, noise), 2.0)
        return 100 * (0.5 + accounting.composed(pixel, _SIDE**2).eta.value)
    return 100 * float(ndtr(_SIDE / _strong(times, noise)))


@k.figure
def noisy_heart(
    times: Annotated[int, k.Count(_TIMES, label="Noise, times as strong", play=True)] = 100,
    noise: Annotated[str, k.Choice([_LONG, _EACH, "Gaussian"], label="Which noise")] = _LONG,
):
    """Draw a picture of a hundred pixels under noise, so many times as strong as one number needs.

    The noise is Laplace's, one arrow for all pixels or each pixel's own, or Gaussian.
    Lengths are by the largest coordinate, in shades: Zoe moves each pixel by one, up or down.

    Notes
    -----
    MIP paper, Corollary 10, and its correction.

    Examples
    --------
    >>> noisy_heart(10, "Gaussian").layout.meta["headline"]
    'right 60 times in 100'
    """
    every, fine = (np.round([_right_on_heart(t, noise) for t in each], 3) for each in (_TIMES, _FINE))
    hover, ends = "%{x} times as strong: right %{y:.1f} times in 100", [0.2, 1300]
    ticks, wide = {number: f"{number:,}" for number in (1, 10, 100, 1000)}, np.log10(ends).tolist()
    heart = np.array([[pixel == "#" for pixel in row] for row in _HEART]) * _BRIGHT
    long, right = _strong(times, noise), _right_on_heart(times, noise)
    noisy = heart + long * _arrow(noise).reshape(_SIDE, _SIDE)
    # The longest part of the one has the whole length, the others half of it on average.
    means = {_LONG: (1 + 1 / _SIDE**2) / 2, _EACH: 1.0, "Gaussian": math.sqrt(2 / math.pi)}
    moved = long * means[noise]
    most, farthest = (
        (", the one hit hardest by {farthest}", {"farthest": long}) if noise == _LONG else ("", {})
    )
    # The printer's ink goes so far from the middle; strong noise asks for more, and saturates.
    ink = 50 + 4 * moved**0.75
    scale = {"colorscale": [[0.0, k.fill(k.ORANGE)], [1.0, k.ORANGE]], "showscale": False}
    scale |= {"zmin": _BRIGHT / 2 - ink, "zmax": _BRIGHT / 2 + ink, "xgap": 1, "ygap": 1}
    return k.part(
        k.curve(_SPY_ON_HEART, _FINE, fine, k.ATTACK, lower=True, hover=hover),
        k.area("the spy, shaded", [*_FINE, 1000, 1], [*fine, 45, 45], k.ATTACK, lower=True),
        k.level("promised", ends, 100 * (0.5 + _ETA), k.MIP.bound(), lower=True),
        {"type": "heatmap", "name": "the picture", "z": noisy[::-1].round(1).tolist(), **scale, **k.QUIET},
        k.reading(times, right, "the spy, at your noise", lower=True),
        **k.stage(_PIXELS, _PIXELS, square=True, height=430, showlegend=False, ghost=[]),
        x2=k.axis("noise, times as strong", ticks, log=True, range=wide, showgrid=False),
        y2=k.axis(
            "spy right in 100", {60: "<b>60</b>", 80: "80", 100: "100"}, range=[45, 104], showgrid=False
        ),
        rows=(0.72, 0.1),
        beside=0.63,
        probe=[_SPY_ON_HEART],
        grab=k.drag("times", _TIMES, every, along="x2"),
        headline="right {right}",
        sentence=f"On average the noise moves a pixel by {{moved}} shades{most} (exact). The heart is a "
        "hundred shades off its ground, and Zoe moves each pixel by one.",
        alt="A picture of ten by ten pixels, a heart under noise that moves them by {moved} shades: the "
        "stronger the noise, the less of the heart is to be seen. Beside it how often a spy is right, by the "
        "noise: a curve that falls towards 50 and stands at {right}.",
        **k.words(right=k.exact(right / 100, k.in_100), moved=moved, **farthest),
    )


# --- Noise that is measured inside the half that it hides: what a hospital prints -----------------

_PROMISE, _TWENTY, _ROUNDS = 0.1, 20, 16
_INSIDE, _EVERYBODY = "on those ten", "on all twenty"
# Of the half, Zoe alone is ill; of a half of this half as well.
_SHARE = 2 / _TWENTY
# No number of this seed leaves the picture.
_SEED = 756
# The floors of the shelves, with Zoe and without, on which the printed numbers lie, equal ones on each other.
_FLOORS, _HEAP, _WALL, _NUMBER, _SKY = (1.12, -0.15), 0.13, 1.5, 2.83, 5.65
_SHELVES = [("Zoe in", k.IN, _FLOORS[0]), ("Zoe out", k.OUT, _FLOORS[1])]
# Above them a hospital with five by two seats; the others stand on hills on both sides, and Zoe on one's top.
_GROUND, _SEAT_ROWS, _BESIDE = 3.36, np.array([3.68, 4.3]), np.array([0.9, 1.13, 1.36, 1.015, 1.245])
_SEATS = np.array([np.tile(0.24 * np.arange(-2, 3), 2), np.repeat(_SEAT_ROWS, 5)])
_OUTSIDE = np.array([np.append(_BESIDE, -_BESIDE), np.tile(_SEAT_ROWS[[0, 0, 0, 1, 1]], 2)])
# Zoe's seat among the ten, and among the others; and where her picture hangs: she is one of the twenty.
_SEAT, _HOME, _TOP = _SEATS[:, 2:3], _OUTSIDE[:, :1], np.array([[1.13], [4.92]])
_HILL = "M{0}1.5,3.36 V4.1 C{0}1.38,4.45 {0}1.26,4.6 {0}1.13,4.6 C{0}0.94,4.6 {0}0.84,3.36 {0}0.55,3.36 Z"
_RIM = {"color": k.GREY, "width": 1.5}
_SCENE = [
    k.land(
        "M-1.5,3.36 V5.45 Q-1.5,5.65 -1.44,5.65 H1.44 Q1.5,5.65 1.5,5.45 V3.36 Z", k.fill(k.BLUE), opacity=0.5
    ),
    k.land(f"{_HILL.format('-')} {_HILL.format('')}", k.fill(k.GREEN), opacity=0.45),
    k.land("M-1.5,3.36 V2.42 Q-1.5,2.22 -1.44,2.22 H1.44 Q1.5,2.22 1.5,2.42 V3.36 Z", k.fill(k.GREEN)),
    k.land("M-0.66,3.3 V4.7 H0.66 V3.3 Z", BACKGROUND[0], line=_RIM),
    k.land("M-0.75,4.7 L0,5.5 L0.75,4.7 Z", k.BLUE),
]

# Said when the reader may have seen it.
_WHY = {
    "in": " One is ill, so the ten differ: there is a spread, and noise.",
    "out": " None is ill, so there is no spread, and no noise: exactly 0.",
}


@k.cache
def _printed(measured):
    """Return which halves hold Zoe, what is printed of each, and how often the best spy is right."""
    rng = np.random.default_rng(_SEED)
    inside = rng.permutation(np.arange(_ROUNDS) % 2 == 1)
    # The noise is so many spreads of what was measured.
    scale = mip.noise_scale(_PROMISE) * (_SHARE * inside if measured == _INSIDE else _SHARE / 2)
    printed, member = _SHARE * inside + scale * rng.laplace(size=_ROUNDS), mip.subsets(2)
    if measured == _INSIDE:
        return inside, printed, 1.0  # no number is exactly 0 with her, and each is without her
    return inside, printed, 0.5 + mip.laplace_eta(_SHARE * member[:, 0], member[:, :1], scale)


@k.figure
def exactly_zero(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Is Zoe among the ten?", alone=3)] = 0,
    measured: Annotated[str, k.Choice([_INSIDE, _EVERYBODY], label="Spread measured")] = _INSIDE,
):
    """Print a noisy share of ten people round by round, and ask whether Zoe is among them.

    Notes
    -----
    MIP paper, Algorithm 1, false as published: of twenty people Zoe alone is ill.

    Examples
    --------
    >>> exactly_zero(0, "on all twenty").layout.meta["headline"]
    'The best spy: right 60 times in 100'
    """
    *drawn, right = _printed(measured)
    inside, number = (each[: round + 1] for each in drawn)
    leaks, now = measured == _INSIDE, number[-1]
    # How many equal numbers lie below each.
    heap = [int((number[:at][inside[:at] == inside[at]] == number[at]).sum()) for at in range(round + 1)]
    height = np.where(inside, *_FLOORS) + 0.2 + _HEAP * np.array(heap)
    past, hidden = np.arange(round + 1) < round, {"meta": "reveal", **k.QUIET}
    best = now != 0 if leaks else now > _SHARE / 2
    answer, optimal = ("in" if zoe else "out" for zoe in (inside[-1], best))
    told = f"she is {answer}." + _WHY[answer] * (leaks and round > 0)
    fooled = {} if optimal == answer else {optimal: " It fools the best spy, too."}
    replies = {
        f"{says}/{answer}/{optimal}": f"{'Right' if says == answer else 'No'}: {told}{fooled.get(says, '')}"
        for says in ("in", "out")
    }
    bare = {"showgrid": False, "zeroline": False}
    written = f"{now:.3f}".replace("-", "\u2212") if now else "0"
    # The noise is drawn around the true share, on the shelf on which the number falls.
    wide, true = mip.noise_scale(_PROMISE) * _SHARE * (inside[-1] if leaks else 0.5), _SHARE * inside[-1]
    low, zoe = (_FLOORS[0], _SEAT) if inside[-1] else (_FLOORS[1], _HOME)
    thin, grey = _BAR | {"width": 7}, k.LEVEL.but(symbol="circle")
    # Its name is beside the bar's end, where the number does not fall.
    end, side = (true - wide - 0.03, "left") if now > true else (true + wide + 0.03, "right")
    noise = f"noise ±{wide:.2f}" if wide else "no noise"
    beside = {"textposition": f"middle {side}", "textfont": {"color": k.PURPLE, "size": 14}}
    fall, across, up = k.READING.estimate().with_symbol("triangle-down"), *k.SQUARE
    names = {"textposition": "middle right", "textfont": {"color": [k.IN.colour, k.OUT.colour], "size": 15}}
    said, middles = [f"<b>{each}</b>" for each, *_ in _SHELVES], np.add(_FLOORS, 0.51)
    look, slip = k.IN if inside[-1] else k.OUT, float(np.clip(now, -0.95, 0.95))
    poster = {"symbol": "square", "size": 54, "color": BACKGROUND[0], "line": _RIM}
    goes = {"Zoe": dict(zip("xy", zoe, strict=True))}
    return k.part(
        [k.area(f"shelf, {each}", _WALL * across, at + 0.51 * (up + 1), look) for each, look, at in _SHELVES],
        k.text("shelves, named", -_WALL + 0.02, middles, said, **names),
        k.level("exactly zero", 0, [_FLOORS[1], _FLOORS[0] + 1], k.LEVEL.estimate(), **k.QUIET),
        k.points("its slip", [slip, slip], _NUMBER, k.LEVEL, marker=k.slip(70), cliponaxis=False, **k.QUIET),
        k.text("printed", slip, _NUMBER, f"<b>{written}</b>", textfont={"size": 28}),
        k.points("it falls from", now, _NUMBER - 0.5, fall, size=12, **k.QUIET),
        k.points("the ten", *_SEATS, grey, size=20, **k.QUIET),
        k.points("the others", *_OUTSIDE, grey, size=20, opacity=0.5, **k.QUIET),
        # She is one of the twenty: what stands on the hill is a poster with her picture.
        k.level("its post", _TOP[0, 0], [4.5, 4.8], k.LEVEL.exact().but(width=4), **k.QUIET),
        k.points("her poster", _TOP[0], 5.08, k.LEVEL, marker=poster, cliponaxis=False, **k.QUIET),
        k.points("where she is", *zoe, look.with_symbol("circle-open"), size=34, **hidden),
        k.cast(*_TOP, ["Zoe"], name="Zoe", size=28, **k.QUIET),
        k.level("how wide the noise is", [true - wide, true + wide], low + 0.86, line=thin, **hidden),
        k.text("noise", end, low + 0.86, noise, **beside, **hidden),
        [
            k.points(f"{name} Zoe: printed", number[side], height[side], look, size=13, **k.QUIET)
            for name, side, look in (("with", past & inside, k.IN), ("without", past & ~inside, k.OUT))
        ],
        k.level("it falls", now, [_NUMBER - 0.5, height[-1]], fall, meta="reveal", showlegend=False),
        k.points("this one", now, height[-1], look, size=17, **hidden),
        x=k.axis("printed: share of the ill, plus noise", range=[-_WALL, _WALL], tickvals=[-1, 0, 1], **bare),
        y=k.unseen(_FLOORS[1], _SKY),
        height=440,
        shapes=_SCENE,
        annotations=[
            k.note("<b>the hospital</b>", 0, 4.92, font={"color": BACKGROUND[0], "size": 14}),
            k.note("<b>Zoe, ill</b>", *_TOP.ravel(), yshift=23),
        ],
        ghost=[],
        after=[{"marks": goes}],
        options=[["in", "Zoe is in"], ["out", "Zoe is out"]],
        answer=answer,
        optimal=optimal,
        replies=replies,
        headline="The best spy: right {right}",
        sentence="Without Zoe the noise is 0, and 0 is printed. So the spy is always right (exact)."
        if leaks
        else "The noise is the same with Zoe and without, half of what it was with her before. "
        "No spy is right more often (exact).",
        alt="A hospital with ten of twenty people, a poster that seeks Zoe, the number printed of the ten, "
        "and below two shelves of those printed before: with Zoe and without. "
        f"{'Without her each is 0' if leaks else 'They look alike'}; the best spy is right {{right}}.",
        right=k.exact(right, k.in_100),
    )
