"""The data set of Proposition 11, its halves, and the noise that the fatal one seems to ask for."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip

_DRAWS = 41
_PROMISE = 0.1
_WHICH = k.Slider(1, _DRAWS, 1, step=1, label="Draw again", play=True)
_SHARES = [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
# Where the curve is drawn: the stops, and places between them.
_FINE = sorted({*_SHARES, *np.geomspace(_SHARES[0], 1, 40).round(9).tolist()})
_NOISE = k.Stops(_SHARES, label="Share of DP's noise", play=True)
_SPY = "the spy, about the most exposed"
_SAID = {"textposition": ["middle left", "bottom center"]}
# An answer stands so high: a step for each factor of ten, from a thousandth up.
_STEP, _LEAST, _TICKS = 16, 1e-3, [0.001, 0.01, 0.1, 1, 10, 100]
# The scale below the answers: its pivot, half its beam, half a plate and how high it is held; and the floor.
_PIVOT, _ARM, _PLATE, _POST, _FLOOR = (50, -57), 27, 23, 10, -84
# Where up to four stand on a plate, from its middle.
_SEATS = [-16, -5.3, 5.3, 16]


@k.cache
def _halves(n):
    """Return all halves by rising answer, their answers, and those drawn: the last, then by lot."""
    outputs, members = mip.reciprocal_outputs(n)
    order = np.argsort(outputs, kind="stable")
    by_lot = np.random.default_rng(n).integers(len(order), size=_DRAWS - 1)
    return members[order], outputs[order], [len(order) - 1, *by_lot.tolist()]


def _high(answers):
    """Return how high answers or noise stand in the picture."""
    return _STEP * np.log10(np.maximum(answers, _LEAST) / _LEAST)


@k.cache
def _dp(n):
    """Return the noise that DP adds for the promise of the chapter."""
    return mip.laplace_dp_scale(_PROMISE, mip.reciprocal_sensitivity(n))


@k.cache
def _right(n, noise):
    members, answers, _ = _halves(n)
    return 100 * (0.5 + mip.laplace_eta(answers, members, noise * _dp(n)))


def _answers(n):
    """Return the answers of all draws, side by side, and how often the spy is right at every noise."""
    members, answers, _ = _halves(n)
    place, right = np.linspace(1, 100, answers.size), np.round([_right(n, noise) for noise in _FINE], 2)
    enough = mip.minimal_laplace_scale(answers, members, _PROMISE) / _dp(n)
    formula = mip.noise_scale(_PROMISE) * mip.reciprocal_absolute_moment(n, 1) / _dp(n)
    shares, at = np.log10(_FINE), [_FINE.index(share) for share in _SHARES]
    # An axis of tenths: DP's noise, a tenth, a hundredth of it.
    tenths = {"tickvals": [0, -1, -3, -5], "ticktext": ["all", "1/10", "1/10³", "1/10⁵"]}
    spot, quiet = {"lower": True, "size": 12, "hoverinfo": "skip", "showlegend": False}, {"showlegend": False}
    promised, tower = 50 + 100 * _PROMISE, float(_high(answers[-1]))
    return k.part(
        k.points("all draws (exact)", place, _high(answers), k.LEVEL.with_symbol("square"), size=4, **quiet),
        k.level("the fatal draw", [100, 100], [0, tower], k.OUT.exact(), **quiet),
        k.level("DP's noise (exact)", [-3, 104], _high(_dp(n)), k.DP, **quiet),
        k.text("said", [97, 50], [tower, _high(_dp(n))], ["the fatal draw", "DP's noise"], **_SAID),
        k.curve(_SPY, shares, right, k.ATTACK, lower=True, hover="right %{y:.1f} times in 100", **quiet),
        k.level("promised", [-5, 0], promised, k.MIP.bound(), lower=True, **quiet),
        k.text("promised, said", [0], [promised], ["promised"], textposition="top left", lower=True),
        k.points("the spy, by this book's formula", np.log10(formula), _right(n, formula), k.MIP, **spot),
        k.text(
            "the spy, said",
            [np.log10(formula)],
            [_right(n, formula)],
            ["our formula"],
            textposition="top right",
            lower=True,
        ),
        x=k.axis(f"all {answers.size} draws, the least answer first", range=[-3, 104], **k.BARE, side="top"),
        y=k.axis(
            "printed",
            range=[_FLOOR, 86],
            tickvals=_high(np.array(_TICKS)),
            ticktext=_TICKS,
            zeroline=True,
            showline=False,
        ),
        x2=k.axis("share of DP's noise", range=[-5.15, 0.5], **tenths),
        y2=k.axis("right in 100", range=[48, 100]),
        rows=(0.68, 0.1),
        beside=0.62,
        height=440,
        ghost=[],
        probe=[_SPY],
        grab=k.drag("noise", shares[at], right[at], along="x2"),
        moving_axes="another n is another data set, with answers and people of its own",
        **k.words(halves=answers.size, largest=answers[-1], n=n, enough=k.exact(1 / enough, digits=2)),
        promised=k.exact(promised),
    )


def _half(n, draw):
    """Return the scale with who is in one half on its plates, and what is printed."""
    members, answers, drawn = _halves(n)
    index = drawn[int(draw) - 1]
    records, chosen = mip.reciprocal_data_set(n), members[index]
    left = 1 / answers[index]  # of the coins, when the debt is paid
    balances = index == answers.size - 1
    tilt = 0 if balances else 11 * (np.log1p(left) / np.log1p(records.sum())) ** 0.7
    x, y = np.array([_PIVOT[0] - _ARM, _PIVOT[0] + _ARM]), _PIVOT[1] + tilt * np.array([-1, 1])
    # The richest of the cast stay at home if shares play; Zoe always does.
    people = [*list(k.PEOPLE)[: n - 1], "Zoe"]
    across, up = np.empty(n), np.full(n, _FLOOR + 5.0)
    side = [int(value < 0) for value in records]
    around = _PIVOT[0] + np.array([-1, 1]) * 9  # nobody stands under the pivot
    home = n // 2
    across[~chosen] = np.concatenate(
        [np.linspace(4, around[0], home // 2), np.linspace(around[1], 96, home - home // 2)]
    )
    above = np.full(2, _POST + 25.0)
    for which in (0, 1):
        there = [who for who in np.flatnonzero(chosen) if side[who] == which]
        for place, who in enumerate(there):
            row, seat = divmod(place, len(_SEATS))
            middle = (min(len(there), len(_SEATS)) - 1) / 2
            across[who] = x[which] + (_SEATS[1] - _SEATS[0]) * (seat - middle) * (row == 0)
            up[who] = y[which] + _POST + 6 + 11 * row
            above[which] = _POST + 25 + 11 * row
    faces = k.cast(across, up, people, name="those drawn are on the scale", size=23, showlegend=False)
    faces["hovertemplate"] = [
        k.told("{who} {has} {coins}<extra></extra>", who=who, has="owes" if v < 0 else "owns", coins=abs(v))
        for who, v in zip(people, records.tolist(), strict=True)
    ]
    totals = [records[chosen & (records > 0)].sum(), -records[chosen & (records < 0)].sum()]
    labels = [f"{k.say(totals[0])} coins", f"{k.say(totals[1], 4)} of debt"]
    plates, held = [], []
    for at, high in zip(x.tolist(), y.tolist(), strict=True):
        plates += [at - _PLATE, at + _PLATE, None, at, at, None]
        held += [high + _POST, high + _POST, None, high + _POST, high, None]
    foot = [*x.tolist(), None, _PIVOT[0], _PIVOT[0], None, _PIVOT[0] - 6, _PIVOT[0] + 6]
    stand = [*y.tolist(), None, _PIVOT[1], _FLOOR, None, _FLOOR, _FLOOR]
    which = "The fatal draw" if balances else "This draw"
    place = np.linspace(1, 100, answers.size)[index]
    quiet = {"showlegend": False, "hoverinfo": "skip"}
    return k.part(
        k.curve("the scale", [*plates, *foot], [*held, *stand], k.LEVEL.exact(), **quiet),
        faces,
        k.points("on the plates", x, y + above, k.READING, mode="text", text=labels, **quiet),
        k.reading(place, float(_high(answers[index])), "this draw's answer"),
        **k.words(which=which, short=answers[index]),
        **k.words(k.exact, sum=left, coins=totals[0]),
        debt=k.exact(totals[1], digits=4),
    )


def _noise(n, noise):
    """Return the noise beside the answers, and how often the spy is right."""
    scale, right = noise * _dp(n), _right(n, noise)
    high = float(_high(scale))
    return k.part(
        k.band("your noise, its scale", [-3, 104], [0, 0], [high, high], k.MIP, showlegend=False),
        k.text("said, too", [-1], [high], ["your noise"], textposition="bottom right"),
        k.reading(np.log10(noise), right, "the spy, at your noise", lower=True),
        headline="{promised} promised, right {right} times in 100",
        sentence="{which} weighs {coins} coins against a debt of {debt}: one over {sum} is printed, {short}. "
        "Under noise of scale {scale} the spy is right {right} times in 100 (exact).",
        alt="Left, what all {halves} draws print, by factors of ten: a low slope and one tower, {largest} "
        "high, over a scale with coins of {coins} on one plate and a debt of {debt} on the other, and those "
        "of the {n} people who are not drawn below; a band from the bottom up is the noise, {scale}, a "
        "dotted line DP's. Right, how often a spy is right about the most exposed, against the noise: a "
        "falling curve, {right} at the diamond, that passes the promise of {promised} at one part in "
        "{enough}.",
        right=k.exact(right),
        scale=k.exact(scale),
    )


@k.figure
def fatal_subset(
    noise: Annotated[float, _NOISE] = 0.001,
    draw: Annotated[int, _WHICH] = 1,
    n: Annotated[int, k.Choice([6, 8, 10], label="People, n")] = 10,
):
    """Draw what each half weighs and prints, beside the noise, and how often the spy is right.

    The first draw is the fatal half, each other one comes by lot.

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.

    Examples
    --------
    >>> fatal_subset(0.001).layout.meta["headline"]
    '60 promised, right 54.8 times in 100'
    """
    return _answers, _half, _noise
