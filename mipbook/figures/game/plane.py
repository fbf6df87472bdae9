"""The ROC plane and its corner: what DP allows, and what the best spy does through the noise."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import tradeoff
from mipbook.figures.roc import SPOKEN, coin, grid, region

_BEST, _OUTSIDE = "best spy on this noise (exact)", "outside the promise (exact)"
# All that is drawn of the corner begins so; in it accusations are this rare.
_CORNER, _RARE, _LEAST = "the corner: ", 1e-8, 1e-6
_FPRS = k.LogSlider(0.0001, 1, 0.01, points=25, label="Innocent accused, share")
_STRETCHED = np.concatenate([np.geomspace(_RARE, 0.5, 65), np.linspace(0.55, 1, 7)])
_UNNAMED = {"showlegend": False}


def _promise(epsilon, delta):
    """Return what the promise allows, in the plane and in its corner."""
    look = k.DP.bound()
    allowed = np.asarray(tradeoff.dp_tpr(_STRETCHED, epsilon, delta))
    name, line = f"{_CORNER}all that is allowed", {"color": look.colour, "dash": look.dash, "width": 2}
    corner = k.band(
        name, _STRETCHED, np.full(allowed.size, _LEAST / 10), allowed, look, line=line, **_UNNAMED
    )
    return k.part(region(epsilon, delta, "linear"), corner | k.LOWER, epsilon=epsilon, delta=delta)


def _noise(sigma):
    """Return the best spy's curve, along which the FPR is dragged."""
    x, stops = grid("linear"), np.array(_FPRS.stops)
    whole, corner = (tradeoff.gaussian_tpr(fprs, sigma) for fprs in (x, _STRETCHED))
    there = tradeoff.gaussian_tpr(stops, sigma)
    return k.part(
        k.curve(_BEST, x, whole, k.BEST, **SPOKEN),
        k.curve(f"{_CORNER}best spy", _STRETCHED, corner, k.BEST, **SPOKEN, **_UNNAMED, lower=True),
        grab=[*k.drag("fpr", stops, there), *k.drag("fpr", stops, there, "x2")],
        sigma=sigma,
    )


def _outside(epsilon, delta, sigma):
    """Return where the best spy leaves the promise, and whether he does at all."""
    look, shape = k.OUT.exact(), {"line": {"color": k.OUT.colour, "width": 6}, "hoverinfo": "skip"}
    parts = []
    for name, x in ((_OUTSIDE, grid("linear")), (f"{_CORNER}outside", _STRETCHED)):
        best = np.asarray(tradeoff.gaussian_tpr(x, sigma))
        beyond = best > np.asarray(tradeoff.dp_tpr(x, epsilon, delta)) * (1 + 1e-9)
        corner = {"lower": True, **_UNNAMED} if name != _OUTSIDE else {}
        parts.append(k.curve(name, x, k.kept(best, beyond), look, **shape, **corner))
    needed = _needed(delta, sigma)
    fits = k.told("It fits from ε = {needed}", needed=needed)
    told = "He leaves the region: the promise is broken." if needed > epsilon else "The promise is kept."
    return k.part(parts, verdict=told, fits=fits if np.isfinite(needed) else "At δ = 0 no ε fits")


@k.cache
def _needed(delta, sigma):
    return float(tradeoff.gaussian_epsilon(delta, sigma=sigma))


def _frame():
    """Return the axes, the coin, and what is said around the numbers."""
    ends = [-0.01, 1.01]
    rare = {"log": True, "dtick": 2}
    return k.part(
        coin("linear"),
        x=k.axis("innocent accused, FPR", range=ends, dtick=0.25),
        y=k.axis("members found, TPR", range=ends, dtick=0.25),
        x2=k.axis("its corner, stretched", range=[np.log10(_RARE), 0.02], **rare),
        y2=k.axis("", range=[np.log10(_LEAST), 0.7], **rare),
        rows=(0.54, 0.24),
        height=420,
        beside=0.54,
        headline="{fits}",
        sentence="With {accused} innocent accused, the best spy finds {best} members (exact). A promise of "
        "ε = {epsilon} allows {allowed} (bound). {verdict}",
        alt="ROC plane: a shaded region with straight edges shows what ε = {epsilon} and δ = {delta} allow, "
        "a smooth curve the best spy on Gaussian noise of σ = {sigma}. Beside it the corner at the bottom "
        "left on logarithmic axes. At FPR {fpr} the region reaches {top} and the curve {curve}. {verdict}",
        probe=[_BEST, f"{_CORNER}best spy"],
        ghost=[],
    )


def _labelled(name, x, y, text, side):
    """Return a mark of the corner with its number beside it."""
    said = {
        "mode": "markers+text",
        "text": [text.replace(" of 1,000", "", 1)],
        "textposition": side,
        **SPOKEN,
    }
    return k.reading([x], [y], f"{_CORNER}{name}", **said, lower=True)


def _allowed(epsilon, delta, fpr):
    top = tradeoff.dp_tpr(fpr, epsilon, delta)
    allowed = k.at_most(top, k.people)
    here = _labelled("allowed at your FPR", fpr, top, f"{allowed} allowed", "bottom center")
    return k.part(here, allowed=allowed, top=top)


def _found(sigma, fpr):
    best = tradeoff.gaussian_tpr(fpr, sigma)
    found = k.exact(best, k.people)
    return k.part(
        _labelled("found at your FPR", fpr, best, f"{found} found", "top left"),
        **k.words(k.exact, k.people, accused=fpr, best=best),
        **k.words(fpr=fpr, curve=best),
    )


@k.figure
def roc_plane(
    epsilon: Annotated[float, k.Slider(0, 8, step=0.2, label="Promise, ε", play=True)] = 1.0,
    delta: Annotated[float, k.Stops([0, 1e-5, 0.05], label="Promise, δ")] = 1e-5,
    sigma: Annotated[float, k.LogSlider(0.25, 4, points=25, label="Noise, σ")] = 1.0,
    fpr: Annotated[float, _FPRS] = 0.01,
):
    """Draw the region of (epsilon, delta)-DP and a Gaussian mechanism's curve, and the corner of both.

    Notes
    -----
    Lecture notes, Theorem 1 and Corollary 1.  The mechanism is a noisy sum of numbers in
    [-1, 1], which adding or removing a person moves by at most 1.

    Examples
    --------
    >>> roc_plane(sigma=1.0).layout.meta["headline"]
    'It fits from ε = 4.38'
    """
    return _promise, _noise, _outside, _frame, _allowed, _found
