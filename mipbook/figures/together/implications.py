"""Which promise holds which spy, and a secure sum that tells all."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.implications import NOTIONS, arrow, power_sums, promised_parameter

_CAST = tuple(k.PEOPLE)
_ZOE = _CAST.index("Zoe")
# Each spy's row, and what the spy knows.
_ROWS = {"DP": 3.0, "MIP": 2.0, "PMP": 1.0, "MIS": 0.0}
_KNOWS = {"DP": "all but Zoe", "MIP": "the ten", "PMP": "the ten", "MIS": "nobody"}
_OTHERS = "spy and the stranger stay at {share} at most. The neighbour may be right {found} (bounds)."
_TOLD = {
    "DP": "Promised: ε = {given}. That holds the spies who know the ten to {share} at most, and the stranger "
    "to {found} (bounds).",
    "MIP": f"Promised: η = {{given}}. Its own spy, PMP's {_OTHERS}",
    "PMP": f"Promised: ε̃ = {{given}}. Its own spy, MIP's {_OTHERS}",
    "MIS": "Promised: Δ = {given}. Its stranger stays at {share} at most. The others: {found} (bounds).",
}
_RIGHT = k.Slider(50, 99, 75, step=1, label="Its spy is right, at most", unit=" in 100", play=True)


def _table():
    """Draw what each spy knows: who was in and who was not, who the ten are, or nothing."""
    place = np.arange(len(_CAST))
    others, drawn = np.delete(place, _ZOE), np.arange(len(_CAST)) % 2 == 0
    rings = {"size": 24, "hoverinfo": "skip"}
    names = {"tickvals": list(_ROWS.values()), "range": [-0.6, 3.6]}
    known = [(name, drawn[others] == inside, look) for name, inside, look in
             (("known to be in", True, k.IN), ("known to be out", False, k.OUT))]  # fmt: skip
    return k.part(
        [k.points(name, others[at], np.full(at.sum(), 3.0), look.with_symbol(f"{look.symbol}-open"), **rings)
         for name, at, look in known],
        [k.cast(place, np.full(10, _ROWS[row]), size=17, showlegend=False, name=f"the ten, {row}")
         for row in ("DP", "MIP", "PMP")],
        k.points("strangers", place, np.zeros(10), k.LEVEL.with_symbol("hexagon"), size=15, hoverinfo="skip"),
        [k.level(f"scale, {row}", [50, 100], y, lower=True, showlegend=False) for row, y in _ROWS.items()],
        x={"visible": False, "range": [-0.8, 9.8]},
        y={**names, "ticktext": [f"{row}: {_KNOWS[row]}" for row in _ROWS], "automargin": True},
        x2=k.axis("right at most, times in 100", range=[49, 102]),
        y2={**names, "ticktext": list(_ROWS), "automargin": True},
        rows=(0.5, 0.08),
        beside=0.52,
        height=400,
        ghost=[],
    )  # fmt: skip


def _right(start, end, right):
    share = right / 100
    return right if start == end else 100 * float(arrow(start, end).accuracy(share))


def _promised(start):
    stops = list(_RIGHT.stops)
    return k.part(grab=k.drag("right", stops, [_ROWS[start]] * len(stops), along="x2"))


def _held(start, right):
    """Draw how often each spy may be right, if one of them was promised at."""
    found = {row: _right(start, row, right) for row in _ROWS}
    free = {row for row in _ROWS if row != start and arrow(start, row).kind == "impossible"}
    traces = []
    kinds = (("held", k.IN, "circle"), ("not held", k.OUT, "x"))
    for (name, look, symbol), lost in zip(kinds, (False, True), strict=True):
        rows = [row for row in _ROWS if (row in free) == lost]
        x, y = [found[row] for row in rows], [_ROWS[row] for row in rows]
        bars = [end for each in x for end in (50, each, None)]
        heights = [end for each in y for end in (each, each, None)]
        traces += [
            k.curve(
                f"{name}, bars", bars, heights, k.Look(look.colour, width=7), lower=True, showlegend=False
            ),
            k.points(
                name, x, y, look.with_symbol(symbol), size=14, lower=True, hover="%{x:.3g} times in 100"
            ),
        ]
    return k.part(
        traces,
        k.points(
            "the promise", right, _ROWS[start], k.READING.with_symbol("diamond-open"), size=22, lower=True
        ),
        headline="{count} of 4 spies held",
        sentence=_TOLD[start],
        alt="Left, four rows: DP's spy knows of nine people whether they were in, MIP's and PMP's know the "
        f"ten, MIS's knows nobody. Right, a bar for each: {start}'s ends at {{share}}; {{count}} of the "
        "four are held.",
        given=float(promised_parameter(start, right / 100)),
        share=k.at_most(right / 100, k.in_100),
        found=k.at_most(found["MIS"] / 100 if start == "DP" else 1.0, k.in_100),
        count=4 - len(free),
    )


@k.figure
def four_spies(
    start: Annotated[str, k.Choice(NOTIONS, label="Promised")] = "MIS", right: Annotated[int, _RIGHT] = 75
):
    """Draw what four spies know, and how often each may be right where one of them was promised at.

    All in one unit: how often, at even odds, the best attacker of the notion's own game is right.

    Notes
    -----
    This book, Theorems 2.1 to 2.7.

    Examples
    --------
    >>> four_spies("DP").layout.meta["headline"], four_spies("MIS").layout.meta["headline"]
    ('4 of 4 spies held', '1 of 4 spies held')
    """
    return _table, _promised, _held


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
        y2=k.axis("chance that Zoe is in", range=[-0.05, 1.05]),
        rows=(0.5, 0.2),
        height=440,
        beside=0.5,
        probe=[_EDGE],
        grab=k.drag("q", at=0.0),
        ghost=[_EDGE],
    )


def _sum(n, q):
    """Return what each sum says of the first one."""
    found = _sums(n, q)
    total = found.inside + found.outside
    seen = np.flatnonzero(total)
    chance = found.inside[seen] / total[seen]
    settled = total[seen][(chance == 0) | (chance == 1)].sum() / total.sum()
    every = "each sum names its half" if found.eta == 0.5 else "some sums agree"
    said = {"customdata": seen, "hover": "sum %{customdata}: in with chance %{y:.3g}"}
    return k.part(
        k.reading(q, found.eta, "at your q"),
        k.points("each sum (exact)", seen / q, chance, k.IN, size=6, lower=True, **said),
        headline="Δ = 0, right {right}",
        sentence="The stranger learns nothing: Δ = 0. The spy who knows the {pool} numbers has η = {eta} "
        f"(exact): {every}.",
        alt="Left, η against the modulus from 11 to 1,019 rises to one half; at {q} it is {eta}, and Δ lies "
        "level at 0. Right, for each sum of {n} numbers, the chance that Zoe's is among them: {certain} "
        "of the halves lead to a sum that settles it.",
        q=k.exact(q, str),
        n=n,
        pool=2 * n,
        eta=found.eta,
        right=k.exact(0.5 + found.eta, k.in_100),
        certain=k.exact(float(settled), k.percent),
    )


@k.figure
def secure_sum(
    q: Annotated[int, k.Count(_MODULI, label="Modulus, q", play=True)] = 41,
    n: Annotated[int, k.Choice([3, 4, 5], label="People drawn, n")] = 4,
):
    """Draw what a sum modulo q tells on a pool of powers of two, though its Delta is 0.

    Notes
    -----
    This book, Theorem 2.7.

    Examples
    --------
    >>> "names its half" in secure_sum(61, 3).layout.meta["sentence"]
    True
    """
    return _edges, _sum
