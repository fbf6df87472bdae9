"""What audits prove of a network on digits that was trained with clipped, noisy gradients."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Part, declared, layer, stacked
from mipbook import audit, together
from mipbook.audit.examples import TRAINED, digit_audit
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import BEST, DP, SERIES
from mipbook.figures.marks import band, curve, kept, reading
from mipbook.figures.words import percent, say

__all__ = ["canary_training"]

_SIGMAS = np.array(TRAINED["sigmas"])
_FLOOR = 0.05
_SPOKEN: dict[str, Any] = {"hovertemplate": "σ = %{x}: ε = %{y:.2f}<extra></extra>"}
_PROMISE = "promised, all steps seen (exact)"
_LAST = "the last model, at best (exact)"
_METHODS = {
    "gaussian": ("one run, if Gaussian (median of 5)", SERIES[3]),
    "sharp": ("one run (median of 5)", BEST.estimate()),
}


@lru_cache(maxsize=1)
def _limits() -> tuple[Array, Array]:
    """Return the promised epsilon by the noise, and that of the last model."""
    how = TRAINED["sampling"], TRAINED["steps"], TRAINED["delta"]
    promised = [together.training_epsilon(how[0], s, how[1], how[2]) for s in _SIGMAS]
    last = [audit.last_model_epsilon(s, *how) for s in _SIGMAS]
    return np.array(promised), np.array(last)


def _frame() -> Part:
    promised, last = _limits()
    sentence = (
        "With noise σ = {sigma} the training promises ε = {promised}; its last model allows {last} "
        "(exact). Guessing {guesses} of 500 canaries, one run proves {sharp} in the median, "
        "and {gaussian} if it is Gaussian (bounds, 95%, δ = 10⁻⁵; medians of 5, an estimate). The "
        "model tells {accuracy} of the digits right."
    )
    alt = (
        "ε on a logarithmic axis against the noise, 0.7 to 4. Four falling curves: the promise "
        "and, just below, what the last model allows; well below these what one run proves for "
        "Gaussian privacy and in general, each in a band from the least to the most of five runs. "
        "At σ = {sigma} they are at {promised}, {last}, {gaussian} and {sharp}."
    )
    layout = {
        "xaxis": axis("noise σ over the clip", range=[0.6, 4.1]),
        "yaxis": axis("ε at δ = 10⁻⁵", log=True, range=[float(np.log10(_FLOOR)), 1.6]),
        "height": 440,
    }
    traces = [curve(_PROMISE, _SIGMAS, promised, DP, **_SPOKEN), curve(_LAST, _SIGMAS, last, BEST, **_SPOKEN)]
    probe = [_PROMISE, _LAST, *(name for name, _ in _METHODS.values())]
    meta = {"sentence": sentence, "alt": alt, "probe": probe, "headline": "{sharp} proved of {last}"}
    return Part(traces, layout, meta=meta)


def _proved(guessed: float) -> Part:
    found = digit_audit(guessed).epsilon
    traces = []
    for method, (name, look) in _METHODS.items():
        values = found[method]
        low, high = (np.maximum(f(values, axis=1), _FLOOR / 2) for f in (np.min, np.max))
        traces.append(band(f"{method}: five runs", _SIGMAS, low, high, look, showlegend=False))
        median = np.median(values, axis=1)
        traces.append(curve(name, _SIGMAS, kept(median, median > 0), look, **_SPOKEN))
    sharp = np.median(found["sharp"], axis=1)
    track = {"x": _SIGMAS.tolist(), "y": np.maximum(sharp, _FLOOR).tolist()}
    words = {"guesses": f"{round(guessed * TRAINED['canaries']):,}"}
    return Part(traces, words=words, meta={"grab": [{"control": "sigma", "axis": "x", "track": track}]})


def _here(sigma: float, guessed: float) -> Part:
    at = int(np.abs(_SIGMAS - sigma).argmin())
    made = digit_audit(guessed)
    median = {m: float(np.median(made.epsilon[m][at])) for m in _METHODS}
    promised, last = (float(values[at]) for values in _limits())
    words = {m: say(value, to=down) for m, value in median.items()}
    words |= {"sigma": say(float(_SIGMAS[at])), "promised": say(promised, to=up), "last": say(last, to=up)}
    words["accuracy"] = percent(float(made.accuracy[at].mean()))
    shown = [v for v in (promised, last, median["sharp"]) if v > _FLOOR]
    return Part([reading([_SIGMAS[at]] * len(shown), shown, "at your noise", **_SPOKEN)], words=words)


@declared
def canary_training(
    sigma: Annotated[float, Choice(list(TRAINED["sigmas"]), 1.0, label="Noise, σ")] = 1.0,
    guessed: Annotated[
        float, Choice({"5%": 0.05, "10%": 0.1, "20%": 0.2, "50%": 0.5}, 0.2, label="Guessed")
    ] = 0.2,
) -> go.Figure:
    """Draw the promised epsilon, what the last model allows, and what audits prove.

    Notes
    -----
    Softmax on the small digits, stored: `mipbook.audit.train_with_canaries`.

    Examples
    --------
    >>> canary_training().layout.meta["headline"]
    '2.32 proved of 9.5'
    """
    return stacked(layer(_frame), layer(_proved, guessed=guessed), layer(_here, sigma=sigma, guessed=guessed))
