"""How many losses can be large when their mean is small: Proposition 10."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.palette import fill
from explorable.panels import Choice, Count, Part, Slider, declared, layer, stacked
from mipbook import mis
from mipbook.base.rounding import up
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import curve
from mipbook.figures.words import percent, say

__all__ = ["LOSS_SHAPES", "markov_rectangle"]

Array = NDArray[np.float64]

_RECORDS = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100]
_BOX = [0, 1, 1, 0]
LOSS_SHAPES = ("worst case", "all equal", "evenly spread", "normal residuals")


def _losses(shape: str, n: int, alpha: float) -> Array:
    """Return rising losses in units of epsilon with mean alpha."""
    if shape == "worst case":
        return mis.worst_losses(n, 1.0, alpha)
    from scipy.special import ndtri

    place = (np.arange(n) + 0.5) / n
    raw = {"all equal": np.ones(n), "evenly spread": place, "normal residuals": ndtri((1 + place) / 2) ** 2}[
        shape
    ]
    return np.asarray(alpha * raw / raw.mean())


def _stairs(shape: str, n: int, alpha: float) -> Part:
    """Draw the sorted losses, and the rectangle of those above epsilon."""
    losses = _losses(shape, n, alpha)[::-1]
    above = float((losses > 1).mean())
    small = percent(1 - above) if above else "all"
    words = {
        "small": small,
        "above": f"{percent(above)} exceed ε" if above else "no loss exceeds ε",
        "first": say(float(losses[0])),
        "last": say(float(losses[-1])),
        "width": say(above),
    }
    edges = np.append(np.arange(n) / n, 1.0)
    told = "%{y:.2f} times ε from here on<extra></extra>"
    area: dict[str, Any] = {"fill": "tozeroy", "fillcolor": fill(looks.IN.colour)}
    # A step goes right from its corner, so that areas are means.
    stairs = curve("loss / ε", edges, np.append(losses, losses[-1]), looks.IN, hovertemplate=told, **area)
    stairs["line"] = {**stairs["line"], "shape": "hv"}
    tall = curve("above ε", [0, 0, above, above], _BOX, looks.SERIES[1], hoverinfo="skip")
    return Part([stairs, tall], words=words)


def _allowed(n: int, alpha: float) -> Part:
    """Draw the rectangle of the whole area, and say how many losses can be large."""
    most = 1 - float(mis.overfitting_fraction(n, alpha))
    words = {
        "alpha": say(alpha),
        "least": percent(1 - alpha),
        "n": str(n),
        "room": f"at most {percent(most, to=up)} of {n} can" if most else f"none of {n} can",
    }
    area = curve("α by ε", [0, 0, alpha, alpha], _BOX, looks.SERIES[2], hoverinfo="skip")
    return Part([area], words=words)


def _frame() -> Part:
    sentence = (
        "The mean loss is {alpha} of ε: {above} (exact), and {room} (bound, sharp). So {small} "
        "of the losses are small, where Proposition 10 promises {least} (bound)."
    )
    alt = (
        "Losses of {n} records over ε, sorted from {first} down to {last}, as a staircase of area "
        "{alpha}; the picture is cut at 2.6. A dashed rectangle of height 1 and width {width} lies "
        "below it, a dotted one of the whole area is {alpha} wide."
    )
    layout = {
        "xaxis": axis("share of the training records", range=[-0.02, 1.02], tickformat=".0%"),
        "yaxis": axis("loss / ε", range=[0, 2.6]),
        "height": 400,
    }
    meta = {
        "headline": "{small} of the losses are small",
        "sentence": sentence,
        "alt": alt,
        "grab": [{"control": "alpha", "axis": "x", "at": 0.5}],
    }
    return Part([], layout, meta=meta)


@declared
def markov_rectangle(
    shape: Annotated[str, Choice(LOSS_SHAPES, label="Losses")] = "normal residuals",
    n: Annotated[int, Count(_RECORDS, label="Records, n")] = 20,
    alpha: Annotated[float, Slider(0.05, 0.95, step=0.025, label="Mean loss / ε, α")] = 0.25,
) -> go.Figure:
    """Draw sorted losses with mean alpha * epsilon, and the rectangle that fits below them.

    Notes
    -----
    Limits paper, Proposition 10.

    Examples
    --------
    >>> markov_rectangle("worst case", 10, 0.25).layout.meta["headline"]
    '80% of the losses are small'
    """
    return stacked(
        layer(_frame), layer(_stairs, shape=shape, n=n, alpha=alpha), layer(_allowed, n=n, alpha=alpha)
    )
