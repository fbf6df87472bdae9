"""The tracing attack: a live one over its theorem, and the lecture's picture for print."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable import validate
from explorable.palette import fill
from explorable.panels import Count, Part, Stops, declared, layer, stacked
from mipbook import game, tradeoff
from mipbook.base.types import Array
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.looks import ATTACK, BEST, DP, IN, LEVEL, OUT
from mipbook.figures.marks import Trace, band, bars, curve, level, reading
from mipbook.figures.words import counted, people, percent, say

if TYPE_CHECKING:
    from mipbook.figures.printed import PrintFigure

__all__ = ["tracing", "tracing_print"]

_DELTA = 1e-5
_RECORDS = 100
# Squares, so that the attack feels few different signals, each packed once.
_QUERIES = [root**2 for root in (5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40)]
_GAMES = [0, *range(1, 10), 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400, 600, 800, 1000]
_THRESHOLDS = np.linspace(-1, 4, 41)
# Where the densities are drawn, in standard deviations; every threshold is among them.
_Z = np.linspace(-4, 8, 97)
_BINS = np.linspace(-4, 8, 41)
_RATES = np.concatenate([np.geomspace(1e-5, 0.5, 90), np.linspace(0.52, 1, 13)])
_COARSE = np.concatenate([np.geomspace(1e-5, 0.5, 34), np.linspace(0.6, 1, 5)])
_TOP = 0.43
_UNNAMED: dict[str, Any] = {"showlegend": False}
_SPOKEN: dict[str, Any] = {"hovertemplate": "accuse %{x:.2%}, find %{y:.1%}<extra></extra>"}
# With the target out and in: the look of the density and of the area under it.
_SIDES = (
    ("target out (exact)", "FPR: out, but accused", OUT, "/"),
    ("target in (exact)", "TPR: in, and found", IN, "."),
)


def _attack(k: int, sigma: float) -> game.TracingAttack:
    return game.TracingAttack(k, _RECORDS, sigma)


@lru_cache(maxsize=256)
def _alike(signal: float) -> game.TracingAttack:
    """Return the attack on one query that feels as much; measured in its own noise it is equal."""
    return game.TracingAttack(1, 1, 1 / signal)


def _signal(k: int, sigma: float) -> float:
    return round(_attack(k, sigma).signal, 12)


@lru_cache(maxsize=256)
def _played(signal: float, games: int) -> game.Roc | None:
    """Play the first so many of always the same games; one side alone has no curve."""
    played = _alike(signal).play(_GAMES[-1], np.random.default_rng(40))
    if len(set(played.member[:games].tolist())) < 2:
        return None
    return game.roc(played.scores[:games] * signal, played.member[:games])


@lru_cache(maxsize=256)
def _law(signal: float, member: bool) -> Array:
    """Return the density of the statistic, in standard deviations, at `_Z`."""
    law: Array = np.asarray(_alike(signal).densities(_Z / signal)[member]) / signal
    return law


def _plane(k: int, sigma: float) -> Part:
    """Return both bells, the ROC curve, the mechanism's own epsilon, and the axes."""
    signal = _signal(k, sigma)
    own = float(_alike(signal).epsilon(_DELTA))
    best = tradeoff.gaussian_tpr(_RATES, 1 / signal)
    rates = (_alike(signal).fpr(_THRESHOLDS / signal), _alike(signal).tpr(_THRESHOLDS / signal))
    track = {side: np.asarray(rate).tolist() for side, rate in zip("xy", rates, strict=True)}
    bells = [
        curve(name, _Z, _law(signal, member), look, hovertemplate=f"{name}<extra></extra>")
        for member, (name, _, look, _) in enumerate(_SIDES)
    ]
    sentence = (
        "The attack finds {found} members and accuses {accused} others (exact). That proves "
        "ε ≥ {proven} (bound); the mechanism's own ε is {own} (exact), both at "
        f"δ = {say(_DELTA)}."
    )
    alt = (
        "Two bell curves of the statistic, in standard deviations: one around 0, one around "
        f"{say(signal)}. Right of the threshold {{threshold}} lie {{fpr}} of the first and {{tpr}} "
        "of the second. Beside them the ROC curve with that point, the edge of DP through it, and "
        "the band of the games that were played."
    )
    layout: dict[str, Any] = {
        "xaxis": axis("statistic z, in standard deviations", range=[-3.6, 7.6], dtick=2),
        "yaxis": axis("density", range=[0, 0.46], dtick=0.1),
        "xaxis2": axis("accused, FPR", log=True, range=[-5, 0.05], dtick=2),
        "yaxis2": axis("found, TPR", range=[-0.02, 1.02], dtick=0.25),
        "barmode": "overlay",
        "bargap": 0,
        "height": 420,
    }
    for name, place in two_rows(0.5, 0.24).items():
        layout[name] = {**layout[name], **place}
    plane = [
        curve("best attack (exact)", _RATES, best, BEST, **_SPOKEN, **LOWER),
        level("a coin toss (exact)", _RATES, _RATES, **_UNNAMED, **LOWER),
    ]
    meta = {
        "sentence": sentence,
        "headline": "{tpr} found, {fpr} accused",
        "alt": alt,
        "beside": 0.54,
        "probe": ["best attack (exact)"],
        "grab": [
            {"control": "threshold", "axis": "x", "at": _TOP},
            {"control": "threshold", "axis": "x2", "track": track},
        ],
    }
    return Part([*bells, *plane], layout, {"own": say(own)}, meta)


