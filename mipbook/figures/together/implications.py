"""Which promise stops which spy, and a secure sum that tells all."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.implications import NOTIONS, arrow, power_sums, promised_parameter

_CAST = tuple(k.PEOPLE)
# Half of the ten were drawn: four that the neighbour knows of, and either Zoe or the fifth.
_ASKED = [_CAST.index(name) for name in ("Zoe", "Eva")]
# Each spy's row and colour; a symbol says whether he is stopped.
_ROWS = {"DP": 3.0, "MIP": 2.0, "PMP": 1.0, "MIS": 0.0}
_COLOURS = {"DP": k.DP.colour, "MIP": k.MIP.colour, "PMP": k.PMP.colour, "MIS": k.MIS.colour}
_KNOWS = {
    "DP": "knows who of the others was in",
    "MIP": "has the list, must answer",
    "PMP": "has the list, may pass",
    "MIS": "a stranger",
}
# Left of each spy's bar lie the ten as he knows them, in two lines of five, Zoe last.
_LIE, _LINE, _SPY = 1 + 8.2 * (np.arange(10) % 5), 0.15 - 0.31 * (np.arange(10) // 5), -10.5
_TOLD = {
    "DP": "With ε = {given} nobody at the table is right more than {share}, and the stranger not more than "
    "{found} (bounds).",
    "MIP": "With η = {given} the spy who must answer and the stranger are right {share} at most (bound). "
    "The one who may stay silent can be sure, {sure} at most (bound).",
    "PMP": "With ε̃ = {given} the spies with the list and the stranger are right {share} at most; the first "
    "spy, up to {found} (bounds).",
    "MIS": "With Δ = {given} the stranger is right {share} at most. Everybody else may be right {found} "
    "(bounds).",
}
# From 51: who is promised that nothing is learned, by 50, needs no delta.
_RIGHT = k.Slider(51, 99, 75, step=1, label="Its spy is right, at most", unit=" in 100", play=True)


def _table():
    """Draw what each spy knows, in a row: who was in, who the ten are, or nothing."""
    rows, still = np.array(list(_ROWS.values())), {"showlegend": False, "hoverinfo": "skip"}
    drawn = np.setdiff1d(np.arange(0, len(_CAST), 2), _ASKED)
    body = {"symbol": ["triangle-up"] * 4 + ["circle"] * 4, "size": [28] * 4 + [17] * 4, "opacity": 1}
    body |= {"color": [*_COLOURS.values()] * 2}
    unknown = {"text": ["<b>?</b>"] * len(_CAST), "marker": {"color": k.LEVEL.colour, "size": 21}}
    beside = {"textposition": "middle right", "textfont": {"size": 13}}
    return k.part(
        k.points("known to be in", _LIE[drawn], _ROWS["DP"] + _LINE[drawn],
                 k.READING.with_symbol("circle-open"), size=26, hoverinfo="skip"),
        [k.cast(_LIE, y + _LINE, size=21, showlegend=False, name=row)
         | (unknown | still if row == "MIS" else {}) for row, y in _ROWS.items()],
        k.points("spies", [_SPY] * 8, [*rows - 0.12, *rows + 0.13], k.READING, marker=body, **still),
        k.text("who", [-16] * 4, rows + 0.46, list(_KNOWS.values()), **beside),
        k.text("notions", [101] * 4, rows + 0.33, [f"<b>{row}</b>" for row in _ROWS], **beside),
        [k.level(f"scale, {row}", [50, 100], y, k.Look(_COLOURS[row], "longdash", width=1.5),
                 showlegend=False) for row, y in _ROWS.items()],
        x=k.axis("right at most, times in 100", range=[-16, 114], tickvals=[50, 75, 100]),
        y={"visible": False, "range": [-0.4, 3.65]},
        height=430,
        ghost=[],
    )  # fmt: skip


def _free(start):
    """Return whom a promise does not stop: it says nothing of him, or allows that he is sure."""
    arrows = {row: arrow(start, row) for row in _ROWS if row != start}
    return {row: each for row, each in arrows.items() if each.kind == "impossible" or each.needs_delta}


def _promised(start):
    """Let the promise be dragged along its spy's bar."""
    return k.part(grab=k.drag("right", _RIGHT.stops, [_ROWS[start]] * len(_RIGHT.stops)))


def _held(start, right):
    """Draw how often each spy may be right, if one of them was promised at."""
    found = {row: 100 * float(arrow(start, row).accuracy(right / 100)) for row in _ROWS if row != start}
    found |= {start: right} | dict.fromkeys(_free(start), 100.0)
    free = [row in _free(start) for row in _ROWS]
    # Who needs a delta is sure, but no oftener than by the promise's whole advantage.
    sure = k.at_most(2 * right / 100 - 1, k.in_100)
    seldom = [row != start and arrow(start, row).needs_delta for row in _ROWS]
    said = np.where(seldom, " at times", " free")
    ends, rows = [found[row] for row in _ROWS], list(_ROWS.values())
    shape = {"color": k.READING.colour, "symbol": np.where(free, "x", "circle").tolist(), "size": 14}
    more = {"mode": "markers+text", "textposition": "middle right", "hover": "%{x:.3g} times in 100"}
    promise = k.READING.with_symbol("diamond-open")
    return k.part(
        [k.curve(f"bar, {row}", [50, found[row]], [y, y], k.Look(_COLOURS[row], width=10),
                 showlegend=False) for row, y in _ROWS.items()],
        k.points("so often", ends, rows, k.READING, marker=shape, text=np.where(free, said, " ").tolist(),
                 showlegend=False, **more),
        k.points("the promise", right, _ROWS[start], promise, size=22),
        headline="{count} of 4 spies stopped",
        sentence=_TOLD[start],
        alt="Four spies in rows: DP's knows all but one who were in, MIP's and PMP's have the list of ten, "
        f"MIS's knows nobody. Beside what each knows lies a bar: {start}'s ends at {{share}}; {{count}} of "
        "four are stopped, the others' bars end in crosses.",
        given=float(promised_parameter(start, right / 100)),
        share=k.at_most(right / 100, k.in_100),
        found=k.at_most(found["MIS"] / 100 if start == "DP" else 1.0, k.in_100),
        sure=sure,
        count=4 - sum(free),
    )  # fmt: skip


