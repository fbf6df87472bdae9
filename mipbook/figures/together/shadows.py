"""Attacks on a noisy mean: their curves, and what LiRA reaches with few shadow models."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.mis.mean_attacks import MEAN_ATTACKS, mean_attack_roc, mean_attack_tpr, people_worth
from mipbook.stored.trained import DIMENSIONS, FPRS, MODELS, few_shadows

_N = 10
_PEOPLE = [2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 500, 1000]
_COORDINATES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 25, 30, 40, 50, 60, 80, 100]
_COORDINATES += [120, 150, 200, 300, 500]
_NOISES = {"none": 0.0, "0.3": 0.3}
_GRID = np.geomspace(1e-4, 1.0, 17)
_AT = 0.01
_TWO_SIDED = k.Look(k.LEVEL.colour, "dashdot", "x", 2.0)
_CURVES = {
    "best": ("best attack", k.BEST),
    "lira": ("LiRA, in and out models", k.SERIES[1]),
    "offline": ("LiRA, out models", k.SERIES[2]),
    "two-sided": ("the same, two-sided", _TWO_SIDED),
    "loss": ("one threshold", k.SERIES[3]),
}


def _curves(n, d, tau):
    """Draw every attack's curve, on logarithms."""
    noise, traces = _NOISES[tau], []
    for attack, (name, look) in _CURVES.items():
        if attack in ("best", "lira"):
            x, y = mean_attack_roc(n, d, noise, attack, points=31)
            seen = slice(int(np.searchsorted(x, 2e-5)), None)
            x, y = x[seen], y[seen]
        else:
            x, y = _GRID, mean_attack_tpr(_GRID, n, d, noise, attack)
        said = f"{name}: accusing %{{x:.2%}} of the others, it finds %{{y:.2%}} of the members"
        traces.append(k.curve(name, k.short(x), k.short(y), look, hover=said))
    names = [name for name, _ in _CURVES.values()]
    ticks = {"tickvals": [1e-4, 1e-3, 1e-2, 0.1, 1], "tickformat": ".2~%"}
    return k.part(
        traces,
        k.level("guessing", [1e-4, 1], [1e-4, 1]),
        x=k.axis("others accused", log=True, range=[-4, 0], **ticks),
        y=k.axis("members found", log=True, range=[-4.1, 0.1], **ticks),
        height=430,
        probe=names,
        ghost=names[:1],
    )


def _marked(n, d, tau):
    """Mark the attacks at 1% and say what they find."""
    noise = _NOISES[tau]
    found = {attack: float(mean_attack_tpr(_AT, n, d, noise, attack)) for attack in MEAN_ATTACKS}
    noisy = " and noise of {noise}, worth {worth} people without noise" if noise else ""
    return k.part(
        k.reading([_AT, _AT], [found["best"], found["loss"]], "at 1% accused"),
        headline="{people} found at 1% accused",
        sentence=f"Of a mean of {{n}} people in {{d}} coordinate{'s' * (d > 1)}{noisy}, the best attack that "
        "accuses 1% of the others finds {best} of the members, LiRA with many in and out models {lira}, with "
        "out models alone {offline}, the two-sided score {twosided} and one threshold on the loss {loss} "
        "(all exact).",
        alt="Members found against others accused, on logarithms from 0.01% to 100%: the best attack on top, "
        "LiRA just below it, and at 1% accused the one threshold for all at {loss}, near the diagonal of "
        "guessing.",
        n=k.exact(n, str),
        d=d,
        noise=noise,
        worth=people_worth(n, noise),
        people=k.exact(found["best"], k.people),
        **{name.replace("-", ""): k.exact(rate, k.percent) for name, rate in found.items()},
    )


@k.figure
def shadow_roc(
    d: Annotated[int, k.Count(_COORDINATES, 20, label="Coordinates, d", play=True)] = 20,
    n: Annotated[int, k.Count(_PEOPLE, 10, label="People, n")] = 10,
    tau: Annotated[str, k.Choice(_NOISES.keys(), label="Noise, τ")] = "none",
):
    """Draw the exact curves of five attacks on the mean of normal records with noise.

    Notes
    -----
    `mipbook.mis.mean_attack_tpr`: the likelihood ratio, LiRA on the projection of the
    release on the record with infinitely many shadow models, and one threshold for all.

    Examples
    --------
    >>> shadow_roc(1, 10, "none").layout.meta["headline"]
    '26 of 1,000 found at 1% accused'
    """
    return _curves, _marked


