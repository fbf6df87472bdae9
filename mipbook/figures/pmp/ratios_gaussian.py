"""Figures 4 to 6 of the PMP paper: how far eps~ stays below eps and eps(X), for a noisy mean."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.base.intervals import mean_band
from mipbook.figures.pmp.ratios import _EPSILONS, _part, _Ratio
from mipbook.stored.pmp import FIGURE_4, FIGURE_5, FIGURE_6

_FIXED = k.Choice({word: value for value, word in _EPSILONS.items()}, label="Held fixed")
_SENSITIVITY = k.Choice(FIGURE_4.axes["sensitivity"], label="Sensitivity")


def _gaussian(figure, along, held, at, what, *quotes, case, **more):
    """Return eps~ over eps(X) and over eps, with what is told of eps~ itself ``at`` a setting."""
    found = [figure.read(field, held=held, **case) for field in ("epsilon", "subset", "pmp")]
    epsilon, subset, bound = found
    place = figure.axes[along].index(at)
    pool = _Ratio("ε̃ / ε(X)", k.PMP.bound(), *mean_band(bound / np.maximum(subset, 1e-300)))
    overall = _Ratio("ε̃ / ε", k.DP.bound(), *mean_band(bound / epsilon))
    itself = _Ratio("ε̃", k.PMP, *mean_band(bound))
    more |= {"what": what, "word": _EPSILONS[held], "trend": overall.trend(), "trend_pool": pool.trend()}
    more |= {
        "told": itself.told(place),
        "one": itself.told(0),
        "most": k.at_most(itself.mean[place], digits=2),
    }
    more |= {"epsilon": k.about(epsilon[place].mean()), "subset": k.about(subset[place].mean())}
    more["alt"] = (
        "Two ratios on a log scale against {what}, with 95% bands. eps~ over eps(X), with diamonds, goes "
        "from {pool_first} to {pool_last}; eps~ over eps, with triangles, from {all_first} to {all_last}."
    )
    return _part(figure, along, (pool, overall), at, *quotes, kind="bound", **more)


@k.figure
def pmp_figure_4(
    held: Annotated[str, _FIXED] = "subset",
    sensitivity: Annotated[str, _SENSITIVITY] = "2C/n",
    delta: Annotated[float, k.Choice(FIGURE_4.axes["delta"], label="δ")] = 0.01,
):
    """Draw the ratios against the DP parameter that is held fixed; the text says eps(X).

    References
    ----------
    PMP paper, Figure 4: n = 100, d = 20, C = 50, sigma = 1, no outliers.

    Examples
    --------
    >>> pmp_figure_4().layout.xaxis.title.text
    'ε(X), held fixed'
    """
    verdict = "The quoted 0.9 belongs to δ = 0.01."
    if delta == 0.01:
        verdict = (
            "The text reads ε̃ < 0.9 there, and a ratio to ε that rises; it falls."
            if held == "subset"
            else "The text reads ε̃ < 0.9 at ε(X) = 10; here ε(X) is {subset}."
        )
    return _gaussian(
        FIGURE_4,
        "epsilon",
        held,
        10.0,
        f"{held} epsilon from 0.5 to 10",
        (10.0, 0.09, "quoted: ε̃ < 0.9 at 10"),
        symbol=_EPSILONS[held],
        theirs=delta == 0.01,
        case={"sensitivity": sensitivity, "n": 100, "delta": delta},
        x=k.axis(f"{_EPSILONS[held]}, held fixed", range=[0.0, 10.5]),
        headline="ε̃ = {most} at {word} = 10",
        sentence="With {word} = 10 held fixed, ε̃ is {told}: {pool_last} of ε(X) and {all_last} of ε "
        f"(estimates of the bound's mean, {{trials}} pools, 95% bands). {verdict}",
    )


@k.figure
def pmp_figure_5(
    held: Annotated[str, _FIXED] = "epsilon",
    sensitivity: Annotated[str, _SENSITIVITY] = "2C/n",
    outliers: Annotated[int, k.Choice(FIGURE_5.axes["outliers"], label="Outliers")] = 2,
):
    """Draw the ratios against the clip threshold, with outliers ten times larger.

    References
    ----------
    PMP paper, Figure 5: n = 100, d = 10, sigma = 5, delta = 0.01, at epsilon = 5.

    Examples
    --------
    >>> "quoted" in pmp_figure_5().layout.meta["sentence"]
    True
    """
    quote = "The quoted pair, ε = 5 and ε̃ = 1, does not come out: here ε is {epsilon}. "
    return _gaussian(
        FIGURE_5,
        "clip",
        held,
        100.0,
        k.told("the clip threshold from 20 to 200, {outliers} outliers", outliers=outliers),
        (100.0, 0.2, "quoted: ε = 5, ε̃ = 1 at C = 100"),
        symbol="C",
        theirs=outliers == 2,
        case={"sensitivity": sensitivity, "epsilon": 5.0, "outliers": outliers, "factor": 10.0},
        x=k.axis("clip threshold, C", range=[10.0, 210.0]),
        headline="ε̃ = {most} at C = 100",
        sentence="At C = 100 with {word} = 5 held fixed, ε̃ is {told} (estimate of the bound's mean, {trials} "
        f"pools, 95% band). {quote if outliers == 2 else ''}As C grows, ε̃/ε {{trend}} and ε̃/ε(X) "
        "{trend_pool}.",
    )


@k.figure
def pmp_figure_6(
    held: Annotated[str, _FIXED] = "epsilon",
    sensitivity: Annotated[str, _SENSITIVITY] = "2C/n",
    sigma: Annotated[float, k.Choice(FIGURE_6.axes["sigma"], label="Spread, σ")] = 1.0,
):
    """Draw the ratios against the dimension; the caption misses what is held, and its value.

    References
    ----------
    PMP paper, Figure 6: n = 100, C = 50, sigma = 1, no outliers, delta = 0.01; 5 is our choice.

    Examples
    --------
    >>> "rises all the way" in pmp_figure_6().layout.meta["sentence"]
    True
    """
    return _gaussian(
        FIGURE_6,
        "dimension",
        held,
        100,
        "the dimension from 1 to 100",
        symbol="d",
        case={"sensitivity": sensitivity, "epsilon": 5.0, "sigma": sigma},
        x=k.axis("dimension, d", log=True, range=[-0.1, 2.1]),
        headline="ε̃ = {most} in a hundred dimensions",
        sentence="With {word} = 5 and σ = {sigma}, ε̃ is {one} in one dimension and {told} in a hundred "
        "(estimates of the bound's mean, {trials} pools, 95% bands). ε̃/ε(X) {trend_pool} and ε̃/ε {trend}.",
        sigma=sigma,
    )
