"""Reading an attack backwards: from its rates or counts to a lower bound on epsilon."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, ORANGE, fill
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.roc import FLOOR, add_coin, add_point, grid, rate_axes, shown
from mipbook.figures.words import percent, say, sure

__all__ = ["attack_backwards", "attack_counts"]

_GAMES = np.unique(np.round(np.geomspace(10, 1e6, 21)).astype(int))


def _bound(value: float) -> str:
    return f"of at least {say(value)}" if np.isfinite(value) else "beyond any number"


def _other_relation(tpr: float, fpr: float, delta: float, neighbours: str) -> str:
    """Say what the attack proves about the other neighbour relation."""
    if neighbours == "add or remove":
        return (
            "The game added or removed one record, and the bound is for that relation; about "
            "replacing a record it says nothing by itself."
        )
    halved = float(game.epsilon_from_rates(tpr, fpr, delta, steps=2))
    return (
        "The game replaced one record, and the bound is for that relation; under add or "
        f"remove, two steps, the same rates prove an epsilon {_bound(halved)} (bound)."
    )


def _edge(
    figure: go.Figure, epsilon: float, delta: float, axes: str, name: str, colour: str, dash: str
) -> None:
    # An infinite epsilon has no edge to draw; the largest finite one looks the same.
    x = grid(axes)
    figure.add_scatter(
        x=x,
        y=shown(np.asarray(tradeoff.dp_tpr(x, min(epsilon, 700.0), delta)), axes),
        mode="lines",
        name=name,
        line={"color": colour, "dash": dash, "width": 2.5},
    )


def _rectangle(figure: go.Figure, attack: game.Confusion, confidence: float, axes: str) -> None:
    # Both intervals at half the error each, as the bound on epsilon uses them.
    joint = (1 + confidence) / 2
    fprs = shown(np.array(attack.fpr_interval(joint)), axes)
    tprs = shown(np.array(attack.tpr_interval(joint)), axes)
    figure.add_scatter(
        x=fprs[[0, 1, 1, 0, 0]],
        y=tprs[[0, 0, 1, 1, 0]],
        mode="lines",
        fill="toself",
        fillcolor=fill(GREEN),
        line={"color": GREEN, "width": 1.5},
        name=f"where the true rates lie ({sure(confidence)} box)",
        hoverinfo="skip",
    )


def attack_backwards(
    tpr: float = 0.9,
    fpr: float = 0.01,
    games: int = 100,
    delta: float = 0.0,
    neighbours: str = "add or remove",
) -> go.Figure:
    """Draw the least epsilon that allows an attack, as a point and with confidence.

    Parameters
    ----------
    tpr, fpr : float
        The attack's rates, in [0.0001, 1].
    games : int
        Games with the target in, and as many with it out, in [10, 1,000,000].
    delta : float
        Failure probability in [0, 0.5].
    neighbours : {"add or remove", "replace"}
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
    Lecture notes, Corollary 1 and the example after it.

    Examples
    --------
    >>> "at least 4.5 " in attack_backwards(0.9, 0.01).layout.meta["sentence"]
    True
    """
    tpr = validate.number("tpr", tpr, FLOOR, 1.0)
    fpr = validate.number("fpr", fpr, FLOOR, 1.0)
    games = validate.integer("games", games, 10, 1_000_000)
    delta = validate.number("delta", delta, 0.0, 0.5)
    validate.choice("neighbours", neighbours, game.NEIGHBOURS)
    axes = "logarithmic"

    def certify(size: Any) -> Any:
        tp, fp = np.round(tpr * size), np.round(fpr * size)
        return game.epsilon_lower_bound(tp, size - tp, fp, size - fp, delta)

    point = float(game.epsilon_from_rates(tpr, fpr, delta))
    tp, fp = round(tpr * games), round(fpr * games)
    attack = game.Confusion(tp, games - tp, fp, games - fp)
    certified = float(certify(games))
    figure = go.Figure()
    _edge(figure, point, delta, axes, "edge of DP, rates taken as exact", ORANGE, "dash")
    _edge(figure, certified, delta, axes, "edge of DP, 95% certain (bound)", BLUE, "solid")
    _rectangle(figure, attack, 0.95, axes)
    add_coin(figure, axes)
    add_point(figure, fpr, tpr, "the attack")
    figure.add_scatter(
        x=_GAMES,
        y=np.asarray(certify(_GAMES)),
        mode="lines+markers",
        name="certified by so many games (bound, 95%)",
        line={"color": BLUE, "width": 2, "dash": "dot"},
        marker={"symbol": "circle", "size": 6, "color": BLUE},
        **LOWER,
    )
    figure.add_scatter(
        x=[_GAMES[0], _GAMES[-1]],
        y=[min(point, 1e3)] * 2,
        mode="lines",
        name="rates taken as exact",
        line={"color": ORANGE, "dash": "dashdot", "width": 2},
        **LOWER,
    )
    add_point(figure, games, certified, "at your number of games", showlegend=False, **LOWER)
    worse = (
        " This attacker is worse than a coin: who says the opposite has a better attack."
        if tpr < fpr
        else ""
    )
    return finish(
        figure,
        sentence=(
            f"An attack that finds {percent(tpr)} of the members and wrongly accuses "
            f"{percent(fpr)} of the others proves an epsilon {_bound(point)} at delta = "
            f"{say(delta)} (exact, if these are the true rates). Measured in {games:,} games with "
            f"the target and {games:,} without, {attack.tp:,} found and {attack.fp:,} accused, it "
            f"proves one {_bound(certified)} (bound, 95% confidence).{worse} "
            f"{_other_relation(tpr, fpr, delta, neighbours)}"
        ),
        alt=(
            f"Above, the ROC plane on logarithmic axes with the attack at FPR {say(fpr)} and TPR "
            f"{say(tpr)}, a box around it, and the edges of DP through the point and under the "
            f"box. Below, the certified epsilon rises with the number of games towards "
            f"{say(point)}; at {games:,} games it is {say(certified)}."
        ),
        layout={
            **rate_axes(axes),
            "xaxis2": axis(
                "games with the target, and as many without", log=True, range=[0.9, 6.1]
            ),
            "yaxis2": axis("epsilon, at least", rangemode="tozero"),
            "rows": (0.62, 0.17),
            "height": 680,
        },
    )


def attack_counts(
    tp: int = 90,
    fn: int = 10,
    fp: int = 1,
    tn: int = 99,
    delta: float = 0.0,
    confidence: float = 0.95,
    neighbours: str = "add or remove",
) -> go.Figure:
    """Draw what an attack's counts say: rates with bands, and a lower bound on epsilon.

    Parameters
    ----------
    tp, fn : int
        Members found and missed, each in [0, 1,000,000], together at least 1.
    fp, tn : int
        Others accused and cleared, each in [0, 1,000,000], together at least 1.
    delta : float
        Failure probability in [0, 0.5].
    confidence : float
        In [0.5, 0.9999].
    neighbours : {"add or remove", "replace"}
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
    Lecture notes, section 3 and Corollary 1.

    Examples
    --------
    >>> attack_counts().layout.meta["table"][0][0]
    'quantity'
    """
    most = 1_000_000
    for name, value in (("tp", tp), ("fn", fn), ("fp", fp), ("tn", tn)):
        validate.integer(name, value, 0, most)
    delta = validate.number("delta", delta, 0.0, 0.5)
    confidence = validate.number("confidence", confidence, 0.5, 0.9999)
    validate.choice("neighbours", neighbours, game.NEIGHBOURS)
    attack = game.Confusion(int(tp), int(fn), int(fp), int(tn))
    point = float(game.epsilon_from_rates(attack.tpr, attack.fpr, delta))
    certified = float(game.epsilon_lower_bound(tp, fn, fp, tn, delta, confidence))
    found, accused = attack.tpr_interval(confidence), attack.fpr_interval(confidence)
    # Each at half the error, so that both hold together.
    joint = (1 + confidence) / 2
    edge = np.subtract(attack.tpr_interval(joint), attack.fpr_interval(joint)[::-1])
    figure = go.Figure()
    _edge(figure, point, delta, "linear", "edge of DP, rates taken as exact", ORANGE, "dash")
    _edge(figure, certified, delta, "linear", "edge of DP, certified (bound)", BLUE, "solid")
    _rectangle(figure, attack, confidence, "linear")
    add_coin(figure, "linear")
    add_point(figure, attack.fpr, attack.tpr, "the attack")
    level = sure(confidence)

    def row(name: str, value: float, band: tuple[float, float]) -> list[str]:
        return [name, percent(value), f"{percent(band[0])} to {percent(band[1])}", "estimate"]

    return finish(
        figure,
        sentence=(
            f"Of {attack.members:,} members {attack.tp:,} were found, of {attack.others:,} others "
            f"{attack.fp:,} were accused. With {level} confidence they prove an epsilon "
            f"{_bound(certified)} at delta = {say(delta)} (bound), if the attack was fixed before "
            f"these games; taken as exact, the rates would prove one {_bound(point)}. "
            f"{_other_relation(*_safe_rates(attack, joint), delta, neighbours)}"
        ),
        alt=(
            f"ROC plane with the attack at FPR {say(attack.fpr)} and TPR {say(attack.tpr)}, a box "
            f"for where its true rates lie, and the edges of DP for the certified epsilon "
            f"{say(certified)} and the one of the rates themselves."
        ),
        layout={**rate_axes("linear"), "height": 480},
        table=[
            ["quantity", "value", f"{level} band", "kind"],
            row("true positive rate, TPR", attack.tpr, found),
            row("false positive rate, FPR", attack.fpr, accused),
            [
                "advantage, TPR - FPR",
                say(attack.advantage),
                f"{say(float(edge[0]))} to {say(float(edge[1]))}",
                "estimate",
            ],
            ["accuracy at equal odds", percent((1 + attack.advantage) / 2), "", "estimate"],
            ["epsilon, rates taken as exact", say(point), "", "estimate"],
            ["epsilon, certified", say(certified), f"at least, {level}", "bound"],
        ],
    )


def _safe_rates(attack: game.Confusion, joint: float) -> tuple[float, float]:
    """Return the rates at the safe corner of the box."""
    return float(attack.tpr_interval(joint).low), float(attack.fpr_interval(joint).high)
