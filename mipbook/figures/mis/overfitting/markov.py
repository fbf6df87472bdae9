"""Why a small mean loss is overfitting, and what it costs: Proposition 10 and Theorem 11."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, fill
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import percent, say
from mipbook.runs import store as stored_runs

__all__ = ["LOSS_SHAPES", "markov_rectangle", "stopping_law"]

Array = NDArray[Any]

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


def markov_rectangle(
    shape: str = "normal residuals", n: int = 20, alpha: float = 0.25
) -> go.Figure:
    """Draw sorted losses with mean alpha * epsilon, and the rectangle that fits below them.

    Parameters
    ----------
    shape : {"worst case", "all equal", "evenly spread", "normal residuals"}
        How the losses are spread.
    n : int
        Training records, in [2, 100].
    alpha : float
        In [0.01, 0.99].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Proposition 10.

    Examples
    --------
    >>> "20%" in markov_rectangle("worst case", 10, 0.25).layout.meta["sentence"]
    True
    """
    shape = validate.choice("shape", shape, LOSS_SHAPES)
    n = validate.integer("n", n, 2, 100)
    alpha = validate.number("alpha", alpha, 0.01, 0.99)
    losses = _losses(shape, n, alpha)[::-1]
    above = float((losses > 1).mean())
    allowed = 1 - float(mis.overfitting_fraction(n, alpha))
    figure = go.Figure()
    # As a step curve over [0, 1], so that areas are means.
    edges = np.repeat(np.arange(n + 1) / n, 2)[1:-1]
    figure.add_scatter(
        x=edges,
        y=np.repeat(losses, 2),
        mode="lines",
        fill="tozeroy",
        fillcolor=fill(BLUE),
        name="loss / epsilon",
        line={"color": BLUE, "width": 2},
    )
    for name, share, colour, dash in (
        ("above epsilon", above, ORANGE, "dash"),
        ("alpha by epsilon", alpha, GREEN, "dot"),
    ):
        figure.add_scatter(
            x=[0, 0, share, share],
            y=[0, 1, 1, 0],
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 3},
        )
    top = max(2.5, 1.08 * float(losses[0]))
    if above:
        verdict = f"{percent(above)} of the losses exceed epsilon"
    else:
        verdict = "no loss exceeds epsilon"
    room = f"no more than {percent(allowed)} of {n} can" if allowed else f"none of {n} can"
    small = percent(1 - above) if above else "all"
    return finish(
        figure,
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
            "yaxis": axis("loss / epsilon", range=[0, top]),
            "height": 400,
        },
    )


@lru_cache(maxsize=4)
def _run() -> tuple[Array, Array]:
    """Return mean training losses of the run of Figure 1 and the security its attack leaves."""
    run = stored_runs.load("overfitting_1_n1000_w4096_s0.1")
    found = run.arrays
    gain = found["train"] / run.settings["n"] - found["validation"] / run.settings["fresh"]
    return found["train_mean"].astype(float), 1 - gain.max(axis=1)


def stopping_law(eta: float = 1e-4, epsilon: float = 1e-3, noise: float = 0.1) -> go.Figure:
    """Draw the bound on the security for each threshold, and its minimum against eta.

    Parameters
    ----------
    eta : float
        The mean squared error at which training stops, in [1e-10, 0.01].
    epsilon : float
        The attack's threshold, in [1e-9, 1].
    noise : float
        Standard deviation of the normal noise of the labels, in [0.01, 10].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 11; ``3 (M**2 eta)**(1/3)`` is new here.  The dots are the iterations
    of the run of Figure 1, with the best of its seven thresholds.

    Examples
    --------
    >>> "0.35" in stopping_law(1e-4).layout.meta["sentence"]
    True
    """
    eta = validate.number("eta", eta, 1e-10, 1e-2)
    epsilon = validate.number("epsilon", epsilon, 1e-9, 1.0)
    # The stops of a log slider are off by rounding.
    eta, epsilon = (float(f"{value:.12g}") for value in (eta, epsilon))
    noise = validate.number("noise", noise, 0.01, 10.0)
    density = 1 / (noise * math.sqrt(2 * math.pi))
    grid = np.geomspace(1e-9, 1, 73)
    best = float(mis.stopping_threshold(eta, density))
    least = float(mis.stopping_security(eta, density))
    here = float(mis.stopping_security(eta, density, epsilon))
    figure = go.Figure()
    for name, y, colour, dash in (
        ("eta / epsilon", eta / grid, BLUE, "dash"),
        ("P(fresh loss small)", 2 * density * np.sqrt(grid), ORANGE, "dot"),
        ("their sum (bound)", eta / grid + 2 * density * np.sqrt(grid), INK, "solid"),
    ):
        figure.add_scatter(
            x=grid, y=y, mode="lines", name=name, line={"color": colour, "dash": dash, "width": 2.5}
        )
    for name, x, symbol in (("your epsilon", epsilon, "diamond-open"), ("best", best, "star")):
        figure.add_scatter(
            x=[x],
            y=[eta / x + 2 * density * math.sqrt(x)],
            mode="markers",
            name=name,
            marker={"color": PURPLE, "symbol": symbol, "size": 13, "line": {"width": 2}},
        )
    levels = np.geomspace(1e-10, 1e-2, 17)
    figure.add_scatter(
        x=levels,
        y=np.asarray(mis.stopping_security(levels, density)),
        mode="lines",
        name="cube root (bound)",
        line={"color": GREEN, "dash": "longdash", "width": 3},
        **LOWER,
    )
    means, left = _run()
    figure.add_scatter(
        x=means,
        y=np.maximum(left, 1e-3),
        mode="markers",
        name="Fig. 1 run (estimate)",
        marker={"color": GREY, "symbol": "circle-open", "size": 6},
        **LOWER,
    )
    figure.add_scatter(
        x=[eta],
        y=[least],
        mode="markers",
        name="your eta, least",
        showlegend=False,
        marker={"color": PURPLE, "symbol": "star", "size": 13},
        **LOWER,
    )
    if least >= 1:
        told = "which says nothing yet: training has to go on"
    else:
        told = f"at the threshold {say(best)}"
    return finish(
        figure,
        sentence=(
            f"Stopped at a mean squared error of {say(eta)}, with noise {say(noise)}: the "
            f"threshold {say(epsilon)} leaves a security of at most {say(here)} (bound), the best "
            f"one at most {say(least)} (bound), {told}. A thousandth of the error means a tenth "
            f"of the bound."
        ),
        alt=(
            f"Above, eta / epsilon falls and the chance of a small fresh loss rises with the "
            f"threshold; their sum is least at {say(best)}. Below, the least value, capped at 1, "
            f"against eta: {say(least)} at {say(eta)}, a line of slope one third, with the "
            f"iterations of the run of Figure 1 as dots."
        ),
        layout={
            "rows": (0.5, 0.2),
            "xaxis": axis("threshold, epsilon", log=True, dtick=2),
            "yaxis": axis("bound on MIS", log=True, range=[-3, 1]),
            "xaxis2": axis("mean training loss, eta", log=True, dtick=2, range=[-10.2, -1]),
            "yaxis2": axis("bound on MIS", log=True, range=[-3.1, 0.2]),
            "height": 560,
        },
    )
