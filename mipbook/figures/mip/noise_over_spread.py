"""Noise over the spread of an answer: a mean, noisy, with a record and without it."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Part, Slider, Stops, declared, layer, stacked
from mipbook import mip
from mipbook.base.rounding import up
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import IN, LEVEL, OUT, READING
from mipbook.figures.marks import curve, points
from mipbook.figures.words import percent, say
from mipbook.mip.conversion import eta_from_ratio
from mipbook.mip.laplace import laplace_mixture

__all__ = ["noise_over_spread"]

_OTHERS = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0])
_X = np.linspace(15.0, 100.0, 141)
_PLACES = np.linspace(40.0, 100.0, 25)
_RATIOS = [0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 3.5, 4]
_RATIOS += [4.5, 5, 6, 7, 8, 10]
# Where the people stand, below the curves.
_FLOOR = -0.012


@lru_cache(maxsize=64)
def _means(target: float) -> tuple[Array, NDArray[np.bool_], float]:
    """Return the means of all halves, which hold the target, and their mean deviation."""
    members = mip.subsets(_OTHERS.size + 1)
    means = members @ np.append(_OTHERS, target) / (_OTHERS.size + 1) * 2
    return means, members[:, -1], mip.mean_deviation(means)


def _people(target: float) -> Part:
    traces = [
        points(
            "nine people",
            _OTHERS,
            np.full(_OTHERS.size, _FLOOR),
            LEVEL.with_symbol("diamond-open"),
            size=9,
            hovertemplate="a record at %{x}<extra></extra>",
        ),
        points("the target, yours to drag", target, _FLOOR, READING, size=15),
    ]
    layout = {
        "xaxis": axis("numbers, and the released mean", range=[15, 100.5]),
        "yaxis": axis("density", range=[-0.02, 0.145]),
        "height": 400,
    }
    track = {"x": _PLACES, "y": [_FLOOR] * _PLACES.size}
    grab = [{"control": "target", "axis": "x", "track": track}]
    return Part(traces, layout, {"target": say(target)}, {"grab": grab})


def _released(target: float, ratio: float) -> Part:
    """Return the density of the noisy mean, with the target and without."""
    means, inside, deviation = _means(target)
    scale = ratio * deviation
    eta = mip.laplace_eta(means, inside[:, None], scale)
    # The promise that holds for every answer of this spread.
    bound = eta_from_ratio(ratio)
    densities = (laplace_mixture(means[side], scale, _X) for side in (~inside, inside))
    right = percent(0.5 + eta)
    traces = [
        curve(f"{name} (exact)", _X, np.round(density, 4), look, hoverinfo="skip")
        for (name, look), density in zip(
            (("released without the target", OUT), ("released with it", IN)), densities, strict=True
        )
    ]
    sentence = (
        f"The means of all halves lie {say(deviation)} from their centre on average, and the noise "
        f"has scale {say(scale)}. That leaves η = {say(eta)} for this target (exact); whatever the "
        f"query, this much noise for its spread leaves at most {say(bound, to=up)} (bound)."
    )
    alt = (
        "Two curves, the density of the noisy mean without the target and with it, over nine "
        "people's numbers and the target at {target}. The more noise, the more they overlap; here "
        f"the best attacker is right {right} of the time."
    )
    meta = {"sentence": sentence, "alt": alt, "headline": f"right {right} of the time"}
    return Part(traces, meta={**meta, "ghost": ["released with it (exact)"]})


@declared
def noise_over_spread(
    target: Annotated[float, Slider(40, 100, step=2.5, label="The target's number")] = 80.0,
    ratio: Annotated[float, Stops(_RATIOS, label="Noise over spread", play=True)] = 1.0,
) -> go.Figure:
    """Draw the noisy mean of a random half of ten people, with one of them and without.

    The noise is Laplace, its scale a multiple of the mean deviation of the answer.

    Notes
    -----
    MIP paper, Theorem 9, with the sharp constant.

    Examples
    --------
    >>> noise_over_spread(100.0, 1.0).layout.meta["headline"]
    'right 80.9% of the time'
    """
    return stacked(layer(_people, target=target), layer(_released, target=target, ratio=ratio))
