"""Which promise holds which spy: six bets, and four roads."""

from typing import Annotated, NamedTuple

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.implications import ARROWS, NOTIONS, arrow

_CAST, _LOOKS = tuple(k.PEOPLE), dict(zip(NOTIONS, (k.DP, k.MIP, k.PMP, k.MIS), strict=True))
# Each spy's name in the picture and in the question, and, as colour never stands alone, a coat of his own.
_KNOWS = {"DP": "knows the others", "MIP": "has the list, must answer"}
_KNOWS |= {"PMP": "has the list, may pass", "MIS": "a stranger"}
_NAMED = {"DP": "the spy who knows the others", "MIP": "the spy who must answer"}
_NAMED |= {"PMP": "the spy who may pass", "MIS": "the stranger"}
_COATS = {"DP": "triangle-up", "MIP": "square", "PMP": "diamond", "MIS": "triangle-down"}
# The scene: ten people between two spies, in two rows until something is published.
_SEATS, _UP, _DOWN, _AWAY, _ABOVE, _BELOW = 3 + 1.6 * np.arange(5), 4.05, 2.45, 16.0, 6.0, 0.5
_X, _Y = np.tile(_SEATS, 2), np.repeat([_UP, _DOWN], 5)
_EVA, _GUS, _ZOE = (_CAST.index(name) for name in ("Eva", "Gus", "Zoe"))
_DIGITS = {"Anna": 1, "Ben": 2, "Carla": 4, "Zoe": 8}
# How sure each of ten pages makes him who reads it, in hundredths.
_SURE = [55, 62, 50, 58, 75, 66, 52, 70, 60, 54]


class _Bet(NamedTuple):
    """One promise and one other spy, how it is shown, why it is so, and what the two spies say."""

    start: str
    end: str
    shown: str
    public: str
    why: str
    his: str
    others: str


_BETS = (
    _Bet("MIP", "DP", "groups",
         "Five of the ten on the list were drawn. Published: two groups of five, not which was drawn.",
         "his four show which group was drawn.",
         "Two groups. Which one? I toss a coin.", "My four are above, Zoe is below: out!"),
    _Bet("DP", "MIS", "swap", "Published: a blurred page.",
         "to him anybody might be Zoe, and that blurs her.",
         "Zoe, or Eva in her place?", "And I: Zoe, or <b>anybody</b>?"),
    _Bet("MIS", "MIP", "digit", "Each has a number. Published: the last digit of a sum of two.",
         "the list makes the digit speak.",
         "A 0? Any digit was as likely.", "2 + 8 ends in 0: Ben and Zoe!"),
    _Bet("MIP", "MIS", "list", "Published: a blurred page.",
         "with the list he would be the other, and he has none.",
         "I have the list, and am stopped.", "I would do no better with it."),
    _Bet("MIP", "PMP", "name", "Published: mostly a blank page, now and then a name.",
         "he waits for the one page in ten that tells.",
         "Nine blank pages in ten: I toss a coin.", "I wait for the tenth. <b>Now</b> I know!"),
    _Bet("PMP", "MIP", "pages", "Published: one page of ten, some of which tell more than others.",
         "he must answer on every page, the surest and the others.",
         "My surest page: right 75 in 100.", f"All ten, on average: {np.mean(_SURE):.0f}."),
)  # fmt: skip


def _is_held(bet):
    """Whether a promise holds a spy whenever he speaks; a delta is a page that tells him all."""
    found = arrow(bet.start, bet.end)
    return found.kind != "impossible" and not found.needs_delta


def _spies(name, x, y, who, size):
    """Draw spies, a head and a body each."""
    coats, x, y = [_COATS[each] for each in who], np.array(x), np.array(y)
    sizes = [size * (1 if "triangle" in coat else 0.75) for coat in coats] + [0.6 * size] * len(who)
    body = {"symbol": coats + ["circle"] * len(who), "size": sizes, "opacity": 1}
    body["color"] = [_LOOKS[each].colour for each in who] * 2
    return k.points(name, [*x, *x], [*(y - 0.1), *(y + 0.2)], k.READING, marker=body, **k.QUIET)


