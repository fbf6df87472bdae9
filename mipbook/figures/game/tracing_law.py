"""How many queries can be answered: epsilon for fixed noise, and for noise that keeps pace."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import game, tradeoff
from mipbook.base.types import Array
from mipbook.explore import Count, LogSlider, Stops, declared
from mipbook.figures.frame import axis, finish
from mipbook.figures.looks import SERIES, Look
from mipbook.figures.marks import Trace, curve, level
from mipbook.figures.roc import Neighbours
from mipbook.figures.words import say

__all__ = ["tracing_law"]

_QUERIES = np.unique(np.round(np.geomspace(1, 100_000, 51)).astype(int))


def _epsilons(n: int, sigma: Array, delta: float, neighbours: str) -> tuple[Array, Array]:
    """Return for each number of queries the mechanism's epsilon, and what the attack certifies."""
    attacks = [
        game.TracingAttack(k, n, s, neighbours)
        for k, s in zip(_QUERIES.tolist(), sigma.tolist(), strict=True)
    ]
    own = tradeoff.gaussian_epsilon(delta, sigma, [a.sensitivity for a in attacks])
    proven = [float(a.certified_epsilon(a.shift, delta)) for a in attacks]
    return np.asarray(own), np.array(proven)


@lru_cache(maxsize=256)
def _fixed(n: int, sigma: float, delta: float, neighbours: str) -> tuple[Array, Array]:
    return _epsilons(n, np.full(_QUERIES.size, sigma), delta, neighbours)


@lru_cache(maxsize=256)
def _growing(n: int, factor: float, delta: float, neighbours: str) -> tuple[Array, Array]:
    return _epsilons(n, factor * np.sqrt(_QUERIES) / n, delta, neighbours)


def _pair(noise: str, epsilons: tuple[Array, Array], look: Look) -> list[Trace]:
    drawn_as = (look.exact(), look.bound().with_symbol(f"{look.symbol}-open"))
    names = ("the mechanism's epsilon (exact)", "what the attack certifies (bound)")
    return [
        curve(
            f"{noise} noise: {name}",
            _QUERIES,
            values,
            drawn,
            most=12,
        )
        for name, values, drawn in zip(names, epsilons, drawn_as, strict=True)
    ]


@declared
def tracing_law(
    n: Annotated[int, Count([10, 100, 1000, 10_000], label="Records, n")] = 100,
    sigma: Annotated[float, LogSlider(0.001, 1, points=4, label="Fixed noise, sigma")] = 0.1,
    factor: Annotated[float, Stops([0.25, 0.5, 1, 2, 4], label="Growing noise, factor")] = 1.0,
    delta: Annotated[float, Stops([1e-9, 1e-5, 1e-3], label="delta")] = 1e-5,
    neighbours: Neighbours = "replace",
) -> go.Figure:
    """Draw epsilon against the number of queries, for fixed noise and for noise that keeps pace.

    Notes
    -----
    Lecture notes, Theorem 2.  The growing noise is ``factor * sqrt(k) / n``.

    Examples
    --------
    >>> len(tracing_law().data)
    5
    """
    fixed = _fixed(n, sigma, delta, neighbours)
    growing = _growing(n, factor, delta, neighbours)
    turn = (n * sigma / factor) ** 2
    # At one query, and at the most that are drawn.
    (flat, flat_proven), (last, last_proven) = (
        (float(own[i]), float(proven[i])) for (own, proven), i in ((growing, 0), (fixed, -1))
    )
    return finish(
        [
            *_pair("fixed", fixed, SERIES[1]),
            *_pair("growing", growing, SERIES[0]),
            level("where both noises are equal", turn, [1e-2, 1e4]),
        ],
        sentence=(
            f"With sigma = {say(factor)} sqrt(k) / n epsilon stays at {say(flat)} (exact) however "
            f"many queries are answered, and the attack certifies {say(flat_proven)} (bound). With "
            f"sigma fixed at {say(sigma)} it passes all bounds: at 100,000 queries it is "
            f"{say(last)} (exact), of which the attack certifies "
            f"{say(last_proven)} (bound). The two noises are "
            f"equal at k = {say(turn)} (exact). Neighbours: {neighbours} one record."
        ),
        alt=(
            f"Epsilon against the number of queries k on logarithmic axes, for n = {n}. Two rising "
            f"curves for noise fixed at {say(sigma)}, the mechanism's epsilon above what the "
            f"attack certifies; two level lines for noise that grows like the square root of k, at "
            f"{say(flat)} and {say(flat_proven)}."
        ),
        layout={
            "xaxis": axis("counting queries, k", log=True, range=[0, 5]),
            "yaxis": axis("epsilon", log=True, range=[-2, 4]),
            "height": 520,
        },
    )
