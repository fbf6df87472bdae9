"""The data set of Proposition 11: a year of draws, and the one that seems to ask for so much noise."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip

_PEOPLE, _PROMISE, _SEED = 10, 0.1, 50
# The places of the page's mark, and just enough.
_TIMES = sorted({2700, *np.geomspace(1, 31_623, 28).round().astype(int).tolist()})
# Days whose numbers are nearly the same lie on one heap; above them stand the ten, below the noise ends.
_HEAP, _TOP, _LINE = 0.06, 28.5, -8.5
# The richest of the cast stays at home; Zoe never does.
_ALL = "all draws (exact)"
_CAST, _FACES = np.array([*list(k.PEOPLE)[: _PEOPLE - 1], "Zoe"]), 38.5
# The five of the fatal day stand first, in a box.
_SEAT = np.array([0, 1, 2, 3, 5, 6, 7, 8, 9, 4])


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
def _places():
    """Return where each day lies: how many times less noise lays it bare, and how high on its heap.

    On a heap the largest numbers, which come in sight first, lie lowest.
    """
    printed = _draws()[0]
    bare = np.round(np.log10(_dp() / printed) / _HEAP).astype(int)
    below = [(printed[bare == each] > number).sum() for each, number in zip(bare, printed, strict=True)]
    return 10 ** (bare * _HEAP), np.array(below)


def _year():
    """Return the ten and their purses, and a year of draws, one of each."""
    outputs, purses, (places, _) = _draws()[0], mip.reciprocal_data_set(_PEOPLE), _places()
    owned = [*(f"{coins:.0f}" for coins in purses[:-1]), f"\u2212{-purses[-1]:.2f}"]
    at = 10 ** (0.14 + 0.42 * _SEAT + 0.1 * (_SEAT > 3) + 0.32 * (_SEAT > 4))
    told = [f"{', '.join(_CAST[half])}: {k.say(answer)}" for answer, half in zip(*_draws(), strict=True)]
    day = {"opacity": 0.5, "customdata": told, "hover": "%{customdata} is printed", "showlegend": False}
    ticks, day_on = {number: f"{number:,}" for number in (1, 100, 10_000)}, places[outputs.argmax()]
    boxed = f"these five: about <b>{k.say(outputs.max(), 2)}</b>"
    # Which noise is as large as these numbers.
    printed, sides = _dp() * np.array([1, 10, 100]), ["middle left", "middle center", "middle right"]
    marks = k.gapped(np.stack([printed, printed], axis=1)), [-1, -2.2, None] * 3
    box, line = [[0.86, 205, 205, 0.86], [30, 30, 43.5, 43.5]], {"color": k.OUT.colour, "width": 1.5}
    return k.part(
        k.area("fatal", *box, k.OUT),
        k.level("what they print", day_on, [0, 30], line=line, **k.QUIET),
        k.cast(at, _FACES, _CAST, size=26, **k.QUIET),
        k.text("owned", at, _FACES - 6, owned),
        k.points(_ALL, *_places(), k.LEVEL.with_symbol("square"), size=5.5, **day),
        k.curve("so much is printed", *marks, k.LEVEL.but(dash="solid"), **k.QUIET),
        k.text("what is printed", printed, -3.9, ["printed: 1", "0.1", "0.01"], textposition=sides),
        k.text("what is what", 10**2.2, 19.5, "a square is a day<br>← its number is larger"),
        k.text("what the five print", 1.4 * day_on, 7.5, boxed, textposition="middle right"),
        x=k.axis("times less noise than DP", ticks, log=True, range=[-0.15, 4.6], showgrid=False),
        y=k.unseen(-12, 44),
        height=460,
        ghost=[],
        probe=[_ALL],
        grab=k.drag("times", _TIMES, _LINE),
        **k.words(draws=outputs.size, largest=outputs.max(), promised=50 + 100 * _PROMISE),
        enough=k.exact(_dp() / mip.minimal_laplace_scale(*_draws(), _PROMISE), digits=2),
    )


def _uncovered(times):
    """Light the days whose number is larger than the noise, and say how often the spy is right."""
    (outputs, members), scale = _draws(), _dp() / times
    right = 100 * (0.5 + mip.laplace_eta(outputs, members, scale))
    (x, y), above, fatal = _places(), np.flatnonzero(outputs > scale), outputs.argmax()
    kept = "kept" if right <= 50 + 100 * _PROMISE else "broken"
    violet, end, fog = {"color": k.PURPLE}, {"color": k.PURPLE, "width": 3}, [times, 4e4, 4e4, times, times]
    day, diamond = k.OUT.with_symbol("square"), k.OUT.with_symbol("diamond")
    seen = f"<b>{above.size}</b> of {outputs.size} days in sight"
    # On which side of the fog's end is room for words.
    side = (1.2 * max(times, x[fatal]), "below the noise →", "middle right")
    if times > 150:
        side = (min(times / 1.2, 10**4), "← above the noise", "middle left")
    return k.part(
        k.level("its end", times, [_LINE, -1], line=end, **k.QUIET),
        k.level("the ground", [0.71, 4e4], -1, k.LEVEL.exact(), **k.QUIET),
        k.area("noise", fog, [_TOP, _TOP, -1, -1, _TOP], k.READING, fillcolor=k.fill(k.PURPLE)),
        k.points("larger than the noise", x[above], y[above], day, size=5.5, **k.QUIET),
        k.points("the fatal draw", x[fatal], y[fatal], diamond, size=18, **k.QUIET),
        k.text("side of its end", side[0], 26.7, side[1], textposition=side[2], textfont=violet),
        k.text("in sight", 1.4 * x[fatal], 12.5, seen, textposition="middle right"),
        headline="right {right} times in 100",
        sentence="Outside the noise: {bare} of {draws} days; those at its edge tell a little (exact). The "
        "spy is right at most {right} times in 100 about anybody: the promise of {promised} is {kept}.",
        alt="Ten people and their coins, five in a box, and {draws} squares, a day each, the larger the "
        "number the farther left; the largest, {largest}, lies alone. A fog, the noise, lies over what is "
        "smaller, and a spy is right {right} about the most exposed; {promised} at {enough} times less.",
        **k.words(right=right, bare=above.size, kept=kept),
    )


@k.figure
def fatal_subset(times: Annotated[int, k.Count(_TIMES, label="Times less noise than DP", play=True)] = 1):
    """Draw ten people and a year of draws, and which of these stand out of the noise.

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.

    Examples
    --------
    >>> fatal_subset(1000).layout.meta["headline"]
    'right 54.8 times in 100'
    """
    return _year, _uncovered


# --- The same year, day by day --------------------------------------------------------------------

_UNDER = {"just enough": None, "DP's": 1}
_LEVEL, _SURER = 50 + 100 * _PROMISE, 75
_RANKS = k.Slider(1, 252, 1, step=1, label="Day, the surest first", play=True)
_SUREST = "how sure he is of one of them (exact)"


@k.cache
def _beliefs(under):
    """Return who is drawn each day and what the spy believes after the day's number, the surest day first."""
    outputs, members = _draws()
    scale = _dp() if _UNDER[under] else mip.minimal_laplace_scale(outputs, members, _PROMISE)
    printed = outputs + np.random.default_rng(_SEED).laplace(0.0, scale, outputs.size)
    chance = 100 * mip.laplace_posterior(outputs, members, scale, printed)
    sure = np.maximum(chance, 100 - chance)
    order = np.argsort(-sure.max(axis=1), kind="stable")
    return members[order], chance[order], sure[order]


