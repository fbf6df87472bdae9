"""One noisy sum: two readers of it, the hockey-stick between its two distributions, and its bound."""

import math
from typing import Annotated

import numpy as np
from scipy.special import ndtri

import mipbook.figures.kit as k
from mipbook import pmp, tradeoff

# The places of the page's mark, and what is enough.
_DRAWN = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 26, 30, 32, 38, 46, 56, 68, 83, 100)
_MORE = k.Slider(0.0, 4.0, step=0.25, label="Zoe earns more than Ben by", unit="spreads")
# What is published, and how far the colleague's row stands above the stranger's.
_AT, _ABOVE = np.linspace(-17, 19, 145), 1.55
# The people on the list stand in rows below his bells, as large as there is room: the middle of them, how
# many of the smallest stand beside and below each other, and how far below each other these are.
_MIDDLE, _BESIDE, _DEEP, _BELOW = -0.77, 24, 7, 0.13


def _staff(n, place):
    """Return the salaries of 2n people: Zoe's first, then normal ones, Ben's in the middle of them."""
    return np.append(place, ndtri((np.arange(2 * n - 1) + 0.5) / (2 * n - 1)))


def _laws(n, place, at):
    """Return the densities of the release with Zoe and without her, so far from what the others add up to."""
    values = _staff(n, place)
    return pmp.gaussian_densities(values, 1.0, 0, n * values[1:].mean() + at)


@k.cache
def _delta(n, place, epsilon):
    return float(pmp.gaussian_delta_exact(_staff(n, place), 1.0, epsilon, record=0))


def _readers():
    ground = {"size": 5, "hoverinfo": "skip", "lower": True}
    return k.part(
        k.points("so many may be drawn", _DRAWN, 0, k.LEVEL, **ground),
        **k.stage((-17, 19), (-1.28, 2.8), rows=(0.87, 0.08), height=500, showlegend=False),
        x2=k.axis("people drawn, n", log=True, exponentformat="none", showgrid=False, range=[-0.06, 2.08]),
        y2=k.unseen(-1, 1),
        sentence="{n} of {pool} people are drawn. The colleague knows all but one: Zoe, or Ben? He is right "
        "{colleague} times in 100 (exact).",
        alt="Two rows of bells, what is published without Zoe (dashed) and with her (solid), on one scale. "
        "The colleague's are narrow, Zoe's {place} to the right, and he is right {colleague} times in 100. "
        "The stranger's overlap the more, the more are drawn; with {n} he is right {stranger} times. Under "
        "them stand the {pool} people of his list, Ben in the middle and Zoe last.",
        headline="Stranger right {stranger} times in 100",
    )


def _who(name, y, words, end="right"):
    """Return who reads a row, at its left end, or how often he is right, at the other."""
    style = {"textposition": "middle right" if end == "left" else "middle left"}
    style |= {"textfont": {"size": 15, "color": k.INK}}
    return k.text(name, [-16.9 if end == "left" else 18.9], [y], [words], **style)


def _apart(place):
    """Draw the colleague's bells, which know nothing of the crowd, and how often he is right."""
    out, inside = (np.round(_ABOVE + np.exp(-((_AT - at) ** 2) / 2), 3) for at in (0, place))
    # He only wonders whether it is Zoe or Ben.
    right = 0.5 + float(tradeoff.gaussian_delta(0.0, 1.0, place)) / 2 if place else 0.5
    both = k.exact(100 * right, digits=2)
    sides = {"textposition": ["middle left", "middle right"], "textfont": {"color": [k.ORANGE, k.BLUE]}}
    # They stand below their bells.
    rows = np.repeat([_ABOVE, 0.0], 2)
    return k.part(
        k.curve("published without Zoe", _AT, out, k.OUT, hoverinfo="skip", fill="toself"),
        k.curve("published with her", _AT, inside, k.IN, hoverinfo="skip", fill="toself"),
        k.text("which bell", [-1.4, place + 1.4], [_ABOVE + 0.64] * 2, ["without Zoe", "with her"], **sides),
        k.cast([0.0, place] * 2, rows, ("Ben", "Zoe") * 2, size=19, name="Ben and Zoe"),
        _who("the colleague", _ABOVE + 1, "<b>the colleague</b>", "left"),
        _who("his share", _ABOVE + 1, k.told("right <b>{both}</b> in 100", both=both)),
        _who("the stranger", 1, "<b>the stranger</b>", "left"),
        _who("whose dots", _MIDDLE, "his list"),
        grab=k.drag("place", _MORE.stops, [_ABOVE + 1] * len(_MORE.stops), ring=True)
        + k.drag("n", along="x2", at=0),
        ghost=[],
        colleague=both,
        place=place,
    )


