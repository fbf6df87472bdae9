"""Figures 4 to 6 of the PMP paper: the Gaussian mechanism's eps~ against eps and eps(X)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import pmp, tradeoff
from mipbook.base import validate
from mipbook.base.palette import BLUE, INK, ORANGE, fill
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say

__all__ = ["pmp_figure_4", "pmp_figure_5", "pmp_figure_6"]

Array = NDArray[np.float64]
_SEED = 20244
_EPSILONS = (0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
_CLIPS = (20.0, 30.0, 50.0, 75.0, 100.0, 150.0, 200.0)
_DIMENSIONS = (1, 2, 5, 10, 20, 50, 100)
_FIXES = ("eps(X)", "eps")
_SENSITIVITIES = {"2C/n": 2.0, "C/n": 1.0}
_FLOOR = 1e-4


@lru_cache(maxsize=20_000)
def _values(trial: int, n: int, d: int, sigma: float, clip: float, out: int, by: float) -> Array:
    # One seed a trial, whatever the case: curves then differ by the case and not by luck.
    rng = np.random.default_rng((_SEED, trial))
    return pmp.gaussian_pool(n, d, sigma, clip, out, by, rng) / n


@lru_cache(maxsize=200_000)
def _widest(*case: Any) -> float:
    return pmp.diameter(_values(*case))


@lru_cache(maxsize=200_000)
def _bound(sigma: float, delta: float, *case: Any) -> float:
    return pmp.gaussian_epsilon_bound(_values(*case), sigma, delta)


def _one(
    trial: int, fix: str, sensitivity: str, epsilon: float, delta: float, case: tuple[Any, ...]
) -> tuple[float, float, float]:
    """Return eps, eps(X) and eps~ of one trial; eps~ is shared by conventions with equal noise."""
    n, clip = case[0], case[3]
    full = _SENSITIVITIES[sensitivity] * clip / n
    widest = _widest(trial, *case)
    held = full if fix == "eps" else widest
    sigma = float(tradeoff.gaussian_sigma(epsilon, delta, held))
    overall = float(tradeoff.gaussian_epsilon(delta, sigma, full))
    inside = float(tradeoff.gaussian_epsilon(delta, sigma, widest))
    return overall, inside, _bound(sigma, delta, trial, *case)


def _band(values: Array) -> tuple[float, float]:
    """Return a mean and the half width of its 95% band, by Student's quantile."""
    from scipy.special import stdtrit

    count = values.size
    half = float(stdtrit(count - 1, 0.975)) * float(values.std(ddof=1)) / math.sqrt(count)
    return float(values.mean()), half


def _curves(runs: Sequence[tuple[Any, ...]], trials: int) -> Array:
    """Return mean and half width (axis 1) of eps~/eps(X), eps~/eps, eps~, eps, eps(X)."""
    table = []
    for fix, sensitivity, epsilon, delta, case in runs:
        found = np.array([_one(i, fix, sensitivity, epsilon, delta, case) for i in range(trials)])
        overall, inside, bound = found.T
        columns = (bound / np.maximum(inside, 1e-300), bound / overall, bound, overall, inside)
        table.append([_band(c) for c in columns])
    return np.array(table).transpose(1, 2, 0)


def _draw(
    x: Sequence[float],
    curves: Array,
    quoted: Sequence[tuple[float, float, str]],
    shown: bool = True,
) -> Any:
    figure = go.Figure()
    for (mean, half), name, colour, dash, symbol in zip(
        curves[:2],
        ("eps~ / eps(X)", "eps~ / eps"),
        (ORANGE, BLUE),
        ("solid", "dash"),
        ("circle", "square"),
        strict=True,
    ):
        figure.add_scatter(
            x=np.concatenate([x, x[::-1]]),
            y=np.maximum(np.concatenate([mean + half, (mean - half)[::-1]]), _FLOOR),
            fill="toself",
            fillcolor=fill(colour),
            line={"width": 0},
            hoverinfo="skip",
            name=f"95% band of {name}",
            showlegend=False,
        )
        figure.add_scatter(
            x=list(x),
            y=np.maximum(mean, _FLOOR),
            mode="lines+markers",
            name=f"{name} (bound)",
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 8},
        )
    figure.add_scatter(
        x=[q[0] for q in quoted],
        # Away from the paper's setting the quoted point stays out, and the trace keeps its size.
        y=[q[1] if shown else None for q in quoted],
        text=[q[2] for q in quoted],
        mode="markers",
        name="quoted in the paper",
        showlegend=bool(quoted),
        marker={"color": INK, "size": 13, "symbol": "x-thin", "line": {"width": 3, "color": INK}},
        hovertemplate="%{text}<extra></extra>",
    )
    return figure