@k.figure
def day_by_day(
    day: Annotated[int, _RANKS] = 1,
    under: Annotated[str, k.Choice(list(_UNDER), label="Noise")] = "just enough",
):
    """Draw what the spy believes of the ten on each day of a year.

    Notes
    -----
    The data set of MIP Proposition 11, each of its halves once, with Laplace noise of the least
    scale that keeps the promise, or of DP's.

    Examples
    --------
    >>> day_by_day(1).layout.meta["headline"][:15]
    'He believes Ann'
    """
    every, place = _beliefs(under), np.arange(_PEOPLE)
    surest, (members, chance, sure) = every[2].max(axis=1).round(2), (each[int(day) - 1] for each in every)
    best, drawn, below = sure.argmax(), np.where(members, chance, None), {"lower": True, "showlegend": False}
    hover, on_day = "on %{x} days at least %{y:.0f} in 100 sure", "%{customdata}: in with %{y:.0f} in 100"
    ticks, ranks = {0: "out", 25: "75", 50: "coin", 75: "75", 100: "in"}, np.arange(1, surest.size + 1)
    wide = [-0.7, 9.7, 9.7, -0.7]
    return k.part(
        k.area("surely in", wide, [50, 50, 118, 118], k.IN),
        k.area("surely out", wide, [50, 50, -18, -18], k.OUT),
        k.level("a coin toss", [-0.7, 9.7], 50, showlegend=False),
        k.curve(_SUREST, ranks, surest, k.ATTACK, hover=hover, **below),
        k.area(f"{_SUREST}, shaded", [*ranks, 252, 1], [*surest, 50, 50], k.ATTACK, lower=True),
        k.level("promised", [0, 253], _LEVEL, k.MIP.bound(), **below),
        k.level("so sure is asked for", [0, 150], _SURER, k.LEVEL, **below),
        k.text("asked for, said", 150, _SURER + 2, f"surer than {_SURER}", textposition="top left", **below),
        k.text(
            "promised, said",
            252,
            _LEVEL + 2.5,
            "promised, over the year: 60",
            textposition="top left",
            lower=True,
        ),
        k.cast(place, chance, _CAST, size=21, showlegend=False, hover=on_day),
        k.points("really drawn", place, drawn, k.IN.with_symbol("circle-open"), size=27, **k.QUIET),
        k.reading(int(day), sure[best], "this day", lower=True),
        x=k.unseen(-0.7, 9.7),
        y=k.axis("", ticks, range=[-18, 118], showgrid=False),
        x2=k.axis("the days, the surest first", range=[-8, 256], tickvals=[1, 100, 200, 252], showgrid=False),
        y2=k.axis(
            "surest face, in 100",
            {50: "50", _SURER: f"<b>{_SURER}</b>", 100: "100"},
            range=[50, 104],
            showgrid=False,
        ),
        rows=(0.62, 0.1),
        height=540,
        ghost=[],
        probe=[_SUREST],
        grab=k.drag("day", _RANKS.stops, surest, along="x2"),
        headline=f"He believes {{who}} is {'in' if chance[best] > 50 else 'out'}: {{sure}} in 100",
        sentence="The higher a face, the surer the spy that it was drawn; a ring says that it was (exact). "
        "With this year's noise he is surer than {surer} in 100 of somebody on {above} of {draws} days.",
        alt="Ten people at the height of what the spy believes of them on day {day}; five have a ring, they "
        "were drawn. Below, how sure he is on each day of the one he knows best, the surest day first: "
        "{above} of {draws} days lie above {surer}; this day {sure}, and the promise is {promised}.",
        **k.words(who=_CAST[best], sure=k.exact(sure[best]), day=int(day), promised=k.at_most(_LEVEL)),
        **k.words(above=int((every[2] > _SURER).any(axis=1).sum()), surer=_SURER, draws=surest.size),
    )
