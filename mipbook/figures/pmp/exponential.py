"""Wheels of fortune: what their label's epsilon is worth to a spy, and one that more noise makes worse."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip, pmp
from mipbook.mechanisms import exponential_probabilities

# Ten directions, twelve villagers in five dimensions around the first of them, two of them far out.
_SEED, _N, _DIMENSION, _OBJECTS, _OUTLIERS, _FARTHER = 7, 6, 5, 10, 2, 100.0
_CLIPS = [1.0, 1.6, 2.5, 4.0, 6.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 70.0, 100.0, 140.0, 200.0]
_NOMINAL = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 28.5, 40.0, 60.0, 80.0, 100.0]
_LABEL = k.Stops(_NOMINAL, label="ε on its label")
# From the bottom up: you have the list alone and face PMP, the three above are DP.
_ROWS = {"you, the list": k.PMP, "five of six": k.DP.with_symbol("square"), "any village": k.DP}
_ROWS["on the label"] = k.DP.with_symbol("x")
# The powers of ten where the four rows begin and end.
_LEFT, _RIGHT = -5.4, 3.9
# The two wheels: where the middle of each is, from where to where its slices reach, where a ball lies in one.
_WHEELS = {"the wheel with Zoe": (-1.14, k.IN), "the wheel without her": (1.14, k.OUT)}
_HUB, _RIM, _LIES = 0.28, 1.0, 0.74
_COLOURS = {"textfont": {"color": [k.BLUE, k.ORANGE], "size": 15}}
_INK = {"textfont": {"color": k.INK, "size": 15}}
_PURPLE = {"fill": "toself", "fillcolor": k.PMP.colour, "line": {"width": 0}, **k.QUIET}
# The purple slices once more, one above the other, to compare: where they begin, and the longer one's length.
_BARS, _BEGIN, _LONG, _THICK = [-1.24, -1.46], -1.02, 1.94, 0.085
# What stands on the floor between the wheels, as near to both: a stand for their label.
_DOWN = np.linspace(-1.02, -0.42, 13)
_SIDE = np.round(1.14 - np.sqrt(1.06**2 - _DOWN**2), 3)
_STAND_OF = np.append(-_SIDE, _SIDE[::-1]), np.append(_DOWN, _DOWN[::-1])
# A ball runs around each wheel, and lies on the same slice of both until one is named.
_RUNS = [(round(_LIES * math.sin(turn), 3), round(_LIES * math.cos(turn), 3)) for turn in (0, 2.1, 4.2)]
# Above the wheels the village stands in line, Zoe last; in the end those who were drawn gather above theirs.
_LETTERS, _LINE = "ABCDEFGHIJKZ", 1.54
_STAND, _HALVES = np.linspace(-2.1, 2.1, 2 * _N), mip.subsets(2 * _N)
_GATHER = np.linspace(-0.9, 0.9, _N)
_FACES = np.array([*k.PEOPLE.values()])[[*range(9), 0, 1, *range(9, len(k.PEOPLE))]]


@k.cache
def _village(clip):
    rng = np.random.default_rng(_SEED)
    return pmp.draw_pool(_N, _DIMENSION, _OBJECTS, 1.0, clip, _OUTLIERS, _FARTHER, rng)


@k.cache
def _found(epsilon, clip):
    """Return the four parameters, the best attack, the chances with Zoe and not, who, and everybody's."""
    pool, sensitivity = _village(clip), pmp.norm_sensitivity(_N, clip)
    known = pmp.subset_epsilon(pool.losses, epsilon, sensitivity)
    practical, success = pmp.exponential_risks(pool.losses, epsilon, sensitivity)
    true = pmp.true_epsilon_bound(pool.objects, _N, epsilon, sensitivity)
    laws = np.exp(pmp.exponential_laws(pool.losses, epsilon, sensitivity))
    # Zoe is the villager about whom a spy is right most often.
    zoe = np.abs(laws[0] - laws[1]).sum(axis=1).argmax()
    return (practical, known, true, epsilon), success, laws[:, zoe], int(zoe), laws


# --- Which wheel was spun? -------------------------------------------------------------------------


def _around(middle, start, end, points=13, hub=_HUB, rim=_RIM):
    """Return the outline of a slice of a wheel between two shares of a turn from the top."""
    turn = 2 * np.pi * np.linspace(start, end, points)
    x, y = (np.concatenate([rim * f(turn), hub * f(turn[::-1])]) for f in (np.sin, np.cos))
    return np.round(middle + x, 3), np.round(y, 3)


