"""The two laws of a noisy mean, the hockey-stick between them, and the ladder of bounds."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
import plotly.graph_objects as go

from mipbook import pmp
from mipbook.base.estimate import Estimate
from mipbook.base.types import Array
from mipbook.explore import Choice, Count, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import Trace, band, curve
from mipbook.figures.words import say

__all__ = ["hockey_stick"]

_RECORDS = ("the farthest", "an ordinary one")
_DELTA = 0.01
_POINTS = 201
_NOISES = [0.2, 0.35, 0.5, 1.0, 2.0, 5.0]
_EPSILONS = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0]
# The rungs of the ladder: who knows everything inside X, then ever closer to the truth.
_RUNGS = {
    "inside X": looks.DP.with_symbol("diamond"),
    "Prop. 12": looks.PMP.with_symbol("square"),
    "mixed": looks.PMP.with_symbol("triangle-up"),
    "exact": looks.PMP.with_symbol("circle"),
    "normal": looks.PMP.with_symbol("x"),
}
_LADDER = tuple(_RUNGS)
_RAISED = replace(looks.LEVEL, dash="dot", width=2.5)


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


def _delta(n: int, noise: float, record: str, epsilon: float) -> float:
    scene = _scene(n, noise, record)
    row = scene.record
    return float(pmp.gaussian_delta_exact(scene.values, scene.sigma, epsilon, record=row))


def _densities(scene: _Scene, raised: Array, top: float) -> list[Trace]:
    """Return the two laws, the second raised, and the area that sticks out."""
    low = np.minimum(raised, scene.inside)
    return [
        band("area = delta", scene.at, low, scene.inside, looks.PMP),
        curve("record in", scene.at, scene.inside, looks.IN),
        curve("record out", scene.at, scene.outside, looks.OUT),
        # Drawn only as far as the picture reaches.
        curve("out × e^eps", scene.at, np.minimum(raised, 2 * top), _RAISED),
    ]


def _rungs(scene: _Scene) -> Trace:
    """Return the marks of the ladder; the estimate has its interval."""
    between = scene.between
    return {
        "type": "scatter",
        "x": scene.ladder,
        "y": list(_LADDER),
        "mode": "markers",
        "marker": {
            "symbol": [look.symbol for look in _RUNGS.values()],
            "color": [look.colour for look in _RUNGS.values()],
            "size": 12,
        },
        "name": "eps at delta = 0.01",
        "showlegend": False,
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [0, 0, min(between.high, 1e3) - between.value, 0, 0],
            "arrayminus": [0, 0, between.value - between.low, 0, 0],
            "color": looks.READING.colour,
        },
        **LOWER,
    }


def _sentence(scene: _Scene, epsilon: float, area: str) -> str:
    inside_x, bound, between, exact, normal = scene.ladder
    if exact == 0:
        against = "; exactly, eps~ = 0 is enough (exact)"
    elif bound < 1.005 * exact:
        against = ", which is exact here"
    else:
        against = f", {say(bound / exact, 2)} times the exact eps~ = {say(exact)} (exact)"
    return (
        f"The shaded area is delta {area} at eps = {say(epsilon)} (exact). For delta "
        f"= {_DELTA:g}, a DP attacker inside X reaches eps(X) = {say(inside_x)} (exact). For "
        f"this record, Proposition 12 certifies {say(bound)} (bound){against}; keeping the "
        f"swapped-in records mixed gives {say(between)} (estimate), the normal curve "
        f"{say(normal)} (approximation)."
    )


@declared
def hockey_stick(
    n: Annotated[int, Count([1, 6, 25, 100], label="Records drawn, n")] = 6,
    sigma: Annotated[float, Stops(_NOISES, label="Noise, sigma")] = 0.35,
    record: Annotated[str, Choice(_RECORDS, label="Record")] = "the farthest",
    epsilon: Annotated[float, Stops(_EPSILONS, label="eps")] = 0.5,
) -> go.Figure:
    """Draw the release with and without a record, the hockey-stick area, and the bounds.

    The noise is in units of the largest distance of the pool's 2n normal numbers, over n.

    References
    ----------
    PMP paper, Lemma 11 and Proposition 12, for the mean in one dimension.

    Examples
    --------
    >>> "The shaded area is delta = " in hockey_stick().layout.meta["sentence"]
    True
    """
    scene = _scene(n, sigma, record)
    delta = _delta(n, sigma, record, epsilon)
    top = 1.25 * float(scene.inside.max())
    area = f"= {say(delta)}" if delta >= 1e-12 else "< 10⁻¹²"
    return finish(
        [*_densities(scene, np.exp(epsilon) * scene.outside, top), _rungs(scene)],
        sentence=_sentence(scene, epsilon, area),
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
