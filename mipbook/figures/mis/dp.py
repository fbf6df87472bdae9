"""A table of coins, the noisy number of their heads, and what differential privacy alone would allow."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis
from mipbook.figures.mis.rows import over_rows, scored

_EPSILON = k.Stops(
    [0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 4.0], 1.0, label="Privacy, ε"
)
_COINS = k.Count([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200], 1, label="Coins, n", play=True)
_WIDE, _TABLE, _TOP, _TRAY = 2.9, 2.05, 2.88, 1.45
# Up to so many coins lie in rows of so many, so far apart and so high; so large are they, and the two in
# question.
_LAID = (
    (1, 1, 0.9, 0, 28, 42),
    (5, 5, 0.76, 0, 28, 34),
    (10, 5, 0.62, 0.32, 22, 30),
    (30, 10, 0.42, 0.26, 15, 26),
    (200, 25, 0.24, 0.085, 7, 22),
)
# How far off the two coins in question lie at most, until it is seen which was counted.
_APART, _ROUNDS = 3.6, 16
# By what the reader said, the truth, and what the best spy says.
_HILLS, _SEED = {"in": "Finn's", "out": "a stranger's"}, 3
# Twenty coins in an arc, the reader's own last; and in it what the bit says of either side of that coin.
_TWENTY = 20
_ARC = np.pi * np.linspace(1, 0, _TWENTY)
_ARC_X, _ARC_Y = (np.round(at, 3) for at in (np.cos(_ARC), np.sin(_ARC)))
_SIGN = {"x": np.array([-0.36, -0.36, 0.36, 0.36]), "y": np.array([0.0, 0.46, 0.46, 0.0])}


@k.cache
def _laws(n, epsilon):
    """Return the distributions of the noisy number of heads: with Finn's head counted, and without."""
    tail, head = mis.geometric_count_laws(n, 0.5, epsilon)
    return head, (tail + head) / 2


@k.cache
def _right(n, epsilon):
    return (1 + float(mis.geometric_count_delta(n, 0.5, epsilon))) / 2


def _scaled(value, n, epsilon):
    """Measure a number of heads from its middle, in deviations of the hill without Finn's coin."""
    law, heads = _laws(n, epsilon)[1], np.arange(n + 1.0)
    return (value - n / 2) / np.sqrt(law @ (heads - n / 2) ** 2)


def _hills(n, epsilon):
    """Draw how often each number is published, with Finn's head counted and with a stranger's coin for it."""
    edges = _scaled(np.arange(-1.0, n + 2), n, epsilon)
    top, steps = max(law.max() for law in _laws(n, epsilon)), {"shape": "hvh"}
    names, traces = ("Finn's coin counted", "not counted"), []
    for name, law, look in zip(names, _laws(n, epsilon), (k.IN, k.OUT), strict=True):
        hill = k.curve(name, edges, np.pad(law / top, 1), look, hoverinfo="skip", fill="tozeroy")
        traces.append({**hill, "line": {**hill["line"], **steps}})
    # Two numbers say what the ground is.
    deviation = 1 / (_scaled(1, n, epsilon) - _scaled(0, n, epsilon))
    ground = [max(0, round(n / 2 - 1.5 * deviation)), min(n, round(n / 2 + 1.5 * deviation))]
    aside = {"textposition": ["middle right", "middle left"], "textfont": {"color": [k.BLUE, k.ORANGE]}}
    heads = [f"{each} head{'s' * (each != 1)}" for each in ground]
    return [
        traces,
        k.text("which hill", [2.15, -2.15], [0.6] * 2, ["Finn's", "a stranger's"], cliponaxis=False, **aside),
        k.text("the ground", _scaled(np.array(ground), n, epsilon), [-0.13] * 2, heads),
    ]


def _gaps(n, epsilon):
    """Draw what sticks out of one hill over the other, which is all that a spy lives on."""
    head, stranger = _laws(n, epsilon)
    top, at = max(head.max(), stranger.max()), _scaled(np.arange(n + 1.0), n, epsilon)
    higher, wide = k.short((head - stranger) / top), float(_scaled(1, n, epsilon) - _scaled(0, n, epsilon))
    bars = {"base": k.short(np.minimum(head, stranger) / top), "width": wide, "hoverinfo": "skip"}
    return [
        k.bars("Finn's is higher", at, np.maximum(higher, 0), k.IN, **bars),
        k.bars("a stranger's is higher", at, np.maximum(-higher, 0), k.OUT, "/", **bars),
    ]


