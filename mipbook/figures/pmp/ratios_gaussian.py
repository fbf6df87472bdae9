"""Figures 4 to 6 of the PMP paper: how far eps~ stays below eps and eps(X), for a noisy mean."""

from typing import Annotated

import mipbook.figures.kit as k
from mipbook.figures.pmp.ratios import AVERAGE, FIXED, SENSITIVITY, controls, drawn
from mipbook.stored.pmp import FIGURE_4, FIGURE_5, FIGURE_6

_ENDS = "eps~ over eps(X), with diamonds, {trend_pool}; eps~ over eps, with triangles, {trend_all}."
_VARY_4, _TO_4 = controls(FIGURE_4)
_VARY_5, _TO_5 = controls(FIGURE_5)
_VARY_6, _TO_6 = controls(FIGURE_6)


def _verdict_4(found, held, ratios, itself, place):
    rise = all(ratio.mean[-1] > ratio.mean[0] for ratio in ratios.values())
    low = itself.mean[place] < 0.9
    come = {(True, True): "both come out", (False, False): "neither comes out"}
    come |= {(True, False): "the first alone comes out", (False, True): "the second alone comes out"}
    told = f" The text reads ε̃ < 0.9 at ε(X) = 10 and two rising ratios: {come[low, rise]}"
    if held == "subset":
        return f"{told}."
    subset = k.about(found.subset[place].mean())
    return k.told(told + " with ε = 10 in its place, where ε(X) is {subset}.", subset=subset)


@k.figure
def pmp_figure_4(
    vary: Annotated[str, _VARY_4] = "n",
    to: Annotated[int, _TO_4] = _TO_4.value,
    held: Annotated[str, FIXED] = "subset",
    sensitivity: Annotated[str, SENSITIVITY] = "2C/n",
    average: Annotated[str, AVERAGE] = "worst",
):
    """Draw the ratios against the DP parameter that is held fixed; the text says eps(X).

    References
    ----------
    PMP paper, Figure 4: n = 100, d = 20, C = 50, sigma = 1, delta = 0.01, no outliers.  Outliers
    that are asked for are scaled by 10, as in Figure 5.

    Examples
    --------
    >>> pmp_figure_4().layout.xaxis.title.text
    'ε(X), held fixed'
    """
    return drawn(
        FIGURE_4,
        vary,
        to,
        (held, sensitivity, average),
        (10.0, 0.09, "quoted: ε̃ < 0.9 at 10"),
        _verdict_4,
        x=k.axis("ε(X), held fixed" if held == "subset" else "ε, held fixed", range=[0.0, 10.5]),
        sentence="With {kept} held fixed{setting}, ε̃ is {told}: {pool} of ε(X) and {all} of ε "
        "({how}).{verdict}",
        alt="Two ratios on a log scale against {word} from 0.5 to 10, with 95% bands. " + _ENDS,
    )


def _verdict_5(found, held, ratios, itself, place):
    pair = found.epsilon[place].mean(), itself.mean[place]
    comes = "comes out" if abs(pair[0] - 5) < 0.1 and abs(pair[1] - 1) < 0.1 else "does not come out"
    told = f" The quoted pair, ε = 5 and ε̃ = 1, {comes}: ε is {{epsilon}} here."
    return k.told(told, epsilon=k.about(pair[0]))


@k.figure
def pmp_figure_5(
    vary: Annotated[str, _VARY_5] = "n",
    to: Annotated[int, _TO_5] = _TO_5.value,
    held: Annotated[str, FIXED] = "epsilon",
    sensitivity: Annotated[str, SENSITIVITY] = "2C/n",
    average: Annotated[str, AVERAGE] = "worst",
):
    """Draw the ratios against the clip threshold, with outliers ten times larger.

    References
    ----------
    PMP paper, Figure 5: n = 100, d = 10, sigma = 5, delta = 0.01, two outliers, at epsilon = 5.

    Examples
    --------
    >>> "quoted" in pmp_figure_5().layout.meta["sentence"]
    True
    """
    return drawn(
        FIGURE_5,
        vary,
        to,
        (held, sensitivity, average),
        (100.0, 0.2, "quoted: ε = 5, ε̃ = 1 at C = 100"),
        _verdict_5,
        x=k.axis("clip threshold, C", range=[10.0, 210.0]),
        sentence="At {there} with {kept} held fixed{setting}, ε̃ is {told} ({how}).{verdict} As C "
        "grows, ε̃/ε {trend_all} and ε̃/ε(X) {trend_pool}.",
        alt="Two ratios on a log scale against the clip threshold from 20 to 200, with 95% bands. " + _ENDS,
    )


@k.figure
def pmp_figure_6(
    vary: Annotated[str, _VARY_6] = "n",
    to: Annotated[int, _TO_6] = _TO_6.value,
    held: Annotated[str, FIXED] = "epsilon",
    sensitivity: Annotated[str, SENSITIVITY] = "2C/n",
    average: Annotated[str, AVERAGE] = "worst",
):
    """Draw the ratios against the dimension; the caption misses what is held, and its value.

    References
    ----------
    PMP paper, Figure 6: n = 100, C = 50, sigma = 1, no outliers, delta = 0.01; 5 is our choice.

    Examples
    --------
    >>> "in one dimension" in pmp_figure_6().layout.meta["sentence"]
    True
    """
    return drawn(
        FIGURE_6,
        vary,
        to,
        (held, sensitivity, average),
        (),
        lambda *_: "",
        x=k.axis("dimension, d", log=True, range=[-0.1, 2.1]),
        sentence="With {kept}{setting}, ε̃ is {one} in one dimension and {told} at {there} "
        "({how}). ε̃/ε(X) {trend_pool} and ε̃/ε {trend_all}.",
        alt="Two ratios on a log scale against the dimension from 1 to 100, with 95% bands. " + _ENDS,
    )
