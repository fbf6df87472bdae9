"""Two releases that tell all together, and what k of them, or k answers, are worth to a spy."""

from typing import Annotated

import numpy as np

# One of the controls is called k.
import mipbook.figures.kit as kit
from mipbook.accounting.composition import composed, member_and_split_etas
from mipbook.accounting.known import from_dp
from mipbook.mip import subsets
from mipbook.pmp import design_bit
from mipbook.tradeoff import dp_accuracy

_CAST = tuple(kit.PEOPLE)
_N, _ZOE = len(_CAST) // 2, _CAST.index("Zoe")
# Two houses: how far their middles are from the picture's, and where ground, eaves and tables are. Five sit
# around a table, three behind it and two in front, so that on a phone, too, nobody hides it.
_MIDDLE, _FLOOR, _EAVES, _TABLE = 3.05, 0.55, 3.05, 1.5
_SEATS = np.array([[0, 1, 0.64, -0.64, -1], [1.12, 0.54, -0.54, -0.54, 0.54]])
_BOTH, _WHITE = np.array([-_MIDDLE, _MIDDLE]), {"fillcolor": kit.BACKGROUND[0]}
_WALL = _WHITE | {"line": {"color": kit.GREY, "width": 2}}
# The halves of the sides of two papers, of which one may hang so high, and of the second one at a door; of
# a wall; a roof and a disc.
_SHEETS, _STEP = (np.array([[1.05], [0.62]]), np.array([[1.05], [0.4]])), np.array([[0.8], [0.2]])
_UP = 2.32
_SHADOW, _FRONT = np.array([[0.05], [-0.06]]), ((_FLOOR + _EAVES) / 2, (1.85, (_EAVES - _FLOOR) / 2))
_ROOF = np.array([[-2, 0, 0.62, 0.62, 1.1, 1.1, 2, -2], [0, 0.82, 0.57, 0.86, 0.86, 0.37, 0, 0]])
# A house on a paper; the sky and the lawn, with round corners, between them two hills, and a door's path.
_SMALL = 0.01 * np.array(
    [[-9, -34, -34, -45, 0, 45, 34, 34, 9, 9, -9, -9], [0, 0, 23, 23, 47, 23, 23, 0, 0, 15, 15, 0]]
)
_LAND = (
    (f"M-5.1,{_FLOOR} V3.95 Q-5.1,4.1 -4.95,4.1 H4.95 Q5.1,4.1 5.1,3.95 V{_FLOOR} Z", kit.BLUE, 0.5),
    (f"M-2.2,{_FLOOR} Q-0.5,2.9 1.4,{_FLOOR} Z", kit.GREEN, 0.45),
    (f"M-0.8,{_FLOOR} Q0.9,2.1 2.2,{_FLOOR} Z", kit.GREEN, 0.45),
    (f"M-5.1,{_FLOOR} V0.15 Q-5.1,0 -4.95,0 H4.95 Q5.1,0 5.1,0.15 V{_FLOOR} Z", kit.GREEN, 1),
    *((f"M{x - 0.45},0.5 H{x + 0.45} L{x + 0.62},0 H{x - 0.62} Z", kit.GREY, 1) for x in (-_MIDDLE, _MIDDLE)),
)
_ROUND = np.array([np.sin(np.linspace(0, 2 * np.pi, 61)), np.cos(np.linspace(0, 2 * np.pi, 61))])
# What is printed, as it is named, and what the best spy makes of it.
_BETS = {
    "houses": ("The houses alone", "The page speaks of both houses alike"),
    "name": ("The name alone", "Say in only if the name is Zoe's"),
    "both": ("Both pages", "The name shows which house was studied"),
}


@kit.cache
def _drawn(round, seen):
    """Return who is in the study, whose name is printed, and where each stands in the two groups."""
    rng = np.random.default_rng((1452, round, [*_BETS].index(seen)))
    inside = np.isin(np.arange(2 * _N), rng.permutation(2 * _N)[:_N])
    place = np.where(inside, np.cumsum(inside), np.cumsum(~inside)) - 1
    side, (x, y) = np.where(inside, _MIDDLE, -_MIDDLE) * rng.choice([-1, 1]), _SEATS[:, place]
    return inside, int(rng.choice(np.flatnonzero(inside))), side + x, y + _TABLE


