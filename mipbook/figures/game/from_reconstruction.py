"""The release of random records: safe from reconstruction, and no protection at all."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game

# So many of the records right, and the data set counts as reconstructed.
_BLATANT = 0.95
_COLUMNS, _ZOE = 10, 7
_SIZES = [20, 50, 100]
_SHARES = k.Slider(0, 1, 0.5, step=0.025, label="Share published", play=True)
_LIKELY, _CHANCE = "how likely so many are right", "%{x:.0f} in 100 right: chance %{customdata:.2g}"
# Below this probability no bar is drawn.
_FLOOR = 1e-12


def _frame():
    """Return the room of the patients, and the line of reconstruction."""
    bare, stops = {"visible": False}, np.array(_SHARES.stops)
    return k.part(
        k.level("95 in 100: reconstructed", 100 * _BLATANT, [0, 1.1], lower=True),
        x={**bare, "range": [-0.7, _COLUMNS - 0.3]},
        y={**bare, "range": [0.4 - _SIZES[-1] / _COLUMNS, 1.2]},
        x2=k.axis("how many of 100 the spy gets right", range=[-1, 101], dtick=25),
        y2={**bare, "range": [0, 1.1]},
        rows=(0.72, 0.1),
        height=400,
        beside=0.44,
        grab=k.drag("fraction", 100 * stops, np.full(stops.size, 0.03), along="x2"),
    )


def _rebuilt(n, fraction, values):
    """Return how many records come out right, and what is said of whom that exposes."""
    released = round(fraction * n)
    law = game.rows_recovered(n, released, 1 / values)
    likely = np.flatnonzero(law > _FLOOR)
    exposed = "Nobody is published, and nothing is learnt."
    if released:
        exposed = k.told(
            "All {released} who are published are recognised, and nobody is accused wrongly (exact). "
            "A share counted among them is typically off by {error} (exact).",
            released=released,
            # Half ones, half zeros: the data whose mean is hardest to estimate.
            error=k.exact(game.sample_mean_error(np.arange(n) % 2, released), digits=2),
        )
    heights, more = law[likely] / law.max(), {"customdata": law[likely], "lower": True}
    return k.part(
        k.bars(_LIKELY, 100 * likely / n, heights, k.BEST, width=80 / n, hover=_CHANCE, **more),
        headline="{released} of {n} exposed",
        sentence="The spy gets {needed} or more of {n} right with a chance of {chance} (exact). {zoe} "
        "{exposed}",
        alt="{n} marks in rows of ten, one a patient: {released} filled squares are exposed, {hidden} open "
        "circles are not; one mark is Zoe. Beside them a hill of bars, how many in 100 the spy gets right, "
        "and a line at {blatant}.",
        **k.words(n=n, released=released, hidden=n - released, exposed=exposed),
        blatant=k.exact(_BLATANT, k.percent),
        needed=math.ceil(_BLATANT * n),
        chance=game.reconstruction_probability(n, released, 1 / values, _BLATANT),
    )


def _people(n, fraction, draw):
    """Return one mark a patient; of a draw the published ones only ever grow."""
    released, order = round(fraction * n), np.random.default_rng([n, draw]).permutation(n)
    traces = []
    for name, records, look in (
        ("published: everybody knows", order[:released], k.IN.with_symbol("square")),
        ("not published: hidden", order[released:], k.LEVEL.with_symbol("circle-open")),
    ):
        x, y = np.sort(records) % _COLUMNS, -(np.sort(records) // _COLUMNS)
        traces.append(k.points(name, x, y, look, size=14, hoverinfo="name"))
    said = {"text": ["<b>Zoe</b>"], "textposition": "top center", "hoverinfo": "skip", "showlegend": False}
    traces.append(k.points("Zoe", [_ZOE % _COLUMNS], [0.2 - _ZOE // _COLUMNS], k.LEVEL, mode="text", **said))
    drawn = "Zoe was published: the spy knows." if _ZOE in order[:released] else "Zoe was left out."
    return k.part(traces, zoe=drawn)


@k.figure
def half_sample(
    fraction: Annotated[float, _SHARES] = 0.5,
    n: Annotated[int, k.Count(_SIZES, label="Patients, n")] = 100,
    values: Annotated[int, k.Count([2, 3, 10, 100], label="Possible answers")] = 2,
    draw: Annotated[int, k.Slider(1, 15, step=1, label="Draw", play=True)] = 1,
):
    """Draw how many records an attacker rebuilds from a random part, and who is exposed.

    Notes
    -----
    Lecture notes, section 2.  A record that is not released has one of so many equally likely
    values.

    Examples
    --------
    >>> "(exact)" in half_sample(0.5, 20).layout.meta["sentence"]
    True
    """
    return _frame, _rebuilt, _people
