"""Which promise holds which spy: six bets, and four roads."""

from typing import Annotated, NamedTuple

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.implications import ARROWS, NOTIONS, arrow

_CAST, _LOOKS = tuple(k.PEOPLE), dict(zip(NOTIONS, (k.DP, k.MIP, k.PMP, k.MIS), strict=True))
# Each spy's name in the picture and in the question.
_KNOWS = {"DP": "knows the ringed were in", "MIP": "has the list, must answer"}
_KNOWS |= {"PMP": "has the list, may pass", "MIS": "a stranger"}
_NAMED = {"DP": "the spy who knows the others", "MIP": "the spy who must answer"}
_NAMED |= {"PMP": "the spy who may pass", "MIS": "the stranger"}
# The scene: ten people in two rows, between the lanes of two spies.
_SEATS, _UP, _DOWN, _AWAY, _LANES, _LANE = 2.4 + 1.8 * np.arange(5), 5.45, 3.55, 16.0, (6.7, 0.0), 2.3
_X, _Y = np.tile(_SEATS, 2), np.repeat([_UP, _DOWN], 5)
# So far the two groups stand aside of the word that names them.
_ASIDE = 1.3
_BETWEEN = {"groups": "ten people, in the two groups that are published"}
_BETWEEN["digit"] = "four people, each over a number, and the digit that is published"
_EVA, _GUS, _ZOE = (_CAST.index(name) for name in ("Eva", "Gus", "Zoe"))
_DIGITS = {"Anna": 1, "Ben": 2, "Carla": 4, "Zoe": 8}
# What is published of these is seen before the bet is made.
_OPEN = ("groups", "digit")
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
    _Bet("DP", "MIS", "swap", "Published: how many of the five smoke, give or take noise.",
         "to him anybody might be Zoe, and that blurs her.",
         "Zoe, or Eva in her place?", "And I: Zoe, or <b>anybody</b>?"),
    _Bet("MIS", "MIP", "digit", "Four on the list, each with a number; two were drawn. "
         "Published: the last digit of their sum.",
         "the list makes the digit speak.",
         "A 0? Any digit was as likely.", "2 + 8 ends in 0: Ben and Zoe!"),
    _Bet("MIP", "MIS", "list", "Published: we do not say what. The promise is kept on any list.",
         "with the list he would be the other, and he has none.",
         "I have the list, and am stopped.", "I would do no better with it."),
    _Bet("MIP", "PMP", "name", "Published: mostly a blank page, now and then a name.",
         "he waits for the one page in ten that tells.",
         "Nine blank pages in ten: I toss a coin.", "I wait for the tenth. <b>Now</b> I know!"),
    _Bet("PMP", "MIP", "pages", "Published: one page of ten, some of which tell more than others.",
         "he must answer on every page, the surest and the others.",
         "My surest page: right 75 in 100.", f"All ten, on average: {np.mean(_SURE):.0f}."),
)  # fmt: skip


class _Pair(NamedTuple):
    """A promise, and a spy."""

    start: str
    end: str


def _is_held(bet):
    """Whether a promise holds a spy whenever he speaks; a delta is a page that tells him all."""
    found = arrow(bet.start, bet.end)
    return found.kind != "impossible" and not found.needs_delta


