"""Figures 4 to 6 of the PMP paper: the Gaussian mechanism's eps~ against eps and eps(X)."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from mipbook.base.intervals import mean_band
from mipbook.base.types import Array
from mipbook.explore import Choice, Count, declared
from mipbook.figures.frame import finish
from mipbook.figures.marks import Trace
from mipbook.figures.pmp.ratios import TO_ALL, TO_EXACT, Ratio, ratio_layout, ratio_traces
from mipbook.figures.words import say
from mipbook.runs.pmp import FIGURE_4, FIGURE_5, FIGURE_6
from mipbook.runs.simulation import Simulation

__all__ = ["pmp_figure_4", "pmp_figure_5", "pmp_figure_6"]

_FLOOR = 1e-4
_WORDS = {"epsilon": "eps", "subset": "eps(X)"}
_HELD = Choice({word: value for value, word in _WORDS.items()}, label="Held fixed")
_SENSITIVITY = Choice(FIGURE_4.axes["sensitivity"], label="Sensitivity")
_POOLS = Count([5, FIGURE_4.trials], label="Pools")


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
        return Ratio("eps~", self.bound, self.half).told(at)


def _curves(figure: Simulation, trials: int, **case: Any) -> _Curves:
    epsilon, subset, bound = (
        figure.read(field, **case)[:, :trials] for field in ("epsilon", "subset", "pmp")
    )
    return _Curves(
        Ratio.over_pools("eps~ / eps(X)", bound / np.maximum(subset, 1e-300)),
        Ratio.over_pools("eps~ / eps", bound / epsilon),
        *mean_band(bound),
        epsilon.mean(axis=1),
        subset.mean(axis=1),
    )


def _traces(
    x: tuple[float, ...],
    curves: _Curves,
    points: list[tuple[float, float, str]],
    *,
    shown: bool = True,
) -> list[Trace]:
    drawn = [(curves.to_subset, TO_EXACT.bound()), (curves.to_all, TO_ALL.bound())]
    return list(ratio_traces(x, drawn, "bound", points, shown=shown, floor=_FLOOR))


def _layout(title: str, *, log: bool) -> dict[str, Any]:
    return ratio_layout(title, log=log, lowest=-4, height=440)


def _trend(values: Array) -> str:
    steps = np.diff(values)
    if (steps > 0).all():
        return "rises all the way"
    if (steps < 0).all():
        return "falls all the way"
    return f"goes from {say(values[0])} to {say(values[-1])}"


def _alt(what: str, curves: _Curves) -> str:
    inside, overall = (
        f"from {say(ratio.mean[0])} to {say(ratio.mean[-1])}" for ratio in curves[:2]
    )
    return (
        f"Two ratios on a log scale against {what}, with 95% bands. eps~ over eps(X), with "
        f"diamonds, goes {inside}; eps~ over eps, with triangles, {overall}."
    )


@declared
def pmp_figure_4(
    held: Annotated[str, _HELD] = "subset",
    sensitivity: Annotated[str, _SENSITIVITY] = "2C/n",
    epsilon: Annotated[float, Choice(FIGURE_4.axes["epsilon"], label="Read at")] = 10.0,
    n: Annotated[int, Choice(FIGURE_4.axes["n"], label="Records, n")] = 100,
    delta: Annotated[float, Choice(FIGURE_4.axes["delta"], label="Delta")] = 0.01,
    trials: Annotated[int, _POOLS] = 20,
) -> go.Figure:
    """Draw the ratios against the DP parameter that is held fixed; the text says eps(X).

    References
    ----------
    PMP paper, Figure 4: d = 20, C = 50, sigma = 1, no outliers.

    Examples
    --------
    >>> pmp_figure_4(trials=5).layout.xaxis.title.text
    'eps(X), held fixed'
    """
    epsilons = FIGURE_4.axes["epsilon"]
    curves = _curves(FIGURE_4, trials, held=held, sensitivity=sensitivity, n=n, delta=delta)
    at, last, word = epsilons.index(epsilon), len(epsilons) - 1, _WORDS[held]
    theirs = (n, delta) == (100, 0.01)
    sentence = (
        f"With {word} = {say(epsilon)} held fixed, eps~ is {curves.told(at)}: "
        f"{say(curves.to_subset.mean[at])} of eps(X) and {say(curves.to_all.mean[at])} of eps "
        f"(estimates of the bound's mean over {trials} pools, 95% bands). "
    )
    if theirs:
        reached = say(curves.bound[last])
        if held == "subset":
            verdict = (
                f"what comes out is {reached}, and the ratio to eps falls along the axis, "
                f"though the text sees it rise"
            )
        else:
            verdict = f"{reached} is below that, but eps(X) is then {say(curves.subset[last])} "
            verdict += "and not 10"
        sentence += f"The text reads eps~ < 0.9 at eps(X) = 10; {verdict}."
    else:
        sentence += "The quoted 0.9 belongs to n = 100 and delta = 0.01."
    return finish(
        _traces(epsilons, curves, [(10.0, 0.09, "eps~ < 0.9 at 10")], shown=theirs),
        sentence=sentence,
        alt=_alt(f"{word} from 0.5 to 10", curves),
        layout=_layout(f"{word}, held fixed", log=False),
    )


@declared
def pmp_figure_5(
    held: Annotated[str, _HELD] = "epsilon",
    sensitivity: Annotated[str, _SENSITIVITY] = "2C/n",
    epsilon: Annotated[float, Choice(FIGURE_5.axes["epsilon"], label="At the value")] = 5.0,
    outliers: Annotated[int, Choice(FIGURE_5.axes["outliers"], label="Outliers")] = 2,
    factor: Annotated[float, Choice(FIGURE_5.axes["factor"], label="Scaled by")] = 10.0,
    trials: Annotated[int, _POOLS] = 20,
) -> go.Figure:
    """Draw the ratios against the clip threshold, with outliers.

    References
    ----------
    PMP paper, Figure 5: n = 100, d = 10, sigma = 5, delta = 0.01.

    Examples
    --------
    >>> "quoted" in pmp_figure_5(trials=5).layout.meta["sentence"]
    True
    """
    clips = FIGURE_5.axes["clip"]
    case = {"epsilon": epsilon, "outliers": outliers, "factor": factor}
    curves = _curves(FIGURE_5, trials, held=held, sensitivity=sensitivity, **case)
    at = clips.index(100.0)
    sentence = (
        f"At C = 100 with {_WORDS[held]} = {say(epsilon)} held fixed, eps~ is {curves.told(at)} "
        f"(estimate of the bound's mean over {trials} pools, 95% band). "
    )
    theirs = (epsilon, outliers, factor) == (5.0, 2, 10.0)
    if theirs:
        sentence += (
            f"The quoted pair, eps = 5 and eps~ = 1, does not come out: here eps is "
            f"{say(curves.epsilon[at])}. "
        )
    sentence += (
        f"As C grows, eps~/eps {_trend(curves.to_all.mean)} and eps~/eps(X) "
        f"{_trend(curves.to_subset.mean)}."
    )
    scaled = f"{outliers} outliers times {say(factor if outliers else 1.0)}"
    return finish(
        _traces(clips, curves, [(100.0, 0.2, "eps = 5, eps~ = 1 at C = 100")], shown=theirs),
        sentence=sentence,
        alt=_alt(f"the clip threshold from 20 to 200, {scaled}", curves),
        layout=_layout("clip threshold, C", log=False),
    )


@declared
def pmp_figure_6(
    held: Annotated[str, _HELD] = "epsilon",
    sensitivity: Annotated[str, _SENSITIVITY] = "2C/n",
    epsilon: Annotated[float, Choice(FIGURE_6.axes["epsilon"], label="At the value")] = 5.0,
    sigma: Annotated[float, Choice(FIGURE_6.axes["sigma"], label="Spread, sigma")] = 1.0,
    trials: Annotated[int, _POOLS] = 20,
) -> go.Figure:
    """Draw the ratios against the dimension; the caption misses what is held, and its value.

    References
    ----------
    PMP paper, Figure 6: n = 100, C = 50, sigma = 1, no outliers, delta = 0.01.

    Examples
    --------
    >>> "rises all the way" in pmp_figure_6().layout.meta["sentence"]
    True
    """
    case = {"epsilon": epsilon, "sigma": sigma}
    curves = _curves(FIGURE_6, trials, held=held, sensitivity=sensitivity, **case)
    return finish(
        _traces(FIGURE_6.axes["dimension"], curves, []),
        sentence=(
            f"With {_WORDS[held]} = {say(epsilon)} and sigma = {say(sigma)}, eps~ is "
            f"{curves.told(0)} in one "
            f"dimension and {curves.told(-1)} in a hundred (estimates of the bound's mean "
            f"over {trials} pools, 95% bands). With the dimension, eps~/eps(X) "
            f"{_trend(curves.to_subset.mean)} and eps~/eps {_trend(curves.to_all.mean)}."
        ),
        alt=_alt("the dimension from 1 to 100", curves),
        layout=_layout("dimension, d", log=True),
    )
