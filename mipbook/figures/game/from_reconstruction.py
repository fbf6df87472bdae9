"""The release of random records: safe from reconstruction, and no protection at all."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game
from mipbook.mechanisms import sampling_mechanism

# So many of the records right, and the data set counts as reconstructed.
_BLATANT = 0.95
_COLUMNS, _ZOE = 10, 7
_SIZES = [20, 50, 100]
_SHARES = k.Slider(0, 1, 0.5, step=0.025, label="Share published", play=True)
_LIKELY, _CHANCE = "how likely so many are right", "%{x:.0f}% right: chance %{customdata:.2g}"
_SPIES = 1_000_000
# Below this probability no bar is drawn.
_FLOOR = 1e-12


def _frame():
    """Return the room of the patients, and the line of reconstruction."""
    bare, stops = {"visible": False}, np.array(_SHARES.stops)
    return k.part(
        k.level(f"{100 * _BLATANT:.0f}%: reconstructed", 100 * _BLATANT, [0, 1.6], lower=True),
        x={**bare, "range": [-0.7, _COLUMNS - 0.3]},
        # As wide as it is high, whatever the screen.
        y={**bare, "range": [-_SIZES[-1] / _COLUMNS + 0.3, 0.7], "scaleanchor": "x"},
        x2=k.axis("a spy gets right, in %", range=[-1, 108], dtick=50),
        y2={**bare, "range": [0, 1.6]},
        rows=(0.72, 0.1),
        height=390,
        beside=0.62,
        grab=k.drag("fraction", 100 * stops, np.full(stops.size, 0.03), along="x2"),
    )


@k.cache
def _spies(n, released):
    """Return how many records come out right: how likely, and the luckiest of a million spies."""
    law = game.rows_recovered(n, released, 0.5)
    # So many or more: one of a million spies is expected to get as far.
    beyond = _SPIES * np.cumsum(law[::-1])[::-1]
    return law, int(np.flatnonzero(beyond >= 1)[-1])


def _so_many(spies):
    """Write a number of spies, as far as people can be counted."""
    return f"{float(f'{spies:.3g}'):,.0f}" if spies < 1e12 else k.say(spies)


def _rebuilt(n, fraction):
    """Return how many records come out right, the luckiest spy, and what a reconstruction takes."""
    released, needed = round(fraction * n), math.ceil(_BLATANT * n)
    law, luckiest = _spies(n, released)
    likely = np.flatnonzero(law > _FLOOR)
    heights = law[likely] / law.max()
    more = {"customdata": law[likely], "hover": _CHANCE, "lower": True, "showlegend": False}
    chance = game.reconstruction_probability(n, released, 0.5, _BLATANT)
    takes = k.told("Nobody gets {needed}.", needed=needed)
    if chance > 1e-300:
        spies = k.exact(1 / chance, _so_many)
        takes = k.told("One spy in {spies} gets {needed} (exact).", spies=spies, needed=needed)
    exposed = k.told("{released} are published and exposed, without any luck.", released=released)
    best = 100 * luckiest / n
    flag = {"xref": "x2", "yref": "y2", "x": best, "y": 1.28, "xanchor": "right", "showarrow": False}
    return k.part(
        k.bars(_LIKELY, 100 * likely / n, heights, k.BEST, width=80 / n, **more),
        k.level("the luckiest of a million", best, [0, 1.4], k.ATTACK, lower=True, showlegend=False),
        annotations=[{**flag, "text": "the luckiest "}],
        headline="the luckiest gets about {luckiest} of {n}",
        sentence="Of a million spies at least one gets {luckiest} of {n} or more, on average (exact). "
        "{takes} {exposed} {zoe}",
        alt="{n} people in rows of ten: {released} filled squares are published, {hidden} open circles are "
        "not, and the luckiest of a million spies is right about all but {wrong} of them; one is Zoe. Beside "
        "them a hill, how many of {n} a spy gets right; a flag at {luckiest}, and a line at {blatant}.",
        **k.words(
            n=n, released=released, hidden=n - released, luckiest=luckiest, blatant=round(100 * _BLATANT)
        ),
        **k.words(wrong=n - luckiest, takes=takes, exposed=exposed if released else "Nobody is published."),
    )


def _people(n, fraction, draw):
    """Return one mark a patient; of a draw the published ones only ever grow."""
    released, order = round(fraction * n), np.random.default_rng([n, draw]).permutation(n)
    traces = []
    for name, records, look in (
        ("published: everybody knows", order[:released], k.IN.with_symbol("square")),
        ("not published: hidden", order[released:], k.LEVEL.with_symbol("circle-open")),
    ):
        x, y = np.sort(records) % _COLUMNS, -(np.sort(records) // _COLUMNS)
        traces.append(k.points(name, x, y, look, size=13, hoverinfo="name"))
    # The coins of the luckiest spy, for those who are hidden.
    wrong = n - _spies(n, released)[1]
    for name, records, look in (
        ("right", order[released + wrong :], k.BEST.with_symbol("circle")),
        ("wrong", order[released : released + wrong], k.OUT.with_symbol("x")),
    ):
        x, y = records % _COLUMNS, -(records // _COLUMNS)
        traces.append(k.points(f"the luckiest: {name}", x, y, look, size=8, hoverinfo="name"))
    x, y = [_ZOE % _COLUMNS], [-(_ZOE // _COLUMNS)]
    exposed, quiet = _ZOE in order[:released], {"hoverinfo": "skip", "showlegend": False}
    ring = k.READING.with_symbol("square-open" if exposed else "circle-open")
    traces.append(k.points("ring", x, y, ring, size=26, **quiet))
    return k.part(
        traces,
        k.cast(x, y, ["Zoe"], name="Zoe", size=19, **quiet),
        annotations=[{"text": "<b>Zoe</b>", "x": x[0], "y": 0, "yshift": 22, "showarrow": False}],
        zoe="Zoe is one of them." if exposed else "Zoe is not.",
    )


@k.figure
def half_sample(
    fraction: Annotated[float, _SHARES] = 0.5,
    n: Annotated[int, k.Count(_SIZES, label="Patients, n")] = 100,
    draw: Annotated[int, k.Slider(1, 15, step=1, label="Draw", play=True)] = 1,
):
    """Draw how many records an attacker rebuilds from a random part, and who is exposed.

    Notes
    -----
    Lecture notes, section 2.  A record that is not released is yes or no, equally likely.

    Examples
    --------
    >>> "(exact)" in half_sample(0.5, 20).layout.meta["sentence"]
    True
    """
    return _frame, _rebuilt, _people


_DECOYS = k.Slider(0, 50, 0, step=1, label="Invented, days in 100", play=True)
_LEFT = 12.5  # where the second field begins


def _days(decoys):
    """Return a hundred days with Zoe and a hundred without, and those on which her record is printed."""
    stops, often = np.array(_DECOYS.stops), 100 * game.finite_rates(sampling_mechanism(0.5), [False, True])[0]
    fits, kept = "no factor is enough", "Without her it never is, and no number times never is that."
    sure = k.exact(often / (often + decoys), k.in_100)
    if decoys:
        factor = {"factor": k.exact(often / decoys)}
        told = (
            "Without her it is printed on {decoys}, invented: at even odds whoever sees it is right {sure}."
        )
        fits = k.told("a factor of {factor} is enough", **factor)
        kept = k.told(told, decoys=int(decoys), sure=sure)
    traces, titles = [], []
    for name, days, look, left in (
        ("with Zoe", round(often), k.IN, 0),
        ("without Zoe", int(decoys), k.OUT, _LEFT),
    ):
        day = np.arange(100)
        for which, seen, shown, size in ((f"all, {name}", day, k.LEVEL, 0.5), (name, day[:days], look, 1.25)):
            x, y = left + seen % _COLUMNS, -(seen // _COLUMNS)
            traces.append(k.heads(which, x, y, shown, size=size, showlegend=False))
        title = {
            "text": f"{name}, printed on<br><b>{days} days in 100</b>",
            "x": left + (_COLUMNS - 1) / 2,
            "y": 0.6,
        }
        titles.append({**title, "yanchor": "bottom", "showarrow": False})
    # Of the days on which it is printed, those on which it is true.
    ends = [-0.5, -0.5 + sure.value * (_LEFT + _COLUMNS), _LEFT + _COLUMNS - 0.5]
    for name, look, *way in (("right", k.IN, *ends[:2]), ("wrong", k.OUT, *ends[1:])):
        bar = replace(look, dash="solid", width=12)
        traces.append(k.level(f"{name}, when it is printed", way, -_COLUMNS - 0.3, bar, showlegend=False))
    said = {"x": ends[0], "y": -_COLUMNS - 0.7, "xanchor": "left", "yanchor": "top", "showarrow": False}
    titles.append({**said, "text": f"when it is printed, <b>right {sure}</b>"})
    return k.part(
        traces,
        x={"visible": False, "range": [-1, _LEFT + _COLUMNS + 1]},
        y={"visible": False, "range": [-_COLUMNS - 2.2, 2.4], "scaleanchor": "x"},
        annotations=titles,
        height=390,
        showlegend=False,
        ghost=[],
        grab=k.drag("decoys", np.full(stops.size, _LEFT + _COLUMNS), 0.5 - stops / _COLUMNS, along="y"),
        headline="{printed} lies: {fits}",
        sentence="With Zoe her record is printed on {often} days in 100 (exact). {kept}",
        alt="Two fields of a hundred days: with Zoe her record is printed on {often} of them, without her on "
        "{printed}. Below, a bar: a spy who sees it is right {sure}.",
        **k.words(often=k.exact(often, k.count), printed=int(decoys), kept=kept, fits=fits, sure=sure),
    )


@k.figure
def raised_by_a_factor(decoys: Annotated[float, _DECOYS] = 0):
    """Draw how often Zoe's record comes out, with her and, as an invention, without her.

    Notes
    -----
    Lecture notes, section 2: half of the records are released as they are.

    Examples
    --------
    >>> raised_by_a_factor(5).layout.meta["headline"]
    '5 lies: a factor of 10 is enough'
    """
    return _days
