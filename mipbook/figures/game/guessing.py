"""The opening game: guess from a noisy mean whether a person was among the five; and four spies who do."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.checked import Number, checked
from mipbook import mip, mis, tradeoff
from mipbook.mip.mean_game import noisy_mean_accuracies

# The cast's made-up yearly incomes in thousands; the last one, Zoe's, stands out.
INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
# Up from the axis: what the reader says, the rounds before, the ring of the reader's line, the number, the
# mean; the lawn, and up a hill, in rows as in a picture of a school's class, people, each of whose faces
# is seen, also on a phone.
_SAYS, _BEFORE, _DOT, _SHELF, _ROW, _GROUND, _SKY = 5, 18, 38, 70, 97, 107, 272
_HEIGHTS, _SIZE = np.array([118, 158, 198, 131, 240, 171, 211, 124, 160, 118]), 30
# Between them and Zoe stands the study: its walls, roof and chimney, five windows, and a door.
_LEFT, _MIDDLE, _RIGHT, _FLOOR, _EAVES = 54, 70, 86, 106, 202
# A point inside of the roof, to which its rim goes and from which it returns, holds its name.
_ROOF = np.array(
    [
        [70, 76, 76, 79.5, 79.5, 87.5, 70, 70, 70, 52.5, 70],
        [252, 234, 252, 252, 223.5, 202, 202, 217, 202, 202, 252],
    ]
)
# The sky and the lawn, with round corners, and between them hills.
_SKY_PATH = f"M26,{_GROUND} V{_SKY - 14} Q26,{_SKY} 27.2,{_SKY} H96.8 Q98,{_SKY} 98,{_SKY - 14} V{_GROUND} Z"
_LAWN = f"M26,{_GROUND} V14 Q26,0 27.2,0 H96.8 Q98,0 98,14 V{_GROUND} H55 C50,{_GROUND} 49,112 46,113 "
_LAWN += f"C43,114 42,120 38,120 C35,120 34,109 31,{_GROUND} Z"
# One is far off; the others carry the rows.
_HILLS = (
    f"M62,{_GROUND} C76,{_GROUND} 84,159 98,161 V{_GROUND} Z",
    f"M26,{_GROUND} V126 C30,133 33.5,160 36,187 C37.5,203 38.5,229 40,229 C41.5,229 42,214 43,200 "
    f"C46,158 50,120 58,{_GROUND} Z",
    f"M26,{_GROUND} V118 C29,130 31.5,141 34,147 C36,152 38,160 41,160 C44.5,160 46.5,154 49,148 "
    f"C52,141 53,120 58,{_GROUND} Z",
)
# Once the truth is told it is lifted like a lid, and its chimney stays level.
_OPEN = _ROOF[1] + 7 + 0.35 * (_RIGHT + 1.5 - _ROOF[0])
_OPEN[2:4] = _OPEN[2:4].mean()
_PLACES, _SEATS = np.array([60, 70, 80, 60, 80]), np.array([179, 179, 179, 133, 133])
_LEAF = {way: {"x": np.array([0, 0, wide, wide, 0]) + 67.2} for way, wide in (("shut", 5.6), ("open", 1.2))}
# One stands out, the other is among many.
TARGETS = {"Zoe": 9, "Finn": 5}
_SEED = 41
# A class that opens one deck, by its address, meets the same rounds; another is another draw.
_DECKS, _ROUNDS, _ALONE = 8, 16, 3
_SIGMAS = [0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32]
_STRANGERS, _NUMBER, _MEAN, _KICK = "five of them", "the published number", "their mean", "the noise"
_LIT, _SLIP, _WAY = "the truth", "the slip of paper", "its way from the door"
_HILLS_OF = "where it lands with {}", "where it lands without {}"
_LEGEND = [
    k.note(text, 97, _BEFORE, xanchor="right", xshift=shift, font=font)
    for shift, text, font in (
        (-98, "earlier:", {}),
        (-48, "<b>■ out</b>", {"color": k.OUT.colour}),
        (-8, "<b>● in</b>", {"color": k.IN.colour}),
    )
]
_PROMISE = [k.note("each round<br>leaves a dot", 97, _BEFORE + 6, xanchor="right", xshift=-8, align="right")]
# By what the reader said, the truth, and what the best spy says.
_REPLIES = {
    "Zoe": {
        "in/in/in": "Right, Zoe was in, and her {income} pulled the mean up.",
        "out/in/in": "No, Zoe was in, and her {income} pulled the mean up.",
        "in/in/out": "Right, and daring: Zoe was in, but noise hid her.",
        "out/in/out": "Zoe was in, and noise hid her, from the best too.",
        "out/out/out": "Right, Zoe was out, and the others earn far less.",
        "in/out/out": "No, Zoe was out, and her {income} was missing.",
        "out/out/in": "Right, and daring: Zoe was out, but noise played her.",
        "in/out/in": "Zoe was out, and noise played her. It fools the best too.",
    },
    "Finn": {
        "in/in/in": "Right, Finn was in. One income among its like moves little.",
        "out/in/in": "No, Finn was in. He earns what the others earn, so he hides.",
        "in/in/out": "Right, by luck: Finn was in.",
        "out/in/out": "Finn was in, and he hides among his neighbours.",
        "out/out/out": "Right, Finn was out, and hardly missed.",
        "in/out/out": "No, Finn was out. Others like him stood in his place.",
        "out/out/in": "Right, by luck: Finn was out.",
        "in/out/in": "Finn was out, and his neighbours look like him.",
    },
}


@k.cache
def _accuracy(target, sigma):
    return mip.noisy_mean_accuracy(INCOMES, TARGETS[target], sigma)


@k.cache
def _drawn(round, index, deck):
    """Return the half of a round, and what noise of 1 adds: the same whatever the noise."""
    rng = np.random.default_rng([_SEED, deck, round, index])
    half, released = mip.draw_round(INCOMES, 1.0, rng)
    return half, released - float(INCOMES[half].mean())


def _out(number):
    """Return where a number, the slip that it stands on, and the way to it from the doorstep are."""
    # At the edge of a phone the slip would be cut.
    slip, along = float(np.clip(number, 36.5, 87)), np.linspace(0, 1, 7)
    way = k.short([_MIDDLE + (slip - _MIDDLE) * along**2, _SHELF + (_FLOOR - 9 - _SHELF) * (1 - along) ** 2])
    way = [_MIDDLE, *way[0]], [_FLOOR - 4, *way[1]]
    return {
        _NUMBER: {"x": [number, slip], "y": [_SHELF - 21, _SHELF]},
        _SLIP: {"x": [slip, slip], "y": [_SHELF, _SHELF]},
        _WAY: {"x": way[0], "y": way[1]},
    }


def _scene(say, number, at_home=1, shown=1):
    """Return one step of the draw: where all ten are, the nameless five, and the number."""
    seen = {"opacity": int(number is not None)}
    marks = {name: place | seen for name, place in _out(number or _MIDDLE).items()}
    marks[_NUMBER]["text"] = ["", "<b>?</b>"]
    marks |= {_STRANGERS: {"opacity": shown}}
    if not at_home:
        # Who goes in last is read, and not ten letters on each other.
        inside = {"x": np.full(10, _MIDDLE), "y": np.full(10, _FLOOR + 18), "text": [" "] * 9 + ["<b>Z</b>"]}
        marks["the ten"] = inside | {"opacity": 1 - shown}
        marks |= {f"your target, {name}": {"opacity": 0} for name in TARGETS}
        marks |= {"the door": _LEAF["shut" if shown else "open"], "its knob": {"opacity": shown}}
    return {"say": say, "marks": marks}


def _stage():
    """Return the study and the ten people, and how five of them are drawn behind its door."""
    before = [
        _scene(None, None, shown=0),
        _scene("All ten go in, and behind closed doors five of them are drawn by lot.", None, 0, 0),
        _scene("The five incomes are summed and divided by five, and noise kicks the mean ...", 70, 0),
        _scene(None, 46, 0),
    ]
    wall, who = {"color": k.GREY, "width": 1.5}, k.LEVEL.with_symbol("circle-open")
    pane, shutter = k.LEVEL.with_symbol("square-open"), k.LEVEL.with_symbol("square")
    unknown = {"text": ["<b>?</b>"] * 5, "mode": "markers+text", **k.QUIET}
    unknown["textfont"] = {"color": k.BACKGROUND[0], "size": 20}
    name = {"text": [""] * 7 + ["<b>the study</b>"] + [""] * 3, "mode": "lines+text"}
    name["textfont"] = {"color": k.BACKGROUND[0], "size": 14}
    people = k.cast(INCOMES, _HEIGHTS, size=_SIZE, hover="%{customdata}, %{x} thousand")
    people["marker"]["line"] = rim = {"color": k.BACKGROUND[0], "width": 1.5}
    # A short stroke below a longer one, at their feet, as far from each middle on every screen.
    shadow = {"symbol": "line-ew", "size": [19] * 10 + [13] * 10}
    shadow |= {"standoff": [15.2] * 10 + [17.7] * 10, "line": {"color": k.GREY, "width": 2.6}}
    dark = {"marker": shadow, "opacity": 0.35, **k.QUIET}
    return k.part(
        k.area(
            "the door", _LEAF["shut"]["x"], _FLOOR + np.array([0, 46, 46, 0, 0]), k.BEST, fillcolor=k.BLUE
        ),
        k.points(
            "its knob", 71.8, _FLOOR + 22, k.LEVEL, marker={"color": k.BACKGROUND[0], "size": 6}, **k.QUIET
        ),
        k.area("the roof", *_ROOF, k.BEST, fillcolor=k.BLUE, **name),
        k.points("windows", _PLACES, _SEATS, pane, size=40, **k.QUIET),
        k.points("their shadows", np.tile(INCOMES, 2), np.tile(_HEIGHTS, 2), who, **dark),
        k.points("their places", INCOMES, _HEIGHTS, who, size=_SIZE, opacity=0.3, **k.QUIET),
        people,
        k.points(_STRANGERS, _PLACES, _SEATS, shutter, size=36, **unknown),
        x=k.axis("income, thousands a year", range=[26, 98], showgrid=False, showline=False),
        y=k.unseen(0, _SKY),
        height=410,
        showlegend=False,
        shapes=[
            k.land(_SKY_PATH, k.fill(k.BLUE), opacity=0.5),
            *(k.land(hill, k.fill(k.GREEN), opacity=0.45, line=rim) for hill in _HILLS),
            k.land(_LAWN, k.fill(k.GREEN)),
            k.land(f"M{_LEFT},{_FLOOR} H{_RIGHT} L90,{_FLOOR - 7} H58 Z", k.GREY, opacity=0.3),
            k.floor(_LEFT, _RIGHT, _FLOOR, _EAVES, k.BACKGROUND[0], line=wall),
            k.floor(_LEFT, _RIGHT, 155.4, 156.6, k.fill(k.GREY)),
            k.floor(67.2, 72.8, _FLOOR, _FLOOR + 46, k.INK),
            k.floor(66, 74, _FLOOR - 4, _FLOOR, k.GREY),
        ],
        layout={"margin": {"l": 14, "r": 14, "t": 8, "b": 46}},
        before=before,
        ghost=[],
        later=["your line", "you say in", "you say out"],
        sentence="If you say in {side} {line} and out {other}, you are right {rule}{win}.",
        alt="Nine people on a hill and Zoe beyond a house, by their incomes, from 31 to 92 thousand. In the "
        "house, the study, were five of them, nobody says who. Their mean, with noise, came out: {released}. "
        "The question is {target}, who earns {income}. A line marks where your answer changes, "
        "{line}. On the axis lie the numbers of the rounds before, as the truth was. Once it is told, two "
        "hills show where numbers land with {target} in, and out.",
    )


def _asked(target):
    """Return who is asked about, and what is said to each guess."""
    x, y, ring = INCOMES[TARGETS[target]], _HEIGHTS[TARGETS[target]], k.READING.with_symbol("circle-open")
    chance = "At {released}, saying {likely} is right {chance}."
    return k.part(
        k.points(f"your target, {target}", x, y, ring, size=_SIZE + 8, **k.QUIET),
        annotations=[k.note(f"<b>{target}</b>", x, y, yshift=30)],
        options=[["in", f"{target} was in"], ["out", f"{target} was out"]],
        question="Five of these ten people, who stand above their incomes, were drawn by lot. One number has "
        f"come out: their mean income, plus a little noise. Was {target} one of the five?",
        replies={state: f"{reply} {chance}" for state, reply in _REPLIES[target].items()},
        target=target,
        **k.words(income=x),
    )


def _half(round, target, deck):
    """Return who was drawn and their mean, hidden until the reader has answered; then the roof opens."""
    index = TARGETS[target]
    half, noise = _drawn(round, index, deck)
    mean = float(INCOMES[half].mean())
    x, y = INCOMES.copy(), _HEIGHTS.copy()
    x[half], y[half] = _PLACES, _SEATS
    answer, look = ("in", k.IN) if half[index] else ("out", k.OUT)
    # The noise kicks to the other side; at the edge of a phone there is no room.
    side = "right" if noise < 0 or mean < 37.5 else "left"
    said = {"text": [f"mean {mean:g}"], "textposition": f"middle {side}", "mode": "markers+text"}
    said |= {"textfont": {"size": 12}, "cliponaxis": False}
    bar = k.IN.with_symbol("line-ns-open")
    shown = k.points(_MEAN, mean, _ROW, bar, size=12, meta="reveal", hoverinfo="skip", **said)
    # Who was asked about lights up where the truth has put them.
    ring = look.with_symbol("circle-open")
    lit = k.points(_LIT, x[index], y[index], ring, size=_SIZE + 8, meta="reveal", **k.QUIET)
    lit["marker"]["line"]["width"] = 5
    seen, unseen = {"opacity": 1}, {"opacity": 0}
    moved = {"the ten": {"x": x, "y": y}, f"your target, {target}": {"x": x[[index]], "y": y[[index]]}}
    hills = [name.format(target) for name in _HILLS_OF]
    moved |= dict.fromkeys([_STRANGERS, _MEAN, _KICK, _LIT, *hills], unseen) | {"the roof": {"y": _OPEN}}
    steps = [moved, {_MEAN: seen, _KICK: unseen, _LIT: seen}, dict.fromkeys([_KICK, *hills], seen)]
    return k.part(shown, lit, after=[{"marks": step} for step in steps], answer=answer)


def _hills(sigma, target):
    """Return where numbers land with the target and without, which is seen with the truth."""
    edges = np.arange(26, 98.1, 0.6)
    hills = np.array(mip.noisy_mean_shares(INCOMES, TARGETS[target], sigma, edges))
    x, heights = k.short(edges[[0, *range(1, edges.size), -1]] - 0.3), 48 * hills / hills.max()
    kinds = zip(_HILLS_OF, heights, (k.IN, k.OUT.exact()), strict=True)
    rim = {"meta": "reveal", "opacity": 0.6}
    return k.part(
        k.area(
            name.format(target),
            x,
            k.short([0, *y, 0]),
            look,
            line={"color": look.colour, "width": 1.5},
            **rim,
        )
        for name, y, look in kinds
    )


def _odds(chance):
    """Write a chance in whole hundredths; one that would round to always is not always."""
    return f"{100 * chance:.0f} in 100" if chance < 0.995 else "more than 99 in 100"


def _released(round, sigma, target, deck):
    """Return the published number, what the best spy makes of it, and the numbers of the rounds before."""
    index = TARGETS[target]
    halves, noises = zip(*(_drawn(i, index, deck) for i in range(round + 1)), strict=True)
    means, inside = np.array([INCOMES[half].mean() for half in halves]), np.array(halves)[:, index]
    # What is published is what is drawn, and the spies know no more of it.
    numbers, past = k.short(means + sigma * np.array(noises)), np.arange(round + 1) < round
    mean, released = float(means[-1]), float(numbers[-1])
    chance = float(mip.noisy_mean_posterior(INCOMES, index, released, sigma))
    likely = "in" if chance >= 0.5 else "out"
    number = {"text": ["", f"<b>{released:.1f}</b>"], "textposition": "middle center", "mode": "markers+text"}
    number |= {"textfont": {"size": 30, "color": k.INK}, "cliponaxis": False}
    # It points from its slip at its place on the axis, and a line leads there.
    pointer = {"symbol": "triangle-down", "size": [14, 0], "color": k.INK, "opacity": 1}
    down = {"type": "data", "symmetric": False, "array": [0, 0], "arrayminus": [_SHELF - 21, 0]}
    number["error_y"] = down | {"width": 0, "thickness": 1.5, "color": k.INK}
    path = {"color": k.BACKGROUND[0], "width": 18, "shape": "spline"}
    kick = k.level(_KICK, [mean, released], [_ROW, _SHELF + 15], k.ATTACK.estimate(), meta="reveal")
    fell, last = np.round(numbers, 1), k.IN if inside[-1] else k.OUT
    last = last.with_symbol(f"{last.symbol}-open")
    places = [_out(released)[name].values() for name in (_WAY, _SLIP, _NUMBER)]

    def dots(name, which, look, size=13, **more):
        return k.points(name, fell[which], _BEFORE, look, size=size, hoverinfo="skip", opacity=0.75, **more)

    return k.part(
        k.curve(_WAY, *places[0], k.LEVEL.exact(), line=path, **k.QUIET),
        kick,
        k.points(_SLIP, *places[1], k.LEVEL, marker=k.slip(65), cliponaxis=False, **k.QUIET),
        k.points(_NUMBER, *places[2], k.ATTACK, marker=pointer, **number, **k.QUIET),
        # They lie as the truth was, and this one, a rim, once it is told.
        dots("rounds so far, in", past & inside, k.IN),
        dots("rounds so far, out", past & ~inside, k.OUT),
        dots("this round", ~past, last, 17, meta="reveal"),
        annotations=_LEGEND if round else _PROMISE,
        optimal=likely,
        **k.words(released=k.exact(released, ".1f"), likely=likely),
        chance=k.exact(max(chance, 1 - chance), _odds),
    )


def _line(sigma, target, line):
    """Return the reader's line, and beside its dot how often it is right."""
    rule = k.exact(mip.noisy_mean_line_accuracy(INCOMES, TARGETS[target], sigma, line), k.in_100)
    best, (number, *_) = k.exact(_accuracy(target, sigma), k.in_100), rule.split()
    said = f"<b>right {number}</b>, best {best.split()[0]}"
    win = k.told("; the best spy is right {best} (exact)", best=best)
    goal = f"Now drag your line: can you be right {best}?"
    if rule == best:
        said, win = f"<b>right {number}: the best</b>", " (exact). Nobody can do better: you found it"
        goal = "No line does better than yours." + " Now catch Finn!" * (target == "Zoe")
    inside, outside = mip.noisy_mean_shares(INCOMES, TARGETS[target], sigma, [-1e9, line, 1e9])
    # Somebody who earns little pulls the mean down.
    pulled = ("above", "below") if inside[1] >= outside[1] else ("below", "above")
    above, below = ("in", "out") if pulled[0] == "above" else ("out", "in")
    # On a phone the right half has no room for it.
    side = "middle right" if line < 60 else "middle left"
    said = f"{above} ▸\u2003{said}" if line < 60 else f"{said}\u2003◂ {below}"
    words = {"text": [f"\u2003\u2003{said}\u2003\u2003", ""], "textposition": side, "mode": "lines+text"}
    # So one sees which of the rounds before lie on the wrong side.
    ends, floors = {above: [line, 97], below: [27, line]}, (k.IN.but(width=8), k.OUT.exact().but(width=4))
    says = zip(("in", "out"), floors, strict=True)
    return k.part(
        [k.level(f"you say {each}", ends[each], _SAYS, look, **k.QUIET) for each, look in says],
        k.level("your line", line, [_DOT, 0], k.READING, **words),
        grab=k.drag("line", at=_DOT, ring=True),
        afterwards=f"You have just run a membership inference attack. {goal}",
        **k.words(line=line, rule=rule, win=win, side=pulled[0], other=pulled[1]),
    )


