"""What the definition of MIP is about: coins, bars and two populations."""

from typing import Annotated

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm

import mipbook.figures.kit as k
from mipbook import game, mip

_COINS = np.array([1, 2, 3, 5])
# What is published of the sum of a pair, from no more than parity to all of it.
_DIVISORS = {"the sum": 100, "its remainder by 3": 3, "odd or even": 2}
_COIN_ASIDE = 0.2
_BET = {"mode": "markers+text", "textposition": "top center", "textfont": {"color": k.ATTACK.colour}}
_BET |= {"hoverinfo": "skip"}


def _frame_of_coins():
    return k.part(
        x=k.axis("what is published", range=[-0.6, 8.6], dtick=1),
        y=k.axis("pairs, of six", range=[0, 3.5], dtick=1),
        barmode="overlay",
        height=380,
    )


def _pairs_behind(published, person):
    """Return the pairs behind each published number, and what the attacker says to it."""
    halves = mip.subsets(4)
    seen = halves @ _COINS % _DIVISORS[published]
    values = np.unique(seen)
    table = (seen[:, None] == values) * 1.0
    record = _COINS.tolist().index(person)
    holds = halves[:, record]
    right = mip.record_accuracies(table, halves)
    traces, tops = [], np.zeros(values.size)
    for name, look, aside, side in (("out", k.OUT, -_COIN_ASIDE, False), ("in", k.IN, _COIN_ASIDE, True)):
        behind = [halves[(seen == value) & (holds == side)] for value in values]
        counts = [len(pairs) for pairs in behind]
        named = [", ".join(" and ".join(map(str, _COINS[half])) for half in pairs) for pairs in behind]
        more = {"width": 2 * _COIN_ASIDE, "text": named, "textposition": "none"}
        more |= {"pattern": "" if side else "/", "hover": "%{y} of six pairs: %{text}"}
        traces.append(k.bars(f"the person is {name}", values + aside, counts, look, **more))
        tops = np.maximum(tops, counts)
    chances = game.posterior(table, holds)
    says = ["either" if np.isclose(p, 0.5) else "in" if p > 0.5 else "out" for p in chances]
    return k.part(
        traces,
        k.points("what the best attacker says", values, tops + 0.15, k.ATTACK, size=9, text=says, **_BET),
        headline="right {right} of the time",
        sentence=f"About the person with {{coins}} coin{'s' if person > 1 else ''} the best attacker is "
        "right {right} of the time (exact). About the most exposed of the four it is right {most} of the "
        "time, so the release has η = {eta} (exact).",
        alt="Bars over the {values} numbers that can be published: how many of the six pairs give each, "
        f"with the person in and out. The best attacker says {', '.join(says)}.",
        **k.words(k.exact, k.percent, right=right[record], most=right.max()),
        **k.words(eta=mip.finite_eta(table, halves), coins=person, values=values.size),
    )


@k.figure
def four_coins(
    published: Annotated[str, k.Choice(list(_DIVISORS), label="Published")] = "the sum",
    person: Annotated[int, k.Choice(_COINS.tolist(), label="Coins the person has")] = 5,
):
    """Draw which pairs of four people are behind a published number, for one of the people.

    Two of four people, who own 1, 2, 3 and 5 coins, are drawn; a number about their sum is
    published.

    Examples
    --------
    >>> four_coins("its remainder by 3").layout.meta["headline"]
    'right 50% of the time'
    """
    return _frame_of_coins, _pairs_behind


_COLOURS = ["red", "green", "blue"]
_WEIGHTS = np.linspace(0.0, 3.5, 15)
_PLACES = np.arange(3)
# The two bars of an output stand beside its place.
_ASIDE = 0.21


def _shares(red, green):
    """Return the probabilities of the three outputs, from weights relative to blue's."""
    total = red + green + 1.0
    return np.stack([red / total, green / total, 1 / total], axis=-1)


def _frame_of_bars():
    return k.part(
        x=k.axis("what the mechanism answers", tickvals=_PLACES, ticktext=_COLOURS, range=[-0.6, 2.6]),
        y=k.axis("share of all games", range=[0, 0.54]),
        barmode="overlay",
        height=380,
    )


def _mechanism(in_red, in_green, out_red):
    table = np.stack([_shares(out_red, 1.0), _shares(in_red, in_green)])
    chances, accuracy, halves = game.posterior(table), game.optimal_accuracy(table), table / 2
    bets = ["in" if chance >= 0.5 else "out" for chance in chances]
    says, cap = [f"says {bet}" for bet in bets], k.ATTACK.with_symbol("line-ew-open")
    side = np.where(chances >= 0.5, _ASIDE, -_ASIDE)
    bar = {"width": 2 * _ASIDE, "offset": 0.0, "hover": "%{y:.1%} of all games"}
    # Where the top of each bar that can be dragged goes, by its weight.
    tops = (
        ("in_red", _ASIDE, _shares(_WEIGHTS, in_green)[:, 0]),
        ("in_green", 1 + _ASIDE, _shares(in_red, _WEIGHTS)[:, 1]),
        ("out_red", -_ASIDE, _shares(_WEIGHTS, 1.0)[:, 0]),
    )
    return k.part(
        k.bars("out, and this output", _PLACES - 2 * _ASIDE, halves[0], k.OUT, "/", **bar),
        k.bars("in, and this output", _PLACES, halves[1], k.IN, **bar),
        k.points(
            "the best attacker's bet", _PLACES + side, halves.max(axis=0), cap, size=32, text=says, **_BET
        ),
        headline="right {right} of the time",
        sentence="Betting on the taller bar each time, the best attacker is right {right} of the time: η = "
        "{eta} and no less (exact). The chance that the record was in: red {red}, green {green}, blue "
        "{blue}.",
        alt="Pairs of bars for the outputs red, green and blue, record out and record in. A cap on the "
        f"taller bar of each pair says what the attacker bets on: {', '.join(bets)}.",
        grab=[
            each
            for name, x, top in tops
            for each in k.drag(name, np.full(top.size, x), np.round(top / 2, 4), "y")
        ],
        right=k.exact(accuracy, k.percent),
        eta=accuracy - 0.5,
        **{colour: k.exact(chance, k.percent) for colour, chance in zip(_COLOURS, chances, strict=True)},
    )


