"""What PMP buys of MIP, and mechanisms on which the two notions disagree."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Part, Slider, declared, layer, stacked
from mipbook import mip, pmp
from mipbook.base.rounding import down, up
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.words import percent, say
from mipbook.mechanisms import randomised_response

__all__ = ["pmp_to_mip"]

_GRID = np.linspace(0, 8, 65)
# Where the axis puts infinity.
_FAR = 9.0
_RECORDS = 3


@lru_cache(maxsize=64)
def _published_member(eta: float) -> tuple[float, float]:
    """Return eta of publishing a random member, and of publishing the smallest."""
    halves = mip.subsets(2 * _RECORDS)
    one, first = (
        mip.finite_eta(pmp.publish_one(_RECORDS, eta, which), halves) for which in ("random", "smallest")
    )
    return one, first


def _curves() -> Part:
    """Return both curves, the axes, and what is said around the numbers."""
    sentence = (
        "{on_curves} At infinity: to publish a random member with chance {chance} has η = {one}, "
        "the smallest {first} (exact). To publish everything has one half."
    )
    alt = (
        "Eta against the PMP parameter from 0 to 8: a dashed curve above a solid one, both from 0 "
        "to one half; at {epsilon} they are {both}. At the right edge, infinity: a triangle at "
        "{one}, a square at {first}, a star at 0.5."
    )
    layout = {
        "xaxis": axis(
            "PMP parameter, ε",
            range=[-0.2, 9.5],
            tickvals=[0, 2, 4, 6, 8, _FAR],
            ticktext=["0", "2", "4", "6", "8", "∞"],
        ),
        "yaxis": axis("η", range=[0, 0.55]),
        "height": 430,
    }
    said = "%{x:.3g}-PMP gives η = %{y:.3g}<extra></extra>"
    traces = [
        curve(
            "as published (bound)",
            _GRID,
            pmp.eta_from_pmp(_GRID, as_published=True),
            looks.PUBLISHED,
            hovertemplate=f"as published, {said}",
        ),
        # Attained at every epsilon, so it is drawn as what is exact.
        curve("sharp (bound)", _GRID, pmp.eta_from_pmp(_GRID), looks.MIP, hovertemplate=said),
    ]
    tracks = {
        "epsilon": ("x", list(_EPSILON.stops), pmp.eta_from_pmp(list(_EPSILON.stops))),
        "eta": ("y", [_FAR] * len(_ETA.stops), [_published_member(eta)[1] for eta in _ETA.stops]),
    }
    grab = [
        {"control": name, "axis": side, "track": {"x": x, "y": np.asarray(y).tolist()}}
        for name, (side, x, y) in tracks.items()
    ]
    probe = ["as published (bound)", "sharp (bound)"]
    return Part(traces, layout, meta={"sentence": sentence, "alt": alt, "grab": grab, "probe": probe})


def _at_epsilon(epsilon: float) -> Part:
    """Return what an epsilon gives, and randomised response, which needs it."""
    published = float(pmp.eta_from_pmp(epsilon, as_published=True))
    sharp = float(pmp.eta_from_pmp(epsilon))
    attained = mip.finite_eta(randomised_response(epsilon), mip.subsets(2))
    told = (
        f"{say(epsilon)}-PMP gives η = {say(published, 4, up)} as published, {say(sharp, 4, up)} "
        f"sharp (bounds); randomised response needs {say(attained, 4, down)} (exact)."
    )
    if epsilon == 0:
        told = "At ε = 0 both say that η is 0 (bound)."
    words = {"on_curves": told, "epsilon": say(epsilon), "both": f"{say(published)} and {say(sharp)}"}
    mark = reading(epsilon, attained, "randomised response (exact)", showlegend=True)
    headline = f"ε = {say(epsilon)} gives η = {say(sharp)}"
    return Part([mark], words=words, meta={"headline": headline})


def _at_infinity(eta: float) -> Part:
    """Return the three mechanisms without any finite epsilon."""
    one, first = _published_member(eta)
    drawn = (
        ("publish a random member", one, looks.SERIES[2].with_symbol("triangle-up")),
        ("publish the smallest", first, looks.SERIES[3].with_symbol("square")),
        ("publish all: even parity", 0.5, looks.READING.with_symbol("star")),
    )
    traces = [
        points(
            name,
            _FAR,
            height,
            look,
            size=13,
            hovertemplate=f"{name}: η = %{{y:.3g}}, ε infinite<extra></extra>",
        )
        for name, height, look in drawn
    ]
    words = {"chance": percent(_RECORDS * eta), "one": say(one), "first": say(first)}
    return Part(traces, words=words)


_EPSILON = Slider(0.0, 8.0, 1.0, step=0.1, label="ε")
_ETA = Slider(0.01, 0.33, 0.1, step=0.01, label="Published member: η")


@declared
def pmp_to_mip(epsilon: Annotated[float, _EPSILON] = 1.0, eta: Annotated[float, _ETA] = 0.1) -> go.Figure:
    """Draw eta against the PMP parameter, as published and sharp, and three bad mechanisms.

    One of them publishes one of n = 3 members with probability n eta.

    References
    ----------
    PMP paper, Lemma 13 and the examples of its appendix.

    Examples
    --------
    >>> "0.231" in pmp_to_mip(1.0).layout.meta["sentence"]
    True
    """
    return stacked(layer(_curves), layer(_at_epsilon, epsilon=epsilon), layer(_at_infinity, eta=eta))
