"""Two releases that are harmless alone and tell all together."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.composition import member_and_split_etas

_CAST = tuple(k.PEOPLE)
_N, _ZOE = len(_CAST) // 2, _CAST.index("Zoe")
_ROUNDS, _SEED = 24, 1452
# What is printed, as it is named, and what the best spy makes of it.
_BETS = {
    "circles": ("The circles alone", "The page speaks of both circles alike"),
    "name": ("The name alone", "Say in only if the name is Zoe's"),
    "both": ("Both pages", "The name shows which circle was studied"),
}
_CIRCLES = "One of these circles was studied."


@k.cache
def _drawn(round, seen):
    """Return who is in the study, whose name is printed, and where each stands in the two groups."""
    rng = np.random.default_rng((_SEED, round, [*_BETS].index(seen)))
    inside = np.isin(np.arange(2 * _N), rng.permutation(2 * _N)[:_N])
    place = np.where(inside, np.cumsum(inside), np.cumsum(~inside)) - 1
    turn, side = 2 * np.pi * place / _N, np.where(inside, 1.4, -1.4) * rng.choice([-1, 1])
    return inside, int(rng.choice(np.flatnonzero(inside))), side + 0.82 * np.sin(turn), 0.82 * np.cos(turn)


def _reply(says, was, named, seen):
    """Return what a reader hears who says, or not, that Zoe was in."""
    told = f"{'Right' if says == was else 'No'}, Zoe was {'in' if was else 'out'}"
    if seen == "circles":
        return told.replace(",", ", by luck:" if says == was else ",") + "."
    if named == _ZOE:
        return f"{told}: her own name is printed."
    if seen == "both":
        return f"{told}: {_CAST[named]}'s circle is the study, and she is in {'it' if was else 'the other'}."
    lucky = " You were unlucky." if was and not says else ""
    return f"{told}. Besides {_CAST[named]}, four of nine were in and five were out: bet on out.{lucky}"


def _round(round, seen):
    """Draw the ten as they are printed; with the answer all light up, in circles of their own."""
    inside, named, x, y = _drawn(round, seen)
    first = {"x": x, "y": y}
    if seen == "name":
        # The rows of the alphabet: they tell nothing.
        first = {"x": np.arange(2 * _N) % _N - 2.0, "y": 0.6 - 1.2 * (np.arange(2 * _N) // _N)}
    sides, inks = x[inside].mean() * np.array([1, -1]), {"color": [k.BLUE, k.ORANGE], "size": 17}
    was, late = bool(inside[_ZOE]), {"meta": "reveal", **k.QUIET}
    answer = "in" if was else "out"
    # By the groups alone nobody has more than a coin, so there is no best player to compare with.
    best = {"circles": None, "name": "in" if named == _ZOE else "out", "both": answer}[seen]
    pages = {"circles": [_CIRCLES], "name": [f"<b>{_CAST[named]}</b> was in the study."]}
    pages["both"] = pages["circles"] + pages["name"]
    # Who is asked about is larger.
    faces = {
        "color": list(k.PEOPLE.values()),
        "size": np.where(np.array(_CAST) == "Zoe", 42, 36),
        "opacity": 1,
    }
    turn = np.linspace(0, 2 * np.pi, 61)
    lit = ("who was in", "the study", "the others")
    there = {"the ten": {"x": x, "y": y}}
    there |= {"the printed name": {"x": x[[named]], "y": y[[named]]}} if seen == "name" else {}
    after = [there | {name: {"opacity": 0} for name in lit}, {name: {"opacity": 1} for name in lit}]
    ring, said = k.READING.with_symbol("circle-open"), {"size": 48, **k.QUIET}
    return k.part(
        [
            k.curve(name, at + 1.29 * np.sin(turn), 1.29 * np.cos(turn), k.LEVEL, fill="toself",
                    **(late if seen == "name" else k.QUIET))
            for name, at in (("one circle", -1.4), ("the other circle", 1.4))
        ],
        [
            k.curve(name, at + 1.29 * np.sin(turn), 1.29 * np.cos(turn), look.exact(), fill="toself", **late)
            for name, at, look in (("the study", sides[0], k.IN), ("the others", sides[1], k.OUT))
        ],
        k.text("who was in", sides, [-1.52] * 2, ["<b>in</b>", "<b>out</b>"], textfont=inks, **late),
        k.points("the printed name", *(side[[named] * (seen != "circles")] for side in first.values()), ring,
                 **said),
        k.text("printed", [0], [1.64], ["<br>".join(pages[seen])], textfont={"size": 15}),
        k.cast(*first.values(), _CAST, size=36, marker=faces, showlegend=False),
        x={"range": [-2.95, 2.95], "visible": False, "constrain": "domain"},
        y={"range": [-1.68, 2.1], "visible": False, "scaleanchor": "x", "constrain": "domain"},
        height=420,
        ghost=[],
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
        right=k.exact(0.5 + member_and_split_etas(_N, 1)[["name", "circles", "both"].index(seen)], k.in_100),
    )  # fmt: skip


@k.figure
def name_one(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was Zoe one of the five?", alone=1)] = 0,
    seen: Annotated[str, k.Choice(_BETS.keys(), label="Printed")] = "circles",
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