def _bars(name, y, **more):
    """Draw the barred window before a spy who is stopped, if there is one; it grows with the picture."""
    # The edge of the window, and the cross in it.
    gap, paths = (np.nan, np.nan), ([], [])
    strokes = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1), gap, (0, -1), (0, 1), gap, (-1, 0), (1, 0)]
    if y is not None:
        across, up = np.array(strokes).T
        paths = k.gapped([0.75 + 0.5 * across]), k.gapped([y + 0.5 * up])
    return k.curve(name, *paths, k.Look(k.INK, width=2), cliponaxis=False, **k.QUIET, **more)


def _stage():
    """Say what all twelve bets come to."""
    return k.part(
        **k.stage((-0.5, 12.6), (-0.1, 6.6), square=True, height=400, ghost=[]),
        layout={"margin": {"l": 8, "r": 8, "t": 6, "b": 6}},
        afterwards="If you stop one, you stop all who know less, or must answer. The others go free.",
        headline="{held} of 12 are stopped",
        sentence="A promise stops its own spy, and all who know less or must answer: {held} of 12 (exact).",
        held=sum(map(_is_held, ARROWS)),
    )


def _moved(shown):
    """Return where the ten go, step by step, once the answer is given."""
    x, y = _X.copy(), _Y.copy()
    if shown in ("swap", "groups"):
        # Eva's place in the first group is Gus's.
        two = [_EVA, _ZOE if shown == "swap" else _GUS]
        x[two], y[two] = x[two[::-1]], y[two[::-1]]
    elif shown == "digit":
        stay = [_CAST.index(name) for name in _DIGITS]
        x += _AWAY
        x[stay], y[stay] = _SEATS[0] + 2 * np.arange(4), _UP
    elif shown in ("name", "pages"):
        x[: _ZOE + (shown == "pages")] += _AWAY
    return [(x, y), (_X, _Y)] if shown == "swap" else [(x, y)]


def _published(shown):
    """Draw what lies between the two spies, with words that come once all stand in their places."""
    seen, words, ringed = {"meta": "reveal", **k.QUIET}, [], np.zeros(len(_CAST), bool)
    rows = {"groups": (_UP, _DOWN), "swap": (_UP,)}.get(shown, ())
    left, right = _SEATS[0] - 0.9, _SEATS[-1] + 0.9
    around = [y + side for y in rows for side in (0.7, 0.7, -0.7, -0.7, 0.7, 0)]
    frames = [left, right, right, left, left, None] * len(rows), around
    pages = (_X, _Y) if shown in ("name", "pages") else ([], [])
    if shown == "digit":
        # The two whose digits add up to the published one.
        ringed = np.isin(_CAST, ["Ben", "Zoe"])
        words = [(_SEATS[0] + 2 * i, _UP - 1.1, f"<b>{each}</b>") for i, each in enumerate(_DIGITS.values())]
        words += [(_SEATS[0] + 3, 2.1, "published, the last digit of two: <b>0</b>")]
    elif shown == "pages":
        words = [(x, y, f"{sure}") for x, y, sure in zip(_X, _Y, _SURE, strict=True)]
    elif shown == "swap":
        words = [(right + 0.8, _UP, "<b>in</b>"), (right + 0.8, _DOWN, "<b>out</b>")]
    x, y = _moved(shown)[-1]
    return [
        k.curve("published", *frames, k.LEVEL.exact(), **seen),
        k.points("pages", *pages, k.LEVEL.with_symbol("square-open"), size=31, **seen),
        k.points("was in", x[ringed], y[ringed], k.IN.with_symbol("circle-open"), size=36, **seen),
        k.text("said of them", *(zip(*words, strict=True) if words else ([], [], [])), **seen),
    ]


