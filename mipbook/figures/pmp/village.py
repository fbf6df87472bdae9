"""A village on a map: what a wheel of places feels of somebody who lives far out."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k

# Ten places around the village, one mile out; of each two that lie alike the upper one comes first.
_TURN = np.pi * np.outer(np.arange(1, 10, 2), [1, -1]).ravel() / 10
_HOMES = np.arange(0, 5.01, 0.25).tolist()
_PALE, _BARE = k.Look(k.fill(k.GREY)), {"showgrid": False, "showticklabels": False}
_PLACES, _RING = (np.array([np.cos(turn), np.sin(turn)]) for turn in (_TURN, np.linspace(0, 2 * np.pi, 73)))


@k.figure
def far_villager(
    away: Annotated[float, k.Stops(_HOMES, label="How far out Zoe lives", unit="miles", play=True)] = 0.5,
):
    """Draw how far it is from one villager to ten places, and how much of that differs.

    Notes
    -----
    New here: the distances to two places differ by at most how far these are apart.

    Examples
    --------
    >>> far_villager(5.0).layout.meta["headline"]
    'The wheel feels 1.9 miles of 6.0'
    """
    ways = np.hypot(_PLACES[0] - away, _PLACES[1])
    near, felt, columns = ways.min(), np.ptp(ways), np.arange(1, 11)
    roads = [np.stack([np.full(10, float(away)), _PLACES[0]], 1), np.stack([np.zeros(10), _PLACES[1]], 1)]
    sign, low = {"symbol": "square", "size": 11, "color": k.PMP.colour}, {"lower": True, **k.QUIET}
    return k.part(
        k.curve("one mile out", *_RING, k.LEVEL, **k.QUIET),
        k.curve("ways", *map(k.gapped, np.round(roads, 3)), k.LEVEL.but(dash="solid", width=1), **k.QUIET),
        k.points("ten places", *np.round(_PLACES, 3), k.PMP, marker=sign, **k.QUIET),
        k.text("the village", -0.5, 0, "the<br>village"),
        k.cast([away], [0], ["Zoe"], name="Zoe", size=30, **k.QUIET),
        k.bars("common to all ten", columns, np.full(10, near).round(3), _PALE, **low),
        k.bars("what differs", columns, (ways - near).round(3), k.PMP, "/", **low),
        k.level("two more", [0.4, 10.6], near + 2, k.READING.but(dash="dash", width=1.5), **low),
        k.text("two more, named", 0.5, near + 2, "2 miles more", textposition="top right", lower=True),
        x=k.unseen(-1.25, 5.35),
        y=k.unseen(-1.15, 1.15, scaleanchor="x"),
        x2=k.axis("ten places, the nearest first", range=[0.3, 10.7], **_BARE),
        y2=k.axis("miles to it", range=[0, 7.2], dtick=2),
        rows=(0.54, 0.06),
        barmode="stack",
        bargap=0.25,
        height=430,
        ghost=[],
        grab=k.drag("away", _HOMES, 0, ring=True),
        headline="The wheel feels {felt} miles of {far}",
        sentence="It is {near} miles from Zoe to the nearest place and {far} to the farthest. What all ten "
        "have in common cancels; the wheel feels the rest, {felt} (exact).",
        alt="A map: a village, ten places a mile around it, and Zoe {away} miles out, with a way to each "
        "place. Below, a column for each way: the lower part, {near} miles, is common to all; what is left "
        "grows to {felt} miles at the farthest place, under a dashed line two miles above the common part.",
        **k.words(k.exact, ".1f", near=near, far=ways.max(), felt=felt),
        away=k.exact(away),
    )
