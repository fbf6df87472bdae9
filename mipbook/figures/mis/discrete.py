"""Tables of counts: their signs leak as much as all the numbers, and many kinds leak more than few."""

import math
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from scipy.stats import binom

import mipbook.figures.kit as k
from explorable.palette import PURPLE
from mipbook import mis
from mipbook.figures.mis.rows import ROW, scored

_CITIES = ("Accra", "Cairo", "Delhi", "Kyoto", "Lagos", "Lima", "Oslo", "Paris", "Quito", "Rome")
_EQUAL = [1 / len(_CITIES)] * len(_CITIES)
_PLACES = np.arange(len(_CITIES))
# In no draw of this seed a bar leaves its place.
_DRAWN, _DRAWS = 3269, 20
# How long a usual stray is; where a sign stands, and the spy's words; how high their name.
_BAR, _SIGN_AT, _WORD_AT, _TOP = 1.5, 2.5, 6.5, -1.1
_SIGN: dict[str, Any] = {"type": "scatter", "mode": "text", "showlegend": False, "hoverinfo": "skip"}
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


def _board(n):
    """Draw the line of the average, and name the cities."""
    return k.part(
        k.level("the average", 0, [-0.5, 9.5], replace(k.LEVEL, dash="solid"), showlegend=False),
        k.text("names", [0, _WORD_AT], [_TOP] * 2, [f"average: {n // len(_CITIES)}", "the spy"]),
        x={"range": [-5.6, 7.8], **k.BARE},
        y={"range": [9.6, -1.7], "tickvals": [*range(len(_CITIES))], "ticktext": [*_CITIES]}
        | {"showgrid": False, "zeroline": False, "ticks": "", "showline": False},
        x2=ROW,
        y2={"range": [-1.2, 6], "visible": False},
        rows=(0.76, 0.02),
        height=560,
        layout={"margin": {"b": 30}},
        barmode="overlay",
        bargap=0.3,
        showlegend=False,
        ghost=[],
    )