def _reply(says, was, named, seen):
    """Return what a reader hears who says, or not, that Zoe was in."""
    # Nobody had a reason to say so.
    luck = seen == "houses" or (seen == "name" and was and named != _ZOE)
    right = "Right, by luck:" if luck else "Right,"
    told = f"{right if says == was else 'No,'} Zoe was {'in' if was else 'out'}"
    if seen == "houses":
        return f"{told}. This page says nothing about her."
    if named == _ZOE:
        return f"{told}: her own name is printed."
    if seen == "both":
        return f"{told}: {_CAST[named]}'s house was studied, and she is in {'it' if was else 'the other'}."
    return f"{told}. Besides {_CAST[named]}, four of nine were in and five were out: bet on out."


def _laid(page, x, y, half):
    """Return where a paper hangs, its shadow, and what it says."""
    sheet = np.array([[x], [y]]) + half * kit.SQUARE
    places = {page: sheet, f"{page}, shadow": sheet + _SHADOW, f"{page}, in words": ([x], [y])}
    return {name: dict(zip("xy", map(list, place), strict=True)) for name, place in places.items()}


def _paper(page, at, printed):
    """Draw a paper that says what was studied, with its shadow."""
    laid, rim = _laid(page, *at, _SHEETS[page == "page two"]), {"line": {"color": kit.GREY, "width": 1}}
    return [
        kit.area(f"{page}, shadow", **laid[f"{page}, shadow"], look=kit.READING),
        kit.area(page, **laid[page], look=kit.LEVEL, **_WHITE, **rim),
        kit.text(f"{page}, in words", **laid[f"{page}, in words"], words=printed, textfont={"size": 16}),
    ]


def _box(name, at, y, half, look, **more):
    """Draw a box by the half of its sides, or one at each of many places."""
    x, y = np.add.outer(at, half[0] * kit.SQUARE[0]), y + half[1] * kit.SQUARE[1]
    sides = (x, y) if x.ndim == 1 else (kit.gapped(x), kit.gapped([y] * len(x)))
    return kit.area(name, *sides, look, **more)


def _roof(at):
    """Return the corners of a roof, whose chimney is on the outer side."""
    return at + np.sign(at) * _ROOF[0], _EAVES + _ROOF[1]


def _street():
    """Draw two houses that are alike, cut open: in each a table stands on the floor."""
    ellipse = _BOTH[:, None] + 0.95 * _ROUND[0], np.tile(_TABLE + 0.19 * _ROUND[1], (2, 1))
    roofs = np.array([_roof(at) for at in _BOTH])
    panes, dark = np.add.outer(_BOTH, [-1.2, 1.2]).ravel(), {"fillcolor": kit.GREY}
    return kit.part(
        kit.curve("a post", [0, 0], [0.25, 2.6], kit.LEVEL.exact().but(width=5), **kit.QUIET),
        _box("doorsteps", _BOTH, _FLOOR - 0.05, (0.45, 0.05), kit.LEVEL, **dark),
        _box("walls", _BOTH, *_FRONT, kit.LEVEL, **_WALL),
        _box("windows", panes, 2.62, (0.26, 0.24), kit.BEST, line=_WALL["line"]),
        _box("floors", _BOTH, _FLOOR + 0.35, (1.85, 0.35), kit.LEVEL, opacity=0.8),
        kit.area("roofs", *map(kit.gapped, roofs.swapaxes(0, 1)), kit.BEST, fillcolor=kit.BLUE),
        [
            kit.area(name, kit.gapped(ellipse[0]), kit.gapped(ellipse[1] - down), kit.LEVEL, **more)
            for name, down, more in (
                ("edges", 0.12, dark),
                ("tables", 0, _WALL),
                ("cloths", 0, {"opacity": 0.8}),
            )
        ],
        shapes=[kit.land(path, kit.fill(colour), opacity=opacity) for path, colour, opacity in _LAND],
        **kit.stage((-5.1, 5.1), (0, 4.1), height=430, ghost=[]),
    )


