"""The ROC plane: what DP allows, what a mechanism allows, and what an attack does."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, tradeoff
from mipbook.figures.roc import SPOKEN, Axes, coin, empirical, grid, rate_axes, region, shown
from mipbook.mechanisms import Gaussian

_GAMES = 20_000
_BEST = "best spy on this noise (exact)"
_FPRS = k.LogSlider(0.0001, 1, 0.01, points=25, label="Wrong accusations, FPR")


@k.cache
def _attack(sigma):
    """Play the worst-case game on a noisy sum of numbers in [-1, 1]."""
    mechanism = Gaussian(sigma, query=np.sum)
    data, target = np.array([-1.0]), np.array(1.0)
    attacker = game.LikelihoodRatio(mechanism, *game.neighbouring(data, target))
    rng = np.random.default_rng(30)
    return game.worst_case_game(mechanism, data, target, attacker, _GAMES, rng).roc()


def _promise(epsilon, delta, axes):
    return k.part(region(epsilon, delta, axes), epsilon=epsilon, delta=delta)


def _noise(sigma, axes):
    """Return the best attack's curve, along which the FPR is dragged, and a played one."""
    x, stops = grid(axes), np.array(_FPRS.stops)
    band, played = empirical("a simulated spy (estimate, 95% band)", _attack(sigma), axes, 0.95)
    return k.part(
        k.curve(_BEST, x, shown(tradeoff.gaussian_tpr(x, sigma), axes), k.BEST, **SPOKEN),
        band | {"showlegend": False},
        played,
        grab=k.drag("fpr", stops, shown(tradeoff.gaussian_tpr(stops, sigma), axes)),
        sigma=sigma,
    )


def _frame(axes):
    """Return the axes, the coin, and what is said around the numbers."""
    return k.part(
        coin(axes),
        layout=rate_axes(axes),
        height=440,
        headline="{best} found",
        sentence="If {accused} others may be accused wrongly, the best spy finds {best} members (exact). The "
        "promise allows {allowed} (bound). {verdict}",
        alt=f"ROC plane with {axes} axes. A shaded region with straight edges shows what ε = {{epsilon}} "
        "and δ = {delta} allow; a smooth curve shows the best attack on Gaussian noise of σ = {sigma}, and "
        "a stepped one with a band a simulated attack. At FPR {fpr} the region reaches {top}, the exact "
        "curve {curve}, the simulated one {did}.",
        probe=[_BEST],
        ghost=[_BEST],
    )


def _allowed(epsilon, delta, fpr):
    top = tradeoff.dp_tpr(fpr, epsilon, delta)
    here = k.reading([fpr], [top], "DP at your FPR", **SPOKEN)
    return k.part(here, allowed=k.at_most(top, k.people), top=top)


def _found(sigma, fpr):
    best = tradeoff.gaussian_tpr(fpr, sigma)
    return k.part(
        k.reading([fpr], [best], "the best attack at your FPR", **SPOKEN),
        **k.words(k.exact, k.people, accused=fpr, best=best),
        **k.words(fpr=fpr, curve=best),
        did=k.about(_attack(sigma).tpr_at(fpr)),
    )


@k.cache
def _spent(epsilon, sigma):
    return float(tradeoff.gaussian_delta(epsilon, sigma))


def _kept(epsilon, delta, sigma):
    """Say whether the noise keeps the promise."""
    spent = _spent(epsilon, sigma)
    word = "is" if spent <= delta else "is not"
    told = f"This noise {word} ({{epsilon}}, {{delta}})-DP: at that ε it needs δ = {{spent}} (exact)."
    return k.part(verdict=k.told(told, epsilon=epsilon, delta=delta, spent=spent))


@k.figure
def roc_plane(
    epsilon: Annotated[float, k.Slider(0, 8, step=0.2, label="Promise, ε")] = 1.0,
    delta: Annotated[float, k.Stops([0, 1e-5, 0.05], label="Promise, δ")] = 1e-5,
    sigma: Annotated[float, k.LogSlider(0.25, 4, points=25, label="Noise, σ")] = 1.0,
    fpr: Annotated[float, _FPRS] = 0.01,
    axes: Axes = "linear",
):
    """Draw the region of (epsilon, delta)-DP, a Gaussian mechanism's curve, and an attack on it.

    Notes
    -----
    Lecture notes, Theorem 1 and Corollary 1.  The mechanism is a noisy sum of numbers in
    [-1, 1], which adding or removing a person moves by at most 1.

    Examples
    --------
    >>> "92 of 1,000" in roc_plane(sigma=1.0, fpr=0.01).layout.meta["sentence"]
    True
    """
    return _promise, _noise, _frame, _allowed, _found, _kept
