"""Delta against the test mix: a window of width 1/sqrt(n) around balance."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE, PURPLE
from mipbook.figures.frame import axis, finish
from mipbook.figures.roc import add_point
from mipbook.figures.words import say

__all__ = ["DISCRETE_LAWS", "nu_window"]

DISCRETE_LAWS = {
    "two equal values": (0.5, 0.5),
    "five values, halving": (0.5, 0.25, 0.125, 0.0625, 0.0625),
    "twenty equal values": (0.05,) * 20,
}
_U = np.linspace(-4, 4, 65)
_SIZES = (25, 100, 1000, 10_000)
_LOOKS = ((PURPLE, "dot"), (GREEN, "dashdot"), (ORANGE, "dash"), (BLUE, "longdash"))


def _delta(law: str, n: int, u: NDArray[np.float64]) -> NDArray[np.float64]:
    gamma = 1 + u / np.sqrt(n)
    return np.asarray(mis.worst_case_delta(DISCRETE_LAWS[law], n, gamma / (1 + gamma)))


@lru_cache(maxsize=64)
def _curve(law: str, n: int) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(n) * _delta(law, n, _U))


def nu_window(law: str = "five values, halving", n: int = 1000, u: float = 1.0) -> go.Figure:
    """Draw sqrt(n) Delta against u = sqrt(n) (gamma - 1) for four sizes, and the limit.

    Parameters
    ----------
    law : str
        One of ``DISCRETE_LAWS``.
    n : {25, 100, 1000, 10000}
        The size at which the curve is read.
    u : float
        Where to read it, in [-4, 4].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 14 and Corollary 15; see `mipbook.mis.nu_window_limit`.

    Examples
    --------
    >>> "nu = 0.5078" in nu_window().layout.meta["sentence"]
    True
    """
    law = validate.choice("law", law, tuple(DISCRETE_LAWS))
    n = validate.choice("n", n, _SIZES)
    u = validate.number("u", u, -4.0, 4.0)
    figure = go.Figure()
    for size, (colour, dash) in zip(_SIZES, _LOOKS, strict=True):
        figure.add_scatter(
            x=_U,
            y=_curve(law, size),
            mode="lines",
            name=f"n = {size:,}",
            line={"color": colour, "dash": dash, "width": 4 if size == n else 2},
        )
    limit = np.asarray(mis.nu_window_limit(DISCRETE_LAWS[law], _U))
    figure.add_scatter(
        x=_U, y=limit, mode="lines", name="limit", line={"color": INK, "dash": "solid", "width": 1}
    )
    balanced, here = (float(v) for v in _delta(law, n, np.array([0.0, u])))
    add_point(figure, [u], [float(np.sqrt(n)) * here], "at your u", showlegend=False)
    gamma = 1 + u / n**0.5
    nu = gamma / (1 + gamma)
    near = float(mis.nu_window_limit(DISCRETE_LAWS[law], u)) / n**0.5
    if u == 0:
        sentence = (
            f"At n = {n:,} and balance, nu = 0.5, the worst Delta is {say(balanced)} (exact), and "
            f"the limit gives {say(near)} (approximation): this is the top of the window."
        )
    else:
        sentence = (
            f"At n = {n:,} a share of fresh test points nu = {say(nu, 4)} instead of 0.5 lowers "
            f"the worst Delta from {say(balanced)} to {say(here)} (exact; the limit gives "
            f"{say(near)}, an approximation). Nothing was done to the learner."
        )
    return finish(
        figure,
        sentence=sentence,
        alt=(
            f"Four curves of root n times Delta against u from -4 to 4, for n from 25 to 10,000, "
            f"nearly on top of each other and of their limit: a peak of "
            f"{say(float(limit.max()))} at u = 0, falling on both sides. At u = {say(u)} and "
            f"n = {n:,} the height is {say(n**0.5 * here)}."
        ),
        layout={
            "xaxis": axis("u = √n (gamma - 1)", range=[-4.1, 4.1]),
            "yaxis": axis("√n Δ", rangemode="tozero"),
            "height": 420,
        },
    )
