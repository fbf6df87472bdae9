"""Two clouds of releases, with the record and without it, and the line between them."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip
from mipbook.mip.mean_game import log_odds, log_odds_on, plane_accuracy

# Nine made-up records with two attributes; the tenth is the reader's to move, along a line.
_OTHERS = np.array(
    [[1.0, 2.1], [1.6, 1.2], [2.2, 2.8], [2.4, 1.7], [2.9, 2.2], [3.1, 3.3], [3.4, 1.4],
     [3.9, 2.6], [4.2, 3.1]]
)  # fmt: skip
_PLACES = np.linspace(2.0, 8.0, 25)
_SIGMAS = [0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 2]
_SHOWN = 120
_XS, _YS = np.linspace(0.0, 8.5, 23), np.linspace(-0.5, 7.5, 21)


def _dots(name, places, look, size):
    return k.points(name, places[:, 0], places[:, 1], look, size=size, hoverinfo="skip")


def _clouds(place, sigma):
    """Return some releases, the line between the two answers, and how often it is right."""
    members = mip.subsets(len(_OTHERS) + 1)
    means = members @ np.vstack([_OTHERS, (place, place - 1)]) / (len(_OTHERS) + 1) * 2
    has = members[:, -1]
    inside, outside = means[has], means[~has]
    rng = np.random.default_rng(60)
    chosen = rng.integers(0, len(means), _SHOWN)
    member, released = has[chosen], means[chosen] + sigma * rng.standard_normal((_SHOWN, 2))
    wrong = (log_odds(released, inside, outside, sigma) >= 0) != member
    # Rounded to a pixel, so that the page stays light.
    seen = np.round(released, 2)
    edge = np.round(4 * np.clip(log_odds_on(inside, outside, sigma, _XS, _YS), -4, 4)) / 4
    return k.part(
        {
            "type": "contour",
            "name": "even odds (approximation)",
            "x": _XS,
            "y": _YS,
            "z": edge,
            "contours": {"coloring": "none", "start": 0.0, "end": 0.0, "size": 1.0},
            "line": {"color": k.READING.colour, "width": k.LEVEL.width, "dash": "dash"},
            "showscale": False,
            "hoverinfo": "skip",
            "showlegend": True,
        },
        _dots("released without the target", seen[~member], k.OUT.with_symbol("circle-open"), 7),
        _dots("released with it", seen[member], k.IN.with_symbol("x-thin-open"), 7),
        _dots("the attacker is wrong", seen[wrong], k.ATTACK.with_symbol("square-open"), 12),
        headline="right {right} of the time",
        sentence="The best attacker is right about the target {right} of the time (approximation, error "
        "below 0.05 points; the noise has σ = {sigma}). Of these {shown} releases {wrong}, those in "
        "squares, are misjudged (exact).",
        alt="A plane with nine records, a target at {target}, and {shown} released means of random halves "
        "with noise of {sigma}: open circles without the target, crosses with it. A line of even odds lies "
        "between them; squares mark {wrong} that are misjudged.",
        right=k.approximate(plane_accuracy(inside, outside, sigma), k.percent),
        **k.words(sigma=sigma, shown=_SHOWN, wrong=int(wrong.sum())),
    )


def _records(place):
    """Return the ten people, the tenth with a handle."""
    x, y = _OTHERS.T
    others, hover = k.LEVEL.with_symbol("diamond-open"), "a record at (%{x}, %{y})"
    own = "the target, at (%{x}, %{y})"
    return k.part(
        k.points("the nine others", x, y, others, size=9, hover=hover),
        k.points("the target, yours to drag", place, place - 1, k.READING, size=15, hover=own),
        x=k.axis("first attribute", range=[0.0, 8.5]),
        y=k.axis("second attribute", range=[-0.5, 7.5]),
        height=420,
        grab=k.drag("place", _PLACES, _PLACES - 1),
        ghost=["even odds (approximation)"],
        target=k.told("({x}, {y})", x=place, y=place - 1),
    )


@k.figure
def release_clouds(
    place: Annotated[float, k.Slider(2, 8, step=0.25, label="Where the target stands", play=True)] = 8.0,
    sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ")] = 0.3,
):
    """Draw noisy means of random halves, by whether they hold a record that stands apart or not.

    Notes
    -----
    MIP paper, Definition 1 and Proposition 2, on a query with two numbers.

    Examples
    --------
    >>> release_clouds(8.0, 0.3).layout.meta["headline"]
    'right 94.6% of the time'
    """
    return _clouds, _records