@k.figure
def guess_round(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was your target among the five?", alone=_ALONE)] = 0,
    line: Annotated[float, k.Slider(27, 77, step=1, label="Your line", unit="thousand")] = 50,
    target: Annotated[str, k.Choice(TARGETS.keys(), label="Target")] = "Zoe",
    sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand")] = 4.0,
    deck: Annotated[int, k.Draws(_DECKS, label="Shuffle", play=False)] = 6,
):
    """Draw one round: ten people, one of them asked about, and a noisy mean of a random half.

    Its ``layout.meta`` carries what the guessing game needs.  Each deck is drawn from a seed of
    its own.

    Notes
    -----
    The game of MIP Definition 1 and of the lecture's section 3, on a mean query.

    Examples
    --------
    >>> guess_round(0).layout.meta["answer"] in ("in", "out")
    True
    """
    return _stage, _asked, _hills, _half, _released, _line


# --- One release, four notions: how often four spies are right about the same noisy mean ----------

_DRAWN = 5
# The silent one answers so seldom.
_SPOKEN = 0.01
_STEPS = [1, 1.2, 1.5, 1.8, 2, 2.5, 3, 3.5, *range(4, 10), *range(10, 20, 2), 20, 24, 28, 32, 40, 48, 56, 64]
_STEPS += [80, 100]
# What each says, in a word or two once he has walked, his eyes, and his colour.
_SPIES = {
    "the insider": ("I know four of the five.", "knows four", "•\u2002•", k.DP),
    "you": ("I know the ten, and must answer.", "know the ten", "•\u2002•", k.MIP),
    "the silent one": (f"I answer once in {1 / _SPOKEN:.0f} rounds.", "seldom answers", "−\u2002−", k.PMP),
    "the stranger": ("I know nobody.", "knows nobody", "?\u2002?", k.MIS),
}
# Each walks on a road of his own to Zoe: a hat of a crown and a brim, a face, and below it the road.
_CROWN, _BRIM, _FACE, _ROAD, _HOME = 0.33, 0.21, 0.0, np.array([-0.21, -0.42]), 105
_EVENING = "M45,-3.42 V0.46 Q45,0.62 46,0.62 H110 Q111,0.62 111,0.46 V-3.42 Z"


