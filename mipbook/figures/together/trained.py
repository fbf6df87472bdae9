"""Networks trained with clip and noise on digits: how well they read them."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Part, declared, layer, stacked
from mipbook.base.rounding import up
from mipbook.figures.frame import axis
from mipbook.figures.looks import DP, Look
from mipbook.figures.marks import band, curve, level, reading
from mipbook.figures.words import percent, say
from mipbook.stored.trained import CLIPS, SIGMAS, promised, trained

__all__ = ["NO_PROMISE", "epsilon_at", "epsilon_axis", "promise_words", "trained_accuracy"]

# Where no promise is drawn: epsilon is infinite.
NO_PROMISE = 300.0
_NETWORKS = {"softmax regression": "softmax", "32 hidden units": "64-32-10"}


def epsilon_at(sigma: float) -> float:
    """Return where a noise stands on the axis of epsilon.

    Examples
    --------
    >>> epsilon_at(0.0)
    300.0
    """
    return min(promised(sigma).epsilon, NO_PROMISE)


def promise_words(sigma: float) -> str:
    """Say what a noise promises."""
    if not sigma:
        return "Without noise nothing is promised"
    found = say(promised(sigma).epsilon, to=up)
    return f"Noise of {say(sigma)} promises ε = {found} at δ = 10⁻⁵ (exact, add or remove)"


def epsilon_axis() -> dict[str, Any]:
    """Return the axis of epsilon, which ends where nothing is promised.

    Examples
    --------
    >>> epsilon_axis()["ticktext"][-1]
    '∞'
    """
    ticks = [0.5, 1, 2, 5, 10, 20, 50, 100, NO_PROMISE]
    words = [*(f"{tick:g}" for tick in ticks[:-1]), "∞"]
    title = "ε at δ = 10⁻⁵, for all steps"
    spread = [math.log10(0.42), math.log10(NO_PROMISE) + 0.06]
    return axis(title, type="log", range=spread, ticktext=words, tickvals=ticks)


def _learning(network: str, clip: float) -> Part:
    """Draw the accuracy against epsilon, for one clip."""
    found, x = trained(_NETWORKS[network], clip), [epsilon_at(sigma) for sigma in SIGMAS]
    low, high = found.accuracy - found.half_width, found.accuracy + found.half_width
    noise = slice(1, None)
    name = "test accuracy (estimate)"
    over = "noise %{customdata:.1f}, ε = %{x:.2f}: %{y:.1%} read right<extra></extra>"
    traces = [
        level("without noise", [0.42, NO_PROMISE], found.accuracy[0]),
        band("95% band", x[noise], low[noise].round(4), high[noise].round(4), DP),
        curve(
            name,
            np.round(x[noise], 4),
            found.accuracy[noise].round(4),
            Look(DP.colour, "dot", "circle"),
            hovertemplate=over,
            customdata=SIGMAS[1:],
        ),
    ]
    layout = {
        "xaxis": epsilon_axis(),
        "yaxis": axis("new digits read right", range=[0.05, 1.0], tickformat=".0%"),
        "height": 400,
    }
    track = {"x": np.round(x, 4).tolist(), "y": found.accuracy.round(4).tolist()}
    grab = [{"control": "sigma", "axis": "x", "track": track}]
    return Part(traces, layout, meta={"grab": grab, "probe": [name], "ghost": [name]})


def _learned(network: str, clip: float, sigma: float) -> Part:
    found, place = trained(_NETWORKS[network], clip), SIGMAS.index(sigma)
    right, half = float(found.accuracy[place]), float(found.half_width[place])
    plain = percent(float(found.accuracy[0]))
    who = "softmax regression" if network == "softmax regression" else "the network"
    meta = {
        "headline": f"{percent(right)} read right",
        "sentence": (
            f"{promise_words(sigma)}. With clip {say(clip)}, {who} reads "
            f"{percent(right)} of new digits right (estimate, ± {percent(half, 2)}), and {plain} "
            f"without noise. The learning rate, {say(found.learning_rate[place])} over the clip, "
            f"was the best of three on 300 other digits, which no ε counts."
        ),
        "alt": (
            f"The share of new digits read right against ε, from about 0.5 to 100 and to no "
            f"promise, with clip {say(clip)}: it rises to {plain}. At your noise it is "
            f"{percent(right)}."
        ),
    }
    return Part([reading([epsilon_at(sigma)], [right], "at your noise")], meta=meta)


@declared
def trained_accuracy(
    clip: Annotated[float, Choice(CLIPS, 1.0, label="Clip, C")] = 1.0,
    sigma: Annotated[float, Choice(SIGMAS, 2.0, label="Noise, σ")] = 2.0,
    network: Annotated[str, Choice(list(_NETWORKS), label="Trained")] = "softmax regression",
) -> go.Figure:
    """Draw the test accuracy on digits of two networks against epsilon, with its band.

    Notes
    -----
    `mipbook.stored.trained`: 898 digits to train, 300 steps on a tenth of them each, six splits.
    Epsilon is that of `mipbook.together.training_epsilon`; it does not depend on the clip.

    Examples
    --------
    >>> "read right" in trained_accuracy(1.0, 2.0).layout.meta["headline"]
    True
    """
    drawn = layer(_learning, network=network, clip=clip)
    return stacked(drawn, layer(_learned, network=network, clip=clip, sigma=sigma))
