"""Two spies who are right equally often, and whom each of them finds."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, tradeoff
from mipbook.mechanisms import sampling_mechanism

_FPRS = k.LogSlider(0.001, 0.5, 0.01, points=25, label="Others accused, FPR", play=True)
_ADVANTAGES = k.LogSlider(0.01, 0.5, 0.1, points=17, label="TPR − FPR of both spies")
# A room of a thousand people: so many in a row, and where each room begins.
_ROW, _ROWS = 20, 50
_SEATS = replace(k.LEVEL, dash="dot", width=1)
_ROOMS = {
    "others accused": (0, k.OUT),
    "found in the fog": (24, k.IN),
    "found from the list": (48, k.IN.with_symbol("diamond")),
}


@k.cache
def _sigma(advantage):
    """Return the noise with this advantage: the delta of a mechanism at epsilon 0."""
    return float(tradeoff.gaussian_sigma(0.0, delta=advantage))


def _rooms():
    """Name the rooms; the others who are accused are dragged, row by row."""
    stops, above = np.array(_FPRS.stops), {"y": 1.2, "yanchor": "bottom", "showarrow": False}
    # A dot for each of three thousand would make the page heavy.
    left, down = np.repeat([left for left, _ in _ROOMS.values()], _ROWS), np.tile(-np.arange(_ROWS), 3)
    rows = {"x": [x for a in left.tolist() for x in (a, a + _ROW - 1, None)], "y": np.repeat(down, 3)}
    return k.part(
        k.curve("everybody", **rows, look=_SEATS, hoverinfo="skip"),
        x={"visible": False, "range": [-1.5, 70]},
        y={"visible": False, "range": [-50.5, 4]},
        height=400,
        annotations=[
            {**above, "x": left + _ROW / 2 - 0.5, "text": name.split(maxsplit=1)[1]}
            for name, (left, _) in _ROOMS.items()
        ],
        showlegend=False,
        grab=k.drag("fpr", np.full(stops.size, _ROW + 1), -stops * 1000 / _ROW, along="y"),
    )


def _found(advantage, fpr):
    """Light those who are accused, and those whom each spy finds."""
    noisy = tradeoff.gaussian_tpr(fpr, _sigma(advantage))
    few = game.finite_tpr(fpr, sampling_mechanism(advantage))
    rooms = zip(_ROOMS.items(), (fpr, noisy, few), strict=True)
    return k.part(
        [
            k.points(name, left + number % _ROW, -(number // _ROW), look, size=6)
            for (name, (left, look)), rate in rooms
            for number in [np.arange(round(1000 * rate))]
        ],
        headline="{noisy}, or {few}",
        sentence="Both spies are right {right} (exact). If {accused} others may be accused wrongly, the spy "
        "in the fog finds {noisy} members, the one with a list {few} (exact): {times} as many.",
        alt="Three fields of 50 dotted rows with 20 places. Marked are {accused} others who are accused, "
        "{noisy} members found in the fog, and {few} found from the list.",
        right=k.exact(0.5 + advantage / 2, k.in_100),
        times=k.exact(few / noisy, k.times),
        **k.words(k.exact, k.people, accused=fpr, noisy=noisy, few=few),
    )


@k.figure
def same_advantage(fpr: Annotated[float, _FPRS] = 0.01, advantage: Annotated[float, _ADVANTAGES] = 0.1):
    """Draw whom two best attackers with the same advantage find at one false positive rate.

    Notes
    -----
    Lecture notes, section 3, on success metrics.

    Examples
    --------
    >>> same_advantage().layout.meta["headline"]
    '19 of 1,000, or 109 of 1,000'
    """
    return _rooms, _found
