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
# What is printed, as it is named, and what the best spy makes of it.
_BETS = {
    "circles": ("The circles alone", "The page speaks of both circles alike"),
    "name": ("The name alone", "Say in only if the name is Zoe's"),
    "both": ("Both pages", "The name shows which circle was studied"),
}


@kit.cache
def _drawn(round, seen):
    """Return who is in the study, whose name is printed, and where each stands in the two groups."""
    rng = np.random.default_rng((1452, round, [*_BETS].index(seen)))
    inside = np.isin(np.arange(2 * _N), rng.permutation(2 * _N)[:_N])
    place = np.where(inside, np.cumsum(inside), np.cumsum(~inside)) - 1
    turn, side = 2 * np.pi * place / _N, np.where(inside, 1.4, -1.4) * rng.choice([-1, 1])
    return inside, int(rng.choice(np.flatnonzero(inside))), side + 0.82 * np.sin(turn), 0.82 * np.cos(turn)


def _reply(says, was, named, seen):
    """Return what a reader hears who says, or not, that Zoe was in."""
    # Nobody had a reason to say so.
    luck = seen == "circles" or (seen == "name" and was and named != _ZOE)
    right = "Right, by luck:" if luck else "Right,"
    told = f"{right if says == was else 'No,'} Zoe was {'in' if was else 'out'}"
    if seen == "circles":
        return f"{told}. This page says nothing about her."
    if named == _ZOE:
        return f"{told}: her own name is printed."
    if seen == "both":
        return f"{told}: {_CAST[named]}'s circle is the study, and she is in {'it' if was else 'the other'}."
    return f"{told}. Besides {_CAST[named]}, four of nine were in and five were out: bet on out."


