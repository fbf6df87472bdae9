"""What a promise of epsilon and delta allows a spy: how often he is right, and whom he finds."""

from typing import Annotated

import mipbook.figures.kit as k
from mipbook.accounting.known import from_dp
from mipbook.figures.together.five_numbers import FIELDS, spied

_EPSILONS = [0.01, 0.02, 0.03, 0.05, 0.07, *(round(0.1 * i, 1) for i in range(1, 101))]
_EPSILONS += [11, 12, 13, 14, 15, 16, 18, 20, 25, 30, 35, 40, 50, 60, 70, 80, 100]
_DELTAS = [0, *(float(f"1e-{e}") for e in range(12, 2, -1)), 0.01, 0.02, 0.05, 0.1]


def _held(delta):
    """Return what can be held: beside the rounds, as high as they are won."""
    rights = [float(from_dp(float(e), delta).accuracy()) for e in _EPSILONS]
    return k.part(**FIELDS, grab=k.drag("epsilon", [1.5] * len(rights), rights, along="y"))


def _allowed(epsilon, delta):
    found = from_dp(float(epsilon), float(delta))
    right, tprs = float(found.accuracy()), [float(found.tpr(fpr)) for fpr in (0.1, 0.01, 0.001)]
    rates = [k.at_most(rate, k.percent) for rate in tprs]
    return k.part(
        spied(right, tprs[1]),
        table=[
            ["reading", "at most"],
            ["found, if 10% of others are accused", rates[0]],
            ["found, if 0.1% of others are accused", rates[2]],
            ["advantage, found less accused", k.at_most(found.advantage.value, digits=4)],
            ["MIP: η", k.at_most(found.eta.value, digits=4)],
            ["MIS: Δ", k.at_most(found.mis.value, digits=4)],
        ],
        headline="Right at most {right}",
        sentence="So often a spy may be right who says of you in or out, by this promise alone. If he "
        "wrongly accuses 1 person in 100, he finds at most {tpr} of those who were in (bound).",
        alt="Three fields of a hundred dots: of others, one of whom is accused; of rounds, in which a spy is "
        "right {right} at most; of members, {tpr} of whom are then found at most.",
        right=k.at_most(right, k.in_100),
        tpr=rates[1],
    )


@k.figure
def promise(
    epsilon: Annotated[float, k.Stops(_EPSILONS, label="ε", play=True).safe("up")] = 3.0,
    delta: Annotated[float, k.Stops(_DELTAS, label="δ").safe("up")] = 1e-5,
):
    """Draw how often a spy is right about you at most, and whom he finds, by a promise alone.

    Notes
    -----
    `mipbook.accounting.translate` reads other promises too.

    Examples
    --------
    >>> promise(1.0, 0).layout.meta["headline"]
    'Right at most 73.2 times in 100'
    """
    return _held, _allowed