def _published(n, draw, published):
    """Draw how far each city's count is from the average, or only on which side it is."""
    counts = _dealt(n, draw)
    mean = n / len(_CITIES)
    # A bar is as long as its city strays, counted in what is usual for so many people.
    counted, above = published == "counts", (counts > mean).astype(int)
    # Where only a side is told, the bars shrink into it.
    strays = _BAR * (counts - mean) / np.sqrt(mean) * counted
    told: dict[str, Any] = {"hover": "%{y}: %{customdata} people"} if counted else {"hoverinfo": "skip"}
    told |= {"customdata": counts, "orientation": "h"}
    beyond = strays + np.where(counts < mean, -1, 1) * (0.3 + 0.25 * len(str(n // 10)))
    texts = [f"{c}" if counted else " " for c in counts]
    sides = k.kept(_SIGN_AT * (2 * above - 1), np.full(_PLACES.size, not counted))
    signs = k.points("▲ or ▼", sides, _PLACES, k.IN, size=17, hoverinfo="skip", showlegend=False)
    signs["marker"]["color"] = np.array([k.OUT.colour, k.IN.colour])[above].tolist()
    signs["marker"]["symbol"] = np.array(["triangle-down", "triangle-up"])[above].tolist()
    return k.part(
        k.bars("above the average", np.maximum(strays, 0), _PLACES, k.IN, **told),
        k.bars("below", np.minimum(strays, 0), _PLACES, k.OUT, "/", **told),
        {**_SIGN, "name": "count", "x": beyond, "y": _PLACES, "text": texts, "textfont": {"size": 15}},
        signs,
        what="the counts" if counted else "▲ and ▼",
    )


def _answers(n, draw):
    """Draw what the spy says of each city, whom he gets right by that, and a dot for each earlier draw."""
    sides = np.sign(_dealt(n, draw) * len(_CITIES) - n)
    # At the average either answer is as good.
    colours = [(k.OUT.colour, k.LEVEL.colour, k.IN.colour)[side + 1] for side in sides]
    says = [f"<b>{('“out”', 'either', '“in”')[side + 1]}</b>" for side in sides]
    look = {"text": says, "textfont": {"color": colours, "size": 15}, "y": _PLACES}
    all_of_them = np.round([_hits(n, each) for each in range(1, _DRAWS + 1)]).astype(int)
    before, hits, over = all_of_them[: draw - 1], _hits(n, draw), _over(n, draw)
    # However many fall upon each other, the heap is not higher than its place.
    heap = [int((before[:i] == each).sum()) for i, each in enumerate(before)]
    step, small = min(0.9, 3.6 / np.bincount(all_of_them).max()), {"size": 7, "lower": True, **k.QUIET}
    aside = {"textposition": "middle right", "lower": True}
    return k.part(
        {**_SIGN, "name": "he says", "x": np.full(_PLACES.size, _WORD_AT), **look},
        k.points("earlier draws", before - 0.5, 2.2 + step * np.array(heap), k.IN, **small),
        k.text("whose dots", [73], [2.4], ["earlier draws" if draw > 1 else " "], **aside),
        scored(0, 2.6, "the spy is right", hits, k.IN),
        headline="{hits} of 100 right, from {what}",
        sentence="Of {n} patients and {n} others he gets {won} right: {n} as a coin does, and the {over} "
        "that the blue cities have too many. Over many draws it is {right} of 100 (exact).",
        alt="Ten cities, each a row with {what}, and beside it what the spy says of who comes from there. "
        "Below, a row of 100 people: he gets {hits} right, from either; dots stand for the earlier draws.",
        hits=k.exact(hits, digits=3),
        right=k.exact(50 * (1 + float(mis.worst_case_delta(_EQUAL, n))), ".1f"),
        **k.words(n=n, won=n + over, over=over),
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


# The hills stand around what is expected; so far from it they are drawn.
_FAR, _SHARED = 14, 100
_KINDS = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 120, 145, 160, 180, 200]
_SEEN = _KINDS.index(20) + 1


@k.cache
def _rights():
    return [50 * (1 + float(mis.worst_case_delta([1 / kinds] * kinds, _SHARED))) for kinds in _KINDS]


def _against_kinds():
    """Draw how often a spy is right, however many cities there are."""
    right, name = np.round(_rights(), 3), "the best spy (exact)"
    low = {"lower": True, "showlegend": False, "hover": "%{x} cities: right %{y:.1f} times in 100"}
    quiet = {"lower": True, "showlegend": False, "hoverinfo": "skip"}
    far = {"tickvals": [-10, -5, 0, 5, 10], "ticktext": ["−10", "−5", "average", "+5", "+10"]}
    return k.part(
        k.curve(name, _KINDS, right, k.BEST, **low),
        # Before the guess one sees how it begins.
        k.curve("to twenty cities", _KINDS[:_SEEN], right[:_SEEN], k.BEST, **quiet),
        k.level("75 in 100", [0, 202], 75, replace(k.LEVEL, dash="solid"), **quiet),
        x=k.axis("patients from your city", range=[-_FAR - 0.5, _FAR + 0.5], showgrid=False) | far,
        y={"range": [0, 1.5], "visible": False},
        x2=k.axis("cities, all equally large", range=[0, 203]),
        y2=k.axis("right in 100", range=[48, 86], tickvals=[50, 75]),
        rows=(0.55, 0.21),
        height=540,
        barmode="overlay",
        bargap=0.1,
        showlegend=False,
        probe=[name],
        ghost=[],
        grab=k.drag("kinds", _KINDS, right, along="x2"),
    )


def _crowd(kinds):
    """Draw how many patients come from the target's city, with the target among them and without."""
    n, p, right = _SHARED, 1 / kinds, _rights()[_KINDS.index(kinds)]
    mean = n * p
    counts = math.floor(mean) + np.arange(-_FAR, _FAR + 2)
    without, within = binom.pmf(counts, n, p), binom.pmf(counts - 1, n - 1, p)
    # However narrow, the hills are as high as the picture.
    top = max(without.max(), within.max())
    shown, ends = counts >= 0, np.array([0, 1 - p])
    bars = [
        k.bars(name, counts - mean, k.kept(k.short(each / top), shown), look, pattern, opacity=0.6,
               customdata=counts, hover="%{customdata} patients")
        for name, each, look, pattern in (
            ("without you", without, k.OUT, "/"),
            ("with you", within, k.IN, ""),
        )
    ]  # fmt: skip
    # From the mean of one hill an arrow goes to that of the other: a step, or nearly so.
    push = {"mode": "lines+markers", "marker": {"symbol": ["circle", "triangle-right"], "size": [5, 11]}}
    push |= {"line": {"color": PURPLE, "width": 3}, "showlegend": False, "hoverinfo": "skip"}
    sides = {"textposition": ["middle left", "middle right", "top center"], "cliponaxis": False}
    sides["textfont"] = {"color": [k.OUT.colour, k.IN.colour, PURPLE], "size": 15}
    names = ["without you\u2002", "\u2002with you", "<b>you push it so far</b>"]
    lone = "nobody comes:<br>surely no patient ▸" if without[counts == 0].sum() > 0.03 else " "
    return k.part(
        bars,
        k.curve("what you add", ends, [1.12] * 2, k.LEVEL, **push),
        k.text("whose they are", [*ends, ends.mean()], [1.12, 1.12, 1.2], names, **sides),
        k.text("nobody", [-0.6 - mean], [0.6], [lone], textposition="middle left"),
        k.reading(kinds, right, "your cities", lower=True),
        headline="right {right} times in 100, with {kinds} cities",
        sentence="Without you {without} of {n} patients come from your city on average, with you {within}. "
        "The less the hills overlap, the more a spy can tell: right {right} times in 100 (exact).",
        alt="Above, two hills: how many of {n} patients come from your city, about {without} without you, "
        "about {within} with you; the more cities, the less they overlap. Below, how often the spy is right "
        "against the number of cities: a rising curve, {right} times in 100 at {kinds}.",
        **k.words(kinds=kinds, n=n, right=right),
        without=k.exact(mean),
        within=k.exact(1 + (n - 1) / kinds, digits=3),
    )


@k.figure
def many_kinds(kinds: Annotated[int, k.Stops(_KINDS, label="Cities", play=True)] = 20):
    """Draw how far one person moves the count of a city, among many cities or few.

    Notes
    -----
    Limits paper, Theorem 14, with equally likely values, where one count tells as much as all.

    Examples
    --------
    >>> many_kinds(2).layout.meta["headline"]
    'right 52 times in 100, with 2 cities'
    """
    return _against_kinds, _crowd
