"""One release in every reading, what a pair of numbers does not tell, and who is accused."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
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
)
from mipbook.base.rounding import halved
from mipbook.figures.game.plane import grid

# Where the epsilon of a reading is asked.
DELTA = 1e-5
PAIR = "(ε, 10⁻⁵)-DP"


# How a release is read from its number x, and how it is told of x and 1/x.
RELEASES = {
    PAIR: (lambda x: from_dp(x, DELTA), "({x}, 10⁻⁵)-DP"),
    "Gaussian": (lambda x: from_gaussian(1 / x), "Gaussian noise of σ = {scale}, {x}-GDP"),
    "Laplace": (lambda x: from_laplace(1 / x), "Laplace noise of scale {scale}, {x}-DP"),
    "ten answers": (
        lambda x: from_randomised_response(x, 10),
        "randomised response with 10 answers and ε = {x}",
    ),
    "geometric": (lambda x: from_geometric(x, 2), "geometric noise with ε = {x} for changes of 2"),
    "of a sample": (
        lambda x: from_subsampled_gaussian(1 / x, 0.1),
        "Gaussian noise of σ = {scale} on a sample of 1 in 10",
    ),
    "zCDP": (from_concentrated, "{x}-zCDP"),
    "Rényi": (lambda x: from_renyi(8.0, x), "(8, {x})-Rényi DP"),
}


@k.cache
def known(release, size):
    """Return the reading of a release by its number."""
    return RELEASES[release][0](size)


def described(release, size):
    """Tell a release by its number."""
    return k.told(RELEASES[release][1], x=float(size), scale=1 / size)


def kind(reading):
    """Say what sort of number a rate is."""
    return "exact" if reading.sharp else "bound"


_ROUND = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10]
_SIZES = k.Stops([0.05, 0.07, *_ROUND], 3.0, label="Its number", play=True).safe("up")
# A row: what is read, where nothing leaks, where all does, and how it looks.
_ROWS = {
    "right": (lambda found: 100 * float(found.accuracy()), 50, 100, k.BEST),
    "◆ found": (lambda found: 100 * float(found.tpr(0.01)), 0, 100, k.BEST),
    "DP: ε": (lambda found: float(found.epsilon(DELTA)), 0, 10, k.DP),
    "MIP: η": (lambda found: found.eta.value, 0, 0.5, k.MIP),
    "MIS: Δ": (lambda found: found.mis.value, 0, 1, k.MIS),
}
_HEIGHTS = (4, 3, 2, 1, 0)


@k.cache
def _read(release, size):
    """Return all readings, and the shares of their bars."""
    values = [read(known(release, size)) for read, *_ in _ROWS.values()]
    shares = [(v - low) / (high - low) for v, (_, low, high, _) in zip(values, _ROWS.values(), strict=True)]
    return values, [min(float(f"{share:.4g}"), 1.0) for share in shares]


@k.cache
def _curve(release, size):
    """Return the curve, of 100 each, and its corner: there as many are missed as are wrongly accused."""
    found = known(release, size)
    # Each of these curves is its own mirror image.
    corner = 0.5 + found.advantage.value * np.array([-0.5, 0.5])
    x = np.unique(np.append(grid("linear"), corner[0]))
    return 100 * x, 100 * np.asarray(found.tpr(x)), 100 * corner


def _bar(name, share, y, look):
    """Return a bar, from none to a share of all."""
    around = np.array([-0.3, -0.3, 0.3, 0.3])
    return k.area(name, [0, share, share, 0], y + around, look, lower=True)


def _tracks(release):
    """Return what can be held, the corner of the curve, and the ground of the bars."""
    corners = zip(*(_curve(release, float(size))[2].tolist() for size in _SIZES.stops), strict=True)
    span = {"range": [-3, 103], "dtick": 50}
    # The first row alone, which is asked about, is not grey at first, and does not begin at 0.
    looks, ends = [k.BEST, *[k.LEVEL] * (len(_ROWS) - 1)], [f"{end:g}" for end in _ROWS["right"][1:3]]
    beside = {"textposition": "middle left", "lower": True, "cliponaxis": False}
    return k.part(
        k.area("below a coin toss", [0, 100, 100], [0, 0, 100], k.LEVEL),
        k.level("a coin toss", [0, 100], [0, 100]),
        [_bar(f"all of {name}", 1, y, look) for name, y, look in zip(_ROWS, _HEIGHTS, looks, strict=True)],
        k.text("names", -0.04, _HEIGHTS, list(_ROWS), **beside),
        k.text("ends", [0, 1], _HEIGHTS[0] + 0.62, ends, textfont={"size": 12}, lower=True),
        x=k.axis("", {0: "0", 50: "others accused, x", 100: "100"}, range=span["range"]),
        y=k.axis("members found, t(x)", **span),
        x2=k.unseen(-0.36, 1.3),
        y2=k.unseen(-0.5, _HEIGHTS[0] + 1.5),
        rows=(0.47, 0.12),
        beside=0.52,
        layout={"margin": {"b": 26}},
        height=390,
        showlegend=False,
        grab=k.drag("size", *map(list, corners), along="y"),
        ghost=[],
    )


def _ruled(release, size):
    """Return the curve, the bars in the looks of what they measure of it, and what they mean."""
    found, (values, shares) = known(release, size), _read(release, size)
    told, bars = [k.at_most(value) for value in values], []
    style = {"textposition": "middle right", "textfont": {"size": 15}, "lower": True, "cliponaxis": False}
    for (name, (*_, look)), share, text, y in zip(_ROWS.items(), shares, told, _HEIGHTS, strict=True):
        bars.append(_bar(f"bar, {name}", share, y, look) | {"fillcolor": look.colour})
        bars.append(k.text(f"told, {name}", [1.04], [y], [text], **style))
    rows = "; ".join(f"{name} {{row{i}}}" for i, name in enumerate(_ROWS))
    (x, y, (out, right)), gap = _curve(release, size), k.Look(k.MIP.colour, width=7)
    named = 50 if out < 25 else out - 5  # where the stroke's name lies on nothing
    return k.part(
        k.area("curve, filled", [*x, 0], [*k.short(y), 0], k.BEST),
        k.curve("curve, DP", [0, 100 * np.exp(-values[2])], [100 * DELTA, 100], k.DP, **k.QUIET),
        k.curve("curve, MIP", [out, out], [out, right], gap, **k.QUIET),
        k.text("curve, MIP, named", [out + 2], [named], ["<b>2η</b>"], textposition="middle right"),
        k.curve("curve", x, k.short(y), k.BEST, **k.QUIET),
        k.reading(1, values[1], "one in 100", hoverinfo="skip"),
        k.text("a key", 100, 8, f"◆ 1 accused, {told[1]} found", textposition="middle left"),
        bars,
        headline="right {right}, at most",
        sentence="{told} (exact). The thick stroke, 2η long, is the largest gap between the curve and a coin "
        "toss, the dashed line. No spy passes the dotted line, which ε and δ set.",
        alt="{told}: a curve of members found against others accused, over the line of a coin toss, "
        "a diamond at 1 accused, a thick stroke from that line to its corner, a dotted line of slope e to "
        f"the ε; and {len(_ROWS)} bars, from nothing told to all told: {rows}.",
        right=k.at_most(float(found.accuracy()), k.in_100),
        told=described(release, size),
        **{f"row{i}": text for i, text in enumerate(told)},
    )


# Beside each release stands the letter of its number; the app has the others.
_BY_LETTER = {PAIR: PAIR, "Gaussian, μ": "Gaussian", "Laplace, ε": "Laplace"}


@k.figure
def every_reading(
    release: Annotated[str, k.Choice(_BY_LETTER, label="What is known")] = PAIR,
    size: Annotated[float, _SIZES] = 3.0,
):
    """Draw the trade-off curve that one number of a release knows, and what is read off it, a bar each.

    Notes
    -----
    `mipbook.accounting.translate` reads any parameters.

    Examples
    --------
    >>> every_reading().layout.meta["headline"]
    'right 95.3 times in 100, at most'
    """
    return _tracks, _ruled


# A thousand people, of whom half are members, stand in columns, the most suspicious first.
_COLUMNS, _ROWED = 50, 20
_LINES = list(range(0, _COLUMNS * _ROWED + 1, _ROWED))
# What is known of a release that keeps a promise.
_KNOWN = {
    "ε and δ alone": "If ε = {epsilon} and δ = 10⁻⁵ is all you know",
    "Gaussian noise": "Gaussian noise at ε = {epsilon} and δ = 10⁻⁵",
}


@k.cache
def _members(epsilon, told):
    """Return how many members stand left of each line at most."""
    found, nobody = from_dp(epsilon, DELTA), np.zeros(len(_LINES))
    if told == "Gaussian noise":
        found = from_gaussian(float(tradeoff.gaussian_sigma(epsilon, delta=DELTA)))

    def is_few(share):
        # As many are accused as stand left of the line: more strangers while they are too few.
        return 500 * (share + found.tpr(share)) < _LINES

    return np.array(_LINES) - 500 * halved(is_few, nobody, nobody + 1, 60)[0]


def _key(x, y, inside, outside):
    """Name the marks of the two sides, in their colours."""
    colours = {"textfont": {"color": [k.IN.colour, k.OUT.colour]}}
    return k.text("the key", x, y, [f"● {inside}", f"■ {outside}"], **colours)


def _people(epsilon, told):
    """Stand the thousand in a square, sorted by suspicion."""
    often = np.diff(np.round(_members(epsilon, told)).astype(int))
    rng = np.random.default_rng(8)
    inside = np.concatenate([rng.permutation(_ROWED) < each for each in often])
    place = np.array([np.arange(inside.size) // _ROWED, -(np.arange(inside.size) % _ROWED)])
    words = [("most suspicious", "least"), {"textposition": ["middle right", "middle left"]}]
    pale = k.Look(k.fill(k.BEST.colour), width=16)
    return k.part(
        k.points("in the study", *place[:, inside], k.IN, size=6, **k.QUIET),
        k.points("not in the study", *place[:, ~inside], k.OUT, size=5.2, **k.QUIET),
        k.text("order", [-0.5, _COLUMNS - 0.5], -_ROWED - 2.9, words[0], **words[1]),
        _key((0.54 * _COLUMNS, 0.78 * _COLUMNS), -_ROWED - 2.9, "in the study", "not"),
        k.curve("all thousand", [500, 1000], [0, 0], pale, lower=True, **k.QUIET),
        **k.stage((-1.5, _COLUMNS + 0.5), (-_ROWED - 3.8, 2.6), rows=(0.82, 0.04), height=470, ghost=[]),
        x2=k.axis("people whom he sorts right", range=[490, 1010], showgrid=False, dtick=100, tickformat=","),
        y2={"visible": False, "range": [-0.6, 1.8]},
        grab=k.drag("line", [at / _ROWED - 0.5 for at in _LINES], [-_ROWED - 0.4] * len(_LINES)),
    )


def _sorted(line, epsilon, told):
    """Accuse all left of a line, and count the right answers."""
    if line not in _LINES:
        validate.refuse("line", line, f"a multiple of {_ROWED} up to {_LINES[-1]:,}")
    members = float(_members(epsilon, told)[_LINES.index(line)])
    right, at = 500 + 2 * members - line, line / _ROWED - 0.5
    top, foot = 0.7, -_ROWED - 0.4
    alone = 500 + 2 * float(_members(epsilon, "ε and δ alone")[_LINES.index(line)]) - line
    names = {"accused": (at - 0.5) / 2} if line >= 150 else {}
    names |= {"spared": (at + _COLUMNS - 0.5) / 2} if line <= 850 else {}
    side = f"middle {'left' if alone > 750 else 'right'}"
    words, bar = [f"<b>{name}</b>" for name in names], k.Look(k.BEST.colour, width=16)
    ends, up = ((-0.9, at), (at, _COLUMNS - 0.1)), [top, top, foot, foot, top]
    floors = (("the accused", k.IN), ("the spared", k.OUT))
    return k.part(
        # On a floor of its own colour somebody is sorted right.
        [
            k.area(name, [a, b, b, a, a], up, look, zorder=-1)
            for (name, look), (a, b) in zip(floors, ends, strict=True)
        ],
        k.curve("the line", [at, at], [top, foot], k.ATTACK, **k.QUIET),
        k.text("what he says", list(names.values()), [1.6] * len(names), words, textfont={"size": 16}),
        k.curve("right", [500, max(right, 500)], [0, 0], bar, lower=True, **k.QUIET),
        k.curve("by ε alone", [alone, alone], [-0.6, 0.6], k.ATTACK, lower=True, **k.QUIET),
        k.text("by ε alone, counted", alone, 1.3, f"ε alone: {_whole(alone)}", lower=True, textposition=side),
        headline="{right} sorted right",
        sentence="{who}: of {line} whom he accuses, at most {members} are members. "
        "With those whom he spares he sorts {right} right (bounds, each rounded up).",
        alt="A thousand people, half of them members, in columns by suspicion. Left of a line {line} are "
        "accused, of whom at most {members} are members; a bar shows how many are sorted right, {right}.",
        who=k.told(_KNOWN[told], epsilon=epsilon),
        line=int(line),
        members=k.at_most(members, _whole),
        right=k.at_most(right / 1000, k.people),
    )


def _whole(number, to=None):
    """Write how many people, up."""
    return k.count(math.ceil(round(number, 6)))


@k.figure
def sorted_people(
    line: Annotated[int, k.Count(_LINES, 500, label="He accuses", unit="of 1,000", play=True)] = 500,
    epsilon: Annotated[float, k.Stops(_ROUND, 3.0, label="Promise, ε").safe("up")] = 3.0,
    told: Annotated[str, k.Choice(list(_KNOWN), label="What is known")] = "ε and δ alone",
):
    """Draw a thousand people sorted by suspicion, and whom a spy accuses who knows what kept a promise.

    Examples
    --------
    >>> [sorted_people(told=told).layout.meta["headline"] for told in ("ε and δ alone", "Gaussian noise")]
    ['953 of 1,000 sorted right', '641 of 1,000 sorted right']
    """
    return _people, _sorted


_PRIORS = [0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0]


def _accused(prior):
    """Colour a thousand accused by whether they are members."""
    # By a promise of ε = 3, where one stranger in 100 is accused.
    share = float(from_dp(3.0).predictive_value(0.01, prior / 100))
    members = math.ceil(round(1000 * share, 9))
    place = np.array([np.arange(1000) % 40, -(np.arange(1000) // 40)])
    # Each side has a floor of its own: whole rows, and a part of one.
    row, part = 0.5 - members // 40, members % 40 - 0.5
    step, rims = ([39.6, 39.6, part, part, -0.6], [row, row, row - 1, row - 1]), (0.6, -24.6)
    floors = [
        k.area(f"{name}, floor", [-0.6, *step[0]], [rim, rim, *step[1]], look)
        for name, look, rim in zip(("members", "wrongly accused"), (k.IN, k.OUT), rims, strict=True)
    ]
    return k.part(
        floors,
        k.crowd("accused", 0, k.LEVEL, row=40, size=13)[0],
        k.points("members", *place[:, :members], k.IN, size=7.5, **k.QUIET),
        k.points("wrongly accused", *place[:, members:], k.OUT, size=6, **k.QUIET),
        _key((6, 29), -26.2, "members", "wrongly accused"),
        **k.stage((-1, 40), (-27.2, 1.5), height=390, ghost=[]),
        headline="at most {found} are members",
        sentence="If {prior} of all were members before, at most {found} accused are (exact). The others are "
        "wrongly accused.",
        alt="A thousand people who are accused, as dots: at most {found} are members, and the others are "
        "wrongly accused.",
        found=k.at_most(share, k.people),
        prior=k.exact(prior / 100, k.percent),
    )


@k.figure
def accused(prior: Annotated[float, k.Stops(_PRIORS, label="Members, before", unit="%", play=True)] = 1.0):
    """Draw a thousand people who are accused, and how many of them are members at most.

    Examples
    --------
    >>> accused().layout.meta["headline"]
    'at most 169 of 1,000 are members'
    """
    return _accused
