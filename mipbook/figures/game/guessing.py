"""The opening game: guess from a noisy mean whether a person was among the five."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip

# The cast's made-up yearly incomes in thousands; the last one, Zoe's, stands out.
INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
# Neighbours stand on each other, so that each face is seen, also on a phone.
_HEIGHTS = 0.75 + np.array([0, 1, 2, 0, 1.08, 3, 2, 0, 1, 0])
_SIZE = 26
# The study is a house as wide as the picture: its floor and roof, the places in it, its mean's door.
_MIDDLE, _HALF, _FLOOR, _EAVES, _TOP = 62, 34, 6.35, 7.6, 8.6
_PLACES, _SEAT, _DOOR, _SHELF = _MIDDLE + 12 * np.arange(-2, 3), 6.97, 6.05, 5.15
# The dot of the reader's line lies below the people.
_DOT = -0.3
# On the axis lie the numbers of the rounds before, as the truth was.
_GROUND = -1.2
# One stands out, the other is among many.
TARGETS = {"Zoe": 9, "Finn": 5}
_SEED = 41
# A class that opens one deck, by its address, meets the same rounds; another is another draw.
_DECKS, _ROUNDS, _ALONE = 8, 16, 3
_SIGMAS = [0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32]
_STRANGERS, _NUMBER, _MEAN, _KICK = "five of them", "the published number", "their mean", "the noise"
_PAST, _LIT = "rounds so far", "the truth"
_LEGEND = [
    {
        "x": 97,
        "y": _GROUND,
        "xanchor": "right",
        "xshift": shift,
        "showarrow": False,
        "text": text,
        "font": font,
    }
    for shift, text, font in (
        (-64, "earlier rounds:", {}),
        (-34, "<b>out</b>", {"color": k.OUT.colour}),
        (-8, "<b>in</b>", {"color": k.IN.colour}),
    )
]
# By what the reader said, the truth, and what the best spy says.
_CHANCE = "At {released}, saying in is right"
_REPLIES = {
    "Zoe": {
        "in/in/in": f"Right, Zoe was in, and her {{income}} pulled the mean up. {_CHANCE} {{chance}}.",
        "out/in/in": f"No, Zoe was in, and her {{income}} pulled the mean up. {_CHANCE} {{chance}}.",
        "in/in/out": f"Right, and daring: Zoe was in, but noise hid her. {_CHANCE} {{chance}}.",
        "out/in/out": f"Zoe was in, and noise hid her, from the best too. {_CHANCE} {{chance}}.",
        "out/out/out": f"Right, Zoe was out, and the others earn far less. {_CHANCE} {{chance}}.",
        "in/out/out": f"No, Zoe was out, and her {{income}} was missing. {_CHANCE} {{chance}}.",
        "out/out/in": f"Right, and daring: Zoe was out, but noise played her. {_CHANCE} {{chance}}.",
        "in/out/in": f"Zoe was out, and noise played her. It fools the best too. {_CHANCE} {{chance}}.",
    },
    "Finn": {
        "in/in/in": f"Right, Finn was in. One income among its like moves little. {_CHANCE} {{chance}}.",
        "out/in/in": f"No, Finn was in. He earns what the others earn, so he hides. {_CHANCE} {{chance}}.",
        "in/in/out": f"Right, by luck: Finn was in. {_CHANCE} {{chance}}.",
        "out/in/out": f"Finn was in, and he hides among his neighbours. {_CHANCE} {{chance}}.",
        "out/out/out": f"Right, Finn was out, and hardly missed. {_CHANCE} {{chance}}.",
        "in/out/out": f"No, Finn was out. Others like him stood in his place. {_CHANCE} {{chance}}.",
        "out/out/in": f"Right, by luck: Finn was out. {_CHANCE} {{chance}}.",
        "in/out/in": f"Finn was out, and his neighbours look like him. {_CHANCE} {{chance}}.",
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


def _scene(say, strangers, number):
    """Return one step of the draw: where five nameless dots and the number stand meanwhile."""
    places, shown = strangers
    ask = {"x": [number or 46], "y": [_DOOR], "text": ["?"], "opacity": int(number is not None)}
    return {"say": say, "marks": {_STRANGERS: {**places, "opacity": shown}, _NUMBER: ask}}


def _stage():
    """Return the study and the ten people, and how five of them are drawn before one's eyes."""
    crowd = {"x": np.full(5, 40.0), "y": np.full(5, 2.25)}, 0
    seated = {"x": _PLACES, "y": np.full(5, _SEAT)}, 1
    lot = "Five of the ten are drawn by lot. You do not see who."
    before = [
        _scene(None, crowd, None),
        _scene(lot, seated, None),
        _scene("Their incomes are summed and divided by five ...", seated, 46),
        _scene("A little noise kicks the mean ...", seated, 55),
        _scene(None, seated, 39),
        _scene(None, seated, 49),
    ]
    left, right = _MIDDLE - _HALF, _MIDDLE + _HALF
    walls = f"M{left},{_FLOOR} V{_EAVES} L{_MIDDLE},{_TOP} L{right},{_EAVES} V{_FLOOR} Z"
    house = {"type": "path", "path": walls, "layer": "below", "fillcolor": k.fill(k.BLUE)}
    named = {"x": _MIDDLE, "y": (_EAVES + _TOP) / 2 - 0.05, "text": "<b>the study</b>", "showarrow": False}
    who = k.LEVEL.with_symbol("circle-open")
    unknown = {"text": ["<b>?</b>"] * 5, "mode": "markers+text", "hoverinfo": "skip", "showlegend": False}
    return k.part(
        k.points("their places", INCOMES, _HEIGHTS, who, size=_SIZE, opacity=0.3, **k.QUIET),
        k.cast(INCOMES, _HEIGHTS, size=_SIZE, hovertemplate="%{customdata}, %{x} thousand<extra></extra>"),
        k.points(_STRANGERS, _PLACES, np.full(5, _SEAT), who, size=_SIZE, **unknown),
        x=k.axis("income, thousands a year", range=[27, 97], showgrid=False),
        y={"visible": False, "range": [-1.55, 8.7]},
        height=380,
        showlegend=False,
        shapes=[{**house, "line": {"color": k.GREY, "width": 1.5}}],
        annotations=[named],
        layout={"margin": {"l": 14, "r": 14, "t": 8, "b": 46}},
        before=before,
        ghost=[],
        later=["your line"],
        afterwards="You have just run a membership inference attack.",
        sentence="If you say in {side} {line} and out {other}, you are right {rule}{win}.",
        alt="Ten people by their incomes, from 31 to 92 thousand; five of them, nobody says who, sit in a "
        "house, the study. Their mean, moved by noise, is published: {released}. The question is {target}, "
        "who earns {income}. A dashed line marks where your answer changes, {line}. "
        "On the axis lie the numbers of the rounds before, as the truth was.",
    )


