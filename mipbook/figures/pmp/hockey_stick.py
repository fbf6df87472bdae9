"""The two laws of a noisy mean, the hockey-stick between them, and the ladder of bounds."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import pmp
from mipbook.base import validate
from mipbook.base.estimate import Estimate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, fill
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import say

__all__ = ["hockey_stick"]

Array = NDArray[np.float64]
_RECORDS = ("the farthest", "an ordinary one")
_DELTA = 0.01
_POINTS = 201
_LADDER = ("inside X", "Prop. 12", "mixed", "exact", "normal")


class _Scene(NamedTuple):
    """What does not depend on epsilon."""

    values: Array
    sigma: float
    record: int
    at: Array
    inside: Array
    outside: Array
    ladder: tuple[float, ...]
    between: Estimate


@lru_cache(maxsize=2000)
def _scene(n: int, noise: float, record: str) -> _Scene:
    rng = np.random.default_rng(20245)
    values = rng.standard_normal(2 * n) / n
    sigma = noise * pmp.diameter(values)
    order = np.argsort(np.abs(values - values.mean()))
    row = int(order[-1] if record == _RECORDS[0] else order[n // 2])
    # The release with the record in is centred here; it spreads with the noise and the draw.
    spread = float(np.sqrt(sigma**2 + n / 2 * values.var()))
    centre = n * values.mean()
    at = centre + np.linspace(-4.5, 4.5, _POINTS) * max(spread, sigma)
    inside, outside = pmp.gaussian_densities(values, sigma, row, at)
    between = pmp.gaussian_epsilon_mixture(
        values, sigma, _DELTA, np.random.default_rng(1), record=row
    )
    # One record's own bound: where its row of Proposition 12 falls to delta.
    ladder = (
        pmp.gaussian_subset_epsilon(values, sigma, _DELTA),
        pmp.gaussian_epsilon_bound(values, sigma, _DELTA, record=row),
        between.value,
        pmp.gaussian_epsilon_exact(values, sigma, _DELTA, record=row),
        pmp.gaussian_epsilon_normal(values, sigma, _DELTA, record=row),
    )
    return _Scene(values, sigma, row, at, inside, outside, ladder, between)


def hockey_stick(
    n: int = 6, sigma: float = 0.5, record: str = "the farthest", epsilon: float = 1.0
) -> go.Figure:
    """Draw the release with and without a record, the hockey-stick area, and the bounds.

    Parameters
    ----------
    n : int
        Records drawn from a pool of 2n normal numbers, in [1, 200].
    sigma : float
        Noise, in units of the pool's largest distance over n, in [0.1, 10].
    record : {"the farthest", "an ordinary one"}
        Whose membership is asked for.
    epsilon : float
        In [0, 10].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Lemma 11 and Proposition 12, for the mean in one dimension.

    Examples
    --------
    >>> "The shaded area is delta = " in hockey_stick().layout.meta["sentence"]
    True
    """
    n = validate.integer("n", n, 1, 200)
    sigma = validate.number("sigma", sigma, 0.1, 10.0)
    record = validate.choice("record", record, _RECORDS)
    epsilon = validate.number("epsilon", epsilon, 0.0, 10.0)
    scene = _scene(n, sigma, record)
    raised = np.exp(epsilon) * scene.outside
    delta = float(pmp.gaussian_delta_exact(scene.values, scene.sigma, epsilon, record=scene.record))
    figure = go.Figure()
    low = np.minimum(raised, scene.inside)
    figure.add_scatter(
        x=np.concatenate([scene.at, scene.at[::-1]]),
        y=np.concatenate([scene.inside, low[::-1]]),
        fill="toself",
        fillcolor=fill(PURPLE),
        line={"width": 0},
        hoverinfo="skip",
        name="area = delta",
    )
    top = 1.25 * float(scene.inside.max())
    for name, curve, colour, dash in (
        ("record in", scene.inside, BLUE, "solid"),
        ("record out", scene.outside, ORANGE, "dash"),
        # Drawn only as far as the picture reaches.
        ("out × e^eps", np.minimum(raised, 2 * top), GREY, "dot"),
    ):
        figure.add_scatter(
            x=scene.at,
            y=curve,
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
        )
    symbols = ("diamond", "square", "triangle-up", "circle", "x")
    colours = (GREY, ORANGE, PURPLE, BLUE, GREEN)
    figure.add_scatter(
        x=scene.ladder,
        y=list(_LADDER),
        mode="markers",
        marker={"symbol": symbols, "color": colours, "size": 12},
        name="eps at delta = 0.01",
        showlegend=False,
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [0, 0, min(scene.between.high, 1e3) - scene.between.value, 0, 0],
            "arrayminus": [0, 0, scene.between.value - scene.between.low, 0, 0],
            "color": INK,
        },
        **LOWER,
    )
    inside_x, bound, between, exact, normal = scene.ladder
    if exact == 0:
        against = "; exactly, eps~ = 0 is enough (exact)"
    elif bound < 1.005 * exact:
        against = ", which is exact here"
    else:
        against = f", {say(bound / exact, 2)} times the exact eps~ = {say(exact)} (exact)"
    area = f"= {say(delta)}" if delta >= 1e-12 else "< 10⁻¹²"
    return finish(
        figure,
        sentence=(
            f"The shaded area is delta {area} at eps = {say(epsilon)} (exact). For delta "
            f"= {_DELTA:g}, a DP attacker inside X reaches eps(X) = {say(inside_x)} (exact). For "
            f"this record, Proposition 12 certifies {say(bound)} (bound){against}; keeping the "
            f"swapped-in records mixed gives {say(between)} (estimate), the normal curve "
            f"{say(normal)} (approximation)."
        ),
        alt=(
            f"Above, the density of the noisy mean of {n} of {2 * n} records with the record in "
            f"(solid) and out (dashed), and the shaded part, delta {area}, above e^eps "
            f"times the second. Below, five marks from left to right on a scale of eps: "
            + ", ".join(f"{k} {say(v)}" for k, v in zip(_LADDER, scene.ladder, strict=True))
            + "."
        ),
        layout={
            "xaxis": axis("what is released"),
            "yaxis": axis("density", range=[0, top]),
            "xaxis2": axis("eps at delta = 0.01", rangemode="tozero"),
            "yaxis2": axis("", type="category", autorange="reversed"),
            "rows": (0.55, 0.17),
            "height": 560,
        },
    )
