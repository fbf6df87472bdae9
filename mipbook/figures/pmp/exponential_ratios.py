"""Figures 1 to 3 of the PMP paper: how far eps~ stays below eps and eps(X)."""

from __future__ import annotations

import math
from typing import Annotated, Any

import plotly.graph_objects as go

from explorable.panels import Choice, declared
from mipbook.figures.frame import finish
from mipbook.figures.marks import Trace
from mipbook.figures.pmp.ratios import TO_ALL, TO_EXACT, TO_PUBLISHED, Ratio, ratio_layout, ratio_traces
from mipbook.figures.words import say
from mipbook.stored.pmp import FIGURE_1, FIGURE_2, FIGURE_3, Simulation, exponential_quotients

__all__ = ["pmp_figure_1", "pmp_figure_2", "pmp_figure_3"]

_HELD = "The paper's ε(X)"
_EXACT_TRIALS = FIGURE_1.few["exact"][0]
_SENSITIVITY = Choice({"(C + 1) / n": "attained", "2C / n": "triangle"}, label="Sensitivity")
_Ratios = tuple[Ratio, Ratio, Ratio]


def _ratios(figure: Simulation, convention: str, **case: Any) -> _Ratios:
    """Return eps~ over the paper's eps(X), over eps, and over the exact eps(X)."""
    published, overall, exact = exponential_quotients(figure, convention, figure.trials, **case)
    return (
        Ratio.over_pools("ε̃ / ε(X)", published),
        Ratio.over_pools("ε̃ / ε", overall),
        Ratio.over_pools("ε̃ / exact ε(X)", exact),
    )


def _drawn(
    x: tuple[float, ...],
    ratios: _Ratios,
    points: list[tuple[float, float, str]],
    along: str,
    *,
    shown: bool = True,
) -> tuple[list[Trace], list[str]]:
    """Return the traces, and the names of the curves to read."""
    drawn = zip(ratios, (TO_PUBLISHED, TO_ALL, TO_EXACT), strict=True)
    looked = [(ratio, look.estimate()) for ratio, look in drawn]
    traces = ratio_traces(x, looked, "estimate", points, along=along, shown=shown, floor=1e-6)
    return list(traces), [f"{ratio.name} (estimate)" for ratio in ratios]


def _layout(title: str, low: float, high: float) -> dict[str, Any]:
    return ratio_layout(title, (low, high), log=True, lowest=-3.3)


def _peak(overall: Ratio, sigmas: tuple[float, ...]) -> str:
    """Say where a ratio is largest, as far as its bands tell."""
    top = int(overall.mean.argmax())
    # Neighbours whose bands meet the largest one's are as large for all that is known.
    least = overall.mean[top] - overall.half[top]
    upper = overall.mean + overall.half
    near = [s for s, end in zip(sigmas, upper, strict=True) if end >= least]
    return f"{near[0]:g}" if len(near) == 1 else f"{near[0]:g} to {near[-1]:g}"


@declared
def pmp_figure_1(
    convention: Annotated[str, _SENSITIVITY] = "attained",
    epsilon: Annotated[float, Choice(FIGURE_1.axes["epsilon"], label=_HELD)] = 5.0,
    n: Annotated[int, Choice(FIGURE_1.axes["n"], label="Records drawn, n")] = 6,
) -> go.Figure:
    """Draw the ratios against the spread of the data, in one dimension, clipped at 10.

    References
    ----------
    PMP paper, Figure 1.

    Examples
    --------
    >>> "ε̃ / ε(X) (estimate)" in [t.name for t in pmp_figure_1().data]
    True
    """
    sigmas = FIGURE_1.axes["sigma"]
    case = {"n": n, "clip": 10.0, "epsilon": epsilon}
    ratios = _ratios(FIGURE_1, convention, **case)
    published, overall, exact = ratios
    at = sigmas.index(1.0)
    theirs = (epsilon, n) == (5.0, 6)
    points = [(1.0, 0.428, "quoted: ε̃ = 2.14 at ε(X) = 5"), (1.0, 0.075, "quoted: ε̃ / ε = 0.075")]
    quote = ""
    if theirs:
        drawn = exponential_quotients(FIGURE_1, convention, FIGURE_1.trials, **case)[1]
        off = abs(0.075 - overall.mean[at]) / drawn[at].std(ddof=1)
        few = math.ceil((1.96 / off) ** 2)
        quote = (
            f"The quoted 0.075 lies {say(off, 2)} standard deviations of one data set away: an "
            f"average of {few} or more hardly gives it. "
        )
    traces, probe = _drawn(sigmas, ratios, points, "σ", shown=theirs)
    return finish(
        traces,
        sentence=(
            f"At σ = 1, ε̃ is {published.told(at)} of the paper's ε(X) and {overall.told(at)} of ε "
            f"(estimates, {FIGURE_1.trials} data sets, 95% bands). {quote}The ratio to ε is "
            f"largest at σ = {_peak(overall, sigmas)}."
        ),
        alt=(
            f"Ratios on a log scale against the spread sigma from 0.01 to 3. eps~ over eps(X) "
            f"starts at {say(published.mean[0])} and ends at {say(published.mean[-1])}; eps~ over "
            f"eps rises from {say(overall.mean[0])} to {say(overall.mean.max())}; over the exact "
            f"eps(X) it lies between {say(exact.mean.min())} and {say(exact.mean.max())}."
        ),
        layout=_layout("spread of the data, σ", -2.1, 0.6),
        headline=f"ε̃/ε = {say(overall.mean[at], 2)} at σ = 1",
        probe=probe,
    )


