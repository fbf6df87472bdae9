"""Two clouds of releases, with the record and without it, and the posterior over them."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game, mip
from mipbook.base.types import Array
from mipbook.explore import Choice, Stops, declared
from mipbook.figures.frame import axis, finish
from mipbook.figures.looks import IN, LEVEL, OUT, READING
from mipbook.figures.marks import Trace, points
from mipbook.figures.words import percent, say
from mipbook.mip.exact.mean_game import log_odds

__all__ = ["release_clouds"]

# Ten made-up records with two attributes; the last one stands out.
_RECORDS = np.array(
    [[1.0, 2.1], [1.6, 1.2], [2.2, 2.8], [2.4, 1.7], [2.9, 2.2], [3.1, 3.3], [3.4, 1.4],
     [3.9, 2.6], [4.2, 3.1], [8.0, 7.0]]
)  # fmt: skip
_TARGETS = {"the outlier": 9, "an ordinary record": 4}
_DRAWS = 4000
_SHOWN = 250
_SIGMAS = [0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5]


class _Releases(NamedTuple):
    """Noisy means, whether the target was in, whether the best attacker said so; the posterior."""

    released: Array
    member: NDArray[np.bool_]
    right: NDArray[np.bool_]
    x: Array
    y: Array
    chance: Array


@lru_cache(maxsize=64)
def _drawn(sigma: float, target: int) -> _Releases:
    members = mip.subsets(len(_RECORDS))
    means = members @ _RECORDS / (len(_RECORDS) // 2)
    inside = members[:, target]
    rng = np.random.default_rng(60)
    chosen = rng.integers(0, len(means), _DRAWS)
    released = means[chosen] + sigma * rng.standard_normal((_DRAWS, 2))
    right = (log_odds(released, means[inside], means[~inside], sigma) >= 0) == inside[chosen]
    low, high = means.min(axis=0) - 2.5 * sigma, means.max(axis=0) + 2.5 * sigma
    xs, ys = np.linspace(low[0], high[0], 41), np.linspace(low[1], high[1], 41)
    plane = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    edge = log_odds(plane, means[inside], means[~inside], sigma)
    chance = np.exp(-np.logaddexp(0.0, -edge)).reshape(41, 41)
    return _Releases(released, inside[chosen], right, xs, ys, chance)


def _contour(drawn: _Releases) -> Trace:
    return {
        "type": "contour",
        "name": "chance that the target was in (exact)",
        "x": drawn.x,
        "y": drawn.y,
        "z": drawn.chance,
        "contours": {"coloring": "none", "start": 0.1, "end": 0.9, "size": 0.2, "showlabels": True},
        "line": {"color": READING.colour, "width": LEVEL.width},
        "showscale": False,
        "hoverinfo": "skip",
        "showlegend": True,
    }


@declared
def release_clouds(
    sigma: Annotated[float, Stops(_SIGMAS, label="Noise, sigma")] = 0.3,
    target: Annotated[str, Choice(_TARGETS.keys(), label="Target")] = "the outlier",
) -> go.Figure:
    """Draw noisy means of random halves, by whether they hold the target, with the posterior.

    Notes
    -----
    MIP paper, Definition 1 and Proposition 2, on a query with two numbers.

    Examples
    --------
    >>> len(release_clouds().data)
    3
    """
    drawn = _drawn(sigma, _TARGETS[target])
    shown, member = drawn.released[:_SHOWN], drawn.member[:_SHOWN]
    clouds = [
        points(
            name,
            shown[member == flag, 0],
            shown[member == flag, 1],
            look,
            size=7,
            hoverinfo="skip",
        )
        for flag, name, look in (
            (False, "target out", OUT.with_symbol("circle-open")),
            (True, "target in", IN.with_symbol("x-thin-open")),
        )
    ]
    low, high = game.clopper_pearson(int(drawn.right.sum()), _DRAWS)
    return finish(
        [_contour(drawn), *clouds],
        sentence=(
            f"With noise of {say(sigma)} on each attribute, the optimal attacker was right about "
            f"{target} in {percent(float(drawn.right.mean()))} of {_DRAWS:,} releases (estimate, "
            f"95% band {percent(low)} to {percent(high)}). It says in wherever the lines show 0.5 "
            "or more (exact posterior over all 252 halves)."
        ),
        alt=(
            f"A plane of released means, {_SHOWN} of them: open circles where {target} was out, "
            f"crosses where it was in, with lines of equal posterior from 0.1 to 0.9. The more "
            f"noise, the more the two clouds overlap; here sigma = {say(sigma)}."
        ),
        layout={
            "xaxis": axis("mean of the first attribute"),
            "yaxis": axis("mean of the second attribute"),
            "height": 460,
        },
    )
