"""What the definition of MIP is about: coins, bars and two populations."""

from typing import Annotated

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm

import mipbook.figures.kit as k
from mipbook import game, mip

_COINS = {"Ben": 1, "Anna": 2, "Finn": 3, "Zoe": 5}
_OWNED = np.array(list(_COINS.values()))
# What is printed of the sum of a pair, from no more than parity to all of it.
_DIVISORS = {"the sum": 100, "remainder": 3, "odd or even": 2}
_TOLD = {"textfont": {"color": k.ATTACK.colour}, "hoverinfo": "skip"}
_BET = {"mode": "markers+text", "textposition": "top center", **_TOLD}
_EARNED = "how often the spy is right"
_WORDS = {"mode": "text", "showlegend": False, **_TOLD}


# Of the columns' number: half a card's width and height, what its faces are aside and up, and their size.
_CARD = {6: (0.4, 0.94, 0.0, 0.42, 30), 3: (0.41, 0.44, 0.165, 0.0, 29), 2: (0.42, 0.44, 0.125, 0.0, 28)}
# Where on a card its faces and its coins have their middles.
_ON = {6: ((0, 0.28), (0, -0.66)), 3: ((0, 0.13), (0, -0.29)), 2: ((-0.19, 0), (0.245, 0))}
# So many coins lie in a row, and how far apart rows and coins are, across and up.
_LAID = {6: (4, (0, 0.19), (-0.22, 0)), 3: (3, (0.285, 0.08), (0, 0)), 2: (2, (0.08, 0), (0, -0.26))}
# The first rounds go through all three columns.
_DRAWS, _LOTS = 24, 2610
_PAPER = {"fill": "toself", "fillcolor": k.BACKGROUND[0], "line": {"color": k.GREY, "width": 1}}


def _boxes(published):
    """Return what may be called out, and each pair's column and place in it, by its sum."""
    sums = mip.subsets(4) @ _OWNED
    values, box = np.unique(sums % _DIVISORS[published], return_inverse=True)
    level = ((box == box[:, None]) & (sums < sums[:, None])).sum(axis=1) + 0.5 * (published == "the sum")
    return ["even", "odd"] if published == "odd or even" else values.tolist(), box, level


def _cards(x, y, wide, high):
    """Return the outlines of the cards at these places, one after the other."""
    across, up = k.SQUARE
    return [k.gapped(np.add.outer(*side))[:-1] or [None] for side in ((x, wide * across), (y, high * up))]


