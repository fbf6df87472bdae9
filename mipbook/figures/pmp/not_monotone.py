"""eps~ against epsilon: more noise can cost privacy, when the attacker is unsure of the rest."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, LogSlider, Part, declared, layer, stacked
from mipbook import mip, pmp
from mipbook.base.types import Array
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.marks import Trace, curve, level, reading
from mipbook.figures.words import percent, say
from mipbook.mechanisms import exponential_probabilities

__all__ = ["NOT_MONOTONE", "not_monotone"]

# Six numbers, objects +1, +1 and -1: eps~ rises, falls, and settles.
NOT_MONOTONE = (4.406, -2.497, 0.855, 1.78, -0.236, -1.443)
_OBJECTS = ((1.0,), (1.0,), (-1.0,))
_EPSILON = LogSlider(0.1, 1000, 10.0, points=33, label="ε of the mechanism")
# The curves go through the values at which a reader may stop, so each is computed once.
_GRID = np.array(_EPSILON.stops)
_POOLS = ("six numbers", "twelve numbers", "five dimensions")
# So many halves are drawn of each side, evenly chosen among them.
_SHOWN = 22


@lru_cache(maxsize=8)
def _losses(pool: str) -> tuple[Array, float]:
    """Return the losses, and the sensitivity: the largest change on this very pool."""
    if pool == "six numbers":
        losses = pmp.norm_losses(np.array(NOT_MONOTONE), _OBJECTS)
    else:
        n, dimension = (6, 1) if pool == "twelve numbers" else (6, 5)
        drawn = pmp.draw_pool(n, dimension, 10, 2.0, 50.0, 0, 1.0, np.random.default_rng(3))
        losses = drawn.losses
    return losses, pmp.local_sensitivity(losses)


@lru_cache(maxsize=512)
def _both(pool: str, epsilon: float) -> tuple[float, float]:
    """Return eps~ and eps(X) at one epsilon, measured against the pool's own sensitivity."""
    losses, sensitivity = _losses(pool)
    return (
        pmp.exponential_epsilon(losses, epsilon, sensitivity),
        pmp.subset_epsilon(losses, epsilon, sensitivity),
    )


@lru_cache(maxsize=8)
def _curves(pool: str) -> Array:
    return np.array([_both(pool, float(epsilon)) for epsilon in _GRID]).T


