"""Figures 1 to 3 of the PMP paper: how far eps~ stays below eps and eps(X), for an exponential choice."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.base.intervals import mean_band
from mipbook.figures.pmp.ratios import _part, _Ratio
from mipbook.stored.pmp import FIGURE_1, FIGURE_2, FIGURE_3, exponential_quotients

_HELD = "The paper's ε(X)"
_CONVENTION = k.Choice({"(C + 1) / n": "attained", "2C / n": "triangle"}, label="Sensitivity")


def _exponential(figure, convention, **case):
    """Return eps~ over the paper's eps(X), over eps, and over the exact eps(X)."""
    found = exponential_quotients(figure, convention, figure.trials, **case)
    looks = {"ε̃ / ε(X)": k.PUBLISHED.with_symbol("square"), "ε̃ / ε": k.DP, "ε̃ / exact ε(X)": k.PMP}
    pairs = zip(looks.items(), found, strict=True)
    return [_Ratio(name, look.estimate(), *mean_band(values)) for (name, look), values in pairs]


@k.figure
def pmp_figure_1(
    convention: Annotated[str, _CONVENTION] = "attained",
    epsilon: Annotated[float, k.Choice(FIGURE_1.axes["epsilon"], label=_HELD)] = 5.0,
    n: Annotated[int, k.Choice(FIGURE_1.axes["n"], label="Records drawn, n")] = 6,
):
    """Draw the ratios against the spread of the data, in one dimension, clipped at 10.

    References
    ----------
    PMP paper, Figure 1.

    Examples
    --------
    >>> "ε̃ / ε(X) (estimate)" in [t.name for t in pmp_figure_1().data]
    True
    """
    sigmas, theirs = FIGURE_1.axes["sigma"], (epsilon, n) == (5.0, 6)
    case, at = {"n": n, "clip": 10.0, "epsilon": epsilon}, sigmas.index(1.0)
    ratios = _exponential(FIGURE_1, convention, **case)
    _, overall, _ = ratios
    # How far the quote lies from the mean, in spreads of one data set.
    drawn = exponential_quotients(FIGURE_1, convention, FIGURE_1.trials, **case)[1]
    off = abs(0.075 - overall.mean[at]) / drawn[at].std(ddof=1)
    # Neighbours whose bands meet the largest one's are as large for all that is known.
    top = int(overall.mean.argmax())
    near = np.array(sigmas)[overall.mean + overall.half >= overall.mean[top] - overall.half[top]]
    quote = (
        "The quoted 0.075 lies {off} standard deviations of one data set away: an average of {few} or more "
        "hardly gives it. "
    )
    return _part(
        FIGURE_1,
        "sigma",
        ratios,
        1.0,
        (1.0, 0.428, "quoted: ε̃ = 2.14 at ε(X) = 5"),
        (1.0, 0.075, "quoted: ε̃ / ε = 0.075"),
        symbol="σ",
        theirs=theirs,
        x=k.axis("spread of the data, σ", log=True, range=[-2.1, 0.6]),
        headline="ε̃/ε = {all_short} at σ = 1",
        sentence="At σ = 1, ε̃ is {pool} of the paper's ε(X) and {all} of ε (estimates, {trials} data sets, "
        f"95% bands). {quote if theirs else ''}The ratio to ε is largest at σ = {{peak}}.",
        alt="Ratios on a log scale against the spread sigma from 0.01 to 3. eps~ over eps(X) starts at "
        "{pool_first} and ends at {pool_last}; eps~ over eps rises from {all_first} to {all_most}; over the "
        "exact eps(X) it lies between {exact_least} and {exact_most}.",
        off=k.about(off, digits=2),
        few=math.ceil((1.96 / off) ** 2),
        peak=k.told("{near}" if len(near) == 1 else "{near} to {far}", near=near[0], far=near[-1]),
    )


@k.figure
def pmp_figure_2(
    convention: Annotated[str, _CONVENTION] = "attained",
    outliers: Annotated[int, k.Choice(FIGURE_2.axes["outliers"], label="Outliers")] = 2,
    factor: Annotated[float, k.Choice(FIGURE_2.axes["factor"], label="Outliers scaled by")] = 100.0,
):
    """Draw the ratios against the clip threshold, with outliers.

    References
    ----------
    PMP paper, Figure 2: n = 6, d = 5, m = 32, sigma = 1, its eps(X) = 10.

    Examples
    --------
    >>> "exact" in pmp_figure_2().layout.meta["sentence"]
    True
    """
    return _part(
        FIGURE_2,
        "clip",
        _exponential(FIGURE_2, convention, n=6, outliers=outliers, factor=factor, epsilon=10.0),
        50.0,
        (50.0, 0.0123, "quoted: both ratios below 0.0123 at C = 50"),
        symbol="C",
        theirs=(outliers, factor) == (2, 100.0),
        x=k.axis("clip threshold, C", log=True, range=[-0.1, 2.4]),
        headline="{exact_short} of the exact ε(X)",
        sentence="At C = 50, ε̃ is {pool} of the paper's ε(X) and {all} of ε (estimates, {trials} data sets, "
        "95% bands), but {exact} of the exact ε(X) (estimate, {some} of them): what falls with C is the "
        "bound.",
        alt="Ratios on log scales against the clip threshold C from 1 to 200, {outliers} outliers. eps~ over "
        "eps(X) falls from {pool_first} to {pool_last} and eps~ over eps from {all_first} to {all_last}, "
        "while over the exact eps(X) it stays between {exact_least} and {exact_most}.",
        outliers=outliers,
    )


@k.figure
def pmp_figure_3(
    convention: Annotated[str, _CONVENTION] = "attained",
    epsilon: Annotated[float, k.Choice(FIGURE_3.axes["epsilon"], label=_HELD)] = 2.0,
    clip: Annotated[float, k.Choice(FIGURE_3.axes["clip"], label="Clip threshold, C")] = 10.0,
):
    """Draw the ratios against the dimension; the paper does not say which clip threshold it used.

    References
    ----------
    PMP paper, Figure 3: n = 6, m = 10, sigma = 1.

    Examples
    --------
    >>> pmp_figure_3().layout.xaxis.title.text
    'dimension, d'
    """
    ratios = _exponential(FIGURE_3, convention, n=6, objects=10, clip=clip, epsilon=epsilon)
    return _part(
        FIGURE_3,
        "dimension",
        ratios,
        50,
        symbol="d",
        x=k.axis("dimension, d", log=True, range=[-0.1, 2.1]),
        headline="ε̃/ε(X) = {pool_short} at d = 50",
        sentence="From d = 1 to d = 50 ε̃ falls from {one} to {pool} of the paper's ε(X) (estimates, {trials} "
        "data sets, 95% bands). Of the exact ε(X) it is {exact_least} to {exact_most} (estimates, {some} of "
        "them): the fall is in the bound.",
        alt="Ratios on log scales against the dimension from 1 to 100. eps~ over eps(X) falls from "
        "{pool_first} to {pool_least}, eps~ over eps from {all_first} to {all_least}; over the exact eps(X) "
        "it is nearly flat.",
        one=ratios[0].told(0),
    )
