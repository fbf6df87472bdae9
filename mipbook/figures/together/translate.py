"""One release in every reading, what a pair of numbers does not tell, and who is accused."""

import math
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

import mipbook.figures.kit as k
from mipbook import tradeoff
from mipbook.accounting.known import (
    from_concentrated,
    from_dp,
    from_gaussian,
    from_geometric,
    from_laplace,
    from_randomised_response,
    from_renyi,
    from_subsampled_gaussian,
    matching,
)
from mipbook.figures.game.plane import SPOKEN, coin, rate_axes, shown

# Where the epsilon of a reading is asked.
DELTA = 1e-5
PAIR = "(ε, 10⁻⁵)-DP"
_AT = 0.01


class _Release(NamedTuple):
    """How a release is read from its number x, and how it is told of x and 1/x."""

    made: Callable[[float], Any]
    told: str


RELEASES = {
    PAIR: _Release(lambda x: from_dp(x, DELTA), "({x}, 10⁻⁵)-DP"),
    "Gaussian": _Release(lambda x: from_gaussian(1 / x), "Gaussian noise of σ = {scale}, {x}-GDP"),
    "Laplace": _Release(lambda x: from_laplace(1 / x), "Laplace noise of scale {scale}, {x}-DP"),
    "ten answers": _Release(
        lambda x: from_randomised_response(x, 10), "randomised response with 10 answers and ε = {x}"
    ),
    "geometric": _Release(lambda x: from_geometric(x, 2), "geometric noise with ε = {x} for changes of 2"),
    "of a sample": _Release(
        lambda x: from_subsampled_gaussian(1 / x, 0.1), "Gaussian noise of σ = {scale} on a sample of 1 in 10"
    ),
    "zCDP": _Release(from_concentrated, "{x}-zCDP"),
    "Rényi": _Release(lambda x: from_renyi(8.0, x), "(8, {x})-Rényi DP"),
}


@k.cache
def known(release, size):
    """Return the reading of a release by its number."""
    return RELEASES[release].made(size)


def described(release, size):
    """Tell a release by its number."""
    return k.told(RELEASES[release].told, x=float(size), scale=1 / size)


def kind(reading):
    """Say what sort of number a rate is."""
    return "exact" if reading.sharp else "bound"


_ROUND = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10]
_SIZES = k.Stops([0.05, 0.07, *_ROUND], 3.0, label="Its number", play=True).safe("up")
_SHORT = "found at FPR 0.1%"
# A row: what is read, where nothing leaks, where all does, how it looks, and how it is written.
_ROWS = {
    "ε at δ = 10⁻⁵": (lambda found: float(found.epsilon(DELTA)), 0, 10, k.DP, k.say),
    "advantage": (lambda found: found.advantage.value, 0, 1, k.BEST, k.say),
    "area, AUC": (lambda found: found.auc.value, 0.5, 1, k.BEST, k.say),
    "found at FPR 10%": (lambda found: float(found.tpr(0.1)), 0, 1, k.BEST, k.percent),
    "found at FPR 1%": (lambda found: float(found.tpr(_AT)), 0, 1, k.BEST, k.percent),
    _SHORT: (lambda found: float(found.tpr(0.001)), 0, 1, k.BEST, k.percent),
    "MIP: η": (lambda found: found.eta.value, 0, 0.5, k.MIP, k.say),
    "MIS: Δ": (lambda found: found.mis.value, 0, 1, k.MIS, k.say),
}
_HEIGHTS = range(len(_ROWS))[::-1]


@k.cache
def _read(release, size):
    """Return all readings, and the shares of their bars."""
    values = [read(known(release, size)) for read, *_ in _ROWS.values()]
    ends = [(low, high) for _, low, high, *_ in _ROWS.values()]
    shares = [(value - low) / (high - low) for value, (low, high) in zip(values, ends, strict=True)]
    return values, [min(float(f"{share:.4g}"), 1.0) for share in shares]


def _tracks(release):
    """Return what can be held: the end of each bar."""
    tracks = []
    shares = zip(*(_read(release, float(size))[1] for size in _SIZES.stops), strict=True)
    for x, y, name in zip(shares, _HEIGHTS, _ROWS, strict=True):
        # The bar of a very careful spy is so short that its end cannot be held.
        tracks += [] if name == _SHORT else k.drag("size", x, [y] * len(x))
    names = {"tickvals": list(_HEIGHTS), "ticktext": list(_ROWS), "automargin": True, "fixedrange": True}
    gutter = {"line": {"color": k.fill(k.GREY), "width": 12}, **k.QUIET}
    return k.part(
        k.curve(
            "all that can leak", [0, 1, None] * len(_ROWS), np.repeat(_HEIGHTS, 3), k.LEVEL.exact(), **gutter
        ),
        x={"visible": False, "range": [-0.1, 1.5]},
        y=k.axis("", range=[-0.6, len(_ROWS) - 0.4], showgrid=False, showline=False, ticks="", **names),
        height=400,
        grab=tracks,
        ghost=[],
    )