def _round(round, seen):
    """Draw the ten as they are printed; with the answer a light goes on in the house that was studied."""
    inside, named, x, y = _drawn(round, seen)
    was, index, late = bool(inside[_ZOE]), np.arange(2 * _N), {"meta": "reveal", **kit.QUIET}
    alone, answer = seen == "name", "in" if was else "out"
    # Before the houses they stand by the alphabet, which tells nothing.
    first = (0.95 * (index - _N + 0.5), 0.34 + 0.36 * (index % 2)) if alone else (x, y)
    # By the groups alone nobody has more than a coin, so there is no best player to compare with.
    best = {"houses": None, "name": "in" if named == _ZOE else "out", "both": answer}[seen]
    # Who is asked about is larger.
    size = np.where(index == _ZOE, 44, 39)
    faces = {"color": list(kit.PEOPLE.values()), "size": size, "opacity": 1}
    faces["line"] = {"color": kit.BACKGROUND[0], "width": 1.5}
    lit = ("the study", "the others", "their roof", "who was in", *(f"{way}, lit" for way in ("in", "out")))
    sides = x[inside].mean() * np.array([1, -1])
    there = {"the ten": {"x": x, "y": y}, "which house": {"opacity": 0}}
    closed = ("fronts", "doors", "shutters", "who is behind", "a post")
    there |= {name: {"opacity": 0} for name in closed if alone}
    if seen != "houses":
        there |= _laid("page two", np.sign(sides[0]) * _MIDDLE, 0.24, _STEP)
        # At its door the name is enough.
        there["page two, in words"]["text"] = [f"<b>{_CAST[named]}</b>"]
    after = [there | {name: {"opacity": 0} for name in lit}, {name: {"opacity": 1} for name in lit}]
    white = {"color": kit.BACKGROUND[0], "size": 18}
    lines = [{"line": {"color": look.colour, "width": 4, "dash": look.dash}} for look in (kit.IN, kit.OUT)]
    bare = {"fillcolor": "rgba(0,0,0,0)"}
    panes = np.add.outer(_BOTH, [-1.2, 0, 1.2]).ravel()
    houses = [
        _box("the study", sides[0], *_FRONT, kit.IN, **late, **lines[0]),
        _box("the others", sides[1], *_FRONT, kit.OUT, **late, **lines[1], **bare),
        kit.area("their roof", *_roof(sides[1]), kit.LEVEL, fillcolor=kit.GREY, **late),
    ]
    fronts = [
        _box("fronts", _BOTH, *_FRONT, kit.LEVEL, **_WALL),
        _box("doors", _BOTH, _FLOOR + 0.6, (0.4, 0.6), kit.BEST, fillcolor=kit.BLUE),
        _box("shutters", panes, 2.45, (0.36, 0.28), kit.LEVEL, fillcolor=kit.GREY),
        kit.text("who is behind", panes, 2.45, ["<b>?</b>"] * 6, textfont=white),
    ]
    pages = []
    if not alone:
        small = kit.gapped(np.add.outer([-0.5, 0.5], _SMALL[0])), kit.gapped([2.4 + _SMALL[1]] * 2)
        pages += [_paper("page one", (0, _UP), "<br><br>one was<br>studied")]
        pages += [kit.area("page one, houses", *small, kit.BEST, fillcolor=kit.BLUE)]
    if seen != "houses":
        pages += [_paper("page two", (0, _UP if alone else 1.2), f"studied:<br><b>{_CAST[named]}</b>")]
    eta = member_and_split_etas(_N, 1)[["name", "houses", "both"].index(seen)]
    return kit.part(
        houses,
        fronts * alone,
        kit.text("which house", _BOTH, 3.27, ["<b>house 1</b>", "<b>house 2</b>"], textfont=white),
        kit.text(
            "who was in", sides, 3.32, ["<b>in</b>", "<b>out</b>"], textfont=white | {"size": 22}, **late
        ),
        [
            kit.points(
                f"{side}, lit", x[those], y[those], look.with_symbol("circle"), size=size[those] + 10, **late
            )
            for side, those, look in (("in", inside, kit.IN), ("out", ~inside, kit.OUT))
        ],
        kit.cast(*first, _CAST, size=40, marker=faces, showlegend=False),
        pages,
        after=[{"marks": marks} for marks in after],
        options=[["in", "Zoe was in"], ["out", "Zoe was out"]],
        answer=answer,
        optimal=best,
        replies={
            "/".join(filter(None, (says, answer, best))): _reply(says == "in", was, named, seen)
            for says in ("in", "out")
        },
        headline=f"{_BETS[seen][0]}: right {{right}}",
        sentence=f"{_BETS[seen][1]}: the best spy is right {{right}} (exact).",
        alt=f"Ten people {'before two houses' if alone else 'in two houses, five around each table'}"
        f"{'' if seen == 'houses' else ', and a paper that names ' + _CAST[named]}. It is asked whether Zoe "
        "was one of the five who were in the study; then all ten are shown as in or out.",
        right=kit.exact(0.5 + eta, kit.in_100),
    )


