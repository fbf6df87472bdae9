"""Two releases that are harmless alone and tell all together."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.witnesses import member_and_split_etas
from mipbook.mip import subsets
from mipbook.pmp import design_bit

_CAST = tuple(k.PEOPLE)
_NAMED, _DRAWN = "Eva", 3
_MOST = 15
_STAND = {
    "a name": "in one ring, one of them in a diamond",
    "the two groups": "in two circles",
    "both": "in two circles, one of them in a diamond",
}


@k.cache
def _half(n):
    """Return who is in the study, of 2n people; Eva, or the first where there are fewer, is."""
    named = _CAST.index(_NAMED) if n > 2 else 0
    # Of two who come one goes to each group, so that nobody changes sides while the study grows.
    first = np.random.default_rng(_DRAWN).random(_MOST) < 0.5
    first[[0, _CAST.index(_NAMED) // 2]] = True
    return named, np.stack([first, ~first], axis=1)[:n].ravel()


def _places(n, apart):
    """Return where 2n people stand: in one ring, or around two circles, each with its half."""
    inside, wide = _half(n)[1], _wide(n)
    if not apart:
        # As far from each other at the sides of the ring as above and below.
        turn = np.linspace(0, 2 * np.pi, 401)
        x, y = 2.2 * np.sin(turn), np.cos(turn)
        way = np.append(0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
        at = way[-1] * (np.arange(2 * n) + 0.5) / (2 * n)
        return wide * np.interp(at, way, x), wide * np.interp(at, way, y)
    # Which of the two is the study's is not told: the study's half stands on the right.
    place = np.where(inside, np.cumsum(inside), np.cumsum(~inside)) - 1
    turn, far = 2 * np.pi * place / n, 0.84 * wide * (n > 1)
    return np.where(inside, 1.4, -1.4) + far * np.sin(turn), far * np.cos(turn)


def _wide(n):
    """Return how wide a circle is, as a share of the widest: few people need little room."""
    return min(1, (n + 1) / 6)


def _size(n):
    """Return how large a person is: no initial is smaller than eleven pixels."""
    return float(np.clip(190 / n, 18, 38))


def _of(who, *sides):
    """Return where some of the people stand, and a gap for each who may come: nobody swaps places."""
    away = 2 * _MOST - who.size
    return [k.kept(side, who) + [None] * away for side in sides]


def _crowd(n, seen):
    """Draw the people, the ten of the cast first, and the circles that they are printed in."""
    apart = seen != "a name"
    x, y = _places(n, apart)
    size, ten = _size(n), min(2 * n, len(_CAST))
    turn, far = np.linspace(0, 2 * np.pi, 61), 1.26 * _wide(n)
    # Both circles are one line with a gap.
    around = np.concatenate([-1.4 + far * np.sin(turn), [np.nan], 1.4 + far * np.sin(turn)])
    ring = np.tile(np.append(far * np.cos(turn), np.nan), 2)[: around.size]
    kept = np.isfinite(around) & apart
    named = _half(n)[0]
    printed = [named] if seen != "the two groups" else []
    return k.part(
        k.curve("the two groups", k.kept(around, kept), k.kept(ring, kept), k.LEVEL, fill="toself",
                hoverinfo="skip"),
        k.points("the printed name", x[printed], y[printed], k.READING.with_symbol("diamond-open"),
                 size=size + 16, hoverinfo="skip", cliponaxis=False),
        k.points("more people", *_of(np.arange(2 * n) >= ten, x, y), k.LEVEL, size=0.6 * size, zorder=1,
                 showlegend=False, hoverinfo="skip"),
        k.cast(x[:ten], y[:ten], _CAST[:ten], size=size, zorder=1, showlegend=False),
        x={"range": [-2.7, 2.7], "visible": False, "constrain": "domain"},
        y={"range": [-1.3, 1.3], "visible": False, "scaleanchor": "x", "constrain": "domain"},
        height=340,
        ghost=[],
        person=_CAST[named],
    )  # fmt: skip


def _lit(n, seen):
    """Light up whoever is known for sure."""
    named, inside = _half(n)
    x, y = _places(n, seen != "a name")
    sure = np.full(2 * n, seen == "both")
    if seen == "a name":
        sure = (np.arange(2 * n) == named) | (n == 1)
    more = {"size": 1.2 * _size(n), "hoverinfo": "skip"}
    return k.part(
        k.points("surely in", *_of(sure & inside, x, y), k.IN.with_symbol("circle-open"), **more),
        k.points("surely not in", *_of(sure & ~inside, x, y), k.OUT.with_symbol("square-open"), **more),
    )


def _told(n, seen):
    found = member_and_split_etas(n, 1)
    known = {"a name": 2 if n == 1 else 1, "the two groups": 0, "both": 2 * n}[seen]
    eta = dict(zip(_STAND, found, strict=True))[seen]
    others = f"each of the others {n - 1} times in {2 * n - 1}" if n > 1 else "the other was not"
    told = {
        "a name": f"{{person}} was in, {others}. Call only her in, and you are right",
        "the two groups": "Which group was studied is not told: about each of them you are right",
        "both": "{person}'s group is the study. You are right",
    }[seen]
    return k.part(
        headline="{known} of {people} people known",
        sentence=f"{told} {{right}} times in 100 (exact).",
        alt=f"{{people}} people as dots, {_STAND[seen]}; who is known for sure lights up: {{known}} of them.",
        known=known,
        people=2 * n,
        right=k.exact(50 + 100 * eta),
    )


@k.figure
def name_one(
    seen: Annotated[str, k.Choice(_STAND.keys(), label="Published")] = "both",
    n: Annotated[int, k.Slider(1, _MOST, step=1, value=5, label="People in the study, n", play=True)] = 5,
):
    """Draw 2n people, of whom half were in a study, and who is known from a name, two groups, or both.

    Examples
    --------
    >>> name_one("both").layout.meta["headline"]
    '10 of 10 people known'
    """
    return _lit, _crowd, _told


_STUDIES, _ONE_PAIR = subsets(6), design_bit()[:, 1] > 0.5
# What is printed, and whether it leaves each of the twenty studies.
_LEFT = {"nothing": np.full(20, True), "groups": np.isin(np.arange(20), (6, 13)), "pair": _ONE_PAIR}
_LEFT["both"] = _LEFT["groups"] & _ONE_PAIR
# The first of the six stands in the middle, the others in this order in a ring; and who is who.
_RING = np.array([0, 1, 2, 4, 5, 3])
_SIX = np.array(_CAST[:6])[_RING.argsort()]


def _seats():
    """Return where each of the six is on a card: five in a ring, and one in its middle."""
    turn = 2 * np.pi * np.arange(5) / 5
    seats = np.zeros((6, 2))
    seats[_RING[1:]] = np.stack([0.31 * np.sin(turn), 0.31 * np.cos(turn)], axis=1)
    return seats.T - [[0], [0.03]]


def _grid():
    """Return where each card is: beside its opposite, two such pairs in a row."""
    pair = np.minimum(np.arange(20), np.arange(20)[::-1])
    return np.stack([2.2 * (pair % 2) + (np.arange(20) > 9), -(pair // 2)])


def _outlines(cards, aside=0.0):
    """Return the rims of some cards as one line with gaps, so far aside."""
    corners = np.array([[-1, -1, 1, 1, -1, np.nan], [-1, 1, 1, -1, -1, np.nan]]) * [[0.48], [0.45]]
    rims = (_grid()[:, cards, None] + corners[:, None]).reshape(2, -1)
    return [k.kept(side, np.isfinite(side)) for side in rims + np.array([[aside], [0]])]


def _pages(seen):
    """Draw what each page rules out: it slides over the cards once it is printed."""
    return [
        k.curve(f"page: {page}", *_outlines(~_LEFT[page], 0 if seen in (page, "both") else away), k.LEVEL,
                fill="toself", showlegend=False, line={"width": 0}, hoverinfo="skip")
        for page, away in (("groups", -5), ("pair", 5))
    ]  # fmt: skip


def _cards(seen):
    """Draw each study that six people allow as a card, beside its opposite, and frame those that are left."""
    left, seats, cards = _LEFT[seen], _seats(), _grid()
    card, person = np.nonzero(_STUDIES)
    here, who = left[card], _SIX[person]
    across, up = seats[:, person] + cards[:, card]
    # A line between any two neighbours who are both on a card, and a gap after it.
    ends = np.stack([_RING[1:], np.roll(_RING[1:], 1), _RING[1:]], axis=1)
    at, neighbours = np.nonzero(_STUDIES[:, ends[:, :2]].all(axis=2) & left[:, None])
    lines = (seats[:, ends[neighbours]] + cards[:, at, None]).reshape(2, -1)
    drawn = np.arange(3 * at.size) % 3 < 2
    free = (seats[:, None] + cards[:, :, None])[:, ~_STUDIES]
    told = "Each of the six is on half of these cards: nothing is told of anybody"
    if left.sum() == 1:
        told = "Together the pages name all three who were in, and so the three who were not"
    six, faint = {"size": 19, "showlegend": False}, {"opacity": 0.25, "hoverinfo": "skip"}
    return k.part(
        k.points("not on the card", *free, k.LEVEL, size=4, opacity=0.5, hoverinfo="skip"),
        k.cast(across[~here], up[~here], who[~here], name="ruled out", **six, **faint),
        _pages(seen),
        k.curve("neighbours", *(k.kept(side, drawn) for side in lines), k.READING, hoverinfo="skip"),
        k.curve("left", *_outlines(left), k.READING, line={"color": k.INK, "width": 1.5}, hoverinfo="skip"),
        k.cast(across[here], up[here], who[here], name="still possible", **six),
        x={"visible": False, "range": [-0.55, 3.75]},
        y={"visible": False, "range": [-4.55, 0.55]},
        height=420,
        showlegend=False,
        ghost=[],
        layout={"margin": {"l": 8, "r": 8, "t": 8, "b": 8}},
        headline="{left} of {all} studies left",
        sentence=f"{told} (exact).",
        alt="Twenty cards, each with three of six people at their places, beside its opposite. Framed are "
        f"the {{left}} that are left by what is printed: {seen}.",
        left=int(left.sum()),
        all=20,
    )


@k.figure
def twenty_studies(seen: Annotated[str, k.Choice(_LEFT.keys(), label="Printed")] = "nothing"):
    """Draw which three of six people may have been in a study, by what is printed.

    Examples
    --------
    >>> twenty_studies("both").layout.meta["headline"]
    '1 of 20 studies left'
    """
    return _cards