def _bet(round):
    """Ask whether a promise holds another spy, and let ten people show it."""
    bet, held = _BETS[round], _is_held(_BETS[round])
    both = [bet.start, bet.end]
    often = k.at_most(float(np.round(100 * arrow(*both).accuracy(0.75), 9)) if held else 100.0, digits=3)
    names = [f"<b>{_KNOWS[each]}</b>: " for each in both]
    # Who may pass is counted only when he speaks.
    how = [("if he speaks, ", "≤ ") if each == "PMP" else ("right ", "at most ") for each in both]
    asks = [f"{names[0]}{''.join(how[0])}75 in 100", f"{names[1]}right how often?"]
    told = [asks[0], f"{names[1]}{how[1][0]}{how[1][1] * held}{often} in 100"]
    # Of four the spy knows who they are.
    four = 4 * ("DP" in both)
    words = ("said of them", "what he says", "what the other says", "pages", "was in", "published")
    gone = {name: {"opacity": 0} for name in ("the list he lacks", "?", *words)}
    after = [
        gone | {"the ten": {"x": x, "y": y}, "known": {"x": x[:four], "y": y[:four]}}
        for x, y in _moved(bet.shown)
    ]
    after.append({name: {"opacity": 1} for name in words} | {"how often": {"text": told}})
    unknown = {"mode": "markers+text", "text": ["<b>?</b>"] * 10, **k.QUIET}
    unknown["textfont"] = {"color": k.marks.BACKGROUND[0]}
    lacked = (_X, _Y) if bet.shown == "list" else ([], [])
    side = {"textposition": "middle right", "cliponaxis": False}
    first, other = ({"textfont": {"color": _LOOKS[who].colour}, "meta": "reveal", **side} for who in both)
    verdict, what = ("held", "is stopped") if held else ("free", "goes free")
    guesses = {guess: "Right" if guess == verdict else "No" for guess in ("held", "free")}
    return k.part(
        _spies("the two", [0.75, 0.75], [_ABOVE, _BELOW], both, size=24),
        _bars("held by the promise", _ABOVE),
        _bars("held as well", _BELOW if held else None, meta="reveal"),
        k.cast(_X, _Y, size=30, cliponaxis=True, **k.QUIET),
        k.points("known", _X[:four], _Y[:four], k.READING.with_symbol("circle-open"), size=36, **k.QUIET),
        k.points("the list he lacks", *lacked, k.LEVEL, size=31, **unknown),
        _published(bet.shown),
        k.text("how often", [1.6] * 2, [_ABOVE, _BELOW], asks, **side),
        k.text("what he says", [1.6], [5.25], [f"“{bet.his}”"], **first),
        k.text("what the other says", [1.6], [1.25], [f"“{bet.others}”"], **other),
        after=[{"marks": marks} for marks in after],
        options=[["held", "He is stopped, too"], ["free", "He goes free"]],
        answer=verdict,
        question=f"{bet.public} You stop {_NAMED[bet.start]}. Is {_NAMED[bet.end]} stopped, too?",
        replies={f"{guess}/{verdict}": f"{so}, he {what}: {bet.why}" for guess, so in guesses.items()},
        alt=f"Promised is that {bet.start}'s spy is right 75 times in 100 at most; asked is whether that "
        f"stops {bet.end}'s. Between the two stand ten people.",
    )


@k.figure
def six_bets(round: Annotated[int, k.Rounds(len(_BETS), label="Is he stopped, too?", alone=6)] = 0):
    """Ask of each promise whether it holds another spy, and show why or why not.

    Notes
    -----
    This book, Theorems 2.1 to 2.7: a half and its neighbour, two groups, a sum modulo 10.

    Examples
    --------
    >>> six_bets(0).layout.meta["headline"], six_bets(0).layout.meta["answer"]
    ('6 of 12 are stopped', 'free')
    """
    return _stage, _bet