def _round(round, seen):
    """Draw the ten as they are printed; with the answer all light up, in circles of their own."""
    inside, named, x, y = _drawn(round, seen)
    was, index, late = bool(inside[_ZOE]), np.arange(2 * _N), {"meta": "reveal", **kit.QUIET}
    # The rows of the alphabet tell nothing.
    first = (index % _N - 2.0, 0.6 - 1.2 * (index // _N)) if seen == "name" else (x, y)
    answer, page = "in" if was else "out", ["One of these circles was studied."]
    # By the groups alone nobody has more than a coin, so there is no best player to compare with.
    best = {"circles": None, "name": "in" if named == _ZOE else "out", "both": answer}[seen]
    if seen != "circles":
        page = page * (seen == "both") + [f"<b>{_CAST[named]}</b> was in the study."]
    # Who is asked about is larger.
    size = np.where(index == _ZOE, 42, 36)
    faces = {"color": list(kit.PEOPLE.values()), "size": size, "opacity": 1}
    lit, there = ("who was in", "the study", "the others"), {"the ten": {"x": x, "y": y}}
    if seen == "name":
        there["the printed name"] = {"x": x[[named]], "y": y[[named]]}
    after = [there | {name: {"opacity": 0} for name in lit}, {name: {"opacity": 1} for name in lit}]
    sides, inks = x[inside].mean() * np.array([1, -1]), {"color": [kit.BLUE, kit.ORANGE], "size": 17}
    plain, turn = late if seen == "name" else kit.QUIET, np.linspace(0, 2 * np.pi, 61)
    circles = [("one circle", -1.4, kit.LEVEL, plain), ("the other circle", 1.4, kit.LEVEL, plain)]
    full = {"fill": "toself", **late}
    circles += [("the study", sides[0], kit.IN, full), ("the others", sides[1], kit.OUT.exact(), full)]
    eta = member_and_split_etas(_N, 1)[["name", "circles", "both"].index(seen)]
    ring = [side[[named] * (seen != "circles")] for side in first]
    return kit.part(
        [
            kit.curve(name, at + 1.29 * np.sin(turn), 1.29 * np.cos(turn), look, **more)
            for name, at, look, more in circles
        ],
        kit.text("who was in", sides, [-1.52] * 2, ["<b>in</b>", "<b>out</b>"], textfont=inks, **late),
        kit.points("the printed name", *ring, kit.READING.with_symbol("circle-open"), size=48, **kit.QUIET),
        kit.text("printed", [0], [1.64], ["<br>".join(page)], textfont={"size": 15}),
        kit.cast(*first, _CAST, size=36, marker=faces, showlegend=False),
        **kit.stage((-2.95, 2.95), (-1.68, 2.1), square=True, height=340, ghost=[]),
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
        alt=f"Ten people in {'two rows by their names' if seen == 'name' else 'two circles of five'}"
        f"{'' if seen == 'circles' else ', a ring around ' + _CAST[named]}. It is asked whether Zoe was "
        "one of the five who were in the study; then all ten are shown as in or out.",
        right=kit.exact(0.5 + eta, kit.in_100),
    )


@kit.figure
def name_one(
    round: Annotated[int, kit.Rounds(24, label="Was Zoe one of the five?", alone=3)] = 0,
    seen: Annotated[str, kit.Choice(_BETS.keys(), label="Printed")] = "circles",
):
    """Ask whether Zoe was one of five of ten, by two groups, one of which was studied, a name, or both.

    Notes
    -----
    This book, Theorem 2.4 (a): `mipbook.pmp.partition_mechanism`, and `mipbook.pmp.publish_one`.

    Examples
    --------
    >>> [name_one(0, seen).layout.meta["headline"] for seen in ("circles", "both")]
    ['The circles alone: right 50 times in 100', 'Both pages: right 100 times in 100']
    """
    return _round


_RELEASES = [1, 2, 3, 4, 6, 8, 10, 14, 20, 26, 32, 40, 50, 60, 70, 80, 90, 100]
# What the hints say: each is true with its own chance, against one drawn for all ε.
_HINTS = np.random.default_rng([5, 7]).random(_RELEASES[-1])
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
        ("sum of ε, at most", summed, kit.PUBLISHED, "<b>the sum</b>, a limit", "top left", above),
        ("together, exact", exact, kit.BEST, "<b>the best spy</b>", "middle right", beside),
    )
    lines, names = [], []
    for name, right, look, text, to, (x, y) in sides:
        told["customdata"] = [kit.up(value, 3) for value in right]
        lines.append(kit.curve(name, _RELEASES, right, look, **told))
        style = {"textposition": to, "textfont": {"color": look.colour}, "cliponaxis": False}
        names.append(kit.text(f"{name}, named", [x], [y], [text], **style))
    return kit.part(
        kit.smooth(lines[0]),
        lines[1],
        names,
        x=kit.axis("releases, k", range=[0, 104], dtick=25, showgrid=False),
        y=kit.axis("right, times in 100", range=[48, 106], showgrid=False) | {"domain": [0, 0.66]},
        # The hints stand above the frame.
        y2={"domain": [0.7, 1], "range": [0.5, 3.3], "visible": False, "anchor": "x"},
        height=400,
        grab=kit.drag("k", _RELEASES, np.round(exact, 4)),
        probe=[line["name"] for line in lines],
        ghost=["together, exact"],
    )


def _cost(k, epsilon):
    right = kit.exact(_right(epsilon, k), kit.short_of_100)
    # One that says out stands below one that says in, and takes it back.
    true = int((_HINTS[: int(k)] < 1 / (1 + np.exp(-epsilon))).sum())
    sides = (("in", 2, true, kit.IN), ("out", 1, int(k) - true, kit.OUT))
    few, above, rows = min(sides[0][2], sides[1][2]), {"yaxis": "y2", **kit.QUIET}, []
    for says, y, many, look in sides:
        stick, x = look.with_symbol("line-ns-open"), np.arange(many) + 1.0
        lead = f"<b>{many - few} ahead</b>" if many > few else " "
        style = {"textfont": {"color": look.colour}, **above}
        rows += [
            kit.points(f"hints, {says}", x[:few], y, stick, size=20, opacity=0.3, **above),
            kit.points(f"hints ahead, {says}", x[few:], y, stick, size=20, **above),
            kit.text(f"hints, {says}: many", 104, y, f"{many} {says}", textposition="middle left", **style),
            kit.text(f"hints, {says}: lead", few + 0.5, 2.95, lead, textposition="middle right", **style),
        ]
    return kit.part(
        rows,
        kit.reading(k, right.value, "at your k"),
        headline="right {right} times in 100",
        sentence="The best spy follows the majority. He is right {right} times in 100 at most (exact); the "
        "sum of ε, {total}, would allow {summed} (bound).",
        alt="How often the best spy is right against the number of releases: by the sum of ε it shoots "
        "to 100, in truth it climbs slowly and is {right} for {k}. Above it the hints: each that says out "
        "takes back one that says in, and {ahead} are left.",
        ahead=abs(2 * true - int(k)),
        **kit.words(k=int(k), right=right, total=k * epsilon),
        summed=kit.at_most(dp_accuracy(k * epsilon), kit.in_100),
    )


@kit.figure
def composition_costs(
    k: Annotated[int, kit.Stops(_RELEASES, label="Releases, k", play=True).safe("up")] = 100,
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
    steps = np.arange(1, _MOST + 2)
    found = [_right(epsilon, k) for k in steps.tolist()]
    name, told = "the worst case for this ε (exact)", [kit.up(value, 3) for value in found]
    hover = "%{x} answers: right at most %{customdata:.3g} times in 100"
    line = {"color": kit.BEST.colour, "dash": kit.BEST.dash, "width": kit.BEST.width, "shape": "hv"}
    stair = {"line": line, "showlegend": False}
    climbed = {"line": line, "marked": True, **kit.QUIET}
    return kit.part(
        kit.curve(name, steps, found, kit.BEST, opacity=0.45, customdata=told, hover=hover, **stair),
        kit.curve("the worst case so far", steps[:k], found[:k], kit.BEST, **climbed),
        kit.points("one answer", 1, found[0], kit.BEST, **kit.QUIET),
        x=kit.axis("answers, k", range=[0.3, _MOST + 0.7], tickvals=[1, 5, 10, _MOST], showgrid=False),
        y=kit.axis("right, times in 100", range=[50, 101], tickvals=[*range(50, 101, 10)], showgrid=False)
        | {"domain": [0, 0.76]},
        # The answers stand above the frame.
        y2={"domain": [0.8, 1], "range": [0, 3], "visible": False, "anchor": "x"},
        height=400,
        grab=kit.drag("k", steps[:_MOST], np.round(found[:_MOST], 4)),
        probe=[name],
        ghost=[],
    )


def _answers(k, epsilon, draw):
    """Show above the steps k answers about Zoe, who was in, and what the spy makes of them."""
    chances = np.random.default_rng((147, draw)).random(_MOST)
    true, number = chances < 1 / (1 + np.exp(-epsilon)), np.arange(_MOST)
    said = number < k
    ayes, noes = int((said & true).sum()), int((said & ~true).sum())
    verdict = "he says <b>in</b>, and is right" if ayes > noes else "he says <b>out</b>, and is wrong"
    told = f"{ayes} in, {noes} out: {'a tie' if ayes == noes else verdict}"
    place, above = np.array([number + 1, np.full(_MOST, 0.7)]), {"yaxis": "y2", **kit.QUIET}
    return kit.part(
        kit.points("to come", *place[:, ~said], kit.LEVEL, size=4, **above),
        kit.points("says in", *place[:, said & true], kit.IN, size=14, **above),
        kit.points("says out", *place[:, said & ~true], kit.OUT.with_symbol("x"), size=12, **above),
        kit.text("what he hears", [0.7], [2.2], [told], textposition="middle right", yaxis="y2"),
        alt="How often the best spy is right, against the number of answers: a staircase whose every "
        "second step is flat, {right} for {k}. Above it the answers: {said} say in, the others lie.",
        said=ayes,
    )


def _second(k, epsilon):
    """Say what so many answers are worth."""
    right = kit.exact(_right(epsilon, k), kit.short_of_100)
    last = "The majority decides." if k % 2 else "The last answer gained nothing: at most it made a tie."
    told = f"After {{k}} answer{'s' * (k > 1)} the best spy is right {{right}} times in 100 (exact)."
    return kit.part(
        kit.reading(k, right.value, "at your k"),
        headline="right {right} times in 100",
        sentence=f"{told} {last}",
        **kit.words(k=k, right=right),
    )


@kit.figure
def votes(
    k: Annotated[int, kit.Slider(1, _MOST, step=1, value=1, label="Answers, k", play=True)] = 2,
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
_EDGE = np.array([[0.45], [1.4]]) * kit.SQUARE
_PRINTED = {"page one": "leaves a column", "page two": "leaves a row", "both": "cross in one card"}


def _cards(name, those, **more):
    """Draw some of the twenty studies, three faces each."""
    study, person = np.nonzero(_STUDIES & those[:, None])
    up = -3.6 * ~_LISTED[study] + 0.9 * (1 - np.arange(study.size) % 3)
    return kit.cast(_COLUMN[study], up, _SIX[person], name=name, size=20, showlegend=False, **more)


def _twenty():
    rows = [-0.5, -0.5], [1.8, -1.78], ["on the list:", "not on the list:"]
    return kit.part(
        _cards("all twenty", _LISTED | True, opacity=0.4),
        kit.text("the rows", *rows, textposition="middle right"),
        **kit.stage((-0.6, 9.6), (-5.9, 3.7), height=390, ghost=[]),
        showlegend=False,
        alt="Twenty cards of three people, in ten columns of a study and the three whom it leaves out, and "
        "two rows, on a list and not. By what is printed {left} are lit; Zoe is on {hers} of them.",
    )


def _left(printed, draw):
    """Light the cards that what is printed leaves."""
    column, row = (each == each[draw - 1] for each in (_COLUMN, _LISTED))
    lit = {"page one": column, "page two": row}.get(printed, column & row)
    groups = " or ".join(", ".join(_SIX[study]) for study in _STUDIES[column])
    said = [f"Page one: {groups}", f"Page two: {'' if _LISTED[draw - 1] else 'not '}on the list"]
    said = {"page one": said[:1], "page two": said[1:]}.get(printed, said)
    frames, many, hers = [], int(lit.sum()), int((lit & _HERS).sum())
    on = "on {hers} of {left}" if many > 1 else "on it" if hers else "not on it"
    large = {"textfont": {"size": 15}}
    for name, those, look in (("with Zoe", lit & _HERS, kit.IN), ("without her", lit & ~_HERS, kit.OUT)):
        x, y = _COLUMN[those], -3.6 * ~_LISTED[those]
        around = (kit.gapped(at[:, None] + side) for at, side in zip((x, y), _EDGE, strict=True))
        frames.append(kit.curve(name, *around, look, fill="toself", hoverinfo="skip"))
    # What page one leaves, and then page two, are outlined in what comes after.
    x, y, up = _COLUMN[draw - 1] + 0.55 * kit.SQUARE[0], 4.5 + 5.05 * kit.SQUARE[0], kit.SQUARE[1]
    level, dots = -3.6 * (not _LISTED[draw - 1]), {"look": kit.READING.estimate().but(width=2), **kit.QUIET}
    frames += [kit.curve("page one's column", x, 3.3 * up - 1.8, **dots)] * (printed != "page one")
    frames += [kit.curve("page two's row", y, 1.5 * up + level, **dots)] * (printed == "both")
    pages = 1 + (printed != "page one")
    whose = ([np.clip(_COLUMN[draw - 1], 0.4, 8.6), 8.7], [-5.55, 1.8 + level], ["page one", "page two"])
    return kit.part(
        frames,
        _cards("left", lit),
        kit.text("whose", *(each[:pages] for each in whose)),
        kit.text("what is printed", [4.5], [2.4], "<br>".join(said), textposition="top center", **large),
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
    return _twenty, _left