def _melted(n, place):
    """Draw the stranger's bells over the crowd, and how often he is right."""
    inside, out = _laws(n, place, _AT)
    right = k.exact(100 * (0.5 + _delta(n, place, 0.0) / 2), digits=2)
    more = {"hoverinfo": "skip", "fill": "tozeroy"}
    return k.part(
        k.curve("seen by the stranger, without", _AT, np.round(out / out.max(), 3), k.OUT, **more),
        k.curve("seen by the stranger, with her", _AT, np.round(inside / out.max(), 3), k.IN, **more),
        _who("right, the stranger", 1, k.told("right <b>{right}</b> in 100", right=right)),
        **k.words(n=n, pool=2 * n, stranger=right),
    )


def _crowd(n):
    """Draw who is on the stranger's list: Zoe and Ben, with their letters where there is room, and others."""
    rows = np.arange(1, _DEEP + 1)
    each = np.minimum(2.4, np.minimum(_DEEP / rows, _BESIDE / np.ceil(2 * n / rows)))
    rows, size = rows[each.argmax()], float(each.max())
    # Zoe's place is the last, Ben's in the middle.
    place = np.array([2 * n - 1, n - 1, *(i for i in range(2 * n - 1) if i != n - 1)])
    column, row = place // rows, place % rows
    x, y = 1 + size * (column - column.max() / 2), _MIDDLE - size * _BELOW * (row - (rows - 1) / 2)
    colours = list(k.PEOPLE.values())
    others = [colours[i % 9] for i in range(2 * n - 2)]
    marker = {"color": [k.PEOPLE["Zoe"], k.PEOPLE["Ben"], *others], "size": 7.5 * size}
    marker["opacity"] = [1, 1, *[0.5] * (2 * n - 2)]
    lettered = size >= 2
    marker["line"] = {"color": k.INK, "width": [0 if lettered else 2] * 2 + [0] * (2 * n - 2)}
    letters = {"text": [*["<b>Z</b>", "<b>B</b>"] * lettered, *[""] * (2 * n - 2)]}
    letters |= {"mode": "markers+text", "textfont": {"color": k.BACKGROUND[0], "size": 11}}
    return k.part(k.points("the list", *k.short([x, y]), k.LEVEL, marker=marker, hoverinfo="skip", **letters))


@k.figure
def two_readers(
    n: Annotated[int, k.Count(_DRAWN, label="People drawn, n", play=True)] = 100,
    place: Annotated[float, _MORE] = 2.0,
):
    """Draw a noisy sum as a colleague and as a stranger read it.

    The noise and the salaries have the spread 1; Ben's is the middle one.

    References
    ----------
    PMP paper, Proposition 12 at epsilon 0: one swap, and the average over the draw.

    Examples
    --------
    >>> two_readers(1).layout.meta["headline"]
    'Stranger right 84 times in 100'
    """
    return _readers, _crowd, _melted, _apart


# What is released where Ben's bell is raised, by how much Zoe earns more there, and how high it goes.
_NEAR, _PLACE = np.linspace(-3.5, 4.5, 129), 1.0
_TIMES = k.Slider(1.0, 4.0, step=0.1, value=3.2, label="Ben's bell raised, times", play=True)
# How far the picture steps back, about as the bells grow wider.
_BACK = {1: 1.0, 3: 1.5, 10: 2.5}


@k.cache
def _two(n):
    """Return the density of the release with Zoe and without her, the second of height 1."""
    inside, outside = _laws(n, _PLACE, _BACK[n] * _NEAR)
    return inside / outside.max(), outside / outside.max()


def _bell(name, n, y, look, **more):
    # What is drawn has the eleven bits of a half float, for the page's weight.
    drawn = np.asarray(y, dtype=np.float16).astype(float)
    return k.smooth(k.curve(name, _BACK[n] * _NEAR, drawn, look, hoverinfo="skip", **more))


def _bells(n):
    inside, outside = _two(n)
    return k.part(
        _bell("with Zoe", n, inside, k.IN, fill="tozeroy"),
        _bell("without Zoe", n, outside, k.OUT),
        k.cast([0.0, _PLACE], [-0.22] * 2, ("Ben", "Zoe"), size=19, name="Ben and Zoe"),
        x=k.unseen(*(_BACK[n] * _NEAR[[0, -1]]).tolist()),
        y=k.axis("times Ben's bell", range=[-0.42, 4.3], tickvals=[1, 2, 3, 4], zeroline=False),
        height=430,
        showlegend=False,
        ghost=[],
        grab=k.drag("times", [0.0] * len(_TIMES.stops), _TIMES.stops, along="y"),
        sentence="Ben's dashed bell is raised {times} times, to the dotted line: ε is {epsilon}. The part of "
        "Zoe's bell above that line is δ, {delta} (exact).",
        alt="Two bells, what is released without Zoe (dashed) and with her (solid), {n} of {pool} drawn. The "
        "first once more, raised {times} times; {delta} of the second sticks out on the right.",
        **k.words(n=n, pool=2 * n),
    )