def _spokes(name, chances, middle, look, hub=_HUB):
    """Return the lines between the slices of a wheel."""
    turn = 2 * np.pi * np.cumsum(np.append(0, chances[:-1]))
    x, y = (np.outer(f(turn), [hub, _RIM]).round(3) for f in (np.sin, np.cos))
    # Each wheel is told by the words above it.
    solid = replace(look, dash="solid", width=1.5)
    return k.curve(name, k.gapped(x + middle), k.gapped(y), solid, **k.QUIET)


def _deep(name, chances, middle, look):
    """Return every other slice of a wheel, which is painted deeper."""
    ends = np.cumsum(np.append(0, chances))
    outlines = [_around(middle, ends[i], ends[i + 1], 9) for i in range(1, len(chances), 2)]
    return k.area(f"deep, {name}", *map(k.gapped, zip(*outlines, strict=True)), look)


def _rim(name, middle, look, hub=_HUB):
    line = {"color": look.colour, "width": 3}
    outline = _around(middle, 0, 1, 73, hub)
    return k.curve(f"rim, {name}", *outline, look, fill="toself", line=line, **k.QUIET)


def _wheel(epsilon):
    """Draw the slices with Zoe, and without her."""
    _, success, laws, *_ = _found(epsilon, 50.0)
    wheels = list(zip(_WHEELS.items(), laws, strict=True))
    traces = [draw(name, chances, *where) for (name, where), chances in wheels for draw in (_deep, _spokes)]
    said = k.told("label<br><b>ε = {epsilon}</b>", epsilon=k.exact(epsilon))
    plate = k.text("its label", [0], [-0.76], [said], textfont={"color": k.INK, "size": 13})
    return k.part(traces, plate, right=k.exact(success, k.in_100), headline="At best right {right}")


def _in_line(epsilon, spun, at, rng):
    """Draw the six who may have turned a wheel so, by their chance, and the six who stayed at home."""
    zoe, sensitivity = _found(epsilon, 50.0)[3], pmp.norm_sensitivity(_N, 50.0)
    turned = exponential_probabilities(_HALVES @ _village(50.0).losses / _N, epsilon, sensitivity)[:, at]
    turned = turned * (_HALVES[:, zoe] != spun)
    six = _HALVES[rng.choice(len(turned), p=turned / turned.sum())]
    six = np.append(np.delete(six, zoe), not spun)
    style, row = {"mode": "markers+text", "textfont": {"color": k.BACKGROUND[0], "size": 13}, **k.QUIET}, []
    style["cliponaxis"] = False
    for name, who in (("those who were drawn", six), ("those who stayed", ~six)):
        faces, letters = _FACES[who].tolist(), [f"<b>{_LETTERS[i]}</b>" for i in np.flatnonzero(who)]
        marker = {"color": faces, "size": 25}
        row.append(k.points(name, _STAND[who], _LINE, k.LEVEL, marker=marker, text=letters, **style))
    return row


def _three(rate):
    """Write a rate in three figures, also where the last is a zero."""
    return f"{rate:#.3g}" if 1 <= rate < 99.95 else k.say(rate)


