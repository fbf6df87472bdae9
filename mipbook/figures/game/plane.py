"""The ROC plane: its axes, what figures draw in it, what DP allows, what the best spy does in noise."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, tradeoff

Axes = Annotated[str, k.Choice(["linear", "logarithmic"], label="Axes")]
Neighbours = Annotated[str, k.Choice(game.NEIGHBOURS, label="Neighbours in the game")]
# The least rate on a logarithmic axis; what would lie below is cut there.
FLOOR = 1e-4
ALLOWED = "all that (ε, δ)-DP allows (bound)"
# What a point of a curve says to who points at it.
SPOKEN = {"hovertemplate": "accuse %{x:.2%}, find %{y:.2%}<extra></extra>"}
_LINEAR = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 73))
_LOG = np.concatenate([np.geomspace(FLOOR, 0.5, 65)[:-1], np.linspace(0.5, 1, 9)])


def grid(axes):
    """Return the false positive rates at which curves are drawn."""
    return _LINEAR if axes == "linear" else _LOG


def rate_axes(axes):
    """Return the two axes of the ROC plane."""
    log = axes == "logarithmic"
    span = [float(np.log10(FLOOR)), 0.02] if log else [-0.01, 1.01]
    return {
        "xaxis": k.axis("wrong accusations, FPR", log=log, range=span),
        "yaxis": k.axis("members found, TPR", log=log, range=span),
    }


def shown(rates, axes):
    """Cut rates at the floor of a logarithmic axis."""
    found = np.asarray(rates)
    return np.maximum(found, FLOOR / 2) if axes == "logarithmic" else found


def coin(axes, **place):
    """Return the diagonal, the attackers that do not look."""
    ends = [FLOOR, 1.0] if axes == "logarithmic" else [0.0, 1.0]
    return k.level("a coin toss (exact)", ends, ends, **place)


def region(epsilon, delta, axes):
    """Return the rates in which every (epsilon, delta)-DP mechanism keeps its attackers."""
    x, look = grid(axes), k.DP.bound()
    upper = shown(tradeoff.dp_tpr(x, epsilon, delta), axes)
    # An attacker who says the opposite mirrors the plane, so the lower edge is the upper one.
    lower = shown(1 - np.asarray(tradeoff.dp_tpr(1 - x, epsilon, delta)), axes)
    line = {"color": look.colour, "dash": look.dash, "width": 2}
    return k.band(ALLOWED, x, lower, upper, look, line=line)


def edge(name, epsilon, delta, axes, look, **place):
    """Return the largest TPR that (epsilon, delta)-DP allows at each FPR."""
    x = grid(axes)
    # An infinite epsilon has no edge to draw; the largest finite one looks the same.
    limit = shown(tradeoff.dp_tpr(x, min(epsilon, 700.0), delta), axes)
    return k.curve(name, x, limit, look, **{**SPOKEN, **place})


def empirical(name, roc, axes, confidence):
    """Return the curve of a played attack in its band; at each drawn FPR the step rule holds."""
    x, look = grid(axes), k.ATTACK.estimate()
    low, high = (shown(end, axes) for end in roc.tpr_band(x, confidence, simultaneous=True))
    return [
        k.band(f"{k.sure(confidence)} band of the whole curve", x, low, high, look),
        k.curve(name, x, shown(roc.tpr_at(x), axes), look, **SPOKEN),
    ]


_BEST, _FRAMES = "best spy on this noise (exact)", ["the whole", "its corner"]
# In the corner accusations are this rare.
_RARE, _LEAST, _WALL = 1e-8, 1e-6, 1.6
_FPRS = k.LogSlider(0.0001, 1, 0.01, points=25, label="Innocent accused, share")
_STRETCHED = np.concatenate([np.geomspace(_RARE, 0.5, 65), np.linspace(0.55, 1, 8)])


def _grid(frame):
    return grid("linear") if frame == _FRAMES[0] else _STRETCHED


def _promise(epsilon, delta, frame):
    """Return what the promise allows; in its corner only the wall of it, which leaves the picture white."""
    told = k.words(epsilon=epsilon, delta=delta)
    if frame == _FRAMES[0]:
        return k.part(region(epsilon, delta, "linear"), **told)
    look, allowed = k.DP.bound(), np.asarray(tradeoff.dp_tpr(_STRETCHED, epsilon, delta))
    wall = k.curve("its wall (bound)", _STRETCHED, allowed, look, showlegend=False, hoverinfo="skip")
    return k.part(k.band(ALLOWED, _STRETCHED, allowed / _WALL, allowed, look), wall, **told)


def _noise(sigma, frame):
    """Return the best spy's curve, along which the FPR is dragged."""
    x, stops = _grid(frame), np.array(_FPRS.stops)
    return k.part(
        k.curve(_BEST, x, tradeoff.gaussian_tpr(x, sigma), k.BEST, **SPOKEN),
        grab=k.drag("fpr", stops, tradeoff.gaussian_tpr(stops, sigma)),
        sigma=sigma,
    )


