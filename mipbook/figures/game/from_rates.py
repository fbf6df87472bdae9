"""Reading an attack backwards: from its rates or counts to a lower bound on epsilon."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import game
from mipbook.base.palette import fill
from mipbook.explore import Choice, Count, LogSlider, Stops, declared
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.looks import ATTACK, DP
from mipbook.figures.marks import Trace, curve, level, points, reading
from mipbook.figures.roc import Neighbours, coin, edge, rate_axes, shown
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


def _box(attack: game.Confusion, confidence: float, axes: str) -> Trace:
    """Return where the true rates lie: each interval at half the error, so that both hold."""
    joint = (1 + confidence) / 2
    fprs = shown(attack.fpr_interval(joint), axes)
    tprs = shown(attack.tpr_interval(joint), axes)
    return curve(
        f"where the true rates lie ({sure(confidence)} box)",
        fprs[[0, 1, 1, 0, 0]],
        tprs[[0, 0, 1, 1, 0]],
        ATTACK,
        fill="toself",
        fillcolor=fill(ATTACK.colour),
        line={"color": ATTACK.colour, "width": 1.5},
        hoverinfo="skip",
    )


def _certified(tpr: float, fpr: float, games: Any, delta: float) -> Any:
    """Return the epsilon that so many games prove, each way, where these are the rates."""
    tp, fp = np.round(tpr * games), np.round(fpr * games)
    return game.epsilon_lower_bound(tp, games - tp, fp, games - fp, delta)


def _by_games(tpr: float, fpr: float, delta: float, point: float) -> list[Trace]:
    """Return what more and more games prove, and what the rates alone would."""
    ends = [_GAMES[0], _GAMES[-1]]
    look = DP.bound().with_symbol("circle")
    certified = _certified(tpr, fpr, _GAMES, delta)
    name = "certified by so many games (bound, 95%)"
    return [
        curve(name, _GAMES, certified, look, marked=True, **LOWER),
        level("rates taken as exact", ends, min(point, 1e3), DP.estimate(), **LOWER),
    ]


@declared
def attack_backwards(
    tpr: Annotated[float, LogSlider(0.001, 1, points=7, label="TPR")] = 0.9,
    fpr: Annotated[float, LogSlider(0.0001, 1, points=5, label="FPR")] = 0.01,
    games: Annotated[int, Count([10, 100, 1000, 10_000, 1_000_000], label="Games each way")] = 100,
    delta: Annotated[float, Stops([0, 1e-5, 0.05], label="delta")] = 0.0,
    neighbours: Neighbours = "add or remove",
) -> go.Figure:
    """Draw the least epsilon that allows an attack, as a point and with confidence.

    Notes
    -----
    Lecture notes, Corollary 1 and the example after it.

    Examples
    --------
    >>> "at least 4.5 " in attack_backwards(0.9, 0.01).layout.meta["sentence"]
    True
    """
    axes = "logarithmic"

    point = float(game.epsilon_from_rates(tpr, fpr, delta))
    tp, fp = round(tpr * games), round(fpr * games)
    attack = game.Confusion(tp, games - tp, fp, games - fp)
    certified = float(_certified(tpr, fpr, games, delta))
    worse = (
        " This attacker is worse than a coin: who says the opposite has a better attack."
        if tpr < fpr
        else ""
    )
    return finish(
        [
            edge("edge of DP, rates taken as exact", point, delta, axes, DP.estimate()),
            edge("edge of DP, 95% certain (bound)", certified, delta, axes, DP.bound()),
            _box(attack, 0.95, axes),
            coin(axes),
            points("the attack", fpr, tpr, ATTACK, size=11),
            *_by_games(tpr, fpr, delta, point),
            reading(games, certified, "at your number of games", **LOWER),
        ],
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


@declared
def attack_counts(
    tp: Annotated[int, Count([0, 5, 45, 90, 1_000_000], label="Members found, TP")] = 90,
    fn: Annotated[int, Count([0, 10, 95, 1_000_000], label="Members missed, FN")] = 10,
    fp: Annotated[int, Count([0, 1, 10, 1_000_000], label="Others accused, FP")] = 1,
    tn: Annotated[int, Count([0, 49, 99, 1_000_000], label="Others cleared, TN")] = 99,
    delta: Annotated[float, Choice([0.0, 1e-5], label="delta")] = 0.0,
    confidence: Annotated[float, Choice([0.95, 0.99], label="Confidence")] = 0.95,
    neighbours: Neighbours = "add or remove",
) -> go.Figure:
    """Draw what an attack's counts say: rates with bands, and a lower bound on epsilon.

    Notes
    -----
    Lecture notes, section 3 and Corollary 1.

    Examples
    --------
    >>> attack_counts().layout.meta["table"][0][0]
    'quantity'
    """
    attack = game.Confusion(tp, fn, fp, tn)
    point = float(game.epsilon_from_rates(attack.tpr, attack.fpr, delta))
    certified = float(game.epsilon_lower_bound(tp, fn, fp, tn, delta, confidence))
    # Each at half the error, so that both hold together; the worst for the attack of the box.
    joint = (1 + confidence) / 2
    low_tpr, high_fpr = attack.tpr_interval(joint).low, attack.fpr_interval(joint).high
    axes = "linear"
    return finish(
        [
            edge("edge of DP, rates taken as exact", point, delta, axes, DP.estimate()),
            edge("edge of DP, certified (bound)", certified, delta, axes, DP.bound()),
            _box(attack, confidence, axes),
            coin(axes),
            points("the attack", attack.fpr, attack.tpr, ATTACK, size=11),
        ],
        sentence=(
            f"Of {attack.members:,} members {attack.tp:,} were found, of {attack.others:,} others "
            f"{attack.fp:,} were accused. With {sure(confidence)} confidence they prove an epsilon "
            f"{_bound(certified)} at delta = {say(delta)} (bound), if the attack was fixed before "
            f"these games; taken as exact, the rates would prove one {_bound(point)}. "
            f"{_other_relation(low_tpr, high_fpr, delta, neighbours)}"
        ),
        alt=(
            f"ROC plane with the attack at FPR {say(attack.fpr)} and TPR {say(attack.tpr)}, a box "
            f"for where its true rates lie, and the edges of DP for the certified epsilon "
            f"{say(certified)} and the one of the rates themselves."
        ),
        layout={**rate_axes(axes), "height": 480},
        table=_table(attack, confidence, point, certified),
    )


def _table(
    attack: game.Confusion, confidence: float, point: float, certified: float
) -> list[list[str]]:
    """Return the rates with their bands, and both epsilons."""

    def row(name: str, value: float, band: game.Interval) -> list[str]:
        return [name, percent(value), f"{percent(band.low)} to {percent(band.high)}", "estimate"]

    joint = (1 + confidence) / 2
    edge = np.subtract(attack.tpr_interval(joint), attack.fpr_interval(joint)[::-1])
    return [
        ["quantity", "value", f"{sure(confidence)} band", "kind"],
        row("true positive rate, TPR", attack.tpr, attack.tpr_interval(confidence)),
        row("false positive rate, FPR", attack.fpr, attack.fpr_interval(confidence)),
        [
            "advantage, TPR - FPR",
            say(attack.advantage),
            f"{say(float(edge[0]))} to {say(float(edge[1]))}",
            "estimate",
        ],
        ["accuracy at equal odds", percent((1 + attack.advantage) / 2), "", "estimate"],
        ["epsilon, rates taken as exact", say(point), "", "estimate"],
        ["epsilon, certified", say(certified), f"at least, {sure(confidence)}", "bound"],
    ]
