"""What the noise of each tool is worth against an attacker, beside the least noise."""

from __future__ import annotations

from typing import Annotated

import plotly.graph_objects as go

from explorable.panels import Choice, Part, declared, layer, stacked
from mipbook import tradeoff
from mipbook.base.rounding import up
from mipbook.figures.frame import axis
from mipbook.figures.looks import SERIES
from mipbook.figures.marks import curve, kept, level, reading
from mipbook.figures.words import percent, say
from mipbook.stored.tools import DELTAS, EPSILONS, ToolAnswer, tool_answers

__all__ = ["tool_cost"]

_SHOWN = ("dp-accounting", "autodp", "diffprivlib", "OpenDP")
# Above 50 every advantage is 1, and all ratios with it.
_EPSILONS = tuple(e for e in EPSILONS if e <= 50)


def _noises(delta: float) -> dict[str, dict[float, ToolAnswer]]:
    """Return the noise of each tool's own best function, by epsilon."""
    found: dict[str, dict[float, ToolAnswer]] = {tool: {} for tool in _SHOWN}
    for answer in tool_answers("sigma", delta=delta):
        best = answer.tool in found and answer.route != "classic" and answer.side
        if best and answer.inputs["epsilon"] in _EPSILONS:
            found[answer.tool][answer.inputs["epsilon"]] = answer
    return found


def _ratio(answer: ToolAnswer) -> float:
    """Return the advantage at a tool's noise over that at the least noise."""
    least = tradeoff.gaussian_advantage(float(answer.truth))
    return float(tradeoff.gaussian_advantage(answer.value)) / float(least)


def _curves(delta: float) -> Part:
    traces = [level("the least noise", [min(_EPSILONS) / 2, max(_EPSILONS) * 2], 1.0)]
    for look, (tool, answers) in zip(SERIES, _noises(delta).items(), strict=True):
        ratios = [_ratio(answers[e]) if e in answers else 0.0 for e in _EPSILONS]
        keep = [e in answers for e in _EPSILONS]
        hover = f"{tool}, ε = %{{x:.3g}}: %{{y:.3g}} times the advantage<extra></extra>"
        line = kept(ratios, keep)
        traces.append(curve(tool, list(_EPSILONS), line, look, marked=True, hovertemplate=hover))
    layout = {
        "xaxis": axis("promise, ε", log=True, range=[-6.3, 2.0]),
        "yaxis": axis("advantage / advantage at the least noise", range=[0, 2.4]),
        "height": 420,
    }
    probe = [trace["name"] for trace in traces[1:]]
    return Part(traces, layout, meta={"probe": probe, "ghost": ["autodp"]})


def _here(delta: float, epsilon: float) -> Part:
    noises = {tool: found[epsilon] for tool, found in _noises(delta).items() if epsilon in found}
    ratios = {tool: _ratio(answer) for tool, answer in noises.items()}
    most, least = max(ratios, key=lambda t: ratios[t]), min(ratios, key=lambda t: ratios[t])
    right = float(next(iter(noises.values())).truth)
    advantage = float(tradeoff.gaussian_advantage(right))
    high = float(tradeoff.gaussian_advantage(noises[most].value))
    delivered = float(tradeoff.gaussian_delta(epsilon, noises[most].value))
    sentence = (
        f"At ε = {say(epsilon)}, δ = {say(delta)} the least noise, σ = {say(right, to=up)}, leaves "
        f"an advantage of {percent(advantage, to=up)} (exact). "
        f"{_promised(noises[most], high, delivered)}{noises[least].tool} adds noise for "
        f"{percent(advantage * ratios[least])}."
    )
    alt = (
        f"For four tools, the advantage left by their noise over that left by the least noise, "
        f"against ε, at δ = {say(delta)}. At ε = {say(epsilon)} they lie between "
        f"{say(ratios[least])} and {say(ratios[most])}; above 1 is unsafe."
    )
    headline = f"advantage up to {percent(high)}"
    marks = reading([epsilon] * len(ratios), list(ratios.values()), "at your ε")
    return Part([marks], meta={"sentence": sentence, "alt": alt, "headline": headline})


def _promised(answer: ToolAnswer, advantage: float, delivered: float) -> str:
    if answer.side != "unsafe":
        return "No tool's noise leaves more. "
    return (
        f"{answer.tool}'s σ = {say(answer.value)} leaves {percent(advantage)}, with a δ of {say(delivered)}. "
    )


@declared
def tool_cost(
    delta: Annotated[float, Choice(sorted(DELTAS), 1e-5, label="δ")] = 1e-5,
    epsilon: Annotated[float, Choice(_EPSILONS, 1.0, label="Promise, ε")] = 1.0,
) -> go.Figure:
    """Draw what the noise of four tools leaves to an attacker, beside the least noise.

    Examples
    --------
    >>> tool_cost().layout.meta["headline"]
    'advantage up to 10.7%'
    """
    return stacked(layer(_curves, delta=delta), layer(_here, delta=delta, epsilon=epsilon))