def _games(k: int, sigma: float, games: int) -> Part:
    """Return what was played: the games piled up under the bells, and their ROC curve."""
    signal = _signal(k, sigma)
    played = _alike(signal).play(_GAMES[-1], np.random.default_rng(40))
    traces: list[Trace] = []
    for member, (_, _, look, pattern) in enumerate(_SIDES):
        seen = played.scores[:games][played.member[:games] == bool(member)] * signal
        counts, _ = np.histogram(seen, _BINS)
        # All games together fill both bells.
        heights = counts / (_GAMES[-1] / 2 * (_BINS[1] - _BINS[0]))
        name = ("played, target out (estimate)", "played, target in (estimate)")[member]
        hover = counted("%{customdata} games<extra></extra>", {"customdata": counts})
        pile = bars(name, (_BINS[1:] + _BINS[:-1]) / 2, heights, look, pattern)
        pile["marker"]["color"] = fill(look.colour)
        traces.append({**pile, "customdata": counts, "hovertemplate": hover, **_UNNAMED})
    curve_of = _played(signal, games)
    found = np.zeros(0) if curve_of is None else np.asarray(curve_of.tpr_at(_COARSE))
    low, high = ([], []) if curve_of is None else curve_of.tpr_band(_COARSE, simultaneous=True)
    at, look = _COARSE[: found.size], ATTACK.estimate()
    traces += [
        band("95% band of the games", at, low, high, look, **_UNNAMED, **LOWER),
        curve("games played (estimate, 95% band)", at, found, look, **LOWER),
    ]
    return Part(traces)


def _threshold(k: int, sigma: float, threshold: float) -> Part:
    """Return the areas beyond the threshold, the point on the curve, and what it proves."""
    signal = _signal(k, sigma)
    attack = _alike(signal)
    at = threshold / signal
    fpr, tpr = float(attack.fpr(at)), float(attack.tpr(at))
    proven = float(attack.certified_epsilon(at, _DELTA))
    beyond = np.concatenate([[threshold], _Z[threshold < _Z]])
    laws = np.asarray(attack.densities(beyond / signal)) / signal
    edge = tradeoff.dp_tpr(_COARSE, proven, _DELTA)
    areas = [
        curve(
            area,
            beyond,
            law,
            look,
            fill="tozeroy",
            fillcolor=fill(look.colour),
            fillpattern={"shape": pattern, "fgcolor": look.colour, "size": 8, "solidity": 0.25},
            line={"width": 0},
            hoverinfo="skip",
            **_UNNAMED,
        )
        for (_, area, look, pattern), law in zip(_SIDES, laws, strict=True)
    ]
    words = {
        "found": people(tpr),
        "accused": people(fpr),
        "proven": say(proven),
        "tpr": percent(tpr),
        "fpr": percent(fpr),
        "threshold": say(threshold),
    }
    traces = [
        *areas,
        level("threshold", [threshold, threshold], [0, _TOP], **_UNNAMED),
        curve("DP with the ε proven (bound)", _COARSE, edge, DP.bound(), **LOWER),
        reading(fpr, tpr, "your threshold", **_SPOKEN, **LOWER),
    ]
    return Part(traces, words=words)


@declared
def tracing(
    threshold: Annotated[float, Stops(_THRESHOLDS.tolist(), label="Say “in” from z =", play=True)] = 2.0,
    k: Annotated[int, Count(_QUERIES, label="Queries, k")] = 400,
    sigma: Annotated[float, Stops([0.1, 0.2, 0.4], label="Noise, σ")] = 0.1,
    games: Annotated[int, Count(_GAMES, label="Games played", play=True)] = 0,
) -> go.Figure:
    """Draw the tracing attack: both densities, its ROC curve, and the epsilon it certifies.

    Notes
    -----
    Lecture notes, Theorem 2 and the figure of section 4, for 100 records of which one is
    replaced; delta is 1e-5.  The statistic is drawn in units of its own standard deviation,
    so that only r = sqrt(k) / (n sigma) moves the picture.

    Examples
    --------
    >>> "ε ≥ 3.09 (bound)" in tracing().layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_plane, k=k, sigma=sigma),
        layer(_games, k=k, sigma=sigma, games=games),
        layer(_threshold, k=k, sigma=sigma, threshold=threshold),
    )


def tracing_print(k: int = 400, n: int = 100, sigma: float = 0.1, threshold: float = 3.0) -> PrintFigure:
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