@checked
@k.cache
def four_shares(sigma: Annotated[float, Number(0.1, 1e4)]) -> dict[str, float]:
    """Return how often each spy is right about a mean of five incomes with Gaussian noise.

    Examples
    --------
    >>> [round(share, 3) for share in four_shares(16.0).values()]
    [0.648, 0.627, 0.876, 0.524]
    """
    shares = (
        0.5 + float(tradeoff.gaussian_advantage(sigma, np.ptp(INCOMES) / _DRAWN)) / 2,
        float(noisy_mean_accuracies(INCOMES, sigma).max()),
        mip.noisy_mean_silent_accuracy(INCOMES, TARGETS["Zoe"], sigma, _SPOKEN),
        0.5 + float(mis.noisy_mean_deltas(INCOMES, _DRAWN, sigma).mean()) / 2,
    )
    return dict(zip(_SPIES, shares, strict=True))


def _spy(name, row, at, when="", **more):
    """Draw a spy on his way: a hat, and a face in his colour."""
    *_, face, look = _SPIES[name]
    body = {"symbol": ["circle", "line-ew", "square"], "size": [36, 30, 17], "opacity": 1}
    body |= {
        "color": [look.colour, k.INK, k.INK],
        "line": {"width": [2, 5, 0], "color": [k.BACKGROUND[0], k.INK, k.INK]},
    }
    hat, font = np.array([_FACE, _BRIM, _CROWN]) - row, {"size": 13, "color": k.BACKGROUND[0]}
    more |= {"cliponaxis": False}
    return [
        k.points(f"{when}{name}, his hat", at, hat, look, marker=body, **k.QUIET, **more),
        k.text(f"{when}{name}, his face", at, _FACE - row, f"<b>{face}</b>", textfont=font, **more),
    ]