# As colour never stands alone, each spy has a coat of his own; all have a head and a hat.
_COATS = {
    "DP": ((-0.5, 0.5, 0.15, -0.15), (0, 0, 0.78, 0.78)),
    "MIP": ((-0.36, 0.36, 0.36, -0.36), (0, 0, 0.72, 0.72)),
    "PMP": ((0, 0.46, 0, -0.46), (-0.03, 0.36, 0.78, 0.36)),
    "MIS": ((-0.13, 0.13, 0.5, -0.5), (0, 0, 0.72, 0.72)),
}
_ROUND = np.linspace(0, 2 * np.pi, 17)
_HEAD = (0.2 * np.cos(_ROUND), 0.9 + 0.2 * np.sin(_ROUND))
_BRIM = (-0.38, 0.38, 0.38, 0.2, 0.16, -0.16, -0.2, -0.38)
_HAT = (_BRIM, (1.02, 1.02, 1.1, 1.1, 1.35, 1.35, 1.1, 1.1))
# An arch, the bars in it, and its door when it stands open.
_ARCH = (
    np.append(0.62 * np.cos(_ROUND[:9]), [-0.62, 0.62]),
    np.append(1.0 + 0.5 * np.sin(_ROUND[:9]), [0, 0]),
)
_BARS = [[[at, at], [0, 1.0 + 0.5 * (1 - (at / 0.62) ** 2) ** 0.5]] for at in (-0.6, -0.3, 0, 0.3, 0.6)]
_BARS += [[[-0.62, 0.62], [at, at]] for at in (0.3, 1.0)]
_DOOR = [[[at, at], [0.2 * (0.62 - at), 1.0]] for at in (0.62, 0.74, 0.86)]
_DOOR += [[[0.62, 0.86], [at, at - 0.05]] for at in (0.3, 1.0)]


def _joined(shapes, x, y, tall):
    """Return the shapes at a place, one behind the other."""
    return [[each for part in shapes for each in (*(at + tall * np.array(part[i])).tolist(), None)]
            for i, at in enumerate((x, y))]  # fmt: skip


def _spy(name, x, y, who, tall, **more):
    """Draw a spy, who stands there."""
    look = _LOOKS[who]
    shapes = _joined([_COATS[who], _HEAD, _HAT], x, y, tall)
    return k.area(name, *shapes, look, fillcolor=look.colour, cliponaxis=False, **more)


def _arch(name, x, y, tall):
    """Draw the arch of a gate, in which a spy stands."""
    return k.area(name, *_joined([_ARCH], x, y, tall), k.LEVEL, cliponaxis=False)


def _gate(name, x, y, tall, strokes, width=2.2, **more):
    """Draw the bars in an arch, or its open door."""
    look = {"cliponaxis": False, **k.QUIET, **more}
    return k.curve(name, *_joined(strokes, x, y, tall), k.Look(k.INK, width=width), **look)


def _lawn(foot, high, who):
    """Return the ground across the whole picture on which a spy stands."""
    return k.floor(0, 1, foot, foot + high, k.fill(_LOOKS[who].colour), xref="paper")


def _stage():
    """Say what all twelve bets come to."""
    return k.part(
        **k.stage((0, 12), (0, 9), square=True, height=430, ghost=[]),
        layout={"margin": {"l": 8, "r": 8, "t": 6, "b": 6}},
        afterwards="Stop one, and you stop all who know less. Stop him who may pass, and you stop him "
        "who must answer. The others go free.",
        headline="{held} of 12 are stopped",
        sentence="A promise stops its own spy and all who know less. One against the spy who may pass also "
        "stops him who must answer. That makes {held} of 12 (exact).",
        held=sum(map(_is_held, ARROWS)),
    )


def _clouds():
    """Draw a cloud beside each spy, and two small ones on the way to it."""
    round = [np.sign(side) * np.abs(side) ** 0.35 for side in (np.cos(_ROUND), np.sin(_ROUND))]
    shapes = [(1.62 * round[0], 0.64 * round[1]), (_HEAD[0] / 2 - 1.85, 0.5 * _HEAD[1])]
    x, y = (
        [*up, *down]
        for up, down in zip(*(_joined(shapes, 3.75, foot + 1.5, 1) for foot in _LANES), strict=True)
    )
    return k.area("thoughts", x, y, k.LEVEL, fillcolor=k.marks.BACKGROUND[0])


