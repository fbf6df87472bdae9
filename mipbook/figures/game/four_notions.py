"""One release, four notions: what each says of the same noisy mean."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from scipy.special import expit

from explorable.panels import Stops, declared
from mipbook import mip, mis, pmp, tradeoff
from mipbook.base.rounding import up
from mipbook.base.types import Array
from mipbook.figures.frame import finish
from mipbook.figures.looks import DP, IN, LEVEL, MIP, MIS, OUT, PMP, Look
from mipbook.figures.marks import Trace, bars, curve, level
from mipbook.figures.words import percent, say
from mipbook.mip.mean_game import noisy_mean_accuracies

__all__ = ["NAMES", "Answers", "four_answers", "four_notions"]

# The incomes of the opening game, in thousands; a mean of five of them is published.
_INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
_DRAWN, _OUTLIER = 5, 9
# DP needs to know how far an income can be moved: they are clipped to 0 to 100 thousand.
_RANGE = 100.0
_DELTA = 1e-5
_SIGMAS = [
    1, 1.2, 1.5, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48,
    56, 64, 80, 100,
]  # fmt: skip
_SEEN = np.linspace(-50.0, 150.0, 101)
NAMES = ("DP", "MIP", "PMP", "MIS")


class Answers(NamedTuple):
    """What the four notions say of the release, each by its own number."""

    epsilon: float
    dp_accuracy: float
    mip_accuracy: float
    pmp_epsilon: float
    deltas: Array

    @property
    def security(self) -> float:
        """MIS: one minus the mean of what each income adds."""
        return 1.0 - float(self.deltas.mean())


@lru_cache(maxsize=64)
def four_answers(sigma: float) -> Answers:
    """Return what the four notions say of the mean of five incomes with Gaussian noise.

    Examples
    --------
    >>> round(four_answers(16.0).mip_accuracy, 3), round(four_answers(16.0).security, 3)
    (0.627, 0.952)
    """
    step = _RANGE / _DRAWN
    return Answers(
        float(tradeoff.gaussian_epsilon(_DELTA, sigma, step)),
        0.5 + float(tradeoff.gaussian_advantage(sigma, step)) / 2,
        float(noisy_mean_accuracies(_INCOMES, sigma).max()),
        float(pmp.gaussian_epsilon_exact(_INCOMES / _DRAWN, sigma, _DELTA)),
        mis.noisy_mean_deltas(_INCOMES, _DRAWN, sigma),
    )


def _bell(mean: float, sigma: float) -> Array:
    return np.asarray(np.exp(-(((_SEEN - mean) / sigma) ** 2) / 2))


def _pair(name: str, means: tuple[Array, Array], sigma: float, place: dict[str, Any]) -> list[Trace]:
    """Return the release with the record and without it, each as high as its highest point."""
    drawn, told = [], "" if name == "DP" else f"{name}: "
    for look, side, centres in zip((IN, OUT), ("in", "out"), means, strict=True):
        height = np.mean([_bell(float(centre), sigma) for centre in centres], axis=0)
        text = f"{name}, record {side}: %{{x:.0f}} thousand<extra></extra>"
        drawn.append(
            curve(f"{told}the record is {side}", _SEEN, height / height.max(), look, **place)
            | {"hovertemplate": text, "showlegend": name == "DP"}
        )
    return drawn


def _traces(sigma: float, told: Answers) -> list[Trace]:
    places: list[dict[str, Any]] = [{"xaxis": f"x{i}", "yaxis": f"y{i}"} for i in ("", "2", "3", "4")]
    members = mip.subsets(_INCOMES.size)
    means, has = members @ _INCOMES / _DRAWN, members[:, _OUTLIER]
    centre = _RANGE / 2 + np.array([_RANGE, -_RANGE]) / _DRAWN / 2
    worst = (centre[:1], centre[1:])
    chance = mip.noisy_mean_posterior(_INCOMES, _OUTLIER, _SEEN, sigma)
    ends = [float(_SEEN[0]), float(_SEEN[-1])]
    limit = float(expit(told.pmp_epsilon))
    people = [f"{value:g}" for value in _INCOMES]
    share = "an attack gains %{y:.1%} on an income of %{x} thousand<extra></extra>"
    hidden: dict[str, Any] = {"showlegend": False}
    return [
        *_pair("DP", worst, sigma, places[0]),
        *_pair("MIP", (means[has], means[~has]), sigma, places[1]),
        level("highest chance, but for δ", ends, [limit, limit], LEVEL, **places[2], **hidden),
        level("lowest chance, but for δ", ends, [1 - limit, 1 - limit], LEVEL, **places[2], **hidden),
        curve("chance that it was in", _SEEN, chance, PMP, **places[2], **hidden)
        | {"hovertemplate": "%{x:.0f} thousand published: in with %{y:.1%}<extra></extra>"},
        bars("what an attack gains on each income", people, told.deltas, MIS, **places[3], **hidden)
        | {"hovertemplate": share},
    ]


def _titled(looks: dict[str, tuple[Look, str]]) -> list[dict[str, Any]]:
    """Return the heading of each picture: the notion and its number."""
    found = []
    for i, (name, (look, text)) in enumerate(looks.items()):
        where = "" if i == 0 else str(i + 1)
        found.append(
            {
                "text": f"<b>{name}</b> {text}",
                "xref": f"x{where} domain",
                "yref": f"y{where} domain",
                "x": 0,
                "y": 1.03,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"color": look.colour},
            }
        )
    return found


def _layout(headings: list[dict[str, Any]]) -> dict[str, Any]:
    across, up = ([0.0, 0.42], [0.58, 1.0]), ([0.6, 0.93], [0.0, 0.33])
    settings: dict[str, Any] = {"height": 420, "annotations": headings}
    for i in range(4):
        name = "" if i == 0 else str(i + 1)
        quiet = {"showgrid": False, "zeroline": False}
        x = {"domain": across[i % 2], "anchor": f"y{name}", "range": [-50, 150], **quiet}
        y = {"domain": up[i // 2], "anchor": f"x{name}", "range": [0, 1.05], **quiet}
        settings[f"xaxis{name}"] = {**x, "dtick": 50}
        told = {"tickformat": ".0%"} if i > 1 else {"showticklabels": False, "ticks": ""}
        settings[f"yaxis{name}"] = {**y, **told}
    settings["xaxis4"] |= {"range": [-0.6, 9.6], "type": "category", "dtick": 3}
    settings["yaxis4"] |= {"range": [0, 0.62]}
    return settings


@declared
def four_notions(
    sigma: Annotated[float, Stops(_SIGMAS, label="Noise, σ", unit="thousand", play=True)] = 16.0,
) -> go.Figure:
    """Show what DP, MIP, PMP and MIS say of one release: five of ten incomes, a noisy mean.

    Notes
    -----
    DP: any data, incomes clipped to 0 to 100 thousand. MIP and PMP: a random five of these ten,
    and the outlier, whom noise hides last. MIS: five incomes drawn from the ten, with repetition.

    Examples
    --------
    >>> four_notions(16.0).layout.meta["headline"]
    '62.7% right at best'
    """
    told = four_answers(float(sigma))
    right, worst = (f"{100 * rate:.1f}%" for rate in (told.mip_accuracy, told.dp_accuracy))
    looks = {
        "DP": (DP, f"ε = {say(told.epsilon)}"),
        "MIP": (MIP, f"η = {say(told.mip_accuracy - 0.5)}"),
        "PMP": (PMP, f"ε̃ = {say(told.pmp_epsilon)}"),
        "MIS": (MIS, f"1 − Δ = {told.security:.3f}"),
    }
    limit = _DELTA + (1 - _DELTA) * float(expit(told.pmp_epsilon))
    sentence = (
        f"MIP asks for these ten: the best attacker is right {right} of the time (exact). DP asks "
        f"for the worst data of all: ε = {say(told.epsilon)} at δ = 10⁻⁵, right {worst} (exact). "
        f"PMP asks for the odds after nearly every release: ε̃ = {say(told.pmp_epsilon)} at δ = "
        f"10⁻⁵ (exact), hence right at most {percent(limit, to=up)} (bound). MIS asks on average "
        f"over who might have taken part: security {told.security:.3f} (exact)."
    )
    alt = (
        f"Four small pictures at noise {say(sigma)}. DP: two bells 20 thousand apart. MIP: the "
        "release with the outlier and without it. PMP: the chance that the outlier was in, by "
        f"what was published, between {100 * (1 - expit(told.pmp_epsilon)):.1f}% and "
        f"{100 * expit(told.pmp_epsilon):.1f}% but for δ. MIS: a bar for each income, highest for "
        f"92 thousand with {100 * told.deltas.max():.1f}%."
    )
    return finish(
        _traces(float(sigma), told),
        sentence=sentence,
        headline=f"{right} right at best",
        alt=alt,
        layout=_layout(_titled(looks)),
        ghost=[],
    )