def _ruled(release, size):
    """Return the bars, and what they mean."""
    found, (values, shares) = known(release, size), _read(release, size)
    told = [k.at_most(value, write, 4) for value, (*_, write) in zip(values, _ROWS.values(), strict=True)]
    bars = []
    for name, share, text, y in zip(_ROWS, shares, told, _HEIGHTS, strict=True):
        colour = _ROWS[name][3].colour
        bars.append(
            k.curve(
                f"bar, {name}", [0, share], [y, y], k.BEST, line={"color": colour, "width": 12}, **k.QUIET
            )
        )
        bars.append(k.text(name, [1.14], [y], [text], textposition="middle right", textfont={"size": 15}))
    rows = "; ".join(f"{name} {{row{i}}}" for i, name in enumerate(_ROWS))
    return k.part(
        bars,
        headline="right {right}, at most",
        sentence="{told}. At even odds the best spy is right {right} at most ({sort}, {neighbours}). "
        "A full bar gives all away, an empty one nothing.",
        alt=f"{{told}}: {len(_ROWS)} bars, from nothing told to all told: {rows}.",
        right=k.at_most(float(found.accuracy()), k.in_100),
        sort=kind(found),
        neighbours="one replaced" if found.replaced else "one added or removed",
        told=described(release, size),
        **{f"row{i}": text for i, text in enumerate(told)},
    )


# Beside each release stands the letter of its number.
_LETTERS = zip(list(RELEASES)[1:], "μεεεμρε", strict=True)
_BY_LETTER = {PAIR: PAIR} | {f"{name}, {letter}": name for name, letter in _LETTERS}


@k.figure
def every_reading(
    release: Annotated[str, k.Choice(_BY_LETTER, label="What is known")] = PAIR,
    size: Annotated[float, _SIZES] = 3.0,
):
    """Draw what one number of a release means in every notion, a bar each.

    Notes
    -----
    `mipbook.accounting.translate` reads any parameters.

    Examples
    --------
    >>> every_reading().layout.meta["headline"]
    'right 95.3 times in 100, at most'
    """
    return _tracks, _ruled


_EPSILONS = k.Stops(_ROUND, 3.0, label="Promise, ε", play=True).safe("up")
_FEW = np.concatenate([np.geomspace(1e-4, 0.3, 36), [0.5, 0.7, 0.85, 0.95, 1.0]])
# Laplace noise lies on the pair for a long way: a wide, light line shows both.
_KEPT = {
    "the pair alone": k.Look(k.fill(k.GREY), width=12),
    "Gaussian noise": k.SERIES[0].exact(),
    "Laplace noise": k.SERIES[1],
}


@k.cache
def _kept(epsilon, delta):
    """Return what the pair alone allows, and two releases with just this epsilon at delta."""
    return (
        from_dp(epsilon, delta),
        from_gaussian(float(tradeoff.gaussian_sigma(epsilon, delta=delta))),
        matching("laplace", "epsilon", epsilon, at=delta).reading,
    )


def _held(delta):
    """Return the axes, and what the pair allows, which can be held at a false positive rate of 1%."""
    rates = [float(f"{float(from_dp(e, delta).tpr(_AT)):.4g}") for e in _EPSILONS.stops]
    grab = k.drag("epsilon", [_AT] * len(rates), rates, along="y")
    more = {"height": 430, "probe": list(_KEPT), "ghost": [], "layout": rate_axes("logarithmic")}
    return k.part(coin("logarithmic"), grab=grab, **more)


def _promised(epsilon, delta):
    """Return the three curves, and what they find."""
    found = _kept(epsilon, delta)
    rates = [float(each.tpr(_AT)) for each in found]
    curves = [
        k.curve(name, _FEW, shown(each.tpr(_FEW), "logarithmic"), look, **SPOKEN)
        for (name, look), each in zip(_KEPT.items(), found, strict=True)
    ]
    return k.part(
        curves,
        k.reading([_AT] * 3, rates, "at FPR 1%", hoverinfo="skip"),
        headline="{gauss} under Gaussian noise",
        sentence="All three keep ({epsilon}, {delta})-DP. Accuse 10 of 1,000 others wrongly: you find "
        "at most {gauss} members under Gaussian noise, {laplace} under Laplace noise. The pair alone allows "
        "{pair} (bounds).",
        alt="ROC plane with logarithmic axes. At FPR 1% the dotted curve of the pair stands at {rate0}, the "
        "solid one of Gaussian noise at {rate1}, the dashed one of Laplace noise at {rate2}.",
        epsilon=epsilon,
        delta=delta,
        **{f"rate{i}": k.at_most(rate) for i, rate in enumerate(rates)},
        **{name: k.at_most(r, k.people) for name, r in zip(("pair", "gauss", "laplace"), rates, strict=True)},
    )