_POOLED, _EACH = "online, pooled", "online, each"
_SIMULATED = {
    _POOLED: ("in and out models, one variance for all", k.SERIES[1]),
    _EACH: ("in and out models, each its variance", k.SERIES[3]),
    "offline, each": ("out models, each its variance", _TWO_SIDED),
}


@k.cache
def _exact(d, fpr):
    """Return the TPR of the best attack, and of LiRA with each number of out models."""
    out = [float(mean_attack_tpr(fpr, _N, d, attack="offline", shadows=models)) for models in MODELS]
    return float(mean_attack_tpr(fpr, _N, d)), out


def _by_count(d, fpr):
    """Draw what each kind of LiRA finds against the number of shadow models."""
    over = {"hover": "with %{x} shadow models it finds %{y:.2%}"}
    best, out = _exact(d, fpr)
    names, traces = ["out models, one variance for all (exact)"], []
    for attack, (name, look) in _SIMULATED.items():
        tpr, low, high = (ends.round(6) for ends in few_shadows(d, attack, fpr))
        area = {"showlegend": False, "legendgroup": name}
        traces.append(k.band(f"95% band of {name}", MODELS, low, high, look, **area))
        traces.append(k.curve(f"{name} (estimate)", MODELS, tpr, look, **over))
        names.append(f"{name} (estimate)")
    counts = {"tickvals": [4, 8, 16, 32, 64, 128, 256, 512], "range": [0.55, 2.76], "dtick": None}
    return k.part(
        k.level("best attack (exact)", [4, 512], best, k.BEST),
        k.curve(names[0], MODELS, np.round(out, 6), k.SERIES[2], **over),
        traces,
        x=k.axis("shadow models in all", log=True, **counts),
        y=k.axis("members found", range=[0, best * 1.1], tickformat=".1~%"),
        height=430,
        grab=k.drag("models", MODELS, np.round(out, 6)),
        probe=names,
        ghost=[],
    )


def _at_count(models, d, fpr):
    place = MODELS.index(models)
    best, every = _exact(d, fpr)
    exact = every[place]
    (pooled, *pooled_band), (each, *each_band) = (
        [float(ends[place]) for ends in few_shadows(d, attack, fpr)] for attack in (_POOLED, _EACH)
    )
    low, high = zip(pooled_band, each_band, strict=True)
    rates = {"exact": exact, "best": best, "most": max(exact, pooled), "fpr": fpr}
    estimates = {"pooled": pooled, "each": each, "low": low[0], "high": high[0]}
    estimates |= {"each_low": low[1], "each_high": high[1]}
    return k.part(
        k.reading([models] * 3, [exact, pooled, each], "at your number of models"),
        headline="{most} found, {best} by the best attack",
        sentence="With {models} shadow models, accusing {fpr} of the others of a mean of {n} people in {d} "
        f"coordinate{'s' * (d > 1)}, LiRA finds {{exact}} of the members with out models alone (exact), "
        "{pooled} with half of them in (estimate, 95% band {low} to {high}), and {each} where each record "
        "gets a variance of its own ({each_low} to {each_high}). The best attack finds {best} (exact).",
        alt="Members found against the number of shadow models, from 4 to 512: curves that rise towards the "
        "line of the best attack at {best}, those with one variance for all records early, those with a "
        "variance for each record late. At {models} models: {exact}, {pooled} and {each}.",
        models=models,
        n=_N,
        d=d,
        **{name: k.exact(rate, k.percent) for name, rate in rates.items()},
        **{name: k.about(rate, k.percent) for name, rate in estimates.items()},
    )


@k.figure
def shadow_count(
    models: Annotated[int, k.Choice(MODELS, 16, label="Shadow models")] = 16,
    d: Annotated[int, k.Choice(DIMENSIONS, 20, label="Coordinates, d")] = 20,
    fpr: Annotated[
        float, k.Choice({k.percent(rate): rate for rate in FPRS}, 0.01, label="Others accused")
    ] = 0.01,
):
    """Draw what LiRA finds with a number of shadow models, on the mean of ten records.

    Notes
    -----
    Out models with a known variance are exact (`mipbook.mis.mean_attack_tpr`); the others
    are 100,000 members and as many others of `mipbook.mis.few_shadow_scores`, stored.

    Examples
    --------
    >>> "(exact)" in shadow_count(16, 20, 0.01).layout.meta["sentence"]
    True
    """
    return _by_count, _at_count
