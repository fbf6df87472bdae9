"""Two releases that are harmless alone and tell all together: for MIP, and for security."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.witnesses import field_deltas, member_and_split_etas
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
    inside = _half(n)[1]
    if not apart:
        # As far from each other at the sides of the ring as above and below.
        turn = np.linspace(0, 2 * np.pi, 401)
        x, y = 2.2 * np.sin(turn), np.cos(turn)
        way = np.append(0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
        at = way[-1] * (np.arange(2 * n) + 0.5) / (2 * n)
        return np.interp(at, way, x), np.interp(at, way, y)
    # Which of the two is the study's is not told: the study's half stands on the right.
    place = np.where(inside, np.cumsum(inside), np.cumsum(~inside)) - 1
    turn = 2 * np.pi * place / n
    return np.where(inside, 1.4, -1.4) + 0.92 * np.sin(turn), 0.92 * np.cos(turn)


def _size(n):
    """Return how large a person is: no initial is smaller than eleven pixels."""
    return float(np.clip(150 / n, 18, 30))


def _of(who, *sides):
    """Return where some of the people stand, and a gap for each who may come: nobody swaps places."""
    away = 2 * _MOST - who.size
    return [k.kept(side, who) + [None] * away for side in sides]


def _crowd(n, seen):
    """Draw the people, the ten of the cast first, and the circles that they are printed in."""
    apart = seen != "a name"
    x, y = _places(n, apart)
    size, ten = _size(n), min(2 * n, len(_CAST))
    turn = np.linspace(0, 2 * np.pi, 41)
    # Both circles are one line with a gap.
    around = np.concatenate([-1.4 + 1.2 * np.sin(turn), [np.nan], 1.4 + 1.2 * np.sin(turn)])
    ring = np.tile(np.append(1.2 * np.cos(turn), np.nan), 2)[: around.size]
    kept = np.isfinite(around) & apart
    named = _half(n)[0]
    printed = [named] if seen != "the two groups" else []
    return k.part(
        k.curve("the two groups", k.kept(around, kept), k.kept(ring, kept), k.LEVEL, hoverinfo="skip"),
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
    more = {"size": 1.3 * _size(n), "hoverinfo": "skip"}
    return k.part(
        k.points("surely in", *_of(sure & inside, x, y), k.IN.with_symbol("circle-open"), **more),
        k.points("surely not in", *_of(sure & ~inside, x, y), k.OUT.with_symbol("square-open"), **more),
    )


def _told(n, seen):
    found = member_and_split_etas(n, 1)
    known = {"a name": 2 if n == 1 else 1, "the two groups": 0, "both": 2 * n}[seen]
    eta = dict(zip(_STAND, found, strict=True))[seen]
    told = {
        "a name": "{person} was in; of the others nothing is told",
        "the two groups": "Which group was studied is not told",
        "both": "{person}'s group is the study",
    }[seen]
    return k.part(
        headline="{known} of {people} people known",
        sentence=f"{told}. If one of them is you, a spy is right about you {{right}} times in 100 (exact).",
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


_STUDIES, _YES = subsets(6), design_bit()[:, 1] > 0.5
# What is printed, and whether it leaves each of the twenty studies.
_LEFT = {"nothing": np.full(20, True), "the groups": np.isin(np.arange(20), (6, 13)), "yes": _YES}
_LEFT["both"] = _LEFT["the groups"] & _YES


def _cards(seen):
    """Draw each study that six people allow as a card, above its opposite, and frame those that are left."""
    left, pair = _LEFT[seen], np.minimum(np.arange(20), np.arange(20)[::-1])
    x, y = pair % 5, -2.3 * (pair // 5) - (np.arange(20) > 9)
    card, person = np.nonzero(_STUDIES)
    across, here = x[card] + 0.29 * (np.arange(60) % 3 - 1), left[card]
    corners = np.array([[-1, -1, 1, 1, -1, np.nan], [-1, 1, 1, -1, -1, np.nan]]) * [[0.46], [0.4]]
    frames = (np.array([x, y])[:, left, None] + corners[:, None]).reshape(2, -1)
    who, rim = [_CAST[each] for each in person[here]], replace(k.LEVEL, dash="solid")
    told = "Each of the six is on half of these cards: nothing is told of anybody"
    if left.sum() == 1:
        told = "Together the pages name all three who were in, and so the three who were not"
    return k.part(
        k.points("ruled out", across[~here], y[card][~here], k.LEVEL, size=5, opacity=0.5, hoverinfo="skip"),
        k.curve("left", *(k.kept(side, np.isfinite(side)) for side in frames), rim, hoverinfo="skip"),
        k.cast(across[here], y[card][here], who, name="still possible", size=18),
        x={"visible": False, "range": [-0.55, 4.55]},
        y={"visible": False, "range": [-3.85, 0.55]},
        height=300,
        showlegend=False,
        ghost=[],
        headline="{left} of {all} studies left",
        sentence=f"{told} (exact).",
        alt="Twenty cards, each with three of six people, above its opposite. Framed are the {left} that are "
        f"left by what is printed: {seen}.",
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


_Q = 17
# The handles stand beyond the last pair, where no axis has its labels.
_TOP, _HELD = _Q + 0.3, replace(k.IN, dash="dot", width=1)
_SEEN = ("nothing", "the sum", "the square", "both")
_ONE, _TWO = np.divmod(np.arange(_Q * _Q), _Q)


def _field():
    ends = {"range": [-0.7, _TOP], "dtick": 4, "constrain": "domain"}
    return k.part(
        x=k.axis("Zoe's number", **ends), y=k.axis("Ben's number", scaleanchor="x", **ends), height=440
    )


def _pairs(first, second, seen):
    """Return which pairs of numbers lead to what is printed."""
    fits = np.ones(_Q * _Q, dtype=bool)
    if seen in ("the sum", "both"):
        fits &= (_ONE + _TWO - first - second) % _Q == 0
    if seen in ("the square", "both"):
        fits &= ((_ONE - _TWO) ** 2 - (first - second) ** 2) % _Q == 0
    sure = "so Zoe's may still be any of the {q}, all equally likely"
    if seen == "both":
        sure = "so both numbers are known" if first == second else "so Zoe's is one of two numbers"
    pairs = "{count} pair of {all} fits" if fits.sum() == 1 else "{count} pairs of {all} fit"
    marks = (
        ("ruled out", ~fits, k.LEVEL.with_symbol("circle"), {"size": 3, "hoverinfo": "skip"}),
        ("still possible", fits, k.MIS.with_symbol("square"), {"hover": "%{x} and %{y}, still possible"}),
    )
    quiet = {"showlegend": False, "hoverinfo": "skip"}
    return k.part(
        [k.points(name, _ONE[at], _TWO[at], look, **{"size": 10, **more}) for name, at, look, more in marks],
        k.points("the two numbers", first, second, k.IN.with_symbol("circle-open"), size=19),
        k.curve("the two numbers, held", [first, first, _TOP], [_TOP, second, second], _HELD, **quiet),
        headline="a spy is right {right}",
        sentence=f"{pairs} what is printed, {sure} (exact).",
        alt="A grid of {q} by {q} pairs of numbers with a ring around {first} and {second}. "
        f"{seen.capitalize()} leaves {{count}} marked: all, a line, two crossing lines or two points "
        "mirrored at the diagonal.",
        grab=k.drag("first") + k.drag("second", along="y"),
        count=int(fits.sum()),
        all=_Q * _Q,
        q=_Q,
        first=first,
        second=second,
        right=k.exact(0.5 + (seen == "both") * field_deltas(_Q).together / 2, k.in_100),
    )


@k.figure
def sum_and_square(
    first: Annotated[int, k.Slider(0, _Q - 1, step=1, value=12, label="Zoe's number")] = 12,
    second: Annotated[int, k.Slider(0, _Q - 1, step=1, value=7, label="Ben's number")] = 7,
    seen: Annotated[str, k.Choice(_SEEN, label="Printed")] = "the sum",
):
    """Draw which pairs of numbers modulo 17 fit their sum, their squared difference, or both.

    Examples
    --------
    >>> sum_and_square(12, 7, "both").layout.meta["headline"]
    'a spy is right 94.3 times in 100'
    """
    return _field, _pairs
