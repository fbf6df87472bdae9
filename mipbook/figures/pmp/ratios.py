"""Figures 1 to 6 of the PMP paper: how far eps~ stays below eps and eps(X), and what it quotes."""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

import mipbook.figures.kit as k
from mipbook.base.intervals import mean_band
from mipbook.stored.pmp import (
    FIGURE_1,
    FIGURE_2,
    FIGURE_3,
    FIGURE_4,
    FIGURE_5,
    FIGURE_6,
    exponential_quotients,
)

_HELD = "The paper's ε(X)"
_CONVENTION = k.Choice({"(C + 1) / n": "attained", "2C / n": "triangle"}, label="Sensitivity")
_EPSILONS = {"epsilon": "ε", "subset": "ε(X)"}
_FIXED = k.Choice({word: value for value, word in _EPSILONS.items()}, label="Held fixed")
_SENSITIVITY = k.Choice(FIGURE_4.axes["sensitivity"], label="Sensitivity")
_SIDES = ("pool", "all", "exact")


class _Ratio(NamedTuple):
    """A mean over pools at each setting of the axis, and the half width of its 95% band."""

    name: str
    look: k.Look
    mean: Any
    half: Any

    def told(self, at):
        """Write the mean at a setting, with its band."""
        mean, half = k.about(self.mean[at]), k.about(self.half[at], digits=2)
        return k.told("{mean} ± {half}", mean=mean, half=half)

    def trend(self):
        steps, (first, *_, last) = np.diff(self.mean), self.mean
        if (steps > 0).all() or (steps < 0).all():
            return "rises all the way" if steps[0] > 0 else "falls all the way"
        return k.told("goes from {first} to {last}", first=k.about(first), last=k.about(last))


def _part(figure, along, ratios, at, *quotes, symbol, kind="estimate", theirs=True, **more):
    """Return the ratios along an axis, what is told of each ``at`` a setting, and the quotes.

    Away from the paper's own setting the quoted points are not shown, and their trace keeps its
    size.
    """
    floor, lowest = (1e-6, -3.3) if kind == "estimate" else (1e-4, -4)
    stops = figure.axes[along]
    place = stops.index(at)
    traces, words = [], {"trials": figure.trials, "some": FIGURE_1.few["exact"][0]}
    for side, ratio in zip(_SIDES, ratios, strict=False):
        low, mean, high = (np.maximum(ratio.mean + s * ratio.half, floor) for s in (-1, 0, 1))
        over: dict[str, Any] = {"hover": f"{ratio.name} = %{{customdata}} at {symbol} = %{{x}}"}
        over["customdata"] = [ratio.told(each) for each in range(len(stops))]
        traces += [
            k.band(f"95% band of {ratio.name}", stops, low, high, ratio.look, showlegend=False),
            k.curve(f"{ratio.name} ({kind})", list(stops), mean, ratio.look, marked=True, **over),
        ]
        ends = {"first": ratio.mean[0], "last": ratio.mean[-1]}
        ends |= {"least": ratio.mean.min(), "most": ratio.mean.max()}
        words |= {f"{side}_{end}": k.about(value) for end, value in ends.items()}
        words |= {side: ratio.told(place), f"{side}_short": k.about(ratio.mean[place], digits=2)}
    x, y, text = ([quote[i] for quote in quotes] for i in range(3))
    y = y if theirs else [None] * len(y)
    quoted = k.quoted("quoted in the paper", x, y, text=text, showlegend=bool(x), hover="%{text}")
    axis = k.axis("ratio", log=True, range=[lowest, 0.15])
    probe = [trace["name"] for trace in traces[1::2]]
    return k.part(traces, quoted, y=axis, height=430, probe=probe, **words, **more)


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
