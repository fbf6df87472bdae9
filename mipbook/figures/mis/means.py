"""One person in a mean: how far it slides, and people on a plank."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.palette import BACKGROUND
from mipbook import mis
from mipbook.figures.mis.rows import over_rows, scored

_delta = k.cache(mis.gaussian_mean_delta)

# --- One known record slides the mean -----------------------------------------------------------

_SLIDE_SIZES = [
    *(2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 20, 25, 32, 40, 50, 65, 80),
    *(100, 160, 250, 400, 650, 1000, 3000, 10_000),
]
_POINTS = np.linspace(-4.5, 4.5, 109)
_WITHOUT = np.exp(-(_POINTS**2) / 2) / math.sqrt(2 * math.pi)
_DISTANCE = k.Slider(0.0, 3.0, step=0.125, label="Distance of the record")
# Where the record stands in the picture: just above the axis.
_GROUND = 0.02


def _slide_frame():
    limit, name = mis.universal_constant("gaussian"), "√n Δ (exact)"
    scaled = np.sqrt(_SLIDE_SIZES) * [_delta(n) for n in _SLIDE_SIZES]
    over = "%{x:,} records: √n Δ = %{y:.3f}"
    return k.part(
        k.curve("the record is out", _POINTS, _WITHOUT, k.OUT, hoverinfo="skip"),
        k.curve(name, _SLIDE_SIZES, scaled, k.MIS, hover=over, lower=True),
        k.level("limit 1/π (exact)", [1, 10_000], limit, lower=True),
        x=k.axis("standard deviations", range=[-4.5, 4.5]),
        y=k.axis("density of the mean", range=[0, 0.6]),
        x2=k.axis("records, n", log=True, range=[0, 4]),
        y2=k.axis("√n Δ", range=[0, 0.5], nticks=4),
        rows=(0.56, 0.22),
        height=430,
        beside=0.6,
        grab=k.drag("distance", _DISTANCE.stops, [_GROUND] * len(_DISTANCE.stops)),
        probe=[name],
        headline="The best attack: right {right}",
        sentence="With and without a record at distance {distance} the mean of {n} has distributions {apart} "
        "apart (exact); Proposition 25 allows {bound} (bound). Over all records √n Δ = {scaled}, near 1/π = "
        "{limit}.",
        alt="Two bells along the record's direction: out, standard and dashed; in, solid, centred at "
        "{centre} with variance {variance}, the excess shaded. Below them a diamond, the record, at "
        "{distance}. Beside them √n Δ against n goes from {first} to a flat line at {limit}.",
        first=scaled[0],
        limit=limit,
    )


def _bells(n, distance):
    """Draw the mean with the record in, and where it is the likelier one."""
    centre, variance = distance / math.sqrt(n), 1 - 1 / n
    given = np.exp(-((_POINTS - centre) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    # Down to the trace below it in this picture, which is the bell without the record.
    area = {"fill": "tonexty", "line": {"width": 0}, "hoverinfo": "skip"}
    return k.part(
        k.curve("gain", _POINTS, np.maximum(given, _WITHOUT), k.IN, **area),
        k.curve("the record is in", _POINTS, given, k.IN, hoverinfo="skip"),
        **k.words(centre=centre, variance=variance, apart=mis.near_gaussians_tv(n, distance)),
        bound=k.at_most(mis.near_gaussians_bound(n, distance)),
    )


def _record(distance):
    over = "the record, at distance %{x}"
    mark = k.points("the record", distance, _GROUND, k.READING, size=13, hover=over)
    return k.part(mark, distance=distance)


def _many(n):
    delta, scaled = _delta(n), math.sqrt(n) * _delta(n)
    mark, right = k.reading(n, scaled, "this n", lower=True), k.exact((1 + delta) / 2, k.in_100)
    return k.part(mark, n=n, scaled=scaled, right=right)


@k.figure
def mean_slide(
    n: Annotated[int, k.Count(_SLIDE_SIZES, label="Records, n", play=True)] = 10,
    distance: Annotated[float, _DISTANCE] = 1.5,
):
    """Draw the distribution of the mean given one record, and sqrt(n) Delta against n.

    Notes
    -----
    Limits paper, Theorem 13 and Proposition 25.

    Examples
    --------
    >>> mean_slide(10).layout.meta["headline"]
    'The best attack: right 55.4 times in 100'
    """
    return _slide_frame, _bells, _record, _many


# --- People on a plank --------------------------------------------------------------------------

_PEOPLE = [*(2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700), 1000, 10_000]
_NUMBERS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 2000, 5000]
_PLACE = k.Slider(-3.0, 3.0, step=0.25, value=1.5, label="Zoe's place")
# Seven planks stand below each other; on the others Zoe's numbers are these.
_OTHERS = np.array([-0.6, 1.1, 0.5, -1.7, 0.9, -1.1])
_HEAPED, _PLANK = 300, replace(k.READING, width=8)
# A plank alone is a ruler, so thick and so far down; its pivot is under it.
_RULER, _DEEP, _LIGHT = replace(_PLANK, width=20), 0.16, {"color": BACKGROUND[0], "size": 13}
_MARKS = [f"<b>{each}</b>" for each in ("−3", "−2", "−1", *range(4))]
_STEM, _PIVOT = replace(k.READING, width=2.5), k.READING.with_symbol("triangle-up")
_LEGS = k.LEVEL.but(dash="solid")
# Up to so many people are dots so large, so high up; who is nearer than so climbs so far, to so high at most.
_DOTS = (10, 26, 0.3, 0.62, 0.5, 1.3), (40, 14, 0.3, 0.3, 0.3, 1.2), (10_000, 8, 0.14, 0.01, 0.07, 0.66)
# Two rows of a hundred: of anybody above, of this Zoe below; how far above the first plank she stands, on the
# only one and on many; and where the foot of the hill lies.
_ANYBODY, _HER, _ABOVE, _WANDERS = 5.0, 0.6, (1.85, 0.92), -2.75


@k.cache
def _heaps(n):
    """Return where the others stand, balanced, and on each other where it is full; and how they look.

    Who stands among few is also among many.
    """
    others = np.random.default_rng(139).standard_normal(_HEAPED)[: n - 1]
    x = others - others.mean()
    _, size, foot, near, step, most = next(each for each in _DOTS if n <= each[0])
    x = np.clip(np.round(x / 0.15) * 0.15, -3.3, 3.3) if size == 8 else x
    height = np.zeros(x.size)
    for i in range(1, x.size):
        below = height[:i][abs(x[:i] - x[i]) < near]
        height[i] = next(level for level in range(x.size) if level not in below)
    # The highest heap stays in the picture.
    y, who = foot + min(step, most / max(1, height.max())) * height, [*k.PEOPLE][:-1]
    colours = [k.PEOPLE[who[i % len(who)]] for i in range(x.size)]
    letters = {"mode": "markers+text", "text": [f"<b>{each[0]}</b>" for each in who[: x.size]]}
    letters |= {"textfont": {"color": BACKGROUND[0], "size": 13}}
    marker = {"size": size, "color": k.GREY if size == 8 else colours}
    return x, y, {"marker": marker, "hoverinfo": "skip", **(letters if size == 26 else {})}


def _ground(alone):
    """Return how high the first plank lies: in the middle, if it is the only one."""
    return -0.9 if alone else 0.0


def _planks(dimension):
    """Draw the ground: planks, and the scale of right answers."""
    many, ground = min(dimension, 1 + _OTHERS.size), _ground(dimension == 1)
    down, ends = ground - 0.42 * np.arange(many), [-3.4, 3.4, None]
    # Others lie behind the first.
    floor = [_WANDERS, _WANDERS - 0.22, _WANDERS - 0.22, _WANDERS] if many == 1 else [None] * 4
    others = {"x": ends * (many - 1) or [None], "y": np.repeat(down[1:], 3) if many > 1 else [None]}
    return k.part(
        k.area("the ground", [-3.4, -3.4, 3.4, 3.4], floor, k.LEVEL),
        k.curve("other planks", **others, look=_LEGS.but(width=4), hoverinfo="skip"),
        k.level("plank", ends[:2], ground - _DEEP * (many == 1), _RULER if many == 1 else _PLANK),
        **k.stage((-3.6, 3.6), (-3, 1.5)),
        **over_rows(0.64, 0.02, (-1.2, 7.9), height=460),
        grab=k.drag("place", _PLACE.stops, [ground + _ABOVE[many > 1]] * len(_PLACE.stops), ring=True),
    )


def _stand(at, n, first, ground):
    """Draw Zoe on some planks, the first so far down, and its pivot."""
    also = ", below" if first else ""
    down, under = ground - 0.42 * (first + np.arange(at.size)), 0.17 if ground == 0 else 0.3 + _DEEP
    head, size, above = (18, 11, 0.15) if first else (40, 26, _ABOVE[ground == 0])
    stems = (down[:, None] + [0.0, above, np.nan]).ravel()
    up = k.kept(stems, np.isfinite(stems))
    zoe = {"name": f"Zoe{also}", "zorder": 1, "showlegend": False}
    return [
        k.points(f"the mean{also}", at / n, down - under, _PIVOT, size=size, showlegend=False),
        k.level(f"her stem{also}", np.repeat(at, 3), up, _STEM, showlegend=False),
        k.cast(at, down + above, ["Zoe"] * at.size, size=head, **zoe),
    ]


def _people(n, dimension, place):
    return _first_plank(n, dimension == 1, place)


@k.cache
def _first_plank(n, alone, place):
    """Draw who stands on the first plank, which may be the only one."""
    x, height, looks = _heaps(n)
    # Where there are more planks, there is less room above the first.
    height = height if alone else 0.85 * height
    ground, pivot, edge = _ground(alone), place / n, max(-2.4 / math.sqrt(n), -1.2)
    sides = {"textposition": ["middle right" if place >= 0 else "middle left", "middle left"]}
    sides["textfont"] = {"color": [k.INK, k.GREEN]}
    at = [pivot + (0.45 if place >= 0 else -0.45), edge - 0.15], [ground - 0.4 - _DEEP, _WANDERS + 0.25]
    # However narrow it is, the hill is seen.
    needle = {"width": 3, "color": k.SERIES[2].colour, "dash": "solid"}
    # From the pivot down to the hill of where it wanders.
    down, across = [ground - 0.44 - _DEEP, _WANDERS] if alone else [None, None], np.linspace(-3, 3, 41)
    hill = _WANDERS + 1.1 * np.exp(-(across**2) / 2) if alone else [None] * across.size
    legs = k.gapped([[ground, ground + each] for each in height]) if n <= _DOTS[0][0] else [None] * 3 * x.size
    return k.part(
        k.area("its usual wobble", across / math.sqrt(n), hill, k.SERIES[2], line=needle),
        k.curve("her way down", [pivot] * 2, down, k.LEVEL.estimate(), hoverinfo="skip"),
        k.level("their legs", np.repeat(x, 3), legs, _LEGS, showlegend=False),
        _stand(np.array([place]), n, 0, ground),
        k.text("the ruler", range(-3, 4), ground - _DEEP, _MARKS if alone else [" "] * 7, textfont=_LIGHT),
        k.points("other people", x, ground + height, k.LEVEL, **looks),
        k.text("what is what", *at, ["the mean", "its usual wobble"] if alone else [" ", " "], **sides),
        alt=f"{'On a plank' if alone else '{drawn} planks. On the first'} {{n}} people stand, Zoe at "
        "{place}; the mean, its pivot, stands at {pivot}, where it usually wanders between {low} and {high}. "
        "Below, rows of a hundred: {right} about anybody, "
        f"{'{own} about this Zoe' if alone else '{one} from one plank'}.",
        **k.words(n=n, place=place, pivot=place / n, low=-1 / math.sqrt(n), high=1 / math.sqrt(n)),
        share=k.exact(abs(place) / math.sqrt(n), digits=2),
    )


def _more_planks(n, dimension):
    others = _OTHERS[: dimension - 1]
    said = [f"7 of the {dimension:,} planks"] * (dimension > 1 + _OTHERS.size)
    edge = [3.4] * len(said), [-2.85] * len(said)
    return k.part(
        _stand(others, n, 1, 0.0),
        k.text("so many", *edge, said, textposition="middle left"),
        drawn=1 + others.size,
    )


def _scale(n, dimension, place):
    right, her = (1 + _delta(n, dimension)) / 2, dimension == 1
    # With many planks: what one of them would tell by itself.
    below = 50 * (1 + (float(mis.near_gaussians_tv(n, abs(place))) if her else _delta(n)))
    zoes = {"own" if her else "one": k.exact(below / 100, k.in_100)}
    zoe, means = ("Zoe", "the mean") if her else ("On plank one Zoe", "{dimension} means")
    row = scored(_HER, 2.0, "right about this Zoe", below, k.MIS)
    row[-2] |= {} if her else {"text": ["right from one plank alone"]}
    return k.part(
        scored(_ANYBODY, 2.0, "right, on average", 100 * right, k.MIS),
        row,
        headline="Zoe: right {own}" if her else "right {right}",
        sentence=f"{zoe} moves the mean by {{share}} of its usual wobble. From {means} of {{n}} people a "
        "spy is right {right} on average{here} (exact).",
        here=k.told(", and {own} about Zoe", **zoes) if her else "",
        **zoes,
        **k.words(right=k.exact(right, k.in_100), dimension=dimension),
    )


@k.figure
def mean_plank(
    n: Annotated[int, k.Count(_PEOPLE, label="People, n", play=True)] = 10,
    dimension: Annotated[int, k.Count(_NUMBERS, label="Numbers each, d")] = 1,
    place: Annotated[float, _PLACE] = 1.5,
):
    """Draw people on a plank whose pivot is their mean, and how often the best attacker is right.

    Notes
    -----
    Limits paper, Theorem 13, for normal records: the constant in front of 1/sqrt(n) hides the dimension.

    Examples
    --------
    >>> mean_plank().layout.meta["headline"]
    'Zoe: right 59.7 times in 100'
    """
    return _planks, _people, _more_planks, _scale