@k.figure
def four_spies(
    start: Annotated[str, k.Choice(NOTIONS, label="Promised")] = "MIS", right: Annotated[int, _RIGHT] = 75
):
    """Draw what four spies know, and how often each may be right where one of them was promised at.

    All in one unit: how often, at even odds, the best attacker of the notion's own game is right.

    Notes
    -----
    This book, Theorems 2.1 to 2.7.

    Examples
    --------
    >>> four_spies("DP").layout.meta["headline"], four_spies("MIS").layout.meta["headline"]
    ('4 of 4 spies stopped', '1 of 4 spies stopped')
    >>> four_spies("MIP").layout.meta["headline"]
    '2 of 4 spies stopped'
    """
    return _promised, _table, _held


# Moduli at which the first ten powers of two leave different remainders.
_MODULI = [11, 13, 19, 23, 25, 29, 37, 41, 43, 47, 53, 61, 67, 71, 79, 83, 97, 101, 121, 149]
_MODULI += [173, 197, 227, 269, 317, 373, 443, 523, 619, 733, 859, 1019]
_sums = k.cache(power_sums)


def _clock(q):
    """Draw the face of a clock of so many hours, and the numbers at its quarters."""
    ring, quarters = np.linspace(0, 2 * np.pi, 97), np.arange(4) * np.pi / 2
    hours, numbers = 2 * np.pi * np.arange(q) / q, [str(round(quarter * q / 4)) for quarter in range(4)]
    return k.part(
        k.curve("the clock", np.sin(ring), np.cos(ring), k.LEVEL, showlegend=False, hoverinfo="skip"),
        k.points("its hours", np.sin(hours), np.cos(hours), k.LEVEL, size=3, showlegend=False,
                 hoverinfo="skip"),
        k.text("their numbers", 0.8 * np.sin(quarters), 0.8 * np.cos(quarters), numbers),
        k.text("what it says", [0], [0], ["only the hour<br>is published"]),
        x={**k.BARE, "range": [-1.15, 1.15], "scaleanchor": "y"},
        y={**k.BARE, "range": [-1.15, 1.15]},
        height=420,
        ghost=[],
    )  # fmt: skip


def _sum(n, q):
    """Return what each sum says of the first one."""
    found = _sums(n, q)
    total = found.inside + found.outside
    seen = np.flatnonzero(total)
    chance = found.inside[seen] / total[seen]
    settled = total[seen][(chance == 0) | (chance == 1)].sum() / total.sum()
    turn = 2 * np.pi * seen / q
    said = [f"hour {hour}: in with chance {k.say(each)}" for hour, each in zip(seen, chance, strict=True)]
    kinds = (
        ("Zoe was in", k.IN, chance == 1),
        ("she was not", k.OUT.with_symbol("x"), chance == 0),
        ("nobody knows", k.LEVEL.with_symbol("square-open"), (chance > 0) & (chance < 1)),
    )
    return k.part(
        [
            k.points(name, np.sin(turn[at]), np.cos(turn[at]), look, size=11, cliponaxis=False,
                     text=[each for each, kept in zip(said, at, strict=True) if kept], hover="%{text}")
            for name, look, at in kinds
        ],
        headline="With the list: right {right}",
        sentence="To a stranger each hour is as likely with Zoe as without: Δ = 0. Of the draws {certain} "
        "lead to an hour that settles it for the spy who knows the {pool} numbers (exact).",
        alt="A clock of {q} hours: each sum of {n} numbers is an hour, and {certain} of the draws lead to an "
        "hour that settles whether Zoe's is among them. The spy who knows the numbers is right {right}.",
        q=k.exact(q, str),
        n=n,
        pool=2 * n,
        right=k.exact(0.5 + found.eta, k.in_100),
        certain=k.exact(float(settled), k.percent),
    )  # fmt: skip


@k.figure
def secure_sum(
    q: Annotated[int, k.Count(_MODULI, label="Hours, q", play=True)] = 41,
    n: Annotated[int, k.Choice([3, 4, 5], label="People drawn, n")] = 4,
):
    """Draw what a sum modulo q tells on a pool of powers of two, though its Delta is 0.

    Notes
    -----
    This book, Theorem 2.7.

    Examples
    --------
    >>> secure_sum(61, 3).layout.meta["headline"]
    'With the list: right 100 times in 100'
    """
    return _clock, _sum