def _round(epsilon, round):
    """Show the slice where the ball fell, on both wheels, ask the reader, and leave it on the true one."""
    chances, rng = _found(epsilon, 50.0)[2], np.random.default_rng([_SEED, round + 1])
    lot, share = rng.random(2)
    spun = int(lot >= 0.5)
    at = min(int(np.searchsorted(np.cumsum(chances[spun]), share)), _OBJECTS - 1)
    start, here = chances[:, :at].sum(axis=1), chances[:, at]
    slices, bars = [], []
    for i, (name, (middle, _)) in enumerate(_WHEELS.items()):
        outline = _around(middle, start[i], start[i] + here[i])
        slices.append(k.curve(f"purple, {name}", *outline, k.PMP, **_PURPLE))
        end, low, high = _BEGIN + _LONG * here[i] / here.max(), _BARS[i] - _THICK, _BARS[i] + _THICK
        across, up = k.short([_BEGIN, end, end, _BEGIN]), [low, low, high, high]
        bars.append(k.curve(f"unrolled, {name}", across, up, k.PMP, opacity=0.45, **_PURPLE))
    # By how much the longer one is longer.
    more, row = _BEGIN + _LONG * here.min() / here.max(), _BARS[int(here.argmax())]
    across, up = k.short([more, *[_BEGIN + _LONG] * 2, more]), row + _THICK * np.array([-1, -1, 1, 1])
    bars.append(k.curve("what tells", across, up, k.PMP, **_PURPLE))
    truth = ("in", "out")[spun]
    best = "in" if here[0] >= here[1] else "out"
    so = ("Right", "No") if best == truth else ("Right, by luck", "No, and the best spy is wrong too")
    reply = f"Zoe was {truth}, {'as' if best == truth else 'against what'} the longer bar says."
    sizes = k.words(k.exact, _three, inside=100 * here[0], without=100 * here[1])
    said = [k.told("<b>{size}</b> in 100", size=size) for size in sizes.values()]
    beside, style = [_BEGIN + _LONG + 0.06] * 2, {"textposition": "middle right", **_COLOURS}
    named = style | {"textfont": {"color": k.PMP.colour, "size": 13}, "cliponaxis": False}
    own, other = list(_WHEELS)[spun], list(_WHEELS)[1 - spun]
    turn = 2 * np.pi * (start + here / 2)
    middles = np.array([middle for middle, _ in _WHEELS.values()])
    lies = k.short([middles + _LIES * np.sin(turn), _LIES * np.cos(turn)])
    faded = {f"{what}{other}": {"opacity": 0.2} for what in ("", "rim, ", "deep, ", "purple, ")}
    faded |= {name: {"opacity": 0} for name in ("what the bars are", f"the ball, {other}")}
    faded |= {"those who were drawn": {"x": k.short(_WHEELS[own][0] + _GATHER)}}
    faded |= {"those who stayed": {"x": k.short(_WHEELS[other][0] + _GATHER), "opacity": 0.25}}
    balls = zip(_WHEELS, np.transpose(lies), strict=True)
    ball = {"color": k.INK, "size": 19, "line": {"color": k.BACKGROUND[0], "width": 2.5}}
    return k.part(
        _in_line(epsilon, spun, at, rng),
        slices,
        bars,
        [k.points(f"the ball, {name}", *at, k.READING, marker=ball, **k.QUIET) for name, at in balls],
        k.text("how large", beside, _BARS, said, meta="reveal", **style),
        k.text("what the bars are", beside[:1], [np.mean(_BARS)], ["purple,<br>unrolled"], **named),
        options=[["in", "the one with Zoe"], ["out", "the one without"]],
        question="The ball fell on purple. Which wheel was spun?",
        answer=truth,
        optimal=best,
        after=[{"marks": faded}],
        replies={f"{says}/{truth}/{best}": f"{so[says != truth]}: {reply}" for says in ("in", "out")},
        sentence="The purple slice has {inside} in 100 with Zoe and {without} without. "
        "Over all balls the best spy is right {right} (exact).",
        **sizes,
    )


def _rims():
    """Return the rims of the wheels, and what is said in all states."""
    middles = [middle for middle, _ in _WHEELS.values()]
    hidden = {f"{what}, {name}": {"opacity": 0} for name in _WHEELS for what in ("purple", "unrolled")}
    hidden |= {name: {"opacity": 0} for name in ("what tells", "what the bars are")}
    runs = [
        {f"the ball, {name}": {"x": [round(at + x, 3)], "y": [y]} for name, (at, _) in _WHEELS.items()}
        for x, y in _RUNS
    ]
    say = "Six of these twelve are drawn, you do not see who, and the ball falls ..."
    beside, style = [_BEGIN - 0.06] * 2, {"textposition": "middle left", **_COLOURS}
    return k.part(
        k.level("the floor", [-2.2, 2.2], -1.02, k.LEVEL.but(dash="solid", width=1)),
        k.area("its stand", *_STAND_OF, k.LEVEL),
        (_rim(name, *where) for name, where in _WHEELS.items()),
        k.cast(middles[0], 0, ["Zoe"], name="Zoe", size=30, **k.QUIET),
        k.text("which wheel", middles, [1.15] * 2, ["<b>with Zoe</b>", "<b>without her</b>"], **_COLOURS),
        k.text("which bar", beside, _BARS, ["with Zoe", "without"], **style),
        x=k.unseen(-2.26, 2.26),
        y=k.unseen(-1.56, 1.7, scaleanchor="x"),
        height=390,
        showlegend=False,
        ghost=[],
        before=[{"say": say, "marks": hidden | balls} for balls in runs],
        afterwards="The label is too loud: no spy can do what it warns of.",
        alt="Twelve villagers in line, six of whom were drawn. Below them two wheels of ten slices, as they "
        "are with Zoe and without her, and a ball on the same slice of both. "
        "The slice where it fell comes up {inside} times in 100 with her, {without} without. The best "
        "spy is right {right}.",
    )


