"""The arrows between the four notions, and two teams that nobody named."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.implications import ARROWS

# The stranger in the middle: every arrow goes round him or to him, and none crosses another.
_PLACES = {"DP": (5.0, 7.0), "MIP": (0.8, 0.6), "PMP": (9.2, 0.6), "MIS": (5.0, 2.9)}
_LOOKS = {"DP": k.DP, "MIP": k.MIP, "PMP": k.PMP, "MIS": k.MIS}
_WHO = {
    "DP": "knows the others",
    "MIP": "list, must answer",
    "PMP": "list, may be silent",
    "MIS": "a stranger",
}
_ALL = {f"{each.start} → {each.end}": each for each in ARROWS}
_HELD = 0.75
_FOUND = "Hold {start}'s spy to {share}, and {end}'s is right {found} at most (bound). "
_TOLD = {
    "sharp": _FOUND + "No better promise follows.",
    "bound": _FOUND + "Whether a better promise follows, we do not know.",
    "delta": "Hold MIP's spy to {share}, and PMP's may be sure, but at most {sure} (bound). That is δ̃.",
    "DP": "Some release tells {start}'s spy next to nothing, and the neighbour nearly all (bound).",
    "clock": "On the clock below the stranger learns nothing, and whoever has the list all (exact).",
}


def _way(start, end):
    """Return where an arrow begins and ends: at the rims, and beside the one that comes back."""
    one, two = (complex(*_PLACES[each]) for each in (start, end))
    along = (two - one) / abs(two - one)
    # To the right of the way, where another goes back.
    aside = 0.3j * along * (end == "DP" or start == "MIS" or {start, end} == {"MIP", "PMP"})
    ends = np.array([one + 0.85 * along, two - 0.95 * along]) - aside
    return ends.real, ends.imag


def _map():
    """Draw the four spies, and all arrows that there are."""
    x, y = np.array(list(_PLACES.values())).T
    shape = {"size": 46, "color": [_LOOKS[each].colour for each in _PLACES], "symbol": "circle"}
    plain = [each for each in ARROWS if each.kind != "impossible" and not each.needs_delta]
    ways = np.array([_way(each.start, each.end) for each in plain])
    across, along = (np.pad(ways[:, i], ((0, 0), (0, 1))).ravel() for i in (0, 1))
    shown = np.tile([True, True, False], len(plain))
    drawn = [
        _line("an arrow", k.kept(across, shown), k.kept(along, shown), k.LEVEL.exact(), 2.0),
        _line("with δ̃", *_way("MIP", "PMP"), replace(k.LEVEL, dash="dash"), 2.0),
    ]
    people = k.cast(x, y, ["Zoe"] * 4, name="four notions", showlegend=False, hoverinfo="skip")
    return k.part(
        drawn,
        people | {"text": [f"<b>{each}</b>" for each in _PLACES], "marker": shape},
        k.text("who they are", x, y + np.where(y > 5, 1.25, -1.25), list(_WHO.values())),
        x={"visible": False, "range": [-1.2, 11.2]},
        y={"visible": False, "range": [-1.2, 8.8]},
        height=400,
        layout={"showlegend": False},
        ghost=[],
    )


def _line(name, x, y, look, width):
    """Return arrows, with a gap behind each."""
    ends = [0, 9 + 2.5 * width, 0] * (1 + len(x) // 3)
    tip = {
        "symbol": "arrow",
        "angleref": "previous",
        "size": ends[: len(x)],
        "color": look.colour,
        "opacity": 1,
    }
    look = replace(look, width=width)
    return k.curve(name, x, y, look, mode="lines+markers", marker=tip, hoverinfo="skip")


def _asked(arrow):
    """Draw the one arrow that is asked for, or a cross where there is none."""
    each = _ALL[arrow]
    missing = each.kind == "impossible"
    x, y = (sum(side) / 2 for side in _way(each.start, each.end))
    said = "no" if missing else "yes"
    told = "clock" if missing and each.start == "MIS" else each.end if missing else each.kind
    look = replace(k.READING if missing else _LOOKS[each.start], dash="dot" if missing else "solid")
    look = replace(look, dash="dash") if each.needs_delta else look
    return k.part(
        _line("the arrow asked for", *_way(each.start, each.end), look, 2.5 if missing else 6),
        k.points("no arrow", k.kept([x], [missing]), k.kept([y], [missing]), k.READING.with_symbol("x"),
                 size=20, hoverinfo="skip"),
        headline="{start} to {end}: {says}" + ("" if each.needs_delta else ", {found}"),
        sentence=_TOLD["delta" if each.needs_delta else told],
        alt="DP above, MIP and PMP below, MIS in the middle. From DP arrows go to all three; between MIP and "
        "PMP they go both ways; from both one goes to MIS. No arrow goes to DP, and none leaves MIS. "
        "{start} to {end}: {says}.",
        start=each.start,
        end=each.end,
        says=k.told("needs δ̃ = {delta}", delta=2 * _HELD - 1) if each.needs_delta else said,
        share=k.at_most(_HELD, k.in_100),
        found=k.at_most(1.0 if missing else float(each.accuracy(_HELD)), k.in_100),
        sure=k.at_most(2 * _HELD - 1, k.in_100),
    )  # fmt: skip


@k.figure
def arrow_map(arrow: Annotated[str, k.Choice(list(_ALL), label="Does it imply?")] = "DP → MIS"):
    """Draw which promise implies which, and what one arrow carries over.

    Notes
    -----
    This book, Theorems 2.1 to 2.7; `mipbook.accounting.arrow`.

    Examples
    --------
    >>> [arrow_map(arrow).layout.meta["headline"] for arrow in ("DP → MIS", "MIS → DP")]
    ['DP to MIS: yes, 63.4 times in 100', 'MIS to DP: no, 100 times in 100']
    """
    return _map, _asked


_CAST = tuple(k.PEOPLE)
_ZOE, _ANNA = _CAST.index("Zoe"), _CAST.index("Anna")
_SPIES = ("has the list", "knows Anna was in")


@k.cache
def _teams(draw):
    """Return who was drawn, Anna among them, and whether their team stands on the left."""
    rng = np.random.default_rng((7, draw))
    others = rng.permutation([i for i in range(len(_CAST)) if i != _ANNA])
    inside = np.isin(np.arange(len(_CAST)), [_ANNA, *others[:4]])
    return inside, bool(rng.random() < 0.5)


def _printed(draw, spy):
    """Draw the two teams, in an order that tells nothing, and what a spy reads off."""
    inside, left = _teams(draw)
    knows = spy == _SPIES[1]
    place = np.where(inside, np.cumsum(inside), np.cumsum(~inside)) - 1
    here = inside == left
    x = np.where(here, 0, 6) + (place % 3) * 1.6 + 0.8 * (place > 2)
    y = -1.6 * (place // 3)
    wide, tall = np.array([0, 1, 1, 0, 0]) * 5.2 - 1, np.array([0, 0, 1, 1, 0]) * 3.6 - 2.6
    study = not left  # its side, 0 or 1
    both = [[*wide, None, *(wide + 6)], [*tall, None, *tall]]
    names = ["in the study" if side == study else "left out" for side in (0, 1)]
    names = names if knows else ["in, or out?"] * 2
    right = 1.0 if knows else 0.5
    seen = [_ANNA] if knows else []
    return k.part(
        k.curve("two teams", *both, k.LEVEL.exact(), hoverinfo="skip"),
        k.curve("the team that took part", wide[: 5 * knows] + 6 * study, tall[: 5 * knows],
                k.Look(k.IN.colour, width=6), hoverinfo="skip"),
        k.points("he knows", x[seen], y[seen], k.IN.with_symbol("circle-open"), size=42, hoverinfo="skip"),
        k.points("Zoe", x[[_ZOE]], y[[_ZOE]], k.READING.with_symbol("square-open"), size=40,
                 hoverinfo="skip"),
        k.cast(x, y, _CAST, size=32, showlegend=False),
        k.text("what he says of each team", [1.6, 7.6], [1.55, 1.55], [f"<b>{name}</b>" for name in names]),
        x={"visible": False, "range": [-1.4, 10.6], "constrain": "domain"},
        y={"visible": False, "range": [-3.0, 2.1], "scaleanchor": "x"},
        height=330,
        layout={"showlegend": False},
        ghost=[],
        headline="right {right}",
        sentence=(
            "He finds Anna, who was in, and reads off the rest: Zoe {was}. He is right {right} (exact)."
            if knows
            else "Zoe is in one of the teams, but which one took part? He is right {right} (exact)."
        ),
        alt="Ten people in two teams of five, Zoe in a square; above each team what the spy can say of it.",
        right=k.exact(right, k.in_100),
        was="was in" if inside[_ZOE] else "was not",
    )  # fmt: skip


@k.figure
def two_teams(
    spy: Annotated[str, k.Choice(_SPIES, label="The spy")] = _SPIES[0],
    draw: Annotated[int, k.Count(range(1, 21), 1, label="Draw", play=True)] = 1,
):
    """Draw two teams that are published, not saying which took part, and who can tell.

    Notes
    -----
    This book, Theorem 2.4 (a): `mipbook.pmp.partition_mechanism`.

    Examples
    --------
    >>> [two_teams(spy).layout.meta["headline"] for spy in ("has the list", "knows Anna was in")]
    ['right 50 times in 100', 'right 100 times in 100']
    """
    return _printed