def _asked(target):
    """Return who is asked about, and what is said to each guess."""
    index = TARGETS[target]
    ring = k.READING.with_symbol("circle-open")
    place = {"x": INCOMES[index], "y": _HEIGHTS[index], "text": f"<b>{target}</b>", "showarrow": False}
    # Only Zoe's way into the study is free of others.
    y = [_HEIGHTS[index] + 0.8, 3.4, _FLOOR] if target == "Zoe" else []
    words = {"text": ["", "in, or not?\u2003", ""], "textposition": "middle left", "mode": "lines+text"}
    return k.part(
        k.curve("the way in", [INCOMES[index]] * len(y), y, k.LEVEL.estimate(), hoverinfo="skip", **words),
        k.points(
            f"your target, {target}", INCOMES[index], _HEIGHTS[index], ring, size=_SIZE + 8, hoverinfo="skip"
        ),
        annotations=[place | {"xshift": -22, "xanchor": "right"}],
        options=[["in", f"{target} was in"], ["out", f"{target} was out"]],
        question=f"Five of these ten people were drawn by lot. One number is published: their mean "
        f"income, plus a little noise. Was {target} one of the five?",
        replies=_REPLIES[target],
        target=target,
        **k.words(income=INCOMES[index]),
    )


def _half(round, target, deck):
    """Return who was drawn and their mean, hidden until the reader has answered."""
    index = TARGETS[target]
    half, noise = _drawn(round, index, deck)
    mean = float(INCOMES[half].mean())
    x, y = INCOMES.copy(), _HEIGHTS.copy()
    x[half], y[half] = _PLACES, _SEAT
    look = k.IN.with_symbol("line-ns-open")
    # The noise kicks to the other side.
    side = "right" if noise < 0 else "left"
    said = {"text": [f" mean {mean:g} "], "textposition": f"middle {side}", "mode": "markers+text"}
    shown = k.points(_MEAN, mean, _DOOR, look, size=12, meta="reveal", hoverinfo="skip", **said)
    # Who was asked about lights up where the truth has put them.
    lit = replace(k.IN if half[index] else k.OUT, symbol="circle-open")
    lit = k.points(_LIT, x[index], y[index], lit, size=_SIZE + 8, meta="reveal", **k.QUIET)
    lit["marker"]["line"]["width"] = 5
    moved = {"the ten": {"x": x, "y": y}, _STRANGERS: {"opacity": 0}, "the way in": {"opacity": 0}}
    moved[f"your target, {target}"] = {"x": x[[index]], "y": y[[index]]}
    unseen = {_MEAN: {"opacity": 0}, _KICK: {"opacity": 0}, _LIT: {"opacity": 0}}
    out = {_MEAN: {"opacity": 1}, _KICK: {"opacity": 0}, _LIT: {"opacity": 1}}
    after = [{"marks": {**moved, **unseen}}, {"marks": out}, {"marks": {_KICK: {"opacity": 1}}}]
    return k.part(shown, lit, after=after, answer="in" if half[index] else "out")


