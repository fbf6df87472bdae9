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
_NAMES = ["you", "5 of 6", "any data", "the label"]
_LOOKS = [k.PMP, *[k.DP.with_symbol(symbol) for symbol in ("square", "triangle-up", "x")]]
# The axis ends at this power of ten; the values stand there.
_RIGHT = 4
_ROUNDS = 16
# The rings of the wheel: from where to where it is turned with the villager, and without.
_RINGS = {"the wheel with Zoe": (0.6, 1.0, k.IN), "without her": (0.18, 0.56, k.OUT)}
# Where the ball runs, outside of them.
_RIM = 1.08
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


def _around(start, end, inner, outer, points=13):
    """Return the outline of a piece of a ring between two shares of a turn from the top."""
    turn = 2 * np.pi * np.linspace(start, end, points)
    return tuple(
        np.round(np.concatenate([outer * f(turn), inner * f(turn[::-1])]), 3) for f in (np.sin, np.cos)
    )


def _wheel(epsilon, clip):
    """Draw the slices with Zoe, and without her."""
    traces = []
    for chances, (name, (inner, outer, look)) in zip(_found(epsilon, clip)[2], _RINGS.items(), strict=True):
        turn = 2 * np.pi * np.cumsum(np.append(0, chances[:-1]))
        ends = np.array([[r * f(turn) for r in (inner, outer)] for f in (np.sin, np.cos)]).round(3)
        x, y = (np.insert(each.T, 2, np.nan, axis=1).ravel() for each in ends)
        gaps = [[None if np.isnan(v) else float(v) for v in each] for each in (x, y)]
        traces.append(k.curve(name, *gaps, look, hoverinfo="skip"))
    return k.part(traces)


def _round(epsilon, clip, round):
    """Show the slice where the ball lies on both wheels, ask the reader, and ring it on the true one."""
    chances, (lot, share) = _found(epsilon, clip)[2], np.random.default_rng([_SEED, round]).random(2)
    spun = int(lot >= 0.5)
    at = min(int(np.searchsorted(np.cumsum(chances[spun]), share)), _OBJECTS - 1)
    start, here = chances[:, :at].sum(axis=1), chances[:, at]
    quiet, (with_her, without) = {"hoverinfo": "skip", "showlegend": False}, map(k.say, 100 * here)
    said = f"outside, with Zoe: <b>{with_her}</b> in 100<br>inside, without her: <b>{without}</b> in 100"
    outlines = [
        _around(start[i], start[i] + here[i], inner, outer, 7)
        for i, (inner, outer, _) in enumerate(_RINGS.values())
    ]
    purple = [
        k.curve(f"purple, {name}", *each, k.PMP, fill="toself", **quiet) | {"line": {"width": 0}}
        for name, each in zip(_RINGS, outlines, strict=True)
    ]
    # What was spun is closed, and thick.
    ring = [np.append(each, each[0]) for each in outlines[spun]]
    turn, ball = 2 * np.pi * (start[0] + here[0] / 2), k.READING.with_symbol("circle")
    truth, right = ("in", "out")[spun], {True: "Right", False: "No"}
    best = "in" if here[0] >= here[1] else "out"
    reply = f"Zoe was {truth}. With this slice the best spy is right {{chance}}."
    return k.part(
        purple,
        k.curve("what was spun", *ring, replace(k.READING, width=5), meta="reveal", **quiet),
        k.points("the ball", _RIM * np.sin(turn), _RIM * np.cos(turn), ball, size=15, **quiet),
        annotations=[{"x": 0, "y": 1.34, "text": said, "showarrow": False}],
        options=[["in", "Zoe was in"], ["out", "Zoe was out"]],
        question="The ball lies at the purple slice. Was Zoe one of the six?",
        answer=truth,
        optimal=best,
        replies={f"{you}/{truth}/{best}": f"{right[you == truth]}, {reply}" for you in ("in", "out")},
        **k.words(inside=100 * here[0], without=100 * here[1]),
        chance=k.exact(here.max() / here.sum(), k.in_100),
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
    more = {"lower": True, "showlegend": False}
    # In a column at the right edge, where no needle comes.
    column = {"textposition": "middle left", "textfont": {"color": k.INK, "size": 15}, "lower": True}
    return k.part(
        k.points("the name", [nominal], [_NAMES[3]], _LOOKS[3], size=15, hoverinfo="skip", **more),
        k.points("the four ε", list(sizes), _NAMES, k.DP, marker=marker, customdata=told,
                 hover="%{y}: %{customdata}", **more),
        k.text("the values", [10**_RIGHT] * 4, _NAMES, told, **column),
        headline="At best right {right}",
        nominal=nominal,
        true=k.at_most(true, **two),
        known=k.exact(known, **two),
        practical=k.exact(practical, **two),
        right=k.exact(success, k.in_100),
    )  # fmt: skip


def _frame():
    """Return the rims of the wheel, and what is said in all states."""
    rims, hidden = [], {f"purple, {name}": {"opacity": 0} for name in _RINGS}
    for name, (inner, outer, look) in _RINGS.items():
        x, y = _around(0, 1, inner, outer, 73)
        more = {"fill": "toself", "line": {"color": look.colour, "width": 1.5}, "showlegend": False}
        rims.append(k.curve(f"rims, {name}", x, y, look, hoverinfo="skip", **more))
    return k.part(
        rims,
        x={"visible": False, "range": [-1.2, 1.2]},
        y={"visible": False, "range": [-1.13, 1.5], "scaleanchor": "x"},
        x2=k.axis("ε, by what one knows", log=True, range=[-3, _RIGHT], **k.PLAIN),
        y2=k.axis(
            "",
            type="category",
            categoryorder="array",
            categoryarray=_NAMES,
            range=[-0.6, 3.6],
            showgrid=False,
        ),
        rows=(0.68, 0.08),
        beside=0.68,
        height=430,
        showlegend=False,
        before=[
            {"say": "Six of the twelve are drawn, and the ball runs ...", "marks": marks}
            for marks in ({**hidden, "the ball": {"x": [_RIM * x], "y": [_RIM * y]}} for x, y in _STOPS)
        ],
        later=["the four ε", "the values"],
        afterwards="The label fears a far better spy than you can be.",
        ghost=[],
        grab=k.drag("epsilon", along="x2", at=_NAMES[3]),
        sentence="The label says ε = {nominal}. You, with nothing but the list of twelve, can use "
        "{practical}; with five of the six, {known} (exact). On any data it is {true} at most (bound).",
        alt="A wheel of ten slices in two rings, outside as it is with Zoe, inside without her. The slice "
        "where the ball lies comes up {inside} times in 100 with her, {without} without. Beside it four "
        "marks on a log axis: {nominal} in name, at most {true} on any data, {known} for a spy who knows "
        "five of the six, {practical} for one with the list. The best of these is right {right}.",
    )


@k.figure
def four_epsilons(
    epsilon: Annotated[float, k.Stops(_NOMINAL, label="ε on its label")] = 10.0,
    clip: Annotated[float, k.Stops(_CLIPS, label="Nobody counts beyond, C")] = 50.0,
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was Zoe one of the six?", alone=3)] = 0,
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
