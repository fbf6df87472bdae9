"""The data set of Proposition 11: a year of draws, and the one that seems to ask for so much noise."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip

_PEOPLE, _PROMISE, _SEED = 10, 0.1, 50
# The fatal draw falls into January.
# A row of the calendar is a month of so many working days.
_MONTH, _MONTHS = 21, ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_TIMES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 2700, 5000, 10_000, 20_000, 50_000, 100_000]
# Where the curve is drawn: the stops, and places between them.
_FINE = sorted({*_TIMES, *np.geomspace(1, _TIMES[-1], 40).round(1).tolist()})
_BARE = {"showgrid": False, "zeroline": False, "showline": False, "ticks": ""}
_SPY = "the spy, about the most exposed"


@k.cache
def _draws():
    """Return all halves and their answers, in the order of a year."""
    outputs, members = mip.reciprocal_outputs(_PEOPLE)
    order = np.random.default_rng(_SEED).permutation(outputs.size)
    return outputs[order], members[order]


@k.cache
def _dp():
    """Return the noise that DP adds for the promise of the chapter."""
    return mip.laplace_dp_scale(_PROMISE, mip.reciprocal_sensitivity(_PEOPLE))


@k.cache
def _right(times):
    return 100 * (0.5 + mip.laplace_eta(*_draws(), _dp() / times))


def _places(which):
    """Return where these days stand in the calendar."""
    return which % _MONTH, -(which // _MONTH)


def _year():
    """Return a year of draws, one of each, and how often the spy is right at every noise."""
    outputs, members = _draws()
    # The richest of the cast stays at home; Zoe never does.
    people = np.array([*list(k.PEOPLE)[: _PEOPLE - 1], "Zoe"])
    told = [
        f"{', '.join(people[half])}: {k.say(answer)}" for half, answer in zip(members, outputs, strict=True)
    ]
    right, promised = [_right(times) for times in _TIMES], 50 + 100 * _PROMISE
    enough, quiet = _dp() / mip.minimal_laplace_scale(*_draws(), _PROMISE), {"showlegend": False}
    day, hover = k.LEVEL.with_symbol("square"), "%{customdata} is printed"
    read = "right %{y:.1f} times in 100"
    place = _places(np.arange(outputs.size))
    return k.part(
        k.points(
            "all draws (exact)", *place, day, size=11, opacity=0.35, customdata=told, hover=hover, **quiet
        ),
        k.curve(_SPY, _FINE, [_right(times) for times in _FINE], k.ATTACK, lower=True, hover=read, **quiet),
        k.level("promised", [0.7, 150_000], promised, k.MIP.bound(), lower=True, **quiet),
        k.text("promised, said", [1], [promised], ["promised"], textposition="top right", lower=True),
        x=k.axis("a year of draws, one a working day", range=[-0.7, _MONTH - 0.3], **k.BARE),
        y=k.axis("", range=[-11.7, 2.4], tickvals=[-month for month in range(12)], ticktext=_MONTHS, **_BARE),
        x2=k.axis("times less noise than DP", log=True, range=np.log10([0.7, 150_000]).tolist())
        | {"tickvals": [1, 100, 10_000], "ticktext": ["1", "100", "10,000"]},
        y2=k.axis("spy right in 100", range=[48, 100]),
        rows=(0.68, 0.1),
        beside=0.62,
        height=420,
        ghost=[],
        probe=["all draws (exact)", _SPY],
        grab=k.drag("times", _TIMES, right, along="x2"),
        **k.words(draws=outputs.size, largest=outputs.max(), promised=promised),
        enough=k.exact(enough, digits=2),
    )


def _uncovered(times):
    """Light the days whose number is larger than the noise, and say how often the spy is right."""
    outputs, right, scale = _draws()[0], _right(times), _dp() / times
    above, fatal = np.flatnonzero(outputs > scale), outputs.argmax()
    out, quiet = outputs[fatal] > scale, {"showlegend": False, "hoverinfo": "skip"}
    x, y = _places(fatal)
    told = f"<b>{k.say(outputs[fatal], 2)} is printed</b>"
    kept = "kept" if right <= 50 + 100 * _PROMISE else "broken"
    return k.part(
        k.points("larger than the noise", *_places(above), k.OUT.with_symbol("square"), size=13, **quiet),
        k.points("the fatal draw", x, y, k.OUT.with_symbol("diamond"), size=18, opacity=float(out), **quiet),
        k.text("said", [x], [y + 0.9], [told], textposition="top center", opacity=float(out)),
        k.reading(times, right, "the spy, at your noise", lower=True),
        headline="right {right} times in 100",
        sentence="Of {draws} printed numbers {above} are larger than the noise, {scale}. About the most "
        "exposed a spy is right {right} times in 100 (exact): the promise of {promised} is {kept}.",
        alt="A calendar of twelve months with {draws} squares, a draw each; {above} are lit, for they print "
        "more than the noise, {scale}; the largest number is {largest}. Beside it how often a spy is right "
        "about the most exposed, against the noise: a rising curve, {right} at the diamond, that passes the "
        "promise of {promised} at {enough} times less noise than DP's.",
        above=k.exact(above.size, k.count),
        right=k.exact(right),
        scale=k.exact(scale),
        kept=kept,
    )


@k.figure
def fatal_subset(times: Annotated[int, k.Count(_TIMES, label="Times less noise than DP", play=True)] = 1):
    """Draw a year of draws, which of them stand above the noise, and how often the spy is right.

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.

    Examples
    --------
    >>> fatal_subset(1000).layout.meta["headline"]
    'right 54.8 times in 100'
    """
    return _year, _uncovered
