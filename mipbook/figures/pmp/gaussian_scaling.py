"""Proposition 12 against the truth as the pool grows."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, declared
from mipbook.base.rounding import up
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, points
from mipbook.figures.words import say
from mipbook.stored.pmp import EPSILONS, SCALING_POOLS, SCALING_SIZES, scaling

__all__ = ["gaussian_scaling"]

# At these n the sentence reads the curves.
_FEW, _MANY = 6, 100


@declared
def gaussian_scaling(
    epsilon: Annotated[float, Choice(EPSILONS, label="ε(X), by the noise")] = 10.0,
) -> go.Figure:
    """Draw the bound and the exact PMP parameter against n, at the same eps(X).

    References
    ----------
    PMP paper, Proposition 12, for the mean of normal data in one dimension; delta = 0.01.

    Examples
    --------
    >>> [t.name for t in gaussian_scaling(1.0).data][1:3]
    ['Prop. 12 (bound)', 'ε̃ (exact)']
    """
    sizes = list(SCALING_SIZES)
    bound, exact, normal = scaling(epsilon).T
    few, many = sizes.index(_FEW), sizes.index(_MANY)
    said = "%{y:.3g} at n = %{x}<extra></extra>"
    return finish(
        [
            curve(
                "ε(X) (exact)",
                sizes,
                np.full(len(sizes), epsilon),
                looks.DP,
                marked=True,
                hovertemplate=f"who knows all others faces {said}",
            ),
            curve(
                "Prop. 12 (bound)",
                sizes,
                bound,
                looks.PMP.bound(),
                marked=True,
                hovertemplate=f"Proposition 12 certifies {said}",
            ),
            curve("ε̃ (exact)", sizes, exact, looks.PMP, marked=True, hovertemplate=f"the truth is {said}"),
            points(
                "normal (approximation)",
                sizes,
                normal,
                looks.READING.with_symbol("x"),
                size=9,
                hovertemplate=f"the normal curve says {said}",
            ),
        ],
        sentence=(
            f"At n = {_MANY} Proposition 12 certifies {say(bound[many], to=up)} (bound); the truth "
            f"is {say(exact[many])} (exact), {say(bound[many] / exact[many], 2)} times less. At n "
            f"= {_FEW} it is {say(bound[few] / exact[few], 2)} times less. With one record drawn "
            f"all are {say(epsilon)} (exact). Means over {SCALING_POOLS} pools."
        ),
        alt=(
            f"Three curves against n from 1 to 200 on log scales, all starting at {say(epsilon)}. "
            "The attacker who knows all others stays there; the bound ends at "
            f"{say(bound[-1], to=up)}; the exact value falls to {say(exact[-1])}, with crosses of "
            "the normal curve on it."
        ),
        layout={
            "xaxis": axis("records drawn, n", log=True, range=[-0.05, 2.4]),
            "yaxis": axis("privacy at δ = 0.01", log=True, range=[-1, 1.1]),
            "height": 420,
        },
        headline=f"n = {_MANY}: bound {say(bound[many], to=up)}, truth {say(exact[many])}",
        probe=["Prop. 12 (bound)", "ε̃ (exact)"],
    )