@kit.figure
def name_one(
    round: Annotated[int, kit.Rounds(24, label="Was Zoe one of the five?", alone=3)] = 0,
    seen: Annotated[str, kit.Choice(_BETS.keys(), label="Printed")] = "houses",
):
    """Ask whether Zoe was one of five of ten, by two houses, one of which was studied, a name, or both.

    Notes
    -----
    This book, Theorem 2.4 (a): `mipbook.pmp.partition_mechanism`, and `mipbook.pmp.publish_one`.

    Examples
    --------
    >>> [name_one(0, seen).layout.meta["headline"] for seen in ("houses", "both")]
    ['The houses alone: right 50 times in 100', 'Both pages: right 100 times in 100']
    """
    return _street, _round


_RELEASES = [1, 2, 3, 4, 6, 8, 10, 14, 20, 26, 32, 40, 50, 60, 70, 80, 90, 100]
# What the hints say: each is true with its own chance, against one drawn for all ε.
_HINTS = np.random.default_rng([5, 2717]).random(_RELEASES[-1])
# A seesaw in a picture of its own; so many hints lie beside each other on a side of it.
_SEESAW, _BESIDE = {"xaxis": "x2", "yaxis": "y2"}, 15
_COIN = {50: "a coin", 60: "60", 80: "80", 100: "100"}
_EPSILONS = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]


@kit.cache
def _right(epsilon, k):
    """Return how often in 100 the best spy of k releases is right."""
    return 100 * composed(from_dp(epsilon), k).accuracy()