@k.figure
def which_wheel(
    round: Annotated[int, k.Rounds(16, label="Was Zoe one of the six?", alone=1)] = 0,
    epsilon: Annotated[float, _LABEL] = 10.0,
):
    """Draw a wheel of the exponential mechanism with a villager and without, and where a ball fell.

    References
    ----------
    PMP paper, the simulations of Figures 1 to 3, taken apart: 10 objects, one fixed draw.

    Examples
    --------
    >>> which_wheel().layout.meta["headline"]
    'At best right 51.4 times in 100'
    """
    return _rims, _wheel, _round


# --- What of the label's epsilon a spy can use -----------------------------------------------------


# The wheel is two rings: as it is with Zoe, and inside as it is without her.
_RINGS = {"the ring with Zoe": (0.66, _RIM, k.IN), "the ring without her": (0.3, 0.64, k.OUT)}


def _rings(epsilon, clip):
    """Draw the wheel with and without the villager whom its ball betrays most, and that ball's slice."""
    laws = _found(epsilon, clip)[-1]
    best = np.abs(np.log(laws[0] / laws[1])).argmax()
    laws, at = laws[:, best // _OBJECTS], int(best % _OBJECTS)
    traces, told = [], []
    for chances, (name, (hub, rim, look)) in zip(laws, _RINGS.items(), strict=True):
        ends = np.cumsum(np.append(0, chances))
        slices = [_around(0, *ends[i : i + 2], 13, hub, rim) for i in range(_OBJECTS)]
        deep = map(k.gapped, zip(*slices[1::2], strict=True))
        line = {"color": look.colour, "width": 2}
        traces += [
            k.curve(name, *_around(0, 0, 1, 73, hub, rim), look, fill="toself", line=line, **k.QUIET),
            k.area(f"deep, {name}", *deep, look),
            # A slice that hardly ever comes up is a line at least.
            k.curve(
                f"purple, {name}",
                *slices[at],
                k.PMP,
                **_PURPLE | {"line": {"color": k.PMP.colour, "width": 1.5}},
            ),
        ]
        told.append(k.exact(100 * chances[at], digits=2))
    said = ["<b>outer</b>: with Zoe, {size} in 100", "<b>inner</b>: without her, {size} in 100"]
    said = [k.told(text, size=size) for text, size in zip(said, told, strict=True)]
    return k.part(
        traces, k.text("the purple slice", [0, 0], [-1.23, -1.59], said, cliponaxis=False, **_COLOURS)
    )


def _needles(epsilon, clip):
    """Draw the four numbers, a row each."""
    sizes, success, *_ = _found(epsilon, clip)
    telling, right = np.minimum([1 / (1 + np.exp(-sizes[0])), success], 1 - 1e-9)  # never always
    practical, known, true = k.exact(sizes[0]), k.exact(sizes[1]), k.at_most(sizes[2])
    told = [practical, known, k.told("≤ {value}", value=true), k.exact(epsilon)]
    # The values stand in a column, where no mark and no guess comes.
    column, marks, values = {"textposition": "middle left", "lower": True, **_INK}, [], []
    thread = k.LEVEL.but(dash="dot", width=2)
    for row, ((name, look), size, said) in enumerate(zip(_ROWS.items(), sizes, told, strict=True)):
        hover = {"customdata": [said], "hover": "ε = %{customdata}", "lower": True}
        ends, guide = [10**-2.8, float(size)], {"lower": True, "showlegend": False}
        marks.append(k.level(f"thread, {name}", ends, [row] * 2, thread, **guide))
        marks.append(k.points(name, size, row, look, size=20, showlegend=False, **hover))
        values.append(k.text(f"value, {name}", [10**3.85], [row], [f"<b>{said}</b>"], **column))
    wasted = [float(sizes[0]), float(epsilon)]
    louder = k.told("<b>{times}×</b> what you can use", times=k.exact(epsilon / sizes[0], digits=2))
    return k.part(
        k.area("nobody's", [wasted[i] for i in (0, 1, 1, 0)], [-0.5, -0.5, 3.6, 3.6], k.DP, lower=True),
        k.text(
            "how much too loud",
            [math.prod(wasted) ** 0.5],
            [4.0],
            [louder],
            lower=True,
            cliponaxis=False,
            **_INK,
        ),
        marks,
        values,
        headline="You can use ε = {practical}, not {nominal}",
        **k.words(nominal=epsilon, true=true, known=known, practical=practical),
        **k.words(k.exact, k.in_100, telling=telling, right=right),
    )


def _rows():
    """Return the names of the rows, and what is said in all states."""
    left, style = [10**-2.9], {"textposition": "middle left", "lower": True, **_INK}
    return k.part(
        # Each by itself: a row that is not asked about is empty until then.
        [k.text(f"who, {name}", left, [row], [name], **style) for row, name in enumerate(_ROWS)],
        k.cast(0, 0, ["Zoe"], name="Zoe", size=30, **k.QUIET),
        **k.stage((-1.05, 1.05), (-1.76, 1.05), square=True, height=440, showlegend=False, ghost=[]),
        x2=k.axis("ε", type="log", range=[_LEFT, _RIGHT], tickvals=[0.01, 0.1, 1, 10, 100], showgrid=False),
        y2=k.unseen(-0.6, 4.3),
        rows=(0.56, 0.04),
        beside=0.46,
        grab=k.drag("epsilon", _NOMINAL, 3, along="x2"),
        sentence="You are right {right}; after the slice that tells most, {telling} (exact). A spy who knows "
        "five of the six can use {known} (exact), and in any village {true} at most (bound).",
        alt="A wheel as two rings, with Zoe and without her, and in both the slice that tells most. Beside "
        "it four marks on a log axis: {nominal} in name, at most {true} in any village, {known} for a spy "
        "who knows five of the six, {practical} for one with the list. He is right {telling} after the "
        "slice that tells most, and {right} over all slices.",
    )


@k.figure
def four_epsilons(
    epsilon: Annotated[float, _LABEL] = 10.0, clip: Annotated[float, k.Stops(_CLIPS, label="Clip, C")] = 50.0
):
    """Draw the four epsilons of one wheel: in its name, on any data, with five of the six, with the list.

    References
    ----------
    PMP paper, the simulations of Figures 1 to 3, taken apart: 10 objects, one fixed draw.

    Examples
    --------
    >>> four_epsilons().layout.meta["headline"]
    'You can use ε = 0.117, not 10'
    """
    return _rows, _rings, _needles


# Six numbers, objects +1, +1 and -1: eps~ rises, falls, and settles.
NOT_MONOTONE = (4.406, -2.497, 0.855, 1.78, -0.236, -1.443)
_EPSILON = k.LogSlider(0.1, 1000, 10.0, points=33, label="ε on its label")
_POOL = k.Choice(["six numbers", "twelve numbers", "five dimensions"], label="Pool")
# The curves go through the values at which a reader may stop, so each is computed once.
_GRID = np.array(_EPSILON.stops)
_PERSON = "with a person", "without"
# In the middle of these wheels stands how often the slice wins.
_WIDE = 0.5


@k.cache
def _losses(pool):
    """Return the losses, and the sensitivity: the largest change on this very pool."""
    if pool == "six numbers":
        losses = pmp.norm_losses(np.array(NOT_MONOTONE), ((1.0,), (1.0,), (-1.0,)))
    else:
        dimension = 1 if pool == "twelve numbers" else 5
        losses = pmp.draw_pool(6, dimension, 10, 2.0, 50.0, 0, 1.0, np.random.default_rng(3)).losses
    return losses, pmp.local_sensitivity(losses)


@k.cache
def _practical(pool, epsilon):
    """Return eps~ at one epsilon, measured against the pool's own sensitivity."""
    losses, sensitivity = _losses(pool)
    return pmp.exponential_epsilon(losses, epsilon, sensitivity)


def _frame(pool):
    """Return the curve, its beginning, the axes, and what is said around the numbers."""
    practical = np.array([_practical(pool, float(epsilon)) for epsilon in _GRID])
    top, shape = int(practical.argmax()), "The curve rises up to {end} at ε = 1,000."
    if practical[-1] < practical[top] - 1e-9 and top < len(_GRID) - 1:
        shape = "The curve climbs and falls back: a larger ε can be safer."
    # Its beginning is seen from the first; the rest, with what lies below it, can be kept back.
    name, begun = "ε̃ (exact)", _GRID <= 10.0
    hover = "at ε = %{x:.4~g} the spy faces ε̃ = %{y:.3g}"
    below = np.append(_GRID, _GRID[[-1, 0]]), np.append(practical, [0, 0])
    return k.part(
        k.smooth(k.curve("it begins", _GRID[begun], practical[begun], k.PMP, lower=True, **k.QUIET)),
        k.area("ε̃, below", *below, k.PMP, lower=True),
        k.smooth(k.curve(name, _GRID, practical, k.PMP, hover=hover, lower=True)),
        x=k.unseen(-2.3, 2.3),
        y=k.unseen(-1.06, 1.3, scaleanchor="x"),
        x2=k.axis("ε on the label", log=True, range=[-1, 3.6], tickformat=",", showgrid=False),
        y2=k.axis("ε a spy can use", range=[0, max(2.0, 1.1 * practical.max())], nticks=4, showgrid=False),
        rows=(0.66, 0.06),
        height=460,
        showlegend=False,
        probe=[name],
        ghost=[],
        grab=k.drag("epsilon", _EPSILON.stops, practical, along="x2"),
        sentence="One slice tells most: it wins {inside} with a certain person, {without} without (exact). "
        f"{shape}",
        alt="Two wheels, with a certain person and without; the slice that tells most is filled. Below them "
        "a curve against epsilon from 0.1 to 1000, on a log axis: eps~ climbs to {peak} near epsilon = "
        "{at} and ends at {end}. A diamond at epsilon = {epsilon}.",
        **k.words(peak=practical.max(), at=_GRID[top], end=practical[-1]),
    )


def _share(rate):
    return f"{100 * rate:.0f}<br>in 100" if rate >= 0.005 else "hardly<br>ever"


def _here(pool, epsilon):
    losses, sensitivity = _losses(pool)
    practical, laws = _practical(pool, epsilon), pmp.exponential_laws(losses, epsilon, sensitivity)
    # The record and the choice that tell most; of equals, whatever their last digits, the likeliest.
    gaps = np.abs(laws[0] - laws[1]).round(6) + 1e-9 * np.exp(laws[0])
    most = np.unravel_index(gaps.argmax(), gaps.shape)
    inside, without = (k.exact(np.exp(law[most]), k.in_100) for law in laws)
    wheels = []
    for side, (middle, look), law in zip(_PERSON, _WHEELS.values(), np.exp(laws), strict=True):
        # The slice that tells most comes first, from the top.
        slices = np.roll(law[most[0]], -most[1])
        said = k.told("<b>{share}</b>", share=k.exact(slices[0], _share))
        bright = {"textfont": {"color": look.colour, "size": 15}}
        wheels += [
            _rim(side, middle, look, _WIDE),
            k.curve(f"slice, {side}", *_around(middle, 0, slices[0], 37, _WIDE), k.PMP, **_PURPLE),
            _spokes(side, slices, middle, look, _WIDE),
            k.text(f"how often, {side}", [middle], [0], [said], textfont={"color": k.INK, "size": 14}),
            k.text(f"whose, {side}", [middle], [1.18], [f"<b>{side}</b>"], **bright),
        ]
    return k.part(
        wheels,
        k.reading([epsilon], [practical], "your ε", lower=True),
        headline="At {epsilon} a spy gets {practical}",
        **k.words(practical=practical, epsilon=epsilon, inside=inside, without=without),
    )


@k.figure
def not_monotone(pool: Annotated[str, _POOL] = "six numbers", epsilon: Annotated[float, _EPSILON] = 10.0):
    """Draw eps~ against epsilon on a small pool.

    References
    ----------
    PMP paper, Proposition 9: the parameter of the exponential mechanism is not monotone.

    Examples
    --------
    >>> [trace.name for trace in not_monotone().data][2]
    'ε̃ (exact)'
    """
    return _frame, _here
