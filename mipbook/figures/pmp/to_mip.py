"""What PMP buys of MIP, and mechanisms on which the two notions disagree."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import mip, pmp
from mipbook.explore import Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.words import percent, say
from mipbook.mechanisms import randomised_response

__all__ = ["pmp_to_mip"]

_GRID = np.linspace(0, 8, 65)
# Where the axis puts infinity.
_FAR = 9.0
_RECORDS = 3
_EPSILONS = [0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0]


@lru_cache(maxsize=64)
def _published_member(eta: float) -> tuple[float, float]:
    """Return eta of publishing a random member, and of publishing the smallest."""
    halves = mip.subsets(2 * _RECORDS)
    one, first = (
        mip.finite_eta(pmp.publish_one(_RECORDS, eta, which), halves)
        for which in ("random", "smallest")
    )
    return one, first


def _curves_in_words(epsilon: float, published: float, sharp: float, attained: float) -> str:
    if epsilon == 0:
        return "At epsilon = 0 both say that eta is 0 (bound)."
    return (
        f"{say(epsilon)}-PMP gives eta = {say(published, 4)} as published and "
        f"{say(sharp, 4)} by the sharp form (both bound); randomised response needs "
        f"{say(attained, 4)} (exact)."
    )


@declared
def pmp_to_mip(
    epsilon: Annotated[float, Stops(_EPSILONS, label="epsilon")] = 1.0,
    eta: Annotated[float, Stops([0.01, 0.03, 0.1, 0.2, 0.3], label="Published member: eta")] = 0.1,
) -> go.Figure:
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
    published = float(pmp.eta_from_pmp(epsilon, as_published=True))
    sharp = float(pmp.eta_from_pmp(epsilon))
    attained = mip.finite_eta(randomised_response(epsilon), mip.subsets(2))
    one, first = _published_member(eta)
    at_infinity = (
        ("publish a random member", one, looks.SERIES[2].with_symbol("triangle-up")),
        ("publish the smallest", first, looks.SERIES[3].with_symbol("square")),
        ("publish all: even parity", 0.5, looks.READING.with_symbol("star")),
    )
    on_curves = _curves_in_words(epsilon, published, sharp, attained)
    return finish(
        [
            curve(
                "as published (bound)",
                _GRID,
                pmp.eta_from_pmp(_GRID, as_published=True),
                looks.PUBLISHED,
            ),
            # Attained at every epsilon, so it is drawn as what is exact.
            curve("sharp (bound)", _GRID, pmp.eta_from_pmp(_GRID), looks.MIP),
            reading(epsilon, attained, "randomised response (exact)", showlegend=True),
            *(points(name, _FAR, height, look, size=13) for name, height, look in at_infinity),
        ],
        sentence=(
            f"{on_curves} On the right, no epsilon is finite: to publish a random member with "
            f"chance "
            f"{percent(_RECORDS * eta)} has eta {say(one)}, to publish the smallest has "
            f"{say(first)} (both exact). To publish everything has one half, and distributional DP "
            f"lets it pass when the data have even parity (exact)."
        ),
        alt=(
            f"Eta against the PMP parameter from 0 to 8: a dashed curve above a solid one, both "
            f"from 0 to one half; at {say(epsilon)} they are {say(published)} and {say(sharp)}. "
            f"At the right edge, infinity: a triangle at {say(one)}, a square at {say(first)}, a "
            f"star at 0.5."
        ),
        layout={
            "xaxis": axis(
                "PMP parameter, epsilon",
                range=[-0.2, 9.5],
                tickvals=[0, 2, 4, 6, 8, _FAR],
                ticktext=["0", "2", "4", "6", "8", "∞"],
            ),
            "yaxis": axis("eta", range=[0, 0.55]),
            "height": 430,
        },
    )
