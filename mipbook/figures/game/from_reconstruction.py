"""The release of random records: safe from reconstruction, and no protection at all."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game
from mipbook.mechanisms import sampling_mechanism

# So many of the records right, and the data set counts as reconstructed.
_BLATANT = 0.95
_COLUMNS, _ROW, _ZOE = 10, 20, 7
_SIZES = [20, 60, 100]
# Of each size every share is a whole number of people.
_SHARES = k.Slider(0, 100, 50, step=5, label="Published", unit="%", play=True)
_LIKELY, _CHANCE = "how likely so many are right", "%{x:.0f}% right: chance %{customdata:.2g}"
# So many of them are drawn one by one, on a heap; the bar of the published lies below the people.
_SOME, _BAR = 30, -5.7


def _place(number, left=0, row=_COLUMNS):
    """Return where days, or people, stand in rows."""
    return left + number % row, -(number // row)


@k.cache
def _spies(n, released):
    """Return how many records come out right: how likely, and the luckiest of a million spies."""
    law = game.rows_recovered(n, released, 0.5)
    # So many or more: one of a million spies is expected to get as far.
    beyond = 1_000_000 * np.cumsum(law[::-1])[::-1]
    return law, int(np.flatnonzero(beyond >= 1)[-1])


def _so_many(spies):
    """Write a number of spies."""
    return f"{float(f'{spies:.3g}'):,.0f}"


def _rebuilt(n, share):
    """Return how many records come out right, the luckiest spy, and what a reconstruction takes."""
    released, needed = round(share / 100 * n), math.ceil(_BLATANT * n)
    law, luckiest = _spies(n, released)
    # What some spies get right, of many each two numbers on one heap.
    wide, rng = max(n // 50, 1), np.random.default_rng([n, released])
    some = np.sort(released + rng.binomial(n - released, 0.5, _SOME)) // wide * wide
    heap = np.arange(_SOME) - np.searchsorted(some, some) + 0.5
    spy, edge = {"size": 7, "lower": True, **k.QUIET}, share / 100 * _ROW - 0.5
    far, beside = 100 * luckiest / n, {"textposition": "top left", "lower": True}
    # Nobody would see a lower bar.
    likely, unnamed = np.flatnonzero(law > 1e-12), {"lower": True, "showlegend": False}
    hill = {"width": 80 / n, "customdata": law[likely], "hover": _CHANCE, "opacity": 0.4, **unnamed}
    chance = game.reconstruction_probability(n, released, 0.5, _BLATANT)
    takes, spies = "Most spies get {needed} or more.", k.exact(1 / (chance or 1), _so_many)
    if released >= needed:
        takes = "Every spy gets {needed} or more."
    elif chance <= 1e-300:
        takes = "Nobody gets {needed}."
    elif chance < 1e-12:
        takes = "Fewer than one spy in a trillion gets {needed} or more (bound)."
    elif chance < 1e-3:
        takes = "One spy in {spies} gets {needed} or more (exact)."
    elif chance < 0.6:
        takes, spies = "{spies} spies get {needed} or more (exact).", k.exact(chance, k.people)
    are = {0: "Nobody is published.", 1: "{released} is published and exposed, without any luck (exact)."}
    exposed = are.get(released, "{released} are published and exposed, without any luck (exact).")
    counted = f"{released} published" if share <= 70 else " "
    sure = "printed:<br>right for sure" if share >= 35 else " "
    return k.part(
        k.level("95%, a line", 100 * _BLATANT, [0, 1.75], k.LEVEL.exact(), **unnamed),
        k.text("95%, said", 100 * _BLATANT - 0.5, 1.6, "95%: rebuilt →", **beside),
        k.bars(_LIKELY, 100 * likely / n, law[likely] / law.max(), k.BEST, **hill),
        k.points(f"{_SOME} spies", 100 * (some + (wide - 1) / 2) / n, heap / heap.max(), k.ATTACK, **spy),
        k.level("published, in %", [-0.5, edge], _BAR, k.IN.but(width=10), showlegend=False),
        # At a right end there is no room beside it.
        k.text("published, counted", edge + 1, _BAR, counted, textposition="middle right"),
        k.level("the luckiest of a million", far, [0, 1.3], k.ATTACK, **unnamed),
        x=k.unseen(-0.7, _ROW - 0.3),
        y=k.unseen(_BAR - 0.4, 2.5),
        # A hundred are as long as the bar of a hundred above.
        x2=k.axis("a spy gets right, in %", range=[-1, 101], dtick=25),
        y2=k.unseen(0, 1.85),
        rows=(0.56, 0.08),
        height=430,
        # The people stand on a page; and so many answers are right before a coin is tossed.
        shapes=[
            k.floor(-0.7, _ROW - 0.3, -4.6, 2.5, k.fill(k.BLUE), opacity=0.5),
            k.floor(0, share, 0, 1.45, k.fill(k.BLUE), opacity=0.5, xref="x2", yref="y2"),
        ],
        annotations=[k.note(sure, 2, 0.72, xref="x2", yref="y2", xanchor="left", align="left")],
        grab=k.drag("share", np.array(_SHARES.stops) / 100 * _ROW - 0.5, _BAR),
        headline="the luckiest gets about {luckiest} of {n}",
        sentence="{takes} {exposed} {zoe}",
        alt="{n} people in rows of twenty: {released} filled squares are published, {hidden} open circles "
        "are not, and the luckiest of a million spies is right about all but {wrong} of them. One of the {n} "
        "people is Zoe. Below them a hill, how many of {n} a spy gets right, {some} spies as diamonds, a "
        "flag at {luckiest}, and a line at {blatant}%.",
        **k.words(n=n, released=released, hidden=n - released, luckiest=luckiest, wrong=n - luckiest),
        **k.words(some=_SOME, blatant=round(100 * _BLATANT), exposed=k.told(exposed, released=released)),
        takes=k.told(takes, needed=needed, spies=spies),
    )


def _people(n, share, draw):
    """Return one mark a patient; of a draw the published ones only ever grow."""
    released, order = round(share / 100 * n), np.random.default_rng([n, draw]).permutation(n)
    exposed, hidden = np.split(order, [released])
    # The coins of the luckiest spy, for those who are hidden.
    wrong, right = np.split(hidden, [n - _spies(n, released)[1]])
    seats, above = np.array(_place(np.arange(n), row=_ROW)), 1.6
    (x, y), (person, coin) = seats[:, _ZOE], ({"size": size, "hoverinfo": "name"} for size in (13, 7))
    return k.part(
        k.points("published", *seats[:, np.sort(exposed)], k.IN.with_symbol("square"), **person),
        k.points("hidden", *seats[:, np.sort(hidden)], k.LEVEL.with_symbol("circle-open"), **person),
        k.points("the luckiest: right", *seats[:, right], k.BEST, **coin),
        k.points("the luckiest: wrong", *seats[:, wrong], k.OUT.with_symbol("x"), **coin),
        # She sits among all others, as one of them; her face is above her seat.
        k.points("ring", x, y, k.READING.with_symbol("circle-open"), size=23, **k.QUIET),
        k.level("her seat", x, [0.5, above], k.READING.but(width=2), **k.QUIET),
        k.cast(x, above, ["Zoe"], name="Zoe", size=22, **k.QUIET),
        annotations=[k.note("<b>Zoe</b>", x, above, xanchor="left", xshift=13)],
        zoe="Zoe is one of them." if _ZOE in exposed else "Zoe is hidden.",
    )


@k.figure
def half_sample(
    share: Annotated[float, _SHARES] = 50,
    n: Annotated[int, k.Count(_SIZES, label="Patients, n")] = 100,
    draw: Annotated[int, k.Draws(15, label="Draw again")] = 1,
):
    """Draw how many records an attacker rebuilds from a random part, and who is exposed.

    Notes
    -----
    Lecture notes, section 2.  A record that is not released is yes or no, equally likely.

    Examples
    --------
    >>> "(exact)" in half_sample(50, 20).layout.meta["sentence"]
    True
    """
    return _rebuilt, _people


_DECOYS = k.Slider(0, 50, step=1, label="Lies, in 100 days", play=True)
# Where the page of the day hangs, and where the days without Zoe begin.
_PAGE, _LEFT, _ROUNDS, _SEED = 13.0, 17.0, 24, 35
_OFTEN = round(100 * float(game.finite_rates(sampling_mechanism(0.5), [False, True])[0]))
_ACROSS, _UP = k.SQUARE * np.array([[0.36], [0.4]])
_LINES = k.gapped([[_PAGE - 1.4, _PAGE + 1.4]] * 2), k.gapped([[-6.0] * 2, [-6.6] * 2])
_FIELDS = (
    ("with Zoe", "printed", k.IN.with_symbol("square"), 0.0),
    ("without Zoe", "invented", k.OUT, _LEFT),
)
_REPLIES = {
    "in/in/in": "Right: she was a patient, and the page is true.",
    "out/in/in": "No: she was a patient, and the page is true.",
    "in/out/in": "She was no patient. The page is a lie, and it fools the best spy, too.",
    "out/out/in": "Right, and daring: the page is a lie.",
    "out/out/out": "Right: she was no patient.",
    "in/out/out": "No: she was no patient.",
    "in/in/out": "Right, and daring: she was a patient, but she was not drawn.",
    "out/in/out": "She was a patient, but she was not drawn. That fools the best spy, too.",
}


def _days(decoys):
    """Return a hundred days with Zoe and a hundred without, and those on which her record is printed."""
    traces, notes, zones = [], [], []
    for (name, how, look, left), printed in zip(_FIELDS, (_OFTEN, int(decoys)), strict=True):
        x, y = _place(np.arange(100), left)
        traces.append(k.points(f"all, {name}", x, y, k.LEVEL, size=6, opacity=0.6, **k.QUIET))
        # A page each, which grows with the picture, as no mark does.
        page = (k.gapped(np.add.outer(at[:printed], side)) for at, side in ((x, _ACROSS), (y, _UP)))
        traces.append(k.area(f"pages, {name}", *page, look, fillcolor=look.colour))
        traces.append(k.points(name, x[:printed], y[:printed], look, size=7, **k.QUIET))
        title = f"<b>{name}</b><br>{how} on {printed} days"
        notes.append(k.note(title, left + 4.5, 0.9, yanchor="bottom"))
        zones.append(k.floor(left - 0.9, left + 9.9, -9.9, 0.9, k.fill(look.colour), opacity=0.5))
    right = k.exact(0.5 + (_OFTEN - decoys) / 200, k.in_100)
    fits = "So her name tells nothing." if decoys else "So her name is proof."
    if 0 < decoys < _OFTEN:
        fits = k.told("With her it is {factor} times as likely as without.", factor=k.exact(_OFTEN / decoys))
    return k.part(
        traces,
        x=k.unseen(-0.9, _LEFT + _COLUMNS - 0.1),
        y=k.unseen(-_COLUMNS + 0.1, 3.0, scaleanchor="x"),
        annotations=[*notes, k.note("<b>today</b>", _PAGE, -0.7)],
        shapes=zones,
        height=380,
        showlegend=False,
        ghost=[],
        grab=k.drag("decoys", _LEFT + _COLUMNS - 0.4, 0.5 - np.array(_DECOYS.stops) / _COLUMNS, along="y"),
        options=[["in", "A patient"], ["out", "No patient"]],
        replies=_REPLIES,
        headline="Best spy: right {right}",
        sentence="With Zoe her record is printed on {often} days in 100, without her on {decoys} (exact). "
        "{fits}",
        alt="Two fields of a hundred days: with Zoe her record is printed on {often} of them, without her on "
        "{decoys}. Between them hangs the page of today, {shown}.",
        **k.words(often=_OFTEN, decoys=int(decoys), right=right, fits=fits),
    )


def _today(round, decoys):
    """Return the page of a day, and of which field the day was."""
    rng = np.random.default_rng([_SEED, round])
    field, day = int(rng.integers(2)), int(rng.integers(100))
    shown, (x, y) = day < (_OFTEN, decoys)[field], _place(day, _FIELDS[field][3])
    beside, (across, up) = _PAGE + (2.2 if field else -2.2), k.SQUARE
    ring = k.READING.with_symbol("square-open")
    return k.part(
        k.curve("the page", _PAGE + 2.2 * across, -4.5 - 3 * up, k.READING, **k.QUIET),
        k.level("its lines", *_LINES, k.LEVEL.but(dash="solid", width=3), opacity=0.5, **k.QUIET),
        k.cast(_PAGE, -3.9, ["Zoe"], name="printed", size=40, opacity=float(shown), **k.QUIET),
        k.curve("it was", [beside, x], [-4.5, y], k.READING.estimate(), meta="reveal", **k.QUIET),
        k.points("the day", x, y, ring, size=17, meta="reveal", **k.QUIET),
        question=f"Today Zoe's record {'is' if shown else 'is not'} printed. Was she a patient?",
        answer="out" if field else "in",
        optimal="in" if shown else "out",
        rival="The best spy",
        shown="with Zoe on it" if shown else "without her",
    )


@k.figure
def raised_by_a_factor(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was Zoe a patient?", alone=2)] = 0,
    decoys: Annotated[float, _DECOYS] = 20,
):
    """Draw how often Zoe's record comes out, with her and, as an invention, without her.

    Each round is one of these days, and the reader says whether she was a patient.

    Notes
    -----
    Lecture notes, section 2: half of the records are released as they are.

    Examples
    --------
    >>> raised_by_a_factor(decoys=25).layout.meta["headline"]
    'Best spy: right 62.5 times in 100'
    """
    return _days, _today
