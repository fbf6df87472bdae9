"""Which promise implies which: the map of the arrows, and a secure sum that tells all."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.implications import (
    ARROWS,
    NOTIONS,
    arrow,
    power_sums,
    promised_parameter,
    tag_release_at,
)

_LOOKS = {"DP": k.DP, "MIP": k.MIP, "PMP": k.PMP, "MIS": k.MIS}
_GREEK = {"DP": "ε", "MIP": "η", "PMP": "ε̃", "MIS": "Δ"}
_AT = {"DP": (0.0, 1.0), "PMP": (1.0, 1.0), "MIP": (1.0, 0.0), "MIS": (0.0, 0.0)}
_KINDS = {
    "sharp": ("follows, sharp", "solid"),
    "bound": ("follows, a bound", "dash"),
    "impossible": ("does not follow", "dot"),
}
# Shares of a side: how far an arrow stays from its nodes, its handles too, and from the arrow back.
_GAP, _HELD, _ASIDE = 0.18, 0.3, 0.035
# Records of the release that stands for all sizes on the arrow without a sharp curve.
_TAGGED = 64
_RIGHT = k.Slider(50, 99, 75, step=1, label="Right in the first game, at most", unit="%")

_GROUPS = "to publish D and the rest of its pool, not saying which is which"
_MODULAR = "the sum modulo q of uniform records has Δ = 0 (exact)"
_SAYS = {
    ("DP", "MIP"): "ε = {a} gives η = {b} on every pool (bound, attained at every n).",
    ("DP", "PMP"): "ε = {a} gives ε̃ = {b} on every pool (bound, attained at every n).",
    ("DP", "MIS"): "ε = {a} gives Δ ≤ {b} whatever the data's distribution (bound, the least).",
    ("MIP", "PMP"): "η = {a} gives ε̃ = 0 with δ̃ = {twice}, and no pure ε̃ (bound, attained at every n).",
    ("MIP", "MIS"): "η = {a} on all pools gives Δ ≤ {b} (bound, attained at every n).",
    ("PMP", "MIP"): "ε̃ = {a} gives η = {b} (bound, attained at every n).",
    ("PMP", "MIS"): "ε̃ = {a} on all pools gives Δ ≤ {b} (bound). Random tags on {n} records reach {tags}, "
    "and ε = {a} of DP allows {dp} (exact).",
    ("MIP", "DP"): f"No η gives an ε: {_GROUPS}, has η = 0, and tells a neighbour all (exact).",
    ("PMP", "DP"): f"No ε̃ gives an ε: {_GROUPS}, has ε̃ = 0, and tells a neighbour all (exact).",
    ("MIS", "DP"): f"No Δ gives an ε: {_MODULAR}, and tells a neighbour all.",
    ("MIS", "MIP"): f"No Δ gives an η: {_MODULAR}; on a pool of powers of two it names the half.",
    ("MIS", "PMP"): f"No Δ gives an ε̃: {_MODULAR}; on a pool of powers of two it names the half.",
}


def _arrows(name, pairs, look, **more):
    """Return arrows of one kind: a line, a head, and a cross where nothing follows."""
    x, y, symbols, sizes, angles = [], [], [], [], []
    for start, end in pairs:
        (x0, y0), (x1, y1) = _AT[start], _AT[end]
        length = math.hypot(x1 - x0, y1 - y0)
        u, v = (x1 - x0) / length, (y1 - y0) / length
        near, far = _GAP, length - _GAP
        # Those across stand aside of the middle, where the two diagonals meet.
        places = (near, near + 0.36 * (far - near), far)
        x += [*(x0 + u * s + v * _ASIDE for s in places), None]
        y += [*(y0 + v * s - u * _ASIDE for s in places), None]
        crossed = arrow(start, end).kind == "impossible"
        # The first one stands in the legend, and has no size in the picture.
        symbols += ["x" if crossed else "triangle-right", "x", "triangle-up", "circle"]
        sizes += [0.0, 8.0 if crossed else 0.0, 11.0, 0.0]
        angles += [0.0, 0.0, math.degrees(math.atan2(u, v)), 0.0]
    marker = {"symbol": symbols, "size": sizes, "angle": angles, "color": look.colour}
    marker |= {"opacity": 1, "line": {"width": 0}}
    return k.curve(name, x, y, look, mode="lines+markers", marker=marker, hoverinfo="skip", **more)


def _map(start, end):
    """Return the nodes and all arrows, the chosen one last and thick."""
    traces = []
    for kind, (name, dash) in _KINDS.items():
        pairs = [(a.start, a.end) for a in ARROWS if a.kind == kind]
        traces.append(_arrows(name, pairs, k.Look(k.LEVEL.colour, dash, width=1.5)))
    if start != end:
        thick = k.Look(_LOOKS[start].colour, _KINDS[arrow(start, end).kind][1], width=5)
        traces.append(_arrows("chosen", [(start, end)], thick, showlegend=False))
    for notion, (x, y) in _AT.items():
        look = _LOOKS[notion].with_symbol("circle-open")
        words = {"text": [f"<b>{notion}</b>"], "textposition": "middle center", "mode": "markers+text"}
        words |= {"textfont": {"color": look.colour, "size": 13}, "hoverinfo": "skip"}
        traces.append(k.points(notion, x, y, look, size=38, showlegend=False, cliponaxis=False, **words))
    return traces


@k.cache
def _tags():
    """Return the accuracies of random tags in the games of PMP and MIS, in percent."""
    rights = [0.5, 0.55, *np.linspace(0.6, 0.98, 20).tolist(), 0.99]
    epsilons = [float(promised_parameter("PMP", right)) for right in rights]
    deltas = [tag_release_at(_TAGGED, epsilon).delta for epsilon in epsilons]
    return [100 * r for r in rights], [50 + 50 * d for d in deltas]


def _ends(start, end, right):
    """Return what an accuracy in the first game says in the other one."""
    return right if start == end else np.asarray(arrow(start, end).accuracy(right))


def _said(start, end):
    """Return the curve of the chosen arrow, and its name."""
    kind = "itself" if start == end else arrow(start, end).kind
    name, look = {
        "itself": ("the promise itself (bound)", _LOOKS[end]),
        "sharp": (f"{end} from {start} (bound, sharp)", _LOOKS[end].exact()),
        "bound": (f"{end} from {start} (bound)", k.MIS.bound()),
        "impossible": ("nothing follows", k.Look(_LOOKS[end].colour, "dot")),
    }[kind]
    grid = np.linspace(0.5, 1.0, 51)
    found = 100 * _ends(start, end, grid)
    more = {"customdata": [k.up(each, 3) for each in found], "lower": True}
    more["hover"] = f"%{{x:.3g}}% in {start}'s game: at most %{{customdata:.3g}}% in {end}'s"
    traces = [k.curve(name, 100 * grid, found, look, **more)]
    skipped = {"hoverinfo": "skip", "lower": True}
    if kind == "impossible":
        witness = "a sum modulo q (exact)" if start == "MIS" else "the two groups (exact)"
        traces.append(k.points(witness, 50.0, 100.0, k.READING.with_symbol("star"), size=14, **skipped))
    if kind == "bound":
        x, y = _tags()
        upper = 100 * np.asarray(arrow(start, end).accuracy(np.array(x) / 100))
        traces.insert(0, k.band("where the truth lies", x, y, upper, k.MIS, lower=True))
        tags = f"random tags, n = {_TAGGED} (exact)"
        traces.append(k.curve(tags, x, y, k.SERIES[1].exact(), **skipped))
    return traces, name


def _handle(control, other, side):
    """Return a handle of the arrow: on the way to the other notion, or to a neighbour."""
    places = []
    for notion, at in ((notion, _AT[notion]) for notion in NOTIONS):
        x, y = _AT[other]
        if notion == other:
            x, y = (at[0], 1 - at[1]) if side else (1 - at[0], at[1])
        share = _HELD / math.hypot(x - at[0], y - at[1])
        places.append([round(at[0] + share * (x - at[0]), 4), round(at[1] + share * (y - at[1]), 4)])
    return k.drag(control, *np.transpose(places))


def _picture(start, end):
    """Return the map and the curve of the chosen arrow."""
    curves, name = _said(start, end)
    hidden = {"visible": False, "range": [-0.22, 1.22], "fixedrange": True}
    stops = list(_RIGHT.stops)
    found = [100 * float(_ends(start, end, stop / 100)) for stop in stops]
    return k.part(
        _map(start, end),
        k.level("as much as promised", [50, 100], [50, 100], lower=True),
        curves,
        # Equal units, so that nodes and arrows keep apart on a wide and on a narrow page.
        x={**hidden, "scaleanchor": "y", "constrain": "domain"},
        y=hidden,
        x2=k.axis(f"right in {start}'s game, %", range=[49, 101]),
        y2=k.axis(f"right in {end}'s game, %", range=[49, 102]),
        rows=(0.58, 0.2),
        height=460,
        beside=0.48,
        grab=_handle("start", end, 1)
        + _handle("end", start, 0)
        + k.drag("right", stops, np.round(found, 3), along="x2"),
        probe=[name],
        ghost=[name],
    )


def _told(start, end, right):
    """Say what the promise says, at the reader's accuracy."""
    share = right / 100
    found = float(_ends(start, end, share))
    kind = "itself" if start == end else _KINDS[arrow(start, end).kind][0]
    given = f"{_GREEK[start]} = {{a}}"
    words = {"a": float(promised_parameter(start, share)), "n": _TAGGED, "twice": k.at_most(2 * share - 1)}
    words["b"] = k.at_most(float(promised_parameter(end, found)))
    limit = "so at most" if found < 1 or share == 1 else "but up to"
    headline = f"{given} gives {_GREEK[end]} ≤ {{b}}"
    if start == end:
        headline = f"{given} is itself"
        sentence = (
            f"{given}: the best attacker of {start} is right {{share}} of the time, at most (bound). Choose "
            "another notion to see what that says there."
        )
    else:
        sentence = (
            f"{_SAYS[start, end]} Right at most {{share}} of the time in {start}'s game, {limit} {{found}} "
            f"in {end}'s."
        )
        if kind == "does not follow":
            headline = f"{given} and no {_GREEK[end]}"
    if (start, end) == ("MIP", "PMP"):
        headline = f"{given} gives δ̃ = {{twice}}"
        if share == 0.5:
            sentence = "η = 0 gives ε̃ = 0, and that gives η = 0 (exact): nobody who knows the pool gains."
    if (start, end) == ("PMP", "MIS"):
        words["tags"] = k.at_least(tag_release_at(_TAGGED, words["a"]).delta)
        words["dp"] = k.at_most(float(promised_parameter("MIS", float(_ends("DP", "MIS", share)))))
    return k.part(
        k.reading(right, right if start == end else 100 * found, "at your value", lower=True),
        headline=headline,
        sentence=sentence,
        alt="Left, DP, PMP, MIP and MIS at the corners of a square, with an arrow each way between any two; "
        f"the one from {start} to {end} is thick: {kind}. Right, accuracy in {end}'s game against accuracy "
        f"in {start}'s, both from 50% to 100%; a diamond at {{right}}% and {{at}}.",
        share=k.at_most(share, k.percent),
        found=k.at_most(found, k.percent),
        at=k.exact(found, k.percent),
        right=right,
        **words,
    )