def _outside(epsilon, delta, sigma, frame):
    """Return where the best spy leaves the promise, and whether he does at all."""
    shape, x = {"line": {"color": k.OUT.colour, "width": 6}, "hoverinfo": "skip"}, _grid(frame)
    best = np.asarray(tradeoff.gaussian_tpr(x, sigma))
    beyond = best > np.asarray(tradeoff.dp_tpr(x, epsilon, delta)) * (1 + 1e-9)
    needed = _needed(delta, sigma)
    fits = k.told("It fits from ε = {needed}", needed=needed)
    told = "He leaves the region: the promise is broken." if needed > epsilon else "The promise is kept."
    return k.part(
        k.curve("outside the promise (exact)", x, k.kept(best, beyond), k.OUT.exact(), **shape),
        verdict=told,
        fits=fits if np.isfinite(needed) else "At δ = 0 no ε fits",
    )


@k.cache
def _needed(delta, sigma):
    return float(tradeoff.gaussian_epsilon(delta, sigma=sigma))


def _frame(frame):
    """Return the axes, the coin, and what is said around the numbers."""
    whole = frame == _FRAMES[0]
    ends, rare = {"range": [-0.01, 1.01], "dtick": 0.25}, {"log": True, "dtick": 2}
    return k.part(
        [coin("linear")] if whole else [],
        x=k.axis("innocent accused, FPR", **(ends if whole else rare | {"range": [np.log10(_RARE), 0.02]})),
        y=k.axis("members found, TPR", **(ends if whole else rare | {"range": [np.log10(_LEAST), 0.6]})),
        height=470,
        headline="{fits}",
        sentence="With {accused} innocent accused, the best spy finds {best} members (exact). A promise of "
        "ε = {epsilon} allows {allowed} (bound). {verdict}",
        alt="ROC plane: a shaded region with straight edges shows what ε = {epsilon} and δ = {delta} allow, "
        "a smooth curve the best spy on Gaussian noise of σ = {sigma}. At FPR {fpr} the region reaches {top} "
        "and the curve {curve}. {verdict}",
        probe=[_BEST],
        ghost=[],
        moving_axes="the corner is stretched by logarithmic axes",
    )


def _at(name, x, y, text, side, frame):
    """Return a mark; in the corner, where there is room, with its number beside it."""
    said = {"mode": "markers+text", "text": [text.replace(" of 1,000", "", 1)], "textposition": side}
    return k.reading([x], [y], name, **(said if frame == _FRAMES[1] else {}), **SPOKEN)


def _allowed(epsilon, delta, fpr, frame):
    top = tradeoff.dp_tpr(fpr, epsilon, delta)
    allowed = k.at_most(top, k.people)
    here = _at("allowed at your FPR", fpr, top, f"{allowed} allowed", "top left", frame)
    return k.part({**here, "showlegend": True}, allowed=allowed, top=top)


def _found(sigma, fpr, frame):
    best = tradeoff.gaussian_tpr(fpr, sigma)
    found = k.exact(best, k.people)
    return k.part(
        k.level("your FPR", [fpr, fpr], [_LEAST, 1], showlegend=False),
        _at("found at your FPR", fpr, best, f"\N{NO-BREAK SPACE}{found} found", "bottom right", frame),
        **k.words(k.exact, k.people, accused=fpr, best=best),
        **k.words(fpr=fpr, curve=best),
    )


@k.figure
def roc_plane(
    epsilon: Annotated[float, k.Slider(0, 8, step=0.2, label="Promise, ε", play=True)] = 1.0,
    delta: Annotated[float, k.Stops([0, 1e-5, 0.05], label="Promise, δ")] = 1e-5,
    sigma: Annotated[float, k.LogSlider(0.25, 4, points=25, label="Noise, σ")] = 1.0,
    fpr: Annotated[float, _FPRS] = 0.01,
    frame: Annotated[str, k.Choice(_FRAMES, label="Look at")] = "the whole",
):
    """Draw the region of (epsilon, delta)-DP and a Gaussian mechanism's curve, or the corner of both.

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