def _against_k(epsilon):
    """Return how often the best spy of k releases is right, and how often if evidence only added up."""
    told = {"hover": "%{x} releases, %{fullData.name}: right %{customdata} times in 100", "showlegend": False}
    # The odds of k releases that all speak for one side.
    summed = [100 * dp_accuracy(k * epsilon) for k in _RELEASES]
    exact = [_right(epsilon, k) for k in _RELEASES]
    # Its name stands below the lower curve, and above it where there is no room.
    half = exact[_RELEASES.index(50)]
    above, beside = (95, summed[-1] + 2), (56, half + 5 * (1 - 2 * (half > 56)))
    sides = (
        (
            "sum of ε, at most",
            summed,
            kit.LEVEL.but(dash="dash", width=2.5),
            "<b>the sum of ε</b>, at most",
            "top left",
            above,
        ),
        ("together, exact", exact, kit.BEST, "<b>the best spy</b>", "middle right", beside),
    )
    areas, lines, names = [], [], []
    for name, right, look, text, to, (x, y) in sides:
        told["customdata"] = [kit.up(value, 3) for value in right]
        under = [_RELEASES + _RELEASES[::-1], right + [50] * len(right)]
        # What the spy really reaches lies on a ground of its own.
        plain = {"fillcolor": kit.BACKGROUND[0]}
        areas += [kit.area(f"{name}, ground", *under, look, **plain)] * (look is kit.BEST)
        areas.append(kit.area(f"{name}, under it", *under, look))
        lines.append(kit.curve(name, _RELEASES, right, look, **told))
        style = {"textposition": to, "textfont": {"color": look.colour}, "cliponaxis": False}
        names.append(kit.text(f"{name}, named", [x], [y], [text], **style))
    return kit.part(
        areas,
        kit.smooth(lines[0]),
        lines[1],
        names,
        kit.area("a foot", [-0.7, 0.7, 0, -0.7], [-2.1, -2.1, -0.1, -2.1], kit.LEVEL, **_SEESAW)
        | {"fillcolor": kit.INK},
        x=kit.axis("releases", range=[0, 110], dtick=25, showgrid=False),
        y=kit.axis("right, times in 100", _COIN, range=[50, 106], showgrid=False) | {"domain": [0, 0.56]},
        # The seesaw stands above the frame.
        layout={"xaxis2": kit.unseen(-10, 10, anchor="y2"), "yaxis2": kit.unseen(-2.7, 6.2, domain=[0.6, 1])},
        height=430,
        grab=kit.drag("k", _RELEASES, np.round(exact, 4)),
        probe=[line["name"] for line in lines],
        ghost=["together, exact"],
    )


def _cost(k, epsilon):
    right = kit.exact(_right(epsilon, k), kit.short_of_100)
    # One that says out takes back one that says in: the plank leans by those that are left.
    true = int((_HINTS[: int(k)] < 1 / (1 + np.exp(-epsilon))).sum())
    sides = (("in", 1, true, kit.IN.but(symbol="circle")), ("out", -1, int(k) - true, kit.OUT))
    few, lean = min(true, int(k) - true), 0.13 * np.tanh((2 * true - k) / 15)
    above, rows = {**_SEESAW, **kit.QUIET}, []
    for says, side, many, look in sides:
        up, beside = np.divmod(np.arange(many), _BESIDE)
        x = side * (1.25 + 0.55 * beside)
        y, lead = 0.6 + 0.8 * up - lean * x, f"<b>{many - few} ahead</b>" if many > few else " "
        style = {"textfont": {"color": look.colour, "size": 15}, **above}
        rows += [
            kit.points(f"hints, {says}", x[:few], y[:few], look, size=7.5 + side / 2, opacity=0.3, **above),
            kit.points(f"hints ahead, {says}", x[few:], y[few:], look, size=7.5 + side / 2, **above),
            kit.text(f"hints, {says}: many", 5.2 * side, -2.1, f"{many} say {says}", **style),
            kit.text(f"hints, {says}: lead", 5.2 * side, 1.2 + y.max(initial=0), lead, **style),
        ]
    plank = kit.curve("a plank", [-9.4, 9.4], [9.4 * lean, -9.4 * lean], kit.READING.but(width=4), **above)
    return kit.part(
        plank,
        rows,
        kit.reading(k, right.value, "at your k"),
        headline="right {right} times in 100",
        sentence="The best spy follows the majority. He is right {right} times in 100 at most (exact); the "
        "sum of ε, {total}, would allow {summed} (bound).",
        alt="How often the best spy is right against the number of releases: by the sum of ε it shoots "
        "to 100, in truth it climbs slowly and is {right} for {k}. Above it the hints on a seesaw: those "
        "that say in lie on its right, the others on its left, and it leans by the {ahead} that are ahead.",
        ahead=abs(2 * true - int(k)),
        **kit.words(k=int(k), right=right, total=k * epsilon),
        summed=kit.at_most(dp_accuracy(k * epsilon), kit.in_100),
    )


