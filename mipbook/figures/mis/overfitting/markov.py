"""How many losses can be large when their mean is small: Proposition 10."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base.palette import fill
from mipbook.explore import Choice, Count, Slider, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve
from mipbook.figures.words import percent, say

__all__ = ["LOSS_SHAPES", "markov_rectangle"]

Array = NDArray[np.float64]

LOSS_SHAPES = ("worst case", "all equal", "evenly spread", "normal residuals")


def _losses(shape: str, n: int, alpha: float) -> Array:
    """Return rising losses in units of epsilon with mean alpha."""
    if shape == "worst case":
        return mis.worst_losses(n, 1.0, alpha)
    from scipy.special import ndtri

    place = (np.arange(n) + 0.5) / n
    raw = {
        "all equal": np.ones(n),
        "evenly spread": place,
        "normal residuals": ndtri((1 + place) / 2) ** 2,
    }[shape]
    return np.asarray(alpha * raw / raw.mean())


@declared
def markov_rectangle(
    shape: Annotated[str, Choice(LOSS_SHAPES, label="Losses")] = "normal residuals",
    n: Annotated[int, Count([2, 5, 10, 20, 50, 100], label="Records, n")] = 20,
    alpha: Annotated[float, Slider(0.05, 0.95, step=0.05, label="Mean loss / epsilon")] = 0.25,
) -> go.Figure:
    """Draw sorted losses with mean alpha * epsilon, and the rectangle that fits below them.

    Notes
    -----
    Limits paper, Proposition 10.

    Examples
    --------
    >>> "20%" in markov_rectangle("worst case", 10, 0.25).layout.meta["sentence"]
    True
    """
    losses = _losses(shape, n, alpha)[::-1]
    above = float((losses > 1).mean())
    allowed = 1 - float(mis.overfitting_fraction(n, alpha))
    # As a step curve over [0, 1], so that areas are means.
    edges = np.repeat(np.arange(n + 1) / n, 2)[1:-1]
    if above:
        verdict = f"{percent(above)} of the losses exceed epsilon"
    else:
        verdict = "no loss exceeds epsilon"
    room = f"no more than {percent(allowed)} of {n} can" if allowed else f"none of {n} can"
    small = percent(1 - above) if above else "all"
    stairs: dict[str, Any] = {"fill": "tozeroy", "fillcolor": fill(looks.IN.colour)}
    box = [0, 1, 1, 0]
    return finish(
        [
            curve("loss / epsilon", edges, np.repeat(losses, 2), looks.IN, **stairs),
            curve("above epsilon", [0, 0, above, above], box, looks.SERIES[1]),
            curve("alpha by epsilon", [0, 0, alpha, alpha], box, looks.SERIES[2]),
        ],
        sentence=(
            f"The mean loss is {say(alpha)} of epsilon and {verdict} (exact); {room} (bound, "
            f"sharp). So {small} of the training losses are small here, where Proposition 10 "
            f"promises at least {percent(1 - alpha)} (bound)."
        ),
        alt=(
            f"Losses of {n} records over epsilon, sorted from {say(float(losses[0]))} down to "
            f"{say(float(losses[-1]))}, as a staircase of area {say(alpha)}. A dashed rectangle of "
            f"height 1 and width {say(above)} lies below it, a dotted one of the whole area is "
            f"{say(alpha)} wide."
        ),
        layout={
            "xaxis": axis("share of the training records", range=[-0.02, 1.02]),
            "yaxis": axis("loss / epsilon", range=[0, max(2.5, 1.08 * float(losses[0]))]),
            "height": 400,
        },
    )