def _layout(title: str, *, log: bool) -> dict[str, Any]:
    return {
        "xaxis": axis(title, log=log),
        "yaxis": axis("ratio, log scale", log=True, range=[-4, 0.15]),
        "height": 440,
    }


def _told(curves: Array, row: int, at: int) -> str:
    return f"{say(curves[row, 0, at])} ± {say(curves[row, 1, at], 2)}"


def _trend(values: Array) -> str:
    steps = np.diff(values)
    if (steps > 0).all():
        return "rises all the way"
    if (steps < 0).all():
        return "falls all the way"
    return f"goes from {say(values[0])} to {say(values[-1])}"


def _checked(fix: Any, sensitivity: Any, n: Any, trials: Any) -> tuple[str, str, int, int]:
    return (
        validate.choice("fix", fix, _FIXES),
        validate.choice("sensitivity", sensitivity, tuple(_SENSITIVITIES)),
        validate.integer("n", n, 1, 500),
        validate.integer("trials", trials, 2, 400),
    )


def _alt(what: str, curves: Array) -> str:
    ends = [(say(c[0][0]), say(c[0][-1])) for c in curves[:2]]
    return (
        f"Two ratios on a log scale against {what}, with 95% bands. eps~ over eps(X), solid, goes "
        f"from {ends[0][0]} to {ends[0][1]}; eps~ over eps, dashed, from {ends[1][0]} to "
        f"{ends[1][1]}."
    )


def pmp_figure_4(
    fix: str = "eps(X)",
    sensitivity: str = "2C/n",
    epsilon: float = 10.0,
    n: int = 100,
    delta: float = 0.01,
    trials: int = 20,
) -> go.Figure:
    """Draw the ratios against the DP parameter that is held fixed.

    Parameters
    ----------
    fix : {"eps(X)", "eps"}
        What the axis is; the text says eps(X).
    sensitivity : {"2C/n", "C/n"}
        Sensitivity of the mean; the first is the true one.
    epsilon : float
        Where the sentence reads the curves, one of 0.5, 1, 2, 3, 5, 7, 10.
    n : int
        Records in a half, in [1, 500].
    delta : float
        In [1e-12, 0.5].
    trials : int
        Pools drawn, in [2, 400].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Figure 4: d = 20, C = 50, sigma = 1, no outliers.

    Examples
    --------
    >>> pmp_figure_4(trials=4).layout.xaxis.title.text
    'eps(X), held fixed'
    """
    fix, sensitivity, n, trials = _checked(fix, sensitivity, n, trials)
    epsilon = validate.choice("epsilon", epsilon, _EPSILONS)
    delta = validate.number("delta", delta, 1e-12, 0.5)
    case = (n, 20, 1.0, 50.0, 0, 1.0)
    curves = _curves([(fix, sensitivity, e, delta, case) for e in _EPSILONS], trials)
    at, last = _EPSILONS.index(epsilon), len(_EPSILONS) - 1
    quoted = [(10.0, 0.09, "eps~ < 0.9 at 10")]
    sentence = (
        f"With {fix} = {say(epsilon)} held fixed, eps~ is {_told(curves, 2, at)}: "
        f"{say(curves[0, 0, at])} of eps(X) and {say(curves[1, 0, at])} of eps (estimates of "
        f"the bound's mean over {trials} pools, 95% bands). "
    )
    if (n, delta) == (100, 0.01):
        found = curves[2, 0, last]
        if fix == "eps(X)":
            verdict = (
                f"what comes out is {say(found)}, and the ratio to eps falls along the axis, "
                f"though the text sees it rise"
            )
        else:
            verdict = (
                f"{say(found)} is below that, but eps(X) is then "
                f"{say(curves[4, 0, last])} and not 10"
            )
        sentence += f"The text reads eps~ < 0.9 at eps(X) = 10; {verdict}."
    else:
        sentence += "The quoted 0.9 belongs to n = 100 and delta = 0.01."
    return finish(
        _draw(_EPSILONS, curves, quoted, (n, delta) == (100, 0.01)),
        sentence=sentence,
        alt=_alt(f"{fix} from 0.5 to 10", curves),
        layout=_layout(f"{fix}, held fixed", log=False),
    )


