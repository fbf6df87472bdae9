"""One wheel of fortune, four epsilons: in its name, on any data, on the pool, and for who has the list."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import pmp

# Ten directions, twelve villagers in five dimensions around the first of them, two of them far out.
_SEED, _N, _DIMENSION, _OBJECTS, _OUTLIERS, _FARTHER = 7, 6, 5, 10, 2, 100.0
_CLIPS = [1.0, 1.6, 2.5, 4.0, 6.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 70.0, 100.0, 140.0, 200.0]
_NOMINAL = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 28.5, 40.0, 60.0, 80.0, 100.0]
# From the bottom up: you have the list alone and face PMP, the three above are DP.
_NAMES, _ROWS = ["you", "five of six", "any data", "the label"], np.arange(4)
_LOOKS = [k.PMP, *[k.DP.with_symbol(symbol) for symbol in ("square", "triangle-up", "x")]]
# The powers of ten where the four rows begin and end, their names on the left.
_LEFT, _RIGHT, _TICKS = -5.0, 3.1, [0.01, 0.1, 1, 10, 100]
_ROUNDS = 16
# The two wheels: where the middle of each is, from where to where its slices reach, where a ball runs.
_WHEELS = {"the wheel with Zoe": (-1.18, k.IN), "the wheel without her": (1.18, k.OUT)}
_HUB, _RIM, _OUTSIDE = 0.26, 1.0, 1.1
_COLOURS = {"color": [k.BLUE, k.ORANGE], "size": 15}
# The purple slices once more, one above the other, to compare: where they begin, and the longer one's length.
_BARS, _BEGIN, _LONG, _THICK = [-1.4, -1.75], -1.1, 2.4, 0.1
_STOPS = [(0.87, -0.5), (-0.87, -0.5), (0, 1)]


@k.cache
def _found(epsilon, clip):
    """Return the four parameters from the bottom up, the best attack, and the chances with Zoe and not."""
    rng, sensitivity = np.random.default_rng(_SEED), pmp.norm_sensitivity(_N, clip)
    pool = pmp.draw_pool(_N, _DIMENSION, _OBJECTS, 1.0, clip, _OUTLIERS, _FARTHER, rng)
    known = pmp.subset_epsilon(pool.losses, epsilon, sensitivity)
    practical, success = pmp.exponential_risks(pool.losses, epsilon, sensitivity)
    true = pmp.true_epsilon_bound(pool.objects, _N, epsilon, sensitivity)
    laws = np.exp(pmp.exponential_laws(pool.losses, epsilon, sensitivity))
    # Zoe is the villager about whom a spy is right most often.
    zoe = np.abs(laws[0] - laws[1]).sum(axis=1).argmax()
    return (practical, known, true, epsilon), success, laws[:, zoe]


def _around(middle, start, end, points=7):
    """Return the outline of a slice of a wheel between two shares of a turn from the top."""
    turn = 2 * np.pi * np.linspace(start, end, points)
    x, y = (np.concatenate([_RIM * f(turn), _HUB * f(turn[::-1])]) for f in (np.sin, np.cos))
    return np.round(middle + x, 3), np.round(y, 3)


def _wheel(epsilon, clip):
    """Draw the slices with Zoe, and without her."""
    traces = []
    for chances, (name, (middle, look)) in zip(_found(epsilon, clip)[2], _WHEELS.items(), strict=True):
        turn = 2 * np.pi * np.cumsum(np.append(0, chances[:-1]))
        x, y = (np.outer(f(turn), [_HUB, _RIM, np.nan]).round(3).ravel() for f in (np.sin, np.cos))
        gaps = [[None if np.isnan(v) else float(v) for v in each] for each in (x + middle, y)]
        # Each wheel is told by the words above it.
        spokes = replace(look, dash="solid", width=1.5)
        traces.append(k.curve(name, *gaps, spokes, hoverinfo="skip", showlegend=False))
    return k.part(traces)


def _round(epsilon, clip, round):
    """Show the slice where the ball lies, on both wheels, ask the reader, and let the true one stay."""
    chances, (lot, share) = _found(epsilon, clip)[2], np.random.default_rng([_SEED, round]).random(2)
    spun = int(lot >= 0.5)
    at = min(int(np.searchsorted(np.cumsum(chances[spun]), share)), _OBJECTS - 1)
    start, here = chances[:, :at].sum(axis=1), chances[:, at]
    quiet, ball = {"hoverinfo": "skip", "showlegend": False}, k.READING.with_symbol("circle")
    drawn = []
    for i, (name, (middle, _)) in enumerate(_WHEELS.items()):
        slice_ = _around(middle, start[i], start[i] + here[i])
        turn = 2 * np.pi * (start[i] + here[i] / 2)
        x, y = middle + _OUTSIDE * np.sin(turn), _OUTSIDE * np.cos(turn)
        purple = k.curve(f"purple, {name}", *slice_, k.PMP, fill="toself", fillcolor=k.PMP.colour, **quiet)
        drawn += [purple | {"line": {"width": 0}}, k.points(f"ball, {name}", x, y, ball, size=15, **quiet)]
    truth, wrong = ("in", "out")[spun], ("out", "in")[spun]
    best = "in" if here[0] >= here[1] else "out"
    so = ("Right", "No") if best == truth else ("Right, by luck", "No, and the best spy is wrong too")
    reply = f"Zoe was {truth}, {'as' if best == truth else 'against what'} the longer bar says."
    sizes = k.words(inside=100 * here[0], without=100 * here[1])
    said = [k.told("<b>{size}</b> in 100", size=size) for size in sizes.values()]
    ends = _BEGIN + _LONG * here / here.max()
    for name, y, end in zip(_WHEELS, _BARS, ends, strict=True):
        across, up = [_BEGIN, end, end, _BEGIN], [y - _THICK, y - _THICK, y + _THICK, y + _THICK]
        bar = k.curve(f"unrolled, {name}", k.short(across), up, k.PMP, fill="toself", **quiet)
        drawn.append(bar | {"fillcolor": k.PMP.colour, "line": {"width": 0}})
    other = list(_WHEELS)[1 - spun]
    faded = {f"{what}{other}": {"opacity": 0.2} for what in ("", "rim, ", "purple, ")}
    return k.part(
        drawn,
        k.text(
            "how large",
            [_BEGIN + _LONG + 0.06] * 2,
            _BARS,
            said,
            meta="reveal",
            textfont=_COLOURS,
            textposition="middle right",
        ),
        options=[["in", "the one with Zoe"], ["out", "the one without"]],
        question="The ball lies on the purple slice, once more below. Which wheel was spun?",
        answer=truth,
        optimal=best,
        after=[{"marks": {**faded, f"ball, {other}": {"opacity": 0}}}],
        replies={
            f"{truth}/{truth}/{best}": f"{so[0]}: {reply}",
            f"{wrong}/{truth}/{best}": f"{so[1]}: {reply}",
        },
        **sizes,
    )


def _needles(epsilon, clip):
    """Draw the four numbers, a row each."""
    sizes, success, _ = _found(epsilon, clip)
    practical, known, true, nominal = sizes
    two = {"digits": 2}
    told = [
        *(k.exact(size, **two) for size in sizes[:2]),
        k.told("≤ {value}", value=k.at_most(true, **two)),
        k.exact(nominal),
    ]
    marker = {"color": [a.colour for a in _LOOKS], "symbol": [a.symbol for a in _LOOKS], "size": 15}
    threads = [x for size in sizes for x in (10 ** (_LEFT + 2.3), float(size), None)]
    beside = {"textposition": "middle right", "textfont": {"color": k.INK}, "lower": True}
    return k.part(
        k.level("threads", threads, np.repeat(_ROWS, 3), replace(k.LEVEL, dash="dot"), lower=True),
        k.points("the four ε", list(sizes), _ROWS, k.DP, marker=marker, customdata=told, showlegend=False,
                 lower=True, hover="ε = %{customdata}"),
        k.text("the values", [2.2 * size for size in sizes], _ROWS, told, **beside),
        headline="At best right {right}",
        nominal=nominal,
        true=k.at_most(true, **two),
        known=k.exact(known, **two),
        practical=k.exact(practical, **two),
        right=k.exact(success, k.in_100),
    )  # fmt: skip


def _middles(y):
    """Return the places above or below the two wheels."""
    return [middle for middle, _ in _WHEELS.values()], [y] * len(_WHEELS)


def _frame():
    """Return the rims of the wheels, and what is said in all states."""
    quiet, rims, hidden = {"hoverinfo": "skip", "showlegend": False}, [], {}
    for name, (middle, look) in _WHEELS.items():
        x, y = _around(middle, 0, 1, 73)
        line = {"color": look.colour, "width": 1.5}
        rims.append(k.curve(f"rim, {name}", x, y, look, fill="toself", line=line, **quiet))
        hidden |= {f"{what}, {name}": {"opacity": 0} for what in ("purple", "unrolled")}
    names = {"textposition": "middle left", "textfont": {"color": k.INK}, "lower": True}
    return k.part(
        rims,
        k.cast(_middles(0)[0][0], 0, ["Zoe"], name="Zoe", size=24, hoverinfo="skip", showlegend=False),
        k.text("which wheel", *_middles(1.3), ["<b>with Zoe</b>", "<b>without her</b>"], textfont=_COLOURS),
        k.text(
            "which bar",
            [_BEGIN - 0.06] * 2,
            _BARS,
            ["with Zoe", "without"],
            textfont=_COLOURS,
            textposition="middle left",
        ),
        k.text("the scale", _TICKS, [-1] * len(_TICKS), ["ε = 0.01", *map(str, _TICKS[1:])], lower=True),
        k.text("who", [10 ** (_LEFT + 2.2)] * 4, _ROWS, _NAMES, **names),
        x={"visible": False, "range": [-2.32, 2.32]},
        y={"visible": False, "range": [-1.95, 1.42], "scaleanchor": "x"},
        x2={"visible": False, "type": "log", "range": [_LEFT, _RIGHT]},
        y2={"visible": False, "range": [-1.5, 3.6]},
        rows=(0.72, 0.03),
        height=500,
        showlegend=False,
        before=[
            {
                "say": "Six of the twelve are drawn, and the ball runs ...",
                "marks": hidden
                | {
                    f"ball, {name}": {"x": [middle + _OUTSIDE * x], "y": [_OUTSIDE * y]}
                    for name, (middle, _) in _WHEELS.items()
                },
            }
            for x, y in _STOPS
        ],
        later=["the four ε", "the values", "threads", "who", "the scale"],
        afterwards="The label fears a far better spy than you can be.",
        ghost=[],
        grab=k.drag("epsilon", along="x2", at=3),
        sentence="The label says ε = {nominal}. Where the ball tells most, you with the list of twelve can "
        "use {practical}; with five of the six, {known} (exact). On any data it is {true} at most (bound).",
        alt="Two wheels of ten slices, as they are with Zoe and without her. The slice where the ball lies "
        "comes up {inside} times in 100 with her, {without} without. Below them four "
        "marks on a log axis: {nominal} in name, at most {true} on any data, {known} for a spy who knows "
        "five of the six, {practical} for one with the list. The best of these is right {right}.",
    )


@k.figure
def four_epsilons(
    epsilon: Annotated[float, k.Stops(_NOMINAL, label="ε on its label")] = 10.0,
    clip: Annotated[float, k.Stops(_CLIPS, label="Nobody counts beyond, C")] = 50.0,
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was Zoe one of the six?", alone=1)] = 0,
):
    """Draw a wheel of the exponential mechanism with a villager and without, and its four epsilons.

    References
    ----------
    PMP paper, the simulations of Figures 1 to 3, taken apart: 10 objects, one fixed draw.

    Examples
    --------
    >>> four_epsilons().layout.meta["headline"]
    'At best right 51.4 times in 100'
    """
    return _frame, _wheel, _round, _needles
