"""What membership attacks find of networks trained with clip and noise, under the promise."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, declared
from mipbook.audit.examples import ATTACKED_SIGMAS, MEASURES, attacked
from mipbook.base.rounding import up
from mipbook.figures.frame import axis, finish
from mipbook.figures.looks import ATTACK, DP, LEVEL, SERIES
from mipbook.figures.marks import Trace, band, curve, level
from mipbook.figures.together.trained import NO_PROMISE, epsilon_at, epsilon_axis, promise_words
from mipbook.figures.words import percent, say
from mipbook.stored.trained import promised

__all__ = ["trained_attack"]

# The noise that is told in words.
_TOLD = 1.0
_ALLOWED = "what the promise allows (bound)"
# From the button to the place among the measures, and the words.
_SHOWN = {"found at 1%": MEASURES.index("TPR at 1%"), "calls right": MEASURES.index("right above 0")}
_LOOKS = {
    "LiRA, in and out models": ("LiRA online", ATTACK),
    "LiRA, out models": ("LiRA offline", SERIES[2]),
    "one threshold": ("one threshold", SERIES[3]),
}
_AXES = {
    "calls right": axis("calls that are right", range=[0.48, 1.02], tickformat=".0%"),
    "found at 1%": axis("members found", log=True, range=[-2.2, 0.05], tickformat=".2~%"),
}


def _bound(sigma: float, measure: str) -> float:
    found = promised(sigma)
    return found.accuracy if measure == "calls right" else found.tpr


def _drawn(measure: str) -> list[Trace]:
    """Draw what the attacks reach and what the promise allows, against epsilon."""
    found, place = attacked(), _SHOWN[measure]
    x = np.round([epsilon_at(sigma) for sigma in ATTACKED_SIGMAS], 4)
    noise = list(ATTACKED_SIGMAS)
    bounds = np.round([_bound(sigma, measure) for sigma in ATTACKED_SIGMAS], 5)
    over = "noise %{customdata:.1f}, ε = %{x:.2f}: %{y:.2%}<extra></extra>"
    traces = [curve(_ALLOWED, x, bounds, DP.bound(), hovertemplate=f"allowed at {over}", customdata=noise)]
    # A threshold at 0 means something for a likelihood ratio alone.
    names = list(_LOOKS)[:1] if measure == "calls right" else list(_LOOKS)
    for name in names:
        attack, look = _LOOKS[name]
        value, half = found.found[attack][place], found.half_width[attack][place]
        low, high = np.maximum(value - half, 1e-3).round(5), (value + half).round(5)
        area = {"showlegend": False, "legendgroup": name}
        traces.append(band(f"95% band of {name}", x, low, high, look, **area))
        told = f"{name} at {over}"
        traces.append(
            curve(f"{name} (estimate)", x, value.round(5), look, hovertemplate=told, customdata=noise)
        )
    guess = 0.5 if measure == "calls right" else 0.01
    return [*traces, level("guessing", [0.42, NO_PROMISE], guess, LEVEL)]


def _said(measure: str, sigma: float) -> str:
    """Say what LiRA reaches at a noise, and what any attack may."""
    found, at, place = attacked(), ATTACKED_SIGMAS.index(sigma), _SHOWN[measure]
    lira, one = (float(found.found[name][place, at]) for name in ("LiRA online", "one threshold"))
    half = percent(float(found.half_width["LiRA online"][place, at]), 2)
    allowed = (
        f"the promise allows any attack {percent(_bound(sigma, measure), to=up)} (bound)"
        if sigma
        else "nothing is promised"
    )
    if measure == "calls right":
        return f"LiRA is right in {percent(lira)} of its calls (estimate, ± {half}); {allowed}"
    return (
        f"LiRA finds {percent(lira)} of the members at 1% of the others accused (estimate, ± "
        f"{half}) and one threshold {percent(one)} (estimate); {allowed}"
    )


@declared
def trained_attack(
    measure: Annotated[str, Choice(_SHOWN.keys(), label="Attack measured by")] = "found at 1%",
) -> go.Figure:
    """Draw what membership attacks find of a small network on digits, under what is promised.

    Notes
    -----
    `mipbook.audit.examples`: 64 networks of 32 hidden units with clip 1, each digit in by a
    fair coin; each is attacked with the other 63 as shadow models.  Bands are by the jackknife
    over models.

    Examples
    --------
    >>> "allowed" in trained_attack("calls right").layout.meta["headline"]
    True
    """
    found, place = attacked(), _SHOWN[measure]
    at = ATTACKED_SIGMAS.index(_TOLD)
    reached = percent(float(found.found["LiRA online"][place, at]))
    bound, accuracy = percent(_bound(_TOLD, measure), to=up), percent(float(found.accuracy[at]))
    traces = _drawn(measure)
    probe = [str(trace["name"]) for trace in traces if "hovertemplate" in trace]
    return finish(
        traces,
        headline=f"{reached} reached, {bound} allowed",
        sentence=(
            f"{promise_words(_TOLD)}: {_said(measure, _TOLD)}. "
            f"Without noise {_said(measure, 0.0)}. The networks read {accuracy} of new digits "
            f"right with that noise, and {percent(float(found.accuracy[0]))} without (estimates)."
        ),
        alt=(
            "Against ε, from about 0.4 to no promise: what the promise allows rises to 100%; far "
            f"below it lie the attacks with their bands. At noise {say(_TOLD)} LiRA reaches "
            f"{reached} and {bound} is allowed."
        ),
        layout={"xaxis": epsilon_axis(), "yaxis": _AXES[measure], "height": 400},
        probe=probe,
        ghost=[],
    )
