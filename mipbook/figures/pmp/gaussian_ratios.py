"""Figures 4 to 6 of the PMP paper: the Gaussian mechanism's eps~ against eps and eps(X)."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, declared
from mipbook.base.intervals import mean_band
from mipbook.base.rounding import up
from mipbook.base.types import Array
from mipbook.figures.frame import finish
from mipbook.figures.marks import Trace
from mipbook.figures.pmp.ratios import TO_ALL, TO_EXACT, Ratio, ratio_layout, ratio_traces
from mipbook.figures.words import say
from mipbook.stored.pmp import FIGURE_4, FIGURE_5, FIGURE_6, Simulation

__all__ = ["pmp_figure_4", "pmp_figure_5", "pmp_figure_6"]

_FLOOR = 1e-4
_WORDS = {"epsilon": "ε", "subset": "ε(X)"}
_HELD = Choice({word: value for value, word in _WORDS.items()}, label="Held fixed")
_SENSITIVITY = Choice(FIGURE_4.axes["sensitivity"], label="Sensitivity")


class _Curves(NamedTuple):
    """What the pools of one setting after the other gave."""

    to_subset: Ratio
    to_all: Ratio
    bound: Array
    half: Array
    epsilon: Array
    subset: Array

    def told(self, at: int) -> str:
        """Write eps~ at a setting, with its band."""
        return Ratio("ε̃", self.bound, self.half).told(at)


def _curves(figure: Simulation, **case: Any) -> _Curves:
    epsilon, subset, bound = (figure.read(field, **case) for field in ("epsilon", "subset", "pmp"))
    return _Curves(
        Ratio.over_pools("ε̃ / ε(X)", bound / np.maximum(subset, 1e-300)),
        Ratio.over_pools("ε̃ / ε", bound / epsilon),
        *mean_band(bound),
        epsilon.mean(axis=1),
        subset.mean(axis=1),
    )


def _drawn(
    x: tuple[float, ...],
    curves: _Curves,
    points: list[tuple[float, float, str]],
    along: str,
    *,
    shown: bool = True,
) -> tuple[list[Trace], list[str]]:
    """Return the traces, and the names of the curves to read."""
    drawn = [(curves.to_subset, TO_EXACT.bound()), (curves.to_all, TO_ALL.bound())]
    traces = ratio_traces(x, drawn, "bound", points, along=along, shown=shown, floor=_FLOOR)
    return list(traces), [f"{ratio.name} (bound)" for ratio, _ in drawn]


def _layout(title: str, low: float, high: float, *, log: bool) -> dict[str, Any]:
    return ratio_layout(title, (low, high), log=log, lowest=-4)


def _trend(values: Array) -> str:
    steps = np.diff(values)
    if (steps > 0).all():
        return "rises all the way"
    if (steps < 0).all():
        return "falls all the way"
    return f"goes from {say(values[0])} to {say(values[-1])}"


def _alt(what: str, curves: _Curves) -> str:
    inside, overall = (f"from {say(ratio.mean[0])} to {say(ratio.mean[-1])}" for ratio in curves[:2])
    return (
        f"Two ratios on a log scale against {what}, with 95% bands. eps~ over eps(X), with "
        f"diamonds, goes {inside}; eps~ over eps, with triangles, {overall}."
    )


@declared
def pmp_figure_4(
    held: Annotated[str, _HELD] = "subset",
    sensitivity: Annotated[str, _SENSITIVITY] = "2C/n",
    delta: Annotated[float, Choice(FIGURE_4.axes["delta"], label="δ")] = 0.01,
) -> go.Figure:
    """Draw the ratios against the DP parameter that is held fixed; the text says eps(X).

    References
    ----------
    PMP paper, Figure 4: n = 100, d = 20, C = 50, sigma = 1, no outliers.

    Examples
    --------
    >>> pmp_figure_4().layout.xaxis.title.text
    'ε(X), held fixed'
    """
    epsilons = FIGURE_4.axes["epsilon"]
    curves = _curves(FIGURE_4, held=held, sensitivity=sensitivity, n=100, delta=delta)
    last, word = len(epsilons) - 1, _WORDS[held]
    theirs = delta == 0.01
    verdict = "The quoted 0.9 belongs to δ = 0.01."
    if theirs and held == "subset":
        verdict = "The text reads ε̃ < 0.9 there, and a ratio to ε that rises; it falls."
    elif theirs:
        verdict = f"The text reads ε̃ < 0.9 at ε(X) = 10; here ε(X) is {say(curves.subset[last])}."
    traces, probe = _drawn(epsilons, curves, [(10.0, 0.09, "quoted: ε̃ < 0.9 at 10")], word, shown=theirs)
    return finish(
        traces,
        sentence=(
            f"With {word} = 10 held fixed, ε̃ is {curves.told(last)}: "
            f"{say(curves.to_subset.mean[last])} of ε(X) and {say(curves.to_all.mean[last])} of ε "
            f"(estimates of the bound's mean, {FIGURE_4.trials} pools, 95% bands). {verdict}"
        ),
        alt=_alt(f"{held} epsilon from 0.5 to 10", curves),
        layout=_layout(f"{word}, held fixed", 0.0, 10.5, log=False),
        headline=f"ε̃ = {say(curves.bound[last], 2, up)} at {word} = 10",
        probe=probe,
    )


@declared
def pmp_figure_5(
    held: Annotated[str, _HELD] = "epsilon",
    sensitivity: Annotated[str, _SENSITIVITY] = "2C/n",
    outliers: Annotated[int, Choice(FIGURE_5.axes["outliers"], label="Outliers")] = 2,
) -> go.Figure:
    """Draw the ratios against the clip threshold, with outliers ten times larger.

    References
    ----------
    PMP paper, Figure 5: n = 100, d = 10, sigma = 5, delta = 0.01, at epsilon = 5.

    Examples
    --------
    >>> "quoted" in pmp_figure_5().layout.meta["sentence"]
    True
    """
    clips = FIGURE_5.axes["clip"]
    case = {"epsilon": 5.0, "outliers": outliers, "factor": 10.0}
    curves = _curves(FIGURE_5, held=held, sensitivity=sensitivity, **case)
    at, theirs = clips.index(100.0), outliers == 2
    quote = ""
    if theirs:
        quote = f"The quoted pair, ε = 5 and ε̃ = 1, does not come out: here ε is {say(curves.epsilon[at])}. "
    traces, probe = _drawn(
        clips, curves, [(100.0, 0.2, "quoted: ε = 5, ε̃ = 1 at C = 100")], "C", shown=theirs
    )
    return finish(
        traces,
        sentence=(
            f"At C = 100 with {_WORDS[held]} = 5 held fixed, ε̃ is {curves.told(at)} (estimate of "
            f"the bound's mean, {FIGURE_5.trials} pools, 95% band). {quote}As C grows, ε̃/ε "
            f"{_trend(curves.to_all.mean)} and ε̃/ε(X) {_trend(curves.to_subset.mean)}."
        ),
        alt=_alt(f"the clip threshold from 20 to 200, {outliers} outliers", curves),
        layout=_layout("clip threshold, C", 10.0, 210.0, log=False),
        headline=f"ε̃ = {say(curves.bound[at], 2, up)} at C = 100",
        probe=probe,
    )


@declared
def pmp_figure_6(
    held: Annotated[str, _HELD] = "epsilon",
    sensitivity: Annotated[str, _SENSITIVITY] = "2C/n",
    sigma: Annotated[float, Choice(FIGURE_6.axes["sigma"], label="Spread, σ")] = 1.0,
) -> go.Figure:
    """Draw the ratios against the dimension; the caption misses what is held, and its value.

    References
    ----------
    PMP paper, Figure 6: n = 100, C = 50, sigma = 1, no outliers, delta = 0.01; 5 is our choice.

    Examples
    --------
    >>> "rises all the way" in pmp_figure_6().layout.meta["sentence"]
    True
    """
    curves = _curves(FIGURE_6, held=held, sensitivity=sensitivity, epsilon=5.0, sigma=sigma)
    traces, probe = _drawn(FIGURE_6.axes["dimension"], curves, [], "d")
    return finish(
        traces,
        sentence=(
            f"With {_WORDS[held]} = 5 and σ = {say(sigma)}, ε̃ is {curves.told(0)} in one "
            f"dimension and {curves.told(-1)} in a hundred (estimates of the bound's mean, "
            f"{FIGURE_6.trials} pools, 95% bands). ε̃/ε(X) {_trend(curves.to_subset.mean)} and "
            f"ε̃/ε {_trend(curves.to_all.mean)}."
        ),
        alt=_alt("the dimension from 1 to 100", curves),
        layout=_layout("dimension, d", -0.1, 2.1, log=True),
        headline=f"ε̃ = {say(curves.bound[-1], 2, up)} in a hundred dimensions",
        probe=probe,
    )
