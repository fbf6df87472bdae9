"""A table of counts: its signs leak as much as all the numbers."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis
from mipbook.figures.mis.rows import over_rows, scored

_CITIES = ("Accra", "Cairo", "Delhi", "Kyoto", "Lagos", "Lima", "Oslo", "Paris", "Quito", "Rome")
_EQUAL = [1 / len(_CITIES)] * len(_CITIES)
_PLACES = np.arange(len(_CITIES))
# In no draw of this seed a bar leaves its place.
_DRAWN, _DRAWS = 3269, 20
# How long a usual stray is, and a bar that tells its side alone; where the spy's words stand, and their name.
_BAR, _SIDE, _WORD_AT, _TOP = 1.5, 1.4, 6.5, -1.1
_PEOPLE = k.Count(
    [20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1000, 2000], label="Patients, n"
)


@k.cache
def _dealt(n, draw):
    """Return the cities' counts."""
    named = np.random.default_rng([_DRAWN, n, draw]).integers(len(_CITIES), size=n)
    return np.bincount(named, minlength=len(_CITIES))


def _over(n, draw):
    """Return how many patients the cities above the average have too many."""
    return int(np.maximum(_dealt(n, draw) - n // len(_CITIES), 0).sum())


def _hits(n, draw):
    """Return how many of a hundred people, half of them patients, the spy gets right."""
    return 50 * (1 + _over(n, draw) / n)


def _won(won):
    """Write what he wins, rounded as his hits are."""
    return f"{round(50 + won, 1) - 50:.3g}"


def _board(n):
    """Draw the line of the average, and name the cities."""
    return k.part(
        k.level("the average", 0, [-0.5, 9.5], replace(k.LEVEL, dash="solid"), showlegend=False),
        k.text("the average, in numbers", [0], [_TOP], [f"average: {n // len(_CITIES)}"]),
        k.text("he says: whose", [_WORD_AT], [_TOP], ["the spy"]),
        x={"range": [-5.6, 7.8], **k.BARE},
        y={"range": [9.6, -1.7], "tickvals": [*range(len(_CITIES))], "ticktext": [*_CITIES]}
        | {"showgrid": False, "zeroline": False, "ticks": "", "showline": False},
        **over_rows(0.76, 0.02, (-1.2, 6), height=560, layout={"margin": {"b": 30}}),
        barmode="overlay",
        bargap=0.3,
    )


def _published(n, draw, published):
    """Draw how far each city's count is from the average, or only on which side it is."""
    counts = _dealt(n, draw)
    mean = n / len(_CITIES)
    counted, sides = published == "counts", np.where(counts > mean, 1, -1)
    # A bar is as long as its city strays, counted in what is usual for so many people; or all are alike.
    strays = _BAR * (counts - mean) / np.sqrt(mean) if counted else _SIDE * sides
    told: dict[str, Any] = {"hover": "%{y}: %{customdata} people"} if counted else {"hoverinfo": "skip"}
    told |= {"customdata": counts, "orientation": "h"}
    ends = np.where(strays < 0, "middle left", "middle right").tolist()
    texts = [
        f"\u00a0{c}\u00a0" if counted else "\u00a0▲" if side > 0 else "▼\u00a0"
        for c, side in zip(counts, sides, strict=True)
    ]
    return k.part(
        k.bars("above the average", np.maximum(strays, 0), _PLACES, k.IN, **told),
        k.bars("below", np.minimum(strays, 0), _PLACES, k.OUT, "/", **told),
        k.text("count", strays, _PLACES, texts, textfont={"size": 15}, textposition=ends),
        what="the counts" if counted else "▲ and ▼",
        held=k.told("The blue bars hold {over} of {n} patients too many: he", over=_over(n, draw), n=n)
        if counted
        else "He",
    )


def _answers(n, draw):
    """Draw what the spy says of each city, whom he gets right by that, and a dot for each earlier draw."""
    # At the average either answer is as good: he says the one that goes with a ▼.
    above = _dealt(n, draw) * len(_CITIES) > n
    colours = np.where(above, k.IN.colour, k.OUT.colour).tolist()
    says, said = np.where(above, "<b>“in”</b>", "<b>“out”</b>").tolist(), {"color": colours, "size": 15}
    all_of_them = np.round([_hits(n, each) for each in range(1, _DRAWS + 1)]).astype(int)
    before, hits = all_of_them[: draw - 1], _hits(n, draw)
    # However many fall upon each other, the heap is not higher than its place.
    heap = [int((before[:i] == each).sum()) for i, each in enumerate(before)]
    step, small = min(0.9, 3.6 / np.bincount(all_of_them).max()), {"size": 7, "lower": True, **k.QUIET}
    aside = {"textposition": "middle right", "lower": True}
    return k.part(
        k.text("he says", np.full(_PLACES.size, _WORD_AT), _PLACES, says, textfont=said),
        k.points("earlier draws", before - 0.5, 2.2 + step * np.array(heap), k.IN, **small),
        k.text("whose dots", [73], [2.4], ["earlier draws" if draw > 1 else " "], **aside),
        scored(0, 2.6, "the spy is right", hits, k.IN),
        headline="{hits} of 100 right, from {what}",
        sentence="{held} beats a coin by {won} in 100. Over many draws he is right {right} times in 100 "
        "(exact).",
        alt="Ten cities, each a row with {what}, and beside it what the spy says of who comes from there. "
        "Below, a row of 100 people: he gets {hits} right, from either; dots stand for the earlier draws.",
        hits=k.exact(hits, digits=3),
        right=k.exact(50 * (1 + float(mis.worst_case_delta(_EQUAL, n))), ".1f"),
        won=k.exact(hits - 50, _won),
    )


@k.figure
def ten_cities(
    published: Annotated[str, k.Choice(["counts", "only ▲▼"], label="Published")] = "counts",
    draw: Annotated[int, k.Draws(_DRAWS, label="Draw again")] = 1,
    n: Annotated[int, _PEOPLE] = 50,
):
    """Draw patients of ten cities, their counts or only the sides, and whom the attacker gets right.

    Notes
    -----
    Limits paper, Theorem 14, with ten equally likely values: the same answers from both.

    Examples
    --------
    >>> [ten_cities(each).layout.meta["headline"][:15] for each in ("counts", "only ▲▼")]
    ['60 of 100 right', '60 of 100 right']
    """
    return _board, _published, _answers
