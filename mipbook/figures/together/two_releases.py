"""Two releases that are harmless alone and tell all together."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.witnesses import member_and_split_etas

_CAST = tuple(k.PEOPLE)
_N, _ZOE = len(_CAST) // 2, _CAST.index("Zoe")
_ROUNDS, _SEED = 24, 1452
# What is printed, and what the best spy makes of it.
_BETS = {
    "name": "Say in only if the name is Zoe's: you are right {right} (exact)",
    "groups": "Nobody says which group was studied: you are right {right} (exact)",
    "both": "The name shows which group was studied: you are right {right} (exact)",
}
# A sheet with a dog's ear, and what is seen of a second one below it.
_SHEET = (
    [-2.8, -2.8, 2.5, 2.8, 2.8, -2.8, None, 2.5, 2.5, 2.8],
    [-1.7, 2.1, 2.1, 1.8, -1.7, -1.7, None, 2.1, 1.8, 1.8],
)
_BELOW = [-2.7, -2.7, 2.9, 2.9, 2.8], [-1.7, -1.79, -1.79, 1.7, 1.7]


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
    if seen == "groups":
        return f"{told}. {'A good toss: the' if says == was else 'The'} page speaks of both groups alike."
    if named == _ZOE:
        return f"{told}: her own name is printed."
    if seen == "both":
        return (
            f"{told}: {_CAST[named]}'s group is the study, and she is {'in it' if was else 'in the other'}."
        )
    lucky = " You were unlucky." if was and not says else ""
    return f"{told}. Besides {_CAST[named]}, four of nine were in and five were out: bet on out.{lucky}"


def _round(round, seen):
    """Draw the ten people as they are printed; who was in is seen after the answer."""
    inside, named, x, y = _drawn(round, seen)
    sides, inks = x[inside].mean() * np.array([1, -1]), {"color": [k.BLUE, k.ORANGE]}
    if seen == "name":
        # The rows of the alphabet: they tell nothing.
        x, y = np.arange(2 * _N) % _N - 2.0, 0.6 - 1.2 * (np.arange(2 * _N) // _N)
    printed, was = [named] if seen != "groups" else [], bool(inside[_ZOE])
    answer = "in" if was else "out"
    # By the groups alone nobody has more than a coin, so there is no best player to compare with.
    best = {"groups": None, "name": "in" if named == _ZOE else "out", "both": answer}[seen]
    said = ["One of these groups was studied."] * (seen != "name")
    said += [f"<b>{_CAST[who]}</b> was in the study." for who in printed]
    # Who is asked about is larger.
    faces = {
        "color": list(k.PEOPLE.values()),
        "size": np.where(np.array(_CAST) == "Zoe", 40, 33),
        "opacity": 1,
    }
    turn = np.linspace(0, 2 * np.pi, 61)
    rims = [(at + 1.22 * np.sin(turn), 1.22 * np.cos(turn)) for at in (-1.4, 1.4)]
    apart, hidden = np.full(turn.size, seen != "name"), {"meta": "reveal", "showlegend": False}
    etas = dict(zip(("name", "groups", "both"), member_and_split_etas(_N, 1), strict=True))
    sheets = [("a page", *_SHEET), ("a page below it", *_BELOW)][: len(said)]
    paper = replace(k.LEVEL, dash="solid")
    return k.part(
        [k.curve(*sheet, paper, hoverinfo="skip", showlegend=False) for sheet in sheets],
        [
            k.curve(name, *(k.kept(way, apart) for way in rim), k.LEVEL, fill="toself", hoverinfo="skip",
                    showlegend=False)
            for name, rim in zip(("one group", "the other group"), rims, strict=True)
        ],
        k.points("was in", x[inside], y[inside], k.IN.with_symbol("circle-open"), size=47,
                 hoverinfo="skip", **hidden),
        k.points("was not", x[~inside], y[~inside], k.OUT.with_symbol("square-open"), size=44,
                 hoverinfo="skip", **hidden),
        k.text("who was in", sides, [-1.42] * 2, ["<b>○ in</b>", "<b>□ out</b>"], textfont=inks, **hidden),
        k.points("the printed name", x[printed], y[printed], k.READING.with_symbol("diamond-open"),
                 size=52, showlegend=False, hoverinfo="skip"),
        k.cast(x, y, _CAST, size=34, marker=faces, showlegend=False),
        x={"range": [-2.95, 2.95], "visible": False, "constrain": "domain"},
        y={"range": [-1.8, 2.2], "visible": False, "scaleanchor": "x", "constrain": "domain"},
        annotations=[{"x": 0, "y": 1.68, "showarrow": False, "text": "<br>".join(said)}],
        height=330,
        ghost=[],
        options=[["in", "Zoe was in"], ["out", "Zoe was out"]],
        answer=answer,
        optimal=best,
        replies={
            "/".join(filter(None, (says, answer, best))): _reply(says == "in", was, named, seen)
            for says in ("in", "out")
        },
        headline="At best right {right}",
        sentence=_BETS[seen] + ".",
        alt=f"Ten people in two {'circles of five each' if apart[0] else 'rows by their names'}"
        f"{', a diamond around ' + _CAST[named] if printed else ''}. It is asked whether Zoe was one of the "
        "five who were in the study; rings and squares then show who was in and who was not.",
        right=k.exact(0.5 + etas[seen], k.in_100),
    )  # fmt: skip


@k.figure
def name_one(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was Zoe one of the five?", alone=1)] = 0,
    seen: Annotated[str, k.Choice(_BETS.keys(), label="Printed")] = "name",
):
    """Ask whether Zoe was one of five of ten, by two groups, one of which was studied, a name, or both.

    Notes
    -----
    This book, Theorem 2.4 (a): `mipbook.pmp.partition_mechanism`, and `mipbook.pmp.publish_one`.

    Examples
    --------
    >>> [name_one(0, seen).layout.meta["headline"] for seen in ("groups", "both")]
    ['At best right 50 times in 100', 'At best right 100 times in 100']
    """
    return _round
