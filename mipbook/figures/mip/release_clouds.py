"""Two clouds of releases, with the record and without it, and the posterior over them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game, mip
from mipbook.base import validate
from mipbook.base.palette import BLUE, INK, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import percent, say
from mipbook.mip.exact.mean_game import log_odds

__all__ = ["release_clouds"]

Array = NDArray[np.float64]
# Ten made-up records with two attributes; the last one stands out.
_RECORDS = np.array(
    [[1.0, 2.1], [1.6, 1.2], [2.2, 2.8], [2.4, 1.7], [2.9, 2.2], [3.1, 3.3], [3.4, 1.4],
     [3.9, 2.6], [4.2, 3.1], [8.0, 7.0]]
)  # fmt: skip
_TARGETS = {"an ordinary record": 4, "the outlier": 9}
_DRAWS = 4000
_SHOWN = 250


@lru_cache(maxsize=64)
def _drawn(sigma: float, target: int) -> tuple[Any, Any, Any, Any, Any]:
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
    chance = np.exp(-np.logaddexp(0.0, -edge))
    return released, inside[chosen], right, np.stack([xs, ys]), chance.reshape(41, 41)


def release_clouds(sigma: float = 0.3, target: str = "the outlier") -> go.Figure:
    """Draw noisy means of random halves, by whether they hold the target, with the posterior.

    Parameters
    ----------
    sigma : float
        Standard deviation of the Gaussian noise on each attribute, in [0.05, 20].
    target : {"an ordinary record", "the outlier"}
        Which record the question is about.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, Definition 1 and Proposition 2, on a query with two numbers.

    Examples
    --------
    >>> len(release_clouds().data)
    3
    """
    sigma = validate.number("sigma", sigma, 0.05, 20.0)
    index = _TARGETS[validate.choice("target", target, tuple(_TARGETS))]
    released, inside, right, axes, chance = _drawn(sigma, index)
    figure = go.Figure()
    figure.add_contour(
        x=axes[0],
        y=axes[1],
        z=chance,
        name="chance that the target was in (exact)",
        contours={"coloring": "none", "start": 0.1, "end": 0.9, "size": 0.2, "showlabels": True},
        line={"color": INK, "width": 1.5},
        showscale=False,
        hoverinfo="skip",
        showlegend=True,
    )
    for flag, name, colour, symbol in (
        (False, "target out", ORANGE, "circle-open"),
        (True, "target in", BLUE, "x-thin-open"),
    ):
        where = np.flatnonzero(inside[:_SHOWN] == flag)
        figure.add_scatter(
            x=released[where, 0],
            y=released[where, 1],
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 7, "line": {"width": 1.5}},
            hoverinfo="skip",
        )
    low, high = game.clopper_pearson(int(right.sum()), _DRAWS)
    return finish(
        figure,
        sentence=(
            f"With noise of {say(sigma)} on each attribute, the optimal attacker was right about "
            f"{target} in {percent(float(right.mean()))} of {_DRAWS:,} releases (estimate, 95% "
            f"band {percent(low)} to {percent(high)}). It says in wherever the lines show 0.5 or "
            "more (exact posterior over all 252 halves)."
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
