"""The tracing attack: a live one over its theorem, and the lecture's picture for print."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.base import validate
from mipbook.base.palette import fill
from mipbook.explore import Count, Stops, declared
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.looks import ATTACK, BEST, DP, IN, LEVEL, OUT
from mipbook.figures.marks import Trace, curve, error_bars, level, points, reading
from mipbook.figures.roc import Axes, Neighbours, coin, edge, grid, rate_axes, shown
from mipbook.figures.words import percent, say
from mipbook.mechanisms import Gaussian

if TYPE_CHECKING:
    from mipbook.figures.printed import PrintFigure

__all__ = ["tracing", "tracing_print"]

_GAMES = 4000
_DELTA = 1e-5
# Thresholds of the simulated dots, as shares of the statistic's shift.
_DOTS = np.array([-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5])
_THRESHOLDS = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0]
# With the target out and in: the look of the density and of the area under it.
_SIDES = (
    ("target out (exact)", "FPR: out, but accused", OUT, "/"),
    ("target in (exact)", "TPR: in, and found", IN, "."),
)


@lru_cache(maxsize=256)
def _played(k: int, n: int, sigma: float, neighbours: str) -> game.Roc:
    """Play the lecture's game: all-zero records, an all-one target, the inner product."""
    return game.worst_case_game(
        Gaussian(sigma),
        np.zeros((n, k)),
        np.ones(k),
        game.InnerProduct(),
        _GAMES,
        np.random.default_rng(40),
        neighbours=neighbours,
    ).roc()


def _densities(attack: game.TracingAttack, threshold: float) -> list[Trace]:
    """Return both laws of the statistic, and the areas beyond the threshold."""
    z = np.linspace(-4 * attack.spread, attack.shift + 4 * attack.spread, 97)
    beyond = np.linspace(threshold, max(z[-1], threshold), 33)
    laws, tails = attack.densities(z), attack.densities(beyond)
    traces = []
    for (name, area, look, pattern), law, tail in zip(_SIDES, laws, tails, strict=True):
        shade = curve(
            area,
            beyond,
            tail,
            look,
            fill="tozeroy",
            fillcolor=fill(look.colour),
            fillpattern={"shape": pattern, "fgcolor": look.colour, "size": 8, "solidity": 0.25},
            line={"width": 0},
            hoverinfo="skip",
        )
        traces += [shade, curve(name, z, law, look)]
    top = float(np.max(laws[0])) * 1.08
    return [*traces, level("threshold", [threshold, threshold], [0, top])]


@lru_cache(maxsize=256)
def _simulated(k: int, n: int, sigma: float, neighbours: str) -> tuple[Any, Any, Any]:
    """Return for simulated thresholds (FPR, TPR), and the low and high ends of their intervals."""
    played = _played(k, n, sigma, neighbours)
    shift = game.TracingAttack(k, n, sigma, neighbours).shift
    counts = [played.confusion(float(threshold)) for threshold in _DOTS * shift]
    rates = np.array([[c.fpr, c.tpr] for c in counts])
    low = np.array([[c.fpr_interval().low, c.tpr_interval().low] for c in counts])
    high = np.array([[c.fpr_interval().high, c.tpr_interval().high] for c in counts])
    return rates, low, high


def _simulated_dots(attack: game.TracingAttack, axes: str) -> Trace:
    """Return the simulated thresholds in the ROC plane, with error bars."""
    rates, low, high = _simulated(attack.k, attack.n, attack.sigma, attack.neighbours)
    # An attack that accused nobody has no place on a logarithmic axis.
    kept = (rates[:, 0] > 0) | (axes == "linear")
    error_x, error_y = (
        error_bars(rates[kept, i], low[kept, i], high[kept, i], width=4) for i in (0, 1)
    )
    return points(
        "simulated games (estimate, 95%)",
        rates[kept, 0],
        rates[kept, 1],
        ATTACK.with_symbol("circle"),
        error_x=error_x,
        error_y=error_y,
        **LOWER,
    )


