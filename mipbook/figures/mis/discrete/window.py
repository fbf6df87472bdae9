"""Delta against the test mix: a window of width 1/sqrt(n) around balance."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Count, Part, Slider, declared, layer, stacked
from mipbook import mis
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import percent, say

__all__ = ["nu_window"]

LAWS = {
    "two equal": (0.5, 0.5),
    "five, halving": (0.5, 0.25, 0.125, 0.0625, 0.0625),
    "twenty equal": (0.05,) * 20,
}
# Every second one is a stop.
_U = np.linspace(-4, 4, 65)
_SIZES = [
    *(25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 250, 320, 400, 500, 650, 800),
    *(1000, 1300, 1600, 2000, 2500, 4000, 5000, 7000, 10_000),
]


def _share_of_fresh(n: int, u: Any) -> Any:
    """Return nu at gamma = 1 + u / sqrt(n)."""
    gamma = 1 + u / np.sqrt(n)
    return gamma / (1 + gamma)


@lru_cache(maxsize=4096)
def _delta(law: str, n: int, u: float) -> float:
    return float(mis.worst_case_delta(LAWS[law], n, _share_of_fresh(n, u)))


@lru_cache(maxsize=256)
def _curve(law: str, n: int) -> Any:
    """Return Delta as a share of the balanced one."""
    return mis.worst_case_delta(LAWS[law], n, _share_of_fresh(n, _U)) / _delta(law, n, 0.0)


@lru_cache(maxsize=8)
def _limit(law: str) -> Any:
    limit = np.asarray(mis.nu_window_limit(LAWS[law], _U))
    return limit / limit.max()


def _data(law: str) -> Part:
    """Return the limit of all sizes."""
    layout = {
        "xaxis": axis("tilt of the test mix, u = √n (γ − 1)", range=[-4.1, 4.1]),
        "yaxis": axis("Δ, as a share of Δ at balance", range=[0, 1.05]),
        "height": 420,
    }
    over = "u = %{x:.2f}: %{y:.1%} of the leak is seen in the limit<extra></extra>"
    limit = curve("limit (approximation)", _U, _limit(law), looks.LEVEL, hovertemplate=over)
    return Part([limit], layout)


def _size(law: str, n: int) -> Part:
    """Return the exact curve at n, which can be taken hold of."""
    heights = _curve(law, n)
    over = "u = %{x:.2f}: %{y:.1%} of the leak is seen<extra></extra>"
    alt = (
        f"Delta as a share of its value at balance, against u from -4 to 4, exact at n = {n:,}, "
        "beside its limit: a peak of 1 at u = 0, falling on both sides. At u = {u} the share is "
        "{height}."
    )
    track = {"x": _U[::2].tolist(), "y": heights[::2].tolist()}
    meta = {
        "headline": "{headline}",
        "sentence": "{sentence}",
        "alt": alt,
        "grab": [{"control": "u", "axis": "x", "track": track}],
    }
    return Part([curve(f"n = {n:,} (exact)", _U, heights, looks.MIS, hovertemplate=over)], meta=meta)


def _here(law: str, n: int, u: float) -> Part:
    balanced, delta = _delta(law, n, 0.0), _delta(law, n, u)
    near = float(mis.nu_window_limit(LAWS[law], u)) / n**0.5
    if u == 0:
        headline = "0% of the leak hidden"
        sentence = (
            f"At n = {n:,} and balance, ν = 0.5, the worst Δ is {say(balanced)} (exact), and "
            f"the limit gives {say(near)} (approximation): this is the top of the window."
        )
    else:
        headline = f"{percent(1 - delta / balanced, 2)} of the leak hidden"
        sentence = (
            f"At n = {n:,} a share of fresh test points ν = {say(_share_of_fresh(n, u), 4)} "
            f"instead of 0.5 lowers the worst Δ from {say(balanced)} to {say(delta)} (exact; "
            f"{say(near)} in the limit, an approximation)."
        )
    words = {"u": say(u), "height": say(delta / balanced)}
    words |= {"headline": headline, "sentence": sentence}
    return Part([reading(u, delta / balanced, "at your u")], words=words)


@declared
def nu_window(
    law: Annotated[str, Choice(list(LAWS), label="Data")] = "five, halving",
    n: Annotated[int, Count(_SIZES, label="Records, n", play=True)] = 10_000,
    u: Annotated[float, Slider(-4.0, 4.0, step=0.25, label="Tilt, u = √n (γ − 1)")] = 1.0,
) -> go.Figure:
    """Draw Delta as a share of the balanced one against u = sqrt(n) (gamma - 1), and the limit.

    Notes
    -----
    Limits paper, Theorem 14 and Corollary 15; see `mipbook.mis.nu_window_limit`.

    Examples
    --------
    >>> "ν = 0.5025" in nu_window().layout.meta["sentence"]
    True
    """
    return stacked(layer(_data, law=law), layer(_size, law=law, n=n), layer(_here, law=law, n=n, u=u))
