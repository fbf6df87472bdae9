"""The release of random records: safe from reconstruction, and no protection at all."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game
from mipbook.mechanisms import sampling_mechanism

# So many of the records right, and the data set counts as reconstructed.
_BLATANT = 0.95
_COLUMNS = 16
_SIZES = [20, 50, 100, 200]
_SHARES = k.Slider(0, 1, 0.5, step=0.025, label="Share released", play=True)
_LIKELY, _CHANCE = "how likely so many are right (exact)", "%{x:.0f}% right: chance %{y:.2g}"
# Below this probability no bar is drawn.
_FLOOR = 1e-12


def _frame():
    """Return the axes, the same for all data sets, and the line of reconstruction."""
    stops = np.array(_SHARES.stops)
    return k.part(
        k.level("from here on: reconstructed", 100 * _BLATANT, [_FLOOR, 1]),
        x=k.axis("records right, %", range=[-1, 101]),
        y=k.axis("probability", log=True, range=[-12, 0.1], dtick=3),
        x2={"visible": False, "range": [-0.8, _COLUMNS - 0.2]},
        y2={"visible": False, "range": [-(_SIZES[-1] / _COLUMNS) - 0.2, 0.8]},
        rows=(0.55, 0.2),
        height=400,
        beside=0.6,
        grab=k.drag("fraction", 100 * stops, np.full(stops.size, 0.3)),
    )


def _rebuilt(n, fraction, values):
    """Return how many records come out right, and what is said of whom that exposes."""
    released = round(fraction * n)
    law = game.rows_recovered(n, released, 1 / values)
    likely = np.flatnonzero(law > _FLOOR)
    exposed = "Nobody is drawn, and nothing is learnt (exact)."
    if released:
        exposed = k.told(
            "All {released} people drawn, {share} of everybody, are recognised, and nobody is wrongly "
            "accused: no factor is large enough (exact). A share computed from this sample is typically off "
            "by {error} (exact).",
            released=released,
            share=k.exact(game.finite_rates(sampling_mechanism(released / n), [False, True])[0], k.percent),
            # Half ones, half zeros: the data whose mean is hardest to estimate.
            error=k.exact(game.sample_mean_error(np.arange(n) % 2, released), digits=2),
        )
    return k.part(
        k.bars(_LIKELY, 100 * likely / n, law[likely], k.BEST, width=80 / n, hover=_CHANCE),
        k.level("released", 100 * released / n, [_FLOOR, 1], showlegend=False),
        headline="{released} of {n} exposed",
        sentence="The chance to get {needed} or more of {n} right is {chance} (exact). {exposed}",
        alt="A bar chart, on a logarithmic scale, of the share of {n} records that the attacker gets right, "
        "centred at {average}, with a line at {blatant}. Beside it {n} marks for the records, {released} "
        "filled squares that are exposed and {hidden} open circles.",
        **k.words(n=n, released=released, hidden=n - released, exposed=exposed),
        **k.words(k.exact, k.percent, average=law @ np.arange(n + 1) / n, blatant=_BLATANT),
        needed=math.ceil(_BLATANT * n),
        chance=game.reconstruction_probability(n, released, 1 / values, _BLATANT),
    )


def _people(n, fraction, draw):
    """Return one mark a record; of a draw the released ones only ever grow."""
    released, order = round(fraction * n), np.random.default_rng([n, draw]).permutation(n)
    traces = []
    for name, records, look in (
        ("released: membership is certain", order[:released], k.IN.with_symbol("square")),
        ("not released: hidden", order[released:], k.LEVEL.with_symbol("circle-open")),
    ):
        x, y = np.sort(records) % _COLUMNS, -(np.sort(records) // _COLUMNS)
        traces.append(k.points(name, x, y, look, hoverinfo="name", lower=True))
    return k.part(traces)


@k.figure
def half_sample(
    fraction: Annotated[float, _SHARES] = 0.5,
    n: Annotated[int, k.Count(_SIZES, label="Records, n")] = 100,
    values: Annotated[int, k.Count([2, 3, 10, 100], label="Values a record can have")] = 2,
    draw: Annotated[int, k.Slider(1, 15, step=1, label="Draw", play=True)] = 1,
):
    """Draw how many records an attacker rebuilds from a random part, and who is exposed.

    Notes
    -----
    Lecture notes, section 2.  A record that is not released has one of so many equally likely
    values.  The factor is the e^ε of differential privacy, one record replaced.

    Examples
    --------
    >>> "(exact)" in half_sample(0.5, 20).layout.meta["sentence"]
    True
    """
    return _frame, _rebuilt, _people
