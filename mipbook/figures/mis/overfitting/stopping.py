"""What a small mean training loss costs: Theorem 11 with its best threshold."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.explore import LogSlider, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.words import say
from mipbook.mis.overfitting.losses import stopping_terms
from mipbook.runs import store as stored_runs

__all__ = ["stopping_law"]

Array = NDArray[np.float64]

_THRESHOLDS = np.geomspace(1e-9, 1, 73)
_ETAS = np.geomspace(1e-10, 1e-2, 17)


@lru_cache(maxsize=1)
def _stored_run() -> tuple[Array, Array]:
    """Return mean training losses of the run of Figure 1 and the security its attack leaves."""
    run = stored_runs.load("overfitting_1_n1000_w4096_s0.1")
    train = run.arrays["train"] / run.settings["n"]
    fresh = run.arrays["validation"] / run.settings["fresh"]
    left = 1 - (train - fresh).max(axis=1)
    return run.arrays["train_mean"].astype(float), np.maximum(left, 1e-3)


@lru_cache(maxsize=64)
def _cube_root(density: float) -> Array:
    return np.asarray(mis.stopping_security(_ETAS, density))


@declared
def stopping_law(
    eta: Annotated[
        float, LogSlider(1e-10, 1e-2, points=17, label="Mean training loss, eta")
    ] = 1e-4,
    epsilon: Annotated[float, LogSlider(1e-9, 1.0, points=10, label="Threshold, epsilon")] = 1e-3,
    noise: Annotated[float, Stops([0.03, 0.1, 0.3, 1.0], label="Noise, sigma")] = 0.1,
) -> go.Figure:
    """Draw the bound on the security for each threshold, and its minimum against eta.

    Notes
    -----
    Limits paper, Theorem 11; ``3 (M**2 eta)**(1/3)`` is new here.  The dots are the iterations
    of the run of Figure 1, with the best of its seven thresholds.

    Examples
    --------
    >>> "0.35" in stopping_law(1e-4).layout.meta["sentence"]
    True
    """
    density = 1 / (noise * math.sqrt(2 * math.pi))
    best = float(mis.stopping_threshold(eta, density))
    least = float(mis.stopping_security(eta, density))
    missed, caught = stopping_terms(eta, density, _THRESHOLDS)
    sums = [float(sum(stopping_terms(eta, density, place))) for place in (epsilon, best)]
    star = looks.READING.with_symbol("star")
    if least >= 1:
        verdict = "which says nothing yet: training has to go on"
    else:
        verdict = f"at the threshold {say(best)}"
    return finish(
        [
            curve("eta / epsilon", _THRESHOLDS, missed, looks.SERIES[0]),
            curve("P(fresh loss small)", _THRESHOLDS, caught, looks.SERIES[2]),
            curve("their sum (bound)", _THRESHOLDS, missed + caught, looks.MIS.bound()),
            reading(epsilon, sums[0], "your epsilon", showlegend=True),
            points("best", best, sums[1], star, size=13),
            curve("cube root (bound)", _ETAS, _cube_root(density), looks.MIS.bound(), **LOWER),
            points(
                "Fig. 1 run (estimate)",
                *_stored_run(),
                looks.ATTACK.with_symbol("circle-open"),
                size=6,
                **LOWER,
            ),
            points("your eta, least", eta, least, star, size=13, showlegend=False, **LOWER),
        ],
        sentence=(
            f"Stopped at a mean squared error of {say(eta)}, with noise {say(noise)}: the "
            f"threshold {say(epsilon)} leaves a security of at most {say(min(sums[0], 1.0))} "
            f"(bound), the best one at most {say(least)} (bound), {verdict}. A thousandth of the "
            f"error means a tenth of the bound."
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
