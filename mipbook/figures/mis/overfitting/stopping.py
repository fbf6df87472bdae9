"""What a small mean training loss costs: Theorem 11 with its best threshold."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, LogSlider, Part, declared, layer, stacked
from mipbook import mis
from mipbook.base.rounding import up
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.words import say
from mipbook.mis.overfitting.losses import stopping_terms
from mipbook.stored import store as stored_runs

__all__ = ["stopping_law"]

Array = NDArray[np.float64]

_THRESHOLDS = np.geomspace(1e-9, 1, 73)
_SLIDER = LogSlider(1e-10, 1e-2, points=33, label="Mean training loss, η")
_ETAS = np.array(_SLIDER.stops)


_BELOW: dict[str, Any] = {"showlegend": False, **LOWER}


@lru_cache(maxsize=1)
def _stored_run() -> tuple[Array, Array]:
    """Return mean training losses of the run of Figure 1 and the security its attack leaves."""
    run = stored_runs.load("overfitting_1_n1000_w4096_s0.1")
    train = run.arrays["train"] / run.settings["n"]
    fresh = run.arrays["validation"] / run.settings["fresh"]
    left = 1 - (train - fresh).max(axis=1)
    return run.arrays["train_mean"].astype(float), np.maximum(left, 1e-3)


def _density(noise: float) -> float:
    """Return the largest density of normal noise."""
    return 1 / (noise * math.sqrt(2 * math.pi))


def _at_most(told: str, values: Any) -> dict[str, Any]:
    """Return what a pointer says of upper bounds."""
    return {"hovertemplate": told, "customdata": [up(value, 2) for value in values]}


def _missed(eta: float) -> Part:
    """Draw what the threshold misses of the members."""
    missed, _ = stopping_terms(eta, 1.0, _THRESHOLDS)
    told = "threshold %{x}: at most %{customdata:.2g} of the members are missed<extra></extra>"
    name = "members missed (bound)"
    return Part([curve(name, _THRESHOLDS, missed, looks.IN, **_at_most(told, missed))])


def _caught(noise: float) -> Part:
    """Draw what the threshold catches of the others, and the least sum against eta."""
    density = _density(noise)
    _, caught = stopping_terms(1.0, density, _THRESHOLDS)
    told = "threshold %{x}: at most %{customdata:.2g} of fresh records are caught<extra></extra>"
    law = "stopped at %{x}: security at most %{customdata:.2g}<extra></extra>"
    least = np.asarray(mis.stopping_security(_ETAS, density))
    track = {"x": _ETAS.tolist(), "y": least.tolist()}
    name = "fresh caught (bound)"
    return Part(
        [
            curve(name, _THRESHOLDS, caught, replace(looks.OUT, dash="dot"), **_at_most(told, caught)),
            curve("cube root", _ETAS, least, looks.MIS.bound(), **_at_most(law, least), **_BELOW),
        ],
        words={"noise": say(noise)},
        meta={"grab": [{"control": "eta", "axis": "x2", "track": track}]},
    )


def _sum(eta: float, noise: float) -> Part:
    """Draw the sum of both, and its least value, in both pictures."""
    density = _density(noise)
    best = float(mis.stopping_threshold(eta, density))
    least = float(mis.stopping_security(eta, density))
    total = sum(stopping_terms(eta, density, _THRESHOLDS))
    lowest = float(sum(stopping_terms(eta, density, best)))
    star = looks.READING.with_symbol("star")
    told = "threshold %{x}: both add up to at most %{customdata:.2g}<extra></extra>"
    verdict = f"the best threshold, {say(best)}, leaves {say(least, to=up)} (bound)"
    words = {
        "headline": f"security at most {say(least, to=up)}",
        "eta": say(eta),
        "verdict": verdict,
        "best": say(best),
        "least": say(least),
    }
    if least >= 1:
        words["headline"] = "security at most 1: no promise yet"
        words["verdict"] = "even the best threshold leaves 1 (bound), which says nothing"
    return Part(
        [
            curve("their sum (bound)", _THRESHOLDS, total, looks.MIS.bound(), hovertemplate=told),
            points("best threshold", best, lowest, star, size=13),
            points("your η, least", eta, least, star, size=13, **_BELOW),
        ],
        words=words,
    )


def _at(epsilon: float, eta: float, noise: float) -> Part:
    """Mark the reader's own threshold."""
    here = float(sum(stopping_terms(eta, _density(noise), epsilon)))
    words = {"epsilon": say(epsilon), "here": say(min(here, 1.0))}
    return Part([reading(epsilon, here, "your threshold", showlegend=True)], words=words)


def _frame() -> Part:
    """Draw the stored run, and say what is around the numbers."""
    dots = looks.ATTACK.with_symbol("circle-open")
    run = points("run of Figure 1 (estimate)", *_stored_run(), dots, size=6, **LOWER)
    run["hovertemplate"] = "mean loss %{x:.2g}: the attack leaves %{y:.2g}<extra></extra>"
    sentence = (
        "Stopped at a mean squared error of {eta}, with noise {noise}: the threshold {epsilon} "
        "leaves a security of at most {here} (bound); {verdict}. A thousandth of the error "
        "leaves a tenth of the bound."
    )
    alt = (
        "Above, on logarithmic axes, the share of members missed falls and the share of fresh "
        "records caught rises with the threshold; their sum is least at {best}. Below, the least "
        "value, capped at 1, against the mean training loss: {least} at {eta}, on a line of slope "
        "one third, with the iterations of the run of Figure 1 as dots."
    )
    layout = {
        "rows": (0.5, 0.23),
        "xaxis": axis("threshold on the loss, ε", log=True, dtick=2, range=[-9, 0]),
        "yaxis": axis("security, bound", log=True, range=[-3, 1]),
        "xaxis2": axis("mean training loss, η", log=True, dtick=2, range=[-10.2, -1]),
        "yaxis2": axis("security", log=True, range=[-3.1, 0.2]),
        "height": 440,
    }
    meta = {
        "headline": "{headline}",
        "sentence": sentence,
        "alt": alt,
        "beside": 0.5,
        "probe": ["their sum (bound)", "cube root"],
        "grab": [{"control": "epsilon", "axis": "x"}],
    }
    return Part([run], placed(layout), meta=meta)


@declared
def stopping_law(
    eta: Annotated[float, _SLIDER] = 1e-4,
    epsilon: Annotated[float, LogSlider(1e-9, 1.0, points=19, label="Threshold, ε")] = 1e-3,
    noise: Annotated[float, Choice([0.03, 0.1, 0.3, 1.0], label="Noise, σ")] = 0.1,
) -> go.Figure:
    """Draw the bound on the security for each threshold, and its minimum against eta.

    Notes
    -----
    Limits paper, Theorem 11; ``3 (M**2 eta)**(1/3)`` is new here.  The dots are the iterations
    of the run of Figure 1, with the best of its seven thresholds.

    Examples
    --------
    >>> stopping_law(1e-4).layout.meta["headline"]
    'security at most 0.351'
    """
    return stacked(
        layer(_missed, eta=eta),
        layer(_caught, noise=noise),
        layer(_sum, eta=eta, noise=noise),
        layer(_frame),
        layer(_at, epsilon=epsilon, eta=eta, noise=noise),
    )
