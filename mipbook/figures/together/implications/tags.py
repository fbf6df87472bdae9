"""Random tags: how near a release that keeps a PMP promise comes to the bound on security."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Count, Part, Slider, declared, layer, stacked
from mipbook import accounting, mis
from mipbook.base.rounding import down, up
from mipbook.figures.frame import axis
from mipbook.figures.looks import DP, MIS, PMP
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import percent, say

__all__ = ["random_tags"]

_SIZES = [*range(1, 13), 14, 16, 18, 20, 24, 28, 32, 36, 40, 44, 48, 52, 58, 64]
_EPSILON = Slider(0.1, 4.0, 1.0, step=0.1, label="Promise, ε̃")
_GRID = np.linspace(0.0, 4.2, 43)
_ODDS = np.exp(4.2 * np.linspace(0.0, 1.0, 33) ** 1.5)
_TAGS, _PMP = "random tags (exact)", "Δ that PMP allows (bound)"
_DP = "Δ that DP allows (bound, sharp)"


def _bounds() -> Part:
    """Return both bounds and the axes."""
    said = "at {} = %{{x:.3g}} it allows Δ ≤ %{{y:.3g}}<extra></extra>"
    pmp, dp = accounting.delta_from_pmp(_GRID), mis.delta_from_dp(_GRID)
    traces = [
        curve(_PMP, _GRID, pmp, PMP.bound(), hovertemplate=said.format("ε̃")),
        curve(_DP, _GRID, dp, DP, hovertemplate=said.format("ε")),
    ]
    layout = {"xaxis": axis("ε̃ or ε", range=[0, 4.2]), "yaxis": axis("Δ", range=[0, 1.02]), "height": 420}
    return Part(traces, layout, meta={"probe": [_PMP, _DP], "ghost": [_TAGS]})


def _tags(n: int) -> Part:
    """Return the exact numbers of releases built for many odds."""
    found = [accounting.tag_release(n, float(odds)) for odds in _ODDS]
    x, y = [f.epsilon for f in found], [f.delta for f in found]
    return Part([curve(_TAGS, x, y, MIS)])


def _here(n: int, epsilon: float) -> Part:
    found = accounting.tag_release_at(n, epsilon)
    most, dp = float(accounting.delta_from_pmp(epsilon)), float(mis.delta_from_dp(epsilon))
    share = found.delta / most
    records = "1 record" if n == 1 else f"{n} records"
    sentence = (
        f"Random tags on {records} keep ε̃ = {say(epsilon)} on every pool and have Δ = "
        f"{say(found.delta, to=down)} (exact), {percent(share, to=down)} of the {say(most, to=up)} "
        f"that PMP allows (bound). DP with ε = {say(epsilon)} allows {say(dp, to=up)} (bound)."
    )
    alt = (
        "Δ against ε̃ from 0 to 4: an upper dashed curve of PMP, a lower dotted one of DP, and "
        f"between them the curve of random tags on {records}; a diamond at {say(epsilon)} and "
        f"{say(found.delta, to=down)}."
    )
    meta = {"sentence": sentence, "alt": alt, "headline": f"{percent(share, to=down)} of the bound"}
    grab = [{"control": "epsilon", "axis": "x", "at": 0.03}]
    return Part([reading(epsilon, found.delta)], meta={**meta, "grab": grab})


@declared
def random_tags(
    n: Annotated[int, Count(_SIZES, label="Records, n", play=True)] = 8,
    epsilon: Annotated[float, _EPSILON] = 1.0,
) -> go.Figure:
    """Draw Delta against the PMP parameter: the bound, that of DP, and a release between them.

    Notes
    -----
    This book, Theorem 2.5 and Example 2.10.

    Examples
    --------
    >>> "of the 0.463 that PMP allows" in random_tags(8, 1.0).layout.meta["sentence"]
    True
    """
    return stacked(layer(_bounds), layer(_tags, n=n), layer(_here, n=n, epsilon=epsilon))