@k.figure
def implication_map(
    start: Annotated[str, k.Choice(NOTIONS, label="I have a promise of")] = "DP",
    end: Annotated[str, k.Choice(NOTIONS, label="What does it say in")] = "MIP",
    right: Annotated[int, _RIGHT] = 75,
):
    """Draw the twelve arrows between the four notions, and what the chosen one says.

    All notions are drawn in one unit: how often, at even odds, the best attacker of the notion's
    own game is right.

    Notes
    -----
    This book, Theorems 2.1 to 2.7.

    Examples
    --------
    >>> "η = 0.25" in implication_map("DP", "MIP", 75).layout.meta["sentence"]
    True
    """
    return _picture, _told


# Moduli at which the first ten powers of two leave different remainders.
_MODULI = [11, 13, 19, 23, 25, 29, 37, 41, 43, 47, 53, 61, 67, 71, 79, 83, 97, 101, 121, 149]
_MODULI += [173, 197, 227, 269, 317, 373, 443, 523, 619, 733, 859, 1019]
_EDGE = "η on the pool of powers of two (exact)"
_sums = k.cache(power_sums)


def _edges(n):
    """Return eta at every modulus."""
    etas = [_sums(n, q).eta for q in _MODULI]
    return k.part(
        k.curve(_EDGE, _MODULI, etas, k.MIP, marked=True, hover="the sum modulo %{x} has η = %{y:.3g}"),
        k.level("Δ of uniform records (exact)", [10, 1100], 0.0, k.MIS.bound()),
        x=k.axis("modulus q", log=True, range=[0.98, 3.08]),
        y=k.axis("η and Δ", range=[-0.03, 0.55]),
        x2=k.axis("the sum, over q", range=[-0.02, 1.02]),
        y2=k.axis("chance that record 1 is in", range=[-0.05, 1.05]),
        rows=(0.5, 0.2),
        height=440,
        beside=0.5,
        probe=[_EDGE],
        grab=k.drag("q", at=0.0),
        ghost=[_EDGE],
    )