@k.figure
def same_promise(
    epsilon: Annotated[float, _EPSILONS] = 3.0,
    delta: Annotated[float, k.LogSlider(1e-9, 0.01, 1e-5, points=15, label="Promise, δ").safe("up")] = 1e-5,
):
    """Draw the trade-off curves of three releases that keep the same (epsilon, delta).

    Examples
    --------
    >>> same_promise(3.0, 1e-5).layout.meta["headline"]
    '55 of 1,000 under Gaussian noise'
    """
    return _held, _promised


_WRONG = [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 65, 80]
_WRONG += [100, 130, 160, 200, 250, 320, 400, 500]
_NOISY = "found, if the noise is Gaussian"


_FEARED = "found, if only the promise is known"


def _two_rooms(wrong, epsilon):
    """Light those who are accused: of a thousand members, by what is known, and of a thousand others."""
    pair, gauss = (float(each.tpr(wrong / 1000)) for each in _kept(epsilon, DELTA)[:2])
    feared, lit = (math.ceil(round(1000 * rate, 9)) for rate in (pair, gauss))
    dots = {"row": 25, "size": 6}
    dark, rest = k.crowd(_FEARED, feared, k.READING.with_symbol("triangle-up"), **dots)
    return k.part(
        dark,
        k.crowd(_NOISY, lit, k.IN, **dots)[1],
        # The first of them are found through Gaussian noise, too.
        rest | {"x": rest["x"][lit:], "y": rest["y"][lit:]},
        k.crowd("others wrongly accused", wrong, k.OUT, left=34, **dots),
        k.text("rooms", [12, 46], [-42.8, -42.8], ["<b>in the study</b>", "<b>not in the study</b>"]),
        x={"visible": False, "range": [-1, 59]},
        y={"visible": False, "range": [-44.5, 2.5]},
        height=400,
        headline="{found} may be found",
        sentence="A spy wrongly accuses {accused} others. If ε = {epsilon} and δ = 10⁻⁵ is all you know, he "
        "may find {found} members. If you know that the noise is Gaussian, {gauss} (bounds).",
        alt="Two fields of 1,000 dots. On the left at most {gauss} members are discs, {found} discs or "
        "triangles. On the right {accused} others are filled.",
        epsilon=epsilon,
        found=k.at_most(pair, k.people),
        gauss=k.at_most(gauss, k.people),
        accused=k.exact(wrong / 1000, k.people),
    )  # fmt: skip


@k.figure
def two_rooms(
    wrong: Annotated[
        int, k.Count(_WRONG, 10, label="Others accused", unit="of 1,000", play=True).safe("up")
    ] = 10,
    epsilon: Annotated[float, k.Stops(_ROUND, 3.0, label="Promise, ε").safe("up")] = 3.0,
):
    """Draw whom an attacker finds among members, and whom it accuses wrongly, when a promise is kept.

    Examples
    --------
    >>> two_rooms().layout.meta["headline"]
    '201 of 1,000 may be found'
    """
    return _two_rooms


_PROMISED = 3.0
_WHO = {
    "ε alone": "With ε = {epsilon} and no δ",
    "Gaussian noise": "With Gaussian noise at ε = {epsilon}, δ = 10⁻⁵",
}
_RARE = [m * 10**e for e in range(1, 9) for m in (1, 2, 5)] + [10**9]
_PRIORS = [0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0]


def _accused(prior, one_in, release):
    """Colour a thousand accused by whether they are members."""
    found = from_dp(_PROMISED) if release == "ε alone" else _kept(_PROMISED, DELTA)[1]
    share, place = float(found.predictive_value(1 / one_in, prior / 100)), np.arange(1000)
    members = place < math.ceil(round(1000 * share, 9))
    marks = (("members", members, k.IN), ("wrongly accused", ~members, k.OUT))
    return k.part(
        k.crowd("accused", 0, k.LEVEL, row=40)[0],
        [
            k.points(name, place[at] % 40, -(place[at] // 40), look, size=6.5, hoverinfo="skip")
            for name, at, look in marks
        ],
        k.text("who they are", [19.5], [-26], ["<b>all whom the spy accuses</b>"]),
        **k.stage((-1, 40), (-27, 1.5), height=410),
        headline="at most {found} are members",
        sentence="{who}, at most {found} accused are members (exact). Before, {prior} of all were members; "
        "of the others 1 in {one_in} is accused.",
        alt="A thousand people who are accused, as dots: at most {found} are members, and the others are "
        "wrongly accused.",
        who=k.told(_WHO[release], epsilon=_PROMISED),
        found=k.at_most(share, k.people),
        prior=k.exact(prior / 100, k.percent),
        one_in=k.exact(one_in, k.count),
    )


@k.figure
def accused(
    one_in: Annotated[
        int, k.Count(_RARE, 100, label="One other in", unit="is accused", play=True).safe("up")
    ] = 100,
    prior: Annotated[float, k.Stops(_PRIORS, label="Members, before", unit="%")] = 1.0,
    release: Annotated[str, k.Choice(list(_WHO), label="What is known")] = "ε alone",
):
    """Draw a thousand people who are accused, and how many of them are members at most.

    Examples
    --------
    >>> accused().layout.meta["headline"]
    'at most 169 of 1,000 are members'
    """
    return _accused