@declared
def pmp_figure_2(
    convention: Annotated[str, _SENSITIVITY] = "attained",
    outliers: Annotated[int, Choice(FIGURE_2.axes["outliers"], label="Outliers")] = 2,
    factor: Annotated[float, Choice(FIGURE_2.axes["factor"], label="Outliers scaled by")] = 100.0,
) -> go.Figure:
    """Draw the ratios against the clip threshold, with outliers.

    References
    ----------
    PMP paper, Figure 2: n = 6, d = 5, m = 32, sigma = 1, its eps(X) = 10.

    Examples
    --------
    >>> "exact" in pmp_figure_2().layout.meta["sentence"]
    True
    """
    clips = FIGURE_2.axes["clip"]
    case = {"n": 6, "outliers": outliers, "factor": factor, "epsilon": 10.0}
    ratios = _ratios(FIGURE_2, convention, **case)
    published, overall, exact = ratios
    at = clips.index(50.0)
    points = [(50.0, 0.0123, "quoted: both ratios below 0.0123 at C = 50")]
    theirs = (outliers, factor) == (2, 100.0)
    traces, probe = _drawn(clips, ratios, points, "C", shown=theirs)
    return finish(
        traces,
        sentence=(
            f"At C = 50, ε̃ is {published.told(at)} of the paper's ε(X) and {overall.told(at)} of "
            f"ε (estimates, {FIGURE_2.trials} data sets, 95% bands), but {exact.told(at)} of the "
            f"exact ε(X) (estimate, {_EXACT_TRIALS} of them): what falls with C is the bound."
        ),
        alt=(
            f"Ratios on log scales against the clip threshold C from 1 to 200, {outliers} "
            f"outliers. eps~ over eps(X) falls from {say(published.mean[0])} to "
            f"{say(published.mean[-1])} and eps~ over eps from {say(overall.mean[0])} to "
            f"{say(overall.mean[-1])}, while over the exact eps(X) it stays between "
            f"{say(exact.mean.min())} and {say(exact.mean.max())}."
        ),
        layout=_layout("clip threshold, C", -0.1, 2.4),
        headline=f"{say(exact.mean[at], 2)} of the exact ε(X)",
        probe=probe,
    )


@declared
def pmp_figure_3(
    convention: Annotated[str, _SENSITIVITY] = "attained",
    epsilon: Annotated[float, Choice(FIGURE_3.axes["epsilon"], label=_HELD)] = 2.0,
    clip: Annotated[float, Choice(FIGURE_3.axes["clip"], label="Clip threshold, C")] = 10.0,
) -> go.Figure:
    """Draw the ratios against the dimension; the paper does not say which clip threshold it used.

    References
    ----------
    PMP paper, Figure 3: n = 6, m = 10, sigma = 1.

    Examples
    --------
    >>> pmp_figure_3().layout.xaxis.title.text
    'dimension, d'
    """
    dimensions = FIGURE_3.axes["dimension"]
    ratios = _ratios(FIGURE_3, convention, n=6, objects=10, clip=clip, epsilon=epsilon)
    published, overall, exact = ratios
    at = dimensions.index(50)
    traces, probe = _drawn(dimensions, ratios, [], "d")
    return finish(
        traces,
        sentence=(
            f"From d = 1 to d = 50 ε̃ falls from {published.told(0)} to {published.told(at)} of "
            f"the paper's ε(X) (estimates, {FIGURE_3.trials} data sets, 95% bands). Of the exact "
            f"ε(X) it is {say(exact.mean.min())} to {say(exact.mean.max())} (estimates, "
            f"{_EXACT_TRIALS} of them): the fall is in the bound."
        ),
        alt=(
            f"Ratios on log scales against the dimension from 1 to 100. eps~ over eps(X) falls "
            f"from {say(published.mean[0])} to {say(published.mean.min())}, eps~ over eps from "
            f"{say(overall.mean[0])} to {say(overall.mean.min())}; over the exact eps(X) it is "
            f"nearly flat."
        ),
        layout=_layout("dimension, d", -0.1, 2.1),
        headline=f"ε̃/ε(X) = {say(published.mean[at], 2)} at d = 50",
        probe=probe,
    )