def _thought(both, listed):
    """Draw what two spies know: the others, a list of these people, or nobody."""
    x, y, colours, sizes, words = [], [], [], [], []
    for who, foot in zip(both, _LANES, strict=True):
        mine = _LOOKS[who].colour
        seats, size = np.arange(5) * 0.56 - 1.12, 13
        faces, told = [k.PEOPLE[name] for name in listed], [" "] * len(listed)
        if who in ("MIP", "PMP"):
            rows, left, size = ([0.27, -0.27], 0.22, 10) if len(listed) > len(seats) else ([0], 0, 13)
            at = [*[(across - left, up) for up in rows for across in seats][: len(listed)], (1.3, 0)]
            told.append("<b>!</b>" if who == "MIP" else "<b>…</b>")
        else:
            at = [(seat, 0) for seat in seats]
            told = 5 * ["<b>?</b>"] if who == "MIS" else [*told[:4], "<b>?</b>"]
        x += [3.75 + across for across, _ in at]
        y += [foot + 1.5 + up for _, up in at]
        colours += [mine if said != " " else face for face, said in zip([*faces, mine], told, strict=False)]
        sizes += [size * (said == " ") for said in told]
        words += told
    cloud = {"color": colours, "size": sizes, "opacity": 1}
    bold = {"text": words, "mode": "markers+text", "textfont": {"size": 19, "color": colours}}
    return k.points("what they know", x, y, k.READING, marker=cloud, **bold, **k.QUIET)


def _moved(shown):
    """Return where the ten go, step by step, once the answer is given."""
    x, y = _X.copy(), _Y.copy()
    if shown in ("swap", "groups"):
        # Eva's place in the first group is Gus's.
        two = [_EVA, _ZOE if shown == "swap" else _GUS]
        x[two], y[two] = x[two[::-1]], y[two[::-1]]
        x -= _ASIDE * (shown == "groups")
    elif shown == "digit":
        stay = [_CAST.index(name) for name in _DIGITS]
        x += _AWAY
        x[stay], y[stay] = _SEATS[0] + 2.2 * np.arange(4), _UP
    elif shown in ("name", "pages"):
        x[: _ZOE + (shown == "pages")] += _AWAY
    return [(x, y), (_X, _Y)] if shown == "swap" else [(x, y)]


def _published(shown):
    """Draw what lies between the two spies; what would answer comes once all stand in their places."""
    seen, words, ringed = {"meta": "reveal", **k.QUIET}, [], np.zeros(len(_CAST), bool)
    told, big = k.QUIET if shown in _OPEN else seen, {"textfont": {"size": 14 if shown == "groups" else 16}}
    rows = {"groups": (_UP, _DOWN), "swap": (_UP,)}.get(shown, ())
    left, right = _SEATS[[0, -1]] + (-1.0, 1.0) - _ASIDE * (shown == "groups")
    around = [y + side for y in rows for side in (0.86, 0.86, -0.86, -0.86, 0.86, 0)]
    frames = [left, right, right, left, left, None] * len(rows), around
    pages = (_X, _Y) if shown in ("name", "pages") else ([], [])
    if shown == "digit":
        # The two whose digits add up to the published one.
        ringed = np.isin(_CAST, ["Ben", "Zoe"])
        words = [
            (_SEATS[0] + 2.2 * i, _UP - 1.25, f"<b>{each}</b>") for i, each in enumerate(_DIGITS.values())
        ]
        words += [(6, 3.0, "published, the last digit of two: <b>0</b>")]
    elif shown == "groups":
        words = [(right + 1.4, (_UP + _DOWN) / 2, "published")]
    elif shown == "pages":
        words = [(x, y, f"{sure}") for x, y, sure in zip(_X, _Y, _SURE, strict=True)]
    elif shown == "swap":
        words = [(right + 0.7, _UP, "<b>in</b>"), (right + 0.7, _DOWN, "<b>out</b>")]
    x, y = _moved(shown)[-1]
    return [
        k.curve("published", *frames, k.LEVEL.exact(), fill="toself", zorder=-1, **told),
        k.points("pages", *pages, k.LEVEL.with_symbol("square-open"), size=38, **seen),
        k.points("was in", x[ringed], y[ringed], k.IN.with_symbol("circle-open"), size=43, **seen),
        k.text("said of them", *(zip(*words, strict=True) if words else ([], [], [])), **big, **told),
    ]