@kit.figure
def composition_costs(
    k: Annotated[int, kit.Stops(_RELEASES, label="Releases", play=True).safe("up")] = 100,
    epsilon: Annotated[float, kit.Stops(_EPSILONS, label="ε of each").safe("up")] = 0.1,
):
    """Draw how often a spy is right after k releases, beside what their sum would allow.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorems 3.3 and 3.4.

    Examples
    --------
    >>> composition_costs(100).layout.meta["headline"]
    'right 69.1 times in 100'
    """
    return _against_k, _cost


_MOST = 15


def _staircase(k, epsilon):
    """Return how often the best spy is right: the whole staircase, and the steps that he has climbed."""
    steps = np.arange(1, _MOST + 1)
    found = [_right(epsilon, k) for k in steps.tolist()]
    name, told = "the worst case for this ε (exact)", [kit.up(value, 3) for value in found]
    hover = {"hover": "%{x} answers: right at most %{customdata:.3g} times in 100", "customdata": told}
    room = steps[:, None] + 0.44 * kit.SQUARE[0], np.tile(75 + 25 * kit.SQUARE[1], (_MOST, 1))
    stairs, shown = np.array(found) - 50, {"base": 50, "showlegend": False}
    return kit.part(
        kit.area("room", *map(kit.gapped, room), kit.LEVEL, opacity=0.7),
        kit.bars(name, steps, stairs, kit.BEST, opacity=0.35, **shown, **hover),
        kit.bars("the worst case so far", steps[:k], stairs[:k], kit.BEST, **shown, hoverinfo="skip"),
        kit.bars("one answer", steps[:1], stairs[:1], kit.BEST, **shown, hoverinfo="skip"),
        x=kit.axis("answers", range=[0.3, _MOST + 0.7], tickvals=[1, 5, 10, _MOST], showgrid=False),
        y=kit.axis("right, times in 100", range=[50, 101], tickvals=[*range(50, 101, 10)], showgrid=False)
        | {"domain": [0, 0.64]},
        # The hands stand above the frame.
        y2={"domain": [0.67, 1], "range": [-1.9, 3.4], "visible": False, "anchor": "x"},
        barmode="overlay",
        bargap=0.12,
        height=420,
        grab=kit.drag("k", steps, np.round(found, 4)),
        probe=[name],
        ghost=[],
    )


def _answers(k, epsilon, draw):
    """Show above the steps k answers about Zoe, who was in, and what the spy makes of them."""
    chances = np.random.default_rng((147, draw)).random(_MOST)
    true, number = chances < 1 / (1 + np.exp(-epsilon)), np.arange(_MOST) + 1
    said = number <= k
    ayes, noes = int((said & true).sum()), int((said & ~true).sum())
    verdict = "he says <b>in</b>, and is right" if ayes > noes else "he says <b>out</b>, and is wrong"
    told = f"{ayes} in, {noes} out: {'a tie' if ayes == noes else verdict}"
    above, hands = {"yaxis": "y2", **kit.QUIET}, []
    for says, those, up, look in (("in", said & true, 1, kit.IN), ("out", said & ~true, -1, kit.OUT)):
        x = number[those]
        arms = (kit.gapped(np.outer(x, [1, 1])) or [None], [0, 0.9 * up, None] * x.size or [None])
        hands += [
            kit.curve(f"arms, {says}", *arms, look.exact().but(width=5), **above),
            kit.points(f"says {says}", x, up, look, size=17, **above),
        ]
    return kit.part(
        kit.curve("nobody yet", [0.5, _MOST + 0.5], [0, 0], kit.LEVEL.exact().but(width=1), **above),
        kit.points("to come", number[~said], 0, kit.LEVEL, size=7, **above),
        hands,
        kit.text("what he hears", [0.5], [2.7], [told], textposition="middle right", yaxis="y2")
        | {"textfont": {"size": 15}},
        alt="How often the best spy is right, against the number of answers: a staircase whose every "
        "second step is flat, {right} for {k}. Above it the answers as hands: {said} are raised and say in, "
        "the others lie.",
        said=ayes,
    )


