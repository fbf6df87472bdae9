"""Two clouds of releases, with the record and without it, and the line between them."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Part, Slider, Stops, declared, layer, stacked
from mipbook import mip
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import ATTACK, IN, LEVEL, OUT, READING, Look
from mipbook.figures.marks import Trace, points
from mipbook.figures.words import percent, say
from mipbook.mip.mean_game import log_odds, log_odds_on, plane_accuracy

__all__ = ["release_clouds"]

# Nine made-up records with two attributes; the tenth is the reader's to move, along a line.
_OTHERS = np.array(
    [[1.0, 2.1], [1.6, 1.2], [2.2, 2.8], [2.4, 1.7], [2.9, 2.2], [3.1, 3.3], [3.4, 1.4],
     [3.9, 2.6], [4.2, 3.1]]
)  # fmt: skip
_PLACES = np.linspace(2.0, 8.0, 25)
_SIGMAS = [0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 2]
_SHOWN = 120
_XS, _YS = np.linspace(0.0, 8.5, 23), np.linspace(-0.5, 7.5, 21)
_RANGE = {"xaxis": [0.0, 8.5], "yaxis": [-0.5, 7.5]}


class _Game(NamedTuple):
    """The means of all halves with the record and without; which halves are drawn, and noise."""

    inside: Array
    outside: Array
    drawn: Array
    member: NDArray[np.bool_]
    noise: Array


def _target(place: float) -> tuple[float, float]:
    return place, place - 1


@lru_cache(maxsize=64)
def _game(place: float) -> _Game:
    members = mip.subsets(len(_OTHERS) + 1)
    means = members @ np.vstack([_OTHERS, _target(place)]) / (len(_OTHERS) + 1) * 2
    inside = members[:, -1]
    rng = np.random.default_rng(60)
    chosen = rng.integers(0, len(means), _SHOWN)
    noise = rng.standard_normal((_SHOWN, 2))
    return _Game(means[inside], means[~inside], means[chosen], inside[chosen], noise)


def _records(place: float) -> Part:
    """Return the ten people, the tenth with a handle."""
    x, y = _target(place)
    others = points(
        "the nine others",
        _OTHERS[:, 0],
        _OTHERS[:, 1],
        LEVEL.with_symbol("diamond-open"),
        size=9,
        hovertemplate="a record at (%{x}, %{y})<extra></extra>",
    )
    mine = points(
        "the target, yours to drag",
        x,
        y,
        READING,
        size=15,
        hovertemplate="the target, at (%{x}, %{y})<extra></extra>",
    )
    track = {"x": _PLACES, "y": _PLACES - 1}
    layout = {
        "xaxis": axis("first attribute", range=_RANGE["xaxis"]),
        "yaxis": axis("second attribute", range=_RANGE["yaxis"]),
        "height": 420,
    }
    meta = {
        "grab": [{"control": "place", "axis": "x", "track": track}],
        "ghost": ["even odds (approximation)"],
    }
    return Part([others, mine], layout, {"place": f"({say(x)}, {say(y)})"}, meta)


def _clouds(place: float, sigma: float) -> Part:
    """Return some releases, the line between the two answers, and how often it is right."""
    game = _game(place)
    released = game.drawn + sigma * game.noise
    said = log_odds(released, game.inside, game.outside, sigma) >= 0
    wrong = said != game.member
    # Rounded to a pixel, so that the page stays light.
    seen = np.round(released, 2)
    edge = np.round(4 * np.clip(log_odds_on(*game[:2], sigma, _XS, _YS), -4, 4)) / 4
    traces = [
        _boundary(edge),
        *(
            _dots(name, seen[game.member == flag], look, size=7)
            for flag, name, look in (
                (False, "released without the target", OUT.with_symbol("circle-open")),
                (True, "released with it", IN.with_symbol("x-thin-open")),
            )
        ),
        _dots("the attacker is wrong", seen[wrong], ATTACK.with_symbol("square-open"), size=12),
    ]
    accuracy = plane_accuracy(game.inside, game.outside, sigma)
    right = percent(accuracy)
    sentence = (
        f"The best attacker is right about the target {right} of the time (approximation, error "
        f"below 0.05 points; the noise has σ = {say(sigma)}). Of these {_SHOWN} releases "
        f"{int(wrong.sum())}, those in squares, are misjudged (exact)."
    )
    alt = (
        f"A plane with nine records, a target at {{place}}, and {_SHOWN} released means of random "
        f"halves with noise of {say(sigma)}: open circles without the target, crosses with it. A "
        f"line of even odds lies between them; squares mark {int(wrong.sum())} that are misjudged."
    )
    meta = {"sentence": sentence, "alt": alt, "headline": f"right {right} of the time"}
    return Part(traces, meta=meta)


def _dots(name: str, places: Array, look: Look, size: float) -> Trace:
    return points(name, places[:, 0], places[:, 1], look, size=size, hoverinfo="skip")


def _boundary(edge: Array) -> Trace:
    return {
        "type": "contour",
        "name": "even odds (approximation)",
        "x": _XS,
        "y": _YS,
        "z": edge,
        "contours": {"coloring": "none", "start": 0.0, "end": 0.0, "size": 1.0},
        "line": {"color": READING.colour, "width": LEVEL.width, "dash": "dash"},
        "showscale": False,
        "hoverinfo": "skip",
        "showlegend": True,
    }


@declared
def release_clouds(
    place: Annotated[float, Slider(2, 8, step=0.25, label="Where the target stands", play=True)] = 8.0,
    sigma: Annotated[float, Stops(_SIGMAS, label="Noise, σ")] = 0.3,
) -> go.Figure:
    """Draw noisy means of random halves, by whether they hold a record that stands apart or not.

    Notes
    -----
    MIP paper, Definition 1 and Proposition 2, on a query with two numbers.

    Examples
    --------
    >>> release_clouds(8.0, 0.3).layout.meta["headline"]
    'right 94.6% of the time'
    """
    return stacked(layer(_clouds, place=place, sigma=sigma), layer(_records, place=place))
