"""Figures 1 to 3 of the PMP paper: how far eps~ stays below eps and eps(X), for an exponential choice."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.figures.pmp.ratios import SIDES, Average, over_band, varied, with_band
from mipbook.stored.pmp import FIGURE_1, FIGURE_2, FIGURE_3

_NAMES = {
    "n": ("n, records drawn", "n = {value}"),
    "objects": ("m, objects", "m = {value}"),
    "dimension": ("d, dimension", "d = {value}"),
    "clip": ("C, clip threshold", "C = {value}"),
    "sigma": ("σ, spread", "σ = {value}"),
    "epsilon": ("ε(X) or ε, held", "{held} = {value}"),
    "outliers": ("outliers", "{value} outliers"),
    "factor": ("factor of the outliers", "factor {value}"),
    "trials": ("data sets averaged", "{value} data sets"),
}
_EPSILONS = {"surrogate": "ε(X)", "epsilon": "ε"}
_Held = Annotated[str, k.Choice({word: value for value, word in _EPSILONS.items()}, label="Held fixed")]
_Convention = Annotated[str, k.Choice({"(C + 1) / n": "attained", "2C / n": "triangle"}, label="Sensitivity")]


class _Ratios:
    """The three ratios along a figure's axis, at one setting."""

    def __init__(self, figure, at, vary, to, held, convention, average):
        value = figure.options[vary][: to + 1][-1]
        middle, half, worst, self.trials = figure.told(vary, value, held, convention)
        self.is_mean = average == "mean"
        if not self.is_mean:
            middle, half, self.trials = worst, np.zeros_like(worst), min(figure.few, self.trials)
        # Fewer data sets than at the paper's setting differ from it by luck as well.
        same = figure.told("trials", self.trials, held, convention)[0 if self.is_mean else 2]
        drawn = (middle, half, same)
        self.middle, self.half, self.same = (dict(zip(SIDES, each, strict=True)) for each in drawn)
        self.stops, self.at = figure.stops, figure.stops.index(at)
        self.is_counted = np.isfinite(self.middle["exact"]).any()
        self.as_printed = vary == "trials" or value == figure.paper[vary]
        self.theirs = self.as_printed and held == "surrogate" and self.is_mean
        self.setting = k.told(_NAMES[vary][1], value=value, held=_EPSILONS[held])

    def told(self, side, at):
        """Write a ratio at a stop, the mean with its band."""
        middle = self.middle[side][at]
        if math.isnan(middle):
            return "an unknown part"
        if self.is_mean:
            return with_band(middle, self.half[side][at])
        return k.told("{most} at worst", most=k.about(middle))

    def is_known(self, side):
        return bool(np.isfinite(self.middle[side][self.at]))

    def traces(self, symbol):
        """Draw the three ratios with their bands."""
        for side, (name, look) in SIDES.items():
            middle, half = self.middle[side], self.half[side]
            over = f"{name} = %{{y:.3g}}" + (" ± %{customdata:.2g}" if self.is_mean else " at worst")
            told = {"customdata": k.kept(_drawn(half, 2), np.isfinite(middle))}
            told["hover"] = f"{over} at {symbol} = %{{x}}"
            yield over_band(name, look, middle, half, "estimate", self.stops, _drawn, **told)

    def words(self):
        """Return what the texts tell of each ratio: at the stop that is quoted, at the ends, the extremes."""
        words = {"setting": self.setting, "trials": self.trials}
        for side, middle in self.middle.items():
            words[side], known = self.told(side, self.at), middle[np.isfinite(middle)]
            ends = (known[0], known[-1], known.min(), known.max()) if len(known) else ()
            for i, end in enumerate(("first", "last", "least", "most")):
                words[f"{side}_{end}"] = k.about(ends[i]) if ends else "unknown"
        return words


def _drawn(values, digits=3):
    """Return what is drawn of values: few digits, so that a page stays small."""
    return np.array([float(f"{max(value, 1e-5):.{digits}g}") for value in values])


def _part(ratios, *quotes, lead, symbol, sentence, more="", alt, **words):
    """Return the ratios along the axis and the quotes, which are shown at the paper's own setting."""
    short = k.about(ratios.middle[lead][ratios.at], digits=2) if ratios.is_known(lead) else "unknown"
    if not ratios.as_printed:
        more = f" At the paper's own setting as many data sets give {{same}}, not {{short}}.{more}"
        words["same"] = k.about(ratios.same[lead][ratios.at])
    x, y, text = ([quote[i] for quote in quotes] for i in range(3))
    y = y if ratios.theirs else [None] * len(y)
    lies = "lies between {exact_least} and {exact_most}" if ratios.is_counted else "is not counted"
    bands = "95% bands" if ratios.is_mean else "the largest of them"
    return k.part(
        ratios.traces(symbol),
        k.quoted("quoted in the paper", x, y, text=text, showlegend=bool(x), hover="%{text}"),
        y=k.axis("ratio", log=True, range=[-4.5, 0.15]),
        height=430,
        probe=[f"{name} (estimate)" for name, _ in SIDES.values()],
        sentence=f"With {{setting}}, {sentence} (estimates, {{trials}} data sets, {bands}).{more}",
        alt=f"Three ratios on log scales {alt} eps~ over eps(X) goes from {{pool_first}} to {{pool_last}}, "
        f"eps~ over eps from {{all_first}} to {{all_last}}; over the exact eps(X) it {lies}.",
        short=short,
        **ratios.words() | words,
    )