def _coins(n):
    """Lay all coins above the hills, in rows of smaller ones where they are many; one is in question."""
    row, size = (15, 14) if n <= 15 else (50, 5)
    place, middle = np.arange(n), min(n, row) // 2
    x, y = 2 * _WIDE / (row - 1) * (place % row - (min(n, row) - 1) / 2), _TRAY - 0.1 * (place // row)
    face = {"text": ["<b>?</b>"], "mode": "markers+text", "textfont": {"color": k.marks.BACKGROUND[0]}}
    low, high = _TRAY - 0.1 * ((n - 1) // row) - 0.13, _TRAY + 0.13
    return [
        k.area("their tray", [-3.1, -3.1, 3.1, 3.1], [low, high, high, low], k.MIS),
        k.points("the coins", x, y, k.LEVEL, size=size, **k.QUIET),
        k.points(
            "whose coin", x[middle], y[middle], k.READING.with_symbol("circle"), size=24, **face, **k.QUIET
        ),
    ]


def _row(n, epsilon):
    """Draw the two hills, and under them how many of a hundred rounds the best spy wins."""
    right, most = _right(n, epsilon), (1 + float(mis.delta_from_dp(epsilon))) / 2
    ends = [100 * _right(each, epsilon) for each in _COINS.stops]
    return k.part(
        _coins(n),
        _hills(n, epsilon),
        _gaps(n, epsilon),
        scored(0, 2.1, "the best spy", 100 * right, k.MIS),
        k.level("the promise", 100 * most, [-1.4, 1.4], k.DP, lower=True),
        k.text("of the row", [100 * most], [-2.3], [f"DP's limit, {k.at_most(100 * most)}"], lower=True),
        **k.stage((-3.6, 3.6), (-0.24, 1.65), barmode="overlay"),
        **over_rows(0.77, 0.03, (-3, 3.2), height=440),
        headline="A spy is right {right}",
        sentence="From the noisy number of {coins} the best spy is right {right}, over many rounds (exact). "
        "Noise of this ε keeps him to at most {most} (bound), on any table.",
        alt="Above, {coins}. Two hills, the noisy numbers with Finn's coin counted and without it, and "
        "in full colour what of each is above the other. Below, a row of 100 rounds: the spy is right "
        "{right}; DP's limit, a dotted line, stands at {most}.",
        grab=k.drag("n", ends, [0] * len(ends), "x2"),
        coins=k.told("{n} coins" if n > 1 else "one coin", n=n),
        right=k.exact(right, k.in_100),
        most=k.at_most(most, k.in_100),
    )


def _tossed(n, round):
    """Publish a number, ask the reader, and uncover the coins, Finn's among them or a stranger's."""
    rng, epsilon = np.random.default_rng([round + _SEED, n]), _EPSILON.value
    odds = 1 - np.exp(-epsilon)
    member, head = rng.integers(2) == 1, rng.integers(2, size=n) == 1
    head[0] |= member
    noise = rng.geometric(odds) - rng.geometric(odds)
    said = int(np.clip(head.sum() + noise, 0, n))
    # His lies amid the others.
    _, row, each, rise, size, large = next(kind for kind in _LAID if n <= kind[0])
    middle, wide = row * (n // row // 2) + min(n, row) // 2, min(n, row)
    place = np.roll(np.arange(n), -middle)
    x, y = each * (place % row - (wide - 1) / 2), _TABLE - rise * (place // row - (n - 1) // row / 2)
    at = float(_scaled(said, n, epsilon))
    likely = {"in": _laws(n, epsilon)[0][said], "out": _laws(n, epsilon)[1][said]}
    best, truth = max(likely, key=likely.get), "in" if member else "out"
    reply = f"{_HILLS[truth]} coin lay there. The best spy says: {_HILLS[best]}."
    others, theirs = np.arange(n) > 0, k.ORANGE if head[0] else k.marks.BACKGROUND[0]
    theirs = {
        "color": theirs,
        "opacity": float(not member),
        "size": large - 4,
        "line": {"color": k.ORANGE, "width": 5},
    }
    gone, goes, whose = {"opacity": 0}, {"x": x[:1], "y": y[:1]}, "Finn's" if member else "a stranger's"
    face = {"mode": "markers+text", "textfont": {"color": k.marks.BACKGROUND[0], "size": large // 2 - 2}}
    face |= {"size": large, **k.QUIET}
    # A misty bowl upside down over the coins: its rim on the table, its foot on top. Lifted, it is away.
    half, rim, bent = max(each * (wide + 1) / 2, 1.0), max(y.min() - 0.3, _TABLE - 0.42), 2 + 2 * (n > 10)
    apart = min(max(1.06 * half + 0.6, 2.1), _APART) * np.array([-1, 1])
    side = np.sin(np.pi / 2 * np.linspace(-1, -0.1, 36))
    dome, top = rim + (_TOP - rim) * (1 - abs(side) ** bent) ** (1 / bent), [_TOP + 0.13] * 2
    x_rim = half * np.concatenate([side, [-0.21, 0.21], -side[::-1], [1.06, -1.06, -1]])
    y_rim = np.concatenate([dome, top, dome[::-1], [rim] * 3])
    look, shade = k.Look(k.MIS.colour, width=2.5), {"fill": "toself", "fillcolor": k.fill(k.MIS.colour)}
    # The words to a coin go with it, and where it was the signs are told.
    up, names = 0.34 + rise * ((n - 1) // row) / 2 + large / 280, ["Finn's: heads", "a stranger's"]
    words = zip(
        ("Finn's", "a stranger's"),
        apart,
        names if n <= 5 else ["Finn's", "other"],
        (k.BLUE, k.ORANGE),
        strict=True,
    )
    home = {f"{whose} coin": goes, f"{whose} toss": {"x": [0.0], "y": [_TABLE + up]}}
    seen = "under it", "lying there", "which coin"
    home["the number"] = {"text": [f"heard <b>{said}</b>, true <b>{head.sum()}</b>"]}
    return k.part(
        k.area("the table", [-3.95, 3.95, 3.95, -3.95], _TABLE - np.repeat([0.48, 0.12], 2), k.LEVEL),
        _hills(n, epsilon),
        k.points("heads", x[head & others], y[head & others], k.LEVEL.with_symbol("circle"), size=size,
                 meta="reveal", **k.QUIET),
        k.points("tails", x[~head & others], y[~head & others], k.LEVEL.with_symbol("circle-open"),
                 size=0.8 * size, meta="reveal", **k.QUIET),
        k.points("lying there", x[others], y[others], k.LEVEL.with_symbol("circle"), size=size, opacity=0.5,
                 **k.QUIET),
        k.points("which coin", x[0], y[0], k.READING.with_symbol("circle"), text=["<b>?</b>"], **face),
        k.points("a stranger's coin", apart[1], _TABLE, k.OUT.with_symbol("circle"),
                 text=["<b>?</b>"], **face),
        k.points("the stranger's coin", x[:1], y[:1], k.OUT, marker=theirs, meta="reveal", **k.QUIET),
        k.points("Finn's coin", apart[0], _TABLE, k.IN.with_symbol("circle"), text=["<b>F</b>"], **face),
        [k.text(f"{who} toss", [at], [_TABLE + 0.42], [said], cliponaxis=False,
                textfont={"color": ink, "size": 15}) for who, at, said, ink in words],
        k.curve("the bowl", x_rim, y_rim, look, **shade, **k.QUIET),
        k.text("under it", [0], [_TOP - 0.34], [f"<b>{n} coin{'s' * (n > 1)}</b>"], textfont={"size": 17}),
        k.text("the signs", [np.clip(apart[int(not member)], -3.5, 3.5)], [_TABLE + 0.12],
               ["● heads<br>○ tails "], meta="reveal", cliponaxis=False,
               textfont={"size": 14 if n <= 10 else 12}),
        k.level("published", at, [0, 1.06], k.READING),
        k.text("the number", [np.clip(at, -1.7, 1.7)], [1.3], [f"you hear: <b>{said}</b>"],
               textfont={"size": 18}),
        options=[["in", "Finn's"], ["out", "A stranger's"]],
        question="Finn tossed heads. Does his coin lie there, or a stranger's?",
        answer=truth,
        optimal=best,
        after=[{"marks": {"the bowl": {"y": y_rim + 0.5, **gone}} | dict.fromkeys(seen, gone) | home}],
        replies={f"{you}/{truth}/{best}": f"{right}: {reply}" for you, right in
                 ((truth, "Right"), ("out" if member else "in", "No"))},
        **k.stage((-3.95, 3.95), (-0.25, 3.1), height=400, showlegend=False, ghost=[]),
        headline="You hear {said} of {n}",
        sentence="The solid hill says how often you hear that with Finn's coin, the dashed one with a "
        "stranger's (exact): say Finn's where his is the higher one.",
        alt="On top {n} coins under a misty bowl, heads full and tails hollow once it is lifted; Finn's or a "
        "stranger's is among them. Below, two hills, the numbers published with his coin counted and without "
        "it, and a line at {said}.",
        **k.words(said=said, n=n),
    )  # fmt: skip


def _turned(heads):
    """Say what the bit is for both sides of the last coin, and how often spies are right by it."""
    last, shown = heads == _TWENTY - 1, np.arange(_TWENTY - 1) < heads
    bits = np.array([[1.0, 0.0], [1.0 - last, float(last)]])
    here = (1 + float(mis.total_variation(*bits))) / 2
    ever = (1 + float(mis.product_delta(0.5, _TWENTY))) / 2
    often = float(mis.geometric_count_laws(_TWENTY, 0.5, np.inf)[0][heads])
    circle, x, y = k.LEVEL.with_symbol("circle"), _ARC_X[:-1], _ARC_Y[:-1]
    face = {"text": ["<b>?</b>"], "mode": "markers+text", "textfont": {"color": k.marks.BACKGROUND[0]}}
    sides = (("heads", -0.41, k.IN, "yes" if last else "no"), ("tails", 0.41, k.OUT, "no"))
    signs = [
        [
            k.area(f"if {side}", at + _SIGN["x"], _SIGN["y"], look),
            k.text(f"yours {side}", [at], [0.37], [f"yours {side}:"], textfont={"color": look.colour}),
            k.text(f"the bit, {side}", [at], [0.16], [f"<b>{bit}</b>"], textfont={"size": 24}),
        ]
        for side, at, look, bit in sides
    ]
    return k.part(
        k.points("heads", x[shown], y[shown], circle, size=21, **k.QUIET),
        k.points("tails", x[~shown], y[~shown], circle.with_symbol("circle-open"), size=18, **k.QUIET),
        k.points("yours", 1, 0, k.READING.with_symbol("circle"), size=26, **face, **k.QUIET),
        k.text("the signs", [-0.85, 1], [-0.2] * 2, ["● heads ○ tails", "yours"], cliponaxis=False),
        k.text("asked", [0], [0.62], ["<b>All twenty heads?</b>"], textfont={"size": 15}),
        signs,
        scored(0, 2.1, "he knows the others: what does yours show?", 100 * here, k.BEST),
        scored(-5.2, 2.1, "he knows only yours: is it one of them?", 100 * ever, k.MIS),
        **k.stage((-1.3, 1.3), (-0.34, 1.12)),
        **over_rows(0.66, 0.02, (-6.8, 3.4), height=450),
        headline="Right {here} about yours",
        sentence="Heads among the other nineteen: {heads}, as in about {often} rounds. A spy who knows "
        "them is right {here} about yours (exact). Over all rounds, one who knows only yours is right {ever} "
        "times in 100.",
        alt="Twenty coins in an arc, yours the last; heads among the other nineteen: {heads}. Inside it "
        "what the bit says: {yes} if yours shows heads, no if it shows tails. Below, two rows of 100: who "
        "knows the others is right {here} about yours, and who knows only yours is right about 50 times.",
        grab=k.drag("heads", _ARC_X, _ARC_Y),
        here=k.exact(here, k.in_100),
        ever=k.exact(100 * ever, ".5f"),
        often=k.exact(often, k.people),
        yes=sides[0][-1],
        **k.words(heads=heads),
    )


@k.figure
def one_bit(
    heads: Annotated[int, k.Count(range(_TWENTY), 10, label="Heads among the others", play=True)] = 10,
):
    """Show the bit of twenty coins that says whether all are heads, and what it tells two spies.

    Notes
    -----
    Limits paper, Lemma 22 and Remark 8.

    Examples
    --------
    >>> one_bit(19).layout.meta["headline"]
    'Right 100 times in 100 about yours'
    """
    return _turned


@k.figure
def whose_coin(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Whose coin is it?", alone=1)] = 0,
    n: Annotated[int, k.Count(_COINS.stops, 5, label="Coins, n", play=True)] = 5,
):
    """Ask whether a coin lies under a bowl, by a noisy number of heads.

    Notes
    -----
    Limits paper, Remark 8.

    Examples
    --------
    >>> whose_coin().layout.meta["headline"]
    'You hear 2 of 5'
    """
    return _tossed


@k.figure
def dp_security(n: Annotated[int, _COINS] = 1, epsilon: Annotated[float, _EPSILON] = 1.0):
    """Draw the two hills of a noisy number of heads, and how often the best spy is right.

    Notes
    -----
    Limits paper, Remark 8; tanh(eps/4) is new in this book.

    Examples
    --------
    >>> dp_security().layout.meta["headline"]
    'A spy is right 61.6 times in 100'
    """
    return _row
