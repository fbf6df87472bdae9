"""Two readers of one noisy sum: a colleague who knows the others, and a stranger who has the list."""

from typing import Annotated

import numpy as np
from scipy.special import ndtri

import mipbook.figures.kit as k
from mipbook import pmp, tradeoff

_DRAWN = (1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 40, 56, 75, 100)
_PLACES = tuple(step / 4 for step in range(17))
# What is published, and how far the colleague's row stands above the stranger's.
_AT = np.linspace(-12, 18, 121)
_ABOVE = 1.5
# So many people stand in a row.
_ROW = 50
_STRANGER = "the stranger (exact)"


def _staff(n, place):
    """Return the salaries of 2n people: Zoe's first, then normal ones, Ben's in the middle of them."""
    return np.append(place, ndtri((np.arange(2 * n - 1) + 0.5) / (2 * n - 1)))


@k.cache
def _stranger(n, place):
    return 0.5 + pmp.gaussian_delta_exact(_staff(n, place), 1.0, 0.0, record=0) / 2


def _colleague(place):
    """Return how often the one is right who only wonders whether it is Zoe or Ben."""
    return 0.5 + float(tradeoff.gaussian_delta(0.0, 1.0, place)) / 2 if place else 0.5


@k.few
def _hills(n, place):
    """Return the stranger's hills, without the record and with it, the second of height 1."""
    values = _staff(n, place)
    found = pmp.gaussian_densities(values, 1.0, 0, n * values[1:].mean() + _AT)
    return [np.round(found[side] / found[1].max(), 3) for side in (1, 0)]


def _frame():
    return k.part(
        x={"visible": False, "range": [-12, 18]},
        y={"visible": False, "range": [-0.62, 2.65]},
        x2=k.axis("people drawn, n", log=True, exponentformat="none", range=[-0.06, 2.08]),
        y2=k.axis("right in 100", range=[34, 120], tickvals=[50, 75, 100]),
        rows=(0.72, 0.08),
        height=470,
        showlegend=False,
        annotations=[
            {"x": 17.8, "y": y, "text": text, "showarrow": False, "xanchor": "right", "font": {"size": 15}}
            for y, text in ((_ABOVE + 1, "<b>the colleague</b>"), (1, "<b>the stranger</b>"))
        ],
        sentence="The colleague asks: Zoe or Ben? He is right {colleague} times in 100 (exact). The "
        "stranger, with {n} of {pool} people drawn, is right {stranger} times in 100 (exact).",
        alt="Two rows of bells, what is published without Zoe (dashed) and with her (solid), on one scale. "
        "The colleague's are narrow, Zoe's {place} to the right; the stranger's overlap the more, the more "
        "are drawn; under them stand the {pool} people. Below, how often each is right "
        "against the number drawn: a level at {colleague}, and a falling curve, {stranger} at n = {n}.",
        headline="Colleague right {colleague} times in 100, stranger {stranger}",
    )


def _apart(place):
    """Draw the colleague's bells, which know nothing of the crowd, and how often both are right."""
    out, inside = (np.round(_ABOVE + np.exp(-((_AT - at) ** 2) / 2), 3) for at in (0, place))
    right = [100 * _stranger(n, place) for n in _DRAWN]
    said = "%{x} drawn: the stranger is right %{y:.1f} times in 100"
    both = 100 * _colleague(place)
    sides = {"textposition": ["middle left", "middle right"], "textfont": {"color": [k.ORANGE, k.BLUE]}}
    low, small = {"lower": True}, {"size": 22, "name": "Ben and Zoe"}
    return k.part(
        k.curve("published without Zoe", _AT, out, k.OUT, hoverinfo="skip"),
        k.curve("published with her", _AT, inside, k.IN, hoverinfo="skip"),
        k.text("which bell", [-1.4, place + 1.4], [_ABOVE + 0.64] * 2, ["without Zoe", "with her"], **sides),
        k.cast([0.0, place], [_ABOVE, _ABOVE], ("Ben", "Zoe"), **small),
        k.level("the colleague (exact)", [1, 100], both, k.DP, lower=True),
        k.text("name of the colleague", [100], [both + 3], ["the colleague"], textposition="top left", **low),
        k.curve(_STRANGER, _DRAWN, np.round(right, 3), k.PMP, marked=True, lower=True, hover=said),
        k.text(
            "the stranger's name", [1.1], [right[3] - 5], ["the stranger"], textposition="bottom right", **low
        ),
        k.text("whose dots", [17.8], [0.66], ["dots: his list"], textposition="middle left"),
        grab=k.drag("place", _PLACES, [_ABOVE + 1] * len(_PLACES))
        + k.drag("n", _DRAWN, np.round(right, 3), along="x2"),
        probe=[_STRANGER],
        ghost=[],
        colleague=k.exact(both, digits=2),
        place=place,
    )


def _melted(n, place):
    """Draw the stranger's hills over the crowd, and how often he is right."""
    out, inside = _hills(n, place)
    right = _stranger(n, place)
    more = {"hoverinfo": "skip", "fill": "tozeroy"}
    return k.part(
        k.curve("seen by the stranger, without", _AT, out, k.OUT, **more),
        k.curve("seen by the stranger, with her", _AT, inside, k.IN, **more),
        k.reading([n], [100 * right], "your draw", lower=True),
        **k.words(n=n, pool=2 * n, stranger=k.exact(100 * right, digits=2)),
    )


def _crowd(n):
    """Draw who is on the stranger's list, each in a colour, Zoe larger."""
    rows = -(-2 * n // _ROW)
    across = -(-2 * n // rows)
    # Zoe stands in the middle of the first row, and in front.
    who = np.append(np.delete(np.arange(2 * n), across // 2), across // 2)
    x, y = 3 + 0.58 * (who % across - across // 2), -0.15 - 0.135 * (who // across)
    colours = [colour for name, colour in k.PEOPLE.items() if name != "Zoe"]
    marker = {"color": [*(colours[i % len(colours)] for i in range(2 * n - 1)), k.PEOPLE["Zoe"]]}
    marker |= {"size": [*[7] * (2 * n - 1), 13], "opacity": 1}
    return k.part(k.points("the list", x, y, k.LEVEL, marker=marker, hoverinfo="skip"))


@k.figure
def two_readers(
    n: Annotated[int, k.Count(_DRAWN, label="People drawn, n", play=True)] = 100,
    place: Annotated[
        float, k.Slider(0.0, 4.0, step=0.25, label="Zoe earns more than Ben by", unit="spreads")
    ] = 2.0,
):
    """Draw a noisy sum as a colleague and as a stranger read it.

    The noise and the salaries have the spread 1; Ben's is the middle one.

    References
    ----------
    PMP paper, Proposition 12 at epsilon 0: one swap, and the average over the draw.

    Examples
    --------
    >>> two_readers(1).layout.meta["headline"]
    'Colleague right 84 times in 100, stranger 84'
    """
    return _frame, _apart, _melted, _crowd