@k.figure
def posterior_bars(
    in_red: Annotated[float, k.Slider(0, 3.5, step=0.25, label="In: weight of red")] = 0.5,
    in_green: Annotated[float, k.Slider(0, 3.5, step=0.25, label="In: weight of green")] = 1.0,
    out_red: Annotated[float, k.Slider(0, 3.5, step=0.25, label="Out: weight of red")] = 2.0,
):
    """Draw how likely each output is with the record in and out, and the attacker's choice.

    The weights are relative to blue's; with the record out, green's is that of blue.

    Notes
    -----
    MIP paper, Proposition 2.

    Examples
    --------
    >>> posterior_bars().layout.meta["headline"]
    'right 65% of the time'
    """
    return _frame_of_bars, _mechanism


_X = np.linspace(-3.5, 7.5, 111)
_SIZES = [2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100, 200, 500, 1000]
_SHARES = [0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


def _accuracy(against, accuracy, colour, **marker):
    """Return one of the two accuracies, from the coin's up."""
    name, more = f"member or {against}? (exact)", {"marker": {"color": colour, **marker}}
    more |= {"text": [k.percent(accuracy)], "textposition": "outside", "cliponaxis": False}
    more |= {"hoverinfo": "skip", "showlegend": False, "lower": True}
    return k.bars(name, [against], [accuracy - 0.5], k.LEVEL, base=0.5, **more)


def _everybody(distance, share):
    """Return the whole population with its share of patients, and how well a member is told from it."""
    others, patients = norm.pdf(_X), norm.pdf(_X - distance)
    right = 0.5 + (1 - share) * (float(ndtr(distance / 2)) - 0.5)
    mixed = np.round(others + share * (patients - others), 3)
    some = k.told("Of everybody {share} are patients", share=k.exact(share, k.percent))
    return k.part(
        k.curve("everybody (exact)", _X, mixed, k.SERIES[1], hoverinfo="skip"),
        _accuracy("anybody", right, k.SERIES[1].colour, pattern={"shape": "/"}),
        headline="{everybody} against anybody",
        everybody=k.exact(right, k.percent),
        mix={0: "Hardly anybody is a patient", 1: "Everybody is a patient"}.get(share, some),
    )


def _patients(distance):
    filled = {"fill": "tozeroy", "fillcolor": k.fill(k.IN.colour), "hoverinfo": "skip"}
    return k.part(
        k.curve("patients (exact)", _X, np.round(norm.pdf(_X - distance), 4), k.IN, **filled),
        k.level("where the guess turns", [distance / 2] * 2, [0.0, 0.42]),
        beside=0.6,
        ghost=["patients (exact)"],
        grab=k.drag("distance", at=0.4),
        at=distance,
    )


def _study(n):
    """Return how well a member is told from another patient by the published mean."""
    within = mip.peer_accuracy(n)
    return k.part(
        _accuracy("a patient", within, k.IN.colour),
        x=k.axis("blood pressure, in standard deviations", range=[-3.5, 7.5]),
        y={"range": [0, 0.43], "visible": False},
        x2=k.axis("told from", type="category", range=[-0.6, 1.6], tickangle=0),
        y2=k.axis("best accuracy", range=[0.5, 1.04]),
        rows=(0.55, 0.2),
        height=380,
        sentence="{mix}. By blood pressure alone you can tell a member from a random person {everybody} of "
        "the time (exact), whatever the study publishes. From another patient, the published mean of {n} "
        "tells a member at best {within} of the time (exact, by quadrature).",
        alt="Two curves of blood pressure: the patients' bell around {at}, and everybody's, a bell around 0 "
        "mixed with theirs. {mix}. Beside them two bars that start at one half: a member told from anybody "
        "reaches {everybody}, from another patient {within}.",
        n=k.exact(n, ".0f"),
        within=k.exact(within, k.percent),
    )


@k.figure
def blood_pressure(
    distance: Annotated[float, k.Slider(0, 4, step=0.125, label="How far patients stand off")] = 1.5,
    n: Annotated[int, k.Count(_SIZES, label="Patients in the study, n")] = 20,
    share: Annotated[float, k.Stops(_SHARES, 0.0, label="Share of patients, p")] = 0.0,
):
    """Draw how well an attacker tells patients from everybody, and members from patients.

    The distance is that of the patients' mean from everybody's, in standard deviations.

    Notes
    -----
    MIP paper, section 3.2.

    Examples
    --------
    >>> "77.3%" in blood_pressure(1.5).layout.meta["sentence"]
    True
    """
    return _everybody, _patients, _study
