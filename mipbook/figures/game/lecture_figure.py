"""The figure of section 4 of the lecture notes, with all that it holds still in the reader's hand."""

from typing import Annotated

import numpy as np

from mipbook import game
from mipbook.figures import kit

_SIZES = [
    *(10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250),
    *(300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 2500),
]
_QUERIES = kit.Choice([100, 400, 1600, 6400], label="Queries, k")
_NOISES = kit.Choice([0.05, 0.1, 0.2, 0.4], label="Noise, σ")
_DELTAS = kit.Stops(
    [float(f"{m}e-{e}") for e in range(9, 1, -1) for m in (1, 3)], label="δ, of what is proven"
)
_THRESHOLDS = np.linspace(-0.5, 1.5, 25)
_ENDS = (-1.5, 2.5)
# Where the densities are drawn, in standard deviations from each centre.
_WIDTHS = np.linspace(-4.5, 4.5, 73)
_SIDES = (("target out (exact)", "FPR", kit.OUT, "/"), ("target in (exact)", "TPR", kit.IN, "."))


@kit.cache
def _attack(k, n, sigma):
    return game.TracingAttack(k, n, sigma)


def _hill(attack, side, low):
    """Return where one hill is drawn from there on, in units of k/n, and its height over the top's."""
    places = np.clip(side + _WIDTHS * attack.spread / attack.shift, max(low, _ENDS[0]), _ENDS[1])
    heights = attack.densities(places * attack.shift)[side]
    return places, heights / attack.densities(0.0)[0]


def _hills(k, n, sigma):
    """Return both hills, and the axes."""
    attack = _attack(k, n, sigma)
    return kit.part(
        [
            kit.curve(name, *_hill(attack, side, _ENDS[0]), look, hover=name)
            for side, (name, _, look, _) in enumerate(_SIDES)
        ],
        x=kit.axis("statistic z, in units of k/n", range=list(_ENDS), dtick=0.5),
        y=kit.axis("density, over that of the top", range=[0, 1.08], dtick=0.25),
        height=360,
        headline="{tpr} found",
        sentence="With τ at {place} k/n = {tau} the attack finds {tpr} and accuses {fpr} (exact). With "
        "τ = k/n it proves ε ≥ {proven} (bound); the mechanism's own ε is {own} (exact), both at "
        "δ = {delta}.",
        alt="Two equal hills of the statistic z, in units of k/n: target out around 0, target in around 1, "
        "each with standard deviation {spread}. Right of the threshold {place} lies a share of the first, "
        "the FPR: {fpr}; and of the second, the TPR: {tpr}.",
        probe=[name for name, *_ in _SIDES],
        grab=kit.drag("threshold", at=1.0),
        spread=attack.spread / attack.shift,
    )


def _beyond(k, n, sigma, threshold):
    """Return the areas right of the threshold, which are the FPR and the TPR."""
    attack = _attack(k, n, sigma)
    tau = threshold * attack.shift
    areas = []
    for side, (_, name, look, shape) in enumerate(_SIDES):
        filled = {"fill": "tozeroy", "line": {"width": 0}}
        filled["fillpattern"] = {"shape": shape, "fgcolor": look.colour, "size": 8, "solidity": 0.25}
        more = {"hoverinfo": "skip", "showlegend": False}
        areas.append(kit.curve(name, *_hill(attack, side, threshold), look, **filled, **more))
    return kit.part(
        areas,
        kit.level("threshold τ", [threshold, threshold], [0, 1.0], showlegend=False),
        **kit.words(kit.exact, kit.people, tpr=attack.tpr(tau), fpr=attack.fpr(tau)),
        **kit.words(place=threshold, tau=tau),
    )


def _proves(k, n, sigma, delta):
    """Return what the lecture's threshold proves, and what there is to prove."""
    attack = _attack(k, n, sigma)
    proven = kit.at_least(attack.certified_epsilon(attack.shift, delta))
    return kit.part(**kit.words(delta=delta, own=attack.epsilon(delta), proven=proven))


@kit.figure
def lecture_figure_1(
    threshold: Annotated[
        float, kit.Stops(_THRESHOLDS.tolist(), label="Threshold τ, over k/n", play=True)
    ] = 0.75,
    n: Annotated[int, kit.Choice(_SIZES, label="Records, n")] = 100,
    k: Annotated[int, _QUERIES] = 400,
    sigma: Annotated[float, _NOISES] = 0.1,
    delta: Annotated[float, _DELTAS] = 1e-5,
):
    """Draw the lecture's figure: the attack's statistic with and without the target.

    The statistic is drawn in units of its mean with the target, so that the axes stand still.

    Notes
    -----
    Lecture notes, figure of section 4; replace-one neighbours.

    Examples
    --------
    >>> lecture_figure_1().layout.meta["headline"]
    '691 of 1,000 found'
    """
    return _hills, _beyond, _proves
