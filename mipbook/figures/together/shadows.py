"""Attacks on a noisy mean: their curves, and what LiRA reaches with few shadow models."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Count, Part, declared, layer, stacked
from mipbook import together
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import BEST, LEVEL, SERIES, Look
from mipbook.figures.marks import band, curve, level, reading
from mipbook.figures.words import people, percent, say
from mipbook.stored.trained import DIMENSIONS, FPRS, MODELS, few_shadows

__all__ = ["shadow_count", "shadow_roc"]

_N = 10
_PEOPLE = [2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 500, 1000]
_COORDINATES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 25, 30, 40, 50, 60, 80, 100]
_COORDINATES += [120, 150, 200, 300, 500]
_NOISES = {"none": 0.0, "0.3": 0.3}
_GRID = np.geomspace(1e-4, 1.0, 17)
_AT = 0.01
_LIRA, _OFFLINE, _LOSS = SERIES[1], SERIES[2], SERIES[3]
_TWO_SIDED = Look(LEVEL.colour, "dashdot", "x", 2.0)
_OVER = "accusing %{x:.2%} of the others, it finds %{y:.2%} of the members<extra></extra>"


def _short(rates: Any) -> Array:
    """Return rates with three digits that count: more than a picture shows, and half the page."""
    size = 10.0 ** (3 - np.ceil(np.log10(np.maximum(rates, 1e-12))))
    return np.asarray(np.round(np.round(np.asarray(rates) * size) / size, 9))


def _curves(n: int, d: int, tau: str) -> Part:
    """Draw every attack's curve, on logarithms."""
    noise, traces = _NOISES[tau], []
    for name, attack, look in (("best attack", "best", BEST), ("LiRA, in and out models", "lira", _LIRA)):
        fpr, tpr = together.mean_attack_roc(n, d, noise, attack, points=31)
        seen = slice(int(np.searchsorted(fpr, 2e-5)), None)
        x, y = _short(fpr[seen]), _short(tpr[seen])
        traces.append(curve(name, x, y, look, hovertemplate=f"{name}: {_OVER}"))
    for name, attack, look in (
        ("LiRA, out models", "offline", _OFFLINE),
        ("the same, two-sided", "two-sided", _TWO_SIDED),
        ("one threshold", "loss", _LOSS),
    ):
        found = together.mean_attack_tpr(_GRID, n, d, noise, attack)
        traces.append(curve(name, _short(_GRID), _short(found), look, hovertemplate=f"{name}: {_OVER}"))
    traces.append(level("guessing", [1e-4, 1], [1e-4, 1]))
    ticks = {"tickvals": [1e-4, 1e-3, 1e-2, 0.1, 1], "tickformat": ".2~%"}
    layout = {
        "xaxis": axis("others accused", log=True, range=[-4, 0], **ticks),
        "yaxis": axis("members found", log=True, range=[-4.1, 0.1], **ticks),
        "height": 430,
    }
    probe = [str(trace["name"]) for trace in traces[:5]]
    return Part(traces, layout, meta={"probe": probe, "ghost": probe[:1]})


def _said(n: int, d: int, tau: str) -> Part:
    """Mark the attacks at 1% and say what they find."""
    noise = _NOISES[tau]
    found = {
        attack: float(together.mean_attack_tpr(_AT, n, d, noise, attack)) for attack in together.MEAN_ATTACKS
    }
    noisy = f" and noise of {tau}" if noise else ""
    worth = together.people_worth(n, noise)
    counts = f", worth {say(worth)} people without noise" if noise else ""
    words = "coordinate" if d == 1 else "coordinates"
    meta = {
        "headline": f"{people(found['best'])} found at 1% accused",
        "sentence": (
            f"Of a mean of {n} people in {d} {words}{noisy}{counts}, the best attack that accuses "
            f"1% of the others finds {percent(found['best'])} of the members, LiRA with many in "
            f"and out models {percent(found['lira'])}, with out models alone "
            f"{percent(found['offline'])}, the two-sided score {percent(found['two-sided'])} and "
            f"one threshold on the loss {percent(found['loss'])} (all exact)."
        ),
        "alt": (
            "Members found against others accused, on logarithms from 0.01% to 100%: the best "
            f"attack on top, LiRA just below it, and at 1% accused the one threshold for all at "
            f"{percent(found['loss'])}, near the diagonal of guessing."
        ),
    }
    shown = [found["best"], found["loss"]]
    return Part([reading([_AT, _AT], shown, "at 1% accused")], meta=meta)


@declared
def shadow_roc(
    d: Annotated[int, Count(_COORDINATES, 20, label="Coordinates, d", play=True)] = 20,
    n: Annotated[int, Count(_PEOPLE, 10, label="People, n")] = 10,
    tau: Annotated[str, Choice(_NOISES.keys(), label="Noise, τ")] = "none",
) -> go.Figure:
    """Draw the exact curves of five attacks on the mean of normal records with noise.

    Notes
    -----
    `mipbook.together.mean_attack_tpr`: the likelihood ratio, LiRA on the projection of the
    release on the record with infinitely many shadow models, and one threshold for all.

    Examples
    --------
    >>> shadow_roc(1, 10, "none").layout.meta["headline"]
    '26 of 1,000 found at 1% accused'
    """
    return stacked(layer(_curves, n=n, d=d, tau=tau), layer(_said, n=n, d=d, tau=tau))