def _second(k, epsilon):
    """Say what so many answers are worth."""
    right = kit.exact(_right(epsilon, k), kit.short_of_100)
    last = "The majority decides." if k % 2 else "The last answer gained nothing: at most it can make a tie."
    told = f"After {{k}} answer{'s' * (k > 1)} the best spy is right {{right}} times in 100 (exact)."
    return kit.part(
        kit.reading(k, right.value, "at your k"),
        headline="right {right} times in 100",
        sentence=f"{told} {last}",
        **kit.words(k=k, right=right),
    )


@kit.figure
def votes(
    k: Annotated[int, kit.Slider(1, _MOST, step=1, value=1, label="Answers", play=True)] = 2,
    epsilon: Annotated[float, kit.Choice([0.1, 0.5, 1.0, 2.0], 0.5, label="ε of each")] = 0.5,
    draw: Annotated[int, kit.Draws(15, label="Other answers", play=False)] = 1,
):
    """Draw how often the best is right by k answers some of which are lies, and which way they lead.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorem 3.3.

    Examples
    --------
    >>> [votes(k).layout.meta["headline"] for k in (1, 2)]
    ['right 62.2 times in 100', 'right 62.2 times in 100']
    """
    return _staircase, _second, _answers


_STUDIES, _LISTED = subsets(6).astype(bool), design_bit()[:, 1] > 0.5
_SIX, _HERS = np.array([*_CAST[:5], "Zoe"]), _STUDIES[:, -1]
# A study and the three whom it leaves out are a column, the one on the list above; Zoe's are the first.
_FIRST = sorted(np.flatnonzero(_LISTED), key=lambda study: not _HERS[study])
_COLUMN = np.argsort([*_FIRST, *(19 - study for study in _FIRST)]) % 10
# How far the second row lies below the first; the corners of a card, and of what lies under a row.
_DOWN, _EDGE, _BAND = -4.3, np.array([[0.42], [1.45]]) * kit.SQUARE, np.array([[0.5], [1.62]]) * kit.SQUARE
_PRINTED = {"page one": "leaves a column", "page two": "leaves a row", "both": "cross in one card"}


def _faces(those):
    """Return who is on some of the twenty studies, and where, three on each."""
    study, person = np.nonzero(_STUDIES & those[:, None])
    return _COLUMN[study], _DOWN * ~_LISTED[study] + 0.95 * (1 - np.arange(study.size) % 3), _SIX[person]


def _sheets(name, those, look, by=0.0, **more):
    """Draw some of the cards, moved to the right and down by so much."""
    places = (_COLUMN[those] + 0.3 * by, _DOWN * ~_LISTED[those] - by)
    corners = (kit.gapped(at[:, None] + side) for at, side in zip(places, _EDGE, strict=True))
    return kit.area(name, *corners, look, **more)


def _twenty():
    rows, every = ([-0.6, -0.6], [2.05, _DOWN + 2.02], ["on the list", "not on the list"]), _LISTED | True
    x, y, who = _faces(every)
    hers, white = who == "Zoe", {"textfont": {"color": kit.BACKGROUND[0], "size": 13}, **kit.QUIET}
    dark = {"textfont": {"color": kit.INK, "size": 13}, **kit.QUIET}
    pale = kit.cast(x[~hers], y[~hers], who[~hers], name="all twenty", size=18, **dark)
    pale["marker"]["opacity"], rim = 0.35, {"color": kit.GREY, "width": 1}
    return kit.part(
        kit.text("the rows", *rows, textposition="middle right"),
        _sheets("cards", every, kit.LEVEL, fillcolor=kit.BACKGROUND[0], line=rim),
        pale,
        # On her ten cards she is found at once: one in each column, five in each row.
        kit.cast(x[hers], y[hers], ["Zoe"] * 10, name="Zoe's cards", size=20, **white),
        **kit.stage((-0.7, 9.7), (-6.8, 4.05), height=430, ghost=[]),
        showlegend=False,
        alt="Twenty cards of three people, in ten columns of a study and the three whom it leaves out, and "
        "two rows, on a list and not. By what is printed {left} are lit; Zoe is on {hers} of them.",
    )