# How often the spies may be right whom a promise stops.
_RIGHT = [50, 51, 52, 53, 55, 57, 60, 63, 66, 70, 75, 80, 85, 90, 95, 98, 99]
_OFTEN = k.Stops(_RIGHT, 75.0, label="Promised", unit="times in 100", play=True).safe("down")
# From one road to the next, and from one spy to the next who waits on it, or went free at its end.
_ROAD, _STEP, _END = 1.7, 5, 104


def _roads():
    """Yield each promise, who stops at its gate, and who goes free; then who has a gate of his own."""
    for start in NOTIONS:
        bets = {end: arrow(start, end) for end in NOTIONS if end != start}
        held = [end for end in bets if _is_held(bets[end])]
        own = [end for end in held if not np.isclose(bets[end].accuracy(0.75), 0.75)]
        yield start, [start, *(end for end in held if end not in own)], [e for e in bets if e not in held]
        yield from ((start, [end], []) for end in own)


def _carry(right):
    """Draw four promises as roads with a gate, the spies whom each stops, and who goes free."""
    roads, drawn, often, grey = [*_roads()], [], {}, k.Look(k.fill(k.GREY), width=6)
    tops, across, named = _ROAD * np.arange(len(roads) + 1)[::-1], [38.0, 54.0, 70.0, 86.0], "middle right"
    for y, (start, stopped, free) in zip(tops[1:], roads, strict=True):
        name, whose, found = start, "", k.exact(right, digits=3)
        if (end := stopped[0]) != start:
            # Roots of whole odds are whole again.
            found = k.at_most(round(100 * float(arrow(start, end).accuracy(right / 100)), 9))
            name, whose = f"{start}, {end}", ", stranger"
        at, told = found.value, " " if often and end == start else found
        waits, away = (_STEP * np.arange(len(each)) for each in (stopped, free))
        drawn += [
            k.curve(f"road, {name}", [50, 100], [y - 0.5] * 2, grey, **k.QUIET),
            k.text(f"promised, {name}", 22.5, y, [f"<b>{start}</b>{whose}"], textposition=named),
            k.curve(f"gate, {name}", [at] * 3, [y - 0.5, y, y + 0.5], k.Look(k.INK, width=5), **k.QUIET),
            k.text(f"often, {name}", at, y + 0.85, [told], textfont={"size": 15}),
            _spies(f"stopped, {name}", at - 5.5 - waits, [y] * waits.size, stopped, size=17),
            _spies(f"free, {name}", _END + away, [y] * away.size, free, size=17),
        ]
        often[name] = found
    names = [*(at + 4 for at in across), _END - 3], tops[0], [*NOTIONS, "<b>free</b> ↓"]
    return k.part(
        drawn,
        _spies("whose spy", across, [tops[0]] * 4, NOTIONS, size=17),
        k.text("their names", *names, textposition=named),
        x=k.axis(
            "the gate: right in 100, at most", range=[22, 118], tickvals=[*range(50, 101, 10)], showgrid=False
        ),
        y=k.unseen(-0.8, tops[0] + 0.6),
        **{"height": 440, "showlegend": False, "ghost": [], "grab": k.drag("right", _RIGHT, tops[1])},
        headline="Promised {DP}: the stranger {MIS}",
        sentence="Let each promise stop its own spy at {DP}, MIP and PMP on every list. By DP the stranger "
        "is then right {MIS} times in 100 at most (exact). Six spies go free, whatever you promise.",
        alt="Four promises as roads from a coin toss to always right, with a gate at {DP}. Before each stand "
        "the spies whom it stops, at the end who goes free. By DP the stranger has his own gate, at {MIS}.",
        **{"DP": often["DP"], "MIS": often["DP, MIS"]},
    )


@k.figure
def carried(right: Annotated[float, _OFTEN] = 75.0):
    """Draw whom each of four promises stops, all as strong, and who goes free.

    Examples
    --------
    >>> carried(90.0).layout.meta["headline"]
    'Promised 90: the stranger 75'
    """
    return _carry