def _coins(published):
    """Return each coin's place on the card of its pair, its owner, and whether the clerk takes it away."""
    (values, box, level), divisor = _boxes(published), _DIVISORS[published]
    (most, *steps), (_, middle) = _LAID[len(values)], _ON[len(values)]
    places, owners, taken = [], [], []
    for half, *card in zip(mip.subsets(4), box, level, strict=True):
        owners.append(np.repeat(np.array(list(_COINS))[half], _OWNED[half]))
        each = np.arange(owners[-1].size)
        at = steps @ np.stack(np.divmod(each, most))
        places.append(at + (np.add(card, middle) - (at.min(axis=1) + at.max(axis=1)) / 2)[:, None])
        taken.append(each < each.size // divisor * divisor)
    return np.hstack(places), np.concatenate(owners), np.concatenate(taken)


def _bars(begin, end):
    """Return a bar below each of the four, from one share of a hundred games to another."""
    across, up = k.SQUARE
    x = np.arange(4)[:, None] - 0.4 + 0.8 * np.where(across > 0, np.reshape(end, (-1, 1)), begin)
    return k.gapped(x), k.gapped(np.tile(-0.82 + 0.22 * up, (4, 1)))


@k.cache
def _dealt(published, person):
    """Return of each pair whether the person is in it, and the spy's bets."""
    values, box, _ = _boxes(published)
    halves, table = mip.subsets(4), (box[:, None] == np.arange(len(values))) * 1.0
    holds = halves[:, list(_COINS).index(person)]
    chances = game.posterior(table, holds)
    says = ["either" if np.isclose(p, 0.5) else "in" if p > 0.5 else "out" for p in chances]
    return holds, says, mip.record_accuracies(table, halves)


def _pairs_behind(published, person):
    """Return a card for each pair, in the box of what is printed of it, and how often the spy is right."""
    (values, box, level), (holds, says, right) = _boxes(published), _dealt(published, person)
    wide, high, aside, up, size = _CARD[len(values)]
    halves, names, faces = mip.subsets(4), np.array(list(_COINS)), _ON[len(values)][0]
    said = {i: f"<b>{value}</b>" for i, value in enumerate(values)}
    bare = {"showgrid": False, "zeroline": False}
    revealed = {"fill": "toself", "meta": "reveal", **k.QUIET}
    both = {"name": "who was drawn", "size": size, "showlegend": False, "hover": "%{customdata} was drawn"}
    who = np.array([who for half in halves for who in names[half]])
    asked, ring = who == person, k.READING.with_symbol("circle-open")
    x = np.add.outer(box + faces[0], [-aside, aside]).ravel()
    y = np.add.outer(level + faces[1], [up, -up]).ravel()
    tops, bets = [level[box == i].max() + high + 0.16 for i in said], [f"<b>“{bet}”</b>" for bet in says]
    lie, owners, taken = _coins(published)
    rims, roll = [k.PEOPLE[owner] for owner in owners], {"color": k.GREY}
    # What the clerk takes away is hollow, and in rolls.
    inside = [k.BACKGROUND[0] if gone else rim for gone, rim in zip(taken, rims, strict=True)]
    coins = {"marker": {"size": 7, "color": inside, "line": {"color": rims, "width": 1.5}}, **k.QUIET}
    rolls = [
        k.gapped(side[:, [0, -1]]) or [None] for side in lie[:, taken].reshape(2, -1, _DIVISORS[published])
    ]
    wrapped = {"marker": {**roll, "size": 15}, "line": {**roll, "width": 15}, "opacity": 0.25, **k.QUIET}
    light = {"lower": True, "meta": "reveal", "textfont": {"color": k.BACKGROUND[0]}}
    below = {"name": "about whom", "size": 30, "lower": True, **k.QUIET}
    told = [f"<b>{k.say(100 * each)}</b>" for each in right]
    worst, (across, up) = names[np.isclose(right, right.max())], k.SQUARE
    table = (len(values) / 2 - 0.5) * (1 + across) + 0.52 * across, np.where(up > 0, tops[0] - 0.05, -0.55)
    gained = [" " if each < right.max() - 1e-9 else "<b>η</b>" for each in right]
    worst, most = ("all four", "") if worst.size == 4 else (" and ".join(worst), "most often, ")
    return k.part(
        k.area("the table", *table, k.MIP),
        k.curve("a pair", *_cards(box, level, wide, high), k.LEVEL, **_PAPER, **k.QUIET),
        k.curve("the person is out", *_cards(box[~holds], level[~holds], wide, high), k.OUT, **revealed),
        k.curve("the person is in", *_cards(box[holds], level[holds], wide, high), k.IN, **revealed),
        k.cast(x, y, who, **both),
        k.points("who is asked about", x[asked], y[asked], ring, size=size + 8, **k.QUIET),
        k.curve("coins taken away", *rolls, k.LEVEL, marked=True, **wrapped),
        k.points("coins on a card", *lie, k.READING, **coins),
        k.points("the spy says", list(said), tops, k.ATTACK, text=bets, meta="reveal", **_BET | _WORDS),
        k.cast(range(4), 0, tuple(_COINS), **below),
        k.text("what stands there", -0.9, -0.5, "spy right,<br>of 100<br>(coin: 50)", lower=True),
        k.area("all games", *_bars(0, np.ones(4)), k.LEVEL, lower=True),
        k.area(
            "won by a coin", *_bars(0, np.full(4, 0.5)), k.LEVEL, fillcolor=k.GREY, lower=True, meta="reveal"
        ),
        k.area("won above it", *_bars(0.5, right), k.MIP, fillcolor=k.GREEN, lower=True, meta="reveal"),
        k.text("what is above a coin", 0.4 * right + np.arange(4) - 0.2, -0.82, gained, **light),
        k.text(_EARNED, range(4), -1.4, told, lower=True, meta="reveal"),
        x=k.axis("what the spy hears", said, range=[-0.6, len(values) - 0.4], **bare),
        # A row of cards is as high whether one lies in a box or two.
        y=k.unseen(-0.55, max(np.bincount(box).max(), 2) - 0.1),
        x2=k.unseen(-1.4, 3.5),
        y2=k.unseen(-1.75, 0.65),
        rows=(0.65, 0.17),
        height=370,
        layout={"margin": {"l": 14, "r": 14, "t": 8, "b": 16}},
        headline="about {person} right {right}",
        sentence=f"About {worst} the best spy is right {most}{{most}}: η = {{eta}} (exact).",
        alt="Six cards, one for each pair, with its coins, in {values} boxes by what is called out; {person} "
        f"is ringed on three of them. The best spy says {', '.join(says)}. Below them the four people with "
        "the numbers how often he is right about each, over a bar of which a coin fills half: "
        "{person} at {right}, the highest at {most}, and what is there above a coin is η.",
        person=person,
        **k.words(k.exact, k.in_100, right=right[list(_COINS).index(person)], most=right.max()),
        **k.words(eta=right.max() - 0.5, values=len(values)),
    )


def _round(published, person, round):
    """Ring the column of what the clerk says, ask the reader, and then ring the pair that was drawn."""
    (values, box, level), (holds, says, _) = _boxes(published), _dealt(published, person)
    # Which pair the round draws, and what the coin says that a spy tosses if he must.
    rng, (wide, high, *_) = np.random.default_rng(_LOTS), _CARD[len(values)]
    pair, coin = rng.integers(6, size=_DRAWS)[round], rng.random(_DRAWS)[round] < 0.5
    at, behind = box[pair], box == box[pair]
    best = ("in" if coin else "out") if says[at] == "either" else says[at]
    top, (across, up) = level[behind].max() + high + 0.08, k.SQUARE
    column = at + (wide + 0.08) * across, np.where(up > 0, top, -0.52)
    card = at + (wide + 0.03) * across, level[pair] + (high + 0.03) * up
    who = " and ".join(np.array(list(_COINS))[mip.subsets(4)[pair]])
    why = "each sum has one pair"
    if len(values) < 6:
        share = k.words(k.exact, k.count, inside=holds[behind].sum(), behind=behind.sum())
        why = k.told("{person} is in {inside} of the {behind} pairs there", **share, person=person)
    truth = "in" if holds[pair] else "out"
    return k.part(
        k.area("what the clerk says", *column, k.LEVEL),
        k.curve("the pair drawn", *card, k.READING.but(width=4), meta="reveal", **k.QUIET),
        options=[["in", f"{person} is in"], ["out", f"{person} is out"]],
        question=f"Two of the four were drawn. The clerk calls out “{values[at]}”. Is {person} one of them?",
        answer=truth,
        optimal=best,
        rival="The best spy",
        replies={
            f"{you}/{truth}/{best}": f"{'Right' if you == truth else 'No'}, it was {who}: {{why}}."
            for you in ("in", "out")
        },
        why=why,
    )


@k.figure
def four_coins(
    round: Annotated[int, k.Rounds(_DRAWS, label="Is he one of the two?", alone=1)] = 0,
    published: Annotated[str, k.Choice(list(_DIVISORS), label="Called out")] = "remainder",
    person: Annotated[str, k.Choice(list(_COINS), label="Ask about")] = "Ben",
):
    """Draw a card for each pair of four people, in the column of what is said of it, and ask.

    Two of four people, who own 1, 2, 3 and 5 coins, are drawn; a number about their sum is called
    out, and the reader bets on a person.

    Examples
    --------
    >>> four_coins().layout.meta["headline"]
    'about Ben right 83.3 times in 100'
    """
    return _round, _pairs_behind


_OUTPUTS, _PLACES, _WEIGHTS = ["A", "B", "C"], np.arange(3), np.linspace(0.0, 3.5, 15)
# The two bars of an output stand beside its place.
_ASIDE = 0.21
_UNDER = np.add.outer(_PLACES, [-_ASIDE, _ASIDE]).ravel(), -0.045


def _shares(a, b):
    """Return the probabilities of the three outputs, from weights relative to C's."""
    total = a + b + 1.0
    return np.stack([a / total, b / total, 1 / total], axis=-1)


@k.figure
def posterior_bars(
    in_a: Annotated[float, k.Slider(0, 3.5, step=0.25, label="Zoe in: A ÷ C")] = 0.5,
    in_b: Annotated[float, k.Slider(0, 3.5, step=0.25, label="Zoe in: B ÷ C")] = 1.0,
    out_a: Annotated[float, k.Slider(0, 3.5, step=0.25, label="Zoe out: A ÷ C")] = 2.0,
):
    """Draw how likely each output is with the record in and out, and the attacker's choice.

    The weights are relative to C's; with the record out, B's is that of C.

    Notes
    -----
    MIP paper, Proposition 2.

    Examples
    --------
    >>> posterior_bars().layout.meta["headline"]
    'right 65 times in 100'
    """
    table = np.stack([_shares(out_a, 1.0), _shares(in_a, in_b)])
    chances, accuracy, halves = game.posterior(table), game.optimal_accuracy(table), table / 2
    won = chances >= 0.5
    bets = np.where(np.isclose(chances, 0.5), "either", np.where(won, "in", "out"))
    at, tall = _PLACES + np.where(won, _ASIDE, -_ASIDE), halves.max(axis=0)
    cap = {"size": 32, "text": [f"says {bet}" for bet in bets], **_BET}
    bar = {"width": 2 * _ASIDE, "offset": 0.0, "hover": "%{y:.1%} of all games"}
    sides = [k.bars("Zoe is out", _PLACES - 2 * _ASIDE, halves[0], k.OUT, "/", **bar)]
    sides += [k.bars("Zoe is in", _PLACES, halves[1], k.IN, **bar)]
    for side, full in zip(sides, (~won, won), strict=True):  # what he loses is pale
        side["marker"]["opacity"] = np.where(full, 1, 0.3).tolist()
    # Where the top of each bar that can be dragged goes, by its weight.
    tops = (
        ("in_a", _ASIDE, _shares(_WEIGHTS, in_b)[:, 0]),
        ("in_b", 1 + _ASIDE, _shares(in_a, _WEIGHTS)[:, 1]),
        ("out_a", -_ASIDE, _shares(_WEIGHTS, 1.0)[:, 0]),
    )
    return k.part(
        k.level("ground", [-0.6, 2.6], 0, k.LEVEL.exact(), **k.QUIET),
        sides,
        k.points("the best spy's bet", at, tall, k.ATTACK.with_symbol("line-ew-open"), **cap),
        k.text(
            "what is published", _PLACES, -0.1, [f"<b>{each}</b>" for each in _OUTPUTS], textfont={"size": 18}
        ),
        k.text("of which games", *_UNDER, ["out", "in"] * 3),
        x=k.unseen(-0.6, 2.6),
        y=k.axis(
            "of 100 games",
            {0: "0", 0.2: "20", 0.4: "40"},
            range=[-0.125, 0.57],
            showgrid=False,
            showline=False,
        ),
        barmode="overlay",
        showlegend=False,
        height=440,
        headline="right {right}",
        sentence="The best spy bets on the taller bar and is right {right}: η = {eta} (exact). After A, Zoe "
        "was in with a chance of {A}, after B of {B}, after C of {C}.",
        alt="Pairs of bars for the outputs A, B and C, Zoe out and Zoe in, pale where he loses. A cap on the "
        f"taller bar of each pair says what the best spy bets on: {', '.join(bets)}.",
        grab=[each for name, x, top in tops for each in k.drag(name, x, np.round(top / 2, 4), "y")],
        **k.words(right=k.exact(accuracy, k.in_100), eta=accuracy - 0.5),
        **k.words(k.exact, k.percent, **dict(zip(_OUTPUTS, chances, strict=True))),
    )


_X = np.linspace(-3.5, 7.5, 111)
_BESIDE = {
    "textposition": ["middle left", "middle right"],
    "textfont": {"color": [k.SERIES[1].colour, k.IN.colour]},
}
# So many of the study, and of those left out, stand on heaps so wide.
_SHOWN, _HEAP = 20, 0.3
_SIZES = [2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100, 200, 500, 1000]
_SHARES = [0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


# From a coin's up; and the two whom a member is told from.
_COLUMN, _TWO = {"base": 50, "width": 0.74, "lower": True, **k.QUIET}, ["anybody", "a patient"]


def _accuracy(against, accuracy, colour, **marker):
    """Return one of the two accuracies, from the coin's up."""
    bar = {**_COLUMN, "marker": {"color": colour, **marker}}
    return k.bars(f"member or {against}? (exact)", [against], [100 * accuracy - 50], k.LEVEL, **bar)


def _populations(distance, share):
    """Return everybody with their share of patients, from whom a member is told, and the patients."""
    others, patients = norm.pdf(_X), norm.pdf(_X - distance)
    right = 0.5 + (1 - share) * (float(ndtr(distance / 2)) - 0.5)
    mixed, filled = np.round(others + share * (patients - others), 3), {"fill": "tozeroy"}
    some = k.told("In the street {share} are patients. ", share=k.exact(share, k.percent))
    return k.part(
        k.curve("everybody (exact)", _X, mixed, k.SERIES[1], hoverinfo="skip"),
        k.bars("up to always", _TWO, [50, 50], k.LEVEL, **_COLUMN, marker={"color": k.fill(k.GREY)}),
        _accuracy(_TWO[0], right, k.SERIES[1].colour, pattern={"shape": "/"}),
        k.curve("patients (exact)", _X, np.round(patients, 4), k.IN, hoverinfo="skip", **filled),
        k.text("each named", [-1.05, distance + 1.05], 0.31, ["everybody", "<b>patients</b>"], **_BESIDE),
        beside=0.62,
        ghost=[],
        grab=k.drag("distance", at=0.4),
        **k.words(at=distance, everybody=k.exact(right, k.in_100)),
        mix={0: "", 1: "In the street all are patients. "}.get(share, some),
    )


def _heaped(numbers):
    """Return people on heaps, where they are nearly alike: their place, and their height on the heap."""
    bins = np.round(numbers / _HEAP).astype(int)
    return bins * _HEAP, 0.038 * np.array([(bins[:each] == at).sum() + 0.7 for each, at in enumerate(bins)])


def _folk(distance, n):
    """Return some patients of the study and some left out, and the printed mean of all of the former."""
    lots = distance + np.random.default_rng(5).standard_normal((2, _SIZES[-1])).round(2)
    some, rim = {"size": 6, "hoverinfo": "skip"}, {"color": k.GREY, "width": 1.5}
    mean, rows = lots[0, :n].mean().round(2), ["<b>in</b>", "left out"]
    hollow = {"size": 6, "color": k.BACKGROUND[0], "line": rim}
    (x, up), (out, down) = _heaped(lots[0, : min(n, _SHOWN)]), _heaped(lots[1, :_SHOWN])
    return k.part(
        k.text("each row", -4.5, [-0.08, -0.2], rows, textposition="middle right"),
        k.text("mean, named", mean + 0.25, -0.48, "printed mean", textposition="middle right"),
        k.level("the floor", [-4.5, 7.4], -0.14, k.LEVEL.exact(), **k.QUIET),
        k.level("the printed mean", mean, [-0.53, -0.02], k.READING.exact().but(width=2.5)),
        k.points("some in the study", x, up - 0.14, k.IN, **some),
        # Hollow, and yet no line behind them shows.
        k.points("some left out", out, -down - 0.14, k.LEVEL, marker=hollow, hoverinfo="skip"),
    )


def _study(n):
    """Return how well a member is told from another patient by the published mean."""
    within = mip.peer_accuracy(n)
    return k.part(
        _accuracy(_TWO[1], within, k.IN.colour),
        x=k.axis(
            "blood pressure, in standard deviations", range=[-4.6, 7.4], tickvals=[0, 3, 6], showgrid=False
        ),
        y=k.unseen(-0.55, 0.43),
        x2=k.axis("a member told from", type="category", range=[-0.5, 1.5], tickangle=0),
        y2=k.axis("", {50: "a coin", 75: "75 right", 100: "100 right"}, range=[50, 101], showgrid=False),
        rows=(0.58, 0.2),
        barmode="overlay",
        showlegend=False,
        height=430,
        headline="Among patients: right {within}",
        sentence="{mix}By her blood pressure a spy tells a member from anybody {everybody}; by the printed "
        "mean of {n} he tells her from another patient {within} (both exact).",
        alt="Two curves of blood pressure: the patients' bell around {at}, and everybody's, a bell around 0 "
        "mixed with theirs; below, patients of the study, about its mean, and patients left out. {mix}Beside "
        "them two bars: a member is told from anybody {everybody}, from a patient {within}.",
        **k.words(n=k.exact(n, ".0f"), within=k.exact(within, k.in_100)),
    )


@k.figure
def blood_pressure(
    distance: Annotated[float, k.Slider(0, 4, step=0.125, label="How much patients differ")] = 1.5,
    n: Annotated[int, k.Count(_SIZES, label="Patients in the study")] = 20,
    share: Annotated[float, k.Stops(_SHARES, 0.0, label="Share of patients in the street")] = 0.0,
):
    """Draw how well an attacker tells patients from everybody, and members from patients.

    The distance is that of the patients' mean from everybody's, in standard deviations.

    Notes
    -----
    MIP paper, section 3.2.

    Examples
    --------
    >>> blood_pressure(1.5).layout.meta["headline"]
    'Among patients: right 53.7 times in 100'
    """
    return _populations, _folk, _study
