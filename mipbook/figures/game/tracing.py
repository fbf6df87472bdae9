"""The tracing attack drawn over its theorem: the statistic, the ROC curve, and epsilon."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, fill
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.roc import AXES, add_coin, add_point, grid, rate_axes, shown
from mipbook.figures.words import percent, say
from mipbook.mechanisms import Gaussian

if TYPE_CHECKING:
    from mipbook.figures.printed import PrintFigure

__all__ = ["tracing", "tracing_law", "tracing_print"]

_GAMES = 4000
_DELTA = 1e-5
# Thresholds of the simulated dots, as shares of the statistic's shift.
_DOTS = np.array([-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5])


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


def _density_row(figure: go.Figure, attack: game.TracingAttack, threshold: float) -> None:
    z = np.linspace(-4 * attack.spread, attack.shift + 4 * attack.spread, 97)
    beyond = np.linspace(threshold, max(z[-1], threshold), 33)
    curves, tails = attack.densities(z), attack.densities(beyond)
    for i, (name, area, colour, dash, pattern) in enumerate(
        (
            ("target out (exact)", "FPR: out, but accused", ORANGE, "dash", "/"),
            ("target in (exact)", "TPR: in, and found", BLUE, "solid", "."),
        )
    ):
        figure.add_scatter(
            x=beyond,
            y=tails[i],
            mode="lines",
            fill="tozeroy",
            fillcolor=fill(colour),
            fillpattern={"shape": pattern, "fgcolor": colour, "size": 8, "solidity": 0.25},
            line={"width": 0},
            name=area,
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=z,
            y=curves[i],
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 3},
        )
    figure.add_scatter(
        x=[threshold, threshold],
        y=[0, float(np.max(curves[0])) * 1.08],
        mode="lines",
        name="threshold",
        line={"color": INK, "width": 2, "dash": "dot"},
    )


def _simulated_dots(
    figure: go.Figure, attack: game.TracingAttack, played: game.Roc, axes: str
) -> None:
    counts = [played.confusion(float(t)) for t in _DOTS * attack.shift]
    # An attack that accused nobody has no place on a logarithmic axis.
    kept = [c for c in counts if axes == "linear" or c.fp > 0]
    rates = np.array([[c.fpr, c.tpr] for c in kept]).reshape(-1, 2)
    ends = np.array([[*c.fpr_interval(), *c.tpr_interval()] for c in kept]).reshape(-1, 4)
    settings: dict[str, Any] = {"type": "data", "symmetric": False, "thickness": 1.5, "width": 4}
    figure.add_scatter(
        x=rates[:, 0],
        y=rates[:, 1],
        error_x={
            **settings,
            "array": ends[:, 1] - rates[:, 0],
            "arrayminus": rates[:, 0] - ends[:, 0],
        },
        error_y={
            **settings,
            "array": ends[:, 3] - rates[:, 1],
            "arrayminus": rates[:, 1] - ends[:, 2],
        },
        mode="markers",
        name="simulated games (estimate, 95%)",
        marker={"color": GREEN, "symbol": "circle", "size": 8},
        **LOWER,
    )


def tracing(
    k: int = 400,
    n: int = 100,
    sigma: float = 0.1,
    threshold: float = 1.0,
    neighbours: str = "replace",
    axes: str = "logarithmic",
) -> go.Figure:
    """Draw the tracing attack: both densities, its ROC curve, and the epsilon it certifies.

    Parameters
    ----------
    k : int
        Counting queries answered, in [1, 2000].
    n : int
        Records without the target, in [1, 2000].
    sigma : float
        Standard deviation of the noise on each answer, in [0.001, 100].
    threshold : float
        Where the attacker begins to say *in*, in units of k / n, in [-2, 4].
    neighbours : {"replace", "add or remove"}
        What the two data sets of a game have to do with each other.
    axes : {"linear", "logarithmic"}
        Scale of the ROC plane.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Lecture notes, Theorem 2 and the figure of section 4; delta is 1e-5.

    Examples
    --------
    >>> "epsilon of at least 3.09" in tracing(400, 100, 0.1).layout.meta["sentence"]
    True
    """
    k = validate.integer("k", k, 1, 2000)
    n = validate.integer("n", n, 1, 2000)
    sigma = validate.number("sigma", sigma, 0.001, 100.0)
    share = validate.number("threshold", threshold, -2.0, 4.0)
    validate.choice("neighbours", neighbours, game.NEIGHBOURS)
    axes = validate.choice("axes", axes, AXES)
    attack = game.TracingAttack(k, n, sigma, neighbours)
    tau = share * k / n
    fpr, tpr = float(attack.fpr(tau)), float(attack.tpr(tau))
    certified = float(attack.certified_epsilon(tau, _DELTA))
    has = float(attack.epsilon(_DELTA))
    figure = go.Figure()
    _density_row(figure, attack, tau)
    x = grid(axes)
    figure.add_scatter(
        x=x,
        y=shown(np.asarray(tradeoff.gaussian_tpr(x, sigma, attack.sensitivity)), axes),
        mode="lines",
        name="ROC curve (exact)",
        line={"color": PURPLE, "width": 3, "dash": "longdashdot"},
        **LOWER,
    )
    for name, epsilon, colour, dash in (
        ("edge of DP, certified epsilon", certified, INK, "dot"),
        ("edge of DP, its own epsilon", has, GREY, "dashdot"),
    ):
        figure.add_scatter(
            x=x,
            y=shown(np.asarray(tradeoff.dp_tpr(x, epsilon, _DELTA)), axes),
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 1.5},
            **LOWER,
        )
    _simulated_dots(figure, attack, _played(k, n, sigma, neighbours), axes)
    add_coin(figure, axes, **LOWER)
    at = shown(np.array([fpr, tpr]), axes)
    add_point(figure, at[0], at[1], "your threshold", showlegend=False, **LOWER)
    return finish(
        figure,
        sentence=(
            f"With {k} queries, {n} records and sigma = {say(sigma)} the two means are "
            f"{say(attack.signal)} standard deviations apart. At your threshold the attack has TPR "
            f"{percent(tpr)} and FPR {percent(fpr)} (exact), which certifies an epsilon of at "
            f"least {say(certified)} (bound); the mechanism's own epsilon on this pair is "
            f"{say(has)} (exact), both at delta = {say(_DELTA)}. "
            f"Neighbours: {neighbours} one record."
        ),
        alt=(
            f"Above, two bell curves of the statistic, one around 0 and one around "
            f"{say(attack.shift)}, with the areas right of the threshold {say(tau)} shaded: "
            f"{percent(fpr)} of the first and {percent(tpr)} of the second. Below, the ROC plane "
            f"with {axes} axes: the exact curve, simulated dots with error bars on it, and the "
            f"edges of DP at epsilon {say(certified)} and {say(has)}."
        ),
        layout={
            "xaxis": axis("statistic z, inner product of release and target"),
            "yaxis": axis("density", rangemode="tozero"),
            **rate_axes(axes, "2"),
            "rows": (0.45, 0.16),
            "height": 760,
        },
    )


def tracing_law(
    n: int = 100,
    sigma: float = 0.1,
    factor: float = 1.0,
    delta: float = 1e-5,
    neighbours: str = "replace",
) -> go.Figure:
    """Draw epsilon against the number of queries, for fixed noise and for noise that keeps pace.

    Parameters
    ----------
    n : int
        Records in the data set, in [1, 1,000,000].
    sigma : float
        The fixed standard deviation of the noise, in [0.0001, 100].
    factor : float
        The other noise is ``factor * sqrt(k) / n``, in [0.05, 100].
    delta : float
        Failure probability in [1e-12, 0.1].
    neighbours : {"replace", "add or remove"}
        What the two data sets of a game have to do with each other.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Lecture notes, Theorem 2.

    Examples
    --------
    >>> len(tracing_law().data)
    5
    """
    n = validate.integer("n", n, 1, 1_000_000)
    sigma = validate.number("sigma", sigma, 1e-4, 100.0)
    factor = validate.number("factor", factor, 0.05, 100.0)
    delta = validate.number("delta", delta, 1e-12, 0.1)
    validate.choice("neighbours", neighbours, game.NEIGHBOURS)
    k = np.unique(np.round(np.geomspace(1, 100_000, 51)).astype(int))
    fixed = [game.TracingAttack(int(q), n, sigma, neighbours) for q in k]
    pace = factor * np.sqrt(k) / n
    paced = [
        game.TracingAttack(int(q), n, float(s), neighbours) for q, s in zip(k, pace, strict=True)
    ]

    def epsilons(attacks: list[game.TracingAttack]) -> Any:
        """Return the mechanisms' own epsilons, in one call."""
        noise = [a.sigma for a in attacks]
        return tradeoff.gaussian_epsilon(delta, noise, [a.sensitivity for a in attacks])

    figure = go.Figure()
    for name, attacks, own, colour, dash, symbol in (
        ("fixed noise: the mechanism's epsilon (exact)", fixed, True, ORANGE, "solid", "circle"),
        (
            "fixed noise: what the attack certifies (bound)",
            fixed,
            False,
            ORANGE,
            "dot",
            "circle-open",
        ),
        ("growing noise: the mechanism's epsilon (exact)", paced, True, BLUE, "dash", "square"),
        (
            "growing noise: what the attack certifies (bound)",
            paced,
            False,
            BLUE,
            "dashdot",
            "square-open",
        ),
    ):
        proven = [float(a.certified_epsilon(a.shift, delta)) for a in attacks]
        figure.add_scatter(
            x=k,
            y=epsilons(attacks) if own else proven,
            mode="lines+markers",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 6, "color": colour, "maxdisplayed": 12},
        )
    turn = (n * sigma / factor) ** 2
    figure.add_scatter(
        x=[turn, turn],
        y=[1e-2, 1e4],
        mode="lines",
        name="where both noises are equal",
        line={"color": GREY, "width": 1.5, "dash": "longdash"},
    )
    flat = float(paced[0].epsilon(delta))
    proven_flat = float(paced[0].certified_epsilon(paced[0].shift, delta))
    last = fixed[-1]
    return finish(
        figure,
        sentence=(
            f"With sigma = {say(factor)} sqrt(k) / n epsilon stays at {say(flat)} (exact) however "
            f"many queries are answered, and the attack certifies {say(proven_flat)} (bound). With "
            f"sigma fixed at {say(sigma)} it passes all bounds: at 100,000 queries it is "
            f"{say(float(last.epsilon(delta)))} (exact), of which the attack certifies "
            f"{say(float(last.certified_epsilon(last.shift, delta)))} (bound). The two noises are "
            f"equal at k = {say(turn)} (exact). Neighbours: {neighbours} one record."
        ),
        alt=(
            f"Epsilon against the number of queries k on logarithmic axes, for n = {n}. Two rising "
            f"curves for noise fixed at {say(sigma)}, the mechanism's epsilon above what the "
            f"attack certifies; two level lines for noise that grows like the square root of k, at "
            f"{say(flat)} and {say(proven_flat)}."
        ),
        layout={
            "xaxis": axis("counting queries, k", log=True, range=[0, 5]),
            "yaxis": axis("epsilon", log=True, range=[-2, 4]),
            "height": 520,
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
    sigma : float
        Standard deviation of the noise, in [0.001, 100].
    threshold : float
        Where the attacker begins to say *in*, in the statistic's own units.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

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
    plane.plot(z, out, "--", color=ORANGE, label="b = 0, target out: N(0, kσ²)")
    plane.plot(z, inside, color=BLUE, label="b = 1, target in: N(k/n, kσ²)")
    for density, colour, hatch, name in ((inside, BLUE, "..", "TPR"), (out, ORANGE, "//", "FPR")):
        plane.fill_between(
            z, density, where=z >= threshold, color=colour, alpha=0.25, hatch=hatch, label=name
        )
    plane.axvline(threshold, color=INK, linestyle=":", label="threshold τ")
    plane.set(xlabel="statistic z = ⟨y, x⟩", ylabel="density", ylim=(0, None))
    plane.legend(frameon=False, fontsize=8)
    return picture
