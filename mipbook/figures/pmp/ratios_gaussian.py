"""Figures 4 to 6 of the PMP paper: how far eps~ stays below eps and eps(X), for a noisy mean."""

from typing import Annotated, Any, NamedTuple

import numpy as np

import mipbook.figures.kit as k
from mipbook.base.rounding import mean_band
from mipbook.figures.pmp.ratios import over_band, varied, with_band
from mipbook.stored.pmp import FIGURE_4, FIGURE_5, FIGURE_6, SENSITIVITIES, USUAL

_EPSILONS = {"epsilon": "ε", "subset": "ε(X)"}
_Held = Annotated[str, k.Choice({word: value for value, word in _EPSILONS.items()}, label="Held fixed")]
_Sensitivity = Annotated[str, k.Choice(SENSITIVITIES, label="Sensitivity")]
# The mean over records is no bound, and no PMP parameter.
_AVERAGES = {"worst record": "worst", "mean over records": "mean", "worst data set": "set"}
_Average = Annotated[str, k.Choice(_AVERAGES, label="ε̃ of the")]
_HOW = {
    "worst": "estimates of the bound's mean, {trials} data sets, 95% bands",
    "mean": "estimates of the mean over records, {trials} data sets, 95% bands",
    "set": "bounds, the largest of {trials} data sets",
}
_POOLS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20, 22, 25, 28, 30)
# The least that a logarithmic axis takes.
_FLOOR = 1e-12
# What can be moved: in the menu, and how a sentence says where it is.
_MOVED = {
    "n": ("Records drawn, n", "n = {moved}"),
    "dimension": ("Dimension, d", "d = {moved}"),
    "clip": ("Clip threshold, C", "C = {moved}"),
    "sigma": ("Spread of the data, σ", "σ = {moved}"),
    "delta": ("δ", "δ = {moved}"),
    "outliers": ("Outliers", "{moved} outliers"),
    "factor": ("Outliers scaled by", "a factor of {moved}"),
    "epsilon": ("ε or ε(X), held", "{word} = {moved}"),
    "pools": ("Data sets", "{moved} data sets"),
}
_ENDS = "eps~ over eps(X), with diamonds, {trend_pool}; eps~ over eps, with triangles, {trend_all}."


class _Ratio(NamedTuple):
    """What is drawn at each point of the axis, with the half width of its 95% band if a mean."""

    name: str
    look: k.Look
    mean: Any
    half: Any

    def told(self, at):
        """Write the value at a point, with its band."""
        if self.half is None:
            return k.told("{most}", most=self.end(at))
        # What rounding leaves of a band that is none is none.
        return with_band(self.mean[at], self.half[at] if self.half[at] > 1e-9 * self.mean[at] else 0.0)

    def end(self, at):
        return k.at_most(self.mean[at]) if self.half is None else k.about(self.mean[at])

    def trend(self):
        steps = np.diff(self.mean)
        if (steps > 0).all() or (steps < 0).all():
            return "rises all the way" if steps[0] > 0 else "falls all the way"
        return k.told("goes from {first} to {last}", first=self.end(0), last=self.end(-1))


def _above(values):
    """Return values as a logarithmic axis takes them."""
    return k.short(np.maximum(values, _FLOOR))


def _stops(figure):
    """Return the stops of all that can be moved, the axis last; and where each starts."""
    names = [name for name in _MOVED if name in figure.stops and name != figure.along]
    names += ["pools", figure.along]
    stops, own = {**figure.stops, "pools": _POOLS}, {**figure.own, "pools": USUAL}
    return {name: stops[name] for name in names}, {name: own[name] for name in names}


