"""Reading an attack backwards: from its rates or counts to a lower bound on epsilon."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.palette import fill
from explorable.panels import Count, LogSlider, Part, Stops, declared, layer, stacked
from mipbook import game, tradeoff
from mipbook.base.rounding import down
from mipbook.base.types import Array
from mipbook.figures.frame import LOWER, axis, finish, two_rows
from mipbook.figures.looks import ATTACK, DP
from mipbook.figures.marks import Trace, curve, level, points, reading
from mipbook.figures.roc import SPOKEN, coin, edge, rate_axes
from mipbook.figures.words import percent, say

__all__ = ["attack_backwards", "attack_counts"]

_GAMES = np.unique(np.round(np.geomspace(10, 1e6, 16)).astype(int))
_TPRS = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]
_RATES = np.concatenate([np.geomspace(5e-5, 0.5, 80), np.linspace(0.55, 1, 10)])
_EDGES = (1, 2, 4, 8)
# The largest epsilon on the axis; a perfect attack taken as exact would prove infinity.
_TOP = 12.0
_BY_GAMES = "proved by so many games (bound, 95%)"


def _bound(value: float) -> str:
    return f"ε ≥ {say(value, to=down)}" if np.isfinite(value) else "ε beyond any number"


@lru_cache(maxsize=4096)
def _interval(count: int, games: int) -> Array:
    """Return where a rate lies, at half of the error of 5%, so that two intervals hold."""
    return np.array(game.clopper_pearson(count, games, 0.975))


def _box(attack: game.Confusion) -> Trace:
    """Return where the true rates lie."""
    fprs = _interval(attack.fp, attack.others)
    tprs = _interval(attack.tp, attack.members)
    return curve(
        "where the true rates lie (95% box)",
        # On a logarithmic axis zero is beyond the left end.
        np.maximum(fprs[[0, 1, 1, 0, 0]], 1e-9),
        tprs[[0, 0, 1, 1, 0]],
        ATTACK,
        fill="toself",
        fillcolor=fill(ATTACK.colour),
        line={"color": ATTACK.colour, "width": 1.5},
        hoverinfo="skip",
    )


@lru_cache(maxsize=4096)
def _certified(tpr: float, fpr: float, delta: float, steps: int, games: int | None = None) -> float | Array:
    """Return the epsilon that so many games prove, each way, where these are the rates.

    Along `_GAMES` if the number is not given.
    """
    played = _GAMES if games is None else games
    tp, fp = np.round(tpr * played), np.round(fpr * played)
    return game.epsilon_lower_bound(tp, played - tp, fp, played - fp, delta, steps=steps)


def _map(delta: float) -> Part:
    """Return the plane as a map of epsilon: the edges of DP, each with its name."""
    edges = [
        curve(
            f"edge of DP at ε = {epsilon:g}",
            _RATES,
            tradeoff.dp_tpr(_RATES, epsilon, delta),
            DP,
            line={"color": DP.colour, "dash": DP.dash, "width": 1.25},
            showlegend=False,
            hoverinfo="skip",
        )
        for epsilon in _EDGES
    ]
    names = [
        {
            "text": f"ε = {epsilon:g}",
            # An annotation's place on a logarithmic axis is the logarithm.
            "x": float(np.log10(_RATES[np.argmax(tradeoff.dp_tpr(_RATES, epsilon, delta) > y)])),
            "y": y,
            "showarrow": False,
            "xanchor": "right",
        }
        # The first two edges are too near for names at one height.
        for epsilon, y in zip(_EDGES, (0.45, 0.6, 0.6, 0.6), strict=True)
    ]
    layout: dict[str, Any] = {
        "xaxis": axis("wrong accusations, FPR", log=True, range=[-4.3, 0.05]),
        "yaxis": axis("members found, TPR", range=[-0.02, 1.02]),
        "xaxis2": axis("games each way", log=True, range=[0.9, 6.1]),
        "yaxis2": axis("proves ε at least", range=[0, _TOP]),
        "annotations": names,
        "height": 420,
    }
    for name, place in two_rows(0.6, 0.24).items():
        layout[name] = {**layout[name], **place}
    diagonal = level("a coin toss (exact)", _RATES, _RATES, showlegend=False)
    grab = [{"control": "fpr", "axis": "x"}, {"control": "tpr", "axis": "y"}]
    meta = {"beside": 0.58, "grab": grab, "probe": [_BY_GAMES]}
    return Part([*edges, diagonal], layout, {"delta": say(delta)}, meta)


def _by_games(tpr: float, fpr: float, delta: float) -> Part:
    """Return what more and more games prove, and what the rates alone would."""
    point = float(game.epsilon_from_rates(tpr, fpr, delta))
    proven = np.asarray(_certified(tpr, fpr, delta, 1))
    hover: dict[str, Any] = {"hovertemplate": "%{x:,.0f} games prove ε ≥ %{y:.3g}<extra></extra>"}
    ends = [_GAMES[0], _GAMES[-1]]
    traces = [
        points("the attack", fpr, tpr, ATTACK, size=12, **SPOKEN),
        curve(_BY_GAMES, _GAMES, proven, DP.bound(), marked=True, **hover, **LOWER),
        level("rates taken as exact", ends, min(point, 2 * _TOP), DP.estimate(), **LOWER),
    ]
    words = {"found": percent(tpr), "accused": percent(fpr), "point": _bound(point)}
    return Part(traces, words=words)


def _measured(tpr: float, fpr: float, games: int, delta: float) -> Part:
    """Return what so many games prove of the attack."""
    tp, fp = round(tpr * games), round(fpr * games)
    attack = game.Confusion(tp, games - tp, fp, games - fp)
    known = np.flatnonzero(games == _GAMES)
    own = None if known.size else games
    proven = (np.atleast_1d(_certified(tpr, fpr, delta, steps, own)) for steps in (1, 2))
    certified, halved = (float(each[known[0] if known.size else 0]) for each in proven)
    worse = " Who says the opposite has a better attack." if tpr < fpr else ""
    sentence = (
        f"In {games:,} games each way {tp:,} are found and {fp:,} accused: {_bound(certified)} "
        f"(bound, 95%; δ = {{delta}}); if a record was replaced, ε ≥ {say(halved, to=down)} under "
        "add or remove. Taken as exact, {found} and {accused} would prove {point} "
        f"(exact).{worse}"
    )
    alt = (
        "The ROC plane, FPR on a logarithmic axis, with the attack at {accused} and {found}, a "
        "box around it, and edges of DP as a map. Beside it what is proved rises with the number "
        f"of games; at {games:,} games it is {say(certified)}."
    )
    here = reading(games, certified, "at your number of games", **LOWER)
    meta = {"sentence": sentence, "alt": alt, "headline": f"{_bound(certified)} proved"}
    return Part([_box(attack), here], meta=meta)


@declared
def attack_backwards(
    tpr: Annotated[float, Stops(_TPRS, label="Members found, TPR")] = 0.9,
    fpr: Annotated[float, LogSlider(0.0001, 1, 0.01, points=25, label="Wrong accusations, FPR")] = 0.01,
    games: Annotated[int, Count([100, 1000, 10_000, 100_000], label="Games each way")] = 100,
    delta: Annotated[float, Stops([0, 1e-5, 0.05], label="Promise, δ")] = 0.0,
) -> go.Figure:
    """Draw the least epsilon that allows an attack, as a point and with confidence.

    Notes
    -----
    Lecture notes, Corollary 1 and the example after it.

    Examples
    --------
    >>> "ε ≥ 2.71 (bound" in attack_backwards(0.9, 0.01).layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_map, delta=delta),
        layer(_by_games, tpr=tpr, fpr=fpr, delta=delta),
        layer(_measured, tpr=tpr, fpr=fpr, games=games, delta=delta),
    )