def _past(round, index, sigma, deck):
    """Return the numbers of the rounds before this one, as the truth was, and this one's once it is told."""
    drawn = [_drawn(i, index, deck) for i in range(round + 1)]
    inside = np.array([half[index] for half, _ in drawn])
    fell = np.round([INCOMES[half].mean() + sigma * noise for half, noise in drawn], 1)
    before, own = np.arange(round + 1) < round, {"size": 13, "hoverinfo": "skip", "opacity": 0.75}
    last = (k.IN if inside[-1] else k.OUT).with_symbol("diamond")
    return [
        k.points(name, fell[lie], np.full(lie.sum(), _GROUND), look, meta=told, **own)
        for name, lie, look, told in (
            (f"{_PAST}, in", before & inside, k.IN, None),
            (f"{_PAST}, out", before & ~inside, k.OUT, None),
            ("this round", ~before, last, "reveal"),
        )
    ]


def _odds(chance):
    """Write a chance in whole hundredths; one that would round to never or always is neither."""
    if 0.005 <= chance < 0.995:
        return f"{100 * chance:.0f} times in 100"
    return "less than 1 time in 100" if chance < 0.5 else "more than 99 times in 100"


def _released(round, sigma, target, deck):
    """Return the published number, and what the best spy makes of it."""
    index = TARGETS[target]
    half, noise = _drawn(round, index, deck)
    mean = float(INCOMES[half].mean())
    released = mean + sigma * noise
    chance = float(mip.noisy_mean_posterior(INCOMES, index, released, sigma))
    bold = {"size": 36, "color": k.INK}
    # On a phone a large number would be cut at the right edge.
    side = "middle left" if released > 70 else "middle right"
    number = {"text": [f"\u2009<b>{released:.1f}</b>\u2009"], "textposition": side, "mode": "markers+text"}
    number |= {"hoverinfo": "skip", "cliponaxis": False, "textfont": bold}
    kick, mark = {"meta": "reveal", "hoverinfo": "skip"}, k.ATTACK.with_symbol("triangle-down")
    return k.part(
        k.curve(_KICK, [mean, released], [_DOOR, _SHELF + 0.45], k.ATTACK.estimate(), **kick),
        k.points(_NUMBER, released, _SHELF, mark, size=20, **number),
        _past(round, index, sigma, deck),
        annotations=_LEGEND if round else [],
        optimal="in" if chance >= 0.5 else "out",
        **k.words(released=k.exact(released, ".1f"), chance=k.exact(chance, _odds)),
    )


def _line(sigma, target, line):
    """Return the reader's line, and beside its dot how often it is right."""
    rule = k.exact(mip.noisy_mean_line_accuracy(INCOMES, TARGETS[target], sigma, line), k.in_100)
    best = k.exact(_accuracy(target, sigma), k.in_100)
    number = rule.split()[0]
    said = f"<b>right {number}: the best</b>" if rule == best else f"<b>right {number}</b> in 100"
    told = k.told("; the best spy is right {best} (exact)", best=best)
    inside, outside = mip.noisy_mean_shares(INCOMES, TARGETS[target], sigma, [-1e9, line, 1e9])
    # Somebody who earns little pulls the mean down.
    above, below = ("in", "out") if inside[1] >= outside[1] else ("out", "in")
    # On a phone the right half has no room for it.
    side = "middle right" if line < 60 else "middle left"
    said = f"{above} ▸\u2003{said}" if line < 60 else f"{said}\u2003◂ {below}"
    words = {"text": [f"\u2003\u2002{said}\u2003\u2002", ""], "textposition": side, "mode": "lines+text"}
    drawn = k.level("your line", [line, line], [_DOT, 4.55], **words)
    win = " (exact). Nobody can do better: you found it" if rule == best else told
    return k.part(
        drawn,
        grab=k.drag("line", at=_DOT),
        line=line,
        rule=rule,
        win=win,
        side="above" if above == "in" else "below",
        other="below" if above == "in" else "above",
    )


@k.figure
def guess_round(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was your target among the five?", alone=_ALONE)] = 0,
    line: Annotated[float, k.Slider(27, 77, step=1, label="Your line", unit="thousand")] = 50,
    target: Annotated[str, k.Choice(TARGETS.keys(), label="Target")] = "Zoe",
    sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand")] = 4.0,
    deck: Annotated[int, k.Draws(_DECKS, label="Shuffle", play=False)] = 1,
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
    return _stage, _asked, _half, _released, _line