def _area(n, times):
    """Return the dashed bell raised, and what of the solid one sticks out above it."""
    inside, outside = _two(n)
    raised, delta = times * outside, _delta(n, _PLACE, math.log(times))
    short, style = k.exact(100 * delta, digits=2), {"color": k.PMP.colour, "size": 15}
    purple = {"fill": "tonexty", "fillcolor": k.PMP.colour, "line": {"width": 0}}
    said = k.told("<b>{short} in 100</b><br>stick out", short=short)
    return k.part(
        _bell("without Zoe, raised", n, raised, k.LEVEL.but(dash="dot", width=2.5), fill="tozeroy"),
        # From the solid bell, which is drawn once more, down to what is covered.
        _bell("with Zoe, above", n, inside, k.IN),
        _bell("sticks out", n, np.minimum(raised, inside), k.PMP, **purple),
        k.text(
            "how much sticks out",
            [2.3 * _BACK[n]],
            [0.85],
            [said],
            textposition="middle right",
            textfont=style,
        ),
        headline="{short} in 100 stick out",
        short=short,
        delta=k.exact(delta, digits=2),
        epsilon=k.exact(math.log(times), digits=2),
        times=times,
    )


@k.figure
def hockey_stick(
    times: Annotated[float, _TIMES] = 3.2,
    n: Annotated[int, k.Choice([1, 3, 10], label="People drawn, n")] = 1,
):
    """Draw the release with Zoe and without her, and what sticks out above the raised bell.

    Zoe's salary is the spread 1 above Ben's; the other 2n - 2 are normal, the noise is 1.

    References
    ----------
    PMP paper, Lemma 11, for a sum in one dimension.

    Examples
    --------
    >>> hockey_stick(1).layout.meta["headline"]
    '38 in 100 stick out'
    """
    return _bells, _area


# What a bound promises the stranger, and what he faces, where the colleague faces so much.
_FACED, _SPENT = 10.0, 0.01


@k.cache
def _faced(n):
    """Return the bound and the exact parameter of a mean of n of 2n normal salaries."""
    values = ndtri((np.arange(2 * n) + 0.5) / (2 * n)) / n
    noise = tradeoff.gaussian_sigma(_FACED, delta=_SPENT, sensitivity=pmp.diameter(values))
    # What the colleague faces bounds it, too.
    bound = min(pmp.gaussian_epsilon_bound(values, noise, _SPENT), _FACED)
    return bound, pmp.gaussian_epsilon_exact(values, noise, _SPENT)


def _missed():
    bound, truth = np.transpose([_faced(n) for n in _DRAWN])
    # Each stands above its curve, where there is room.
    style = {"textposition": "top right", "textfont": {"size": 15, "color": k.INK}}
    named = {"a colleague faces": (1.1, 10.0), "the bound promises": (6, 7.1), "the stranger faces": (6, 2.6)}
    return k.part(
        k.level("a colleague", [1, 100], _FACED, k.DP),
        k.curve("the bound", _DRAWN, bound, k.PMP.bound(), hover="%{x} drawn: at most %{y:.2g}"),
        k.curve("the stranger", _DRAWN, truth, k.PMP, hover="%{x} drawn: %{y:.2g}"),
        [k.text(name, *at, f"<b>{name}</b>", **style) for name, at in named.items()],
        x=k.axis("people drawn, n", log=True, exponentformat="none", showgrid=False, range=[-0.05, 2.1]),
        y=k.axis("ε", range=[0, 11.4], tickvals=[0, 5, 10], showgrid=False),
        height=340,
        showlegend=False,
        ghost=[],
        probe=["the bound", "the stranger"],
        grab=k.drag("n", _DRAWN, truth),
        sentence="{n} of {pool} are drawn: the stranger faces {truth} (exact), the bound promises {bound}, "
        "{times} times as much. The colleague faces {faced} (δ = {spent}).",
        alt="Three curves against the people drawn, 1 to 100: a level at {faced}, what a colleague faces; a "
        "dashed one that falls slowly, what the bound promises, {bound} at n = {n}; and one that falls fast, "
        "what the stranger faces, {truth} there.",
        headline="{truth} in truth, {bound} promised",
        **k.words(faced=_FACED, spent=_SPENT),
    )


def _missed_at(n):
    bound, truth = _faced(n)
    return k.part(
        k.reading([n], [bound], "the bound, here"),
        k.reading([n], [truth], "the stranger, here"),
        **k.words(n=n, pool=2 * n),
        bound=k.at_most(bound, digits=2),
        truth=k.exact(truth, digits=2),
        times=k.exact(bound / truth, digits=2),
    )


@k.figure
def bound_and_truth(n: Annotated[int, k.Count(_DRAWN, label="People drawn, n", play=True)] = 100):
    """Draw what the bound promises a stranger, and what he faces, against how many are drawn.

    Of each crowd a colleague faces the same.

    References
    ----------
    PMP paper, Proposition 12, and the exact curve in one dimension.

    Examples
    --------
    >>> bound_and_truth(1).layout.meta["headline"]
    '10 in truth, 10 promised'
    """
    return _missed, _missed_at