@declared
def attack_counts(
    tp: Annotated[int, Count([0, 45, 90, 1_000_000], label="Members found, TP")] = 90,
    fn: Annotated[int, Count([0, 5, 10, 1_000_000], label="Members missed, FN")] = 10,
    fp: Annotated[int, Count([0, 1, 10, 1_000_000], label="Wrong accusations, FP")] = 1,
    tn: Annotated[int, Count([0, 49, 99, 1_000_000], label="Others cleared, TN")] = 99,
    delta: Annotated[float, Stops([0, 1e-5, 0.05], label="Promise, δ")] = 0.0,
) -> go.Figure:
    """Draw what an attack's counts say: rates with bands, and a lower bound on epsilon.

    Notes
    -----
    Lecture notes, section 3 and Corollary 1.  All bands and bounds are at 95% confidence.

    Examples
    --------
    >>> attack_counts().layout.meta["table"][0][0]
    'quantity'
    """
    attack = game.Confusion(tp, fn, fp, tn)
    point = float(game.epsilon_from_rates(attack.tpr, attack.fpr, delta))
    certified, halved = (
        float(game.epsilon_lower_bound(tp, fn, fp, tn, delta, steps=steps)) for steps in (1, 2)
    )
    axes = "linear"
    return finish(
        [
            edge("edge of DP, rates taken as exact", point, delta, axes, DP.estimate()),
            edge("edge of DP, proved (bound)", certified, delta, axes, DP.bound()),
            _box(attack),
            coin(axes),
            points("the attack", attack.fpr, attack.tpr, ATTACK, size=11, **SPOKEN),
        ],
        sentence=(
            f"Of {attack.members:,} members {attack.tp:,} were found, of {attack.others:,} others "
            f"{attack.fp:,} accused: ε ≥ {say(certified, to=down)} at δ = {say(delta)} (bound, "
            "95%), if the attack was fixed before these games. If they replaced a record: ε ≥ "
            f"{say(halved, to=down)} under add or remove (bound)."
        ),
        headline=f"ε ≥ {say(certified)} proved",
        alt=(
            f"ROC plane with the attack at FPR {say(attack.fpr)} and TPR {say(attack.tpr)}, a box "
            f"for where its true rates lie, and the edges of DP for the proved ε "
            f"{say(certified)} and the one of the rates themselves."
        ),
        layout={**rate_axes(axes), "height": 420},
        table=_table(attack, point, certified),
    )


def _table(attack: game.Confusion, point: float, certified: float) -> list[list[str]]:
    """Return the rates with their bands, and both epsilons."""

    def row(name: str, value: float, band: game.Interval) -> list[str]:
        return [name, percent(value), f"{percent(band.low)} to {percent(band.high)}", "estimate"]

    tprs, fprs = _interval(attack.tp, attack.members), _interval(attack.fp, attack.others)
    low, high = tprs - fprs[::-1]
    advantage = f"{say(float(low))} to {say(float(high))}"
    return [
        ["quantity", "value", "95% band", "kind"],
        row("members found, TPR", attack.tpr, attack.tpr_interval()),
        row("wrong accusations, FPR", attack.fpr, attack.fpr_interval()),
        ["advantage, TPR − FPR", say(attack.advantage), advantage, "estimate"],
        ["accuracy at equal odds", percent((1 + attack.advantage) / 2), "", "estimate"],
        ["ε, rates taken as exact", say(point), "", "estimate"],
        ["ε, proved", say(certified, to=down), "at least", "bound"],
    ]
