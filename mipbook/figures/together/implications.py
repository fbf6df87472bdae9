"""Which promise stops which spy, and a secure sum that tells all."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.implications import NOTIONS, arrow, power_sums, promised_parameter

_CAST = tuple(k.PEOPLE)
# Half of the ten were drawn: four that the neighbour knows of, and either Zoe or the fifth.
_ASKED = [_CAST.index(name) for name in ("Zoe", "Eva")]
# Each spy's row and colour; a symbol says whether he is stopped.
_ROWS = {"DP": 3.0, "MIP": 2.0, "PMP": 1.0, "MIS": 0.0}
_COLOURS = {"DP": k.DP.colour, "MIP": k.MIP.colour, "PMP": k.PMP.colour, "MIS": k.MIS.colour}
# Where each sits at the table, what he knows, and the same beside his row.
_SEATS = {
    "DP": (2.7, 6.6, "knows all but Zoe", "all but Zoe"),
    "MIP": (8.3, 6.6, "list, must answer", "must answer"),
    "PMP": (8.3, 1.4, "list, may stay silent", "may be silent"),
    "MIS": (2.7, 1.4, "a stranger", "stranger"),
}
_TABLE = ([0.2, 11.1, 11.1, 0.2, 0.2], [2.15, 2.15, 5.85, 5.85, 2.15])
_TOLD = {
    "DP": "With ε = {given} nobody at the table is right more than {share}, and the stranger not more than "
    "{found} (bounds).",
    "MIP": "With η = {given} the spy who must answer and the stranger are right {share} at most (bound). "
    "The one who may stay silent can be sure, {sure} at most (bound).",
    "PMP": "With ε̃ = {given} the spies with the list and the stranger are right {share} at most; the first "
    "spy, up to {found} (bounds).",
    "MIS": "With Δ = {given} the stranger is right {share} at most. Everybody else may be right {found} "
    "(bounds).",
}
# From 51: who is promised that nothing is learned, by 50, needs no delta.
_RIGHT = k.Slider(51, 99, 75, step=1, label="Its spy is right, at most", unit=" in 100", play=True)


def _table():
    """Draw what each spy knows: who was in and who was not, who the ten are, or nothing."""
    place = np.arange(len(_CAST))
    drawn = np.setdiff1d(place[::2], _ASKED)
    still = {"showlegend": False, "hoverinfo": "skip"}

    def lie(row):
        """Return where the ten lie before a spy, in two rows."""
        across, along, *_ = _SEATS[row]
        return across + 0.95 * (place % 5 - 2), along + np.sign(4 - along) * (1.3 + 0.85 * (place // 5))

    x, y = lie("DP")
    seats, heads = (np.array([seat[i] for seat in _SEATS.values()]) for i in (0, 1))
    table = {"fill": "toself", "fillcolor": k.fill(k.LEVEL.colour)}
    said = {"type": "scatter", "mode": "text", **still}
    known = {"name": "who", "x": seats, "y": heads + np.where(heads > 4, 0.95, -1.1)}
    known |= {"textfont": {"size": 13}, "text": [seat[2] for seat in _SEATS.values()]}
    body = {"symbol": ["triangle-up"] * 4 + ["circle"] * 4, "size": [24] * 4 + [15] * 4}
    body |= {"color": [*_COLOURS.values()] * 2, "opacity": 1}
    notions = {"name": "notions", "x": seats - 1.1, "y": heads, "text": [f"<b>{row}</b>" for row in _ROWS]}
    return k.part(
        k.curve("the table", *_TABLE, k.LEVEL.exact(), **table, **still),
        k.points("known to be in", x[drawn], y[drawn], k.READING.with_symbol("circle-open"), size=23,
                 hoverinfo="skip"),
        [k.cast(*lie(row), size=18, showlegend=False, name=row) for row in ("DP", "MIP", "PMP")],
        k.points("strangers", *lie("MIS"), k.LEVEL.with_symbol("hexagon"), size=14, hoverinfo="skip"),
        k.points("spies", [*seats] * 2, [*heads - 0.22, *heads + 0.22], k.READING, marker=body, **still),
        [said | known, said | notions],
        [k.level(f"scale, {row}", [50, 100], y, k.Look(_COLOURS[row], "longdash", width=1.5), lower=True,
                 showlegend=False) for row, y in _ROWS.items()],
        x={"visible": False, "range": [0, 12]},
        y={"visible": False, "range": [-0.1, 8]},
        x2=k.axis("right at most, times in 100", range=[49, 124], tickvals=[50, 75, 100]),
        y2={"tickvals": list(_ROWS.values()), "range": [-0.6, 3.6], "automargin": True,
            "ticktext": [seat[3] for seat in _SEATS.values()]},
        rows=(0.63, 0.08),
        beside=0.56,
        height=445,
        ghost=[],
    )  # fmt: skip


def _free(start):
    """Return whom a promise does not stop: it says nothing of him, or allows that he is sure."""
    arrows = {row: arrow(start, row) for row in _ROWS if row != start}
    return {row: each for row, each in arrows.items() if each.kind == "impossible" or each.needs_delta}


def _promised(start):
    """Let each spy whom the promise does not stop point at Zoe, and the promise be dragged."""
    arms, quiet = [], {"mode": "lines+markers", "showlegend": False, "hoverinfo": "skip"}
    for row, (x, y, *_) in _SEATS.items():
        free = row in _free(start)
        # Round the list that lies before him; he who is stopped keeps his arm to himself.
        across, along = free * np.array([[0, 2.6, 2.6, 2.3], [0, 0.75, 2.15, 2.15]])
        hand = {"symbol": "arrow", "size": [0, 0, 0, 11 * free], "color": _COLOURS[row]}
        way = x + across, y + np.sign(4 - y) * along, k.Look(_COLOURS[row])
        arms.append(k.curve(f"the arm, {row}", *way, marker=hand | {"angleref": "previous"}, **quiet))
    return k.part(arms, grab=k.drag("right", _RIGHT.stops, [_ROWS[start]] * len(_RIGHT.stops), along="x2"))


def _held(start, right):
    """Draw how often each spy may be right, if one of them was promised at."""
    found = {row: 100 * float(arrow(start, row).accuracy(right / 100)) for row in _ROWS if row != start}
    found |= {start: right} | dict.fromkeys(_free(start), 100.0)
    free = [row in _free(start) for row in _ROWS]
    # Who needs a delta is sure, but no oftener than by the promise's whole advantage.
    sure = k.at_most(2 * right / 100 - 1, k.in_100)
    seldom = [row != start and arrow(start, row).needs_delta for row in _ROWS]
    said = np.where(seldom, " at times", " free")
    ends, rows = [found[row] for row in _ROWS], list(_ROWS.values())
    shape = {"color": k.READING.colour, "symbol": np.where(free, "x", "circle").tolist(), "size": 14}
    more = {"mode": "markers+text", "textposition": "middle right", "hover": "%{x:.3g} times in 100"}
    promise = k.READING.with_symbol("diamond-open")
    return k.part(
        [k.curve(f"bar, {row}", [50, found[row]], [y, y], k.Look(_COLOURS[row], width=7), lower=True,
                 showlegend=False) for row, y in _ROWS.items()],
        k.points("so often", ends, rows, k.READING, marker=shape, text=np.where(free, said, " ").tolist(),
                 lower=True, showlegend=False, **more),
        k.points("the promise", right, _ROWS[start], promise, size=22, lower=True),
        headline="{count} of 4 spies stopped",
        sentence=_TOLD[start],
        alt="Left, four spies at a table: DP's knows all but one who were in, MIP's and PMP's "
        "have the list of ten, MIS's knows nobody. Whoever is free points at Zoe. Right, a bar for each: "
        f"{start}'s ends at {{share}}; {{count}} of the four are stopped, the others' bars end in crosses.",
        given=float(promised_parameter(start, right / 100)),
        share=k.at_most(right / 100, k.in_100),
        found=k.at_most(found["MIS"] / 100 if start == "DP" else 1.0, k.in_100),
        sure=sure,
        count=4 - sum(free),
    )  # fmt: skip


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
    ('4 of 4 spies stopped', '1 of 4 spies stopped')
    >>> four_spies("MIP").layout.meta["headline"]
    '2 of 4 spies stopped'
    """
    return _promised, _table, _held


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
        x2=k.axis("the clock: an hour is published", range=[-1.15, 1.15], **k.BARE, scaleanchor="y2"),
        y2={**k.BARE, "range": [-1.15, 1.15]},
        rows=(0.46, 0.22),
        height=480,
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
    turn = 2 * np.pi * seen / q
    said = [f"hour {hour}: in with chance {k.say(each)}" for hour, each in zip(seen, chance, strict=True)]
    kinds = (
        ("Zoe was in", k.IN, chance == 1),
        ("she was not", k.OUT.with_symbol("x"), chance == 0),
        ("nobody knows", k.LEVEL.with_symbol("square-open"), (chance > 0) & (chance < 1)),
    )
    hours = [
        k.points(name, np.sin(turn[at]), np.cos(turn[at]), look, size=9, lower=True, cliponaxis=False,
                 text=[each for each, kept in zip(said, at, strict=True) if kept], hover="%{text}")
        for name, look, at in kinds
    ]  # fmt: skip
    # The face: a ring, and the hours at its quarters.
    ring, quarters = np.linspace(0, 2 * np.pi, 97), np.arange(4)
    face = k.curve("the clock", np.sin(ring), np.cos(ring), k.LEVEL, lower=True, showlegend=False)
    numbers = {"type": "scatter", "mode": "text", "name": "its hours", "showlegend": False, **k.LOWER}
    numbers |= {"x": 0.74 * np.sin(quarters * np.pi / 2), "y": 0.74 * np.cos(quarters * np.pi / 2)}
    numbers["text"] = [str(round(quarter * q / 4)) for quarter in quarters]
    return k.part(
        k.reading(q, found.eta, "at your q"),
        face | {"hoverinfo": "skip"},
        numbers | {"hoverinfo": "skip"},
        hours,
        headline="Δ = 0, right {right}",
        sentence="The stranger learns nothing: Δ = 0. The spy who knows the {pool} numbers has η = {eta} "
        f"(exact): {every}.",
        alt="Left, η against the modulus from 11 to 1,019 rises to one half; at {q} it is {eta}, and Δ lies "
        "level at 0. Right, a clock of {q} hours: each sum of {n} numbers is an hour, and {certain} of the "
        "halves lead to an hour that settles whether Zoe's is among them.",
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
