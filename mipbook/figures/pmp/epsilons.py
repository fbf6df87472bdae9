"""One wheel of fortune, four epsilons: in its name, on any data, on the pool, and for who has the list."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import pmp

# Ten directions, twelve villagers in five dimensions around the first of them, two of them far out.
_SEED, _N, _DIMENSION, _OBJECTS, _OUTLIERS = 7, 6, 5, 10, 2
_CLIPS = [1.0, 1.6, 2.5, 4.0, 6.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 70.0, 100.0, 140.0, 200.0]
_NOMINAL = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 28.5, 40.0, 60.0, 80.0, 100.0]
# From the bottom up: who has the list alone faces PMP, the three above are DP.
_NAMES = ["the list", "you", "any data", "the label"]
_LOOKS = [k.PMP, *[k.DP.with_symbol(symbol) for symbol in ("square", "triangle-up", "x")]]
# The axis ends at this power of ten; the values stand there.
_RIGHT = 4
_SPINS = 40
# The rings of the wheel: from where to where it is turned with the villager, and without.
_RINGS = {"the wheel with Zoe": (0.6, 1.0, k.IN), "without her": (0.18, 0.56, k.OUT)}

_WHICH = "outside <b>with Zoe</b>, inside <b>without her</b>"


@k.cache
def _pool(clip, factor):
    rng = np.random.default_rng(_SEED)
    return pmp.draw_pool(_N, _DIMENSION, _OBJECTS, 1.0, clip, _OUTLIERS, factor, rng)


@k.cache
def _found(epsilon, clip, factor):
    """Return the four parameters from the bottom up, the best attack, and the telling chances."""
    pool, sensitivity = _pool(clip, factor), pmp.norm_sensitivity(_N, clip)
    known = pmp.subset_epsilon(pool.losses, epsilon, sensitivity)
    practical, success = pmp.exponential_risks(pool.losses, epsilon, sensitivity)
    true = pmp.true_epsilon_bound(pool.objects, _N, epsilon, sensitivity)
    laws = pmp.exponential_laws(pool.losses, epsilon, sensitivity)
    who, where = np.unravel_index(np.abs(laws[0] - laws[1]).argmax(), laws[0].shape)
    # The telling slice first.
    turned = [np.roll(np.exp(law[who]), -where) for law in laws]
    return (practical, known, true, epsilon), success, turned


def _around(start, end, inner, outer, points=13):
    """Return the outline of a piece of a ring between two shares of a turn from the top."""
    turn = 2 * np.pi * np.linspace(start, end, points)
    return tuple(
        np.round(np.concatenate([outer * f(turn), inner * f(turn[::-1])]), 3) for f in (np.sin, np.cos)
    )


def _wheel(epsilon, clip, factor):
    """Draw the slices with the villager who shows most, and without her."""
    traces = []
    for chances, (name, (inner, outer, look)) in zip(
        _found(epsilon, clip, factor)[2], _RINGS.items(), strict=True
    ):
        slice_ = {"fill": "toself", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
        x, y = _around(0, chances[0], inner, outer)
        traces.append(k.curve(f"tells most, {name}", x, y, k.PMP, **slice_))
        turn = 2 * np.pi * np.cumsum(np.append(0, chances[:-1]))
        ends = np.array([[r * f(turn) for r in (inner, outer)] for f in (np.sin, np.cos)]).round(3)
        x, y = (np.insert(each.T, 2, np.nan, axis=1).ravel() for each in ends)
        gaps = [[None if np.isnan(v) else float(v) for v in each] for each in (x, y)]
        traces.append(k.curve(name, *gaps, look, hoverinfo="skip"))
    inside, without = shares = [chances[0] for chances in _found(epsilon, clip, factor)[2]]
    # How often it comes up, where it has the room.
    turn, at = np.pi * np.array(shares), np.array([0.82, 0.4])
    told = [f"{100 * share:.1f}" if share > 0.05 else "" for share in shares]
    room = k.text("how often", at * np.sin(turn), at * np.cos(turn), told, textfont={"color": k.INK})
    return k.part(traces, room, inside=k.exact(inside, k.in_100), without=k.exact(without, k.in_100))


def _spin(epsilon, clip, factor, spin):
    """Spin both rings alike, and say whether the pointer stops in one slice of them."""
    share = np.random.default_rng(_SEED).random(_SPINS)[int(spin) - 1]
    stops = [int(np.searchsorted(np.cumsum(chances), share)) for chances in _found(epsilon, clip, factor)[2]]
    radius, turn = np.array([_RINGS["without her"][0], 1.0]), 2 * np.pi * share
    line = {"mode": "lines+markers", "marker": {"size": [0, 13]}, "hoverinfo": "skip", "showlegend": False}
    return k.part(
        k.curve("the pointer", *(radius * f(turn) for f in (np.sin, np.cos)), k.READING, **line),
        spun="the same slice" if stops[0] == stops[1] else "two slices",
    )


def _needles(epsilon, clip, factor):
    """Draw the four numbers, a row each."""
    sizes, success, _ = _found(epsilon, clip, factor)
    practical, known, true, nominal = sizes
    two = {"digits": 2}
    told = [
        *(k.exact(size, **two) for size in sizes[:2]),
        k.told("≤ {value}", value=k.at_most(true, **two)),
        k.exact(nominal),
    ]
    marker = {"color": [a.colour for a in _LOOKS], "symbol": [a.symbol for a in _LOOKS], "size": 15}
    more = {"lower": True, "showlegend": False}
    # In a column at the right edge, where no needle comes.
    column = {"textposition": "middle left", "textfont": {"color": k.INK, "size": 15}, "lower": True}
    return k.part(
        k.points("the name", [nominal], [_NAMES[3]], _LOOKS[3], size=15, hoverinfo="skip", **more),
        k.points("the four ε", list(sizes), _NAMES, k.DP, marker=marker, customdata=told,
                 hover="%{y}: %{customdata}", **more),
        k.text("the values", [10**_RIGHT] * 4, _NAMES, told, **column),
        headline="The label says {nominal}. You can use {known}",
        nominal=nominal,
        true=k.at_most(true, **two),
        known=k.exact(known, **two),
        practical=k.exact(practical, **two),
        right=k.exact(success, k.in_100),
    )  # fmt: skip


def _frame():
    """Return the rims of the wheel, and what is said in all states."""
    bare = {"visible": False, "range": [-1.03, 1.03]}
    rims = []
    for name, (inner, outer, look) in _RINGS.items():
        x, y = _around(0, 1, inner, outer, 73)
        more = {"fill": "toself", "line": {"color": look.colour, "width": 1.5}, "showlegend": False}
        rims.append(k.curve(f"rims, {name}", x, y, look, hoverinfo="skip", **more))
    return k.part(
        rims,
        x=bare,
        y={"visible": False, "range": [-1.03, 1.2], "scaleanchor": "x"},
        x2=k.axis("ε, by what one knows", log=True, range=[-3, _RIGHT], **k.PLAIN),
        y2=k.axis(
            "",
            type="category",
            categoryorder="array",
            categoryarray=_NAMES,
            range=[-0.6, 3.6],
            showgrid=False,
        ),
        rows=(0.62, 0.08),
        beside=0.56,
        height=500,
        showlegend=False,
        annotations=[{"x": 0, "y": 1.13, "text": _WHICH, "showarrow": False}],
        ghost=[],
        grab=k.drag("epsilon", along="x2", at=_NAMES[3]),
        sentence="The label says {nominal}. On any data it is {true} at most (bound); for this village "
        "{known}; a spy with only the list can use {practical} (exact). This spin: {spun}.",
        alt="A wheel of ten slices in two rings, outside as it is with the villager who shows most, inside "
        "without her. The slice that tells most comes up {inside} with her, {without} without. Beside it "
        "four marks on a log axis: {nominal} in name, at most {true} on any data, {known} for a spy who "
        "knows five of the six, {practical} for one who has the list. The best of these is right {right}.",
    )


@k.figure
def four_epsilons(
    epsilon: Annotated[float, k.Stops(_NOMINAL, label="ε on its label")] = 10.0,
    clip: Annotated[float, k.Stops(_CLIPS, label="Nobody counts beyond, C")] = 50.0,
    factor: Annotated[float, k.Choice([1.0, 100.0], label="Two live so many times farther out")] = 100.0,
    spin: Annotated[int, k.Slider(1, _SPINS, 1, step=1, label="Spin", play=True)] = 1,
):
    """Draw a wheel of the exponential mechanism with a villager and without, and its four epsilons.

    References
    ----------
    PMP paper, the simulations of Figures 1 to 3, taken apart: 10 objects, one fixed draw.

    Examples
    --------
    >>> four_epsilons().layout.meta["headline"]
    'The label says 10. You can use 0.16'
    """
    return _frame, _wheel, _spin, _needles