@declared
def tracing(
    k: Annotated[int, Count([25, 100, 400, 1600], label="Queries, k")] = 400,
    n: Annotated[int, Count([50, 100, 200], label="Records, n")] = 100,
    sigma: Annotated[float, Stops([0.05, 0.1, 0.2], label="Noise, sigma")] = 0.1,
    threshold: Annotated[float, Stops(_THRESHOLDS, label="Threshold, in k/n")] = 1.0,
    neighbours: Neighbours = "replace",
    axes: Axes = "logarithmic",
) -> go.Figure:
    """Draw the tracing attack: both densities, its ROC curve, and the epsilon it certifies.

    Notes
    -----
    Lecture notes, Theorem 2 and the figure of section 4; delta is 1e-5.

    Examples
    --------
    >>> "epsilon of at least 3.09" in tracing(400, 100, 0.1).layout.meta["sentence"]
    True
    """
    attack = game.TracingAttack(k, n, sigma, neighbours)
    tau = threshold * k / n
    fpr, tpr = float(attack.fpr(tau)), float(attack.tpr(tau))
    certified = float(attack.certified_epsilon(tau, _DELTA))
    own = float(attack.epsilon(_DELTA))
    x = grid(axes)
    best = shown(tradeoff.gaussian_tpr(x, sigma, attack.sensitivity), axes)
    return finish(
        [
            *_densities(attack, tau),
            curve("ROC curve (exact)", x, best, BEST, **LOWER),
            edge("edge of DP, certified epsilon", certified, _DELTA, axes, DP.bound(), **LOWER),
            edge("edge of DP, its own epsilon", own, _DELTA, axes, DP, **LOWER),
            _simulated_dots(attack, axes),
            coin(axes, **LOWER),
            reading(shown(fpr, axes), shown(tpr, axes), "your threshold", **LOWER),
        ],
        sentence=(
            f"With {k} queries, {n} records and sigma = {say(sigma)} the two means are "
            f"{say(attack.signal)} standard deviations apart. At your threshold the attack has TPR "
            f"{percent(tpr)} and FPR {percent(fpr)} (exact), which certifies an epsilon of at "
            f"least {say(certified)} (bound); the mechanism's own epsilon on this pair is "
            f"{say(own)} (exact), both at delta = {say(_DELTA)}. "
            f"Neighbours: {neighbours} one record."
        ),
        alt=(
            f"Above, two bell curves of the statistic, one around 0 and one around "
            f"{say(attack.shift)}, with the areas right of the threshold {say(tau)} shaded: "
            f"{percent(fpr)} of the first and {percent(tpr)} of the second. Below, the ROC plane "
            f"with {axes} axes: the exact curve, simulated dots with error bars on it, and the "
            f"edges of DP at epsilon {say(certified)} and {say(own)}."
        ),
        layout={
            "xaxis": axis("statistic z, inner product of release and target"),
            "yaxis": axis("density", rangemode="tozero"),
            **rate_axes(axes, "2"),
            "rows": (0.45, 0.16),
            "height": 760,
        },
    )


def tracing_print(
    k: int = 400, n: int = 100, sigma: float = 0.1, threshold: float = 3.0
) -> PrintFigure:
    """Draw the lecture's figure for print: the statistic with and without the target.

    Parameters
    ----------
    k, n : int
        Queries and records, each in [1, 100,000].
    threshold : float
        Where the attacker begins to say *in*, in the statistic's own units.

    Notes
    -----
    Lecture notes, figure of section 4; replace-one neighbours.

    Examples
    --------
    >>> len(tracing_print().axes[0].lines)
    3
    """
    # Only print pictures need matplotlib, which is slow to import.
    from mipbook.figures.printed import PrintFigure

    k = validate.integer("k", k, 1, 100_000)
    n = validate.integer("n", n, 1, 100_000)
    sigma = validate.number("sigma", sigma, 0.001, 100.0)
    threshold = validate.number("threshold", threshold)
    attack = game.TracingAttack(k, n, sigma)
    z = np.linspace(-4 * attack.spread, attack.shift + 4 * attack.spread, 401)
    out, inside = (np.asarray(d) for d in attack.densities(z))
    picture = PrintFigure(figsize=(6.4, 3.2), dpi=160, layout="constrained")
    plane = picture.subplots()
    plane.plot(z, out, "--", color=OUT.colour, label="b = 0, target out: N(0, kσ²)")
    plane.plot(z, inside, color=IN.colour, label="b = 1, target in: N(k/n, kσ²)")
    for law, look, hatch, name in ((inside, IN, "..", "TPR"), (out, OUT, "//", "FPR")):
        plane.fill_between(
            z, law, where=z >= threshold, color=look.colour, alpha=0.25, hatch=hatch, label=name
        )
    plane.axvline(threshold, color=LEVEL.colour, linestyle=":", label="threshold τ")
    plane.set(xlabel="statistic z = ⟨y, x⟩", ylabel="density", ylim=(0, None))
    plane.legend(frameon=False, fontsize=8)
    return picture
