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
# The scale below the answers: its pivot, half its beam, where its pans hang, half a pan; and the floor.
_PIVOT, _ARM, _PAN, _HALF, _FLOOR = (50, -13), 26, 19, 19, -68
# Where up to five stand on a pan, from its middle.
_SEATS = [(-12, 6), (0, 6), (12, 6), (-6, 14), (6, 14)]


@k.cache
def _halves(n):
    """Return all halves by rising answer, their answers, and those drawn: the last, then by lot."""
    outputs, members = mip.reciprocal_outputs(n)
    order = np.argsort(outputs, kind="stable")
    by_lot = np.random.default_rng(n).integers(len(order), size=_DRAWS - 1)
    return members[order], outputs[order], [len(order) - 1, *by_lot.tolist()]


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
    marks = {"lower": True, "size": 11, "hoverinfo": "skip"}
    return k.part(
        k.points("all draws (exact)", place, answers, k.LEVEL, size=4, hoverinfo="skip", showlegend=False),
        k.level("the fatal draw", [100, 100], [0, answers[-1]], k.OUT),
        k.level("DP's noise (exact)", [-3, 104], _dp(n), k.DP),
        k.curve(_SPY, shares, right, k.ATTACK, lower=True, hover="right %{y:.1f} times in 100"),
        k.level("promised", [-5, 0], 50 + 100 * _PROMISE, k.MIP.bound(), lower=True),
        k.points("the spy, by this book's formula", np.log10(formula), _right(n, formula), k.MIP, **marks),
        x={"range": [-3, 104], "visible": False},
        y=k.axis("printed", range=[_FLOOR, 44], tickvals=[0, 20, 40], zeroline=True),
        x2=k.axis("share of DP's noise", range=[-5.15, 0.15], **tenths),
        y2=k.axis("right in 100", range=[48, 100]),
        rows=(0.64, 0.1),
        beside=0.6,
        height=420,
        ghost=[],
        probe=[_SPY],
        grab=k.drag("noise", shares[at], right[at], along="x2"),
        moving_axes="another n is another data set, with answers and people of its own",
        **k.words(halves=answers.size, largest=answers[-1], n=n, enough=k.exact(1 / enough, digits=2)),
        promised=k.exact(50 + 100 * _PROMISE),
    )


def _pan(side, tilt):
    """Return the middle of a pan, and the lines from the beam to its edge and back."""
    x, y = _PIVOT[0] + side * _ARM, _PIVOT[1] + side * tilt
    return (x, y - _PAN), [x, x - _HALF, x + _HALF, x, None], [y, y - _PAN, y - _PAN, y, None]


def _half(n, draw):
    """Return the scale with who is in one half on its pans, and what is printed."""
    members, answers, drawn = _halves(n)
    index = drawn[int(draw) - 1]
    records, chosen = mip.reciprocal_data_set(n), members[index]
    left = 1 / answers[index]  # of the coins, when the debt is paid
    balances = index == answers.size - 1
    tilt = 0 if balances else 13 * (np.log1p(left) / np.log1p(records.sum())) ** 0.7
    (coins_at, *coins), (debt_at, *debt) = (_pan(side, tilt) for side in (-1, 1))
    # The richest of the cast stay at home if shares play; Zoe always does.
    people = [*list(k.PEOPLE)[: n - 1], "Zoe"]
    across, up = np.empty(n), np.full(n, _FLOOR + 7.0)
    across[~chosen] = np.linspace(10, 90, n // 2)
    for who, seat in zip(np.flatnonzero(chosen), _SEATS, strict=False):
        # Zoe is the last, and alone on her side.
        across[who], up[who] = np.add(*((debt_at, _SEATS[1]) if who == n - 1 else (coins_at, seat)))
    faces = k.cast(across, up, people, name="those drawn are on the scale", size=20, showlegend=False)
    faces["hovertemplate"] = [
        k.told("{who} {has} {coins}<extra></extra>", who=who, has="owes" if v < 0 else "owns", coins=abs(v))
        for who, v in zip(people, records.tolist(), strict=True)
    ]
    totals = [records[chosen & (records > 0)].sum(), -records[chosen & (records < 0)].sum()]
    labels = [f"{k.say(totals[0])} coins", f"{k.say(totals[1], 4)} of debt"]
    pans = [[coins_at[0], debt_at[0]], [coins_at[1] - 8, debt_at[1] - 8]]
    beam = [_PIVOT[0] - _ARM, _PIVOT[0] + _ARM, None, _PIVOT[0], _PIVOT[0]]
    high = [_PIVOT[1] - tilt, _PIVOT[1] + tilt, None, _PIVOT[1], _FLOOR + 15]
    which = "The fatal draw" if balances else "This draw"
    place = np.linspace(1, 100, answers.size)[index]
    quiet = {"showlegend": False, "hoverinfo": "skip"}
    return k.part(
        k.curve(
            "the scale", [*coins[0], *debt[0], *beam], [*coins[1], *debt[1], *high], k.LEVEL.exact(), **quiet
        ),
        faces,
        k.points("on the pans", *pans, k.READING, mode="text", text=labels, **quiet),
        k.reading(place, answers[index], "this draw's answer"),
        **k.words(which=which, short=answers[index]),
        **k.words(k.exact, sum=left, coins=totals[0]),
        debt=k.exact(totals[1], digits=4),
    )


def _noise(n, noise):
    """Return the noise beside the answers, and how often the spy is right."""
    scale, right = noise * _dp(n), _right(n, noise)
    return k.part(
        k.band("your noise, its scale", [-3, 104], [0, 0], [scale, scale], k.MIP),
        k.reading(np.log10(noise), right, "the spy, at your noise", lower=True),
        headline="{promised} promised, right {right} times in 100",
        sentence="{which} weighs {coins} coins against a debt of {debt}: one over {sum} is printed, {short}. "
        "Under noise of scale {scale} the spy is right {right} times in 100 (exact).",
        alt="Left, what all {halves} draws print: dots on the floor and one tower, {largest} high, over a "
        "scale with coins of {coins} on one pan and a debt of {debt} on the other, and those of the {n} "
        "people who are not drawn below; a band from 0 up is the noise, {scale}, a dotted line DP's. Right, "
        "how often a spy is right about the most exposed, against the noise: a falling curve, {right} at "
        "the diamond, that passes the promise of {promised} at one part in {enough}.",
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
