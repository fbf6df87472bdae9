"""The mean of all rows, each capped: how far one person moves it, and the noise that hides that."""

from typing import Annotated

import numpy as np
from scipy.stats import norm

import mipbook.figures.kit as k
from explorable.panels.corners import Axis, Corners, Told, at_corners
from mipbook.accounting.known import from_gaussian, matching
from mipbook.base.rounding import up
from mipbook.figures.words import say

_ROWS = sorted({m * 10**e for e in range(1, 5) for m in (1, 2, 3, 5, 7)} | {100_000})
_CAPS = [float(m * 10**e) for e in range(2, 6) for m in (1, 2, 3, 5, 7)]
_RIGHTS = [51, 55, 60, 75]
# Noise over what one person moves, by how often a spy may be right.
_WIDTHS = [matching("gaussian", "accuracy", right / 100).value for right in _RIGHTS]
# The table of the published page: no point is more than five percent over the last.
_STEPS = [*range(100, 200, 4), *range(200, 500, 10), *range(500, 1000, 20)]
_REACHES = [float(f"{step}e{e}") for e in range(-5, 3) for step in _STEPS]
_X = np.linspace(-5, 5, 81)
_TOP, _LOW = 0.46, -0.05
_SAID = ("<b>one person moves it<br>by ≤ {reach} €</b>", "<b>noise, σ: {sigma} €</b>")


def _bells(right):
    """Draw what may be printed with the highest and with the lowest answer of one person."""
    width = _WIDTHS[_RIGHTS.index(right)]
    half, spent = 0.5 / width, from_gaussian(width).epsilon(1e-5)
    ends = {"size": 14, "color": [k.OUT.colour, k.IN.colour]}
    hills = [
        k.area(name, *k.short([_X, norm.pdf(_X, loc=at)]), look, hoverinfo="skip")
        for name, at, look in (("if Zoe earns nothing", -half, k.OUT), ("if Zoe earns the cap", half, k.IN))
    ]
    return k.part(
        hills,
        k.text(
            "whose", [-3.9, 3.9], [0.3] * 2, ["Zoe earns<br>nothing", "Zoe earns<br>the cap"], textfont=ends
        ),
        k.level("she moves the mean", [-half, half], [_TOP] * 2, k.Look(k.INK, width=4)),
        k.level("one σ", [-0.5, 0.5], [_LOW] * 2, k.Look(k.PMP.colour, "dash", width=4)),
        **k.stage((-5, 5), (-0.24, 0.7), height=330, showlegend=False, ghost=[]),
        headline="Noise of {sigma} euros is enough",
        sentence="One person moves the mean by {reach} euros at most. With noise of {sigma} a spy who knows "
        "all the others is right {allowed} at most (bounds).",
        alt="Two bells, as wide as the noise, {sigma}, and {reach} apart: what may be printed if one person "
        "earns nothing, and if she earns the cap.",
        table=[["reading", "at most"], ["ε at δ = 10⁻⁵, if a row is replaced", k.at_most(spent)]],
        **k.words(k.exact, k.in_100, allowed=right / 100),
    )


def _on_page():
    texts, rights = tuple(map(say, _REACHES)), tuple(_RIGHTS)
    noises = np.array([[up(reach * width, 3) for width in _WIDTHS] for reach in _REACHES])
    levels, places = np.unique(noises, return_inverse=True)
    places = places.reshape(noises.shape)
    far = f"One person may move this mean by more than {texts[-1]}: take more rows, or a lower cap."
    axes = {
        "reach": Axis(("cap",), tuple(_REACHES), texts, True, far, ("rows",), elsewhere=False),
        "right": Axis(("right",), rights, tuple(map(str, rights)), False, "", elsewhere=False),
    }
    told = {"sigma": Told(("reach", "right"), places, places, tuple(map(say, levels)))}
    leaves = {("layout", "meta", "words", word): f"{{{word}}}" for word in ("sigma", "reach")}
    leaves |= {("data", 0, "text", i): said for i, said in enumerate(_SAID)}
    return Corners(axes, told, leaves, {}, {})


@at_corners(_on_page)
def _numbers(rows, cap, right):
    """Say both lengths in the reader's own unit."""
    reach = cap / rows
    found = {"reach": k.at_most(reach), "sigma": k.at_most(reach * _WIDTHS[_RIGHTS.index(right)])}
    said = [k.told(told, **{name: found[name]}) for told, name in zip(_SAID, found, strict=True)]
    style = {"textfont": {"size": 14, "color": [k.INK, k.PMP.colour]}, "cliponaxis": False}
    where = {"textposition": ["top center", "bottom center"]}
    return k.part(
        k.text("how far", [0, 0], [_TOP + 0.03, _LOW - 0.03], said, **where, **style), **k.words(**found)
    )


@k.figure
def mean_noise(
    rows: Annotated[int, k.Count(_ROWS, 2000, label="Rows", typed=True)] = 2000,
    cap: Annotated[float, k.Stops(_CAPS, 10000, label="Cap, in euros", typed=True)] = 10000.0,
    right: Annotated[int, k.Choice(_RIGHTS, 60, label="He may win, of 100")] = 60,
):
    """Draw the noise that hides one person in the mean of all rows, each capped.

    Notes
    -----
    A Gaussian's advantage, for two tables that differ in one row, from nothing to the cap.

    Examples
    --------
    >>> mean_noise().layout.meta["headline"]
    'Noise of 9.87 euros is enough'
    """
    return _bells, _numbers