_SIMULATED = (
    ("in and out models, one variance for all", "online, pooled", SERIES[1]),
    ("in and out models, each its variance", "online, each", SERIES[3]),
    ("out models, each its variance", "offline, each", _TWO_SIDED),
)
_OUT_NAME = "out models, one variance for all"


@lru_cache(maxsize=16)
def _exact(d: int, fpr: float) -> tuple[float, tuple[float, ...]]:
    """Return the TPR of the best attack, and of LiRA with each number of out models."""
    best = together.mean_attack_tpr(fpr, _N, d)
    out = [together.mean_attack_tpr(fpr, _N, d, attack="offline", shadows=models) for models in MODELS]
    return float(best), tuple(map(float, out))


def _by_count(d: int, fpr: float) -> Part:
    """Draw what each kind of LiRA finds against the number of shadow models."""
    over = "with %{x} shadow models it finds %{y:.2%}<extra></extra>"
    best, exact = _exact(d, fpr)
    out = np.array(exact).round(6)
    traces = [
        level("best attack (exact)", [4, 512], best, BEST),
        curve(f"{_OUT_NAME} (exact)", MODELS, out, SERIES[2], hovertemplate=over),
    ]
    for name, attack, look in _SIMULATED:
        tpr, low, high = (ends.round(6) for ends in few_shadows(d, attack, fpr))
        area = {"showlegend": False, "legendgroup": name}
        traces.append(band(f"95% band of {name}", MODELS, low, high, look, **area))
        traces.append(curve(f"{name} (estimate)", MODELS, tpr, look, hovertemplate=over))
    counts = {"tickvals": [4, 8, 16, 32, 64, 128, 256, 512], "range": [0.55, 2.76]}
    layout = {
        "xaxis": axis("shadow models in all", log=True, **{"dtick": None, **counts}),
        "yaxis": axis("members found", range=[0, best * 1.1], tickformat=".1~%"),
        "height": 430,
    }
    track = {"x": list(MODELS), "y": out.tolist()}
    grab = [{"control": "models", "axis": "x", "track": track}]
    probe = [str(t["name"]) for t in traces if "95%" not in str(t["name"])][1:]
    return Part(traces, layout, meta={"grab": grab, "probe": probe, "ghost": []})


def _at_count(models: int, d: int, fpr: float) -> Part:
    place = MODELS.index(models)
    best, every = _exact(d, fpr)
    exact = every[place]
    estimates = {}
    for _, attack, _ in _SIMULATED:
        tpr, low, high = few_shadows(d, attack, fpr)
        estimates[attack] = (tpr[place], f"{percent(low[place])} to {percent(high[place])}")
    (pooled, pooled_band), (each, each_band) = (
        estimates[attack] for attack in ("online, pooled", "online, each")
    )
    words = "coordinate" if d == 1 else "coordinates"
    meta = {
        "headline": f"{percent(max(exact, pooled))} of {percent(best)} found",
        "sentence": (
            f"With {models} shadow models, accusing {percent(fpr)} of the others of a mean of "
            f"{_N} people in {d} {words}, LiRA finds {percent(exact)} of the members with out "
            f"models alone (exact), {percent(pooled)} with half of them in (estimate, 95% band "
            f"{pooled_band}), and {percent(each)} where each record gets a variance of its own "
            f"({each_band}). The best attack finds {percent(best)} (exact)."
        ),
        "alt": (
            "Members found against the number of shadow models, from 4 to 512: curves that rise "
            f"towards the line of the best attack at {percent(best)}, those with one variance for "
            f"all records early, those with a variance for each record late. At {models} models: "
            f"{percent(exact)}, {percent(pooled)} and {percent(each)}."
        ),
    }
    here = reading([models] * 3, [exact, pooled, each], "at your number of models")
    return Part([here], meta=meta)


@declared
def shadow_count(
    models: Annotated[int, Choice(MODELS, 16, label="Shadow models")] = 16,
    d: Annotated[int, Choice(DIMENSIONS, 20, label="Coordinates, d")] = 20,
    fpr: Annotated[
        float, Choice({percent(rate): rate for rate in FPRS}, 0.01, label="Others accused")
    ] = 0.01,
) -> go.Figure:
    """Draw what LiRA finds with a number of shadow models, on the mean of ten records.

    Notes
    -----
    Out models with a known variance are exact (`mipbook.together.mean_attack_tpr`); the others
    are 100,000 members and as many others of `mipbook.together.few_shadow_scores`, stored.

    Examples
    --------
    >>> "(exact)" in shadow_count(16, 20, 0.01).layout.meta["sentence"]
    True
    """
    return stacked(layer(_by_count, d=d, fpr=fpr), layer(_at_count, models=models, d=d, fpr=fpr))