def _drawn(figure, state, quote=(), verdict=None, **texts):
    """Return the ratios along the figure's axis with one parameter moved, and what is told.

    Away from the paper's setting nothing is quoted, and the trace of the quote keeps its size.
    """
    vary, to, held, sensitivity, average = state
    stops, own = _stops(figure)
    along, value, word = figure.along, stops[vary][to], _EPSILONS[held]
    moved = {} if vary == along else {vary: value}
    found = figure.read(held, sensitivity, "mean" if average == "mean" else "worst", **moved)
    theirs, own_place = vary in (along, "pools") or value == own[vary], found.at.index(own[along])
    place = found.at.index(value) if vary == along else own_place
    kind = "estimate" if average == "mean" else "bound"

    def over(name, idea, by):
        values = found.pmp / by
        return _Ratio(name, idea, *((values.max(axis=-1), None) if average == "set" else mean_band(values)))

    ratios = {
        "pool": over("ε̃ / ε(X)", k.PMP, np.maximum(found.subset, 1e-300)),
        "all": over("ε̃ / ε", k.DP, found.epsilon),
    }
    itself, named = over("ε̃", k.PMP, 1.0), {"word": word}
    said = "%{y:.3g}" + ", the largest," * (average == "set")
    said += f" at {_MOVED[along][1].partition(' ')[0].format(word=word)} = %{{x}}"
    curves, words = [], {}
    for side, ratio in ratios.items():
        curves += over_band(*ratio, kind, found.at, _above, hover=f"{ratio.name} = {said}")
        words |= {side: ratio.told(place), f"trend_{side}": ratio.trend()}
        words |= {f"{side}_first": ratio.end(0), f"{side}_last": ratio.end(-1)}
    x, y, text = ([each] for each in quote or (None, None, None))
    y = y if theirs else [None]
    there = where = k.told(_MOVED[along][1], moved=found.at[place], **named)
    setting = ""
    if not theirs and vary != "epsilon":
        where = k.told(_MOVED[vary][1], moved=value, **named)
        setting = k.told(f" and {_MOVED[vary][1]}", moved=value, **named)
    return k.part(
        curves,
        k.reading([found.at[place]] * 2, [max(ratio.mean[place], _FLOOR) for ratio in ratios.values()]),
        k.quoted("quoted in the paper", x, y, text=text, showlegend=bool(quote), hover="%{text}"),
        y=k.axis("ratio", log=True, range=[-4, 0.15]),
        height=430,
        probe=[f"{ratio.name} ({kind})" for ratio in ratios.values()],
        headline="{where}: ε̃ = {short}",
        kept=k.told("{word} = {target}", target=found.target[place], **named),
        **k.words(setting=setting, where=where, there=there, told=itself.told(place), one=itself.told(0)),
        short=(k.at_most if average == "set" else k.about)(itself.mean[place]),
        how=k.told(_HOW[average], trials=found.pmp.shape[1]),
        verdict=verdict(found, held, ratios, itself, own_place) if verdict and theirs else "",
        **words | named | texts,
    )


_VARY_4, _TO_4 = varied(_MOVED, *_stops(FIGURE_4))
_VARY_5, _TO_5 = varied(_MOVED, *_stops(FIGURE_5))
_VARY_6, _TO_6 = varied(_MOVED, *_stops(FIGURE_6))


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
    held: _Held = "subset",
    sensitivity: _Sensitivity = "2C/n",
    average: _Average = "worst",
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
    return _drawn(
        FIGURE_4,
        (vary, to, held, sensitivity, average),
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
    held: _Held = "epsilon",
    sensitivity: _Sensitivity = "2C/n",
    average: _Average = "worst",
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
    return _drawn(
        FIGURE_5,
        (vary, to, held, sensitivity, average),
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
    held: _Held = "epsilon",
    sensitivity: _Sensitivity = "2C/n",
    average: _Average = "worst",
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
    return _drawn(
        FIGURE_6,
        (vary, to, held, sensitivity, average),
        x=k.axis("dimension, d", log=True, range=[-0.1, 2.1]),
        sentence="With {kept}{setting}, ε̃ is {one} in one dimension and {told} at {there} "
        "({how}). ε̃/ε(X) {trend_pool} and ε̃/ε {trend_all}.",
        alt="Two ratios on a log scale against the dimension from 1 to 100, with 95% bands. " + _ENDS,
    )