def _bet(round):
    """Ask whether a promise holds another spy, and let ten people show it."""
    bet, held = _BETS[round], _is_held(_BETS[round])
    both = [bet.start, bet.end]
    often = k.at_most(float(np.round(100 * arrow(*both).accuracy(0.75), 9)) if held else 100.0, digits=3)
    # Who may pass is counted only when he speaks.
    how = [("if he speaks, ", "≤ ") if each == "PMP" else ("right ", "at most ") for each in both]
    names = [f"<b>{_KNOWS[each]}</b><br>" for each in both]
    asks = [f"{names[0]}{''.join(how[0])}75 in 100", f"{names[1]}right how often?"]
    told = [asks[0], f"{names[1]}{how[1][0]}{how[1][1] * held}{often} in 100"]
    begin = _moved(bet.shown)[0] if bet.shown in _OPEN else (_X, _Y)
    # Of four the spy knows who they are.
    four = 4 * ("DP" in both)
    words = ["what he says", "what the other says", "pages", "was in"]
    words += ["said of them", "published"] * (bet.shown not in _OPEN)
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
    says = {"meta": "reveal", **side}
    at, tall, lanes = 0.95, 1.3, [_lawn(foot, _LANE, who) for who, foot in zip(both, _LANES, strict=True)]
    verdict, what = ("held", "is stopped") if held else ("free", "goes free")
    guesses = {guess: "Right" if guess == verdict else "No" for guess in ("held", "free")}
    return k.part(
        [
            [
                _arch(f"gate, {where}", at, foot + 0.15, tall),
                _spy(f"spy, {where}", at, foot + 0.15, who, 0.92 * tall),
            ]
            for where, who, foot in zip(("above", "below"), both, _LANES, strict=True)
        ],
        _gate("held by the promise", at, _LANES[0] + 0.15, tall, _BARS),
        _gate("held as well", at, _LANES[1] + 0.15, tall, _BARS if held else _DOOR, meta="reveal"),
        _clouds(),
        _thought(both, _DIGITS if bet.shown == "digit" else _CAST),
        k.cast(*begin, size=36, cliponaxis=True, **k.QUIET),
        k.points(
            "known",
            begin[0][:four],
            begin[1][:four],
            k.READING.with_symbol("circle-open"),
            size=43,
            **k.QUIET,
        ),
        k.points("the list he lacks", *lacked, k.LEVEL, size=37, **unknown),
        _published(bet.shown),
        k.text("how often", [5.7] * 2, [foot + 1.5 for foot in _LANES], asks, **side),
        k.text("what he says", [2.2], [_LANES[0] + 0.4], [f"“{bet.his}”"], **says),
        k.text("what the other says", [2.2], [_LANES[1] + 0.4], [f"“{bet.others}”"], **says),
        shapes=lanes,
        after=[{"marks": marks} for marks in after],
        options=[["held", "He is stopped, too"], ["free", "He goes free"]],
        answer=verdict,
        question=f"{bet.public} You stop {_NAMED[bet.start]}. Is {_NAMED[bet.end]} stopped, too?",
        replies={f"{guess}/{verdict}": f"{so}, he {what}: {bet.why}" for guess, so in guesses.items()},
        alt=f"Promised is that {bet.start}'s spy is right 75 times in 100 at most; asked is whether that "
        f"stops {bet.end}'s. Between the two stand {_BETWEEN.get(bet.shown, 'ten people')}.",
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
# The garden: how wide a place is, where the places begin, and how high the words above them are.
_WIDE, _LEFT, _OVER = 1.5, 1.15, 0.85
_HEADS = ("knows<br>others", "list, must<br>answer", "list, may<br>pass", "a stranger")
_PLACES = [(start, end, i, j) for i, start in enumerate(NOTIONS[::-1]) for j, end in enumerate(NOTIONS)]
# Below it: how high the bars of the promise and of the stranger lie.
_SCALE = np.array([0.6, -0.4])


def _stopped(start, end):
    """Say whether a promise stops a spy, its own or another."""
    return start == end or _is_held(_Pair(start, end))


def _garden():
    """Draw a gate for each promise and each spy: whom it stops stands behind bars, the others outside."""
    drawn, lawns, rows, lower = [], [], len(NOTIONS), {"lower": True, "showlegend": False}
    for start, end, i, j in _PLACES:
        held, x, y, name = _stopped(start, end), _LEFT + _WIDE * j + 0.42, i + 0.1, f"{start}, {end}"
        drawn += [
            _arch(f"arch, {name}", x, y, 0.57),
            _spy(f"{'stopped' if held else 'free'}, {name}", x + 0.76 * (not held), y, end, 0.6),
            _gate(f"bars, {name}", x, y, 0.57, _BARS if held else _DOOR, 1.2),
        ]
        lawns += [_lawn(i + 0.04, 0.92, start)] * (not j)
    across, down, grey = _LEFT + _WIDE * (np.arange(rows) + 0.5), np.arange(rows) + 0.5, k.fill(k.GREY)
    letters = {"size": 19, "color": [_LOOKS[each].colour for each in NOTIONS[::-1]]}
    names = [f"<b>{each}</b>" for each in NOTIONS[::-1]]
    return k.part(
        drawn,
        k.text("whose spy", across, rows + 0.45, [*_HEADS]),
        k.text("promised", 0.1, down, names, textposition="middle right", textfont=letters),
        k.curve("how far", [50, 100, None] * 2, np.repeat(_SCALE, 3), k.Look(grey, width=12), **lower),
        k.text("whose bar", 49.3, _SCALE, ["promised", "a stranger"], textposition="middle left", lower=True),
        **k.stage((0, _LEFT + _WIDE * rows + 0.1), (0, rows + _OVER), square=True, height=460, ghost=[]),
        x2=k.axis("right in 100, at most", range=[36, 101.5], tickvals=[*range(50, 101, 10)], showgrid=False),
        y2=k.unseen(-2.5, 1.1),
        rows=(0.79, 0.01),
        shapes=lawns,
        layout={"margin": {"l": 12, "r": 12, "t": 4}},
        showlegend=False,
    )


def _carry(right):
    """Say how often each spy who is stopped is right, and how far the stranger comes."""
    # Roots of whole odds are whole again.
    root = k.at_most(round(100 * float(arrow("DP", "MIS").accuracy(right / 100)), 9))
    told, drawn = k.exact(right, digits=3), []
    for start in NOTIONS:
        those = [(j, i) for row, end, i, j in _PLACES if row == start and _stopped(start, end)]
        own = [("DP, MIS", [those.pop()], f"<b>{root}</b>")] if start == "DP" else []
        for name, places, number in [(start, those, told), *own]:
            x, y = np.transpose(places) * [[_WIDE], [1]] + [[_LEFT + 1.15], [0.5]]
            drawn.append(k.text(f"often, {name}", x, y, [number] * len(x), textfont={"size": 16}))
    dp, mis = (_LOOKS[each] for each in ("DP", "MIS"))
    return k.part(
        drawn,
        k.curve(
            "promised, DP", [50, right], [_SCALE[0]] * 2, k.Look(dp.colour, width=12), lower=True, **k.QUIET
        ),
        k.curve(
            "gate, DP, MIS",
            [50, root.value],
            [_SCALE[1]] * 2,
            k.Look(mis.colour, width=12),
            lower=True,
            **k.QUIET,
        ),
        grab=k.drag("right", _RIGHT, [_SCALE[0]] * len(_RIGHT), along="x2", at="y2"),
        headline="Promised {DP}: the stranger {MIS}",
        sentence="Let each promise stop its own spy at {DP}, MIP and PMP on every list. By DP the stranger "
        "is then right {MIS} times in 100 at most (exact). Six spies go free, whatever you promise.",
        alt="A garden of gates, a row for each promise and a gate in it for each spy. Ten stand behind bars, "
        "right {DP} times in 100 at most, the stranger by DP {MIS}; outside stand the six who go free.",
        **{"DP": told, "MIS": root},
    )


@k.figure
def carried(right: Annotated[float, _OFTEN] = 75.0):
    """Draw whom each of four promises stops, all as strong, and who goes free.

    Examples
    --------
    >>> carried(90.0).layout.meta["headline"]
    'Promised 90: the stranger 75'
    """
    return _garden, _carry