def pmp_figure_5(
    fix: str = "eps",
    sensitivity: str = "2C/n",
    epsilon: float = 5.0,
    outliers: int = 2,
    factor: float = 10.0,
    n: int = 100,
    trials: int = 20,
) -> go.Figure:
    """Draw the ratios against the clip threshold, with outliers.

    Parameters
    ----------
    fix : {"eps", "eps(X)"}
        What is held fixed.
    sensitivity : {"2C/n", "C/n"}
        Sensitivity of the mean; the first is the true one.
    epsilon : float
        The value that is held fixed, in [0.1, 20].
    outliers : int
        Records that are scaled, in [0, 20].
    factor : float
        What they are scaled by, in [1, 1000].
    n : int
        Records in a half, in [10, 500].
    trials : int
        Pools drawn, in [2, 400].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Figure 5: d = 10, sigma = 5, delta = 0.01.

    Examples
    --------
    >>> "quoted" in pmp_figure_5(trials=4).layout.meta["sentence"]
    True
    """
    fix, sensitivity, n, trials = _checked(fix, sensitivity, n, trials)
    n = validate.integer("n", n, 10, 500)
    epsilon = validate.number("epsilon", epsilon, 0.1, 20.0)
    outliers = validate.integer("outliers", outliers, 0, 20)
    factor = validate.number("factor", factor, 1.0, 1000.0)
    by = factor if outliers else 1.0
    runs = [(fix, sensitivity, epsilon, 0.01, (n, 10, 5.0, c, outliers, by)) for c in _CLIPS]
    curves = _curves(runs, trials)
    at = _CLIPS.index(100.0)
    sentence = (
        f"At C = 100 with {fix} = {say(epsilon)} held fixed, eps~ is {_told(curves, 2, at)} "
        f"(estimate of the bound's mean over {trials} pools, 95% band). "
    )
    theirs = (epsilon, outliers, factor, n) == (5.0, 2, 10.0, 100)
    quoted = [(100.0, 0.2, "eps = 5, eps~ = 1 at C = 100")]
    if theirs:
        sentence += (
            f"The quoted pair, eps = 5 and eps~ = 1, does not come out: here eps is "
            f"{say(curves[3, 0, at])}. "
        )
    sentence += (
        f"As C grows, eps~/eps {_trend(curves[1, 0])} and eps~/eps(X) {_trend(curves[0, 0])}."
    )
    return finish(
        _draw(_CLIPS, curves, quoted, theirs),
        sentence=sentence,
        alt=_alt(f"the clip threshold from 20 to 200, {outliers} outliers times {say(by)}", curves),
        layout=_layout("clip threshold, C", log=False),
    )


def pmp_figure_6(
    fix: str = "eps",
    sensitivity: str = "2C/n",
    epsilon: float = 5.0,
    sigma: float = 1.0,
    n: int = 100,
    trials: int = 20,
) -> go.Figure:
    """Draw the ratios against the dimension.

    Parameters
    ----------
    fix : {"eps", "eps(X)"}
        What is held fixed; the caption does not say.
    sensitivity : {"2C/n", "C/n"}
        Sensitivity of the mean; the first is the true one.
    epsilon : float
        The value that is held fixed, in [0.1, 20]; it is missing in the caption.
    sigma : float
        Spread of the data, in [0.01, 100].
    n : int
        Records in a half, in [1, 500].
    trials : int
        Pools drawn, in [2, 400].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Figure 6: C = 50, sigma = 1, no outliers, delta = 0.01.

    Examples
    --------
    >>> "rises all the way" in pmp_figure_6(trials=6).layout.meta["sentence"]
    True
    """
    fix, sensitivity, n, trials = _checked(fix, sensitivity, n, trials)
    epsilon = validate.number("epsilon", epsilon, 0.1, 20.0)
    sigma = validate.number("sigma", sigma, 0.01, 100.0)
    runs = [(fix, sensitivity, epsilon, 0.01, (n, d, sigma, 50.0, 0, 1.0)) for d in _DIMENSIONS]
    curves = _curves(runs, trials)
    return finish(
        _draw(_DIMENSIONS, curves, []),
        sentence=(
            f"With {fix} = {say(epsilon)} and sigma = {say(sigma)}, eps~ is "
            f"{_told(curves, 2, 0)} in one "
            f"dimension and {_told(curves, 2, -1)} in a hundred (estimates of the bound's mean "
            f"over {trials} pools, 95% bands). With the dimension, eps~/eps(X) "
            f"{_trend(curves[0, 0])} and eps~/eps {_trend(curves[1, 0])}."
        ),
        alt=_alt("the dimension from 1 to 100", curves),
        layout=_layout("dimension, d", log=True),
    )