@lru_cache(maxsize=8)
def _halves(pool: str) -> tuple[NDArray[np.bool_], Array]:
    """Return the halves, and each one's mean losses."""
    losses, _ = _losses(pool)
    members = mip.subsets(len(losses))
    return members, members @ losses / (len(losses) // 2)


class _Telling(NamedTuple):
    """The choice that tells most of a record: its chance for each half with it, and without."""

    inside: Array
    without: Array


@lru_cache(maxsize=512)
def _telling(pool: str, epsilon: float) -> _Telling:
    losses, sensitivity = _losses(pool)
    log_in, log_out = pmp.exponential_laws(losses, epsilon, sensitivity)
    record, choice = np.unravel_index(np.abs(log_in - log_out).argmax(), log_in.shape)
    members, means = _halves(pool)
    chances = exponential_probabilities(means, epsilon, sensitivity)[:, choice]
    there = members[:, record]
    return _Telling(np.sort(chances[there]), np.sort(chances[~there]))


def _shape(pool: str) -> str:
    practical, _ = _curves(pool)
    top = int(practical.argmax())
    if practical[-1] < practical[top] - 1e-9 and top < len(_GRID) - 1:
        return (
            f"The curve peaks at {say(practical[top])} and falls to {say(practical[-1])}: a larger "
            "ε can be safer."
        )
    return f"The curve rises up to {say(practical[-1])} at ε = 1,000."


def _frame(pool: str) -> Part:
    """Return both curves, the axes, and what is said around the numbers."""
    practical, on_pool = _curves(pool)
    sentence = (
        "The choice that tells most comes up {inside} of the time with the record in, {without} "
        f"with it out; who knows all others faces {{known}} (exact). {_shape(pool)}"
    )
    alt = (
        "Above, log-log curves against epsilon from 0.1 to 1000: eps~ climbs to "
        f"{say(practical.max())} near epsilon = {say(_GRID[practical.argmax()])} and ends at "
        f"{say(practical[-1])}; eps(X) climbs to {say(on_pool[-1])}. A diamond at epsilon = "
        "{epsilon}. Below, the chance of one choice for each half, in rising order: those with "
        "the record average {inside}, those without {without}."
    )
    rows = two_rows(0.56, 0.2)
    layout = {
        "xaxis": axis("ε of the mechanism", log=True, range=[-1, 3]) | rows["xaxis"],
        "yaxis": axis("privacy", log=True, range=[-2, 3]) | rows["yaxis"],
        "xaxis2": axis("halves, in rising order", range=[0, 1], tickformat=".0%") | rows["xaxis2"],
        "yaxis2": axis("chance", range=[-0.04, 1.04], tickvals=[0, 0.5, 1]) | rows["yaxis2"],
        "height": 470,
    }
    said = "at ε = %{x:.4~g} the attacker who knows "
    traces = [
        curve(
            "ε̃ (exact)",
            _GRID,
            practical,
            looks.PMP,
            hovertemplate=f"{said}the pool faces %{{y:.3g}}<extra></extra>",
        ),
        curve(
            "ε(X) (exact)",
            _GRID,
            on_pool,
            looks.DP,
            hovertemplate=f"{said}all others faces %{{y:.3g}}<extra></extra>",
        ),
        level("ε itself", [0.1, 1000], [0.1, 1000]),
    ]
    meta = {"sentence": sentence, "alt": alt, "beside": 0.56, "probe": ["ε̃ (exact)", "ε(X) (exact)"]}
    return Part(traces, layout, meta=meta)


def _side(name: str, chances: Array, look: looks.Look) -> list[Trace]:
    """Return one side's halves in order, and their average."""
    at = np.linspace(0, len(chances) - 1, min(_SHOWN, len(chances))).round().astype(int)
    share = (at + 0.5) / len(chances)
    mean = float(chances.mean())
    said = f"a half with the {name}: chance %{{y:.3g}}<extra></extra>"
    return [
        curve(f"halves, {name}", share, chances[at], look, marked=True, hovertemplate=said) | LOWER,
        level(f"their average, {name}", [0, 1], mean, look, showlegend=False, **LOWER),
    ]


def _here(pool: str, epsilon: float) -> Part:
    practical, known = _both(pool, epsilon)
    telling = _telling(pool, epsilon)
    traces = [
        reading([epsilon], [practical], "your ε"),
        *_side("record in", telling.inside, looks.IN),
        *_side("record out", telling.without, looks.OUT),
    ]
    words = {
        "epsilon": say(epsilon),
        "known": say(known),
        "inside": percent(float(telling.inside.mean())),
        "without": percent(float(telling.without.mean())),
    }
    return Part(traces, words=words, meta={"headline": f"ε̃ = {say(practical)} at ε = {say(epsilon)}"})


def _track(pool: str) -> Part:
    """Return the curve along which the reader's epsilon is dragged."""
    track = {"x": list(_EPSILON.stops), "y": _curves(pool)[0].tolist()}
    return Part(meta={"grab": [{"control": "epsilon", "axis": "x", "track": track}]})


@declared
def not_monotone(
    pool: Annotated[str, Choice(_POOLS, label="Pool")] = "six numbers",
    epsilon: Annotated[float, _EPSILON] = 10.0,
) -> go.Figure:
    """Draw eps~ against epsilon on a small pool, and the choice that tells most, half by half.

    References
    ----------
    PMP paper, Proposition 9: the parameter of the exponential mechanism is not monotone.

    Examples
    --------
    >>> [trace.name for trace in not_monotone().data][0]
    'ε̃ (exact)'
    """
    return stacked(
        layer(_frame, pool=pool), layer(_here, pool=pool, epsilon=epsilon), layer(_track, pool=pool)
    )
