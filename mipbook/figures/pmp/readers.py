"""Two readers of one noisy sum: a colleague who knows the others, and a stranger who has the list."""

from typing import Annotated

import numpy as np
from scipy.special import ndtri

import mipbook.figures.kit as k
from mipbook import pmp, tradeoff

_DRAWN = (1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 40, 56, 75, 100)
_PLACES = tuple(step / 4 for step in range(17))
# What is published, and how far the colleague's row stands above the stranger's.
_AT = np.linspace(-18, 22, 161)
_ABOVE = 1.5
# The people on the list hang below his bells, each at their salary: how far
# apart the columns are, where they begin, and how far below each other the people are.
_APART, _TOP, _BELOW = 0.3, -0.15, 0.04


def staff(n, place):
    """Return the salaries of 2n people: Zoe's first, then normal ones, Ben's in the middle of them."""
    return np.append(place, ndtri((np.arange(2 * n - 1) + 0.5) / (2 * n - 1)))


@k.cache
def _stranger(n, place):
    return 0.5 + pmp.gaussian_delta_exact(staff(n, place), 1.0, 0.0, record=0) / 2


def _colleague(place):
    """Return how often the one is right who only wonders whether it is Zoe or Ben."""
    return 0.5 + float(tradeoff.gaussian_delta(0.0, 1.0, place)) / 2 if place else 0.5


@k.few
def _bells(n, place):
    """Return the stranger's bells, without the record and with it, the second of height 1."""
    values = staff(n, place)
    found = pmp.gaussian_densities(values, 1.0, 0, n * values[1:].mean() + _AT)
    return [np.round(found[side] / found[1].max(), 3) for side in (1, 0)]


def _frame():
    return k.part(
        k.points(
            "so many may be drawn",
            _DRAWN,
            np.zeros(len(_DRAWN)),
            k.LEVEL,
            size=5,
            hoverinfo="skip",
            lower=True,
        ),
        x={"visible": False, "range": [-18, 22]},
        y={"visible": False, "range": [-1.1, 2.65]},
        x2=k.axis("people drawn, n", log=True, exponentformat="none", showgrid=False, range=[-0.06, 2.08]),
        y2={"visible": False, "range": [-1, 1]},
        rows=(0.93, 0.1),
        height=470,
        showlegend=False,
        sentence="{n} of {pool} people are drawn. The colleague knows all but one: Zoe, or Ben? He is right "
        "{colleague} times in 100 (exact).",
        alt="Two rows of bells, what is published without Zoe (dashed) and with her (solid), on one scale. "
        "The colleague's are narrow, Zoe's {place} to the right, and he is right {colleague} times in 100. "
        "The stranger's overlap the more, the more are drawn; with {n} he is right {stranger} times. Under "
        "them hang the {pool} people of his list.",
        headline="Stranger right {stranger} times in 100",
    )


def _who(name, y, words):
    """Return who reads a row, and below it how often he is right."""
    return k.text(
        name, [21.8], [y], [words], textposition="middle left", textfont={"size": 15, "color": k.INK}
    )


def _apart(place):
    """Draw the colleague's bells, which know nothing of the crowd, and how often he is right."""
    out, inside = (np.round(_ABOVE + np.exp(-((_AT - at) ** 2) / 2), 3) for at in (0, place))
    both = k.exact(100 * _colleague(place), digits=2)
    sides = {"textposition": ["middle left", "middle right"], "textfont": {"color": [k.ORANGE, k.BLUE]}}
    return k.part(
        k.curve("published without Zoe", _AT, out, k.OUT, hoverinfo="skip"),
        k.curve("published with her", _AT, inside, k.IN, hoverinfo="skip"),
        k.text("which bell", [-1.4, place + 1.4], [_ABOVE + 0.64] * 2, ["without Zoe", "with her"], **sides),
        # They stand below their bells, and on the list.
        k.cast(
            [0.0, place] * 2, np.repeat([_ABOVE, _TOP], 2), ("Ben", "Zoe") * 2, size=19, name="Ben and Zoe"
        ),
        _who("the colleague", _ABOVE + 0.9, "<b>the colleague</b>"),
        _who("his share", _ABOVE + 0.64, k.told("right {both} in 100", both=both)),
        _who("the stranger", 0.9, "<b>the stranger</b>"),
        grab=k.drag("place", _PLACES, [_ABOVE + 1] * len(_PLACES)) + k.drag("n", along="x2", at=0),
        ghost=[],
        colleague=both,
        place=place,
    )


def _melted(n, place):
    """Draw the stranger's bells over the crowd, and how often he is right."""
    out, inside = _bells(n, place)
    right = k.exact(100 * _stranger(n, place), digits=2)
    more = {"hoverinfo": "skip", "fill": "tozeroy"}
    return k.part(
        k.curve("seen by the stranger, without", _AT, out, k.OUT, **more),
        k.curve("seen by the stranger, with her", _AT, inside, k.IN, **more),
        _who("right, the stranger", 0.64, k.told("right {right} in 100", right=right)),
        **k.words(n=n, pool=2 * n, stranger=right),
    )


def _crowd(n):
    """Draw who is on the stranger's list beside Zoe, each below their salary."""
    columns = np.round(np.sort(staff(n, 0.0)[1:]) / _APART)
    below = [np.count_nonzero(columns[:i] == column) for i, column in enumerate(columns)]
    colours = [colour for name, colour in k.PEOPLE.items() if name not in ("Zoe", "Ben")]
    marker = {"color": [colours[i % len(colours)] for i in range(2 * n - 1)], "size": 5, "opacity": 1}
    x, y = k.short(_APART * columns), k.short(_TOP - _BELOW * np.array(below))
    return k.part(
        k.points("the list", x, y, k.LEVEL, marker=marker, hoverinfo="skip"),
        k.text("whose dots", [5], [_TOP - 0.1], ["his list"], textposition="middle right"),
    )


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
    'Stranger right 84 times in 100'
    """
    return _frame, _crowd, _apart, _melted