_OF_1, _OF_2, _OF_3 = (varied(_NAMES, f.options, f.starts) for f in (FIGURE_1, FIGURE_2, FIGURE_3))


@k.figure
def pmp_figure_1(
    vary: Annotated[str, _OF_1[0]] = "n",
    to: Annotated[int, _OF_1[1]] = _OF_1[1].value,
    held: _Held = "surrogate",
    convention: _Convention = "attained",
    average: Average = "mean",
):
    """Draw the ratios against the spread of the data, one parameter of the set-up varied.

    References
    ----------
    PMP paper, Figure 1: n = 6, d = 1, m = 10, C = 10, its eps(X) = 5.

    Examples
    --------
    >>> "ε̃ / ε(X) (estimate)" in [t.name for t in pmp_figure_1().data]
    True
    """
    ratios = _Ratios(FIGURE_1, 1.0, vary, to, held, convention, average)
    mean, half, words = ratios.middle["all"], ratios.half["all"], {}
    # The ratio to eps is largest at all neighbours whose bands meet the largest one's.
    top = int(np.nanargmax(mean))
    near = np.array(ratios.stops)[mean + half >= mean[top] - half[top]]
    peak = k.told("{near}" if len(near) == 1 else "{near} to {far}", near=near[0], far=near[-1])
    more = " The ratio to ε is largest at σ = {peak}."
    if ratios.theirs:
        # How far the quote lies from the mean, in spreads of one data set.
        drawn = FIGURE_1.quotients(held, convention)[1][ratios.at]
        off = abs(0.075 - mean[ratios.at]) / drawn.std(ddof=1)
        more = (
            " The quoted 0.075 lies {off} standard deviations of one data set away: an average of {few} or "
            f"more hardly gives it.{more}"
        )
        words = {"off": k.about(off, digits=2), "few": math.ceil((1.96 / off) ** 2)}
    return _part(
        ratios,
        (1.0, 0.428, "quoted: ε̃ = 2.14 at ε(X) = 5"),
        (1.0, 0.075, "quoted: ε̃ / ε = 0.075"),
        lead="all",
        symbol="σ",
        x=k.axis("spread of the data, σ", log=True, range=[-2.1, 0.6]),
        headline="ε̃/ε = {short}, {setting}",
        sentence="at σ = 1, ε̃ is {pool} of the paper's ε(X), {all} of ε and {exact} of the exact ε(X)",
        more=more,
        alt="against the spread sigma from 0.01 to 3.",
        peak=peak,
        **words,
    )


@k.figure
def pmp_figure_2(
    vary: Annotated[str, _OF_2[0]] = "n",
    to: Annotated[int, _OF_2[1]] = _OF_2[1].value,
    held: _Held = "surrogate",
    convention: _Convention = "attained",
    average: Average = "mean",
):
    """Draw the ratios against the clip threshold, with outliers, one parameter of the set-up varied.

    References
    ----------
    PMP paper, Figure 2: n = 6, d = 5, m = 32, sigma = 1, two outliers scaled by 100, its eps(X) = 10.

    Examples
    --------
    >>> "exact" in pmp_figure_2().layout.meta["sentence"]
    True
    """
    ratios = _Ratios(FIGURE_2, 50.0, vary, to, held, convention, average)
    exact = ratios.is_known("exact")
    return _part(
        ratios,
        (50.0, 0.0123, "quoted: both ratios below 0.0123 at C = 50"),
        lead="exact" if exact else "all",
        symbol="C",
        x=k.axis("clip threshold, C", log=True, range=[-0.1, 2.4]),
        headline="{short} of the exact ε(X), {setting}" if exact else "ε̃/ε = {short}, {setting}",
        sentence="at C = 50, ε̃ is {pool} of the paper's ε(X) and {all} of ε, but {exact} of the exact ε(X)",
        more=" What falls with C is the bound." if ratios.theirs else "",
        alt="against the clip threshold C from 1 to 200, with outliers.",
    )


@k.figure
def pmp_figure_3(
    vary: Annotated[str, _OF_3[0]] = "n",
    to: Annotated[int, _OF_3[1]] = _OF_3[1].value,
    held: _Held = "surrogate",
    convention: _Convention = "attained",
    average: Average = "mean",
):
    """Draw the ratios against the dimension, one parameter varied; the paper does not say which C it used.

    References
    ----------
    PMP paper, Figure 3: n = 6, m = 10, sigma = 1, its eps(X) = 2; C = 10 is ours.

    Examples
    --------
    >>> pmp_figure_3().layout.xaxis.title.text
    'dimension, d'
    """
    ratios = _Ratios(FIGURE_3, 50, vary, to, held, convention, average)
    part = "{exact_least} to {exact_most}" if ratios.is_counted else "an unknown part"
    return _part(
        ratios,
        lead="pool",
        symbol="d",
        x=k.axis("dimension, d", log=True, range=[-0.1, 2.1]),
        headline="ε̃/ε(X) = {short}, {setting}",
        sentence="ε̃ is {one} of the paper's ε(X) at d = 1 and {pool} at d = 50, "
        f"and {part} of the exact ε(X)",
        more=" The fall is in the bound." if ratios.theirs else "",
        alt="against the dimension d from 1 to 100.",
        one=ratios.told("pool", 0),
    )