@k.figure
def four_spies(sigma: Annotated[float, k.Stops(_STEPS, label="Noise, σ", unit="thousand", play=True)] = 8.0):
    """Show how often four spies are right about one release: each notion thinks of another.

    Notes
    -----
    DP: four incomes are known, and the fifth is the largest or the least. MIP and PMP: a random five
    of these ten, and the outlier, whom noise hides last. MIS: five drawn from the ten, with repetition.

    Examples
    --------
    >>> four_spies(16.0).layout.meta["headline"]
    'The silent one: right 87.6 in 100'
    """
    rows, told, drawn, floor = np.arange(4), {}, [], _ROAD.mean()
    against, small = ["<b>DP</b>", "<b>MIP</b>", "<b>PMP</b>", "<b>MIS</b>"], {"size": 12}
    before = [
        k.text("against him", 110, floor - rows, against, textposition="middle left", textfont=small),
        k.cast(_HOME, _FACE - rows, ["Zoe"] * 4, name="Zoe", size=28, **k.QUIET),
        k.level("the coin", 50, [_ROAD[0] - 3, 0.62], k.LEVEL.estimate(), **k.QUIET),
    ]
    for row, (name, share) in enumerate(four_shares(float(sigma)).items()):
        (says, brief, _, look), at, here = _SPIES[name], 100 * share, 50
        told[name.split()[-1]] = right = k.exact(at, k.short_of_100)
        brief = f"<b>{right}</b>" if 68 < at < 77 else f"<b>{right}</b>, {brief}"
        words = (f"\u2003\u2003{line}\u2003\u2003" for line in (f"<b>{name}</b>", f"“{says}”", brief))
        said, quote, number = words
        more = {"when": "before, ", "meta": "asked"}
        ask = k.text(
            f"before, {name}, says",
            here,
            -row,
            f"{said}<br>{quote}",
            textposition="middle right",
            meta="asked",
        )
        before += [ask, *_spy(name, row, here, **more)]
        # Far out his name is behind him; halfway a phone has no room for more than his number.
        side = "left" if at > 75 else "right"
        drawn += [
            k.level(f"{name}, steps", [here, at], floor - row, look.but(dash="dot", width=6), **k.QUIET),
            k.text(f"{name}, right", at, -row, f"{said}<br>{number}", textposition=f"middle {side}"),
            *_spy(name, row, at),
        ]
    roads = [k.floor(45, 111, _ROAD[1] - row, _ROAD[0] - row, k.fill(k.GREY)) for row in rows]
    return k.part(
        before,
        drawn,
        shapes=[k.land(_EVENING, k.fill(k.BLUE), opacity=0.5), *roads],
        x=k.axis(
            "right so many times in 100 answers",
            {at: {50: "a coin", 100: "always"}.get(at, f"{at}") for at in range(50, 101, 10)},
            range=[45, 111],
            showgrid=False,
        ),
        y=k.unseen(-3.42, 0.62),
        layout={"margin": {"l": 10, "r": 10, "t": 8, "b": 46}},
        height=400,
        ghost=[],
        headline="The silent one: right {one} in 100",
        sentence="He answers once in {rounds} rounds, and then he is right {one} times in 100. The insider "
        "is right {insider} times, you {you} times, the stranger {stranger} times (exact).",
        alt="Four spies with faces and hats on four roads from 50, a coin, to 100, near Zoe: "
        "the insider at {insider}, you at {you}, the silent one at {one}, the stranger at {stranger}; on "
        "their roads stand DP, MIP, PMP and MIS. The noise is {sigma}.",
        **k.words(sigma=sigma, rounds=k.exact(1 / _SPOKEN, k.count), **told),
    )
