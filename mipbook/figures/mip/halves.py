"""The data set of Proposition 11, its halves, and the noise that the fatal one seems to ask for."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip

_LAST = 100
_PROMISE = 0.1
_WHICH = k.Slider(0, _LAST, _LAST, step=2.5, label="Draws, by their answer, %")
_SHARES = [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
# Where the curve is drawn: the stops, and places between them.
_FINE = sorted({*_SHARES, *np.geomspace(_SHARES[0], 1, 40).round(9).tolist()})
_NOISE = k.Stops(_SHARES, label="Share of DP's noise", play=True)
_SPY = "the spy, about the most exposed"
# Where the people stand below the towers: those drawn, the others, and what each owns.
_DRAWN, _LEFT, _OWNED, _FLOOR = -6, -14, -22, -26


@k.cache
def _halves(n):
    """Return all halves by rising answer, their answers, and a few of them as stops."""
    outputs, members = mip.reciprocal_outputs(n)
    order = np.argsort(outputs, kind="stable")
    return (
        members[order],
        outputs[order],
        np.rint(np.linspace(0, len(order) - 1, len(_WHICH.stops))).astype(int),
    )


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
    members, answers, stops = _halves(n)
    place, right = np.linspace(1, 100, answers.size), np.round([_right(n, noise) for noise in _FINE], 2)
    enough = mip.minimal_laplace_scale(answers, members, _PROMISE) / _dp(n)
    formula = mip.noise_scale(_PROMISE) * mip.reciprocal_absolute_moment(n, 1) / _dp(n)
    shares, at = np.log10(_FINE), [_FINE.index(share) for share in _SHARES]
    # An axis of tenths: DP's noise, a tenth, a hundredth of it.
    tenths = {
        "tickvals": [0, -1, -2, -3, -4, -5],
        "ticktext": ["all", "1/10", "1/100", "1/10³", "1/10⁴", "1/10⁵"],
    }
    marks = {"lower": True, "size": 11, "hoverinfo": "skip"}
    return k.part(
        k.points("all draws (exact)", place, answers, k.LEVEL, size=4, hoverinfo="skip", showlegend=False),
        k.level("the fatal draw", [100, 100], [0, answers[-1]], k.OUT),
        k.level("DP's noise (exact)", [-3, 104], _dp(n), k.DP),
        k.curve(_SPY, shares, right, k.ATTACK, lower=True, hover="right %{y:.1f} times in 100"),
        k.level("promised", [-5, 0], 50 + 100 * _PROMISE, k.MIP.bound(), lower=True),
        k.points("the spy, by this book's formula", np.log10(formula), _right(n, formula), k.MIP, **marks),
        x={"range": [-3, 104], "visible": False},
        y=k.axis(
            "the answer, and the noise", range=[_FLOOR, 44], tickvals=[0, 10, 20, 30, 40], zeroline=True
        ),
        x2=k.axis("share of DP's noise", range=[-5.15, 0.15], **tenths),
        y2=k.axis("right in 100", range=[48, 100]),
        rows=(0.68, 0.18),
        beside=0.55,
        height=400,
        ghost=[],
        probe=[_SPY],
        grab=k.drag("half", place[stops], answers[stops])
        + k.drag("noise", shares[at], right[at], along="x2"),
        moving_axes="another n is another data set, with answers and people of its own",
        halves=answers.size,
        largest=answers[-1],
        n=n,
        enough=k.exact(1 / enough, digits=2),
        promised=k.exact(50 + 100 * _PROMISE),
    )


def _half(n, half):
    """Return who is in one half, and its answer."""
    members, answers, stops = _halves(n)
    index = int(stops[np.abs(np.array(_WHICH.stops) - half).argmin()])
    records, chosen = mip.reciprocal_data_set(n), members[index]
    # The richest of the cast stay at home if shares play; Zoe always does.
    people = [*list(k.PEOPLE)[: n - 1], "Zoe"]
    across = np.linspace(4, 96, n)
    owned = [k.say(float(v), 3).replace("-", "−") for v in records]
    faces = k.cast(
        across, np.where(chosen, _DRAWN, _LEFT), people, name="drawn, above", size=20, showlegend=False
    )
    faces["marker"]["opacity"] = np.where(chosen, 1.0, 0.45).tolist()
    faces["hovertemplate"] = [
        f"{who} owns {coins}<extra></extra>" for who, coins in zip(people, owned, strict=True)
    ]
    coins = {"mode": "text", "text": owned, "showlegend": False, "hoverinfo": "skip"}
    coins["textfont"] = {"size": 11, "color": k.READING.colour}
    which = "The fatal draw"
    if index < answers.size - 1:
        which = k.told("Draw {rank} of {halves}", rank=index + 1, halves=answers.size)
    place = np.linspace(1, 100, answers.size)[index]
    return k.part(
        faces,
        k.points("what each owns", across, np.full(n, _OWNED), k.READING, **coins),
        k.reading(place, answers[index], "this draw's answer"),
        **k.words(which=which, short=answers[index]),
        sum=k.exact(1 / answers[index]),
    )


def _noise(n, noise):
    """Return the noise beside the answers, and how often the spy is right."""
    scale, right = noise * _dp(n), _right(n, noise)
    return k.part(
        k.band("your noise, its scale", [-3, 104], [0, 0], [scale, scale], k.MIP),
        k.reading(np.log10(noise), right, "the spy, at your noise", lower=True),
        headline="{promised} promised, right {right} times in 100",
        sentence="With noise of scale {scale} the spy is right {right} times in 100 about the most exposed "
        "(exact). {which} sums to {sum} and answers {short}.",
        alt="Left, the answers of all {halves} draws: dots on the floor and one tower, {largest} high, over "
        "the {n} people, those drawn above the others; a band from 0 up is the noise, {scale}, a "
        "dotted line DP's. Right, how often a spy is right against the noise: a falling curve, {right} at "
        "the diamond, that passes the promise of {promised} at one part in {enough}.",
        right=k.exact(right),
        scale=k.exact(scale),
    )


@k.figure
def fatal_subset(
    noise: Annotated[float, _NOISE] = 0.001,
    half: Annotated[float, _WHICH] = _LAST,
    n: Annotated[int, k.Choice([6, 8, 10], label="People, n")] = 10,
):
    """Draw the answers of all halves beside the noise, and how often the spy is right.

    ``half`` goes through the halves by rising answer, in percent of all.

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.

    Examples
    --------
    >>> fatal_subset(0.001).layout.meta["headline"]
    '60 promised, right 54.8 times in 100'
    """
    return _answers, _half, _noise
