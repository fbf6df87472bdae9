"""Proposition 12 against the truth as the pool grows."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook.explore import Choice, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, points
from mipbook.figures.words import say
from mipbook.runs.pmp_pools import EPSILONS, SCALING_POOLS, SCALING_SIZES, scaling

__all__ = ["gaussian_scaling"]


def _sentence(epsilon: float, n: int, bound: float, exact: float, normal: float) -> str:
    if n == 1:
        return (
            f"With one record drawn, knowing the pool is knowing everything: eps(X), Proposition "
            f"12 and the exact eps~ are all {say(epsilon)} (exact)."
        )
    if exact > 0:
        off = normal / exact - 1
        side = "below" if off < 0 else "above"
        against = (
            f", {say(bound / exact, 2)} times less; the normal curve lies "
            f"{say(100 * abs(off), 2)}% {side} it (approximation)"
        )
    else:
        against = f"; the normal curve says {say(normal)} (approximation)"
    return (
        f"With the noise set to eps(X) = {say(epsilon)}, at n = {n} Proposition 12 certifies "
        f"eps~ ≤ {say(bound)} (bound). The truth is {say(exact)} (exact)"
        f"{against}. All are means over {SCALING_POOLS} pools."
    )


@declared
def gaussian_scaling(
    epsilon: Annotated[float, Choice(EPSILONS, label="eps(X)")] = 10.0,
    n: Annotated[int, Choice(SCALING_SIZES, label="Records, n")] = 100,
) -> go.Figure:
    """Draw the bound and the exact PMP parameter against n, at the same eps(X).

    References
    ----------
    PMP paper, Proposition 12, for the mean of normal data in one dimension; delta = 0.01.

    Examples
    --------
    >>> [t.name for t in gaussian_scaling(1.0, 6).data][1:3]
    ['Prop. 12 (bound)', 'eps~ (exact)']
    """
    sizes = list(SCALING_SIZES)
    table = scaling(epsilon)
    bound, exact, normal = table.T
    return finish(
        [
            curve("eps(X) (exact)", sizes, np.full(len(sizes), epsilon), looks.DP, marked=True),
            curve("Prop. 12 (bound)", sizes, bound, looks.PMP.bound(), marked=True),
            curve("eps~ (exact)", sizes, exact, looks.PMP, marked=True),
            points("normal (approximation)", sizes, normal, looks.READING.with_symbol("x"), size=9),
        ],
        sentence=_sentence(epsilon, n, *table[sizes.index(n)]),
        alt=(
            f"Three curves against n from 1 to 200 on log scales, all starting at "
            f"{say(epsilon)}. eps(X) is flat; the bound ends at {say(bound[-1])}; the exact "
            f"value falls to {say(exact[-1])}, with crosses of the normal curve on it."
        ),
        layout={
            "xaxis": axis("records drawn, n", log=True),
            "yaxis": axis("eps", log=True),
            "height": 420,
        },
    )
