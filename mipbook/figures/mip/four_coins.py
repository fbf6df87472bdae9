"""Four people and their coins: what one published number tells about each of them."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Part, declared, layer, stacked
from mipbook import game, mip
from mipbook.figures.frame import axis
from mipbook.figures.looks import ATTACK, IN, OUT
from mipbook.figures.marks import bars, points
from mipbook.figures.words import percent, say

__all__ = ["four_coins"]

_COINS = np.array([1, 2, 3, 5])
# What is published of the sum of a pair, from no more than parity to all of it.
_DIVISORS = {"the sum": 100, "its remainder by 3": 3, "odd or even": 2}
_ASIDE = 0.2


def _pairs(halves: Any) -> str:
    """Name the pairs of people by their coins."""
    return ", ".join(" and ".join(map(str, _COINS[half])) for half in halves)


def _side(values: Any, behind: list[Any], drawn: bool) -> dict[str, Any]:
    """Return the bars of the pairs that hold the person, or of those that do not."""
    look, pattern, name = (IN, "", "in") if drawn else (OUT, "/", "out")
    return bars(
        f"the person is {name}",
        values + (_ASIDE if drawn else -_ASIDE),
        [len(pairs) for pairs in behind],
        look,
        pattern,
        width=2 * _ASIDE,
        text=[_pairs(pairs) for pairs in behind],
        textposition="none",
        hovertemplate="%{y} of six pairs: %{text}<extra></extra>",
    )


def _drawn(published: str, person: int) -> Part:
    """Return the pairs behind each published number, and what the attacker says to it."""
    halves = mip.subsets(4)
    seen = halves @ _COINS % _DIVISORS[published]
    values = np.unique(seen)
    table = (seen[:, None] == values) * 1.0
    record = _COINS.tolist().index(person)
    holds = halves[:, record]
    accuracies = mip.record_accuracies(table, halves)
    chance = game.posterior(table, holds)
    traces = [
        _side(values, [halves[(seen == value) & (holds == side)] for value in values], side)
        for side in (False, True)
    ]
    says = ["either" if np.isclose(p, 0.5) else "in" if p > 0.5 else "out" for p in chance]
    tops = np.max([trace["y"] for trace in traces], axis=0)
    bet: dict[str, Any] = {"mode": "markers+text", "textposition": "top center", "size": 9}
    bet |= {"text": says, "textfont": {"color": ATTACK.colour}, "hoverinfo": "skip"}
    traces.append(points("what the best attacker says", values, tops + 0.15, ATTACK, **bet))
    right = percent(float(accuracies[record]))
    eta = mip.finite_eta(table, halves)
    coins = "1 coin" if person == 1 else f"{person} coins"
    sentence = (
        f"About the person with {coins} the best attacker is right {right} of the time (exact). "
        f"About the most exposed of the four it is right {percent(float(accuracies.max()))} of "
        f"the time, so the release has η = {say(eta)} (exact)."
    )
    alt = (
        f"Bars over the {values.size} numbers that can be published: how many of the six pairs "
        f"give each, with the person in and out. The best attacker says {', '.join(says)}."
    )
    meta = {"sentence": sentence, "alt": alt, "headline": f"right {right} of the time"}
    return Part(traces, meta=meta)


def _frame() -> Part:
    layout = {
        "xaxis": axis("what is published", range=[-0.6, 8.6], dtick=1),
        "yaxis": axis("pairs, of six", range=[0, 3.5], dtick=1),
        "barmode": "overlay",
        "height": 380,
    }
    return Part(layout=layout)


@declared
def four_coins(
    published: Annotated[str, Choice(list(_DIVISORS), label="Published")] = "the sum",
    person: Annotated[int, Choice(_COINS.tolist(), label="Coins the person has")] = 5,
) -> go.Figure:
    """Draw which pairs of four people are behind a published number, for one of the people.

    Two of four people, who own 1, 2, 3 and 5 coins, are drawn; a number about their sum is
    published.

    Examples
    --------
    >>> four_coins("its remainder by 3").layout.meta["headline"]
    'right 50% of the time'
    """
    return stacked(layer(_frame), layer(_drawn, published=published, person=person))
