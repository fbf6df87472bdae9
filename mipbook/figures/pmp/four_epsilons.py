"""One mechanism, four epsilons: nominal, true, on the pool, and for the practical attacker."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
import plotly.graph_objects as go

from mipbook import pmp
from mipbook.explore import Choice, LogSlider, Slider, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import Trace, points
from mipbook.figures.words import percent, say

__all__ = ["four_epsilons"]

_SEED = 7
# Above this the exact eps(X) takes seconds, and its bound stands in.
_EXACT_UP_TO = 8
_CLIPS = [1.0, 5.0, 10.0, 50.0, 100.0, 200.0]
_NAMES = ("nominal", "true", "on X", "practical")


class _Epsilons(NamedTuple):
    """Four parameters of one mechanism on one pool, the paper's surrogate, and the best attack."""

    nominal: float
    true: float
    on_pool: float
    practical: float
    surrogate: float
    success: float


@lru_cache(maxsize=256)
def _pool(n: int, dimension: int, sigma: float, clip: float, outliers: int) -> pmp.Pool:
    rng = np.random.default_rng(_SEED)
    return pmp.draw_pool(n, dimension, 10, sigma, clip, outliers, 100.0, rng)


@lru_cache(maxsize=4096)
def _epsilons(
    epsilon: float, clip: float, sigma: float, dimension: int, n: int, outliers: int
) -> _Epsilons:
    pool = _pool(n, dimension, sigma, clip, outliers)
    sensitivity = pmp.norm_sensitivity(n, clip)
    practical, success = pmp.exponential_risks(pool.losses, epsilon, sensitivity)
    on_pool = pmp.subset_epsilon if n <= _EXACT_UP_TO else pmp.epsilon_cap
    return _Epsilons(
        epsilon,
        pmp.true_epsilon_bound(pool.objects, n, epsilon, sensitivity),
        on_pool(pool.losses, epsilon, sensitivity),
        practical,
        pmp.surrogate_epsilon(pool.losses, epsilon, sensitivity),
        success,
    )


def _bars(sizes: list[float], kind: str) -> Trace:
    """Return the four bars; ``kind`` says how the third is known."""
    kinds = ("exact", "bound", kind, "exact")
    ink = looks.READING.colour
    return {
        "type": "bar",
        "x": sizes[::-1],
        "y": list(_NAMES[::-1]),
        "orientation": "h",
        "name": "epsilon",
        "text": [f"{say(v)} ({k})" for v, k in zip(sizes[::-1], kinds[::-1], strict=True)],
        "textposition": "outside",
        "textfont": {"color": ink},
        "cliponaxis": False,
        "marker": {
            # From the bottom up: the practical attacker faces PMP, the three above are DP.
            "color": [looks.PMP.colour, *[looks.DP.colour] * 3],
            "pattern": {"shape": ["", "/", ".", "x"], "fgcolor": ink, "solidity": 0.15},
        },
        "showlegend": False,
    }


@declared
def four_epsilons(
    epsilon: Annotated[float, LogSlider(1, 100, points=3, label="Nominal epsilon")] = 10.0,
    clip: Annotated[float, Stops(_CLIPS, label="Clip threshold, C")] = 50.0,
    sigma: Annotated[float, LogSlider(0.1, 3, points=3, label="Spread, sigma")] = 1.0,
    dimension: Annotated[int, Choice([1, 5, 20], label="Dimension, d")] = 5,
    n: Annotated[int, Slider(4, 10, step=2, label="Records drawn, n")] = 6,
    outliers: Annotated[int, Choice([0, 2], label="Outliers")] = 2,
) -> go.Figure:
    """Draw the four epsilons of the exponential mechanism on one pool as bars.

    References
    ----------
    PMP paper, the simulations of Figures 1 to 3, taken apart: 10 objects, one fixed draw.

    Examples
    --------
    >>> list(four_epsilons().data[0].y)
    ['practical', 'on X', 'true', 'nominal']
    """
    sizes = _epsilons(epsilon, clip, sigma, dimension, n, outliers)
    *bars, surrogate, success = sizes
    nominal, true, on_pool, practical = bars
    kind = "exact" if n <= _EXACT_UP_TO else "bound"
    return finish(
        [
            _bars(bars, kind),
            points(
                "the paper's eps(X) (bound)",
                [surrogate],
                ["on X"],
                looks.PUBLISHED.with_symbol("diamond-open"),
                size=13,
            ),
        ],
        sentence=(
            f"The mechanism that is called {say(nominal)}-DP is at most {say(true)}-DP on any "
            f"data (bound), {say(on_pool)}-DP on halves of this pool ({kind}), and "
            f"{say(practical)}-PMP (exact). So of the factor {say(nominal / practical)} from "
            f"first to last, {say(nominal / on_pool)} is a loose bound or harmless data, and "
            f"only {say(on_pool / practical)} is the attacker's uncertainty. The best practical "
            f"attack is right {percent(success)} of the time (exact)."
        ),
        alt=(
            f"Four horizontal bars on a log scale. Nominal {say(nominal)}, true at most "
            f"{say(true)}, on the pool {say(on_pool)}, practical {say(practical)}. A diamond at "
            f"{say(surrogate)} marks the paper's surrogate for the third."
        ),
        layout={
            "xaxis": axis("epsilon, log scale", log=True, range=[-2.6, 4.4]),
            "yaxis": axis("", type="category"),
            "height": 380,
        },
    )