def _sum(n, q):
    """Return what each sum says of the first record."""
    found = _sums(n, q)
    total = found.inside + found.outside
    seen = np.flatnonzero(total)
    chance = found.inside[seen] / total[seen]
    settled = total[seen][(chance == 0) | (chance == 1)].sum() / total.sum()
    every = "every sum is another one, and names the half" if found.eta == 0.5 else "some sums agree"
    said = {"customdata": seen, "hover": "sum %{customdata}: in with chance %{y:.3g}"}
    return k.part(
        k.reading(q, found.eta, "at your q"),
        k.points("each sum that occurs (exact)", seen / q, chance, k.IN, size=6, lower=True, **said),
        headline="Δ = 0, and {right} right",
        sentence="Records drawn evenly from 0 to {last} have Δ = 0 (exact): their sum modulo {q} says "
        "nothing about any of them. On the pool 1, 2, 4, ... of {pool} the same sum has η = {eta} (exact), "
        f"since {every}: {{right}} right.",
        alt="Left, η against the modulus from 11 to 1,019 rises to one half; at {q} it is {eta}, and Δ lies "
        "level at 0. Right, for each sum of {n} records, the chance that record 1 is among them: {certain} "
        "of the halves lead to a sum that settles it.",
        q=k.exact(q, str),
        last=k.exact(q - 1, str),
        n=n,
        pool=2 * n,
        eta=found.eta,
        right=k.exact(0.5 + found.eta, k.percent),
        certain=k.exact(float(settled), k.percent),
    )


@k.figure
def secure_sum(
    q: Annotated[int, k.Count(_MODULI, label="Modulus, q", play=True)] = 41,
    n: Annotated[int, k.Choice([3, 4, 5], label="Records, n")] = 4,
):
    """Draw what a sum modulo q tells on a pool of powers of two, though its Delta is 0.

    Notes
    -----
    This book, Theorem 2.7.

    Examples
    --------
    >>> "names the half" in secure_sum(61, 3).layout.meta["sentence"]
    True
    """
    return _edges, _sum
