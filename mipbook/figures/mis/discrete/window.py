"""Delta against the test mix: a window of width 1/sqrt(n) around balance."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.explore import Choice, Slider, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import say

__all__ = ["nu_window"]

LAWS = {
    "two equal values": (0.5, 0.5),
    "five values, halving": (0.5, 0.25, 0.125, 0.0625, 0.0625),
    "twenty equal values": (0.05,) * 20,
}
_U = np.linspace(-4, 4, 65)
_SIZES = [25, 100, 1000, 10_000]


def _share_of_fresh(n: int, u: Any) -> Any:
    """Return nu at gamma = 1 + u / sqrt(n)."""
    gamma = 1 + u / np.sqrt(n)
    return gamma / (1 + gamma)


@lru_cache(maxsize=1024)
def _delta(law: str, n: int, u: float) -> float:
    return float(mis.worst_case_delta(LAWS[law], n, _share_of_fresh(n, u)))


@lru_cache(maxsize=64)
def _curve(law: str, n: int) -> Any:
    return np.sqrt(n) * mis.worst_case_delta(LAWS[law], n, _share_of_fresh(n, _U))


@lru_cache(maxsize=8)
def _limit(law: str) -> Any:
    return mis.nu_window_limit(LAWS[law], _U)


@declared
def nu_window(
    law: Annotated[str, Choice(list(LAWS), label="Data")] = "five values, halving",
    n: Annotated[int, Choice(_SIZES, label="Records, n")] = 1000,
    u: Annotated[float, Slider(-4.0, 4.0, step=0.25, label="u = √n (gamma - 1)")] = 1.0,
) -> go.Figure:
    """Draw sqrt(n) Delta against u = sqrt(n) (gamma - 1) for four sizes, and the limit.

    Notes
    -----
    Limits paper, Theorem 14 and Corollary 15; see `mipbook.mis.nu_window_limit`.

    Examples
    --------
    >>> "nu = 0.5078" in nu_window().layout.meta["sentence"]
    True
    """
    root = n**0.5
    balanced, delta = _delta(law, n, 0.0), _delta(law, n, u)
    near = float(mis.nu_window_limit(LAWS[law], u)) / root
    sizes = zip(_SIZES, looks.SERIES, strict=True)
    if u == 0:
        sentence = (
            f"At n = {n:,} and balance, nu = 0.5, the worst Delta is {say(balanced)} (exact), and "
            f"the limit gives {say(near)} (approximation): this is the top of the window."
        )
    else:
        sentence = (
            f"At n = {n:,} a share of fresh test points nu = {say(_share_of_fresh(n, u), 4)} "
            f"instead of 0.5 lowers the worst Delta from {say(balanced)} to {say(delta)} (exact; "
            f"the limit gives {say(near)}, an approximation). Nothing was done to the learner."
        )
    return finish(
        [
            *(
                curve(f"n = {m:,}", _U, _curve(law, m), replace(look, width=4 if m == n else 2))
                for m, look in sizes
            ),
            curve("limit", _U, _limit(law), looks.LEVEL),
            reading(u, root * delta, "at your u"),
        ],
        sentence=sentence,
        alt=(
            f"Four curves of root n times Delta against u from -4 to 4, for n from 25 to 10,000, "
            f"nearly on top of each other and of their limit: a peak of "
            f"{say(float(_limit(law).max()))} at u = 0, falling on both sides. At u = {say(u)} and "
            f"n = {n:,} the height is {say(root * delta)}."
        ),
        layout={
            "xaxis": axis("u = √n (gamma - 1)", range=[-4.1, 4.1]),
            "yaxis": axis("√n Δ", rangemode="tozero"),
            "height": 420,
        },
    )
