"""How much security the choice of the test mix buys: the sharp bound against nu."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Part, declared, layer, stacked
from mipbook import mis
from mipbook.base.rounding import down, up
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import curve
from mipbook.figures.mis.dp.curves import EPSILONS
from mipbook.figures.words import percent, say

__all__ = ["dp_weights"]

_NU = np.linspace(0.05, 0.95, 91)
# Where half of the test points are fresh.
_HALF = 45


@lru_cache(maxsize=64)
def _promised(epsilon: float) -> Any:
    return np.asarray(mis.security_from_dp(epsilon, nu=_NU))


def _promise(epsilon: float) -> Part:
    """Draw what DP alone promises; beyond the edges it leaves nothing to gain."""
    edge = 1 / (1 + math.exp(epsilon))
    edges = [edge, edge, None, 1 - edge, 1 - edge], [0.0, 1.0, None, 0.0, 1.0]
    told = "%{x:.0%} fresh: any such learner has at least %{customdata:.3g}<extra></extra>"
    name = "any DP learner (bound)"
    promised = _promised(epsilon)
    said = [down(value, 3) for value in promised]
    sentence = (
        f"{say(epsilon)}-DP promises a security of {say(said[_HALF])} with half of the test points "
        f"fresh, and 1 with more than {percent(1 - edge, to=up)} or less than "
        f"{percent(edge, to=down)} (bounds). The noisy count of n = {{n}} records has {{exact}} "
        "with half (exact)."
    )
    alt = (
        "Security against the share of fresh points from 0.05 to 0.95. A dashed and a solid "
        f"curve, both lowest at one half, where they are {say(said[_HALF])} and "
        "{exact}; both reach 1 towards the sides. Dotted upright lines at "
        f"{say(edge)} and {say(1 - edge)}."
    )
    layout = {
        "xaxis": axis("share of fresh test points, ν", range=[0, 1], tickformat=".0%"),
        "yaxis": axis("security", range=[0, 1.05]),
        "height": 400,
    }
    meta = {
        "headline": f"1 from {percent(1 - edge, to=up)} fresh points on",
        "sentence": sentence,
        "alt": alt,
        "probe": [name, "noisy count (exact)"],
    }
    return Part(
        [
            curve(name, _NU, promised, looks.DP.bound(), hovertemplate=told, customdata=said),
            curve("beyond: always 1", *edges, looks.DP, hoverinfo="skip"),
        ],
        layout,
        meta=meta,
    )


def _counted(epsilon: float, n: int) -> Part:
    """Draw the exact security of a noisy count."""
    exact = 1 - np.asarray(mis.geometric_count_delta(n, 0.5, epsilon, _NU))
    told = "%{x:.0%} fresh: the noisy count has %{y:.3f}<extra></extra>"
    words = {"n": str(n), "exact": say(float(exact[_HALF]))}
    line = curve("noisy count (exact)", _NU, exact, looks.MIS, hovertemplate=told)
    return Part([line], words=words)


@declared
def dp_weights(
    epsilon: Annotated[float, EPSILONS] = 1.0,
    n: Annotated[int, Choice([1, 10, 100], label="Records, n")] = 10,
) -> go.Figure:
    """Draw the least security against the share of fresh test points.

    Notes
    -----
    Limits paper, Remark 8; the bound is new in this book.  ``lam`` is one half.

    Examples
    --------
    >>> dp_weights().layout.meta["headline"]
    '1 from 73.2% fresh points on'
    """
    return stacked(layer(_promise, epsilon=epsilon), layer(_counted, epsilon=epsilon, n=n))