def _bands(printed, draw):
    """Lay under the cards a band for what each page leaves; the bands cross."""
    upright = (_COLUMN[draw - 1] + _BAND[0], _DOWN / 2 + 3.9 * kit.SQUARE[1])
    flat = (4.5 + 5.15 * kit.SQUARE[0], _DOWN * (not _LISTED[draw - 1]) + _BAND[1])
    return kit.part(
        kit.area("page one's column", *upright, kit.SERIES[2], opacity=float(printed != "page two")),
        kit.area("page two's row", *flat, kit.SERIES[3], opacity=float(printed != "page one")),
    )


def _left(printed, draw):
    """Light the cards that what is printed leaves."""
    column, row = (each == each[draw - 1] for each in (_COLUMN, _LISTED))
    lit = {"page one": column, "page two": row}.get(printed, column & row)
    groups = "\u2002or\u2002".join(" ".join(who[0] for who in _SIX[study]) for study in _STUDIES[column])
    said = [
        f"<b>Page one:</b> {groups}",
        f"<b>Page two:</b> {'' if _LISTED[draw - 1] else 'not '}on the list",
    ]
    said = {"page one": said[:1], "page two": said[1:]}.get(printed, said)
    frames, many, hers = [], int(lit.sum()), int((lit & _HERS).sum())
    on = "on {hers} of {left}" if many > 1 else "on it" if hers else "not on it"
    at, level = _COLUMN[draw - 1], _DOWN * (not _LISTED[draw - 1])
    for name, those, look in (("with Zoe", lit & _HERS, kit.IN), ("without her", lit & ~_HERS, kit.OUT)):
        line = {"color": look.colour, "width": 3, "dash": look.dash}
        frames.append(_sheets(name, those, look, line=line))
    x, y, who = _faces(lit)
    names = [
        " " if printed == other else f"<b>{page}</b>"
        for page, other in zip(("page one", "page two"), ("page two", "page one"), strict=True)
    ]
    inks = {"color": [kit.SERIES[2].colour, kit.SERIES[3].colour]}
    return kit.part(
        kit.text("whose", [np.clip(at, 0.4, 8.6), 9.65], [-6.42, level + 2.05], names, textfont=inks)
        | {"textposition": ["middle center", "middle left"]},
        _sheets("shadows", lit, kit.READING, by=0.16),
        _sheets("papers", lit, kit.READING, fillcolor=kit.BACKGROUND[0]),
        frames,
        kit.cast(
            x,
            y,
            who,
            name="left",
            size=22,
            showlegend=False,
            textfont={"color": kit.BACKGROUND[0], "size": 13},
        ),
        kit.text("what is printed", [4.5], [2.75], "<br>".join(said), textposition="top center")
        | {"textfont": {"size": 15}},
        headline=f"{{left}} card{'s' * (many > 1)} left: right {{right}}",
        sentence=f"{{pages}} {{leave}}. Zoe is {on}, so the best spy is right about her {{right}} (exact).",
        pages="Both" if printed == "both" else printed.capitalize(),
        leave=_PRINTED[printed],
        **kit.words(left=many, hers=hers),
        right=kit.exact(max(hers, many - hers) / many, kit.in_100),
    )


@kit.figure
def zero_and_zero(
    printed: Annotated[str, kit.Choice(_PRINTED.keys(), label="Printed")] = "page one",
    draw: Annotated[int, kit.Draws(20, label="Another study")] = 3,
):
    """Draw all studies of three of six people, and those that two pages, each of which tells nothing, leave.

    Notes
    -----
    This book, Theorem 3.7: `mipbook.pmp.partition_mechanism` and `mipbook.pmp.design_bit`.

    Examples
    --------
    >>> [zero_and_zero(printed).layout.meta["headline"] for printed in ("page one", "both")]
    ['2 cards left: right 50 times in 100', '1 card left: right 100 times in 100']
    """
    return _bands, _twenty, _left
